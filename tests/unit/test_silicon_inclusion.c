// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_inclusion.c: what a line takes along when it comes or goes: inclusive, exclusive and independent levels,
 * directories, and written lines on their way down. */
#include "tests/unit/hierarchy.h"

/* A first level of 4 ways before a second of 2, one set each: with inclusion, the third line takes the first one out of
 * the first level, too, though there is room. */
static void test_inclusive(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 1, 4, 4);
    add(&description, 2, 1, 2, 14);
    caches = build(&description);
    for (unsigned i = 0; i < 3; i++)
        load(caches, i * LINE);
    assert_int_equal(level(caches, 0), 1);
    caches_destroy(caches);
    description.cache[1].inclusion = INCLUSION_INCLUSIVE;
    caches = build(&description);
    for (unsigned i = 0; i < 3; i++)
        load(caches, i * LINE);
    assert_int_equal(level(caches, 0), LEVEL_MEMORY);
    assert_false(holds(caches, 0, 0, 0));
    assert_int_equal(level(caches, LINE), 1);
    caches_destroy(caches);
}

/* The same with lines of 128 bytes behind lines of 64: both halves go. The first level was used in between: the second
 * does not hear of that. */
static void test_inclusive_larger_lines(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 1, 8, 4);
    add(&description, 2, 1, 2, 14)->inclusion = INCLUSION_INCLUSIVE;
    description.cache[1].line = description.cache[1].sector = 128;
    caches = build(&description);
    load(caches, 0);
    load(caches, 64);
    load(caches, 128);
    load(caches, 0);
    load(caches, 256);
    assert_int_equal(level(caches, 0), LEVEL_MEMORY);
    assert_int_equal(level(caches, 64), LEVEL_MEMORY);
    assert_int_equal(level(caches, 128), 1);
    caches_destroy(caches);
}

/* 2 ways, then 2 exclusive ways: four lines have room; the second level has what the first lost, and gives it back. */
static void test_exclusive(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 1, 2, 4);
    add(&description, 2, 1, 2, 14)->inclusion = INCLUSION_EXCLUSIVE;
    caches = build(&description);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(load(caches, i * LINE), MEMORY);
    assert_false(holds(caches, 0, 1, 3 * LINE)); /* not filled on the way */
    assert_true(holds(caches, 0, 1, 0));
    for (unsigned lap = 0; lap < 5; lap++)
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(load(caches, i * LINE), 14);
            assert_false(holds(caches, 0, 1, i * LINE)); /* moved */
        }
    assert_int_equal(load(caches, 4 * LINE), MEMORY);
    assert_int_equal(level(caches, 0), LEVEL_MEMORY); /* a fifth line is one too much */
    caches_destroy(caches);
}

/* keeps_hits: a line that a load brought back stays behind as well; a store takes it away. */
static void test_keeps_hits(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 1, 1, 4);
    add(&description, 2, 1, 4, 14)->inclusion = INCLUSION_EXCLUSIVE;
    description.cache[1].keeps_hits = true;
    caches = build(&description);
    load(caches, 0);
    load(caches, LINE);
    assert_int_equal(load(caches, 0), 14);
    assert_true(holds(caches, 0, 1, 0));
    load(caches, LINE);
    assert_int_equal(store(caches, 0), 14);
    assert_false(holds(caches, 0, 1, 0));
    caches_destroy(caches);
}

/* Of 1000 clean victims about 300 are taken in: mean 300, standard deviation sqrt(1000 * 0.3 * 0.7) = 14.5, five of
 * which are 73. Written ones always are; of clean ones none at 0. */
static void test_selective(void **state)
{
    struct description description;
    struct caches *caches;
    unsigned kept = 0;

    (void)state;
    start(&description);
    add(&description, 1, 1, 1, 4);
    add(&description, 2, 1024, 4, 14)->inclusion = INCLUSION_EXCLUSIVE;
    description.cache[1].keeps_permille = 300;
    caches = build(&description);
    for (unsigned i = 0; i <= 1000; i++)
        load(caches, (uint64_t)i * LINE);
    for (unsigned i = 0; i < 1000; i++)
        kept += level(caches, (uint64_t)i * LINE) == 2;
    assert_in_range(kept, 300 - 73, 300 + 73);
    for (unsigned i = 2000; i <= 2100; i++)
        store(caches, (uint64_t)i * LINE);
    for (unsigned i = 2000; i < 2100; i++)
        assert_int_equal(level(caches, (uint64_t)i * LINE), 2);
    caches_destroy(caches);
    description.cache[1].keeps_permille = 0;
    caches = build(&description);
    load(caches, 0);
    load(caches, LINE);
    assert_int_equal(level(caches, 0), LEVEL_MEMORY);
    caches_destroy(caches);
}

/* Three levels as in Zen: the second includes the first, the third takes what the second loses. Set by set of one way
 * in L2: loading line 1 pushes line 0 out of L2, so out of L1 (2 ways), into L3. */
static void test_inclusive_before_exclusive(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 1, 2, 4);
    add(&description, 2, 1, 1, 14)->inclusion = INCLUSION_INCLUSIVE;
    add(&description, 3, 1, 4, 50)->inclusion = INCLUSION_EXCLUSIVE;
    caches = build(&description);
    load(caches, 0);
    assert_false(holds(caches, 0, 2, 0));
    load(caches, LINE);
    assert_false(holds(caches, 0, 0, 0));
    assert_int_equal(level(caches, 0), 3);
    assert_int_equal(load(caches, 0), 50);
    assert_false(holds(caches, 0, 2, 0)); /* back in both, away from the third */
    assert_true(holds(caches, 0, 1, 0) && holds(caches, 0, 0, 0));
    caches_destroy(caches);
}

/* An exclusive second level before a third that is no victim cache: the third is filled on the way, the second not. A
 * line that a hit of the third level brings goes to the first only. */
static void test_exclusive_between(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 1, 1, 4);
    add(&description, 2, 1, 1, 14)->inclusion = INCLUSION_EXCLUSIVE;
    add(&description, 3, 1, 8, 50);
    caches = build(&description);
    for (unsigned i = 0; i < 3; i++)
        load(caches, i * LINE);
    assert_true(holds(caches, 0, 0, 2 * LINE) && holds(caches, 0, 1, LINE) && !holds(caches, 0, 1, 2 * LINE));
    assert_int_equal(load(caches, 0), 50);
    assert_true(holds(caches, 0, 0, 0) && holds(caches, 0, 1, 2 * LINE) && holds(caches, 0, 2, 0));
    caches_destroy(caches);
}

/* A first level of one set, with lines of 32 bytes. */
static void start_short(struct description *description, unsigned ways)
{
    start(description);
    add(description, 1, 1, ways, 4);
    description->cache[0].line = description->cache[0].sector = 32;
}

/* 32-byte lines before an exclusive level of 64-byte lines: a line moves without its neighbour. */
static void test_exclusive_larger_lines(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start_short(&description, 2);
    add(&description, 2, 1, 4, 14)->inclusion = INCLUSION_EXCLUSIVE;
    caches = build(&description);
    for (unsigned i = 0; i < 4; i++)
        load(caches, i * 32ULL);
    assert_int_equal(load(caches, 0), 14);
    assert_int_equal(load(caches, 32), 14);
    assert_int_equal(load(caches, 64), 14);
    caches_destroy(caches);
}

/* The same with a second level of whole lines between: a hit of the third fills that one, so both halves move. */
static void test_exclusive_behind_larger_lines(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start_short(&description, 1);
    add(&description, 2, 1, 1, 14);
    add(&description, 3, 1, 2, 50)->inclusion = INCLUSION_EXCLUSIVE;
    caches = build(&description);
    load(caches, 0);
    load(caches, LINE);
    assert_int_equal(load(caches, 0), 50);
    assert_true(holds(caches, 0, 1, 0) && !holds(caches, 0, 2, 0)); /* all of it */
    assert_int_equal(load(caches, 32), 14);
    caches_destroy(caches);
}

/* A directory of 2 entries in one set over a first level of 4 ways: the third line makes it forget the first, which the
 * first level then loses; as a victim it goes to the exclusive level beside the directory. */
static void test_directory(void **state)
{
    struct description description;
    struct cache_description *last;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 1, 4, 4);
    last = add(&description, 2, 1, 8, 50);
    last->inclusion = INCLUSION_EXCLUSIVE;
    last->directory = true;
    last->directory_shape = last->shape;
    last->directory_shape.ways = 2;
    caches = build(&description);
    load(caches, 0);
    load(caches, LINE);
    assert_int_equal(level(caches, 0), 1);
    load(caches, 2 * LINE);
    assert_int_equal(level(caches, 0), 2);
    assert_int_equal(level(caches, LINE), 1);
    assert_int_equal(load(caches, 0), 50); /* comes back, at the cost of line 1 */
    assert_int_equal(level(caches, LINE), 2);
    assert_int_equal(level(caches, 2 * LINE), 1);
    caches_flush_line(caches, 0); /* its entry is free: the next line takes nothing away */
    load(caches, 3 * LINE);
    assert_int_equal(level(caches, 2 * LINE), 1);
    caches_destroy(caches);
}

/* A line that the first level loses leaves the directory: with 1 way before 4 entries, 100 lines never overfill it.
 * With an independent last level, victims of the directory are forgotten when clean. */
static void test_directory_forgets(void **state)
{
    struct description description;
    struct cache_description *last;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 2, 1, 4);
    last = add(&description, 2, 4, 4, 50);
    last->directory = true;
    last->directory_shape = last->shape;
    last->directory_shape.index.sets = 1;
    last->directory_shape.ways = 3;
    caches = build(&description);
    load(caches, 0); /* stays in set 0 of the first level */
    for (unsigned i = 0; i < 100; i++)
        load(caches, (2ULL * i + 1) * LINE); /* set 1: one after the other */
    assert_int_equal(level(caches, 0), 1);
    caches_destroy(caches);
}

/* Stores: 1 cycle when the first level has the line; the level that the line comes from when not. What the first level
 * loses is written down: into the second, which had lost it, and allocates it. */
static void test_write_back(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 1, 2, 4);
    add(&description, 2, 2, 1, 14);
    caches = build(&description);
    assert_int_equal(store(caches, 0), MEMORY);
    assert_int_equal(store(caches, 0), 1);
    load(caches, 2 * LINE); /* takes line 0's place in the second level */
    assert_false(holds(caches, 0, 1, 0));
    load(caches, LINE); /* pushes line 0 out of the first: written down */
    assert_true(holds(caches, 0, 1, 0));
    assert_false(holds(caches, 0, 1, 2 * LINE));
    assert_int_equal(store(caches, 0), 14);
    caches_destroy(caches);
}

/* A clean line is not written down; nor is one whose dirty bit was handed on with its data. */
static void test_clean_is_forgotten(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 1, 1, 4);
    add(&description, 2, 1, 1, 14);
    caches = build(&description);
    store(caches, 0);
    caches_prefetch(caches, 0, 2, LINE, LINE, 0); /* takes line 0's place in the second level */
    load(caches, LINE);                           /* pushes line 0 out of the first: it takes its place back */
    assert_true(holds(caches, 0, 1, 0));
    load(caches, 0); /* clean now in the first, dirty in the second */
    caches_prefetch(caches, 0, 2, 2 * LINE, 2 * LINE, 0);
    load(caches, 2 * LINE); /* line 0 leaves the first level: clean */
    assert_false(holds(caches, 0, 1, 0));
    assert_true(holds(caches, 0, 1, 2 * LINE));
    caches_destroy(caches);
}

/* A write-through first level: stores cost the second level's latency, and leave the line clean. */
static void test_write_through(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 1, 2, 2)->write_through = true;
    add(&description, 2, 4, 1, 18);
    caches = build(&description);
    load(caches, 0);
    assert_int_equal(store(caches, 0), 18);
    assert_int_equal(level(caches, 0), 1);
    assert_int_equal(store(caches, LINE), MEMORY); /* allocates in both */
    assert_int_equal(level(caches, LINE), 1);
    load(caches, 4 * LINE); /* takes line 0's place in both */
    assert_int_equal(level(caches, 0), LEVEL_MEMORY);
    caches_destroy(caches);
}

/* No write allocation: a store miss leaves no line in the first level, only in the second. */
static void test_no_write_allocate(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 1, 2, 2)->write_through = true;
    description.cache[0].no_write_allocate = true;
    add(&description, 2, 4, 1, 18);
    caches = build(&description);
    assert_int_equal(store(caches, 0), MEMORY);
    assert_int_equal(level(caches, 0), 2);
    assert_int_equal(store(caches, 0), 18);
    assert_int_equal(load(caches, 0), 18);
    assert_int_equal(load(caches, 0), 2);
    caches_destroy(caches);
    /* Nobody allocates: memory takes each of them. */
    description.cache[1].no_write_allocate = true;
    caches = build(&description);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(store(caches, 0), MEMORY);
    assert_int_equal(level(caches, 0), LEVEL_MEMORY);
    caches_destroy(caches);
}

/* Written data that an inclusive level takes from a nearer one along with its own line goes on to the next level. */
static void test_written_lines_of_nearer_levels(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 1, 4, 4);
    add(&description, 2, 1, 1, 14)->inclusion = INCLUSION_INCLUSIVE;
    add(&description, 3, 1, 4, 50)->inclusion = INCLUSION_EXCLUSIVE;
    description.cache[2].keeps_permille = 0; /* takes written lines only */
    caches = build(&description);
    load(caches, 0);
    store(caches, LINE);
    load(caches, 2 * LINE);
    assert_int_equal(level(caches, 0), LEVEL_MEMORY);
    assert_int_equal(level(caches, LINE), 3);
    caches_destroy(caches);
}

/* An inclusive level of 128-byte lines loses one of which the nearer level has written the first half and only read the
 * second: written it is. With sectors of 64, each half goes its own way, but both leave the nearer level. */
static void test_halves(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 1, 4, 4);
    add(&description, 2, 1, 1, 14)->inclusion = INCLUSION_INCLUSIVE;
    description.cache[1].line = description.cache[1].sector = 128;
    add(&description, 3, 1, 4, 50);
    description.cache[2].line = description.cache[2].sector = 128;
    description.cache[2].inclusion = INCLUSION_EXCLUSIVE;
    description.cache[2].keeps_permille = 0; /* takes written lines only */
    for (unsigned sector = 64; sector <= 128; sector += 64) {
        description.cache[1].sector = sector;
        caches = build(&description);
        store(caches, 0);
        load(caches, 64);
        load(caches, 128);
        assert_false(holds(caches, 0, 0, 0) || holds(caches, 0, 0, 64));
        assert_int_equal(level(caches, 0), 3);
        caches_destroy(caches);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inclusive),
        cmocka_unit_test(test_inclusive_larger_lines),
        cmocka_unit_test(test_exclusive),
        cmocka_unit_test(test_keeps_hits),
        cmocka_unit_test(test_selective),
        cmocka_unit_test(test_inclusive_before_exclusive),
        cmocka_unit_test(test_exclusive_between),
        cmocka_unit_test(test_exclusive_larger_lines),
        cmocka_unit_test(test_exclusive_behind_larger_lines),
        cmocka_unit_test(test_directory),
        cmocka_unit_test(test_directory_forgets),
        cmocka_unit_test(test_write_back),
        cmocka_unit_test(test_clean_is_forgotten),
        cmocka_unit_test(test_write_through),
        cmocka_unit_test(test_no_write_allocate),
        cmocka_unit_test(test_written_lines_of_nearer_levels),
        cmocka_unit_test(test_halves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
