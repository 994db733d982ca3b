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

enum { MEMORY = 300, GROUPS = 64 };

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

/* One more place. spread: standard deviation of a group, in cycles. */
static void add(struct levels *levels, uint64_t bytes, double cycles, double spread)
{
    struct place *place = &levels->place[levels->places++];
    place->bytes = bytes;
    place->latency.cycles = place->latency.middle = cycles;
    place->latency.spread = spread * spread;
    place->latency.variance = place->latency.spread / GROUPS;
    place->memory = cycles >= MEMORY;
}

/* Places of one level from so many KB to so many, two an octave, no two readings quite the same. */
static void step(struct levels *levels, uint64_t first, uint64_t last, double cycles)
{
    unsigned number = 0;
    for (uint64_t octave = first; octave <= last; octave *= 2)
        for (uint64_t half = 2; half < 4 && octave * half / 2 <= last; half++)
            add(levels, (octave * half / 2) << 10, cycles + 0.01 * (number++ % 3), 0.1);
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
    assert_true(levels->counting == 0 && levels->level[2].numbering == 0 && levels->memory.cycles == MEMORY);
    free(levels);
}

/* Some targets lost and others not: places that agree by chance are no level, because their groups differ, however well
 * their means are known. */
static void a_mixture_is_no_level(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    add(levels, 32 << 10, 8, 3);
    add(levels, 40 << 10, 8, 3);
    levels->place[levels->places - 2].latency.variance = levels->place[levels->places - 1].latency.variance = 1e-4;
    step(levels, 48, 192, 12);
    step(levels, 256, 512, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 2);
    expect_level(levels, 1, 12);
    free(levels);
}

/* Places beyond which it is quicker again are no level, pure or not. */
static void what_is_undercut_is_no_level(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    add(levels, 28 << 10, 52, 0.1);
    add(levels, 30 << 10, 52, 0.1);
    step(levels, 32, 192, 12);
    step(levels, 256, 768, 52);
    step(levels, 1024, 2048, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 3);
    expect_level(levels, 1, 12);
    expect_level(levels, 2, 52);
    free(levels);
}

/* What replacement at random keeps of the level before makes a slow approach, not two levels. */
static void an_approach_is_one_level(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    step(levels, 32, 96, 20);
    add(levels, 128 << 10, 38.5, 0.1);
    add(levels, 160 << 10, 38.6, 0.1);
    step(levels, 192, 768, 41);
    step(levels, 1024, 2048, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 3);
    expect_level(levels, 2, 41);
    free(levels);
}

/* Octaves without a step may hide a level: what lies behind has no certain number, and the count none. */
static void a_gap_is_doubt(void **state)
{
    struct levels *levels = begin();
    (void)state;
    step(levels, 1, 24, 4);
    for (uint64_t kilobytes = 32; kilobytes <= 192; kilobytes += 32)
        add(levels, kilobytes << 10, 4.0 + (double)kilobytes / 5, 6);
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
        add(levels, kilobytes << 10, (double)kilobytes / 4, 20);
    step(levels, 1024, 2048, MEMORY);
    levels_infer(levels);
    assert_int_equal(levels->count, 2);
    assert_true(levels->level[1].numbering == 0 && levels->counting >= 0.5);
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
        cmocka_unit_test(what_is_undercut_is_no_level),
        cmocka_unit_test(an_approach_is_one_level),
        cmocka_unit_test(a_gap_is_doubt),
        cmocka_unit_test(a_gap_before_memory_is_doubt),
        cmocka_unit_test(the_last_step_is_memory),
        cmocka_unit_test(hardly_quicker_than_memory_is_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
