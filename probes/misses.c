// SPDX-License-Identifier: BSD-2-Clause
/* misses.c: cycles of lines that miss, and their quartiles. */
#include "probes/misses.h"
#include "probes/confidence.h"

enum {
    POINTS = 16, /* of a curve, about */
    NEAR = 4,    /* lines from the ways on, on either side */
    ORDERS = 5,
    WARM_LAPS = 2,
    LEAST_STEPS = 512, /* and whole laps */
    ADDS = 4096
};

/* Links the first `length` positions of a walk into a cycle. */
static bool link_part(struct bench *bench, const struct walk *walk, uint64_t length)
{
    uint64_t last = walk_address(walk, length - 1), first = walk_address(walk, 0);
    if (!walk_link(bench->machine, walk, 0, length - 1) || !machine_link(bench->machine, walk->op, last, first))
        bench->refused = true;
    bench->linked += length;
    return bench_rest(bench, false);
}

bool misses_measure(struct bench *bench, const struct stops *stops, enum op op, uint64_t length, struct point *point)
{
    double cycles[ORDERS], ticks, adds;
    uint64_t steps = (1 + LEAST_STEPS / length) * length;
    for (unsigned i = 0; i < ORDERS; i++) {
        struct walk walk = walk_over(stops, op, bench_seed(bench));
        if (!link_part(bench, &walk, length) || !bench_warm(bench, &walk, 0, WARM_LAPS * length) ||
            !bench_batch(bench, &walk, 0, steps, &ticks) || !bench_block(bench, BLOCK_ADD, ADDS, &adds))
            return false;
        cycles[i] = adds > 0 ? ticks / (double)steps / (adds / ADDS) : 0;
    }
    point->low = quantile(cycles, ORDERS, 0.25);
    point->middle = quantile(cycles, ORDERS, 0.5);
    point->high = quantile(cycles, ORDERS, 0.75);
    return true;
}

void misses_note_sizes(const struct bench *bench, struct notebook *notebook, const char *id, bool good, unsigned sizes,
                       uint64_t cost)
{
    if (good)
        note_value(notebook, id, sizes, "sizes", confidence_from(0), cost, "walks timed, of one set and of many");
    else
        note_missing(notebook, id, "sizes", cost, "%s", bench->skipped ? "skipped" : machine_why(bench->machine));
}

unsigned misses_step(unsigned ways, unsigned lines, unsigned most)
{
    unsigned first = ways > NEAR ? ways - NEAR : 0, step = most < POINTS ? 1 : most / POINTS;
    if (lines < first)
        return lines + step < first ? step : first - lines;
    return lines < ways + NEAR ? 1 : step;
}
