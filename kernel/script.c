// SPDX-License-Identifier: BSD-2-Clause
/* script.c: scripts on bare metal. The interpreter makes every visit itself but the loads that are expected to fault,
 * which go through fault recovery. */
#include "kernel/script.h"
#include "kernel/measure.h"
#include "kernel/timing.h"

/* The visit of a record, as fault recovery calls it. */
static void load_once(void *argument)
{
    struct script_record *record = argument;

    record->value = *(volatile uint64_t *)(uintptr_t)record->va;
}

/* Runs a laid-out script from end to end. */
static void run_script(struct machine *machine)
{
    void *stack = script_stack(machine->kept, KEPT_SIZE);
    struct script_record *record = script_execute(script_first(machine->kept), stack);

    while (!script_ended(record)) {
        fault_try(machine, load_once, record, NULL); /* nobody asks, and to copy it would be timed with it */
        record = script_execute(script_next(record), stack);
    }
}

bool back_script(struct machine *machine, struct visit *visits, size_t count, struct reading lap[MAX_LAPS])
{
    struct watch watch;
    const char *refusal;

    if (!machine->quiet)
        return refuse(machine, "the machine is not owned now");
    watch = watch_start(machine);
    refusal = script_lay(machine->kept, KEPT_SIZE, visits, count, true);
    if (refusal)
        return refuse(machine, "%s", refusal);
    run_script(machine);
    script_gather(machine->kept, visits, count, machine->clock.lap_overhead, lap);
    for (size_t i = 0; i < count; i++) {
        unsigned number = visits[i].lap;
        if (number != 0 && (i == 0 || visits[i - 1].lap != number))
            watch_stop(machine, &watch, lap[number].ticks, lap[number].steps, &lap[number]);
    }
    return true;
}
