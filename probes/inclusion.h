// SPDX-License-Identifier: BSD-2-Clause
/* inclusion.h: whether a level has only what nearer levels have lost. */
#pragma once
#include "probes/evict.h"

/* What is known of the levels before. */
struct nearer {
    struct kin kin;       /* lines that share a set at all of them */
    unsigned ways;        /* of all of them */
    unsigned nearest_one; /* of the last of them */
    unsigned levels;      /* how many they are */
};

/* Whether a level is exclusive: a line that it gets, it gets from the level before, and what a load finds in it leaves
 * it. near: for the first level instead of this one; NULL: the clock
 * does not show it. lines: of the scene's set, `count` of them, of which the fewest that
 * push the target out come first (scene->lines of them). *clear: whether it can be told. */
bool inclusion_exclusive(struct push *, const struct push *near, const struct scene *, const struct nearer *,
                         const uint64_t *lines, unsigned count, bool *clear);
