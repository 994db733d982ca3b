// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_caches.c: what one access to the modelled caches costs, feature by feature, against sums made by hand.
 * Beside it: test_silicon_inclusion.c for what a line takes along, test_silicon_virtual.c for virtual addresses,
 * test_silicon_coherence.c for several cores, test_silicon_hierarchy.c for random hierarchies. */
#include "tests/unit/hierarchy.h"

/* 2 sets of 2 ways behind 4 cycles, 8 sets of 2 ways behind 14. Lines 0, 2 and 4 share set 0 of the first and lie in
 * sets 0, 2 and 4 of the second. */
static void test_levels(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 2, 2, 4);
    add(&description, 2, 8, 2, 14);
    caches = build(&description);
    assert_int_equal(level(caches, 0), LEVEL_MEMORY);
    assert_int_equal(load(caches, 0), MEMORY);
    assert_int_equal(level(caches, 0), 1);
    assert_int_equal(load(caches, 56), 4);
    assert_int_equal(load(caches, 2 * LINE), MEMORY);
    assert_int_equal(load(caches, 4 * LINE), MEMORY);
    assert_int_equal(level(caches, 0), 2); /* line 0 was used longest ago */
    assert_int_equal(load(caches, 0), 14);
    assert_int_equal(load(caches, 4 * LINE), 4);
    assert_int_equal(load(caches, 2 * LINE), 14);
    assert_int_equal(level(caches, 64 * LINE), LEVEL_MEMORY);
    caches_destroy(caches);
}

/* Double every latency, and every access costs double. */
static void test_scale(void **state)
{
    struct description description, twice;
    struct caches *caches, *slow;
    struct random random = {1};

    (void)state;
    start(&description);
    add(&description, 1, 4, 2, 4);
    add(&description, 2, 8, 4, 14)->inclusion = INCLUSION_INCLUSIVE;
    add(&description, 3, 16, 4, 40)->inclusion = INCLUSION_EXCLUSIVE;
    twice = description;
    for (unsigned i = 0; i < twice.caches; i++)
        twice.cache[i].latency *= 2;
    twice.memory.latency *= 2;
    caches = build(&description);
    slow = build(&twice);
    for (unsigned i = 0; i < 5000; i++) {
        const uint64_t address = random_below(&random, 200) * LINE;

        assert_int_equal(load(slow, address), 2 * load(caches, address));
    }
    caches_destroy(caches);
    caches_destroy(slow);
}

/* Lines of 128 bytes in sectors of 32: the tag is there after the first, but each sector is a miss of its own. */
static void test_sectors(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 4, 1, 4);
    description.cache[0].line = 128;
    description.cache[0].sector = 32;
    caches = build(&description);
    assert_int_equal(load(caches, 1024), MEMORY);
    assert_int_equal(load(caches, 1024 + 24), 4);
    assert_int_equal(load(caches, 1024 + 32), MEMORY);
    assert_int_equal(load(caches, 1024 + 120), MEMORY);
    assert_int_equal(load(caches, 1024 + 32), 4);
    assert_int_equal(load(caches, 1024 + 64), MEMORY);
    assert_int_equal(level(caches, 1024), 1);
    assert_int_equal(load(caches, 1536), MEMORY); /* the same set: all sectors go */
    assert_int_equal(level(caches, 1024 + 32), LEVEL_MEMORY);
    caches_destroy(caches);
    /* The same sectors in a level behind: it gets no more than what the first level asks for. */
    add(&description, 2, 64, 2, 14)->line = 128;
    description.cache[1].sector = 32;
    caches = build(&description);
    assert_int_equal(load(caches, 1024), MEMORY);
    assert_int_equal(load(caches, 1024 + 32), MEMORY);
    assert_int_equal(load(caches, 1536), MEMORY); /* takes the first level's line, not the second's */
    assert_int_equal(load(caches, 1024 + 32), 14);
    assert_int_equal(load(caches, 1024 + 64), MEMORY);
    caches_destroy(caches);
    /* An exclusive level of whole lines behind it gets those sectors that the first level had, and no more. */
    description.cache[1].sector = 128;
    description.cache[1].inclusion = INCLUSION_EXCLUSIVE;
    caches = build(&description);
    assert_int_equal(load(caches, 1024), MEMORY);
    assert_int_equal(load(caches, 1536), MEMORY);
    assert_int_equal(level(caches, 1024), 2);
    assert_int_equal(load(caches, 1024 + 32), MEMORY);
    assert_int_equal(load(caches, 1024), 14);
    assert_int_equal(load(caches, 1024), 4);
    caches_destroy(caches);
}

/* A second level with lines of 128 bytes before a first with 64: one miss brings both halves behind the first. A
 * sectored second level (64) brings one. */
static void test_larger_lines_behind(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 4, 1, 4);
    add(&description, 2, 16, 2, 14)->line = 128;
    description.cache[1].sector = 128;
    caches = build(&description);
    assert_int_equal(load(caches, 4096), MEMORY);
    assert_int_equal(load(caches, 4096 + 64), 14);
    caches_destroy(caches);
    description.cache[1].sector = 64;
    caches = build(&description);
    assert_int_equal(load(caches, 4096), MEMORY);
    assert_int_equal(load(caches, 4096 + 64), MEMORY);
    caches_destroy(caches);
    add(&description, 3, 16, 2, 50)->line = 256; /* what lies behind does not change what a miss fills before it */
    description.cache[2].sector = 256;
    caches = build(&description);
    assert_int_equal(load(caches, 4096), MEMORY);
    assert_int_equal(load(caches, 4096 + 64), 50);
    caches_destroy(caches);
}

/* Four slices by address bits 12 and 13, 3 cycles a stop. From core 0: slices 0, 1, 2, 3 are 0, 1, 2, 1 stops away;
 * from core 1: 1, 0, 1, 2. */
static void test_slices(void **state)
{
    static const unsigned stops[2][4] = {{0, 1, 2, 1}, {1, 0, 1, 2}};
    struct description description;
    struct cache_description *last;
    struct caches *caches;

    (void)state;
    start(&description);
    description.cores = 2;
    last = add(&description, 1, 16, 2, 30);
    last->shared_by = 2;
    last->slice_step = 3;
    last->slices.kind = SLICE_XOR;
    last->slices.count = 4;
    last->slices.bits = 2;
    last->slices.mask[0] = 1 << 12;
    last->slices.mask[1] = 1 << 13;
    last->size *= 4;
    caches = build(&description);
    for (unsigned core = 0; core < 2; core++)
        for (unsigned slice = 0; slice < 4; slice++) {
            load(caches, (uint64_t)slice << 12);
            assert_int_equal(cost(caches, core, ACCESS_LOAD, (uint64_t)slice << 12), 30 + 3 * stops[core][slice]);
        }
    /* All four lines above are of set 0 (16 sets of 64 bytes are 1 KB), but of one slice each: nothing was pushed out.
     * In one slice, the third line of a set is too much. */
    load(caches, 1 << 14);
    assert_int_equal(level(caches, 0), 1);
    load(caches, 1 << 15);
    assert_int_equal(level(caches, 0), LEVEL_MEMORY);
    assert_int_equal(level(caches, 1 << 12), 1);
    caches_destroy(caches);
}

/* 8 banks of 8 bytes: offset 8 of two lines is the same bank, offset 16 another. */
static void test_banks(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 4, 2, 4)->banks = 8;
    caches = build(&description);
    load(caches, 8);
    load(caches, 64 + 8);
    assert_int_equal(caches_access(caches, 0, ACCESS_LOAD, 8, 8, 8, MEM_WB, 2000).cycles, 4);
    assert_int_equal(caches_access(caches, 0, ACCESS_LOAD, 72, 72, 8, MEM_WB, 2000).cycles, 5);
    assert_int_equal(caches_access(caches, 0, ACCESS_LOAD, 72, 72, 8, MEM_WB, 2000).cycles, 4); /* the same line */
    assert_int_equal(caches_access(caches, 0, ACCESS_LOAD, 16, 16, 8, MEM_WB, 2000).cycles, 4);
    assert_int_equal(caches_access(caches, 0, ACCESS_LOAD, 80, 80, 8, MEM_WB, 2001).cycles, 4); /* later */
    assert_int_equal(caches_access(caches, 0, ACCESS_LOAD, 20, 20, 4, MEM_WB, 2001).cycles,
                     5); /* 20 is in bank 2, too */
    caches_destroy(caches);
}

/* 8 bytes at 60 lie in lines 0 and 1: both come in; then the longer of the two, and a cycle. */
static void test_split(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 4, 1, 4);
    add(&description, 2, 16, 1, 14);
    caches = build(&description);
    assert_int_equal(load(caches, 60), MEMORY + 1);
    assert_int_equal(load(caches, 60), 4 + 1);
    assert_int_equal(load(caches, 56), 4);
    load(caches, 5 * LINE); /* pushes line 1 into the second level */
    assert_int_equal(load(caches, 60), 14 + 1);
    assert_int_equal(caches_access(caches, 0, ACCESS_LOAD, 60, 60, 4, MEM_WB, 0).cycles, 4);
    assert_int_equal(load(caches, 10 * LINE + 60), MEMORY + 1);
    assert_true(level(caches, 10 * LINE) == 1 && level(caches, 11 * LINE) == 1);
    load(caches, 15 * LINE);
    assert_int_equal(caches_access(caches, 0, ACCESS_LOAD, 10 * LINE + 60, 10 * LINE + 60, 8, MEM_WB, 0).level, 2);
    caches_destroy(caches);
}

static void test_types(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 4, 1, 4);
    add(&description, 2, 16, 1, 14);
    caches = build(&description);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(caches_access(caches, 0, ACCESS_LOAD, 0, 0, 8, MEM_UC, 0).cycles, MEMORY);
        assert_int_equal(caches_access(caches, 0, ACCESS_STORE, 0, 0, 8, MEM_WC, 0).cycles, MEMORY);
        assert_int_equal(level(caches, 0), LEVEL_MEMORY);
    }
    /* WT: a store allocates nothing, a load does; then stores go through all the same. */
    assert_int_equal(caches_access(caches, 0, ACCESS_STORE, 0, 0, 8, MEM_WT, 0).cycles, MEMORY);
    assert_int_equal(level(caches, 0), LEVEL_MEMORY);
    caches_access(caches, 0, ACCESS_LOAD, 0, 0, 8, MEM_WT, 0);
    assert_int_equal(caches_access(caches, 0, ACCESS_STORE, 0, 0, 8, MEM_WT, 0).cycles, MEMORY);
    assert_int_equal(level(caches, 0), 1);
    /* WP: a store takes the line out. */
    assert_int_equal(caches_access(caches, 0, ACCESS_STORE, 0, 0, 8, MEM_WP, 0).cycles, MEMORY);
    assert_int_equal(level(caches, 0), LEVEL_MEMORY);
    caches_destroy(caches);
}

/* Code and data first levels before a unified second. */
static void test_split_levels(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 4, 1, 4)->holds = HOLDS_DATA;
    add(&description, 1, 8, 1, 5)->holds = HOLDS_CODE;
    add(&description, 2, 16, 1, 14);
    caches = build(&description);
    assert_int_equal(cost(caches, 0, ACCESS_FETCH, 0), MEMORY);
    assert_int_equal(cost(caches, 0, ACCESS_FETCH, 0), 5);
    assert_int_equal(load(caches, 0), 14);
    assert_int_equal(load(caches, 0), 4);
    assert_int_equal(cost(caches, 0, ACCESS_FETCH, 4 * LINE), MEMORY); /* 8 sets: no conflict with line 0 */
    assert_int_equal(cost(caches, 0, ACCESS_FETCH, 0), 5);
    caches_destroy(caches);
}

/* A walker that enters at the second level leaves no trace in the first; from level 0 it sees memory only. */
static void test_walks(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 4, 1, 4);
    add(&description, 2, 16, 1, 14);
    description.walker.from_level = 2;
    caches = build(&description);
    assert_int_equal(cost(caches, 0, ACCESS_WALK, 0), MEMORY);
    assert_int_equal(cost(caches, 0, ACCESS_WALK, 0), 14);
    assert_int_equal(level(caches, 0), 2);
    caches_destroy(caches);
    description.walker.from_level = 0;
    caches = build(&description);
    load(caches, 0);
    assert_int_equal(cost(caches, 0, ACCESS_WALK, 0), MEMORY);
    caches_destroy(caches);
    description.walker.from_level = 1;
    caches = build(&description);
    assert_int_equal(cost(caches, 0, ACCESS_WALK, 0), MEMORY);
    assert_int_equal(load(caches, 0), 4);
    caches_destroy(caches);
}

/* Which level a store met: where the line was. */
static void test_store_levels(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 4, 1, 4);
    add(&description, 2, 16, 1, 14);
    caches = build(&description);
    assert_int_equal(caches_access(caches, 0, ACCESS_STORE, 0, 0, 8, MEM_WB, 0).level, LEVEL_MEMORY);
    assert_int_equal(caches_access(caches, 0, ACCESS_STORE, 0, 0, 8, MEM_WB, 0).level, 1);
    load(caches, 4 * LINE);
    assert_int_equal(caches_access(caches, 0, ACCESS_STORE, 0, 0, 8, MEM_WB, 0).level, 2);
    caches_destroy(caches);
    description.cache[0].write_through = true;
    caches = build(&description);
    load(caches, 0);
    assert_int_equal(caches_access(caches, 0, ACCESS_STORE, 0, 0, 8, MEM_WB, 0).level, 1);
    assert_int_equal(caches_access(caches, 0, ACCESS_STORE, LINE, LINE, 8, MEM_WB, 0).level, LEVEL_MEMORY);
    caches_destroy(caches);
}

/* A machine without caches still has memory. */
static void test_no_caches(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    caches = build(&description);
    assert_int_equal(load(caches, 0), MEMORY);
    assert_int_equal(load(caches, 60), MEMORY);
    assert_int_equal(store(caches, 0), MEMORY);
    caches_destroy(caches);
}

/* A line of 128 bytes is in one slice, whichever half of it comes: sequences count by 64. */
static void test_long_lines(void **state)
{
    struct description description;
    struct cache_description *cache;
    struct caches *caches;

    (void)state;
    start(&description);
    cache = add(&description, 1, 4, 2, 4);
    cache->line = cache->sector = 2 * LINE;
    cache->size *= 4;
    cache->slices = (struct slices){.kind = SLICE_SEQUENCE, .count = 2, .length = 4, .sequence = {0, 1, 0, 1}};
    caches = build(&description);
    assert_int_equal(load(caches, LINE), MEMORY);
    assert_int_equal(load(caches, 0), 4);
    caches_flush_line(caches, LINE);
    assert_int_equal(load(caches, LINE), MEMORY);
    caches_destroy(caches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),       cmocka_unit_test(test_scale),
        cmocka_unit_test(test_sectors),      cmocka_unit_test(test_larger_lines_behind),
        cmocka_unit_test(test_slices),       cmocka_unit_test(test_banks),
        cmocka_unit_test(test_split),        cmocka_unit_test(test_types),
        cmocka_unit_test(test_split_levels), cmocka_unit_test(test_walks),
        cmocka_unit_test(test_store_levels), cmocka_unit_test(test_no_caches),
        cmocka_unit_test(test_long_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
