// SPDX-License-Identifier: BSD-2-Clause
/* penalty.h: what loads take that miss the first level, and what that depends on (paper 004, section 3.6), as curves.
 *
 * Series, all in core cycles a load, with quartiles over batches, each in an order of its own:
 *   penalty.l1d.even, penalty.l1d.odd   against lines of a single set, an even one and an odd one
 *   penalty.l1d.dirty                   the same as even, with a store to each line: what is pushed out is dirty
 *   penalty.l1d.random                  against lines for each set, in random sets: part of twice what the level holds
 *   penalty.l1d.offset                  against the offset in a line, with twice as many lines in a set as it has ways
 * Just past the ways a single set may show a peak: what is asked for again is still on its way to the next level. */
#pragma once
#include "probes/finding.h"
#include "probes/sample.h"
#include "probes/stretch.h"

/* A first level, as found. */
struct penalty {
    uint64_t size, line; /* bytes */
    unsigned ways;
};

/* Measures and notes them all; what does not fit into the stretch is left out. Finding: penalty.l1d.sizes, how many
 * points that were, or why there are none. False: skipped or refused. */
bool penalty_note(struct bench *, const struct stretch *, const struct penalty *, struct notebook *);
