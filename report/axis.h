// SPDX-License-Identifier: BSD-2-Clause
/* axis.h: from a range of values to an axis: whether it is even or logarithmic, its ends, its ticks and their labels.
 * Knows no picture: a place is a number from 0 to 1. */
#pragma once
#include "base/text.h"

enum axis_kind {
    AXIS_EVEN,     /* each step the same distance */
    AXIS_DOUBLING, /* bytes, pages, entries, lines, sets: each doubling the same distance */
    AXIS_DECADES   /* each factor of ten the same distance */
};

struct axis {
    enum axis_kind kind;
    double low, high; /* low < high, both finite */
    const char *unit; /* as of the values */
};

enum { MOST_TICKS = 12 };

/* The axis for values from `low` to `high` (finite, low <= high) of a unit. Logarithmic when all are above 0 and span a
 * factor of 8 in bytes, cycles, ticks or ns, or of 32 in anything else. Ends are round numbers. What is beyond 1e300
 * counts as 1e300, what is below 1e-300 as 0. */
struct axis axis_for(double low, double high, const char *unit);

/* Where a value lies: 0 at the low end, 1 at the high one, never outside. */
double axis_place(const struct axis *, double value);

/* The values to label, ascending; returns how many, at most MOST_TICKS. */
unsigned axis_ticks(const struct axis *, double ticks[MOST_TICKS]);

/* A label: "32 KB", "500", "2M". */
void axis_label(struct text *, const struct axis *, double value);

/* What an axis shows, "footprint, bytes (logarithmic)", when `name`, which may be "", says what its values are; a name
 * that begins with the unit, "pages in a row", says that, too. */
void axis_title(struct text *, const struct axis *, const char *name);
