// SPDX-License-Identifier: BSD-2-Clause
/* kept.h: how many lines a set keeps, whatever its policy is.
 *
 * When more lines of one set have been loaded than it has ways, and all of its ways have been filled, it keeps as many
 * of them as it has ways: which ones is up to its policy, and may be up to chance, but not how many. So lines are
 * loaded, one of them is looked for, and that again for each of them; the shares in which they are found add up to the
 * ways. (Of a policy by counting hits: Abel and Reineke, RTAS 2013. That sums tell the ways of sets that draw lots,
 * too: docs/architecture.md.) */
#pragma once
#include "probes/evict.h"

/* Passes of helpers (struct push) after which hardly any policy of a nearer level still keeps a line. */
enum { MANY_PASSES = 16 };

/* What was found. */
struct kept {
    unsigned lines; /* 0: it is not clear */
    double error;   /* that it is wrong, by chance alone */
};

/* Counts a scene's lines and its target that stay in the level, or in a nearer one where there are no helpers. False:
 * see push_ok. */
bool kept_count(struct push *, const struct scene *, struct kept *);
