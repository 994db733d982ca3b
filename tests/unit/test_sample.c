// SPDX-License-Identifier: BSD-2-Clause
/* test_sample.c: quantiles, batches and decisions, on modelled machines whose noise is known. */
#include "base/arithmetic.h"
#include "probes/confidence.h"
#include "probes/pause.h"
#include "probes/rate.h"
#include "probes/stretch.h"
#include "probes/witness.h"
#include "tests/silicon/process/process.h"
#include "tests/silicon/silicon.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

static unsigned rests, rests_until_skip;

bool host_rest(struct host *host, unsigned permille)
{
    (void)host;
    (void)permille;
    rests++;
    return !rests_until_skip || rests < rests_until_skip;
}

/* 32 KB, 8 ways, 64-byte lines; memory as far away as a second level. */
static struct description quiet(void)
{
    struct description description;
    description_plain(&description, 32768, 8, 64, 4, 14);
    description.memory.span = 8 << 20;
    return description;
}

static struct machine *opened(const struct description *description, uint64_t seed)
{
    const char *why;
    struct machine *machine = process_open(NULL, description, seed, NULL, &why);
    assert_non_null(machine);
    return machine;
}

static void quantiles_interpolate(void **state)
{
    (void)state;
    double values[] = {5, 1, 4, 2, 3}, same[] = {7, 7, 7};
    assert_true(quantile(values, 5, 0) == 1);
    assert_true(quantile(values, 5, 0.5) == 3);
    assert_true(quantile(values, 5, 0.625) == 3.5);
    assert_true(quantile(values, 5, 1) == 5);
    assert_true(quantile(same, 3, 0.3) == 7);
    assert_true(quantile(values, 1, 0.3) == 1);
}

static void confidences_combine(void **state)
{
    (void)state;
    assert_true(confidence_from(0) == 0.999);
    assert_true(confidence_from(0.5) < 0.5);
    assert_true(confidence_from(3) == 0);
    assert_true(confidence_rounding(4, 4, 4, 10) == 0);
    assert_true(confidence_rounding(3.9, 4, 4.1, 30) < 0.01);
    assert_true(confidence_rounding(4.0, 4.45, 4.9, 4) > 0.5);
}

/* Jumps are made in whole laps, and told as the part that was asked for. */
static void parts_of_laps_are_told(void **state)
{
    enum { STOPS = 48, STEPS = 100 * STOPS, PART = STOPS / 3 };
    struct description description = quiet();
    struct machine *machine = opened(&description, 1);
    struct bench bench = bench_open(machine, 1);
    struct stretch stretch;
    double whole = 0, part = 0, timed = 0;
    (void)state;
    assert_true(stretch_best(machine, 2 << 20, 2 << 20, 2 << 20, &stretch));
    struct stops stops = stops_sequence(stretch.base, 64, STOPS);
    struct walk walk = walk_over(&stops, OP_JUMP, 1);
    assert_true(bench_link(&bench, &walk) && bench_warm(&bench, &walk, 0, 1));
    assert_true(bench_batch(&bench, &walk, 0, STEPS, &whole) && bench_batch(&bench, &walk, 0, STEPS - PART, &part));
    assert_true(apart(part / whole, (double)(STEPS - PART) / STEPS) < 1e-9);
    assert_true(bench_timed(&bench, &walk, STOPS, STEPS - PART, &timed));
    assert_true(apart(timed, part) <= 2 * (double)bench.clock.step);
    machine_close(machine);
}

/* Decides about `stops` lines of one set of an 8-way cache. question: what is asked for, and how. */
static enum verdict decide_by(struct machine *machine, uint64_t seed, uint64_t stops, struct question question,
                              struct answer *answer)
{
    struct bench bench = bench_open(machine, seed);
    struct stretch stretch;
    assert_true(stretch_best(machine, 2 << 20, 2 << 20, 2 << 20, &stretch));
    struct stops here = stops_sequence(stretch.base + KEPT, 4096, stops), few = stops_sequence(stretch.base + 8, 16, 3);
    struct walk signal = walk_over(&here, OP_LOAD, seed), control = walk_over(&few, OP_LOAD, seed);
    question.signal = &signal;
    question.control = &control;
    question.steps = 1024;
    question.error = 1e-3;
    assert_true(bench_link(&bench, &control) && bench_link(&bench, &signal));
    assert_true(sample_compare(&bench, &question, answer));
    return answer->verdict;
}

static enum verdict decide(struct machine *machine, uint64_t seed, uint64_t stops, struct answer *answer)
{
    return decide_by(machine, seed, stops, (struct question){.effect = 10}, answer);
}

/* By a clock of 500 cycles, batches are as long as a small effect takes: those that are slow by many times as much may
 * be short, and cost a part of it. What fits is told as surely. */
static void what_is_clearly_slow_is_told_soon(void **state)
{
    uint64_t visits[2];
    (void)state;
    struct description description = quiet();
    description.clock.step = 500;
    for (unsigned brief = 0; brief < 2; brief++) {
        const struct question question = {.effect = 0.1, .brief = brief};
        struct machine *machine = opened(&description, 3);
        struct answer answer;
        assert_int_equal(decide_by(machine, 1, 8, question, &answer), NOT_SLOWER);
        uint64_t before = machine_steps(machine);
        assert_int_equal(decide_by(machine, 2, 9, question, &answer), SLOWER);
        assert_true(answer.error <= 1e-3 && answer.blur > 0 && answer.blur <= BLURRED * 0.1);
        visits[brief] = machine_steps(machine) - before;
        machine_close(machine);
    }
    assert_true(3 * visits[1] < visits[0]);
}

/* Lines of another set than those that are asked about, of which as many fit. */
static void call(struct witness *witness, struct bench *bench, const struct stretch *stretch)
{
    uint64_t base = stretch->base + (1 << 20);
    struct stops lines = stops_sequence(base + 64, 4096, 8), few = stops_sequence(base + 8, 16, 3);
    *witness = (struct witness){.called = true, .patience = WITNESS_PATIENCE};
    witness->pages = walk_over(&lines, OP_LOAD, 1);
    witness->lines = walk_over(&few, OP_LOAD, 1);
    assert_true(bench_link(bench, &witness->pages) && bench_link(bench, &witness->lines));
}

/* A sibling works for five sixths of the time, in spells of some rounds, and takes lines: those that fit are too many
 * then, in 373 of 400 runs, and in 26 to 28 where a witness is asked. */
static void a_witness_is_heard(void **state)
{
    (void)state;
    enum { MACHINES = 12, MOST = 3 };
    struct description description = quiet();
    unsigned wrong[2] = {0, 0};
    description.noise.neighbour_period = 2500;
    description.noise.neighbour_length = 12000;
    description.noise.neighbour_lines = 200;
    for (uint64_t seed = 1; seed <= 2 * MACHINES; seed++) {
        struct machine *machine = opened(&description, seed);
        struct bench bench = bench_open(machine, seed);
        struct stretch stretch;
        struct witness witness;
        struct answer answer;
        assert_true(stretch_best(machine, 2 << 20, 2 << 20, 2 << 20, &stretch));
        call(&witness, &bench, &stretch);
        const struct question question = {.effect = 0.1, .witness = seed % 2 ? &witness : NULL};
        wrong[seed % 2] += decide_by(machine, seed, 8, question, &answer) != NOT_SLOWER;
        machine_close(machine);
    }
    assert_in_range(wrong[0], 3 * MOST, MACHINES);
    assert_in_range(wrong[1], 0, MOST);
}

/* Somebody has the core for two thirds of the time, in spells that are longer than what there is to tell. A batch that
 * is slow when the control was slow, too, says nothing of the lines, and neither does a short one: where they count,
 * six times as many of these decisions are wrong, or, where short ones do, twice as many. */
static void who_is_busy_says_nothing(void **state)
{
    (void)state;
    enum { MACHINES = 320, WRONG = 15 };
    const struct question question = {.effect = 0.15, .brief = true, .together = true};
    struct description description = quiet();
    description.clock.step = 71;
    description.noise.smi_period = 6000;
    description.noise.smi_length = 4000;
    unsigned wrong = 0;
    for (uint64_t seed = 1; seed <= MACHINES; seed++) {
        struct machine *machine = opened(&description, seed);
        struct answer answer;
        wrong += decide_by(machine, seed, 8, question, &answer) != NOT_SLOWER;
        machine_close(machine);
    }
    assert_in_range(wrong, 0, WRONG);
}

static void no_spread_at_all(void **state)
{
    (void)state;
    struct description description = quiet();
    struct machine *machine = opened(&description, 1);
    struct answer answer;
    assert_int_equal(decide(machine, 1, 8, &answer), NOT_SLOWER);
    assert_true(answer.signal == answer.control && answer.error <= 1e-3);
    assert_int_equal(decide(machine, 2, 9, &answer), SLOWER);
    assert_true(answer.signal == 14 && answer.control == 4 && answer.error <= 1e-3);
    machine_close(machine);
}

static void flat_clock_is_never_slower(void **state)
{
    (void)state;
    struct description description = quiet();
    description.memory.latency = description.cache[0].latency;
    struct machine *machine = opened(&description, 1);
    struct answer answer;
    assert_int_equal(decide(machine, 1, 100, &answer), NOT_SLOWER);
    machine_close(machine);
}

/* Every noise and every clock step, many seeds: no wrong verdict. */
static void noise_does_not_decide(void **state)
{
    (void)state;
    static const uint64_t steps[] = {1, 26, 100};
    unsigned undecided = 0, asked = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct description description = quiet();
        description.clock.step = steps[seed % 3];
        description.noise.jitter = (unsigned)(seed % 5) * 40;
        /* Readings take 4000 to 14000 cycles and what an interruption takes: one of three to 45 is hit. */
        description.noise.smi_length = 100 + seed * 700;
        description.noise.smi_period = seed % 4 ? description.noise.smi_length + 180000 / (seed % 4) : 0;
        description.noise.smi_counted = seed % 2;
        struct machine *machine = opened(&description, seed);
        struct answer answer;
        enum verdict fits = decide(machine, seed, 8, &answer);
        enum verdict over = decide(machine, seed + 1000, 9, &answer);
        if (fits == SLOWER || over == NOT_SLOWER)
            fail_msg("seed %u: 8 lines %d, 9 lines %d", (unsigned)seed, fits, over);
        undecided += (fits == UNDECIDED) + (over == UNDECIDED);
        asked += 2;
        machine_close(machine);
    }
    assert_true(undecided * 20 <= asked);
}

static void skipping_ends_a_decision(void **state)
{
    (void)state;
    struct description description = quiet();
    struct machine *machine = opened(&description, 1);
    struct bench bench = bench_open(machine, 1);
    struct stretch stretch;
    assert_true(stretch_best(machine, 2 << 20, 2 << 20, 8 << 20, &stretch));
    struct stops stops = stops_sequence(stretch.base, 16, 1 << 18);
    struct walk walk = walk_over(&stops, OP_LOAD, 1);
    rests = 0;
    rests_until_skip = 2;
    assert_false(bench_link(&bench, &walk));
    assert_true(bench.skipped);
    assert_false(bench_ok(&bench));
    rests_until_skip = 0;
    machine_close(machine);
}

static void rate_needs_whole_multiplies(void **state)
{
    (void)state;
    struct description description = quiet();
    description.clock.ratio_core = 37;
    description.clock.ratio_clock = 26;
    description.clock.step = 26;
    description.noise.jitter = 30;
    struct machine *machine = opened(&description, 3);
    struct bench bench = bench_open(machine, 1);
    struct rate rate;
    assert_true(rate_measure(&bench, &rate));
    assert_true(rate.multiply > 2.97 && rate.multiply < 3.03);
    assert_true(bench.cycles_per_tick > 37.0 / 26 * 0.995 && bench.cycles_per_tick < 37.0 / 26 * 1.005);
    assert_true(rate.error < 0.05);
    machine_close(machine);
}

/* However long PAUSE takes, a pause takes what was asked, and not much longer. */
static void pauses_last(void **state)
{
    static const unsigned cycles[] = {1, 10, 140, 1000};
    (void)state;
    for (unsigned i = 0; i < sizeof cycles / sizeof *cycles; i++) {
        struct description description = quiet();
        description.clock.pause = cycles[i];
        struct machine *machine = opened(&description, i + 1);
        struct bench bench = bench_open(machine, 1);
        struct rate rate;
        assert_true(rate_measure(&bench, &rate));
        struct silicon_clock *clock = &process_silicon(machine)->clock;
        uint64_t start = clock_ticks(clock);
        bench_wait(&bench, 2);
        double seconds = (double)(clock_ticks(clock) - start) / (double)bench.clock.hz;
        assert_true(seconds >= 0.04 * 0.999 && seconds < 0.042);
        machine_close(machine);
    }
}

/* A clock that moves once in 2^31 core cycles ends a pause, too: PAUSE takes one at least. */
static void pauses_end(void **state)
{
    (void)state;
    struct description description = quiet();
    description.clock.ratio_core = 1u << 31;
    struct machine *machine = opened(&description, 1);
    struct bench bench = bench_open(machine, 1);
    struct silicon_clock *clock = &process_silicon(machine)->clock;
    double most = 0.02 * (double)description.clock.hz;
    uint64_t start = clock->cycles;
    bench_wait(&bench, 1);
    uint64_t pauses = (clock->cycles - start) / description.clock.pause;
    assert_true((double)pauses >= most && (double)pauses < 1.01 * most);
    machine_close(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pauses_end),
        cmocka_unit_test(pauses_last),
        cmocka_unit_test(parts_of_laps_are_told),
        cmocka_unit_test(quantiles_interpolate),
        cmocka_unit_test(confidences_combine),
        cmocka_unit_test(no_spread_at_all),
        cmocka_unit_test(what_is_clearly_slow_is_told_soon),
        cmocka_unit_test(a_witness_is_heard),
        cmocka_unit_test(who_is_busy_says_nothing),
        cmocka_unit_test(flat_clock_is_never_slower),
        cmocka_unit_test(noise_does_not_decide),
        cmocka_unit_test(skipping_ends_a_decision),
        cmocka_unit_test(rate_needs_whole_multiplies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
