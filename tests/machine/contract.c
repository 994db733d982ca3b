// SPDX-License-Identifier: BSD-2-Clause
/* contract.c: what a probe may rely on, checked call by call on whatever machine it is linked to. A machine may refuse
 * what it cannot do if it says why; what it serves must be right. No check depends on how long anything takes beyond
 * what must hold on every clock, and no decision depends on memory that is not read through a script, so a recorded
 * contract replays to the same checks. No C library: it runs inside the image too. */
#include "tests/machine/contract.h"

enum {
    STOPS = 16,   /* of a small walk */
    STRIDE = 64,  /* bytes between them */
    LINES = 5,    /* of a small stream */
    STEPS = 1000, /* not a multiple of anything that loops are unrolled by */
    TRIES = 5,
    WORD = 0x5a17
};

/* Where a contract runs: page-sized slots of the view and of the span. */
struct ground {
    struct machine *machine;
    struct view view;
    struct span span;
    uint64_t page, largest; /* bytes */
};

static uint64_t slot_va(const struct ground *ground, unsigned slot)
{
    return ground->view.base + slot * 4 * ground->page;
}

static uint64_t slot_pa(const struct ground *ground, unsigned slot)
{
    uint64_t first = (ground->span.base + ground->page - 1) / ground->page * ground->page;

    return first + slot * ground->page;
}

/* The last refusal's reason, for a check that did not hold. */
static void check(const struct ground *ground, const char *name, bool held)
{
    contract_check(name, held, held ? "" : machine_why(ground->machine));
}

/* A refusal is fine if it says why. Returns whether the call was served. */
static bool served(const struct ground *ground, const char *name, bool was_served)
{
    const char *why = machine_why(ground->machine);

    if (!was_served)
        contract_check(name, why != NULL && why[0] != '\0', "refused without a reason");
    return was_served;
}

static void check_refused(const struct ground *ground, const char *name, bool was_served)
{
    const char *why = machine_why(ground->machine);

    contract_check(name, !was_served && why != NULL && why[0] != '\0', "");
}

static bool map_slot(const struct ground *ground, unsigned slot, unsigned pa_slot)
{
    return machine_map(ground->machine, slot_va(ground, slot), slot_pa(ground, pa_slot), ground->page, ground->page,
                       MEM_WB);
}

static void unmap_slot(const struct ground *ground, unsigned slot)
{
    check(ground, "a mapping is taken away",
          machine_map(ground->machine, slot_va(ground, slot), 0, ground->page, 0, MEM_WB));
}

/* One untimed visit; *value in and out. */
static bool visit_once(const struct ground *ground, enum op op, uint64_t va, uint64_t *value)
{
    struct visit visit[2] = {{.op = op, .va = va, .value = *value}, {.op = OP_FENCE}};
    struct reading lap[MAX_LAPS];

    if (!machine_script(ground->machine, visit, 2, lap))
        return false;
    *value = visit[0].value;
    return true;
}

static bool holds(const struct ground *ground, uint64_t va, uint64_t expected)
{
    uint64_t value = ~expected;

    return visit_once(ground, OP_LOAD, va, &value) && value == expected;
}

static bool store(const struct ground *ground, uint64_t va, uint64_t value)
{
    return visit_once(ground, OP_STORE, va, &value);
}

static bool is_power_of_two(uint64_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

static void check_ground(struct ground *ground)
{
    struct machine *machine = ground->machine;
    struct clock clock = machine_clock(machine);
    struct span beyond;
    bool ascending = true, powers = true;
    unsigned spans = 0;

    for (unsigned i = 0; machine_page(machine, i); i++) {
        ascending = ascending && machine_page(machine, i) > ground->largest;
        powers = powers && is_power_of_two(machine_page(machine, i));
        ground->largest = machine_page(machine, i);
    }
    check(ground, "page sizes are powers of two", powers && ground->largest != 0);
    check(ground, "page sizes ascend", ascending);
    check(ground, "the view is aligned to the largest page",
          ground->largest != 0 && ground->view.base % ground->largest == 0);
    check(ground, "the view holds one of the largest pages", ground->view.size >= ground->largest);
    check(ground, "the span holds sixteen pages", ground->span.size / ground->page > 16);
    check(ground, "contiguous blocks are powers of two within the span",
          is_power_of_two(ground->span.contiguous) && ground->span.contiguous <= ground->span.size);
    while (machine_span(machine, spans, &beyond))
        spans++;
    check_refused(ground, "no span after the last", machine_span(machine, spans, &beyond));
    check(ground, "the clock has a rate and a step", clock.hz > 0 && clock.step > 0);
    check(ground, "there is a core", machine_cores(machine) >= 1);
    check(ground, "granted memory is reached", machine_at(machine, ground->span.base) != NULL);
    check_refused(ground, "memory that is not granted is not", machine_at(machine, ~(uint64_t)0xfff) != NULL);
}

static void check_mapping(const struct ground *ground)
{
    struct machine *machine = ground->machine;
    uint64_t va = slot_va(ground, 0), pa = slot_pa(ground, 0), page = ground->page;

    check_refused(ground, "a mapping off a page border", machine_map(machine, va + 64, pa, page, page, MEM_WB));
    check_refused(ground, "memory off a page border", machine_map(machine, va, pa + 64, page, page, MEM_WB));
    check_refused(ground, "a mapping of nothing", machine_map(machine, va, pa, 0, page, MEM_WB));
    check_refused(ground, "a page size that nobody has", machine_map(machine, va, pa, 3072, 3072, MEM_WB));
    check_refused(ground, "a mapping after the view",
                  machine_map(machine, ground->view.base + ground->view.size, pa, page, page, MEM_WB));
    check_refused(ground, "a mapping of memory not granted",
                  machine_map(machine, va, ~(uint64_t)0 / page * page, page, page, MEM_WB));
    check_refused(ground, "a memory type that nobody has", machine_map(machine, va, pa, page, page, (enum memtype)99));
    check(ground, "a page is mapped", map_slot(ground, 0, 0));
    check(ground, "a page is mapped again elsewhere", map_slot(ground, 1, 0));
    check(ground, "a store is served", store(ground, va + KEPT, WORD));
    check(ground, "a load gives what was stored", holds(ground, va + KEPT, WORD));
    check(ground, "two addresses are one memory", holds(ground, slot_va(ground, 1) + KEPT, WORD));
    check(ground, "a mapping is replaced",
          map_slot(ground, 1, 1) && store(ground, slot_va(ground, 1) + KEPT, WORD + 1));
    check(ground, "by another page", holds(ground, va + KEPT, WORD));
    check(ground, "and back", map_slot(ground, 1, 0) && holds(ground, slot_va(ground, 1) + KEPT, WORD));
    unmap_slot(ground, 1);
    unmap_slot(ground, 0);
}

static void check_pages_and_types(const struct ground *ground)
{
    struct machine *machine = ground->machine;
    uint64_t va = slot_va(ground, 2);

    for (unsigned i = 0; machine_page(machine, i); i++) {
        uint64_t page = machine_page(machine, i), pa = (ground->span.base + page - 1) / page * page;
        if (pa + page > ground->span.base + ground->span.size || ground->view.size < page)
            continue;
        if (!served(ground, "a page of another size", machine_map(machine, ground->view.base, pa, page, page, MEM_WB)))
            continue;
        check(ground, "a page of each size holds a word",
              store(ground, ground->view.base + page - 8, WORD + i) &&
                  holds(ground, ground->view.base + page - 8, WORD + i));
        check(ground, "a page of each size is taken away", machine_map(machine, ground->view.base, 0, page, 0, MEM_WB));
    }
    for (unsigned type = MEM_WB; type <= MEM_UC; type++) {
        if (!served(ground, "a memory type",
                    machine_map(machine, va, slot_pa(ground, 2), ground->page, ground->page, (enum memtype)type)))
            continue;
        check(ground, "memory of each type holds a word",
              store(ground, va + KEPT, WORD + type) && holds(ground, va + KEPT, WORD + type));
        unmap_slot(ground, 2);
    }
}

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

static void check_laps(const struct ground *ground)
{
    struct machine *machine = ground->machine;
    uint64_t base = slot_va(ground, 5) + KEPT, before;
    struct reading lap[MAX_LAPS] = {{.ticks = WORD, .steps = WORD}};
    struct visit visit[120];
    bool right = true;

    check(ground, "a script's page is mapped", map_slot(ground, 5, 5));
    /* Six visits each: untimed stores, then laps 1 to 19 in some order, each of loads by another instruction. */
    for (unsigned i = 0; i < 120; i++) {
        unsigned group = i / 6;
        visit[i] = (struct visit){.op = OP_LOAD, .site = group % 16, .va = base + i % 6 * STRIDE};
        visit[i].lap = (uint8_t)(group * 7 % 20);
        if (group == 0)
            visit[i].op = OP_STORE, visit[i].value = WORD + i;
    }
    before = machine_steps(machine);
    check(ground, "a script is served", machine_script(machine, visit, 120, lap));
    check(ground, "a script's visits are steps", machine_steps(machine) - before == 120);
    check(ground, "lap 0 is not written", lap[0].ticks == WORD && lap[0].steps == WORD);
    for (unsigned i = 1; i < 20; i++)
        right = right && lap[i].steps == 6;
    check(ground, "a lap counts its visits", right);
    for (unsigned i = 0; i < 120; i++)
        right = right && visit[i].value == WORD + i % 6;
    check(ground, "a script's loads give the words", right);
    visit[119].lap = 1;
    visit[0].lap = 1;
    check_refused(ground, "a lap in two pieces", machine_script(machine, visit, 120, lap));
    visit[0].lap = 0, visit[119].lap = MAX_LAPS;
    check_refused(ground, "a lap that is too high", machine_script(machine, visit, 120, lap));
    visit[119].lap = 0, visit[119].site = 16;
    check_refused(ground, "a seventeenth site", machine_script(machine, visit, 120, lap));
    visit[119].site = 0, visit[119].op = OP_READ;
    check_refused(ground, "a stream in a script", machine_script(machine, visit, 120, lap));
    check_refused(ground, "a script of nothing", machine_script(machine, visit, 0, lap));
    check(ground, "refused scripts cost no steps", machine_steps(machine) - before == 120);
}

static void check_script_operations(const struct ground *ground)
{
    uint64_t base = slot_va(ground, 5) + KEPT, code = slot_va(ground, 6) + KEPT;
    uint64_t unmapped = slot_va(ground, 7) + KEPT;

    check(ground, "a page for code is mapped", map_slot(ground, 6, 6));
    for (unsigned op = OP_EXECUTE; op < OP_COUNT; op++) {
        uint64_t va = op == OP_EXECUTE ? code : op == OP_FAULT ? unmapped : base, value = op == OP_WAIT ? 1000 : 0;
        if (op == OP_EXECUTE && !served(ground, "code", machine_link(ground->machine, OP_JUMP, code, 0)))
            continue;
        check(ground, "a word is stored", store(ground, base, WORD + op));
        if (served(ground, "a script's operation", visit_once(ground, (enum op)op, va, &value)))
            check(ground, "a script's operation leaves memory alone", holds(ground, base, WORD + op));
    }
    unmap_slot(ground, 6);
}

/* Bits of a table entry. The address stops below the bits that memory encryption may use. */
static const uint64_t entry_address = (((uint64_t)1 << 47) - 1) & ~(uint64_t)0xfff;

/* Swaps the entries of slots 8 and 9 and looks at slot 8, before and after the translations are flushed. */
static void check_swap(const struct ground *ground, uint64_t *one, uint64_t *other)
{
    uint64_t va = slot_va(ground, 8), value = 0, kept = *one;
    struct visit visit[3] = {
        {.op = OP_LOAD, .va = va + KEPT}, {.op = OP_FLUSH_PAGE, .va = va}, {.op = OP_LOAD, .va = va + KEPT}};
    struct reading lap[MAX_LAPS];

    check(ground, "two pages hold two words",
          store(ground, va + KEPT, WORD) && store(ground, slot_va(ground, 9) + KEPT, WORD + 1));
    *one = *other;
    *other = kept;
    check(ground, "a changed entry is used or not yet",
          visit_once(ground, OP_LOAD, va + KEPT, &value) && (value == WORD || value == WORD + 1));
    if (served(ground, "the flush of a page", machine_script(ground->machine, visit, 3, lap)))
        check(ground, "after a flush the changed entry is used", visit[2].value == WORD + 1);
    *other = *one;
    *one = kept;
    check(ground, "mapping anew undoes the change",
          map_slot(ground, 8, 8) && map_slot(ground, 9, 9) && holds(ground, va + KEPT, WORD));
}

static void check_entries(const struct ground *ground)
{
    struct machine *machine = ground->machine;
    uint64_t va = slot_va(ground, 8), *one, *other;

    check(ground, "the first page for entries is mapped", map_slot(ground, 8, 8));
    check(ground, "the second page for entries is mapped", map_slot(ground, 9, 9));
    check_refused(ground, "an entry of level 0", machine_entry(machine, va, 0) != NULL);
    check_refused(ground, "an entry of level 6", machine_entry(machine, va, 6) != NULL);
    check_refused(ground, "an entry after the view",
                  machine_entry(machine, ground->view.base + ground->view.size, 1) != NULL);
    one = machine_entry(machine, va, 1);
    other = machine_entry(machine, slot_va(ground, 9), 1);
    if (served(ground, "a table entry", one != NULL) && served(ground, "another", other != NULL)) {
        bool up = true;
        check(ground, "an entry is present", *one & 1);
        check(ground, "an entry holds the page's address", (*one & entry_address) == slot_pa(ground, 8));
        for (unsigned level = 2; level <= 4; level++) { /* three levels at least, on whatever machine */
            const uint64_t *upper = machine_entry(machine, va, level);
            up = up && (upper ? (*upper & 1) != 0 : level == 4);
        }
        check(ground, "so are those above it", up);
        check_swap(ground, one, other);
    }
    unmap_slot(ground, 9);
    unmap_slot(ground, 8);
}

static void check_blocks(const struct ground *ground)
{
    struct machine *machine = ground->machine;
    uint64_t best[BLOCK_COUNT] = {UINT64_MAX, UINT64_MAX}, step = machine_clock(machine).step;
    struct reading reading;

    for (unsigned i = 0; i < 4 * TRIES; i++)
        for (unsigned kind = 0; kind < BLOCK_COUNT; kind++) { /* by turns: what slows one slows the other */
            struct block block = {.kind = (enum block_kind)kind, .variables = 1 + i / TRIES};
            if (!served(ground, "a block", machine_block(machine, &block, 10 * STEPS, &reading)))
                continue;
            check(ground, "a block makes its steps", reading.steps == 10 * STEPS);
            if (i < TRIES && reading.ticks < best[kind])
                best[kind] = reading.ticks;
        }
    /* They cost the same on a flat clock, and some noise is on every other. */
    if (best[BLOCK_ADD] != UINT64_MAX && best[BLOCK_MULTIPLY] != UINT64_MAX)
        check(ground, "multiplications are not much cheaper than additions",
              best[BLOCK_MULTIPLY] * 4 + 2 * step >= best[BLOCK_ADD]);
    check_refused(ground, "a block of no chain",
                  machine_block(machine, &(struct block){BLOCK_ADD, 0}, STEPS, &reading));
    check_refused(ground, "a block of five chains",
                  machine_block(machine, &(struct block){BLOCK_ADD, 5}, STEPS, &reading));
    check_refused(ground, "a block of a kind that is none",
                  machine_block(machine, &(struct block){BLOCK_COUNT, 1}, STEPS, &reading));
}

static void check_rest(const struct ground *ground)
{
    struct machine *machine = ground->machine;
    uint64_t gap[64], ticks = machine_clock(machine).hz / 1000, heard = 0;

    if (served(ground, "listening", machine_listen(machine, ticks, gap))) {
        for (unsigned i = 0; i < 40; i++)
            heard += gap[i] * (((uint64_t)2 << i) - 1);
        check(ground, "the jumps heard make up the time", heard >= ticks);
    }
    for (unsigned knob = 0; knob < KNOB_COUNT; knob++) {
        const char *name = machine_knob(machine, (enum knob)knob);
        if (served(ground, "a switch", name != NULL))
            check(ground, "a switch has a name", name[0] != '\0');
        else
            check_refused(ground, "an absent switch", machine_turn(machine, (enum knob)knob, false));
    }
    check_refused(ground, "a switch that is none", machine_turn(machine, KNOB_COUNT, false));
    check_refused(ground, "an event slot too many", machine_count(machine, MAX_EVENTS, 1, 0));
    served(ground, "an event", machine_count(machine, 0, 0, 0));
    check(ground, "a rest", machine_rest(machine, 0));
    check(ground, "a rest at the end", machine_rest(machine, 1000));
    check(ground, "what was mapped stays mapped",
          store(ground, slot_va(ground, 5) + KEPT, WORD) && holds(ground, slot_va(ground, 5) + KEPT, WORD));
}

void contract_run(struct machine *machine)
{
    struct ground ground = {.machine = machine, .view = machine_view(machine), .page = machine_page(machine, 0)};

    check(&ground, "there is memory", machine_span(machine, 0, &ground.span));
    check_ground(&ground);
    check_mapping(&ground);
    check_pages_and_types(&ground);
    for (unsigned op = OP_LOAD; op <= OP_JUMP_FAR; op++) {
        check_walk(&ground, (enum op)op, 10);
        unmap_slot(&ground, 10);
    }
    check_interleaving(&ground);
    check_refused_runs(&ground);
    check_streams(&ground);
    check_laps(&ground);
    check_script_operations(&ground);
    check_entries(&ground);
    check_blocks(&ground);
    check_rest(&ground);
    unmap_slot(&ground, 5);
    unmap_slot(&ground, 3);
}
