// SPDX-License-Identifier: BSD-2-Clause
/* sets.h: ways and sets of a level, from lines that share one of its sets.
 *
 * Ways are the lines that a set keeps (probes/kept.h). The number of sets follows from which lines share one
 * (probes/rule.h). */
#pragma once
#include "probes/inclusion.h"
#include "probes/rule.h"

struct sets {
    unsigned ways;  /* 0: not told, for whether it is exclusive is not */
    unsigned holds; /* lines that it and the levels before keep of one of its sets */
    struct rule rule;
    struct inclusion inclusion;
    double error; /* that it is wrong */
    bool too_few; /* no lines pushed a target out, or hardly more than that takes: there may be too few that share a
                     set */
};

/* Finds them for the set of a target, and checks them on another, which differs from it in the lowest bit: others are
 * put in the place of targets whose set the machine shares. before: for the level before instead of this one; NULL: the
 * clock does not show it. last: there are no more lines elsewhere; else it gives up soon when they are too few. known:
 * what is known of the level from other memory, where only its rule is asked for; NULL: nothing is. False: *why says
 * why not, or see push_ok. */
bool sets_find(struct push *, const struct push *before, const struct nearer *, uint64_t target[2], bool last,
               const struct sets *known, struct sets *, const char **why);
