// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_counters.c: what counters count: events, masks, errata, SMM, and what a counter shows in between. */
#include "tests/unit/counters_bench.h"

static void masks_of_several_events(void **state)
{
    struct bench bench;

    (void)state;
    open_bench(&bench, COUNTERS_INTEL, 3, 4, 3, 48);
    encode(&bench, 0x08, 0x20, COUNTED_DTLB2_HIT);
    encode(&bench, 0x08, 0x0E, COUNTED_WALK);
    encode(&bench, 0x08, 0x10, COUNTED_WALK_CYCLES);
    encode(&bench, 0xD1, 0x08, COUNTED_L1D_MISS);
    encode(&bench, 0xD1, 0x10, COUNTED_L2_MISS);
    add(&bench, COUNTED_DTLB1_MISS, 1000);
    assert_true(writes(&bench, 0x186, 0x2E08 | ON));        /* hits of the second level, and walks */
    assert_true(writes(&bench, 0x187, 0x18D1 | ON));        /* a miss of L2 is one of L1D: once only */
    assert_true(writes(&bench, 0x188, 0x1008 | ON | EDGE)); /* cycles of walks, beginnings of */
    assert_true(writes(&bench, 0x189, 0x0408 | ON));        /* part of a mask: nothing that is known */
    add(&bench, COUNTED_DTLB2_HIT, 5);
    add(&bench, COUNTED_WALK, 2);
    add(&bench, COUNTED_WALK_CYCLES, 60);
    add(&bench, COUNTED_L1D_MISS, 9);
    add(&bench, COUNTED_L2_MISS, 4);
    expect_rdpmc(&bench, 0, 7);
    expect_rdpmc(&bench, 1, 9);
    expect_rdpmc(&bench, 2, 2);
    expect_rdpmc(&bench, 3, 0);
    /* Cycles with one walk at least are cycles of walks; with two at least, or fewer than one: nothing. */
    assert_true(writes(&bench, 0x186, 0x1008 | ON | CMASK_1));
    assert_true(writes(&bench, 0x187, 0x1008 | ON | 2 * CMASK_1));
    assert_true(writes(&bench, 0x188, 0x1008 | ON | CMASK_1 | INV));
    assert_true(writes(&bench, 0x189, 0x1008 | ON | INV)); /* without a mask nothing is inverted */
    for (uint32_t i = 0; i < 4; i++)
        assert_true(writes(&bench, 0x4C1 + i, 0));
    add(&bench, COUNTED_WALK_CYCLES, 40);
    expect_rdpmc(&bench, 0, 40);
    expect_rdpmc(&bench, 1, 0);
    expect_rdpmc(&bench, 2, 0);
    expect_rdpmc(&bench, 3, 40);
    counters_destroy(bench.counters);
}

static void errata(void **state)
{
    struct bench bench;

    (void)state;
    open_bench(&bench, COUNTERS_INTEL, 3, 4, 3, 48);
    encode(&bench, 0xD1, 0x08, COUNTED_L1D_MISS)->per_thousand = 750;
    encode(&bench, 0x24, 0x02, COUNTED_L2_MISS)->always_one = true;
    assert_true(writes(&bench, 0x186, 0x08D1 | ON));
    assert_true(writes(&bench, 0x187, 0x0224 | ON));
    expect_rdpmc(&bench, 1, 1);
    for (unsigned i = 1; i <= 10; i++) { /* 0.75 1.5 2.25 3 ..., also when control changes in between */
        add(&bench, COUNTED_L1D_MISS, 1);
        expect_rdpmc(&bench, 0, i * 3 / 4);
        assert_true(writes(&bench, 0x188, i));
    }
    add(&bench, COUNTED_L2_MISS, 6);
    expect_read(&bench, 0xC2, 7);
    assert_true(writes(&bench, 0x4C2, 0xFFFFFFFFFFFF));
    expect_read(&bench, 0xC2, 0);
    counters_destroy(bench.counters);
}

static void smm_stops_counters(void **state)
{
    struct bench bench;

    (void)state;
    for (unsigned stops = 0; stops < 2; stops++) {
        open_bench(&bench, COUNTERS_INTEL, 3, 4, 3, 48);
        bench.description.counters.stops_in_smm = stops;
        assert_true(writes(&bench, 0x186, 0x3C | ON));
        assert_true(writes(&bench, 0x38D, 0x110));
        assert_true(writes(&bench, 0x38F, 15 | UINT64_C(7) << 32));
        add(&bench, COUNTED_CYCLES, 30);
        counters_smm(bench.counters, 0, true);
        add(&bench, COUNTED_CYCLES, 300); /* 200 ticks */
        add(&bench, COUNTED_SMI, 1);
        counters_smm(bench.counters, 0, false);
        add(&bench, COUNTED_CYCLES, 30);
        bench.ticks += 240;
        expect_rdpmc(&bench, 0, stops ? 60 : 360);
        expect_rdpmc(&bench, 1u << 30 | 1, stops ? 60 : 360);
        expect_rdpmc(&bench, 1u << 30 | 2, stops ? 40 : 240);
        expect_read(&bench, 0x34, 1);
        assert_int_equal(counters_total(bench.counters, 0, COUNTED_CYCLES), 360);
        counters_destroy(bench.counters);
    }
}

static void cores_count_apart(void **state)
{
    struct bench bench;

    (void)state;
    open_bench(&bench, COUNTERS_INTEL, 2, 2, 3, 40);
    assert_true(writes(&bench, 0x186, 0x3C | ON));
    counters_add(bench.counters, 1, COUNTED_CYCLES, 5);
    expect_rdpmc(&bench, 0, 0);
    assert_int_equal(counters_total(bench.counters, 1, COUNTED_CYCLES), 5);
    counters_destroy(bench.counters);
}

static void slots_in_process(void **state)
{
    const enum counter_family family[] = {COUNTERS_INTEL, COUNTERS_INTEL, COUNTERS_INTEL, COUNTERS_AMD};
    const unsigned version[] = {0, 1, 4, 2};
    struct bench bench;
    const char *why = "";

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        open_bench(&bench, family[i], version[i], 4, 0, 48);
        encode(&bench, 0x41, 0x01, COUNTED_L1D_MISS);
        add(&bench, COUNTED_L1D_MISS, 100);
        assert_true(counters_select(bench.counters, 0, 2, 0x0141, &why));
        assert_null(why);
        assert_int_equal(counters_slot(bench.counters, 0, 2), 0);
        add(&bench, COUNTED_L1D_MISS, 7);
        assert_int_equal(counters_slot(bench.counters, 0, 2), 7);
        expect_rdpmc(&bench, 2, 7);
        assert_true(counters_select(bench.counters, 0, 0, 0xC0, &why));
        add(&bench, COUNTED_INSTRUCTIONS, 20);
        add(&bench, COUNTED_L1D_MISS, 1);
        assert_int_equal(counters_slot(bench.counters, 0, 0), 20);
        assert_int_equal(counters_slot(bench.counters, 0, 2), 8);
        assert_true(counters_select(bench.counters, 0, 2, 0x0141, &why)); /* anew */
        assert_int_equal(counters_slot(bench.counters, 0, 2), 0);
        assert_true(counters_select(bench.counters, 0, 1, 0x9999, &why)); /* no such event: counts nothing */
        add(&bench, COUNTED_L1D_MISS, 1);
        assert_int_equal(counters_slot(bench.counters, 0, 1), 0);
        assert_false(counters_select(bench.counters, 0, 4, 0x0141, &why));
        assert_int_equal(counters_slot(bench.counters, 0, 4), 0);
        counters_destroy(bench.counters);
    }
}

/* Random writes and events on a machine of version 4, against counters that add every single event when it comes. */
static void agrees_with_counting_one_by_one(void **state)
{
    struct random random = {17};
    struct bench bench;
    uint64_t select[4] = {0}, control = 15, value[4] = {0}, status = 0, mask = (1 << 16) - 1, choice[3];

    (void)state;
    open_bench(&bench, COUNTERS_INTEL, 4, 4, 0, 16);
    choice[0] = 0x3C | ON;
    choice[1] = 0xC0 | ON;
    choice[2] = 0x3C | EN;
    for (unsigned i = 0; i < 20000; i++) {
        unsigned number = (unsigned)random_below(&random, 4);

        switch (random_below(&random, 6)) {
        case 0:
            select[number] = choice[random_below(&random, 3)];
            assert_true(writes(&bench, 0x186 + number, select[number]));
            break;
        case 1:
            value[number] = random_next(&random) & mask;
            assert_true(writes(&bench, 0x4C1 + number, value[number]));
            break;
        case 2:
            control = random_below(&random, 16);
            assert_true(writes(&bench, 0x38F, control));
            break;
        case 3:
            status &= ~(UINT64_C(1) << number);
            assert_true(writes(&bench, 0x390, UINT64_C(1) << number));
            break;
        default:
            for (uint64_t left = random_below(&random, 9000), kind = random_below(&random, 2); left > 0; left--) {
                add(&bench, kind ? COUNTED_INSTRUCTIONS : COUNTED_CYCLES, 1);
                for (unsigned j = 0; j < 4; j++) {
                    if (select[j] != choice[kind] || !(control >> j & 1))
                        continue;
                    value[j] = (value[j] + 1) & mask;
                    status |= (uint64_t)(value[j] == 0) << j;
                }
            }
            break;
        }
        expect_rdpmc(&bench, number, value[number]);
        expect_read(&bench, 0x38E, status);
    }
    counters_destroy(bench.counters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_of_several_events), cmocka_unit_test(errata),
        cmocka_unit_test(smm_stops_counters),      cmocka_unit_test(cores_count_apart),
        cmocka_unit_test(slots_in_process),        cmocka_unit_test(agrees_with_counting_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
