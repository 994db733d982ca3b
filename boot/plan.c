// SPDX-License-Identifier: BSD-2-Clause
/* plan.c: see plan.h. */
#include "boot/plan.h"

#define MB         (1ull << 20)
#define GB         (1ull << 30)
#define LOW_END    (4 * GB)
#define LARGE_PAGE (2 * MB)
#define MOST_LEFT  (64 * MB)

uint64_t plan_leave(uint64_t all_free)
{
    return all_free / 4 < MOST_LEFT ? all_free / 4 : MOST_LEFT;
}

static uint64_t round_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) / to * to;
}

/* Puts a range among the largest ones. */
static unsigned insert(struct grant largest[MAX_GRANTS], unsigned count, struct grant range)
{
    unsigned place = count;
    while (place > 0 && largest[place - 1].size < range.size)
        place--;
    if (place == MAX_GRANTS)
        return count;
    for (unsigned i = count < MAX_GRANTS ? count : MAX_GRANTS - 1; i > place; i--)
        largest[i] = largest[i - 1];
    largest[place] = range;
    return count < MAX_GRANTS ? count + 1 : count;
}

/* Cuts a range down to `size` bytes, from a multiple of a gigabyte, or of the largest power of two below it, that
 * leaves room for them: order is certain in aligned blocks. The range's end is what is left: firmware allocates from
 * the top. */
static struct grant cut(struct grant range, uint64_t size)
{
    uint64_t base = range.base, end = range.base + range.size;
    for (uint64_t alignment = LARGE_PAGE; alignment <= GB; alignment *= 2)
        if (round_up(base, alignment) + size <= end)
            base = round_up(base, alignment);
    return (struct grant){base, size};
}

unsigned plan_grants(const struct grant *available, size_t count, uint64_t most, uint64_t leave,
                     struct grant grants[MAX_GRANTS])
{
    struct grant largest[MAX_GRANTS];
    unsigned chosen = 0, granted = 0;
    uint64_t low = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t start = round_up(available[i].base, LARGE_PAGE);
        uint64_t end = (available[i].base + available[i].size) / LARGE_PAGE * LARGE_PAGE;
        if (available[i].base < LOW_END)
            low += available[i].size;
        /* The first 2 MB are left alone: interrupt vectors, the start of other processors, legacy devices. */
        if (start == 0)
            start = LARGE_PAGE;
        if (end > start)
            chosen = insert(largest, chosen, (struct grant){start, end - start});
    }
    low = low > leave ? low - leave : 0;
    for (unsigned i = 0; i < chosen; i++) {
        bool is_low = largest[i].base < LOW_END;
        uint64_t size = largest[i].size < most ? largest[i].size : most;
        if (is_low && size > low)
            size = low;
        size = size / LARGE_PAGE * LARGE_PAGE;
        if (size == 0)
            continue;
        grants[granted++] = cut(largest[i], size);
        most -= size;
        if (is_low)
            low -= size;
    }
    return granted;
}
