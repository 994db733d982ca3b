// SPDX-License-Identifier: BSD-2-Clause
/* sets.h: ways and sets of a level, from lines that share one of its sets.
 *
 * Ways are the lines that a set keeps (probes/kept.h). The number of sets follows from which lines share one
 * (probes/rule.h). */
#pragma once
#include "probes/inclusion.h"
#include "probes/rule.h"

struct sets {
    unsigned ways;
    struct rule rule;
    struct inclusion inclusion;
    double error; /* that it is wrong */
};

/* Finds them for the set of a target, and checks them on another, which differs from it in the lowest bit. before: for
 * the level before instead of this one; NULL: the clock does not show it. False: *why says why not, or see push_ok. */
bool sets_find(struct push *, const struct push *before, const struct nearer *, const uint64_t target[2], struct sets *,
               const char **why);
