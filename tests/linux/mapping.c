// SPDX-License-Identifier: BSD-2-Clause
/* mapping.c: a sorted array of mappings. */
#include "tests/linux/mapping.h"
#include <stdlib.h>
#include <string.h>

bool mappings_reserve(struct mappings *mappings)
{
    size_t capacity = mappings->capacity ? mappings->capacity * 2 : 64;
    struct mapping *at;

    if (mappings->count + 2 <= mappings->capacity)
        return true;
    at = realloc(mappings->at, capacity * sizeof *at);
    if (!at)
        return false;
    mappings->at = at;
    mappings->capacity = capacity;
    return true;
}

/* Index of the first mapping that ends after va. */
static size_t first_after(const struct mappings *mappings, uint64_t va)
{
    size_t low = 0, high = mappings->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (mappings->at[middle].va + mappings->at[middle].size <= va)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void mappings_set(struct mappings *mappings, struct mapping new)
{
    uint64_t end = new.va + new.size;
    size_t first = first_after(mappings, new.va), last = first, pieces = 0;
    struct mapping piece[3];

    while (last < mappings->count && mappings->at[last].va < end)
        last++;
    if (first < last && mappings->at[first].va < new.va) {
        piece[pieces] = mappings->at[first];
        piece[pieces++].size = new.va - mappings->at[first].va;
    }
    if (new.page)
        piece[pieces++] = new;
    if (first < last && mappings->at[last - 1].va + mappings->at[last - 1].size > end) {
        uint64_t cut = end - mappings->at[last - 1].va;
        piece[pieces] = mappings->at[last - 1];
        piece[pieces].va += cut;
        piece[pieces].pa += cut;
        piece[pieces++].size -= cut;
    }
    memmove(&mappings->at[first + pieces], &mappings->at[last], (mappings->count - last) * sizeof *mappings->at);
    memcpy(&mappings->at[first], piece, pieces * sizeof *piece);
    mappings->count = mappings->count - (last - first) + pieces;
}

struct mapping *mappings_find(struct mappings *mappings, uint64_t va)
{
    size_t index = first_after(mappings, va);

    return index < mappings->count && mappings->at[index].va <= va ? &mappings->at[index] : NULL;
}
