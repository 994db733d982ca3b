// SPDX-License-Identifier: BSD-2-Clause
/* truth_inside.h: what is kept of one machine to answer with. Only for truth*.c and process/demanded.c. */
#pragma once
#include "tests/silicon/truth.h"

enum { MAX_DEMANDED = 256 };

/* A data cache as built, and the core cycles of a load that it serves; 0: it serves none. */
struct met_cache {
    unsigned index; /* in description.cache[] */
    double latency;
    uint64_t size; /* bytes, of nothing but its own arrays; 0: there is no such cache */
    unsigned ways, line, sector;
};

/* What loads meet on their way to memory; docs/silicon.md says what counts as a level. */
struct met {
    unsigned levels;
    struct met_cache level[MAX_CACHES]; /* of each that counts, nearest first */
    struct met_cache first;             /* the first data cache, whether it counts or not */
    double memory;                      /* core cycles */
};

struct truths {
    struct description description;
    struct met met;
    unsigned demands; /* 0: not known yet */
    char demanded[MAX_DEMANDED][28];
};

/* Asks a machine's caches and memory. False: no memory. */
bool met_by_loads(const struct description *, struct met *);

/* The share by which the core's frequency may be off, and whatever is told in its time. */
#define CORE_TOLERANCE 1e-2

/* How far two latencies may be apart and still be the same: 2 %, or half a core cycle, whichever is more. */
double latency_tolerance(double cycles);

/* The truth of what a data cache is like: l1d.size, l2.ways, l3.inclusive, ...; NONE for what is none of these. */
struct truth truth_of_cache(const struct truths *, const char *id);

/* The truth of latency.* and of NAME.latency and NAME.latency.ns; NONE for what is none of them. */
struct truth truth_of_latency(const struct truths *, const char *id);

/* The truth of what the TLBs are that loads look in, and jumps: dtlb1.4k.entries, itlb2.4k.penalty, ...; NONE for what
 * is none of them. */
struct truth truth_of_tlb(const struct truths *, const char *id);

/* The truth of what walks of the tables cost: walk.4k.l1, ..., walker.cached_in, and what it costs to drop
 * translations, and to have none: cost.invlpg, ...; NONE for what is none of them. */
struct truth truth_of_walk(const struct truths *truths, const char *id);

/* The truth of a first TLB that stores have of their own: dtlb1.4k.stores, dtlb1.2m.stores; NONE for what is none of
 * them. */
struct truth truth_of_stores(const struct truths *, const char *id);

/* The truth of what a load that memory serves brings along: mem.unit, mem.next, and interference.sizes; NONE for what
 * is none of them. */
struct truth truth_of_brought(const struct truths *, const char *id);

/* Whether entries of a table level are kept outside of the caches, in a way that spares all loads above it (linear) or
 * its own (physical). */
bool walk_entry_kept(const struct description *, unsigned level, enum psc_tag);

/* The data cache that the walker's loads look in first; NULL: none. */
const struct cache_description *walkers_cache(const struct description *);

/* The truth of page-structure caches: psc.pde.entries, psc.pde.miss, ..., psc.unified, psc.physical and psc.invlpg;
 * NONE for what is none of them. */
struct truth truth_of_psc(const struct truths *truths, const char *id);
