// SPDX-License-Identifier: BSD-2-Clause
/* elsewhere.h: whether what lines of one set differ by is the same all over the memory.
 *
 * Where sets are chosen by XOR of address bits, or by plain bits, it is: a set's lines, all moved by the same
 * difference, are lines of another set. Where a table chooses them, some differences are good for the lines of one set
 * and not for those of others; and as few sets as are known may have such differences in common by chance. */
#pragma once
#include "probes/known.h"

/* Whether lines that are so far from each other (XOR; 0: none but what is known of the set), give or take what is known
 * of the set, share one in several other places of the memory, drawn by lot: nearly all do, for noise may hide one.
 * True, too, behind an odd number of sets, where lines that are moved share no set any more. False: or it is not told
 * in enough places, or see push_ok. */
bool elsewhere_holds(struct push *, const struct scene *, const struct known *, uint64_t apart);
