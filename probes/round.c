// SPDX-License-Identifier: BSD-2-Clause
/* round.c: visits that are collected, and a load that is timed behind them. */
#include "probes/round.h"

enum {
    STEPS = 8 /* of the clock: each moment of one is as likely then, whatever fraction of a cycle it ends with */
};

/* A step of the clock is a cycle, but for so much of it. */
static const double ONE_CYCLE = 0.01;

void round_begin(struct round *round, struct push *push)
{
    round->push = push;
    round->count = 0;
    round->ticks = 0;
    round->disturbed = false;
}

bool round_play(struct round *round)
{
    struct reading lap[MAX_LAPS];
    struct bench *bench = round->push->bench;
    if (!round->count)
        return bench_ok(bench);
    bool timed = round->visit[round->count - 1].lap;
    if (!bench_script(bench, round->visit, round->count, lap))
        return false;
    if (timed) {
        round->ticks = (double)lap[1].ticks;
        round->disturbed =
            lap[1].disturbances || lap[1].lost || (round->push->longest > 0 && round->ticks > round->push->longest);
    }
    round->count = 0;
    return bench_rest(bench, false);
}

/* Before the line beside it a lap has begun, so that the pages of what the machine itself uses then take no way of a
 * TLB from the target's. The lap begins anywhere in a step of the clock: rounds as long as each other would all come in
 * the same moment of one. */
bool round_time(struct round *round, uint64_t target)
{
    struct bench *bench = round->push->bench;
    uint64_t va = region_address(&round->push->region, target), beside = va ^ (BESIDE * round->push->region.unit);
    double step = (double)bench->clock.step * bench->cycles_per_tick;
    uint64_t moments = step < 1 - ONE_CYCLE || step > 1 + ONE_CYCLE ? (uint64_t)(STEPS * step + 1) : 0;
    struct visit *next = &round->visit[round->count];
    *next++ = (struct visit){.op = OP_FENCE, .lap = 2};
    *next++ = (struct visit){.op = OP_LOAD, .va = beside};
    if (moments)
        *next++ = (struct visit){.op = OP_WAIT, .value = bench_seed(bench) % moments};
    *next++ = (struct visit){.op = OP_LOAD, .va = va, .lap = 1};
    round->count = (unsigned)(next - round->visit);
    return round_play(round);
}
