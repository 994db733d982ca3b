// SPDX-License-Identifier: BSD-2-Clause
/* tasks.c: runs of tasks: walks, streams, and several of them at once.
 *
 * Time. A walk is a chain: each access begins when the one before it has given its link, so a single walk takes the sum
 * of its accesses. Several tasks make one step each in turn, a round. Tasks of different cores run side by side: a
 * round takes as long as its slowest core. On one core the steps of a round do not depend on one another; all hits of
 * the first level and at most memory.parallel longer accesses overlap, the others wait for them, and no more page walks
 * overlap than there are walkers. Two tasks that hand a
 * line over wait for each other: theirs add up. Lines of a stream depend on nothing, so memory.parallel of them are
 * under way at any time, and each takes a cycle to issue. */
#include "tests/silicon/process/process_inside.h"

enum { LINE = 64, JUMP_SIZE = 16, WORD = 8 };

struct chain {
    const struct task *task;
    uint64_t at, left, made, carry, ip;
    unsigned core;
    bool ended;  /* a jump walk came to its end */
    bool astray; /* a stop counts that should pass, or passes: a run of such might never end on a board */
};

static bool is_jump(enum op op)
{
    return op == OP_JUMP || op == OP_JUMP_FAR || op == OP_PASS || op == OP_PASS_FAR;
}

static bool is_stream(enum op op)
{
    return op == OP_READ || op == OP_WRITE || op == OP_WRITE_NT || op == OP_COPY;
}

/* Issues one access of a stream: its share of time, the rest of a division carried to the next. walked: of `cycles`,
 * those of page walks, of which no more overlap than there are walkers. */
static uint64_t stream_share(const struct machine *machine, struct chain *chain, uint64_t cycles, uint64_t walked)
{
    uint64_t parallel = machine->description.memory.parallel,
             walks = walked * parallel / machine->description.walker.count;
    uint64_t sum = cycles > parallel ? cycles : parallel;

    sum = chain->carry + (sum > walks ? sum : walks);
    chain->carry = sum % parallel;
    return sum / parallel;
}

/* Streaming stores go around the caches to memory (SDM volume 1, "Cacheability hints": a line that a cache holds is
 * written back and given up). */
static uint64_t write_around(struct machine *machine, struct chain *chain, uint64_t va)
{
    struct silicon *silicon = machine->silicon;
    uint64_t now = silicon->clock.cycles, cycles;
    struct translated to = translation_of(silicon->translation, chain->core, ACCESS_STORE, va, now);
    uint8_t *line;

    if (to.fault)
        access_fault(machine, va, true);
    for (unsigned i = 0; i < LINE; i += machine->chunk)
        silicon_flush_line(silicon, chain->core, to.pa + i);
    line = ground_at(&machine->ground, to.pa, LINE);
    if (line)
        memset(line, 0, LINE);
    cycles = caches_access(silicon->caches, chain->core, ACCESS_STORE, va, to.pa, LINE, MEM_WC, now + to.cycles).cycles;
    return stream_share(machine, chain, to.cycles + cycles, to.walk_cycles);
}

/* One access of a stream that moves nothing. */
static uint64_t stream_access(struct machine *machine, struct chain *chain, enum access_kind kind, uint64_t va)
{
    uint64_t walked = machine->walked, pa;
    uint64_t cycles = access_touch(machine, chain->core, kind, va, machine->chunk, chain->ip + kind, &pa);

    return stream_share(machine, chain, cycles, machine->walked - walked);
}

/* Copies a line's words, or clears them: what the loops on real machines write. */
static void write_line(struct machine *machine, unsigned core, uint64_t from, uint64_t to, bool copied)
{
    uint8_t *target = ground_at(&machine->ground, translation_peek(machine->silicon->translation, core, to).pa, LINE);
    const uint8_t *source =
        copied ? ground_at(&machine->ground, translation_peek(machine->silicon->translation, core, from).pa, LINE)
               : NULL;

    if (target && source)
        memmove(target, source, LINE);
    else if (target && !copied)
        memset(target, 0, LINE);
}

/* One line of a stream, in accesses of a chunk each. */
static uint64_t stream_step(struct machine *machine, struct chain *chain)
{
    enum op op = chain->task->op;
    uint64_t here = chain->at, target = here + chain->task->steps * LINE, cycles = 0;

    chain->at += LINE;
    if (op == OP_WRITE_NT)
        return write_around(machine, chain, here);
    for (unsigned i = 0; i < LINE; i += machine->chunk) {
        cycles += stream_access(machine, chain, op == OP_WRITE ? ACCESS_STORE : ACCESS_LOAD, here + i);
        if (op == OP_COPY)
            cycles += stream_access(machine, chain, ACCESS_STORE, target + i);
    }
    if (op == OP_WRITE)
        write_line(machine, chain->core, 0, here, false);
    if (op == OP_COPY)
        write_line(machine, chain->core, here, target, true);
    return cycles;
}

/* A stop of a jump walk: the fetch of its code, and the jump. */
static uint64_t jump_step(struct machine *machine, struct chain *chain)
{
    struct access access = {
        .core = chain->core, .kind = ACCESS_FETCH, .va = chain->at, .size = JUMP_SIZE, .ip = chain->at};
    struct translated translated;
    uint64_t cycles = silicon_access(machine->silicon, &access, &translated), from = chain->at, lap = chain->task->lap;

    machine->walked += translated.walk_cycles;
    if (translated.fault)
        access_fault(machine, from, false);
    chain->at = ground_read(&machine->ground, translated.pa);
    bool passes = lap && chain->made % lap;
    chain->astray = (ground_read(&machine->ground, translated.pa + WORD) != 0) != passes;
    chain->ended = chain->at == 0 || chain->astray;
    cycles = fetch_waits(machine->silicon->fetch, cycles);
    return cycles + (chain->ended ? 0 : fetch_jump(machine->silicon->fetch, chain->core, from, chain->at, !passes));
}

/* One step, in core cycles; chain->at moves to the next stop. Inlined with a constant op into the loops that walk. */
static inline __attribute__((always_inline)) uint64_t step(struct machine *machine, struct chain *chain, enum op op)
{
    uint64_t here = chain->at, cycles, value;

    switch (op) {
    case OP_READ:
    case OP_WRITE:
    case OP_WRITE_NT:
    case OP_COPY:
        return stream_step(machine, chain);
    case OP_JUMP:
    case OP_JUMP_FAR:
        return jump_step(machine, chain);
    case OP_STORE: /* of the stop's own address */
        cycles = access_load(machine, chain->core, here, WORD, chain->ip, &chain->at);
        return cycles + access_store(machine, chain->core, here + WORD, chain->ip + 1, here);
    case OP_EXCHANGE:
        cycles = access_load(machine, chain->core, here, WORD, chain->ip, &chain->at);
        return cycles + access_exchange(machine, chain->core, here + WORD, chain->ip + 1, here);
    case OP_HANDOFF: /* sees what the other core wrote, and writes */
        cycles = access_load(machine, chain->core, here, WORD, chain->ip, &value);
        return cycles + access_exchange(machine, chain->core, here, chain->ip + 1, value + 1);
    case OP_LOAD_32:
        cycles = access_load(machine, chain->core, here, WORD / 2, chain->ip, &chain->at);
        chain->at += machine->front.view.base;
        return cycles + form_cycles(machine, op);
    default:
        return access_load(machine, chain->core, here, WORD, chain->ip, &chain->at) + form_cycles(machine, op);
    }
}

/* A task that is alone. */
static inline __attribute__((always_inline)) void walk(struct machine *machine, struct chain *chain, enum op op)
{
    uint64_t start = chain->at;
    struct laps laps;
    struct scout scout;

    laps_start(machine, &laps, chain->core, is_stream(op) ? 0 : chain->left);
    if (op == OP_LOAD)
        scout_start(machine, &scout, chain->core);
    while (chain->left && !chain->ended) {
        pass(machine, step(machine, chain, op));
        chain->left--;
        chain->made++;
        if (op == OP_LOAD)
            scout_follow(machine, &scout, chain->at);
        if (chain->at == start && laps.on) {
            uint64_t done = laps_ended(machine, &laps, chain->left);
            chain->left -= done;
            chain->made += done;
        }
    }
}

static void run_alone(struct machine *machine, struct chain *chain)
{
    switch (chain->task->op) {
    case OP_LOAD_32:
        walk(machine, chain, OP_LOAD_32);
        break;
    case OP_LOAD_INDEXED:
        walk(machine, chain, OP_LOAD_INDEXED);
        break;
    case OP_LOAD_FLOAT:
        walk(machine, chain, OP_LOAD_FLOAT);
        break;
    case OP_STORE:
        walk(machine, chain, OP_STORE);
        break;
    case OP_EXCHANGE:
        walk(machine, chain, OP_EXCHANGE);
        break;
    case OP_JUMP:
    case OP_JUMP_FAR:
        walk(machine, chain, OP_JUMP);
        fetch_ended(machine->silicon->fetch, chain->core, chain->at);
        break;
    case OP_READ:
    case OP_WRITE:
    case OP_WRITE_NT:
    case OP_COPY:
        walk(machine, chain, OP_READ);
        break;
    default:
        walk(machine, chain, OP_LOAD);
        break;
    }
}

/* The visits before the clock starts: at the same cost, but nobody's time. They begin where the timed ones do. */
static void warm_up(struct machine *machine, struct chain *chain)
{
    struct chain first = *chain;

    first.left = chain->task->warm;
    if (first.left)
        run_alone(machine, &first);
    chain->astray = first.astray;
}

/* What a step of a round was: its core cycles, and those of page walks among them. */
struct cost {
    uint64_t cycles, walked;
};

/* How long the steps of a round take that one core makes. */
static uint64_t core_time(const struct machine *machine, const struct chain *chains, size_t count, unsigned core,
                          const struct cost *cost)
{
    uint64_t time = 0, longest = 0, group = 0, walked = 0;
    unsigned under_way = 0;

    for (size_t i = 0; i < count; i++) {
        if (chains[i].core != core)
            continue;
        walked += cost[i].walked;
        longest = cost[i].cycles > longest ? cost[i].cycles : longest;
        if (cost[i].cycles <= machine->first_latency + form_cycles(machine, chains[i].task->op))
            continue;
        group = cost[i].cycles > group ? cost[i].cycles : group;
        if (++under_way == machine->description.memory.parallel) {
            time += group;
            group = under_way = 0;
        }
    }
    time += group;
    walked /= machine->description.walker.count;
    time = time > walked ? time : walked;
    return time > longest ? time : longest;
}

static uint64_t round_time(const struct machine *machine, const struct chain *chains, size_t count,
                           const struct cost *cost)
{
    uint64_t longest = 0;

    if (chains[0].task->op == OP_HANDOFF)
        return cost[0].cycles + cost[1].cycles;
    for (size_t i = 0; i < count; i++) {
        uint64_t time = core_time(machine, chains, count, chains[i].core, cost);
        longest = time > longest ? time : longest;
    }
    return longest;
}

static void run_together(struct machine *machine, struct chain *chains, size_t count)
{
    bool any = true;

    while (any) {
        struct cost cost[MAX_TASKS] = {{0, 0}};
        any = false;
        for (size_t i = 0; i < count; i++) {
            struct chain *chain = &chains[i];
            if (!chain->left || chain->ended)
                continue;
            cost[i].walked = machine->walked;
            cost[i].cycles = step(machine, chain, chain->task->op);
            cost[i].walked = machine->walked - cost[i].walked;
            chain->left--;
            chain->made++;
            any = true;
        }
        if (any)
            pass(machine, round_time(machine, chains, count, cost));
    }
}

/* NULL, or why these tasks cannot be run. */
static const char *refusal(const struct task *tasks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_stream(tasks[i].op) && tasks[i].start % LINE)
            return "a stream starts at a multiple of 64 bytes";
        if (tasks[i].op == OP_HANDOFF && (count != 2 || tasks[0].op != tasks[1].op || tasks[0].core == tasks[1].core ||
                                          tasks[0].start != tasks[1].start))
            return "a line is handed over between two tasks, of two cores, that start at one address";
        for (size_t k = 0; k < count; k++)
            if (k != i && is_jump(tasks[i].op) && tasks[i].core == tasks[k].core)
                return "a core that jumps runs no other task";
    }
    return NULL;
}

/* Instructions that a step of a task is. */
static unsigned instructions_of(const struct task *task)
{
    switch (task->op) {
    case OP_STORE:
    case OP_EXCHANGE:
    case OP_HANDOFF:
    case OP_LOAD_FLOAT:
        return 2;
    case OP_READ:
    case OP_WRITE:
    case OP_WRITE_NT:
        return LINE / 16;
    case OP_COPY:
        return 2 * LINE / 16;
    case OP_JUMP:
        return task->lap ? 1 : 3;
    case OP_JUMP_FAR:
        return task->lap ? 2 : 4;
    default:
        return 1;
    }
}

static bool any_astray(const struct chain *chains, size_t count)
{
    bool astray = false;

    for (size_t i = 0; i < count; i++)
        astray = astray || chains[i].astray;
    return astray;
}

bool back_run(struct machine *machine, const struct task *tasks, size_t count, struct reading *each)
{
    const char *why = refusal(tasks, count);
    struct chain chains[MAX_TASKS] = {{0}};
    struct stretch stretch;

    if (why)
        return refuse(machine, "%s", why);
    for (size_t i = 0; i < count; i++)
        chains[i] = (struct chain){.task = &tasks[i],
                                   .at = tasks[i].start,
                                   .left = tasks[i].steps,
                                   .ip = task_ip(tasks[i].op, i),
                                   .core = model_core(machine, tasks[i].core)};
    for (size_t i = 0; i < count; i++)
        access_own_data(machine, chains[i].core);
    if (count == 1)
        warm_up(machine, &chains[0]);
    for (size_t i = 0; i < count; i++)
        access_own_code(machine, chains[i].core);
    stretch_start(machine, &stretch);
    if (count == 1 && !chains[0].astray)
        run_alone(machine, &chains[0]);
    else if (count > 1)
        run_together(machine, chains, count);
    for (size_t i = 0; i < count; i++)
        counters_add(machine->silicon->counters, chains[i].core, COUNTED_INSTRUCTIONS,
                     chains[i].made * instructions_of(&tasks[i]));
    struct reading reading = stretch_stop(machine, &stretch, chains[0].made);
    if (any_astray(chains, count))
        return refuse(machine, "a stop of a lap counts where it should pass, or passes where it should count");
    for (size_t i = 0; i < count; i++) {
        each[i] = reading;
        each[i].steps = chains[i].made;
        if (tasks[i].lap) /* of a walk that ends within a lap, the whole of it is told */
            each[i].steps = (chains[i].made + tasks[i].lap - 1) / tasks[i].lap * tasks[i].lap;
    }
    return true;
}

/* Writes a stop. The code of a jump is of no processor's: its target, or 0 for the end. */
bool back_link(struct machine *machine, enum op op, uint64_t from, uint64_t to)
{
    const int64_t reach = INT32_MAX;
    unsigned size = is_jump(op) ? JUMP_SIZE : op == OP_LOAD_32 ? WORD / 2 : WORD;
    struct translation *translation = machine->silicon->translation;
    uint64_t value = op == OP_LOAD_32 ? to - machine->front.view.base : to;
    struct translated stop = translation_peek(translation, machine->here, from);
    uint8_t *at = ground_at(&machine->ground, stop.pa, size);

    if (op == OP_HANDOFF)
        return refuse(machine, "this operation has no links");
    if (from % size)
        return refuse(machine, "%s",
                      is_jump(op) ? "a jump stop is aligned to 16 bytes" : "a stop is aligned to the size of its link");
    if (stop.fault || !at)
        return refuse(machine, "stop 0x%llx is not mapped", (unsigned long long)from);
    if (to && translation_peek(translation, machine->here, to).fault)
        return refuse(machine, "stop 0x%llx is not mapped", (unsigned long long)to);
    if (op == OP_LOAD_32 && value >> 32)
        return refuse(machine, "4-byte links reach 4 GB from the view's base");
    if ((op == OP_JUMP || op == OP_PASS) && to && ((int64_t)(to - from) > reach || (int64_t)(to - from) < -reach))
        return refuse(machine, "a near jump reaches 2 GB: the stops are further apart");
    memset(at, 0, size);
    memcpy(at, &value, size < WORD ? size : WORD);
    if (op == OP_PASS || op == OP_PASS_FAR)
        at[WORD] = 1;
    if (is_jump(op))
        fetch_linked(machine->silicon->fetch);
    return true;
}
