// SPDX-License-Identifier: BSD-2-Clause
/* elsewhere.h: whether what lines of one set differ by is the same all over the memory.
 *
 * Where sets are chosen by XOR of address bits, or by plain bits, it is: a set's lines, all moved by the same
 * difference, are lines of another set. Where a table chooses them, some differences are good for the lines of one set
 * and not for those of others; and as few sets as are known may have such differences in common by chance. */
#pragma once
#include "probes/known.h"

/* Whether lines share a set in several other places of the memory, drawn by lot, that are so far from each other (XOR),
 * and else what is known of the set (0: nothing else): nearly all do, for noise may hide one. True, too, behind an odd
 * number of sets, where what is moved shares no set there any more. False: or see push_ok. */
bool elsewhere_holds(struct push *, const struct scene *, const struct known *, uint64_t apart);
