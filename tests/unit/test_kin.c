// SPDX-License-Identifier: BSD-2-Clause
/* test_kin.c: regions of known physical order, and lines that share a set. */
#include "probes/kin.h"
#include <setjmp.h>
#include <stdarg.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { UNIT = 64 };

static const struct region region = {.va = 1 << 30, .pa = 1 << 26, .size = 1 << 22, .unit = UNIT};

static void regions_are_aligned(void **state)
{
    (void)state;
    struct stretch stretch = {.base = 1 << 30, .size = 96 << 20, .physical = 16 << 20, .contiguous = 1 << 30};
    struct region found = region_in(&stretch, UNIT, UINT64_MAX);
    assert_int_equal(found.size, 64 << 20 >> 1); /* 32 MB to 64 MB: the span ends at 112 MB */
    assert_int_equal(found.pa, 32 << 20);
    assert_int_equal(found.va, (1 << 30) + (16 << 20));
    assert_int_equal(region_in(&stretch, UNIT, 20 << 20).size, 16 << 20);
    stretch.contiguous = 4096;
    assert_int_equal(region_in(&stretch, UNIT, UINT64_MAX).size, 4096);
    stretch.size = 2048;
    assert_int_equal(region_in(&stretch, UNIT, UINT64_MAX).size, 2048);
}

/* Every line that is kin, but the line itself, comes once. */
static void assert_each_once(const struct kin *kin, uint64_t line)
{
    static bool seen[1 << 16];
    uint64_t count = kin_count(kin, &region), drawn = 0;
    for (uint64_t i = 0; i < region_lines(&region); i++)
        seen[i] = false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t one = kin_draw(kin, &region, line, 99, i);
        if (one == line)
            continue;
        assert_in_range(one, 0, region_lines(&region) - 1);
        assert_true(kin_are(kin, one, line));
        assert_in_range(one * UNIT % 4096, KEPT, 4095);
        assert_false(seen[one]);
        seen[one] = true;
        drawn++;
    }
    assert_in_range(drawn, count / 2, count);
    assert_int_equal(kin_draw(kin, &region, line, 99, count), line);
}

static void draws_are_kin_and_differ(void **state)
{
    (void)state;
    struct gf2 space = {.dimension = 0};
    for (unsigned bit = 0; bit < 9; bit++)
        gf2_add(&space, UINT64_C(0x81) << bit);
    static const uint64_t sets[] = {64, 128, 96, 53, 1};
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct kin kin = kin_modulo(&region, sets[i]);
        assert_int_equal(kin.stride, sets[i]);
        assert_each_once(&kin, 0x1234 | 0x30);
    }
    struct kin hashed = kin_by(&region, &space, 1), odd = kin_by(&region, &space, 3);
    assert_int_equal(hashed.stride, 0);
    assert_each_once(&hashed, 0x1234 | 0x30);
    for (uint64_t j = 0; j < kin_count(&odd, &region); j++)
        assert_true(kin_are(&odd, kin_draw(&odd, &region, 0xabf, 5, j), 0xabf));
}

static void seeds_make_orders(void **state)
{
    (void)state;
    struct kin kin = kin_modulo(&region, 64);
    unsigned same = 0;
    for (uint64_t i = 0; i < 500; i++)
        same += kin_draw(&kin, &region, 0x3f, 1, i) == kin_draw(&kin, &region, 0x3f, 2, i);
    assert_in_range(same, 0, 10);
}

static void modulo_is_of_differences(void **state)
{
    (void)state;
    struct kin kin = kin_modulo(&region, 96);
    assert_true(kin_are(&kin, 100, 100 + 96 * 7));
    assert_true(kin_are(&kin, 100 + 96 * 7, 100));
    assert_false(kin_are(&kin, 100, 100 + 32));
    assert_false(kin_are(&kin, 100, 100 + 64));
}

/* Where the levels before have a number of sets that is no power of two, few lines may share one at all of them: nearly
 * all of those are drawn, and each of them once. */
static void nearly_all_of_odd_ones(void **state)
{
    (void)state;
    static const uint64_t odd[] = {3, 5, 7, 11};
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct gf2 space = {.dimension = 0};
        for (unsigned bit = 0; bit < 11; bit++)
            gf2_add(&space, UINT64_C(0x21) << bit);
        struct kin kin = kin_by(&region, &space, odd[i]);
        static bool seen[1 << 16];
        uint64_t line = 0x1234 | 0x30, all = 0, drawn = 0;
        for (uint64_t other = 0; other < region_lines(&region); other++) {
            seen[other] = false;
            all += other != line && other * UNIT % 4096 >= KEPT && kin_are(&kin, other, line);
        }
        for (uint64_t j = 0; j < kin_count(&kin, &region); j++) {
            uint64_t one = kin_draw(&kin, &region, line, 7, j);
            if (one == line)
                continue;
            assert_true(kin_are(&kin, one, line));
            assert_false(seen[one]);
            seen[one] = true;
            drawn++;
        }
        assert_in_range(drawn, all * 8 / 10, all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(regions_are_aligned),
                                       cmocka_unit_test(draws_are_kin_and_differ), cmocka_unit_test(seeds_make_orders),
                                       cmocka_unit_test(modulo_is_of_differences),
                                       cmocka_unit_test(nearly_all_of_odd_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
