// SPDX-License-Identifier: BSD-2-Clause
/* walker.c: the page walker: reads the real tables, entry by entry, through the caches.
 *
 * A walk takes walker.overhead and the sum of its loads, each as long as the caches say (Babka and Tuma, "Investigating
 * Cache Parameters of x86 Family Processors", 2009: on a Xeon E5345 a miss of the last TLB adds the time of one table
 * load that hits the first level, and a miss of that level by the load "simply adds up"; on an Opteron 2356 each
 * further level of tables adds the same again). What the last TLB took to find out that it does not know is part of the
 * overhead: its latency is not added.
 *
 * Rules: the walk begins below the deepest linear page-structure entry that hits (SDM Vol. 3, 4.10.3.2); only that one
 * hears of it. From there on physically tagged entries save one load each. A table page has the memory type that PWT
 * and PCD of the entry above select (SDM Vol. 3, 4.9.2; of CR3, when there is no PCID), an uncacheable one is read past
 * all caches unless walker.ignores_uc. Entries of upper tables are cached when the walk succeeded, and never those that
 * map a page (SDM Vol. 3, 4.10.3.1). Accessed and dirty bits are neither read nor written: whoever builds the tables
 * sets them beforehand. A walk by software (walker.fixed: a TLB refill trap) costs what it costs and loads nothing.
 *
 * walker.count matters only for walks that overlap. Nothing here overlaps: a caller that lets accesses of one core run
 * together knows that `count` walks at a time means at least sum(walk_cycles) / count cycles for all of them. */
#include "tests/silicon/translation_inside.h"

/* Where a walk is: the table that it reads next. */
struct descent {
    unsigned level;
    uint64_t upper; /* what leads to the table: frame, PWT, PCD; writable when all entries so far are */
};

/* An entry that the walk went through, for the page-structure caches. */
struct step {
    unsigned level;
    uint64_t source, upper, own; /* address; as the linear caches keep it; as the physical ones do */
};

static uint64_t entry_address(const struct paging *paging, const struct descent *at, uint64_t va)
{
    return (at->upper & ENTRY_FRAME) + (va >> paging->shift[at->level - 1] & paging->slots) * 8;
}

static struct descent top_of(const struct translation *translation, unsigned core)
{
    uint64_t root = ground_root(translation->ground, core);
    uint64_t kept = translation->core[core].pcid == 0 ? ENTRY_FRAME | ENTRY_PWT | ENTRY_PCD : ENTRY_FRAME;
    return (struct descent){.level = translation->paging.levels, .upper = (root & kept) | ENTRY_WRITABLE};
}

/* Pages around va whose entries say the same but for the distance; A and D bits do not count. */
static uint8_t run_of(const struct translation *translation, unsigned core, uint64_t source, uint64_t entry,
                      enum memtype type)
{
    const uint64_t moving = ENTRY_FRAME | 0x60;
    unsigned here = (unsigned)(source / 8 % LONGEST_RUN);
    uint8_t run = (uint8_t)(1U << here);
    for (unsigned i = 0; i < LONGEST_RUN; i++) {
        uint64_t other = ground_read(translation->ground, source + 8 * i - 8 * here);
        uint64_t distance = ((uint64_t)i - here) << translation->paging.shift[0];
        if (((other ^ entry) & ~moving) == 0 && (other & ENTRY_FRAME) == ((entry + distance) & ENTRY_FRAME) &&
            ground_type(translation->ground, core, other & ENTRY_FRAME,
                        (unsigned)((other >> 3 & 3) | (other >> 7 & 1) << 2)) == type)
            run |= (uint8_t)(1U << i);
    }
    return run;
}

/* The page that the entry at `source` maps. False: a size that this machine does not have. */
static bool leaf_of(const struct translation *translation, unsigned core, const struct descent *at, uint64_t source,
                    uint64_t entry, struct page *page)
{
    const struct paging *paging = &translation->paging;
    unsigned class = at->level - 1;
    if (class >= CLASSES || !(paging->classes >> class & 1))
        return false;
    unsigned pat = (unsigned)((entry >> 3 & 3) | (entry >> (class == 0 ? 7 : 12) & 1) << 2);
    *page = (struct page){.base = entry & ENTRY_FRAME & ~((UINT64_C(1) << paging->shift[class]) - 1),
                          .class = class,
                          .writable = at->upper & entry & ENTRY_WRITABLE,
                          .global = entry & ENTRY_GLOBAL};
    page->type = ground_type(translation->ground, core, page->base, pat);
    if (class == 0)
        page->run = paging->runs ? run_of(translation, core, source, entry, page->type)
                                 : (uint8_t)(1U << source / 8 % LONGEST_RUN);
    return true;
}

/* One entry further down. False: `walk` is at its end, at a page or at a fault. */
static bool descend(const struct translation *translation, unsigned core, struct descent *at, uint64_t source,
                    uint64_t entry, struct walk *walk)
{
    if (!(entry & ENTRY_PRESENT)) {
        walk->fault = true;
        return false;
    }
    if (at->level == 1 || entry & ENTRY_LARGE) {
        walk->fault = !leaf_of(translation, core, at, source, entry, &walk->page);
        return false;
    }
    uint64_t writable = at->upper & entry & ENTRY_WRITABLE;
    at->upper = (entry & (ENTRY_FRAME | ENTRY_PWT | ENTRY_PCD)) | writable;
    at->level--;
    return true;
}

/* The entry of va at a level from a linear cache or, level 2, from a TLB that holds PDEs. */
static bool remembered(struct translation *translation, struct core *core, unsigned level, uint64_t va, uint64_t *upper)
{
    const struct description *description = translation->description;
    struct place place;
    for (unsigned i = 0; i < description->pscs; i++)
        if (psc_serves(&core->psc[i], PSC_LINEAR, level) &&
            psc_find(&core->psc[i], level, va, core->pcid, 0, upper, &place)) {
            array_touch(core->psc[i].array, place);
            return true;
        }
    for (unsigned i = 0; level == 2 && i < description->tlbs; i++)
        if (tlb_find_pde(&core->tlb[i], va, core->pcid, upper, &place)) {
            array_touch(core->tlb[i].array, place);
            return true;
        }
    return false;
}

/* Moves the walk below the deepest such entry. Returns that entry's level; 0: none. */
static unsigned skip(struct translation *translation, struct core *core, uint64_t va, struct descent *at)
{
    for (unsigned level = 2; level <= translation->paging.levels; level++)
        if (remembered(translation, core, level, va, &at->upper)) {
            at->level = level - 1;
            return level;
        }
    return 0;
}

/* The entry at `source` from a physically tagged cache. */
static bool spared(struct translation *translation, struct core *core, unsigned level, uint64_t source, uint64_t *entry)
{
    struct place place;
    for (unsigned i = 0; level > 1 && i < translation->description->pscs; i++)
        if (psc_serves(&core->psc[i], PSC_PHYSICAL, level) &&
            psc_find(&core->psc[i], level, 0, 0, source, entry, &place)) {
            array_touch(core->psc[i].array, place);
            return true;
        }
    return false;
}

/* The entry at `source` from memory. */
static uint64_t load(struct translation *translation, unsigned core, const struct descent *at, uint64_t source,
                     uint64_t now, struct walk *walk)
{
    enum memtype type = MEM_WB;
    if (!translation->description->walker.ignores_uc)
        type = ground_type(translation->ground, core, source, (unsigned)(at->upper >> 3 & 3));
    walk->cycles +=
        caches_access(translation->caches, core, ACCESS_WALK, source, source, 8, type, now + walk->cycles).cycles;
    walk->loads++;
    return ground_read(translation->ground, source);
}

/* The upper entries that a walk read go to the caches that have not got them. */
static void keep(struct translation *translation, struct core *core, uint64_t va, const struct step *step)
{
    const struct description *description = translation->description;
    struct lost lost;
    for (unsigned i = 0; i < description->pscs; i++) {
        if (psc_serves(&core->psc[i], PSC_LINEAR, step->level))
            psc_fill(&core->psc[i], step->level, va, core->pcid, step->source, step->upper);
        if (psc_serves(&core->psc[i], PSC_PHYSICAL, step->level) && step->own != 0)
            psc_fill(&core->psc[i], step->level, 0, 0, step->source, step->own);
    }
    for (unsigned i = 0; step->level == 2 && i < description->tlbs; i++)
        if (description->tlb[i].holds_pdes) {
            tlb_fill_pde(&core->tlb[i], va, core->pcid, step->upper, step->source, &lost);
            translation_bury(core, &core->tlb[i], &lost);
        }
    if (description->walker.psc_shadowed)
        core->tables |= UINT64_C(1) << (step->source >> 12) % 64;
}

static struct walk walk_by_hardware(struct translation *translation, unsigned number, enum access_kind kind,
                                    uint64_t va, uint64_t now)
{
    struct core *core = &translation->core[number];
    struct walk walk = {.cycles = translation->description->walker.overhead};
    struct descent at = top_of(translation, number);
    struct step step[MAX_TABLES];
    unsigned steps = 0;
    unsigned skipped = skip(translation, core, va, &at);
    walk.pde_missed = skipped != 2;
    for (bool more = true; more;) {
        unsigned level = at.level;
        uint64_t source = entry_address(&translation->paging, &at, va);
        uint64_t entry;
        bool known = spared(translation, core, level, source, &entry);
        if (known && level == 2)
            walk.pde_missed = false;
        if (!known)
            entry = load(translation, number, &at, source, now, &walk);
        more = descend(translation, number, &at, source, entry, &walk);
        if (more)
            step[steps++] = (struct step){
                .level = level,
                .source = source,
                .upper = at.upper,
                .own = known ? 0 : entry & (ENTRY_FRAME | ENTRY_PWT | ENTRY_PCD | ENTRY_WRITABLE | ENTRY_PRESENT)};
    }
    if (kind == ACCESS_STORE && !walk.fault)
        walk.fault = !walk.page.writable;
    for (unsigned i = 0; i < steps && !walk.fault; i++)
        keep(translation, core, va, &step[i]);
    return walk;
}

struct walk walker_peek(struct translation *translation, unsigned core, uint64_t va)
{
    struct walk walk = {0};
    struct descent at = top_of(translation, core);
    for (bool more = true; more;) {
        uint64_t source = entry_address(&translation->paging, &at, va);
        more = descend(translation, core, &at, source, ground_read(translation->ground, source), &walk);
    }
    return walk;
}

struct walk walker_walk(struct translation *translation, unsigned core, enum access_kind kind, uint64_t va,
                        uint64_t now)
{
    if (translation->description->walker.fixed == 0)
        return walk_by_hardware(translation, core, kind, va, now);
    struct walk walk = walker_peek(translation, core, va);
    walk.cycles = translation->description->walker.fixed;
    if (kind == ACCESS_STORE && !walk.fault)
        walk.fault = !walk.page.writable;
    return walk;
}
