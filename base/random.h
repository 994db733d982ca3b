// SPDX-License-Identifier: BSD-2-Clause
/* random.h: reproducible pseudo-random numbers (SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014). Not for secrets. */
#pragma once
#include <stdint.h>

struct random {
    uint64_t state;
};

/* The next 64 bits. Any start state is a good one. */
uint64_t random_next(struct random *);

/* A number from 0 to below - 1, all equally likely (Lemire's multiplication; its bias is below 2^-32 here). below: 1 to
 * 2^32. */
uint64_t random_below(struct random *, uint64_t below);
