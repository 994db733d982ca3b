// SPDX-License-Identifier: BSD-2-Clause
/* test_caches.c: the probe of the caches behind the first one against modelled hierarchies of every kind that it has to
 * see through, or has to decline: hashed sets, slices, numbers of sets and ways that are no powers of two, longer
 * lines, more ways before than behind, too little known, too little memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/found_caches.h"
#include "tests/unit/skipping_host.h"

static void powers_of_two(void **state)
{
    struct description description = first(64, 8, "PLRU");
    add(&description, 512, 8, "PLRU");
    add(&description, 2048, 16, "LRU")->inclusion = INCLUSION_INCLUSIVE;
    assert_int_equal(assert_found(&description, *state), 4);
    description.cache[1].inclusion = INCLUSION_INCLUSIVE;
    description.cache[2].inclusion = INCLUSION_NEITHER;
    assert_in_range(assert_found(&description, *state), 3, 4);
}

/* Loads that miss a level are timed for each level, and whatever comes behind is found as if they were not. */
static void curves_of_each_level(void **state)
{
    struct notebook *notebook = *state;
    struct description description = first(64, 4, "LRU");
    add(&description, 256, 8, "PLRU")->inclusion = INCLUSION_EXCLUSIVE;
    add(&description, 2048, 16, "LRU")->inclusion = INCLUSION_EXCLUSIVE;
    assert_found(&description, notebook);
    assert_true(noted(notebook, "penalty.l2.sizes")->measured && noted(notebook, "penalty.l3.sizes")->measured);
    assert_string_equal(noted(notebook, "penalty.l4.sizes")->why, "no such level was seen");
    assert_int_equal(notebook->series_count, 2 * 7);
    assert_int_equal(notebook->points,
                     noted(notebook, "penalty.l2.sizes")->value + noted(notebook, "penalty.l3.sizes")->value);
}

static void no_powers_of_two(void **state)
{
    struct description description = first(64, 12, "LRU3PLRU4");
    add(&description, 384, 10, "LRU");
    add(&description, 1536, 11, "LRU");
    assert_found(&description, *state);
    struct description odd = first(48, 2, "LRU");
    add(&odd, 256, 6, "LRU");
    assert_found(&odd, *state);
}

/* Two levels one behind the other, both of them chosen modulo a number with the factor three; and one behind it that
 * does not have that factor, though all lines that share a set of both differ by multiples of three. */
static void odd_factor_in_common(void **state)
{
    struct description description = first(64, 4, "LRU");
    add(&description, 96, 6, "LRU");
    struct cache_description *third = add(&description, 240, 8, "LRU");
    assert_found(&description, *state);
    third->shape.index.sets = 320;
    third->shape.ways = 16;
    third->size = UINT64_C(320) * 16 * 64;
    assert_found(&description, *state);
}

static void more_ways_before_than_behind(void **state)
{
    struct description description = first(16, 16, "LRU");
    add(&description, 512, 2, "LRU");
    add(&description, 8192, 4, "LRU");
    assert_found(&description, *state);
}

/* Each set bit is folded with one as many places higher: the nearer level tells lines apart that share a set here. */
static void folded(void **state)
{
    struct description description = first(64, 4, "LRU");
    fold(add(&description, 256, 8, "LRU"), 8, 0x101);
    assert_found(&description, *state);
    /* A number of sets that is no power of two behind it. */
    add(&description, 192, 12, "LRU");
    assert_found(&description, *state);
}

/* The same of a level that gets only what the one before loses, and keeps what a load finds, so that it is not
 * exclusive: lines of many of the first level's sets are looked at together, and each has to lose some. (Random
 * machine 2405: twice as many sets, at 0.995.) */
static void folded_victims_that_stay(void **state)
{
    struct description description = first(64, 8, "PLRUl");
    struct cache_description *second = add(&description, 64, 26, "LRU");
    fold(second, 6, 0x41);
    second->inclusion = INCLUSION_EXCLUSIVE;
    second->keeps_hits = true;
    know(*state, &description);
    measured(&description, 1, *state);
    assert_value(*state, 2, "ways", 26);
    assert_value(*state, 2, "size", 64 * 26 * 64);
    assert_int_equal(told(*state, 2, "exclusive", false), 1);
}

static void sliced(void **state)
{
    struct description description = first(64, 8, "LRU");
    add(&description, 256, 8, "LRU");
    struct cache_description *last = add(&description, 512, 12, "QLRU_H11_M1_R0_U0");
    last->slices.kind = SLICE_XOR;
    last->slices.bits = 1;
    last->slices.count = 2;
    last->slices.mask[0] = UINT64_C(1) << 15 | 1 << 6 | 1 << 18 | 1 << 21;
    last->size *= 2;
    assert_found(&description, *state);
}

/* By a table: no space over GF(2) has its sets. */
static void sliced_by_a_table(void **state)
{
    struct description description = first(64, 4, "LRU");
    slice(add(&description, 256, 6, "LRU"), 5);
    assert_found(&description, *state);
    assert_string_equal(noted(*state, "penalty.l2.sizes")->why,
                        "no rule was found that foretells lines of one of its sets");
}

/* Where a first level gives lines up in the order in which it got them, and the second those that came first, an
 * exclusive one of fewer ways keeps the same lines as this: nothing tells whether it is. What both keep is known, and
 * what lies behind them can be. */
static void behind_one_that_may_be_exclusive(void **state)
{
    struct description description = first(64, 4, "FIFO");
    add(&description, 64, 20, "LRU");
    add(&description, 512, 12, "LRU");
    for (unsigned exclusive = 0; exclusive < 2; exclusive++) {
        struct cache_description *second = &description.cache[1];
        second->shape.ways = exclusive ? 16 : 20;
        second->size = (uint64_t)second->shape.index.sets * second->shape.ways * 64;
        second->inclusion = exclusive ? INCLUSION_EXCLUSIVE : INCLUSION_NEITHER;
        know(*state, &description);
        measured(&description, 1, *state);
        assert_missing(*state, 2,
                       "whether it is exclusive is not clear, and so how many of a set's lines the level before keeps");
        assert_false(of_level(*state, 2, "exclusive")->measured);
        assert_value(*state, 2, "line", 64);
        assert_value(*state, 3, "ways", 12);
        assert_value(*state, 3, "size", (double)description.cache[2].size);
        told(*state, 3, "exclusive", false);
        told(*state, 3, "inclusive", false);
    }
}

/* The level behind contains this one, has fewer ways, and takes any of them: it gives lines up of which this one has
 * room for more, and its sets are not this one's. */
static void before_one_that_takes_any_way(void **state)
{
    struct description description = first(24, 14, "LRU");
    add(&description, 32, 20, "LRU");
    add(&description, 768, 12, "RANDOM")->inclusion = INCLUSION_INCLUSIVE;
    know(*state, &description);
    measured(&description, 1, *state);
    assert_value(*state, 2, "ways", 20);
    assert_value(*state, 2, "size", (double)description.cache[1].size);
}

static void longer_lines(void **state)
{
    struct description description = first(64, 4, "LRU");
    struct cache_description *second = add(&description, 256, 8, "LRU"), *third;
    second->line = second->sector = 128;
    second->size *= 2;
    third = add(&description, 1536, 8, "LRU");
    third->line = third->sector = 128;
    third->size *= 2;
    assert_found(&description, *state);
}

/* Prefetchers that have no switch. */
static void prefetchers(void **state)
{
    static const enum prefetcher_kind kinds[] = {PREFETCH_NEXT_LINE, PREFETCH_ADJACENT};
    for (unsigned i = 0; i < 2; i++) {
        struct description description = first(64, 4, "LRU");
        add(&description, 512, 8, "LRU");
        description.prefetchers = 1;
        description.prefetcher[0] =
            (struct prefetcher_description){.kind = kinds[i], .watches = 2, .into = 2, .ahead = 1};
        assert_found(&description, *state);
    }
}

static void too_little_is_known(void **state)
{
    struct notebook *notebook = *state;
    struct description description = first(64, 4, "LRU");
    add(&description, 256, 8, "LRU");
    memset(notebook, 0, sizeof *notebook);
    measured(&description, 1, notebook);
    assert_missing(notebook, 2, "needs what the probes latency and l1d find");
    know(notebook, &description);
    note_value(notebook, "latency.levels", 2, "", 0.6, 0, ""); /* the doubt is that of what it goes by */
    measured(&description, 1, notebook);
    assert_in_range((int)(1000 * of_level(notebook, 2, "ways")->confidence), 500, 600);
}

/* Also where the machine's memory is certain to be in order, a few sets' worth of it is not enough. */
static void too_little_memory(void **state)
{
    struct notebook *notebook = *state;
    struct description description = first(64, 4, "LRU");
    add(&description, 256, 8, "LRU");
    know(notebook, &description);
    description.memory.span = 2 << 20;
    measured(&description, 1, notebook);
    assert_missing(notebook, 2, "physical order unknown");
    assert_string_equal(noted(notebook, "penalty.l2.sizes")->why, "physical order unknown");
}

/* Of the first level's kin the third one, which takes from the second what it gives up, has room for 96, and the second
 * one for 296: among all lines the second one gives the target up first. */
/* An exclusive level gets the lines that push down what is asked about only when others push them down in turn. That
 * its sets are chosen by XOR, and that an odd number of them comes before, leaves doubts. */
static void odd_before_exclusive(void **state)
{
    struct description description = first(8, 8, "MRU");
    struct notebook *notebook = *state;
    description.memory.span = 256 << 20; /* of 64 MB hardly more lines share a set than it has ways */
    add(&description, 192, 4, "MRU_N");
    struct cache_description *last = add(&description, 256, 16, "PLRU");
    fold(last, 8, 0x101);
    last->inclusion = INCLUSION_EXCLUSIVE;
    know(notebook, &description);
    measured(&description, 1, notebook);
    assert_value(notebook, 2, "size", 192 * 4 * 64);
    const struct finding *size = of_level(notebook, 3, "size");
    assert_true(size->measured);
    assert_true(size->value == (double)last->size);
}

static void given_up_further_out(void **state)
{
    struct description description = first(16, 2, "LRU");
    add(&description, 37, 8, "LRU");
    add(&description, 128, 12, "LRU")->inclusion = INCLUSION_INCLUSIVE;
    assert_found(&description, *state);
}

/* 13 lines of 64 MB, which is as much as is looked at where latencies show no large cache, share a set at both levels:
 * more than push one out, and too few to learn from. The whole memory has four times as many. */
static void hardly_more_lines_than_ways(void **state)
{
    struct notebook *notebook = *state;
    struct description description = first(128, 4, "LRU");
    description.memory.span = 256 << 20;
    struct cache_description *second = add(&description, 599, 8, "LRU");
    know(notebook, &description);
    note_point(notebook, note_series(notebook, "levels", "bytes", "cycles"),
               (struct point){.x = 1 << 18, .middle = latencies[1]});
    measured(&description, 1, notebook);
    assert_value(notebook, 2, "ways", 8);
    assert_value(notebook, 2, "size", (double)second->size);
}

/* Whatever shares a set of the first level shares one of the second, so nothing pushes lines out of the first one
 * alone; and which ones that has is a matter of lots: some that the second has given up, others each time. */
static void lots_before_as_many_sets(void **state)
{
    struct description description = first(64, 3, "RANDOMl");
    add(&description, 64, 22, "MRU_N");
    add(&description, 2048, 4, "LRU");
    description.clock.step = 37;
    assert_found(&description, *state);
}

/* Levels behind one whose sets were counted are out of reach, and that is said. */
static void behind_a_table(void **state)
{
    struct notebook *notebook = *state;
    struct description description = first(64, 4, "LRU");
    struct cache_description *second = add(&description, 128, 6, "LRU");
    slice(second, 3);
    add(&description, 4096, 8, "LRU");
    know(notebook, &description);
    measured(&description, 1, notebook);
    assert_value(notebook, 2, "size", (double)second->size);
    assert_missing(notebook, 3, "how the level before it chooses its sets is not known");
}

/* Whoever walks the tables for each page keeps some of their lines in the second level, so that a few of its sets have
 * a way less for others: where one of the two that have to agree is among them, another one takes its place. That is so
 * in three of these runs. */
static void sets_that_tables_share(void **state)
{
    struct notebook *notebook = *state;
    struct description description = first(8, 2, "LRU");
    add(&description, 128, 8, "LRU");
    description.walker = (struct walker_description){.count = 1, .overhead = 10, .from_level = 1};
    struct tlb_description *tlb = &description.tlb[description.tlbs++];
    *tlb = (struct tlb_description){.level = 1,
                                    .holds = HOLDS_BOTH,
                                    .pages = PAGES_SMALL | PAGES_LARGE,
                                    .loads = true,
                                    .stores = true,
                                    .sector = 1,
                                    .coalesce = 1};
    snprintf(tlb->name, sizeof tlb->name, "dtlb1");
    tlb->shape.ways = 4;
    tlb->shape.index.sets = 1;
    assert_true(policy_parse(&tlb->shape.policy, "LRU"));
    for (uint64_t seed = 1; seed <= 14; seed++) {
        know(notebook, &description);
        measured(&description, seed, notebook);
        assert_value(notebook, 2, "ways", 8);
    }
}

/* At once, and without another finding. */
static void skipping_is_obeyed(void **state)
{
    struct notebook *notebook = *state;
    struct request request = {.seed = 1};
    struct description description = first(64, 4, "LRU");
    add(&description, 256, 8, "LRU");
    description.clock.hz = 20000000; /* slow: rests are due often */
    for (unsigned rests = 0; rests < 2; rests++) {
        const char *why = "";
        struct machine *machine = process_open(NULL, &description, 1, NULL, &why);
        assert_non_null(machine);
        know(notebook, &description);
        rests_left = rests;
        assert_false(probe_caches(machine, &request, notebook));
        assert_int_equal(rests_left, 0);
        assert_missing(notebook, 2, "skipped");
        machine_close(machine);
    }
    rests_left = UINT_MAX;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(powers_of_two),
                                       cmocka_unit_test(no_powers_of_two),
                                       cmocka_unit_test(more_ways_before_than_behind),
                                       cmocka_unit_test(folded),
                                       cmocka_unit_test(folded_victims_that_stay),
                                       cmocka_unit_test(sliced),
                                       cmocka_unit_test(sliced_by_a_table),
                                       cmocka_unit_test(curves_of_each_level),
                                       cmocka_unit_test(odd_factor_in_common),
                                       cmocka_unit_test(behind_one_that_may_be_exclusive),
                                       cmocka_unit_test(before_one_that_takes_any_way),
                                       cmocka_unit_test(longer_lines),
                                       cmocka_unit_test(prefetchers),
                                       cmocka_unit_test(too_little_is_known),
                                       cmocka_unit_test(too_little_memory),
                                       cmocka_unit_test(behind_a_table),
                                       cmocka_unit_test(odd_before_exclusive),
                                       cmocka_unit_test(given_up_further_out),
                                       cmocka_unit_test(hardly_more_lines_than_ways),
                                       cmocka_unit_test(lots_before_as_many_sets),
                                       cmocka_unit_test(sets_that_tables_share),
                                       cmocka_unit_test(skipping_is_obeyed)};
    return cmocka_run_group_tests(tests, fresh, done);
}
