// SPDX-License-Identifier: BSD-2-Clause
/* tables.c: page tables in the modelled machine's physical memory, and the mappings that probes ask for. What a mapping
 * is, what is refused and what is flushed is the same as on bare metal (machine.h).
 *
 * Every table exists twice: the real one, which the walker reads and a probe may write, and our own, which says what
 * was mapped. Both are written together. */
#include "tests/silicon/process/process_inside.h"
#include <stdlib.h>

enum {
    FLUSH_SINGLY = 64,      /* up to so many pages are flushed one by one */
    FLUSH_LINES = 16 << 20, /* up to so many bytes are flushed line by line; beyond, everything */
    FLUSH_STEP = 16         /* no line is shorter */
};

/* PAT index of each memory type, in ground.c's table. */
static const uint8_t pat_index[] = {[MEM_WB] = 0, [MEM_WT] = 1, [MEM_WP] = 4, [MEM_WC] = 5, [MEM_UC] = 3};

uint64_t ground_span_of(const struct ground *ground, unsigned level)
{
    return (uint64_t)1 << (ground->description->page_shift + ground->description->page_bits * (level - 1));
}

static uint64_t page_of_class(const struct ground *ground, unsigned index)
{
    return ground->description->pages >> index & 1 ? ground_span_of(ground, index + 1) : 0;
}

static unsigned level_of(const struct ground *ground, uint64_t page)
{
    unsigned level = 1;

    while (ground_span_of(ground, level) < page)
        level++;
    return level;
}

static uint64_t *real_word(const struct ground *ground, uint64_t pa)
{
    return (uint64_t *)(void *)(ground->block + (pa - TABLES_BASE));
}

static uint64_t *own_word(const struct ground *ground, uint64_t pa)
{
    return (uint64_t *)(void *)(ground->own + (pa - TABLES_BASE));
}

static void write_entry(const struct ground *ground, uint64_t pa, uint64_t entry)
{
    *own_word(ground, pa) = entry;
    *real_word(ground, pa) = entry;
}

static bool is_leaf(uint64_t entry, unsigned level)
{
    return level == 1 || entry & ENTRY_LARGE;
}

/* An entry that maps memory. Accessed and dirty are set from the start, so that no walk writes to a table. */
static uint64_t make_leaf(uint64_t pa, unsigned level, unsigned pat)
{
    uint64_t entry = pa | ENTRY_PRESENT | ENTRY_WRITE | ENTRY_ACCESSED | ENTRY_DIRTY;

    entry |= (pat & 1 ? ENTRY_PWT : 0) | (pat & 2 ? ENTRY_PCD : 0);
    if (level > 1)
        entry |= ENTRY_LARGE;
    if (pat & 4)
        entry |= level > 1 ? ENTRY_PAT_LARGE : ENTRY_PAT_SMALL;
    return entry;
}

static unsigned leaf_pat(uint64_t entry, unsigned level)
{
    uint64_t high = level > 1 ? ENTRY_PAT_LARGE : ENTRY_PAT_SMALL;

    return (entry & ENTRY_PWT ? 1 : 0) | (entry & ENTRY_PCD ? 2 : 0) | (entry & high ? 4 : 0);
}

static uint64_t leaf_address(const struct ground *ground, uint64_t entry, unsigned level)
{
    return entry & ENTRY_ADDRESS & ~(ground_span_of(ground, level) - 1);
}

/* Physical address of the entry for va in a table of a level. */
static uint64_t entry_in(const struct ground *ground, uint64_t table, uint64_t va, unsigned level)
{
    unsigned shift = ground->description->page_shift + ground->description->page_bits * (level - 1);
    uint64_t entries = (uint64_t)1 << ground->description->page_bits;

    return table + (va >> shift & (entries - 1)) * 8;
}

static uint64_t tables_left(const struct ground *ground)
{
    return (SPAN_BASE - ground->pool) / ground->table_size + ground->free_count;
}

/* An empty table. The caller knows that there is room. */
static uint64_t take_table(struct ground *ground)
{
    uint64_t table = ground->free_list;

    if (!table) {
        table = ground->pool;
        ground->pool += ground->table_size;
        return table;
    }
    ground->free_list = *own_word(ground, table);
    ground->free_count--;
    *own_word(ground, table) = 0;
    return table;
}

static void free_table(struct ground *ground, uint64_t table)
{
    memset(own_word(ground, table), 0, ground->table_size);
    memset(real_word(ground, table), 0, ground->table_size);
    *own_word(ground, table) = ground->free_list;
    ground->free_list = table;
    ground->free_count++;
}

/* Replaces a large page by a table of smaller ones that map the same. */
static void split(struct ground *ground, uint64_t at, unsigned level)
{
    uint64_t entry = *own_word(ground, at), table = take_table(ground), piece = ground_span_of(ground, level - 1);
    uint64_t pa = leaf_address(ground, entry, level);

    for (uint64_t i = 0; i < (uint64_t)1 << ground->description->page_bits; i++)
        write_entry(ground, table + i * 8, make_leaf(pa + i * piece, level - 1, leaf_pat(entry, level)));
    write_entry(ground, at, table | ENTRY_PRESENT | ENTRY_WRITE | ENTRY_ACCESSED);
}

/* Writes a leaf; tables above it are made and, where a probe has changed how they hang together, put right. */
static void put_leaf(struct ground *ground, uint64_t va, uint64_t pa, unsigned level, unsigned pat)
{
    uint64_t table = ground->root;

    for (unsigned at_level = ground->description->levels; at_level > level; at_level--) {
        uint64_t at = entry_in(ground, table, va, at_level), entry = *own_word(ground, at);
        if (!(entry & ENTRY_PRESENT))
            entry = take_table(ground) | ENTRY_PRESENT | ENTRY_WRITE | ENTRY_ACCESSED;
        write_entry(ground, at, entry);
        table = entry & ENTRY_ADDRESS;
    }
    write_entry(ground, entry_in(ground, table, va, level), make_leaf(pa, level, pat));
}

/* The bookkeeping of a leaf that goes (change -1) or comes (1). */
static void count_leaf(struct ground *ground, uint64_t pa, uint64_t size, int change, enum memtype type)
{
    uint64_t page = ground_span_of(ground, 1), first = (pa - SPAN_BASE) / page;

    for (uint64_t i = 0; i < size / page; i++) {
        ground->mapped[first + i].count += (uint32_t)change;
        ground->mapped[first + i].type = (uint8_t)type;
    }
}

/* Empties the caches of memory whose type changes. */
static void flush_memory(struct machine *machine, uint64_t pa, uint64_t size)
{
    if (size > FLUSH_LINES)
        silicon_flush_caches(machine->silicon, machine->here);
    else
        for (uint64_t at = pa; at < pa + size; at += FLUSH_STEP)
            silicon_flush_line(machine->silicon, machine->here, at);
}

static void drop_leaf(struct machine *machine, uint64_t entry, unsigned level)
{
    struct ground *ground = &machine->ground;
    uint64_t pa = leaf_address(ground, entry, level), size = ground_span_of(ground, level);
    enum memtype type = (enum memtype)ground->mapped[(pa - SPAN_BASE) / ground_span_of(ground, 1)].type;

    if (type != MEM_WB)
        flush_memory(machine, pa, size);
    count_leaf(ground, pa, size, -1, type);
}

/* Takes [from, to) away from a table that begins at address `base`. Tables of levels below `keep` are given back when
 * nothing is left in them. */
static void clear(struct machine *machine, uint64_t table, unsigned level, uint64_t base, uint64_t from, uint64_t to,
                  unsigned keep)
{
    struct ground *ground = &machine->ground;
    uint64_t span = ground_span_of(ground, level), at = from & ~(span - 1);

    for (; at < to; at += span) {
        uint64_t where = table + (at - base) / span * 8, entry = *own_word(ground, where);
        bool whole = from <= at && at + span <= to;
        if (!(entry & ENTRY_PRESENT)) {
            write_entry(ground, where, 0); /* whatever a probe has put there */
            continue;
        }
        if (is_leaf(entry, level) && whole) {
            drop_leaf(machine, entry, level);
            write_entry(ground, where, 0);
            continue;
        }
        if (is_leaf(entry, level))
            split(ground, where, level);
        entry = *own_word(ground, where);
        clear(machine, entry & ENTRY_ADDRESS, level - 1, at, from > at ? from : at, to < at + span ? to : at + span,
              keep);
        if (whole && level - 1 < keep) {
            free_table(ground, entry & ENTRY_ADDRESS);
            write_entry(ground, where, 0);
        }
    }
}

static void clear_view(struct machine *machine, uint64_t va, uint64_t size, unsigned keep)
{
    clear(machine, machine->ground.root, machine->description.levels, 0, va, va + size, keep);
}

void ground_empty_view(struct machine *machine)
{
    clear_view(machine, machine->front.view.base, machine->front.view.size, machine->description.levels + 1);
}

static void flush_translations(struct machine *machine, uint64_t va, uint64_t size)
{
    uint64_t page = ground_span_of(&machine->ground, 1);

    for (unsigned core = 0; core < machine->description.cores; core++) {
        if (size / page > FLUSH_SINGLY)
            silicon_flush_tlb(machine->silicon, core, false); /* no translation is global */
        for (uint64_t at = va; size / page <= FLUSH_SINGLY && at < va + size; at += page)
            silicon_flush_page(machine->silicon, core, at);
    }
}

/* The physical page that our own tables map va to; UINT64_MAX: none. */
static uint64_t own_translation(const struct ground *ground, uint64_t va)
{
    uint64_t table = ground->root;

    for (unsigned level = ground->description->levels; level; level--) {
        uint64_t entry = *own_word(ground, entry_in(ground, table, va, level));
        if (!(entry & ENTRY_PRESENT))
            return UINT64_MAX;
        if (is_leaf(entry, level))
            return leaf_address(ground, entry, level) + (va & (ground_span_of(ground, level) - 1));
        table = entry & ENTRY_ADDRESS;
    }
    return UINT64_MAX;
}

/* False, with a reason: some of the memory is mapped elsewhere with another type. A mapping that this call replaces
 * does not stand in its own way. */
static bool types_agree(struct machine *machine, uint64_t va, uint64_t pa, uint64_t size, enum memtype type)
{
    const struct ground *ground = &machine->ground;
    uint64_t page = ground_span_of(ground, 1), first = (pa - SPAN_BASE) / page;

    for (uint64_t i = 0; i < size / page; i++) {
        const struct mapped *mapped = &ground->mapped[first + i];
        if (!mapped->count || mapped->type == (uint8_t)type)
            continue;
        if (mapped->count == 1 && own_translation(ground, va + i * page) == pa + i * page)
            continue;
        return refuse(machine, "physical page 0x%llx is already mapped with memory type %u, not %u",
                      (unsigned long long)(pa + i * page), mapped->type, (unsigned)type);
    }
    return true;
}

/* Tables that a mapping can need at most: those of its own, and what splits at both of its ends need. */
static uint64_t tables_needed(const struct ground *ground, uint64_t size, unsigned level)
{
    uint64_t needed = (uint64_t)2 * MAX_TABLE_LEVELS;

    for (unsigned i = level + 1; i <= ground->description->levels; i++)
        needed += size / ground_span_of(ground, i) + 2;
    return needed;
}

static bool unmap(struct machine *machine, uint64_t va, uint64_t size)
{
    if (tables_left(&machine->ground) < (uint64_t)2 * MAX_TABLE_LEVELS)
        return refuse(machine, "no memory for page tables is left");
    clear_view(machine, va, size, machine->description.levels + 1);
    flush_translations(machine, va, size);
    return true;
}

bool back_map(struct machine *machine, uint64_t va, uint64_t pa, uint64_t size, uint64_t page, enum memtype type)
{
    struct ground *ground = &machine->ground;

    if (page == 0)
        return unmap(machine, va, size);
    unsigned level = level_of(ground, page);
    if (tables_left(ground) < tables_needed(ground, size, level))
        return refuse(machine, "no memory for the page tables of %llu MB in pages of %llu KB is left",
                      (unsigned long long)(size >> 20), (unsigned long long)(page >> 10));
    if (!types_agree(machine, va, pa, size, type))
        return false;
    clear_view(machine, va, size, level);
    if (type != MEM_WB)
        flush_memory(machine, pa, size);
    for (uint64_t at = 0; at < size; at += page)
        put_leaf(ground, va + at, pa + at, level, pat_index[type]);
    count_leaf(ground, pa, size, 1, type);
    flush_translations(machine, va, size);
    return true;
}

uint64_t back_page(struct machine *machine, unsigned index)
{
    for (unsigned class = 0; class < 3; class ++) {
        uint64_t page = page_of_class(&machine->ground, class);
        if (page && index-- == 0)
            return page;
    }
    return 0;
}

uint64_t *back_entry(struct machine *machine, uint64_t va, unsigned level)
{
    const struct ground *ground = &machine->ground;
    uint64_t table = ground->root;

    for (unsigned at_level = ground->description->levels; at_level >= level && level; at_level--) {
        uint64_t at = entry_in(ground, table, va, at_level);
        uint8_t *word = ground_at(ground, at, 8);
        uint64_t entry;
        if (!word)
            break;
        if (at_level == level)
            return (uint64_t *)(void *)word;
        memcpy(&entry, word, sizeof entry);
        if (!(entry & ENTRY_PRESENT) || is_leaf(entry, at_level))
            break;
        table = entry & ENTRY_ADDRESS;
    }
    refuse(machine, "address 0x%llx has no table entry of level %u", (unsigned long long)va, level);
    return NULL;
}

/* The tables and the span at their own addresses, with the largest pages that there are. */
static void map_identity(struct ground *ground)
{
    uint64_t page = page_of_class(ground, 0);

    for (unsigned class = 1; class < 3; class ++)
        page = page_of_class(ground, class) ? page_of_class(ground, class) : page;
    for (uint64_t at = TABLES_BASE & ~(page - 1); at < ground->end; at += page)
        put_leaf(ground, at, at, level_of(ground, page), 0);
}

bool ground_open(struct ground *ground, const struct description *description)
{
    uint64_t size = (uint64_t)8 << description->page_bits, unit = 4096;

    ground->description = description;
    ground->end = SPAN_BASE + description->memory.span;
    ground->table_size = (unsigned)(size > unit ? size : unit); /* entries hold addresses from bit 12 up */
    ground->block = calloc(1, ground->end - TABLES_BASE);
    ground->own = calloc(1, TABLES_SIZE);
    ground->mapped = calloc(description->memory.span >> description->page_shift, sizeof *ground->mapped);
    if (!ground->block || !ground->own || !ground->mapped)
        return false;
    ground->pool = TABLES_BASE;
    ground->root = take_table(ground);
    map_identity(ground);
    return true;
}

void ground_close(struct ground *ground)
{
    free(ground->block);
    free(ground->own);
    free(ground->mapped);
}
