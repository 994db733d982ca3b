// SPDX-License-Identifier: BSD-2-Clause
/* tlb.h: the levels of TLBs that one kind of access looks in, from walks through rows and crowds of pages.
 *
 * 1. More and more pages in a row are walked, against the same lines in few pages (probes/seats.h; paper 004, section
 *    2). What the walk takes longer is nothing while the first level has them all, then what a hit of the next one
 *    takes, then a walk of the tables. That bounds each level's entries.
 * 2. The first level's entries are found exactly, by bisection.
 * 3. Ways and sets of each level follow from its smallest crowd (probes/crowd.h), and their product has to be what the
 *    row says. That also tells a TLB from a page-structure cache, whose entries serve 512 pages, and from tables that
 *    leave a cache.
 * 4. Small pages that a level holds are visited again after as many large ones (probes/shared.h); not so code, of which
 *    a lap that misses cannot be told from one whose branch targets were pushed out by the others. */
#pragma once
#include "probes/probe.h"

/* Pages of one size, and how they are walked. */
struct tlb_size {
    const char *name; /* in ids: "4k" */
    enum op op;       /* OP_LOAD, OP_JUMP or OP_JUMP_FAR */
    uint64_t page;    /* bytes */
    unsigned visits;  /* that these and those before them may take: percent of what the probe may */
    unsigned second;  /* from so many on a second level is looked for no longer: where there is none, that takes long */
};

struct tlb_side {
    const char *name; /* in ids: "dtlb" */
    const struct tlb_size *size;
    unsigned sizes;
    uint64_t fewest, most; /* pages of the shortest row, and of the longest; at most MOST_IN_A_ROW */
    uint64_t behind;       /* visits that other probes of translation need yet (probes/budget.h) */
};

/* Measures both levels for each size of page, the smallest first. Findings: dtlb1.4k.entries, .ways, .sets, and .bits,
 * a mask of the page-number bits that choose the set, where they are plain bits; dtlb2.4k.entries, .ways, .sets, .bits,
 * and dtlb2.4k.penalty, the core cycles that a hit of it takes more than one of the first; of loads also
 * dtlb1.2m.shared, dtlb2.2m.shared: whether these pages are kept in the same entries as small ones. Series: dtlb.4k,
 * core cycles by pages in a row; of jumps also itlb.4k.jumps, core cycles of as many jumps in few pages. False:
 * skipped. */
bool tlb_measure(struct machine *, const struct request *, const struct tlb_side *, struct notebook *);
