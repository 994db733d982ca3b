// SPDX-License-Identifier: BSD-2-Clause
/* contract_runs.c: what a probe may rely on of runs: walks of every kind, several at once, streams. */
#include "tests/machine/contract_inside.h"

/* Links STOPS stops into a cycle; the last leads to `last`. */
static bool link_cycle(const struct ground *ground, enum op op, uint64_t base, uint64_t last)
{
    for (unsigned i = 0; i < STOPS; i++) {
        uint64_t to = i + 1 < STOPS ? base + (i + 1) * STRIDE : last;
        if (!machine_link(ground->machine, op, base + i * STRIDE, to))
            return false;
    }
    return true;
}

/* Lowest ticks of a few runs; UINT64_MAX when refused. */
static uint64_t lowest(const struct ground *ground, struct task task)
{
    uint64_t best = UINT64_MAX;
    struct reading reading;

    for (unsigned i = 0; i < TRIES; i++) {
        if (machine_run(ground->machine, &task, 1, &reading) && reading.ticks < best)
            best = reading.ticks;
    }
    return best;
}

/* Jumps of which the first alone counts. The stops are a cycle of `op` before, and again afterwards. */
static void check_laps(const struct ground *ground, enum op op, unsigned slot)
{
    enum { LAPS = 5 };
    enum op pass = op == OP_JUMP ? OP_PASS : OP_PASS_FAR;
    uint64_t start = slot_va(ground, slot) + KEPT, before;
    struct task task = {.op = op, .start = start, .steps = LAPS * STOPS, .warm = STOPS, .lap = STOPS};
    struct reading reading;
    bool linked = link_cycle(ground, pass, start, start) && machine_link(ground->machine, op, start, start + STRIDE);

    before = machine_steps(ground->machine);
    check(ground, "jumps that pass are linked", linked);
    check(ground, "laps of jumps are run", machine_run(ground->machine, &task, 1, &reading));
    check(ground, "a lap is as many steps as it has stops", reading.steps == LAPS * STOPS);
    check(ground, "all stops are counted", machine_steps(ground->machine) - before == (LAPS + 1) * STOPS);
    check(ground, "a jump that passes is given an end",
          machine_link(ground->machine, pass, start + (STOPS - 1) * STRIDE, 0));
    task.warm = 0;
    check(ground, "laps end there", machine_run(ground->machine, &task, 1, &reading) && reading.steps == STOPS);
    check(ground, "a jump in the middle is given an end",
          machine_link(ground->machine, pass, start + STOPS / 2 * STRIDE, 0));
    check(ground, "all of that lap is told",
          machine_run(ground->machine, &task, 1, &reading) && reading.steps == STOPS);
    task.steps--;
    check_refused(ground, "a run of a part of a lap", machine_run(ground->machine, &task, 1, &reading));
    task.steps = task.lap;
    task.warm = 1;
    check_refused(ground, "a part of a lap before the clock starts", machine_run(ground->machine, &task, 1, &reading));
    task.warm = 0;
    task.op = pass;
    check_refused(ground, "a run of jumps that only pass", machine_run(ground->machine, &task, 1, &reading));
    check(ground, "jumps count again", link_cycle(ground, op, start, start));
}

static void check_walk(const struct ground *ground, enum op op, unsigned slot)
{
    uint64_t start = slot_va(ground, slot) + KEPT, before;
    struct task task = {.op = op, .start = start, .steps = STEPS};
    struct reading reading;
    bool is_jump = op == OP_JUMP || op == OP_JUMP_FAR;

    check(ground, "a walk's page is mapped", map_slot(ground, slot, slot));
    if (op == OP_LOAD) /* what no machine may refuse: without it there is nothing to measure */
        check(ground, "loads are linked everywhere", link_cycle(ground, op, start, start));
    if (!served(ground, "a walk's links", link_cycle(ground, op, start, start)))
        return;
    if (!is_jump && op != OP_LOAD_32)
        check(ground, "a link is the next stop's address", holds(ground, start, start + STRIDE));
    if (op == OP_LOAD)
        check(ground, "loads are run everywhere", machine_run(ground->machine, &task, 1, &reading));
    before = machine_steps(ground->machine);
    if (!served(ground, "a walk", machine_run(ground->machine, &task, 1, &reading)))
        return;
    check(ground, "a run makes the steps that were asked for", reading.steps == STEPS);
    check(ground, "steps are counted", machine_steps(ground->machine) - before == STEPS);
    check(ground, "a run gives finite ticks", reading.ticks < machine_clock(ground->machine).hz * 60);
    task.warm = 2 * STOPS;
    check(ground, "visits before the clock starts are none of the run's, but counted",
          machine_run(ground->machine, &task, 1, &reading) && reading.steps == STEPS &&
              machine_steps(ground->machine) - before == 2 * STEPS + task.warm);
    task.warm = 0;
    before = lowest(ground, task);
    task.steps *= 20;
    check(ground, "more steps do not cost less", lowest(ground, task) >= before);
    if (!is_jump)
        return;
    task.steps = STEPS;
    check(ground, "a jump walk is given an end", link_cycle(ground, op, start, 0));
    check(ground, "and ends there", machine_run(ground->machine, &task, 1, &reading) && reading.steps == STOPS);
    before = slot_va(ground, slot + 1) + KEPT + STRIDE; /* another page, with the same frame */
    check(ground, "its frame is another page's, too", map_slot(ground, slot + 1, slot));
    check_laps(ground, op, slot);
    check(ground, "a jump to another page",
          link_cycle(ground, op, before, 0) && machine_link(ground->machine, op, start, before));
    check(ground, "goes there", machine_run(ground->machine, &task, 1, &reading) && reading.steps == STOPS + 1);
    unmap_slot(ground, slot + 1);
}

static void check_interleaving(const struct ground *ground)
{
    uint64_t base = slot_va(ground, 3) + KEPT;
    struct task tasks[MAX_TASKS];
    struct reading each[MAX_TASKS];

    check(ground, "the walks' page is mapped", map_slot(ground, 3, 3));
    check(ground, "the walks are linked", link_cycle(ground, OP_LOAD, base, base));
    for (unsigned count = 2; count <= MAX_TASKS; count++) {
        bool all = true;
        for (unsigned i = 0; i < count; i++)
            tasks[i] = (struct task){.op = OP_LOAD, .start = base + i * STRIDE, .steps = STEPS};
        if (!served(ground, "interleaved walks", machine_run(ground->machine, tasks, count, each)))
            continue;
        for (unsigned i = 0; i < count; i++)
            all = all && each[i].steps == STEPS;
        check(ground, "interleaved walks all make their steps", all);
    }
}

static void check_refused_runs(const struct ground *ground)
{
    struct machine *machine = ground->machine;
    struct task task = {.op = OP_LOAD, .start = slot_va(ground, 3) + KEPT, .steps = STEPS};
    struct task tasks[MAX_TASKS + 1] = {task, task, task, task, task};
    struct reading each[MAX_TASKS + 1] = {{.ticks = WORD}};
    uint64_t before = machine_steps(machine);

    check_refused(ground, "a run of no task", machine_run(machine, tasks, 0, each));
    check_refused(ground, "a run of too many tasks", machine_run(machine, tasks, MAX_TASKS + 1, each));
    tasks[0].core = machine_cores(machine);
    check_refused(ground, "a core that is not there", machine_run(machine, tasks, 1, each));
    tasks[0] = task;
    tasks[0].op = OP_COUNT;
    check_refused(ground, "an operation that is none", machine_run(machine, tasks, 1, each));
    tasks[0].op = OP_FENCE;
    check_refused(ground, "an operation for scripts in a run", machine_run(machine, tasks, 1, each));
    tasks[0].op = OP_HANDOFF;
    if (machine_cores(machine) == 1)
        check_refused(ground, "a line handed over by one core", machine_run(machine, tasks, 1, each));
    tasks[0] = task;
    tasks[1].warm = 1;
    check_refused(ground, "visits before the clock starts of one task of two", machine_run(machine, tasks, 2, each));
    tasks[0].lap = tasks[0].steps;
    check_refused(ground, "laps of loads", machine_run(machine, tasks, 1, each));
    tasks[0].lap = 0;
    tasks[0].start = ground->view.base + ground->view.size;
    check_refused(ground, "a walk that starts after the view", machine_run(machine, tasks, 1, each));
    check_refused(ground, "a link of what has none", machine_link(machine, OP_READ, task.start, task.start));
    check_refused(ground, "a link after the view", machine_link(machine, OP_LOAD, tasks[0].start, task.start));
    check(ground, "refused runs cost no steps", machine_steps(machine) == before);
    check(ground, "refused runs write no reading", each[0].ticks == WORD);
}

static void check_streams(const struct ground *ground)
{
    const enum op op[] = {OP_READ, OP_WRITE, OP_WRITE_NT, OP_COPY};
    uint64_t start = slot_va(ground, 4) + KEPT;
    struct reading reading;

    check(ground, "a stream's page is mapped", map_slot(ground, 4, 4));
    for (unsigned i = 0; i < sizeof op / sizeof *op; i++) {
        struct task task = {.op = op[i], .start = start, .steps = LINES};
        bool stored = store(ground, start, WORD);
        if (!served(ground, "a stream", machine_run(ground->machine, &task, 1, &reading)))
            continue;
        check(ground, "a stream visits its lines", stored && reading.steps == LINES);
        if (op[i] == OP_COPY)
            check(ground, "a copy arrives", holds(ground, start + LINES * STRIDE, WORD));
    }
    unmap_slot(ground, 4);
}

void contract_runs(const struct ground *ground)
{
    enum { SLOT = 10 };

    for (unsigned op = OP_LOAD; op <= OP_JUMP_FAR; op++) {
        check_walk(ground, (enum op)op, SLOT);
        unmap_slot(ground, SLOT);
    }
    check_interleaving(ground);
    check_refused_runs(ground);
    check_streams(ground);
}
