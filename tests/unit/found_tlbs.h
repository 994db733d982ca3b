// SPDX-License-Identifier: BSD-2-Clause
/* found_tlbs.h: TLBs for modelled machines, and what the probes of translation say of them. Include it after cmocka.h.
 */
#pragma once
#include "tests/silicon/process/process.h"
#include "tests/unit/modelled_tlb.h"
#include "tests/unit/notebook_bench.h"
#include "tests/unit/skipping_host.h"

enum { ABSENT = -1 };

/* Another level of cache behind all that there are: 8 ways, for data and code. */
static inline void add_cache(struct description *description, uint64_t size, unsigned latency)
{
    struct cache_description *cache = &description->cache[description->caches++];
    *cache = description->cache[0];
    cache->level = (cache - 1)->level + 1;
    snprintf(cache->name, sizeof cache->name, "l%u", cache->level);
    cache->holds = HOLDS_BOTH;
    cache->size = size;
    cache->latency = latency;
    cache->shape.index.sets = size / cache->line / cache->shape.ways;
}

/* A cache that is there has so many sets and ways in place of its own. */
static inline void shape_cache(struct description *description, unsigned number, unsigned sets, unsigned ways)
{
    struct cache_description *cache = &description->cache[number];
    cache->size = (uint64_t)sets * ways * cache->line;
    cache->shape.ways = ways;
    cache->shape.index.sets = sets;
}

/* A cache that predicts ways by folds of addresses. latency: of a line whose way is predicted wrongly. */
static inline void predict_ways(struct cache_description *cache, unsigned latency)
{
    cache->folds = 8;
    for (unsigned i = 0; i < cache->folds; i++)
        cache->fold[i] = (uint64_t)1 << (12 + i) | (uint64_t)1 << (27 - i);
    cache->fold_latency = latency;
}

/* What is fairly sure. */
static const double FAIRLY_SURE = 0.8;

/* A finding has that value, within `near`, and is fairly sure; ABSENT: it says why there is none. */
static inline void assert_value(const struct notebook *notebook, const char *id, double value, double near)
{
    const struct finding *finding = noted(notebook, id);
    assert_non_null(finding);
    if (value == ABSENT) {
        if (finding->measured)
            fail_msg("%s is %g, confidence %.3f", id, finding->value, finding->confidence);
        assert_true(finding->why[0]);
        return;
    }
    if (!finding->measured)
        fail_msg("%s, not %g: %s", id, value, finding->why);
    if (finding->value < value - near || finding->value > value + near || finding->confidence < FAIRLY_SURE)
        fail_msg("%s is %g, not %g, confidence %.3f", id, finding->value, value, finding->confidence);
}

/* Compares ways and sets of a level for a size of page ("dtlb2.4k"), and what a hit of a second level takes; ways
 * ABSENT: nothing may be said. */
static inline void assert_level(const struct notebook *notebook, const char *level, int ways, int sets, double penalty)
{
    char id[28];
    snprintf(id, sizeof id, "%s.ways", level);
    assert_value(notebook, id, ways, 0);
    snprintf(id, sizeof id, "%s.sets", level);
    assert_value(notebook, id, ways == ABSENT ? ABSENT : sets, 0);
    snprintf(id, sizeof id, "%s.entries", level);
    assert_value(notebook, id, ways == ABSENT ? ABSENT : ways * sets, 0);
    if (level[4] == '1')
        return;
    snprintf(id, sizeof id, "%s.penalty", level);
    assert_value(notebook, id, ways == ABSENT ? ABSENT : penalty, 0.25);
}

typedef bool probe_function(struct machine *, const struct request *, struct notebook *);

/* Runs a probe on a machine; the notebook may have what it goes by. Returns the visits that it made. */
static inline uint64_t run_probe_from(probe_function *probe, uint64_t seed, const struct description *description,
                                      struct notebook *notebook)
{
    struct request request = {.seed = seed};
    const char *why = "";
    struct machine *machine = process_open(NULL, description, 3, NULL, &why);
    if (!machine)
        fail_msg("%s", why);
    assert_true(probe(machine, &request, notebook));
    uint64_t visits = machine_steps(machine);
    machine_close(machine);
    return visits;
}

static inline uint64_t run_probe(probe_function *probe, const struct description *description,
                                 struct notebook *notebook)
{
    return run_probe_from(probe, 11, description, notebook);
}

/* The user's key ends a probe after so many rests, and all that it should have found, so many findings, says so. */
static inline void assert_skips(probe_function *probe, const struct description *description, struct notebook *notebook,
                                unsigned rests, unsigned count)
{
    struct request request = {.seed = 5};
    const char *why = "";
    unsigned before = notebook->findings;
    struct machine *machine = process_open(NULL, description, 3, NULL, &why);
    assert_non_null(machine);
    rests_left = rests;
    assert_false(probe(machine, &request, notebook));
    rests_left = UINT_MAX;
    machine_close(machine);
    assert_int_equal(notebook->findings, before + count);
    for (unsigned i = before; i < notebook->findings; i++)
        assert_string_equal(notebook->finding[i].why, "skipped");
}
