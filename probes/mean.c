// SPDX-License-Identifier: BSD-2-Clause
/* mean.c: means of what agrees. */
#include "probes/mean.h"
#include "base/arithmetic.h"
#include "probes/sample.h"

double mean_of_most(double *values, unsigned count, double step)
{
    double low = quantile(values, count, 0.25), high = quantile(values, count, 0.75);
    double room = 1.5 * (high - low + step), sum = 0;
    unsigned counted = 0;
    for (unsigned i = 0; i < count; i++)
        if (values[i] >= low - room && values[i] <= high + room) {
            sum += values[i];
            counted++;
        }
    return sum / counted;
}

/* The standard deviation of the mean of `count` values, 2 or more, that is `mean`. */
static double mean_deviation(const double *values, unsigned count, double mean)
{
    double squares = 0;
    for (unsigned i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return square_root(squares / (count - 1) / count);
}

double mean_of_batches(const double *values, unsigned count, double *deviation)
{
    double sorted[MOST_MEANT];
    for (unsigned i = 0; i < count; i++)
        sorted[i] = values[i];
    double mean = mean_of_most(sorted, count, 0), of_mean = mean_deviation(values, count, mean);
    if (of_mean > *deviation)
        *deviation = of_mean;
    return mean;
}
