// SPDX-License-Identifier: BSD-2-Clause
/* data_tlbs.h: modelled machines for the probe of the TLBs that loads look in. Include it after cmocka.h. */
#pragma once
#include "probes/probes.h"
#include "probes/seats.h"
#include "tests/unit/found_tlbs.h"

enum { HIT = 4, NEXT = 14, MEMORY = 120, PENALTY = 7, WALK = 20, KB = 1024 };

/* 32 KB and 256 KB of cache, and pages of 4 KB and 2 MB. Walks always take as long: that tables leave a cache is looked
 * at by two tests, and it takes long. */
static inline struct description machine_with(void)
{
    struct description description;
    description_plain(&description, 32 * KB, 8, 64, HIT, MEMORY);
    add_cache(&description, 256 * KB, NEXT);
    description.pages = PAGES_SMALL | PAGES_LARGE;
    description.walker = (struct walker_description){.count = 1, .fixed = WALK, .from_level = 1};
    return description;
}

static inline struct tlb_description *add_tlb(struct description *description, unsigned level, unsigned sets,
                                              unsigned ways)
{
    return add_tlb_of(description, HOLDS_DATA, PAGES_SMALL | PAGES_LARGE, level, sets, ways, level > 1 ? PENALTY : 0);
}

/* A machine's seats, and pages of `page` bytes for them. */
struct opened {
    struct machine *machine;
    struct bench bench;
    struct seats pages;
};

static inline void open_pages(struct opened *opened, const struct description *description, uint64_t page,
                              uint64_t seed)
{
    const char *why = "";
    opened->machine = process_open(NULL, description, 3, NULL, &why);
    if (!opened->machine)
        fail_msg("%s", why);
    opened->bench = bench_open(opened->machine, seed);
    if (!seats_open(&opened->pages, &opened->bench, OP_LOAD, page, UINT64_MAX, &why))
        fail_msg("%s", why);
}

static inline void close_pages(struct opened *opened)
{
    seats_close(&opened->pages);
    machine_close(opened->machine);
}

/* Sets that are chosen by XOR of these bits. */
static inline void fold(struct tlb_description *tlb, const uint64_t *mask, unsigned bits)
{
    tlb->shape.index.kind = INDEX_XOR;
    tlb->shape.index.bits = bits;
    memcpy(tlb->shape.index.mask, mask, bits * sizeof *mask);
}

static inline void measure(struct notebook *notebook, const struct description *description)
{
    memset(notebook, 0, sizeof *notebook);
    run_probe(probe_dtlb, description, notebook);
}

/* Measures a machine and compares both levels for small pages. */
static inline void expect(struct notebook *notebook, const struct description *description, int ways1, int sets1,
                          int ways2, int sets2)
{
    measure(notebook, description);
    assert_level(notebook, "dtlb1.4k", ways1, sets1, PENALTY);
    assert_level(notebook, "dtlb2.4k", ways2, sets2, PENALTY);
}
