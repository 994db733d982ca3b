// SPDX-License-Identifier: BSD-2-Clause
/* tables_bench.h: a machine whose walks cost what is worked out by hand, and what the probe of them should find.
 * Private to tests/unit/test_tables*.c. */
#pragma once
#include "probes/budget.h"
#include "probes/probes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/found_tlbs.h"

enum { HIT = 4, NEXT = 14, THIRD = 40, MEMORY = 220, OVERHEAD = 11, UPPER = 3, KB = 1024 };

/* 32 KB, 256 KB and 2 MB of cache, 16 entries of TLB, a cache of four PDEs. */
static inline struct description machine_with(void)
{
    struct description description;
    description_plain(&description, 32 * KB, 8, 64, HIT, MEMORY);
    add_cache(&description, 256 * KB, NEXT);
    add_cache(&description, 2048 * KB, THIRD);
    description.pages = PAGES_SMALL | PAGES_LARGE;
    description.walker = (struct walker_description){.count = 1, .overhead = OVERHEAD, .from_level = 1};
    struct tlb_description *tlb = add_tlb_of(&description, HOLDS_DATA, PAGES_SMALL | PAGES_LARGE, 1, 1, 16, 0);
    description.pscs = 1;
    description.psc[0] = (struct psc_description){.level = 2, .tag = PSC_LINEAR};
    description.psc[0].shape = tlb->shape;
    description.psc[0].shape.ways = 4;
    return description;
}

/* What costs may be off by: core cycles. */
static inline double room_of_cost(double value)
{
    return value > 50 ? value / 100 : 0.5;
}

static inline void assert_cost(const struct notebook *notebook, const char *id, double value)
{
    assert_value(notebook, id, value, room_of_cost(value));
}

static inline void assert_cost_of(const struct finding *finding, double value)
{
    if (value == ABSENT || finding->value < value - room_of_cost(value) || finding->value > value + room_of_cost(value))
        fail_msg("%s is %g, not %g, confidence %.3f", finding->id, finding->value, value, finding->confidence);
}

/* What the probe of latencies would have found, of so many levels of cache. */
static inline void note_latencies(struct notebook *notebook, unsigned levels)
{
    static const char *const ids[] = {"l1d.latency", "l2.latency", "l3.latency"};
    static const double cycles[] = {HIT, NEXT, THIRD};
    for (unsigned i = 0; i < levels; i++)
        note_value(notebook, ids[i], cycles[i], "cycles", 0.999, 0, "");
    note_value(notebook, "mem.latency", MEMORY, "cycles", 0.999, 0, "");
}

/* What the probe of walks should find: each may be ABSENT. */
struct walks {
    int level, first, second, third, memory;
};

enum { WALKS = 5 };
static const char *const walk_ids[WALKS] = {"walker.cached_in", "walk.4k.l1", "walk.4k.l2", "walk.4k.l3",
                                            "walk.4k.mem"};

/* By its place among those. */
static inline int expected_walk(const struct walks *walks, unsigned i)
{
    const int expected[WALKS] = {walks->level, walks->first, walks->second, walks->third, walks->memory};
    return expected[i];
}

static inline void run_tables(struct notebook *notebook, const struct description *description, uint64_t seed)
{
    memset(notebook, 0, sizeof *notebook);
    note_latencies(notebook, description->caches);
    run_probe_from(probe_tables, seed, description, notebook);
}

/* The same where other probes have made all visits that sweeps could have. */
static inline void run_without_sweeps(struct notebook *notebook, const struct description *description)
{
    memset(notebook, 0, sizeof *notebook);
    notebook->translation = TRANSLATION;
    note_latencies(notebook, description->caches);
    run_probe(probe_tables, description, notebook);
}

static inline void expect(struct notebook *notebook, const struct description *description, int level, int first,
                          int second, int third, int memory)
{
    struct walks walks = {level, first, second, third, memory};
    run_tables(notebook, description, 11);
    for (unsigned i = 0; i < WALKS; i++)
        assert_cost(notebook, walk_ids[i], expected_walk(&walks, i));
}

/* Where lots, or long steps of the clock, make runs differ: what any of so many says is right, however sure it is, and
 * some are sure of all of it. */
static inline void expect_in_some_of(unsigned runs, unsigned some, struct notebook *notebook,
                                     const struct description *description, struct walks walks)
{
    unsigned sure_runs = 0;
    for (uint64_t seed = 1; seed <= runs; seed++) {
        unsigned sure = 0;
        run_tables(notebook, description, seed);
        for (unsigned i = 0; i < WALKS; i++) {
            const struct finding *finding = noted(notebook, walk_ids[i]);
            int expected = expected_walk(&walks, i);
            if (finding->measured)
                assert_cost_of(finding, expected);
            sure += expected == ABSENT || (finding->measured && finding->confidence >= FAIRLY_SURE);
        }
        sure_runs += sure == WALKS;
    }
    assert_in_range(sure_runs, some, runs);
}

/* Lines of 128 bytes in all levels. */
static inline void long_lines(struct description *description)
{
    for (unsigned i = 0; i < description->caches; i++) {
        description->cache[i].line = description->cache[i].sector = 128;
        description->cache[i].shape.index.sets /= 2;
    }
}
