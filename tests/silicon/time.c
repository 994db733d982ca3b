// SPDX-License-Identifier: BSD-2-Clause
/* time.c: the modelled clock: it runs at its own rate, moves in steps, and its readings are disturbed as described. */
#include "tests/silicon/inside.h"
#include <string.h>

enum { LOOK = 24 }; /* core cycles between two looks of a listener */

void clock_pass(struct machine *machine, uint64_t cycles)
{
    machine->time += cycles * machine->description.ratio_clock;
}

static void pass_ticks(struct machine *machine, uint64_t ticks)
{
    machine->time += ticks * machine->description.ratio_core;
}

/* What the clock shows. */
static uint64_t shown(const struct machine *machine)
{
    uint64_t ticks = machine->time / machine->description.ratio_core;
    return ticks - ticks % machine->description.step;
}

uint64_t clock_start(struct machine *machine)
{
    /* The rest of the program takes some time too: stretches begin anywhere in a step. */
    clock_pass(machine, random_below(&machine->random, 2 * machine->description.step + 100));
    return shown(machine);
}

static bool bumped(struct machine *machine)
{
    return random_below(&machine->random, 1000) < machine->description.noise.bump_permille;
}

struct reading clock_stop(struct machine *machine, uint64_t start)
{
    const struct silicon_noise *noise = &machine->description.noise;
    struct reading reading = {0};
    if (noise->jitter)
        pass_ticks(machine, random_below(&machine->random, noise->jitter));
    if (bumped(machine)) {
        pass_ticks(machine, noise->bump_ticks);
        reading.disturbances = noise->bump_told;
        reading.lost = noise->bump_told ? noise->bump_ticks : 0;
    }
    reading.ticks = shown(machine) - start;
    return reading;
}

bool back_listen(struct machine *machine, uint64_t ticks, uint64_t gap[64])
{
    memset(gap, 0, 64 * sizeof *gap);
    uint64_t start = shown(machine), last = start;
    while (last - start < ticks) {
        clock_pass(machine, LOOK);
        /* A reading of a thousand looks is as likely to be hit as any other reading. */
        if (!random_below(&machine->random, 1000) && bumped(machine))
            pass_ticks(machine, machine->description.noise.bump_ticks);
        uint64_t now = shown(machine);
        if (now > last)
            gap[63 - __builtin_clzll(now - last)]++;
        last = now;
    }
    return true;
}

uint64_t back_now(struct machine *machine)
{
    return shown(machine);
}
