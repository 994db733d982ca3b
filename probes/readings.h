// SPDX-License-Identifier: BSD-2-Clause
/* readings.h: what targets took, one by one or in groups, and what that says of the level that served them.
 *
 * A short reading of the clock has something too much, the same on average for all of them, and varies by the clock's
 * step and by what the processor does beside. Both are learned from loads that hit, whose latency is known. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { MOST_READINGS = 1024, MOST_TARGETS = 512 };

/* Two latencies are one when they are closer than this part of them, or than so many core cycles. */
static const double TOLERANCE = 0.02, LEAST_TOLERANCE = 0.5;

/* The larger of both, in core cycles. */
double readings_tolerance(double cycles);

/* What a short reading has too much: ticks. */
struct overhead {
    double mean, variance; /* of that; squared */
    double most;           /* what is further off was interrupted */
    unsigned readings;     /* from how many */
};

/* From readings of one hit: sorted by it. step: of the clock, in ticks. Without readings: all 0. */
struct overhead overhead_of(double *values, unsigned count, double step);

/* One more. False: it was interrupted, and is not counted. */
bool overhead_learn(struct overhead *, double ticks);

/* A latency, in core cycles. */
struct latency_of {
    double cycles, variance; /* mean of the readings that agree, or, where too few do, of all; variance of that mean,
                                with what the clock's step hides of it */
    double bias;  /* what noise may have added to it, as it lies so far from the middle; and what a method may */
    double share; /* of the readings that agree; 0: too few do, and the mean may be no level's */
    double other; /* what most of the others took, as single loads; 0: they do not agree */
    bool seen;    /* single loads agree closely: what a level takes, and no mixture */
    double low, middle, high; /* quartiles of all readings */
};

/* Readings in ticks a load, of single targets or of groups. */
struct readings {
    unsigned group; /* targets that are timed together */
    unsigned count;
    double limit;                /* what is longer was interrupted, by readings_all(); 0: that was not asked yet */
    double value[MOST_READINGS]; /* the first of them */
    unsigned shows;
    float shown[MOST_READINGS]; /* what the clock showed, since readings_alike() */
    /* For each target: readings that it was in, and how many. Floats are exact enough, and stacks are small. */
    float sum[MOST_TARGETS], squares[MOST_TARGETS], times[MOST_TARGETS];
};

/* Adds a reading of a group of targets, each below MOST_TARGETS. value: of a load; shown: by the clock, of them all.
 * One that was interrupted says nothing of its targets. */
void readings_add(struct readings *, const uint16_t *targets, double value, double shown);

/* Makes as many readings as that, one after the other, a single one, but for the first `from`: what is rare and long,
 * and the memory's own (a refresh), is in most of them then, and what interrupts is in a few. The clock hides no less
 * of them than of each. */
void readings_pool(struct readings *, unsigned from, unsigned together);

/* The mean of all readings but those that were interrupted. step: of the clock, in ticks; cycles: core cycles of a
 * tick. Without readings the variance is beyond all measure. */
void readings_all(struct readings *, double step, double cycles, struct latency_of *);

/* The mean of the readings that agree, where enough do (probes/cluster.h): of single loads, or of targets, each of them
 * on the average of all groups that it was in. */
void readings_agreeing(struct readings *, const struct overhead *, double step, double cycles, struct latency_of *);

/* Whether single loads can be told from each other: by the clock's step, and by how far readings of one hit vary. */
bool readings_single(const struct overhead *, double step, double cycles);

/* What a target took so far, in ticks; 0: nothing is known of it. */
double readings_of(const struct readings *, unsigned target);

/* From here on groups are of targets that took alike. */
void readings_alike(struct readings *);

/* Forgets half of what is known of each target. */
void readings_forget(struct readings *);
