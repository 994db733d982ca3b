// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_coherence.c: several cores, prefetched lines, lines of others, flushes, and the digest by which
 * repeating walks are told. */
#include "tests/unit/hierarchy.h"

/* Two or more cores with a first level each and a second that all share: costs 4, 20; transfers 150; memory 200. */
static struct caches *cores(struct description *description, unsigned count)
{
    start(description);
    description->cores = count;
    add(description, 1, 2, 2, 4);
    add(description, 2, 16, 4, 20)->shared_by = count;
    return build(description);
}

static void test_private_and_shared(void **state)
{
    struct description description;
    struct caches *caches = cores(&description, 2);

    (void)state;
    assert_int_equal(cost(caches, 0, ACCESS_LOAD, 0), MEMORY);
    assert_int_equal(cost(caches, 1, ACCESS_LOAD, 0), 20);
    assert_int_equal(cost(caches, 1, ACCESS_LOAD, 0), 4);
    assert_ptr_equal(caches_array(caches, 0, 1), caches_array(caches, 1, 1));
    assert_ptr_not_equal(caches_array(caches, 0, 0), caches_array(caches, 1, 0));
    caches_destroy(caches);
}

/* A store takes the line from the other core; its load then gets it from there, and both have it clean. */
static void test_store_takes(void **state)
{
    struct description description;
    struct caches *caches = cores(&description, 2);

    (void)state;
    cost(caches, 0, ACCESS_LOAD, 0);
    cost(caches, 1, ACCESS_LOAD, 0);
    assert_int_equal(cost(caches, 0, ACCESS_STORE, 0), 1);
    assert_false(holds(caches, 1, 0, 0));
    assert_int_equal(cost(caches, 1, ACCESS_LOAD, 0), 150);
    assert_int_equal(cost(caches, 0, ACCESS_LOAD, 0), 4);
    assert_int_equal(cost(caches, 1, ACCESS_LOAD, 0), 4);
    caches_flush_all(caches);
    cost(caches, 1, ACCESS_LOAD, 0); /* from memory, clean: nobody transfers it */
    assert_int_equal(cost(caches, 0, ACCESS_LOAD, 0), 20);
    caches_destroy(caches);
}

/* A line to and fro: each load costs a transfer, each store finds its line. A store to a line that the other core has
 * modified costs the transfer. */
static void test_handoff(void **state)
{
    struct description description;
    struct caches *caches = cores(&description, 2);

    (void)state;
    cost(caches, 0, ACCESS_STORE, 0);
    for (unsigned i = 1; i < 10; i++) {
        assert_int_equal(cost(caches, i & 1, ACCESS_LOAD, 0), 150);
        assert_int_equal(cost(caches, i & 1, ACCESS_STORE, 0), 1);
    }
    assert_int_equal(cost(caches, 0, ACCESS_STORE, 0), 150);
    assert_int_equal(cost(caches, 0, ACCESS_STORE, 0), 1);
    caches_destroy(caches);
}

/* What a core wrote is clean once another has read it: losing it then writes nothing down. */
static void test_transfer_cleans(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    description.cores = 2;
    add(&description, 1, 1, 1, 4);
    add(&description, 2, 1, 1, 20)->shared_by = 2;
    caches = build(&description);
    cost(caches, 0, ACCESS_STORE, 0);
    assert_int_equal(cost(caches, 1, ACCESS_LOAD, 0), 150);
    caches_prefetch(caches, 1, 2, LINE, LINE, 0); /* line 0 leaves the second level */
    cost(caches, 0, ACCESS_LOAD, LINE);           /* and core 0's first: clean, or it would be in the second again */
    assert_true(holds(caches, 0, 1, LINE));
    caches_destroy(caches);
}

/* Two pairs of cores with a last level each: a line that is modified over there comes from there. */
static void test_two_clusters(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    description.cores = 4;
    add(&description, 1, 2, 2, 4);
    add(&description, 2, 16, 4, 20)->shared_by = 2;
    caches = build(&description);
    cost(caches, 0, ACCESS_LOAD, 0);
    assert_int_equal(cost(caches, 1, ACCESS_LOAD, 0), 20);
    assert_int_equal(cost(caches, 2, ACCESS_LOAD, 0), MEMORY);
    assert_int_equal(cost(caches, 3, ACCESS_STORE, 0), 20);
    assert_false(holds(caches, 0, 0, 0) || holds(caches, 0, 1, 0)); /* gone from the other cluster, both levels */
    assert_int_equal(cost(caches, 0, ACCESS_LOAD, 0), 150);
    caches_destroy(caches);
}

/* Inclusive and shared: what it loses, all cores lose. */
static void test_inclusive_for_all(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    description.cores = 2;
    add(&description, 1, 1, 4, 4);
    add(&description, 2, 1, 2, 20)->inclusion = INCLUSION_INCLUSIVE;
    description.cache[1].shared_by = 2;
    caches = build(&description);
    cost(caches, 0, ACCESS_LOAD, 0);
    cost(caches, 1, ACCESS_LOAD, LINE);
    cost(caches, 1, ACCESS_LOAD, 2 * LINE);
    assert_false(holds(caches, 0, 0, 0));
    caches_destroy(caches);
}

/* An exclusive last level that keeps what loads hit may have a modified line while two cores have copies: a store still
 * takes it from the other core. */
static void test_store_through_exclusive(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    description.cores = 2;
    add(&description, 1, 1, 1, 4);
    add(&description, 2, 1, 4, 20)->inclusion = INCLUSION_EXCLUSIVE;
    description.cache[1].shared_by = 2;
    description.cache[1].keeps_hits = true;
    caches = build(&description);
    cost(caches, 0, ACCESS_STORE, 0);
    cost(caches, 0, ACCESS_LOAD, LINE); /* line 0, modified, moves to the last level */
    assert_int_equal(cost(caches, 1, ACCESS_LOAD, 0), 20);
    assert_int_equal(cost(caches, 0, ACCESS_STORE, 0), 20);
    assert_false(holds(caches, 1, 0, 0));
    caches_destroy(caches);
}

/* Code and data of one core: a store takes the line out of the code cache; a fetch of a modified line cleans it. */
static void test_own_code(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 1, 2, 4)->holds = HOLDS_DATA;
    add(&description, 1, 1, 2, 5)->holds = HOLDS_CODE;
    add(&description, 2, 4, 4, 20);
    caches = build(&description);
    cost(caches, 0, ACCESS_FETCH, 0);
    cost(caches, 0, ACCESS_STORE, 0);
    assert_false(holds(caches, 0, 1, 0));
    assert_int_equal(cost(caches, 0, ACCESS_FETCH, 0), 20);
    assert_true(holds(caches, 0, 0, 0) && holds(caches, 0, 1, 0));
    cost(caches, 0, ACCESS_STORE, 0); /* it was clean: so this one has to look beside */
    assert_false(holds(caches, 0, 1, 0));
    caches_destroy(caches);
}

static void test_prefetch(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 4, 1, 4);
    add(&description, 2, 16, 1, 14)->inclusion = INCLUSION_EXCLUSIVE;
    add(&description, 3, 64, 1, 50)->inclusion = INCLUSION_INCLUSIVE;
    caches = build(&description);
    assert_true(caches_prefetch(caches, 0, 2, 0, 0, 0)); /* the level asked for is filled, exclusive or not */
    assert_true(!holds(caches, 0, 0, 0) && holds(caches, 0, 1, 0) && holds(caches, 0, 2, 0));
    assert_false(caches_prefetch(caches, 0, 2, 0, 0, 0));
    assert_true(caches_prefetch(caches, 0, 1, 0, 0, 0)); /* moves up */
    assert_true(holds(caches, 0, 0, 0) && !holds(caches, 0, 1, 0));
    assert_false(caches_prefetch(caches, 0, 2, 0, 0, 0)); /* it is nearer already */
    assert_int_equal(load(caches, 0), 4);
    assert_false(caches_prefetch(caches, 0, 4, LINE, LINE, 0)); /* no such level */
    caches_destroy(caches);
}

/* Lines of others go into caches that are shared, and push out what is there; a sibling's go into the first level. */
static void test_disturb(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 1, 2, 4);
    add(&description, 2, 1, 2, 20)->inclusion = INCLUSION_INCLUSIVE;
    description.cache[1].shared_by = 8;
    caches = build(&description);
    load(caches, 0);
    caches_disturb(caches, 0, LINE, false);
    assert_true(!holds(caches, 0, 0, LINE) && holds(caches, 0, 1, LINE));
    assert_int_equal(level(caches, 0), 1);
    caches_disturb(caches, 0, 2 * LINE, false);
    assert_int_equal(level(caches, 0), LEVEL_MEMORY); /* inclusive: gone from the first, too */
    caches_disturb(caches, 0, 3 * LINE, true);
    assert_int_equal(level(caches, 3 * LINE), 1);
    caches_destroy(caches);
}

static void test_flushes(void **state)
{
    struct description description;
    struct caches *caches = cores(&description, 2);

    (void)state;
    cost(caches, 0, ACCESS_LOAD, 0);
    cost(caches, 1, ACCESS_STORE, LINE);
    caches_flush_line(caches, 63);
    assert_int_equal(cost(caches, 0, ACCESS_LOAD, 0), MEMORY);
    caches_flush_line(caches, LINE); /* modified by the other core: gone as well */
    assert_int_equal(cost(caches, 0, ACCESS_LOAD, LINE), MEMORY);
    caches_flush_all(caches);
    assert_int_equal(cost(caches, 0, ACCESS_LOAD, 0), MEMORY);
    assert_int_equal(cost(caches, 1, ACCESS_LOAD, 0), 20);
    caches_destroy(caches);
}

/* One lap of a walk that repeats: the digest after it. */
static uint64_t lap(struct caches *caches, unsigned lines)
{
    caches_mark(caches);
    for (unsigned i = 0; i < lines; i++)
        load(caches, (uint64_t)i * LINE);
    return caches_digest(caches);
}

static void test_digest_of_laps(void **state)
{
    struct description description;
    struct caches *caches = cores(&description, 1);
    uint64_t before;

    (void)state;
    lap(caches, 3);
    before = lap(caches, 3);
    assert_true(lap(caches, 3) == before); /* hits only */
    lap(caches, 80);
    before = lap(caches, 80);
    assert_true(lap(caches, 80) == before); /* misses in both levels, the same each lap */
    store(caches, 79 * LINE);
    assert_true(lap(caches, 80) == before); /* line 79 had gone and come back: written is forgotten on the way */
    caches_destroy(caches);
    /* Randomness that was used never looks repeated. */
    start(&description);
    add(&description, 1, 1, 1, 4);
    add(&description, 2, 4, 1, 20)->inclusion = INCLUSION_EXCLUSIVE;
    description.cache[1].keeps_permille = 500;
    caches = build(&description);
    lap(caches, 3);
    before = lap(caches, 3);
    assert_false(lap(caches, 3) == before);
    caches_destroy(caches);
}

/* Dirty bits, the way predictor's names and open rows are part of the digest. */
static void test_digest_sees(void **state)
{
    struct description description;
    struct caches *caches;
    uint64_t before;

    (void)state;
    start(&description);
    add(&description, 1, 1, 2, 4)->folds = 1;
    description.cache[0].fold[0] = 1 << 14;
    description.memory.banks = 2;
    description.memory.row = 4096;
    description.memory.row_miss = 30;
    caches = build(&description);
    load(caches, 0);
    load(caches, LINE);
    caches_mark(caches);
    load(caches, 0);
    load(caches, LINE);
    before = caches_digest(caches); /* line 1 has the name */
    load(caches, LINE);
    assert_true(caches_digest(caches) == before);
    store(caches, LINE);
    assert_false(caches_digest(caches) == before);
    before = caches_digest(caches);
    cost(caches, 0, ACCESS_WALK, 0);
    cost(caches, 0, ACCESS_WALK, LINE);
    assert_true(caches_digest(caches) == before); /* the same order; walks take no names */
    load(caches, 0);
    cost(caches, 0, ACCESS_WALK, LINE);
    assert_false(caches_digest(caches) == before); /* the same order, but line 0 has the name now */
    caches_access(caches, 0, ACCESS_LOAD, 0, 0, 8, MEM_UC, 0);
    before = caches_digest(caches);
    caches_access(caches, 0, ACCESS_LOAD, 8192, 8192, 8, MEM_UC, 0); /* another row */
    assert_false(caches_digest(caches) == before);
    caches_destroy(caches);
}

/* Two walks of one line that leave the cache the same, but other rows open. */
static void test_digest_sees_rows(void **state)
{
    struct description description;
    uint64_t digest[2];

    (void)state;
    start(&description);
    add(&description, 1, 1, 1, 4);
    description.memory.banks = 2;
    description.memory.row = 4096;
    description.memory.row_miss = 30;
    for (unsigned i = 0; i < 2; i++) {
        struct caches *caches = build(&description);

        caches_mark(caches);
        load(caches, 8192 * (1 + (uint64_t)i)); /* a row of bank 0, one or the other */
        load(caches, 4096);                     /* of bank 1 */
        digest[i] = caches_digest(caches);
        caches_destroy(caches);
    }
    assert_false(digest[0] == digest[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_private_and_shared),
        cmocka_unit_test(test_store_takes),
        cmocka_unit_test(test_handoff),
        cmocka_unit_test(test_transfer_cleans),
        cmocka_unit_test(test_two_clusters),
        cmocka_unit_test(test_inclusive_for_all),
        cmocka_unit_test(test_store_through_exclusive),
        cmocka_unit_test(test_own_code),
        cmocka_unit_test(test_prefetch),
        cmocka_unit_test(test_disturb),
        cmocka_unit_test(test_flushes),
        cmocka_unit_test(test_digest_of_laps),
        cmocka_unit_test(test_digest_sees),
        cmocka_unit_test(test_digest_sees_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
