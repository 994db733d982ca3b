// SPDX-License-Identifier: BSD-2-Clause
/* pool.h: how many lines of a pool push a target out: by doubling, and by bisection under noise. */
#pragma once
#include "probes/push.h"

enum { MOST_OF_POOL = 1 << 16, LARGEST_FLUSHED = 1 << 17 }; /* lines, and loads of lines that are flushed */

/* Whether the lines of a scene, and of its pool, push its target out: as surely as a search needs it. */
bool pool_goes(struct push *, const struct scene *);

/* Gives a scene a fresh pool of as many lines as push the target out, roughly; from about `first` of them on, and as
 * surely as `votes` say. False: there are none, or see push_ok. */
bool pool_enough(struct push *, struct scene *, const struct kin *, uint64_t first, unsigned votes);

/* The smallest number of the pool's lines that push the target out, given that `high` do; the pool has so many then. It
 * is wrong once in a thousand times by noise (VOTES_DRAW: in thirty), for each of two stages at most. */
uint64_t pool_last_straw(struct push *, struct scene *, uint64_t high, unsigned votes);

/* The number of some line of the pool, more than 0, that pushes the target out alone, given that the first `high` lines
 * have one: where each line does it or does not, whichever others there are, halves of them are asked about, and not
 * all that come before. */
uint64_t pool_one(struct push *, struct scene *, uint64_t high);

/* Rounds in which each line is flushed as soon as it was loaded, and comes so many times. Where a policy takes any way,
 * empty or not, each time is one more chance that the target has to go, so that one line of its set will do. */
struct push pool_one_by_one(const struct push *, unsigned times);
