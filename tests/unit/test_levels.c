// SPDX-License-Identifier: BSD-2-Clause
/* test_levels.c: from a staircase, written down by hand, to levels: what is a step, what is not, and how sure the count
 * is. Nothing is measured here. */
#include "kernel/host.h"
#include "probes/levels.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { MEMORY = 300 };

bool host_rest(struct host *host, unsigned permille)
{
    (void)host;
    (void)permille;
    return true;
}

/* A staircase with two places an octave; hit: 4 cycles; memory: 300, lines can be flushed. */
static struct levels *begin(void)
{
    struct levels *levels = calloc(1, sizeof *levels);
    assert_non_null(levels);
    levels->hit = 4;
    levels->flushed = true;
    levels->memory.cycles = levels->least.cycles = MEMORY;
    return levels;
}

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

static void expect_level(const struct levels *levels, unsigned index, double cycles)
{
    assert_true(levels->count > index);
    assert_true(levels->level[index].cycles > cycles - 0.1 && levels->level[index].cycles < cycles + 0.1);
}

static void steps_are_levels(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    step(levels, 32, 192, 12);
    step(levels, 256, 6144, 40);
    step(levels, 8192, 12288, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 3);
    expect_level(levels, 0, 4);
    expect_level(levels, 1, 12);
    expect_level(levels, 2, 40);
    assert_true(levels->level[1].first == 32 << 10 && levels->level[1].last == 192 << 10);
    assert_true(levels->level[0].numbering == 0 && levels->memory.cycles == MEMORY);
    assert_true(levels->counting < 0.01 && levels->level[2].numbering <= levels->counting); /* what noise leaves */
    free(levels);
}

/* Some targets lost and others not: places that agree by chance are no level, because their targets do not, however
 * well their means are known. */
static void a_mixture_is_no_level(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    add(levels, 32 << 10, 8, 0, 0.01);
    add(levels, 40 << 10, 8, 0, 0.01);
    step(levels, 48, 192, 12);
    step(levels, 256, 512, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 2);
    expect_level(levels, 1, 12);
    free(levels);
}

/* Nor are places whose targets agree, by a clock that hides more, but that differ from each other by more than noise.
 */
static void what_rises_is_no_level(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    add(levels, 32 << 10, 7.0, 1, 0.1);
    add(levels, 36 << 10, 7.5, 1, 0.1);
    add(levels, 40 << 10, 8.0, 1, 0.1);
    add(levels, 44 << 10, 8.5, 1, 0.1);
    step(levels, 48, 192, 12);
    step(levels, 256, 512, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 2);
    expect_level(levels, 1, 12);
    free(levels);
}

/* The ends of a step may still, or already, be mixtures: what lies between them is a level. */
static void ends_are_trimmed(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    add(levels, 32 << 10, 11.5, 1, 0.05);
    add(levels, 48 << 10, 12, 1, 0.05);
    add(levels, 64 << 10, 12, 1, 0.05);
    add(levels, 96 << 10, 12, 1, 0.05);
    add(levels, 128 << 10, 12.4, 1, 0.05);
    step(levels, 256, 512, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 2);
    assert_true(levels->level[1].cycles > 11.97 && levels->level[1].cycles < 12.03);
    assert_true(levels->level[1].first >= 48 << 10 && levels->level[1].last <= 96 << 10);
    free(levels);
}

/* Places beyond which it is quicker again are no level, if single loads were not seen. */
static void what_is_undercut_is_no_level(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    add(levels, 26 << 10, 30, 1, 0.1);
    add(levels, 30 << 10, 30, 1, 0.1);
    step(levels, 32, 192, 12);
    step(levels, 256, 768, 52);
    step(levels, 1024, 2048, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 3);
    expect_level(levels, 1, 12);
    expect_level(levels, 2, 52);
    free(levels);
}

/* Two thirds of the targets in one level, and a nearer level that keeps some of them farther on: single loads show both
 * levels, wherever they were seen, and in the order of their latencies. */
static void parts_are_levels(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    add_seen(levels, 32 << 10, 40, 0.6);
    add_seen(levels, 48 << 10, 40, 0.7);
    add_seen(levels, 64 << 10, 12, 0.5);
    add_seen(levels, 66 << 10, 12, 0.5);
    add_seen(levels, 96 << 10, 4, 0.5);
    add_seen(levels, 98 << 10, 4, 0.5);
    step(levels, 128, 192, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 3);
    expect_level(levels, 0, 4);
    expect_level(levels, 1, 12);
    expect_level(levels, 2, 40);
    free(levels);
}

/* One place is not enough, but it is a reason to doubt. So is what only some of the targets showed at a place. */
static void once_seen_is_doubt(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    add_seen(levels, 32 << 10, 4, 0.5)->latency.other = 8;
    step(levels, 48, 192, 40);
    step(levels, 256, 512, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 2);
    assert_true(levels->level[0].numbering == 0 && levels->level[1].numbering >= 0.5 && levels->counting >= 0.5);
    free(levels);
}

/* What some of the targets showed at two places is a level. */
static void others_twice_are_a_level(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    add_seen(levels, 32 << 10, 40, 0.6)->latency.other = 12;
    add_seen(levels, 40 << 10, 40, 0.6)->latency.other = 12.1;
    step(levels, 48, 192, 40);
    step(levels, 256, 512, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 3);
    expect_level(levels, 1, 12);
    expect_level(levels, 2, 40);
    assert_true(levels->counting < 0.01);
    free(levels);
}

/* It is one, too, where lines cannot be flushed and memory's latency is the last step's. */
static void once_seen_is_doubt_without_flushing(void **state)
{
    struct levels *levels = begin();
    (void)state;
    levels->flushed = false;
    levels->memory.cycles = 0;
    step(levels, 1, 24, 4);
    add_seen(levels, 32 << 10, 4, 0.5)->latency.other = 8;
    step(levels, 48, 192, 40);
    step(levels, 256, 65536, 150);
    levels_infer(levels);
    assert_int_equal(levels->count, 2);
    assert_true(levels->level[1].numbering >= 0.5);
    free(levels);
}

/* What a hit takes is known better than from places with noise, and those are no reason to doubt what lies behind. */
static void a_hit_is_known(void **state)
{
    struct levels *levels = begin();
    (void)state;
    add(levels, 1 << 10, 4.6, 1, 0.5);
    add(levels, 2 << 10, 3.8, 1, 0.5);
    add(levels, 4 << 10, 4.4, 1, 0.5);
    step(levels, 8, 192, 12);
    step(levels, 256, 512, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 2);
    assert_true(levels->level[0].cycles == 4 && levels->level[1].numbering < 0.01);
    free(levels);
}

/* A place at which all readings were lost says nothing: not of memory, and not of what is nearer. */
static void what_is_vague_says_nothing(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    step(levels, 32, 192, 12);
    add(levels, 224 << 10, 0, 0, 1e6);
    step(levels, 256, 512, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 2);
    expect_level(levels, 1, 12);
    free(levels);
}

/* What the targets that were elsewhere showed is no doubt where it is a level, or memory, that is known. */
static void known_others_are_no_doubt(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    add_seen(levels, 32 << 10, 4, 0.5)->latency.other = 40;
    step(levels, 48, 192, 40);
    add_seen(levels, 224 << 10, 40, 0.5)->latency.other = MEMORY - 1;
    step(levels, 256, 512, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 2);
    assert_true(levels->level[1].numbering < 0.01 && levels->counting < 0.01);
    free(levels);
}

/* What replacement at random keeps of the level before makes a slow approach, not two levels. */
static void an_approach_is_one_level(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    step(levels, 32, 96, 20);
    add(levels, 128 << 10, 36.0, 1, 0.02);
    add(levels, 160 << 10, 36.0, 1, 0.02);
    step(levels, 192, 768, 41);
    step(levels, 1024, 2048, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 3);
    expect_level(levels, 2, 41);
    free(levels);
}

/* Two that differ by less than a tenth are one, and what was seen longer is what it takes. */
static void near_ones_are_one(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    add_seen(levels, 32 << 10, 38.5, 1);
    add_seen(levels, 40 << 10, 38.5, 1);
    step(levels, 48, 768, 41);
    step(levels, 1024, 2048, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 2);
    expect_level(levels, 1, 41);
    free(levels);
}

/* Octaves without a step may hide a level: what lies behind has no certain number, and the count none. */
static void a_gap_is_doubt(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    for (uint64_t kilobytes = 32; kilobytes <= 192; kilobytes += 32)
        add(levels, kilobytes << 10, 4.0 + (double)kilobytes / 5, 0, 0.5);
    step(levels, 256, 6144, 50);
    step(levels, 8192, 12288, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 2);
    assert_true(levels->level[0].numbering == 0);
    assert_true(levels->level[1].numbering >= 0.5 && levels->counting >= 0.5);
    free(levels);
}

/* The same, between the last level and memory: its own number is certain, the count is not. */
static void a_gap_before_memory_is_doubt(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    step(levels, 32, 192, 12);
    for (uint64_t kilobytes = 256; kilobytes < 1024; kilobytes += 128)
        add(levels, kilobytes << 10, (double)kilobytes / 4, 0, 2);
    step(levels, 1024, 2048, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 2);
    assert_true(levels->level[1].numbering < 0.01 && levels->counting >= 0.5);
    free(levels);
}

/* Where lines cannot be flushed the last step is memory's. */
static void the_last_step_is_memory(void **state)
{
    struct levels *levels = begin();
    (void)state;
    levels->flushed = false;
    levels->memory.cycles = 0;
    step(levels, 1, 24, 4);
    step(levels, 32, 192, 12);
    step(levels, 256, 65536, 150);
    levels_infer(levels);
    assert_int_equal(levels->count, 2);
    assert_true(levels->memory.cycles > 149.9 && levels->memory.cycles < 150.1);
    free(levels);
}

/* A step as slow as flushed lines, though a little quicker than the tolerance allows, is memory's. */
static void hardly_quicker_than_memory_is_memory(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    step(levels, 32, 192, MEMORY - 9);
    levels_infer(levels);
    assert_int_equal(levels->count, 1);
    free(levels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_levels),
        cmocka_unit_test(a_mixture_is_no_level),
        cmocka_unit_test(what_rises_is_no_level),
        cmocka_unit_test(ends_are_trimmed),
        cmocka_unit_test(parts_are_levels),
        cmocka_unit_test(once_seen_is_doubt),
        cmocka_unit_test(others_twice_are_a_level),
        cmocka_unit_test(once_seen_is_doubt_without_flushing),
        cmocka_unit_test(a_hit_is_known),
        cmocka_unit_test(what_is_vague_says_nothing),
        cmocka_unit_test(known_others_are_no_doubt),
        cmocka_unit_test(near_ones_are_one),
        cmocka_unit_test(what_is_undercut_is_no_level),
        cmocka_unit_test(an_approach_is_one_level),
        cmocka_unit_test(a_gap_is_doubt),
        cmocka_unit_test(a_gap_before_memory_is_doubt),
        cmocka_unit_test(the_last_step_is_memory),
        cmocka_unit_test(hardly_quicker_than_memory_is_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
