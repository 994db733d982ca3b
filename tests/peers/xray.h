// SPDX-License-Identifier: BSD-2-Clause
/* xray.h: X-Ray, the peer that assay is compared with: Yotov, Pingali, Stodghill, "Automatic Measurement of Memory
 * Hierarchy Parameters" (SIGMETRICS 2005; paper 000), sections 4 and 5, as it was published, with what it takes for
 * granted: sets by consecutive bits of the address, policies like LRU, each level at least twice as large and twice as
 * slow as the one before it. It stands on the waist as a probe does. What the paper leaves open is said where it was
 * decided. */
#pragma once
#include "kernel/machine.h"

enum { XRAY_LEVELS = 8 };

/* A cache as the paper describes one: <A, B, C> and the latency of a hit. Of what was not found, 0. */
struct xray_cache {
    uint64_t ways, line, size; /* A: lines; B and C: bytes */
    uint64_t stride;           /* T = C / A: bytes */
    double latency;            /* core cycles */
};

struct xray {
    unsigned levels;
    struct xray_cache level[XRAY_LEVELS];
    double memory_latency; /* core cycles; 0: memory was not reached */
    const char *why;       /* where it ended before memory, why; NULL: it came to its end */
    unsigned timings;      /* stretches that were timed */
    /* Of these with the paper's timing, in which each takes a second (Figure 9): */
    uint64_t accesses;
    double seconds;
};

/* Measures in an array of at most `memory` bytes in the largest span: the largest sequences of a cache take about twice
 * its size, and what they cannot outgrow counts as memory. False: the machine cannot serve it (machine_why), or the
 * user wants to skip; *found holds what was found until then. */
bool xray_measure(struct machine *, uint64_t memory, struct xray *found);
