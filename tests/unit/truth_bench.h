// SPDX-License-Identifier: BSD-2-Clause
/* truth_bench.h: small machines whose truth can be worked out by hand, and what is expected of it. */
#pragma once
#include "base/text.h"
#include "kernel/host.h"
#include "tests/silicon/truth.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { KB = 1024 };

bool host_rest(struct host *host, unsigned permille)
{
    (void)host, (void)permille;
    return true;
}

/* 32 KB in 8 ways of 64-byte lines: 64 sets; a hit takes 4 cycles, memory 100. */
static inline struct description *plain(void)
{
    struct description *description = calloc(1, sizeof *description);

    assert_non_null(description);
    description_plain(description, 32 * KB, 8, 64, 4, 100);
    return description;
}

/* One level more, LRU, of 64-byte lines. */
static inline struct cache_description *add_cache(struct description *description, uint64_t size, unsigned ways,
                                                  unsigned latency, enum inclusion inclusion)
{
    struct cache_description *cache = &description->cache[description->caches++];
    struct text name;

    *cache = description->cache[0];
    name = text_in(cache->name, sizeof cache->name);
    text_format(&name, "l%u", description->caches);
    cache->level = description->caches;
    cache->holds = HOLDS_BOTH;
    cache->size = size;
    cache->latency = latency;
    cache->inclusion = inclusion;
    cache->shape.ways = ways;
    cache->shape.index.sets = size / (64 * ways);
    return cache;
}

static inline struct truths *truths_on(struct description *description)
{
    struct truths *truths;

    assert_null(description_unsound(description));
    truths = truths_create(description);
    assert_non_null(truths);
    free(description);
    return truths;
}

static inline void expect_equal(struct truths *truths, const char *id, double value)
{
    struct truth truth = truth_of(truths, id);

    assert_int_equal(truth.kind, TRUTH_EQUAL);
    assert_true(truth.value == value);
}

static inline void expect_within(struct truths *truths, const char *id, double value, double tolerance)
{
    struct truth truth = truth_of(truths, id);

    assert_int_equal(truth.kind, TRUTH_WITHIN);
    assert_true(truth.value > value * (1 - 1e-9) && truth.value < value * (1 + 1e-9));
    assert_true(truth.tolerance > tolerance * (1 - 1e-9) && truth.tolerance < tolerance * (1 + 1e-9));
}

static inline void expect_absent(struct truths *truths, const char *id)
{
    assert_int_equal(truth_of(truths, id).kind, TRUTH_ABSENT);
}

/* A mean of random loads: as near to what it has to be as so many of them come. */
static inline void expect_about(struct truths *truths, const char *id, double value, double near)
{
    struct truth truth = truth_of(truths, id);

    assert_int_equal(truth.kind, TRUTH_WITHIN);
    assert_true(truth.value >= value - near && truth.value <= value + near);
}
