// SPDX-License-Identifier: BSD-2-Clause
/* likely.h: lines that are likely to share a target's set, by those that are known to.
 *
 * Each line that is drawn by chance takes a search through a pool of them. But where sets are chosen by XOR of address
 * bits, whatever differs from the target by a sum of differences of its set is of the set, too: k lines that are
 * independent foretell 2^k - 1. Where sets are chosen modulo their number, it is what lies any number of the greatest
 * common divisor of differences away. Neither is taken for granted: such lines are only tried first. */
#pragma once
#include "probes/evict.h"

enum likely { LIKELY_LINEAR, LIKELY_MODULO, LIKELY_RULES };

/* *likely: the lines that those of a scene foretell by one rule or the other, kin of the target among them only. False:
 * hardly any. */
bool likely_kin(const struct push *, const struct scene *, const struct kin *, enum likely, struct kin *likely);

/* Adds lines to a scene that those of another foretell (itself, or one of another target), and that turn out to be of
 * the set, until it has `wanted`, as far as there are any. */
void likely_grow(struct push *, struct scene *, const struct scene *alike, const struct kin *, unsigned wanted);
