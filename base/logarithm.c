// SPDX-License-Identifier: BSD-2-Clause
/* logarithm.c: the exponent is read off, the mantissa's logarithm is a short series: the same operations everywhere, so
 * the same bits. */
#include "base/logarithm.h"
#include <stdint.h>

static const double TWO_OF_E = 2.8853900817779268; /* 2 / ln 2 */
static const double SQUARE_ROOT_OF_2 = 1.4142135623730951;
static const double TO_NORMAL = 18014398509481984.0; /* 2^54 lifts every subnormal number */

enum { TO_NORMAL_BITS = 54, MANTISSA_BITS = 52, BIAS = 1023, SMALLEST = -1074, TERMS = 12 };

union bits {
    double number;
    uint64_t word;
};

/* ln m = 2 (s + s^3/3 + s^5/5 + ...) with s = (m - 1) / (m + 1): from 0.7 to 1.42, 12 terms leave less than 1e-18. */
static double of_mantissa(double mantissa)
{
    double s = (mantissa - 1) / (mantissa + 1), square = s * s, sum = 0;

    for (int term = TERMS - 1; term >= 0; term--)
        sum = sum * square + 1.0 / (2 * term + 1);
    return sum * s * TWO_OF_E;
}

double logarithm2(double number)
{
    union bits bits = {.number = number};
    int exponent = -BIAS;

    if (!(number > 0))
        return SMALLEST;
    if (bits.word >> MANTISSA_BITS == 0) {
        bits.number *= TO_NORMAL;
        exponent -= TO_NORMAL_BITS;
    }
    exponent += (int)(bits.word >> MANTISSA_BITS);
    bits.word = (bits.word & ((1ULL << MANTISSA_BITS) - 1)) | (uint64_t)BIAS << MANTISSA_BITS;
    if (bits.number > SQUARE_ROOT_OF_2) {
        bits.number /= 2;
        exponent++;
    }
    return exponent + of_mantissa(bits.number);
}
