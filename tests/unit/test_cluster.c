// SPDX-License-Identifier: BSD-2-Clause
/* test_cluster.c: which readings agree, by hand: the whole, a part, slices, and nothing. */
#include "probes/cluster.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { MOST = 64 };

struct readings {
    double value[MOST];
    unsigned count;
};

/* So many more, of which each but the first is `step` above the one before. In ascending order altogether. */
static void add(struct readings *readings, unsigned count, double first, double step)
{
    for (unsigned i = 0; i < count; i++)
        readings->value[readings->count++] = first + i * step;
}

static struct cluster cluster_in(const struct readings *readings)
{
    return cluster_of(readings->value, readings->count, 0, 0.02, 0.5);
}

static void expect(const struct cluster *cluster, double mean, double share, bool tight)
{
    assert_true(fabs(cluster->mean - mean) < 1e-9 && fabs(cluster->share - share) < 1e-9);
    assert_int_equal(cluster->tight, tight);
}

static void all_that_agree_are_the_whole(void **state)
{
    struct readings readings = {.count = 0};
    (void)state;
    add(&readings, 5, 39.8, 0.1);
    struct cluster cluster = cluster_in(&readings);
    expect(&cluster, 40, 1, true);
    assert_true(fabs(cluster.variance - 0.005) < 1e-9);
}

static void a_few_interruptions_do_not_count(void **state)
{
    struct readings readings = {.count = 0};
    (void)state;
    add(&readings, 19, 40, 0);
    add(&readings, 1, 4000, 0);
    struct cluster cluster = cluster_in(&readings);
    expect(&cluster, 40, 0.95, true);
}

static void the_larger_part_stands_for_a_level(void **state)
{
    struct readings readings = {.count = 0};
    (void)state;
    add(&readings, 8, 12, 0);
    add(&readings, 12, 40, 0);
    struct cluster cluster = cluster_in(&readings);
    expect(&cluster, 40, 0.6, true);
    assert_true(fabs(cluster.other - 12) < 1e-9);
}

/* The other part may lie above as well, and has to be a fifth of all. */
static void others_are_told(void **state)
{
    struct readings above = {.count = 0}, several = {.count = 0}, few = {.count = 0};
    (void)state;
    add(&above, 12, 12, 0);
    add(&above, 1, 25, 0);
    add(&above, 8, 40, 0);
    struct cluster cluster = cluster_in(&above);
    assert_true(fabs(cluster.mean - 12) < 1e-9 && fabs(cluster.other - 40) < 1e-9);
    add(&several, 5, 12, 0);
    add(&several, 12, 40, 0);
    add(&several, 3, 200, 0);
    cluster = cluster_in(&several);
    assert_true(fabs(cluster.mean - 40) < 1e-9 && fabs(cluster.other - 12) < 1e-9);
    add(&few, 3, 12, 0);
    add(&few, 17, 40, 0);
    cluster = cluster_in(&few);
    assert_true(fabs(cluster.mean - 40) < 1e-9 && cluster.other == 0);
}

/* The window that holds most of the others begins or ends inside them: their mean is that of all around its middle. */
static void others_are_whole(void **state)
{
    struct readings readings = {.count = 0};
    (void)state;
    add(&readings, 33, 4, 0);
    add(&readings, 4, 17, 0);
    add(&readings, 2, 18.8, 0);
    add(&readings, 14, 19, 0);
    add(&readings, 9, 21, 0);
    struct cluster cluster = cluster_of(readings.value, readings.count, 3.8, 0.02, 0.5);
    assert_true(fabs(cluster.mean - 4) < 1e-9);
    assert_true(fabs(cluster.other - (4 * 17 + 2 * 18.8 + 14 * 19 + 9 * 21) / 29) < 1e-9);
}

static void many_parts_stand_for_nothing(void **state)
{
    struct readings readings = {.count = 0};
    (void)state;
    add(&readings, 7, 12, 0);
    add(&readings, 7, 40, 0);
    add(&readings, 6, 200, 0);
    assert_true(cluster_in(&readings).share <= 0);
}

/* A ring of slices: no two readings are the same, no gap is wide. */
static void slices_are_one_level(void **state)
{
    struct readings readings = {.count = 0};
    (void)state;
    add(&readings, 16, 36, 0.8);
    struct cluster cluster = cluster_in(&readings);
    expect(&cluster, 42, 1, false);
}

/* As near to each other as slices may be, but with nothing in between. */
static void a_gap_parts_levels(void **state)
{
    struct readings readings = {.count = 0};
    (void)state;
    add(&readings, 10, 4, 0);
    add(&readings, 10, 6.9, 0);
    struct cluster cluster = cluster_in(&readings);
    assert_true(cluster.share < 0.9);
    readings.count = 0;
    add(&readings, 10, 33, 0);
    add(&readings, 10, 45, 0);
    cluster = cluster_in(&readings);
    assert_true(cluster.share < 0.9);
}

/* A part with others close around it is the densest place of something wide, and no level. */
static void a_part_among_others_is_nothing(void **state)
{
    struct readings readings = {.count = 0};
    (void)state;
    add(&readings, 4, 30, 1);
    add(&readings, 9, 37, 0);
    add(&readings, 4, 40, 1.5);
    add(&readings, 3, 90, 0);
    assert_true(cluster_in(&readings).share <= 0);
}

/* What the clock hides widens what counts as the same. */
static void noise_widens(void **state)
{
    struct readings readings = {.count = 0};
    (void)state;
    add(&readings, 10, 12, 0);
    add(&readings, 10, 16, 0);
    assert_true(cluster_in(&readings).share < 0.9);
    struct cluster cluster = cluster_of(readings.value, readings.count, 4, 0.02, 0.5);
    expect(&cluster, 14, 1, true);
}

static void nothing_is_nothing(void **state)
{
    struct readings readings = {.count = 0};
    (void)state;
    assert_true(cluster_in(&readings).share <= 0);
    add(&readings, 1, 3, 0);
    struct cluster cluster = cluster_in(&readings);
    expect(&cluster, 3, 1, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_agree_are_the_whole),
        cmocka_unit_test(a_few_interruptions_do_not_count),
        cmocka_unit_test(the_larger_part_stands_for_a_level),
        cmocka_unit_test(others_are_told),
        cmocka_unit_test(others_are_whole),
        cmocka_unit_test(many_parts_stand_for_nothing),
        cmocka_unit_test(slices_are_one_level),
        cmocka_unit_test(a_gap_parts_levels),
        cmocka_unit_test(a_part_among_others_is_nothing),
        cmocka_unit_test(noise_widens),
        cmocka_unit_test(nothing_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
