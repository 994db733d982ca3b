// SPDX-License-Identifier: BSD-2-Clause
/* curve.h: mean load latency against footprint, as everybody knows it. What the levels are is not read off it
 * (probes/levels.h): near a level's capacity, behind a TLB's reach, and wherever replacement is random, a mean mixes
 * levels. */
#pragma once
#include "probes/finding.h"
#include "probes/sample.h"
#include "probes/stretch.h"

enum { CURVE_POINTS = 96, CURVE_LONGER = 4 };

struct curve {
    struct bench *bench;
    struct stretch stretch;
    uint64_t limit;               /* bytes: no footprint above */
    unsigned permille, permilles; /* of the probe: done before this curve, and what this curve makes of it */
    unsigned count;
    struct point point[CURVE_POINTS]; /* bytes; quartiles of the batches, in core cycles or ticks a visit */
};

/* Measures footprints upward to the limit: four an octave up to 256 KB, two up to 1 MB, then one. Each is walked line
 * by line in pseudo-random cyclic order: one lap to fill, then batches from all over another one. False: skipped or
 * refused; what was measured is there. */
bool curve_measure(struct curve *);

/* Times a linked walk that has been filled, in batches of `least` to CURVE_LONGER times as many visits: quartiles of
 * the time of a visit, in core cycles, with a block of adds beside each batch, when bench->cycles_per_tick is known,
 * else in ticks. The batches of a long walk are parts from all over one lap. Leaves point->x alone. False: skipped or
 * refused. */
bool curve_batches(struct bench *, const struct walk *, uint64_t least, struct point *);
