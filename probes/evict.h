// SPDX-License-Identifier: BSD-2-Clause
/* evict.h: lines that belong to a target's set, told by others of it: one fewer than push the target out do so with
 * them.
 */
#pragma once
#include "probes/push.h"

/* What an experiment says, if it says anything. */
enum told { NOT_TOLD, NO, YES };

/* The scene with no more lines than it needs, or with so many fewer. */
struct scene evict_needed(const struct scene *, unsigned but);

/* Helpers that push the target out by themselves are of its set: takes one after the other away. */
void evict_lighten(struct push *, struct scene *);

/* Takes out lines that are not of the set: those that the others do not push out. */
void evict_purge(struct push *, struct scene *);

/* Whether a line, kin of the target at the nearer levels, belongs to the set: the scene's lines push it out, too. */
bool evict_takes(struct push *, const struct scene *, uint64_t line, unsigned votes);

/* Whether evict_takes can tell lines of a scene's set from others where the level before keeps the last of them: those
 * push lines of an exclusive level's set down in their place, and seem to be of it. What tells them is one lap, if just
 * so many lines push the target out in it each time, and one fewer never. */
bool evict_tells_places(struct push *, const struct scene *);

/* As evict_takes for a line that need not be kin, so that others have to push it down: kin of it which are not of its
 * set by a rule that holds for kin; where all kin share a set here, these; or, where there is no rule (NULL), lines as
 * far from it as the helpers are from the target, of which those are left out that push the target out alone. NOT_TOLD:
 * there are none. */
enum told evict_takes_far(struct push *, const struct scene *, uint64_t line, const struct kin *rule, unsigned votes);

/* Whether a line that is kin belongs to the set, or brings one along that does. */
bool evict_disturbs(struct push *, const struct scene *, uint64_t line, unsigned votes);

/* Whether any of so many lines drawn from kin, but not from `without` (NULL: all), belongs to the set. */
bool evict_any(struct push *, const struct scene *, const struct kin *, const struct kin *without, uint64_t count);

/* Whether a scene has all lines of its set that there are among kin of its target: one fewer than push it out do not
 * with all others. False: there are more, or they are too many to ask. */
bool evict_has_all(struct push *, const struct scene *, const struct kin *);

/* Whether any of so many lines, drawn anew in each round, is of the set: whether the mean of the votes of such rounds
 * (push_round's, in halves) is above `between`. Wald's test: the sum of what they are beyond it reaches `needed`, in
 * the same unit and above 0, on one side or the other; after a great many rounds the side on which it is counts. What
 * prefetchers have brought beside a pool of a sharp scene, so that it pushes the target out in all rounds to come, is
 * taken away where that is allowed, and it begins again. Either answer says nothing if not push_ok. */
bool evict_above(struct push *, const struct scene *, const struct kin *, const struct kin *without, uint64_t count,
                 double between, double needed);

/* Whether any of so many is, in six rounds of ten or more: if none ever is, some other reason may push the target out
 * in one or two of them. Either answer says nothing if not push_ok. */
bool evict_mostly(struct push *, const struct scene *, const struct kin *, const struct kin *without, uint64_t count,
                  unsigned votes);

/* Draws lines from kin until one belongs to the target's set, which is *line. *tries: about how many draws are expected
 * until then; it learns. False: not one in a great many, or see push_ok. */
bool evict_draw(struct push *, const struct scene *, const struct kin *, uint64_t *tries, uint64_t *line);

/* The same for the lines of a pool (its seed is drawn anew), most of them not kin of the target at the nearer levels,
 * of which so many hold one of the set, roughly. rule: see evict_takes_far. */
bool evict_draw_far(struct push *, const struct scene *, const struct kin *rule, const struct pool *, uint64_t *line);
