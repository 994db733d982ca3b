// SPDX-License-Identifier: BSD-2-Clause
/* clock.c: what bare metal knows about its clock before the first measurement: how fast it is, its step, and the
 * overhead of reading it. A declared frequency is believed only when the firmware's own clock does not contradict it;
 * where none is declared, it is the lowest of five comparisons with that clock: a stall
 * may last longer than asked, never shorter. */
#include "kernel/loops.h"
#include "kernel/state.h"
#include "kernel/timing.h"

enum {
    COMPARISON = 50000, /* microseconds that one comparison lasts */
    STALLS = 5,
    TOLERANCE = 5 /* percent by which a declared frequency may differ from the compared one: stalls run long */
};

static uint64_t read_clock(void)
{
    uint32_t low, high;

    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* Ticks a second by one stall of the firmware's. */
static uint64_t compare(struct host *host)
{
    uint64_t start = read_clock();

    host_stall(host, COMPARISON);
    return timing_hz(read_clock() - start, COMPARISON);
}

static bool near(uint64_t one, uint64_t other)
{
    uint64_t difference = one > other ? one - other : other - one;

    return difference <= other / 100 * TOLERANCE;
}

static uint64_t find_hz(struct host *host, const char **source)
{
    uint64_t lowest = UINT64_MAX, declared = timing_declared_hz(source);

    for (unsigned i = 0; i < STALLS; i++) {
        uint64_t hz = compare(host);

        if (declared && near(declared, hz))
            return declared;
        if (hz < lowest)
            lowest = hz;
    }
    *source = "the firmware's stall";
    return lowest;
}

bool clock_open(struct machine *machine, const char **why)
{
    struct clock_state *clock = &machine->clock;

    clock->rdtscp = machine->features.rdtscp;
    clock->overhead = timing_overhead(clock->rdtscp);
    clock->settled = false;
    clock->clock.step = timing_step(clock->rdtscp);
    clock->clock.hz = find_hz(machine->setup.host, &clock->source);
    if (clock->clock.hz == 0) {
        *why = "the time stamp counter stands still";
        return false;
    }
    return true;
}
