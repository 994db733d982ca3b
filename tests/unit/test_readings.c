// SPDX-License-Identifier: BSD-2-Clause
/* test_readings.c: what readings say, by hand: overhead, single loads, groups, interruptions, coarse clocks. */
#include "probes/readings.h"
#include "tests/unit/resting_host.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { TARGETS = 64, GROUP = 8, ROUNDS = 64 };

static void overhead_without_readings(void **state)
{
    (void)state;
    struct overhead overhead = overhead_of(NULL, 0, 26);
    assert_true(overhead.readings == 0 && overhead.mean == 0 && overhead.variance == 0 && overhead.most > 0);
    assert_false(readings_single(&overhead, 1, 1));
    assert_true(overhead_learn(&overhead, 5000)); /* there is nothing to hold it against */
    assert_true(overhead.readings == 1 && overhead.mean == 5000);
}

static void overhead_leaves_interruptions_out(void **state)
{
    double values[] = {90000, 30, 31, 29, 30, -90000, 31, 29, 30};
    (void)state;
    struct overhead overhead = overhead_of(values, 9, 1);
    assert_true(overhead.readings == 7 && fabs(overhead.mean - 30) < 1e-9 && overhead.variance < 1);
    assert_true(readings_single(&overhead, 1, 1));
    assert_false(readings_single(&overhead, 26, 1));
    /* Later ones as well, however many they are, on both sides. */
    for (unsigned i = 0; i < 100; i++) {
        assert_false(overhead_learn(&overhead, 50000));
        assert_false(overhead_learn(&overhead, -50000));
    }
    assert_true(fabs(overhead.mean - 30) < 1e-9 && overhead.variance < 1);
    assert_true(overhead_learn(&overhead, 32));
    assert_true(overhead.readings == 8 && fabs(overhead.mean - 30.25) < 1e-9);
}

/* A clock that is fine, but noise that is wider than levels are apart. */
static void noise_hides_single_loads(void **state)
{
    double values[64];
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        values[i] = 30 + 10.0 * (i % 3);
    struct overhead overhead = overhead_of(values, 64, 1);
    assert_true(overhead.readings == 64 && overhead.variance > 60);
    assert_false(readings_single(&overhead, 1, 1));
}

/* So many single loads of so many ticks, of targets in turn. */
static void singles(struct readings *readings, unsigned count, double ticks)
{
    for (unsigned i = 0; i < count; i++) {
        uint16_t target = (uint16_t)(i % TARGETS);
        readings_add(readings, &target, ticks, 0);
    }
}

/* A clock that moves by 2 ticks, of 1.4 core cycles each: a hit of 2 cycles is shown as 2, now and then a step more or
 * less; that every fifth reading shows two steps more, and hardly any one step, is another level. */
static void what_varies_more_than_the_clock_is_mixed(void **state)
{
    static struct readings pure = {.group = 1}, mixed = {.group = 1};
    struct overhead overhead = {.readings = 100, .most = 8, .variance = 0.5};
    struct latency_of latency;
    (void)state;
    singles(&pure, 200, 1.43);
    singles(&pure, 40, 1.43 + 2);
    singles(&pure, 40, 1.43 - 2);
    readings_agreeing(&pure, &overhead, 2, 1.4, &latency);
    assert_true(latency.share == 1 && latency.seen && fabs(latency.cycles - 2) < 0.01);
    singles(&mixed, 195, 1.43);
    singles(&mixed, 10, 1.43 + 2);
    singles(&mixed, 75, 1.43 + 4);
    readings_agreeing(&mixed, &overhead, 2, 1.4, &latency);
    assert_true(latency.share == 0 && !latency.seen);
}

static void nothing_is_known_without_readings(void **state)
{
    static struct readings readings = {.group = 1};
    struct overhead overhead = {.readings = 1, .most = 4};
    struct latency_of latency;
    (void)state;
    readings_agreeing(&readings, &overhead, 1, 1, &latency);
    assert_true(latency.share == 0 && latency.variance > 1e6);
}

static void all_but_what_was_interrupted(void **state)
{
    static struct readings readings = {.group = 1};
    struct latency_of latency;
    (void)state;
    singles(&readings, 40, 20);
    singles(&readings, 1, 90000);
    readings_all(&readings, 1, 2, &latency);
    assert_true(fabs(latency.cycles - 40) < 1e-6 && latency.middle == 40 && latency.bias == 0);
}

static void single_loads_show_parts(void **state)
{
    static struct readings readings = {.group = 1};
    struct overhead overhead = {.readings = 100, .variance = 0.2, .most = 4};
    struct latency_of latency;
    (void)state;
    singles(&readings, 60, 20);
    singles(&readings, 40, 6);
    readings_agreeing(&readings, &overhead, 1, 2, &latency);
    assert_true(latency.seen && fabs(latency.cycles - 40) < 1e-6 && fabs(latency.share - 0.6) < 1e-6);
    assert_true(fabs(latency.other - 12) < 1e-6 && latency.low == 12 && latency.high == 40);
    assert_true(latency.variance > 0); /* a step hides something, although all show the same */
}

/* A clock that only steps: two readings of the same lie within two steps, or within one where hits all show the same.
 */
static void steps_do_not_join_levels(void **state)
{
    static struct readings wide = {.group = 1}, narrow = {.group = 1};
    struct overhead stepping = {.readings = 100, .variance = 0.2, .most = 4}, still = {.readings = 100, .most = 4};
    struct latency_of latency;
    (void)state;
    singles(&wide, 60, 4);
    singles(&wide, 40, 8);
    readings_agreeing(&wide, &stepping, 1, 1, &latency);
    assert_true(latency.seen && fabs(latency.cycles - 4) < 1e-6 && fabs(latency.other - 8) < 1e-6);
    singles(&narrow, 60, 3);
    singles(&narrow, 40, 5);
    readings_agreeing(&narrow, &still, 1, 1, &latency);
    assert_true(latency.seen && fabs(latency.cycles - 3) < 1e-6 && fabs(latency.other - 5) < 1e-6);
}

/* Readings that agree within noise so wide that two levels may be in it were not seen singly. */
static void wide_noise_is_not_seen(void **state)
{
    static struct readings readings = {.group = 1};
    struct overhead overhead = {.readings = 100, .variance = 4, .most = 8};
    struct latency_of latency;
    (void)state;
    singles(&readings, 50, 4);
    singles(&readings, 50, 12);
    readings_agreeing(&readings, &overhead, 1, 1, &latency);
    assert_false(latency.seen);
}

/* Sixteen readings that happen to lie closer together than hits do are known no better for it: the noise of both a load
 * and a hit is in each. (UltraSPARC I, seed 1117, office: hits that came out at 2.9, known to 0.24 of a cycle.) */
static void a_few_that_happen_to_agree_are_not_known_better(void **state)
{
    static struct readings readings = {.group = 1};
    struct overhead noisy = {.readings = 500, .variance = 1.25, .most = 8};
    struct overhead stepping = {.readings = 500, .variance = 0.25, .most = 8};
    struct latency_of latency;
    (void)state;
    singles(&readings, 8, 3);
    singles(&readings, 8, 2.5);
    readings_agreeing(&readings, &noisy, 1, 2, &latency);
    assert_true(latency.share == 1 && fabs(latency.cycles - 5.5) < 1e-6);
    assert_true(fabs(latency.variance - 2 * 1.25 * 4 / 16) < 1e-6); /* in core cycles, two a tick */
    /* A clock that only steps may well show all loads alike. */
    readings_agreeing(&readings, &stepping, 1, 2, &latency);
    assert_true(fabs(latency.variance - 0.25 * 4 / 16) < 1e-6);
}

/* More readings of the same few targets know a ring of slices no better than the targets do. */
static void slices_are_known_by_targets(void **state)
{
    static struct readings readings = {.group = 1};
    struct overhead overhead = {.readings = 100, .variance = 0.1, .most = 4};
    struct latency_of once, often;
    (void)state;
    for (uint16_t round = 0; round < 32; round++) {
        for (uint16_t i = 0; i < 16; i++)
            readings_add(&readings, &i, 40 + i, 0);
        if (round == 0)
            readings_agreeing(&readings, &overhead, 1, 1, &once);
    }
    readings_agreeing(&readings, &overhead, 1, 1, &often);
    assert_true(often.share > 0 && !often.seen && fabs(often.cycles - 47.5) < 0.5);
    assert_true(often.variance > once.variance / 2);
}

/* Targets in groups, of which the first `slow` take `farther` cycles and the others 12, by a clock of so many ticks a
 * step that shows every reading rounded down to a step from a phase that wanders. */
static void groups(struct readings *readings, unsigned slow, double farther, unsigned step, bool together)
{
    double phase = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < TARGETS; i += GROUP) {
            uint16_t targets[GROUP];
            double ticks = 0;
            for (unsigned j = 0; j < GROUP; j++) {
                targets[j] = (uint16_t)(together ? i + j : (i + j + round * 7 + j * (round % 5) * GROUP) % TARGETS);
                ticks += targets[j] < slow ? farther : 12;
            }
            phase = fmod(phase + step * 0.618, step);
            readings_add(readings, targets, floor((ticks + phase) / step) * step / GROUP, 0);
        }
}

static void a_coarse_clock_shows_a_level(void **state)
{
    static struct readings readings;
    struct latency_of latency;
    (void)state;
    for (unsigned step = 1; step <= 50; step += 7) {
        struct overhead overhead = {.readings = 100, .variance = step * step / 6.0, .most = 4 * step};
        memset(&readings, 0, sizeof readings);
        readings.group = GROUP;
        groups(&readings, 0, 48, step, true);
        readings_agreeing(&readings, &overhead, step, 1, &latency);
        assert_true(latency.share >= 0.9 && !latency.seen && fabs(latency.cycles - 12) < 0.5);
    }
}

static void groups_of_one_level_each_show_both(void **state)
{
    static struct readings readings = {.group = GROUP};
    struct overhead overhead = {.readings = 100, .variance = 26 * 26 / 6.0, .most = 104};
    struct latency_of latency;
    (void)state;
    groups(&readings, 24, 48, 26, true);
    readings_agreeing(&readings, &overhead, 26, 1, &latency);
    assert_true(fabs(latency.share - 40.0 / TARGETS) < 1e-6 && fabs(latency.cycles - 12) < 0.5);
    assert_true(fabs(readings_of(&readings, 0) - 48) < 2 && fabs(readings_of(&readings, 63) - 12) < 2);
}

/* The more readings a target has, the nearer to each other levels may be. */
static void many_readings_part_near_levels(void **state)
{
    static struct readings readings = {.group = GROUP};
    struct overhead overhead = {.readings = 100, .variance = 26 * 26 / 6.0, .most = 104};
    struct latency_of latency;
    (void)state;
    groups(&readings, 24, 20, 26, true);
    readings_agreeing(&readings, &overhead, 26, 1, &latency);
    assert_true(fabs(latency.share - 40.0 / TARGETS) < 1e-6 && fabs(latency.cycles - 12) < 0.5);
}

/* Targets that are all in one level in one round, and all in another in the next: their means agree, on nothing. */
static void now_here_now_there_is_nothing(void **state)
{
    static struct readings readings = {.group = GROUP};
    struct overhead overhead = {.readings = 100, .variance = 1 / 6.0, .most = 4};
    struct latency_of latency;
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < TARGETS; i += GROUP) {
            uint16_t targets[GROUP];
            for (unsigned j = 0; j < GROUP; j++)
                targets[j] = (uint16_t)(i + j);
            readings_add(&readings, targets, round % 2 ? 14 : 12, 0);
        }
    readings_agreeing(&readings, &overhead, 1, 1, &latency);
    assert_true(latency.share == 0);
}

/* Groups that are mixtures vary by more than the clock does: no level, whatever their mean. */
static void mixed_groups_show_nothing(void **state)
{
    static struct readings readings = {.group = GROUP};
    struct overhead overhead = {.readings = 100, .variance = 1 / 6.0, .most = 4};
    struct latency_of latency;
    (void)state;
    groups(&readings, 32, 48, 1, false);
    readings_agreeing(&readings, &overhead, 1, 1, &latency);
    assert_true(latency.share == 0 && latency.cycles > 20 && latency.cycles < 40);
}

/* Two groups, always the same: each agrees with itself, which is no evidence. */
static void one_group_is_no_part(void **state)
{
    static struct readings readings = {.group = GROUP};
    struct overhead overhead = {.readings = 100, .variance = 1 / 6.0, .most = 4};
    struct latency_of latency;
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < 2 * GROUP; i += GROUP) {
            uint16_t targets[GROUP];
            for (unsigned j = 0; j < GROUP; j++)
                targets[j] = (uint16_t)(i + j);
            readings_add(&readings, targets, i ? 48 : 25, 0);
        }
    readings_agreeing(&readings, &overhead, 1, 1, &latency);
    assert_true(latency.share == 0);
}

enum { SHOWN = 400 };

/* Of a clock that moves by 36 ticks: groups of eight, so many of a hundred a step earlier, later, and farther off. */
static void show_steps(struct readings *readings, unsigned earlier, unsigned later, unsigned far, unsigned far_steps)
{
    for (unsigned i = 0; i < SHOWN; i++) {
        /* In no order that a group of targets would see more of than another. */
        unsigned place = i / 2 * 37 % 100, steps = 4;
        steps = place < earlier ? 3 : place < earlier + later ? 5 : place < earlier + later + far ? 4 + far_steps : 4;
        uint16_t targets[GROUP];
        for (unsigned j = 0; j < GROUP; j++)
            targets[j] = (uint16_t)(i % 2 * GROUP + j);
        readings_add(readings, targets, (36.0 * steps - 30) / GROUP, 36.0 * steps);
    }
}

/* The share of the targets that agree, on the whole. */
static double share_shown(struct readings *readings, double variance)
{
    struct overhead overhead = {.readings = 100, .most = 144, .variance = variance};
    struct latency_of latency;
    readings_agreeing(readings, &overhead, 36, 1, &latency);
    return latency.share;
}

static double share_of_steps(unsigned earlier, unsigned later, unsigned far, unsigned far_steps, double variance)
{
    static struct readings readings;
    readings = (struct readings){.group = GROUP};
    show_steps(&readings, earlier, later, far, far_steps);
    return share_shown(&readings, variance);
}

static void what_is_shown_as_two_steps_is_a_level(void **state)
{
    (void)state;
    assert_true(share_of_steps(0, 0, 0, 2, 200) == 1);
    assert_true(share_of_steps(0, 25, 0, 2, 200) == 1);
    assert_true(share_of_steps(0, 50, 0, 2, 200) == 1);
    assert_true(share_of_steps(25, 0, 0, 2, 200) == 1);
    assert_true(share_of_steps(3, 40, 0, 2, 200) == 1); /* a few, for any reason */
}

static void what_is_shown_as_three_steps_is_none(void **state)
{
    (void)state;
    assert_true(share_of_steps(15, 25, 0, 2, 200) == 0);
    assert_true(share_of_steps(20, 20, 0, 2, 200) == 0);
    assert_true(share_of_steps(20, 20, 0, 2, 400) == 1); /* it is not steps that make readings vary */
}

/* As long as the mean is not, by half of what makes two latencies: 2 groups of 100 that are 144 ticks too long make
 * 0.36 ticks a load. */
static void a_few_groups_may_be_far_off(void **state)
{
    (void)state;
    assert_true(share_of_steps(0, 25, 1, 4, 200) == 1);
    assert_true(share_of_steps(0, 25, 2, 4, 200) == 0);
    assert_true(share_of_steps(0, 0, 8, 2, 200) == 0);
}

/* One reading that a host came into says nothing of its targets; targets that are always as far away are far away. */
static void what_was_interrupted_counts_for_no_target(void **state)
{
    struct overhead overhead = {.readings = 100, .most = 144, .variance = 200};
    static struct readings readings;
    struct latency_of latency;
    (void)state;
    for (unsigned always = 0; always < 2; always++) {
        readings = (struct readings){.group = GROUP};
        for (unsigned i = 0; i < SHOWN; i++) {
            uint16_t targets[GROUP];
            for (unsigned j = 0; j < GROUP; j++)
                targets[j] = (uint16_t)(i % 8 * GROUP + j);
            bool long_one = always ? i % 8 == 7 : i % 40 == 33;
            readings_add(&readings, targets, long_one ? 500 : 14, long_one ? 4032 : 144);
            readings_agreeing(&readings, &overhead, 36, 1, &latency);
        }
        assert_true(always ? latency.share < 0.9 : latency.share == 1 && fabs(latency.cycles - 14) < 1e-3);
        assert_true(fabs(readings_of(&readings, 63) - (always ? 500 : 14)) < 1e-3);
        unsigned eighth = SHOWN / 8, fortieth = SHOWN / 40;
        assert_true(always ? readings.times[63] == eighth : readings.times[GROUP] == eighth - fortieth);
    }
}

/* While targets are brought together, groups are mixtures. That says nothing of what they are afterwards. */
static void what_groups_showed_before_they_were_alike_does_not_count(void **state)
{
    static struct readings readings;
    (void)state;
    for (unsigned alike = 0; alike < 2; alike++) {
        readings = (struct readings){.group = GROUP};
        show_steps(&readings, 20, 20, 0, 2);
        if (alike)
            readings_alike(&readings);
        show_steps(&readings, 0, 25, 0, 2);
        assert_true(share_shown(&readings, 200) == alike);
    }
}

static void half_is_forgotten(void **state)
{
    static struct readings readings = {.group = 1};
    uint16_t target = 5;
    (void)state;
    readings_add(&readings, &target, 10, 0);
    readings_add(&readings, &target, 10, 0);
    readings_forget(&readings);
    readings_add(&readings, &target, 40, 0);
    assert_true(fabs(readings_of(&readings, 5) - 25) < 1e-6 && readings_of(&readings, 6) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overhead_without_readings),
        cmocka_unit_test(overhead_leaves_interruptions_out),
        cmocka_unit_test(noise_hides_single_loads),
        cmocka_unit_test(nothing_is_known_without_readings),
        cmocka_unit_test(all_but_what_was_interrupted),
        cmocka_unit_test(single_loads_show_parts),
        cmocka_unit_test(what_varies_more_than_the_clock_is_mixed),
        cmocka_unit_test(steps_do_not_join_levels),
        cmocka_unit_test(wide_noise_is_not_seen),
        cmocka_unit_test(a_few_that_happen_to_agree_are_not_known_better),
        cmocka_unit_test(slices_are_known_by_targets),
        cmocka_unit_test(a_coarse_clock_shows_a_level),
        cmocka_unit_test(groups_of_one_level_each_show_both),
        cmocka_unit_test(many_readings_part_near_levels),
        cmocka_unit_test(now_here_now_there_is_nothing),
        cmocka_unit_test(mixed_groups_show_nothing),
        cmocka_unit_test(one_group_is_no_part),
        cmocka_unit_test(what_is_shown_as_two_steps_is_a_level),
        cmocka_unit_test(what_is_shown_as_three_steps_is_none),
        cmocka_unit_test(a_few_groups_may_be_far_off),
        cmocka_unit_test(what_was_interrupted_counts_for_no_target),
        cmocka_unit_test(what_groups_showed_before_they_were_alike_does_not_count),
        cmocka_unit_test(half_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
