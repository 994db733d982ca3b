// SPDX-License-Identifier: BSD-2-Clause
/* silicon.c: the modelled machine: its ground, and the operations that a probe asks of it.
 *
 * Every load and store is looked up in a simulated cache by its physical address, so nothing here knows what a probe
 * wants to find out. */
#include "tests/silicon/inside.h"
#include <stdlib.h>

enum { SMALL_PAGE = 4096, PAGE_2M = 2 << 20, PAGE_1G = 1 << 30, PAGE_FAULT = 14, STREAM_LINE = 64 };

/* Bits of a page of the view; the rest is the physical address. */
enum { PRESENT = 1, TYPE_SHIFT = 1, TYPE_MASK = 7 };

bool back_span(struct machine *machine, unsigned index, struct span *span)
{
    if (index)
        return false;
    uint64_t size = machine->description.span, contiguous = 1;
    while (contiguous <= size / 2)
        contiguous *= 2;
    *span = (struct span){.base = SPAN_BASE, .size = size, .contiguous = contiguous};
    return true;
}

struct clock back_clock(struct machine *machine)
{
    return (struct clock){.hz = machine->description.hz, .step = machine->description.step};
}

unsigned back_cores(struct machine *machine)
{
    (void)machine;
    return 1;
}

unsigned back_processors(struct machine *machine)
{
    return back_cores(machine);
}

uint64_t back_page(struct machine *machine, unsigned index)
{
    uint64_t pages[4] = {SMALL_PAGE};
    unsigned count = 1;
    if (!machine->description.no_2m)
        pages[count++] = PAGE_2M;
    if (!machine->description.no_1g)
        pages[count++] = PAGE_1G;
    return index < count ? pages[index] : 0;
}

/* Takes a page of the view away. */
static void unmap_page(struct machine *machine, uint64_t page)
{
    uint64_t was = machine->page[page];
    if (was & PRESENT)
        machine->mapped[((was & ~(uint64_t)(SMALL_PAGE - 1)) - SPAN_BASE) / SMALL_PAGE].count--;
    machine->page[page] = 0;
}

bool back_map(struct machine *machine, uint64_t va, uint64_t pa, uint64_t size, uint64_t page, enum memtype type)
{
    uint64_t first = (va - machine->front.view.base) / SMALL_PAGE, count = size / SMALL_PAGE;
    uint64_t frame = page ? (pa - SPAN_BASE) / SMALL_PAGE : 0;
    for (uint64_t i = 0; page && i < count; i++) {
        /* A mapping that this call replaces does not stand in its own way. */
        const struct mapped *mapped = &machine->mapped[frame + i];
        bool here = machine->page[first + i] & PRESENT && (machine->page[first + i] >> 12) == (pa >> 12) + i;
        if (mapped->count > here && mapped->type != type)
            return refuse(machine, "physical page 0x%llx is already mapped with memory type %u, not %u",
                          (unsigned long long)(pa + i * SMALL_PAGE), mapped->type, (unsigned)type);
    }
    for (uint64_t i = 0; i < count; i++) {
        unmap_page(machine, first + i);
        if (!page)
            continue;
        machine->page[first + i] = (pa + i * SMALL_PAGE) | (uint64_t)type << TYPE_SHIFT | PRESENT;
        machine->mapped[frame + i].count++;
        machine->mapped[frame + i].type = (uint8_t)type;
    }
    return true;
}

uint64_t *back_entry(struct machine *machine, uint64_t va, unsigned level)
{
    (void)va;
    (void)level;
    refuse(machine, "one level of data cache, no page tables");
    return NULL;
}

void *back_at(struct machine *machine, uint64_t pa)
{
    return machine->memory + (pa - SPAN_BASE);
}

/* The entry of the view that translates va; 0 when nothing is mapped there. */
static uint64_t translation(const struct machine *machine, uint64_t va)
{
    const struct view *view = &machine->front.view;
    if (va < view->base || va - view->base >= view->size)
        return 0;
    return machine->page[(va - view->base) / SMALL_PAGE];
}

/* Physical address behind va; a page fault where there is none. */
static uint64_t translate(struct machine *machine, uint64_t va, bool write, enum memtype *type)
{
    uint64_t entry = translation(machine, va);
    if (!(entry & PRESENT)) {
        if (!machine->recovery)
            abort(); /* as it would end on a board: nobody is there to take the fault */
        machine->fault = (struct fault){.happened = true, .vector = PAGE_FAULT, .error = write ? 2 : 0, .cr2 = va};
        longjmp(*machine->recovery, 1);
    }
    *type = (enum memtype)(entry >> TYPE_SHIFT & TYPE_MASK);
    return (entry & ~(uint64_t)(SMALL_PAGE - 1)) + va % SMALL_PAGE;
}

bool back_link(struct machine *machine, enum op op, uint64_t from, uint64_t to)
{
    enum memtype type;
    if (op == OP_JUMP || op == OP_JUMP_FAR || op == OP_HANDOFF)
        return refuse(machine, "one level of data cache, one core, no instruction side");
    unsigned size = op == OP_LOAD_32 ? 4 : 8;
    if (from % size)
        return refuse(machine, "stop 0x%llx is not aligned to its link", (unsigned long long)from);
    if (!(translation(machine, from) & translation(machine, to) & PRESENT))
        return refuse(machine, "stop 0x%llx or 0x%llx is not mapped", (unsigned long long)from, (unsigned long long)to);
    uint64_t value = op == OP_LOAD_32 ? to - machine->front.view.base : to;
    if (op == OP_LOAD_32 && value >> 32)
        return refuse(machine, "stop 0x%llx is not within 4 GB of the view's base", (unsigned long long)to);
    memory_write(machine, translate(machine, from, true, &type), value, size);
    return true;
}

/* One access in core cycles; the word there in *value where that is asked for. */
static uint64_t load(struct machine *machine, uint64_t va, uint64_t *value)
{
    enum memtype type;
    uint64_t pa = translate(machine, va, false, &type);
    if (value)
        *value = memory_read(machine, pa);
    return cache_access(machine, pa, type == MEM_WB || type == MEM_WT || type == MEM_WP);
}

static uint64_t store(struct machine *machine, uint64_t va, const uint64_t *value)
{
    enum memtype type;
    uint64_t pa = translate(machine, va, true, &type);
    if (value)
        memory_write(machine, pa, *value, sizeof *value);
    return cache_access(machine, pa, type == MEM_WB);
}

/* One 64-byte line of a stream (machine.h says so, whatever the cache's own line is): every line of the cache that it
 * touches is accessed once. target: where a copy goes, 0 for none. */
static uint64_t stream_line(struct machine *machine, enum op op, uint64_t va, uint64_t target)
{
    enum { WORD = 8 };
    uint64_t line = machine->description.line < STREAM_LINE ? machine->description.line : STREAM_LINE, cycles = 0, word;
    enum memtype type;
    if (op == OP_WRITE_NT)
        return machine->description.memory;
    for (uint64_t offset = 0; offset < STREAM_LINE; offset += line) {
        cycles += op == OP_WRITE ? store(machine, va + offset, NULL) : load(machine, va + offset, NULL);
        cycles += target ? store(machine, target + offset, NULL) : 0;
    }
    for (uint64_t offset = 0; target && offset < STREAM_LINE; offset += WORD) {
        word = memory_read(machine, translate(machine, va + offset, false, &type));
        memory_write(machine, translate(machine, target + offset, true, &type), word, WORD);
    }
    return cycles;
}

/* A step of a walk: the core cycles that it takes; *at moves to the next stop. */
static uint64_t step(struct machine *machine, const struct task *task, uint64_t *at)
{
    uint64_t here = *at, cycles;
    switch (task->op) {
    case OP_READ:
    case OP_WRITE:
    case OP_WRITE_NT:
        *at += STREAM_LINE;
        return stream_line(machine, task->op, here, 0);
    case OP_COPY:
        *at += STREAM_LINE;
        return stream_line(machine, task->op, here, here + task->steps * STREAM_LINE);
    case OP_STORE:
    case OP_EXCHANGE:
        cycles = load(machine, here, at);
        return cycles + store(machine, here + 8, NULL);
    case OP_LOAD_32:
        cycles = load(machine, here, at);
        *at = machine->front.view.base + (uint32_t)*at;
        return cycles;
    default:
        return load(machine, here, at);
    }
}

bool back_run(struct machine *machine, const struct task *tasks, size_t count, struct reading *each)
{
    uint64_t at[MAX_TASKS], left[MAX_TASKS], most = 0;
    for (size_t i = 0; i < count; i++) {
        if (tasks[i].op == OP_JUMP || tasks[i].op == OP_JUMP_FAR || tasks[i].op == OP_HANDOFF)
            return refuse(machine, "one level of data cache, one core, no instruction side");
        at[i] = tasks[i].start;
        left[i] = tasks[i].steps;
        most = left[i] > most ? left[i] : most;
    }
    uint64_t start = clock_start(machine);
    for (uint64_t round = 0; round < most; round++)
        for (size_t i = 0; i < count; i++)
            if (round < left[i])
                clock_pass(machine, step(machine, &tasks[i], &at[i]));
    struct reading reading = clock_stop(machine, start);
    for (size_t i = 0; i < count; i++) {
        each[i] = reading;
        each[i].steps = tasks[i].steps;
    }
    return true;
}

/* One visit of a script. False: refused. */
static bool visit(struct machine *machine, struct visit *visit)
{
    enum memtype type;
    switch (visit->op) {
    case OP_LOAD:
    case OP_LOAD_INDEXED:
    case OP_LOAD_FLOAT:
        clock_pass(machine, load(machine, visit->va, &visit->value));
        return true;
    case OP_LOAD_32:
        clock_pass(machine, load(machine, visit->va, &visit->value));
        visit->value = (uint32_t)visit->value;
        return true;
    case OP_STORE:
        clock_pass(machine, store(machine, visit->va, &visit->value));
        return true;
    case OP_PREFETCH:
        if (translation(machine, visit->va) & PRESENT)
            load(machine, visit->va, NULL);
        clock_pass(machine, 1);
        return true;
    case OP_FLUSH_LINE:
        cache_drop(machine, translate(machine, visit->va, false, &type));
        return true;
    case OP_FLUSH_CACHES:
        cache_empty(machine);
        return true;
    case OP_WAIT:
        clock_pass(machine, visit->value);
        return true;
    case OP_FLUSH_PAGE: /* translations are not cached here */
    case OP_FLUSH_TLB:
    case OP_SET_ROOT:
    case OP_FENCE:
        return true;
    default:
        return refuse(machine, "operation %u needs more than one level of data cache", (unsigned)visit->op);
    }
}

bool back_script(struct machine *machine, struct visit *visits, size_t count, struct reading lap[MAX_LAPS])
{
    uint64_t start = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned here = visits[i].lap;
        if (here && (!i || visits[i - 1].lap != here)) {
            start = clock_start(machine);
            lap[here].steps = 0;
        }
        uint64_t steps = here ? lap[here].steps + 1 : 0;
        if (!visit(machine, &visits[i]))
            return false;
        if (!here)
            continue;
        lap[here].steps = steps;
        if (i + 1 == count || visits[i + 1].lap != here) {
            lap[here] = clock_stop(machine, start);
            lap[here].steps = steps;
        }
    }
    return true;
}

bool back_block(struct machine *machine, const struct block *block, uint64_t steps, struct reading *reading)
{
    uint64_t latency = block->kind == BLOCK_MULTIPLY ? 3 : 1, start = clock_start(machine);
    clock_pass(machine, (steps + block->variables - 1) / block->variables * latency);
    *reading = clock_stop(machine, start);
    reading->steps = steps;
    return true;
}

bool back_count(struct machine *machine, unsigned slot, unsigned event, uint64_t raw)
{
    (void)slot;
    (void)raw;
    return refuse(machine, "no event counters (event %u)", event);
}

bool back_turn(struct machine *machine, enum knob knob, bool on)
{
    (void)on;
    return refuse(machine, "no switch %u", (unsigned)knob);
}

const char *back_knob(struct machine *machine, enum knob knob)
{
    (void)machine;
    (void)knob;
    return NULL;
}

bool back_rest(struct machine *machine, unsigned permille_done)
{
    return host_rest(machine->host, permille_done);
}

bool back_protect(struct machine *machine, unsigned core, void (*body)(struct machine *, void *), void *argument,
                  struct fault *fault)
{
    jmp_buf recovery, *outer = machine->recovery;
    (void)core;
    machine->recovery = &recovery;
    machine->fault = (struct fault){0};
    if (!setjmp(recovery))
        body(machine, argument);
    machine->recovery = outer;
    *fault = machine->fault;
    return true;
}

const struct facts *back_facts(struct machine *machine)
{
    return &machine->facts;
}

void back_close(struct machine *machine)
{
    free(machine->memory);
    free(machine->page);
    free(machine->mapped);
    free(machine->cache.lines);
    free(machine);
}
