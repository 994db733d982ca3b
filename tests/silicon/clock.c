// SPDX-License-Identifier: BSD-2-Clause
/* clock.c: the time-stamp counter over core cycles. The ratio of the two is an exact fraction, so that a long run gains
 * no error: time is kept in parts of a tick, ratio_core parts to the tick, and a core cycle is ratio_clock parts.
 *
 * Rules and where they come from:
 * - The counter runs at a rate of its own, whatever the core does (Intel SDM volume 3, "Invariant TSC"), and moves in
 *   steps of several ticks on many processors (AMD documents it for the northbridge clock of family 10h; Pentium 4 and
 *   Core 2 add the bus ratio).
 * - A step need not be a whole number of ticks: 0, 49, 98, 147, 220, 269, 318 and so on were the readings, one after
 *   the other, of a Zen 3 with a hypervisor's clock of 2.445 GHz: multiples of 24.5, rounded down.
 * - A core that has waited starts slowly: frequency comes back after a while of work (SDM volume 3, "Power and thermal
 *   management", transition latency). Here: half of the speed for `ramp` cycles of work after at least `idle` cycles
 *   without any. The counters of core cycles see nothing of it; the time-stamp counter goes twice as far. */
#include "tests/silicon/clock.h"

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void clock_pass(struct silicon_clock *clock, uint64_t cycles)
{
    const struct clock_description *description = clock->description;
    uint64_t slow = clock->busy < description->ramp ? least(cycles, description->ramp - clock->busy) : 0;

    if (cycles == 0)
        return;
    clock->cycles += cycles;
    clock->parts += (cycles + slow) * description->ratio_clock;
    clock->busy += slow;
    clock->waited = 0;
}

void clock_idle(struct silicon_clock *clock, uint64_t cycles)
{
    const struct clock_description *description = clock->description;

    if (cycles == 0)
        return;
    clock->cycles += cycles;
    clock->parts += cycles * description->ratio_clock;
    clock->waited += least(cycles, description->idle - clock->waited);
    if (clock->waited >= description->idle)
        clock->busy = 0;
}

/* An SMI or a neighbour is neither work nor rest: the core's frequency stays what it is. */
void clock_lose(struct silicon_clock *clock, uint64_t cycles)
{
    clock->cycles += cycles;
    clock->parts += cycles * clock->description->ratio_clock;
}

uint64_t clock_ticks(const struct silicon_clock *clock)
{
    const struct clock_description *description = clock->description;
    uint64_t ticks = clock->parts / description->ratio_core, step = description->step;

    if (description->half_step) {
        uint64_t rest = ticks % (2 * step + 1);
        return ticks - rest + (rest >= step ? step : 0);
    }
    return step > 1 ? ticks - ticks % step : ticks;
}
