// SPDX-License-Identifier: BSD-2-Clause
/* prefetch.h: the prefetchers of one core: they watch demand accesses and bring lines in. */
#pragma once
#include "tests/silicon/caches.h"
#include "tests/silicon/translation.h"

struct prefetch; /* opaque; one for all cores */

struct prefetch *prefetch_create(const struct description *);
void prefetch_destroy(struct prefetch *);

/* Tells of a demand access that `level` served, by the instruction at `ip` (any number that tells instructions apart).
 * Fills caches at once; returns how many lines were asked for. */
unsigned prefetch_watch(struct prefetch *, struct caches *, struct translation *, unsigned core, enum access_kind,
                        uint64_t ip, uint64_t va, const struct translated *, unsigned level, uint64_t now);

/* A switch: MSR and its new value. True: some prefetcher listens to that MSR. */
bool prefetch_switch(struct prefetch *, unsigned core, uint32_t msr, uint64_t value);
void prefetch_forget(struct prefetch *, unsigned core); /* trained state is lost */

/* NULL: no prefetcher with this number; else a name ("adjacent pair", ...). *on: whether it is on. */
const char *prefetch_name(const struct prefetch *, unsigned core, unsigned number, bool *on);
void prefetch_turn(struct prefetch *, unsigned core, unsigned number, bool on); /* in process; if it has a switch */

uint64_t prefetch_digest(const struct prefetch *);
