// SPDX-License-Identifier: BSD-2-Clause
/* cluster.c: the densest window, and what lies around it. */
#include "probes/cluster.h"
#include "base/arithmetic.h"

/* So many are worth a word, although they stand for nothing. */
static const double OTHER = 0.2;

/* Of a window, to each side of its middle: half, and a little more, as readings lie at steps of the clock. */
static const double HALF = 0.55;

/* At least so many are a part that stands for a level ... */
static const double PART = 0.4;

/* ... if around it there are hardly any: so many for each in it. */
static const double AROUND = 0.15;

/* How far the slices of one level may lie from their middle, and how far from a part others must lie. */
static const double WIDE = 0.25;

/* No two neighbouring slices differ by that part of what they take. */
static const double GAP = 0.1;

/* On each side of a gap so many at least: with fewer, it is noise. */
static const double SIDE = 0.05;

/* How far above a reading others may lie that are the same: by tolerance, or by noise, whichever is more. */
static double room_above(double value, double part, double constant, double noise)
{
    double room = constant + (value > 0 ? part * value : 0);
    return room > noise ? room : noise;
}

/* The window of that width that holds most. */
static unsigned densest(const double *values, unsigned count, double part, double constant, double noise,
                        unsigned *first)
{
    unsigned most = 0;
    for (unsigned i = 0, end = 0; i < count; i++) {
        double limit = values[i] + room_above(values[i], part, constant, noise);
        while (end < count && values[end] <= limit)
            end++;
        if (end - i > most) {
            most = end - i;
            *first = i;
        }
    }
    return most;
}

static struct cluster cluster_from(const double *values, unsigned size, unsigned count)
{
    struct cluster cluster = {.share = (double)size / count};
    for (unsigned i = 0; i < size; i++)
        cluster.mean += values[i] / size;
    for (unsigned i = 0; i < size; i++)
        cluster.variance += (values[i] - cluster.mean) * (values[i] - cluster.mean);
    cluster.variance = size > 1 ? cluster.variance / (size - 1) / size : 0;
    return cluster;
}

/* Whether readings that lie within what slices may differ by fall into two parts all the same. */
static bool parted(const double *values, unsigned count, double constant, double noise)
{
    unsigned side = (unsigned)(SIDE * count) + 1;
    for (unsigned i = side; i + side <= count; i++)
        if (values[i] - values[i - 1] > room_above(values[i], GAP, constant, noise))
            return true;
    return false;
}

/* The next largest cluster, below or above the largest one. */
static double other_than(const double *values, unsigned count, unsigned first, unsigned size, double tolerance,
                         double least, double noise)
{
    unsigned end = first + size, below = 0, above = 0;
    unsigned fewer = densest(values, first, 2 * tolerance, 2 * least, noise, &below);
    unsigned more = densest(values + end, count - end, 2 * tolerance, 2 * least, noise, &above);
    unsigned most = fewer > more ? fewer : more;
    if (most < OTHER * count)
        return 0;
    /* The window that holds most may begin or end inside what belongs together: around its middle it does not. */
    double middle = values[(fewer > more ? below : end + above) + most / 2], sum = 0;
    double room = room_above(middle, 2 * tolerance, 2 * least, noise) * HALF;
    unsigned around = 0;
    for (unsigned i = 0; i < count; i++)
        if (apart(values[i], middle) <= room) {
            sum += values[i];
            around++;
        }
    return sum / around;
}

struct cluster cluster_of(const double *values, unsigned count, double noise, double tolerance, double least)
{
    unsigned first = 0, from = 0;
    unsigned size = densest(values, count, 2 * tolerance, 2 * least, noise, &first);
    struct cluster cluster = {.share = 0};
    if (!count)
        return cluster;
    struct cluster tight = cluster_from(values + first, size, count);
    tight.tight = true;
    if (tight.share >= WHOLE)
        return tight;
    unsigned wide = densest(values, count, 2 * WIDE, 2 * least, noise, &from);
    if (wide >= WHOLE * count && !parted(values + from, wide, 2 * least, noise))
        return cluster_from(values + from, wide, count);
    double margin = noise > least ? noise : least;
    double low = tight.mean * (1 - WIDE) - margin, high = tight.mean * (1 + WIDE) + margin;
    unsigned near = 0;
    for (unsigned i = 0; i < count; i++)
        near += values[i] >= low && values[i] <= high;
    if (tight.share < PART || near - size > AROUND * size)
        return cluster;
    tight.other = other_than(values, count, first, size, tolerance, least, noise);
    return tight;
}
