// SPDX-License-Identifier: BSD-2-Clause
/* replay.c: a machine that only remembers. Every answer comes out of a recording; finding the right record is
 * tests/replay/shelf.c. */
#define _GNU_SOURCE // MAP_ANONYMOUS and MAP_NORESERVE
#include "tests/replay/replay.h"
#include "base/text.h"
#include "kernel/payload.h"
#include "tests/replay/shelf.h"
#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { HELD_LISTS = 1024 };

/* A table entry that was asked for: it keeps what is written to it, like a real one. */
struct held {
    uint64_t va, entry;
    unsigned level;
    struct held *next;
};

struct machine {
    struct front front;
    struct host *host;
    struct shelf shelf;
    struct ground ground;
    struct facts facts;
    uint8_t *memory[MAX_SPANS]; /* of each span, taken from the system page by page as it is touched */
    struct held *held[HELD_LISTS];
    char knob[KNOB_COUNT][64];
    bool ends_in_fault; /* the protected stretch that is being replayed */
    uint64_t last_call; /* the last one that it answered before the fault */
    jmp_buf fault;
};

/* A fault ended the recorded stretch before this call was answered: so it ends here. */
static void end_at_fault(struct machine *machine)
{
    if (machine->ends_in_fault && machine->front.calls > machine->last_call)
        longjmp(machine->fault, 1);
}

/* The next record of a request; false: refused, not in the recording. */
static bool find(struct machine *machine, enum record_kind kind, uint32_t key, struct cursor *payload)
{
    end_at_fault(machine);
    if (shelf_take(&machine->shelf, kind, key, payload))
        return true;
    return refuse(machine, "not in the recording");
}

/* The next record of a request that was answered; false: it was refused, and the reason is repeated. */
static bool find_answer(struct machine *machine, enum record_kind kind, uint32_t key, struct cursor *cursor)
{
    struct payload payload = {.from = cursor};
    char why[WHY_SIZE];
    bool served;

    if (!find(machine, kind, key, cursor))
        return false;
    return payload_answer(&payload, &served, why) || refuse(machine, "%s", why);
}

/* Whether the recording says that just this call was refused; the reason is repeated. */
static bool was_refused(struct machine *machine, enum record_kind kind)
{
    struct cursor cursor;
    char why[WHY_SIZE];

    end_at_fault(machine);
    if (!shelf_take_number(&machine->shelf, kind, machine->front.calls, &cursor))
        return false;
    cursor_string(&cursor, why, sizeof why);
    refuse(machine, "%s", why);
    return true;
}

bool back_span(struct machine *machine, unsigned index, struct span *span)
{
    if (index >= machine->ground.spans)
        return false;
    *span = machine->ground.span[index];
    return true;
}

struct clock back_clock(struct machine *machine)
{
    return machine->ground.clock;
}

unsigned back_cores(struct machine *machine)
{
    return machine->ground.cores;
}

unsigned back_processors(struct machine *machine)
{
    return machine->ground.processors;
}

uint64_t back_page(struct machine *machine, unsigned index)
{
    return index < machine->ground.page_sizes ? machine->ground.page[index] : 0;
}

const struct facts *back_facts(struct machine *machine)
{
    return &machine->facts;
}

bool back_map(struct machine *machine, uint64_t va, uint64_t pa, uint64_t size, uint64_t page, enum memtype type)
{
    (void)va, (void)pa, (void)size, (void)page, (void)type;
    return !was_refused(machine, RECORD_MAP);
}

bool back_link(struct machine *machine, enum op op, uint64_t from, uint64_t to)
{
    (void)op, (void)from, (void)to;
    return !was_refused(machine, RECORD_LINK);
}

void *back_at(struct machine *machine, uint64_t pa)
{
    if (was_refused(machine, RECORD_AT))
        return NULL;
    for (unsigned i = 0; i < machine->ground.spans; i++) {
        const struct span *span = &machine->ground.span[i];
        if (pa - span->base < span->size)
            return machine->memory[i] + (pa - span->base);
    }
    return NULL;
}

uint64_t *back_entry(struct machine *machine, uint64_t va, unsigned level)
{
    struct held **list = &machine->held[(va >> 12) * 5 % HELD_LISTS], *held;
    struct cursor payload;

    if (!find_answer(machine, RECORD_ENTRY, key_entry(va, level), &payload))
        return NULL;
    for (held = *list; held && (held->va != va || held->level != level); held = held->next)
        ;
    if (!held) {
        held = malloc(sizeof *held);
        if (!held)
            return NULL;
        *held = (struct held){.va = va, .level = level, .next = *list};
        *list = held;
    }
    held->entry = cursor_number(&payload);
    return &held->entry;
}

bool back_run(struct machine *machine, const struct task *tasks, size_t count, struct reading *each)
{
    struct cursor cursor;
    struct payload payload = {.from = &cursor};

    if (!find_answer(machine, RECORD_RUN, key_run(tasks, count), &cursor))
        return false;
    for (size_t i = 0; i < count; i++)
        payload_reading(&payload, &each[i]);
    return true;
}

bool back_script(struct machine *machine, struct visit *visits, size_t count, struct reading lap[MAX_LAPS])
{
    struct cursor cursor;
    struct payload payload = {.from = &cursor};

    if (!find_answer(machine, RECORD_SCRIPT, key_script(visits, count), &cursor))
        return false;
    payload_laps(&payload, visits, count, lap);
    payload_values(&payload, visits, count);
    return true;
}

bool back_block(struct machine *machine, const struct block *block, uint64_t steps, struct reading *reading)
{
    struct cursor cursor;
    struct payload payload = {.from = &cursor};

    if (!find_answer(machine, RECORD_BLOCK, key_block(block, steps), &cursor))
        return false;
    payload_reading(&payload, reading);
    return true;
}

bool back_listen(struct machine *machine, uint64_t ticks, uint64_t gap[64])
{
    struct cursor cursor;
    struct payload payload = {.from = &cursor};

    if (!find_answer(machine, RECORD_LISTEN, key_listen(ticks), &cursor))
        return false;
    payload_gaps(&payload, gap);
    return true;
}

bool back_count(struct machine *machine, unsigned slot, unsigned event, uint64_t raw)
{
    struct cursor payload;

    return find_answer(machine, RECORD_COUNT, key_count(slot, event, raw), &payload);
}

bool back_turn(struct machine *machine, enum knob knob, bool on)
{
    struct cursor payload;

    return find_answer(machine, RECORD_TURN, key_turn(knob, on), &payload);
}

const char *back_knob(struct machine *machine, enum knob knob)
{
    struct cursor payload;

    if (!find_answer(machine, RECORD_KNOB, key_knob(knob), &payload))
        return NULL;
    cursor_string(&payload, machine->knob[knob], sizeof machine->knob[knob]);
    return machine->knob[knob];
}

bool back_rest(struct machine *machine, unsigned permille_done)
{
    (void)permille_done;
    return !was_refused(machine, RECORD_REST);
}

uint64_t back_now(struct machine *machine)
{
    struct cursor payload;

    return shelf_take(&machine->shelf, RECORD_NOW, 0, &payload) ? cursor_number(&payload) : 0;
}

/* Apart from back_protect, so that no variable of it lives across setjmp. Returns with the fault or at the end. */
static void run_until_fault(struct machine *machine, void (*body)(struct machine *, void *), void *argument)
{
    if (setjmp(machine->fault) == 0)
        body(machine, argument);
}

bool back_protect(struct machine *machine, unsigned core, void (*body)(struct machine *, void *), void *argument,
                  struct fault *fault)
{
    struct cursor cursor;
    struct payload payload = {.from = &cursor};
    char why[WHY_SIZE];
    bool started;

    (void)core;
    if (!shelf_next_stretch(&machine->shelf, &cursor))
        return refuse(machine, "not in the recording");
    if (!payload_answer(&payload, &started, why)) {
        shelf_end_stretch(&machine->shelf);
        return refuse(machine, "%s", why);
    }
    payload_number(&payload, &machine->last_call);
    payload_fault(&payload, fault);
    machine->ends_in_fault = fault->happened;
    run_until_fault(machine, body, argument);
    machine->ends_in_fault = false;
    shelf_end_stretch(&machine->shelf);
    return true;
}

bool replay_text(struct machine *machine, const char *name, char *to, size_t capacity)
{
    return shelf_text(&machine->shelf, name, to, capacity);
}

void replay_left(struct machine *machine, uint64_t *unasked, uint64_t *not_found)
{
    *unasked = shelf_unasked(&machine->shelf);
    *not_found = machine->shelf.not_found;
}

/* Takes address space for each span; memory itself comes as it is touched. */
static bool take_memory(struct machine *machine)
{
    for (unsigned i = 0; i < machine->ground.spans; i++) {
        void *memory = mmap(NULL, machine->ground.span[i].size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            return false;
        machine->memory[i] = memory;
    }
    return true;
}

/* Reads what the recorded machine was. NULL, or what is wrong. */
static const char *read_ground(struct machine *machine)
{
    struct cursor cursor;
    struct payload payload = {.from = &cursor};

    if (!shelf_take(&machine->shelf, RECORD_GROUND, 0, &cursor))
        return "the recording does not say what machine it was (no ground)";
    payload_ground(&payload, &machine->ground);
    if (cursor.bad)
        return "the recording's ground is malformed";
    if (!shelf_take(&machine->shelf, RECORD_FACTS, 0, &cursor))
        return "the recording does not say what the machine declares (no facts)";
    payload_facts(&payload, &machine->facts);
    if (cursor.bad)
        return "the recording's facts are malformed";
    if (!take_memory(machine))
        return "there is not enough address space for the recorded machine's memory";
    return NULL;
}

struct machine *replay_open(struct host *host, const void *bytes, size_t size, struct recording *recording,
                            const char **why)
{
    struct machine *machine;

    *why = recording_check(bytes, size);
    if (*why)
        return NULL;
    machine = calloc(1, sizeof *machine);
    *why = "no memory";
    if (!machine)
        return NULL;
    if (shelf_fill(&machine->shelf, bytes, size))
        *why = read_ground(machine);
    if (*why) {
        back_close(machine);
        return NULL;
    }
    machine->host = host;
    machine->front.view = machine->ground.view;
    machine->front.recording = recording;
    return machine;
}

void back_close(struct machine *machine)
{
    for (unsigned i = 0; i < MAX_SPANS; i++) {
        if (machine->memory[i])
            munmap(machine->memory[i], machine->ground.span[i].size);
    }
    for (unsigned i = 0; i < HELD_LISTS; i++) {
        while (machine->held[i]) {
            struct held *next = machine->held[i]->next;
            free(machine->held[i]);
            machine->held[i] = next;
        }
    }
    shelf_empty(&machine->shelf);
    free(machine);
}
