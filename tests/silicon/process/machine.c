// SPDX-License-Identifier: BSD-2-Clause
/* machine.c: the modelled machine in process: opening it, what it says of itself, protection, switches, events. */
#include "base/text.h"
#include "tests/silicon/process/process_inside.h"
#include <stdlib.h>

enum { RESTS_A_SECOND = 10, LINE = 64 };

bool back_span(struct machine *machine, unsigned index, struct span *span)
{
    uint64_t size = machine->description.memory.span, contiguous = 1;

    if (index)
        return false;
    while (contiguous <= size / 2)
        contiguous *= 2;
    if (machine->description.memory.contiguous)
        contiguous = machine->description.memory.contiguous;
    *span = (struct span){.base = SPAN_BASE, .size = size, .contiguous = contiguous};
    return true;
}

void *back_at(struct machine *machine, uint64_t pa)
{
    return ground_at(&machine->ground, pa, 1);
}

unsigned back_cores(struct machine *machine)
{
    return machine->description.cores;
}

unsigned back_processors(struct machine *machine)
{
    return back_cores(machine);
}

bool back_count(struct machine *machine, unsigned slot, unsigned event, uint64_t raw)
{
    const char *why = "";

    if (event)
        return refuse(machine, "event %u: only raw encodings are counted by this version", event);
    if (!counters_select(machine->silicon->counters, machine->here, slot, raw, &why))
        return refuse(machine, "%s", why);
    machine->slots |= 1u << slot;
    return true;
}

/* The number of the prefetcher that a knob switches. False: there is no such switch. */
static bool switched_by(const struct machine *machine, enum knob knob, unsigned *number)
{
    *number = (unsigned)knob - KNOB_PREFETCH_FIRST;
    return knob <= KNOB_PREFETCH_LAST && *number < machine->description.prefetchers &&
           machine->description.prefetcher[*number].msr != 0;
}

const char *back_knob(struct machine *machine, enum knob knob)
{
    unsigned number;
    bool on;

    if (switched_by(machine, knob, &number))
        return prefetch_name(machine->silicon->prefetch, machine->here, number, &on);
    refuse(machine, "switch %u is absent", (unsigned)knob);
    return NULL;
}

bool back_turn(struct machine *machine, enum knob knob, bool on)
{
    unsigned number;

    if (!switched_by(machine, knob, &number))
        return refuse(machine, "switch %u is absent", (unsigned)knob);
    prefetch_turn(machine->silicon->prefetch, machine->here, number, on);
    return true;
}

/* What a core forgets while its owner lives. */
static void forget(struct machine *machine)
{
    silicon_flush_caches(machine->silicon, machine->here);
    for (unsigned core = 0; core < machine->description.cores; core++) {
        silicon_flush_tlb(machine->silicon, core, true);
        prefetch_forget(machine->silicon->prefetch, core);
    }
}

/* As often as on bare metal, the owner is let in, and leaves nothing of the probe in caches and TLBs. */
bool back_rest(struct machine *machine, unsigned permille_done)
{
    uint64_t now = clock_ticks(&machine->silicon->clock);

    if (now - machine->last_rest >= machine->description.clock.hz / RESTS_A_SECOND) {
        machine->last_rest = now;
        forget(machine);
    }
    return host_rest(machine->host, permille_done) || refuse(machine, "the user skipped it");
}

/* Prefetchers that are on, one bit each. */
static unsigned switches(const struct machine *machine)
{
    unsigned set = 0;

    for (unsigned i = 0; i < machine->description.prefetchers; i++) {
        bool on;
        prefetch_name(machine->silicon->prefetch, machine->here, i, &on);
        set |= (unsigned)on << i;
    }
    return set;
}

/* Runs a body; a fault inside comes back here. */
static void call(struct machine *machine, void (*body)(struct machine *, void *), void *argument)
{
    jmp_buf recovery, *outer = machine->recovery;

    machine->recovery = &recovery;
    if (!setjmp(recovery))
        body(machine, argument);
    machine->recovery = outer;
}

bool back_protect(struct machine *machine, unsigned core, void (*body)(struct machine *, void *), void *argument,
                  struct fault *fault)
{
    unsigned here = machine->here, before;

    machine->here = core;
    before = switches(machine);
    machine->fault = (struct fault){0};
    call(machine, body, argument);
    *fault = machine->fault;
    for (unsigned i = 0; i < machine->description.prefetchers; i++)
        prefetch_turn(machine->silicon->prefetch, core, i, before >> i & 1);
    if (!machine->recovery) { /* what a probe has mapped ends with it */
        ground_empty_view(machine);
        forget(machine);
    }
    machine->here = here;
    return true;
}

const struct facts *back_facts(struct machine *machine)
{
    return &machine->facts;
}

static void tell_facts(struct facts *facts, const struct description *description)
{
    *facts = (struct facts){.implementation = "silicon"};
    text_copy(facts->vendor, sizeof facts->vendor, description->vendor[0] ? description->vendor : "model");
    text_copy(facts->brand, sizeof facts->brand, description->title[0] ? description->title : description->name);
    text_copy(facts->board, sizeof facts->board, description->name);
    text_copy(facts->note, sizeof facts->note, "a modelled machine: page tables and memory are its own");
    for (unsigned i = 0; i < description->declarations && i < MAX_DECLARATIONS; i++) {
        const struct declaration *declaration = &description->declaration[i];
        struct declared *declared = &facts->declared[facts->declared_count++];
        *declared = (struct declared){.low = declaration->low, .high = declaration->high};
        text_copy(declared->id, sizeof declared->id, declaration->id);
        text_copy(declared->by, sizeof declared->by, declaration->by);
    }
}

/* Where the view lies: far above what is mapped at its own address, and large enough for many entries of the highest
 * level: with 4 levels of 9 bits from 1 TB to 65 TB. */
static struct view choose_view(const struct description *description)
{
    unsigned bits = description->page_shift + description->page_bits * description->levels;

    if (description->x86)
        return (struct view){.base = (uint64_t)1 << (bits - 8), .size = (uint64_t)1 << (bits - 2)};
    return (struct view){.base = (uint64_t)1 << (bits - 2), .size = (uint64_t)1 << (bits - 2)};
}

/* Bytes that a stream accesses at a time: a line of 64 bytes, or of the first level where lines are shorter. */
static unsigned choose_chunk(const struct description *description)
{
    unsigned chunk = LINE;

    for (unsigned i = 0; i < description->caches; i++) {
        const struct cache_description *cache = &description->cache[i];
        if (cache->level == 1 && cache->holds & HOLDS_DATA && cache->sector < chunk)
            chunk = cache->sector;
    }
    return chunk;
}

static unsigned first_latency(const struct description *description)
{
    unsigned latency = description->memory.latency;

    for (unsigned i = 0; i < description->caches; i++) {
        const struct cache_description *cache = &description->cache[i];
        if (cache->level == 1 && cache->holds & HOLDS_DATA && cache->latency < latency)
            latency = cache->latency;
    }
    return latency;
}

struct machine *process_open(struct host *host, const struct description *description, uint64_t seed,
                             struct recording *recording, const char **why)
{
    struct random random = {seed};
    struct machine *machine;

    *why = description_unsound(description);
    machine = *why ? NULL : calloc(1, sizeof *machine);
    if (!machine)
        return NULL;
    machine->description = *description;
    machine->host = host;
    machine->random.state = random_next(&random);
    machine->front.recording = recording;
    machine->front.view = choose_view(description);
    machine->chunk = choose_chunk(description);
    machine->first_latency = first_latency(description);
    *why = "not enough memory for the model";
    if (ground_open(&machine->ground, &machine->description))
        machine->silicon = silicon_create(&machine->description, &machine->ground, random_next(&random), why);
    if (!machine->silicon) {
        machine_close(machine);
        return NULL;
    }
    stretch_calibrate(machine);
    tell_facts(&machine->facts, description);
    return machine;
}

void process_simulate_all(struct machine *machine, bool all)
{
    machine->simulate_all = all;
}

struct silicon *process_silicon(struct machine *machine)
{
    settle(machine);
    return machine->silicon;
}

void back_close(struct machine *machine)
{
    silicon_destroy(machine->silicon);
    ground_close(&machine->ground);
    free(machine);
}
