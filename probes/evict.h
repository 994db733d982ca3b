// SPDX-License-Identifier: BSD-2-Clause
/* evict.h: minimal sets of lines that push a target out of a level, and lines that belong to its set.
 *
 * Of lines drawn from the kin of a target the shortest row that pushes it out ends with a line of its set: that row was
 * one short before it. So one line after the other is found by bisection (the last straw: Zhao et al., ASPLOS 2024,
 * after Vila et al., S&P 2019), until those that were found push the target out alone. */
#pragma once
#include "probes/push.h"

/* Finds them, and more of them: scene->line are lines of the target's set, of which the first scene->needed push it out
 * and one fewer do not. They are drawn from `kin`, helpers from the kin of the nearer levels: so many as these need.
 * Where such lines push it out of the next level, too, those are preferred that do not, if there are any. False: none
 * were found, or noise, or see push_ok; *why says which. */
bool evict_find(struct push *, const struct kin *kin, const struct nearer *, uint64_t target, struct scene *,
                const char **why);

/* The scene with no more lines than it needs, or with so many fewer. */
struct scene evict_needed(const struct scene *, unsigned but);

/* Whether a line, kin of the target at the nearer levels, belongs to the set: the scene's lines push it out, too. */
bool evict_takes(struct push *, const struct scene *, uint64_t line, unsigned votes);

/* The same for a line that is not kin: lines as far from it as the helpers are from the target push it down: by XOR,
 * or, where sets are chosen modulo their number, by subtraction. */
bool evict_takes_far(struct push *, const struct scene *, uint64_t line, bool modulo, unsigned votes);

/* The same where sets are chosen by a table, so that lines that far from helpers may be of the set, and do not count.
 */
bool evict_takes_any(struct push *, const struct scene *, uint64_t line, bool modulo, unsigned votes);

/* Whether any of so many lines drawn from kin, but not from `without` (NULL: all), belongs to the set. */
bool evict_any(struct push *, const struct scene *, const struct kin *, const struct kin *without, uint64_t count);

/* Draws lines from kin until one belongs to the target's set, which is *line. *tries: about how many draws are expected
 * until then; it learns. False: not one in a great many, or see push_ok. */
bool evict_draw(struct push *, const struct scene *, const struct kin *, uint64_t *tries, uint64_t *line);

/* The same for the lines of a pool (its seed is drawn anew), most of them not kin of the target at the nearer levels,
 * of which so many hold one of the set, roughly. (For levels whose sets are chosen by XOR.) */
bool evict_draw_far(struct push *, const struct scene *, const struct kin *nearer, const struct pool *, uint64_t *line);
