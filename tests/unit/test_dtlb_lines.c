// SPDX-License-Identifier: BSD-2-Clause
/* test_dtlb_lines.c: the probe of the TLBs that loads look in where rows of pages say little: lines run out of the
 * caches before entries run out, and what tables cost differs from set to set. */
#include "probes/crowd.h"
#include "probes/tlb_rows.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/data_tlbs.h"

/* What rows bound roughly is doubted: one in ten may be wrong. */
static void assert_doubted(const struct notebook *notebook, const char *id)
{
    const struct finding *finding = noted(notebook, id);
    if (finding->confidence > 0.9)
        fail_msg("%s has a confidence of %.3f", id, finding->confidence);
}

/* A cache of 80 lines with a way predictor, before memory: rows of more than 64 pages, which fit, miss lines in any
 * order, and what one page too many costs is lost in that. A crowd is few of them, and the row says by an octave how
 * many sets there are. */
static void rows_that_miss_lines(void **state)
{
    struct description description = machine_with();
    struct cache_description *first = &description.cache[0];
    description.caches = 1;
    shape_cache(&description, 0, 8, 10);
    assert_true(policy_parse(&first->shape.policy, "QLRU_H00_M2_R0_U0_UMO"));
    predict_ways(first, HIT + 12);
    description.walker = (struct walker_description){.count = 1, .overhead = 12, .from_level = 1};
    assert_true(policy_parse(&add_tlb(&description, 1, 16, 4)->shape.policy, "QLRU_H11_M1_R1_U2"));
    add_tlb(&description, 2, 256, 4);
    measure(*state, &description);
    assert_level(*state, "dtlb1.4k", 4, 16, PENALTY);
    assert_doubted(*state, "dtlb1.4k.entries");
}

/* 192 pages take a cycle longer than their lines, of which most are missed: by chance, since 256 take much longer.
 * Where rows bound a level roughly, it may have 192 entries. */
static void a_row_that_is_long_by_chance(void **state)
{
    static const struct tlb_size size = {"4k", OP_LOAD, 4096, 100, 100};
    const struct tlb_side side = {"dtlb", &size, 1, 4, 1 << 13, 0};
    struct description description = machine_with();
    const char *why = "";
    (void)state;
    add_tlb(&description, 1, 32, 6);
    struct machine *machine = process_open(NULL, &description, 3, NULL, &why);
    assert_non_null(machine);
    struct tlb tlb = {.side = &side, .size = &size, .places = 3, .bench = bench_open(machine, 7)};
    tlb.bench.cycles_per_tick = 1;
    assert_true(seats_open(&tlb.pages, &tlb.bench, OP_LOAD, 4096, UINT64_MAX, &why));
    static const struct row_place place[] = {{64, 0, HIT - 0.5}, {192, 0.96, 54}, {256, 27, 56}};
    static const double control[] = {[2] = 3.5, [13] = 54, [14] = 56, [16] = 75};
    memcpy(tlb.place, place, sizeof place);
    memcpy(tlb.pages.control, control, sizeof control);
    uint64_t fit = 64, crowd = 0;
    bool rough = true;
    assert_true(tlb_bound(&tlb, 1, LEAST_MISSES * WALK, &fit, &crowd, &rough));
    assert_true(rough);
    assert_int_equal(fit, 64);
    assert_int_equal(crowd, 256);
    seats_close(&tlb.pages);
    machine_close(machine);
}

/* A row of 20 pages that took longer while a neighbour had entries ends the first level far before its 256. Where it
 * does end is soon found all the same: twice as many pages more are asked for each time that all of them fit. */
static void a_row_that_is_long_for_a_while(void **state)
{
    enum { ENTRIES = 256, MOST = 1000000 };
    static const struct tlb_size size = {"4k", OP_LOAD, 4096, 100, 100};
    const struct tlb_side side = {"dtlb", &size, 1, 4, 1 << 13, 0};
    struct description description = machine_with();
    const char *why = "";
    (void)state;
    add_tlb(&description, 1, ENTRIES / 4, 4);
    struct machine *machine = process_open(NULL, &description, 3, NULL, &why);
    assert_non_null(machine);
    struct tlb tlb = {.side = &side, .size = &size, .places = 2, .bench = bench_open(machine, 7)};
    tlb.bench.cycles_per_tick = 1;
    assert_true(seats_open(&tlb.pages, &tlb.bench, OP_LOAD, 4096, UINT64_MAX, &why));
    static const struct row_place place[] = {{16, 0, HIT}, {20, WALK, HIT}};
    memcpy(tlb.place, place, sizeof place);
    uint64_t fit = 16, crowd = 0, start = machine_steps(machine);
    bool rough = false;
    assert_true(tlb_bound(&tlb, 1, LEAST_MISSES * WALK, &fit, &crowd, &rough));
    assert_int_equal(fit, ENTRIES);
    assert_int_equal(crowd, ENTRIES + 1);
    assert_in_range(machine_steps(machine) - start, 1, MOST);
    seats_close(&tlb.pages);
    machine_close(machine);
}

/* Measures pages of one size only. */
static void measure_only(struct notebook *notebook, const struct description *description, const struct tlb_size *size)
{
    const struct tlb_side side = {"dtlb", size, 1, 4, 1 << 13, 0};
    const struct request request = {.seed = 11};
    const char *why = "";
    struct machine *machine = process_open(NULL, description, 3, NULL, &why);
    assert_non_null(machine);
    memset(notebook, 0, sizeof *notebook);
    assert_true(tlb_measure(machine, &request, &side, notebook));
    machine_close(machine);
}

/* 80 seats have room in 20 lines: 73 pages, one too many, are told from their lines, and 128, which are all that differ
 * in some bits, are not. So a crowd is looked for among 73 of them, and is believed at once. */
static void more_pages_than_lines(void **state)
{
    static const struct tlb_size size = {"4k", OP_LOAD, 4096, 100, 100};
    struct description description = machine_with();
    description.caches = 1;
    shape_cache(&description, 0, 5, 4);
    description.memory.latency = 300;
    description.walker.fixed = 10;
    add_tlb(&description, 1, 1, 72)->pages = PAGES_SMALL;
    add_tlb(&description, 1, 1, 8)->pages = PAGES_LARGE;
    measure_only(*state, &description, &size);
    assert_level(*state, "dtlb1.4k", 72, 1, PENALTY);
    assert_true(noted(*state, "dtlb1.4k.ways")->confidence > 0.95);
}

/* 78 lines of a cache with a way predictor, of which rows behind 16 entries for large pages begin to miss some: any
 * pages push each other out of it, as out of a second level of one set, but there is none. */
static void lines_behind_the_first_level(void **state)
{
    static const struct tlb_size size = {"2m", OP_LOAD, 2 << 20, 100, 100};
    struct description description = machine_with();
    struct cache_description *first = &description.cache[0];
    for (unsigned i = 0; i < description.caches; i++)
        description.cache[i].line = description.cache[i].sector = 128;
    shape_cache(&description, 0, 6, 13);
    assert_true(policy_parse(&first->shape.policy, "MRU"));
    predict_ways(first, 13);
    for (unsigned i = 3; i < first->folds; i++)
        first->fold[i] = (uint64_t)0x21 << (12 + i);
    description.cache[1].latency = 13;
    shape_cache(&description, 1, 96, 8);
    assert_true(policy_parse(&description.cache[1].shape.policy, "QLRU_H11_M1_R1_U2"));
    description.memory.latency = 411;
    description.walker = (struct walker_description){.count = 1, .overhead = 12, .from_level = 2};
    for (unsigned level = 2; level <= 4; level++) {
        struct psc_description *psc = &description.psc[description.pscs++];
        *psc = (struct psc_description){.level = level, .tag = PSC_LINEAR};
        psc->shape.ways = 8;
        psc->shape.index = (struct index){.kind = INDEX_MODULO, .sets = 1};
        assert_true(policy_parse(&psc->shape.policy, "LRU"));
    }
    add_tlb(&description, 1, 8, 12)->pages = PAGES_SMALL;
    struct tlb_description *large = add_tlb(&description, 1, 4, 4);
    large->pages = PAGES_LARGE;
    assert_true(policy_parse(&large->shape.policy, "QLRU_H00_M2_R0_U0_UMO"));
    measure_only(*state, &description, &size);
    assert_level(*state, "dtlb1.2m", 4, 4, PENALTY);
    assert_level(*state, "dtlb2.2m", ABSENT, 0, PENALTY);
}

/* A row of 8192 pages misses lines by lot as well as a shorter one does, though none is longer; not where it misses
 * them all, as half of it does. */
static void the_longest_row(void **state)
{
    enum { HALF = 22, ALL = 24 }; /* places of 4096 and of 8192 */
    struct bench bench = {.cycles_per_tick = 1};
    struct seats pages = {.bench = &bench, .op = OP_LOAD, .pitch = TIGHT};
    (void)state;
    pages.control[2] = 4;
    pages.control[HALF] = 100;
    pages.control[ALL] = 150;
    assert_true(seats_by_lot(&pages, 1 << 13, 150) > 1);
    assert_true(seats_by_lot(&pages, 1 << 12, 100) > 1);
    pages.control[HALF] = 150;
    assert_true(seats_by_lot(&pages, 1 << 13, 150) < 1e-3);
}

/* Lots drawn for 192 entries, and hardly more of them behind: the row that shows the first one's end misses both a
 * little later, and a miss of the first one costs a part of what that says. */
static void a_second_level_soon_behind(void **state)
{
    struct description description = machine_with();
    description.walker.fixed = 40;
    assert_true(policy_parse(&add_tlb(&description, 1, 32, 6)->shape.policy, "RANDOM"));
    add_tlb(&description, 2, 64, 4)->latency = 4;
    measure(*state, &description);
    assert_level(*state, "dtlb1.4k", 6, 32, 4);
}

/* XOR of a bit of the set's number, and of one or two that are so many further and twice as many. */
static void fold_often(struct tlb_description *tlb, unsigned bits, unsigned times)
{
    uint64_t mask[16] = {0};
    for (unsigned i = 0; i < bits * times; i++)
        mask[i % bits] |= (uint64_t)1 << i;
    fold(tlb, mask, bits);
}

/* Sets that a crowd has, by bits that are folded thrice, where a row says that so many pages fit and so many do not,
 * and may be wrong; 0: nothing is said. */
static uint64_t sets_between(unsigned bits, uint64_t fit, uint64_t crowd, bool rough)
{
    struct description description = machine_with();
    struct opened opened;
    struct shape shape;
    const char *why = "";
    fold_often(add_tlb(&description, 1, 1U << bits, 4), bits, 3);
    open_pages(&opened, &description, 4096, 7);
    struct reach reach = {.pages = &opened.pages, .fit = fit, .crowd = crowd, .rough = rough, .most = crowd};
    reach.neighbours = 1;
    reach.miss = LEAST_MISSES * WALK;
    bool found = crowd_shape(&reach, &shape, &why);
    close_pages(&opened);
    return found ? shape.sets : 0;
}

/* Where the row leaves a choice, bits have to say how many sets there are, and none is believed that they contradict.
 */
static void rows_that_say_little(void **state)
{
    (void)state;
    assert_int_equal(sets_between(4, 60, 300, false), 16);
    assert_int_equal(sets_between(4, 70, 130, false), 0); /* 64 fit */
    assert_int_equal(sets_between(4, 60, 300, true), 16);
    assert_int_equal(sets_between(4, 100, 300, true), 0);
    assert_int_equal(sets_between(6, 60, 130, true), 0);
}

/* Rows of 1024 pages and more miss lines, by lot, and take longer or less long than they should for that, but for
 * tables only from 3072 on. */
static void lines_run_out_before_a_second_level(void **state)
{
    struct description description = machine_with();
    description.caches = 1;
    shape_cache(&description, 0, 8, 26);
    assert_true(policy_parse(&description.cache[0].shape.policy, "MRU_N"));
    description.walker = (struct walker_description){.count = 1, .overhead = 13, .from_level = 1};
    add_tlb(&description, 1, 1, 16);
    assert_true(policy_parse(&add_tlb(&description, 2, 256, 12)->shape.policy, "LRU3PLRU4"));
    expect(*state, &description, 16, 1, 12, 256);
    assert_doubted(*state, "dtlb2.4k.entries");
}

/* What a page misses is a walk of tables that are in memory in one set, and in the first cache in another. */
static void tables_near_and_far(void **state)
{
    struct description description = machine_with();
    description.caches = 1;
    shape_cache(&description, 0, 16, 8);
    description.walker = (struct walker_description){.count = 1, .overhead = 9, .from_level = 1};
    add_tlb(&description, 1, 1, 64);
    fold_often(add_tlb(&description, 2, 512, 8), 9, 3);
    expect(*state, &description, 64, 1, 8, 512);
    assert_value(*state, "dtlb2.4k.bits", ABSENT, 0);
}

/* 168 entries of one set, which lines have room for, though for the longer row that shows the step they have not. */
static void a_set_before_lines_run_out(void **state)
{
    struct description description = machine_with();
    description.cache[0].line = description.cache[0].sector = 128;
    shape_cache(&description, 0, 2, 12);
    description.caches = 1;
    add_tlb(&description, 1, 1, 168);
    expect(*state, &description, 168, 1, ABSENT, 0);
}

/* Behind 88 entries 12 ways: a block of twice as many pages, which is more than the first level has lines, would hide
 * what a page too many costs. */
static void a_block_of_few_lines(void **state)
{
    struct description description = machine_with();
    shape_cache(&description, 0, 64, 1);
    description.walker = (struct walker_description){.count = 1, .overhead = 12, .from_level = 1};
    add_tlb(&description, 1, 1, 88);
    assert_true(policy_parse(&add_tlb(&description, 2, 256, 12)->shape.policy, "QLRU_H11_M1_R0_U0"));
    expect(*state, &description, 88, 1, 12, 256);
}

/* 64 lines before 96 entries of one set, in a row whose pages need a line each: the row misses lines long before it
 * misses pages, and one page too many misses no line more. */
static void a_set_behind_lines_that_have_run_out(void **state)
{
    struct description description = machine_with();
    shape_cache(&description, 0, 8, 8);
    predict_ways(&description.cache[0], HIT + 16);
    add_tlb(&description, 1, 1, 96);
    expect(*state, &description, 96, 1, ABSENT, 0);
    assert_doubted(*state, "dtlb1.4k.entries");
}

/* A hit of the second level takes 9 cycles, and a walk 8, if its table is in the first cache, which has so many sets.
 */
static struct description machine_of_quick_walks(unsigned sets, unsigned ways)
{
    struct description description = machine_with();
    shape_cache(&description, 0, sets, ways);
    description.walker = (struct walker_description){.count = 2, .overhead = 4, .from_level = 1};
    assert_true(policy_parse(&add_tlb(&description, 1, 4, 8)->shape.policy, "FIFO"));
    add_tlb(&description, 2, 256, 4)->latency = 9;
    description.pscs = 1;
    description.psc[0] = (struct psc_description){.level = 2, .tag = PSC_LINEAR};
    description.psc[0].shape.ways = 4;
    description.psc[0].shape.index = (struct index){.kind = INDEX_MODULO, .sets = 1};
    assert_true(policy_parse(&description.psc[0].shape.policy, "LRU"));
    return description;
}

/* Pages of one set miss until they are too many for a set of the cache, whose ways are taken for the level's by who
 * does not see that fewer are quicker; where that is large, nothing shows but that hits are slow. Where it is small,
 * tables leave it, and pages that miss show. */
static void walks_that_are_quicker(void **state)
{
    static const unsigned shape[][2] = {{32, 6}, {128, 8}};
    for (unsigned i = 0; i < 2; i++) {
        struct description description = machine_of_quick_walks(shape[i][0], shape[i][1]);
        measure(*state, &description);
        assert_level(*state, "dtlb1.4k", 8, 4, 9);
        assert_level(*state, "dtlb2.4k", ABSENT, 0, 9);
        assert_non_null(strstr(noted(*state, "dtlb2.4k.ways")->why, "near"));
    }
    struct description description = machine_of_quick_walks(32, 8);
    measure(*state, &description);
    assert_level(*state, "dtlb2.4k", 4, 256, 9);
}

/* Lots drawn for 256 entries: a row with one page too many misses less than what a page of twice as many does, which
 * misses the next level, too. What a crowd of few misses bounds the row then. */
static void lots_that_cost_little(void **state)
{
    struct description description = machine_with();
    description.caches = 1;
    description.memory.latency = 200;
    description.cache[0].virtual_index = true;
    shape_cache(&description, 0, 96, 8);
    description.walker = (struct walker_description){.count = 1, .overhead = 2, .from_level = 1};
    description.pscs = 1;
    description.psc[0] = (struct psc_description){.level = 2, .tag = PSC_LINEAR};
    description.psc[0].shape.ways = 8;
    description.psc[0].shape.index = (struct index){.kind = INDEX_MODULO, .sets = 1};
    assert_true(policy_parse(&description.psc[0].shape.policy, "LRU"));
    assert_true(policy_parse(&add_tlb(&description, 1, 32, 8)->shape.policy, "RANDOMl"));
    assert_true(policy_parse(&add_tlb(&description, 2, 128, 6)->shape.policy, "MRU"));
    measure(*state, &description);
    assert_level(*state, "dtlb1.4k", 8, 32, PENALTY);
}

/* Bits that are folded, by a clock of 40 cycles: no bit is asked twice, and what is clearly slow is told soon. */
static void few_accesses(void **state)
{
    enum { BUDGET = 7800000 };
    struct description description = machine_with();
    description.clock.step = 40;
    add_tlb(&description, 1, 4, 6);
    fold_often(add_tlb(&description, 2, 64, 12), 6, 2);
    memset(*state, 0, sizeof(struct notebook));
    uint64_t visits = run_probe(probe_dtlb, &description, *state);
    assert_level(*state, "dtlb2.4k", 12, 64, PENALTY);
    assert_in_range(visits, 1, BUDGET);
}

/* Behind 128 entries of one set, a block has three of four ways in each of 64 sets: two pages are a crowd, and of three
 * one can be spared. Bits leave four, two each of two sets: it is a matter of luck whether the first two of them are of
 * one, so it is asked time and again. */
static void a_crowd_of_two(void **state)
{
    enum { TIMES = 5 };
    struct description description = machine_with();
    struct opened opened;
    struct shape shape;
    const char *why = "";
    add_tlb(&description, 1, 1, 128);
    fold_often(add_tlb(&description, 2, 64, 4), 6, 2);
    expect(*state, &description, 128, 1, 4, 64);
    open_pages(&opened, &description, 4096, 7);
    opened.bench.cycles_per_tick = 1;
    struct reach reach = {.pages = &opened.pages, .fit = 256, .crowd = 264, .most = 264, .neighbours = 1};
    reach.block = 192;
    reach.unit = 64;
    reach.hit = PENALTY;
    reach.miss = LEAST_MISSES * WALK;
    for (unsigned time = 0; time < TIMES; time++)
        if (!crowd_shape(&reach, &shape, &why) || shape.ways != 4 || shape.sets != 64)
            fail_msg("%u: %u ways in %u sets, %s", time, shape.ways, (unsigned)shape.sets, why);
    close_pages(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_miss_lines),
        cmocka_unit_test(a_row_that_is_long_by_chance),
        cmocka_unit_test(a_row_that_is_long_for_a_while),
        cmocka_unit_test(more_pages_than_lines),
        cmocka_unit_test(lines_behind_the_first_level),
        cmocka_unit_test(the_longest_row),
        cmocka_unit_test(a_second_level_soon_behind),
        cmocka_unit_test(lines_run_out_before_a_second_level),
        cmocka_unit_test(tables_near_and_far),
        cmocka_unit_test(rows_that_say_little),
        cmocka_unit_test(a_set_before_lines_run_out),
        cmocka_unit_test(a_block_of_few_lines),
        cmocka_unit_test(a_set_behind_lines_that_have_run_out),
        cmocka_unit_test(walks_that_are_quicker),
        cmocka_unit_test(lots_that_cost_little),
        cmocka_unit_test(few_accesses),
        cmocka_unit_test(a_crowd_of_two),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
