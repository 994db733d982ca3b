// SPDX-License-Identifier: BSD-2-Clause
/* measure.c: runs, blocks, listening and links on bare metal. The loops themselves are loops.nasm's and listen.nasm's;
 * here is what is around them. */
#include "kernel/measure.h"
#include "kernel/cpu.h"
#include "kernel/link.h"
#include "kernel/loops.h"
#include "kernel/script.h"
#include "kernel/timing.h"

struct clock back_clock(struct machine *machine)
{
    return machine->clock.clock;
}

unsigned back_cores(struct machine *machine)
{
    (void)machine;
    return 1;
}

static void read_frequency(struct machine *machine, uint64_t *aperf, uint64_t *mperf)
{
    *aperf = *mperf = 0;
    if (!machine->features.aperf || !msr_read(machine, IA32_APERF, aperf) || !msr_read(machine, IA32_MPERF, mperf))
        *aperf = *mperf = 0;
}

/* What can differ in quiet from before, because an MSR decides what LFENCE does. */
static void settle(struct machine *machine)
{
    struct clock_state *clock = &machine->clock;

    if (clock->settled)
        return;
    machine->features.lfence_serialises = timing_fence_serialises();
    clock->overhead = timing_overhead(clock->rdtscp);
    clock->lap_overhead = script_overhead(machine->kept, KEPT_SIZE);
    clock->settled = true;
}

struct watch watch_start(struct machine *machine)
{
    struct watch watch;

    settle(machine);
    watch.smi = smi_count(machine);
    watch.nmi = machine->nmi_seen;
    read_frequency(machine, &watch.aperf, &watch.mperf);
    return watch;
}

void watch_stop(struct machine *machine, const struct watch *watch, uint64_t net_ticks, uint64_t steps,
                struct reading *reading)
{
    uint64_t aperf, mperf;

    read_frequency(machine, &aperf, &mperf);
    /* MPERF runs at the clock's own rate whenever the core does, so the quotient is core cycles per tick; what the two
     * looks themselves cost does not matter to it. */
    *reading = (struct reading){
        .ticks = net_ticks,
        .cycles = timing_scale(net_ticks, aperf - watch->aperf, mperf - watch->mperf),
        .steps = steps,
        .disturbances = (unsigned)(smi_count(machine) - watch->smi + machine->nmi_seen - watch->nmi),
    };
}

bool back_run(struct machine *machine, const struct task *tasks, size_t count, struct reading *each)
{
    const char *refusal = timing_refusal(tasks, count);
    uint64_t made[MAX_TASKS], ticks;
    struct watch watch;

    if (refusal)
        return refuse(machine, "%s", refusal);
    if (!machine->quiet)
        return refuse(machine, "the machine is not owned now");
    watch = watch_start(machine);
    ticks = timing_run(tasks, count, machine->front.view.base, machine->clock.rdtscp, made);
    ticks = timing_net(ticks, machine->clock.overhead);
    for (size_t i = 0; i < count; i++)
        watch_stop(machine, &watch, ticks, made[i], &each[i]);
    return true;
}

bool back_block(struct machine *machine, const struct block *block, uint64_t steps, struct reading *reading)
{
    struct watch watch;
    uint64_t ticks;

    if (!machine->quiet)
        return refuse(machine, "the machine is not owned now");
    watch = watch_start(machine);
    ticks = timing_net(timing_block(block, steps, machine->clock.rdtscp), machine->clock.overhead);
    watch_stop(machine, &watch, ticks, steps, reading);
    return true;
}

bool back_listen(struct machine *machine, uint64_t ticks, uint64_t gap[64])
{
    if (!machine->quiet)
        return refuse(machine, "the machine is not owned now");
    for (unsigned i = 0; i < 64; i++)
        gap[i] = 0;
    loop_listen(ticks, gap);
    return true;
}

bool back_link(struct machine *machine, enum op op, uint64_t from, uint64_t to)
{
    uint64_t alias = view_alias(machine, from);
    const char *refusal;

    if (!alias)
        return refuse(machine, "stop 0x%llx is not mapped", (unsigned long long)from);
    if (to && !view_alias(machine, to))
        return refuse(machine, "stop 0x%llx is not mapped", (unsigned long long)to);
    if (link_size(op) && !view_use(machine, from, link_is_code(op)))
        return refuse(machine, "stop 0x%llx is not mapped", (unsigned long long)from);
    refusal = link_write(op, (void *)(uintptr_t)alias, from, to, machine->front.view.base);
    if (refusal)
        return refuse(machine, "%s", refusal);
    view_written(machine, from);
    return true;
}
