// SPDX-License-Identifier: BSD-2-Clause
/* counters_bench.h: a machine with nothing but counters, for the tests of their registers and of their counting. */
#pragma once
#include "tests/silicon/counters.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

/* Bits of event select registers; ON: counts at level 0. */
static const uint64_t USR = 1 << 16, OS = 1 << 17, EDGE = 1 << 18, ANY = 1 << 21, EN = 1 << 22, INV = 1 << 23,
                      CMASK_1 = 1 << 24, ON = 1 << 17 | 1 << 22;

/* A machine with counters, and a moment on its only core. */
struct bench {
    struct description description;
    struct counters *counters;
    uint64_t now, ticks;
};

static inline void open_bench(struct bench *bench, enum counter_family family, unsigned version, unsigned general,
                              unsigned fixed, unsigned width)
{
    struct counters_description *part = &bench->description.counters;

    memset(bench, 0, sizeof *bench);
    bench->description.cores = 2;
    bench->description.clock.ratio_core = 3;
    bench->description.clock.ratio_clock = 2;
    part->family = family;
    part->version = version;
    part->general = general;
    part->fixed = fixed;
    part->width = width;
    bench->counters = counters_create(&bench->description);
    assert_non_null(bench->counters);
}

/* Encodings are read anew at each use, so a test may add them at any time. */
static inline struct encoding *encode(struct bench *bench, unsigned event, unsigned umask, enum counted kind)
{
    struct counters_description *part = &bench->description.counters;
    struct encoding *encoding = &part->encoding[part->encodings++];

    *encoding = (struct encoding){(uint16_t)event, (uint8_t)umask, kind, 1000, false};
    return encoding;
}

static inline void expect_read(struct bench *bench, uint32_t msr, uint64_t expected)
{
    uint64_t value = ~expected;

    if (!counters_read_msr(bench->counters, 0, msr, bench->now, bench->ticks, &value))
        fail_msg("MSR %x: #GP", msr);
    if (value != expected)
        fail_msg("MSR %x: %llx, not %llx", msr, (unsigned long long)value, (unsigned long long)expected);
}

static inline void expect_rdpmc(struct bench *bench, uint32_t index, uint64_t expected)
{
    uint64_t value = ~expected;

    assert_true(counters_rdpmc(bench->counters, 0, index, bench->now, bench->ticks, &value));
    assert_int_equal(value, expected);
}

static inline bool writes(struct bench *bench, uint32_t msr, uint64_t value)
{
    return counters_write_msr(bench->counters, 0, msr, bench->now, bench->ticks, value);
}

static inline bool reads(struct bench *bench, uint32_t msr)
{
    uint64_t value;

    return counters_read_msr(bench->counters, 0, msr, bench->now, bench->ticks, &value);
}

static inline bool rdpmc(struct bench *bench, uint32_t index)
{
    uint64_t value;

    return counters_rdpmc(bench->counters, 0, index, bench->now, bench->ticks, &value);
}

static inline void add(struct bench *bench, enum counted kind, uint64_t events)
{
    counters_add(bench->counters, 0, kind, events);
}
