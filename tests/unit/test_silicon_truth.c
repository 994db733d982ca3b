// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_truth.c: the truth of small machines, worked out by hand. */
#include "base/text.h"
#include "kernel/host.h"
#include "tests/silicon/truth_levels.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { KB = 1024 };

bool host_rest(struct host *host, unsigned permille)
{
    (void)host, (void)permille;
    return true;
}

/* 32 KB in 8 ways of 64-byte lines: 64 sets; a hit takes 4 cycles, memory 100. */
static struct description *plain(void)
{
    struct description *description = calloc(1, sizeof *description);

    assert_non_null(description);
    description_plain(description, 32 * KB, 8, 64, 4, 100);
    return description;
}

static void add_cache(struct description *description, uint64_t size, unsigned ways, unsigned latency,
                      enum inclusion inclusion)
{
    struct cache_description *cache = &description->cache[description->caches++];

    *cache = description->cache[0];
    strcpy(cache->name, "l2");
    cache->level = 2;
    cache->holds = HOLDS_BOTH;
    cache->size = size;
    cache->latency = latency;
    cache->inclusion = inclusion;
    cache->shape.ways = ways;
    cache->shape.index.sets = size / (64 * ways);
}

static void hide(struct description *description, const char *id, const char *reason)
{
    struct hiding *hiding = &description->hiding[description->hidings++];

    text_copy(hiding->id, sizeof hiding->id, id);
    text_copy(hiding->reason, sizeof hiding->reason, reason);
}

static struct truths *truths_on(struct description *description)
{
    struct truths *truths;

    assert_null(description_unsound(description));
    truths = truths_create(description);
    assert_non_null(truths);
    free(description);
    return truths;
}

static void expect_equal(struct truths *truths, const char *id, double value)
{
    struct truth truth = truth_of(truths, id);

    assert_int_equal(truth.kind, TRUTH_EQUAL);
    assert_true(truth.value == value);
}

static void expect_within(struct truths *truths, const char *id, double value, double tolerance)
{
    struct truth truth = truth_of(truths, id);

    assert_int_equal(truth.kind, TRUTH_WITHIN);
    assert_true(truth.value > value * (1 - 1e-9) && truth.value < value * (1 + 1e-9));
    assert_true(truth.tolerance > tolerance * (1 - 1e-9) && truth.tolerance < tolerance * (1 + 1e-9));
}

static void expect_range(struct truths *truths, const char *id, double low, double high)
{
    struct truth truth = truth_of(truths, id);

    assert_int_equal(truth.kind, TRUTH_RANGE);
    assert_true(truth.low == low && truth.high == high);
}

static void first_cache(void **state)
{
    struct truths *truths = truths_on(plain());

    (void)state;
    expect_equal(truths, "l1d.size", 32 * KB);
    expect_equal(truths, "l1d.ways", 8);
    expect_equal(truths, "l1d.line", 64);
    expect_within(truths, "l1d.latency", 4, 0.5);
    assert_int_equal(truth_of(truths, "l1d.colour").kind, TRUTH_NONE);
    assert_int_equal(truth_of(truths, "l9d.size").kind, TRUTH_NONE);
    truths_destroy(truths);
}

/* LRU and a lap in any fixed order: a set that is asked for more lines than it has ways misses every time, any other
 * set never does. 512 + n lines that follow each other, n below 64, put 9 lines into n of the 64 sets. */
static void walk_under_lru(void **state)
{
    static const unsigned beyond[] = {0, 1, 2, 17, 63, 64, 500};
    struct truths *truths = truths_on(plain());

    (void)state;
    for (unsigned i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        unsigned lines = 512 + beyond[i], missing = beyond[i] < 64 ? 9 * beyond[i] : lines;
        double expected = (100.0 * missing + 4.0 * (lines - missing)) / lines;
        double cycles = walk_cycles(truths, (uint64_t)lines * 64);
        assert_true(cycles > expected - 1e-9 && cycles < expected + 1e-9);
    }
    truths_destroy(truths);
}

/* The plateau ends with 32 KB. The last footprint of four an octave that fits for certain is above 32 KB / 2^(1/4) =
 * 26.9 KB. An eighth of an octave beyond 32 KB lie 558 lines, of which 46 * 9 = 414 miss: (414 * 100 + 144 * 4) / 558 =
 * 75.2 cycles, above the half of the rise, 52. */
static void two_plateaus(void **state)
{
    struct truths *truths = truths_on(plain());

    (void)state;
    expect_range(truths, "latency.plateaus", 2, 2);
    expect_within(truths, "latency.1.cycles", 4, 0.5);
    expect_within(truths, "latency.2.cycles", 100, 2);
    expect_within(truths, "latency.1.ns", 4, 0.5); /* 1 GHz */
    expect_within(truths, "latency.2.ns", 100, 2);
    expect_range(truths, "latency.1.ends", 27520, 558 * 64);
    assert_false(truth_of(truths, "latency.1.ends").optional);
    assert_int_equal(truth_of(truths, "latency.2.ends").kind, TRUTH_ABSENT);
    assert_int_equal(truth_of(truths, "latency.3.cycles").kind, TRUTH_ABSENT);
    assert_int_equal(truth_of(truths, "latency.0.cycles").kind, TRUTH_NONE);
    assert_int_equal(truth_of(truths, "latency.2.furlongs").kind, TRUTH_NONE);
    truths_destroy(truths);
}

/* A victim cache of 64 KB behind 32 KB holds 96 KB together; a cache of 64 KB that takes what passes, 64 KB. */
static void exclusive_capacities_add_up(void **state)
{
    (void)state;
    for (unsigned exclusive = 0; exclusive < 2; exclusive++) {
        struct description *description = plain();
        struct step step[MAX_STEPS];
        struct truths *truths;
        add_cache(description, 64 * KB, 16, 12, exclusive ? INCLUSION_EXCLUSIVE : INCLUSION_NEITHER);
        assert_int_equal(levels_steps(description, step), 2);
        assert_int_equal(step[0].capacity, 32 * KB);
        assert_int_equal(step[1].capacity, exclusive ? 96 * KB : 64 * KB);
        truths = truths_on(description);
        /* Full associativity would hold 96 KB; sets that do not line up lose some, never half of it. */
        assert_true(truth_of(truths, "latency.2.ends").high >= (exclusive ? 96 * KB : 64 * KB));
        assert_true(truth_of(truths, "latency.2.ends").low < (exclusive ? 96 * KB : 64 * KB));
        truths_destroy(truths);
    }
}

/* 64 KB behind 32 KB: one octave has four footprints of a quarter of an octave, and is a plateau for certain. 40 KB
 * behind 32 KB, 0.32 octaves, have one: it may be seen or not, and what comes third may be second. */
static void a_narrow_plateau(void **state)
{
    struct description *description = plain();
    struct truths *truths;
    struct truth truth;

    (void)state;
    add_cache(description, 64 * KB, 16, 12, INCLUSION_NEITHER);
    truths = truths_on(description);
    expect_range(truths, "latency.plateaus", 3, 3);
    truths_destroy(truths);

    description = plain();
    add_cache(description, 40 * KB, 10, 12, INCLUSION_NEITHER);
    truths = truths_on(description);
    expect_range(truths, "latency.plateaus", 2, 3);
    truth = truth_of(truths, "latency.2.cycles");
    assert_int_equal(truth.kind, TRUTH_CHOICE);
    assert_int_equal(truth.choices, 2);
    assert_true(truth.choice[1].low == 98 && truth.choice[1].high == 102);
    assert_false(truth.optional);
    expect_within(truths, "latency.3.cycles", 100, 2);
    assert_true(truth_of(truths, "latency.3.cycles").optional);
    truths_destroy(truths);
}

/* A whole cycle, twice the tolerance, may be told or not; and then the first plateau may be the one of both. */
static void nearly_equal_levels_may_be_one(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    add_cache(description, 256 * KB, 8, 5, INCLUSION_NEITHER);
    truths = truths_on(description);
    expect_range(truths, "latency.plateaus", 2, 3);
    expect_range(truths, "latency.1.cycles", 3.5, 5.5);
    assert_true(truth_of(truths, "latency.1.ends").low == 16 * KB); /* the middle of the first */
    assert_true(truth_of(truths, "latency.1.ends").high > 256 * KB);
    assert_false(truth_of(truths, "latency.1.ends").optional);
    truths_destroy(truths);
}

/* Where memory is as quick as the cache there is no step, and nobody must see a plateau. */
static void a_flat_machine(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    description->memory.latency = 4;
    truths = truths_on(description);
    expect_range(truths, "latency.plateaus", 1, 1);
    assert_true(truth_of(truths, "latency.plateaus").optional);
    assert_true(truth_of(truths, "latency.1.cycles").optional);
    assert_int_equal(truth_of(truths, "latency.1.ends").kind, TRUTH_ABSENT);
    for (unsigned i = 0; truth_demanded(truths, i); i++)
        assert_true(strncmp(truth_demanded(truths, i), "latency.1.", 10) != 0);
    truths_destroy(truths);
}

/* 4 entries of 2 MB reach 8 MB; of 32 MB that are walked, that is a plateau which may be told apart. */
static void translation_may_add_one(void **state)
{
    struct description *description = plain();
    struct tlb_description *tlb = &description->tlb[description->tlbs++];
    struct step step[MAX_STEPS];
    struct truths *truths;

    (void)state;
    strcpy(tlb->name, "dtlb1");
    tlb->level = 1;
    tlb->holds = HOLDS_DATA;
    tlb->pages = PAGES_SMALL | PAGES_LARGE;
    tlb->loads = tlb->stores = true;
    tlb->sector = tlb->coalesce = 1;
    tlb->shape = (struct array_shape){.index.sets = 1, .ways = 4};
    assert_true(policy_parse(&tlb->shape.policy, "LRU"));
    description->walker.overhead = 40;
    assert_int_equal(levels_steps(description, step), 2);
    assert_int_equal(step[1].capacity, 8 << 20);
    assert_true(step[1].translation);
    truths = truths_on(description);
    expect_range(truths, "latency.plateaus", 2, 3);
    assert_int_equal(truth_of(truths, "latency.2.cycles").kind, TRUTH_RANGE); /* 100, and rising where pages miss */
    assert_true(truth_of(truths, "latency.2.cycles").low == 98);
    assert_true(truth_of(truths, "latency.2.cycles").high > 125);
    assert_true(truth_of(truths, "latency.3.cycles").optional);
    truths_destroy(truths);
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
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    hide(description, "l1d.ways", "skewed");
    hide(description, "latency.2.*", "nothing is known of it");
    truths = truths_on(description);
    assert_int_equal(truth_of(truths, "l1d.ways").kind, TRUTH_HIDDEN);
    assert_int_equal(truth_of(truths, "l1d.ways").beneath, TRUTH_EQUAL);
    assert_string_equal(truth_of(truths, "l1d.ways").reason, "skewed");
    assert_int_equal(truth_of(truths, "latency.2.cycles").kind, TRUTH_HIDDEN);
    assert_int_equal(truth_of(truths, "latency.1.cycles").kind, TRUTH_WITHIN);
    assert_true(demands(truths, "l1d.size") && demands(truths, "latency.1.ends") && demands(truths, "cpu.frequency"));
    assert_true(demands(truths, "latency.plateaus") && demands(truths, "latency.4k.sizes"));
    assert_false(demands(truths, "l1d.ways") || demands(truths, "latency.2.cycles"));
    assert_false(demands(truths, "latency.1g.sizes") || demands(truths, "noise.max_gap"));
    truths_destroy(truths);
}

/* Noise and prefetchers that can be switched off have no part in it. */
static void truth_is_quiet(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    assert_true(description_disturb(description, "hostile"));
    description->prefetchers = 1;
    description->prefetcher[0] = (struct prefetcher_description){
        .kind = PREFETCH_ADJACENT, .watches = 1, .into = 1, .ahead = 1, .msr = 0x1a4, .bit = 1};
    truths = truths_on(description);
    expect_within(truths, "latency.1.cycles", 4, 0.5);
    expect_within(truths, "latency.2.cycles", 100, 2);
    truths_destroy(truths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_cache),
        cmocka_unit_test(walk_under_lru),
        cmocka_unit_test(two_plateaus),
        cmocka_unit_test(exclusive_capacities_add_up),
        cmocka_unit_test(a_narrow_plateau),
        cmocka_unit_test(nearly_equal_levels_may_be_one),
        cmocka_unit_test(a_flat_machine),
        cmocka_unit_test(translation_may_add_one),
        cmocka_unit_test(clocks),
        cmocka_unit_test(gaps),
        cmocka_unit_test(pages),
        cmocka_unit_test(what_is_demanded_and_what_hidden),
        cmocka_unit_test(truth_is_quiet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
