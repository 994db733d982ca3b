// SPDX-License-Identifier: BSD-2-Clause
/* logarithm.h: a logarithm without a C library. */
#pragma once

/* The logarithm to base 2 of a finite number above 0, right to 1e-14; of a power of two it is exact. What is not above
 * 0 gives the logarithm of the smallest number, -1074. Method: Abramowitz and Stegun 4.1.27 on the mantissa. */
double logarithm2(double);
