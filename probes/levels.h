// SPDX-License-Identifier: BSD-2-Clause
/* levels.h: which levels there are between a load and memory, and the latency of each. */
#pragma once
#include "probes/depth.h"

enum {
    MOST_PLACES = 256,
    MOST_LEVELS = 8,
    MOST_NARROW = 32,
    MOST_EARLY = 2,
    SMALLEST_PLACE = 1 << 10, /* bytes */
    LEAST_PLACES = 3          /* that make a level, where single loads are not seen */
};

/* Latency after so many other bytes. */
struct place {
    uint64_t bytes;
    struct latency_of latency;
    double early[MOST_EARLY]; /* what single loads took before more passes moved the targets on; 0: nothing else */
    bool memory;              /* targets came from memory */
    bool asked;               /* was looked at afresh, once levels were found */
    bool open;                /* on a step that would be a level if it did not rise, or had more places */
};

/* Whether enough targets were found in one level at a place. */
static inline bool place_is_pure(const struct place *place)
{
    return place->latency.share > 0;
}

/* Variance of a place's latency, in core cycles squared: it is known no better than to an eighth of what makes two. */
double place_variance(const struct place *);

struct level {
    double cycles;        /* core cycles */
    double deviation;     /* standard deviation of that, and what it may be off */
    double numbering;     /* probability that a level before it was overlooked */
    uint64_t first, last; /* bytes after which targets were found there */
    unsigned places;      /* how many */
    bool seen;            /* by single loads */
};

struct levels {
    double hit;  /* what a load takes that hits the first level */
    double step; /* of the clock, in core cycles */
    struct place place[MOST_PLACES];
    unsigned places;
    struct level
        level[MOST_LEVELS]; /* by latency; the first level's is [0] where it has a step; memory's is not here */
    unsigned count;
    struct level memory;        /* cycles 0: not reached */
    double narrow[MOST_NARROW]; /* steps that were seen, but not well enough to be levels */
    unsigned narrows;
    double counting;         /* probability that a level was overlooked */
    bool flushed;            /* memory's latency was asked by flushing lines */
    struct latency_of least; /* then: the least that memory takes */
};

/* Measures places upward until targets come from memory, or the stretch ends, and finds the levels. hit: core cycles
 * of a load that hits the first level. False: skipped or
 * refused; the places measured by then are there. */
bool levels_measure(struct depth *, double hit, struct levels *);

/* Whether memory is as quick as the first level: an emulator's clock, which knows no caches. Then nothing is swept. */
bool levels_flat(const struct levels *);

/* Whether so many core cycles, known with that variance, are memory's: as much as the least that it takes, as far as
 * noise lets that be told. False also where lines cannot be flushed. */
bool levels_are_memory(const struct levels *, double cycles, double variance);

/* Finds the steps among places measured before, and says of each place whether its step only rises. level[] means
 * nothing before levels_infer. */
void levels_find_steps(struct levels *);

/* Finds the levels among places measured before (by footprint, ascending), from these, hit, step, flushed and least,
 * and from memory's latency (cycles 0: not known). */
void levels_infer(struct levels *);
