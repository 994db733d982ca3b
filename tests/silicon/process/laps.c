// SPDX-License-Identifier: BSD-2-Clause
/* laps.c: multiplication of laps. A walk goes round a cycle of addresses; each return to its start ends a lap. The
 * model is deterministic: when its whole state is the same after two laps, everything between the two happens again and
 * again, exactly, until something else interferes. What lies between them is then counted as often as it fits into the
 * steps that are left, and only the rest is simulated.
 *
 * The state is silicon_digest(): all sets that were used since the run began, the prefetchers, open rows, random
 * numbers. A digest costs a good part of a lap, so after the first few laps it is looked at only when the laps' costs
 * repeat, and less and less often as that fails. Noise ends the comparison and begins it anew. */
#include "tests/silicon/process/process_inside.h"

enum {
    FEW_STEPS = 64,                   /* a run that is nearly over is simulated to its end */
    FIRST_LAPS = 4,                   /* after each of them the state is looked at */
    LONGEST_PERIOD = LAP_HISTORY / 2, /* of laps' costs */
    LONGEST_REACH = 64                /* laps between two states that are compared */
};

static void begin(struct machine *machine, struct laps *laps, uint64_t left)
{
    laps->count = 0;
    laps->held = false;
    laps->next_try = 1;
    laps->wait = LONGEST_REACH;
    laps->reach = 1;
    laps->cycles = machine->silicon->clock.cycles;
    laps->left = left;
    laps->noise_at = machine->silicon->noise_at;
}

void laps_start(struct machine *machine, struct laps *laps, unsigned core, uint64_t steps)
{
    laps->on = !machine->simulate_all && steps > FEW_STEPS;
    laps->core = core;
    if (!laps->on)
        return;
    silicon_mark(machine->silicon);
    begin(machine, laps, steps);
}

static void read_totals(struct machine *machine, uint64_t total[MAX_MODEL_CORES][COUNTED_COUNT])
{
    settle(machine);
    /* No description has more cores than that, but only a reader of it knows: to a compiler the array may end sooner.
     */
    for (unsigned core = 0; core < machine->description.cores && core < MAX_MODEL_CORES; core++)
        for (unsigned counted = 0; counted < COUNTED_COUNT; counted++)
            total[core][counted] = counters_total(machine->silicon->counters, core, (enum counted)counted);
}

static void hold(struct machine *machine, struct laps *laps, uint64_t left, uint64_t digest)
{
    laps->held = true;
    laps->digest = digest;
    laps->changes = machine->changes;
    laps->held_count = laps->count;
    laps->held_cycles = machine->silicon->clock.cycles;
    laps->held_left = left;
    read_totals(machine, laps->total);
}

/* Whether the costs of the last laps are those of as many laps before. */
static bool costs_repeat(const struct laps *laps)
{
    for (uint64_t period = 1; period <= LONGEST_PERIOD && 2 * period <= laps->count; period++) {
        uint64_t i = 0;
        while (i < period &&
               laps->cost[(laps->count - i) % LAP_HISTORY] == laps->cost[(laps->count - i - period) % LAP_HISTORY])
            i++;
        if (i == period)
            return true;
    }
    return false;
}

/* The state is the same as when it was held: returns the steps that need not be simulated. */
static uint64_t multiply(struct machine *machine, struct laps *laps, uint64_t left)
{
    struct silicon *silicon = machine->silicon;
    uint64_t steps = laps->held_left - left, cycles = silicon->clock.cycles - laps->held_cycles, times = left / steps;
    uint64_t total[MAX_MODEL_CORES][COUNTED_COUNT];

    /* Noise happens in the lap in which it is due. */
    if (cycles && (silicon->noise_at - silicon->clock.cycles - 1) / cycles < times)
        times = (silicon->noise_at - silicon->clock.cycles - 1) / cycles;
    else
        laps->on = false;
    read_totals(machine, total);
    for (unsigned core = 0; core < machine->description.cores; core++)
        for (unsigned counted = 0; counted < COUNTED_COUNT; counted++) {
            uint64_t grown = total[core][counted] - laps->total[core][counted];
            if (grown)
                counters_add(silicon->counters, core, (enum counted)counted, times * grown);
        }
    clock_pass(&silicon->clock, times * cycles);
    caches_skip(silicon->caches, times * cycles);
    /* The next noise comes within this period. */
    laps->held = false;
    laps->next_try = UINT64_MAX;
    return times * steps;
}

/* Keeps a state to compare with. In DRAM that is being refreshed, states differ in phase for ever once memory was used
 * since the mark, as in a first lap: there the mark moves up, and the state after the next lap is the one to keep. */
static void renew(struct machine *machine, struct laps *laps, uint64_t left, uint64_t digest)
{
    bool moves = laps->held && machine->description.memory.refresh_period != 0;

    if (laps->held)
        laps->reach *= 2;
    if (laps->reach > LONGEST_REACH) {
        laps->held = false;
        laps->reach = 1;
        laps->next_try = laps->count + laps->wait;
        laps->wait *= 2;
        return;
    }
    if (!moves) {
        hold(machine, laps, left, digest);
        return;
    }
    silicon_mark(machine->silicon);
    laps->held = false;
}

/* Looks whether the state is one that was there before: Brent's way to find a period ("An improved Monte Carlo
 * factorization algorithm", BIT 20, 1980), which compares with one earlier state, renewed at distances that double. */
static uint64_t look(struct machine *machine, struct laps *laps, uint64_t left)
{
    uint64_t digest;

    if (laps->count > FIRST_LAPS && !costs_repeat(laps))
        return 0;
    digest = silicon_digest(machine->silicon);
    if (laps->held && laps->digest == digest && laps->changes == machine->changes)
        return multiply(machine, laps, left);
    if (!laps->held || laps->count - laps->held_count >= laps->reach)
        renew(machine, laps, left, digest);
    return 0;
}

uint64_t laps_ended(struct machine *machine, struct laps *laps, uint64_t left)
{
    uint64_t done = 0;

    if (laps->noise_at != machine->silicon->noise_at) {
        begin(machine, laps, left);
        return 0;
    }
    laps->count++;
    laps->cost[laps->count % LAP_HISTORY] = machine->silicon->clock.cycles - laps->cycles;
    if (left < FEW_STEPS)
        laps->on = false;
    else if (laps->count >= laps->next_try && laps->left - left <= left)
        done = look(machine, laps, left);
    laps->cycles = machine->silicon->clock.cycles;
    laps->left = left - done;
    return done;
}
