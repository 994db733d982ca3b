// SPDX-License-Identifier: BSD-2-Clause
/* tlb.c: one TLB: how it tags, sets, sectors, coalesces and splits pages, and what leaves it when.
 *
 * Tags: bit 63 valid, 62 global, 61-50 PCID (0 for global entries), 49-47 form, 46-0 page number. A global entry
 * matches under every PCID (Intel SDM Vol. 3, 4.10.2.4). Forms keep page sizes apart where they share an array.
 *
 * A value is the whole page, not the piece: frame of its first byte, memory type and attributes as they were when the
 * entry was filled. So a TLB serves stale translations until they are flushed or pushed out, as the SDM warns
 * (4.10.2.3). Pages that are split keep their size too: AMD's second level holds 1-GB pages as 2-MB pieces, and the
 * first level, reloaded from there, gets a 1-GB entry again (WikiChip, Zen 2, "Translation Lookaside Buffer").
 *
 * Coalescing (AMD's events 45h/46h count "coalesced" pages apart from 4-KB ones): an entry of form GROUP translates
 * those pages of an aligned group that had neighbouring frames and equal attributes when it was filled: at least two.
 * It is indexed by the number of the group, as a larger page would be. A page of the group that did not qualify, or
 * comes to qualify later, gets an entry of its own.
 *
 * Sectors (an entry of the R10000 maps a pair of pages): the tag and the index leave out the page's number inside
 * the sector; each page is filled by itself and pushed out with the whole. */
#include "tests/silicon/translation_inside.h"
#include <stdlib.h>

enum form { FORM_SMALL, FORM_LARGE, FORM_HUGE, FORM_GROUP, FORM_PDE, FORMS };

#define TAG_VALID  (UINT64_C(1) << 63)
#define TAG_GLOBAL (UINT64_C(1) << 62)
#define TAG_NUMBER ((UINT64_C(1) << 47) - 1)
enum { TAG_PCID = 50, TAG_FORM = 47 };

/* Values. Bits 0-2 memory type, 3 writable, 4 global, 5-6 class of the page, 7 a group, 12-51 frame, 52-59 the group's
 * pages. A sectored entry's value holds a bit for each page that is there (0-15), and above a hash of their values, so
 * that whoever digests the array digests them. */
enum { VALUE_WRITABLE = 8, VALUE_GLOBAL = 16, VALUE_CLASS = 5, VALUE_GROUP = 128, VALUE_RUN = 52 };

static uint64_t tag_of(enum form form, bool global, unsigned pcid, uint64_t number)
{
    return TAG_VALID | (global ? TAG_GLOBAL : (uint64_t)pcid << TAG_PCID) | (uint64_t)form << TAG_FORM | number;
}

static unsigned form_bit(enum form form, bool global)
{
    return 1U << (global ? form + FORMS : form);
}

/* The number under which a page is looked up: what its tag and its index see. */
static uint64_t number_of(const struct tlb *tlb, enum form form, uint64_t va)
{
    switch (form) {
    case FORM_GROUP:
        return va >> tlb->group_shift;
    case FORM_PDE:
        return va >> tlb->paging->shift[1];
    default:
        return va >> tlb->number_shift[form];
    }
}

static unsigned sub_of(const struct tlb *tlb, unsigned class, uint64_t va)
{
    return (unsigned)((va >> tlb->paging->shift[class]) % tlb->sector);
}

static uint64_t *subs(const struct tlb *tlb, struct place place)
{
    return tlb->sub + (place.set * array_ways(tlb->array) + place.way) * tlb->sector;
}

/* Pages of the run of LONGEST_RUN that lie in the group of va. */
static unsigned group_run(const struct tlb *tlb, uint64_t va, unsigned run)
{
    unsigned first = (unsigned)(va >> tlb->paging->shift[0]) % LONGEST_RUN / tlb->coalesce * tlb->coalesce;
    return run >> first & ((1U << tlb->coalesce) - 1);
}

static uint64_t value_of(const struct page *page)
{
    return (page->base & ENTRY_FRAME) | (uint64_t)page->class << VALUE_CLASS | (page->global ? VALUE_GLOBAL : 0) |
           (page->writable ? VALUE_WRITABLE : 0) | (uint64_t)page->type;
}

/* The value of a group: the frame is that of its first page, or what it would be. */
static uint64_t group_value(const struct tlb *tlb, uint64_t va, const struct page *page)
{
    uint64_t number = va >> tlb->paging->shift[0];
    struct page first = *page;
    first.base -= number % tlb->coalesce << tlb->paging->shift[0];
    return value_of(&first) | VALUE_GROUP | (uint64_t)group_run(tlb, va, page->run) << VALUE_RUN;
}

/* Whether a value translates va, and as what. */
static bool value_read(const struct tlb *tlb, uint64_t value, uint64_t va, struct page *page)
{
    uint64_t number = va >> tlb->paging->shift[0];
    *page = (struct page){.base = value & ENTRY_FRAME,
                          .class = value >> VALUE_CLASS & 3,
                          .type = (enum memtype)(value & 7),
                          .writable = value & VALUE_WRITABLE,
                          .global = value & VALUE_GLOBAL,
                          .run = (uint8_t)(1U << number % LONGEST_RUN)};
    if (!(value & VALUE_GROUP))
        return true;
    unsigned within = (unsigned)(number % tlb->coalesce);
    unsigned run = value >> VALUE_RUN & 0xff;
    page->base = (page->base + ((uint64_t)within << tlb->paging->shift[0])) & ENTRY_FRAME;
    page->run = (uint8_t)(run << number % LONGEST_RUN / tlb->coalesce * tlb->coalesce);
    return run >> within & 1;
}

bool tlb_open(struct tlb *tlb, const struct tlb_description *description, const struct paging *paging, bool shadowed,
              uint64_t seed)
{
    *tlb = (struct tlb){.description = description,
                        .paging = paging,
                        .sector = description->sector > 1 ? description->sector : 1,
                        .coalesce = description->coalesce > 1 ? description->coalesce : 1,
                        .piece = CLASSES};
    if (MAX_SECTOR % tlb->sector != 0 || LONGEST_RUN % tlb->coalesce != 0)
        return false;
    if (tlb->sector > 1) /* a tag for single pages leaves nothing to share */
        tlb->coalesce = 1;
    tlb->group_shift = paging->shift[0] + (unsigned)__builtin_ctz(tlb->coalesce);
    for (unsigned class = 0; class < CLASSES; class ++)
        tlb->number_shift[class] = paging->shift[class] + (unsigned)__builtin_ctz(tlb->sector);
    if (description->splits)
        for (tlb->piece = 0; tlb->piece < CLASSES - 1 && !(description->pages >> tlb->piece & 1);)
            tlb->piece++;
    tlb->array = array_create(&description->shape, seed);
    if (!tlb->array)
        return false;
    size_t entries = array_sets(tlb->array) * array_ways(tlb->array);
    if (tlb->sector > 1)
        tlb->sub = calloc(entries * tlb->sector, sizeof *tlb->sub);
    if (description->holds_pdes && shadowed)
        tlb->source = calloc(entries, sizeof *tlb->source);
    return (tlb->sector == 1 || tlb->sub) && (!(description->holds_pdes && shadowed) || tlb->source);
}

void tlb_close(struct tlb *tlb)
{
    if (tlb->array)
        array_destroy(tlb->array);
    free(tlb->sub);
    free(tlb->source);
}

bool tlb_holds(const struct tlb *tlb, unsigned class)
{
    return tlb->description->pages >> class & 1;
}

static bool find_form(const struct tlb *tlb, enum form form, bool global, uint64_t va, unsigned pcid, struct hit *hit)
{
    if (!(tlb->forms & form_bit(form, global)))
        return false;
    uint64_t number = number_of(tlb, form, va);
    hit->entry.tag = tag_of(form, global, pcid, number);
    if (!array_find(tlb->array, number, hit->entry.tag, &hit->place))
        return false;
    uint64_t value = hit->entry.value = array_value(tlb->array, hit->place);
    if (tlb->sector > 1 && form <= FORM_HUGE) {
        unsigned sub = sub_of(tlb, form, va);
        if (!(value >> sub & 1))
            return false;
        value = subs(tlb, hit->place)[sub];
    }
    return value_read(tlb, value, va, &hit->page);
}

bool tlb_find(const struct tlb *tlb, unsigned class, uint64_t va, unsigned pcid, struct hit *hit)
{
    /* Pages of a class of their own first, then groups; entries of the PCID first, then global ones. That order
     * matters only where software left two translations of an address standing. */
    return find_form(tlb, (enum form) class, false, va, pcid, hit) ||
           find_form(tlb, (enum form) class, true, va, pcid, hit) ||
           (class == 0 &&
            (find_form(tlb, FORM_GROUP, false, va, pcid, hit) || find_form(tlb, FORM_GROUP, true, va, pcid, hit)));
}

/* What an entry that went translated. */
static void mourn(const struct tlb *tlb, struct entry entry, const uint64_t *sub, struct lost *lost)
{
    enum form form = (enum form)(entry.tag >> TAG_FORM & 7);
    uint64_t number = entry.tag & TAG_NUMBER;
    lost->count = 0;
    lost->pcid = entry.tag & TAG_GLOBAL ? 0 : (unsigned)(entry.tag >> TAG_PCID & 0xfff);
    if (entry.tag == 0 || form == FORM_PDE)
        return;
    if (form == FORM_GROUP || !sub) {
        unsigned first = 0; /* page of the group that stands for it */
        while (form == FORM_GROUP && !(entry.value >> (VALUE_RUN + first) & 1))
            first++;
        lost->va[0] = form == FORM_GROUP ? (number * tlb->coalesce + first) << tlb->paging->shift[0]
                                         : number << tlb->paging->shift[form];
        lost->count = value_read(tlb, entry.value, lost->va[0], &lost->page[0]);
        return;
    }
    for (unsigned i = 0; i < tlb->sector; i++)
        if (entry.value >> i & 1) {
            lost->va[lost->count] = (number * tlb->sector + i) << tlb->paging->shift[form];
            (void)value_read(tlb, sub[i], lost->va[lost->count], &lost->page[lost->count]);
            lost->count++;
        }
}

/* The value of a sectored entry: the pages that it has, and a hash of what they are. */
static uint64_t sector_value(const struct tlb *tlb, const uint64_t *sub, unsigned present)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < tlb->sector; i++)
        if (present >> i & 1)
            hash = (hash ^ (sub[i] + i)) * UINT64_C(0x9e3779b97f4a7c15);
    return (hash ^ hash >> 32) << 16 | present;
}

static void put(struct tlb *tlb, enum form form, bool global, unsigned pcid, uint64_t va, uint64_t value,
                struct place *place, struct lost *lost)
{
    uint64_t number = number_of(tlb, form, va);
    uint64_t tag = tag_of(form, global, pcid, number);
    lost->count = 0;
    if (array_find(tlb->array, number, tag, place)) {
        array_set_value(tlb->array, *place, value);
        array_touch(tlb->array, *place);
        return;
    }
    struct entry gone = array_insert(tlb->array, number, (struct entry){.tag = tag, .value = value}, place);
    tlb->forms |= form_bit(form, global);
    if (tlb->mourned)
        mourn(tlb, gone, tlb->sub ? subs(tlb, *place) : NULL, lost);
}

static void fill_sector(struct tlb *tlb, unsigned class, uint64_t va, unsigned pcid, const struct page *page,
                        struct lost *lost)
{
    uint64_t number = number_of(tlb, (enum form) class, va);
    uint64_t tag = tag_of((enum form) class, page->global, pcid, number);
    struct place place;
    unsigned present = 0;
    if (array_find(tlb->array, number, tag, &place))
        present = array_value(tlb->array, place) & 0xffff;
    put(tlb, (enum form) class, page->global, pcid, va, 0, &place, lost);
    unsigned sub = sub_of(tlb, class, va);
    subs(tlb, place)[sub] = value_of(page);
    array_set_value(tlb->array, place, sector_value(tlb, subs(tlb, place), present | 1U << sub));
}

void tlb_fill(struct tlb *tlb, uint64_t va, unsigned pcid, const struct page *page, struct lost *lost)
{
    unsigned class = tlb->piece < CLASSES ? tlb->piece : page->class;
    struct place place;
    struct hit hit;
    if (tlb->sector > 1) {
        fill_sector(tlb, class, va, pcid, page, lost);
        return;
    }
    if (tlb->coalesce > 1 && page->class == 0) {
        unsigned run = group_run(tlb, va, page->run);
        uint64_t number = number_of(tlb, FORM_GROUP, va);
        bool taken = array_find(tlb->array, number, tag_of(FORM_GROUP, page->global, pcid, number), &hit.place);
        if ((run & (run - 1)) != 0 && !taken) {
            put(tlb, FORM_GROUP, page->global, pcid, va, group_value(tlb, va, page), &place, lost);
            return;
        }
    }
    put(tlb, (enum form) class, page->global, pcid, va, value_of(page), &place, lost);
}

bool tlb_has_room(const struct tlb *tlb, uint64_t va, const struct page *page)
{
    unsigned class = tlb->piece < CLASSES ? tlb->piece : page->class;
    unsigned run = tlb->coalesce > 1 && page->class == 0 ? group_run(tlb, va, page->run) : 0;
    enum form form = run & (run - 1) ? FORM_GROUP : (enum form) class;
    uint64_t number = number_of(tlb, form, va);
    for (unsigned way = 0; way < array_ways(tlb->array); way++)
        if (array_entry(tlb->array, index_set(&array_shape(tlb->array)->index, number, way), way).tag == 0)
            return true;
    return false;
}

/* The page of va goes from the entry at a place. */
static void remove_page(struct tlb *tlb, struct place place, enum form form, uint64_t va)
{
    if (tlb->sector > 1 && form <= FORM_HUGE) {
        unsigned present = array_value(tlb->array, place) & 0xffff & ~(1U << sub_of(tlb, form, va));
        if (present != 0) {
            array_set_value(tlb->array, place, sector_value(tlb, subs(tlb, place), present));
            return;
        }
    }
    array_remove(tlb->array, place);
}

void tlb_take(struct tlb *tlb, const struct hit *hit, uint64_t va)
{
    remove_page(tlb, hit->place, (enum form)(hit->entry.tag >> TAG_FORM & 7), va);
}

/* Pieces of the page that va lies in: INVLPG drops all entries of a page that the processor split (SDM Vol. 3,
 * 4.10.4.1). */
static void drop_pieces(struct tlb *tlb, uint64_t va, unsigned pcid)
{
    for (uint64_t set = 0; set < array_sets(tlb->array); set++)
        for (unsigned way = 0; way < array_ways(tlb->array); way++) {
            struct entry entry = array_entry(tlb->array, set, way);
            struct lost held;
            mourn(tlb, entry, tlb->sub ? subs(tlb, (struct place){.set = set, .way = way}) : NULL, &held);
            if (held.count == 0 || (!(entry.tag & TAG_GLOBAL) && held.pcid != pcid))
                continue;
            unsigned shift = tlb->paging->shift[held.page[0].class];
            if (held.page[0].class != tlb->piece && held.va[0] >> shift == va >> shift)
                array_remove(tlb->array, (struct place){.set = set, .way = way});
        }
}

void tlb_drop(struct tlb *tlb, uint64_t va, unsigned pcid)
{
    for (unsigned form = 0; form <= FORM_GROUP; form++)
        for (unsigned global = 0; global < 2; global++) {
            struct hit hit;
            while (find_form(tlb, (enum form)form, global, va, pcid, &hit))
                remove_page(tlb, hit.place, (enum form)form, va);
        }
    if (tlb->piece < CLASSES)
        drop_pieces(tlb, va, pcid);
    if (tlb->forms & form_bit(FORM_PDE, false))
        array_remove_matching(tlb->array, TAG_VALID | UINT64_C(0xfff) << TAG_PCID | UINT64_C(7) << TAG_FORM,
                              tag_of(FORM_PDE, false, pcid, 0));
}

void tlb_drop_pcid(struct tlb *tlb, unsigned pcid)
{
    array_remove_matching(tlb->array, TAG_VALID | TAG_GLOBAL | UINT64_C(0xfff) << TAG_PCID,
                          TAG_VALID | (uint64_t)pcid << TAG_PCID);
}

void tlb_drop_all(struct tlb *tlb)
{
    array_empty(tlb->array);
    tlb->forms = 0;
}

bool tlb_find_pde(const struct tlb *tlb, uint64_t va, unsigned pcid, uint64_t *upper, struct place *place)
{
    if (!(tlb->forms & form_bit(FORM_PDE, false)))
        return false;
    uint64_t number = number_of(tlb, FORM_PDE, va);
    if (!array_find(tlb->array, number, tag_of(FORM_PDE, false, pcid, number), place))
        return false;
    *upper = array_value(tlb->array, *place);
    return true;
}

void tlb_fill_pde(struct tlb *tlb, uint64_t va, unsigned pcid, uint64_t upper, uint64_t source, struct lost *lost)
{
    struct place place;
    put(tlb, FORM_PDE, false, pcid, va, upper, &place, lost);
    if (tlb->source)
        tlb->source[place.set * array_ways(tlb->array) + place.way] = source;
}

void tlb_shadow(struct tlb *tlb, uint64_t line)
{
    unsigned ways = array_ways(tlb->array);
    for (uint64_t i = 0; tlb->source && i < array_sets(tlb->array) * ways; i++) {
        struct place place = {.set = i / ways, .way = (unsigned)(i % ways)};
        uint64_t tag = array_entry(tlb->array, place.set, place.way).tag;
        if (tag != 0 && (tag >> TAG_FORM & 7) == FORM_PDE && tlb->source[i] >> 6 == line)
            array_remove(tlb->array, place);
    }
}
