// SPDX-License-Identifier: BSD-2-Clause
/* rate.h: core cycles per tick of the clock, from straight code. */
#pragma once
#include "probes/sample.h"

struct rate {
    double ticks_per_add; /* the first quartile of the batches: a dependent register add takes one core cycle */
    double multiply;      /* adds that a dependent multiply takes as long as */
    double error;         /* probability that an add is not one core cycle after all; 1: it is certain not to be */
};

/* Times dependent register adds and multiplies, interleaved. They agree when a multiply takes a whole number of adds,
 * three or more: a core that folds adds away, or a clock that does not show time, fails that. When they agree,
 * bench->cycles_per_tick is set; otherwise it is 0. False: skipped or refused. */
bool rate_measure(struct bench *, struct rate *);
