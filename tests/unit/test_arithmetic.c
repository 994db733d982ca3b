// SPDX-License-Identifier: BSD-2-Clause
/* test_arithmetic.c: roots and powers of two. */
#include "base/arithmetic.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* after the headers that it needs */
#include <cmocka.h>

static void roots(void **state)
{
    static const double known[] = {1e-12, 0.25, 1, 2, 3, 81, 1e6, 12345.678, 1e30};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double root = square_root(known[i]), off = root * root / known[i] - 1;
        assert_true(off < 1e-14 && off > -1e-14);
    }
    assert_true(square_root(0) == 0 && square_root(-1) == 0);
}

static void powers(void **state)
{
    (void)state;
    assert_int_equal(power_of_two_within(0), 1);
    assert_int_equal(power_of_two_within(1), 1);
    for (unsigned bit = 1; bit < 64; bit++) {
        uint64_t power = UINT64_C(1) << bit;
        assert_true(power_of_two_within(power) == power);
        assert_true(power_of_two_within(power + power / 2) == power);
        assert_true(power_of_two_within(power - 1) == power / 2);
    }
}

static void divisors(void **state)
{
    (void)state;
    assert_int_equal(common_divisor(0, 0), 0);
    assert_int_equal(common_divisor(0, 12), 12);
    assert_int_equal(common_divisor(12, 0), 12);
    assert_int_equal(common_divisor(12, 18), 6);
    assert_int_equal(common_divisor(18, 12), 6);
    assert_int_equal(common_divisor(35, 64), 1);
    assert_int_equal(difference(3, 7), 4);
    assert_true(difference(UINT64_MAX, 1) == UINT64_MAX - 1);
    assert_true(common_divisor(UINT64_C(3) << 62, UINT64_C(1) << 63) == UINT64_C(1) << 62);
}

static void set_bits(void **state)
{
    (void)state;
    assert_int_equal(bits_set(0), 0);
    assert_int_equal(bits_set(1), 1);
    assert_int_equal(bits_set(UINT64_C(1) << 63 | 6), 3);
    assert_int_equal(bits_set(UINT64_MAX), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(roots), cmocka_unit_test(powers), cmocka_unit_test(divisors),
                                       cmocka_unit_test(set_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
