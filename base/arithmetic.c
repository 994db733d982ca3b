// SPDX-License-Identifier: BSD-2-Clause
/* arithmetic.c: roots, powers and divisors. */
#include "base/arithmetic.h"

double square_root(double square)
{
    enum { HALVINGS = 64 }; /* 50 to come near the root of 1e30 from above, and a few to double the digits */
    double guess = square > 1 ? square : 1;
    if (!(square > 0))
        return 0;
    for (unsigned i = 0; i < HALVINGS; i++)
        guess = (guess + square / guess) / 2;
    return guess;
}

uint64_t power_of_two_within(uint64_t number)
{
    uint64_t power = 1;
    while (power <= number / 2)
        power *= 2;
    return power;
}

uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

double apart(double a, double b)
{
    return a > b ? a - b : b - a;
}

unsigned bits_set(uint64_t number)
{
    unsigned count = 0;
    for (; number; number &= number - 1)
        count++;
    return count;
}
