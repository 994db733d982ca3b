// SPDX-License-Identifier: BSD-2-Clause
/* minimal.h: minimal sets of lines that push a target out of a level.
 *
 * Of lines drawn from the kin of a target the shortest row that pushes it out ends with a line of its set: that row was
 * one short before it. So one line after the other is found by bisection (the last straw: Zhao et al., ASPLOS 2024,
 * after Vila et al., S&P 2019), until those that were found push the target out alone.
 *
 * Some policies take any way of a set by lot, empty or not. There no row is minimal: any line of the set pushes the
 * target out alone if it comes again and again, and is flushed in between, for each time it may take the target's way.
 * So lines are found as before, one at a time, and as many as do it together without being flushed. */
#pragma once
#include "probes/evict.h"

/* Finds such a set, and more of its lines: scene->line are lines of the target's set, of which the first scene->needed
 * push it out and one fewer do not. They are drawn from `kin`, helpers from the kin of the nearer levels: so many as
 * these need. Where such lines push it out of the next level, too, those are preferred that do not, if there are any.
 * alike: what was found for another target of this level, whose lines foretell some of this one's (NULL: nothing).
 * False: none were found, or noise, or see push_ok; *why says which. */
bool minimal_find(struct push *, const struct kin *kin, const struct nearer *, uint64_t target,
                  const struct scene *alike, struct scene *, const char **why);
