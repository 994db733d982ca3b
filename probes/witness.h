// SPDX-License-Identifier: BSD-2-Clause
/* witness.h: whether whoever shares the core is quiet just now.
 *
 * Two threads of a core compete for the entries of its TLBs, and what belongs to another system comes and goes: on a
 * Zen 4, as a guest, a row of as many pages as there are entries misses in bursts of 1 to 50 ms, for a third to a half
 * of the time. Time that was lost to an interrupt is told by the clock; entries that were are not. So pages that fit
 * are walked before and after whatever is timed: where they take longer than they do at best, what was timed between
 * says nothing. A walk that was fast all the same was. */
#pragma once
#include "probes/sample.h"

enum { WITNESS_REMEMBERS = 64, WITNESS_PATIENCE = 2500 /* milliseconds, of all that it is waited for */ };

struct witness {
    struct walk pages, lines;       /* linked: pages that fit, and their lines in few pages */
    uint64_t warm;                  /* laps before the clock starts; 0, 1: two, as few as ever do */
    bool called;                    /* there are such walks */
    bool calm;                      /* it was, when asked last */
    double took[WITNESS_REMEMBERS]; /* ticks a batch, the last times: see witness.c */
    unsigned asked;                 /* how often it was */
    unsigned patience;              /* milliseconds that may still be waited; 0: it is asked no more */
};

/* Asks: two short batches. *calm: whether the pages take no longer than at best, by more than the clock makes of it;
 * true, too, where there is no witness, or no more patience. False: skipped or refused. */
bool witness_ask(struct bench *, struct witness *, bool *calm);

/* Waits until it is calm, or there is no more patience. It asks only if it was not calm when asked last, or was never
 * asked. False: skipped or refused. */
bool witness_wait(struct bench *, struct witness *);
