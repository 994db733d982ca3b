// SPDX-License-Identifier: BSD-2-Clause
/* store.h: what the first level does with stores, by the clock.
 *
 * A few targets, each in a set and a page of its own, are read or stored to where they are in the first level, and
 * where a sweep over other lines has left them to the next level only. Both differ by what the next level takes longer:
 * that is seen first, with loads, and is the measure of everything else.
 *
 * Whether a store that misses brings its line (paper 001, section 3.4): targets that are in no cache are stored to, and
 * then read, beside targets that were loaded instead.
 *
 * Whether the first level keeps what is stored to a line that it has: each of a few stores is waited for (a fence
 * drains the store buffer). Where the next level has to take them, too, it makes no difference that the first level has
 * the lines. And a long run of such stores then moves on at the rate of the next level (Jouppi, "Cache write policies
 * and performance", ISCA 1993). Both have to say the same.
 *
 * Each decision is Wald's sequential test on votes, with controls interleaved. */
#pragma once
#include "probes/sample.h"
#include "probes/stretch.h"

enum { STORE_TARGETS = 16 };

enum store_answer { STORE_OPEN, STORE_YES, STORE_NO };

struct store {
    struct bench *bench;
    struct walk targets, sweep, few; /* few: lines that the first level holds for certain */
    unsigned count;                  /* targets */
    uint64_t line, lines;            /* bytes; of the first level */
    double hit;                      /* core cycles of a load that hits */
    double half;                     /* ticks: half of what a read of all targets takes longer when they miss */
    double variance;                 /* of one such reading, in halves squared */
    bool flushes;                    /* lines can be flushed */
    const char *why;                 /* of STORE_OPEN, when the bench is well */
};

/* Prepares targets and sweep in a stretch, for a first level of `size` bytes in lines of `line`, where a hit takes
 * `hit` core cycles and the next level `next` (0: not known; the targets show it). False: memory is too small, noise,
 * the clock does not tell both levels apart (why); skipped or refused. */
bool store_open(struct store *, struct bench *, const struct stretch *, uint64_t size, uint64_t line, double hit,
                double next);

/* Whether a store that misses brings the line. */
enum store_answer store_allocates(struct store *);

/* Whether what is stored to a line of the first level stays there. */
enum store_answer store_stays(struct store *);
