// SPDX-License-Identifier: BSD-2-Clause
/* test_levels_afresh.c: what targets that come again and again say, against what such as come for the first time do.
 * The staircase is played: nothing is measured here. */
#include "kernel/front.h"
#include "probes/levels.h"
#include "tests/unit/resting_host.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { HIT = 4, MEMORY = 300 };

struct machine {
    struct front front;
};

/* What is played, up to so many bytes: latencies and shares of targets that come again, and of those that do not. */
struct played {
    uint64_t bytes; /* 0: no more */
    double again, share, afresh, share_afresh;
};

static const struct played *staircase;
static unsigned looks_afresh, looks_in_pieces;
static double in_pieces; /* what targets take where others are read in pieces, each twice; 0: what they do else */
static double share_in_pieces;
static uint64_t read_in_pieces; /* bytes, twice in each pass */
static uint64_t smallest_piece, largest_piece;

bool depth_after(struct depth *depth, uint64_t bytes, unsigned passes, struct latency_of *latency)
{
    const struct played *step = staircase;
    assert_in_range(passes, 1, 16);
    while (step->bytes && step->bytes < bytes)
        step++;
    *latency = (struct latency_of){.cycles = MEMORY, .share = 1, .variance = 0.01};
    if (step->bytes) {
        latency->cycles = depth->fresh ? step->afresh : step->again;
        latency->share = depth->fresh ? step->share_afresh : step->share;
        if (depth->twice && in_pieces > 0) {
            latency->cycles = in_pieces;
            latency->share = share_in_pieces;
        }
    }
    if (depth->twice) {
        looks_in_pieces++;
        read_in_pieces += 2 * passes * bytes;
        smallest_piece = depth->twice < smallest_piece ? depth->twice : smallest_piece;
        largest_piece = depth->twice > largest_piece ? depth->twice : largest_piece;
    }
    looks_afresh += depth->fresh;
    return true;
}

bool depth_flushed(struct depth *depth, enum flushed how, struct latency_of *latency)
{
    (void)depth;
    (void)how;
    *latency = (struct latency_of){.cycles = MEMORY, .share = 1, .variance = 0.01};
    return true;
}

bool depth_open(struct depth *depth, struct bench *bench, const struct stretch *stretch, double hit, double extra)
{
    (void)depth;
    (void)bench;
    (void)stretch;
    (void)hit;
    (void)extra;
    return false;
}

static void measured(const struct played *steps, struct levels *levels)
{
    struct machine machine = {.front = {.steps = 0}};
    struct bench bench = {.machine = &machine, .clock = {.hz = 1000000000, .step = 8}, .cycles_per_tick = 1};
    struct depth depth = {.bench = &bench, .most = 64 << 20};
    staircase = steps;
    looks_afresh = looks_in_pieces = 0;
    read_in_pieces = 0;
    smallest_piece = UINT64_MAX;
    largest_piece = 0;
    assert_true(levels_measure(&depth, HIT, levels));
}

static void assert_level(const struct levels *levels, unsigned index, double cycles)
{
    assert_in_range(index, 0, levels->count - 1);
    assert_true(levels->level[index].cycles > cycles - 0.1 && levels->level[index].cycles < cycles + 0.1);
}

/* The first level keeps a part of the targets, as large a one up to 256 KB: that is no level, and what is behind it
 * begins where the first one ends. */
static void a_part_that_stays_is_no_level(void **state)
{
    static const struct played steps[] = {
        {24 << 10, 4, 1, 4, 1}, {256 << 10, 8, 1, 12, 1}, {1 << 20, 12, 1, 12, 1}, {0}};
    struct levels *levels = *state;
    measured(steps, levels);
    assert_int_equal(levels->count, 2);
    assert_level(levels, 1, 12);
    assert_true(levels->level[1].first <= 32 << 10);
    assert_true(levels->counting < 0.1);
}

/* Nor is it where the level behind it is seen only before it and after it, and nowhere on end: three places that agree
 * are enough. */
static void a_part_that_stays_may_hide_the_next_level(void **state)
{
    static const struct played steps[] = {{24 << 10, 4, 1, 4, 1},    {32 << 10, 12, 1, 12, 1}, {256 << 10, 7, 1, 12, 1},
                                          {290 << 10, 12, 1, 12, 1}, {2 << 20, 40, 1, 40, 1},  {0}};
    struct levels *levels = *state;
    measured(steps, levels);
    assert_int_equal(levels->count, 3);
    assert_level(levels, 1, 12);
    assert_level(levels, 2, 40);
}

/* Whatever comes again is a mixture; what does not is in one level. */
static void a_mixture_is_looked_at_afresh(void **state)
{
    static const struct played steps[] = {
        {24 << 10, 4, 1, 4, 1}, {192 << 10, 12, 1, 12, 1}, {2 << 20, 35, 0, 40, 1}, {0}};
    struct levels *levels = *state;
    measured(steps, levels);
    assert_int_equal(levels->count, 3);
    assert_level(levels, 2, 40);
    assert_true(levels->counting < 0.1);
}

/* What comes for the first time may be a mixture, too (ways that flushing has left empty, and that are not filled
 * first): that refutes nothing, nor does what is no other level. And nobody asks twice. */
static void what_is_no_other_level_refutes_nothing(void **state)
{
    static const struct played steps[] = {
        {24 << 10, 4, 1, 4, 1}, {192 << 10, 12, 1, 25, 1}, {2 << 20, 40, 1, 45, 0}, {0}};
    struct levels *levels = *state;
    measured(steps, levels);
    assert_int_equal(levels->count, 3);
    assert_level(levels, 1, 12);
    assert_level(levels, 2, 40);
    assert_int_equal(looks_afresh, 2);
}

/* The last level keeps a part of what comes again, however much is read: what does not comes from memory, and nobody
 * reads on. */
static void what_comes_for_the_first_time_comes_from_memory(void **state)
{
    static const struct played steps[] = {
        {24 << 10, 4, 1, 4, 1}, {192 << 10, 12, 1, 12, 1}, {64 << 20, 150, 0, MEMORY, 1}, {0}};
    struct levels *levels = *state;
    measured(steps, levels);
    assert_int_equal(levels->count, 2);
    assert_true(levels->counting < 0.1);
    assert_true(levels->place[levels->places - 1].bytes <= 512 << 10);
}

/* A level that has been seen to lose its targets has them again, after more: it holds on to them while nothing else is
 * asked for twice. It holds 16 KB to 64 KB, of which pieces are. Where it has them even so, nobody asks for ever. */
static void a_level_that_holds_on(void **state)
{
    static const struct played steps[] = {
        {8 << 10, 4, 1, 4, 1}, {64 << 10, 12, 1, 12, 1}, {512 << 10, 60, 1, 60, 1}, {2 << 20, 12, 1, 12, 1}, {0}};
    static const struct played far[] = {
        {8 << 10, 4, 1, 4, 1}, {64 << 10, 12, 1, 12, 1}, {512 << 10, 60, 1, 60, 1}, {64 << 20, 12, 1, 12, 1}, {0}};
    struct levels *levels = *state;
    in_pieces = 60;
    share_in_pieces = 1;
    measured(steps, levels);
    assert_int_equal(levels->count, 3);
    assert_level(levels, 1, 12);
    assert_level(levels, 2, 60);
    assert_true(levels->counting < 0.1);
    assert_in_range(smallest_piece, 8 << 10, 64 << 10);
    assert_in_range(largest_piece, 8 << 10, 64 << 10);
    in_pieces = 35; /* of several levels: that is no answer */
    share_in_pieces = 0;
    measured(steps, levels);
    assert_true(looks_in_pieces > 0);
    for (unsigned i = 0; i < levels->places; i++)
        assert_true(levels->place[i].latency.cycles < 34 || levels->place[i].latency.cycles > 36);
    in_pieces = 0;
    measured(far, levels);
    assert_true(levels->count < 3 || levels->counting > 0.1);
    assert_in_range(read_in_pieces / 64, 1, 8 << 20);
}

static int fresh(void **state)
{
    *state = calloc(1, sizeof(struct levels));
    return *state ? 0 : -1;
}

static int done(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_that_stays_is_no_level),
        cmocka_unit_test(a_part_that_stays_may_hide_the_next_level),
        cmocka_unit_test(a_mixture_is_looked_at_afresh),
        cmocka_unit_test(what_is_no_other_level_refutes_nothing),
        cmocka_unit_test(what_comes_for_the_first_time_comes_from_memory),
        cmocka_unit_test(a_level_that_holds_on),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
