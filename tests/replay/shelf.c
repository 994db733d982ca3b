// SPDX-License-Identifier: BSD-2-Clause
/* shelf.c: the records of a recording in a hash table of piles; chains keep the recorded order. */
#include "tests/replay/shelf.h"
#include "base/crc32.h"
#include "base/text.h"
#include <stdlib.h>

#define NO_ITEM ((size_t)-1)

static struct pile *find_pile(const struct shelf *shelf, enum record_kind kind, uint32_t key)
{
    uint64_t name = (uint64_t)kind << 32 | key;
    size_t at = (size_t)(name * 0x9E3779B97F4A7C15 >> 32) & (shelf->pile_count - 1);

    while (shelf->piles[at].name && shelf->piles[at].name != name)
        at = (at + 1) & (shelf->pile_count - 1);
    return &shelf->piles[at];
}

static size_t count_records(const void *bytes, size_t size)
{
    struct cursor cursor = recording_start(bytes, size);
    struct record record;
    size_t count = 0;

    while (recording_next(&cursor, &record))
        count++;
    return count;
}

bool shelf_fill(struct shelf *shelf, const void *bytes, size_t size)
{
    struct cursor cursor = recording_start(bytes, size);
    size_t count = count_records(bytes, size);

    *shelf = (struct shelf){.pile_count = 16};
    while (shelf->pile_count < 2 * count)
        shelf->pile_count *= 2;
    shelf->items = calloc(count + 1, sizeof *shelf->items);
    shelf->piles = calloc(shelf->pile_count, sizeof *shelf->piles);
    if (!shelf->items || !shelf->piles)
        return false;
    while (recording_next(&cursor, &shelf->items[shelf->count].record))
        shelf->count++;
    /* From the last to the first, so that each chain runs in the recorded order. */
    for (size_t i = shelf->count; i-- > 0;) {
        struct item *item = &shelf->items[i];
        struct pile *pile = find_pile(shelf, item->record.kind, item->record.key);
        item->next = pile->name ? pile->first : NO_ITEM;
        pile->name = (uint64_t)item->record.kind << 32 | item->record.key;
        pile->first = i;
    }
    shelf->end = shelf->count;
    return true;
}

void shelf_empty(struct shelf *shelf)
{
    free(shelf->items);
    free(shelf->piles);
    shelf->items = NULL;
    shelf->piles = NULL;
}

/* The next item of a pile inside the present stretch; NO_ITEM: there is none. Items of earlier stretches are passed
 * over for good. */
static size_t peek(struct shelf *shelf, struct pile *pile)
{
    if (!pile->name)
        return NO_ITEM;
    while (pile->first != NO_ITEM && pile->first < shelf->stretch_start)
        pile->first = shelf->items[pile->first].next;
    return pile->first != NO_ITEM && pile->first < shelf->end ? pile->first : NO_ITEM;
}

static void take(struct shelf *shelf, struct pile *pile, size_t item)
{
    shelf->items[item].taken = true;
    pile->first = shelf->items[item].next;
}

bool shelf_take(struct shelf *shelf, enum record_kind kind, uint32_t key, struct cursor *payload)
{
    struct pile *pile = find_pile(shelf, kind, key);
    size_t item = peek(shelf, pile);

    if (item == NO_ITEM) {
        shelf->not_found++;
        return false;
    }
    *payload = shelf->items[item].record.payload;
    take(shelf, pile, item);
    return true;
}

bool shelf_take_number(struct shelf *shelf, enum record_kind kind, uint64_t number, struct cursor *payload)
{
    struct pile *pile = find_pile(shelf, kind, 0);
    size_t item = peek(shelf, pile);

    if (item == NO_ITEM)
        return false;
    *payload = shelf->items[item].record.payload;
    if (cursor_number(payload) != number)
        return false;
    take(shelf, pile, item);
    return true;
}

bool shelf_next_stretch(struct shelf *shelf, struct cursor *payload)
{
    struct pile *pile = find_pile(shelf, RECORD_PROTECT, 0);
    size_t item = peek(shelf, pile);

    if (item == NO_ITEM) {
        shelf->not_found++;
        return false;
    }
    *payload = shelf->items[item].record.payload;
    take(shelf, pile, item);
    shelf->end = item;
    return true;
}

void shelf_end_stretch(struct shelf *shelf)
{
    shelf->stretch_start = shelf->end + 1;
    shelf->end = shelf->count;
}

bool shelf_text(struct shelf *shelf, const char *name, char *to, size_t capacity)
{
    uint32_t key = crc32(0, name, text_length(name));

    for (size_t i = 0; i < shelf->count; i++) {
        struct record record = shelf->items[i].record;
        char found[64];
        if (record.kind != RECORD_TEXT || record.key != key)
            continue;
        cursor_string(&record.payload, found, sizeof found);
        if (!text_equal(found, name))
            continue;
        cursor_string(&record.payload, to, capacity);
        return true;
    }
    return false;
}

uint64_t shelf_unasked(const struct shelf *shelf)
{
    uint64_t unasked = 0;

    for (size_t i = 0; i < shelf->count; i++) {
        enum record_kind kind = shelf->items[i].record.kind;
        unasked += kind >= RECORD_RUN && kind < RECORD_END && !shelf->items[i].taken;
    }
    return unasked;
}
