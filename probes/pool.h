// SPDX-License-Identifier: BSD-2-Clause
/* pool.h: how many lines of a pool push a target out: by doubling, and by bisection. */
#pragma once
#include "probes/push.h"

/* Whether the lines of a scene, and of its pool, push its target out: as surely as a search needs it. */
bool pool_goes(struct push *, const struct scene *);

/* Gives a scene a fresh pool of as many lines as push the target out, roughly; from about `first` of them on. False:
 * there are none, or see push_ok. */
bool pool_enough(struct push *, struct scene *, const struct kin *, uint64_t first);

/* The smallest number of the pool's lines that push the target out, given that `high` do; the pool has so many then. */
uint64_t pool_last_straw(struct push *, struct scene *, uint64_t high);
