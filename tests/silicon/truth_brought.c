// SPDX-License-Identifier: BSD-2-Clause
/* truth_brought.c: what a load that memory serves brings along: mem.unit and mem.next. docs/silicon.md has the table.
 *
 * A miss fills a sector, or a line, of each cache on its way but the exclusive ones, which take in victims only
 * (caches_fill.c). A prefetcher of pairs completes an aligned pair of its cache's lines, one of next lines brings those
 * behind (prefetch.c). All of these see what memory serves, whatever they watch. A stream prefetcher that begins with
 * the first access brings lines, too, in a direction that nobody knows before: then nothing of this can be told. */
#include "tests/silicon/truth_inside.h"
#include <string.h>

static struct truth equal(double value)
{
    return (struct truth){.kind = TRUTH_EQUAL, .value = value};
}

/* What a miss brings into a cache at once. */
static unsigned filled(const struct cache_description *cache)
{
    return cache->sector && cache->sector < cache->line ? cache->sector : cache->line;
}

/* What a prefetcher brings into a level, as prefetch.c takes it. */
static unsigned line_of(const struct description *description, unsigned level)
{
    for (unsigned i = 0; i < description->caches; i++)
        if (description->cache[i].level == level && description->cache[i].holds & HOLDS_DATA)
            return filled(&description->cache[i]);
    return 64;
}

static double unit_of(const struct description *description)
{
    unsigned unit = 0;

    for (unsigned i = 0; i < description->caches; i++) {
        const struct cache_description *cache = &description->cache[i];
        if (cache->holds & HOLDS_DATA && cache->inclusion != INCLUSION_EXCLUSIVE && filled(cache) > unit)
            unit = filled(cache);
    }
    for (unsigned i = 0; i < description->prefetchers; i++) {
        const struct prefetcher_description *prefetcher = &description->prefetcher[i];
        if (prefetcher->kind == PREFETCH_ADJACENT && 2 * line_of(description, prefetcher->into) > unit)
            unit = 2 * line_of(description, prefetcher->into);
    }
    return unit;
}

struct truth truth_of_brought(const struct truths *truths, const char *id)
{
    const struct description *description = &truths->description;
    bool unit = strcmp(id, "mem.unit") == 0, next = false, at_once = false;

    if (strcmp(id, "interference.sizes") == 0)
        return (struct truth){.kind = truths->met.levels > 1 ? TRUTH_RANGE : TRUTH_ABSENT, .low = 1, .high = 1e18};
    if (!unit && strcmp(id, "mem.next") != 0)
        return (struct truth){.kind = TRUTH_NONE};
    if (truths->met.levels == 0)
        return (struct truth){.kind = TRUTH_ABSENT};
    for (unsigned i = 0; i < description->prefetchers; i++) {
        const struct prefetcher_description *prefetcher = &description->prefetcher[i];
        next = next || prefetcher->kind == PREFETCH_NEXT_LINE;
        at_once = at_once || (prefetcher->kind == PREFETCH_STREAM && prefetcher->train < 2);
    }
    struct truth truth = equal(unit ? unit_of(description) : next);
    truth.optional = at_once;
    return truth;
}
