// SPDX-License-Identifier: BSD-2-Clause
/* psc.c: page-structure caches: entries of upper tables, so that a walk need not read them again. Two kinds:
 *
 * Linear (Intel SDM Vol. 3, 4.10.3): one cache for a level (or one for all), tagged by the linear address bits above
 * the level and by the PCID. A hit replaces the walk down to that level. Tables that are shared by several parents do
 * not merge entries: the tag knows the address, not the table.
 *
 * Physical (the page-walk cache of AMD's K10; Barr, Cox, Rixner, "Translation Caching: Skip, Don't Walk (the Page
 * Table)", ISCA 2010, there "page table cache"): tagged by the physical address of the entry. The walk still goes from
 * level to level, but an entry that hits is not loaded. Shared tables merge, and there is no PCID in the tag. */
#include "tests/silicon/translation_inside.h"
#include <stdlib.h>

/* Tags: bit 63 valid, linear: 62-60 level, 59-48 PCID, 47-0 number. */
#define TAG_VALID (UINT64_C(1) << 63)
enum { TAG_LEVEL = 60, TAG_PCID = 48 };
#define VALUE_UPPER ((UINT64_C(1) << 52) - 1)

bool psc_open(struct psc *psc, const struct psc_description *description, const struct paging *paging, bool shadowed,
              uint64_t seed)
{
    *psc = (struct psc){.description = description, .paging = paging};
    psc->array = array_create(&description->shape, seed);
    if (psc->array && shadowed)
        psc->source = calloc(array_sets(psc->array) * array_ways(psc->array), sizeof *psc->source);
    return psc->array && (!shadowed || psc->source);
}

void psc_close(struct psc *psc)
{
    if (psc->array)
        array_destroy(psc->array);
    free(psc->source);
}

bool psc_serves(const struct psc *psc, enum psc_tag tag, unsigned level)
{
    return psc->description->tag == tag && (psc->description->level == 0 || psc->description->level == level);
}

static uint64_t number_of(const struct psc *psc, unsigned level, uint64_t va, uint64_t source)
{
    return psc->description->tag == PSC_LINEAR ? va >> psc->paging->shift[level - 1] : source / 8;
}

static uint64_t tag_of(const struct psc *psc, unsigned level, unsigned pcid, uint64_t number)
{
    if (psc->description->tag == PSC_PHYSICAL)
        return TAG_VALID | number;
    return TAG_VALID | (uint64_t)level << TAG_LEVEL | (uint64_t)pcid << TAG_PCID | number;
}

bool psc_find(const struct psc *psc, unsigned level, uint64_t va, unsigned pcid, uint64_t source, uint64_t *upper,
              struct place *place)
{
    uint64_t number = number_of(psc, level, va, source);
    if (!array_find(psc->array, number, tag_of(psc, level, pcid, number), place))
        return false;
    *upper = array_value(psc->array, *place) & VALUE_UPPER;
    return true;
}

void psc_fill(struct psc *psc, unsigned level, uint64_t va, unsigned pcid, uint64_t source, uint64_t upper)
{
    uint64_t number = number_of(psc, level, va, source);
    uint64_t tag = tag_of(psc, level, pcid, number);
    struct place place;
    if (psc->source) /* what is kept beside the array shows in it, for whoever digests it */
        upper |= (source >> 6) * UINT64_C(0x9e3779b97f4a7c15) & ~VALUE_UPPER;
    if (array_find(psc->array, number, tag, &place)) {
        array_set_value(psc->array, place, upper);
        array_touch(psc->array, place);
    } else {
        (void)array_insert(psc->array, number, (struct entry){.tag = tag, .value = upper}, &place);
    }
    if (psc->source)
        psc->source[place.set * array_ways(psc->array) + place.way] = source;
}

void psc_drop_pcid(struct psc *psc, unsigned pcid)
{
    if (psc->description->tag == PSC_PHYSICAL)
        (void)array_remove_matching(psc->array, TAG_VALID, TAG_VALID);
    else
        (void)array_remove_matching(psc->array, TAG_VALID | UINT64_C(0xfff) << TAG_PCID,
                                    TAG_VALID | (uint64_t)pcid << TAG_PCID);
}

void psc_shadow(struct psc *psc, uint64_t line)
{
    unsigned ways = array_ways(psc->array);
    for (uint64_t i = 0; psc->source && i < array_sets(psc->array) * ways; i++) {
        struct place place = {.set = i / ways, .way = (unsigned)(i % ways)};
        if (array_entry(psc->array, place.set, place.way).tag != 0 && psc->source[i] >> 6 == line)
            array_remove(psc->array, place);
    }
}
