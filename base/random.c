// SPDX-License-Identifier: BSD-2-Clause
/* random.c: SplitMix64. The increment is the golden ratio's fraction in 64 bits; the mixer's multipliers are those of
 * the published generator, so that its sequence can be checked against any other implementation. */
#include "base/random.h"

uint64_t random_next(struct random *random)
{
    uint64_t mixed = random->state += 0x9E3779B97F4A7C15;

    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
    return mixed ^ mixed >> 31;
}

uint64_t random_below(struct random *random, uint64_t below)
{
    return (uint64_t)((unsigned __int128)random_next(random) * below >> 64);
}
