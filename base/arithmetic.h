// SPDX-License-Identifier: BSD-2-Clause
/* arithmetic.h: what a C library would have. */
#pragma once
#include <stdint.h>

/* The square root of a finite number up to 1e30, to the last digit or two; of what is not above 0 it is 0. Newton's
 * method. */
double square_root(double);

/* How far two finite numbers are from each other: 0 or more. */
double apart(double, double);

/* The same of two whole numbers. */
uint64_t difference(uint64_t, uint64_t);

/* The greater one of two whole numbers. */
uint64_t greater(uint64_t, uint64_t);

/* The greatest common divisor of two numbers; of 0 and a number that number. */
uint64_t common_divisor(uint64_t, uint64_t);

/* The largest power of two that is at most a number; 1 for 0. */
uint64_t power_of_two_within(uint64_t);

/* How many bits of a number are set. */
unsigned bits_set(uint64_t);
