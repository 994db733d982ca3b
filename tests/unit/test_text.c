// SPDX-License-Identifier: BSD-2-Clause
/* test_text.c: base/text.h and the digits behind it. */
#include "base/random.h"
#include "base/text.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_number(double number, const char *expected)
{
    char buffer[64];
    struct text text = text_in(buffer, sizeof buffer);

    text_number(&text, number);
    assert_string_equal(buffer, expected);
}

static void numbers(void **state)
{
    (void)state;
    expect_number(0, "0");
    expect_number(-0.0, "0");
    expect_number(1, "1");
    expect_number(-17, "-17");
    expect_number(49152, "49152");
    expect_number(2595119000.0, "2595119000");
    expect_number(9007199254740991.0, "9007199254740991");
    expect_number(9007199254740992.0, "9.0072e+15");
    expect_number(1e300, "1e+300");
    expect_number(0.5, "0.5");
    expect_number(3.25, "3.25");
    expect_number(-3.25, "-3.25");
    expect_number(1.0 / 3, "0.333333");
    expect_number(2.0 / 3, "0.666667");
    expect_number(123456.7, "123457");
    expect_number(1234567.8, "1234570");
    expect_number(999999.5, "1000000");
    expect_number(0.9999996, "1");
    expect_number(0.99999949, "0.999999");
    expect_number(1e-9, "0.000000001");
    expect_number(1.5e-15, "0.0000000000000015");
    expect_number(1.5e-16, "1.5e-16");
    expect_number(5e-324, "4.94066e-324");
    expect_number(0.0 / 0.0, "null");
    expect_number(1 / 0.0, "null");
    expect_number(-1 / 0.0, "null");
}

/* Whatever the number, its text is the number again, to six digits. */
static void numbers_come_back(void **state)
{
    struct random random = {7};

    (void)state;
    for (int i = 0; i < 50000; i++) {
        double number, back, error;
        uint64_t bits = random_next(&random);
        char buffer[64];
        struct text text = text_in(buffer, sizeof buffer);
        memcpy(&number, &bits, sizeof number);
        if (number - number != 0)
            continue;
        text_number(&text, number);
        back = strtod(buffer, NULL);
        error = (back - number) / number;
        if (error > 5.1e-6 || error < -5.1e-6)
            fail_msg("%.17g became %s", number, buffer);
        assert_false(text.cut);
    }
}

static void expect_format(const char *expected, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void expect_format(const char *expected, const char *format, ...)
{
    char buffer[128];
    struct text text = text_in(buffer, sizeof buffer);
    va_list list;

    va_start(list, format);
    text_format_list(&text, format, list);
    va_end(list);
    assert_string_equal(buffer, expected);
    assert_int_equal(text.length, strlen(expected));
}

static void formats(void **state)
{
    (void)state;
    expect_format("a b 100%", "%s %c 100%%", "a", 'b');
    expect_format("-1 4294967295 ff", "%d %u %x", -1, 4294967295U, 255U);
    expect_format("-9223372036854775808", "%lld", (long long)INT64_MIN);
    expect_format("18446744073709551615 ffffffffffffffff", "%llu %lx", (unsigned long long)UINT64_MAX,
                  (unsigned long)UINT64_MAX);
    expect_format("[   42] [42   ] [00042] [-0042]", "[%5u] [%-5u] [%05u] [%05d]", 42U, 42U, 42U, -42);
    expect_format("[   ab] [ab   ] [abc]", "[%5s] [%-5s] [%2s]", "ab", "ab", "abc");
    expect_format("abc|ab", "%.5s|%.2s", "abc", "abc");
    expect_format("2.5 0.1 3", "%g %g %g", 2.5, 0.1, 3.0);
    expect_format("2.50 3 -0.3 0.000000001", "%.2f %.0f %.1f %.9f", 2.5, 2.5, -0.25, 1e-9);
    expect_format("0.0 null 99.9", "%.1f %.1f %.1f", -0.04, 0.0 / 0.0, 99.949);
    expect_format("12 3", "%zu %ld", (size_t)12, 3L);
}

static void nothing_overruns(void **state)
{
    char buffer[8];
    struct text text = text_in(buffer, 5);

    (void)state;
    memset(buffer + 5, 'x', 3);
    text_string(&text, "abcdefgh");
    text_format(&text, "%d", 12345);
    assert_string_equal(buffer, "abcd");
    assert_true(text.cut);
    assert_int_equal(text.length, 4);
    assert_memory_equal(buffer + 5, "xxx", 3);
    text = text_in(buffer, 1);
    text_char(&text, 'a');
    assert_string_equal(buffer, "");
    assert_true(text.cut);
    text = text_in(buffer, sizeof buffer);
    text_string(&text, NULL);
    assert_string_equal(buffer, "(none)");
    text_copy(buffer, 4, "abcdef");
    assert_string_equal(buffer, "abc");
}

static void columns(void **state)
{
    char buffer[64];
    struct text text = text_in(buffer, sizeof buffer);

    (void)state;
    text_string(&text, "ab");
    text_column(&text, 4);
    text_string(&text, "c\nd");
    text_column(&text, 3);
    text_column(&text, 1);
    text_string(&text, "e");
    assert_string_equal(buffer, "ab  c\nd  e");
    text = text_in(buffer, 4);
    text_column(&text, 100);
    assert_string_equal(buffer, "   ");
}

static void expect_read(const char *from, bool good, uint64_t expected)
{
    uint64_t value = 77;

    assert_int_equal(text_read_number(from, &value), good);
    assert_int_equal(value, good ? expected : 77);
}

static void reads(void **state)
{
    (void)state;
    expect_read("0", true, 0);
    expect_read("0x1aF", true, 0x1af);
    expect_read("48K", true, 49152);
    expect_read("48k", true, 49152);
    expect_read("2M", true, 2 << 20);
    expect_read("1G", true, 1 << 30);
    expect_read("0x10M", true, 16 << 20);
    expect_read("18446744073709551615", true, UINT64_MAX);
    expect_read("18446744073709551616", false, 0);
    expect_read("17179869183G", true, 17179869183ULL << 30);
    expect_read("17179869184G", false, 0);
    expect_read("", false, 0);
    expect_read("0x", false, 0);
    expect_read("K", false, 0);
    expect_read("12KB", false, 0);
    expect_read("-1", false, 0);
    expect_read(" 1", false, 0);
    expect_read("1 ", false, 0);
    expect_read("1.5", false, 0);
}

static void helpers(void **state)
{
    (void)state;
    assert_true(text_equal("", ""));
    assert_false(text_equal("a", ""));
    assert_false(text_equal("", "a"));
    assert_false(text_equal("ab", "ac"));
    assert_true(text_starts("abc", "ab"));
    assert_true(text_starts("abc", ""));
    assert_false(text_starts("ab", "abc"));
    assert_int_equal(text_length("abc"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(numbers_come_back),
                                       cmocka_unit_test(formats), cmocka_unit_test(nothing_overruns),
                                       cmocka_unit_test(columns), cmocka_unit_test(reads),
                                       cmocka_unit_test(helpers)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
