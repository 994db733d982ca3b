// SPDX-License-Identifier: BSD-2-Clause
/* behind.h: what loads take that miss a level behind the first, and what that depends on (paper 004, section 3.6), as
 * curves.
 *
 * The lines of a walk share a set at the level and at all nearer ones. Once they are more than those have ways, nearer
 * levels are transparent; there is no need of a sequence of sequences (paper 000, section 5).
 *
 * Series of the second level, all in core cycles a load, with quartiles over batches, each in an order of its own
 * (probes/misses.h); those of the levels behind it likewise:
 *   penalty.l2.even, penalty.l2.odd   against lines of a single set, an even one and an odd one
 *   penalty.l2.dirty                  the same as even, with a store to each line
 *   penalty.l2.pages                  against lines of one place in the smallest pages, which lie anywhere, as an
 *                                     operating system gives them (paper 004, section 3.4: without coloured allocation)
 *   penalty.l2.random                 against lines for each set, in random sets: part of those that overflow them all
 *   penalty.l2.offset                 against the offset in a line, with twice as many lines in a set as it holds
 *   penalty.l2.offset_random          the same in random sets
 * Lines that lie in many pages are loaded through the largest ones there are; what their translation takes is part of
 * it. */
#pragma once
#include "probes/finding.h"
#include "probes/kin.h"
#include "probes/sample.h"

/* A level, as found. */
struct behind {
    unsigned level, ways, nearer_ways; /* nearer_ways: of all nearer levels together */
    uint64_t line;                     /* bytes */
    const struct kin *nearer;          /* lines that share a set at all nearer levels */
    const struct kin *kin;             /* and at this one, too */
    uint64_t even, odd;                /* lines (by number) of an even set and of an odd one */
};

/* Measures and notes them all. Finding: penalty.l2.sizes, how many points that were, or why there are none. Leaves no
 * line that it has visited in any cache, and the bench's seed as it was. False: skipped or refused. */
bool behind_note(struct bench *, const struct region *, const struct behind *, struct notebook *);

/* The finding alone, of a level whose sets were not found. */
void behind_missing(struct notebook *, unsigned level, const char *why);
