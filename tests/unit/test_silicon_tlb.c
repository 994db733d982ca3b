// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_tlb.c: TLBs, by hand: capacity, sets, classes of pages, flushes, stale entries
 * (test_silicon_tlb_kinds.c: sectors, groups, victims, pieces; test_silicon_tlb_random.c: against lists). A walk takes
 * 10 and its loads, so that its cycles always differ from the 0 and 7 of the two levels; what tells them apart here is
 * `level`: 1, 2, or 0 for a walk. */
#include "tests/unit/silicon_pages.h"

/* Fully associative, LRU: a cycle through as many pages as there are entries hits always, through one more never. */
static void capacity(void **state)
{
    (void)state;
    static const unsigned entries[] = {1, 16, 64, 72, 96};
    for (unsigned i = 0; i < sizeof entries / sizeof *entries; i++)
        for (unsigned more = 0; more < 2; more++) {
            struct description description;
            base_machine(&description);
            add_tlb(&description, 1, ALL, entries[i], entries[i], 0);
            struct world world = world_of(&description);
            unsigned pages = entries[i] + more;
            map_pages(&world, pages, 1);
            visit(&world, pages, 1);
            for (unsigned lap = 0; lap < 3; lap++)
                assert_int_equal(at_level(&world, pages, 1, 1), more ? 0 : pages);
            end_of(&world);
        }
}

/* Pages of a thread that shares the core take entries, and are nobody else's: 64 pages of 72 entries are all there
 * after 8 of its pages, and miss after one more; a page of the same number as one's own is no hit. */
static void a_sibling_takes_entries(void **state)
{
    (void)state;
    for (unsigned theirs = 8; theirs <= 9; theirs++) {
        struct description description;
        base_machine(&description);
        add_tlb(&description, 1, ALL, 72, 72, 0);
        struct world world = world_of(&description);
        map_pages(&world, 64, 1);
        visit(&world, 64, 1);
        for (unsigned i = 0; i < theirs; i++)
            translation_disturb(world.translation, 0, (uint64_t)i << 12 | 64);
        assert_int_equal(at_level(&world, 64, 1, 1), theirs == 8 ? 64 : 0);
        end_of(&world);
    }
}

/* 16 sets of 4 ways by the low bits of the page number: pages 2^k apart share 2^k of 16 sets' worth. */
static void ways(void **state)
{
    (void)state;
    for (unsigned apart = 1; apart <= 64; apart *= 2)
        for (unsigned more = 0; more < 2; more++) {
            struct description description;
            base_machine(&description);
            add_tlb(&description, 1, PAGES_SMALL, 64, 4, 0);
            struct world world = world_of(&description);
            unsigned fit = apart >= 16 ? 4 : 64 / apart;
            map_pages(&world, fit + more, apart);
            visit(&world, fit + more, apart);
            /* the one that is too many and the four others of its set push each other out */
            assert_int_equal(at_level(&world, fit + more, apart, 1), more ? fit - 4 : fit);
            end_of(&world);
        }
}

/* A second level as measured on a Zen 4: 256 sets of 12 ways, page number bits 0 to 6 and 9. So pages 128, 256 and 512
 * apart have two sets, those 1024 apart one. A first level of one entry hides nothing. */
static void hashed_index(void **state)
{
    (void)state;
    static const struct {
        unsigned apart, fit;
    } cases[] = {{64, 48}, {128, 24}, {256, 24}, {512, 24}, {1024, 12}, {2048, 12}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned more = 0; more < 2; more++) {
            struct description description;
            base_machine(&description);
            add_tlb(&description, 1, ALL, 1, 1, 0);
            struct tlb_description *second = add_tlb(&description, 2, PAGES_SMALL, 3072, 12, 7);
            second->shape.index = (struct index){.kind = INDEX_XOR, .sets = 256, .bits = 8};
            for (unsigned bit = 0; bit < 8; bit++)
                second->shape.index.mask[bit] = UINT64_C(1) << (bit < 7 ? bit : 9);
            struct world world = world_of(&description);
            unsigned pages = cases[i].fit + more;
            map_pages(&world, pages, cases[i].apart);
            visit(&world, pages, cases[i].apart);
            unsigned hits = at_level(&world, pages, cases[i].apart, 2);
            if (more)
                assert_true(hits < pages);
            else
                assert_int_equal(hits, pages);
            end_of(&world);
        }
}

/* Sizes shared in one array compete; apart they do not; a size that a level does not hold always misses it. */
static void classes(void **state)
{
    (void)state;
    for (unsigned apart = 0; apart < 2; apart++) {
        struct description description;
        base_machine(&description);
        add_tlb(&description, 1, apart ? PAGES_SMALL : PAGES_SMALL | PAGES_LARGE, 4, 4, 0);
        if (apart)
            add_tlb(&description, 1, PAGES_LARGE, 4, 4, 0);
        struct world world = world_of(&description);
        map_pages(&world, 4, 1);
        for (unsigned i = 0; i < 4; i++)
            map(world.ground, HOME + (i + 1) * UINT64_C(2) * MB, (i + 1) * 4 * UINT64_C(2) * MB, 1, 0);
        map(world.ground, HOME + GB, 9 * GB, 2, 0);
        visit(&world, 4, 1);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(load_of(&world, HOME + (i + 1) * UINT64_C(2) * MB).page, 2 * MB);
        for (unsigned i = 0; i < 4; i++) {
            struct translated large = load_of(&world, HOME + (i + 1) * UINT64_C(2) * MB + 0x12345);
            assert_int_equal(large.level, 1);
            assert_int_equal(large.pa, (i + 1) * 4 * UINT64_C(2) * MB + 0x12345);
        }
        assert_int_equal(at_level(&world, 4, 1, 1), apart ? 4 : 0);
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(load_of(&world, HOME + GB).level, 0);
        end_of(&world);
    }
}

/* The number of a large page has its own lowest bit at 2 MB: neighbours lie in neighbouring sets. */
static void large_pages_have_their_own_index(void **state)
{
    (void)state;
    struct description description;
    base_machine(&description);
    add_tlb(&description, 1, PAGES_SMALL | PAGES_LARGE, 8, 1, 0);
    struct world world = world_of(&description);
    for (unsigned lap = 0; lap < 2; lap++)
        for (unsigned i = 0; i < 8; i++) {
            map(world.ground, HOME + i * UINT64_C(2) * MB, 6 * MB, 1, 0);
            assert_int_equal(load_of(&world, HOME + i * UINT64_C(2) * MB).level, lap);
        }
    end_of(&world);
}

/* What misses the first level hits the second, takes its latency, and comes back to the first. */
static void two_levels(void **state)
{
    (void)state;
    struct description description;
    base_machine(&description);
    add_tlb(&description, 1, ALL, 4, 4, 0);
    add_tlb(&description, 2, PAGES_SMALL, 16, 4, 7);
    struct world world = world_of(&description);
    map_pages(&world, 8, 1);
    visit(&world, 8, 1);
    for (unsigned i = 0; i < 8; i++) {
        struct translated translated = load_of(&world, HOME + i * 4096);
        assert_int_equal(translated.level, 2);
        assert_int_equal(translated.cycles, 7);
        assert_int_equal(translated.walk_cycles, 0);
        assert_int_equal(cycles_of(&world, HOME + i * 4096), 0);
    }
    translation_flush(world.translation, 0, true);
    assert_int_equal(at_level(&world, 8, 1, 0), 8);
    end_of(&world);
}

/* A first level for loads only (Core 2), a TLB for stores (Ice Lake), instructions apart. */
static void sides(void **state)
{
    (void)state;
    struct description description;
    base_machine(&description);
    add_tlb(&description, 1, ALL, 4, 4, 0)->holds = HOLDS_DATA;
    description.tlb[0].stores = false;
    add_tlb(&description, 2, ALL, 16, 4, 5);
    struct world world = world_of(&description);
    map_pages(&world, 3, 1);
    assert_int_equal(level_of(&world, ACCESS_STORE, HOME), 0);
    for (unsigned i = 0; i < 2; i++) { /* also when it is found where it was found before */
        struct translated stored = translation_of(world.translation, 0, ACCESS_STORE, HOME, 0);
        assert_int_equal(stored.level, 2);
        assert_int_equal(stored.cycles, 5);
    }
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME), 2); /* a store does not fill it */
    assert_int_equal(level_of(&world, ACCESS_LOAD, HOME), 1);
    assert_int_equal(level_of(&world, ACCESS_FETCH, HOME), 2);
    end_of(&world);
    base_machine(&description);
    add_tlb(&description, 1, ALL, 4, 4, 0)->stores = false;
    add_tlb(&description, 1, ALL, 2, 2, 0)->loads = false;
    description.tlb[0].holds = description.tlb[1].holds = HOLDS_DATA;
    add_tlb(&description, 1, ALL, 2, 2, 0)->holds = HOLDS_CODE;
    world = world_of(&description);
    map_pages(&world, 3, 1);
    for (unsigned lap = 0; lap < 2; lap++) {
        assert_int_equal(level_of(&world, ACCESS_LOAD, HOME), lap);
        assert_int_equal(level_of(&world, ACCESS_STORE, HOME), lap);
        assert_int_equal(level_of(&world, ACCESS_FETCH, HOME), lap);
    }
    visit(&world, 3, 1);
    assert_int_equal(level_of(&world, ACCESS_STORE, HOME + 4096), 0);
    assert_int_equal(level_of(&world, ACCESS_STORE, HOME + 8192), 0);
    assert_int_equal(level_of(&world, ACCESS_STORE, HOME), 0);
    assert_int_equal(at_level(&world, 3, 1, 1), 3);
    end_of(&world);
}

/* Two TLBs of one level for one class (Ice Lake's second level: one also for 2 MB, one also for 1 GB): together they
 * hold twice as many small pages of a set, and half of that of each large size. */
static void halves_of_a_level(void **state)
{
    (void)state;
    for (unsigned pages = 16; pages <= 17; pages++) {
        struct description description;
        base_machine(&description);
        add_tlb(&description, 1, ALL, 1, 1, 0);
        add_tlb(&description, 2, PAGES_SMALL | PAGES_LARGE, 128, 8, 7);
        add_tlb(&description, 2, PAGES_SMALL | PAGES_HUGE, 128, 8, 7);
        struct world world = world_of(&description);
        map_pages(&world, pages, 16);
        visit(&world, pages, 16);
        for (unsigned lap = 0; lap < 3; lap++)
            assert_int_equal(at_level(&world, pages, 16, 2) == pages, pages == 16);
        end_of(&world);
    }
}

/* INVLPG: the page under this PCID and the global one, of every size, in all levels and for instructions. */
static void flush_of_a_page(void **state)
{
    (void)state;
    for (unsigned class = 0; class < 3; class ++)
        for (unsigned global = 0; global < 2; global++) {
            struct description description;
            base_machine(&description);
            add_tlb(&description, 1, ALL, 8, 8, 0)->holds = HOLDS_DATA;
            add_tlb(&description, 1, ALL, 8, 8, 0)->holds = HOLDS_CODE;
            add_tlb(&description, 2, ALL, 32, 4, 7);
            struct world world = world_of(&description);
            map(world.ground, HOME, 8 * GB, class, global ? GLOBAL : 0);
            map(world.ground, HOME + GB, 16 * GB, class, global ? GLOBAL : 0);
            translation_set_pcid(world.translation, 0, 5);
            for (unsigned lap = 0; lap < 2; lap++)
                for (unsigned page = 0; page < 2; page++) {
                    (void)level_of(&world, ACCESS_FETCH, HOME + page * GB);
                    (void)level_of(&world, ACCESS_LOAD, HOME + page * GB);
                }
            translation_set_pcid(world.translation, 0, 6);
            translation_flush_page(world.translation, 0, HOME + 4095); /* another PCID: only what is global goes */
            translation_set_pcid(world.translation, 0, 5);
            assert_int_equal(level_of(&world, ACCESS_LOAD, HOME), !global);
            assert_int_equal(level_of(&world, ACCESS_FETCH, HOME), global ? 2 : 1);
            uint64_t inside = (UINT64_C(4096) << 9 * class) - 1; /* any address of the page */
            translation_flush_page(world.translation, 0, HOME + inside);
            assert_int_equal(level_of(&world, ACCESS_LOAD, HOME), 0);
            assert_int_equal(level_of(&world, ACCESS_FETCH, HOME), 2);
            assert_int_equal(level_of(&world, ACCESS_LOAD, HOME + GB), 1);
            end_of(&world);
        }
}

/* MOV CR3: what is not global and of this PCID goes. A global translation is found under every PCID. */
static void flush_of_a_pcid(void **state)
{
    (void)state;
    for (unsigned levels = 1; levels <= 2; levels++) {
        struct description description;
        base_machine(&description);
        add_tlb(&description, 1, ALL, levels == 1 ? 8 : 1, levels == 1 ? 8 : 1, 0);
        if (levels == 2)
            add_tlb(&description, 2, ALL, 32, 4, 7);
        struct world world = world_of(&description);
        uint64_t global = HOME + 4096;
        map(world.ground, HOME, 8 * GB, 0, 0);
        map(world.ground, global, 16 * GB, 0, GLOBAL);
        for (unsigned lap = 0; lap < 2; lap++) { /* without PCIDs */
            assert_int_equal(level_of(&world, ACCESS_LOAD, HOME), 0);
            assert_int_equal(level_of(&world, ACCESS_LOAD, global), lap == 0 ? 0 : levels);
            translation_flush(world.translation, 0, false);
        }
        translation_flush(world.translation, 0, true);
        for (unsigned pcid = 0; pcid < 3; pcid++) {
            translation_set_pcid(world.translation, 0, pcid);
            assert_int_equal(level_of(&world, ACCESS_LOAD, HOME), 0);
            assert_int_equal(level_of(&world, ACCESS_LOAD, global), pcid == 0 ? 0 : levels);
        }
        translation_set_pcid(world.translation, 0, 1);
        translation_flush(world.translation, 0, false);
        assert_int_equal(level_of(&world, ACCESS_LOAD, global), 1);
        for (unsigned pcid = 0; pcid < 3; pcid++) {
            translation_set_pcid(world.translation, 0, pcid);
            assert_int_equal(level_of(&world, ACCESS_LOAD, HOME), pcid == 1 ? 0 : levels);
            assert_int_equal(level_of(&world, ACCESS_LOAD, global), levels);
        }
        translation_flush(world.translation, 0, true);
        assert_int_equal(level_of(&world, ACCESS_LOAD, global), 0);
        end_of(&world);
    }
}

/* A table that changes is not seen while a TLB has the page: frame and type as they were. */
static void stale(void **state)
{
    (void)state;
    struct description description;
    base_machine(&description);
    add_tlb(&description, 1, ALL, 1, 1, 0);
    add_tlb(&description, 2, ALL, 2, 2, 7);
    struct world world = world_of(&description);
    map_pages(&world, 3, 1);
    (void)load_of(&world, HOME);
    map(world.ground, HOME, 77 * GB, 0, PWT);
    for (unsigned i = 0; i < 2; i++) {
        struct translated translated = load_of(&world, HOME + 4);
        assert_int_equal(translated.pa, frame(0) + 4);
        assert_int_equal(translated.type, MEM_WB);
        (void)load_of(&world, HOME + 4096); /* then from the second level */
    }
    assert_int_equal(translation_peek(world.translation, 0, HOME).pa, 77 * GB);
    (void)load_of(&world, HOME + 8192); /* pushes out the older of the two */
    struct translated translated = load_of(&world, HOME + 4);
    assert_int_equal(translated.pa, 77 * GB + 4);
    assert_int_equal(translated.type, MEM_WT);
    *entry_of(world.ground, HOME, 1) = 0;
    assert_false(load_of(&world, HOME).fault);
    translation_flush_page(world.translation, 0, HOME);
    assert_true(load_of(&world, HOME).fault);
    assert_int_equal(load_of(&world, HOME + 8192).level, 2); /* the others stay */
    end_of(&world);
}

/* Every core has its own. */
static void cores(void **state)
{
    (void)state;
    struct description description;
    base_machine(&description);
    description.cores = 2;
    add_tlb(&description, 1, ALL, 8, 8, 0);
    struct world world = world_of(&description);
    map_pages(&world, 1, 1);
    (void)load_of(&world, HOME);
    assert_int_equal(translation_of(world.translation, 1, ACCESS_LOAD, HOME, 0).level, 0);
    translation_flush(world.translation, 0, true);
    assert_int_equal(translation_of(world.translation, 1, ACCESS_LOAD, HOME, 0).level, 1);
    assert_int_equal(load_of(&world, HOME).level, 0);
    assert_ptr_not_equal(translation_tlb(world.translation, 0, 0), translation_tlb(world.translation, 1, 0));
    end_of(&world);
}

/* Laps that repeat have equal digests; a lap that does not, has not. */
static void digests(void **state)
{
    (void)state;
    struct description description;
    base_machine(&description);
    add_tlb(&description, 1, ALL, 4, 4, 0);
    add_tlb(&description, 2, PAGES_SMALL, 16, 4, 7);
    add_psc(&description, 2, PSC_LINEAR, 4);
    struct world world = world_of(&description);
    map_pages(&world, 24, 1);
    visit(&world, 24, 1);
    visit(&world, 24, 1);
    translation_mark(world.translation);
    visit(&world, 24, 1);
    uint64_t digest = translation_digest(world.translation);
    visit(&world, 24, 1);
    assert_int_equal(translation_digest(world.translation), digest);
    visit(&world, 23, 1);
    assert_int_not_equal(translation_digest(world.translation), digest);
    end_of(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacity),
        cmocka_unit_test(ways),
        cmocka_unit_test(a_sibling_takes_entries),
        cmocka_unit_test(hashed_index),
        cmocka_unit_test(classes),
        cmocka_unit_test(large_pages_have_their_own_index),
        cmocka_unit_test(two_levels),
        cmocka_unit_test(sides),
        cmocka_unit_test(halves_of_a_level),
        cmocka_unit_test(flush_of_a_page),
        cmocka_unit_test(flush_of_a_pcid),
        cmocka_unit_test(stale),
        cmocka_unit_test(cores),
        cmocka_unit_test(digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
