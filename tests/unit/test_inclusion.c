// SPDX-License-Identifier: BSD-2-Clause
/* test_inclusion.c: exclusive and inclusive levels, and such as draw lots, before the probe of the caches behind the
 * first one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/found_caches.h"
#include "tests/unit/resting_host.h"

static void exclusive(void **state)
{
    struct description description = first(64, 4, "LRU");
    add(&description, 256, 8, "PLRU")->inclusion = INCLUSION_EXCLUSIVE;
    add(&description, 1024, 16, "PLRU")->inclusion = INCLUSION_EXCLUSIVE;
    assert_int_equal(assert_found(&description, *state), 4);
}

/* As many sets as the first level (K7): whatever shares a set there shares one here, so only both together are seen. */
static void exclusive_with_as_many_sets(void **state)
{
    struct description description = first(128, 2, "LRU");
    add(&description, 128, 16, "LRU")->inclusion = INCLUSION_EXCLUSIVE;
    assert_int_equal(assert_found(&description, *state), 2);
    description.cache[1].inclusion = INCLUSION_NEITHER;
    assert_int_equal(assert_found(&description, *state), 2);
    description.cache[1].inclusion = INCLUSION_INCLUSIVE;
    assert_int_equal(assert_found(&description, *state), 2);
}

/* A first level that draws lots keeps no line in order to try it on. */
static void as_many_sets_behind_lots(void **state)
{
    struct description description = first(128, 2, "RANDOM");
    add(&description, 128, 16, "LRU");
    assert_found(&description, *state);
    description.cache[1].inclusion = INCLUSION_INCLUSIVE;
    assert_found(&description, *state);
}

/* The same of a third level, behind a first one with more ways than the second. */
static void third_with_as_many_sets(void **state)
{
    static const enum inclusion all[] = {INCLUSION_EXCLUSIVE, INCLUSION_NEITHER, INCLUSION_INCLUSIVE};
    struct description description = first(64, 8, "LRU");
    add(&description, 256, 4, "LRU");
    struct cache_description *third = add(&description, 256, 12, "LRU");
    for (unsigned i = 0; i < 3; i++) {
        third->inclusion = all[i];
        /* What an inclusive third level gives up the second one may have given up. */
        assert_int_equal(assert_found(&description, *state), all[i] == INCLUSION_INCLUSIVE ? 3 : 4);
    }
}

/* What an exclusive level and the one before it hold together is not the next one's, which has as many sets. */
static void behind_an_exclusive_one(void **state)
{
    struct description description = first(64, 4, "LRU");
    add(&description, 256, 6, "LRU")->inclusion = INCLUSION_EXCLUSIVE;
    add(&description, 256, 12, "LRU")->inclusion = INCLUSION_EXCLUSIVE;
    assert_found(&description, *state);
}

/* The clock has to tell the second level from the third, which takes hardly longer. */
static void little_slower_than_the_one_before(void **state)
{
    struct description description = first(64, 4, "LRU");
    add(&description, 256, 6, "LRU");
    struct cache_description *third = add(&description, 1024, 12, "LRU");
    third->latency = 20;
    assert_int_equal(assert_found(&description, *state), 4);
    third->inclusion = INCLUSION_INCLUSIVE;
    assert_int_equal(assert_found(&description, *state), 4);
}

/* A first level that gives a line up which is visited again and again, whatever else is loaded, tells nothing. */
static void behind_one_that_loses_what_is_hot(void **state)
{
    struct description description = first(64, 16, "NRU");
    add(&description, 256, 16, "LRU");
    assert_found(&description, *state);
}

/* A policy that draws lots may keep no clear number of lines: a wrong one may not be sure. */
static void by_lot(void **state)
{
    struct description description = first(64, 4, "LRU");
    add(&description, 256, 8, "RANDOM");
    for (uint64_t seed = 1; seed <= 3; seed++) {
        know(*state, &description);
        measured(&description, seed, *state);
        const struct finding *ways = of_level(*state, 2, "ways");
        if (ways->measured && ways->value != 8 && ways->confidence >= 0.9)
            fail_msg("%g ways with %.3f", ways->value, ways->confidence);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exclusive),
                                       cmocka_unit_test(exclusive_with_as_many_sets),
                                       cmocka_unit_test(as_many_sets_behind_lots),
                                       cmocka_unit_test(third_with_as_many_sets),
                                       cmocka_unit_test(behind_one_that_loses_what_is_hot),
                                       cmocka_unit_test(behind_an_exclusive_one),
                                       cmocka_unit_test(little_slower_than_the_one_before),
                                       cmocka_unit_test(by_lot)};
    return cmocka_run_group_tests(tests, fresh, done);
}
