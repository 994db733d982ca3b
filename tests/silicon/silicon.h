// SPDX-License-Identifier: BSD-2-Clause
/* silicon.h: a machine whose truth is known: one level of data cache with LRU replacement, and memory. */
#pragma once
#include "kernel/front.h"
#include "kernel/host.h"

struct silicon_noise {
    unsigned jitter;        /* ticks: a reading gains 0 to jitter - 1, evenly */
    unsigned bump_permille; /* so many readings of a thousand are hit by an interruption */
    uint64_t bump_ticks;    /* and gain this; */
    bool bump_told;         /* whether the machine knows (reading.disturbances) */
};

struct silicon_description {
    char name[48];
    unsigned size, ways, line; /* of the cache: bytes, ways, bytes; size / (ways * line) sets, any number of them */
    unsigned hit, memory;      /* core cycles of a load; memory > hit unless the clock is to be flat */
    unsigned ratio_core, ratio_clock; /* core cycles per clock tick, as a fraction */
    uint64_t hz, step;                /* of the clock */
    uint64_t span;                    /* bytes of memory */
    bool no_1g, no_2m;                /* page sizes that are missing */
    struct silicon_noise noise;
};

/* Reads a description: "name = value" lines, # comments; every value of struct silicon_description by its name
 * (noise.jitter and so on; ratio = 37/26). False: *complaint (capacity bytes) says what is wrong, with the line number.
 */
bool silicon_describe(struct silicon_description *, const char *ini, size_t length, char *complaint, size_t capacity);

/* NULL: *why says what is wrong with the description. */
struct machine *silicon_open(struct host *, const struct silicon_description *, uint64_t seed, struct recording *,
                             const char **why);
