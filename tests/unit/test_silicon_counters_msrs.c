// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_counters_msrs.c: the registers of Intel's and AMD's families of counters, generation by generation. */
#include "tests/unit/counters_bench.h"

static void no_counters(void **state)
{
    struct bench bench;
    uint32_t leaf[4] = {1, 1, 1, 1};
    const char *why;

    (void)state;
    open_bench(&bench, COUNTERS_NONE, 0, 0, 0, 0);
    add(&bench, COUNTED_LOADS, 5);
    assert_int_equal(counters_total(bench.counters, 0, COUNTED_LOADS), 5);
    assert_false(reads(&bench, 0xC1));
    assert_false(reads(&bench, 0xE8));
    assert_false(reads(&bench, 0xC0010000));
    assert_false(writes(&bench, 0x186, 0));
    assert_false(rdpmc(&bench, 0));
    assert_false(counters_select(bench.counters, 0, 0, 0x3C, &why));
    assert_string_equal(why, "no such counter");
    counters_cpuid(bench.counters, leaf);
    assert_int_equal(leaf[0] | leaf[1] | leaf[2] | leaf[3], 0);
    counters_destroy(bench.counters);
    counters_destroy(NULL);
}

static void p6_family(void **state)
{
    struct bench bench;
    uint32_t leaf[4];

    (void)state;
    open_bench(&bench, COUNTERS_INTEL, 0, 2, 0, 40);
    encode(&bench, 0x45, 0, COUNTED_L1D_MISS);
    assert_true(writes(&bench, 0x187, 0x45 | OS)); /* its own enable bit does not exist */
    add(&bench, COUNTED_L1D_MISS, 7);
    expect_rdpmc(&bench, 1, 0);
    assert_true(writes(&bench, 0x186, 0x79 | ON)); /* enables both */
    add(&bench, COUNTED_L1D_MISS, 9);
    add(&bench, COUNTED_CYCLES, 30);
    expect_rdpmc(&bench, 0, 30);
    expect_rdpmc(&bench, 1, 9);
    expect_read(&bench, 0xC2, 9);
    assert_true(writes(&bench, 0xC1, 0xFFFFFFFE)); /* sign-extended to 40 bits */
    expect_read(&bench, 0xC1, 0xFFFFFFFFFE);
    add(&bench, COUNTED_CYCLES, 5); /* wraps */
    expect_read(&bench, 0xC1, 3);
    assert_false(rdpmc(&bench, 2));
    assert_false(rdpmc(&bench, 1u << 30));
    assert_false(reads(&bench, 0xE7));
    assert_false(reads(&bench, 0x38F));
    assert_false(reads(&bench, 0x345));
    assert_false(reads(&bench, 0x34));
    assert_false(reads(&bench, 0x188));
    counters_cpuid(bench.counters, leaf);
    assert_int_equal(leaf[0] | leaf[1] | leaf[2] | leaf[3], 0);
    counters_destroy(bench.counters);
}

static void intel_version_1(void **state)
{
    struct bench bench;
    uint32_t leaf[4];

    (void)state;
    open_bench(&bench, COUNTERS_INTEL, 1, 2, 3, 40);
    assert_true(writes(&bench, 0x186, 0x3C | ON));
    assert_true(writes(&bench, 0x187, 0xC0 | USR | EN)); /* the image runs at level 0: user code only is nothing */
    add(&bench, COUNTED_CYCLES, 100);
    add(&bench, COUNTED_INSTRUCTIONS, 60);
    expect_rdpmc(&bench, 0, 100);
    expect_rdpmc(&bench, 1, 0);
    assert_true(writes(&bench, 0x187, 0xC0 | USR | OS | EN));
    add(&bench, COUNTED_INSTRUCTIONS, 6);
    expect_rdpmc(&bench, 1, 6);
    expect_read(&bench, 0x187, 0xC0 | USR | OS | EN);
    assert_true(writes(&bench, 0x186, 0x3C | OS)); /* stops */
    add(&bench, COUNTED_CYCLES, 11);
    expect_rdpmc(&bench, 0, 100);
    assert_true(writes(&bench, 0x186, 0x3C | ON)); /* goes on */
    add(&bench, COUNTED_CYCLES, 11);
    expect_rdpmc(&bench, 0, 111);
    assert_false(writes(&bench, 0x186, 0x3C | ON | ANY));
    assert_false(writes(&bench, 0x186, 0x3C | ON | UINT64_C(1) << 32));
    expect_read(&bench, 0x186, 0x3C | ON);
    /* Neither fixed counters nor global control. */
    assert_false(rdpmc(&bench, 1u << 30));
    assert_false(reads(&bench, 0x309));
    for (uint32_t msr = 0x38D; msr <= 0x392; msr++) {
        assert_false(reads(&bench, msr));
        assert_false(writes(&bench, msr, 0));
    }
    assert_false(reads(&bench, 0x345));
    assert_false(reads(&bench, 0x4C1));
    assert_false(reads(&bench, 0x34));
    counters_cpuid(bench.counters, leaf);
    assert_int_equal(leaf[0], 1 | 2 << 8 | 40 << 16 | 7 << 24);
    assert_int_equal(leaf[1], 0x7C); /* neither reference cycles, nor LLC, nor branches */
    assert_int_equal(leaf[2] | leaf[3], 0);
    counters_destroy(bench.counters);
}

static void intel_version_2(void **state)
{
    struct bench bench;
    uint32_t leaf[4];

    (void)state;
    open_bench(&bench, COUNTERS_INTEL, 2, 2, 3, 40);
    encode(&bench, 0x2E, 0x41, COUNTED_L2_MISS);
    expect_read(&bench, 0x38F, 3); /* after reset: general ones on, fixed ones off */
    assert_true(writes(&bench, 0x186, 0x412E | ON));
    assert_true(writes(&bench, 0x38D, 0xB3)); /* fixed 0: levels 0 and 3; fixed 1: those and interrupts; 2: off */
    assert_false(writes(&bench, 0x38D, 4));   /* any thread: not yet */
    assert_false(writes(&bench, 0x38D, 1 << 12));
    add(&bench, COUNTED_L2_MISS, 4);
    add(&bench, COUNTED_INSTRUCTIONS, 10);
    expect_rdpmc(&bench, 0, 4);
    expect_rdpmc(&bench, 1u << 30, 0);
    assert_true(writes(&bench, 0x38F, UINT64_C(7) << 32)); /* fixed ones on, general ones off */
    assert_false(writes(&bench, 0x38F, 4));
    assert_false(writes(&bench, 0x38F, UINT64_C(1) << 35));
    add(&bench, COUNTED_L2_MISS, 4);
    add(&bench, COUNTED_INSTRUCTIONS, 10);
    add(&bench, COUNTED_CYCLES, 33);
    expect_rdpmc(&bench, 0, 4);
    expect_rdpmc(&bench, 1u << 30, 10);
    expect_rdpmc(&bench, 1u << 30 | 1, 33);
    expect_read(&bench, 0x30A, 33);
    expect_rdpmc(&bench, 1u << 30 | 2, 0); /* its control is 0 */
    assert_true(writes(&bench, 0x38D, 0x100));
    bench.ticks += 22;
    expect_read(&bench, 0x30B, 22); /* goes by with the clock */
    add(&bench, COUNTED_INSTRUCTIONS, 10);
    expect_read(&bench, 0x309, 10); /* off meanwhile */
    assert_false(rdpmc(&bench, 1u << 30 | 3));
    assert_false(rdpmc(&bench, 1u << 31));
    assert_false(rdpmc(&bench, 2));
    expect_read(&bench, 0x345, 0);
    assert_false(writes(&bench, 0x345, 0));
    assert_false(reads(&bench, 0x4C1));
    assert_false(reads(&bench, 0x391));
    counters_cpuid(bench.counters, leaf);
    assert_int_equal(leaf[0], 2 | 2 << 8 | 40 << 16 | 7 << 24);
    assert_int_equal(leaf[1], 0x6C); /* LLC misses are there */
    assert_int_equal(leaf[2], 0);
    assert_int_equal(leaf[3], 3 | 40 << 5);
    counters_destroy(bench.counters);
}

static void intel_overflows(void **state)
{
    struct bench bench;

    (void)state;
    open_bench(&bench, COUNTERS_INTEL, 2, 2, 3, 40);
    assert_true(writes(&bench, 0x187, 0x3C | ON));
    assert_true(writes(&bench, 0x38D, 1));
    assert_true(writes(&bench, 0x38F, 3 | UINT64_C(1) << 32));
    assert_true(writes(&bench, 0xC2, 0xFFFFFFF6)); /* ten before the end */
    assert_true(writes(&bench, 0x309, 0xFFFFFFFFFF));
    add(&bench, COUNTED_CYCLES, 9);
    expect_read(&bench, 0x38E, 0);
    add(&bench, COUNTED_CYCLES, 1);
    expect_read(&bench, 0x38E, 2);
    expect_rdpmc(&bench, 1, 0);
    add(&bench, COUNTED_INSTRUCTIONS, 1);
    expect_read(&bench, 0x38E, 2 | UINT64_C(1) << 32);
    assert_true(writes(&bench, 0x186, 0)); /* says nothing about the others */
    expect_read(&bench, 0x38E, 2 | UINT64_C(1) << 32);
    assert_false(writes(&bench, 0x38E, 0));
    assert_false(writes(&bench, 0x390, UINT64_C(1) << 61)); /* version 3 */
    assert_true(writes(&bench, 0x390, 2 | UINT64_C(3) << 62));
    expect_read(&bench, 0x38E, UINT64_C(1) << 32);
    add(&bench, COUNTED_CYCLES, 5); /* and the counter went on */
    expect_rdpmc(&bench, 1, 5);
    expect_read(&bench, 0x390, 0);
    counters_destroy(bench.counters);
}

static void intel_version_3_and_full_width(void **state)
{
    struct bench bench;

    (void)state;
    open_bench(&bench, COUNTERS_INTEL, 3, 4, 3, 48);
    expect_read(&bench, 0x345, 1 << 13);
    expect_read(&bench, 0x38F, 15);
    assert_true(writes(&bench, 0x189, 0x3C | ON | ANY));
    assert_true(writes(&bench, 0x38D, 0xFFF));
    assert_true(writes(&bench, 0xC4, 0x1234567880000000)); /* 32 bits of it, and their sign */
    expect_read(&bench, 0xC4, 0xFFFF80000000);
    expect_read(&bench, 0x4C4, 0xFFFF80000000);
    assert_true(writes(&bench, 0xC4, 0x7FFFFFFF));
    expect_read(&bench, 0xC4, 0x7FFFFFFF);
    assert_true(writes(&bench, 0x4C4, 0xFFFFFFFFFFFF));
    assert_false(writes(&bench, 0x4C4, UINT64_C(1) << 48));
    assert_false(writes(&bench, 0x309, UINT64_C(1) << 48));
    assert_false(writes(&bench, 0x4C5, 0));
    add(&bench, COUNTED_CYCLES, 3);
    expect_rdpmc(&bench, 3, 2);
    expect_read(&bench, 0x38E, 8);
    assert_true(writes(&bench, 0x390, UINT64_C(7) << 61));
    assert_false(writes(&bench, 0x390, UINT64_C(1) << 58));
    assert_false(writes(&bench, 0x391, 0));
    assert_false(reads(&bench, 0x392));
    expect_read(&bench, 0x34, 0);
    add(&bench, COUNTED_SMI, 2);
    expect_read(&bench, 0x34, 2);
    assert_false(writes(&bench, 0x34, 0));
    counters_destroy(bench.counters);
}

static void intel_versions_4_and_5(void **state)
{
    struct bench bench;
    uint32_t leaf[4];

    (void)state;
    open_bench(&bench, COUNTERS_INTEL, 4, 4, 3, 48);
    assert_true(writes(&bench, 0x187, 0x3C | ON | ANY));
    assert_true(writes(&bench, 0x391, 4 | UINT64_C(1) << 33));
    expect_read(&bench, 0x38E, 4 | UINT64_C(1) << 33);
    assert_true(writes(&bench, 0x390, 4 | UINT64_C(1) << 55 | UINT64_C(1) << 58));
    expect_read(&bench, 0x38E, UINT64_C(1) << 33);
    assert_false(writes(&bench, 0x390, UINT64_C(1) << 56));
    assert_false(writes(&bench, 0x391, 16));
    expect_read(&bench, 0x392, 2);
    assert_true(writes(&bench, 0x188, 0x3C | 1 << 20)); /* interrupts */
    assert_true(writes(&bench, 0x38D, 0x40));           /* fixed 1 has no level but any thread: not in use */
    expect_read(&bench, 0x392, 6 | UINT64_C(1) << 63);
    assert_true(writes(&bench, 0x38D, 0x20));
    expect_read(&bench, 0x392, 6 | UINT64_C(1) << 33 | UINT64_C(1) << 63);
    assert_false(writes(&bench, 0x392, 0));
    counters_destroy(bench.counters);

    open_bench(&bench, COUNTERS_INTEL, 5, 8, 4, 48);
    assert_false(writes(&bench, 0x187, 0x3C | ON | ANY));
    assert_false(writes(&bench, 0x38D, 4));
    assert_true(writes(&bench, 0x38D, 0x3111));
    assert_true(writes(&bench, 0x38F, 0xFF | UINT64_C(15) << 32));
    assert_true(writes(&bench, 0x18D, 0xC0 | ON)); /* the eighth */
    add(&bench, COUNTED_INSTRUCTIONS, 12);
    add(&bench, COUNTED_CYCLES, 12);
    expect_rdpmc(&bench, 7, 12);
    expect_rdpmc(&bench, 1u << 30, 12);
    expect_rdpmc(&bench, 1u << 30 | 3, 0); /* slots are not modelled */
    counters_cpuid(bench.counters, leaf);
    assert_int_equal(leaf[0], 5 | 8 << 8 | 48 << 16 | 7 << 24);
    assert_int_equal(leaf[1], 0x7C);
    assert_int_equal(leaf[2], 15);
    assert_int_equal(leaf[3], 4 | 48 << 5 | 1 << 15);
    counters_destroy(bench.counters);
}

static void amd_four_counters(void **state)
{
    struct bench bench;
    uint32_t leaf[4];

    (void)state;
    open_bench(&bench, COUNTERS_AMD, 0, 4, 0, 48);
    encode(&bench, 0x41, 0, COUNTED_L1D_MISS);
    encode(&bench, 0x4E1, 0xF7, COUNTED_L3_MISS);
    encode(&bench, 0x0E1, 0xF7, COUNTED_L2_MISS);
    assert_true(writes(&bench, 0xC0010000, 0x41 | ON));
    assert_true(writes(&bench, 0xC0010003, 0xF7E1 | UINT64_C(4) << 32 | ON)); /* event 4E1h: four more bits above */
    assert_true(writes(&bench, 0xC0010001, 0x76 | EN));                       /* not at level 0 */
    add(&bench, COUNTED_L1D_MISS, 8);
    add(&bench, COUNTED_L2_MISS, 5);
    add(&bench, COUNTED_L3_MISS, 3);
    add(&bench, COUNTED_CYCLES, 50);
    expect_rdpmc(&bench, 0, 8);
    expect_rdpmc(&bench, 1, 0);
    expect_rdpmc(&bench, 3, 3);
    expect_read(&bench, 0xC0010004, 8);
    expect_read(&bench, 0xC0010007, 3);
    /* Reserved bits are dropped; a counter takes 48 bits and no sign. */
    assert_true(writes(&bench, 0xC0010002, UINT64_MAX));
    expect_read(&bench, 0xC0010002, 0x30FFFD7FFFF);
    assert_true(writes(&bench, 0xC0010004, 0xFFFF000080000000));
    expect_read(&bench, 0xC0010004, 0x80000000);
    assert_true(writes(&bench, 0xC0010004, UINT64_MAX));
    add(&bench, COUNTED_L1D_MISS, 2);
    expect_read(&bench, 0xC0010004, 1);
    assert_false(rdpmc(&bench, 4));
    assert_false(reads(&bench, 0xC0010008));
    assert_false(reads(&bench, 0xC0010200));
    assert_false(reads(&bench, 0xC0000301));
    assert_false(reads(&bench, 0xC00000E7));
    assert_false(reads(&bench, 0xC1));
    assert_false(reads(&bench, 0x186));
    assert_false(reads(&bench, 0x34));
    /* Read as other than family 17h, 2Bh is not an event. */
    assert_true(writes(&bench, 0xC0010002, 0x2B | ON));
    assert_true(writes(&bench, 0xC0010006, 0));
    add(&bench, COUNTED_SMI, 1);
    expect_rdpmc(&bench, 2, 0);
    counters_cpuid(bench.counters, leaf);
    assert_int_equal(leaf[0] | leaf[1] | leaf[2] | leaf[3], 0);
    counters_destroy(bench.counters);
}

static void amd_six_counters(void **state)
{
    struct bench bench;

    (void)state;
    open_bench(&bench, COUNTERS_AMD, 1, 6, 0, 48); /* as Zen 2 has them */
    assert_true(writes(&bench, 0xC001020A, 0xC0 | ON));
    assert_true(writes(&bench, 0xC0010202, 0x76 | ON));
    assert_true(writes(&bench, 0xC0010002, 0x2B | ON)); /* the older address of the third */
    expect_read(&bench, 0xC0010204, 0x2B | ON);
    expect_read(&bench, 0xC0010001, 0x76 | ON);
    add(&bench, COUNTED_INSTRUCTIONS, 3);
    add(&bench, COUNTED_CYCLES, 4);
    add(&bench, COUNTED_SMI, 1);
    expect_rdpmc(&bench, 5, 3);
    expect_read(&bench, 0xC001020B, 3);
    expect_read(&bench, 0xC0010203, 4);
    expect_read(&bench, 0xC0010005, 4);
    expect_rdpmc(&bench, 2, 1);
    assert_true(writes(&bench, 0xC0010203, 100));
    expect_read(&bench, 0xC0010005, 100);
    assert_false(rdpmc(&bench, 6));
    assert_false(reads(&bench, 0xC001020C));
    assert_false(reads(&bench, 0xC0010008));
    assert_false(reads(&bench, 0xC0000300));
    assert_false(writes(&bench, 0xC0000301, 0));
    counters_destroy(bench.counters);
}

static void amd_version_2(void **state)
{
    struct bench bench;

    (void)state;
    open_bench(&bench, COUNTERS_AMD, 2, 6, 0, 48); /* as Zen 4 has them */
    expect_read(&bench, 0xC0000301, 0x3F);
    assert_true(writes(&bench, 0xC0010200, 0x76 | ON));
    add(&bench, COUNTED_CYCLES, 4);
    expect_rdpmc(&bench, 0, 4);
    assert_true(writes(&bench, 0xC0000301, UINT64_MAX - 1)); /* the first one off; what is reserved is dropped */
    expect_read(&bench, 0xC0000301, 0x3E);
    add(&bench, COUNTED_CYCLES, 4);
    expect_rdpmc(&bench, 0, 4);
    assert_true(writes(&bench, 0xC0000301, 1));
    assert_true(writes(&bench, 0xC0010201, 0xFFFFFFFFFFFF));
    add(&bench, COUNTED_CYCLES, 1);
    expect_read(&bench, 0xC0000300, 1);
    assert_true(writes(&bench, 0xC0000300, 0)); /* ignored */
    expect_read(&bench, 0xC0000300, 1);
    assert_true(writes(&bench, 0xC0000303, 0xFFF0));
    expect_read(&bench, 0xC0000300, 0x31);
    assert_true(writes(&bench, 0xC0000302, 0x11));
    expect_read(&bench, 0xC0000300, 0x20);
    expect_read(&bench, 0xC0000302, 0);
    assert_false(reads(&bench, 0xC0000304));
    counters_destroy(bench.counters);
}

static void frequency_registers(void **state)
{
    struct bench bench;

    (void)state;
    open_bench(&bench, COUNTERS_AMD, 1, 6, 0, 48);
    bench.now = 3000;
    bench.ticks = 2000;
    expect_read(&bench, 0xE8, 3000);
    expect_read(&bench, 0xE7, 2000);
    assert_true(writes(&bench, 0xE8, 0));
    assert_true(writes(&bench, 0xE7, 5));
    bench.now += 30;
    bench.ticks += 20;
    expect_read(&bench, 0xE8, 30);
    expect_read(&bench, 0xE7, 25);
    expect_read(&bench, 0xC00000E8, 3030); /* copies that nobody moves */
    expect_read(&bench, 0xC00000E7, 2020);
    assert_false(writes(&bench, 0xC00000E8, 0));
    assert_false(writes(&bench, 0xC00000E7, 0));
    counters_destroy(bench.counters);
    open_bench(&bench, COUNTERS_INTEL, 1, 2, 0, 40);
    bench.now = 70;
    expect_read(&bench, 0xE8, 70);
    assert_true(writes(&bench, 0xE8, 0));
    expect_read(&bench, 0xE8, 0);
    assert_false(reads(&bench, 0xC00000E8));
    counters_destroy(bench.counters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_counters),
        cmocka_unit_test(p6_family),
        cmocka_unit_test(intel_version_1),
        cmocka_unit_test(intel_version_2),
        cmocka_unit_test(intel_overflows),
        cmocka_unit_test(intel_version_3_and_full_width),
        cmocka_unit_test(intel_versions_4_and_5),
        cmocka_unit_test(amd_four_counters),
        cmocka_unit_test(amd_six_counters),
        cmocka_unit_test(amd_version_2),
        cmocka_unit_test(frequency_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
