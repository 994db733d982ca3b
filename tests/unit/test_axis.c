// SPDX-License-Identifier: BSD-2-Clause
/* test_axis.c: logarithms against the C library's, numbers as they are written, and axes: their kind, ends, ticks and
 * labels, for ranges of every size. */
#include "base/logarithm.h"
#include "base/number.h"
#include "base/random.h"
#include "report/axis.h"
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A finite number of any size, negative ones too. */
static double any_number(struct random *random)
{
    double number;

    do {
        uint64_t bits = random_next(random);
        memcpy(&number, &bits, sizeof number);
    } while (!isfinite(number));
    return number;
}

static void logarithms(void **state)
{
    struct random random = {3};

    (void)state;
    for (int exponent = -1074; exponent < 1024; exponent++)
        assert_true(logarithm2(ldexp(1, exponent)) == exponent);
    for (int i = 0; i < 100000; i++) {
        double number = fabs(any_number(&random)), there = log2(number);
        if (number > 0)
            assert_true(fabs(logarithm2(number) - there) <= 1e-14 * fmax(1, fabs(there)));
    }
    assert_true(logarithm2(0) == -1074);
    assert_true(logarithm2(-1) == -1074);
    assert_true(logarithm2(NAN) == -1074);
}

/* What is drawn is the same whether a number was read back from its text or not. */
static void numbers_as_written(void **state)
{
    struct random random = {4};

    (void)state;
    for (int i = 0; i < 100000; i++) {
        double number = i % 2 ? any_number(&random) : (double)random_below(&random, 1u << 30) / 1000, read;
        char buffer[NUMBER_SIZE];
        struct text text = text_in(buffer, sizeof buffer);
        text_number(&text, number);
        read = strtod(buffer, NULL);
        assert_true(number_as_written(number) == number_as_written(read));
        assert_true(number_as_written(number_as_written(number)) == number_as_written(number));
        if (fabs(number) > 1e-15 && fabs(number) < 1e15)
            assert_true(number_as_written(number) == read);
    }
    assert_true(isnan(number_as_written(NAN)));
    assert_true(number_as_written(1e300) == number_as_written(strtod("1e+300", NULL)));
    assert_true(number_as_written(123456.7) == 123457);
}

/* The labels of an axis in one line. */
static void expect_labels(double low, double high, const char *unit, enum axis_kind kind, const char *expected)
{
    struct axis axis = axis_for(low, high, unit);
    double ticks[MOST_TICKS];
    unsigned count = axis_ticks(&axis, ticks);
    char buffer[256];
    struct text text = text_in(buffer, sizeof buffer);

    for (unsigned i = 0; i < count; i++) {
        text_string(&text, i ? " | " : "");
        axis_label(&text, &axis, ticks[i]);
    }
    assert_string_equal(buffer, expected);
    assert_int_equal(axis.kind, kind);
}

static void labels(void **state)
{
    (void)state;
    expect_labels(1024, 1 << 30, "bytes", AXIS_DOUBLING, "1 KB | 32 KB | 1 MB | 32 MB | 1 GB");
    expect_labels(1000, 1100000, "bytes", AXIS_DOUBLING, "1 KB | 4 KB | 16 KB | 64 KB | 256 KB | 1 MB");
    expect_labels(512, 4096, "bytes", AXIS_DOUBLING, "512 B | 1 KB | 2 KB | 4 KB");
    expect_labels(48, 128, "bytes", AXIS_EVEN, "0 B | 20 B | 40 B | 60 B | 80 B | 100 B | 120 B | 140 B");
    expect_labels(1, 131072, "pages", AXIS_DOUBLING, "1 | 32 | 1024 | 32768");
    expect_labels(4, 400, "cycles", AXIS_DECADES, "2 | 5 | 10 | 20 | 50 | 100 | 200 | 500");
    expect_labels(4, 80000, "cycles", AXIS_DECADES, "10 | 100 | 1000 | 10k | 100k");
    expect_labels(3e-12, 7e12, "", AXIS_DECADES, "0.00000000001 | 0.0000001 | 0.001 | 10 | 100k | 1G | 10000000000000");
    expect_labels(4, 57, "cycles", AXIS_DECADES, "2 | 5 | 10 | 20 | 50 | 100");
    expect_labels(1, 16, "ways", AXIS_EVEN, "0 | 2 | 4 | 6 | 8 | 10 | 12 | 14 | 16");
    expect_labels(4, 14, "cycles", AXIS_EVEN, "0 | 2 | 4 | 6 | 8 | 10 | 12 | 14");
    expect_labels(-3, 1, "", AXIS_EVEN, "-3 | -2.5 | -2 | -1.5 | -1 | -0.5 | 0 | 0.5 | 1");
    expect_labels(0, 0.007, "", AXIS_EVEN, "0 | 0.001 | 0.002 | 0.003 | 0.004 | 0.005 | 0.006 | 0.007");
    expect_labels(35, 35, "", AXIS_EVEN, "15 | 20 | 25 | 30 | 35 | 40 | 45 | 50 | 55");
    expect_labels(0, 4000000, "", AXIS_EVEN, "0 | 500k | 1M | 1.5M | 2M | 2.5M | 3M | 3.5M | 4M");
}

static void expect_title(double low, double high, const char *unit, const char *name, const char *expected)
{
    struct axis axis = axis_for(low, high, unit);
    char buffer[64];
    struct text text = text_in(buffer, sizeof buffer);

    axis_title(&text, &axis, name);
    assert_string_equal(buffer, expected);
}

static void titles(void **state)
{
    (void)state;
    expect_title(1024, 1 << 20, "bytes", "footprint", "footprint, bytes (logarithmic)");
    expect_title(1024, 1 << 20, "bytes", "", "bytes (logarithmic)");
    expect_title(1, 16, "ways", "ways", "ways");
    expect_title(1, 1024, "pages", "pages in a row", "pages in a row (logarithmic)");
    expect_title(1, 16, "way", "ways", "ways, way");
    expect_title(1, 16, "", "sets", "sets");
    expect_title(1, 1e6, "", "", "logarithmic");
    expect_title(1, 16, "", "", "");
}

static double tamed(double number)
{
    return fmax(fmin(number, 1e300), -1e300);
}

/* Whatever the range: a sound axis that holds it, ticks that ascend within it, places from 0 to 1. */
static void check_axis(double low, double high, const char *unit)
{
    struct axis axis = axis_for(low, high, unit);
    double ticks[MOST_TICKS], last = -1;
    unsigned count = axis_ticks(&axis, ticks);

    assert_true(isfinite(axis.low) && isfinite(axis.high) && axis.low < axis.high);
    assert_true(axis.low <= tamed(low) + 1e-9 * (axis.high - axis.low) + 1e-300);
    assert_true(axis.high >= tamed(high) - 1e-9 * (axis.high - axis.low) - 1e-300);
    assert_true(count >= 1 && count <= MOST_TICKS);
    for (unsigned i = 0; i < count; i++) {
        double place = axis_place(&axis, ticks[i]);
        assert_true(place >= 0 && place <= 1);
        assert_true(i == 0 || ticks[i] > ticks[i - 1]);
        assert_true(ticks[i] - axis.high <= 1e-3 * (axis.high - axis.low));
        assert_true(place >= last);
        last = place;
    }
    assert_true(axis_place(&axis, low) <= axis_place(&axis, high));
    assert_true(axis_place(&axis, axis.low) == 0 && axis_place(&axis, axis.high) == 1);
}

static void any_range(void **state)
{
    static const char *const units[] = {"bytes", "cycles", ""};
    static const double edges[] = {-DBL_MAX, -1,   -5e-324, 0,       5e-324, DBL_MIN, 1e-300,
                                   1,        1.01, 64,      1 << 30, 1e15,   1e300,   DBL_MAX};
    struct random random = {5};

    (void)state;
    for (unsigned unit = 0; unit < 3; unit++) {
        for (unsigned i = 0; i < sizeof edges / sizeof *edges; i++) {
            for (unsigned j = i; j < sizeof edges / sizeof *edges; j++)
                check_axis(edges[i], edges[j], units[unit]);
        }
        for (int i = 0; i < 20000; i++) {
            double one = any_number(&random), other = i % 2 ? any_number(&random) : one * 1.0001;
            if (isfinite(other))
                check_axis(fmin(one, other), fmax(one, other), units[unit]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(logarithms), cmocka_unit_test(numbers_as_written),
                                       cmocka_unit_test(labels), cmocka_unit_test(titles), cmocka_unit_test(any_range)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
