// SPDX-License-Identifier: BSD-2-Clause
/* measure.c: runs, scripts and blocks in user space: the image's own loops and interpreter. What bare metal reads from
 * MSRs, Linux tells: whether this thread was made to wait for another. Core cycles are not told. */
#define _GNU_SOURCE
#include "kernel/loops.h"
#include "kernel/script.h"
#include "kernel/timing.h"
#include "tests/linux/state.h"
#include "tests/linux/wait.h"

struct clock back_clock(struct machine *machine)
{
    return machine->clock;
}

unsigned back_cores(struct machine *machine)
{
    (void)machine;
    return 1;
}

bool back_run(struct machine *machine, const struct task *tasks, size_t count, struct reading *each)
{
    const char *refusal = timing_refusal(tasks, count);
    uint64_t made[MAX_TASKS], ticks;
    struct wait wait;
    unsigned waits;

    if (refusal)
        return refuse(machine, "%s", refusal);
    wait = wait_watch();
    ticks = timing_run(tasks, count, machine->front.view.base, machine->rdtscp, made);
    waits = wait_count(&wait);
    for (size_t i = 0; i < count; i++) {
        each[i] = (struct reading){
            .ticks = timing_net(ticks, machine->overhead),
            .steps = made[i],
            .disturbances = waits,
        };
    }
    return true;
}

bool back_block(struct machine *machine, const struct block *block, uint64_t steps, struct reading *reading)
{
    struct wait wait = wait_watch();
    uint64_t ticks = timing_block(block, steps, machine->rdtscp);

    *reading = (struct reading){
        .ticks = timing_net(ticks, machine->overhead),
        .steps = steps,
        .disturbances = wait_count(&wait),
    };
    return true;
}

bool back_listen(struct machine *machine, uint64_t ticks, uint64_t gap[64])
{
    (void)machine;
    for (unsigned i = 0; i < 64; i++)
        gap[i] = 0;
    loop_listen(ticks, gap);
    return true;
}

/* The visit of a record, as trap_try calls it. */
static void load_once(void *argument)
{
    struct script_record *record = argument;

    record->value = *(volatile uint64_t *)(uintptr_t)record->va;
}

/* Runs a laid-out script from end to end. */
static void run_script(struct machine *machine)
{
    void *stack = script_stack(machine->kept, LINUX_KEPT);
    struct script_record *record = script_execute(script_first(machine->kept), stack);

    while (!script_ended(record)) {
        struct fault fault;
        trap_try(machine, load_once, record, &fault);
        record = script_execute(script_next(record), stack);
    }
}

bool back_script(struct machine *machine, struct visit *visits, size_t count, struct reading lap[MAX_LAPS])
{
    const char *refusal = script_lay(machine->kept, LINUX_KEPT, visits, count, false);
    struct wait wait;
    unsigned waits;

    if (refusal)
        return refuse(machine, "%s", refusal);
    wait = wait_watch();
    run_script(machine);
    waits = wait_count(&wait);
    script_gather(machine->kept, visits, count, machine->lap_overhead, lap);
    for (size_t i = 0; i < count; i++) {
        if (visits[i].lap != 0)
            lap[visits[i].lap].disturbances = waits;
    }
    return true;
}

bool back_count(struct machine *machine, unsigned slot, unsigned event, uint64_t raw)
{
    (void)slot, (void)event, (void)raw;
    return refuse(machine, "user space has no event counters");
}

bool back_turn(struct machine *machine, enum knob knob, bool on)
{
    (void)knob, (void)on;
    return refuse(machine, "user space cannot turn switches of the processor");
}

const char *back_knob(struct machine *machine, enum knob knob)
{
    (void)knob;
    refuse(machine, "user space cannot turn switches of the processor");
    return NULL;
}
