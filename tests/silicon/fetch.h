// SPDX-License-Identifier: BSD-2-Clause
/* fetch.h: the instruction side of the cores, as far as walks of jumps need it: branch targets. The L1I and the ITLBs
 * are among the caches and TLBs. */
#pragma once
#include "tests/silicon/description.h"

struct fetch; /* opaque */

struct fetch *fetch_create(const struct description *, uint64_t seed);
void fetch_destroy(struct fetch *);
unsigned fetch_jump(struct fetch *, unsigned core, uint64_t from, uint64_t to); /* cycles of a taken jump itself */
void fetch_linked(struct fetch *);                            /* a jump was written: the order is new */
void fetch_ended(struct fetch *, unsigned core, uint64_t at); /* a run of jumps ended before the jump at that address */
void fetch_mark(struct fetch *);
uint64_t fetch_digest(const struct fetch *);
