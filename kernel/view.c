// SPDX-License-Identifier: BSD-2-Clause
/* view.c: the region of addresses that probes shape: mapping it, its table entries as data, and what the machine itself
 * needs to write into it. While memory is used with another type than write-back, its lines are flushed from the caches
 * whenever the type changes; the write-back alias (the identity mapping) is then the probe's to leave alone. A table
 * that a probe has linked under several parents must be unlinked before what it maps is replaced. */
#include "kernel/view.h"
#include "kernel/cpu.h"

enum {
    FLUSH_SINGLY = 64,      /* up to so many pages are flushed one by one */
    FLUSH_LINES = 16 << 20, /* up to so many bytes are flushed line by line; beyond, everything */
    LINE = 64
};

static const uint64_t page_sizes[] = {1ull << 12, 1ull << 21, 1ull << 30};

static unsigned level_of(uint64_t page)
{
    return page == page_sizes[0] ? 1 : page == page_sizes[1] ? 2 : 3;
}

uint64_t back_page(struct machine *machine, unsigned index)
{
    unsigned count = machine->features.pages_1g ? 3 : 2;

    return index < count ? page_sizes[index] : 0;
}

bool back_span(struct machine *machine, unsigned index, struct span *span)
{
    const struct grant *grant = &machine->setup.grants[index];
    uint64_t contiguous = 4096;

    if (index >= machine->setup.grant_count)
        return false;
    while (contiguous * 2 <= grant->size)
        contiguous *= 2;
    *span = (struct span){.base = grant->base, .size = grant->size, .contiguous = contiguous, .node = 0};
    return true;
}

static bool granted(const struct machine *machine, uint64_t pa)
{
    for (unsigned i = 0; i < machine->setup.grant_count; i++) {
        if (pa - machine->setup.grants[i].base < machine->setup.grants[i].size)
            return true;
    }
    return false;
}

void *back_at(struct machine *machine, uint64_t pa)
{
    if (granted(machine, pa))
        return (void *)(uintptr_t)pa;
    refuse(machine, "physical address 0x%llx is not granted", (unsigned long long)pa);
    return NULL;
}

/* Empties the caches of [pa, pa + size), through its identity mapping. */
static void flush_memory(const struct machine *machine, uint64_t pa, uint64_t size)
{
    cpu_fence();
    if (!machine->features.clflush || size > FLUSH_LINES)
        cpu_flush_caches();
    else
        for (uint64_t at = pa; at < pa + size; at += LINE)
            cpu_flush_line(at);
    cpu_fence();
}

static bool is_write_back(const struct machine *machine, uint64_t leaf, unsigned level)
{
    const uint64_t type = ENTRY_PWT | ENTRY_PCD | (level > 1 ? ENTRY_PAT_LARGE : ENTRY_PAT_4K);

    return ((leaf ^ pages_make_leaf(&machine->tables, 0, level, machine->slot[MEM_WB], true, false)) & type) == 0;
}

/* Flushes what is mapped in [from, to) with another type than write-back. */
static void flush_types(struct machine *machine, uint64_t from, uint64_t to)
{
    unsigned level;

    while (machine->types_mixed && from < to) {
        const uint64_t *leaf = pages_leaf(&machine->tables, from, &level);
        uint64_t span = pages_span(level);

        if (leaf && !is_write_back(machine, *leaf, level))
            flush_memory(machine, pages_physical(&machine->tables, *leaf, level, from & ~(span - 1)), span);
        from = (from & ~(span - 1)) + span;
    }
}

static void flush_translations(uint64_t va, uint64_t size, uint64_t page)
{
    if (size / page > FLUSH_SINGLY) {
        cpu_set_cr3(cpu_cr3()); /* no translation is global in quiet */
        return;
    }
    for (uint64_t at = va; at < va + size; at += page)
        cpu_flush_page(at);
}

/* Table pages that a mapping of `size` bytes can need at most when nothing of it is there. */
static uint64_t tables_needed(const struct pages *pages, uint64_t size, unsigned level)
{
    uint64_t needed = 2 * LEAF_LEVELS; /* splits at both ends of what was there */

    for (unsigned i = level + 1; i <= pages->levels; i++)
        needed += size / pages_span(i) + 2;
    return needed;
}

static bool unmap(struct machine *machine, uint64_t va, uint64_t size)
{
    if (pages_left(&machine->tables) < 2 * LEAF_LEVELS)
        return refuse(machine, "no memory for page tables is left");
    flush_types(machine, va, va + size);
    pages_clear(&machine->tables, va, va + size);
    flush_translations(va, size, page_sizes[0]);
    return true;
}

static void map(struct pages *pages, uint64_t va, uint64_t pa, uint64_t size, unsigned level, unsigned pat)
{
    uint64_t page = pages_span(level);

    while (size) {
        uint64_t *table = pages_table(pages, va, level);

        /* All entries of one table at a time. */
        do {
            unsigned index = (va / page) % TABLE_ENTRIES;

            pages_write(pages, &table[index], level, pages_make_leaf(pages, pa, level, pat, true, false));
            va += page;
            pa += page;
            size -= page;
        } while (size && (va / page) % TABLE_ENTRIES != 0);
    }
}

bool back_map(struct machine *machine, uint64_t va, uint64_t pa, uint64_t size, uint64_t page, enum memtype type)
{
    static const char *const name[] = {"write-back", "write-through", "write-protected", "write-combining",
                                       "uncacheable"};
    unsigned level = level_of(page);

    if (!machine->quiet)
        return refuse(machine, "the machine is not owned now");
    if (page == 0)
        return unmap(machine, va, size);
    if (level == 3 && !machine->features.pages_1g)
        return refuse(machine, "this processor has no 1 GB pages");
    if (machine->slot[type] == NO_SLOT)
        return refuse(machine, "this processor has no %s pages", name[type]);
    if (pages_left(&machine->tables) < tables_needed(&machine->tables, size, level))
        return refuse(machine, "no memory for the page tables of %llu MB in pages of %llu KB is left",
                      (unsigned long long)(size >> 20), (unsigned long long)(page >> 10));
    flush_types(machine, va, va + size);
    if (type != MEM_WB) {
        flush_memory(machine, pa, size);
        machine->types_mixed = true;
    }
    map(&machine->tables, va, pa, size, level, machine->slot[type]);
    flush_translations(va, size, page_sizes[0]);
    return true;
}

uint64_t *back_entry(struct machine *machine, uint64_t va, unsigned level)
{
    uint64_t *entry = level <= machine->tables.levels ? pages_entry(&machine->tables, va, level) : NULL;

    if (!entry)
        refuse(machine, "address 0x%llx has no table entry of level %u", (unsigned long long)va, level);
    return entry;
}

uint64_t view_alias(struct machine *machine, uint64_t va)
{
    unsigned level;
    const uint64_t *leaf = pages_leaf(&machine->tables, va, &level);
    uint64_t pa;

    if (!leaf)
        return 0;
    pa = pages_physical(&machine->tables, *leaf, level, va);
    return granted(machine, pa) ? pa : 0;
}

void view_written(struct machine *machine, uint64_t va)
{
    unsigned level;
    const uint64_t *leaf = machine->types_mixed ? pages_leaf(&machine->tables, va, &level) : NULL;

    if (leaf && !is_write_back(machine, *leaf, level))
        flush_memory(machine, pages_physical(&machine->tables, *leaf, level, va) & ~(uint64_t)(LINE - 1), LINE);
}

bool view_use(struct machine *machine, uint64_t va, bool code)
{
    unsigned level;
    uint64_t *leaf = pages_leaf(&machine->tables, va, &level), wanted;

    if (!leaf)
        return false;
    wanted = *leaf & ~(ENTRY_WRITE | machine->tables.no_execute);
    wanted |= code ? 0 : ENTRY_WRITE | machine->tables.no_execute;
    if (*leaf != wanted) {
        *leaf = wanted;
        cpu_flush_page(va);
    }
    return true;
}

/* Entry of a PAT value that holds an encoding; NO_SLOT: none. */
static uint8_t slot_of(uint64_t pat, uint8_t encoding)
{
    for (uint8_t i = 0; i < 8; i++) {
        if ((pat >> (8 * i) & 0xff) == encoding)
            return i;
    }
    return NO_SLOT;
}

/* An entry among 4 to 7 of a PAT value whose encoding a lower entry holds too; NO_SLOT: none. */
static uint8_t spare_slot(uint64_t pat)
{
    for (uint8_t i = 4; i < 8; i++) {
        if (slot_of(pat, pat >> (8 * i) & 0xff) != i)
            return i;
    }
    return NO_SLOT;
}

void view_choose_types(struct machine *machine, uint64_t firmware_pat)
{
    static const uint8_t encoding[] = {[MEM_WB] = 6, [MEM_WT] = 4, [MEM_WP] = 5, [MEM_WC] = 1, [MEM_UC] = 0};

    machine->pat = firmware_pat;
    for (unsigned type = 0; type < sizeof encoding && machine->features.pat; type++) {
        uint8_t spare = spare_slot(machine->pat);

        if (spare != NO_SLOT && slot_of(machine->pat, encoding[type]) == NO_SLOT) {
            machine->pat &= ~(0xffull << (8 * spare));
            machine->pat |= (uint64_t)encoding[type] << (8 * spare);
        }
    }
    for (unsigned type = 0; type < sizeof encoding; type++)
        machine->slot[type] = slot_of(machine->pat, encoding[type]);
}

void view_reset(struct machine *machine)
{
    if (machine->types_mixed)
        flush_memory(machine, 0, ~0ull);
    machine->types_mixed = false;
    pages_reset_view(&machine->tables);
    cpu_set_cr3(cpu_cr3());
}
