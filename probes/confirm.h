// SPDX-License-Identifier: BSD-2-Clause
/* confirm.h: levels that another try found, too (probes/tries.h). Where a neighbour on the core holds a part of a
 * level, the same mixture at every place looks like a level of its own. */
#pragma once
#include "probes/levels.h"

/* What one try found: core cycles of its levels. */
struct said {
    double cycles[MOST_LEVELS];
    unsigned count;
};

/* Compares what a try found with so many earlier ones. A level that none of those has as the same one is doubted, with
 * all behind it, and so is a number of levels that none of those found; *now is what this one said. True: nothing is
 * doubted. */
bool levels_confirm(const struct said *earlier, unsigned tries, struct levels *, struct said *now);
