// SPDX-License-Identifier: BSD-2-Clause
/* alone.h: whether the levels before one have a line alone, or lose it along with this one.
 *
 * A target that is visited after each of a row of lines of its set stays in the first level, which is all that the
 * visits reach, and this level gives it up after as many lines as push out any other. Then
 *
 * - an inclusive level has taken it from those before: the next visit finds it nowhere near;
 * - else the visit finds it in the first level; and when others of the first level's set have pushed it out of there,
 *   it is nowhere near.
 *
 * (Jaleel et al., "Achieving non-inclusive cache performance with inclusive caches", MICRO 2010: an inclusion victim;
 * Baer and Wang, "On the inclusion properties for multi-level cache hierarchies", ISCA 1988.)
 *
 * Both are told by one clock, that of this level and the next one, so that nothing rests on how well the first level's
 * hits can be told. And neither rests on what the level before does with what is visited: where it loses the target at
 * times, the target is alone at the others. It cannot tell lines of this level's set from those of other sets of this
 * level; so what it loses by itself, it loses after so many of both together, and what this level takes away, after so
 * many of its own. Therefore rows begin with different numbers of such others, *controls*. */
#pragma once
#include "probes/inclusion.h"

/* What such rows are made of. */
struct alone {
    struct push push;          /* for this level; with hot_helpers it is the last of those before that has the target */
    const struct scene *scene; /* its helpers push the target out of all levels before */
    const uint64_t *line, *control;
    unsigned lines, controls;
    unsigned few; /* so many of the lines push out what is not visited */
};

/* Whether this level is inclusive. finely: shares that differ little count, too, which takes ten times as long. */
enum told alone_tell(struct alone *, bool finely);
