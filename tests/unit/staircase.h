// SPDX-License-Identifier: BSD-2-Clause
/* staircase.h: a staircase of latencies, written down by hand. Private to tests/unit/. */
#pragma once
#include "probes/levels.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { MEMORY = 300 };

/* One more place. share: of the targets that agree on it; noise: standard deviation of what is known of it, in cycles.
 */
static inline struct place *add(struct levels *levels, uint64_t bytes, double cycles, double share, double noise)
{
    struct place *place = &levels->place[levels->places++];
    place->bytes = bytes;
    place->latency.cycles = place->latency.middle = cycles;
    place->latency.share = share;
    place->latency.variance = noise * noise;
    place->memory = cycles >= MEMORY;
    return place;
}

/* The same, where the clock shows single loads. */
static inline struct place *add_seen(struct levels *levels, uint64_t bytes, double cycles, double share)
{
    struct place *place = add(levels, bytes, cycles, share, 0.05);
    place->latency.seen = true;
    return place;
}

/* Places of one level from so many KB to so many, two an octave, no two readings quite the same. */
static inline void step(struct levels *levels, uint64_t first, uint64_t last, double cycles)
{
    unsigned number = 0;
    for (uint64_t octave = first; octave <= last; octave *= 2)
        for (uint64_t half = 2; half < 4 && octave * half / 2 <= last; half++)
            add(levels, (octave * half / 2) << 10, cycles + 0.01 * (number++ % 3), 1, 0.02);
}

/* A staircase with two places an octave, which begins with a first level up to 24 KB; hit: 4 cycles; memory: 300, lines
 * can be flushed. */
static inline int begin(void **state)
{
    struct levels *levels = calloc(1, sizeof *levels);
    *state = levels;
    if (!levels)
        return -1;
    levels->hit = 4;
    levels->flushed = true;
    levels->memory.cycles = levels->least.cycles = MEMORY;
    step(levels, 1, 24, 4);
    return 0;
}

static inline int end(void **state)
{
    free(*state);
    return 0;
}

static inline void infer(struct levels *levels, unsigned count)
{
    levels_infer(levels);
    assert_int_equal(levels->count, count);
}

static inline void expect_level(const struct levels *levels, unsigned index, double cycles)
{
    assert_true(levels->count > index);
    assert_true(levels->level[index].cycles > cycles - 0.1 && levels->level[index].cycles < cycles + 0.1);
}
