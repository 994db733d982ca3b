// SPDX-License-Identifier: BSD-2-Clause
/* contract.c: what a probe may rely on, checked call by call on whatever machine it is linked to. A machine may refuse
 * what it cannot do if it says why; what it serves must be right. No check depends on how long anything takes beyond
 * what must hold on every clock, and no decision depends on memory that is not read through a script, so a recorded
 * contract replays to the same checks. No C library: it runs inside the image too. */
#include "tests/machine/contract_inside.h"

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
    uint64_t best[BLOCK_COUNT] = {UINT64_MAX, UINT64_MAX, UINT64_MAX}, step = machine_clock(machine).step;
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
    contract_runs(&ground);
    check_laps(&ground);
    check_script_operations(&ground);
    check_entries(&ground);
    check_blocks(&ground);
    check_rest(&ground);
    unmap_slot(&ground, 5);
    unmap_slot(&ground, 3);
}
