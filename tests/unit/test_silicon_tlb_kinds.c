// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_tlb_kinds.c: TLBs whose entries are more, or less, than a page: sectors, groups of coalesced pages,
 * victim TLBs, pieces of large pages; by hand. `level` tells hits (1, 2) from walks (0). */
#include "tests/unit/silicon_pages.h"

/* Four entries whose tags cover two pages: eight pages in pairs fit, of single pages only four; the second page of a
 * pair needs a walk of its own; pushing out takes both. */
static void sectors(void **state)
{
    (void)state;
    struct description description;
    base_machine(&description);
    add_tlb(&description, 1, PAGES_SMALL, 4, 4, 0)->sector = 2;
    struct world world = world_of(&description);
    map_pages(&world, 10, 1);
    assert_int_equal(at_level(&world, 8, 1, 0), 8);
    assert_int_equal(at_level(&world, 8, 1, 1), 8);
    translation_flush_page(world.translation, 0, HOME); /* one of a pair */
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + 4096), 1);
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME), 0);
    translation_flush(world.translation, 0, true);
    visit(&world, 10, 1);                                            /* pairs 1 to 4 are there */
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + 4096), 0); /* pushes out 1; page 0 has not come along */
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME), 0);
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME), 1);
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + 4 * 4096), 1);
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + 3 * 4096), 0);
    end_of(&world);
    world = world_of(&description);
    map_pages(&world, 5, 2);
    visit(&world, 5, 2);
    assert_int_equal(at_level(&world, 5, 2, 1), 0);
    end_of(&world);
}

/* A sectored array's digest knows what each page of a tag is. */
static void sectors_are_digested(void **state)
{
    (void)state;
    struct description description;
    base_machine(&description);
    add_tlb(&description, 1, PAGES_SMALL, 4, 4, 0)->sector = 4;
    uint64_t digest[2];
    for (unsigned i = 0; i < 2; i++) {
        struct world world = world_of(&description);
        map_pages(&world, 2, 1);
        if (i == 1)
            map(world.ground, HOME + 4096, 99 * GB, 0, 0);
        translation_mark(world.translation);
        (void)load_of(&world, HOME);
        (void)load_of(&world, HOME + 4096);
        digest[i] = translation_digest(world.translation);
        end_of(&world);
    }
    assert_int_not_equal(digest[0], digest[1]);
}

/* Maps four pages, with frames from a multiple of 16 KB on, or as `frames` says. */
static void map_four(struct world *world, uint64_t va, const unsigned frames[4])
{
    for (unsigned i = 0; i < 4; i++)
        map(world->ground, va + i * 4096, 16 * GB + frames[i] * UINT64_C(4096), 0, 0);
}

/* Pages of an aligned group of four with neighbouring frames share an entry, and need one walk; others do not. */
static void coalescing(void **state)
{
    (void)state;
    static const struct {
        unsigned frames[4], walks[4];
    } cases[] = {
        {{0, 1, 2, 3}, {1, 0, 0, 0}},  /* all */
        {{7, 8, 9, 10}, {1, 0, 0, 0}}, /* frames need no alignment */
        {{3, 2, 1, 0}, {1, 1, 1, 1}},  /* wrong way round */
        {{5, 5, 5, 5}, {1, 1, 1, 1}},  /* one frame */
        {{0, 1, 9, 3}, {1, 0, 1, 0}},  /* three of them */
        {{9, 1, 2, 8}, {1, 1, 0, 1}},  /* two of them */
        {{0, 1, 8, 9}, {1, 0, 1, 1}},  /* the group has its entry: the other two get their own */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct description description;
        base_machine(&description);
        add_tlb(&description, 1, ALL, 8, 8, 0)->coalesce = 4;
        struct world world = world_of(&description);
        map_four(&world, HOME, cases[i].frames);
        for (unsigned lap = 0; lap < 2; lap++)
            for (unsigned page = 0; page < 4; page++) {
                struct translated translated = load_of(&world, HOME + page * 4096 + 5);
                assert_int_equal(translated.level, lap == 1 || !cases[i].walks[page]);
                assert_int_equal(translated.pa, 16 * GB + cases[i].frames[page] * UINT64_C(4096) + 5);
                assert_int_equal(translated.page, 4096);
            }
        end_of(&world);
    }
}

/* Other attributes, a page that is not there, another group: no company. A group of four begins at a multiple of four.
 */
static void coalescing_needs_equals(void **state)
{
    (void)state;
    static const unsigned frames[] = {0, 1, 2, 3};
    struct description description;
    base_machine(&description);
    add_tlb(&description, 1, ALL, 32, 32, 0)->coalesce = 4;
    struct world world = world_of(&description);
    map_four(&world, HOME, frames);
    map_four(&world, HOME + 0x4000, frames);
    for (unsigned i = 0; i < 4; i++) /* goes on after HOME, but in another group */
        map(world.ground, HOME + (4 + i) * 4096, 16 * GB + (4 + i) * 4096, 0, 0);
    *entry_of(world.ground, HOME + 4096, 1) |= PWT;
    *entry_of(world.ground, HOME + 8192, 1) &= ~UINT64_C(1);
    *entry_of(world.ground, HOME + 12288, 1) |= 0x60; /* accessed and dirty do not matter */
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME), 0);
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + 12288), 1);
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + 4096), 0);
    assert_true(load_of(&world, HOME + 8192).fault);
    *entry_of(world.ground, HOME + 8192, 1) |= 1; /* qualifies now, but was not there when the group was filled */
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + 8192), 0);
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + 8192), 1);
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + 4 * 4096), 0);
    for (unsigned i = 5; i < 8; i++)
        assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + i * 4096), 1);
    translation_flush_page(world.translation, 0, HOME + 6 * 4096); /* the entry goes, and with it the group */
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + 5 * 4096), 0);
    end_of(&world);
}

/* Capacity in groups, through two levels: what comes back from the second level is a group again. */
static void coalescing_reaches_farther(void **state)
{
    (void)state;
    static const unsigned frames[] = {0, 1, 2, 3};
    struct description description;
    base_machine(&description);
    add_tlb(&description, 1, ALL, 2, 2, 0)->coalesce = 4;
    add_tlb(&description, 2, ALL, 8, 2, 7)->coalesce = 4;
    struct world world = world_of(&description);
    for (unsigned i = 0; i < 8; i++) { /* eight groups: four sets of two */
        map_four(&world, HOME + i * UINT64_C(0x4000), frames);
        assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + i * UINT64_C(0x4000)), 0);
    }
    for (unsigned i = 0; i < 8; i++)
        for (unsigned page = 0; page < 4; page++)
            assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + i * UINT64_C(0x4000) + page * 4096), page ? 1 : 2);
    end_of(&world);
}

/* A victim TLB takes what the first level loses, and gives it back: together they hold as many as both. */
static void victims(void **state)
{
    (void)state;
    for (unsigned pages = 6; pages <= 7; pages++) {
        struct description description;
        base_machine(&description);
        add_tlb(&description, 1, ALL, 4, 4, 0);
        add_tlb(&description, 2, ALL, 2, 2, 3)->victim = true;
        struct world world = world_of(&description);
        map_pages(&world, 7, 1);
        visit(&world, 4, 1);
        translation_flush_page(world.translation, 0, HOME); /* a walk does not fill it: nothing is behind */
        assert_int_equal(level_of(&world, ACCESS_LOAD, HOME), 0);
        visit(&world, pages, 1);
        for (unsigned lap = 0; lap < 3; lap++)
            assert_int_equal(at_level(&world, pages, 1, 2), pages == 6 ? 6 : 0);
        end_of(&world);
    }
}

/* A victim TLB behind groups takes them whole, if it can. */
static void victims_of_groups(void **state)
{
    (void)state;
    static const unsigned frames[] = {0, 1, 2, 3};
    for (unsigned whole = 0; whole < 2; whole++) {
        struct description description;
        base_machine(&description);
        add_tlb(&description, 1, ALL, 1, 1, 0)->coalesce = 4;
        add_tlb(&description, 2, ALL, 4, 4, 3)->victim = true;
        description.tlb[1].coalesce = whole ? 4 : 1;
        struct world world = world_of(&description);
        map_four(&world, HOME, frames);
        map_pages(&world, 0, 0);
        map(world.ground, HOME + GB, 1 * GB, 0, 0);
        assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + 4096), 0);
        assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + GB), 0);
        assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + 8192), 2);
        assert_int_equal(load_of(&world, HOME + 8192).pa, 16 * GB + 8192);
        assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + 12288), whole ? 1 : 2);
        assert_int_equal(load_of(&world, HOME + 12288).pa, 16 * GB + 12288);
        end_of(&world);
    }
}

/* 1-GB pages in 2-MB pieces: eight entries for eight pieces; reloaded from there, the first level has the whole page.
 */
static void pieces(void **state)
{
    (void)state;
    struct description description;
    base_machine(&description);
    add_tlb(&description, 1, PAGES_SMALL | PAGES_HUGE, 1, 1, 0);
    add_tlb(&description, 2, PAGES_LARGE | PAGES_HUGE, 8, 8, 7)->splits = true;
    struct world world = world_of(&description);
    map(world.ground, HOME, 9 * GB, 2, 0);
    map(world.ground, HOME + GB, 9 * GB, 0, 0);
    for (unsigned lap = 0; lap < 2; lap++)
        for (unsigned i = 0; i < 8; i++) {
            struct translated translated = load_of(&world, HOME + i * UINT64_C(64) * MB + 77);
            assert_int_equal(translated.level, lap == 0 ? 0 : 2);
            assert_int_equal(translated.page, GB);
            assert_int_equal(translated.pa, 9 * GB + i * UINT64_C(64) * MB + 77);
            assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + 999 * UINT64_C(1) * MB), 1);
            (void)load_of(&world, HOME + GB); /* first level: away with it */
        }
    translation_flush_page(world.translation, 0, HOME + 64 * MB); /* all pieces */
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + i * UINT64_C(64) * MB), 0);
        (void)load_of(&world, HOME + GB);
    }
    end_of(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sectors),
        cmocka_unit_test(sectors_are_digested),
        cmocka_unit_test(coalescing),
        cmocka_unit_test(coalescing_needs_equals),
        cmocka_unit_test(coalescing_reaches_farther),
        cmocka_unit_test(victims),
        cmocka_unit_test(victims_of_groups),
        cmocka_unit_test(pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
