// SPDX-License-Identifier: BSD-2-Clause
/* found_tlbs.h: TLBs for modelled machines, and what the probes of translation say of them. Include it after cmocka.h.
 */
#pragma once
#include "tests/silicon/process/process.h"
#include "tests/unit/notebook_bench.h"

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

/* A TLB of so many sets and ways. pages: of the sizes that it holds, PAGES_SMALL and others. */
static inline struct tlb_description *add_tlb_of(struct description *description, unsigned holds, unsigned pages,
                                                 unsigned level, unsigned sets, unsigned ways, unsigned latency)
{
    struct tlb_description *tlb = &description->tlb[description->tlbs++];
    *tlb = (struct tlb_description){.level = level, .latency = latency};
    snprintf(tlb->name, sizeof tlb->name, "tlb%u", description->tlbs);
    tlb->holds = holds;
    tlb->pages = pages;
    tlb->loads = tlb->stores = true;
    tlb->sector = tlb->coalesce = 1;
    tlb->shape.ways = ways;
    tlb->shape.index = (struct index){.kind = INDEX_MODULO, .sets = sets};
    assert_true(policy_parse(&tlb->shape.policy, "LRU"));
    return tlb;
}

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
    if (finding->value < value - near || finding->value > value + near || finding->confidence < 0.8)
        fail_msg("%s is %g, not %g, confidence %.3f", id, finding->value, value, finding->confidence);
}

/* All `count` findings from one on say that they were skipped, and there are no more. */
static inline void assert_skipped(const struct notebook *notebook, unsigned from, unsigned count)
{
    assert_int_equal(notebook->findings, from + count);
    for (unsigned i = from; i < notebook->findings; i++)
        assert_string_equal(notebook->finding[i].why, "skipped");
}
