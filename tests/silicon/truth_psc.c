// SPDX-License-Identifier: BSD-2-Clause
/* truth_psc.c: what page-structure caches are like: psc.pde.entries, psc.pde.miss, ..., psc.unified, psc.physical and
 * psc.invlpg. docs/silicon.md has the table.
 *
 * Entries are tags of the structures that keep entries of a table level; of PDEs in a TLB, too, which pages compete
 * for, so that whoever cannot count them may say so. What a miss takes is loads: a walk that finds the entries of all
 * higher levels kept, as far as they can be, loads so many more entries when it misses this one. Linear entries spare
 * all loads above them, physical ones each its own (walker.c; Intel SDM volume 3, 4.10.3; Barr, Cox, Rixner 2010). */
#include "tests/silicon/truth_inside.h"
#include <string.h>

enum { PTE = 1, PDE, PDPTE, PML4E, PML5E };

static struct truth nothing(void)
{
    return (struct truth){.kind = TRUTH_ABSENT};
}

static struct truth flag(bool set)
{
    return (struct truth){.kind = TRUTH_EQUAL, .value = set};
}

static bool serves(const struct psc_description *psc, unsigned level)
{
    return psc->level == 0 || psc->level == level;
}

static bool kept_by_any(const struct description *description, unsigned level)
{
    return walk_entry_kept(description, level, PSC_LINEAR) || walk_entry_kept(description, level, PSC_PHYSICAL);
}

/* Tags of an array, as it is built. */
static uint64_t tags_of(const struct array_shape *shape)
{
    enum { SEED = 1 };
    struct array *array = array_create(shape, SEED);
    uint64_t tags = array ? array_sets(array) * array_ways(array) : 0;

    if (array)
        array_destroy(array);
    return tags;
}

static struct truth entries(const struct description *description, unsigned level)
{
    struct truth truth = {.kind = TRUTH_EQUAL};

    for (unsigned i = 0; i < description->pscs; i++)
        if (serves(&description->psc[i], level))
            truth.value += (double)tags_of(&description->psc[i].shape);
    for (unsigned i = 0; level == PDE && i < description->tlbs; i++)
        if (description->tlb[i].holds_pdes) {
            truth.value += (double)tags_of(&description->tlb[i].shape);
            truth.optional = true;
        }
    return truth;
}

/* Entries that a walk loads which finds kept what can be kept of a level and of all above, and nothing below. */
static unsigned loads_from(const struct description *description, unsigned level)
{
    unsigned loads = level - 1;

    for (; level <= description->levels && !walk_entry_kept(description, level, PSC_LINEAR); level++)
        loads += !walk_entry_kept(description, level, PSC_PHYSICAL);
    return loads;
}

static struct truth miss(const struct description *description, unsigned level)
{
    const struct cache_description *first = walkers_cache(description);
    unsigned loads = loads_from(description, level + 1) - loads_from(description, level);
    double low = loads * (double)(first ? first->latency : description->memory.latency), high = low;

    if (first)
        high += loads * (double)first->slice_step * first->slices.count;
    else
        high += loads * (double)(description->memory.row_miss + description->memory.refresh_length);
    return (struct truth){
        .kind = TRUTH_RANGE, .low = low - latency_tolerance(low), .high = high + latency_tolerance(high)};
}

/* Whether one structure keeps entries of several levels. */
static struct truth unified(const struct description *description)
{
    unsigned levels = 0;

    for (unsigned i = 0; i < description->pscs; i++)
        if (description->psc[i].level == 0)
            return flag(true);
    for (unsigned level = PDE; level <= description->levels; level++)
        levels += kept_by_any(description, level);
    return levels > 1 ? flag(false) : nothing();
}

/* How entries are tagged: those of PDPTEs, or, where none are kept, of the first other level. A TLB that holds PDEs is
 * none of these. Nobody can hang one entry of the highest table under two others. */
static struct truth physical(const struct description *description)
{
    static const unsigned order[] = {PDPTE, PDE, PML4E, PML5E};

    for (unsigned k = 0; k < sizeof order / sizeof *order; k++)
        for (unsigned i = 0; i < description->pscs && order[k] <= description->levels; i++)
            if (serves(&description->psc[i], order[k])) {
                struct truth truth = flag(description->psc[i].tag == PSC_PHYSICAL);
                truth.optional = order[k] == description->levels;
                return truth;
            }
    return nothing();
}

static bool anything_kept(const struct description *description)
{
    for (unsigned level = PDE; level <= description->levels; level++)
        if (kept_by_any(description, level))
            return true;
    return false;
}

struct truth truth_of_psc(const struct truths *truths, const char *id)
{
    static const char *const names[] = {[PDE] = "pde.", [PDPTE] = "pdpte.", [PML4E] = "pml4e.", [PML5E] = "pml5e."};
    const struct description *description = &truths->description;
    bool walks = description->tlbs && description->page_shift == 12 && !description->walker.fixed;

    if (strncmp(id, "psc.", 4) != 0)
        return (struct truth){.kind = TRUTH_NONE};
    for (unsigned level = PDE; level <= PML5E; level++) {
        const char *what = id + 4 + strlen(names[level]);
        bool there = walks && level <= description->levels;
        if (strncmp(id + 4, names[level], strlen(names[level])) != 0)
            continue;
        if (strcmp(what, "entries") == 0)
            return there ? entries(description, level) : nothing();
        if (strcmp(what, "miss") == 0)
            return there && kept_by_any(description, level) ? miss(description, level) : nothing();
    }
    if (strcmp(id, "psc.unified") == 0)
        return walks ? unified(description) : nothing();
    if (strcmp(id, "psc.physical") == 0)
        return walks ? physical(description) : nothing();
    if (strcmp(id, "psc.invlpg") == 0) /* drops all of them: translation.c */
        return walks && anything_kept(description) ? flag(true) : nothing();
    return (struct truth){.kind = TRUTH_NONE};
}
