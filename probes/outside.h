// SPDX-License-Identifier: BSD-2-Clause
/* outside.h: lines that nearer levels tell apart, and that share a set at this one.
 *
 * Nothing that is drawn to find lines of a set (from kin of a target at all nearer levels) shows such lines. They are
 * looked for last, when it is known which kin share one. */
#pragma once
#include "probes/known.h"

enum { DRAWS_FOR_EACH = 5 /* so that one of the set is among them nearly always */ };

/* Whether other lines of the set, so far moved, are still of it, which the nearer levels may tell from the target. A
 * burst of noise may have made it seem so of one. by_table: sets are counted, and no rule says which of its kin share
 * the target's. */
bool outside_confirmed(struct push *, const struct scene *, const struct known *, uint64_t apart, bool by_table);

/* The same for the second scene, of whose lines fewer are known: most of them. (What is less than a line of this level
 * away from its target is the target.) */
bool outside_confirmed_by_second(struct push *, const struct scene *second, const struct known *, uint64_t apart,
                                 bool by_table);

/* Lines that the nearer levels tell apart may share a set here all the same, where those levels use bits that this one
 * does not, or uses with others. Looks among lines that differ in the lowest of those bits, then in more and more of
 * them, and adds what it finds to the space, if it is so for the second target, too. (A prefetcher that brings the next
 * line may make it look so for an even line, or an odd one, and not for both.) Where nearer levels have an odd number
 * of sets, some of what they share by bits alone is told apart, too: of a set of theirs that may be the same
 * differences for all lines. False: too many seemed to share it and do not, or see push_ok; or differences are good for
 * some lines and not for others: not *linear. */
bool outside_look(const struct push *, const struct scene scene[2], const struct known *, uint64_t within,
                  struct gf2 *space, bool *linear);
