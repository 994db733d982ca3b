// SPDX-License-Identifier: BSD-2-Clause
/* depth.h: where lines lie after so much else has been read.
 *
 * Lines that nothing else touches (targets) are loaded once; then so many other bytes are read, once or several times;
 * then the targets are loaded again, and that is timed. Every level too small for those bytes has lost the targets, and
 * every larger one still has them. So the time is the latency of one level, not a mean over a curve that mixes levels:
 * more passes over the same bytes push the targets out of a level whose replacement is random, or not quite LRU, as
 * surely as out of an LRU one, and never out of a level in which all bytes have room. (Paper 000, section 5, asks for
 * sequences that make the upper levels transparent; this is such a sequence for sets of any hash and any policy.)
 *
 * Where the clock shows single loads each target is timed by itself; else several together, and those that took alike
 * come together more and more, so that what a target took is known from its groups. Either way a mixture of levels
 * shows as what it is.
 *
 * Translation has no part in it: just before targets are timed, another line of each of their pages is loaded. Where
 * pages are large four hold all targets; where they are small each target has its own. One target in 4 KB, in no
 * regular order: no prefetcher brings one in. */
#pragma once
#include "probes/readings.h"
#include "probes/sample.h"
#include "probes/stretch.h"

struct depth {
    struct bench *bench;
    uint64_t targets, room;   /* where targets may lie, and how many bytes that is: a power of two of units */
    uint64_t unit;            /* bytes: 4 KB, or the smallest page where that is larger */
    uint64_t page;            /* bytes of one that a TLB keeps */
    unsigned group;           /* targets that are timed together: one where the clock shows single loads */
    double hit, extra;        /* ticks of a load that hits the first level; and what it takes more in such pages */
    struct overhead overhead; /* what short readings have too much, by the way that the clock is read */
    bool fresh;               /* targets are flushed before each round */
    uint64_t twice;           /* bytes of others that are read twice on end; 0: all of them before any again */
    uint64_t others, most;    /* where the other bytes begin, and how many there are */
};

/* Divides a mapped stretch into targets and others, and asks hits how far readings vary. hit: ticks of a load that hits
 * the first level; extra: what such a load takes more in the stretch's pages. False: it is too small. (Skipped or
 * refused: the next call says so.) */
bool depth_open(struct depth *, struct bench *, const struct stretch *, double hit, double extra);

/* Loads of targets after `passes` passes over `bytes` others (1 KB to depth->most); one pass is a first look, and less
 * exact. Targets lie where a piece of memory that begins with the others would go on. False: skipped or refused. */
bool depth_after(struct depth *, uint64_t bytes, unsigned passes, struct latency_of *);

/* How lines that were flushed are loaded again. */
enum flushed {
    FLUSHED_SCATTERED, /* all over the rows and banks of memory */
    FLUSHED_BESIDE,    /* a few, each after another line of its page, as targets are after the others */
    FLUSHED_NEAR       /* a few, each after a line of its row */
};

/* Loads of targets that were flushed (CLFLUSH): memory's latency, when they are scattered; the quicker of the other two
 * is the least that memory takes: of rows that are open. (Which one that is depends on where the banks lie.) False:
 * skipped, or refused: it cannot be asked. */
bool depth_flushed(struct depth *, enum flushed, struct latency_of *);
