// SPDX-License-Identifier: BSD-2-Clause
/* collect.h: lines that push a target out together, and those of them that it takes. What is found is not told where
 * noise spoils it, or push_ok does not hold any more. */
#pragma once
#include "probes/push.h"

/* Adds lines to a scene that those of one like it foretell (itself, or one of another target), until they push its
 * target out alone. False: they do not. */
bool collect_alike(struct push *, struct scene *, const struct scene *alike, const struct kin *);

/* Whether so many lines are nearly all that the region has, and there are more elsewhere: these have as many of one set
 * as just push a line out, or hardly more. That would take as much, and come to nothing. */
bool collect_are_all(const struct push *, const struct kin *, uint64_t lines);

/* Adds lines of a pool, of about `first` lines or more, to those of the scene until they push the target out alone, or
 * do so with others that they foretell. With straws that noise has made it goes on with another pool, so many times. */
bool collect_from(struct push *, struct scene *, const struct kin *, uint64_t first, unsigned times);

/* Finds out which of the lines are needed; those come first, and without any of them the others of them do not push the
 * target out. */
void collect_fewest(struct push *, struct scene *);
