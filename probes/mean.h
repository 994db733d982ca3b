// SPDX-License-Identifier: BSD-2-Clause
/* mean.h: means of readings of which some were interrupted. */
#pragma once

enum { MOST_MEANT = 256 }; /* values at most */

/* The mean of values, without those that lie far off: further than one and a half times what quartiles and a step are
 * apart (Tukey, Exploratory Data Analysis, 1977; a step may be a tick longer than the others). A quantile of readings
 * that move in steps would say a step, and not what lies between. Sorts the values. count: 1 or more. */
double mean_of_most(double *values, unsigned count, double step);

/* The mean of batches that agree; *deviation grows to the standard deviation of that mean. count: 2 to MOST_MEANT. */
double mean_of_batches(const double *values, unsigned count, double *deviation);
