// SPDX-License-Identifier: BSD-2-Clause
/* curve.h: mean load latency against footprint: which footprints are measured, and the curve that they give. */
#pragma once
#include "probes/finding.h"
#include "probes/sample.h"
#include "probes/step.h"
#include "probes/stretch.h"

enum {
    CURVE_LINE = 64,   /* bytes between the stops */
    CURVE_BATCH = 4096 /* visits of the shortest batch */
};

/* Core cycles (ticks, when cycles are not known) that two levels differ by at least; the relative difference below
 * which a curve is called level; and the factor between two levels: what differs less is one level, in which TLB misses
 * grow more frequent, or hits in the level before rarer. */
extern const double curve_least_step, curve_level, curve_least_ratio;

struct curve {
    struct bench *bench;
    struct stretch stretch;
    bool all_memory;
    uint64_t limit;                   /* bytes: no footprint above */
    unsigned permille, permilles;     /* of the probe: done before this curve, and what this curve makes of it */
    bool stepped;                     /* a step was seen, on this curve or on one before */
    unsigned count, plateaus, sure;   /* points; levels; how many of these, from the first, are numbered for certain */
    double cycles[MAX_SERIES_LENGTH]; /* first quartile of the batches, above 0 */
    double spread[MAX_SERIES_LENGTH]; /* from there to the middle, relative */
    double least[MAX_SERIES_LENGTH];  /* the quickest batch */
    struct point point[MAX_SERIES_LENGTH];
    struct plateau plateau[MAX_PLATEAUS];
};

enum density {
    DENSITY_FULL,  /* four footprints an octave up to 16 MB, then two; one until the first step was seen */
    DENSITY_LIGHT, /* four up to 1 MB, two up to 4 MB, then one */
    DENSITY_SPARSE /* one, and none above 4 MB */
};

/* Measures footprints upward: to 8 times the last step, 64 times while the curve climbs, to 64 MB at least, to 16 MB
 * where no step was seen, and never beyond curve.limit. False: skipped or refused; what was measured is there. */
bool curve_measure(struct curve *, enum density);

/* When the sweep is over: adds the levels that never become level (probes/onset.h). */
void curve_round_off(struct curve *);

/* One footprint, after `laps` untimed laps: its quartiles, in core cycles or ticks a visit, and the quickest batch. A
 * footprint that is larger than the one before needs one lap; after a larger one a policy may keep that one's lines for
 * several. */
bool curve_footprint(struct curve *, uint64_t bytes, unsigned laps, struct point *, double *least);

/* Adds of a block that tells the core clock beside a batch: so many that the clock's step is a thousandth of them. */
uint64_t curve_adds(const struct bench *);

/* Bytes at which the last step begins, 0 when none was seen. */
uint64_t curve_last_step(const struct curve *);
