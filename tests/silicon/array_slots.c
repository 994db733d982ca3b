// SPDX-License-Identifier: BSD-2-Clause
/* array_slots.c: an index of the tags of one set, so that a fully associative array of 4096 entries is as quick as one
 * of eight ways. A hash table with linear probing (Knuth, "The Art of Computer Programming", volume 3, section 6.4,
 * algorithms L and R): exact, never more than half full, nothing left behind by what was removed. A slot has way + 1,
 * or 0. */
#include "tests/silicon/array_parts.h"

static uint16_t *slots_of(const struct array *array, uint64_t set)
{
    return (void *)((uint8_t *)array_block(array, set) + array->slots_at);
}

/* Where a tag is looked for first. */
static unsigned home_of(const struct array *array, uint64_t tag)
{
    return (unsigned)(tag * 0x9E3779B97F4A7C15 >> 40) & (array->slots - 1);
}

unsigned slots_find(const struct array *array, uint64_t set, uint64_t tag)
{
    const uint16_t *slots = slots_of(array, set);
    const uint64_t *tags = array_tags(array, set);

    for (unsigned at = home_of(array, tag); slots[at]; at = (at + 1) & (array->slots - 1))
        if (tags[slots[at] - 1] == tag)
            return slots[at] - 1U;
    return NO_WAY;
}

void slots_add(struct array *array, uint64_t set, unsigned way)
{
    uint16_t *slots = slots_of(array, set);
    unsigned at = home_of(array, array_tags(array, set)[way]);

    while (slots[at])
        at = (at + 1) & (array->slots - 1);
    slots[at] = (uint16_t)(way + 1);
}

void slots_remove(struct array *array, uint64_t set, unsigned way)
{
    uint16_t *slots = slots_of(array, set);
    const uint64_t *tags = array_tags(array, set);
    unsigned last = array->slots - 1, hole = home_of(array, tags[way]);

    while (slots[hole] != way + 1)
        hole = (hole + 1) & last;
    for (unsigned at = (hole + 1) & last; slots[at]; at = (at + 1) & last) {
        unsigned home = home_of(array, tags[slots[at] - 1]);

        if (((at - home) & last) >= ((at - hole) & last)) { /* its way from home leads over the hole */
            slots[hole] = slots[at];
            hole = at;
        }
    }
    slots[hole] = 0;
}
