// SPDX-License-Identifier: BSD-2-Clause
/* looked_at.h: a modelled hierarchy and what is known of its first level, for parts of the probe of the caches behind
 * it. Include it last. */
#pragma once
#include "probes/minimal.h"
#include "probes/rate.h"
#include "tests/unit/found_caches.h"

enum { SPAN = 64 << 20 };

/* A machine, and what is known of its first level when the second one is looked for. */
struct looked_at {
    struct machine *machine;
    struct bench bench;
    struct stretch stretch;
    struct push push;
    struct nearer nearer;
};

static inline void look_at(struct looked_at *at, const struct description *description, uint64_t seed)
{
    const struct shape_of_first {
        unsigned sets, ways;
    } first = {(unsigned)description->cache[0].shape.index.sets, description->cache[0].shape.ways};
    const char *why = "";
    struct rate rate;
    at->machine = process_open(NULL, description, seed, NULL, &why);
    assert_non_null(at->machine);
    at->bench = bench_open(at->machine, seed);
    assert_true(stretch_best(at->machine, UINT64_MAX, SPAN, SPAN, &at->stretch) && rate_measure(&at->bench, &rate));
    at->push =
        (struct push){.bench = &at->bench, .region = region_in(&at->stretch, 64, SPAN), .laps = 3, .most = UINT64_MAX};
    bool third = description->caches > 2;
    assert_true(
        push_calibrate(&at->push, latencies[0], latencies[1], third ? latencies[2] : MEMORY, third ? MEMORY : 0));
    at->nearer =
        (struct nearer){.kin = kin_modulo(&at->push.region, first.sets), .ways = first.ways, .holds = first.ways};
}

static inline void leave(struct looked_at *at)
{
    stretch_unmap(at->machine, &at->stretch);
    machine_close(at->machine);
}

/* Some line in the middle, of another set for each number. */
static inline uint64_t target_of(const struct push *push, unsigned number)
{
    return region_lines(&push->region) / 2 + 63 - number + UINT64_C(64) * 37 * number;
}
