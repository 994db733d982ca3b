// SPDX-License-Identifier: BSD-2-Clause
/* payload.c: what is in each kind of record, and how it is kept small: most numbers of a reading are 0 and most words
 * that a walk reads are the address of its next stop. */
#include "kernel/payload.h"

void payload_number(struct payload *payload, uint64_t *number)
{
    if (payload->to)
        record_number(payload->to, *number);
    else
        *number = cursor_number(payload->from);
}

static void payload_unsigned(struct payload *payload, unsigned *number)
{
    uint64_t wide = payload->to ? *number : 0;

    payload_number(payload, &wide);
    if (payload->from) /* what is only written may be constant */
        *number = (unsigned)wide;
}

static void payload_bool(struct payload *payload, bool *flag)
{
    uint64_t number = payload->to ? *flag : 0;

    payload_number(payload, &number);
    if (payload->from)
        *flag = number != 0;
}

void payload_string(struct payload *payload, char *string, size_t capacity)
{
    if (payload->to)
        record_string(payload->to, string);
    else
        cursor_string(payload->from, string, capacity);
}

bool payload_answer(struct payload *payload, bool *served, char *why)
{
    payload_bool(payload, served);
    if (!*served)
        payload_string(payload, why, WHY_SIZE);
    return *served;
}

/* A count of array elements that never exceeds the array. */
static void payload_count(struct payload *payload, unsigned *count, unsigned most)
{
    payload_unsigned(payload, count);
    if (*count <= most)
        return;
    *count = most;
    if (payload->from)
        payload->from->bad = true;
}

void payload_ground(struct payload *payload, struct ground *ground)
{
    payload_number(payload, &ground->view.base);
    payload_number(payload, &ground->view.size);
    payload_number(payload, &ground->clock.hz);
    payload_number(payload, &ground->clock.step);
    payload_unsigned(payload, &ground->cores);
    payload_unsigned(payload, &ground->processors);
    payload_count(payload, &ground->spans, MAX_SPANS);
    for (unsigned i = 0; i < ground->spans; i++) {
        payload_number(payload, &ground->span[i].base);
        payload_number(payload, &ground->span[i].size);
        payload_number(payload, &ground->span[i].contiguous);
        payload_unsigned(payload, &ground->span[i].node);
    }
    payload_count(payload, &ground->page_sizes, MAX_PAGE_SIZES);
    for (unsigned i = 0; i < ground->page_sizes; i++)
        payload_number(payload, &ground->page[i]);
}

void payload_facts(struct payload *payload, struct facts *facts)
{
    payload_string(payload, facts->implementation, sizeof facts->implementation);
    payload_string(payload, facts->vendor, sizeof facts->vendor);
    payload_string(payload, facts->brand, sizeof facts->brand);
    payload_unsigned(payload, &facts->signature);
    payload_number(payload, &facts->microcode);
    payload_string(payload, facts->hypervisor, sizeof facts->hypervisor);
    payload_bool(payload, &facts->emulated);
    payload_string(payload, facts->board, sizeof facts->board);
    payload_string(payload, facts->serial, sizeof facts->serial);
    payload_string(payload, facts->firmware, sizeof facts->firmware);
    payload_string(payload, facts->note, sizeof facts->note);
    payload_count(payload, &facts->declared_count, MAX_DECLARED);
    for (unsigned i = 0; i < facts->declared_count; i++) {
        struct declared *declared = &facts->declared[i];
        payload_string(payload, declared->id, sizeof declared->id);
        payload_number(payload, &declared->low);
        payload_number(payload, &declared->high);
        payload_string(payload, declared->by, sizeof declared->by);
    }
}

/* A number that is usually 0: present only when its bit of the mask says so. */
static void payload_present(struct payload *payload, uint64_t mask, unsigned bit, uint64_t *number)
{
    if (mask >> bit & 1)
        payload_number(payload, number);
    else if (payload->from)
        *number = 0;
}

void payload_reading(struct payload *payload, struct reading *reading)
{
    uint64_t disturbances = payload->to ? reading->disturbances : 0, mask = 0;

    if (payload->to) {
        mask |= (uint64_t)(reading->cycles != 0) << 0 | (uint64_t)(reading->lost != 0) << 1 |
                (uint64_t)(disturbances != 0) << 2;
        for (unsigned i = 0; i < MAX_EVENTS; i++)
            mask |= (uint64_t)(reading->event[i] != 0) << (3 + i);
    }
    payload_number(payload, &mask);
    payload_number(payload, &reading->ticks);
    payload_number(payload, &reading->steps);
    payload_present(payload, mask, 0, &reading->cycles);
    payload_present(payload, mask, 1, &reading->lost);
    payload_present(payload, mask, 2, &disturbances);
    for (unsigned i = 0; i < MAX_EVENTS; i++)
        payload_present(payload, mask, 3 + i, &reading->event[i]);
    if (payload->from)
        reading->disturbances = (unsigned)disturbances;
}

void payload_fault(struct payload *payload, struct fault *fault)
{
    payload_bool(payload, &fault->happened);
    if (!fault->happened)
        return;
    payload_unsigned(payload, &fault->vector);
    payload_number(payload, &fault->error);
    payload_number(payload, &fault->rip);
    payload_number(payload, &fault->cr2);
    payload_string(payload, fault->during, sizeof fault->during);
}

void payload_gaps(struct payload *payload, uint64_t gap[64])
{
    uint64_t mask = 0;

    for (unsigned i = 0; payload->to && i < 64; i++)
        mask |= (uint64_t)(gap[i] != 0) << i;
    payload_number(payload, &mask);
    for (unsigned i = 0; i < 64; i++)
        payload_present(payload, mask, i, &gap[i]);
}

void payload_laps(struct payload *payload, const struct visit *visits, size_t count, struct reading lap[MAX_LAPS])
{
    unsigned last = 0; /* visits of one lap are neighbours */

    for (size_t i = 0; i < count; i++) {
        if (visits[i].lap != last && visits[i].lap != 0)
            payload_reading(payload, &lap[visits[i].lap]);
        last = visits[i].lap;
    }
}

/* Words are stored as runs: the words that are the address of the next visit, the words that repeat the one stored
 * last, or one word as it is. A run is told by one number, length * RUN_KINDS + kind. */
enum run_kind { RUN_NEXT, RUN_SAME, RUN_WORD, RUN_KINDS };

static enum run_kind kind_of(const struct visit *visits, size_t count, size_t i, uint64_t last)
{
    if (visits[i].value == (i + 1 < count ? visits[i + 1].va : 0))
        return RUN_NEXT;
    return visits[i].value == last ? RUN_SAME : RUN_WORD;
}

static void write_values(struct recording *to, const struct visit *visits, size_t count)
{
    uint64_t last = 0;

    for (size_t i = 0, length; i < count; i += length) {
        enum run_kind kind = kind_of(visits, count, i, last);
        length = 1;
        while (kind != RUN_WORD && i + length < count && kind_of(visits, count, i + length, last) == kind)
            length++;
        record_number(to, length * RUN_KINDS + kind);
        if (kind == RUN_WORD) {
            last = visits[i].value;
            record_number(to, last);
        }
    }
}

static void read_values(struct cursor *from, struct visit *visits, size_t count)
{
    uint64_t last = 0;

    for (size_t i = 0; i < count && !from->bad;) {
        uint64_t run = cursor_number(from);
        enum run_kind kind = (enum run_kind)(run % RUN_KINDS);
        uint64_t length = run / RUN_KINDS;
        if (length == 0 || length > count - i)
            from->bad = true;
        if (kind == RUN_WORD)
            last = cursor_number(from);
        for (; length > 0 && i < count; length--, i++)
            visits[i].value = kind == RUN_NEXT ? (i + 1 < count ? visits[i + 1].va : 0) : last;
    }
}

void payload_values(struct payload *payload, struct visit *visits, size_t count)
{
    if (payload->to)
        write_values(payload->to, visits, count);
    else
        read_values(payload->from, visits, count);
}
