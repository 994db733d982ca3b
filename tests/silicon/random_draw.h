// SPDX-License-Identifier: BSD-2-Clause
/* random_draw.h: draws of a random machine. Only for random_*.c. */
#pragma once
#include "tests/silicon/description.h"

struct draw {
    struct random random;
    struct description *machine;
};

/* From low to high, all equally likely. */
static inline unsigned from(struct draw *draw, unsigned low, unsigned high)
{
    return low + (unsigned)random_below(&draw->random, high - low + 1);
}

static inline bool chance(struct draw *draw, unsigned percent)
{
    return from(draw, 1, 100) <= percent;
}

#define ONE_OF(draw, list) ((list)[from(draw, 0, sizeof(list) / sizeof *(list)-1)])

/* What has come to be drawn since the others were (random_latest.c): in the order in which it came. */
void draw_latest(struct draw *);
