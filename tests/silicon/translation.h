// SPDX-License-Identifier: BSD-2-Clause
/* translation.h: TLBs, page-structure caches and the page walker of all cores. The tables are the real ones, read from
 * memory (ground.h) through the caches. */
#pragma once
#include "tests/silicon/caches.h"
#include "tests/silicon/ground.h"

struct translation; /* opaque */

struct translation *translation_create(const struct description *, struct caches *, struct ground *, uint64_t seed);
void translation_destroy(struct translation *);

struct translated {
    bool fault;          /* no present entry, or a write to a read-only page: nothing was cached */
    uint64_t pa;         /* as the TLB or the tables say: stale when a table changed without a flush */
    uint64_t page;       /* bytes of the page */
    enum memtype type;   /* effective */
    unsigned cycles;     /* more than a hit of the first level */
    unsigned level;      /* TLB level that hit; 0: a walk */
    unsigned walk_loads; /* entries that the walker read */
    unsigned walk_cycles;
    bool pde_missed; /* a walk that no page-structure cache of level 2 shortened */
};

/* kind: LOAD, STORE or FETCH. `now`: core cycles, for the loads of a walk. An access whose kind has no TLB at all costs
 * nothing and leaves no trace. Walks do not wait for each other here: of accesses that run together on one core the
 * caller adds up walk_cycles, and all of them take at least that sum divided by walker.count. */
struct translated translation_of(struct translation *, unsigned core, enum access_kind, uint64_t va, uint64_t now);

/* What a walk would give, with no effect on anything and no cycles (for prefetchers, functional needs and tests). */
struct translated translation_peek(struct translation *, unsigned core, uint64_t va);

void translation_flush_page(struct translation *, unsigned core, uint64_t va); /* INVLPG: TLB entries of va, all PSCs */
void translation_flush(struct translation *, unsigned core, bool global);      /* MOV CR3 (false), everything (true) */
void translation_write_seen(struct translation *, unsigned core, uint64_t pa); /* psc_shadowed */
void translation_set_pcid(struct translation *, unsigned core, unsigned pcid); /* 0 without PCIDs */

/* A thread that shares the core loads from a small page, and jumps to it: the TLBs keep it under another PCID. Two
 * threads compete for the entries of a core: measured on a Zen 4, where a row of as many pages as there are entries
 * misses for 1 to 50 ms at a time, whenever the sibling works, and one of 60 or 48 misses less, and less often. */
void translation_disturb(struct translation *, unsigned number, uint64_t va);

/* Arrays for truth and tests: by index in description.tlb[] and .psc[]. */
const struct array *translation_tlb(const struct translation *, unsigned core, unsigned index);
const struct array *translation_psc(const struct translation *, unsigned core, unsigned index);

void translation_mark(struct translation *);
uint64_t translation_digest(const struct translation *);
