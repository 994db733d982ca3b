// SPDX-License-Identifier: BSD-2-Clause
/* truth_stores.c: whether stores look in a first TLB of their own, of fewer entries than that of loads:
 * dtlb1.4k.stores, dtlb1.2m.stores. docs/silicon.md has the table.
 *
 * All TLBs of a level are asked at once (translation.c), so those of the nearest level that stores look in count
 * together, as for loads. With as many entries as loads have, or more, nothing shows of them: then there is nothing to
 * find. Nobody needs to tell how many pages in a row fit where sets are chosen by folded bits, entries are for several
 * pages, or larger ones come in pieces; nor what costs as much as what lies behind it. */
#include "tests/silicon/truth_inside.h"
#include <string.h>

enum { SIZES = 2 };

/* The nearest level that has entries for an access. */
struct nearest {
    uint64_t entries; /* 0: none */
    unsigned level, cycles;
    bool plain; /* rows of pages fill it evenly, one entry each */
};

static struct nearest nearest_of(const struct description *description, bool stores, unsigned class)
{
    struct nearest nearest = {.plain = true};

    for (unsigned i = 0; i < description->tlbs; i++) {
        const struct tlb_description *tlb = &description->tlb[i];
        const struct index *index = &tlb->shape.index;
        if (!(tlb->holds & HOLDS_DATA) || !(stores ? tlb->stores : tlb->loads) || !(tlb->pages >> class & 1) ||
            (nearest.entries && tlb->level > nearest.level))
            continue;
        if (!nearest.entries || tlb->level < nearest.level)
            nearest = (struct nearest){.plain = true, .level = tlb->level, .cycles = tlb->latency};
        nearest.entries += (uint64_t)tlb->shape.ways * index->sets;
        nearest.plain = nearest.plain && index->kind == INDEX_MODULO && (index->sets & (index->sets - 1)) == 0 &&
                        tlb->sector == 1 && tlb->coalesce == 1 && !tlb->victim && !tlb->splits;
    }
    return nearest;
}

/* What a store takes more that misses there: a hit of the next level that has entries for it, or a walk, which always
 * takes more. */
static bool misses_show(const struct description *description, const struct nearest *nearest, unsigned class)
{
    const struct tlb_description *next = NULL;

    for (unsigned i = 0; i < description->tlbs; i++) {
        const struct tlb_description *tlb = &description->tlb[i];
        if (tlb->holds & HOLDS_DATA && tlb->stores && tlb->pages >> class & 1 && tlb->level > nearest->level &&
            (!next || tlb->level < next->level))
            next = tlb;
    }
    return !next || next->latency > nearest->cycles;
}

struct truth truth_of_stores(const struct truths *truths, const char *id)
{
    static const struct {
        const char *id;
        uint64_t page;
    } sizes[SIZES] = {{"dtlb1.4k.stores", 4096}, {"dtlb1.2m.stores", 2 << 20}};
    const struct description *description = &truths->description;
    unsigned asked = 0, class = 0;

    while (asked < SIZES && strcmp(id, sizes[asked].id) != 0)
        asked++;
    if (asked == SIZES)
        return (struct truth){.kind = TRUTH_NONE};
    while (class < 2 && (uint64_t)1 << (description->page_shift + class * description->page_bits) != sizes[asked].page)
        class ++;
    if (class == 2 || !(description->pages >> class & 1) || sizes[asked].page > description->memory.span)
        return (struct truth){.kind = TRUTH_ABSENT};
    struct nearest stores = nearest_of(description, true, class), loads = nearest_of(description, false, class);
    if (stores.entries == 0 || stores.entries >= loads.entries)
        return (struct truth){.kind = TRUTH_ABSENT};
    struct truth truth = {.kind = TRUTH_EQUAL, .value = (double)stores.entries};
    truth.optional = !misses_show(description, &stores, class);
    if (!stores.plain)
        truth = (struct truth){.kind = TRUTH_RANGE, .optional = true, .low = 1, .high = 1e9};
    return truth;
}
