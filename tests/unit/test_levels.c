// SPDX-License-Identifier: BSD-2-Clause
/* test_levels.c: from a staircase, written down by hand, to levels: what is a step, what is not, and how sure the count
 * is. Nothing is measured here. */
#include "probes/levels.h"
#include "tests/unit/resting_host.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { MEMORY = 300 };

/* One more place. share: of the targets that agree on it; noise: standard deviation of what is known of it, in cycles.
 */
static struct place *add(struct levels *levels, uint64_t bytes, double cycles, double share, double noise)
{
    struct place *place = &levels->place[levels->places++];
    place->bytes = bytes;
    place->latency.cycles = place->latency.middle = cycles;
    place->latency.share = share;
    place->latency.variance = noise * noise;
    place->memory = cycles >= MEMORY;
    return place;
}

/* The same, where the clock shows single loads. */
static struct place *add_seen(struct levels *levels, uint64_t bytes, double cycles, double share)
{
    struct place *place = add(levels, bytes, cycles, share, 0.05);
    place->latency.seen = true;
    return place;
}

/* Places of one level from so many KB to so many, two an octave, no two readings quite the same. */
static void step(struct levels *levels, uint64_t first, uint64_t last, double cycles)
{
    unsigned number = 0;
    for (uint64_t octave = first; octave <= last; octave *= 2)
        for (uint64_t half = 2; half < 4 && octave * half / 2 <= last; half++)
            add(levels, (octave * half / 2) << 10, cycles + 0.01 * (number++ % 3), 1, 0.02);
}

/* A staircase with two places an octave, which begins with a first level up to 24 KB; hit: 4 cycles; memory: 300, lines
 * can be flushed. */
static int begin(void **state)
{
    struct levels *levels = calloc(1, sizeof *levels);
    *state = levels;
    if (!levels)
        return -1;
    levels->hit = 4;
    levels->flushed = true;
    levels->memory.cycles = levels->least.cycles = MEMORY;
    step(levels, 1, 24, 4);
    return 0;
}

static int end(void **state)
{
    free(*state);
    return 0;
}

static void infer(struct levels *levels, unsigned count)
{
    levels_infer(levels);
    assert_int_equal(levels->count, count);
}

static void expect_level(const struct levels *levels, unsigned index, double cycles)
{
    assert_true(levels->count > index);
    assert_true(levels->level[index].cycles > cycles - 0.1 && levels->level[index].cycles < cycles + 0.1);
}

static void steps_are_levels(void **state)
{
    struct levels *levels = *state;
    step(levels, 32, 192, 12);
    step(levels, 256, 6144, 40);
    step(levels, 8192, 12288, MEMORY);
    infer(levels, 3);
    expect_level(levels, 0, 4);
    expect_level(levels, 1, 12);
    expect_level(levels, 2, 40);
    assert_true(levels->level[1].first == 32 << 10 && levels->level[1].last == 192 << 10);
    assert_true(levels->level[0].numbering == 0 && levels->memory.cycles == MEMORY);
    assert_true(levels->counting < 0.01 && levels->level[2].numbering <= levels->counting); /* what noise leaves */
}

/* Some targets lost and others not: places that agree by chance are no level, because their targets do not, however
 * well their means are known. */
static void a_mixture_is_no_level(void **state)
{
    struct levels *levels = *state;
    add(levels, 32 << 10, 8, 0, 0.01);
    add(levels, 40 << 10, 8, 0, 0.01);
    step(levels, 48, 192, 12);
    step(levels, 256, 512, MEMORY);
    infer(levels, 2);
    expect_level(levels, 1, 12);
}

/* Nor are places whose targets agree, by a clock that hides more, but that differ from each other by more than noise.
 */
static void what_rises_is_no_level(void **state)
{
    struct levels *levels = *state;
    add(levels, 32 << 10, 7.0, 1, 0.1);
    add(levels, 36 << 10, 7.5, 1, 0.1);
    add(levels, 40 << 10, 8.0, 1, 0.1);
    add(levels, 44 << 10, 8.5, 1, 0.1);
    step(levels, 48, 192, 12);
    step(levels, 256, 512, MEMORY);
    infer(levels, 2);
    expect_level(levels, 1, 12);
}

/* The ends of a step may still, or already, be mixtures: what lies between them is a level. */
static void ends_are_trimmed(void **state)
{
    struct levels *levels = *state;
    add(levels, 32 << 10, 11.5, 1, 0.05);
    add(levels, 48 << 10, 12, 1, 0.05);
    add(levels, 64 << 10, 12, 1, 0.05);
    add(levels, 96 << 10, 12, 1, 0.05);
    add(levels, 128 << 10, 12.4, 1, 0.05);
    step(levels, 256, 512, MEMORY);
    infer(levels, 2);
    assert_true(levels->level[1].cycles > 11.97 && levels->level[1].cycles < 12.03);
    assert_true(levels->level[1].first >= 48 << 10 && levels->level[1].last <= 96 << 10);
}

/* Which end goes first depends on how well each is known. */
static void the_surer_end_is_trimmed(void **state)
{
    struct levels *levels = *state;
    add(levels, 32 << 10, 11.6, 1, 0.02);
    add(levels, 48 << 10, 12, 1, 0.02);
    add(levels, 64 << 10, 12, 1, 0.02);
    add(levels, 96 << 10, 12, 1, 0.02);
    add(levels, 128 << 10, 12.6, 1, 0.5);
    step(levels, 256, 512, MEMORY);
    infer(levels, 2);
    assert_true(levels->level[1].first == 48 << 10 && levels->level[1].last == 128 << 10);
}

/* Two places next to each other may agree by chance; single loads, of which most agree as well, do not; one place is
 * never enough. */
static void a_narrow_step_has_to_be_seen(void **state)
{
    struct levels *levels = *state;
    add(levels, 30 << 10, 20, 1, 0.05);
    add(levels, 31 << 10, 20, 1, 0.05);
    step(levels, 32, 96, 40);
    add_seen(levels, 98 << 10, 70, 1);
    add_seen(levels, 99 << 10, 70, 1);
    add_seen(levels, 100 << 10, 120, 1);
    step(levels, 128, 256, MEMORY);
    infer(levels, 3);
    expect_level(levels, 1, 40);
    expect_level(levels, 2, 70);
    assert_true(levels->level[1].numbering >= 0.5); /* what agreed on 20 */
}

/* Noise makes no hit of what a quarter more may be, nor does a level that is nearly one change what a hit takes. */
static void a_hit_is_no_excuse(void **state)
{
    struct levels *levels = *state;
    levels->places = 0; /* another first level */
    add(levels, 1 << 10, 5.5, 1, 0.6);
    add(levels, 2 << 10, 5.5, 1, 0.6);
    add(levels, 4 << 10, 5.5, 1, 0.6);
    step(levels, 8, 192, 12);
    step(levels, 256, 512, MEMORY);
    infer(levels, 1);
    assert_true(levels->counting >= 0.5);
    levels->places = 0;
    step(levels, 1, 2, 4);
    step(levels, 3, 24, 4.8);
    step(levels, 32, 192, 12);
    step(levels, 256, 512, MEMORY);
    infer(levels, 2);
    assert_true(levels->level[0].cycles == 4);
}

/* A level that is not known too well may be none, until single loads show it farther on. */
static void seen_later_is_seen(void **state)
{
    struct levels *levels = *state;
    add(levels, 32 << 10, 12, 1, 0.22);
    add(levels, 40 << 10, 12, 1, 0.22);
    add(levels, 48 << 10, 12, 1, 0.22);
    add_seen(levels, 64 << 10, 40, 1);
    add_seen(levels, 96 << 10, 40, 1);
    unsigned places = levels->places;
    step(levels, 256, 512, MEMORY);
    infer(levels, 3);
    assert_true(levels->level[2].numbering > 0.03 && levels->counting > 0.03);
    levels->places = places;
    add_seen(levels, 224 << 10, 12, 0.5);
    add_seen(levels, 226 << 10, 12, 0.5);
    step(levels, 256, 512, MEMORY);
    infer(levels, 3);
    assert_true(levels->level[2].numbering < 0.01);
}

/* By a clock that hides single loads two places agree by chance; a third decides. */
static void two_places_are_no_level(void **state)
{
    struct levels *levels = *state;
    add(levels, 32 << 10, 12, 1, 0.1);
    add(levels, 48 << 10, 12, 1, 0.1);
    unsigned places = levels->places;
    step(levels, 64, 192, 40);
    step(levels, 256, 512, MEMORY);
    infer(levels, 2);
    expect_level(levels, 1, 40);
    assert_true(levels->level[1].numbering > 0.4); /* but there may have been one */
    levels->places = places;
    add(levels, 56 << 10, 12, 1, 0.1);
    step(levels, 64, 192, 40);
    step(levels, 256, 512, MEMORY);
    infer(levels, 3);
    expect_level(levels, 1, 12);
}

/* Neighbours agree, as far as noise lets them, but the last is not what the first was. */
static void a_slope_is_no_level(void **state)
{
    struct levels *levels = *state;
    for (unsigned i = 0; i < 6; i++)
        add(levels, (32 + 4 * i) << 10, 8 + 0.12 * i, 1, 0.17);
    step(levels, 64, 192, 40);
    step(levels, 256, 512, MEMORY);
    infer(levels, 2);
    expect_level(levels, 1, 40);
}

/* Places that are hardly known agree with the one that is. */
static void one_that_is_known_is_no_level(void **state)
{
    struct levels *levels = *state;
    add(levels, 32 << 10, 11.9, 1, 0.6);
    add(levels, 40 << 10, 12, 1, 0.1);
    add(levels, 48 << 10, 12.2, 1, 0.6);
    step(levels, 64, 192, 40);
    step(levels, 256, 512, MEMORY);
    infer(levels, 2);
    expect_level(levels, 1, 40);
    assert_true(levels->level[1].numbering > 0.4);
}

/* However well a mean is known: so near a hit, most of its targets were hits. */
static void hardly_slower_than_a_hit_is_a_hit(void **state)
{
    struct levels *levels = *state;
    levels->places = 0;
    for (unsigned i = 0; i < 6; i++)
        add(levels, (uint64_t)(1024 + 256 * i), 4.9, 1, 0.05);
    step(levels, 8, 192, 12);
    step(levels, 256, 512, MEMORY);
    infer(levels, 2);
    assert_true(levels->level[0].cycles == 4);
    expect_level(levels, 1, 12);
}

/* A level that more passes leave behind was there all the same. */
static void early_twice_is_a_level(void **state)
{
    struct levels *levels = *state;
    add_seen(levels, 32 << 10, 40, 1)->early[1] = 12;
    unsigned places = levels->places;
    step(levels, 48, 192, 40);
    step(levels, 256, 512, MEMORY);
    infer(levels, 2);
    assert_true(levels->counting > 0.4); /* once it is a doubt */
    levels->places = places;
    add_seen(levels, 48 << 10, 40, 1)->early[0] = 12.1;
    step(levels, 64, 192, 40);
    step(levels, 256, 512, MEMORY);
    infer(levels, 3);
    expect_level(levels, 1, 12);
    expect_level(levels, 2, 40);
    assert_true(levels->counting < 0.01);
}

/* So is one that most single loads came from at two places far from each other, and at none in between. */
static void apart_twice_is_a_level(void **state)
{
    struct levels *levels = *state;
    add_seen(levels, 32 << 10, 12, 0.5);
    add_seen(levels, 48 << 10, 40, 1);
    add_seen(levels, 64 << 10, 12, 0.5);
    step(levels, 96, 192, 40);
    step(levels, 256, 512, MEMORY);
    infer(levels, 3);
    expect_level(levels, 1, 12);
}

/* A level that was heard of far behind its step leaves no gap. */
static void heard_is_not_overlooked(void **state)
{
    struct levels *levels = *state;
    add_seen(levels, 32 << 10, 12, 1);
    add_seen(levels, 48 << 10, 12, 1);
    add_seen(levels, 96 << 10, 4, 0.6);
    unsigned places = levels->places;
    add_seen(levels, 192 << 10, 4, 0.6);
    add_seen(levels, 256 << 10, 40, 1);
    add_seen(levels, 384 << 10, 40, 1);
    step(levels, 512, 768, MEMORY);
    infer(levels, 3);
    assert_true(levels->level[2].numbering > 0.4);
    levels->place[places].latency.other = 12;
    infer(levels, 3);
    assert_true(levels->level[2].numbering < 0.01);
    assert_true(levels->level[1].last == 192 << 10);
}

/* By a coarse clock two parts of one level may show a part of a step apart; then neither is known well. */
static void a_coarse_clock_is_doubt(void **state)
{
    struct levels *levels = *state;
    levels->step = 2;
    add_seen(levels, 24 << 10, 4, 0.6)->latency.other = 9;
    add_seen(levels, 28 << 10, 4, 0.6)->latency.other = 9.8;
    step(levels, 32, 192, 40);
    step(levels, 256, 512, MEMORY);
    infer(levels, 3);
    expect_level(levels, 1, 9.4);
    assert_true(levels->level[1].deviation > 0.25);
}

/* What single loads show is a level, however near the next one is. */
static void what_is_seen_is_no_remainder(void **state)
{
    struct levels *levels = *state;
    step(levels, 32, 96, 20);
    add_seen(levels, 128 << 10, 36, 1);
    add_seen(levels, 160 << 10, 36, 1);
    step(levels, 192, 768, 41);
    step(levels, 1024, 2048, MEMORY);
    infer(levels, 4);
    expect_level(levels, 2, 36);
}

/* Places beyond which it is quicker again are no level, if single loads were not seen. */
static void what_is_undercut_is_no_level(void **state)
{
    struct levels *levels = *state;
    add(levels, 26 << 10, 30, 1, 0.1);
    add(levels, 30 << 10, 30, 1, 0.1);
    step(levels, 32, 192, 12);
    step(levels, 256, 768, 52);
    step(levels, 1024, 2048, MEMORY);
    infer(levels, 3);
    expect_level(levels, 1, 12);
    expect_level(levels, 2, 52);
}

/* Two thirds of the targets in one level, and a nearer level that keeps some of them farther on: single loads show both
 * levels, wherever they were seen, and in the order of their latencies. */
static void parts_are_levels(void **state)
{
    struct levels *levels = *state;
    add_seen(levels, 32 << 10, 40, 0.6);
    add_seen(levels, 48 << 10, 40, 0.7);
    add_seen(levels, 64 << 10, 12, 0.5);
    add_seen(levels, 66 << 10, 12, 0.5);
    add_seen(levels, 96 << 10, 4, 0.5);
    add_seen(levels, 98 << 10, 4, 0.5);
    step(levels, 128, 192, MEMORY);
    infer(levels, 3);
    expect_level(levels, 0, 4);
    expect_level(levels, 1, 12);
    expect_level(levels, 2, 40);
    assert_true(levels->level[0].last == 98 << 10);
}

/* One place is not enough, but it is a reason to doubt. So is what only some of the targets showed at a place. */
static void once_seen_is_doubt(void **state)
{
    struct levels *levels = *state;
    add_seen(levels, 32 << 10, 4, 0.5)->latency.other = 8;
    step(levels, 48, 192, 40);
    step(levels, 256, 512, MEMORY);
    infer(levels, 2);
    assert_true(levels->level[0].numbering == 0 && levels->level[1].numbering >= 0.5 && levels->counting >= 0.5);
}

/* What some of the targets showed at two places is a level. */
static void others_twice_are_a_level(void **state)
{
    struct levels *levels = *state;
    add_seen(levels, 32 << 10, 40, 0.6)->latency.other = 12;
    add_seen(levels, 40 << 10, 40, 0.6)->latency.other = 12.1;
    step(levels, 48, 192, 40);
    step(levels, 256, 512, MEMORY);
    infer(levels, 3);
    expect_level(levels, 1, 12);
    expect_level(levels, 2, 40);
    assert_true(levels->counting < 0.01);
}

/* It is one, too, where lines cannot be flushed and memory's latency is the last step's. */
static void once_seen_is_doubt_without_flushing(void **state)
{
    struct levels *levels = *state;
    levels->flushed = false;
    levels->memory.cycles = levels->least.cycles = 0;
    add_seen(levels, 32 << 10, 4, 0.5)->latency.other = 8;
    step(levels, 48, 192, 40);
    step(levels, 256, 65536, 150);
    infer(levels, 2);
    assert_true(levels->level[1].numbering >= 0.5);
}

/* What a hit takes is known better than from places with noise, and those are no reason to doubt what lies behind. */
static void a_hit_is_known(void **state)
{
    struct levels *levels = *state;
    levels->places = 0; /* another first level */
    add(levels, 1 << 10, 4.6, 1, 0.5);
    add(levels, 2 << 10, 3.8, 1, 0.5);
    add(levels, 4 << 10, 4.4, 1, 0.5);
    step(levels, 8, 192, 12);
    step(levels, 256, 512, MEMORY);
    infer(levels, 2);
    assert_true(levels->level[0].cycles == 4 && levels->level[1].numbering < 0.01);
}

/* What the targets that were elsewhere showed is no doubt where it is a level, or memory, that is known. */
static void known_others_are_no_doubt(void **state)
{
    struct levels *levels = *state;
    levels->least.cycles = 250; /* of rows that are open */
    add_seen(levels, 32 << 10, 4, 0.5)->latency.other = 39;
    step(levels, 48, 192, 40);
    add_seen(levels, 224 << 10, 40, 0.5)->latency.other = 260;
    step(levels, 256, 512, MEMORY);
    infer(levels, 2);
    assert_true(levels->level[1].numbering < 0.01 && levels->counting < 0.01);
}

/* What replacement at random keeps of the level before makes a slow approach, not two levels. */
static void an_approach_is_one_level(void **state)
{
    struct levels *levels = *state;
    step(levels, 32, 96, 20);
    add(levels, 128 << 10, 36.0, 1, 0.02);
    add(levels, 160 << 10, 36.0, 1, 0.02);
    step(levels, 192, 768, 41);
    step(levels, 1024, 2048, MEMORY);
    infer(levels, 3);
    expect_level(levels, 2, 41);
}

/* Two that differ by less than a tenth are one, and what was seen longer is what it takes. */
static void near_ones_are_one(void **state)
{
    struct levels *levels = *state;
    add_seen(levels, 32 << 10, 38.5, 1);
    add_seen(levels, 40 << 10, 38.5, 1);
    step(levels, 48, 768, 41);
    step(levels, 1024, 2048, MEMORY);
    infer(levels, 2);
    expect_level(levels, 1, 41);
}

/* Octaves without a step may hide a level: what lies behind has no certain number, and the count none. */
static void a_gap_is_doubt(void **state)
{
    struct levels *levels = *state;
    for (uint64_t kilobytes = 32; kilobytes <= 192; kilobytes += 32)
        add(levels, kilobytes << 10, 4.0 + (double)kilobytes / 5, 0, 0.5);
    step(levels, 256, 6144, 50);
    step(levels, 8192, 12288, MEMORY);
    infer(levels, 2);
    assert_true(levels->level[0].numbering == 0);
    assert_true(levels->level[1].numbering >= 0.5 && levels->counting >= 0.5);
}

/* The same, between the last level and memory: its own number is certain, the count is not. */
static void a_gap_before_memory_is_doubt(void **state)
{
    struct levels *levels = *state;
    step(levels, 32, 192, 12);
    for (uint64_t kilobytes = 256; kilobytes < 1024; kilobytes += 128)
        add(levels, kilobytes << 10, (double)kilobytes / 4, 0, 2);
    step(levels, 1024, 2048, MEMORY);
    infer(levels, 2);
    assert_true(levels->level[1].numbering < 0.01 && levels->counting >= 0.5);
}

/* Where lines cannot be flushed the last step is memory's. */
static void the_last_step_is_memory(void **state)
{
    struct levels *levels = *state;
    levels->flushed = false;
    levels->memory.cycles = 0;
    step(levels, 32, 192, 12);
    step(levels, 256, 65536, 150);
    infer(levels, 2);
    assert_true(levels->memory.cycles > 149.9 && levels->memory.cycles < 150.1);
}

/* A step as slow as flushed lines, though a little quicker than the tolerance allows, is memory's. */
static void hardly_quicker_than_memory_is_memory(void **state)
{
    struct levels *levels = *state;
    step(levels, 32, 192, MEMORY - 9);
    infer(levels, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(steps_are_levels, begin, end),
        cmocka_unit_test_setup_teardown(a_mixture_is_no_level, begin, end),
        cmocka_unit_test_setup_teardown(what_rises_is_no_level, begin, end),
        cmocka_unit_test_setup_teardown(the_surer_end_is_trimmed, begin, end),
        cmocka_unit_test_setup_teardown(a_narrow_step_has_to_be_seen, begin, end),
        cmocka_unit_test_setup_teardown(a_hit_is_no_excuse, begin, end),
        cmocka_unit_test_setup_teardown(seen_later_is_seen, begin, end),
        cmocka_unit_test_setup_teardown(two_places_are_no_level, begin, end),
        cmocka_unit_test_setup_teardown(a_slope_is_no_level, begin, end),
        cmocka_unit_test_setup_teardown(one_that_is_known_is_no_level, begin, end),
        cmocka_unit_test_setup_teardown(hardly_slower_than_a_hit_is_a_hit, begin, end),
        cmocka_unit_test_setup_teardown(early_twice_is_a_level, begin, end),
        cmocka_unit_test_setup_teardown(apart_twice_is_a_level, begin, end),
        cmocka_unit_test_setup_teardown(heard_is_not_overlooked, begin, end),
        cmocka_unit_test_setup_teardown(a_coarse_clock_is_doubt, begin, end),
        cmocka_unit_test_setup_teardown(what_is_seen_is_no_remainder, begin, end),
        cmocka_unit_test_setup_teardown(ends_are_trimmed, begin, end),
        cmocka_unit_test_setup_teardown(parts_are_levels, begin, end),
        cmocka_unit_test_setup_teardown(once_seen_is_doubt, begin, end),
        cmocka_unit_test_setup_teardown(others_twice_are_a_level, begin, end),
        cmocka_unit_test_setup_teardown(once_seen_is_doubt_without_flushing, begin, end),
        cmocka_unit_test_setup_teardown(a_hit_is_known, begin, end),
        cmocka_unit_test_setup_teardown(known_others_are_no_doubt, begin, end),
        cmocka_unit_test_setup_teardown(near_ones_are_one, begin, end),
        cmocka_unit_test_setup_teardown(what_is_undercut_is_no_level, begin, end),
        cmocka_unit_test_setup_teardown(an_approach_is_one_level, begin, end),
        cmocka_unit_test_setup_teardown(a_gap_is_doubt, begin, end),
        cmocka_unit_test_setup_teardown(a_gap_before_memory_is_doubt, begin, end),
        cmocka_unit_test_setup_teardown(the_last_step_is_memory, begin, end),
        cmocka_unit_test_setup_teardown(hardly_quicker_than_memory_is_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
