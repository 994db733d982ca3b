// SPDX-License-Identifier: BSD-2-Clause
/* number.h: the digits behind base/text.h. */
#pragma once
#include "base/text.h"

enum { NUMBER_SIZE = 64 }; /* bytes that any number's text fits in */

/* Adds an unsigned number in base 10 or 16, without leading zeros. */
void number_digits(struct text *, uint64_t, unsigned base);

/* Adds a number with so many decimals (more than 9 count as 9), rounded half away from zero. From 1e15 on, and for NaN
 * and infinity, as text_number does. */
void number_decimals(struct text *, double, unsigned decimals);

/* The number that the text of text_number reads as: so that what is drawn from a number is the same whether it comes
 * from the run itself or from a file of that run. Applied twice it changes nothing more. */
double number_as_written(double);
