// SPDX-License-Identifier: BSD-2-Clause
/* test_itlb.c: the probe of the TLBs that jumps look in against modelled ones of known shape: of one set and of
 * several, with trees and queues for policies, a second level that data have, too; and what is not a TLB: few branch
 * targets, a small instruction cache, and a first level whose misses foretold jumps do not show. */
#include "probes/probes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/found_tlbs.h"

enum { HIT = 4, NEXT = 14, FAR = 35, MEMORY = 120, PENALTY = 7, WALK = 20, KB = 1024, MISPREDICTED = 12 };

/* 32 KB of first level for data and code each, 256 KB behind them, and pages of 4 KB. Walks always take as long, and
 * every target is known. */
static struct description machine_with(void)
{
    struct description description;
    description_plain(&description, 32 * KB, 8, 64, HIT, MEMORY);
    struct cache_description *code = &description.cache[description.caches++];
    *code = description.cache[0];
    snprintf(code->name, sizeof code->name, "l1i");
    code->holds = HOLDS_CODE;
    description.cache[0].holds = HOLDS_DATA;
    add_cache(&description, 256 * KB, NEXT);
    description.pages = PAGES_SMALL;
    description.walker = (struct walker_description){.count = 1, .fixed = WALK, .from_level = 1};
    description.fetch.jump = 1;
    description.fetch.miss = MISPREDICTED;
    return description;
}

static struct tlb_description *add_tlb(struct description *description, unsigned level, unsigned sets, unsigned ways,
                                       const char *policy)
{
    struct tlb_description *tlb =
        add_tlb_of(description, HOLDS_CODE, PAGES_SMALL, level, sets, ways, level > 1 ? PENALTY : 0);
    assert_true(policy_parse(&tlb->shape.policy, policy));
    return tlb;
}

/* So many sets of branch targets, of four ways each. */
static void add_targets(struct description *description, unsigned sets)
{
    description->fetch.targets = true;
    description->fetch.target_shape.ways = 4;
    description->fetch.target_shape.index = (struct index){.kind = INDEX_MODULO, .sets = sets};
    assert_true(policy_parse(&description->fetch.target_shape.policy, "LRU"));
}

/* Measures, with no more visits than BUDGET. */
static void measure(struct notebook *notebook, const struct description *description)
{
    enum { BUDGET = 20000000 };
    memset(notebook, 0, sizeof *notebook);
    assert_in_range(run_probe(probe_itlb, description, notebook), 1, BUDGET);
}

/* A tree of eight ways, and behind it a second level that data have, too, and targets enough for all. */
static void trees_before_a_shared_level(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 8, 8, "PLRU");
    add_tlb(&description, 2, 64, 8, "LRU")->holds = HOLDS_BOTH;
    add_targets(&description, 1024);
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", 8, 8, PENALTY);
    assert_level(*state, "itlb2.4k", 8, 64, PENALTY);
    assert_level(*state, "itlb1.2m", ABSENT, 0, PENALTY);
}

/* Where a run of jumps ends, the next ones go astray for some laps of a new order. (Settled in other runs than those
 * that are timed: nothing, as "jumps take longer in orders that are new".) */
static void runs_that_end(void **state)
{
    enum { ENTRIES = 64, LAPS = 14, LOST = 77 };
    struct description description = machine_with();
    add_tlb(&description, 1, 1, ENTRIES, "LRU");
    add_tlb(&description, 2, 64, 8, "LRU");
    description.fetch.ends = LAPS;
    description.fetch.astray = LOST;
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", ENTRIES, 1, PENALTY);
}

/* 48 entries of one set that are a queue, and a few more for large pages; the control lies in small ones, since the
 * machine's largest always miss. */
static void a_queue(void **state)
{
    struct description description = machine_with();
    description.pages |= PAGES_LARGE;
    add_tlb(&description, 1, 1, 48, "FIFO")->pages = PAGES_SMALL;
    add_tlb(&description, 1, 1, 2, "LRU")->pages = PAGES_LARGE;
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", 48, 1, PENALTY);
    assert_level(*state, "itlb2.4k", ABSENT, 0, PENALTY);
    assert_level(*state, "itlb1.2m", 2, 1, PENALTY);
    assert_level(*state, "itlb2.2m", ABSENT, 0, PENALTY);
}

/* A queue where all pages are small: whoever starts a run needs a page of its own, which takes an entry until all
 * others have been let go of. Of many entries that takes longer than a batch, and one less always has room; but given
 * time they all do, and nobody says that there is one less. */
static void a_queue_of_small_pages(void **state)
{
    static const unsigned entries[] = {24, 64, 72};
    for (unsigned i = 0; i < sizeof entries / sizeof *entries; i++) {
        struct description description = machine_with();
        add_tlb(&description, 1, 1, entries[i], "FIFO");
        measure(*state, &description);
        const struct finding *ways = noted(*state, "itlb1.4k.ways");
        if (ways->measured || i == 0)
            assert_value(*state, "itlb1.4k.ways", entries[i], 0);
    }
}

/* A core that foretells two jumps a cycle, of few, and of more than it has targets takes a cycle longer, as a Redwood
 * Cove does: what the few take is no measure of others, which miss nothing for all that. */
static void two_jumps_a_cycle(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 32, 8, "LRU");
    add_tlb(&description, 2, 128, 8, "LRU");
    add_targets(&description, 64);
    description.fetch.miss = 1;
    description.fetch.pairs = 16;
    description.fetch.ahead = HIT;
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", 8, 32, PENALTY);
}

/* Fewer branch targets than the second level's entries, and more than are needed to see its ways; then fewer than
 * those, and last fewer than the first level has entries. */
static void few_targets(void **state)
{
    static const unsigned sets[] = {128, 16, 8};
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct description description = machine_with();
        add_tlb(&description, 1, 8, 4, "LRU");
        add_tlb(&description, 2, 64, 8, "LRU");
        add_targets(&description, sets[i]);
        measure(*state, &description);
        assert_level(*state, "itlb1.4k", i < 2 ? 4 : ABSENT, 8, PENALTY);
        assert_level(*state, "itlb2.4k", i < 1 ? 8 : ABSENT, 64, PENALTY);
        if (i == 2)
            assert_non_null(strstr(noted(*state, "itlb1.4k.ways")->why, "run out"));
    }
}

/* Half as many branch targets as entries, and a cycle for each that is not known: what a page costs that is one too
 * many is far more, and no number of jumps makes it up. Four cycles are a part of that: they might. */
static void targets_that_cost_little(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 32, 8, "LRU");
    add_targets(&description, 32);
    description.fetch.miss = 1;
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", 8, 32, PENALTY);
    description.fetch.miss = 4;
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", ABSENT, 32, PENALTY);
}

/* Branch targets that run out a little, just before the entries do, and cost little: a row takes longer than one that
 * surely fits, but not than as many jumps to fewer pages. */
static void targets_that_are_nearly_enough(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 1, 132, "LRU");
    add_targets(&description, 32);
    assert_true(policy_parse(&description.fetch.target_shape.policy, "MRU"));
    description.fetch.miss = 2;
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", 132, 1, PENALTY);
}

/* An instruction cache of 64 lines before 72 entries: jumps share lines, so that none is missed. And one of 16 lines,
 * which four jumps each do not fit into: line 17 is missed, and that is no page too many. */
static void a_small_instruction_cache(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 1, 72, "LRU");
    description.cache[1].size = 4 * KB;
    description.cache[1].shape.index.sets = 8;
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", 72, 1, PENALTY);
    assert_level(*state, "itlb2.4k", ABSENT, 0, PENALTY);
    description.cache[1].size = KB;
    description.cache[1].shape.index.sets = 2;
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", ABSENT, 0, PENALTY);
    assert_level(*state, "itlb2.4k", ABSENT, 0, PENALTY);
}

/* 16 entries before 128 that cost a single cycle: less than a page that misses alone, but it is seen. */
static void a_shallow_first_level(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 1, 16, "LRU");
    add_tlb(&description, 2, 16, 8, "LRU")->latency = 1;
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", 16, 1, 1);
}

/* 256 entries of a second level, whose hits take longer than walks of tables in the first level do: its end cannot be
 * seen, and where tables leave that, at 512 pages, is none. (Lines run out before: the control of such rows misses
 * memory.) */
static void walks_that_are_quicker(void **state)
{
    struct description description = machine_with();
    description.caches = 2;
    shape_cache(&description, 0, 32, 2);
    shape_cache(&description, 1, 128, 2);
    description.walker = (struct walker_description){.count = 1, .overhead = 2, .from_level = 1};
    description.pscs = 1;
    description.psc[0] = (struct psc_description){.level = 2, .tag = PSC_LINEAR};
    description.psc[0].shape.ways = 4;
    description.psc[0].shape.index.sets = 1;
    assert_true(policy_parse(&description.psc[0].shape.policy, "LRU"));
    add_tlb(&description, 1, 1, 40, "LRU");
    add_tlb(&description, 2, 64, 4, "LRU")->latency = 8;
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", 40, 1, 8);
    assert_level(*state, "itlb2.4k", ABSENT, 0, 8);
    assert_non_null(strstr(noted(*state, "itlb2.4k.ways")->why, "tables that are near"));
}

/* Lots are drawn for 40 entries: few of 41 pages miss at a time. They are told from pages that have found no room. */
static void lots(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 1, 40, "RANDOMl");
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", 40, 1, 1);
}

/* Lots are drawn for 64 entries, empty or not: 65 pages have two misses a lap on average, and often one alone. That
 * they have any at all was not seen with one seed in eight, and 65 entries were found, with hardly a doubt. */
static void lots_that_leave_a_miss(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 1, 64, "RANDOM");
    add_tlb(&description, 2, 128, 8, "RANDOM");
    for (uint64_t seed = 1; seed <= 3; seed += 2) { /* of the first sixteen those two */
        memset(*state, 0, sizeof(struct notebook));
        run_probe_from(probe_itlb, seed, &description, *state);
        const struct finding *ways = noted(*state, "itlb1.4k.ways");
        assert_true(!ways->measured || ways->value == 64 || ways->confidence < 0.9);
    }
}

/* 128 sets behind 32 entries. What a page misses is a walk of tables that are in memory in one set, and in the first
 * cache in another. */
static void tables_near_and_far(void **state)
{
    enum { BITS = 7 };
    struct description description = machine_with();
    description.caches = 2;
    shape_cache(&description, 0, 16, 4);
    description.memory.latency = 390;
    description.walker = (struct walker_description){.count = 1, .overhead = 9, .from_level = 1};
    add_tlb(&description, 1, 1, 32, "LRU");
    struct index *index = &add_tlb(&description, 2, 1 << BITS, 4, "LRU")->shape.index;
    index->kind = INDEX_XOR;
    index->bits = BITS;
    for (unsigned i = 0; i < BITS; i++)
        index->mask[i] = (uint64_t)1 << i | (uint64_t)1 << (i + BITS);
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", 32, 1, PENALTY);
    assert_level(*state, "itlb2.4k", 4, 1 << BITS, PENALTY);
}

/* A second level that replaces at random: of a set that has one page too many it keeps most, so that a row of more than
 * 1024 pages takes hardly longer than what is level, where walks are as short as these. */
static void lots_in_a_second_level(void **state)
{
    struct description description = machine_with();
    description.walker.fixed = 10;
    add_tlb(&description, 1, 4, 6, "LRU");
    add_tlb(&description, 2, 256, 4, "RANDOM");
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", 6, 4, PENALTY);
    assert_level(*state, "itlb2.4k", 4, 256, PENALTY);
}

/* Policies that draw lots take long until as many pages as there are entries have all found room: a control of so many
 * misses now and then, which is little beside what many pages too many miss. */
static void lots_in_sets(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 16, 4, "QLRU_H11_MR31_R1_U2");
    add_tlb(&description, 2, 512, 12, "LRU");
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", 4, 16, 1);
}

/* Twice as many jumps as there are entries miss lines, of which there are 192 before memory: fewer say as well that
 * each one too many costs a step. */
static void lines_run_out_soon_behind(void **state)
{
    struct description description = machine_with();
    description.caches = 2;
    description.memory.latency = 300;
    shape_cache(&description, 1, 48, 4);
    assert_true(policy_parse(&description.cache[1].shape.policy, "QLRU_H00_M1_R2_U1"));
    add_tlb(&description, 1, 1, 96, "LRU");
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", 96, 1, PENALTY);
}

/* One level for large pages. Behind it a second cache has room for 128 lines in two ways, which the jumps' own lines
 * and those of tables share: rows that are longer miss some, and so do as many pages anywhere. (128 ways, for certain.)
 */
static void tables_beside_code(void **state)
{
    enum { BUDGET = 30000000 };
    struct description description = machine_with();
    description.pages = PAGES_SMALL | PAGES_LARGE;
    description.walker = (struct walker_description){.count = 1, .overhead = 10, .from_level = 2};
    shape_cache(&description, 0, 16, 4);
    shape_cache(&description, 1, 32, 8);
    shape_cache(&description, 2, 64, 2);
    add_cache(&description, 64 * KB, FAR);
    assert_true(policy_parse(&description.cache[2].shape.policy, "FIFO"));
    description.pscs = 1;
    description.psc[0] = (struct psc_description){.tag = PSC_PHYSICAL};
    description.psc[0].shape = (struct array_shape){.ways = 64, .index.sets = 1};
    assert_true(policy_parse(&description.psc[0].shape.policy, "LRU"));
    description.cache[2].inclusion = INCLUSION_INCLUSIVE;
    add_tlb_of(&description, HOLDS_CODE, PAGES_SMALL, 1, 1, 144, 0);
    add_tlb_of(&description, HOLDS_CODE, PAGES_LARGE, 1, 1, 16, 0);
    for (uint64_t seed = 3; seed <= 5; seed++) { /* of eight, three end before lines of tables are asked for */
        memset(*state, 0, sizeof(struct notebook));
        assert_in_range(run_probe_from(probe_itlb, seed, &description, *state), 1, BUDGET);
        assert_level(*state, "itlb1.2m", 16, 1, PENALTY);
        assert_level(*state, "itlb2.2m", ABSENT, 0, PENALTY);
    }
}

/* No TLB for jumps: those of loads are none of theirs, and branch targets that run out are no step. */
static void no_tlb(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 1, 16, "LRU")->holds = HOLDS_DATA;
    add_targets(&description, 32);
    measure(*state, &description);
    assert_level(*state, "itlb1.4k", ABSENT, 0, PENALTY);
    assert_level(*state, "itlb2.4k", ABSENT, 0, PENALTY);
}

static void skipped(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 1, 16, "LRU");
    memset(*state, 0, sizeof(struct notebook));
    assert_skips(probe_itlb, &description, *state, 2, 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_before_a_shared_level),
        cmocka_unit_test(runs_that_end),
        cmocka_unit_test(a_queue),
        cmocka_unit_test(a_queue_of_small_pages),
        cmocka_unit_test(two_jumps_a_cycle),
        cmocka_unit_test(few_targets),
        cmocka_unit_test(targets_that_cost_little),
        cmocka_unit_test(targets_that_are_nearly_enough),
        cmocka_unit_test(a_small_instruction_cache),
        cmocka_unit_test(a_shallow_first_level),
        cmocka_unit_test(walks_that_are_quicker),
        cmocka_unit_test(lots),
        cmocka_unit_test(lots_that_leave_a_miss),
        cmocka_unit_test(tables_near_and_far),
        cmocka_unit_test(lots_in_a_second_level),
        cmocka_unit_test(lots_in_sets),
        cmocka_unit_test(lines_run_out_soon_behind),
        cmocka_unit_test(tables_beside_code),
        cmocka_unit_test(no_tlb),
        cmocka_unit_test(skipped),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
