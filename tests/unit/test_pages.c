// SPDX-License-Identifier: BSD-2-Clause
/* test_pages.c: the kernel's page tables, built in a program's own memory: an address is its own physical address here,
 * as it is on bare metal. */
// The two units belong to the image alone: no library of the tests has them. NOLINTBEGIN(bugprone-suspicious-include)
#include "kernel/mtrr.c"
#include "kernel/pages.c"
// NOLINTEND(bugprone-suspicious-include)
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { POOL = 64 * TABLE_SIZE };
static const uint64_t KB4 = 1ull << 12, MB2 = 1ull << 21, GB1 = 1ull << 30, GB512 = 1ull << 39;

/* A firmware that maps 2 GB: the first in 2 MB pages, the second in one page of 1 GB. */
struct world {
    uint64_t *pml4, *pdpt, *pd, *memory;
    struct pages pages;
};

static uint64_t *page(unsigned count)
{
    uint64_t *table = aligned_alloc(TABLE_SIZE, (size_t)count * TABLE_SIZE);

    assert_non_null(table);
    memset(table, 0, (size_t)count * TABLE_SIZE);
    return table;
}

static int open_world(void **state)
{
    struct world *world = calloc(1, sizeof *world);

    world->pml4 = page(1);
    world->pdpt = page(1);
    world->pd = page(1);
    world->memory = page(POOL / TABLE_SIZE);
    world->pml4[0] = (uint64_t)(uintptr_t)world->pdpt | 3;
    world->pdpt[0] = (uint64_t)(uintptr_t)world->pd | 3;
    world->pdpt[1] = GB1 | 0x83 | ENTRY_PCD | ENTRY_PAT_LARGE;
    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        world->pd[i] = i * MB2 | 0x83;
    world->pages = (struct pages){.levels = 4, .no_execute = ENTRY_NO_EXECUTE, .pages_1g = true};
    assert_true(pages_open(&world->pages, (uint64_t)(uintptr_t)world->memory, (uint64_t)(uintptr_t)world->memory + POOL,
                           world->pml4));
    *state = world;
    return 0;
}

static int close_world(void **state)
{
    struct world *world = *state;

    free(world->pml4);
    free(world->pdpt);
    free(world->pd);
    free(world->memory);
    free(world);
    return 0;
}

static uint64_t physical(const struct pages *pages, uint64_t va)
{
    unsigned level = 1;
    const uint64_t *leaf = pages_leaf(pages, va, &level);

    assert_non_null(leaf);
    return pages_physical(pages, *leaf, level, va);
}

static void put(struct pages *pages, uint64_t va, uint64_t pa, unsigned level)
{
    uint64_t *table = pages_table(pages, va, level);

    assert_non_null(table);
    pages_write(pages, &table[index_of(va, level)], level, pages_make_leaf(pages, pa, level, 0, true, false));
}

static void test_copy(void **state)
{
    struct world *world = *state;

    assert_ptr_not_equal(world->pages.root, world->pml4);
    assert_memory_equal(world->pages.root, world->pml4, TABLE_SIZE);
    assert_int_equal(physical(&world->pages, GB1 + 12345), GB1 + 12345);
    assert_int_equal(physical(&world->pages, 3 * MB2 + 7), 3 * MB2 + 7);
}

static void test_firmware_is_never_written(void **state)
{
    struct world *world = *state;
    uint64_t pdpt[TABLE_ENTRIES], pd[TABLE_ENTRIES];
    unsigned level;

    memcpy(pdpt, world->pdpt, sizeof pdpt);
    memcpy(pd, world->pd, sizeof pd);
    put(&world->pages, 5 * MB2 + 3 * KB4, 5 * MB2 + 3 * KB4, 1); /* splits a 2 MB page */
    put(&world->pages, GB1 + MB2, GB1 + MB2, 2);                 /* splits the 1 GB page */
    assert_memory_equal(pdpt, world->pdpt, sizeof pdpt);
    assert_memory_equal(pd, world->pd, sizeof pd);

    assert_int_equal(physical(&world->pages, 5 * MB2 + 9), 5 * MB2 + 9);
    assert_int_equal(*pages_leaf(&world->pages, 5 * MB2, &level) & 0xfff, 3); /* the same flags in small pages */
    assert_int_equal(level, 1);
    assert_int_equal(physical(&world->pages, 6 * MB2), 6 * MB2);
    assert_true(*pages_leaf(&world->pages, 5 * MB2 + 3 * KB4, &level) & ENTRY_NO_EXECUTE);
    assert_int_equal(*pages_leaf(&world->pages, GB1 + 2 * MB2, &level) & (ENTRY_PCD | ENTRY_PAT_LARGE | ENTRY_LARGE),
                     ENTRY_PCD | ENTRY_PAT_LARGE | ENTRY_LARGE);
    assert_int_equal(level, 2);
    assert_int_equal(physical(&world->pages, 2 * GB1 - 1), 2 * GB1 - 1);
}

static void test_split_moves_the_type(void **state)
{
    struct world *world = *state;
    unsigned level;
    uint64_t entry;

    put(&world->pages, GB1 + MB2 + KB4, 7 * KB4, 1);
    entry = *pages_leaf(&world->pages, GB1 + MB2, &level);
    assert_int_equal(level, 1);
    assert_int_equal(entry, (GB1 + MB2) | 3 | ENTRY_PCD | ENTRY_PAT_4K);
}

/* What the firmware forbids by an upper entry stays forbidden below the copy. */
static void test_restrictions_stay(void **state)
{
    struct world *world = *state;
    unsigned level;

    world->pml4[0] = (uint64_t)(uintptr_t)world->pdpt | 1 | ENTRY_NO_EXECUTE;
    pages_refresh(&world->pages, world->pml4);
    put(&world->pages, 4 * MB2, 4 * MB2, 2);
    assert_true(*pages_leaf(&world->pages, 4 * MB2, &level) & ENTRY_WRITE);
    assert_false(*pages_leaf(&world->pages, GB1, &level) & ENTRY_WRITE);
    assert_true(*pages_leaf(&world->pages, GB1, &level) & ENTRY_NO_EXECUTE);
    assert_true(*pages_entry(&world->pages, 4 * MB2, 4) & ENTRY_WRITE);
    assert_false(*pages_entry(&world->pages, 4 * MB2, 4) & ENTRY_NO_EXECUTE);
}

static void test_refresh(void **state)
{
    struct world *world = *state;

    put(&world->pages, 4 * MB2, 4 * MB2, 2);
    pages_choose_view(&world->pages);
    world->pml4[0] = 0;
    world->pml4[1] = 42;
    world->pml4[TABLE_ENTRIES - 1] = 43;
    pages_refresh(&world->pages, world->pml4);
    assert_int_not_equal(world->pages.root[0], 0); /* ours now */
    assert_int_equal(world->pages.root[1], 0);     /* the view's */
    assert_int_equal(world->pages.root[TABLE_ENTRIES - 1], 43);
}

static void test_view(void **state)
{
    struct world *world = *state;
    struct pages *pages = &world->pages;
    uint64_t base, left;
    unsigned level;

    pages_choose_view(pages);
    base = pages_view_base(pages);
    assert_int_equal(base, GB512);
    assert_int_equal(pages->slots, 255);
    left = pages_left(pages);

    assert_null(pages_leaf(pages, base, &level));
    assert_null(pages_entry(pages, base, 1));
    assert_non_null(pages_entry(pages, base, 4));
    put(pages, base, GB1, 3);
    put(pages, base + GB1, 5 * MB2, 2);
    put(pages, base + 2 * GB1, 9 * KB4, 1);
    assert_int_equal(physical(pages, base + 77), GB1 + 77);
    assert_int_equal(physical(pages, base + GB1 + 77), 5 * MB2 + 77);
    assert_int_equal(physical(pages, base + 2 * GB1 + 77), 9 * KB4 + 77);
    assert_int_equal(left - pages_left(pages), 4);
    assert_int_equal(*pages_entry(pages, base + 2 * GB1, 1), 9 * KB4 | 0x63 | ENTRY_NO_EXECUTE);

    /* A large page over small ones returns their table. */
    put(pages, base + 2 * GB1, 0, 3);
    assert_int_equal(left - pages_left(pages), 2);
    pages_reset_view(pages);
    assert_int_equal(pages_left(pages), left);
    assert_null(pages_leaf(pages, base, &level));
}

static void test_clear(void **state)
{
    struct world *world = *state;
    struct pages *pages = &world->pages;
    uint64_t base;
    unsigned level;

    pages_choose_view(pages);
    base = pages_view_base(pages);
    put(pages, base, 0, 3);
    assert_true(pages_clear(pages, base + MB2 + KB4, base + MB2 + 2 * KB4));
    assert_null(pages_leaf(pages, base + MB2 + KB4, &level));
    assert_int_equal(physical(pages, base + MB2), MB2);
    assert_int_equal(physical(pages, base + MB2 + 2 * KB4), MB2 + 2 * KB4);
    assert_int_equal(physical(pages, base + 2 * MB2), 2 * MB2);
    assert_true(pages_clear(pages, base, base + GB1));
    assert_null(pages_leaf(pages, base + MB2, &level));
    assert_true(pages_clear(pages, base, base + 100 * GB512)); /* nothing there: nothing happens */
}

/* A probe may put one table under two parents, or under itself: no page is returned twice. */
static void test_shared_tables(void **state)
{
    struct world *world = *state;
    struct pages *pages = &world->pages;
    uint64_t base, left, *entry;

    pages_choose_view(pages);
    base = pages_view_base(pages);
    left = pages_left(pages);
    put(pages, base, 0, 1);
    put(pages, base + MB2, 0, 1);
    *pages_entry(pages, base + MB2, 2) = *pages_entry(pages, base, 2);
    entry = pages_entry(pages, base + 2 * MB2, 2);
    *entry = (uint64_t)(uintptr_t)(entry - index_of(base + 2 * MB2, 2)) | 3;
    assert_true(pages_clear(pages, base, base + GB512));
    assert_true(pages_left(pages) <= left);
    for (uint64_t i = pages_left(pages); i > 0; i--)
        assert_non_null(take(pages));
    assert_null(take(pages));
}

static void test_room_runs_out(void **state)
{
    struct world *world = *state;
    struct pages *pages = &world->pages;
    uint64_t base;

    pages_choose_view(pages);
    base = pages_view_base(pages);
    while (take(pages)) {
    }
    assert_null(pages_table(pages, base, 1));
    assert_int_equal(pages_left(pages), 0);
    pages_reset_view(pages);
    assert_non_null(pages_table(pages, base, 1));
}

static void test_view_choice(void **state)
{
    struct world *world = *state;
    struct pages *pages = &world->pages;

    for (unsigned i = 0; i < 250; i++)
        pages->root[i] = 3;
    pages_choose_view(pages);
    assert_int_equal(pages->view_slot, 256);
    assert_int_equal(pages->slots, 255); /* never the last: addresses past the end would wrap */
    assert_int_equal(pages_view_base(pages), 0xffff800000000000);
    pages->levels = 5;
    assert_int_equal(pages_view_base(pages), 0xff00000000000000);
}

/* Firmware that fills every top-level entry: the upper half of our own table becomes the view, and stays it. */
static void test_full_root(void **state)
{
    struct world *world = *state;
    struct pages *pages = &world->pages;
    unsigned level;

    for (unsigned i = 1; i < TABLE_ENTRIES; i++)
        world->pml4[i] = world->pml4[0];
    pages_refresh(pages, world->pml4);
    pages_choose_view(pages);
    assert_int_equal(pages->view_slot, 256);
    assert_int_equal(pages->slots, 255);
    assert_int_equal(pages_view_base(pages), 0xffff800000000000);
    assert_null(pages_leaf(pages, pages_view_base(pages) + 3 * MB2, &level));
    assert_false(pages_in_view(pages, 255 * GB512));
    assert_true(pages_in_view(pages, pages_view_base(pages)));
    assert_true(pages_in_view(pages, pages_view_base(pages) + 255 * GB512 - 1));
    assert_false(pages_in_view(pages, pages_view_base(pages) + 255 * GB512));
    put(pages, pages_view_base(pages) + GB1, 7 * KB4, 1);
    pages_refresh(pages, world->pml4);
    assert_int_equal(physical(pages, pages_view_base(pages) + GB1 + 5), 7 * KB4 + 5);
    assert_int_equal(physical(pages, 255 * GB512 + GB1 + 5), GB1 + 5);
    pages_reset_view(pages);
    assert_null(pages_leaf(pages, pages_view_base(pages) + GB1, &level));
    assert_memory_equal(pages->root, world->pml4, TABLE_SIZE / 2);
    assert_int_equal(world->pml4[300], world->pml4[0]);
}

static void test_five_levels(void **state)
{
    struct world *world = *state;
    struct pages *pages = &world->pages;
    uint64_t *pml5 = page(1), base;

    pml5[0] = (uint64_t)(uintptr_t)world->pml4 | 3;
    pages->levels = 5;
    assert_true(pages_open(pages, (uint64_t)(uintptr_t)world->memory, (uint64_t)(uintptr_t)world->memory + POOL, pml5));
    assert_int_equal(physical(pages, GB1 + 5), GB1 + 5);
    put(pages, MB2, 4 * MB2, 2);
    assert_int_equal(physical(pages, MB2 + 5), 4 * MB2 + 5);
    assert_int_equal(world->pd[1], MB2 | 0x83);
    pages_choose_view(pages);
    base = pages_view_base(pages);
    assert_int_equal(base, 1ull << 48);
    put(pages, base, GB1, 3);
    assert_int_equal(physical(pages, base + 5), GB1 + 5);
    assert_non_null(pages_entry(pages, base, 5));
    free(pml5);
}

static void test_encryption(void **state)
{
    struct world *world = *state;
    struct pages *pages = &world->pages;
    const uint64_t bit = 1ull << 51;
    uint64_t base;
    unsigned level;

    pages->encryption = bit;
    pages_choose_view(pages);
    base = pages_view_base(pages);
    put(pages, base, 3 * KB4, 1);
    assert_true(*pages_leaf(pages, base, &level) & bit);
    assert_int_equal(physical(pages, base + 1), 3 * KB4 + 1);
}

static void test_mtrr(void **state)
{
    const uint64_t all = (1ull << 40) - 1;
    struct mtrr mtrr = {.enabled = true, .count = 2};

    (void)state;
    mtrr.range[0].base = 3 * GB1; /* one type from 3 GB to 4 GB */
    mtrr.range[0].mask = all & ~(GB1 - 1);
    mtrr.range[1].base = GB1 + 4 * MB2; /* and another of 8 KB inside the second GB */
    mtrr.range[1].mask = all & ~(2 * KB4 - 1);
    assert_true(mtrr_uniform(&mtrr, 3 * GB1, GB1));
    assert_true(mtrr_uniform(&mtrr, 2 * GB1, GB1));
    assert_false(mtrr_uniform(&mtrr, GB1, GB1));
    assert_false(mtrr_uniform(&mtrr, GB1 + 4 * MB2, MB2));
    assert_true(mtrr_uniform(&mtrr, GB1 + 4 * MB2, KB4));
    assert_true(mtrr_uniform(&mtrr, GB1 + 3 * MB2, MB2));
    assert_false(mtrr_uniform(&mtrr, 0, MB2)); /* the fixed ranges */
    mtrr.enabled = false;
    assert_true(mtrr_uniform(&mtrr, 0, GB1));
}

#define PAGES_TEST(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAGES_TEST(test_copy),
        PAGES_TEST(test_firmware_is_never_written),
        PAGES_TEST(test_split_moves_the_type),
        PAGES_TEST(test_restrictions_stay),
        PAGES_TEST(test_refresh),
        PAGES_TEST(test_view),
        PAGES_TEST(test_clear),
        PAGES_TEST(test_shared_tables),
        PAGES_TEST(test_room_runs_out),
        PAGES_TEST(test_view_choice),
        PAGES_TEST(test_full_root),
        PAGES_TEST(test_five_levels),
        PAGES_TEST(test_encryption),
        cmocka_unit_test(test_mtrr),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
