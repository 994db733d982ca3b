// SPDX-License-Identifier: BSD-2-Clause
/* stretch.c: what lies between two looks at the clock, and what a reading says about it. */
#include "tests/silicon/process/process_inside.h"

enum {
    LOOK = 24,     /* core cycles between two looks of a listener: a compare, a branch and RDTSC itself */
    IN_FLIGHT = 64 /* assumed: instructions of a chain that are in flight at a time */
};

/* Core cycles from the moment at which the clock is read at the start to the one at which it is read at the end when
 * nothing is between: a fence behind the first read, then RDTSCP, which waits by itself, or a fence and RDTSC. */
static uint64_t overhead_cycles(const struct clock_description *clock)
{
    return clock->lfence + (clock->rdtscp ? clock->rdtscp : clock->lfence + clock->rdtsc);
}

/* What calibration finds: the lowest of many empty stretches, begun anywhere in a step of the clock. (Of two steps, one
 * a tick longer, a stretch that is not longer than that one may lie in it.) */
static uint64_t overhead_ticks(const struct clock_description *clock)
{
    uint64_t ticks = overhead_cycles(clock) * clock->ratio_clock / clock->ratio_core;
    uint64_t both = 2 * clock->step + 1;

    if (clock->half_step)
        return ticks - ticks % both + (ticks % both > clock->step ? clock->step : 0);
    return ticks - ticks % clock->step;
}

void stretch_start(struct machine *machine, struct stretch *stretch)
{
    struct silicon *silicon = machine->silicon;

    /* The rest of the program takes some time too: stretches begin anywhere in a step. */
    pass(machine, random_below(&machine->random, 2 * machine->description.clock.step + 100));
    settle(machine);
    stretch->ticks = clock_ticks(&silicon->clock);
    stretch->cycles = silicon->clock.cycles;
    stretch->smis = silicon->disturbances;
    stretch->lost = silicon->lost;
    for (unsigned slot = 0; slot < MAX_EVENTS; slot++)
        stretch->event[slot] = machine->slots >> slot & 1 ? counters_slot(silicon->counters, machine->here, slot) : 0;
}

/* Core cycles of work that is still under way when the clock is read at the end, because nothing waits for it: an
 * LFENCE that does not serialise lets RDTSC pass the last instructions, as many as are in flight (AMD, "Software
 * techniques for managing speculation", on LFENCE before the serialising mode of MSR C0011029h; RDTSCP waits by
 * itself). */
static uint64_t unseen_cycles(const struct clock_description *clock, uint64_t cycles, uint64_t steps)
{
    if (!clock->lfence_passes || clock->rdtscp)
        return 0;
    return steps > IN_FLIGHT ? cycles * IN_FLIGHT / steps : cycles;
}

/* Counted SMIs are disturbances of which the machine knows; how long they took is known of them, too. */
struct reading stretch_stop(struct machine *machine, const struct stretch *stretch, uint64_t steps)
{
    const struct clock_description *clock = &machine->description.clock;
    struct silicon *silicon = machine->silicon;
    struct reading reading = {.steps = steps};
    struct silicon_clock looked_at;
    uint64_t cycles = silicon->clock.cycles - stretch->cycles, ticks;

    settle(machine);
    for (unsigned slot = 0; slot < MAX_EVENTS; slot++)
        if (machine->slots >> slot & 1)
            reading.event[slot] = counters_slot(silicon->counters, machine->here, slot) - stretch->event[slot];
    if (machine->description.counters.family != COUNTERS_NONE) /* APERF came with the counters */
        reading.cycles = cycles;
    pass(machine, overhead_cycles(clock));
    silicon->clock.parts += noise_jitter(&silicon->noise) * clock->ratio_core;
    looked_at = silicon->clock;
    looked_at.parts -= unseen_cycles(clock, cycles, steps) * clock->ratio_clock;
    ticks = clock_ticks(&looked_at) - stretch->ticks;
    reading.ticks = ticks > machine->overhead ? ticks - machine->overhead : 0;
    reading.disturbances = (unsigned)(silicon->disturbances - stretch->smis);
    if (machine->description.noise.smi_counted)
        reading.lost = (silicon->lost - stretch->lost) * clock->ratio_clock / clock->ratio_core;
    return reading;
}

void stretch_calibrate(struct machine *machine)
{
    machine->overhead = overhead_ticks(&machine->description.clock);
}

bool back_block(struct machine *machine, const struct block *block, uint64_t steps, struct reading *reading)
{
    const struct clock_description *clock = &machine->description.clock;
    uint64_t longest = (steps + block->variables - 1) / block->variables; /* chain */
    uint64_t cycles = longest;                                            /* of additions */
    struct stretch stretch;

    stretch_start(machine, &stretch);
    if (block->kind == BLOCK_MULTIPLY) /* one multiplier, which begins one multiplication a cycle */
        cycles = longest * clock->multiply > steps ? longest * clock->multiply : steps;
    else if (block->kind == BLOCK_PAUSE)
        cycles = steps * clock->pause;
    pass(machine, cycles);
    counters_add(machine->silicon->counters, machine->here, COUNTED_INSTRUCTIONS, steps);
    *reading = stretch_stop(machine, &stretch, steps);
    return true;
}

bool back_listen(struct machine *machine, uint64_t ticks, uint64_t gap[64])
{
    struct silicon_clock *clock = &machine->silicon->clock;
    uint64_t start = clock_ticks(clock), last = start;

    memset(gap, 0, 64 * sizeof *gap);
    while (last - start < ticks) {
        pass(machine, LOOK);
        uint64_t now = clock_ticks(clock);
        if (now > last)
            gap[63 - __builtin_clzll(now - last)]++;
        last = now;
    }
    return true;
}

uint64_t back_now(struct machine *machine)
{
    return clock_ticks(&machine->silicon->clock);
}

struct clock back_clock(struct machine *machine)
{
    return (struct clock){.hz = machine->description.clock.hz, .step = machine->description.clock.step};
}
