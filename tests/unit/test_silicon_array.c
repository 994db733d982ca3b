// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_array.c: arrays of many shapes against a plain table that is searched from end to end, set duels and
 * digests. The policies themselves are test_silicon_policy.c's, the sets test_silicon_index.c's. */
#include "tests/silicon/array.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_SETS = 128, MOST_WAYS = 4096, MOST_ENTRIES = 8192, STATE = 4 * MOST_WAYS + 64 };

static struct array_shape shape_of(const char *policy, uint64_t sets, unsigned ways)
{
    struct array_shape shape = {.index = {.kind = INDEX_MODULO, .sets = sets}, .ways = ways};

    assert_true(policy_parse(&shape.policy, policy));
    return shape;
}

static struct array_shape xor_shape(const char *policy, unsigned bits, unsigned ways)
{
    struct array_shape shape = shape_of(policy, 1ULL << bits, ways);

    shape.index.kind = INDEX_XOR;
    shape.index.bits = bits;
    for (unsigned i = 0; i < bits; i++)
        shape.index.mask[i] = (1ULL << i) | (1ULL << (i + bits)) | (1ULL << (2 * i + 30));
    return shape;
}

/* The second implementation. */
struct plain {
    struct array_shape shape;
    struct entry entry[MOST_ENTRIES]; /* set * ways + way */
    uint8_t state[MOST_SETS][STATE];
    struct random random;
    uint64_t tags[MOST_WAYS];
};

static struct entry *plain_entry(struct plain *plain, uint64_t set, unsigned way)
{
    return &plain->entry[set * plain->shape.ways + way];
}

static const uint64_t *plain_tags(struct plain *plain, uint64_t set)
{
    for (unsigned way = 0; way < plain->shape.ways; way++)
        plain->tags[way] = plain_entry(plain, set, way)->tag;
    return plain->tags;
}

static void plain_empty(struct plain *plain)
{
    memset(plain->entry, 0, sizeof plain->entry);
    for (uint64_t set = 0; set < plain->shape.index.sets; set++)
        policy_reset(&plain->shape.policy, plain->shape.ways, plain->state[set]);
}

static void plain_start(struct plain *plain, const struct array_shape *shape, uint64_t seed)
{
    assert_true(shape->index.sets <= MOST_SETS && shape->index.sets * shape->ways <= MOST_ENTRIES);
    plain->shape = *shape;
    plain->random.state = seed;
    plain_empty(plain);
}

static bool plain_find(struct plain *plain, uint64_t number, uint64_t tag, struct place *place)
{
    place->set = index_set(&plain->shape.index, number, 0);
    for (place->way = 0; place->way < plain->shape.ways; place->way++)
        if (plain_entry(plain, place->set, place->way)->tag == tag)
            return true;
    return false;
}

static void plain_touch(struct plain *plain, struct place place)
{
    policy_hit(&plain->shape.policy, plain->shape.ways, plain->state[place.set], plain_tags(plain, place.set),
               place.way);
}

static struct entry plain_insert(struct plain *plain, uint64_t number, struct entry entry, struct place *place)
{
    uint64_t set = index_set(&plain->shape.index, number, 0);
    unsigned ways = plain->shape.ways;
    struct entry old;

    *place = (struct place){
        set, policy_victim(&plain->shape.policy, ways, plain->state[set], plain_tags(plain, set), &plain->random)};
    old = *plain_entry(plain, set, place->way);
    *plain_entry(plain, set, place->way) = entry;
    policy_fill(&plain->shape.policy, ways, plain->state[set], plain_tags(plain, set), place->way, &plain->random);
    return old;
}

static void plain_remove(struct plain *plain, struct place place)
{
    *plain_entry(plain, place.set, place.way) = (struct entry){0, 0};
    policy_drop(&plain->shape.policy, plain->shape.ways, plain->state[place.set], place.way);
}

static unsigned plain_remove_matching(struct plain *plain, uint64_t mask, uint64_t match)
{
    unsigned removed = 0;

    for (uint64_t set = 0; set < plain->shape.index.sets; set++)
        for (unsigned way = 0; way < plain->shape.ways; way++)
            if (plain_entry(plain, set, way)->tag && (plain_entry(plain, set, way)->tag & mask) == match) {
                plain_remove(plain, (struct place){set, way});
                removed++;
            }
    return removed;
}

static void assert_entry(struct entry entry, struct entry expected)
{
    assert_true(entry.tag == expected.tag && entry.value == expected.value);
}

static void assert_same(const struct array *array, struct plain *plain)
{
    for (uint64_t set = 0; set < array_sets(array); set++)
        for (unsigned way = 0; way < array_ways(array); way++)
            assert_entry(array_entry(array, set, way), *plain_entry(plain, set, way));
}

/* One access: a hit is touched, perhaps changed or removed; a miss comes in. */
static void step(struct array *array, struct plain *plain, struct random *random, uint64_t numbers)
{
    uint64_t number = random_below(random, numbers), value = random_next(random);
    struct place place = {0, 0}, expected = {0, 0};
    bool there = plain_find(plain, number, number + 1, &expected);

    assert_int_equal(array_find(array, number, number + 1, &place), there);
    if (!there) {
        struct entry entry = {number + 1, value};

        assert_entry(array_insert(array, number, entry, &place), plain_insert(plain, number, entry, &expected));
        assert_true(place.set == expected.set && place.way == expected.way);
        return;
    }
    assert_true(place.set == expected.set && place.way == expected.way);
    assert_true(array_value(array, place) == plain_entry(plain, place.set, place.way)->value);
    if (value % 16 == 0) {
        array_remove(array, place);
        plain_remove(plain, place);
        return;
    }
    array_touch(array, place);
    plain_touch(plain, place);
    if (value % 4 == 0) {
        array_set_value(array, place, value);
        plain_entry(plain, place.set, place.way)->value = value;
    }
}

static void compare(const struct array_shape *shape, uint64_t seed, unsigned steps)
{
    static struct plain plain;
    struct array *array;
    struct random random = {seed};

    assert_null(array_unsound(shape));
    array = array_create(shape, seed);
    assert_non_null(array);
    assert_true(array_shape(array)->ways == shape->ways);
    plain_start(&plain, shape, seed);
    for (unsigned i = 1; i <= steps; i++) {
        step(array, &plain, &random, shape->index.sets * shape->ways * 3 / 2 + 1);
        if (i % 499 == 0)
            assert_int_equal(array_remove_matching(array, 7, 5), plain_remove_matching(&plain, 7, 5));
        if (i % 1999 == 0) {
            array_empty(array);
            plain_empty(&plain);
        }
        if (i % 250 == 0)
            assert_same(array, &plain);
    }
    array_destroy(array);
}

static void shapes_agree(void **state)
{
    const struct array_shape shapes[] = {
        shape_of("LRU", 64, 8),    shape_of("FIFO", 12, 3),      shape_of("PLRU", 1, 16),
        shape_of("RANDOM", 2, 48), shape_of("LRU", 1, 64),       shape_of("PLRUl", 1, 33),
        shape_of("MRU_N", 3, 16),  shape_of("LRU3PLRU4", 7, 12), xor_shape("PLRU", 4, 4),
        xor_shape("LRU", 7, 12),   shape_of("LRU", 1, 1),        xor_shape("QLRU_H00_M1_R2_U1", 5, 4),
        xor_shape("LRU", 0, 3),    shape_of("NRU", 16, 24),      shape_of("QLRU_H11_MR31_R1_U2", 8, 20),
        shape_of("LRU", 100, 1),   shape_of("LRU", 2, 300),
    };

    (void)state;
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
        compare(&shapes[i], i + 1, 5000);
}

static void fully_associative(void **state)
{
    struct array_shape shape = shape_of("LRU", 1, 4096);

    (void)state;
    compare(&shape, 3, 7000);
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

/* Two ways of set 5: A, B, A, C pushes out B under LRU, A under FIFO. Tells which policy followers have. */
static bool followers_have_lru(struct array *array)
{
    uint64_t sets = array_sets(array), pushed_out;

    array_remove_matching(array, 0, 0);
    use(array, 5);
    use(array, 5 + sets);
    use(array, 5);
    pushed_out = use(array, 5 + 2 * sets);
    assert_true(pushed_out == 5 + 1 || pushed_out == 5 + sets + 1);
    return pushed_out == 5 + sets + 1;
}

static void miss(struct array *array, uint64_t set, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        use(array, set + array_sets(array) * (i + 1));
    array_remove_matching(array, 0, 0);
}

static void duels(void **state)
{
    struct array_shape shape = shape_of("LRU", 16, 2);
    struct array *array;

    (void)state;
    shape.duel = (struct duel){.leaders = 2, .first_leader = {0, 1}, .second_leader = {2, 3}, .counter_most = 7};
    assert_true(policy_parse(&shape.duel.second, "FIFO"));
    assert_null(array_unsound(&shape));
    array = array_create(&shape, 1);
    assert_true(followers_have_lru(array)); /* 3 of 7: the first one */
    miss(array, 1, 1);                      /* 4 */
    assert_false(followers_have_lru(array));
    miss(array, 3, 1); /* 3 */
    assert_true(followers_have_lru(array));
    miss(array, 8, 5); /* a follower counts nothing */
    assert_true(followers_have_lru(array));
    miss(array, 0, 100); /* 7 and no further */
    miss(array, 2, 3);   /* 4 */
    assert_false(followers_have_lru(array));
    miss(array, 2, 1);
    assert_true(followers_have_lru(array));
    miss(array, 2, 100); /* 0 and no further */
    miss(array, 0, 3);   /* 3 */
    assert_true(followers_have_lru(array));
    miss(array, 0, 1);
    assert_false(followers_have_lru(array));
    /* Leaders keep their own. Set 0: LRU; set 2: FIFO. */
    use(array, 0), use(array, 16), use(array, 0);
    assert_true(use(array, 32) == 16 + 1);
    use(array, 2), use(array, 18), use(array, 2);
    assert_true(use(array, 34) == 2 + 1);
    array_destroy(array);

    shape.duel.period = 8; /* set 8 leads now, too */
    array = array_create(&shape, 1);
    miss(array, 8, 1);
    assert_false(followers_have_lru(array));
    miss(array, 10, 1);
    assert_true(followers_have_lru(array));
    array_destroy(array);
}

/* A duel of ages and RANDOM from either side: whatever happens, ways are in range and entries in their places. */
static void duels_with_random(void **state)
{
    struct array_shape shape = shape_of("QLRU_H11_M1_R0_U0", 8, 20), turned;
    struct random random = {4};

    (void)state;
    shape.duel = (struct duel){.leaders = 1, .first_leader = {0}, .second_leader = {1}, .counter_most = 15};
    assert_true(policy_parse(&shape.duel.second, "RANDOM"));
    turned = shape;
    turned.policy = shape.duel.second;
    turned.duel.second = shape.policy;
    for (unsigned which = 0; which < 2; which++) {
        struct array *array = array_create(which ? &turned : &shape, 1);

        assert_null(array_unsound(array_shape(array)));
        for (unsigned i = 0; i < 20000; i++) {
            uint64_t number = random_below(&random, 8 * 30);
            struct place place;

            use(array, number);
            assert_true(array_find(array, number, number + 1, &place) && place.way < 20 && place.set == number % 8);
            if (i % 8 == 0)
                array_remove(array, place);
        }
        array_destroy(array);
    }
}

static void lap(struct array *array, uint64_t first, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        use(array, first + i);
}

/* Laps: how many of some have the digest of the one before. */
static unsigned equal_laps(const struct array_shape *shape, uint64_t count, unsigned laps)
{
    struct array *array = array_create(shape, 5);
    unsigned equal = 0;
    uint64_t before;

    for (unsigned i = 0; i < 4; i++)
        lap(array, 0, count);
    array_mark(array);
    lap(array, 0, count);
    before = array_digest(array);
    for (unsigned i = 0; i < laps; i++) {
        uint64_t now;

        lap(array, 0, count);
        now = array_digest(array);
        equal += now == before;
        before = now;
    }
    array_destroy(array);
    return equal;
}

static void laps_repeat(void **state)
{
    struct array_shape shape = shape_of("LRU", 8, 4);

    (void)state;
    assert_int_equal(equal_laps(&shape, 32, 10), 10);
    assert_int_equal(equal_laps(&shape, 40, 10),
                     10); /* five lines in four ways: another way each lap, the same order */
    assert_int_equal(equal_laps(&shape, 7, 10), 10);
    shape = shape_of("LRU", 1, 300);
    assert_int_equal(equal_laps(&shape, 301, 3), 3);
    shape = shape_of("PLRU", 8, 4);
    assert_int_equal(equal_laps(&shape, 64, 10), 10); /* eight lines in four ways: twice around */
    shape = shape_of("RANDOM", 8, 4);
    assert_int_equal(equal_laps(&shape, 64, 10), 0);
    shape = shape_of("QLRU_H11_MR31_R0_U0", 8, 4);
    assert_int_equal(equal_laps(&shape, 64, 10), 0);
    assert_int_equal(equal_laps(&shape, 0, 3), 3);
}

static void digests(void **state)
{
    struct array_shape shape = shape_of("LRU", 8, 4);
    struct array *one = array_create(&shape, 9), *other = array_create(&shape, 9);
    struct place place;

    (void)state;
    use(other, 7); /* never used again after the mark: no matter */
    use(other, 15);
    array_mark(one);
    array_mark(other);
    assert_true(array_digest(one) == array_digest(other));
    for (uint64_t i = 0; i < 7; i++) {
        use(one, i);
        use(other, 6 - i);
    }
    assert_true(array_digest(one) == array_digest(other));
    assert_true(array_find(one, 3, 4, &place));
    array_set_value(one, place, 1);
    assert_true(array_digest(one) != array_digest(other));
    array_set_value(other, place, 1);
    assert_true(array_digest(one) == array_digest(other));
    use(one, 8), use(one, 0);
    use(other, 8);
    assert_true(array_digest(one) != array_digest(other)); /* same entries, another order */
    use(other, 0);
    assert_true(array_digest(one) == array_digest(other));
    use(one, 16); /* an entry more; gone again: as before */
    assert_true(array_digest(one) != array_digest(other));
    assert_true(array_find(one, 16, 17, &place));
    array_remove(one, place);
    assert_true(array_digest(one) == array_digest(other));
    use(one, 7); /* set 7 is touched at last, and differs */
    use(other, 7);
    assert_true(array_digest(one) != array_digest(other));
    array_empty(one);
    array_empty(other);
    use(one, 1);
    use(other, 1);
    assert_true(array_digest(one) == array_digest(other));
    array_empty(other);
    assert_true(array_digest(one) != array_digest(other));
    array_destroy(one);
    array_destroy(other);
}

/* Sets of equal contents are not interchangeable, and neither are a tag and a value. */
static void digests_tell_sets_apart(void **state)
{
    struct array_shape shape = shape_of("PLRU", 8, 2);
    uint64_t seen[64];
    unsigned count = 0;

    (void)state;
    for (uint64_t set = 0; set < 8; set++)
        for (uint64_t tag = 1; tag <= 2; tag++)
            for (uint64_t value = 0; value <= 3; value++) {
                struct array *array = array_create(&shape, 1);
                struct place place;

                array_insert(array, set, (struct entry){tag, value}, &place);
                seen[count++] = array_digest(array);
                array_destroy(array);
            }
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
}

static void bad_shapes(void **state)
{
    struct array_shape shape = shape_of("LRU", 0, 4);

    (void)state;
    assert_non_null(array_unsound(&shape));
    shape = shape_of("LRU", 8, 0);
    assert_non_null(array_unsound(&shape));
    shape = xor_shape("LRU", 4, 4);
    shape.index.sets = 15;
    assert_non_null(array_unsound(&shape));
    shape = xor_shape("LRU", 4, 4);
    shape.index.mask[3] = shape.index.mask[0] ^ shape.index.mask[2];
    assert_non_null(array_unsound(&shape)); /* set 8 would need bit 3 alone */
    shape = xor_shape("PLRU", 4, 4);
    shape.index.kind = INDEX_SKEWED;
    assert_non_null(array_unsound(&shape));
    shape = shape_of("LRU", 8, 4);
    shape.duel = (struct duel){.leaders = 1, .first_leader = {1}, .second_leader = {1}, .counter_most = 7};
    assert_true(policy_parse(&shape.duel.second, "FIFO"));
    assert_non_null(array_unsound(&shape)); /* one set cannot lead both */
    shape.duel.second_leader[0] = 8;
    assert_non_null(array_unsound(&shape));
    shape.duel.second_leader[0] = 7;
    assert_null(array_unsound(&shape));
    assert_true(policy_parse(&shape.duel.second, "NRU"));
    assert_non_null(array_unsound(&shape)); /* their states differ */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_agree), cmocka_unit_test(fully_associative),
        cmocka_unit_test(duels),        cmocka_unit_test(duels_with_random),
        cmocka_unit_test(laps_repeat),  cmocka_unit_test(digests),
        cmocka_unit_test(bad_shapes),   cmocka_unit_test(digests_tell_sets_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
