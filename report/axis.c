// SPDX-License-Identifier: BSD-2-Clause
/* axis.c: ranges to axes. Only additions, products and base/logarithm.h: the same ticks on every machine. */
#include "report/axis.h"
#include "base/logarithm.h"
#include "report/quantity.h"

static const double LOGARITHM_OF_10 = 3.3219280948873623; /* to base 2 */
static const double FEW_DECADES = 2.6; /* up to here there is room for 2 and 5 between the powers of ten */
static const double SMALLEST = 1e-300, LARGEST = 1e300;
static const double ROUNDING = 1e-9;    /* what products of powers of ten may be off */
static const double LAST_DIGITS = 1e-3; /* of a step: what a multiple of it may be off */

/* LEAST_*: factors from which an axis is logarithmic. */
enum { LEAST_FACTOR = 8, LEAST_OF_COUNTS = 32, WANTED_TICKS = 7, EVEN_TICKS = 9 };

/* The largest power of ten that is not above a number > 0. */
static double power_below(double number)
{
    double power = 1;

    while (power <= number / 10)
        power *= 10;
    while (power > number)
        power /= 10;
    return power;
}

/* The next of 1, 2, 5, 10 times a power of ten at or above a number > 0. */
static double round_above(double number)
{
    static const double factors[] = {1, 2, 5};
    double power = power_below(number);

    for (unsigned i = 0; i < sizeof factors / sizeof *factors; i++) {
        if (power * factors[i] >= number)
            return power * factors[i];
    }
    return power * 10;
}

/* The same, at or below. */
static double round_below(double number)
{
    double power = power_below(number);

    return number >= power * 5 ? power * 5 : number >= power * 2 ? power * 2 : power;
}

static double power_of_two_below(double number)
{
    double power = 1;

    while (power <= number / 2)
        power *= 2;
    while (power > number)
        power /= 2;
    return power;
}

/* The whole number at or below one that is within 2^62. */
static double floor_of(double number)
{
    double whole = (double)(int64_t)number;

    return whole > number ? whole - 1 : whole;
}

/* The distance of an even axis's ticks, above 0. */
static double even_step(double low, double high)
{
    double step = high / EVEN_TICKS - low / EVEN_TICKS;

    return step > 0 ? round_above(step) : 0;
}

static void fit_even(struct axis *axis)
{
    double step;

    if (axis->low >= 0 && axis->low <= axis->high / 2)
        axis->low = 0;
    if (!(even_step(axis->low, axis->high) > 0)) {
        /* One value, or values that differ by less than they can be told apart: half as much around them. */
        double size = axis->high < 0 ? -axis->high : axis->high;
        axis->low -= size / 2;
        axis->high += size > 0 ? size / 2 : 1;
    }
    step = even_step(axis->low, axis->high);
    axis->low = floor_of(axis->low / step) * step;
    axis->high = -floor_of(-axis->high / step) * step;
}

/* What hardware has powers of two of. */
static bool is_doubled(const char *unit)
{
    return text_listed("bytes,pages,entries,lines,sets", unit);
}

/* Within what round numbers, their steps and their quotients can be computed. */
static double tamed(double number)
{
    if (number < SMALLEST && number > -SMALLEST)
        return 0;
    return number > LARGEST ? LARGEST : number < -LARGEST ? -LARGEST : number;
}

struct axis axis_for(double low, double high, const char *unit)
{
    struct axis axis = {.low = tamed(low), .high = tamed(high), .unit = unit};

    low = axis.low;
    high = axis.high;
    if (low > 0 && high / low >= (text_listed("bytes,cycles,ticks,ns", unit) ? LEAST_FACTOR : LEAST_OF_COUNTS)) {
        bool doubled = is_doubled(unit);
        axis.kind = doubled ? AXIS_DOUBLING : AXIS_DECADES;
        axis.low = doubled ? power_of_two_below(low) : round_below(low);
        if (doubled && power_of_two_below(high) < high)
            high = power_of_two_below(high) * 2;
        else if (!doubled)
            high = round_above(high);
        axis.high = high;
    } else {
        fit_even(&axis);
    }
    return axis;
}

double axis_place(const struct axis *axis, double value)
{
    double place;

    if (axis->kind == AXIS_EVEN)
        place = (value - axis->low) / (axis->high - axis->low);
    else
        place = (logarithm2(value) - logarithm2(axis->low)) / (logarithm2(axis->high) - logarithm2(axis->low));
    return place > 0 ? place < 1 ? place : 1 : 0;
}

static unsigned even_ticks(const struct axis *axis, double ticks[MOST_TICKS])
{
    double step = even_step(axis->low, axis->high);
    unsigned count = 0;

    double first = -floor_of(LAST_DIGITS - axis->low / step);
    while (count < MOST_TICKS && (first + count) * step <= axis->high + step * LAST_DIGITS) {
        ticks[count] = (first + count) * step;
        count++;
    }
    return count;
}

/* Every `stride` doublings, from the first whose exponent is a multiple of it: 1 KB, 32 KB, 1 MB. */
static unsigned doubling_ticks(const struct axis *axis, double ticks[MOST_TICKS])
{
    static const int strides[] = {1, 2, 5, 10, 20, 50, 100, 200, 500};
    int first = (int)logarithm2(axis->low), last = (int)logarithm2(axis->high), stride = 1;
    double value = axis->low;
    unsigned count = 0;

    for (unsigned i = 0; i < sizeof strides / sizeof *strides && (last - first) / stride >= WANTED_TICKS; i++)
        stride = strides[i];
    for (int exponent = first; exponent <= last && count < MOST_TICKS; exponent++, value *= 2) {
        if (exponent % stride == 0)
            ticks[count++] = value;
    }
    return count;
}

/* 1, 2, 5, 10 over up to two decades, otherwise powers of ten, as many of them as there is room for. */
static unsigned decade_ticks(const struct axis *axis, double ticks[MOST_TICKS])
{
    double decades = (logarithm2(axis->high) - logarithm2(axis->low)) / LOGARITHM_OF_10, factor = 10;
    bool few = decades <= FEW_DECADES;
    double value = few ? axis->low : power_below(axis->low);
    unsigned count = 0;

    for (unsigned stride = 1; decades > WANTED_TICKS * stride; stride++)
        factor *= 10;
    if (value < axis->low * (1 - ROUNDING))
        value *= 10;
    while (count < MOST_TICKS && value <= axis->high * (1 + ROUNDING)) {
        ticks[count++] = value;
        value = few ? round_above(value * 1.5) : value * factor;
    }
    return count;
}

unsigned axis_ticks(const struct axis *axis, double ticks[MOST_TICKS])
{
    switch (axis->kind) {
    case AXIS_DOUBLING:
        return doubling_ticks(axis, ticks);
    case AXIS_DECADES:
        return decade_ticks(axis, ticks);
    default:
        return even_ticks(axis, ticks);
    }
}

void axis_label(struct text *text, const struct axis *axis, double value)
{
    double size = value < 0 ? -value : value;

    if (text_equal(axis->unit, "bytes")) {
        quantity_text(text, value, size >= 1024 ? "bytes" : "");
        text_string(text, size >= 1024 ? "" : " B");
    } else if (axis->kind != AXIS_DOUBLING && size >= 1e4 && size < 1e12) {
        double unit = size >= 1e9 ? 1e9 : size >= 1e6 ? 1e6 : 1e3;
        quantity_text(text, value / unit, "");
        text_string(text, unit == 1e9 ? "G" : unit == 1e6 ? "M" : "k");
    } else if (size < 1e-4) { /* a quantity has nine decimals at most */
        text_number(text, value);
    } else {
        quantity_text(text, value, "");
    }
}

void axis_title(struct text *text, const struct axis *axis, const char *name)
{
    size_t before = text->length, unit = text_length(axis->unit);
    bool named = text_starts(name, axis->unit) && (name[unit] == 0 || name[unit] == ' ');

    text_string(text, name);
    text_string(text, name[0] && axis->unit[0] && !named ? ", " : "");
    text_string(text, named ? "" : axis->unit);
    if (axis->kind != AXIS_EVEN)
        text_string(text, text->length > before ? " (logarithmic)" : "logarithmic");
}
