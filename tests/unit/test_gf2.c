// SPDX-License-Identifier: BSD-2-Clause
/* test_gf2.c: spaces over the field of two elements, against sets of all their vectors. */
#include "base/gf2.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { BITS = 8, ALL = 1 << BITS };

/* Adds a vector to a set of all vectors of a space. False: it was in it. */
static bool add_to_all(bool all[ALL], unsigned vector)
{
    bool before[ALL];
    if (all[vector])
        return false;
    memcpy(before, all, sizeof before);
    for (unsigned i = 0; i < ALL; i++)
        all[i ^ vector] = all[i ^ vector] || before[i];
    return true;
}

static void agrees_with_all_vectors(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct random random = {seed};
        struct gf2 space = {.dimension = 0};
        bool all[ALL] = {true};
        for (unsigned i = 0; i < 6; i++) {
            unsigned vector = (unsigned)random_below(&random, ALL), count = 0;
            assert_int_equal(gf2_add(&space, vector), add_to_all(all, vector));
            for (unsigned j = 0; j < ALL; j++) {
                assert_int_equal(gf2_has(&space, j), all[j]);
                count += all[j];
            }
            assert_int_equal(count, 1 << space.dimension);
        }
    }
}

static void any_is_each(void **state)
{
    (void)state;
    struct gf2 space = {.dimension = 0};
    struct random random = {7};
    unsigned seen[ALL] = {0};
    gf2_add(&space, 0x81);
    gf2_add(&space, 0x83);
    gf2_add(&space, 0x18);
    for (unsigned i = 0; i < 8000; i++)
        seen[gf2_any(&space, &random)]++;
    for (unsigned i = 0; i < ALL; i++) {
        if (gf2_has(&space, i))
            assert_in_range(seen[i], 850, 1150);
        else
            assert_int_equal(seen[i], 0);
    }
}

static void highest_bits(void **state)
{
    (void)state;
    struct gf2 space = {.dimension = 0};
    assert_true(gf2_has(&space, 0));
    assert_false(gf2_add(&space, 0));
    assert_true(gf2_add(&space, UINT64_C(1) << 63 | 1));
    assert_false(gf2_has(&space, UINT64_C(1) << 63));
    assert_true(gf2_add(&space, 1));
    assert_true(gf2_has(&space, UINT64_C(1) << 63));
    assert_int_equal(space.dimension, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_all_vectors), cmocka_unit_test(any_is_each),
                                       cmocka_unit_test(highest_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
