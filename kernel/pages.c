// SPDX-License-Identifier: BSD-2-Clause
/* pages.c: page tables of our own; see pages.h. */
#include "kernel/pages.h"

static uint64_t *table_at(const struct pages *pages, uint64_t entry)
{
    return (uint64_t *)(uintptr_t)(entry & ENTRY_ADDRESS & ~pages->encryption);
}

static unsigned index_of(uint64_t va, unsigned level)
{
    return (va >> (12 + 9 * (level - 1))) & (TABLE_ENTRIES - 1);
}

uint64_t pages_span(unsigned level)
{
    return 4096ull << (9 * (level - 1));
}

static bool is_leaf(uint64_t entry, unsigned level)
{
    return level == 1 || (level <= LEAF_LEVELS && (entry & ENTRY_LARGE));
}

static bool is_own(const struct pages *pages, const uint64_t *table)
{
    return (uint64_t)(uintptr_t)table >= pages->first && (uint64_t)(uintptr_t)table < pages->end;
}

bool pages_in_view(const struct pages *pages, uint64_t va)
{
    unsigned slot = index_of(va, pages->levels);

    return slot >= pages->view_slot && slot < pages->view_slot + pages->slots;
}

/* Taking and returning table pages. */

static bool is_taken(const struct pages *pages, const uint64_t *table)
{
    uint64_t number = ((uint64_t)(uintptr_t)table - pages->first) / TABLE_SIZE;

    return pages->taken[number / 8] >> (number % 8) & 1;
}

static void set_taken(struct pages *pages, const uint64_t *table, bool taken)
{
    uint64_t number = ((uint64_t)(uintptr_t)table - pages->first) / TABLE_SIZE;
    uint8_t bit = (uint8_t)(1u << (number % 8));

    if (taken)
        pages->taken[number / 8] |= bit;
    else
        pages->taken[number / 8] &= (uint8_t)~bit;
}

static uint64_t *take(struct pages *pages)
{
    uint64_t *table;

    if (pages->free_list) {
        table = (uint64_t *)(uintptr_t)pages->free_list;
        pages->free_list = table[0];
        pages->free_count--;
    } else if (pages->pool + TABLE_SIZE <= pages->end) {
        table = (uint64_t *)(uintptr_t)pages->pool;
        pages->pool += TABLE_SIZE;
    } else {
        return NULL;
    }
    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        table[i] = 0;
    set_taken(pages, table, true);
    return table;
}

/* Returns a table and all below it. A probe may have linked a table under several parents or to itself: each page is
 * returned once, and tables that are not ours (in granted memory, or the firmware's) are left alone. */
static void give_back(struct pages *pages, uint64_t *table, unsigned level)
{
    if (!is_own(pages, table) || !is_taken(pages, table))
        return;
    set_taken(pages, table, false);
    for (unsigned i = 0; level > 1 && i < TABLE_ENTRIES; i++) {
        if ((table[i] & ENTRY_PRESENT) && !is_leaf(table[i], level))
            give_back(pages, table_at(pages, table[i]), level - 1);
    }
    table[0] = pages->free_list;
    pages->free_list = (uint64_t)(uintptr_t)table;
    pages->free_count++;
}

uint64_t pages_left(const struct pages *pages)
{
    return pages->free_count + (pages->end - pages->pool) / TABLE_SIZE;
}

bool pages_open(struct pages *pages, uint64_t first, uint64_t end, const uint64_t *firmware)
{
    uint64_t bits = (end - first) / TABLE_SIZE / 8 + 1;

    if (end <= first || end - first < bits + 4 * TABLE_SIZE)
        return false;
    pages->taken = (uint8_t *)(uintptr_t)first;
    for (uint64_t i = 0; i < bits; i++)
        pages->taken[i] = 0;
    pages->first = (first + bits + TABLE_SIZE - 1) & ~(uint64_t)(TABLE_SIZE - 1);
    pages->pool = pages->first;
    pages->end = end;
    pages->free_list = 0;
    pages->free_count = 0;
    pages->view_slot = pages->slots = 0;
    for (unsigned i = 0; i < sizeof pages->own_slots / sizeof *pages->own_slots; i++)
        pages->own_slots[i] = 0;
    pages->root = take(pages);
    pages->mark = pages->pool;
    pages_refresh(pages, firmware);
    return true;
}

void pages_refresh(struct pages *pages, const uint64_t *firmware)
{
    for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
        bool view = i >= pages->view_slot && i < pages->view_slot + pages->slots;

        if (!view && !(pages->own_slots[i / 64] >> (i % 64) & 1))
            pages->root[i] = firmware[i];
    }
}

/* Going down. */

uint64_t *pages_entry(const struct pages *pages, uint64_t va, unsigned level)
{
    uint64_t *table = pages->root;

    if (level < 1 || level > pages->levels)
        return NULL;
    for (unsigned at = pages->levels; at > level; at--) {
        uint64_t entry = table[index_of(va, at)];

        if (!(entry & ENTRY_PRESENT) || is_leaf(entry, at))
            return NULL;
        table = table_at(pages, entry);
    }
    return &table[index_of(va, level)];
}

uint64_t *pages_leaf(const struct pages *pages, uint64_t va, unsigned *level)
{
    uint64_t *table = pages->root;

    for (*level = pages->levels; *level >= 1; (*level)--) {
        uint64_t *entry = &table[index_of(va, *level)];

        if (!(*entry & ENTRY_PRESENT))
            break;
        if (is_leaf(*entry, *level))
            return entry;
        table = table_at(pages, *entry);
    }
    return NULL;
}

/* The address field of a leaf: below the page size lie flags. */
static uint64_t leaf_address(uint64_t entry, unsigned level)
{
    return entry & ENTRY_ADDRESS & ~(pages_span(level) - 1);
}

uint64_t pages_physical(const struct pages *pages, uint64_t entry, unsigned level, uint64_t va)
{
    return (leaf_address(entry, level) & ~pages->encryption) + (va & (pages_span(level) - 1));
}

static uint64_t pointer_to(const struct pages *pages, const uint64_t *table)
{
    return (uint64_t)(uintptr_t)table | pages->encryption | ENTRY_PRESENT | ENTRY_WRITE | ENTRY_ACCESSED;
}

/* The same mapping as a large leaf of `level`, in pages of the level below. */
static bool split(struct pages *pages, uint64_t *entry, unsigned level)
{
    uint64_t *table = take(pages);
    uint64_t address = leaf_address(*entry, level), flags = *entry & ~leaf_address(~0ull, level);

    if (!table)
        return false;
    if (level == 2) /* the bit that chooses the PAT entry moves to where ENTRY_LARGE was */
        flags = (flags & ~ENTRY_LARGE & ~ENTRY_PAT_LARGE) | ((flags & ENTRY_PAT_LARGE) ? ENTRY_PAT_4K : 0);
    for (unsigned i = 0; i < TABLE_ENTRIES; i++)
        table[i] = (address + i * pages_span(level - 1)) | flags;
    *entry = pointer_to(pages, table) | (*entry & 4); /* user pages stay user pages */
    return true;
}

/* A copy of a table that is not ours. What the entry that leads to it forbids is forbidden below it instead, so that a
 * page that we put there can allow it. */
static bool copy_table(struct pages *pages, uint64_t *entry)
{
    const uint64_t *from = table_at(pages, *entry);
    uint64_t *table = take(pages);
    uint64_t forbidden = *entry & ENTRY_NO_EXECUTE, allowed = *entry & ENTRY_WRITE;

    if (!table)
        return false;
    for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
        if (from[i] & ENTRY_PRESENT)
            table[i] = (from[i] | forbidden) & (allowed ? ~0ull : ~ENTRY_WRITE);
    }
    *entry = pointer_to(pages, table) | (*entry & 4);
    return true;
}

uint64_t *pages_table(struct pages *pages, uint64_t va, unsigned level)
{
    uint64_t *table = pages->root;
    unsigned slot = index_of(va, pages->levels);
    bool view = pages_in_view(pages, va);

    for (unsigned at = pages->levels; at > level; at--) {
        uint64_t *entry = &table[index_of(va, at)];

        if (!(*entry & ENTRY_PRESENT)) {
            uint64_t *made = take(pages);

            if (!made)
                return NULL;
            *entry = pointer_to(pages, made);
        } else if (is_leaf(*entry, at)) {
            if (!split(pages, entry, at))
                return NULL;
        } else if (!view && !is_own(pages, table_at(pages, *entry)) && !copy_table(pages, entry)) {
            return NULL;
        }
        if (!view)
            pages->own_slots[slot / 64] |= 1ull << (slot % 64);
        table = table_at(pages, *entry);
    }
    return table;
}

void pages_write(struct pages *pages, uint64_t *entry, unsigned level, uint64_t value)
{
    uint64_t old = *entry;

    *entry = value;
    if ((old & ENTRY_PRESENT) && !is_leaf(old, level))
        give_back(pages, table_at(pages, old), level - 1);
}

static uint64_t lower(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static bool clear_table(struct pages *pages, uint64_t *table, unsigned level, uint64_t from, uint64_t to)
{
    uint64_t span = pages_span(level), next;

    for (; from < to; from = next) {
        uint64_t *entry = &table[index_of(from, level)];

        next = lower((from & ~(span - 1)) + span, to);
        if (!(*entry & ENTRY_PRESENT))
            continue;
        if (level <= 1 || next - from == span) {
            pages_write(pages, entry, level, 0);
            continue;
        }
        if (is_leaf(*entry, level) && !split(pages, entry, level))
            return false;
        if (!clear_table(pages, table_at(pages, *entry), level - 1, from, next))
            return false;
    }
    return true;
}

bool pages_clear(struct pages *pages, uint64_t from, uint64_t to)
{
    return clear_table(pages, pages->root, pages->levels, from, to);
}

/* The view. */

struct run {
    unsigned start, length;
};

static struct run longest_run(const uint64_t *root, unsigned from, unsigned to)
{
    struct run best = {0, 0}, run = {from, 0};

    for (unsigned i = from; i < to; i++) {
        if (root[i] != 0) {
            run = (struct run){i + 1, 0};
            continue;
        }
        run.length++;
        if (run.length > best.length)
            best = run;
    }
    return best;
}

void pages_choose_view(struct pages *pages)
{
    const unsigned half = TABLE_ENTRIES / 2;
    struct run low = longest_run(pages->root, 1, half);
    struct run high = longest_run(pages->root, half, TABLE_ENTRIES - 1);
    struct run best = low.length >= half / 4 || low.length >= high.length ? low : high;

    if (best.length == 0)
        best = (struct run){half, half - 1};
    pages->view_slot = best.start;
    pages->slots = best.length;
    pages->mark = pages->pool;
    for (unsigned i = 0; i < best.length; i++)
        pages->root[best.start + i] = 0;
}

uint64_t pages_view_base(const struct pages *pages)
{
    uint64_t base = pages->view_slot * pages_span(pages->levels);
    unsigned bits = 12 + 9 * pages->levels;

    if (pages->view_slot >= TABLE_ENTRIES / 2) /* the upper half is sign-extended */
        base |= ~0ull << (bits - 1);
    return base;
}

void pages_reset_view(struct pages *pages)
{
    for (unsigned i = 0; i < pages->slots; i++)
        pages->root[pages->view_slot + i] = 0;
    while (pages->pool > pages->mark) {
        pages->pool -= TABLE_SIZE;
        set_taken(pages, (uint64_t *)(uintptr_t)pages->pool, false);
    }
    pages->free_list = 0;
    pages->free_count = 0;
}

uint64_t pages_make_leaf(const struct pages *pages, uint64_t pa, unsigned level, unsigned pat, bool write, bool execute)
{
    uint64_t entry = pa | pages->encryption | ENTRY_PRESENT | ENTRY_ACCESSED | ENTRY_DIRTY;

    if (level > 1)
        entry |= ENTRY_LARGE;
    if (pat & 1)
        entry |= ENTRY_PWT;
    if (pat & 2)
        entry |= ENTRY_PCD;
    if (pat & 4)
        entry |= level > 1 ? ENTRY_PAT_LARGE : ENTRY_PAT_4K;
    if (write)
        entry |= ENTRY_WRITE;
    if (!execute)
        entry |= pages->no_execute;
    return entry;
}
