// SPDX-License-Identifier: BSD-2-Clause
/* foretold.c: jumps right after a run of them ended, and some laps later. */
#include "probes/foretold.h"

enum { SOON = 1, LATER = 16 /* laps before the clock starts */, TIMED = 16 /* laps */, LEARNT = 8 };

/* Core cycles a lap that going astray takes at least: less than what decoding one jump does that was not foretold. */
static const double ASTRAY = 4;

/* Ticks of some laps of a new order, so many laps after a run of it ended. */
static bool time_after(struct bench *bench, struct walk *walk, uint64_t laps, double *ticks)
{
    walk->seed = bench_seed(bench);
    return bench_link(bench, walk) && bench_warm(bench, walk, 0, LEARNT * walk->length) &&
           bench_timed(bench, walk, laps * walk->length, TIMED * walk->length, ticks) && bench_rest(bench, false);
}

bool foretold_after(struct bench *bench, const struct stops *stops, enum op op, uint64_t *laps)
{
    enum { ROUNDS = 9, READINGS = 4 };
    struct walk walk = walk_over(stops, op, bench_seed(bench));
    double lost[ROUNDS], soon, later, clock = READINGS * (double)bench->clock.step;
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (!time_after(bench, &walk, SOON, &soon) || !time_after(bench, &walk, LATER, &later))
            return false;
        lost[round] = soon - later;
    }
    double mostly = quantile(lost, ROUNDS, 0.5);
    *laps = mostly > clock && mostly * bench->cycles_per_tick > ASTRAY * TIMED ? LATER : SOON;
    return true;
}
