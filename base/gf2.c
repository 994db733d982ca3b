// SPDX-License-Identifier: BSD-2-Clause
/* gf2.c: elimination, one vector at a time. */
#include "base/gf2.h"

/* What is left of a vector when those of the space that begin where it does have been taken away: from its highest bit
 * on, and no further than where none begins. (Probes ask this for every line that they draw.) */
static uint64_t reduced(const struct gf2 *space, uint64_t vector)
{
    while (vector) {
        uint64_t begins_there = space->vector[63 - __builtin_clzll(vector)];
        if (!begins_there)
            break;
        vector ^= begins_there;
    }
    return vector;
}

bool gf2_add(struct gf2 *space, uint64_t vector)
{
    /* Whatever has a bit that no vector begins with keeps it, so the highest such bit is what is left's highest. */
    for (unsigned bit = 64; bit-- > 0;) {
        if (!(vector >> bit & 1))
            continue;
        if (!space->vector[bit]) {
            space->vector[bit] = vector;
            space->dimension++;
            return true;
        }
        vector ^= space->vector[bit];
    }
    return false;
}

bool gf2_has(const struct gf2 *space, uint64_t vector)
{
    return reduced(space, vector) == 0;
}

uint64_t gf2_any(const struct gf2 *space, struct random *random)
{
    uint64_t choice = random_next(random), sum = 0;
    for (unsigned bit = 0; bit < 64; bit++)
        if (choice >> bit & 1)
            sum ^= space->vector[bit];
    return sum;
}
