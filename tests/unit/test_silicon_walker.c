// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_walker.c: what page walks load, what they cost, and what they find, each case reckoned by hand. The
 * machine (silicon_tables.h): 10 cycles a walk; a table load takes 4 from the first cache, 14 from the second, 200 from
 * memory. Tables are in pages of their own, so that each first load of an entry comes from memory. */
#include "tests/unit/silicon_tables.h"

#define HOME UINT64_C(0x123456789000) /* in no table's first slot */

/* A TLB of one entry: any other page pushes it out. */
static void tiny(struct description *description)
{
    base_machine(description);
    add_tlb(description, 1, PAGES_SMALL | PAGES_LARGE | PAGES_HUGE, 1, 1, 0);
}

static void every_level_is_loaded(void **state)
{
    (void)state;
    for (unsigned levels = 4; levels <= 5; levels++)
        for (unsigned class = 0; class < 3; class ++) {
            struct description description;
            tiny(&description);
            description.levels = levels;
            struct world world = world_of(&description);
            uint64_t va = HOME >> 30 << 30;
            map(world.ground, va, 7 * GB, class, 0);
            unsigned loads = levels - class; /* 4 KB: all levels; 2 MB: one less; 1 GB: two less */
            struct translated cold = load_of(&world, va + 0x234567 % (4096U << 9 * class));
            assert_int_equal(cold.cycles, 10 + 200 * loads);
            assert_int_equal(cold.walk_cycles, cold.cycles);
            assert_int_equal(cold.walk_loads, loads);
            assert_int_equal(cold.level, 0);
            assert_int_equal(cold.page, UINT64_C(4096) << 9 * class);
            assert_int_equal(cold.pa, 7 * GB + 0x234567 % cold.page);
            assert_true(cold.pde_missed && !cold.fault);
            struct translated hit = load_of(&world, va + 8);
            assert_int_equal(hit.cycles, 0);
            assert_int_equal(hit.level, 1);
            assert_int_equal(hit.walk_loads, 0);
            assert_int_equal(hit.pa, 7 * GB + 8);
            translation_flush(world.translation, 0, true);
            assert_int_equal(cycles_of(&world, va), 10 + 4 * loads);
            end_of(&world);
        }
}

/* Entries are 8 bytes: the next seven pages' PTEs came with the line, the eighth is in another. */
static void neighbours_share_a_line(void **state)
{
    (void)state;
    struct description description;
    tiny(&description);
    struct world world = world_of(&description);
    uint64_t va = HOME >> 15 << 15;
    for (unsigned i = 0; i < 9; i++)
        map(world.ground, va + i * 4096, 5 * GB + i * 8192, 0, 0);
    assert_int_equal(cycles_of(&world, va), 10 + 4 * 200);
    for (unsigned i = 1; i < 8; i++)
        assert_int_equal(cycles_of(&world, va + i * 4096), 10 + 4 * 4);
    assert_int_equal(cycles_of(&world, va + UINT64_C(8) * 4096), 10 + 3 * 4 + 200);
    end_of(&world);
}

/* The deepest entry that is cached decides: PDE: 1 load, PDPTE: 2, PML4E: 3, none: 4; one more with five levels. */
static void walks_begin_where_they_can(void **state)
{
    (void)state;
    for (unsigned levels = 4; levels <= 5; levels++)
        for (unsigned deepest = 2; deepest <= levels + 1; deepest++) {
            struct description description;
            tiny(&description);
            description.levels = levels;
            for (unsigned level = deepest; level <= levels; level++)
                add_psc(&description, level, PSC_LINEAR, 4);
            struct world world = world_of(&description);
            for (unsigned i = 0; i < 3; i++)
                map(world.ground, HOME + UINT64_C(4096) * i, 9 * GB, 0, 0);
            (void)load_of(&world, HOME);
            (void)load_of(&world, HOME + 4096); /* its PTE is in the cache, too */
            struct translated walked = load_of(&world, HOME + 8192);
            assert_int_equal(walked.walk_loads, deepest - 1);
            assert_int_equal(walked.cycles, 10 + 4 * (deepest - 1));
            assert_int_equal(walked.pde_missed, deepest != 2);
            end_of(&world);
        }
}

/* A PTE in the first cache, the second, memory: 10 + 4, 14, 200. */
static void a_load_costs_where_it_hits(void **state)
{
    (void)state;
    struct description description;
    tiny(&description);
    add_psc(&description, 2, PSC_LINEAR, 4);
    struct world world = world_of(&description);
    map(world.ground, HOME, 9 * GB, 0, 0);
    map(world.ground, HOME + 4096, 9 * GB, 0, 0);
    uint64_t pte = entry_at(world.ground, HOME, 1);
    (void)load_of(&world, HOME);
    (void)load_of(&world, HOME + 4096);
    assert_int_equal(cycles_of(&world, HOME), 14);
    (void)load_of(&world, HOME + 4096);
    caches_flush_line(world.caches, pte);
    assert_int_equal(cycles_of(&world, HOME), 210);
    (void)load_of(&world, HOME + 4096);
    caches_flush_line(world.caches, pte);
    assert_true(caches_prefetch(world.caches, 0, 2, pte, pte, 0));
    assert_int_equal(cycles_of(&world, HOME), 24);
    end_of(&world);
}

/* Loads that begin at the second cache take its 14 cycles and leave the first alone. */
static void walker_past_the_first_cache(void **state)
{
    (void)state;
    struct description description;
    tiny(&description);
    description.walker.from_level = 2;
    struct world world = world_of(&description);
    map(world.ground, HOME, 9 * GB, 0, 0);
    assert_int_equal(cycles_of(&world, HOME), 10 + 4 * 200);
    translation_flush(world.translation, 0, true);
    assert_int_equal(cycles_of(&world, HOME), 10 + 4 * 14);
    uint64_t pte = entry_at(world.ground, HOME, 1);
    assert_int_equal(caches_level(world.caches, 0, pte, pte), 2);
    end_of(&world);
}

/* An uncacheable table is read from memory each time; the entry above says that it is one. */
static void uncacheable_tables(void **state)
{
    (void)state;
    for (unsigned ignores = 0; ignores < 2; ignores++)
        for (unsigned level = 1; level <= 4; level++) { /* whose table is uncacheable */
            struct description description;
            tiny(&description);
            description.walker.ignores_uc = ignores;
            struct world world = world_of(&description);
            map(world.ground, HOME, 9 * GB, 0, 0);
            if (level < 4)
                *entry_of(world.ground, HOME, level + 1) |= PCD;
            else
                world.ground->root |= PCD;
            (void)load_of(&world, HOME);
            translation_flush(world.translation, 0, true);
            struct translated walked = load_of(&world, HOME);
            assert_int_equal(walked.cycles, ignores ? 10 + 4 * 4 : 10 + 3 * 4 + 200);
            assert_int_equal(walked.type, MEM_WB); /* the table is, the page is not */
            end_of(&world);
        }
}

/* The table's type comes along with a cached entry: from a page-structure cache as from the table. */
static void cached_entries_keep_the_type(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        struct description description;
        tiny(&description);
        if (kind == 2)
            description.tlb[0].holds_pdes = true, description.tlb[0].shape.ways = 2;
        else
            add_psc(&description, kind == 0 ? 2 : 0, kind == 0 ? PSC_LINEAR : PSC_PHYSICAL, 8);
        struct world world = world_of(&description);
        map(world.ground, HOME, 9 * GB, 0, 0);
        map(world.ground, HOME + 4096, 9 * GB, 0, 0);
        *entry_of(world.ground, HOME, 2) |= PCD;
        (void)load_of(&world, HOME);
        struct translated walked = load_of(&world, HOME + 4096);
        assert_int_equal(walked.walk_loads, 1);
        assert_int_equal(walked.cycles, 10 + 200);
        assert_false(walked.pde_missed);
        end_of(&world);
    }
}

/* With PCIDs bits 3 and 4 of CR3 are part of the PCID, not a memory type. */
static void pcid_is_no_memory_type(void **state)
{
    (void)state;
    struct description description;
    tiny(&description);
    struct world world = world_of(&description);
    map(world.ground, HOME, 9 * GB, 0, 0);
    translation_set_pcid(world.translation, 0, PCD);
    world.ground->root |= PCD;
    (void)load_of(&world, HOME);
    translation_flush(world.translation, 0, true);
    assert_int_equal(cycles_of(&world, HOME), 10 + 4 * 4);
    end_of(&world);
}

/* PWT, PCD and PAT select the type; PAT is bit 7 of a PTE and bit 12 above, where it is no part of the address. */
static void leaves_have_types(void **state)
{
    (void)state;
    static const enum memtype pat[8] = {MEM_WB, MEM_WT, MEM_UC, MEM_UC, MEM_WP, MEM_WC, MEM_WC, MEM_WC};
    for (unsigned class = 0; class < 3; class ++)
        for (unsigned bits = 0; bits < 8; bits++) {
            struct description description;
            tiny(&description);
            struct world world = world_of(&description);
            uint64_t va = HOME >> 30 << 30;
            map(world.ground, va, 3 * GB, class, (bits & 3) << 3 | (bits & 4 ? class == 0 ? PAT_SMALL : PAT_LARGE : 0));
            for (unsigned again = 0; again < 2; again++) { /* from the walk, from the TLB */
                struct translated translated = load_of(&world, va + 16);
                assert_int_equal(translated.type, pat[bits]);
                assert_int_equal(translated.pa, 3 * GB + 16);
            }
            assert_int_equal(translation_peek(world.translation, 0, va).type, pat[bits]);
            end_of(&world);
        }
}

/* An entry that is not present ends the walk there, and nothing is cached but lines. */
static void faults_leave_nothing(void **state)
{
    (void)state;
    for (unsigned level = 1; level <= 4; level++) {
        struct description description;
        tiny(&description);
        for (unsigned psc = 2; psc <= 4; psc++)
            add_psc(&description, psc, PSC_LINEAR, 4);
        struct world world = world_of(&description);
        map(world.ground, HOME, 9 * GB, 0, 0);
        *entry_of(world.ground, HOME, level) ^= 1;
        struct translated walked = load_of(&world, HOME);
        assert_true(walked.fault);
        assert_int_equal(walked.walk_loads, 5 - level);
        assert_int_equal(walked.cycles, 10 + 200 * (5 - level));
        assert_true(translation_peek(world.translation, 0, HOME).fault);
        *entry_of(world.ground, HOME, level) ^= 1;
        walked = load_of(&world, HOME);
        assert_false(walked.fault);
        assert_int_equal(walked.walk_loads, 4);
        end_of(&world);
    }
}

/* Sizes that a machine has not got are reserved bits: a fault. */
static void sizes_that_are_not_there(void **state)
{
    (void)state;
    struct description description;
    tiny(&description);
    description.pages = PAGES_SMALL | PAGES_LARGE;
    struct world world = world_of(&description);
    map(world.ground, 0, 0, 2, 0);
    map(world.ground, GB, 0, 1, 0);
    *entry_of(world.ground, 512 * GB, 4) = 3 | PS;
    assert_true(load_of(&world, 0).fault);
    assert_false(load_of(&world, GB).fault);
    assert_true(load_of(&world, 512 * GB).fault);
    end_of(&world);
}

/* All entries of a walk must allow writing; a cached upper entry remembers that they did not. */
static void read_only(void **state)
{
    (void)state;
    for (unsigned level = 1; level <= 4; level++) {
        struct description description;
        tiny(&description);
        add_psc(&description, 2, PSC_LINEAR, 4);
        struct world world = world_of(&description);
        map(world.ground, HOME, 9 * GB, 0, 0);
        map(world.ground, HOME + 4096, 9 * GB, 0, 0);
        *entry_of(world.ground, HOME, level) &= ~UINT64_C(2);
        assert_false(load_of(&world, HOME).fault);
        assert_true(translation_of(world.translation, 0, ACCESS_STORE, HOME, 0).fault); /* from the TLB, then a walk */
        assert_int_equal(translation_of(world.translation, 0, ACCESS_STORE, HOME + 4096, 0).fault, level > 1);
        assert_false(load_of(&world, HOME).fault);
        *entry_of(world.ground, HOME, level) |= 2;
        translation_flush(world.translation, 0, true);
        assert_false(load_of(&world, HOME).fault);
        assert_false(translation_of(world.translation, 0, ACCESS_STORE, HOME, 0).fault);
        end_of(&world);
    }
}

/* A stale read-only translation does not keep a store from seeing that the table has changed. */
static void stores_walk_again(void **state)
{
    (void)state;
    struct description description;
    tiny(&description);
    struct world world = world_of(&description);
    map(world.ground, HOME, 9 * GB, 0, 0);
    *entry_of(world.ground, HOME, 1) &= ~UINT64_C(2);
    (void)load_of(&world, HOME);
    *entry_of(world.ground, HOME, 1) |= 2;
    struct translated stored = translation_of(world.translation, 0, ACCESS_STORE, HOME, 0);
    assert_false(stored.fault);
    assert_int_equal(stored.walk_loads, 4);
    assert_int_equal(translation_of(world.translation, 0, ACCESS_STORE, HOME, 0).walk_loads, 0);
    end_of(&world);
}

/* A refill trap takes its time and touches no cache. */
static void walks_by_software(void **state)
{
    (void)state;
    struct description description;
    tiny(&description);
    description.walker.fixed = 35;
    add_psc(&description, 2, PSC_LINEAR, 4);
    struct world world = world_of(&description);
    map(world.ground, HOME, 9 * GB, 0, 0);
    map(world.ground, HOME + 4096, 10 * GB, 0, 0);
    for (unsigned i = 0; i < 4; i++) {
        struct translated walked = load_of(&world, HOME + 4096 * (i % 2));
        assert_int_equal(walked.cycles, 35);
        assert_int_equal(walked.walk_cycles, 35);
        assert_int_equal(walked.walk_loads, 0);
        assert_false(walked.pde_missed);
        assert_int_equal(walked.pa, (9 + i % 2) * GB);
    }
    uint64_t pte = entry_at(world.ground, HOME, 1);
    assert_int_equal(caches_level(world.caches, 0, pte, pte), LEVEL_MEMORY);
    end_of(&world);
}

/* Pages of 8 KB, tables of 1024 entries, three levels. */
static void other_page_sizes(void **state)
{
    (void)state;
    struct description description;
    tiny(&description);
    description.x86 = false;
    description.levels = 3;
    description.page_shift = 13;
    description.page_bits = 10;
    struct world world = world_of(&description);
    uint64_t va = UINT64_C(0x12345678) << 13;
    map(world.ground, va, UINT64_C(0x77) << 13, 0, 0);
    struct translated walked = load_of(&world, va + 8191);
    assert_int_equal(walked.pa, (UINT64_C(0x77) << 13) + 8191);
    assert_int_equal(walked.page, 8192);
    assert_int_equal(walked.cycles, 10 + 3 * 200);
    assert_int_equal(load_of(&world, va).level, 1);
    va += UINT64_C(1) << 40;
    map(world.ground, va, UINT64_C(3) << 23, 1, 0);
    walked = load_of(&world, va + 12345);
    assert_int_equal(walked.page, UINT64_C(1) << 23);
    assert_int_equal(walked.pa, (UINT64_C(3) << 23) + (va + 12345) % (UINT64_C(1) << 23));
    assert_int_equal(walked.walk_loads, 2);
    end_of(&world);
}

/* Addresses beyond those that are translated (the sign) change nothing. */
static void upper_half(void **state)
{
    (void)state;
    struct description description;
    tiny(&description);
    struct world world = world_of(&description);
    uint64_t va = UINT64_C(0xffff800000003000);
    map(world.ground, va, 4 * GB, 0, 0);
    assert_int_equal(load_of(&world, va + 5).pa, 4 * GB + 5);
    assert_int_equal(load_of(&world, va + 6).level, 1);
    translation_flush_page(world.translation, 0, va);
    assert_int_equal(load_of(&world, va + 7).level, 0);
    end_of(&world);
}

/* To peek is to see what a walk would, and to leave no trace. */
static void peeking(void **state)
{
    (void)state;
    struct description description;
    tiny(&description);
    add_psc(&description, 2, PSC_LINEAR, 4);
    struct world world = world_of(&description);
    map(world.ground, HOME, 9 * GB, 0, PWT);
    translation_mark(world.translation);
    uint64_t before = translation_digest(world.translation);
    struct translated seen = translation_peek(world.translation, 0, HOME + 99);
    assert_int_equal(seen.pa, 9 * GB + 99);
    assert_int_equal(seen.type, MEM_WT);
    assert_int_equal(seen.cycles, 0);
    assert_int_equal(translation_digest(world.translation), before);
    assert_int_equal(load_of(&world, HOME).cycles, 10 + 4 * 200);
    assert_int_not_equal(translation_digest(world.translation), before);
    end_of(&world);
}

/* Without a TLB for its kind an access translates at no cost; faults are seen all the same. */
static void without_tlbs(void **state)
{
    (void)state;
    struct description description;
    tiny(&description);
    description.tlb[0].holds = HOLDS_DATA;
    struct world world = world_of(&description);
    map(world.ground, HOME, 9 * GB, 0, 0);
    struct translated fetched = translation_of(world.translation, 0, ACCESS_FETCH, HOME + 3, 0);
    assert_int_equal(fetched.pa, 9 * GB + 3);
    assert_int_equal(fetched.cycles, 0);
    assert_int_equal(fetched.level, 1);
    assert_true(translation_of(world.translation, 0, ACCESS_FETCH, HOME + 4096, 0).fault);
    assert_int_equal(load_of(&world, HOME).walk_loads, 4);
    end_of(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_is_loaded),
        cmocka_unit_test(neighbours_share_a_line),
        cmocka_unit_test(walks_begin_where_they_can),
        cmocka_unit_test(a_load_costs_where_it_hits),
        cmocka_unit_test(walker_past_the_first_cache),
        cmocka_unit_test(uncacheable_tables),
        cmocka_unit_test(cached_entries_keep_the_type),
        cmocka_unit_test(pcid_is_no_memory_type),
        cmocka_unit_test(leaves_have_types),
        cmocka_unit_test(faults_leave_nothing),
        cmocka_unit_test(sizes_that_are_not_there),
        cmocka_unit_test(read_only),
        cmocka_unit_test(stores_walk_again),
        cmocka_unit_test(walks_by_software),
        cmocka_unit_test(other_page_sizes),
        cmocka_unit_test(upper_half),
        cmocka_unit_test(peeking),
        cmocka_unit_test(without_tlbs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
