// SPDX-License-Identifier: BSD-2-Clause
/* test_crc32.c: the CRC against the published check value, in pieces, and against bit by bit; and the pseudo-random
 * numbers against the published generator's first outputs. */
#include "base/crc32.h"
#include "base/random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void check_values(void **state)
{
    (void)state;
    assert_int_equal(crc32(0, "", 0), 0);
    assert_int_equal(crc32(0, "123456789", 9), 0xCBF43926);
    assert_int_equal(crc32(0, "a", 1), 0xE8B7BE43);
    assert_int_equal(crc32(0, "The quick brown fox jumps over the lazy dog", 43), 0x414FA339);
}

static void pieces(void **state)
{
    (void)state;
    for (unsigned cut = 0; cut <= 9; cut++)
        assert_int_equal(crc32(crc32(0, "123456789", cut), "123456789" + cut, 9 - cut), 0xCBF43926);
}

/* A bit at a time, as the standard has it. */
static uint32_t by_bits(const uint8_t *bytes, size_t length)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < 8 * length; i++) {
        crc ^= bytes[i / 8] >> i % 8 & 1;
        crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    return ~crc;
}

/* Wherever it lies and of whatever length, so that each value of each table is looked up. */
static void random_bytes(void **state)
{
    struct random random = {5};
    uint8_t bytes[400];
    (void)state;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)random_next(&random);
    for (unsigned round = 0; round < 2000; round++) {
        size_t from = random_below(&random, sizeof bytes), length = random_below(&random, sizeof bytes - from + 1);
        assert_int_equal(crc32(0, bytes + from, length), by_bits(bytes + from, length));
    }
}

static void random_sequence(void **state)
{
    struct random random = {0}, other = {1234567};

    (void)state;
    assert_true(random_next(&random) == 0xE220A8397B1DCDAF);
    assert_true(random_next(&random) == 0x6E789E6AA1B965F4);
    assert_true(random_next(&random) == 0x06C45D188009454F);
    assert_true(random_next(&other) == 6457827717110365317U);
    assert_true(random_next(&other) == 3203168211198807973U);
}

static void random_range(void **state)
{
    struct random random = {1};
    unsigned count[7] = {0};

    (void)state;
    for (unsigned i = 0; i < 70000; i++) {
        uint64_t number = random_below(&random, 7);
        assert_in_range(number, 0, 6);
        count[number]++;
    }
    for (unsigned i = 0; i < 7; i++)
        assert_in_range(count[i], 9500, 10500);
    assert_int_equal(random_below(&random, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_values), cmocka_unit_test(pieces),
                                       cmocka_unit_test(random_bytes), cmocka_unit_test(random_sequence),
                                       cmocka_unit_test(random_range)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
