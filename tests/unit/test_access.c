// SPDX-License-Identifier: BSD-2-Clause
/* test_access.c: the probe of other accesses to the first level against modelled caches that write through or back,
 * allocate or do not, and are indexed by virtual or by physical addresses; with a next level that is known, unknown or
 * memory; and on those on which there is nothing to tell, or nothing to be seen. */
#include "probes/probes.h"
#include "probes/readings.h"
#include "tests/silicon/process/process.h"
#include "tests/unit/notebook_bench.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/skipping_host.h"

enum { HIT = 4, NEXT = 14, MEMORY = 220, ABSENT = -1 };

static const char INSIDE[] = "all of its index bits lie inside a page: there is no difference";

/* A first level of so many sets and ways, and a second one of 512 KB behind it. */
static struct description cache(unsigned sets, unsigned ways, const char *policy)
{
    struct description description;
    description_plain(&description, (uint64_t)sets * ways * 64, ways, 64, HIT, MEMORY);
    struct cache_description *second = &description.cache[description.caches++];
    *second = description.cache[0];
    snprintf(second->name, sizeof second->name, "l2");
    second->level = 2;
    second->holds = HOLDS_BOTH;
    second->size = 512 << 10;
    second->latency = NEXT;
    second->shape.ways = 8;
    second->shape.index.sets = 1024;
    assert_true(policy_parse(&description.cache[0].shape.policy, policy));
    return description;
}

/* What the probes before have found; next: whether they know what the second level takes. */
static void know(struct notebook *notebook, const struct description *description, bool next)
{
    know_first(notebook, description);
    if (next && description->caches > 1)
        note_value(notebook, "l2.latency", description->cache[1].latency, "cycles", 0.999, 0, "");
    if (next)
        note_value(notebook, "mem.latency", MEMORY, "cycles", 0.999, 0, "");
}

static void measured(const struct description *description, uint64_t seed, struct notebook *notebook)
{
    struct request request = {.seed = seed};
    const char *why = "";
    struct machine *machine = process_open(NULL, description, seed, NULL, &why);
    if (!machine)
        fail_msg("%s", why);
    assert_true(probe_access(machine, &request, notebook));
    machine_close(machine);
}

static void assert_value(const struct notebook *notebook, const char *id, int value)
{
    const struct finding *finding = noted(notebook, id);
    assert_non_null(finding);
    if (value == ABSENT) {
        assert_false(finding->measured);
        return;
    }
    if (!finding->measured)
        fail_msg("%s, not %d: %s", id, value, finding->why);
    if (finding->value != value || finding->confidence < 0.9)
        fail_msg("%s is %g, not %d, confidence %.3f", id, finding->value, value, finding->confidence);
}

static void assert_why(const struct notebook *notebook, const char *id, const char *why)
{
    const struct finding *finding = noted(notebook, id);
    assert_non_null(finding);
    assert_false(finding->measured);
    assert_string_equal(finding->why, why);
}

/* What is true of a machine. */
static void assert_true_of(const struct notebook *notebook, const struct description *description)
{
    const struct cache_description *l1 = &description->cache[0];
    assert_value(notebook, "l1d.latency.32", (int)l1->latency);
    assert_value(notebook, "l1d.latency.indexed", (int)l1->latency);
    assert_value(notebook, "l1d.latency.float", (int)l1->latency);
    assert_value(notebook, "l1d.write_allocate", !l1->no_write_allocate);
    assert_value(notebook, "l1d.write_back", !l1->write_through);
    if (l1->size / l1->shape.ways <= 4096)
        assert_why(notebook, "l1d.virtual_index", INSIDE);
    else
        assert_value(notebook, "l1d.virtual_index", l1->virtual_index);
}

/* Each kind of write policy, and either index with each of its halves. */
static void assert_found(struct description description, struct notebook *notebook)
{
    for (unsigned kind = 0; kind < 4; kind++) {
        description.cache[0].write_through = kind & 1;
        description.cache[0].no_write_allocate = kind & 2;
        description.cache[0].virtual_index = (kind == 1 || kind == 2) && description.cache[0].shape.index.sets > 64;
        know(notebook, &description, true);
        measured(&description, kind, notebook);
        assert_true_of(notebook, &description);
    }
}

static void ways_of_a_page(void **state)
{
    assert_found(cache(64, 8, "PLRU"), *state);
    assert_found(cache(64, 5, "RANDOM"), *state);
    assert_found(cache(64, 2, "QLRU_H00_M2_R0_U0_UMO"), *state); /* keeps what was used again */
    assert_found(cache(8, 3, "LRU"), *state);
}

static void ways_of_many_pages(void **state)
{
    assert_found(cache(512, 2, "LRU"), *state);
    assert_found(cache(256, 1, "LRU"), *state);
    assert_found(cache(128, 6, "PLRU"), *state);
}

/* Neither the sets nor the bytes of a way are a power of two; ways that are no whole number of pages. */
static void odd_sets(void **state)
{
    assert_found(cache(192, 4, "LRU"), *state);
    assert_found(cache(96, 2, "LRU"), *state);
}

/* What the next level takes is not known: the targets show it. */
static void next_level_unknown(void **state)
{
    struct description description = cache(128, 4, "LRU");
    for (unsigned kind = 0; kind < 4; kind++) {
        description.cache[0].write_through = kind & 1;
        description.cache[0].no_write_allocate = kind & 2;
        know(*state, &description, false);
        measured(&description, kind, *state);
        assert_true_of(*state, &description);
    }
}

static void exclusive_next_level(void **state)
{
    struct description description = cache(64, 4, "LRU");
    description.cache[1].inclusion = INCLUSION_EXCLUSIVE;
    assert_found(description, *state);
}

static void memory_is_next(void **state)
{
    struct description description = cache(128, 4, "LRU");
    description.caches = 1;
    assert_found(description, *state);
}

static void add_tlb(struct description *description, unsigned level, unsigned pages, unsigned latency)
{
    struct tlb_description *tlb = &description->tlb[description->tlbs++];
    *tlb = (struct tlb_description){.level = level, .holds = HOLDS_DATA, .pages = pages, .loads = true, .stores = true};
    snprintf(tlb->name, sizeof tlb->name, "dtlb%u", level % 10);
    tlb->shape.ways = 64;
    tlb->shape.index.sets = 1;
    tlb->latency = latency;
    tlb->sector = tlb->coalesce = 1;
    assert_true(policy_parse(&tlb->shape.policy, "LRU"));
}

/* The first TLB holds small pages only: a load through a large one always takes longer. */
static void large_pages_take_longer(void **state)
{
    struct description description = cache(64, 8, "PLRU");
    add_tlb(&description, 1, PAGES_SMALL, 0);
    add_tlb(&description, 2, PAGES_SMALL | PAGES_LARGE, 7);
    assert_found(description, *state);
}

/* A clock that steps, jitter, interruptions that nobody counts. */
static void coarse_clock(void **state)
{
    struct description description = cache(512, 2, "LRU");
    description.clock.step = 37;
    description.clock.ratio_core = 7;
    description.clock.ratio_clock = 5;
    description.noise.jitter = 10;
    description.noise.smi_period = 1000000;
    description.noise.smi_length = 5000;
    assert_found(description, *state);
}

/* The first level holds eight times what was found: no sweep pushes a line out. */
static void sweeps_in_vain(void **state)
{
    struct description description = cache(64, 8, "PLRU");
    know(*state, &description, false);
    note_value(*state, "l1d.size", 4096, "bytes", 0.9, 0, "");
    measured(&description, 1, *state);
    assert_why(*state, "l1d.write_allocate",
               "lines that others should have pushed out of the first level take no longer than those in it");
    assert_value(*state, "l1d.write_back", ABSENT);
    assert_value(*state, "l1d.latency.32", HIT);
}

/* A clock so coarse that a few readings do not tell the levels apart: longer walks still do. */
static void clock_tells_nothing(void **state)
{
    struct description description = cache(64, 8, "PLRU");
    description.clock.step = 2000;
    know(*state, &description, true);
    measured(&description, 1, *state);
    assert_value(*state, "l1d.write_allocate", ABSENT);
    assert_value(*state, "l1d.write_back", ABSENT);
    assert_value(*state, "l1d.latency.float", HIT);
}

/* Another number than what the probe latency found: one of them is wrong. */
static void plain_loads_differ(void **state)
{
    struct description description = cache(64, 8, "PLRU");
    know(*state, &description, true);
    note_value(*state, "l1d.latency", HIT + 1, "cycles", 0.999, 0, "");
    measured(&description, 1, *state);
    assert_value(*state, "l1d.latency.32", ABSENT);
    assert_value(*state, "l1d.latency.indexed", ABSENT);
    assert_value(*state, "l1d.latency.float", ABSENT);
}

/* The middle of a curve at x; less than 0: it is not there. */
static double at(const struct notebook *notebook, const char *id, double x)
{
    for (unsigned i = 0; i < notebook->series_count; i++) {
        const struct series *series = &notebook->series[i];
        for (unsigned j = 0; strcmp(series->id, id) == 0 && j < series->count; j++)
            if (notebook->point[series->first + j].x == x)
                return notebook->point[series->first + j].middle;
    }
    return -1;
}

static void assert_about(double value, double expected)
{
    if (value < 0.95 * expected || value > 1.05 * expected)
        fail_msg("%g, not about %g", value, expected);
}

/* Under LRU all loads of a single set hit, or none does, and as many lines drawn from all sets miss now and then. */
static void curves(void **state)
{
    struct notebook *notebook = *state;
    struct description description = cache(64, 8, "LRU");
    know(notebook, &description, true);
    measured(&description, 1, notebook);
    assert_int_equal(notebook->series_count, 5);
    assert_about(at(notebook, "penalty.l1d.even", 8), HIT);
    assert_about(at(notebook, "penalty.l1d.even", 9), NEXT);
    assert_about(at(notebook, "penalty.l1d.odd", 8), HIT);
    assert_about(at(notebook, "penalty.l1d.odd", 32), NEXT);
    assert_about(at(notebook, "penalty.l1d.dirty", 8), HIT + 1);
    assert_about(at(notebook, "penalty.l1d.dirty", 9), NEXT + 1);
    assert_about(at(notebook, "penalty.l1d.random", 1), HIT);
    assert_in_range((int)at(notebook, "penalty.l1d.random", 8), HIT + 1, NEXT - 2);
    assert_about(at(notebook, "penalty.l1d.random", 16), NEXT);
    assert_about(at(notebook, "penalty.l1d.offset", 0), NEXT);
    assert_about(at(notebook, "penalty.l1d.offset", 56), NEXT);
    assert_true(at(notebook, "penalty.l1d.offset", 64) < 0);
    assert_value(notebook, "penalty.l1d.sizes", (int)notebook->points);
}

/* No line next to the ways is passed over, where there may be a peak, however far apart the others of a curve are. */
static void curves_of_many_ways(void **state)
{
    struct notebook *notebook = *state;
    struct description description = cache(16, 44, "LRU");
    know(notebook, &description, true);
    measured(&description, 1, notebook);
    for (unsigned lines = 40; lines < 48; lines++)
        assert_about(at(notebook, "penalty.l1d.even", lines), lines <= 44 ? HIT : NEXT);
    assert_true(at(notebook, "penalty.l1d.even", 35) < 0);
}

static void too_little_is_known(void **state)
{
    static const char needs[] = "needs what the probes latency and l1d find";
    struct notebook *notebook = *state;
    struct description description = cache(512, 2, "LRU");
    memset(notebook, 0, sizeof *notebook);
    measured(&description, 1, notebook);
    assert_why(notebook, "l1d.latency.float", needs);
    assert_why(notebook, "l1d.write_back", needs);
    assert_why(notebook, "l1d.virtual_index", needs);
    assert_why(notebook, "penalty.l1d.sizes", needs);
    /* The doubt is that of what it goes by. */
    know(notebook, &description, true);
    note_value(notebook, "l1d.size", (double)description.cache[0].size, "bytes", 0.6, 0, "");
    measured(&description, 1, notebook);
    assert_in_range((int)(1000 * noted(notebook, "l1d.write_allocate")->confidence), 500, 600);
    assert_in_range((int)(1000 * noted(notebook, "l1d.virtual_index")->confidence), 500, 600);
}

/* Ways twice as many as were found fit in every layout: that is no virtual index. */
static void more_ways_than_found(void **state)
{
    struct description description = cache(256, 8, "LRU");
    description.cache[0].virtual_index = true;
    know(*state, &description, true);
    note_value(*state, "l1d.ways", 4, "ways", 0.6, 0, "");
    note_value(*state, "l1d.size", 256 * 64 * 4, "bytes", 0.6, 0, "");
    measured(&description, 1, *state);
    const struct finding *index = noted(*state, "l1d.virtual_index");
    assert_true(!index->measured || index->confidence <= 0.6);
}

/* At once, and without another finding, in whatever it was about. */
static void skipping_is_obeyed(void **state)
{
    struct request request = {.seed = 1};
    struct description description = cache(512, 2, "LRU");
    bool skipped = true;
    unsigned rests = 0;
    description.clock.hz = 20000000; /* slow: rests are due often */
    for (; skipped; rests++) {
        const char *why = "";
        struct machine *machine = process_open(NULL, &description, 1, NULL, &why);
        assert_non_null(machine);
        know(*state, &description, true);
        rests_left = rests;
        skipped = !probe_access(machine, &request, *state);
        machine_close(machine);
        if (skipped)
            assert_why(*state, "l1d.virtual_index", "skipped");
        if (skipped && !noted(*state, "penalty.l1d.sizes")->measured)
            assert_why(*state, "penalty.l1d.sizes", "skipped");
    }
    rests_left = UINT_MAX;
    assert_true(rests > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_of_a_page),
        cmocka_unit_test(ways_of_many_pages),
        cmocka_unit_test(odd_sets),
        cmocka_unit_test(next_level_unknown),
        cmocka_unit_test(exclusive_next_level),
        cmocka_unit_test(memory_is_next),
        cmocka_unit_test(large_pages_take_longer),
        cmocka_unit_test(coarse_clock),
        cmocka_unit_test(sweeps_in_vain),
        cmocka_unit_test(clock_tells_nothing),
        cmocka_unit_test(plain_loads_differ),
        cmocka_unit_test(curves),
        cmocka_unit_test(curves_of_many_ways),
        cmocka_unit_test(too_little_is_known),
        cmocka_unit_test(more_ways_than_found),
        cmocka_unit_test(skipping_is_obeyed),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
