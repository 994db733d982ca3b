// SPDX-License-Identifier: BSD-2-Clause
/* test_step.c: plateaus of series whose steps are known. */
#include "base/random.h"
#include "kernel/host.h"
#include "probes/step.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the headers that it needs */
#include <cmocka.h>

bool host_rest(struct host *host, unsigned permille)
{
    (void)host;
    (void)permille;
    return true;
}

static const struct step_rules rules = {.least_step = 0.5, .least_noise = 0.001, .least_points = 3};

static bool near(double a, double b, double by)
{
    return a - b < by && b - a < by;
}

static void logarithm_is_one(void **state)
{
    (void)state;
    assert_true(step_logarithm(1) == 0);
    assert_true(near(step_logarithm(2), 0.693147180559945309, 1e-12));
    assert_true(near(step_logarithm(10), 2.30258509299404568, 1e-12));
    assert_true(near(step_logarithm(2.718281828459045), 1, 1e-12));
    assert_true(near(step_logarithm(1e-6), -13.8155105579642741, 1e-11));
    for (double value = 1e-6; value < 1e9; value *= 1.37)
        assert_true(near(step_logarithm(value) + step_logarithm(1.37), step_logarithm(value * 1.37), 1e-11));
}

static void flat_is_one_plateau(void **state)
{
    (void)state;
    double value[40];
    struct plateau plateau[MAX_PLATEAUS];
    for (unsigned i = 0; i < 40; i++)
        value[i] = 22;
    assert_int_equal(step_plateaus(value, 40, &rules, plateau), 1);
    assert_int_equal(plateau[0].first, 0);
    assert_int_equal(plateau[0].last, 39);
    assert_true(plateau[0].level == 22);
    assert_int_equal(step_plateaus(value, 0, &rules, plateau), 0);
    assert_int_equal(step_plateaus(value, 1, &rules, plateau), 0);
}

/* Three levels of a hierarchy with a climb before the last one, and noise on all. */
static unsigned levels(uint64_t seed, double noise, struct plateau plateau[MAX_PLATEAUS])
{
    struct random random = {seed};
    double value[60];
    for (unsigned i = 0; i < 60; i++) {
        double level = i < 22 ? 4 : i < 40 ? 14 : i < 46 ? 14 + 6 * (i - 39) : 60;
        value[i] = level * (1 + noise * (double)random_below(&random, 1000) / 1000);
    }
    return step_plateaus(value, 60, &rules, plateau);
}

static void three_levels_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct plateau plateau[MAX_PLATEAUS];
        double noise = 0.0002 * (double)(seed % 100);
        assert_int_equal(levels(seed, noise, plateau), 3);
        assert_int_equal(plateau[0].last, 21);
        assert_int_equal(plateau[1].first, 22);
        assert_in_range(plateau[1].last, 39, 40);
        assert_in_range(plateau[2].first, 45, 46);
        assert_true(near(plateau[0].level, 4, 0.1));
        assert_true(near(plateau[1].level, 14, 0.3));
        assert_true(near(plateau[2].level, 60, 1.3));
    }
}

/* A step that costs less than the least step is no step, however clean. */
static void least_step_is_kept(void **state)
{
    (void)state;
    double value[30];
    struct plateau plateau[MAX_PLATEAUS];
    for (unsigned i = 0; i < 30; i++)
        value[i] = i < 15 ? 4 : 4.3;
    assert_int_equal(step_plateaus(value, 30, &rules, plateau), 1);
    for (unsigned i = 15; i < 30; i++)
        value[i] = 5;
    assert_int_equal(step_plateaus(value, 30, &rules, plateau), 2);
    assert_int_equal(plateau[0].last, 14);
}

/* One disturbed point inside a level does not make two of it, and an even climb is no plateau. */
static void outlier_and_climb(void **state)
{
    (void)state;
    double value[30];
    struct plateau plateau[MAX_PLATEAUS];
    for (unsigned i = 0; i < 30; i++)
        value[i] = i == 11 ? 9 : 4;
    assert_int_equal(step_plateaus(value, 30, &rules, plateau), 1);
    assert_int_equal(plateau[0].last, 29);
    value[0] = 4;
    for (unsigned i = 1; i < 30; i++)
        value[i] = value[i - 1] * 1.1;
    assert_int_equal(step_plateaus(value, 30, &rules, plateau), 0);
}

/* A long climb under noise between two levels: cut into pieces, but none of them is a level. */
static void climb_between_levels(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct random random = {seed};
        struct plateau plateau[MAX_PLATEAUS];
        double value[60], level = 20;
        for (unsigned i = 0; i < 60; i++) {
            level *= i >= 20 && i < 40 ? 1.05 : 1;
            value[i] = level * (1 + 0.03 * (double)random_below(&random, 1000) / 1000);
        }
        assert_int_equal(step_plateaus(value, 60, &rules, plateau), 2);
        assert_in_range(plateau[0].last, 18, 22);
        assert_in_range(plateau[1].first, 37, 41);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithm_is_one),       cmocka_unit_test(flat_is_one_plateau),
        cmocka_unit_test(three_levels_are_found), cmocka_unit_test(least_step_is_kept),
        cmocka_unit_test(outlier_and_climb),      cmocka_unit_test(climb_between_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
