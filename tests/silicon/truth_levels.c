// SPDX-License-Identifier: BSD-2-Clause
/* truth_levels.c: the plateaus of the reference walk's curve, from the structures that end them: a cache holds what its
 * capacity is, an exclusive one that and all before it; a TLB reaches as far as its entries' pages, a page-structure
 * cache as far as what its entries cover. Between two capacities that follow each other lies a plateau, and the
 * reference walk at the geometric middle says how high it is. */
#include "tests/silicon/truth_levels.h"

enum {
    SPARSE = 16 << 20,    /* bytes: from here on two footprints an octave are asked of a sweep, before it four */
    USUAL_FAR = 64 << 20, /* bytes: a sweep goes so far, */
    USUAL_TIMES = 8,      /* and so many times as far as the last step */
    ENOUGH = 4,           /* footprints that make a plateau for certain */
    SMALLEST = 1024,      /* bytes: no footprint is smaller */
    LONE = 1 << 20        /* bytes: where nothing ends anything, one footprint is as good as another */
};

double latency_tolerance(double cycles)
{
    return cycles > 25 ? cycles / 50 : 0.5;
}

/* Adds a capacity in ascending order, once. */
static unsigned add_step(struct step *step, unsigned steps, uint64_t capacity, bool translation)
{
    unsigned at = steps;

    for (unsigned i = 0; i < steps; i++)
        if (step[i].capacity == capacity)
            return steps;
    while (at > 0 && step[at - 1].capacity > capacity) {
        step[at] = step[at - 1];
        at--;
    }
    step[at] = (struct step){capacity, translation};
    return steps + 1;
}

static unsigned add_caches(const struct description *description, struct step *step, unsigned steps)
{
    uint64_t before = 0;

    for (unsigned level = 1; level <= MAX_CACHES; level++) {
        for (unsigned i = 0; i < description->caches; i++) {
            const struct cache_description *cache = &description->cache[i];
            uint64_t capacity = cache->size + (cache->inclusion == INCLUSION_EXCLUSIVE ? before : 0);
            if (cache->level != level || !(cache->holds & HOLDS_DATA) || capacity <= before)
                continue;
            steps = add_step(step, steps, capacity, false);
            before = capacity;
        }
    }
    return steps;
}

static unsigned class_of(const struct description *description, uint64_t page)
{
    for (unsigned class = 0; class < 3; class ++)
        if (page == (uint64_t)1 << (description->page_shift + class * description->page_bits))
            return class;
    return 0;
}

/* Bytes that one TLB's entries translate of a contiguous mapping in pages of a class; 0: it has nothing to do with
 * them. */
static uint64_t tlb_reach(const struct description *description, const struct tlb_description *tlb, unsigned class)
{
    unsigned piece = class;

    if (!(tlb->holds & HOLDS_DATA) || !tlb->loads || !(tlb->pages & 1U << class))
        return 0;
    if (tlb->splits)
        while (piece > 0 && tlb->pages & ((1U << piece) - 1))
            piece--;
    return tlb->shape.index.sets * tlb->shape.ways * (tlb->sector > 1 ? tlb->sector : 1) *
               (tlb->coalesce > 1 ? tlb->coalesce : 1)
           << (description->page_shift + piece * description->page_bits);
}

static unsigned add_translation(const struct description *description, unsigned class, struct step *step,
                                unsigned steps)
{
    uint64_t before = 0;

    for (unsigned level = 1; level <= MAX_TLBS; level++) {
        uint64_t reach = 0;
        bool victim = false;
        for (unsigned i = 0; i < description->tlbs; i++) {
            if (description->tlb[i].level != level)
                continue;
            reach += tlb_reach(description, &description->tlb[i], class);
            victim = victim || description->tlb[i].victim;
        }
        if (victim)
            reach += before;
        if (reach <= before)
            continue;
        steps = add_step(step, steps, reach, true);
        before = reach;
    }
    for (unsigned i = 0; i < description->pscs; i++) {
        const struct psc_description *psc = &description->psc[i];
        unsigned level = psc->level ? psc->level : class + 2; /* unified: the entries just above the leaf matter most */
        unsigned shift = description->page_shift + (level - 1) * description->page_bits;
        uint64_t entries = psc->shape.index.sets * psc->shape.ways;
        if (level > class + 1 && shift < 48)
            steps = add_step(step, steps, entries << shift, true);
    }
    return steps;
}

unsigned levels_steps(const struct description *description, struct step step[MAX_STEPS])
{
    uint64_t bytes, page = walk_page(description, &bytes);
    unsigned steps = add_caches(description, step, 0);

    return page ? add_translation(description, class_of(description, page), step, steps) : steps;
}

/* The geometric middle, by Newton's method. */
static uint64_t middle(uint64_t low, uint64_t high)
{
    double product = (double)low * (double)high, root = (double)high;

    for (unsigned i = 0; i < 64; i++)
        root = (root + product / root) / 2;
    return (uint64_t)root / 64 * 64;
}

/* Footprints of a sweep that lie between two: at least so many, whatever grid of that density it has. */
static unsigned footprints(uint64_t begins, uint64_t ends)
{
    unsigned count = 0;
    double at = (double)(begins < SMALLEST ? SMALLEST : begins);

    for (;;) {
        at *= at < SPARSE ? 1.189207115002721 : 1.4142135623730951;
        if (at > (double)ends)
            return count;
        count++;
    }
}

/* Whether a sweep is bound to come to the plateau behind step `number`. */
static bool is_near(const struct step *step, unsigned number)
{
    if (number == 0)
        return step[0].capacity <= SPARSE;
    return step[number].capacity <= USUAL_FAR || step[number].capacity <= USUAL_TIMES * step[number - 1].capacity;
}

static void widen(struct truths *truths, struct level *level, uint64_t footprint)
{
    double cycles = walk_cycles(truths, footprint);

    if (level->lowest == 0 || cycles < level->lowest)
        level->lowest = cycles;
    if (cycles > level->highest)
        level->highest = cycles;
}

/* Height of a plateau, at its middle; and how far it is from flat. */
static void walk_level(struct truths *truths, struct level *level, uint64_t low, uint64_t high)
{
    level->middle = low ? middle(low, high) : high / 2;
    level->cycles = walk_cycles(truths, level->middle);
    widen(truths, level, level->middle);
    widen(truths, level, middle(low ? low : high / 4, level->middle));
    widen(truths, level, middle(level->middle, high));
    if (level->ends == 0 && level->highest - level->lowest > latency_tolerance(level->cycles))
        widen(truths, level, truths->reach); /* it rises, and whoever sees that looks as far as there is memory */
}

/* A plateau between two steps, if it is wide enough to be one. */
static void add_level(struct truths *truths, uint64_t begins, uint64_t ends, bool near, bool sharp)
{
    uint64_t high = ends ? ends : USUAL_TIMES * begins < USUAL_FAR ? USUAL_FAR : USUAL_TIMES * begins;
    struct level level = {.begins = begins, .ends = ends, .blends = !sharp};
    unsigned seen;

    if (high > truths->reach)
        high = truths->reach;
    seen = footprints(begins, high);
    if (begins >= high || seen == 0)
        return;
    level.certain = near && sharp && seen >= ENOUGH;
    walk_level(truths, &level, begins, high);
    truths->level[truths->levels++] = level;
}

/* Plateaus of one height are one; of nearly one height, may be one. */
static void merge_levels(struct truths *truths)
{
    unsigned kept = 0;

    for (unsigned i = 1; i < truths->levels; i++) {
        struct level *before = &truths->level[kept], level = truths->level[i];
        double apart = level.highest - before->lowest, tolerance = latency_tolerance(before->cycles);
        if (apart <= tolerance) {
            before->ends = level.ends;
            before->certain = before->certain || level.certain;
            continue;
        }
        if (level.cycles - before->cycles <= 2 * tolerance)
            level.certain = false, level.blends = true;
        truths->level[++kept] = level;
    }
    if (truths->levels)
        truths->levels = kept + 1;
}

void levels_find(struct truths *truths)
{
    struct step step[MAX_STEPS];
    uint64_t begins = 0;
    unsigned steps;
    bool near = true, sharp = true;

    if (truths->levelled)
        return;
    truths->levelled = true;
    steps = levels_steps(&truths->quiet, step);
    for (unsigned i = 0; i < steps && step[i].capacity < truths->reach; i++) {
        add_level(truths, begins, step[i].capacity, near, sharp);
        near = near && is_near(step, i);
        sharp = !step[i].translation;
        begins = step[i].capacity;
    }
    if (begins) {
        add_level(truths, begins, 0, near, sharp);
    } else {
        struct level lone = {.certain = true};
        walk_level(truths, &lone, 0, LONE < truths->reach ? LONE : truths->reach);
        truths->level[truths->levels++] = lone;
    }
    merge_levels(truths);
}
