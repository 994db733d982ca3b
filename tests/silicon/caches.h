// SPDX-License-Identifier: BSD-2-Clause
/* caches.h: all caches of all cores, and the memory behind them. Knows physical addresses, line states and cycles;
 * translation happens before it. */
#pragma once
#include "kernel/machine.h"
#include "tests/silicon/description.h"
#include "tests/silicon/memory.h"

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_FETCH, ACCESS_WALK };
enum { LEVEL_MEMORY = 15 };

struct caches; /* opaque */

struct caches *caches_create(const struct description *, uint64_t seed); /* NULL: no memory. Keeps the pointer. */
void caches_destroy(struct caches *);

struct cached {
    unsigned cycles; /* load to use; of a store: what it holds up the core */
    unsigned level;  /* that had it; LEVEL_MEMORY */
};

/* One access by one core to the line (or the two lines) of [pa, pa + size). `now`: core cycles, for refresh. va: the
 * virtual address behind it (index and way predictor; walker: pa). type: effective memory type; UC and WC bypass. */
struct cached caches_access(struct caches *, unsigned core, enum access_kind, uint64_t va, uint64_t pa, unsigned size,
                            enum memtype, uint64_t now);

/* A line comes into a cache of `level` of this core (and what lies below it, as inclusion demands) without anybody
 * waiting. Nothing happens when it is there already. Returns whether it came. */
bool caches_prefetch(struct caches *, unsigned core, unsigned level, uint64_t va, uint64_t pa, uint64_t now);

/* Another core's line comes into the shared caches that `core` uses (noise); or a sibling's into its first level. */
void caches_disturb(struct caches *, unsigned core, uint64_t pa, bool first_level);

void caches_flush_line(struct caches *, uint64_t pa); /* CLFLUSH: gone everywhere */
void caches_flush_all(struct caches *);               /* WBINVD: every cache of every core */

/* Level that would serve a load by this core now, without changing anything. */
unsigned caches_level(const struct caches *, unsigned core, uint64_t va, uint64_t pa);

/* The array of a cache instance that this core uses, by its index in description.cache[]; for truth and tests. */
const struct array *caches_array(const struct caches *, unsigned core, unsigned index);

/* Bytes that a miss brings into that instance at least: a sector, or as much as the nearer caches take at once. */
unsigned caches_fill_size(const struct caches *, unsigned core, unsigned index);

/* Whether that instance has anything of the line of a physical address, in whichever set. */
bool caches_holds(const struct caches *, unsigned core, unsigned index, uint64_t pa);

/* Whether the set of a cache depends on bits of the address that translation changes: those above the smallest page. */
bool caches_index_translated(const struct description *, const struct cache_description *);

/* Time went by without an access: it is `now`. For the digest, which knows the phase of a refresh. */
void caches_pass(struct caches *, uint64_t now);

/* So many cycles went by in which everything since the mark happened again and again, back to the same state. */
void caches_skip(struct caches *, uint64_t cycles);

/* Tells this computer that a load of pa will come soon, so that its own memory is quicker: nothing of the model
 * changes.
 */
void caches_expect(const struct caches *, unsigned core, uint64_t va, uint64_t pa);

void caches_mark(struct caches *);
uint64_t caches_digest(const struct caches *);
