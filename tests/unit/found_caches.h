// SPDX-License-Identifier: BSD-2-Clause
/* found_caches.h: modelled hierarchies, level by level, and that the probe of the caches behind the first one finds
 * what they are. Include it last. */
#pragma once
#include "probes/probes.h"
#include "tests/silicon/process/process.h"
#include "tests/unit/notebook_bench.h"
#include <stdio.h>
#include <string.h>

enum { MEMORY = 220 };

static const unsigned latencies[] = {4, 14, 40, 80};

/* A first level of so many sets and ways; 64 MB of memory. */
static inline struct description first(unsigned sets, unsigned ways, const char *policy)
{
    struct description description;
    description_plain(&description, (uint64_t)sets * ways * 64, ways, 64, latencies[0], MEMORY);
    description.memory.span = 64 << 20;
    assert_true(policy_parse(&description.cache[0].shape.policy, policy));
    return description;
}

/* One more level. */
static inline struct cache_description *add(struct description *description, unsigned sets, unsigned ways,
                                            const char *policy)
{
    unsigned level = description->caches + 1;
    struct cache_description *cache = &description->cache[description->caches++];
    *cache = (struct cache_description){.level = level, .holds = HOLDS_BOTH, .line = 64, .sector = 64};
    snprintf(cache->name, sizeof cache->name, "l%u", level % 10);
    cache->size = (uint64_t)sets * ways * 64;
    cache->latency = latencies[level - 1];
    cache->shared_by = 1;
    cache->shape.ways = ways;
    cache->shape.index.sets = sets;
    cache->slices.count = 1;
    cache->keeps_permille = 1000;
    assert_true(policy_parse(&cache->shape.policy, policy));
    return cache;
}

/* Sets chosen by XOR of so many bits of a line's number; the mask is that of the lowest, the others' are one place on
 * each. */
static inline void fold(struct cache_description *cache, unsigned bits, uint64_t mask)
{
    struct index *index = &cache->shape.index;
    index->kind = INDEX_XOR;
    index->bits = bits;
    for (unsigned i = 0; i < bits; i++)
        index->mask[i] = mask << i;
}

/* So many slices, chosen by a table, by the bits above those of the set. */
static inline void slice(struct cache_description *cache, unsigned count)
{
    struct slices *slices = &cache->slices;
    *slices = (struct slices){.kind = SLICE_SEQUENCE, .bits = 7, .count = count, .length = 128};
    for (unsigned i = 0; i < slices->bits; i++)
        slices->mask[i] = cache->shape.index.sets * cache->line << i;
    for (unsigned i = 0; i < slices->length; i++)
        slices->sequence[i] = (uint8_t)((i * 7 + i / count) % count);
    cache->size *= count;
}

/* What the probes before have found. */
static inline void know(struct notebook *notebook, const struct description *description)
{
    know_first(notebook, description);
    for (unsigned i = 1; i < description->caches; i++) {
        char id[16];
        snprintf(id, sizeof id, "l%u.latency", (i + 1) % 10);
        note_value(notebook, id, description->cache[i].latency, "cycles", 0.999, 0, "");
    }
    note_value(notebook, "mem.latency", MEMORY, "cycles", 0.999, 0, "");
}

static inline void measured(const struct description *description, uint64_t seed, struct notebook *notebook)
{
    struct request request = {.seed = seed};
    const char *why = "";
    struct machine *machine = process_open(NULL, description, seed, NULL, &why);
    if (!machine)
        fail_msg("%s", why);
    assert_true(probe_caches(machine, &request, notebook));
    machine_close(machine);
}

static inline const struct finding *of_level(const struct notebook *notebook, unsigned level, const char *what)
{
    char id[16];
    snprintf(id, sizeof id, "l%u.%s", level % 10, what);
    const struct finding *finding = noted(notebook, id);
    assert_non_null(finding);
    return finding;
}

static inline void assert_value(const struct notebook *notebook, unsigned level, const char *what, double value)
{
    const struct finding *finding = of_level(notebook, level, what);
    if (!finding->measured)
        fail_msg("%s, not %g: %s", finding->id, value, finding->why);
    if (finding->value != value || finding->confidence < 0.9)
        fail_msg("%s is %g, not %g, confidence %.3f", finding->id, finding->value, value, finding->confidence);
}

static inline void assert_missing(const struct notebook *notebook, unsigned level, const char *why)
{
    assert_false(of_level(notebook, level, "size")->measured);
    assert_string_equal(of_level(notebook, level, "ways")->why, why);
}

/* What an experiment told is so; it need not have told anything. */
static inline unsigned told(const struct notebook *notebook, unsigned level, const char *what, bool truth)
{
    const struct finding *finding = of_level(notebook, level, what);
    if (finding->measured && (finding->value == 1) != truth)
        fail_msg("%s is %g", finding->id, finding->value);
    return finding->measured;
}

/* That the probe finds ways, sizes and lines of all levels, and says nothing wrong of inclusion. Returns how much it
 * said of that. */
static inline unsigned assert_found(const struct description *description, struct notebook *notebook)
{
    unsigned said = 0;
    know(notebook, description);
    measured(description, 1, notebook);
    for (unsigned i = 1; i < description->caches; i++) {
        const struct cache_description *cache = &description->cache[i];
        assert_value(notebook, i + 1, "ways", cache->shape.ways);
        assert_value(notebook, i + 1, "size", (double)cache->size);
        /* Where one brings pairs, the line may be left open. */
        if (!description->prefetchers || of_level(notebook, i + 1, "line")->measured)
            assert_value(notebook, i + 1, "line", cache->line);
        said += told(notebook, i + 1, "exclusive", cache->inclusion == INCLUSION_EXCLUSIVE);
        said += told(notebook, i + 1, "inclusive", cache->inclusion == INCLUSION_INCLUSIVE);
    }
    assert_missing(notebook, description->caches + 1, "no such level was seen");
    return said;
}
