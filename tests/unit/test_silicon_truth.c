// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_truth.c: the truth of small machines, worked out by hand: the first level, clock, noise, what is hidden
 * and what a report has to say. */
#include "tests/unit/truth_bench.h"

static void first_cache(void **state)
{
    struct truths *truths = truths_on(plain());

    (void)state;
    expect_equal(truths, "l1d.size", 32 * KB);
    expect_equal(truths, "l1d.ways", 8);
    expect_equal(truths, "l1d.line", 64);
    expect_equal(truths, "latency.levels", 1);
    assert_false(truth_of(truths, "latency.levels").optional);
    expect_within(truths, "l1d.latency", 4, 0.5);
    expect_within(truths, "l1d.latency.ns", 4, 0.54); /* 1 GHz, known to 1 % */
    expect_within(truths, "mem.latency", 100, 2);
    expect_within(truths, "mem.latency.ns", 100, 3);
    expect_absent(truths, "l2.latency");
    expect_absent(truths, "l4.latency.ns");
    truths_destroy(truths);
}

static void ids_that_nobody_knows(void **state)
{
    static const char *const unknown[] = {"l1d.colour",       "l9d.size",         "l1.latency",       "l9.latency",
                                          "l2.latency.miles", "l2.colour",        "l1i.latency",      "latency",
                                          "latency.plateaus", "latency.1.cycles", "latency.0k.sizes", "mem.size",
                                          "l1.size",          "l9.ways",          "l2.size.bytes",    "l2.way"};
    struct truths *truths = truths_on(plain());

    (void)state;
    for (unsigned i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_int_equal(truth_of(truths, unknown[i]).kind, TRUTH_NONE);
    truths_destroy(truths);
}

/* Of the second level that counts and of those behind: their own, whether they are exclusive or not. */
static void further_caches(void **state)
{
    struct truths *truths = truths_on(plain());
    struct cache_description *second;
    struct description *description;

    (void)state;
    assert_int_equal(truth_of(truths, "l2.size").kind, TRUTH_ABSENT);
    assert_int_equal(truth_of(truths, "l2.ways").kind, TRUTH_ABSENT);
    truths_destroy(truths);
    description = plain();
    second = &description->cache[description->caches++];
    *second = description->cache[0];
    text_copy(second->name, sizeof second->name, "l2");
    second->level = 2;
    second->size = 192 * KB;
    second->shape.ways = 12;
    second->shape.index.sets = 256;
    second->latency = 14;
    second->inclusion = INCLUSION_EXCLUSIVE;
    truths = truths_on(description);
    expect_equal(truths, "l2.size", 192 * KB);
    expect_equal(truths, "l2.ways", 12);
    assert_int_equal(truth_of(truths, "l3.ways").kind, TRUTH_ABSENT);
    truths_destroy(truths);
}

static void hide(struct description *description, const char *id, const char *reason)
{
    struct hiding *hiding = &description->hiding[description->hidings++];

    text_copy(hiding->id, sizeof hiding->id, id);
    text_copy(hiding->reason, sizeof hiding->reason, reason);
}

/* 3.4 GHz of the clock, 39 core cycles in 34 ticks: 3.9 GHz. */
static void clocks(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    description->clock.hz = 3400000000;
    description->clock.ratio_core = 39;
    description->clock.ratio_clock = 34;
    description->clock.step = 17;
    truths = truths_on(description);
    expect_within(truths, "cpu.tsc", 3.4e9, 17e6);
    expect_within(truths, "cpu.frequency", 3.9e9, 39e6);
    expect_equal(truths, "cpu.clock_step", 17);
    expect_within(truths, "l1d.latency", 4, 0.5);
    expect_within(truths, "l1d.latency.ns", 4 / 3.9, 0.54 / 3.9);
    truths_destroy(truths);

    /* Every core cycle is 6 ticks, and the clock moves by 2: all differences are multiples of 6. By 4: of 4. */
    for (unsigned step = 2; step <= 4; step += 2) {
        description = plain();
        description->clock.ratio_clock = 6;
        description->clock.step = step;
        truths = truths_on(description);
        expect_equal(truths, "cpu.clock_step", step == 2 ? 6 : 4);
        truths_destroy(truths);
    }
    /* Nor of those that differ by a tick. */
    description = plain();
    description->clock.ratio_clock = 48;
    description->clock.step = 24;
    description->clock.half_step = true;
    truths = truths_on(description);
    expect_equal(truths, "cpu.clock_step", 24);
    truths_destroy(truths);
}

/* An interruption of 100 us every 10 ms cannot be missed, and two may meet; every second, it is chance. */
static void gaps(void **state)
{
    struct description *description = plain();
    struct truths *truths;
    struct truth truth;

    (void)state;
    description->noise = (struct noise_description){.smi_period = 10000000, .smi_length = 100000};
    truths = truths_on(description);
    truth = truth_of(truths, "noise.max_gap");
    assert_int_equal(truth.kind, TRUTH_RANGE);
    assert_false(truth.optional);
    assert_true(truth.low == 50e3 && truth.high >= 400e3 && truth.high < 420e3);
    truths_destroy(truths);

    description = plain();
    description->noise = (struct noise_description){.smi_period = 1000000000, .smi_length = 100000};
    truths = truths_on(description);
    assert_true(truth_of(truths, "noise.max_gap").optional);
    truths_destroy(truths);
}

static void pages(void **state)
{
    struct truths *truths = truths_on(plain());

    (void)state;
    assert_int_equal(truth_of(truths, "latency.4k.sizes").kind, TRUTH_RANGE);
    assert_int_equal(truth_of(truths, "latency.2m.sizes").kind, TRUTH_RANGE);
    assert_int_equal(truth_of(truths, "latency.1g.sizes").kind, TRUTH_ABSENT);
    assert_int_equal(truth_of(truths, "latency.8k.sizes").kind, TRUTH_ABSENT);
    assert_int_equal(truth_of(truths, "list.sizes").kind, TRUTH_RANGE);
    assert_int_equal(truth_of(truths, "list.other").kind, TRUTH_NONE);
    truths_destroy(truths);
}

static bool demands(struct truths *truths, const char *id)
{
    const char *one;

    for (unsigned i = 0; (one = truth_demanded(truths, i)) != NULL; i++)
        if (strcmp(one, id) == 0)
            return true;
    return false;
}

static void what_is_demanded_and_what_hidden(void **state)
{
    static const char *const demanded[] = {"l1d.size",       "cpu.frequency",   "latency.levels", "l1d.latency",
                                           "l1d.latency.ns", "l2.latency",      "l2.latency.ns",  "mem.latency",
                                           "mem.latency.ns", "latency.4k.sizes"};
    static const char *const not_demanded[] = {"l1d.ways",   "l3.latency.ns",    "noise.max_gap",
                                               "l3.latency", "latency.1g.sizes", "l4.latency"};
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    hide(description, "l1d.ways", "skewed");
    hide(description, "l3.*", "nothing is known of it");
    add_cache(description, 256 * KB, 8, 12, INCLUSION_NEITHER);
    add_cache(description, 1024 * KB, 8, 30, INCLUSION_NEITHER);
    truths = truths_on(description);
    assert_int_equal(truth_of(truths, "l1d.ways").kind, TRUTH_HIDDEN);
    assert_int_equal(truth_of(truths, "l1d.ways").beneath, TRUTH_EQUAL);
    assert_string_equal(truth_of(truths, "l1d.ways").reason, "skewed");
    assert_int_equal(truth_of(truths, "l3.latency").kind, TRUTH_HIDDEN);
    assert_int_equal(truth_of(truths, "l3.latency").beneath, TRUTH_WITHIN);
    assert_int_equal(truth_of(truths, "l2.latency").kind, TRUTH_WITHIN);
    for (unsigned i = 0; i < sizeof demanded / sizeof *demanded; i++)
        assert_true(demands(truths, demanded[i]));
    for (unsigned i = 0; i < sizeof not_demanded / sizeof *not_demanded; i++)
        assert_false(demands(truths, not_demanded[i]));
    for (unsigned i = 0; truth_demanded(truths, i); i++)
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(truth_demanded(truths, i), truth_demanded(truths, j));
    truths_destroy(truths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_cache),
        cmocka_unit_test(ids_that_nobody_knows),
        cmocka_unit_test(further_caches),
        cmocka_unit_test(clocks),
        cmocka_unit_test(gaps),
        cmocka_unit_test(pages),
        cmocka_unit_test(what_is_demanded_and_what_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
