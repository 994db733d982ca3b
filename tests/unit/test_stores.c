// SPDX-License-Identifier: BSD-2-Clause
/* test_stores.c: the probe of stores' own TLBs against modelled ones: of one set and of several, of other policies, of
 * loads and stores together, and of stores alone that has more entries than that of loads; and beside a way predictor
 * that confuses lines. */
#include "probes/probes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/found_tlbs.h"

enum { HIT = 4, NEXT = 14, MEMORY = 120, PENALTY = 7, WALK = 30, LOADS = 64, KB = 1024 };

static const char NO_LONGER[] = "stores to as many pages as loads have entries for take no longer";

/* 64 entries for loads at the first level, and pages of 4 KB and 2 MB. */
static struct description machine_with(void)
{
    struct description description;
    description_plain(&description, 32 * KB, 8, 64, HIT, MEMORY);
    add_cache(&description, 256 * KB, NEXT);
    description.pages = PAGES_SMALL | PAGES_LARGE;
    description.walker = (struct walker_description){.count = 1, .fixed = WALK, .from_level = 1};
    add_tlb_of(&description, HOLDS_DATA, PAGES_SMALL | PAGES_LARGE, 1, 1, LOADS, 0)->stores = false;
    return description;
}

static void add_stores(struct description *description, unsigned sets, unsigned ways, const char *policy)
{
    struct tlb_description *tlb = add_tlb_of(description, HOLDS_DATA, PAGES_SMALL | PAGES_LARGE, 1, sets, ways, 0);
    tlb->loads = false;
    assert_true(policy_parse(&tlb->shape.policy, policy));
}

/* loads: entries that the probe dtlb has found; 0: none. */
static void measure_first(struct notebook *notebook, const struct description *description, unsigned loads)
{
    enum { BUDGET = 2000000 };
    memset(notebook, 0, sizeof *notebook);
    if (loads) {
        note_value(notebook, "dtlb1.4k.entries", loads, "entries", 0.99, 0, "");
        note_value(notebook, "dtlb1.2m.entries", loads, "entries", 0.99, 0, "");
    }
    assert_in_range(run_probe(probe_stores, description, notebook), 0, BUDGET);
}

/* With 512 entries for both behind them. */
static void measure(struct notebook *notebook, const struct description *description, unsigned loads)
{
    struct description whole = *description;
    add_tlb_of(&whole, HOLDS_DATA, PAGES_SMALL | PAGES_LARGE, 2, 128, 4, PENALTY);
    measure_first(notebook, &whole, loads);
}

static void of_their_own(void **state)
{
    static const struct {
        unsigned sets, ways;
        const char *policy;
    } shapes[] = {{1, 16, "LRU"}, {1, 16, "PLRU"}, {1, 15, "LRU"}, {4, 4, "LRU"}, {8, 5, "FIFO"}, {1, 63, "LRU"}};
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct description description = machine_with();
        add_stores(&description, shapes[i].sets, shapes[i].ways, shapes[i].policy);
        description.clock.step = i % 2 ? 26 : 1;
        measure(*state, &description, LOADS);
        assert_value(*state, "dtlb1.4k.stores", shapes[i].sets * shapes[i].ways, 0);
        assert_value(*state, "dtlb1.2m.stores", shapes[i].sets * shapes[i].ways, 0);
    }
}

/* As many as loads have, with them or apart, and more. */
static void nothing_to_find(void **state)
{
    for (unsigned kind = 0; kind < 3; kind++) {
        struct description description = machine_with();
        description.tlb[0].stores = kind == 0;
        if (kind > 0)
            add_stores(&description, 1, kind * LOADS, "LRU");
        measure(*state, &description, LOADS);
        assert_string_equal(noted(*state, "dtlb1.4k.stores")->why, NO_LONGER);
        assert_string_equal(noted(*state, "dtlb1.2m.stores")->why, NO_LONGER);
    }
}

/* Where loads miss as well, from their 49th page on, that is not taken for stores'. */
static void no_further_than_loads(void **state)
{
    struct description description = machine_with();
    description.tlb[0].stores = true;
    description.tlb[0].shape.ways = 48;
    measure(*state, &description, 48);
    assert_value(*state, "dtlb1.4k.stores", ABSENT, 0);
}

/* Nearly as many entries as the first cache has lines, of which walks need some for the tables. (With a line for each
 * page: 157 for none, at 0.988.) */
static void as_many_as_lines(void **state)
{
    enum { LINES = 160, FEWER = 8 };
    for (unsigned entries = LINES - FEWER; entries <= LINES; entries++) {
        struct description description = machine_with();
        struct cache_description *first = &description.cache[0];
        first->shape.index.sets = LINES / 4;
        first->shape.ways = 4;
        first->size = LINES * 64;
        assert_true(policy_parse(&first->shape.policy, "MRU_N"));
        description.caches = 1;
        description.walker = (struct walker_description){.count = 1, .overhead = 14, .from_level = 1};
        description.tlb[0].stores = true;
        description.tlb[0].shape.ways = entries;
        measure_first(*state, &description, entries);
        assert_string_equal(noted(*state, "dtlb1.4k.stores")->why, NO_LONGER);
        assert_string_equal(noted(*state, "dtlb1.2m.stores")->why, NO_LONGER);
    }
}

static void fewer_than_are_asked_for(void **state)
{
    struct description description = machine_with();
    add_stores(&description, 1, 2, "LRU");
    measure(*state, &description, LOADS);
    assert_string_equal(noted(*state, "dtlb1.4k.stores")->why, "stores to 4 pages take longer already");
}

static void without_what_it_needs(void **state)
{
    struct description description = machine_with();
    measure(*state, &description, 0);
    assert_string_equal(noted(*state, "dtlb1.4k.stores")->why,
                        "needs to know how many entries there are for loads, more than 4");
}

/* Lines of one large page that a way predictor cannot tell apart, where small sets have several of them: in small pages
 * it can. What the control takes longer is no translation. */
static void lines_that_are_confused(void **state)
{
    struct description description = machine_with();
    struct cache_description *first = &description.cache[0];
    first->shape.index.sets = 6;
    first->shape.ways = 16;
    first->size = 6 * KB;
    predict_ways(first, NEXT);
    description.tlb[0].shape.ways = 16;
    add_stores(&description, 1, LOADS, "LRU");
    measure(*state, &description, LOADS + LOADS / 2);
    assert_string_equal(noted(*state, "dtlb1.4k.stores")->why, "stores to the same lines in few pages take longer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(of_their_own, fresh, done),
        cmocka_unit_test_setup_teardown(nothing_to_find, fresh, done),
        cmocka_unit_test_setup_teardown(no_further_than_loads, fresh, done),
        cmocka_unit_test_setup_teardown(as_many_as_lines, fresh, done),
        cmocka_unit_test_setup_teardown(fewer_than_are_asked_for, fresh, done),
        cmocka_unit_test_setup_teardown(lines_that_are_confused, fresh, done),
        cmocka_unit_test_setup_teardown(without_what_it_needs, fresh, done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
