// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_clock.c: ticks against arithmetic by hand, and what noise does to time. */
#include "tests/silicon/clock.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

static void ratio_is_exact(void **state)
{
    /* 10 core cycles are 7 ticks. */
    struct clock_description description = {.step = 1, .ratio_core = 10, .ratio_clock = 7};
    struct silicon_clock clock = {.description = &description};

    (void)state;
    clock_pass(&clock, 1); /* 0.7 */
    assert_int_equal(clock_ticks(&clock), 0);
    clock_pass(&clock, 1); /* 1.4 */
    assert_int_equal(clock_ticks(&clock), 1);
    clock_pass(&clock, 8);
    assert_int_equal(clock_ticks(&clock), 7);
    for (unsigned i = 0; i < 999990; i++) /* one at a time: nothing is lost to rounding */
        clock_pass(&clock, 1);
    assert_int_equal(clock.cycles, 1000000);
    assert_int_equal(clock_ticks(&clock), 700000);
    clock_pass(&clock, 0);
    clock_idle(&clock, 0);
    assert_int_equal(clock_ticks(&clock), 700000);
}

static void core_may_be_slower_than_the_clock(void **state)
{
    /* 2 core cycles are 5 ticks; shown in steps of 4: 2.5 -> 0, 5 -> 4, 7.5 -> 4, 10 -> 8, 12.5 -> 12. */
    struct clock_description description = {.step = 4, .ratio_core = 2, .ratio_clock = 5};
    struct silicon_clock clock = {.description = &description};
    const uint64_t ticks[] = {0, 4, 4, 8, 12};

    (void)state;
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        clock_pass(&clock, 1);
        assert_int_equal(clock_ticks(&clock), ticks[i]);
    }
}

/* The readings of a Zen 3, one after the other: multiples of 24.5, rounded down. */
static void steps_may_end_in_a_half(void **state)
{
    struct clock_description description = {.step = 24, .half_step = true, .ratio_core = 1, .ratio_clock = 1};
    struct silicon_clock clock = {.description = &description};
    static const uint64_t shown[] = {49, 98, 147, 220, 269, 318, 392, 441, 490, 563, 612, 661, 710, 784};

    (void)state;
    for (unsigned i = 0, ticks = 0; i < sizeof shown / sizeof *shown; i++) {
        for (; ticks < shown[i]; ticks++) {
            assert_int_equal(clock_ticks(&clock), ticks / 49 * 49 + (ticks % 49 >= 24 ? 24 : 0));
            clock_pass(&clock, 1);
        }
        assert_int_equal(clock_ticks(&clock), shown[i]);
    }
}

static void ramp_after_idle(void **state)
{
    /* One tick a cycle; 100 cycles at half of the speed once 1000 cycles went by without work. */
    struct clock_description description = {.ratio_core = 1, .ratio_clock = 1, .ramp = 100, .idle = 1000};
    struct silicon_clock clock = {.description = &description};

    (void)state;
    clock_pass(&clock, 60); /* a clock starts after idle time: 60 * 2 */
    assert_int_equal(clock_ticks(&clock), 120);
    clock_pass(&clock, 60); /* 40 more of the ramp, then 20 at full speed */
    assert_int_equal(clock_ticks(&clock), 120 + 80 + 20);
    clock_idle(&clock, 999); /* not enough */
    assert_int_equal(clock_ticks(&clock), 220 + 999);
    clock_pass(&clock, 50);
    assert_int_equal(clock_ticks(&clock), 1219 + 50);
    clock_idle(&clock, 500); /* 999 and 500, but with work between them */
    clock_pass(&clock, 10);
    assert_int_equal(clock_ticks(&clock), 1269 + 510);
    clock_idle(&clock, 999);
    clock_idle(&clock, 1); /* without work in between: 1000 */
    assert_int_equal(clock_ticks(&clock), 1779 + 1000);
    clock_pass(&clock, 30);
    clock_lose(&clock, 500); /* neither work nor rest, and at full speed */
    clock_pass(&clock, 100); /* 70 of the ramp, 30 after it */
    assert_int_equal(clock_ticks(&clock), 2779 + 60 + 500 + 140 + 30);
    assert_int_equal(clock.cycles, 120 + 999 + 50 + 510 + 1000 + 30 + 500 + 100);
    clock_idle(&clock, 5000);
    clock_pass(&clock, 1);
    assert_int_equal(clock_ticks(&clock), 3509 + 5000 + 2);
}

static void clock_without_ramp(void **state)
{
    struct clock_description description = {.ratio_core = 1, .ratio_clock = 1};
    struct silicon_clock clock = {.description = &description};

    (void)state;
    clock_idle(&clock, 1 << 20);
    clock_pass(&clock, 100);
    assert_int_equal(clock_ticks(&clock), (1 << 20) + 100);
    clock.busy = 5; /* whoever wants it to start warm may say so */
    clock_pass(&clock, 100);
    assert_int_equal(clock_ticks(&clock), (1 << 20) + 200);
}

/* Everything that happens up to `until`, time going by in steps. */
struct happened {
    uint64_t smis, counted, lost, shared, first, calls;
    uint64_t digest;
};

static struct happened let_happen(struct noise *noise, uint64_t until, uint64_t step)
{
    struct happened happened = {0};
    struct disturbance disturbance;

    for (uint64_t now = 0; now < until; now += step) {
        while (noise_due(noise, now, &disturbance)) {
            happened.calls++;
            happened.smis += disturbance.lost > 0;
            happened.counted += disturbance.counted;
            happened.lost += disturbance.lost;
            happened.shared += disturbance.shared_lines;
            happened.first += disturbance.first_lines;
            happened.digest = (happened.digest ^ (now + disturbance.shared_lines)) * 0x9E3779B97F4A7C15;
        }
        assert_true(noise_next(noise) > now);
    }
    return happened;
}

static void silence(void **state)
{
    struct noise_description description = {0};
    struct noise noise;
    struct disturbance disturbance;

    (void)state;
    noise_start(&noise, &description, 1);
    assert_true(noise_next(&noise) == UINT64_MAX);
    assert_false(noise_due(&noise, UINT64_MAX - 1, &disturbance));
    assert_int_equal(noise_jitter(&noise), 0);
    assert_int_equal(noise_line(&noise, 32), 0);
}

static void smis_come_around_their_period(void **state)
{
    struct noise_description description = {.smi_period = 100000, .smi_length = 5000, .smi_counted = true};
    struct noise noise;
    struct happened happened;

    (void)state;
    noise_start(&noise, &description, 7);
    happened = let_happen(&noise, 1050000000, 500);
    /* 105,000 cycles from one to the next: 10,000 of them, give or take four times the root of that. */
    assert_in_range(happened.smis, 9600, 10400);
    assert_int_equal(happened.counted, happened.smis);
    assert_int_equal(noise.smis, happened.smis);
    assert_int_equal(happened.lost, happened.smis * 5000);
    assert_int_equal(happened.shared + happened.first, 0);
    description.smi_counted = false;
    noise_start(&noise, &description, 7);
    assert_int_equal(let_happen(&noise, 1050000000, 500).smis, happened.smis);
    assert_int_equal(noise.smis, 0);
}

/* Intervals are spread nearly as those of a Poisson process, of which 1 - 1/e = 63 % are shorter than the period and
 * 1 - e^-1/4 = 22 % shorter than a quarter of it. With a logarithm that is straight between powers of two: half of them
 * lie evenly between 0 and 2/3 of the period, a quarter evenly between 2/3 and 4/3, so 1/2 + 1/8 = 62.5 % and 3/16 =
 * 18.75 %. */
static void intervals_are_spread(void **state)
{
    struct noise_description description = {.traffic_period = 10000};
    struct noise noise;
    struct disturbance disturbance;
    uint64_t before = 0;
    unsigned shorter = 0, quarter = 0;

    (void)state;
    noise_start(&noise, &description, 3);
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t at = noise_next(&noise);

        shorter += at - before < 10000;
        quarter += at - before < 2500;
        before = at;
        assert_true(noise_due(&noise, at, &disturbance));
        assert_int_equal(disturbance.shared_lines, 1);
        assert_false(noise_due(&noise, at, &disturbance));
    }
    assert_in_range(before, 990000000, 1010000000);
    assert_in_range(shorter, 61800, 63200);
    assert_in_range(quarter, 18100, 19400);
}

static void long_times_at_once(void **state)
{
    struct noise_description description = {.traffic_period = 100, .smi_period = 1000000, .smi_length = 10};
    struct noise noise;
    struct disturbance disturbance;

    (void)state;
    noise_start(&noise, &description, 5);
    assert_true(noise_due(&noise, 1000000, &disturbance)); /* lines come first, 10,000 give or take 400 */
    assert_in_range(disturbance.shared_lines, 9600, 10400);
    assert_int_equal(disturbance.lost, 0);
    while (noise_due(&noise, 1000000, &disturbance))
        assert_int_equal(disturbance.shared_lines, 0);
    assert_true(noise_due(&noise, UINT64_C(1) << 40, &disturbance)); /* ten thousand million: cut off */
    assert_int_equal(disturbance.shared_lines, 65536);
    assert_true(noise.traffic_at > UINT64_C(1) << 40);
}

/* Bursts of 20,000 cycles, 180,000 between the end of one and the start of the next on average, 30 lines in each of the
 * 20 moments of a burst: in 200 million cycles 1000 bursts (give or take 4 * 30) of 600 lines. */
static void neighbours_work_now_and_then(void **state)
{
    struct noise_description description = {
        .neighbour_period = 180000, .neighbour_length = 20000, .neighbour_lines = 30, .neighbour_pages = 3};
    struct noise noise;
    struct disturbance disturbance;
    struct happened happened;
    uint64_t at;

    (void)state;
    noise_start(&noise, &description, 11);
    at = noise_next(&noise);
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(noise_next(&noise), at + i * 1000);
        assert_true(noise_due(&noise, at + i * 1000, &disturbance));
        assert_int_equal(disturbance.first_lines, 30);
        assert_int_equal(disturbance.first_pages, 3);
        assert_int_equal(disturbance.shared_lines, 0);
    }
    assert_true(noise_next(&noise) > at + 20000);
    noise_start(&noise, &description, 11);
    happened = let_happen(&noise, 200000000, 1000);
    assert_in_range(happened.first, 600 * 880, 600 * 1120);
    assert_in_range(happened.calls, 20 * 880, 20 * 1120);
    /* As one disturbance: 3 bursts or so of 600 lines, up to the cut. */
    noise_start(&noise, &description, 11);
    assert_true(noise_due(&noise, UINT64_C(1) << 40, &disturbance));
    assert_in_range(disturbance.first_lines, 65536, 65536 + 30);
    assert_in_range(disturbance.first_pages, 4096, 4096 + 3);
    assert_true(noise_next(&noise) > UINT64_C(1) << 40);
}

static void same_seed_same_noise(void **state)
{
    struct noise_description description = {.jitter = 9,
                                            .smi_period = 50000,
                                            .smi_length = 3000,
                                            .traffic_period = 700,
                                            .neighbour_period = 9000,
                                            .neighbour_length = 3000,
                                            .neighbour_lines = 4};
    struct noise one, same, other;
    uint64_t digest;

    (void)state;
    noise_start(&one, &description, 42);
    noise_start(&same, &description, 42);
    noise_start(&other, &description, 43);
    digest = let_happen(&one, 10000000, 100).digest;
    assert_int_equal(let_happen(&same, 10000000, 100).digest, digest);
    assert_true(let_happen(&other, 10000000, 100).digest != digest);
    assert_int_equal(noise_line(&one, 1 << 20), noise_line(&same, 1 << 20));
}

static void lines_and_jitter_fill_their_range(void **state)
{
    struct noise_description description = {.jitter = 5};
    struct noise noise;
    unsigned line[16] = {0}, ticks[5] = {0};

    (void)state;
    noise_start(&noise, &description, 1);
    for (unsigned i = 0; i < 16000; i++) {
        uint64_t place = noise_line(&noise, 1024 + 63), jitter = noise_jitter(&noise);

        assert_int_equal(place % 64, 0);
        assert_in_range(place, 0, 1023);
        assert_in_range(jitter, 0, 4);
        line[place / 64]++;
        ticks[jitter]++;
    }
    for (unsigned i = 0; i < 16; i++) /* 1000 each, give or take five times the root */
        assert_in_range(line[i], 840, 1160);
    for (unsigned i = 0; i < 5; i++) /* 3200 each */
        assert_in_range(ticks[i], 2920, 3480);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratio_is_exact),
        cmocka_unit_test(core_may_be_slower_than_the_clock),
        cmocka_unit_test(steps_may_end_in_a_half),
        cmocka_unit_test(ramp_after_idle),
        cmocka_unit_test(clock_without_ramp),
        cmocka_unit_test(silence),
        cmocka_unit_test(smis_come_around_their_period),
        cmocka_unit_test(intervals_are_spread),
        cmocka_unit_test(long_times_at_once),
        cmocka_unit_test(neighbours_work_now_and_then),
        cmocka_unit_test(same_seed_same_noise),
        cmocka_unit_test(lines_and_jitter_fill_their_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
