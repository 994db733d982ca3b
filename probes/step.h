// SPDX-License-Identifier: BSD-2-Clause
/* step.h: plateaus in a series: where a curve stays level, and where it steps up.
 *
 * The logarithms of the values are cut into level pieces by optimal partitioning (Jackson et al., "An algorithm for
 * optimal partitioning of data on an interval", IEEE Signal Processing Letters 2005) at a cost for each cut that comes
 * from the noise of the series itself: how far a point usually lies from the middle between its neighbours. Pieces that
 * are too near to each other are joined, and pieces that climb are no plateaus. */
#pragma once

enum { MAX_SERIES_LENGTH = 160, MAX_PLATEAUS = 12 };

struct plateau {
    unsigned first, last; /* indexes of its points */
    double level;         /* the middle value of its points */
};

struct step_rules {
    double least_step;     /* two plateaus are farther apart than this, in the unit of the values; above 0 */
    double least_ratio;    /* two plateaus differ at least by this factor; 1 or more; 0: any will do */
    double least_noise;    /* relative: what the clock's step alone does to a value */
    unsigned least_points; /* of a plateau, 2 or more; its end may have fewer when the series breaks off there */
};

/* Finds the plateaus of count values (all above 0; at most MAX_SERIES_LENGTH). Returns how many, lowest index first. */
unsigned step_plateaus(const double *value, unsigned count, const struct step_rules *, struct plateau[MAX_PLATEAUS]);

/* Natural logarithm of a positive number, to 1e-12. */
double step_logarithm(double);
