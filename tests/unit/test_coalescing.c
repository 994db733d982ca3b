// SPDX-License-Identifier: BSD-2-Clause
/* test_coalescing.c: the probe of what an entry of a TLB is for, against modelled TLBs that join pages in the first
 * level, behind it, in both or none, that keep large pages as pieces, that have sectors, or policies that draw lots; a
 * clock that moves in steps, first levels of cache that lose lines or choose sets by virtual addresses, translations
 * that are fetched ahead; and what cannot be measured. */
#include "probes/probes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/found_tlbs.h"

enum { HIT = 4, NEXT = 14, MEMORY = 220, OVERHEAD = 11, SECOND = 7, KB = 1024, SMALL = PAGES_SMALL };

/* 32 KB and 1 MB of cache, and a first level of 32 small pages in 8 sets, and of 16 large ones. */
static struct description machine_with(unsigned coalesce)
{
    struct description description;
    description_plain(&description, 32 * KB, 8, 64, HIT, MEMORY);
    add_cache(&description, 1024 * KB, NEXT);
    description.pages = PAGES_SMALL | PAGES_LARGE;
    description.walker = (struct walker_description){.count = 1, .overhead = OVERHEAD, .from_level = 1};
    add_tlb_of(&description, HOLDS_DATA, SMALL, 1, 8, 4, 0)->coalesce = coalesce;
    add_tlb_of(&description, HOLDS_DATA, PAGES_LARGE, 1, 1, 16, 0);
    return description;
}

/* And a second level of 512. */
static struct description machine_of_two(unsigned first, unsigned second)
{
    struct description description = machine_with(first);
    add_tlb_of(&description, HOLDS_DATA, SMALL | PAGES_LARGE, 2, 64, 8, SECOND)->coalesce = second;
    return description;
}

static void expect(struct notebook *notebook, const struct description *description, int first, int second, int split)
{
    memset(notebook, 0, sizeof *notebook);
    run_probe(probe_coalescing, description, notebook);
    assert_value(notebook, "dtlb1.4k.run", first, 0);
    assert_value(notebook, "dtlb1.4k.aligned", first > 1 ? 1 : ABSENT, 0);
    assert_value(notebook, "dtlb2.4k.run", second, 0);
    assert_value(notebook, "dtlb1.2m.split", split, 0);
}

static void one_level(void **state)
{
    for (unsigned run = 1; run <= 8; run *= 2) {
        struct description description = machine_with(run);
        expect(*state, &description, (int)run, ABSENT, 0);
    }
}

static void two_levels(void **state)
{
    static const int runs[][2] = {{1, 1}, {4, 1}, {1, 8}, {2, 8}, {8, 2}, {4, 4}};
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct description description = machine_of_two((unsigned)runs[i][0], (unsigned)runs[i][1]);
        expect(*state, &description, runs[i][0], runs[i][1], 0);
    }
}

/* Pages of a sector come one by one. */
static void sectors(void **state)
{
    struct description description = machine_of_two(1, 1);
    description.tlb[0].sector = 4;
    expect(*state, &description, 1, 1, 0);
}

/* Pieces of 4 KB: in the only level, or before one that keeps whole pages, which only the clock tells. */
static void pieces(void **state)
{
    for (unsigned levels = 1; levels <= 2; levels++) {
        struct description description = levels == 1 ? machine_with(1) : machine_of_two(1, 1);
        description.tlb[0].pages = SMALL | PAGES_LARGE;
        description.tlb[0].splits = true;
        description.tlb[1].holds = HOLDS_CODE; /* nobody's here */
        expect(*state, &description, 1, levels == 1 ? ABSENT : 1, 1);
    }
}

/* Pages of 1 GB, whole and in pieces of 2 MB, where there are two of them. */
static void huge_pages(void **state)
{
    struct notebook *notebook = *state;
    for (unsigned split = 0; split < 2; split++) {
        struct description description = machine_with(1);
        description.pages |= PAGES_HUGE;
        description.memory.span = (uint64_t)2 << 30;
        description.tlb[1].pages |= PAGES_HUGE;
        description.tlb[1].splits = split;
        expect(notebook, &description, 1, ABSENT, 0);
        assert_value(notebook, "dtlb1.1g.split", split, 0);
    }
    struct description description = machine_with(1);
    description.pages |= PAGES_HUGE;
    description.tlb[1].pages |= PAGES_HUGE;
    expect(notebook, &description, 1, ABSENT, 0);
    assert_string_equal(noted(notebook, "dtlb1.1g.split")->why, "no two pages of that size lie in the memory");
}

static void by_lot(void **state)
{
    struct description description = machine_of_two(2, 4);
    assert_true(policy_parse(&description.tlb[0].shape.policy, "RANDOMl"));
    assert_true(policy_parse(&description.tlb[2].shape.policy, "RANDOMl"));
    expect(*state, &description, 2, 4, 0);
}

/* A level alone, of trees, and tables in a small cache: of as many pages as push out half of it the same pairs' entries
 * are lost every time that they are asked, and others when they are timed, and walk to lines that are far. */
static void one_level_of_trees(void **state)
{
    struct description description = machine_with(1);
    shape_cache(&description, 0, 16, 4);
    shape_cache(&description, 1, 48, 8);
    description.cache[1].inclusion = INCLUSION_INCLUSIVE;
    description.walker = (struct walker_description){.count = 4, .overhead = 6, .from_level = 2};
    description.pscs = 1;
    description.psc[0] = (struct psc_description){.tag = PSC_PHYSICAL};
    description.psc[0].shape = (struct array_shape){.ways = 16, .index.sets = 1};
    assert_true(policy_parse(&description.psc[0].shape.policy, "LRU"));
    description.tlb[0].shape.ways = 176;
    description.tlb[0].shape.index.sets = 1;
    assert_true(policy_parse(&description.tlb[0].shape.policy, "LRU11PLRU16"));
    expect(*state, &description, 1, ABSENT, 0);
}

static void clock_in_steps(void **state)
{
    struct description description = machine_of_two(4, 1);
    description.clock.step = 50;
    expect(*state, &description, 4, 1, 0);
}

/* 2 KB in 4 ways: what walks load pushes lines out, and that is no miss of a TLB. */
static void small_cache(void **state)
{
    struct description description = machine_of_two(4, 8);
    description.cache[0].size = 2 * KB;
    description.cache[0].shape.ways = 4;
    description.cache[0].shape.index.sets = 8;
    expect(*state, &description, 4, 8, 0);
}

/* 2.5 KB in lines of 128 bytes that go in the order in which they came, however often they are loaded: some of those
 * that are timed are lost. Then nothing is said of large pages, or what is so. */
static void lines_in_turn(void **state)
{
    struct notebook *notebook = *state;
    struct description description = machine_of_two(1, 1);
    struct cache_description *cache = &description.cache[0];
    cache->size = 2560;
    cache->line = cache->sector = 128;
    cache->shape.ways = 5;
    cache->shape.index.sets = 4;
    assert_true(policy_parse(&cache->shape.policy, "FIFO"));
    description.cache[1].line = description.cache[1].sector = 128;
    description.cache[1].shape.index.sets /= 2;
    memset(notebook, 0, sizeof *notebook);
    run_probe(probe_coalescing, &description, notebook);
    const struct finding *split = noted(notebook, "dtlb1.2m.split");
    assert_true(!split->measured || split->value == 0);
}

/* Sets by virtual addresses, 96 of them: a line is in another set under another mapping's address, unless that lies as
 * many lines higher as leave no rest. */
static void virtual_sets(void **state)
{
    struct description description = machine_of_two(4, 1);
    description.cache[0].size = 48 * KB;
    description.cache[0].shape.index.sets = 96;
    description.cache[0].virtual_index = true;
    expect(*state, &description, 4, 1, 0);
}

/* The page behind is fetched by whoever touches the last line of one. */
static void fetched_ahead(void **state)
{
    struct description description = machine_of_two(1, 1);
    description.prefetchers = 1;
    description.prefetcher[0] =
        (struct prefetcher_description){.kind = PREFETCH_NEXT_PAGE, .watches = 1, .into = 1, .ahead = 1};
    expect(*state, &description, 1, 1, 0);
    /* And by whoever touches any: what is fetched is no run. */
    description.prefetcher[0].ahead = 64;
    memset(*state, 0, sizeof(struct notebook));
    run_probe(probe_coalescing, &description, *state);
    assert_value(*state, "dtlb1.4k.run", ABSENT, 0);
    assert_string_equal(noted(*state, "dtlb1.4k.run")->why, "translations of neighbours come by themselves");
}

static void no_tlb(void **state)
{
    struct description description = machine_with(1);
    description.tlbs = 0;
    expect(*state, &description, ABSENT, ABSENT, ABSENT);
}

static void skipped(void **state)
{
    struct description description = machine_with(1);
    memset(*state, 0, sizeof(struct notebook));
    assert_skips(probe_coalescing, &description, *state, 0, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_level),
        cmocka_unit_test(two_levels),
        cmocka_unit_test(sectors),
        cmocka_unit_test(pieces),
        cmocka_unit_test(huge_pages),
        cmocka_unit_test(by_lot),
        cmocka_unit_test(one_level_of_trees),
        cmocka_unit_test(clock_in_steps),
        cmocka_unit_test(small_cache),
        cmocka_unit_test(virtual_sets),
        cmocka_unit_test(lines_in_turn),
        cmocka_unit_test(fetched_ahead),
        cmocka_unit_test(no_tlb),
        cmocka_unit_test(skipped),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
