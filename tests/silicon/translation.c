// SPDX-License-Identifier: BSD-2-Clause
/* translation.c: from a virtual address to a physical one: which TLBs an access looks in, what fills them, and what
 * flushes what.
 *
 * Rules. The TLBs of a level are looked up at the same time, the levels one after the other; a hit of level n takes
 * that TLB's latency more than a hit of the first level. What was found at level n, or by a walk, goes to all levels
 * before (neither inclusive nor exclusive, as "TLB;DR" measured from Ivy Bridge to Kaby Lake: Tatar et al., USENIX
 * Security 2022), but not to victim TLBs: those take what the level before loses, and give a page back when it hits
 * and a TLB before wants it. Where two TLBs of a level hold a class (Ice Lake's second level), a page goes to the one
 * that has room in its set, else to each in turn. An access whose side has no TLB at all translates without cost and
 * without traces.
 *
 * Flushes (Intel SDM Vol. 3, 4.10.4.1): INVLPG drops the translations of an address under the current PCID and the
 * global ones, whatever their size, and all page-structure entries of the PCID; MOV CR3 drops all of the PCID that is
 * not global. A store that finds a read-only translation drops it and walks (AMD64 APM Vol. 2, 5.5.2: a processor looks
 * at the tables again before it faults). */
#include "tests/silicon/translation_inside.h"
#include <stdlib.h>

static unsigned lesser(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static void paging_of(struct paging *paging, const struct description *description)
{
    paging->levels = lesser(description->levels, MAX_TABLES);
    paging->classes = description->pages | PAGES_SMALL;
    paging->slots = (UINT64_C(1) << description->page_bits) - 1;
    for (unsigned i = 0; i < CLASSES + 3; i++)
        paging->shift[i] = lesser(description->page_shift + i * description->page_bits, 63);
    unsigned bits = lesser(description->page_shift + paging->levels * description->page_bits, 59);
    paging->reach = (UINT64_C(1) << bits) - 1;
    for (unsigned i = 0; i < description->tlbs; i++)
        paging->runs |= description->tlb[i].coalesce > 1;
}

static bool looks_in(const struct tlb_description *tlb, enum access_kind kind)
{
    switch (kind) {
    case ACCESS_LOAD:
        return tlb->holds & HOLDS_DATA && tlb->loads;
    case ACCESS_STORE:
        return tlb->holds & HOLDS_DATA && tlb->stores;
    default:
        return tlb->holds & HOLDS_CODE;
    }
}

static void side_of(struct side *side, struct core *core, const struct description *description, enum access_kind kind)
{
    for (unsigned level = 1; level <= TLB_LEVELS; level++) {
        unsigned count = 0;
        for (unsigned i = 0; i < description->tlbs; i++)
            if (description->tlb[i].level == level && looks_in(&description->tlb[i], kind))
                side->level[side->levels].tlb[count++] = &core->tlb[i];
        side->level[side->levels].count = count;
        side->levels += count != 0;
    }
}

static bool core_open(struct translation *translation, unsigned number, uint64_t seed)
{
    const struct description *description = translation->description;
    struct core *core = &translation->core[number];
    bool shadowed = description->walker.psc_shadowed, mourned = false;
    for (unsigned i = 0; i < description->tlbs; i++)
        mourned |= description->tlb[i].victim;
    for (unsigned i = 0; i < description->tlbs; i++) {
        if (!tlb_open(&core->tlb[i], &description->tlb[i], &translation->paging, shadowed, seed + number * 64 + i))
            return false;
        core->tlb[i].mourned = mourned;
    }
    for (unsigned i = 0; i < description->pscs; i++)
        if (!psc_open(&core->psc[i], &description->psc[i], &translation->paging, shadowed,
                      seed + number * 64 + MAX_TLBS + i))
            return false;
    side_of(&core->side[ACCESS_LOAD], core, description, ACCESS_LOAD);
    side_of(&core->side[ACCESS_STORE], core, description, ACCESS_STORE);
    side_of(&core->side[ACCESS_FETCH], core, description, ACCESS_FETCH);
    return true;
}

struct translation *translation_create(const struct description *description, struct caches *caches,
                                       struct ground *ground, uint64_t seed)
{
    struct translation *translation = calloc(1, sizeof *translation);
    if (!translation)
        return NULL;
    translation->description = description;
    translation->caches = caches;
    translation->ground = ground;
    translation->cores = lesser(description->cores, MAX_MODEL_CORES);
    paging_of(&translation->paging, description);
    for (unsigned core = 0; core < translation->cores; core++)
        if (!core_open(translation, core, seed)) {
            translation_destroy(translation);
            return NULL;
        }
    return translation;
}

void translation_destroy(struct translation *translation)
{
    if (!translation)
        return;
    for (unsigned core = 0; core < translation->cores; core++) {
        for (unsigned i = 0; i < translation->description->tlbs; i++)
            tlb_close(&translation->core[core].tlb[i]);
        for (unsigned i = 0; i < translation->description->pscs; i++)
            psc_close(&translation->core[core].psc[i]);
    }
    free(translation);
}

static struct translated answer(const struct translation *translation, const struct page *page, uint64_t va)
{
    uint64_t size = UINT64_C(1) << translation->paging.shift[page->class];
    return (struct translated){.pa = page->base + (va & (size - 1)), .page = size, .type = page->type};
}

/* The hint for a page: where its translation was found the last time. It saves looking through a whole set; whether it
 * still stands is checked, so it changes nothing but the time that the model takes. */
static struct hint *hint_of(struct side *side, const struct paging *paging, uint64_t va, unsigned class, uint64_t *key)
{
    uint64_t number = va >> paging->shift[class];
    *key = (number << 2 | class) + 1;
    return &side->hint[(number ^ number >> 7) % HINTS];
}

/* The hint that rightly says where va is; NULL: look for it. */
static struct hint *hinted(struct side *side, const struct paging *paging, uint64_t va, bool store)
{
    uint64_t key;
    struct hint *hint = hint_of(side, paging, va, side->last, &key);
    if (hint->key != key || (store && !hint->hit.page.writable))
        return NULL;
    struct entry entry = array_entry(hint->tlb->array, hint->hit.place.set, hint->hit.place.way);
    return entry.tag == hint->hit.entry.tag && entry.value == hint->hit.entry.value ? hint : NULL;
}

static void remember(struct side *side, struct tlb *tlb, unsigned class, uint64_t va, const struct hit *hit)
{
    uint64_t key;
    if (tlb->description->victim)
        return;
    struct hint *hint = hint_of(side, tlb->paging, va, class, &key);
    side->last = class;
    *hint = (struct hint){.key = key, .tlb = tlb, .hit = *hit};
}

/* What comes in may be what a search would now find first; a group may be, for each of its pages. */
static void forget_page(struct core *core, const struct paging *paging, uint64_t va)
{
    unsigned pages = paging->runs ? LONGEST_RUN : 1;
    uint64_t key, first = va >> paging->shift[0] & ~(uint64_t)(pages - 1);
    for (unsigned side = 0; side < SIDES; side++) {
        for (unsigned i = 0; i < pages; i++)
            hint_of(&core->side[side], paging, (first + i) << paging->shift[0], 0, &key)->key = 0;
        for (unsigned class = 1; class < CLASSES; class ++)
            hint_of(&core->side[side], paging, va, class, &key)->key = 0;
    }
}

static void forget(struct core *core)
{
    for (unsigned side = 0; side < SIDES; side++)
        for (unsigned i = 0; i < HINTS; i++)
            core->side[side].hint[i].key = 0;
}

/* A victim TLB takes a page: alone, or the run that a TLB of the same kind held as one. */
static void bury_page(struct core *core, struct tlb *into, uint64_t va, unsigned pcid, const struct page *page,
                      bool whole)
{
    const struct paging *paging = into->paging;
    unsigned number = (unsigned)(va >> paging->shift[0]) % LONGEST_RUN;
    for (unsigned i = 0; i < LONGEST_RUN; i++) {
        if (i != number && (whole || page->class != 0 || !(page->run >> i & 1)))
            continue;
        struct page one = *page;
        uint64_t distance = ((uint64_t)i - number) << paging->shift[0];
        struct lost lost;
        if (!whole)
            one.run = (uint8_t)(1U << i);
        if (i != number)
            one.base = (one.base + distance) & ENTRY_FRAME;
        tlb_fill(into, i == number ? va : va + distance, pcid, &one, &lost);
        translation_bury(core, into, &lost);
    }
}

void translation_bury(struct core *core, const struct tlb *loser, const struct lost *lost)
{
    for (unsigned i = 0; lost->count != 0 && i < MAX_TLBS && core->tlb[i].array; i++) {
        struct tlb *into = &core->tlb[i];
        if (!into->description->victim || into->description->level != loser->description->level + 1 ||
            !(into->description->holds & loser->description->holds))
            continue;
        for (unsigned k = 0; k < lost->count; k++)
            if (tlb_holds(into, lost->page[k].class))
                bury_page(core, into, lost->va[k], lost->pcid, &lost->page[k], into->coalesce == loser->coalesce);
    }
}

/* The TLB of a level that takes a page in; NULL: none does. */
static struct tlb *taker(struct core *core, const struct side *side, unsigned level, uint64_t va,
                         const struct page *page)
{
    struct tlb *able[MAX_TLBS];
    unsigned count = 0;
    for (unsigned i = 0; i < side->level[level].count; i++)
        if (tlb_holds(side->level[level].tlb[i], page->class) && !side->level[level].tlb[i]->description->victim)
            able[count++] = side->level[level].tlb[i];
    if (count < 2)
        return count == 0 ? NULL : able[0];
    for (unsigned i = 0; i < count; i++)
        if (tlb_has_room(able[i], va, page))
            return able[i];
    unsigned *turn = &core->turn[able[0] - core->tlb][page->class];
    *turn = (*turn + 1) % count;
    return able[*turn];
}

/* A page goes to the levels before `levels`, the farthest first. */
static void fill(struct core *core, struct side *side, unsigned levels, uint64_t va, const struct page *page)
{
    if (levels != 0)
        forget_page(core, core->tlb[0].paging, va);
    while (levels-- > 0) {
        struct tlb *tlb = taker(core, side, levels, va, page);
        struct lost lost;
        if (!tlb)
            continue;
        tlb_fill(tlb, va, core->pcid, page, &lost);
        translation_bury(core, tlb, &lost);
    }
}

static void fill_for_other(struct core *core, struct side *side, uint64_t va, const struct page *page)
{
    enum { OTHER = 0xfff }; /* PCID: no address is ever that thread's and the probe's */
    for (unsigned level = side->levels; level-- > 0;) {
        struct tlb *tlb = taker(core, side, level, va, page);
        struct lost lost;
        if (!tlb)
            continue;
        tlb_fill(tlb, va, OTHER, page, &lost);
        translation_bury(core, tlb, &lost);
    }
}

void translation_disturb(struct translation *translation, unsigned number, uint64_t va)
{
    struct core *core = &translation->core[number];
    uint64_t frame = va >> translation->paging.shift[0];
    unsigned own = (unsigned)(frame % LONGEST_RUN);
    struct page page = {
        .base = frame << translation->paging.shift[0], .type = MEM_WB, .writable = true, .run = (uint8_t)(1U << own)};
    fill_for_other(core, &core->side[ACCESS_LOAD], va, &page);
    fill_for_other(core, &core->side[ACCESS_FETCH], va, &page);
}

/* Whether a level before `levels` has a TLB for a class of pages. */
static bool wanted(const struct side *side, unsigned levels, unsigned class)
{
    for (unsigned level = 0; level < levels; level++)
        for (unsigned i = 0; i < side->level[level].count; i++)
            if (tlb_holds(side->level[level].tlb[i], class) && !side->level[level].tlb[i]->description->victim)
                return true;
    return false;
}

static bool look(struct core *core, struct side *side, unsigned level, uint64_t va, struct hit *hit, struct tlb **tlb)
{
    for (unsigned class = 0; class < CLASSES; class ++)
        for (unsigned i = 0; i < side->level[level].count; i++) {
            *tlb = side->level[level].tlb[i];
            if (!tlb_find(*tlb, class, va, core->pcid, hit))
                continue;
            if (level == 0)
                remember(side, *tlb, class, va, hit);
            return true;
        }
    return false;
}

static void drop_page(struct translation *translation, struct core *core, uint64_t va)
{
    for (unsigned i = 0; i < translation->description->tlbs; i++)
        tlb_drop(&core->tlb[i], va, core->pcid);
}

/* The first level did not know: the levels behind it, then the tables. */
static struct translated search(struct translation *translation, unsigned number, enum access_kind kind, uint64_t va,
                                uint64_t now)
{
    struct core *core = &translation->core[number];
    struct side *side = &core->side[kind];
    for (unsigned level = 0; level < side->levels; level++) {
        struct hit hit;
        struct tlb *tlb;
        if (!look(core, side, level, va, &hit, &tlb))
            continue;
        if (kind == ACCESS_STORE && !hit.page.writable) {
            drop_page(translation, core, va);
            break;
        }
        struct translated translated = answer(translation, &hit.page, va);
        translated.cycles = tlb->description->latency;
        translated.level = tlb->description->level;
        array_touch(tlb->array, hit.place);
        if (tlb->description->victim && wanted(side, level, hit.page.class))
            tlb_take(tlb, &hit, va);
        fill(core, side, level, va, &hit.page);
        return translated;
    }
    struct walk walk = walker_walk(translation, number, kind, va, now);
    struct translated translated = {.fault = walk.fault};
    if (!walk.fault) {
        fill(core, side, side->levels, va, &walk.page);
        translated = answer(translation, &walk.page, va);
    }
    translated.cycles = translated.walk_cycles = walk.cycles;
    translated.walk_loads = walk.loads;
    translated.pde_missed = walk.pde_missed;
    return translated;
}

struct translated translation_peek(struct translation *translation, unsigned core, uint64_t va)
{
    struct walk walk = walker_peek(translation, core, va & translation->paging.reach);
    struct translated fault = {.fault = true};
    return walk.fault ? fault : answer(translation, &walk.page, va);
}

struct translated translation_of(struct translation *translation, unsigned core, enum access_kind kind, uint64_t va,
                                 uint64_t now)
{
    struct side *side = &translation->core[core].side[kind];
    va &= translation->paging.reach;
    const struct hint *hint = hinted(side, &translation->paging, va, kind == ACCESS_STORE);
    if (hint) {
        uint64_t size = UINT64_C(1) << translation->paging.shift[hint->hit.page.class];
        array_touch(hint->tlb->array, hint->hit.place);
        return (struct translated){.pa = hint->hit.page.base + (va & (size - 1)),
                                   .page = size,
                                   .type = hint->hit.page.type,
                                   .cycles = hint->tlb->description->latency,
                                   .level = hint->tlb->description->level};
    }
    if (side->levels != 0)
        return search(translation, core, kind, va, now);
    struct walk walk = walker_peek(translation, core, va);
    if (walk.fault || (kind == ACCESS_STORE && !walk.page.writable))
        return (struct translated){.fault = true};
    struct translated translated = answer(translation, &walk.page, va);
    translated.level = 1;
    return translated;
}

void translation_flush_page(struct translation *translation, unsigned core, uint64_t va)
{
    struct core *its = &translation->core[core];
    drop_page(translation, its, va & translation->paging.reach);
    for (unsigned i = 0; i < translation->description->pscs; i++)
        psc_drop_pcid(&its->psc[i], its->pcid);
}

void translation_flush(struct translation *translation, unsigned core, bool global)
{
    struct core *its = &translation->core[core];
    for (unsigned i = 0; i < translation->description->tlbs; i++)
        if (global)
            tlb_drop_all(&its->tlb[i]);
        else
            tlb_drop_pcid(&its->tlb[i], its->pcid);
    for (unsigned i = 0; i < translation->description->pscs; i++)
        if (global)
            array_empty(its->psc[i].array);
        else
            psc_drop_pcid(&its->psc[i], its->pcid);
    if (global)
        its->tables = 0;
}

void translation_write_seen(struct translation *translation, unsigned core, uint64_t pa)
{
    struct core *its = &translation->core[core];
    if (!(its->tables >> (pa >> 12) % 64 & 1))
        return;
    for (unsigned i = 0; i < translation->description->pscs; i++)
        psc_shadow(&its->psc[i], pa >> 6);
    for (unsigned i = 0; i < translation->description->tlbs; i++)
        tlb_shadow(&its->tlb[i], pa >> 6);
}

void translation_set_pcid(struct translation *translation, unsigned core, unsigned pcid)
{
    struct core *its = &translation->core[core];
    if (its->pcid != pcid)
        forget(its); /* a hint's tag names the PCID */
    its->pcid = pcid & 0xfff;
}

const struct array *translation_tlb(const struct translation *translation, unsigned core, unsigned index)
{
    return translation->core[core].tlb[index].array;
}

const struct array *translation_psc(const struct translation *translation, unsigned core, unsigned index)
{
    return translation->core[core].psc[index].array;
}

void translation_mark(struct translation *translation)
{
    for (unsigned core = 0; core < translation->cores; core++) {
        for (unsigned i = 0; i < translation->description->tlbs; i++)
            array_mark(translation->core[core].tlb[i].array);
        for (unsigned i = 0; i < translation->description->pscs; i++)
            array_mark(translation->core[core].psc[i].array);
    }
}

static uint64_t mix(uint64_t digest, uint64_t number)
{
    digest = (digest ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 29;
}

uint64_t translation_digest(const struct translation *translation)
{
    uint64_t digest = 0;
    for (unsigned number = 0; number < translation->cores; number++) {
        const struct core *core = &translation->core[number];
        digest = mix(digest, core->pcid);
        for (unsigned i = 0; i < translation->description->tlbs; i++) {
            digest = mix(digest, array_digest(core->tlb[i].array));
            for (unsigned class = 0; class < CLASSES; class ++)
                digest = mix(digest, core->turn[i][class]);
        }
        for (unsigned i = 0; i < translation->description->pscs; i++)
            digest = mix(digest, array_digest(core->psc[i].array));
    }
    return digest;
}
