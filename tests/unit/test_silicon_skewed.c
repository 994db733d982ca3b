// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_skewed.c: arrays each way of which has its own set, against a table of all entries with the moments of
 * their use, and by hand. */
#include "tests/silicon/array.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ENTRIES = 256 };

static struct array_shape shape_of(const char *policy, unsigned bits, unsigned ways)
{
    struct array_shape shape = {.index = {.kind = INDEX_SKEWED, .sets = 1ULL << bits, .bits = bits, .skew = 3},
                                .ways = ways};

    assert_true(policy_parse(&shape.policy, policy));
    for (unsigned i = 0; i < bits; i++)
        shape.index.mask[i] = (1ULL << i) | (1ULL << (i + bits)) | (1ULL << (2 * i + 30));
    return shape;
}

/* Numbers with something in all of their 40 bits. */
static uint64_t spread(uint64_t small)
{
    return small * 0x9E3779B97F4A7C15 >> 24;
}

/* A table of all entries, each with its moment of use. Empty ways first, then the longest unused. */
static void agrees(const char *policy, unsigned ways, uint64_t seed)
{
    static uint64_t moment[MOST_ENTRIES];
    static struct entry entries[MOST_ENTRIES];
    struct array_shape shape = shape_of(policy, 4, ways);
    struct random random = {seed};
    struct array *array;

    assert_null(array_unsound(&shape));
    array = array_create(&shape, seed);
    memset(entries, 0, sizeof entries);
    for (unsigned i = 1; i < 4000; i++) {
        uint64_t number = spread(random_below(&random, 24 * ways)), at = 0, least = UINT64_MAX;
        struct place place;
        bool there = false;

        for (unsigned way = 0; way < ways && !there; way++) {
            uint64_t cell = index_set(&shape.index, number, way) * ways + way;
            uint64_t age = entries[cell].tag ? moment[cell] : 0;

            there = entries[cell].tag == number + 1;
            if (there || age < least) {
                least = age;
                at = cell;
            }
        }
        assert_int_equal(array_find(array, number, number + 1, &place), there);
        if (there && i % 16 == 0) {
            array_remove(array, place);
            entries[at] = (struct entry){0, 0};
            continue;
        }
        if (there) {
            array_touch(array, place);
        } else {
            struct entry old = array_insert(array, number, (struct entry){number + 1, i}, &place);

            assert_true(old.tag == entries[at].tag && old.value == entries[at].value);
            entries[at] = (struct entry){number + 1, i};
        }
        assert_true(place.set * ways + place.way == at && array_value(array, place) == entries[at].value);
        if (!there || policy[0] == 'L')
            moment[at] = i;
    }
    array_destroy(array);
}

static void moments_agree(void **state)
{
    (void)state;
    for (unsigned ways = 1; ways <= 8; ways++) {
        agrees("LRU", ways, ways);
        agrees("FIFO", ways, ways);
    }
}

/* Accesses a number; returns the tag that was pushed out, or UINT64_MAX after a hit. */
static uint64_t use(struct array *array, uint64_t number)
{
    struct place place;

    if (!array_find(array, number, number + 1, &place))
        return array_insert(array, number, (struct entry){number + 1, 0}, &place).tag;
    array_touch(array, place);
    return UINT64_MAX;
}

/* With one set only, it is the same as without skew. */
static void ages_by_hand(void **state)
{
    struct array_shape nru = shape_of("NRU", 0, 4), srrip = shape_of("QLRU_H00_M2_R0_U0_UMO", 0, 4);
    struct array *array;

    (void)state;
    /* 1 to 4 are in ways 0 to 3. The miss of 5 frees all, way 0 goes: 0111. 2 is used: 0011. Way 2 goes, where 3 is. */
    assert_null(array_unsound(&nru));
    array = array_create(&nru, 1);
    for (uint64_t number = 1; number <= 4; number++)
        assert_true(use(array, number) == 0);
    assert_true(use(array, 5) == 2);
    assert_true(use(array, 2) == UINT64_MAX);
    assert_true(use(array, 6) == 4);
    array_destroy(array);
    /* Ages 2222, raised to 3333: way 0 goes: 2333. 2 is used: 2033. Way 2 goes: 2023. Way 3 goes: 2022, raised for
     * the next to 3133: way 0. */
    assert_null(array_unsound(&srrip));
    array = array_create(&srrip, 1);
    for (uint64_t number = 1; number <= 4; number++)
        assert_true(use(array, number) == 0);
    assert_true(use(array, 5) == 2);
    assert_true(use(array, 2) == UINT64_MAX);
    assert_true(use(array, 6) == 4);
    assert_true(use(array, 7) == 5);
    assert_true(use(array, 8) == 6);
    array_destroy(array);
}

/* Two ways of two sets, mask 1: way 0 looks at bit 0, way 1 at bit 1 (skew 1). 0: sets 0, 0; 1: sets 1, 0; 2: sets
 * 0, 1. 0 goes to way 0 of set 0, 1 to way 0 of set 1, 2 to way 1 of set 1. 4 (sets 0, 0) finds way 1 of set 0 empty. 8
 * (sets 0, 0) has the choice of 0 and 4: 0 goes. But 10 (sets 0, 1) has that of 8 and 2: 2 goes. */
static void two_by_hand(void **state)
{
    struct array_shape shape = {.index = {.kind = INDEX_SKEWED, .sets = 2, .bits = 1, .mask = {1}, .skew = 1},
                                .ways = 2};
    struct array *array;

    (void)state;
    assert_true(policy_parse(&shape.policy, "LRU"));
    assert_null(array_unsound(&shape));
    array = array_create(&shape, 1);
    assert_true(use(array, 0) == 0 && use(array, 1) == 0 && use(array, 2) == 0 && use(array, 4) == 0);
    assert_true(array_entry(array, 0, 0).tag == 1 && array_entry(array, 1, 0).tag == 2);
    assert_true(array_entry(array, 1, 1).tag == 3 && array_entry(array, 0, 1).tag == 5);
    assert_true(use(array, 8) == 1);
    assert_true(use(array, 10) == 3);
    array_destroy(array);
}

static void random_ways(void **state)
{
    struct array_shape shape = shape_of("RANDOMl", 3, 4);
    struct array *array = array_create(&shape, 3);
    struct random random = {1};
    unsigned hits = 0;

    (void)state;
    for (unsigned i = 0; i < 20000; i++)
        hits += use(array, spread(random_below(&random, 64))) == UINT64_MAX;
    assert_in_range(hits, 9700, 10300); /* half of 64 numbers find room in 32 places */
    array_empty(array);
    assert_true(use(array, 5) == 0);
    array_destroy(array);
}

static unsigned equal_laps(const struct array_shape *shape, uint64_t numbers, unsigned laps)
{
    struct array *array = array_create(shape, 5);
    uint64_t before = 0;
    unsigned equal = 0;

    for (unsigned lap = 0; lap < laps; lap++) {
        uint64_t now;

        if (lap == laps / 2)
            array_mark(array);
        for (uint64_t number = 0; number < numbers; number++)
            use(array, spread(number));
        now = array_digest(array);
        equal += lap > laps / 2 && now == before;
        before = now;
    }
    array_destroy(array);
    return equal;
}

/* Time goes on, but the order of uses repeats. */
static void laps_repeat(void **state)
{
    struct array_shape lru = shape_of("LRU", 3, 4), nru = shape_of("NRU", 3, 4), random = shape_of("RANDOM", 3, 4);

    (void)state;
    assert_int_equal(equal_laps(&lru, 8, 20), 9);
    assert_int_equal(equal_laps(&nru, 8, 20), 9);
    assert_int_equal(equal_laps(&random, 64, 20), 0);
}

static void order_matters(void **state)
{
    struct array_shape shape = shape_of("LRU", 3, 4);
    struct array *one = array_create(&shape, 1), *other = array_create(&shape, 1);

    (void)state;
    use(one, 1), use(one, 2);
    use(other, 1), use(other, 2);
    assert_true(array_digest(one) == array_digest(other));
    use(other, 1);
    assert_true(array_digest(one) != array_digest(other));
    use(one, 2), use(one, 1);
    assert_true(array_digest(one) == array_digest(other));
    array_destroy(one);
    array_destroy(other);
}

static void bad_shapes(void **state)
{
    static const char *const bad[] = {"PLRU", "MRU", "QLRU_H11_M1_R0_U0", "LRU2PLRU2"};
    struct array_shape shape;

    (void)state;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        shape = shape_of(bad[i], 3, 4);
        assert_non_null(array_unsound(&shape));
    }
    shape = shape_of("LRU", 3, 4);
    assert_null(array_unsound(&shape));
    shape.index.mask[2] |= 1ULL << 40;
    assert_non_null(array_unsound(&shape));
    shape = shape_of("LRU", 3, 65);
    assert_non_null(array_unsound(&shape));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_agree), cmocka_unit_test(ages_by_hand), cmocka_unit_test(two_by_hand),
        cmocka_unit_test(random_ways),   cmocka_unit_test(laps_repeat),  cmocka_unit_test(order_matters),
        cmocka_unit_test(bad_shapes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
