// SPDX-License-Identifier: BSD-2-Clause
/* prefetch_bench.h: prefetchers with caches and translation that only note what they are asked for. Each program that
 * includes this links these instead of the model's. */
#pragma once
#include "tests/silicon/prefetch.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { MOST = 256, L1 = 1, L2 = 2, L3 = 3 };

struct caches {
    unsigned count, core[MOST], level[MOST];
    uint64_t va[MOST], pa[MOST], now;
    uint64_t there; /* this line is there already */
};

bool caches_prefetch(struct caches *caches, unsigned core, unsigned level, uint64_t va, uint64_t pa, uint64_t now)
{
    assert_in_range(caches->count, 0, MOST - 1);
    caches->core[caches->count] = core;
    caches->level[caches->count] = level;
    caches->va[caches->count] = va;
    caches->pa[caches->count++] = pa;
    caches->now = now;
    return pa != caches->there;
}

struct translation {
    uint64_t mapped_until; /* addresses below it */
    unsigned translated;
    uint64_t last;
};

struct translated translation_peek(struct translation *translation, unsigned core, uint64_t va)
{
    (void)core;
    return (struct translated){.fault = va >= translation->mapped_until, .page = 4096};
}

struct translated translation_of(struct translation *translation, unsigned core, enum access_kind kind, uint64_t va,
                                 uint64_t now)
{
    (void)core;
    (void)now;
    assert_int_equal(kind, ACCESS_LOAD);
    assert_true(va < translation->mapped_until);
    translation->translated++;
    translation->last = va;
    return (struct translated){.page = 4096};
}

/* Virtual address 0 lies here. */
static const uint64_t BASE = 0x100000;

struct bench {
    struct description description;
    struct prefetch *prefetch;
    struct caches caches;
    struct translation translation;
    uint64_t page;
    enum memtype type;
};

/* Three levels of data caches with lines of 64 bytes, two cores. */
static inline void describe(struct bench *bench)
{
    memset(bench, 0, sizeof *bench);
    bench->description.cores = 2;
    bench->description.caches = 4;
    for (unsigned i = 0; i < 4; i++) {
        static const unsigned level[] = {1, 1, 2, 3}, holds[] = {HOLDS_CODE, HOLDS_DATA, HOLDS_BOTH, HOLDS_BOTH};

        bench->description.cache[i].level = level[i];
        bench->description.cache[i].holds = holds[i];
        bench->description.cache[i].line = bench->description.cache[i].sector = i == 0 ? 32 : 64;
    }
    bench->page = 4096;
    bench->caches.there = UINT64_MAX;
    bench->translation.mapped_until = UINT64_MAX;
}

static inline void add(struct bench *bench, struct prefetcher_description prefetcher)
{
    bench->description.prefetcher[bench->description.prefetchers++] = prefetcher;
}

static inline void open_bench(struct bench *bench)
{
    bench->prefetch = prefetch_create(&bench->description);
    assert_non_null(bench->prefetch);
}

/* An access; returns how many lines the prefetchers brought. What they asked for is in caches. */
static inline unsigned sees(struct bench *bench, unsigned core, enum access_kind kind, uint64_t ip, uint64_t va,
                            unsigned level)
{
    struct translated translated = {.pa = BASE + va, .page = bench->page, .type = bench->type};

    bench->caches.count = 0;
    return prefetch_watch(bench->prefetch, &bench->caches, &bench->translation, core, kind, ip, va, &translated, level,
                          1234);
}

static inline void loads(struct bench *bench, uint64_t va, unsigned level)
{
    sees(bench, 0, ACCESS_LOAD, 1, va, level);
}

/* The access asks for `count` lines from line number `first` on, going up or down (-1), on core 0. */
static inline void expect_lines(struct bench *bench, uint64_t va, unsigned count, uint64_t first, int step)
{
    loads(bench, va, LEVEL_MEMORY);
    assert_int_equal(bench->caches.count, count);
    for (unsigned i = 0; i < count; i++) {
        uint64_t line = first + (uint64_t)(step * (int)i);

        assert_int_equal(bench->caches.va[i], line * 64);
        assert_int_equal(bench->caches.pa[i], BASE + line * 64);
    }
}
