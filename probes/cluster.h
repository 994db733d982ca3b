// SPDX-License-Identifier: BSD-2-Clause
/* cluster.h: the readings that agree. Where targets are found in several levels, most of those that one level serves
 * take the same time, and the others take another: the readings fall into clusters, and the mean of all is no level's.
 */
#pragma once
#include <stdbool.h>

/* A cluster of so many of all readings is the whole: the rest is noise, and what a nearer level kept. */
static const double WHOLE = 0.9;

struct cluster {
    double mean, variance; /* of its readings; of that mean, from their spread: units of the readings, and squared */
    double share;          /* of all readings: 0 to 1; 0: no cluster stands out */
    double other; /* mean around the next largest that is tight, of a fifth of all readings at least; 0: none */
    bool tight;   /* no wider than noise and tolerance make one level; else as wide as one level's slices may lie
                     apart, and then nothing but that */
};

/* The largest cluster. values: sorted, count of them. noise: how far apart the clock may show two that are
 * the same. tolerance: readings closer than this part of their value, or than `least`, are the same. */
struct cluster cluster_of(const double *values, unsigned count, double noise, double tolerance, double least);
