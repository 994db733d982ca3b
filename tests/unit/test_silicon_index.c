// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_index.c: sets and slices against parities counted bit by bit, and cases worked out by hand. */
#include "base/random.h"
#include "tests/silicon/index.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Is the number of bits that both have odd? */
static bool odd(uint64_t one, uint64_t other)
{
    bool result = false;

    for (unsigned bit = 0; bit < 64; bit++)
        if ((one >> bit & 1) && (other >> bit & 1))
            result = !result;
    return result;
}

static void modulo(void **state)
{
    static const uint64_t counts[] = {1, 2, 64, 3, 12, 1536, 11 * 1024, 8191, 1ULL << 28};
    struct random random = {1};

    (void)state;
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct index index = {.kind = INDEX_MODULO, .sets = counts[i]};

        assert_true(index_set(&index, 0, 0) == 0);
        assert_true(index_set(&index, counts[i], 0) == 0);
        assert_true(index_set(&index, counts[i] - 1, 3) == counts[i] - 1);
        for (unsigned j = 0; j < 200; j++) {
            uint64_t number = random_next(&random);

            assert_true(index_set(&index, number, 0) == number - number / counts[i] * counts[i]);
        }
    }
}

static void xor_by_hand(void **state)
{
    /* Bits 0 and 7, 1 and 8: XOR-2 of two adjacent groups. */
    struct index index = {.kind = INDEX_XOR, .sets = 4, .bits = 2, .mask = {0x81, 0x102}};

    (void)state;
    assert_int_equal(index_set(&index, 0, 0), 0);
    assert_int_equal(index_set(&index, 1, 0), 1);
    assert_int_equal(index_set(&index, 0x80, 0), 1);
    assert_int_equal(index_set(&index, 0x81, 0), 0);
    assert_int_equal(index_set(&index, 0x102 | 0x80, 0), 1);
    assert_int_equal(index_set(&index, 0x103, 5), 1);
    assert_int_equal(index_set(&index, 0x100 | 0x80, 0), 3);
    assert_int_equal(index_set(&index, 0x7C, 0), 0);
}

static void xor_random(void **state)
{
    struct random random = {2};

    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        struct index index = {.kind = INDEX_XOR, .bits = (unsigned)random_below(&random, MAX_INDEX_BITS + 1)};

        index.sets = 1ULL << index.bits;
        for (unsigned i = 0; i < index.bits; i++)
            index.mask[i] = random_next(&random);
        for (unsigned j = 0; j < 20; j++) {
            uint64_t number = random_next(&random), expected = 0;

            for (unsigned i = 0; i < index.bits; i++)
                expected += (uint64_t)odd(number, index.mask[i]) << i;
            assert_true(index_set(&index, number, 0) == expected);
        }
    }
}

/* A bit of a mask that is turned left in 40 bits by way * skew. */
static uint64_t turned(uint64_t mask, unsigned by)
{
    uint64_t result = 0;

    for (unsigned bit = 0; bit < 40; bit++)
        if (mask >> bit & 1)
            result |= 1ULL << (bit + by) % 40;
    return result;
}

static void skewed(void **state)
{
    struct random random = {3};
    struct index hand = {.kind = INDEX_SKEWED, .sets = 2, .bits = 1, .mask = {1ULL << 38}, .skew = 1};

    (void)state;
    assert_int_equal(index_set(&hand, 1ULL << 38, 0), 1);
    assert_int_equal(index_set(&hand, 1ULL << 39, 1), 1);
    assert_int_equal(index_set(&hand, 1, 2), 1); /* from bit 39 to bit 0 */
    assert_int_equal(index_set(&hand, 1ULL << 38, 2), 0);
    for (unsigned round = 0; round < 100; round++) {
        struct index index = {.kind = INDEX_SKEWED, .sets = 64, .bits = 6};

        index.skew = (unsigned)random_below(&random, 50);
        for (unsigned i = 0; i < 6; i++)
            index.mask[i] = random_next(&random) >> 24;
        for (unsigned way = 0; way < 16; way++) {
            uint64_t number = random_next(&random), expected = 0;

            for (unsigned i = 0; i < 6; i++)
                expected += (uint64_t)odd(number, turned(index.mask[i], way * index.skew)) << i;
            assert_true(index_set(&index, number, way) == expected);
        }
    }
}

static void slices_by_xor(void **state)
{
    /* Address bits 6 and 10; 7 and 11. */
    struct slices slices = {.kind = SLICE_XOR, .count = 4, .bits = 2, .mask = {0x440, 0x880}};
    struct slices none = {.kind = SLICE_NONE, .count = 1};
    struct random random = {4};

    (void)state;
    assert_int_equal(slice_of(&none, 0x12345678), 0);
    assert_int_equal(slice_of(&slices, 0x3F), 0);
    assert_int_equal(slice_of(&slices, 0x40), 1);
    assert_int_equal(slice_of(&slices, 0x440), 0);
    assert_int_equal(slice_of(&slices, 0xC00), 3);
    assert_int_equal(slice_of(&slices, 0x840), 3);
    for (unsigned i = 0; i < 2; i++)
        slices.mask[i] = random_next(&random) << 6;
    for (unsigned j = 0; j < 500; j++) {
        uint64_t address = random_next(&random);

        assert_int_equal(slice_of(&slices, address), odd(address, slices.mask[0]) + 2 * odd(address, slices.mask[1]));
    }
}

static void slices_by_sequence(void **state)
{
    static struct slices slices = {.kind = SLICE_SEQUENCE, .count = 3, .bits = 2, .length = 4, .mask = {0x100, 0x600}};
    static const uint8_t sequence[] = {0, 1, 2, 1};
    static struct slices wide = {.kind = SLICE_SEQUENCE, .count = 11, .bits = 12, .length = 4096};
    struct random random = {5};

    (void)state;
    memcpy(slices.sequence, sequence, sizeof sequence);
    /* The line's number in its block of four is address bits 6 and 7; the permutation's bit 0 is address bit 8, bit 1
     * the parity of bits 9 and 10. */
    assert_int_equal(slice_of(&slices, 0), 0);
    assert_int_equal(slice_of(&slices, 0x7F), 1);
    assert_int_equal(slice_of(&slices, 0x80), 2);
    assert_int_equal(slice_of(&slices, 0xC0), 1);
    assert_int_equal(slice_of(&slices, 0x100), 1);        /* 0 ^ 1 */
    assert_int_equal(slice_of(&slices, 0x1C0), 2);        /* 3 ^ 1 */
    assert_int_equal(slice_of(&slices, 0x200), 2);        /* 0 ^ 2 */
    assert_int_equal(slice_of(&slices, 0x400 | 0x80), 0); /* 2 ^ 2 */
    assert_int_equal(slice_of(&slices, 0x600 | 0x80), 2); /* 2 ^ 0 */
    assert_int_equal(slice_of(&slices, 0x300 | 0x40), 2); /* 1 ^ 3 */
    for (unsigned i = 0; i < 4096; i++)
        wide.sequence[i] = (uint8_t)random_below(&random, 11);
    for (unsigned i = 0; i < 12; i++)
        wide.mask[i] = random_next(&random) & ~0x3FFFFULL; /* above the block of 2^18 bytes */
    for (unsigned j = 0; j < 500; j++) {
        uint64_t address = random_next(&random), line = address / 64 % 4096, permutation = 0;

        for (unsigned i = 0; i < 12; i++)
            permutation += (uint64_t)odd(address, wide.mask[i]) << i;
        assert_int_equal(slice_of(&wide, address), wide.sequence[line ^ permutation]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modulo), cmocka_unit_test(xor_by_hand),   cmocka_unit_test(xor_random),
        cmocka_unit_test(skewed), cmocka_unit_test(slices_by_xor), cmocka_unit_test(slices_by_sequence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
