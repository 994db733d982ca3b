// SPDX-License-Identifier: BSD-2-Clause
/* hierarchy.h: builds small hierarchies of caches for the unit tests of the model, and makes accesses to them. Private
 * to the tests/unit/test_silicon_*.c that test caches. */
#pragma once
#include "tests/silicon/caches.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 64, MEMORY = 200 };

/* Memory of MEMORY cycles, one core, no cache. */
static inline void start(struct description *description)
{
    description_plain(description, 1024, 1, LINE, 1, MEMORY);
    description->caches = 0;
    memset(description->cache, 0, sizeof description->cache);
    description->memory.transfer = 150;
}

/* One more cache: LRU, sets by physical address, filled on the way; private to a core. */
static inline struct cache_description *add(struct description *description, unsigned level, unsigned sets,
                                            unsigned ways, unsigned latency)
{
    struct cache_description *cache = &description->cache[description->caches++];

    cache->name[0] = 'l';
    cache->name[1] = (char)('0' + level);
    cache->level = level;
    cache->holds = HOLDS_BOTH;
    cache->line = cache->sector = LINE;
    cache->size = (uint64_t)sets * ways * LINE;
    cache->latency = latency;
    cache->shared_by = 1;
    cache->shape.ways = ways;
    cache->shape.index.sets = sets;
    cache->shape.policy.kind = POLICY_LRU;
    cache->slices.count = 1;
    cache->keeps_permille = 1000;
    return cache;
}

static inline struct caches *build(const struct description *description)
{
    struct caches *caches = caches_create(description, 1);

    assert_non_null(caches);
    return caches;
}

/* Cycles of an 8-byte access at an address that is virtual and physical. */
static inline unsigned cost(struct caches *caches, unsigned core, enum access_kind kind, uint64_t address)
{
    return caches_access(caches, core, kind, address, address, 8, MEM_WB, 1000).cycles;
}

static inline unsigned load(struct caches *caches, uint64_t address)
{
    return cost(caches, 0, ACCESS_LOAD, address);
}

static inline unsigned store(struct caches *caches, uint64_t address)
{
    return cost(caches, 0, ACCESS_STORE, address);
}

static inline unsigned level(const struct caches *caches, uint64_t address)
{
    return caches_level(caches, 0, address, address);
}

/* Whether cache `index` has the line's tag, wherever it is. */
static inline bool holds(const struct caches *caches, unsigned core, unsigned index, uint64_t address)
{
    const struct array *array = caches_array(caches, core, index);

    for (uint64_t set = 0; set < array_sets(array); set++)
        for (unsigned way = 0; way < array_ways(array); way++)
            if (array_entry(array, set, way).tag == address / LINE + 1)
                return true;
    return false;
}
