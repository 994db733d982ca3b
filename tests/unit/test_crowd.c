// SPDX-License-Identifier: BSD-2-Clause
/* test_crowd.c: crowds of pages: what is said of them has to hold for any pages, and lines are no TLB. */
#include "probes/crowd_inside.h"
#include "probes/tlb.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/data_tlbs.h"

/* A core whose tables are read in lines of 32 bytes from a first cache of 4 KB a way, before a second one that is
 * further away where there are more ways; there is no second TLB. */
static struct description small_lines(unsigned ways)
{
    struct description description;
    description_plain(&description, ways * 4 * KB, ways, 32, 3, 57);
    add_cache(&description, 256 * KB, ways > 2 ? 28 : 7);
    shape_cache(&description, 1, 2048, 4);
    description.pages = PAGES_SMALL | PAGES_LARGE;
    description.walker = (struct walker_description){.count = 1, .overhead = 8, .from_level = 1};
    struct psc_description *psc = &description.psc[description.pscs++];
    *psc = (struct psc_description){.level = 2, .tag = PSC_LINEAR};
    psc->shape.ways = 4;
    psc->shape.index = (struct index){.kind = INDEX_MODULO, .sets = 1};
    assert_true(policy_parse(&psc->shape.policy, "LRU"));
    for (unsigned i = 0; i < description.caches; i++)
        assert_true(policy_parse(&description.cache[i].shape.policy, "PLRU"));
    description.memory.banks = 8;
    description.memory.row = 4096;
    description.memory.row_miss = 12;
    add_tlb(&description, 1, 16, 4)->pages = PAGES_SMALL;
    add_tlb(&description, 1, 2, 4)->pages = PAGES_LARGE;
    return description;
}

/* Whether a claim holds of the pages of a machine that has no other level than one of 16 sets of 4 ways: `count` pages
 * at a distance of 16 are a crowd, and so they are for other ways and sets. */
static bool holds(unsigned count, const struct shape *claim, uint64_t seed)
{
    struct description description = machine_with();
    struct opened opened;
    add_tlb(&description, 1, 16, 4);
    open_pages(&opened, &description, 4096, seed);
    struct reach reach = {.pages = &opened.pages, .fit = 64, .crowd = 65, .most = 65, .neighbours = 1, .fewer = 48};
    reach.miss = LEAST_MISSES * WALK;
    struct crowd crowd = {.reach = &reach, .count = count};
    for (unsigned i = 0; i < count; i++)
        crowd.number[i] = 16 * i;
    bool held = crowd_holds_elsewhere(&crowd, claim);
    close_pages(&opened);
    return held;
}

static void what_is_said_holds_for_any_pages(void **state)
{
    const struct shape right = {.ways = 4, .sets = 16, .bits = 15, .plain = true};
    const struct shape few_sets = {.ways = 8, .sets = 8, .bits = 7, .plain = true};
    const struct shape many_sets = {.ways = 4, .sets = 32, .bits = 31, .plain = true};
    const struct shape many_ways = {.ways = 5, .sets = 16, .bits = 15, .plain = true};
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        assert_true(holds(5, &right, seed));
        assert_false(holds(9, &few_sets, seed));
        assert_true(holds(5, &many_sets, seed)); /* such pages are of one set, too: what bits matter was asked before */
        assert_false(holds(6, &many_ways, seed));
    }
}

/* Two pages, with a block of 16 that the first level cannot keep, miss a line of a table once a lap, by the bits that
 * choose entries of the third table, and all of them moved along still do: 8 of the block's pages seem to be in their
 * set, and that to have 9 ways. Any ten pages of such a set miss some line or other; any nine do, too. */
static void lines_of_tables_are_no_set(void **state)
{
    const struct shape claim = {.ways = 9, .sets = 256, .bits = 0x3f801, .plain = true};
    struct description description = small_lines(2);
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct opened opened;
        open_pages(&opened, &description, 2 << 20, seed);
        struct reach reach = {.pages = &opened.pages,
                              .fit = 1920,
                              .crowd = 4992,
                              .rough = true,
                              .most = 7488,
                              .hit = 18,
                              .neighbours = 1,
                              .block = 16,
                              .unit = 16,
                              .nearer = 1,
                              .miss = 4.3};
        struct crowd crowd = {.reach = &reach, .alike = 1, .count = 2, .number = {0x87f, 0x107f}};
        assert_false(crowd_holds_elsewhere(&crowd, &claim));
        close_pages(&opened);
    }
}

/* Pages of one set are of several where they have other low bits; where there is one set, they are not, nor do lines of
 * tables become fewer by it. */
static void low_bits_matter_to_a_set(void **state)
{
    (void)state;
    for (unsigned sets = 1; sets <= 16; sets *= 16) {
        struct description description = machine_with();
        struct opened opened;
        add_tlb(&description, 1, sets, 8);
        open_pages(&opened, &description, 4096, 7);
        struct reach reach = {.pages = &opened.pages, .neighbours = 1, .fewer = 8, .miss = LEAST_MISSES * WALK};
        struct crowd crowd = {.reach = &reach, .count = 9};
        for (unsigned i = 0; i < crowd.count; i++)
            crowd.number[i] = 16 * i;
        assert_int_equal(crowd_moves_in_lines(&crowd), sets == 1);
        close_pages(&opened);
    }
}

/* dtlb, of small pages only. */
static bool small_pages(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    static const struct tlb_size size = {"4k", OP_LOAD, 4096, 100, 100};
    const struct tlb_side side = {"dtlb", &size, 1, 4, 1 << 13, 0};
    return tlb_measure(machine, request, &side, notebook);
}

/* What the lowest bits do not matter for is found out once, and not asked again with more pages; nor is each of many
 * pages tried of which none can be spared. Who hears the same twice does not ask again. */
static void lines_are_found_out_soon(void **state)
{
    enum { SEEDS = 2 };
    static const uint64_t most[] = {9000000, 16000000};
    for (unsigned kind = 0; kind < 2; kind++) {
        struct description description = small_lines(kind ? 4 : 2);
        uint64_t visits = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            memset(*state, 0, sizeof(struct notebook));
            visits += run_probe_from(small_pages, seed, &description, *state);
            assert_level(*state, "dtlb1.4k", 4, 16, 0);
            assert_level(*state, "dtlb2.4k", ABSENT, 0, 0);
            assert_true(!kind || strstr(noted(*state, "dtlb2.4k.ways")->why, "lines of tables"));
        }
        assert_in_range(visits, 1, most[kind]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_said_holds_for_any_pages),
        cmocka_unit_test(lines_of_tables_are_no_set),
        cmocka_unit_test(low_bits_matter_to_a_set),
        cmocka_unit_test(lines_are_found_out_soon),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
