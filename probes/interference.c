// SPDX-License-Identifier: BSD-2-Clause
/* interference.c: two walks, one after the other, and the curves of what the second one takes. */
#include "probes/interference.h"
#include "probes/confidence.h"
#include "probes/stretch.h"

enum {
    LEAST_STRIDE = 32, /* bytes */
    MOST_STRIDE = 1024,
    APART = 256, /* bytes between the stops of both walks, where it is their distance that changes */
    OFFSET = 64,
    TIMES = 5,
    ATTEMPTS = 8,
    LARGEST = 8 << 20 /* bytes of a second level: beyond that it takes too many visits */
};

struct interference {
    struct bench *bench;
    struct notebook *notebook;
    struct stretch stretch;
    uint64_t size; /* bytes of the second level */
    unsigned points;
};

/* What the measured walk takes after the interfering one. */
static bool measure(struct interference *interference, const struct stops *measured, const struct stops *interfering,
                    struct series *series, double x)
{
    struct bench *bench = interference->bench;
    double cycles[TIMES];
    for (unsigned i = 0; i < TIMES; i++) {
        struct walk first = walk_over(interfering, OP_LOAD, bench_seed(bench));
        struct walk then = walk_over(measured, OP_LOAD, bench_seed(bench));
        struct reading reading = {.disturbances = 1};
        if (!bench_link(bench, &first) || !bench_link(bench, &then))
            return false;
        /* One that was disturbed has brought its lines back: all is done again. */
        for (unsigned attempt = 0; attempt < ATTEMPTS && (reading.disturbances || reading.lost); attempt++)
            if (!bench_warm(bench, &then, 0, then.length) || !bench_warm(bench, &first, 0, first.length) ||
                !bench_run(bench, OP_LOAD, walk_address(&then, 0), then.length, &reading))
                return false;
        cycles[i] = (double)reading.ticks * bench->cycles_per_tick / (double)then.length;
    }
    struct point point = {.x = x};
    point.low = quantile(cycles, TIMES, 0.25);
    point.middle = quantile(cycles, TIMES, 0.5);
    point.high = quantile(cycles, TIMES, 0.75);
    note_point(interference->notebook, series, point);
    interference->points++;
    return true;
}

/* By how far the stops of the interfering walk are apart. */
static bool by_stride(struct interference *interference, uint64_t line)
{
    struct series *series = note_series(interference->notebook, "interference.stride", "bytes", "cycles");
    uint64_t base = interference->stretch.base, size = interference->size;
    struct stops measured = stops_sequence(base, line, size / 2 / line);
    for (uint64_t stride = LEAST_STRIDE; stride <= MOST_STRIDE; stride *= 2) {
        struct stops interfering = stops_sequence(base + size, stride, size / stride);
        if (!measure(interference, &measured, &interfering, series, (double)stride))
            return false;
    }
    return true;
}

/* By where they lie between the other walk's. */
static bool by_offset(struct interference *interference)
{
    struct series *series = note_series(interference->notebook, "interference.offset", "bytes", "cycles");
    uint64_t base = interference->stretch.base, size = interference->size;
    struct stops measured = stops_sequence(base, APART, size / APART);
    for (uint64_t offset = 0; offset < APART; offset += OFFSET) {
        struct stops interfering = stops_sequence(base + size + offset, APART, size / APART);
        if (!measure(interference, &measured, &interfering, series, (double)offset))
            return false;
    }
    return true;
}

bool interference_note(struct bench *bench, struct notebook *notebook)
{
    static const char id[] = "interference.sizes", unit[] = "sizes";
    struct interference interference = {.bench = bench, .notebook = notebook};
    uint64_t start = machine_steps(bench->machine);
    double size = noted_value(notebook, "l2.size", NULL), line = noted_value(notebook, "l1d.line", NULL);
    interference.size = (uint64_t)size;
    const char *why = size <= 0        ? "needs the size of the second level, which the probe caches finds"
                      : line <= 0      ? "needs the line of the first level, which the probe l1d finds"
                      : size > LARGEST ? "so large a second level would take too many visits"
                      : bench->skipped ? "skipped"
                                       : NULL;
    if (!why && (!stretch_best(bench->machine, UINT64_MAX, 2 * interference.size, 2 * interference.size,
                               &interference.stretch)))
        why = machine_why(bench->machine);
    if (why) {
        note_missing(notebook, id, unit, 0, "%s", why);
        return bench_ok(bench);
    }
    bool enough = interference.stretch.size >= 2 * interference.size;
    bool good = enough && by_stride(&interference, (uint64_t)line) && by_offset(&interference);
    uint64_t cost = machine_steps(bench->machine) - start;
    if (good)
        note_value(notebook, id, interference.points, unit, confidence_from(0), cost, "walks timed after others");
    else
        note_missing(notebook, id, unit, cost, "%s",
                     !enough          ? "the memory is less than twice the second level"
                     : bench->skipped ? "skipped"
                                      : machine_why(bench->machine));
    stretch_unmap(bench->machine, &interference.stretch);
    return bench_ok(bench);
}
