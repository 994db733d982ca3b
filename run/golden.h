// SPDX-License-Identifier: BSD-2-Clause
/* golden.h: --baseline: a run beside the findings of an earlier one, usually of a board that is known to be good. The
 * comparison is report/compare.h's, and so assay-diff's. */
#pragma once
#include "run/run.h"

/* The verdict on the run's findings; NO_BASELINE when none was asked for. */
enum verdict golden_verdict(const struct run *);

/* Says the verdict, and what differs, in a few lines. Nothing without a baseline. */
void golden_say(const struct run *, struct stage *);

/* Adds the members of the journal's line: ,"verdict":"failed","different":1,"uncertain":0,"equal":20 */
void golden_journal(const struct run *, struct text *line);

/* "passed", "failed". */
const char *verdict_name(enum verdict);
