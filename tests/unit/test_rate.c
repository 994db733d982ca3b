// SPDX-License-Identifier: BSD-2-Clause
/* test_rate.c: core cycles per tick, beside whoever takes multipliers for a while. The clock is the test's own: an add
 * takes a tick. */
#include "probes/pause.h"
#include "probes/rate.h"
#include "probes/tries.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { HZ = 2000000000 };

static double now, busy_until, slow, later = 3, every, costs, differ;
static unsigned tries, blocks;

unsigned tries_on(struct machine *machine)
{
    (void)machine;
    return tries;
}

bool bench_ok(const struct bench *bench)
{
    (void)bench;
    return true;
}

bool bench_rest(struct bench *bench, bool at_once)
{
    (void)bench, (void)at_once;
    return true;
}

void bench_pause(struct bench *bench, unsigned milliseconds)
{
    now += (double)bench->clock.hz * milliseconds / 1000;
}

bool bench_block(struct bench *bench, enum block_kind kind, uint64_t steps, double *ticks)
{
    (void)bench;
    *ticks = (double)steps;
    if (kind == BLOCK_MULTIPLY)
        *ticks *= now < busy_until ? slow : later;
    double end = now + *ticks;
    if (every > 0 && (uint64_t)(end / every) > (uint64_t)(now / every))
        *ticks += costs * (double)((uint64_t)(end / every) - (uint64_t)(now / every));
    *ticks += differ * (blocks++ % 3) / 2;
    now += *ticks;
    return true;
}

static int ascending(const void *left, const void *right)
{
    double one = *(const double *)left, other = *(const double *)right;
    return (one > other) - (one < other);
}

double quantile(double *values, unsigned count, double fraction)
{
    if (!count)
        return 0;
    qsort(values, count, sizeof *values, ascending);
    return values[(unsigned)((count - 1) * fraction)];
}

/* Whether the rate is found where a multiply takes so many adds for so many seconds. */
static bool found(double multiply, double seconds, unsigned shared)
{
    struct bench bench = {.clock = {.hz = HZ, .step = 1}};
    struct rate rate;
    now = 0, blocks = 0, busy_until = seconds * HZ, slow = multiply, tries = shared;
    assert_true(rate_measure(&bench, &rate));
    if (bench.cycles_per_tick <= 0)
        assert_true(rate.error == 1);
    else
        assert_true(bench.cycles_per_tick > 0.99 && bench.cycles_per_tick <= 1 && rate.error < 0.1);
    return bench.cycles_per_tick > 0;
}

/* A neighbour that multiplies for half a second, and one that never ends. */
static void multipliers_are_taken(void **state)
{
    (void)state;
    assert_true(found(3, 0, 1));
    assert_true(found(3.445, 0.5, TRIES));
    assert_false(found(3.445, 1000, TRIES));
    assert_true(now < 4.0 * HZ);
}

/* What is near a whole number by chance, in one of many attempts, means nothing. */
static void luck(void **state)
{
    (void)state;
    later = 3.93;
    assert_false(found(3.445, 0.3, TRIES));
    later = 3;
}

/* Where nobody shares the computer, a ratio that means nothing is not asked for longer. */
static void alone(void **state)
{
    (void)state;
    assert_false(found(3.445, 1000, 1));
    assert_true(now < 0.3 * HZ);
}

/* Readings differ by up to half a microsecond, which would be below 0.1 % of half a millisecond. Of batches so long
 * most multiplies are interrupted, once in 1.4 milliseconds, and few adds. */
static void interrupted(void **state)
{
    (void)state;
    every = HZ / 700.0, costs = HZ / 14000.0, differ = HZ / 2000000.0;
    assert_true(found(3, 0, 1));
    every = 0, differ = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(multipliers_are_taken), cmocka_unit_test(luck),
                                       cmocka_unit_test(alone), cmocka_unit_test(interrupted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
