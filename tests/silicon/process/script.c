// SPDX-License-Identifier: BSD-2-Clause
/* script.c: scripts of single visits. Visits are made one after the other; a lap's time is the sum of what they cost.
 * Flushes of caches, fences and prefetches themselves are free: what they cause is not. What drops translations takes
 * what the machine's file says (INVLPG and writes of control registers wait for all before them: SDM Vol. 3,
 * "Serializing Instructions"), and nothing hides behind it. */
#include "tests/silicon/process/process_inside.h"

enum { WORD = 8, LONGEST_CODE = 1 << 16 };

static uint64_t visit_ip(const struct visit *visit)
{
    return 0x20000 + (uint64_t)visit->op * 0x100 + visit->site * (uint64_t)0x10;
}

/* A load that may fault; where it does, the value stays as it was. */
static uint64_t try_load(struct machine *machine, struct visit *visit)
{
    uint64_t va = model_address(machine, visit->va);
    struct access access = {.core = machine->here, .kind = ACCESS_LOAD, .va = va, .size = WORD, .ip = visit_ip(visit)};
    struct translated translated;
    uint64_t cycles = silicon_access(machine->silicon, &access, &translated);

    if (translated.fault)
        return cycles + (visit->op == OP_FAULT ? machine->description.fault : 0);
    if (visit->op == OP_FAULT)
        visit->value = access_word(machine, machine->here, va, translated.pa, WORD);
    return cycles;
}

/* Physical address of a line that is to be flushed: CLFLUSH translates as a load does. */
static uint64_t flushed_address(struct machine *machine, uint64_t va)
{
    struct silicon *silicon = machine->silicon;
    struct translated translated = translation_of(silicon->translation, machine->here, ACCESS_LOAD,
                                                  model_address(machine, va), silicon->clock.cycles);

    if (translated.fault)
        access_fault(machine, va, false);
    return translated.pa;
}

/* Calls code: stops of a jump walk that has an end. */
static bool execute(struct machine *machine, uint64_t va)
{
    struct silicon *silicon = machine->silicon;

    for (unsigned i = 0; i < LONGEST_CODE; i++) {
        struct access access = {.core = machine->here, .kind = ACCESS_FETCH, .va = va, .size = 16, .ip = va};
        struct translated translated;
        uint64_t cycles = silicon_access(silicon, &access, &translated), to;
        if (translated.fault)
            access_fault(machine, va, false);
        to = ground_read(&machine->ground, translated.pa);
        pass(machine, fetch_waits(silicon->fetch, cycles) +
                          fetch_jump(silicon->fetch, machine->here, va,
                                     to ? to : visit_ip(&(struct visit){.op = OP_EXECUTE}), true));
        if (!to)
            return true;
        va = to;
    }
    return refuse(machine, "the code at 0x%llx does not end", (unsigned long long)va);
}

static void wait(struct machine *machine, uint64_t cycles)
{
    struct silicon *silicon = machine->silicon;

    clock_idle(&silicon->clock, cycles);
    machine->uncounted += cycles;
    pass(machine, 0);
}

/* A visit that only makes something forgotten. False: it is none. */
static bool flush(struct machine *machine, const struct visit *visit)
{
    struct silicon *silicon = machine->silicon;
    unsigned core = machine->here;

    switch (visit->op) {
    case OP_FLUSH_LINE:
        silicon_flush_line(silicon, core, flushed_address(machine, visit->va));
        return true;
    case OP_FLUSH_PAGE:
        silicon_flush_page(silicon, core, model_address(machine, visit->va));
        pass(machine, machine->description.invlpg);
        return true;
    case OP_FLUSH_TLB:
        silicon_flush_tlb(silicon, core, true);
        pass(machine, machine->description.flush_tlb);
        return true;
    case OP_SET_ROOT:
        silicon_flush_tlb(silicon, core, false);
        pass(machine, machine->description.set_root);
        return true;
    case OP_FLUSH_CACHES:
        silicon_flush_caches(silicon, core);
        return true;
    default:
        return visit->op == OP_FENCE;
    }
}

/* One visit. False: refused. */
static bool make_visit(struct machine *machine, struct visit *visit)
{
    uint64_t ip = visit_ip(visit);
    unsigned core = machine->here;

    switch (visit->op) {
    case OP_LOAD:
    case OP_LOAD_INDEXED:
    case OP_LOAD_FLOAT:
        pass(machine, access_load(machine, core, visit->va, WORD, ip, &visit->value) + form_cycles(machine, visit->op));
        return true;
    case OP_LOAD_32:
        pass(machine,
             access_load(machine, core, visit->va, WORD / 2, ip, &visit->value) + form_cycles(machine, visit->op));
        return true;
    case OP_STORE:
        pass(machine, access_store(machine, core, visit->va, ip, visit->value));
        return true;
    case OP_PREFETCH: /* fetches what a load would, and nobody waits; it never faults */
        try_load(machine, visit);
        pass(machine, 1);
        return true;
    case OP_FAULT:
        pass(machine, try_load(machine, visit));
        return true;
    case OP_EXECUTE:
        return execute(machine, visit->va);
    case OP_WAIT:
        wait(machine, visit->value);
        return true;
    default:
        return flush(machine, visit) || refuse(machine, "of the walks' operations, scripts have loads and stores only");
    }
}

bool back_script(struct machine *machine, struct visit *visits, size_t count, struct reading lap[MAX_LAPS])
{
    struct stretch stretch = {0};
    uint64_t steps = 0;

    for (size_t i = 0; i < count; i++)
        if (visits[i].op == OP_EXCHANGE)
            return refuse(machine, "of the walks' operations, scripts have loads and stores only");
    for (size_t i = 0; i < count; i++) {
        unsigned here = visits[i].lap;
        if (!i || visits[i - 1].lap != here)
            access_own_data(machine, machine->here);
        if (here && (!i || visits[i - 1].lap != here)) {
            stretch_start(machine, &stretch);
            steps = 0;
        }
        if (!make_visit(machine, &visits[i]))
            return false;
        counters_add(machine->silicon->counters, machine->here, COUNTED_INSTRUCTIONS, 1);
        steps++;
        if (here && (i + 1 == count || visits[i + 1].lap != here))
            lap[here] = stretch_stop(machine, &stretch, steps);
    }
    return true;
}
