// SPDX-License-Identifier: BSD-2-Clause
/* misses.h: what loads take that miss a level, as points of a curve (paper 004, section 3.6). */
#pragma once
#include "probes/finding.h"
#include "probes/sample.h"

/* Quartiles of core cycles a visit of `length` of the stops, 1 or more, over batches: each in a random order of its
 * own, and where those are not all stops, of a random choice of its own; and each beside a block of adds. Leaves
 * point->x alone. bench->cycles_per_tick need not be known. False: skipped or refused. */
bool misses_measure(struct bench *, const struct stops *, enum op, uint64_t length, struct point *);

/* Notes how many walks were timed, as penalty.LEVEL.sizes, or that the bench was skipped or refused. cost: visits. */
void misses_note_sizes(const struct bench *, struct notebook *, const char *id, bool good, unsigned sizes,
                       uint64_t cost);

/* How many lines of a set come after `lines` in a curve that ends at `most`: next to the ways, where there may be a
 * peak, each counts; elsewhere some do. */
unsigned misses_step(unsigned ways, unsigned lines, unsigned most);
