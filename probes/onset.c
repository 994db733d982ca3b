// SPDX-License-Identifier: BSD-2-Clause
/* onset.c: slopes of a curve over the logarithm of its footprints. */
#include "probes/onset.h"

/* Of a lap over F bytes no policy keeps more than a cache of C bytes holds: at 8 C, three octaves on, seven of eight
 * loads miss, and the climb to the next level is over but for an eighth. A climb that takes longer is of more than one
 * level. Half an octave less is asked, because levels that follow each other closely hide in less; how often is for
 * random machines to say, and so are the other two. */
static const double STEEPER = 3, SLOWED = 0.5, LONGEST_CLIMB = 2.5, OCTAVE = 0.693147180559945309;

struct slopes {
    const struct point *point;
    const double *value;
    unsigned count;
};

static double octaves(const struct slopes *curve, unsigned from, unsigned to)
{
    return step_logarithm(curve->point[to].x / curve->point[from].x) / OCTAVE;
}

/* Units of the value an octave. */
static double slope(const struct slopes *curve, unsigned from, unsigned to)
{
    return (curve->value[to] - curve->value[from]) / octaves(curve, from, to);
}

/* The first point at most an octave before, not before `least`. */
static unsigned octave_before(const struct slopes *curve, unsigned least, unsigned at)
{
    unsigned from = at;
    while (from > least && octaves(curve, from - 1, at) < 1.01)
        from--;
    return from;
}

static double highest_after(const struct slopes *curve, unsigned at)
{
    double highest = curve->value[at];
    for (unsigned i = at + 1; i < curve->count && octaves(curve, at, i) < 1.01; i++)
        if (curve->value[i] > highest)
            highest = curve->value[i];
    return highest;
}

/* Whether a level ends at a point, in a climb that began at `begin`. */
static bool ends(const struct slopes *curve, unsigned begin, unsigned at, double ratio)
{
    unsigned from = octave_before(curve, begin, at);
    double steepest = 0;
    if (from >= at || at + 1 >= curve->count || highest_after(curve, at) < curve->value[at] * ratio)
        return false;
    /* The first point of the climb may lie anywhere on it: the octave before does not begin there. */
    if (from == begin)
        from++;
    for (unsigned i = begin; i < at; i++) {
        double here = slope(curve, i, i + 1);
        steepest = here > steepest ? here : steepest;
    }
    double before = slope(curve, from, at), after = slope(curve, at, at + 1);
    return before <= steepest * SLOWED && after >= before * STEEPER;
}

/* The value between two points, a straight line over the logarithm of x. */
static double value_at_middle(const struct slopes *curve, unsigned from, unsigned to)
{
    unsigned i = from;
    double half = octaves(curve, from, to) / 2;
    while (i + 1 < to && octaves(curve, from, i + 1) < half)
        i++;
    double rest = (half - octaves(curve, from, i)) / octaves(curve, i, i + 1);
    return curve->value[i] + rest * (curve->value[i + 1] - curve->value[i]);
}

/* Where the climb to a plateau is over but for an eighth. */
static unsigned arrived(const struct slopes *curve, unsigned begin, const struct plateau *plateau)
{
    double near = plateau->level - (plateau->level - curve->value[begin]) / 8;
    unsigned i = begin;
    while (i < plateau->first && curve->value[i] < near)
        i++;
    return i;
}

unsigned onset_levels(const struct point *point, const double *value, unsigned count, double ratio,
                      struct plateau plateau[MAX_PLATEAUS], unsigned plateaus, unsigned *sure)
{
    struct slopes curve = {point, value, count};
    struct plateau found[MAX_PLATEAUS];
    unsigned total = 0, next = 0, begin = 0;
    bool certain = true;
    *sure = 0;
    for (unsigned at = 0; at < count && total < MAX_PLATEAUS; at++) {
        if (next < plateaus && at == plateau[next].first) {
            certain =
                certain && (!total || octaves(&curve, begin, arrived(&curve, begin, &plateau[next])) <= LONGEST_CLIMB);
            found[total++] = plateau[next];
            at = begin = plateau[next++].last;
        } else if (total && at > begin + 2 && ends(&curve, begin, at, ratio)) {
            struct plateau level = {at, at, value_at_middle(&curve, begin, at)};
            begin = at;
            if (level.level < found[total - 1].level * ratio)
                continue; /* the end of the plateau before, rounded off */
            certain = certain && octaves(&curve, found[total - 1].last, at) <= LONGEST_CLIMB + 1;
            found[total++] = level;
        } else {
            continue;
        }
        *sure += certain;
    }
    for (unsigned i = 0; i < total; i++)
        plateau[i] = found[i];
    return total;
}
