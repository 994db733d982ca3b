// SPDX-License-Identifier: BSD-2-Clause
/* way.h: ways of the first level, and how far apart two lines of one set lie. */
#pragma once
#include "probes/fit.h"

struct way {
    uint64_t ways, size; /* bytes of a way: lines so far apart share a set */
    bool single;         /* there is one set: lines share it at any distance, and size means nothing */
};

/* Finds a footprint that the first level cannot hold and half of which it may (*bound, bytes, a power of two), and with
 * it what a miss costs (fit->dense), given what it costs in any case (fit->least). *seen: bytes, the largest footprint
 * tried. False: no step was seen, or see fit_usable. */
bool way_bound(struct fit *, uint64_t *bound, uint64_t *seen);

/* One search and its checks from other bases, in other orders. closer: 0, or more to begin with lines that are four, 16
 * ... times closer: where ways are many, or the number of sets is odd. False: see fit_usable. */
bool way_find(struct fit *, uint64_t bound, unsigned closer, struct way *);

/* Whether a cache of that size is there: rows of lines, well over half of it, have to fit; for lines at a distance may
 * have been those of a larger level, one that must contain the first. (In rows, a page each, and not all in one piece:
 * some way predictors cannot tell lines of one page and set apart.) */
bool way_holds(struct fit *, const struct way *);
