// SPDX-License-Identifier: BSD-2-Clause
/* truth_inside.h: what is kept of one machine to answer with. Only for truth*.c and process/demanded.c. */
#pragma once
#include "tests/silicon/truth.h"

enum { MAX_DEMANDED = 64 };

/* What loads meet on their way to memory. Latencies in core cycles; docs/silicon.md says what counts as a level. */
struct met {
    unsigned levels;
    double latency[MAX_CACHES]; /* of each that counts, nearest first */
    uint64_t size[MAX_CACHES];  /* of their arrays as built, and of nothing else */
    unsigned ways[MAX_CACHES];
    double first; /* of the first data cache, whether it counts or not; 0: there is none */
    double memory;
    uint64_t first_size;
    unsigned first_ways, first_line; /* of the array that the model has built for it */
};

struct truths {
    struct description description;
    struct met met;
    unsigned demands; /* 0: not known yet */
    char demanded[MAX_DEMANDED][28];
};

/* Asks a machine's caches and memory. False: no memory. */
bool met_by_loads(const struct description *, struct met *);

/* The share by which the core's frequency may be off, and whatever is told in its time. */
#define CORE_TOLERANCE 1e-2

/* How far two latencies may be apart and still be the same: 2 %, or half a core cycle, whichever is more. */
double latency_tolerance(double cycles);

/* The truth of l2.size, l2.ways, and of the levels behind; NONE for what is none of them. */
struct truth truth_of_level(const struct truths *, const char *id);

/* The truth of latency.* and of NAME.latency and NAME.latency.ns; NONE for what is none of them. */
struct truth truth_of_latency(const struct truths *, const char *id);
