// SPDX-License-Identifier: BSD-2-Clause
/* pages.h: page tables of our own, as in the Intel SDM volume 3, chapter 4, and the AMD APM volume 2, chapter 5.
 *
 * The top level starts as a copy of the firmware's, so that everything the firmware mapped stays as it mapped it. Where
 * something must differ, tables on the way down are copied first: the firmware's own are never written. Nothing here
 * executes a privileged instruction: the same code runs in a test, where an address is its own physical address. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TABLE_ENTRIES = 512, TABLE_SIZE = 4096, LEAF_LEVELS = 3 };

static const uint64_t ENTRY_PRESENT = 1, ENTRY_WRITE = 2, ENTRY_PWT = 8, ENTRY_PCD = 0x10, ENTRY_ACCESSED = 0x20,
                      ENTRY_DIRTY = 0x40, ENTRY_LARGE = 0x80, ENTRY_PAT_4K = 0x80, ENTRY_PAT_LARGE = 0x1000,
                      ENTRY_NO_EXECUTE = 1ull << 63, ENTRY_ADDRESS = 0x000ffffffffff000;

struct pages {
    uint64_t *root;               /* our top-level table; its physical address equals its address */
    unsigned levels;              /* 4 or 5 */
    uint64_t first;               /* all table pages of our own lie in [first, end) */
    uint64_t pool, end;           /* those that were never taken start at pool */
    uint64_t free_list;           /* returned ones, linked through their first word */
    uint64_t free_count;          /* how many are linked there */
    uint64_t mark;                /* pool as it was before the view's tables were made */
    uint8_t *taken;               /* one bit for each table page of our own: a page is returned once */
    uint64_t encryption;          /* the bit that marks encrypted memory in entries (AMD), 0 when there is none */
    uint64_t no_execute;          /* ENTRY_NO_EXECUTE, 0 where EFER.NXE cannot be set */
    bool pages_1g;                /* 1 GB pages exist */
    unsigned view_slot, slots;    /* top-level entries that belong to the view */
    uint64_t own_slots[512 / 64]; /* top-level entries that lead to tables of our own */
};

/* Bytes that one entry of a level covers: level 1: 4 KB, 2: 2 MB, 3: 1 GB, 4: 512 GB, 5: 256 TB. */
uint64_t pages_span(unsigned level);

/* Starts tables in [first, end) (page-aligned; a small part of it, for bookkeeping, at once) with a copy of the
 * firmware's top level. The other fields (levels, encryption, no_execute, pages_1g) are set before. False: no room. */
bool pages_open(struct pages *, uint64_t first, uint64_t end, const uint64_t *firmware);

/* Takes over what the firmware may have changed in its top level since. */
void pages_refresh(struct pages *, const uint64_t *firmware);

/* The entry that translates va at a level; NULL: the way down ends above it. */
uint64_t *pages_entry(const struct pages *, uint64_t va, unsigned level);

/* The entry that maps va to memory, and its level; NULL: va is not mapped (then *level is where the way down ends). */
uint64_t *pages_leaf(const struct pages *, uint64_t va, unsigned *level);

/* Physical address of va through its leaf. */
uint64_t pages_physical(const struct pages *, uint64_t entry, unsigned level, uint64_t va);

/* The table that holds va's entry of a level (1 to 3). Makes missing ones, splits larger pages on the way (what they
 * mapped stays mapped) and, outside the view, copies those of the firmware. NULL: no table pages are left. */
uint64_t *pages_table(struct pages *, uint64_t va, unsigned level);

/* Writes an entry of a table of `level`, returning the tables that the old entry led to. */
void pages_write(struct pages *, uint64_t *entry, unsigned level, uint64_t value);

/* Unmaps [from, to). Splits what reaches beyond. False: no table pages are left for a split. */
bool pages_clear(struct pages *, uint64_t from, uint64_t to);

/* Table pages that can still be taken. */
uint64_t pages_left(const struct pages *);

/* Finds the longest run of empty top-level entries inside one canonical half, the first and the last entry of all left
 * alone, the lower half preferred while it has at least a quarter of its entries free. Where the firmware has filled
 * them all, the upper half is taken: no identity mapping can be used there, because its addresses are not their own
 * physical ones. From here on these entries are the view's. */
void pages_choose_view(struct pages *);

/* Whether va lies in the view. */
bool pages_in_view(const struct pages *, uint64_t va);
uint64_t pages_view_base(const struct pages *);

/* Empties the view and takes back every table that was made for it. */
void pages_reset_view(struct pages *);

/* A leaf entry: pa at a level, with an entry of IA32_PAT (0 to 7). */
uint64_t pages_make_leaf(const struct pages *, uint64_t pa, unsigned level, unsigned pat, bool write, bool execute);
