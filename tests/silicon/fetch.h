// SPDX-License-Identifier: BSD-2-Clause
/* fetch.h: the instruction side of the cores, as far as walks of jumps need it: branch targets. The L1I and the ITLBs
 * are among the caches and TLBs. */
#pragma once
#include "tests/silicon/description.h"

struct fetch; /* opaque */

struct fetch *fetch_create(const struct description *, uint64_t seed);
void fetch_destroy(struct fetch *);

/* What is left of so many cycles that fetching a stop takes. */
uint64_t fetch_waits(const struct fetch *, uint64_t cycles);

/* Cycles of a taken jump itself. counts: it takes a step of a count, each of which waits for the one before. */
unsigned fetch_jump(struct fetch *, unsigned core, uint64_t from, uint64_t to, bool counts);
void fetch_linked(struct fetch *);                            /* a jump was written: the order is new */
void fetch_ended(struct fetch *, unsigned core, uint64_t at); /* a run of jumps ended before the jump at that address */
void fetch_mark(struct fetch *);
uint64_t fetch_digest(const struct fetch *);
