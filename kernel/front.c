// SPDX-License-Identifier: BSD-2-Clause
/* front.c: the part of a machine that all implementations share: what a call must look like, what a step is, and what
 * of every answer goes into a recording. Keys are computed after the work, of a request that has just been read, so
 * that recording a run leaves hardly more traces in the caches before it than not recording. */
#include "base/crc32.h"
#include "base/text.h"
#include "kernel/check.h"
#include "kernel/payload.h"

static struct front *front_of(struct machine *machine)
{
    return (struct front *)machine;
}

bool refuse(struct machine *machine, const char *format, ...)
{
    struct front *front = front_of(machine);
    struct text why = text_in(front->why, sizeof front->why);
    va_list list;

    va_start(list, format);
    text_format_list(&why, format, list);
    va_end(list);
    return false;
}

/* Around every call that reaches the back: a fault in between leaves `answered` behind `calls`. */
static void enter(struct machine *machine)
{
    front_of(machine)->calls++;
}

static void leave(struct machine *machine)
{
    front_of(machine)->answered = front_of(machine)->calls;
}

static bool is_recorded(struct machine *machine)
{
    const struct recording *recording = front_of(machine)->recording;
    return recording && !recording->full;
}

/* Opens a record; its payload goes to the returned address. NULL: nothing is recorded. */
static struct payload *begin_record(struct machine *machine, struct payload *payload, enum record_kind kind,
                                    uint32_t key)
{
    payload->to = front_of(machine)->recording;
    payload->from = NULL;
    if (!is_recorded(machine))
        return NULL;
    record_open(payload->to, kind, key);
    return payload;
}

/* Records a call that failed under its number; calls that did their work leave nothing. */
static void record_refused(struct machine *machine, enum record_kind kind)
{
    struct front *front = front_of(machine);
    struct payload payload;

    if (!begin_record(machine, &payload, kind, 0))
        return;
    payload_number(&payload, &front->calls);
    payload_string(&payload, front->why, sizeof front->why);
    record_close(payload.to);
}

/* Records an answer that is only yes or no. */
static void record_answer(struct machine *machine, enum record_kind kind, uint32_t key, bool served)
{
    struct payload payload;

    if (!begin_record(machine, &payload, kind, key))
        return;
    payload_answer(&payload, &served, front_of(machine)->why);
    record_close(payload.to);
}

static void count_reading(struct machine *machine, const struct reading *reading)
{
    front_of(machine)->disturbances += reading->disturbances;
    front_of(machine)->lost += reading->lost;
}

bool machine_span(struct machine *machine, unsigned index, struct span *span)
{
    return back_span(machine, index, span) || refuse(machine, "no span %u of memory", index);
}

struct view machine_view(struct machine *machine)
{
    return front_of(machine)->view;
}

struct clock machine_clock(struct machine *machine)
{
    return back_clock(machine);
}

unsigned machine_cores(struct machine *machine)
{
    return back_cores(machine);
}

uint64_t machine_page(struct machine *machine, unsigned index)
{
    return back_page(machine, index);
}

const char *machine_why(struct machine *machine)
{
    return front_of(machine)->why;
}

uint64_t machine_steps(struct machine *machine)
{
    return front_of(machine)->steps;
}

uint64_t machine_disturbances(struct machine *machine, uint64_t *lost)
{
    *lost = front_of(machine)->lost;
    return front_of(machine)->disturbances;
}

bool machine_map(struct machine *machine, uint64_t va, uint64_t pa, uint64_t size, uint64_t page, enum memtype type)
{
    bool mapped;

    if (!check_mapping(machine, va, pa, size, page, type))
        return false;
    enter(machine);
    mapped = back_map(machine, va, pa, size, page, type);
    leave(machine);
    if (!mapped)
        record_refused(machine, RECORD_MAP);
    return mapped;
}

uint64_t *machine_entry(struct machine *machine, uint64_t va, unsigned level)
{
    struct payload payload;
    uint64_t *entry;
    bool served;

    if (!check_entry(machine, va, level))
        return NULL;
    enter(machine);
    entry = back_entry(machine, va, level);
    leave(machine);
    served = entry != NULL;
    if (begin_record(machine, &payload, RECORD_ENTRY, key_entry(va, level))) {
        if (payload_answer(&payload, &served, front_of(machine)->why))
            payload_number(&payload, entry);
        record_close(payload.to);
    }
    return entry;
}

void *machine_at(struct machine *machine, uint64_t pa)
{
    void *at;

    if (!check_granted(machine, pa, 1))
        return NULL;
    enter(machine);
    at = back_at(machine, pa);
    leave(machine);
    if (!at)
        record_refused(machine, RECORD_AT);
    return at;
}

bool machine_link(struct machine *machine, enum op op, uint64_t from, uint64_t to)
{
    bool linked;

    if (!check_link(machine, op, from, to))
        return false;
    enter(machine);
    linked = back_link(machine, op, from, to);
    leave(machine);
    if (!linked)
        record_refused(machine, RECORD_LINK);
    return linked;
}

bool machine_run(struct machine *machine, const struct task *tasks, size_t count, struct reading *each)
{
    struct payload payload;
    bool served;

    if (!check_tasks(machine, tasks, count))
        return false;
    enter(machine);
    served = back_run(machine, tasks, count, each);
    leave(machine);
    for (size_t i = 0; served && i < count; i++) {
        front_of(machine)->steps += tasks[i].warm + each[i].steps;
        count_reading(machine, &each[i]);
    }
    if (begin_record(machine, &payload, RECORD_RUN, key_run(tasks, count))) {
        payload_answer(&payload, &served, front_of(machine)->why);
        for (size_t i = 0; served && i < count; i++)
            payload_reading(&payload, &each[i]);
        record_close(payload.to);
    }
    return served;
}

bool machine_script(struct machine *machine, struct visit *visits, size_t count, struct reading lap[MAX_LAPS])
{
    struct payload payload;
    bool served;

    if (!check_visits(machine, visits, count))
        return false;
    enter(machine);
    served = back_script(machine, visits, count, lap);
    leave(machine);
    if (served)
        front_of(machine)->steps += count;
    for (size_t i = 0; served && i < count; i++) {
        if (visits[i].lap != 0 && (i == 0 || visits[i - 1].lap != visits[i].lap))
            count_reading(machine, &lap[visits[i].lap]);
    }
    /* The key of many visits takes as long as some of them do, and nobody wants it where nothing is recorded. */
    if (is_recorded(machine) && begin_record(machine, &payload, RECORD_SCRIPT, key_script(visits, count))) {
        if (payload_answer(&payload, &served, front_of(machine)->why)) {
            payload_laps(&payload, visits, count, lap);
            payload_values(&payload, visits, count);
        }
        record_close(payload.to);
    }
    return served;
}

bool machine_block(struct machine *machine, const struct block *block, uint64_t steps, struct reading *reading)
{
    struct payload payload;
    bool served;

    if (!check_block(machine, block, steps))
        return false;
    enter(machine);
    served = back_block(machine, block, steps, reading);
    leave(machine);
    if (served)
        count_reading(machine, reading);
    if (begin_record(machine, &payload, RECORD_BLOCK, key_block(block, steps))) {
        if (payload_answer(&payload, &served, front_of(machine)->why))
            payload_reading(&payload, reading);
        record_close(payload.to);
    }
    return served;
}

bool machine_listen(struct machine *machine, uint64_t ticks, uint64_t gap[64])
{
    struct payload payload;
    bool served;

    if (ticks == 0)
        return refuse(machine, "listening for 0 ticks hears nothing");
    enter(machine);
    served = back_listen(machine, ticks, gap);
    leave(machine);
    if (begin_record(machine, &payload, RECORD_LISTEN, key_listen(ticks))) {
        if (payload_answer(&payload, &served, front_of(machine)->why))
            payload_gaps(&payload, gap);
        record_close(payload.to);
    }
    return served;
}

bool machine_count(struct machine *machine, unsigned slot, unsigned event, uint64_t raw)
{
    bool served;

    if (slot >= MAX_EVENTS)
        return refuse(machine, "no event slot %u: there are %d", slot, (int)MAX_EVENTS);
    enter(machine);
    served = back_count(machine, slot, event, raw);
    leave(machine);
    record_answer(machine, RECORD_COUNT, key_count(slot, event, raw), served);
    return served;
}

bool machine_turn(struct machine *machine, enum knob knob, bool on)
{
    bool served;

    if ((unsigned)knob >= KNOB_COUNT)
        return refuse(machine, "no switch %u: there are %d", (unsigned)knob, (int)KNOB_COUNT);
    enter(machine);
    served = back_turn(machine, knob, on);
    leave(machine);
    record_answer(machine, RECORD_TURN, key_turn(knob, on), served);
    return served;
}

const char *machine_knob(struct machine *machine, enum knob knob)
{
    struct payload payload;
    const char *name;
    bool present;

    if ((unsigned)knob >= KNOB_COUNT) {
        refuse(machine, "no switch %u: there are %d", (unsigned)knob, (int)KNOB_COUNT);
        return NULL;
    }
    enter(machine);
    name = back_knob(machine, knob);
    leave(machine);
    present = name != NULL;
    if (begin_record(machine, &payload, RECORD_KNOB, key_knob(knob))) {
        if (payload_answer(&payload, &present, front_of(machine)->why))
            record_string(payload.to, name);
        record_close(payload.to);
    }
    return name;
}

bool machine_rest(struct machine *machine, unsigned permille_done)
{
    bool go_on;

    enter(machine);
    front_of(machine)->rests++;
    go_on = back_rest(machine, permille_done > 1000 ? 1000 : permille_done);
    leave(machine);
    if (!go_on)
        record_refused(machine, RECORD_REST);
    return go_on;
}

bool machine_protect(struct machine *machine, unsigned core, void (*body)(struct machine *, void *), void *argument,
                     struct fault *fault)
{
    struct front *front = front_of(machine);
    struct payload payload;
    bool started;

    *fault = (struct fault){0};
    if (core >= back_processors(machine))
        return refuse(machine, "no processor %u: there are %u", core, back_processors(machine));
    started = back_protect(machine, core, body, argument, fault);
    if (begin_record(machine, &payload, RECORD_PROTECT, 0)) {
        if (payload_answer(&payload, &started, front->why)) {
            payload_number(&payload, &front->answered);
            payload_fault(&payload, fault);
        }
        record_close(payload.to);
    }
    return started;
}

const struct facts *machine_facts(struct machine *machine)
{
    return back_facts(machine);
}

uint64_t machine_now(struct machine *machine)
{
    struct payload payload;
    uint64_t now = back_now(machine);

    if (begin_record(machine, &payload, RECORD_NOW, 0)) {
        payload_number(&payload, &now);
        record_close(payload.to);
    }
    return now;
}

unsigned machine_processors(struct machine *machine)
{
    return back_processors(machine);
}

/* What a machine is, asked for piece by piece. */
static void collect_ground(struct machine *machine, struct ground *ground)
{
    *ground = (struct ground){
        .view = machine_view(machine),
        .clock = back_clock(machine),
        .cores = back_cores(machine),
        .processors = back_processors(machine),
    };
    while (ground->spans < MAX_SPANS && back_span(machine, ground->spans, &ground->span[ground->spans]))
        ground->spans++;
    while (ground->page_sizes < MAX_PAGE_SIZES && back_page(machine, ground->page_sizes)) {
        ground->page[ground->page_sizes] = back_page(machine, ground->page_sizes);
        ground->page_sizes++;
    }
}

void machine_record_ground(struct machine *machine)
{
    struct ground ground;
    struct payload payload;

    if (front_of(machine)->grounded)
        return;
    if (begin_record(machine, &payload, RECORD_GROUND, 0)) {
        collect_ground(machine, &ground);
        payload_ground(&payload, &ground);
        record_close(payload.to);
    }
    if (begin_record(machine, &payload, RECORD_FACTS, 0)) {
        payload_facts(&payload, (struct facts *)back_facts(machine)); /* only read in this direction */
        record_close(payload.to);
    }
    front_of(machine)->grounded = true;
}

void machine_note(struct machine *machine, const char *name, const char *text)
{
    struct payload payload;

    if (!begin_record(machine, &payload, RECORD_TEXT, crc32(0, name, text_length(name))))
        return;
    record_string(payload.to, name);
    record_string(payload.to, text);
    record_close(payload.to);
}

void machine_close(struct machine *machine)
{
    back_close(machine);
}
