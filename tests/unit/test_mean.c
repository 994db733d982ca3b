// SPDX-License-Identifier: BSD-2-Clause
/* test_mean.c: means of readings of which some were interrupted, by clocks that move in steps. */
#include "probes/mean.h"
#include "tests/unit/resting_host.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { COUNT = 20 };

/* So many of them are `most`, and the rest `others`. */
static double mean_of(unsigned count, double most, double others, double step)
{
    double values[COUNT];
    for (unsigned i = 0; i < COUNT; i++)
        values[i] = i < count ? most : others;
    return mean_of_most(values, COUNT, step);
}

static void a_step_more(void **state)
{
    (void)state;
    assert_float_equal(mean_of(18, 44, 66, 22), 46.2, 1e-9);
}

/* A clock that moves by 22 and 23 ticks by turns shows 23 and 46 of what takes little more than a step. */
static void half_a_tick_more(void **state)
{
    (void)state;
    assert_float_equal(mean_of(18, 23, 46, 22), 25.3, 1e-9);
}

static void interrupted(void **state)
{
    (void)state;
    assert_float_equal(mean_of(18, 44, 88, 22), 44, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_more),
        cmocka_unit_test(half_a_tick_more),
        cmocka_unit_test(interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
