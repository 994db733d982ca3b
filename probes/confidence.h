// SPDX-License-Identifier: BSD-2-Clause
/* confidence.h: from the errors of decisions to the confidence of a finding. */
#pragma once

/* The probability that an answer is right which needs several decisions all to be right: 1 minus the sum of their
 * errors (Boole's bound holds whether or not they depend on each other). What no test of this run can see (a cache that
 * is none of the kind that the method assumes) is never less than 1 in 1000. errors: their sum. */
double confidence_from(double errors);

/* The error of taking the whole number nearest to the middle of `count` readings, given the quartiles around it: by
 * Chebyshev's inequality for the mean, with a spread from the quartiles. 0 when there is no spread. */
double confidence_rounding(double low, double middle, double high, unsigned count);

/* The error of taking a value for right within `tolerance` when it may be off by `deviation` (standard deviation and
 * bias together), by Chebyshev's inequality: at most 1. tolerance 0 or less: 1. */
double confidence_within(double deviation, double tolerance);
