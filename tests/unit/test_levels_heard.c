// SPDX-License-Identifier: BSD-2-Clause
/* test_levels_heard.c: what single loads show at a place counts, whether most of them agree on it, or a part, or only
 * those of an earlier pass; and how many places it takes where they show nothing. */
#include "tests/unit/resting_host.h"
#include "tests/unit/staircase.h"

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

/* Nothing was heard where single loads cannot be, however long the clock's step; and what is in between is a gap. */
static void nothing_heard_fills_no_gap(void **state)
{
    struct levels *levels = *state;
    levels->step = 40;
    for (uint64_t bytes = 32 << 10; bytes <= 128 << 10; bytes += bytes / 4)
        add(levels, bytes, 20 + (double)(bytes >> 12), 0, 1);
    step(levels, 160, 320, 60);
    step(levels, 512, 768, MEMORY);
    infer(levels, 2);
    expect_level(levels, 1, 60);
    assert_true(levels->level[0].last == 24 << 10 && levels->level[1].numbering > 0.4);
}

/* A level that a part of the targets was found in long before its step leaves no gap before it. */
static void heard_before_is_not_overlooked(void **state)
{
    struct levels *levels = *state;
    add(levels, 32 << 10, 8, 0, 0.05);
    unsigned place = levels->places;
    add(levels, 48 << 10, 10, 0, 0.05);
    add_seen(levels, 96 << 10, 12, 1);
    add_seen(levels, 128 << 10, 12, 1);
    step(levels, 256, 512, MEMORY);
    infer(levels, 2);
    assert_true(levels->level[1].numbering > 0.4);
    levels->place[place].early[0] = 12;
    infer(levels, 2);
    assert_true(levels->level[1].first == 48 << 10 && levels->level[1].numbering < 0.01);
}

/* Memory's own lines, a little quicker than the least that was asked, are memory. */
static void memory_that_is_heard_is_no_level(void **state)
{
    struct levels *levels = *state;
    levels->least.cycles = 200;
    levels->least.variance = 2;
    step(levels, 32, 192, 12);
    add_seen(levels, 256 << 10, 194, 1)->memory = true;
    add_seen(levels, 384 << 10, 194.2, 1)->memory = true;
    levels->place[levels->places - 1].early[0] = 194;
    infer(levels, 2);
    assert_true(levels->counting < 0.01);
}

/* Places that are known well enough each decide together, however much better one of them is known. */
static void one_may_be_known_better(void **state)
{
    struct levels *levels = *state;
    step(levels, 32, 192, 12);
    add(levels, 256 << 10, 94.4, 1, 0.5);
    add(levels, 384 << 10, 94.4, 1, 0.5);
    add(levels, 512 << 10, 94.9, 1, 0.1);
    step(levels, 768, 1536, MEMORY);
    infer(levels, 3);
    expect_level(levels, 2, 94.75);
    levels->place[levels->places - 5].latency.variance = levels->place[levels->places - 4].latency.variance = 1;
    infer(levels, 2); /* they would agree with 97 as well */
}

/* Two places that agree, and no third one: it is worth looking closer at them, and at no level. */
static void two_places_are_open(void **state)
{
    struct levels *levels = *state;
    step(levels, 32, 192, 12);
    unsigned first = levels->places;
    add(levels, 256 << 10, 40, 1, 0.05);
    add(levels, 384 << 10, 40, 1, 0.05);
    step(levels, 512, 1024, MEMORY);
    levels_find_steps(levels);
    for (unsigned i = 0; i < levels->places; i++)
        assert_true(levels->place[i].open == (i == first || i == first + 1));
    levels->places = first + 2;
    add(levels, 448 << 10, 40, 1, 0.05); /* but with a third one */
    step(levels, 512, 1024, MEMORY);
    levels_find_steps(levels);
    for (unsigned i = 0; i < levels->places; i++)
        assert_false(levels->place[i].open);
}

/* What is the same as a hit takes what a hit takes, whichever comes first, and however many places it has. */
static void a_hit_comes_before_what_is_the_same(void **state)
{
    struct levels *levels = *state;
    levels->places = 0;
    for (unsigned i = 0; i < 6; i++)
        add_seen(levels, (uint64_t)(1024 + 256 * i), 4.7, 1);
    add(levels, 3 << 10, 7, 0, 0.01);
    step(levels, 4, 6, 4);
    step(levels, 8, 192, 12);
    step(levels, 256, 512, MEMORY);
    infer(levels, 2);
    assert_true(levels->level[0].cycles == 4);
    expect_level(levels, 1, 12);
}

/* One place is none, and a reason to doubt that there are so few, where it is well known that all of its targets were
 * there: a level may be no larger than the one before it and a few lines. */
static void one_place_is_doubt(void **state)
{
    struct levels *levels = *state;
    for (unsigned known = 0; known < 3; known++) {
        levels->places = 0;
        step(levels, 1, 24, 4);
        add(levels, 32 << 10, 12, known == 2 ? 0.8 : 1, known ? 0.1 : 1);
        step(levels, 36, 512, MEMORY);
        infer(levels, 1);
        assert_true(known == 1 ? levels->counting >= 0.5 : levels->counting < 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_place_is_doubt, begin, end),
        cmocka_unit_test_setup_teardown(seen_later_is_seen, begin, end),
        cmocka_unit_test_setup_teardown(early_twice_is_a_level, begin, end),
        cmocka_unit_test_setup_teardown(apart_twice_is_a_level, begin, end),
        cmocka_unit_test_setup_teardown(heard_is_not_overlooked, begin, end),
        cmocka_unit_test_setup_teardown(memory_that_is_heard_is_no_level, begin, end),
        cmocka_unit_test_setup_teardown(nothing_heard_fills_no_gap, begin, end),
        cmocka_unit_test_setup_teardown(heard_before_is_not_overlooked, begin, end),
        cmocka_unit_test_setup_teardown(a_coarse_clock_is_doubt, begin, end),
        cmocka_unit_test_setup_teardown(what_is_seen_is_no_remainder, begin, end),
        cmocka_unit_test_setup_teardown(parts_are_levels, begin, end),
        cmocka_unit_test_setup_teardown(once_seen_is_doubt, begin, end),
        cmocka_unit_test_setup_teardown(others_twice_are_a_level, begin, end),
        cmocka_unit_test_setup_teardown(once_seen_is_doubt_without_flushing, begin, end),
        cmocka_unit_test_setup_teardown(known_others_are_no_doubt, begin, end),
        cmocka_unit_test_setup_teardown(one_may_be_known_better, begin, end),
        cmocka_unit_test_setup_teardown(two_places_are_open, begin, end),
        cmocka_unit_test_setup_teardown(a_hit_comes_before_what_is_the_same, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
