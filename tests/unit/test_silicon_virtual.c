// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_virtual.c: where modelled caches depend on virtual addresses: a virtual index with its synonyms, and the
 * way predictor. */
#include "tests/unit/hierarchy.h"

static unsigned at(struct caches *caches, uint64_t va, uint64_t pa)
{
    return caches_access(caches, 0, ACCESS_LOAD, va, pa, 8, MEM_WB, 0).cycles;
}

/* 16 KB direct-mapped: bits 12 and 13 of the index are virtual. One frame under two colours is one line, which moves.
 */
static void test_virtual_index(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 256, 1, 3)->virtual_index = true;
    add(&description, 2, 1024, 4, 12);
    caches = build(&description);
    assert_int_equal(at(caches, 0x10000, 0x55000), MEMORY);
    assert_int_equal(at(caches, 0x10000, 0x55000), 3);
    assert_int_equal(caches_level(caches, 0, 0x21000, 0x55000), 2);
    assert_int_equal(at(caches, 0x21000, 0x55000), 12); /* moves from set 0 to set 64 */
    assert_int_equal(array_entry(caches_array(caches, 0, 0), 0, 0).tag, 0);
    assert_int_equal(array_entry(caches_array(caches, 0, 0), 64, 0).tag, 0x55000 / LINE + 1);
    assert_int_equal(at(caches, 0x21000, 0x55000), 3);
    assert_int_equal(at(caches, 0x35000, 0x55000), 3); /* the same colour: nothing moves */
    assert_int_equal(at(caches, 0x10000, 0x55000), 12);
    /* Frames of one colour, under addresses of two: no conflict. */
    assert_int_equal(at(caches, 0x11000, 0x59000), MEMORY);
    assert_int_equal(at(caches, 0x10000, 0x55000), 3);
    /* And under addresses of one: conflict. */
    assert_int_equal(at(caches, 0x14000, 0x5A000), MEMORY);
    assert_int_equal(at(caches, 0x10000, 0x55000), 12);
    caches_flush_line(caches, 0x55000); /* finds it, although it knows no virtual address */
    assert_int_equal(at(caches, 0x10000, 0x55000), MEMORY);
    caches_destroy(caches);
}

/* 8 KB in 2 ways: all index bits lie inside the page, whatever the description calls them. Random synonyms never cost.
 */
static void test_virtual_index_inside_page(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 64, 2, 3)->virtual_index = true;
    caches = build(&description);
    assert_int_equal(at(caches, 0x10000, 0x55000), MEMORY);
    assert_int_equal(at(caches, 0x21000, 0x55000), 3);
    caches_destroy(caches);
}

/* Other indices: 48 sets (line 1024 goes to set 16, line 2112 to set 0), and XOR of line number bits 0 to 5, which lie
 * inside the page, or of bit 6, which does not. */
static void test_virtual_index_forms(void **state)
{
    struct description description;
    struct index *index = &description.cache[0].shape.index;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 48, 2, 3)->virtual_index = true;
    add(&description, 2, 1024, 4, 12);
    caches = build(&description);
    assert_int_equal(at(caches, 0x10000, 0x55000), MEMORY);
    assert_int_equal(at(caches, 0x21000, 0x55000), 12);
    assert_int_equal(at(caches, 0x21000, 0x55000), 3);
    caches_destroy(caches);
    description.cache[0].size = 4 * 2 * LINE;
    *index = (struct index){.kind = INDEX_XOR, .sets = 4, .bits = 2, .mask = {1 | 8, 2 | 32}};
    caches = build(&description);
    assert_int_equal(at(caches, 0x10000, 0x55000), MEMORY);
    assert_int_equal(at(caches, 0x21000, 0x55000), 3);
    caches_destroy(caches);
    index->mask[1] = 2 | 64;
    caches = build(&description);
    assert_int_equal(at(caches, 0x10000, 0x55000), MEMORY);
    assert_int_equal(at(caches, 0x21000, 0x55000), 12);
    caches_destroy(caches);
}

/* Many lines come and go: the table of where they are has to follow. Against a plain list: direct-mapped, so a set
 * holds the line that was there last, and a line is where it was used last. */
static void test_virtual_index_at_random(void **state)
{
    enum { SETS = 256, FRAMES = 1024 };
    static uint64_t in_set[SETS];
    struct description description;
    struct random random = {9};
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, SETS, 1, 3)->virtual_index = true;
    caches = build(&description);
    memset(in_set, 0, sizeof in_set);
    for (unsigned i = 0; i < 60000; i++) {
        const uint64_t pa = 1 + random_below(&random, i % 1000 < 500 ? 32 : FRAMES), va = random_below(&random, 16);
        const uint64_t offset = random_below(&random, 4) * LINE, set = va % 4 * 64 + offset / LINE;
        const uint64_t line = pa << 12 | offset;

        assert_int_equal(at(caches, va << 12 | offset, line), in_set[set] == line ? 3 : MEMORY);
        for (unsigned other = 0; other < SETS; other++)
            if (in_set[other] == line)
                in_set[other] = 0;
        in_set[set] = line;
        if (i % 64 == 0) {
            caches_flush_line(caches, line);
            in_set[set] = 0;
        }
    }
    caches_destroy(caches);
}

/* A modified line keeps that when it moves: pushed out later, it is still written down. */
static void test_moved_line_stays_modified(void **state)
{
    struct description description;
    struct caches *caches;

    (void)state;
    start(&description);
    add(&description, 1, 256, 1, 3)->virtual_index = true;
    add(&description, 2, 1, 1, 12); /* one line only: the last one written down */
    caches = build(&description);
    caches_access(caches, 0, ACCESS_STORE, 0x10000, 0x55000, 8, MEM_WB, 0);
    at(caches, 0x42000, 0x77000);                                   /* takes the one line of the second level */
    assert_int_equal(caches_level(caches, 0, 0x21000, 0x55000), 2); /* which answers for the first, all the same */
    at(caches, 0x21000, 0x55000);
    at(caches, 0x31000, 0x66000); /* the same set: pushes it out, into the second level */
    assert_true(holds(caches, 0, 1, 0x55000));
    caches_destroy(caches);
}

/* Fold of bits 12-15 with 16-19. Page 0x0 and page 0x11 fold to 0, page 1 and page 0x10 to 1. One set of 4 ways. */
static void test_way_predictor(void **state)
{
    struct description description;
    struct cache_description *first;
    struct caches *caches;

    (void)state;
    start(&description);
    first = add(&description, 1, 64, 4, 4);
    first->folds = 4;
    first->fold_latency = 11;
    for (unsigned i = 0; i < 4; i++)
        first->fold[i] = 1ULL << (12 + i) | 1ULL << (16 + i);
    caches = build(&description);
    load(caches, 0x0);
    load(caches, 0x1000);
    assert_int_equal(load(caches, 0x0), 4);
    assert_int_equal(load(caches, 0x1000), 4);
    load(caches, 0x11000); /* takes fold 0 over from page 0 */
    assert_int_equal(load(caches, 0x1000), 4);
    assert_int_equal(load(caches, 0x11000), 4);
    assert_int_equal(load(caches, 0x0), 11);
    assert_int_equal(load(caches, 0x0), 4);
    assert_int_equal(load(caches, 0x11000), 11);
    assert_int_equal(load(caches, 0x11040), MEMORY); /* another set */
    assert_int_equal(load(caches, 0x11000), 4);
    /* Two names for one line: the line keeps one fold, each use of the other is slow. */
    assert_int_equal(at(caches, 0x2000, 0x1000), 11);
    assert_int_equal(at(caches, 0x2000, 0x1000), 4);
    assert_int_equal(at(caches, 0x1000, 0x1000), 11);
    /* Another name with the same fold is no other name. */
    assert_int_equal(at(caches, 0x10000, 0x1000), 4);
    caches_destroy(caches);
}

/* Two lines of one fold in turn: always slow. Stores wait for nobody, but take the name; walks have no virtual address
 * and change nothing. */
static void test_way_predictor_in_turn(void **state)
{
    struct description description;
    struct cache_description *first;
    struct caches *caches;

    (void)state;
    start(&description);
    first = add(&description, 1, 64, 4, 4);
    first->folds = 1;
    first->fold_latency = 11;
    first->fold[0] = 1 << 13;
    caches = build(&description);
    load(caches, 0x0);
    load(caches, 0x1000);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(load(caches, (uint64_t)(i & 1) << 12), 11);
    assert_int_equal(store(caches, 0x0), 1);
    assert_int_equal(load(caches, 0x0), 4);
    assert_int_equal(cost(caches, 0, ACCESS_WALK, 0x1000), 4);
    assert_int_equal(load(caches, 0x0), 4);
    assert_int_equal(load(caches, 0x1000), 11);
    caches_destroy(caches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_virtual_index),
        cmocka_unit_test(test_virtual_index_inside_page),
        cmocka_unit_test(test_virtual_index_forms),
        cmocka_unit_test(test_virtual_index_at_random),
        cmocka_unit_test(test_moved_line_stays_modified),
        cmocka_unit_test(test_way_predictor),
        cmocka_unit_test(test_way_predictor_in_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
