// SPDX-License-Identifier: BSD-2-Clause
/* rate.c: adds against multiplies. */
#include "probes/rate.h"

enum { ROUNDS = 24, STEPS = 16384, LONGEST = 1 << 16, ATTEMPTS = 40 };

/* A multiply takes at least three cycles on every x86-64 core; a whole number of them within this. */
static const double WHOLE = 0.05, LEAST_MULTIPLY = 3;

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

/* One attempt; bench->cycles_per_tick is set when adds and multiplies agree. */
static bool attempt(struct bench *bench, uint64_t steps, struct rate *rate)
{
    double add[ROUNDS], multiply[ROUNDS], ratio[ROUNDS];
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (!bench_block(bench, BLOCK_ADD, steps, &add[round]) ||
            !bench_block(bench, BLOCK_MULTIPLY, steps, &multiply[round]) || !bench_rest(bench, false))
            return false;
        ratio[round] = add[round] > 0 ? multiply[round] / add[round] : 0;
    }
    unsigned agree = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        agree += ratio[round] > 1 && distance_to_whole(ratio[round]) < WHOLE;
    *rate = (struct rate){.ticks_per_add = quantile(add, ROUNDS, 0.25) / (double)steps,
                          .multiply = quantile(ratio, ROUNDS, 0.5),
                          .error = 1};
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

bool rate_measure(struct bench *bench, struct rate *rate)
{
    bench->cycles_per_tick = 0;
    *rate = (struct rate){.error = 1};
    if (!bench_rest(bench, false))
        return false;
    /* A core that changes its frequency between an add and a multiply spoils an attempt, not the machine. */
    uint64_t steps = batch_length(bench);
    for (unsigned i = 0; i < ATTEMPTS && bench->cycles_per_tick <= 0; i++)
        if (!attempt(bench, steps, rate))
            return false;
    return true;
}
