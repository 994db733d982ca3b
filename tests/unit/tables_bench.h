// SPDX-License-Identifier: BSD-2-Clause
/* tables_bench.h: a machine whose walks cost what is worked out by hand, and what the probe of them should find.
 * Private to tests/unit/test_tables*.c. */
#pragma once
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

static inline void assert_cost(const struct notebook *notebook, const char *id, double value)
{
    assert_value(notebook, id, value, value > 50 ? value / 100 : 0.5);
}

/* What the probe of latencies would have found. */
static inline void note_latencies(struct notebook *notebook)
{
    note_value(notebook, "l1d.latency", HIT, "cycles", 0.999, 0, "");
    note_value(notebook, "l2.latency", NEXT, "cycles", 0.999, 0, "");
    note_value(notebook, "l3.latency", THIRD, "cycles", 0.999, 0, "");
    note_value(notebook, "mem.latency", MEMORY, "cycles", 0.999, 0, "");
}

static inline void expect(struct notebook *notebook, const struct description *description, int level, int first,
                          int second, int third, int memory)
{
    memset(notebook, 0, sizeof *notebook);
    note_latencies(notebook);
    run_probe(probe_tables, description, notebook);
    assert_cost(notebook, "walker.cached_in", level);
    assert_cost(notebook, "walk.4k.l1", first);
    assert_cost(notebook, "walk.4k.l2", second);
    assert_cost(notebook, "walk.4k.l3", third);
    assert_cost(notebook, "walk.4k.mem", memory);
}

/* Lines of 128 bytes in all levels. */
static inline void long_lines(struct description *description)
{
    for (unsigned i = 0; i < description->caches; i++) {
        description->cache[i].line = description->cache[i].sector = 128;
        description->cache[i].shape.index.sets /= 2;
    }
}
