// SPDX-License-Identifier: BSD-2-Clause
/* score.h: what a tool found on a machine, beside the truth: assay and its peers are judged alike. */
#pragma once
#include "base/text.h"
#include "tests/silicon/truth.h"

/* Of what there is to find. A value in doubt (confidence below 0.5) counts as missing when it is not right. */
struct score {
    unsigned right, wrong, missing;
};

/* Judges sizes, ways and latencies of all levels, the first level's line and memory's latency. What is not right is
 * added to *differs: its id, what the tool said, and in parentheses what is true. */
struct score score_of(const struct notebook *, struct truths *, struct text *differs);

/* What keeps assay from being the better one of two: at most a tenth of the other's accesses, and never fewer right.
 * NULL: nothing. */
const char *score_complaint(const struct score *, double accesses, const struct score *other, double other_accesses);
