// SPDX-License-Identifier: BSD-2-Clause
/* inclusion.h: whether a level has only what nearer levels have lost, or all that they have. */
#pragma once
#include "probes/evict.h"

enum { MOST_NEAR = 8 };

struct inclusion {
    enum told
        exclusive; /* a line that the level gets, it gets from the level before; what a load finds in it leaves it */
    enum told inclusive; /* what it gives up, the level before loses, too */
    double error;        /* that `exclusive` is wrong, where it is YES */
};

/* Tells both. before: for the level before instead of this one; NULL: the clock does not show it. lines: of the scene's
 * set, `count` of them, of which the fewest that push the target out come first (scene->needed of them). */
struct inclusion inclusion_tell(const struct push *push, const struct push *before, const struct scene *,
                                const struct nearer *, const uint64_t *lines, unsigned count);
