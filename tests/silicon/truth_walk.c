// SPDX-License-Identifier: BSD-2-Clause
/* truth_walk.c: what walks of the tables cost: walk.4k.l1, ... walk.4k.mem, and walker.cached_in; and what it costs to
 * drop translations, and to have none: cost.invlpg, cost.cr3, cost.flush_tlb, cost.fault. docs/silicon.md has the
 * table.
 *
 * The upper entries of the walk are where a walk just before left them: in page-structure caches that hold their level,
 * else in the level of cache that the walker looks in first. So a walk takes its overhead, one load of the PTE, and as
 * many loads from that level as upper entries are not kept (walker.c; Babka and Tuma 2009, section 2.2, have one load
 * where PDEs are kept). A walk by software loads nothing, and one of a walker that looks in no cache takes the same
 * wherever its entries are: then nothing of this can be measured. */
#include "tests/silicon/truth_inside.h"
#include <string.h>

enum { PDE = 2 };

static struct truth nothing(enum truth_kind kind)
{
    return (struct truth){.kind = kind};
}

bool walk_entry_kept(const struct description *description, unsigned level, enum psc_tag tag)
{
    for (unsigned i = 0; i < description->pscs; i++)
        if (description->psc[i].tag == tag && (description->psc[i].level == 0 || description->psc[i].level == level))
            return true;
    for (unsigned i = 0; tag == PSC_LINEAR && level == PDE && i < description->tlbs; i++)
        if (description->tlb[i].holds_pdes)
            return true;
    return false;
}

/* Upper entries that a walk loads, where a walk of a page beside it has just been made. */
static unsigned upper_loads(const struct description *description)
{
    unsigned loads = 0;

    for (unsigned level = PDE; level <= description->levels && !walk_entry_kept(description, level, PSC_LINEAR);
         level++)
        loads += !walk_entry_kept(description, level, PSC_PHYSICAL);
    return loads;
}

const struct cache_description *walkers_cache(const struct description *description)
{
    const struct walker_description *walker = &description->walker;
    const struct cache_description *first = NULL;

    for (unsigned i = 0; walker->from_level && !walker->fixed && i < description->caches; i++) {
        const struct cache_description *cache = &description->cache[i];
        if (cache->holds & HOLDS_DATA && cache->level >= walker->from_level && (!first || cache->level < first->level))
            first = cache;
    }
    return first;
}

/* The level that counts and is this cache; 0: it does not count. */
static unsigned number_of(const struct truths *truths, const struct cache_description *cache)
{
    for (unsigned i = 0; i < truths->met.levels; i++)
        if (&truths->description.cache[truths->met.level[i].index] == cache)
            return i + 1;
    return 0;
}

/* Of several slices it is chance how far away those of the entries are; and whether memory's rows are open. */
static struct truth of_walk(const struct truths *truths, const struct cache_description *first, unsigned number)
{
    const struct description *description = &truths->description;
    double before = description->walker.overhead + (double)upper_loads(description) * first->latency;
    double low, high;

    if (number == 0) {
        low = description->memory.latency;
        high = low + description->memory.row_miss + description->memory.refresh_length;
    } else {
        const struct cache_description *cache = &description->cache[truths->met.level[number - 1].index];
        if (cache->level < first->level)
            return nothing(TRUTH_ABSENT);
        low = cache->latency;
        high = low + (double)cache->slice_step * cache->slices.count;
    }
    if (upper_loads(description))
        high += (double)first->slice_step * first->slices.count * upper_loads(description);
    return (struct truth){.kind = TRUTH_RANGE,
                          .low = before + low - latency_tolerance(before + low),
                          .high = before + high + latency_tolerance(before + high)};
}

/* What a walk takes that makes so many loads, all of its entries being in the first cache that the walker looks in.
 * *far: more, where it is in another slice, or where there is no cache and another row of memory is open. */
static double walk_of(const struct description *description, unsigned loads, double *far)
{
    const struct walker_description *walker = &description->walker;
    const struct cache_description *first = walkers_cache(description);

    *far = 0;
    if (description->tlbs == 0) /* translation costs nothing */
        return 0;
    if (walker->fixed)
        return walker->fixed;
    *far = loads * (first ? (double)first->slice_step * first->slices.count
                          : (double)description->memory.row_miss + description->memory.refresh_length);
    return walker->overhead + (double)loads * (first ? first->latency : description->memory.latency);
}

/* A load of a page that is not there walks the tables, of which no TLB keeps that there is nothing (SDM Vol.
 * 3, 4.10.2.3: translations are cached only of entries that are present), and faults. Its walk takes as many loads as
 * one that finds a page. What is asked is how much more that is than a load that hits. */
static struct truth of_fault(const struct truths *truths)
{
    const struct description *description = &truths->description;
    double far, walk = walk_of(description, upper_loads(description) + 1, &far);
    double low = description->fault + walk - truths->met.first.latency;

    return (struct truth){
        .kind = TRUTH_RANGE, .low = low - latency_tolerance(low), .high = low + far + latency_tolerance(low + far)};
}

/* Once all translations were dropped, whoever looks at the clock then needs those of its code and of its data again
 * (SDM Vol. 3, 4.10.4.1: MOV to CR3 and to CR4 invalidate them, and the entries of page-structure caches, too): two
 * walks at most, each from the top of the tables, if it does not take them off. */
static struct truth of_dropping_all(const struct description *description, double cycles)
{
    enum { WALKS = 2 };
    double far, walk = walk_of(description, description->levels, &far);
    double high = cycles + WALKS * (walk + far);

    return (struct truth){
        .kind = TRUTH_RANGE, .low = cycles - latency_tolerance(cycles), .high = high + latency_tolerance(high)};
}

static struct truth of_cost(const struct truths *truths, const char *what)
{
    const struct description *description = &truths->description;

    if (strcmp(what, "fault") == 0)
        return of_fault(truths);
    if (strcmp(what, "cr3") == 0)
        return of_dropping_all(description, description->set_root);
    if (strcmp(what, "flush_tlb") == 0)
        return of_dropping_all(description, description->flush_tlb);
    if (strcmp(what, "invlpg") == 0)
        return (struct truth){
            .kind = TRUTH_WITHIN, .value = description->invlpg, .tolerance = latency_tolerance(description->invlpg)};
    return nothing(TRUTH_NONE);
}

struct truth truth_of_walk(const struct truths *truths, const char *id)
{
    static const char *const places[] = {"mem", "l1", "l2", "l3"};
    const struct description *description = &truths->description;
    const struct cache_description *first = walkers_cache(description);
    unsigned level = first ? number_of(truths, first) : 0;
    bool walks = description->tlbs && description->page_shift == 12 && first;

    if (strncmp(id, "cost.", 5) == 0)
        return of_cost(truths, id + 5);
    if (strcmp(id, "walker.cached_in") == 0) {
        struct truth truth = {.kind = TRUTH_EQUAL, .value = level, .optional = level == 0};
        return walks ? truth : nothing(TRUTH_ABSENT);
    }
    if (strncmp(id, "walk.4k.", 8) != 0)
        return nothing(TRUTH_NONE);
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(id + 8, places[i]) == 0)
            return walks && i <= truths->met.levels ? of_walk(truths, first, i) : nothing(TRUTH_ABSENT);
    return nothing(TRUTH_NONE);
}
