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
        assert_int_equal(assert_found(&description, *state), 4);
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

/* A first level that gives up what is visited again and again, whatever else is loaded: at times, and not when another
 * row of lines has come before. */
static void behind_one_that_loses_what_is_hot(void **state)
{
    struct description description = first(64, 16, "FIFO");
    struct cache_description *second = add(&description, 256, 16, "FIFO");
    assert_int_equal(assert_found(&description, *state), 2);
    /* Both may lose it at once. */
    assert_true(policy_parse(&second->shape.policy, "LRU"));
    assert_found(&description, *state);
    second->inclusion = INCLUSION_INCLUSIVE;
    assert_found(&description, *state);
}

/* The second level, which visits do not reach, loses the line at times, and has it alone at others. */
static void behind_one_that_is_inclusive(void **state)
{
    struct description description = first(64, 2, "LRU");
    add(&description, 64, 16, "FIFO")->inclusion = INCLUSION_INCLUSIVE;
    add(&description, 256, 16, "FIFO");
    assert_int_equal(assert_found(&description, *state), 4);
}

/* More ways than there are helpers for so few in the first level. */
static void of_many_ways(void **state)
{
    struct description description = first(8, 5, "PLRUl");
    add(&description, 16, 24, "LRU");
    assert_int_equal(assert_found(&description, *state), 2);
}

/* A clock that moves in steps by which a hit of the first level looks like one of the second. */
static void by_a_slow_clock(void **state)
{
    static const enum inclusion all[] = {INCLUSION_NEITHER, INCLUSION_INCLUSIVE};
    struct description description = first(64, 8, "PLRU");
    struct cache_description *second = add(&description, 256, 8, "PLRU");
    description.clock.step = 60;
    for (unsigned i = 0; i < 2; i++) {
        second->inclusion = all[i];
        know(*state, &description);
        measured(&description, 1, *state);
        assert_value(*state, 2, "inclusive", all[i] == INCLUSION_INCLUSIVE);
    }
}

/* Measures a hierarchy whose last level takes in what the one before loses, and keeps what a load finds. */
static void measure_victims(const struct description *description, struct cache_description *last,
                            struct notebook *notebook)
{
    last->inclusion = INCLUSION_EXCLUSIVE;
    last->keeps_hits = true;
    know(notebook, description);
    measured(description, 1, notebook);
}

/* What a level has that takes in what the one before loses, and keeps what a load finds, is no copy of that one. */
static void victims_that_stay(void **state)
{
    struct description description = first(64, 7, "LRU");
    measure_victims(&description, add(&description, 128, 16, "QLRU_H00_M1_R2_U1"), *state);
    assert_int_equal(of_level(*state, 2, "exclusive")->value, 0);
    assert_int_equal(told(*state, 2, "inclusive", false), 1);
}

/* The same of as many sets: it takes in what was hot, as an exclusive one does, but does not hold more than it has. */
static void victims_that_stay_without_helpers(void **state)
{
    struct description description = first(64, 4, "LRU");
    measure_victims(&description, add(&description, 64, 8, "LRU"), *state);
    const struct finding *exclusive = of_level(*state, 2, "exclusive");
    if (exclusive->measured && exclusive->value == 1 && exclusive->confidence >= 0.5)
        fail_msg("exclusive with %.3f", exclusive->confidence);
}

/* The same of fewer ways than the level before has: as long as all lines stay there, none comes back from it. An
 * exclusive one behind as many does not lose what comes and goes. */
static void victims_behind_more_ways(void **state)
{
    static const char *const policies[] = {"LRU", "QLRU_H11_M1_R0_U0"};
    for (unsigned ways = 14; ways <= 20; ways += 6)
        for (unsigned i = 0; i < 2; i++) {
            struct description description = first(32, ways, policies[i]);
            struct cache_description *second = add(&description, 128, 8, "LRU2PLRU4");
            add(&description, 256, 16, "LRU");
            for (unsigned stays = 0; stays < 2; stays++) {
                second->inclusion = INCLUSION_EXCLUSIVE;
                second->keeps_hits = stays;
                know(*state, &description);
                measured(&description, 1, *state);
                assert_int_equal(told(*state, 2, "exclusive", !stays), 1);
            }
        }
}

/* The first level has as many ways as the third one, and many more than the second: it keeps all lines that are as many
 * as those, and what the policy of the third one did of them in the first lap says nothing. */
static void more_ways_in_the_first(void **state)
{
    for (unsigned exclusive = 0; exclusive < 2; exclusive++) {
        struct description description = first(4, 8, "QLRU_H00_M2_R0_U0_UMO");
        add(&description, 128, 2, "PLRUl");
        add(&description, 256, 8, "MRU_N")->inclusion = exclusive ? INCLUSION_EXCLUSIVE : INCLUSION_NEITHER;
        know(*state, &description);
        measured(&description, 1, *state);
        assert_int_equal(told(*state, 3, "exclusive", exclusive), 1);
    }
}

/* A first level of far more ways than the second, which it keeps all known lines of: paper 000's Power 3. */
static void behind_128_ways(void **state)
{
    struct description description = first(4, 128, "FIFO");
    add(&description, 1024, 4, "LRU");
    know(*state, &description);
    measured(&description, 1, *state);
    assert_value(*state, 2, "ways", 4);
    assert_value(*state, 2, "exclusive", 0);
    assert_value(*state, 2, "inclusive", 0);
    description.cache[1].inclusion = INCLUSION_EXCLUSIVE;
    know(*state, &description);
    measured(&description, 1, *state);
    told(*state, 2, "exclusive", true);
}

/* Behind a single way, which keeps no line hot: FIFO forgets what is loaded again, and so is not exclusive. */
static void behind_one_way(void **state)
{
    struct description description = first(64, 1, "LRU");
    struct cache_description *second = add(&description, 64, 8, "FIFO");
    know(*state, &description);
    measured(&description, 1, *state);
    assert_value(*state, 2, "ways", 8);
    assert_value(*state, 2, "exclusive", 0);
    second->inclusion = INCLUSION_EXCLUSIVE;
    know(*state, &description);
    measured(&description, 1, *state);
    told(*state, 2, "exclusive", true);
}

/* A second level that loses the hot line once, and has it in another way then; no line of the third one's set is not of
 * its own. */
static void loses_it_once_without_helpers(void **state)
{
    struct description description = first(8, 8, "LRU");
    add(&description, 96, 6, "NRU");
    add(&description, 96, 19, "LRU");
    assert_int_equal(assert_found(&description, *state), 4);
}

/* A policy that draws lots, and takes any way, empty or not: a wrong number of lines may not be sure, and most are
 * found. */
static void by_lot(void **state)
{
    struct description description = first(64, 4, "LRU");
    unsigned found = 0;
    add(&description, 128, 8, "RANDOM");
    for (uint64_t seed = 1; seed <= 6; seed++) {
        know(*state, &description);
        measured(&description, seed, *state);
        const struct finding *ways = of_level(*state, 2, "ways");
        if (!ways->measured || ways->confidence < 0.9)
            continue;
        if (ways->value != 8)
            fail_msg("seed %u: %g ways with %.3f", (unsigned)seed, ways->value, ways->confidence);
        found++;
    }
    assert_in_range(found, 4, 6);
}

/* So few lines share a set in all the memory that as many as are wanted are never found: the search ends all the same.
 */
static void by_lot_in_little_memory(void **state)
{
    struct description description = first(64, 4, "LRU");
    add(&description, 1 << 17, 4, "RANDOM");
    know(*state, &description);
    measured(&description, 1, *state);
    assert_false(of_level(*state, 2, "size")->measured);
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
                                       cmocka_unit_test(behind_one_that_is_inclusive),
                                       cmocka_unit_test(of_many_ways),
                                       cmocka_unit_test(by_a_slow_clock),
                                       cmocka_unit_test(victims_that_stay),
                                       cmocka_unit_test(victims_behind_more_ways),
                                       cmocka_unit_test(more_ways_in_the_first),
                                       cmocka_unit_test(behind_128_ways),
                                       cmocka_unit_test(behind_one_way),
                                       cmocka_unit_test(loses_it_once_without_helpers),
                                       cmocka_unit_test(victims_that_stay_without_helpers),
                                       cmocka_unit_test(by_lot),
                                       cmocka_unit_test(by_lot_in_little_memory)};
    return cmocka_run_group_tests(tests, fresh, done);
}
