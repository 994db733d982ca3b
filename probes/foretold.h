// SPDX-License-Identifier: BSD-2-Clause
/* foretold.h: how long jumps of a new order are foretold wrongly.
 *
 * A core that foretells where jumps lead learns a new order within a few laps; but where a run of them ended, some
 * learn the way out as well, and go astray there for more laps of the next run: a Zen 5 for 14 laps of 64 jumps, each
 * of which costs as much as ten misses of its ITLB. Such laps come before the clock starts, in the run that is timed.
 * Where nothing is learnt so, as few as ever do: a TLB that draws lots has room for all pages sooner or later, and
 * misses less the longer it is given. */
#pragma once
#include "probes/sample.h"

/* *laps: that jumps of this kind over a few stops need before the clock starts: 1, or 16. False: skipped or refused. */
bool foretold_after(struct bench *, const struct stops *, enum op, uint64_t *laps);
