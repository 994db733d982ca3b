// SPDX-License-Identifier: BSD-2-Clause
/* silicon.h: a modelled machine: all parts put together. It times accesses; what they read and write is the ground's.
 */
#pragma once
#include "tests/silicon/clock.h"
#include "tests/silicon/counters.h"
#include "tests/silicon/fetch.h"
#include "tests/silicon/prefetch.h"

struct silicon {
    const struct description *description;
    struct caches *caches;
    struct translation *translation;
    struct prefetch *prefetch;
    struct fetch *fetch;
    struct counters *counters;
    struct silicon_clock clock; /* all cores keep core 0's time */
    struct noise noise;
    uint64_t disturbances, lost; /* counted SMIs, and the core cycles of all that took time away */
    uint64_t noise_at; /* the cycle at which noise is due next: noise_next(), kept because it is asked often */
};

/* NULL: *why. The description is kept by pointer; the ground belongs to the caller. */
struct silicon *silicon_create(const struct description *, struct ground *, uint64_t seed, const char **why);
void silicon_destroy(struct silicon *);

struct access {
    unsigned core;
    enum access_kind kind; /* LOAD, STORE, FETCH */
    uint64_t va;
    unsigned size; /* bytes; may cross a line or a page */
    uint64_t ip;   /* tells instructions apart */
};

/* One access: translation, caches, prefetchers, counters. Time does not pass: the caller decides what runs in parallel.
 * Returns core cycles, load to use; *translated (may be NULL) tells the physical address and faults. */
uint64_t silicon_access(struct silicon *, const struct access *, struct translated *);

/* Time passes on the core, and noise that is due happens. Returns the cycles that others took on top. */
uint64_t silicon_pass(struct silicon *, uint64_t cycles);

/* The second half of it, for callers that move the clock themselves: noise that is due (from noise_at on) happens. */
uint64_t silicon_disturb(struct silicon *);

void silicon_flush_line(struct silicon *, unsigned core, uint64_t pa);
void silicon_flush_caches(struct silicon *, unsigned core);
void silicon_flush_page(struct silicon *, unsigned core, uint64_t va);
void silicon_flush_tlb(struct silicon *, unsigned core, bool global);

/* MSRs of the model: counters, prefetch switches. False: none of its own, or #GP. */
bool silicon_read_msr(struct silicon *, unsigned core, uint32_t msr, uint64_t *value);
bool silicon_write_msr(struct silicon *, unsigned core, uint32_t msr, uint64_t value);

/* For walks that repeat: a number over everything that can influence accesses to the sets used since the mark. */
void silicon_mark(struct silicon *);
uint64_t silicon_digest(const struct silicon *);
