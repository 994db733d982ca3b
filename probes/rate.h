// SPDX-License-Identifier: BSD-2-Clause
/* rate.h: core cycles per tick of the clock, from straight code. */
#pragma once
#include "probes/sample.h"

struct rate {
    double multiply; /* adds that a dependent multiply takes as long as */
    double doubt;    /* the clock's step as a fraction of a batch of adds: how far off the rate can be */
    double error;    /* probability that an add is not one core cycle after all, plus the doubt; 1: not known */
};

/* Times dependent register adds and multiplies, interleaved. They agree when a multiply takes a whole number of adds,
 * three or more, and the clock shows a batch of a millisecond to 1 %: a core that folds adds away, or a clock that does
 * not show time, fails that. When they agree, bench->cycles_per_tick is set; otherwise it is 0. False: skipped or
 * refused. */
bool rate_measure(struct bench *, struct rate *);

/* Core cycles of a tick just now: what rate_measure found, or, where a core has changed its frequency since by more
 * than the clock's step leaves open, another number. False: skipped or refused. */
bool rate_now(struct bench *, double *cycles);
