// SPDX-License-Identifier: BSD-2-Clause
/* pause.c: time that goes by. */
#include "probes/pause.h"

/* As many of PAUSE as the last ones took ticks for, and not many times more than those: how long one takes nobody
 * tells. It takes a core cycle at least, which ends this where the clock stands still. */
void bench_pause(struct bench *bench, unsigned milliseconds)
{
    enum { A_SECOND = 1000, FIRST = 1024, LONGER = 16 };
    struct block pauses = {.kind = BLOCK_PAUSE, .variables = 1};
    struct reading reading;
    double ticks = (double)bench->clock.hz * milliseconds / A_SECOND;
    double cycles = bench->cycles_per_tick > 0 ? bench->cycles_per_tick : 1;
    uint64_t steps = FIRST, most = 1 + (uint64_t)(ticks * cycles);
    while (ticks > 0 && most && bench_ok(bench)) {
        if (steps > most)
            steps = most;
        if (!machine_block(bench->machine, &pauses, steps, &reading)) {
            bench->refused = true;
            break;
        }
        ticks -= (double)reading.ticks;
        most -= steps;
        double next = ticks > 0 && reading.ticks ? ticks / (double)reading.ticks : 2;
        steps = 1 + (uint64_t)((next < LONGER ? next : LONGER) * (double)steps);
    }
    bench_rest(bench, true);
}

void bench_wait(struct bench *bench, unsigned moments)
{
    enum { MOMENT = 20 };
    for (unsigned i = 0; i < moments && bench_ok(bench); i++)
        bench_pause(bench, MOMENT);
}
