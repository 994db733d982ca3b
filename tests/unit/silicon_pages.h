// SPDX-License-Identifier: BSD-2-Clause
/* silicon_pages.h: pages of a modelled address space, mapped and visited in a row: for the unit tests of TLBs. */
#pragma once
#include "tests/unit/silicon_tables.h"

#define HOME UINT64_C(0x7640000000) /* a multiple of 1 GB */
enum { ALL = PAGES_SMALL | PAGES_LARGE | PAGES_HUGE };

/* Frames that never look like neighbours. */
static uint64_t frame(unsigned i)
{
    return 4 * GB + i * UINT64_C(0x3000);
}

/* Maps `count` small pages, `stride` pages apart. */
static void map_pages(struct world *world, unsigned count, uint64_t stride)
{
    for (unsigned i = 0; i < count; i++)
        map(world->ground, HOME + i * stride * 4096, frame(i), 0, 0);
}

/* Loads every page once. */
static void visit(struct world *world, unsigned count, uint64_t stride)
{
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(load_of(world, HOME + i * stride * 4096 + 8).pa, frame(i) + 8);
}

/* Of a visit to every page, how many hit at a level (0: walked). */
static unsigned at_level(struct world *world, unsigned count, uint64_t stride, unsigned level)
{
    unsigned hits = 0;
    for (unsigned i = 0; i < count; i++) {
        struct translated translated = load_of(world, HOME + i * stride * 4096 + 16);
        assert_int_equal(translated.pa, frame(i) + 16);
        hits += translated.level == level;
    }
    return hits;
}

static unsigned level_of(struct world *world, enum access_kind kind, uint64_t va)
{
    return translation_of(world->translation, 0, kind, va, 0).level;
}
