// SPDX-License-Identifier: BSD-2-Clause
/* layout.c: scripts as records in kept lines, and back: see script.h. */
#include "kernel/script.h"
#include "kernel/timing.h"

enum {
    STACK_ROOM = 16 * SCRIPT_PAGE, /* more than a signal frame with all of AVX-512 in it */
    READ_AHEAD = 4,                /* records from a STEP_START on that it reads */
    EMPTY_LAPS = 1000
};

struct script_record *script_first(void *kept)
{
    return kept;
}

static struct script_record *page_after(const struct script_record *record)
{
    return (struct script_record *)(((uintptr_t)record | (SCRIPT_PAGE - 1)) + 1);
}

struct script_record *script_next(struct script_record *record)
{
    bool turns = record[1].handler == script_handler(STEP_TURN);

    return turns ? page_after(record) : record + 1;
}

bool script_ended(const struct script_record *record)
{
    return record->last != 0;
}

void *script_stack(void *kept, size_t size)
{
    return (uint8_t *)kept + size - SCRIPT_PAGE + KEPT;
}

/* Where the next record goes. NULL at `next`: there is no more room. */
struct layout {
    struct script_record *next;
    uintptr_t end;
};

/* Records that the page still has room for, beside the one that turns. */
static size_t room_in_page(const struct layout *layout)
{
    return RECORDS - (uintptr_t)layout->next % SCRIPT_PAGE / RECORD_SIZE;
}

static void turn(struct layout *layout)
{
    struct script_record *next = page_after(layout->next);

    *layout->next = (struct script_record){.handler = script_handler(STEP_TURN)};
    layout->next = (uintptr_t)next < layout->end ? next : NULL;
}

static void put(struct layout *layout, unsigned step, uint64_t va, uint64_t value)
{
    if (!layout->next)
        return;
    *layout->next++ = (struct script_record){.handler = script_handler(step), .va = va, .value = value};
    if (room_in_page(layout) == 0)
        turn(layout);
}

/* The stamp that a lap of so many visits begins with, where nobody has to turn a page before its other stamp. */
static void put_start(struct layout *layout, size_t visits)
{
    size_t records = visits + 2 <= RECORDS ? visits + 2 : READ_AHEAD;

    if (layout->next && records > room_in_page(layout))
        turn(layout);
    put(layout, STEP_START, 0, 0);
}

static size_t lap_length(const struct visit *visits, size_t count)
{
    size_t length = 1;

    while (length < count && visits[length].lap == visits[0].lap)
        length++;
    return length;
}

static void put_end(struct layout *layout)
{
    if (layout->next)
        *layout->next = (struct script_record){.handler = script_handler(STEP_PAUSE), .last = 1};
}

static unsigned step_of(const struct visit *visit)
{
    switch (visit->op) {
    case OP_LOAD:
        return STEP_LOAD + visit->site % SITES;
    case OP_STORE:
        return STEP_STORE + visit->site % SITES;
    case OP_EXECUTE:
        return STEP_EXECUTE;
    case OP_PREFETCH:
        return STEP_PREFETCH;
    case OP_FLUSH_LINE:
        return STEP_FLUSH_LINE;
    case OP_FLUSH_PAGE:
        return STEP_FLUSH_PAGE;
    case OP_FLUSH_TLB:
        return STEP_FLUSH_TLB;
    case OP_FLUSH_CACHES:
        return STEP_FLUSH_CACHES;
    case OP_SET_ROOT:
        return STEP_SET_ROOT;
    case OP_FENCE:
        return STEP_FENCE;
    case OP_WAIT:
        return STEP_WAIT;
    case OP_FAULT:
        return STEP_PAUSE;
    default:
        return STEP_COUNT;
    }
}

static bool needs_privilege(unsigned step)
{
    return step == STEP_FLUSH_PAGE || step == STEP_FLUSH_TLB || step == STEP_FLUSH_CACHES || step == STEP_SET_ROOT;
}

const char *script_lay(void *kept, size_t size, const struct visit *visits, size_t count, bool privileged)
{
    struct layout layout = {script_first(kept), (uintptr_t)kept + size - STACK_ROOM};
    unsigned lap = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned step = step_of(&visits[i]);
        if (step == STEP_COUNT)
            return "of the walks' operations, scripts have 8-byte loads and stores only";
        if (needs_privilege(step) && !privileged)
            return "flushing pages, the TLB or all caches is a privilege that user space does not have";
        if (visits[i].lap != lap && lap != 0)
            put(&layout, STEP_STAMP, 0, 0);
        if (visits[i].lap != lap && visits[i].lap != 0)
            put_start(&layout, lap_length(&visits[i], count - i));
        lap = visits[i].lap;
        put(&layout, step, visits[i].va, visits[i].value);
    }
    if (lap != 0)
        put(&layout, STEP_STAMP, 0, 0);
    put_end(&layout);
    return layout.next ? NULL : "the script does not fit into the kept lines";
}

void script_gather(void *kept, struct visit *visits, size_t count, uint64_t overhead, struct reading lap[MAX_LAPS])
{
    struct script_record *record = script_first(kept);
    unsigned running = 0;
    uint64_t started = 0;

    for (size_t i = 0; i <= count; i++) {
        unsigned next = i < count ? visits[i].lap : 0;
        if (next != running && running != 0) {
            lap[running].ticks = timing_net(record->value - started, overhead);
            record = script_next(record);
        }
        if (next != running && next != 0) {
            lap[next] = (struct reading){0};
            started = record->value;
            record = script_next(record);
        }
        running = next;
        if (i == count)
            break;
        if (visits[i].op == OP_LOAD || visits[i].op == OP_FAULT)
            visits[i].value = record->value;
        if (running != 0)
            lap[running].steps++;
        record = script_next(record);
    }
}

uint64_t script_overhead(void *kept, size_t size)
{
    uint64_t lowest = UINT64_MAX;

    for (unsigned i = 0; i < EMPTY_LAPS; i++) {
        struct layout layout = {script_first(kept), (uintptr_t)kept + size - STACK_ROOM};
        struct script_record *begin = layout.next, *end = begin + 1;
        put_start(&layout, 0);
        put(&layout, STEP_STAMP, 0, 0);
        put_end(&layout);
        script_execute(begin, script_stack(kept, size));
        if (end->value - begin->value < lowest)
            lowest = end->value - begin->value;
    }
    return lowest;
}
