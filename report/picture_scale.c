// SPDX-License-Identifier: BSD-2-Clause
/* picture_scale.c: axes: where a value stands, and which values get a tick. */
#include "report/picture_parts.h"

/* By halving into [1, 2) and the series of the inverse hyperbolic tangent, to 1e-9. */
double picture_log2(double value)
{
    double whole = 0, ratio, square, term, sum = 0;

    for (; value >= 2; value /= 2)
        whole++;
    for (; value < 1; value *= 2)
        whole--;
    ratio = (value - 1) / (value + 1);
    square = ratio * ratio;
    term = ratio;
    for (unsigned odd = 1; odd < 21; odd += 2, term *= square)
        sum += term / odd;
    return whole + 2 * sum * 1.4426950408889634;
}

double picture_place(const struct scale *scale, double value)
{
    double part = 0;

    /* Also for what is not finite: it has its place at an end. */
    if (value >= scale->high)
        part = 1;
    else if (value > scale->low && scale->logarithmic)
        part = picture_log2(value / scale->low) / picture_log2(scale->high / scale->low);
    else if (value > scale->low)
        part = (value - scale->low) / (scale->high - scale->low);
    return scale->from + (scale->to - scale->from) * part;
}

static void add_tick(struct scale *scale, double value)
{
    if (value >= scale->low * (1 - 1e-9) && value <= scale->high * (1 + 1e-9) && scale->ticks < MAX_TICKS)
        scale->tick[scale->ticks++] = value;
}

/* Powers of two, each, each second, each fourth, and so on. */
static void tick_powers(struct scale *scale, unsigned most)
{
    double step = 2, first = 1;

    for (double octaves = picture_log2(scale->high / scale->low); octaves + 1 > most; octaves /= 2)
        step *= step;
    while (first < scale->low * (1 - 1e-9))
        first *= step;
    for (double value = first; value <= scale->high * (1 + 1e-9); value *= step)
        add_tick(scale, value);
}

/* 1, 2 and 5 of each power of ten; where that is too much, 1 alone. */
static void tick_decades(struct scale *scale, unsigned most)
{
    double decade = 1, octaves = picture_log2(scale->high / scale->low);
    bool all = octaves * 0.30103 * 3 <= most;

    while (decade > scale->low)
        decade /= 10;
    while (decade * 10 < scale->low)
        decade *= 10;
    for (; decade <= scale->high * (1 + 1e-9); decade *= 10) {
        add_tick(scale, decade);
        if (all) {
            add_tick(scale, 2 * decade);
            add_tick(scale, 5 * decade);
        }
    }
}

/* Multiples of 1, 2 or 5 times a power of ten. */
static void tick_evenly(struct scale *scale, unsigned most)
{
    static const double factor[] = {2, 2.5, 2};
    double step = 1, span = scale->high - scale->low, value;
    unsigned next = 0;

    while (span / step < most)
        step /= 10;
    while (span / step > most)
        step *= factor[next++ % 3];
    value = (double)(int64_t)(scale->low / step) * step;
    for (; value <= scale->high * (1 + 1e-9); value += step)
        add_tick(scale, value);
}

void picture_scale(struct scale *scale, double low, double high, double steep, bool bytes, unsigned most)
{
    scale->low = low;
    scale->high = high;
    scale->ticks = 0;
    scale->logarithmic = low > 0 && high / low >= steep;
    most = most < 2 ? 2 : most > MAX_TICKS ? MAX_TICKS : most;
    if (scale->logarithmic && bytes)
        tick_powers(scale, most);
    else if (scale->logarithmic)
        tick_decades(scale, most);
    else
        tick_evenly(scale, most);
}
