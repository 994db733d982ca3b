// SPDX-License-Identifier: BSD-2-Clause
/* test_dtlb.c: the probe of the TLBs that loads look in against modelled ones of known shape: of one set and of
 * several, with sets chosen by plain bits, scattered bits, folded bits and modulo an odd number; one level and two; and
 * what is not a TLB: joined pages, a way predictor, large pages that no first level has. */
#include "probes/budget.h"
#include "probes/crowd.h"
#include "probes/probes.h"
#include "probes/shared.h"
#include "probes/tries.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/data_tlbs.h"

/* Bits 0, 1 and 4: pages that are 4 or 8 apart share a set, pages that are 16 apart do not. */
static void scattered_bits(void **state)
{
    static const uint64_t mask[] = {1, 2, 16};
    struct description description = machine_with();
    fold(add_tlb(&description, 1, 8, 4), mask, 3);
    expect(*state, &description, 4, 8, ABSENT, 0);
    assert_value(*state, "dtlb1.4k.bits", 0x13, 0);
    assert_value(*state, "dtlb2.4k.bits", ABSENT, 0);
}

/* As on Zen 4, a bit that stands alone in the second level; none chooses the one set of the first. */
static void a_gap_in_the_second_level(void **state)
{
    static const uint64_t mask[] = {1, 2, 4, 8, 64};
    struct description description = machine_with();
    add_tlb(&description, 1, 1, 8);
    fold(add_tlb(&description, 2, 32, 4), mask, 5);
    expect(*state, &description, 8, 1, 4, 32);
    assert_value(*state, "dtlb1.4k.bits", 0, 0);
    assert_value(*state, "dtlb2.4k.bits", 0x4f, 0);
}

/* A row of pages fills half of the sets only: what it says is not what there is, and no fold either. */
static void a_bit_beyond_the_row(void **state)
{
    static const uint64_t mask[] = {1, 2, 1 << 16};
    struct description description = machine_with();
    fold(add_tlb(&description, 1, 8, 4), mask, 3);
    expect(*state, &description, ABSENT, 0, ABSENT, 0);
    assert_value(*state, "dtlb1.4k.bits", ABSENT, 0);
}

/* And what a page-structure cache of four entries loses is no second level. */
static void odd_sets(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 5, 4)->pages = PAGES_SMALL;
    add_tlb(&description, 1, 1024, 8)->pages = PAGES_LARGE; /* enough for all: nothing to look for */
    description.walker = (struct walker_description){.count = 1, .overhead = WALK, .from_level = 1};
    description.pscs = 1;
    description.psc[0] = (struct psc_description){.level = 2, .tag = PSC_LINEAR};
    description.psc[0].shape.ways = 4;
    description.psc[0].shape.index = (struct index){.kind = INDEX_MODULO, .sets = 1};
    assert_true(policy_parse(&description.psc[0].shape.policy, "LRU"));
    expect(*state, &description, 4, 5, ABSENT, 0);
    assert_value(*state, "dtlb1.4k.bits", ABSENT, 0);
}

/* XOR of two and three bits, high ones among them, behind 16 entries in four sets. */
static void folded_second_level(void **state)
{
    static const uint64_t mask[] = {0x21, 0x42, 0x8084, 0x108, 0x20210};
    struct description description = machine_with();
    add_tlb(&description, 1, 4, 4);
    fold(add_tlb(&description, 2, 32, 6), mask, 5);
    expect(*state, &description, 4, 4, 6, 32);
    assert_value(*state, "dtlb1.4k.bits", 3, 0);
    assert_value(*state, "dtlb2.4k.bits", ABSENT, 0);
}

/* Two pages, side by side, under one tag. */
static void sectors(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 1, 12)->sector = 2;
    expect(*state, &description, 12, 1, ABSENT, 0);
}

/* Large pages miss the first level: a control in them would cost what is to be measured. And 4 ways behind 16 entries
 * of one set are hidden unless several sets are used at once. */
static void no_large_pages_in_the_first_level(void **state)
{
    struct description description = machine_with();
    description.walker = (struct walker_description){.count = 1, .overhead = WALK, .from_level = 1};
    add_tlb(&description, 1, 1, 16)->pages = PAGES_SMALL;
    add_tlb(&description, 2, 16, 4)->pages = PAGES_SMALL;
    add_tlb(&description, 2, 1024, 8)->pages = PAGES_LARGE;
    expect(*state, &description, 16, 1, 4, 16);
}

/* Large pages have 8 entries of their own before a second level of 128 that is for them, too. In the memory that there
 * is no huge page lies. */
static void large_pages(void **state)
{
    struct description description = machine_with();
    description.pages |= PAGES_HUGE;
    add_tlb(&description, 1, 1, 16)->pages = PAGES_SMALL;
    add_tlb(&description, 1, 2, 4)->pages = PAGES_LARGE;
    add_tlb(&description, 2, 16, 8);
    expect(*state, &description, 16, 1, 8, 16);
    assert_level(*state, "dtlb1.2m", 4, 2, PENALTY);
    assert_level(*state, "dtlb2.2m", 8, 16, PENALTY);
    assert_value(*state, "dtlb1.2m.shared", 0, 0);
    assert_value(*state, "dtlb2.2m.shared", 1, 0);
    assert_value(*state, "dtlb1.1g.shared", ABSENT, 0);
    assert_value(*state, "dtlb1.2m.bits", 1, 0);
    assert_value(*state, "dtlb2.2m.bits", 15, 0);
    assert_level(*state, "dtlb1.1g", ABSENT, 0, PENALTY);
    assert_non_null(strstr(noted(*state, "dtlb1.1g.ways")->why, "lies in the memory"));
}

/* A row said to fit that does not, as one does whose control was slow: pages of any distance push each other out of 16
 * entries of one set, and that makes no odd number of sets of it. */
static void a_wrong_row(void **state)
{
    struct description description = machine_with();
    struct opened opened;
    struct shape shape;
    const char *why = "";
    (void)state;
    add_tlb(&description, 1, 1, 16);
    open_pages(&opened, &description, 4096, 7);
    struct reach reach = {.pages = &opened.pages, .fit = 1536, .crowd = 2048, .most = 2048, .neighbours = 16};
    reach.miss = LEAST_MISSES * WALK;
    bool found = crowd_shape(&reach, &shape, &why);
    close_pages(&opened);
    if (found)
        fail_msg("%u ways in %u sets", shape.ways, (unsigned)shape.sets);
}

/* 32 entries in eight sets, or in two TLBs of four, that small pages have for themselves, share with large ones, or
 * share in one of two; all pages have 128 more behind them, or small ones 40, which are too few where the first ones
 * are shared: then small pages push each other out of both levels, and large ones out of the first. */
static void shared_by_two_sizes(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 6; kind++) {
        static const bool expected[] = {false, true, true, false, false, true};
        const bool few_behind = kind > 3, two = kind == 2 || kind == 3, own = kind == 0 || kind == 3 || kind == 4;
        struct description description = machine_with();
        struct opened opened;
        bool shared = false;
        const char *why = "";
        add_tlb(&description, 1, two ? 4 : 8, 4)->pages = PAGES_SMALL | (own ? 0 : PAGES_LARGE);
        if (two)
            add_tlb(&description, 1, 4, 4)->pages = PAGES_SMALL;
        if (own || two)
            add_tlb(&description, 1, 2, 4)->pages = PAGES_LARGE;
        add_tlb(&description, 2, 1, few_behind ? 40 : 128)->pages = PAGES_SMALL | (few_behind ? 0 : PAGES_LARGE);
        description.walker.fixed = 2 * WALK;
        open_pages(&opened, &description, 2 << 20, 7);
        if (!shared_ask(&opened.pages, 4096, 32, PENALTY, true, &shared, &why) || shared != expected[kind])
            fail_msg("%u: %s, %s", kind, shared ? "shared" : "apart", why);
        close_pages(&opened);
    }
}

/* Where 40 entries behind 32 are for small pages alone, a row of 48 misses both, and nobody knows of the second level:
 * what large pages leave of a first one that they share is no walk, and is not taken for nothing. */
static void shared_before_few(void **state)
{
    (void)state;
    for (unsigned together = 0; together < 2; together++) {
        struct description description = machine_with();
        struct opened opened;
        bool shared = false;
        const char *why = "";
        description.walker.fixed = 3 * WALK;
        add_tlb(&description, 1, 8, 4)->pages = PAGES_SMALL | (together ? PAGES_LARGE : 0);
        if (!together)
            add_tlb(&description, 1, 2, 4)->pages = PAGES_LARGE;
        add_tlb(&description, 2, 1, 40)->pages = PAGES_SMALL;
        open_pages(&opened, &description, 2 << 20, 7);
        opened.bench.cycles_per_tick = 1;
        bool told = shared_ask(&opened.pages, 4096, 32, 3 * WALK, false, &shared, &why);
        assert_true(together ? !told : told && !shared);
        close_pages(&opened);
    }
}

/* Without a TLB small pages push nothing out: that large ones do not says nothing. */
static void nothing_to_share(void **state)
{
    struct description description = machine_with();
    struct opened opened;
    bool shared;
    const char *why = "";
    (void)state;
    open_pages(&opened, &description, 2 << 20, 7);
    assert_false(shared_ask(&opened.pages, 4096, 32, WALK, false, &shared, &why));
    assert_non_null(strstr(why, "neither"));
    close_pages(&opened);
}

/* 256 entries, and a cache of 80 lines, by lot, before memory: seats share lines, or row and control would miss memory,
 * now one more often and now the other. */
static void few_lines(void **state)
{
    struct description description = machine_with();
    description.caches = 1;
    shape_cache(&description, 0, 16, 5);
    assert_true(policy_parse(&description.cache[0].shape.policy, "RANDOM"));
    add_tlb(&description, 1, 32, 8);
    expect(*state, &description, 8, 32, ABSENT, 0);
}

/* Lines of 128 bytes under a virtual index that reaches above the page: two pages in one line push each other out. */
static void long_lines(void **state)
{
    struct description description = machine_with();
    for (unsigned i = 0; i < description.caches; i++) {
        struct cache_description *cache = &description.cache[i];
        cache->line = cache->sector = 128;
        cache->shape.ways = 4;
        cache->shape.index.sets = cache->size / cache->line / cache->shape.ways;
    }
    description.cache[0].virtual_index = true;
    add_tlb(&description, 1, 4, 4);
    expect(*state, &description, 4, 4, ABSENT, 0);
}

/* A way predictor before a cache of 13 ways in 14 sets: lines of one page are in each other's way, and slow even in few
 * pages. In a quarter as many pages they are not: rows that are compared with those bound the level closely. */
static void lines_in_the_way(void **state)
{
    struct description description = machine_with();
    struct cache_description *first = &description.cache[0];
    first->shape.ways = 13;
    first->shape.index.sets = 14;
    first->size = (uint64_t)13 * 14 * 64;
    predict_ways(first, HIT + 8);
    add_tlb(&description, 1, 8, 12);
    expect(*state, &description, 12, 8, ABSENT, 0);
    assert_true(noted(*state, "dtlb1.4k.entries")->confidence > 0.99);
}

/* A tree of 168 ways, of which one page too many is missed seldom, and a second level of three times its entries: a
 * block of twice as many as the first one has leaves no room for a crowd there. */
static void a_second_level_of_few(void **state)
{
    struct description description = machine_with();
    assert_true(policy_parse(&add_tlb(&description, 1, 1, 168)->shape.policy, "LRU21PLRU8"));
    add_tlb(&description, 2, 128, 4);
    expect(*state, &description, 168, 1, 4, 128);
}

/* 192 entries in 16 sets, and 512 behind them: there, too, a block is of as few pages as leave the first level nothing,
 * since twice as many as it has entries would leave no room for a crowd. */
static void a_second_level_of_few_behind_sets(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 16, 12);
    add_tlb(&description, 2, 128, 4);
    expect(*state, &description, 12, 16, 4, 128);
}

/* 128 entries in 32 sets, and twice as many behind them: a block of 192 pages is needed, but only six of these are in
 * any one set of the nearer level. Where both levels are so near, all of them would cost four times the visits. */
static void a_block_of_few(void **state)
{
    enum { BUDGET = 10000000 };
    struct description description = machine_with();
    description.clock.step = 40;
    assert_true(policy_parse(&add_tlb(&description, 1, 32, 4)->shape.policy, "PLRU"));
    assert_true(policy_parse(&add_tlb(&description, 2, 64, 4)->shape.policy, "PLRU"));
    memset(*state, 0, sizeof(struct notebook));
    uint64_t visits = run_probe(probe_dtlb, &description, *state);
    assert_level(*state, "dtlb2.4k", 4, 64, PENALTY);
    assert_in_range(visits, 1, BUDGET);
}

/* The nearer level's lowest bit is none of the second one's: a page that is moved by it stays in its set there. */
static void a_block_of_neighbours(void **state)
{
    struct description description = machine_with();
    uint64_t mask[7];
    for (unsigned bit = 0; bit < 7; bit++)
        mask[bit] = (uint64_t)2 << bit;
    add_tlb(&description, 1, 16, 4);
    fold(add_tlb(&description, 2, 128, 8), mask, 7);
    expect(*state, &description, 4, 16, 8, 128);
    assert_value(*state, "dtlb2.4k.bits", 254, 0);
}

/* Bits that are folded: how many pages of a block are in a set is known of a whole block only. */
static void a_block_of_folded_sets(void **state)
{
    struct description description = machine_with();
    assert_true(policy_parse(&add_tlb(&description, 1, 16, 8)->shape.policy, "MRU"));
    uint64_t mask[4];
    for (unsigned bit = 0; bit < 4; bit++)
        mask[bit] = (uint64_t)1 << bit | (uint64_t)1 << (bit + 4);
    fold(add_tlb(&description, 2, 16, 30), mask, 4);
    expect(*state, &description, 8, 16, 30, 16);
}

/* 152 entries of one set, walks that load tables, and a first level of 64 lines before memory: whoever starts a run
 * touches a page, so that the lap behind that misses all along, and what it loads pushes out lines, which the next lap
 * misses. */
static void tables_in_the_way(void **state)
{
    struct description description = machine_with();
    description.caches = 1;
    shape_cache(&description, 0, 32, 2);
    assert_true(policy_parse(&description.cache[0].shape.policy, "QLRU_H11_M1_R0_U0"));
    description.walker = (struct walker_description){.count = 1, .overhead = 2, .from_level = 1};
    add_tlb(&description, 1, 1, 152);
    expect(*state, &description, 152, 1, ABSENT, 0);
}

static uint64_t steps_of(struct notebook *notebook, const struct description *description)
{
    struct request request = {.seed = 1};
    const char *why = "";
    struct machine *machine = process_open(NULL, description, 1, NULL, &why);
    assert_non_null(machine);
    memset(notebook, 0, sizeof *notebook);
    bool whole = probe_dtlb(machine, &request, notebook);
    assert_true(whole || rests_left == 0);
    uint64_t steps = machine_steps(machine);
    machine_close(machine);
    return steps;
}

/* Who shares the computer, as whoever does not know where memory lies, asks thrice what it does not learn, and what it
 * does learn until two tries say the same. Each row is drawn once. */
static void asked_again(void **state)
{
    struct description none = machine_with(), plain = machine_with();
    add_tlb(&plain, 1, 1, 8);
    uint64_t once = steps_of(*state, &none), whole = steps_of(*state, &plain);
    none.memory.contiguous = plain.memory.contiguous = 4 * KB;
    uint64_t again = steps_of(*state, &none);
    const struct notebook *notebook = *state;
    assert_false(noted(notebook, "dtlb1.4k.ways")->measured);
    assert_int_equal(notebook->series_count, 2);
    assert_true(again > 2 * once);
    uint64_t twice = steps_of(*state, &plain);
    /* a third more each, since one page more is asked for at ten times as many moments; thrice would be 4 times as much
     */
    assert_true(twice > whole + whole / 2 && twice < 3 * whole);
    assert_true(noted(notebook, "dtlb1.4k.ways")->measured && noted(notebook, "dtlb1.4k.ways")->value == 8);
    /* Of one set, however often it is said, a neighbour may have held an entry all the while. */
    double sure = noted(notebook, "dtlb1.4k.ways")->confidence;
    assert_true(sure > 0.99 - NEIGHBOUR && sure < 1 - NEIGHBOUR);
}

/* That a level keeps pieces of large pages is an answer: small pages are measured twice there, large ones once. */
static void pieces_are_an_answer(void **state)
{
    struct description pieces = machine_with();
    add_tlb(&pieces, 1, 16, 6)->splits = true;
    uint64_t once = steps_of(*state, &pieces);
    pieces.memory.contiguous = 4 * KB;
    uint64_t again = steps_of(*state, &pieces);
    assert_true(again > 2 * once && again < 3 * once + once / 4); /* thrice would be 4 times as much */
    assert_non_null(strstr(noted(*state, "dtlb1.2m.entries")->why, "pieces"));
}

/* Of a set of more than 32 ways that draws lots, few pages of a crowd with one too many miss: that these find no room,
 * and not by luck, is seen once they were given time. The machine's own pages are large, and take none of the entries.
 */
static void lots_in_many_ways(void **state)
{
    struct description description = machine_with();
    struct tlb_description *tlb = add_tlb(&description, 1, 2, 36);
    assert_true(policy_parse(&tlb->shape.policy, "RANDOM"));
    tlb->pages = PAGES_SMALL;
    add_tlb(&description, 1, 1, 8)->pages = PAGES_LARGE;
    expect(*state, &description, 36, 2, ABSENT, 0);
}

/* What one try says, and no other had the time to say too, is not sure where others share the computer. */
static void said_once(void **state)
{
    struct description plain = machine_with();
    const struct notebook *notebook = *state;
    add_tlb(&plain, 1, 1, 8);
    plain.memory.contiguous = 4 * KB;
    for (rests_left = 1; rests_left < 64; rests_left++) {
        unsigned rests = rests_left;
        steps_of(*state, &plain);
        rests_left = rests;
        const struct finding *ways = noted(notebook, "dtlb1.4k.ways");
        if (!ways || !ways->measured)
            continue;
        assert_true(ways->confidence < 0.5);
        assert_true(noted(notebook, "dtlb1.4k.entries")->confidence < 0.5);
        break;
    }
    assert_true(rests_left < 64);
    rests_left = UINT_MAX;
}

/* Visits that other probes of translation have made, or will need, are not there: then hardly any are made, and what is
 * missing says why. Who shares the computer does not count them. */
static void others_visits(void **state)
{
    enum { FEW = 2000000 };
    struct notebook *notebook = *state;
    struct description plain = machine_with();
    struct request request = {.seed = 1};
    add_tlb(&plain, 1, 1, 8);
    for (unsigned shared = 0; shared < 2; shared++) {
        const char *why = "";
        plain.memory.contiguous = shared ? 4 * KB : 0;
        struct machine *machine = process_open(NULL, &plain, 1, NULL, &why);
        assert_non_null(machine);
        memset(notebook, 0, sizeof *notebook);
        notebook->translation = TRANSLATION / 2;
        assert_true(probe_dtlb(machine, &request, notebook));
        assert_int_equal(noted(notebook, "dtlb1.4k.ways")->measured, shared);
        if (!shared) {
            assert_non_null(strstr(noted(notebook, "dtlb1.4k.ways")->why, "too many accesses"));
            assert_in_range(machine_steps(machine), 1, FEW);
        }
        notebook->translation = TRANSLATION - ENDING - 3000;
        assert_int_equal(translation_left(machine, notebook, 3000), shared ? TRANSLATION : 0);
        assert_int_equal(translation_left(machine, notebook, 2999), shared ? TRANSLATION : 1);
        assert_int_equal(translation_left(machine, notebook, TRANSLATION), shared ? TRANSLATION : 0);
        machine_close(machine);
    }
}

static void no_tlb(void **state)
{
    struct description description = machine_with();
    expect(*state, &description, ABSENT, 0, ABSENT, 0);
}

static void skipped(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 1, 16);
    memset(*state, 0, sizeof(struct notebook));
    assert_skips(probe_dtlb, &description, *state, 2, 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scattered_bits),
        cmocka_unit_test(a_gap_in_the_second_level),
        cmocka_unit_test(a_bit_beyond_the_row),
        cmocka_unit_test(odd_sets),
        cmocka_unit_test(folded_second_level),
        cmocka_unit_test(sectors),
        cmocka_unit_test(no_large_pages_in_the_first_level),
        cmocka_unit_test(large_pages),
        cmocka_unit_test(a_wrong_row),
        cmocka_unit_test(shared_by_two_sizes),
        cmocka_unit_test(shared_before_few),
        cmocka_unit_test(nothing_to_share),
        cmocka_unit_test(few_lines),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(lines_in_the_way),
        cmocka_unit_test(a_second_level_of_few),
        cmocka_unit_test(a_second_level_of_few_behind_sets),
        cmocka_unit_test(a_block_of_few),
        cmocka_unit_test(a_block_of_neighbours),
        cmocka_unit_test(a_block_of_folded_sets),
        cmocka_unit_test(tables_in_the_way),
        cmocka_unit_test(asked_again),
        cmocka_unit_test(said_once),
        cmocka_unit_test(pieces_are_an_answer),
        cmocka_unit_test(lots_in_many_ways),
        cmocka_unit_test(others_visits),
        cmocka_unit_test(no_tlb),
        cmocka_unit_test(skipped),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
