// SPDX-License-Identifier: BSD-2-Clause
/* clock.c: the clock itself, the core's frequency by it, and what interrupts the core.
 *
 * Findings:
 *   cpu.tsc         Hz of the clock, as the machine calibrated it
 *   cpu.clock_step  ticks: the largest number that all differences of readings are multiples of; some clocks move in
 *                   steps
 *   cpu.frequency   Hz of the core: dependent register adds, one a cycle, checked against dependent multiplies
 *   noise.max_gap   ns: an upper bound of the longest stretch in which the core did not run this program while
 * listening Series: noise.gaps: how many gaps were seen, against their least length in ns. */
#include "base/arithmetic.h"
#include "base/random.h"
#include "base/text.h"
#include "probes/confidence.h"
#include "probes/probes.h"
#include "probes/rate.h"

enum {
    READINGS = 240,
    PIECES = 20, /* of listening */
    PIECES_A_SECOND = 100,
    BUCKETS = 64
};

/* The largest common divisor of the differences of readings of many lengths, 0 when all were equal. *steady: readings
 * after which it no longer changed. */
static bool measure_step(struct bench *bench, uint64_t *divisor, unsigned *steady)
{
    struct random random = {bench_seed(bench)};
    double first = 0;
    *divisor = 0;
    *steady = 0;
    for (unsigned i = 0; i < READINGS; i++) {
        double ticks = 0;
        if (!bench_block(bench, BLOCK_ADD, 64 + random_below(&random, 4096), &ticks) || !bench_rest(bench, false))
            return false;
        if (!i)
            first = ticks;
        uint64_t now = common_divisor(*divisor, (uint64_t)apart(ticks, first));
        *steady = now == *divisor ? *steady + 1 : 0;
        *divisor = now;
    }
    return true;
}

/* How sure what only the machine itself has seen is: nothing of this run speaks for it, nor against it. */
static const double NOT_REMEASURED = 0.5;

static void note_step(struct bench *bench, struct notebook *notebook)
{
    uint64_t divisor, declared = bench->clock.step;
    unsigned steady;
    if (!measure_step(bench, &divisor, &steady))
        return;
    if (!divisor) {
        note_missing(notebook, "cpu.clock_step", "ticks", 0, "every reading was the same: the clock stands still");
        return;
    }
    /* A divisor that is too large by a factor f would have survived each further reading by chance with probability
     * 1/f, at most one half. */
    double error = 1;
    for (unsigned i = 0; i < steady && error > 1e-6; i++)
        error /= 2;
    /* All durations are whole core cycles: a divisor that is whole cycles too may be theirs and not the clock's. How
     * far off it may seem: by what the frequency itself may be wrong. Ticks are whole: 1 is never too large. */
    double cycles = (double)divisor * bench->cycles_per_tick, whole = (double)(uint64_t)(cycles + 0.5);
    double away = apart(cycles, whole);
    bool of_cycles = divisor > 1 && (bench->cycles_per_tick <= 0 || away <= 0.01 * cycles + 1e-6);
    if (divisor == 1 && declared > 1)
        /* A hypervisor that scales the clock makes steps that differ by a tick. */
        note_value(notebook, "cpu.clock_step", (double)declared, "ticks", NOT_REMEASURED, 0,
                   "the machine's own look at its clock, not re-measured: readings differ by less");
    else if (of_cycles && declared && divisor % declared == 0)
        note_value(notebook, "cpu.clock_step", (double)declared, "ticks",
                   declared == divisor ? confidence_from(error) : NOT_REMEASURED, 0,
                   declared == divisor ? "largest common divisor of differences, and the machine's own look"
                                       : "the machine's own look, not re-measured: differences are whole core cycles");
    else if (of_cycles)
        note_missing(notebook, "cpu.clock_step", "ticks", 0,
                     "differences are multiples of %u ticks, which may be core cycles; the machine says %u",
                     (unsigned)divisor, (unsigned)declared);
    else
        note_value(notebook, "cpu.clock_step", (double)divisor, "ticks", confidence_from(error), 0,
                   "largest common divisor of the differences of readings");
}

static void note_frequency(struct bench *bench, struct notebook *notebook)
{
    struct rate rate;
    char method[96];
    struct text text = text_in(method, sizeof method);
    if (!rate_measure(bench, &rate))
        return;
    text_format(&text, "dependent adds, one a cycle; multiplies take %u adds; to %u millionths",
                (unsigned)(rate.multiply + 0.5), (unsigned)(1e6 * rate.doubt + 1));
    if (bench->cycles_per_tick > 0)
        note_value(notebook, "cpu.frequency", bench->cycles_per_tick * (double)bench->clock.hz, "Hz",
                   confidence_from(rate.error), 0, method);
    else if (rate.doubt > 0.01)
        note_missing(notebook, "cpu.frequency", "Hz", 0,
                     "the clock's step of %u ticks is more than 1 %% of a millisecond's adds",
                     (unsigned)bench->clock.step);
    else
        note_missing(notebook, "cpu.frequency", "Hz", 0,
                     "a multiply takes %.2f adds: not for certain a whole number of 3 or more, so an add is no cycle",
                     rate.multiply);
}

/* Adds up the gaps of a stretch of listening, with rests. */
static bool listen(struct bench *bench, uint64_t gaps[BUCKETS])
{
    uint64_t ticks = bench->clock.hz / PIECES_A_SECOND;
    for (unsigned piece = 0; piece < PIECES; piece++) {
        uint64_t gap[BUCKETS] = {0};
        bench->permille = 300 + 700 * piece / PIECES;
        if (!machine_listen(bench->machine, ticks ? ticks : 1, gap)) {
            bench->refused = true;
            return false;
        }
        for (unsigned i = 0; i < BUCKETS; i++)
            gaps[i] += gap[i];
        bench->busy += ticks;
        if (!bench_rest(bench, false))
            return false;
    }
    return true;
}

/* The first class that holds gaps in the program: a clock that moves in steps, and the looking itself (by far the most
 * frequent class), make jumps of up to twice their length when they meet. */
static unsigned first_class(const struct bench *bench, const uint64_t gaps[BUCKETS])
{
    unsigned usual = 0, first = 0;
    for (unsigned i = 1; i < BUCKETS; i++)
        if (gaps[i] > gaps[usual])
            usual = i;
    while (first < BUCKETS && (uint64_t)1 << first < 2 * bench->clock.step)
        first++;
    return first < usual + 2 ? usual + 2 : first;
}

static void note_gaps(struct bench *bench, struct notebook *notebook)
{
    uint64_t gaps[BUCKETS] = {0};
    if (!listen(bench, gaps))
        return;
    double tick = 1e9 / (double)bench->clock.hz;
    struct series *series = note_series(notebook, "noise.gaps", "ns", "gaps");
    unsigned longest = BUCKETS, first = first_class(bench, gaps);
    for (unsigned i = 0; i < BUCKETS; i++) {
        if (!gaps[i])
            continue;
        double count = (double)gaps[i];
        note_point(
            notebook, series,
            (struct point){.x = (double)((uint64_t)1 << i) * tick, .low = count, .middle = count, .high = count});
        if (i >= first)
            longest = i;
    }
    /* What was seen is a fact; that the next listening sees nothing longer is not said. */
    if (longest < BUCKETS)
        note_value(notebook, "noise.max_gap", 2 * (double)((uint64_t)1 << longest) * tick, "ns", confidence_from(0), 0,
                   "no gap seen in 0.2 s of listening was longer (twofold classes); later ones may be");
    else if (first < BUCKETS)
        note_missing(notebook, "noise.max_gap", "ns", 0, "no gap longer than %.0f ns seen in 0.2 s of listening",
                     (double)((uint64_t)1 << first) * tick);
    else
        note_missing(notebook, "noise.max_gap", "ns", 0, "the clock's step is longer than any gap");
}

static void missing(struct bench *bench, struct notebook *notebook)
{
    const char *why = bench->skipped ? "skipped" : machine_why(bench->machine);
    note_missing(notebook, "cpu.clock_step", "ticks", 0, "%s", why);
    note_missing(notebook, "cpu.frequency", "Hz", 0, "%s", why);
    note_missing(notebook, "noise.max_gap", "ns", 0, "%s", why);
}

bool probe_clock(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    struct bench bench = bench_open(machine, request->seed ^ 0x636c6b);
    note_value(notebook, "cpu.tsc", (double)bench.clock.hz, "Hz", NOT_REMEASURED, 0,
               "the machine's own calibration of its clock, not re-measured: there is no other clock");
    note_frequency(&bench, notebook);
    if (bench_ok(&bench)) {
        bench.permille = 150;
        note_step(&bench, notebook);
    }
    if (bench_ok(&bench))
        note_gaps(&bench, notebook);
    if (!bench_ok(&bench))
        missing(&bench, notebook);
    return !bench.skipped;
}
