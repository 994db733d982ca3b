// SPDX-License-Identifier: BSD-2-Clause
/* quantity.c: values as people write them. */
#include "report/quantity.h"

/* Four digits are what a reader compares; integers keep all of theirs. Files have more. */
static double rounded(double value)
{
    double size = value < 0 ? -value : value, factor = 1;

    if (!(size < 1e9))
        return value;
    while (size > 0 && size * factor < 1000 && factor < 1e9)
        factor *= 10;
    return (double)(int64_t)(value * factor + (value < 0 ? -0.5 : 0.5)) / factor;
}

struct scale {
    double unit;
    const char *name;
};

static void scaled(struct text *text, double value, const struct scale *scales, unsigned count)
{
    unsigned chosen = 0;

    for (unsigned i = 1; i < count && value >= scales[i].unit; i++)
        chosen = i;
    text_number(text, rounded(value / scales[chosen].unit));
    text_format(text, " %s", scales[chosen].name);
}

/* "bits 0-6 9": the bits of a mask, runs of them as their ends. */
static void bits_text(struct text *text, uint64_t mask)
{
    text_string(text, mask ? "bits" : "no bits");
    for (unsigned bit = 0; bit < 64; bit++) {
        unsigned last = bit;
        if (!(mask >> bit & 1))
            continue;
        while (last < 63 && mask >> (last + 1) & 1)
            last++;
        text_format(text, last > bit ? " %u-%u" : " %u", bit, last);
        bit = last;
    }
}

void quantity_text(struct text *text, double value, const char *unit)
{
    static const struct scale sizes[] = {
        {1, "bytes"}, {1024, "KB"}, {1048576, "MB"}, {1073741824, "GB"}, {1099511627776, "TB"}};
    static const struct scale rates[] = {{1, "Hz"}, {1e3, "kHz"}, {1e6, "MHz"}, {1e9, "GHz"}};

    if (text_equal(unit, "yes/no") && (value == 0 || value == 1)) {
        text_string(text, value == 1 ? "yes" : "no");
        return;
    }
    if (text_equal(unit, "bit mask") && value >= 0 && value < 1e15 && value == (double)(uint64_t)value) {
        bits_text(text, (uint64_t)value);
        return;
    }
    if (text_equal(unit, "bytes"))
        scaled(text, value, sizes, sizeof sizes / sizeof sizes[0]);
    else if (text_equal(unit, "Hz"))
        scaled(text, value, rates, sizeof rates / sizeof rates[0]);
    else
        text_number(text, rounded(value));
    if (unit[0] && !text_equal(unit, "bytes") && !text_equal(unit, "Hz"))
        text_format(text, " %s", unit);
}

void confidence_text(struct text *text, double confidence)
{
    if (confidence >= 1)
        text_string(text, "100 %");
    else if (confidence >= 0.9995)
        text_string(text, ">99.9 %");
    else if (confidence >= 0)
        text_format(text, "%.1f %%", confidence * 100);
    else
        text_string(text, "?");
}
