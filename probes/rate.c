// SPDX-License-Identifier: BSD-2-Clause
/* rate.c: adds against multiplies. */
#include "probes/rate.h"

enum { ROUNDS = 24, STEPS = 16384, LONGEST = 1 << 16 };

/* A multiply takes at least three cycles on every x86-64 core; a whole number of them within this. */
static const double WHOLE = 0.04, LEAST_MULTIPLY = 3;

static double distance_to_whole(double value)
{
    double fraction = value - (double)(uint64_t)value;
    return fraction < 0.5 ? fraction : 1 - fraction;
}

/* Batches long enough for a step of the clock to be below 0.1 % of a batch of adds. */
static uint64_t batch_length(struct bench *bench)
{
    double ticks = 0;
    uint64_t steps = STEPS;
    while (steps < LONGEST && bench_block(bench, BLOCK_ADD, steps, &ticks) && ticks < 1000 * (double)bench->clock.step)
        steps *= 2;
    return steps;
}

bool rate_measure(struct bench *bench, struct rate *rate)
{
    double add[ROUNDS], ratio[ROUNDS];
    bench->cycles_per_tick = 0;
    *rate = (struct rate){.error = 1};
    if (!bench_rest(bench, false))
        return false;
    uint64_t steps = batch_length(bench);
    for (unsigned round = 0; round < ROUNDS && bench_ok(bench); round++) {
        double multiply = 0;
        if (!bench_block(bench, BLOCK_ADD, steps, &add[round]) ||
            !bench_block(bench, BLOCK_MULTIPLY, steps, &multiply))
            return false;
        ratio[round] = add[round] > 0 ? multiply / add[round] : 0;
        bench_rest(bench, false);
    }
    if (!bench_ok(bench))
        return false;
    unsigned agree = 0;
    rate->multiply = quantile(ratio, ROUNDS, 0.5);
    for (unsigned round = 0; round < ROUNDS; round++)
        agree += distance_to_whole(ratio[round]) < WHOLE;
    rate->ticks_per_add = quantile(add, ROUNDS, 0.25) / (double)steps;
    if (rate->ticks_per_add <= 0 || rate->multiply < LEAST_MULTIPLY - WHOLE ||
        distance_to_whole(rate->multiply) > WHOLE)
        return true;
    /* By chance a ratio falls this near to a whole number with probability 2 * WHOLE. */
    rate->error = 2 * WHOLE;
    for (unsigned more = 1; more < agree && more < 3; more++)
        rate->error *= 0.25;
    bench->cycles_per_tick = 1 / rate->ticks_per_add;
    return true;
}
