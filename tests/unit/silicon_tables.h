// SPDX-License-Identifier: BSD-2-Clause
/* silicon_tables.h: a small memory with page tables in it, for the unit tests of the modelled translation. It defines
 * the three functions that the model asks of its ground, so that a test includes it once. */
#pragma once
#include "tests/silicon/translation.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/modelled_tlb.h"

enum { ARENA = 1 << 23, PWT = 8, PCD = 16, PS = 128, PAT_SMALL = 128, GLOBAL = 256, PAT_LARGE = 4096 };
enum { KB = 1024, MB = 1024 * KB };
#define GB    (UINT64_C(1) << 30)
#define FRAME UINT64_C(0x000ffffffffff000)

/* Tables are at [0, ARENA); what pages map lies anywhere, and is never read. */
struct ground {
    uint64_t word[ARENA / 8];
    uint64_t used, root; /* next free byte; CR3 */
    unsigned levels, page_shift, page_bits;
};

uint64_t ground_read(struct ground *ground, uint64_t pa)
{
    assert_int_equal(pa % 8, 0);
    return pa < ARENA ? ground->word[pa / 8] : 0;
}

uint64_t ground_root(struct ground *ground, unsigned core)
{
    (void)core;
    return ground->root;
}

/* PAT as after reset, but for the upper half, which is apart so that a test sees which entry was selected. */
enum memtype ground_type(struct ground *ground, unsigned core, uint64_t pa, unsigned pat_bits)
{
    static const enum memtype pat[8] = {MEM_WB, MEM_WT, MEM_UC, MEM_UC, MEM_WP, MEM_WC, MEM_WC, MEM_WC};
    (void)ground;
    (void)core;
    (void)pa;
    assert_true(pat_bits < 8);
    return pat[pat_bits];
}

/* A page for a table, far enough from the others that no two of their first lines fall into one set of a small cache.
 */
static inline uint64_t new_table(struct ground *ground)
{
    uint64_t table = ground->used;
    ground->used += (UINT64_C(8) << ground->page_bits) < 4096 ? 4096 : UINT64_C(8) << ground->page_bits;
    assert_true(ground->used <= ARENA);
    return table;
}

static inline struct ground *new_ground(const struct description *description)
{
    struct ground *ground = calloc(1, sizeof *ground);
    ground->used = 65536;
    ground->levels = description->levels;
    ground->page_shift = description->page_shift;
    ground->page_bits = description->page_bits;
    ground->root = new_table(ground);
    return ground;
}

/* The entry of va at a level (1: PTE), and its address; tables on the way are made. */
static inline uint64_t entry_at(struct ground *ground, uint64_t va, unsigned level)
{
    uint64_t table = ground->root & FRAME;
    for (unsigned at = ground->levels;; at--) {
        uint64_t slot =
            va >> (ground->page_shift + (at - 1) * ground->page_bits) & ((UINT64_C(1) << ground->page_bits) - 1);
        uint64_t entry = table + slot * 8;
        if (at == level)
            return entry;
        if (ground->word[entry / 8] == 0)
            ground->word[entry / 8] = new_table(ground) | 3;
        table = ground->word[entry / 8] & FRAME;
    }
}

static inline uint64_t *entry_of(struct ground *ground, uint64_t va, unsigned level)
{
    return &ground->word[entry_at(ground, va, level) / 8];
}

/* Maps the page of a class (0 small) at va, present and writable, with more bits. */
static inline void map(struct ground *ground, uint64_t va, uint64_t pa, unsigned class, uint64_t bits)
{
    *entry_of(ground, va, class + 1) = pa | 3 | (class != 0 ? PS : 0) | bits;
}

/* A machine with a cache of 32 KB, 8 ways (4 cycles), one of 256 KB (14), memory (200), no TLBs yet; a walk takes 10
 * and its loads. */
static inline void base_machine(struct description *description)
{
    *description = (struct description){0};
    description_plain(description, 32 * KB, 8, 64, 4, 200);
    description->caches = 2;
    description->cache[1] = description->cache[0];
    strcpy(description->cache[1].name, "l2");
    description->cache[1].level = 2;
    description->cache[1].size = 256 * KB;
    description->cache[1].latency = 14;
    description->cache[1].shape.index.sets = 512;
    description->pages = PAGES_SMALL | PAGES_LARGE | PAGES_HUGE;
    description->walker = (struct walker_description){.count = 1, .overhead = 10, .from_level = 1};
}

/* Adds a TLB: LRU, entries / ways sets by the low bits of the page number, for data and code, loads and stores. */
static inline struct tlb_description *add_tlb(struct description *description, unsigned level, unsigned pages,
                                              unsigned entries, unsigned ways, unsigned latency)
{
    return add_tlb_of(description, HOLDS_BOTH, pages, level, entries / ways, ways, latency);
}

static inline struct psc_description *add_psc(struct description *description, unsigned level, enum psc_tag tag,
                                              unsigned entries)
{
    struct psc_description *psc = &description->psc[description->pscs++];
    *psc = (struct psc_description){.level = level, .tag = tag};
    psc->shape.index.sets = 1;
    psc->shape.ways = entries;
    return psc;
}

/* A machine at work. */
struct world {
    struct ground *ground;
    struct caches *caches;
    struct translation *translation;
};

static inline struct world world_of(const struct description *description)
{
    struct world world = {.ground = new_ground(description), .caches = caches_create(description, 1)};
    assert_non_null(world.caches);
    world.translation = translation_create(description, world.caches, world.ground, 1);
    assert_non_null(world.translation);
    return world;
}

static inline void end_of(struct world *world)
{
    translation_destroy(world->translation);
    caches_destroy(world->caches);
    free(world->ground);
}

static inline struct translated load_of(struct world *world, uint64_t va)
{
    return translation_of(world->translation, 0, ACCESS_LOAD, va, 0);
}

/* What a load of va costs more than a hit of the first level. */
static inline unsigned cycles_of(struct world *world, uint64_t va)
{
    return load_of(world, va).cycles;
}
