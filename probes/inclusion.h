// SPDX-License-Identifier: BSD-2-Clause
/* inclusion.h: whether a level has only what nearer levels have lost, or all that they have. */
#pragma once
#include "probes/evict.h"

/* What is known of the levels before. */
struct nearer {
    struct kin kin;       /* lines that share a set at all of them */
    unsigned ways;        /* of all of them */
    unsigned nearest_one; /* of the last of them */
    unsigned levels;      /* how many they are */
};

enum told { NOT_TOLD, NO, YES };

/* Whether a level is exclusive: a line that it gets, it gets from the level before, and what a load finds in it leaves
 * it. near: for the first level instead of this one; NULL: the clock does not show it. lines: of the scene's set,
 * `count` of them, of which the fewest that push the target out come first (scene->needed of them). */
enum told inclusion_exclusive(struct push *, const struct push *near, const struct scene *, const struct nearer *,
                              const uint64_t *lines, unsigned count);

/* Whether a level that is not exclusive is inclusive: what it gives up, nearer levels lose, too. */
enum told inclusion_inclusive(const struct push *, const struct push *near, const struct scene *);
