// SPDX-License-Identifier: BSD-2-Clause
/* number.c: numbers to text and back. Doubles are scaled by exact powers of ten and rounded once: the same operations
 * in the same order on every machine, so the same text, and no C library in the image. */
#include "base/number.h"

static const double largest_exact = 9007199254740992.0; /* 2^53: every integer below has a double of its own */

void number_digits(struct text *text, uint64_t number, unsigned base)
{
    char digits[20];
    unsigned count = 0;

    do {
        digits[count++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number > 0);
    while (count > 0)
        text_char(text, digits[--count]);
}

/* 10^exponent. Up to 10^22 a power of ten is an exact double; larger ones (numbers below 1e-16) are close enough for
 * six digits. */
static double power_of_ten(unsigned exponent)
{
    double power = 1;

    while (exponent-- > 0)
        power *= 10;
    return power;
}

static double scale(double number, int exponent)
{
    if (exponent >= 0)
        return exponent <= 300 ? number * power_of_ten((unsigned)exponent)
                               : number * power_of_ten(300) * power_of_ten((unsigned)exponent - 300);
    return exponent >= -300 ? number / power_of_ten((unsigned)-exponent)
                            : number / power_of_ten(300) / power_of_ten((unsigned)-exponent - 300);
}

/* Six significant digits: a number from 100000 to 999999, and the exponent of its first digit. number > 0 and finite.
 */
static uint64_t six_digits(double number, int *exponent)
{
    int first = 0;
    uint64_t digits;

    while (scale(number, -first) >= 10)
        first++;
    while (scale(number, -first) < 1)
        first--;
    digits = (uint64_t)(scale(number, 5 - first) + 0.5);
    if (digits >= 1000000) {
        digits /= 10;
        first++;
    }
    *exponent = first;
    return digits;
}

/* digits * 10^-decimals, trailing zeros of the fraction dropped when `drop`. */
static void add_decimals(struct text *text, uint64_t digits, unsigned decimals, bool drop)
{
    char fraction[24];
    unsigned count = 0;

    while (drop && decimals > 0 && digits % 10 == 0) {
        digits /= 10;
        decimals--;
    }
    for (; count < decimals && count < sizeof fraction; count++) {
        fraction[count] = (char)('0' + digits % 10);
        digits /= 10;
    }
    number_digits(text, digits, 10);
    if (count > 0)
        text_char(text, '.');
    while (count > 0)
        text_char(text, fraction[--count]);
}

/* Whether a finite number that is not negative is written with all its digits. */
static bool is_counted(double number)
{
    return number < largest_exact && number == (double)(uint64_t)number;
}

/* A finite positive number as text_number promises. */
static void add_positive(struct text *text, double number)
{
    int exponent;
    uint64_t digits;

    if (is_counted(number)) {
        number_digits(text, (uint64_t)number, 10);
        return;
    }
    digits = six_digits(number, &exponent);
    if (exponent >= 15 || exponent < -15) {
        add_decimals(text, digits, 5, true);
        text_string(text, exponent < 0 ? "e-" : "e+");
        number_digits(text, (uint64_t)(exponent < 0 ? -exponent : exponent), 10);
    } else if (exponent >= 5) {
        for (; exponent > 5; exponent--)
            digits *= 10;
        number_digits(text, digits, 10);
    } else {
        add_decimals(text, digits, (unsigned)(5 - exponent), true);
    }
}

static bool is_finite(double number)
{
    return number - number == 0;
}

void text_number(struct text *text, double number)
{
    if (!is_finite(number)) {
        text_string(text, "null");
        return;
    }
    if (number < 0)
        text_char(text, '-');
    add_positive(text, number < 0 ? -number : number);
}

double number_as_written(double number)
{
    double size = number < 0 ? -number : number;
    int exponent;
    uint64_t digits;

    if (!is_finite(number) || is_counted(size))
        return number;
    digits = six_digits(size, &exponent);
    size = scale((double)digits, exponent - 5);
    return number < 0 ? -size : size;
}

void number_decimals(struct text *text, double number, unsigned decimals)
{
    double size = number < 0 ? -number : number;
    uint64_t digits;

    decimals = decimals > 9 ? 9 : decimals;
    while (decimals > 0 && is_finite(size) && scale(size, (int)decimals) >= 1e19)
        decimals--;
    if (!is_finite(number) || size >= 1e15) {
        text_number(text, number);
        return;
    }
    digits = (uint64_t)(scale(size, (int)decimals) + 0.5);
    if (number < 0 && digits > 0)
        text_char(text, '-');
    add_decimals(text, digits, decimals, false);
}

static int digit_value(char character)
{
    if (character >= '0' && character <= '9')
        return character - '0';
    if (character >= 'a' && character <= 'f')
        return character - 'a' + 10;
    if (character >= 'A' && character <= 'F')
        return character - 'A' + 10;
    return 16;
}

/* The power of 1024 that a letter after a number stands for, 0 for the end of the text, -1 for anything else. */
static int suffix_shift(const char *from)
{
    if (from[0] == '\0')
        return 0;
    if (from[1] != '\0')
        return -1;
    switch (from[0]) {
    case 'k':
    case 'K':
        return 10;
    case 'm':
    case 'M':
        return 20;
    case 'g':
    case 'G':
        return 30;
    default:
        return -1;
    }
}

bool text_read_number(const char *from, uint64_t *value)
{
    bool hexadecimal = from[0] == '0' && (from[1] == 'x' || from[1] == 'X');
    unsigned base = hexadecimal ? 16 : 10;
    uint64_t number = 0;
    size_t at = hexadecimal ? 2 : 0;
    size_t start = at;
    int shift;

    for (; digit_value(from[at]) < (int)base; at++) {
        unsigned digit = (unsigned)digit_value(from[at]);
        if (number > (UINT64_MAX - digit) / base)
            return false;
        number = number * base + digit;
    }
    shift = suffix_shift(from + at);
    if (at == start || shift < 0 || number > UINT64_MAX >> shift)
        return false;
    *value = number << shift;
    return true;
}
