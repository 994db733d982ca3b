// SPDX-License-Identifier: BSD-2-Clause
/* pause.h: time that goes by: a neighbour's burst may last longer than a decision takes. Whoever shares the core has it
 * meanwhile, and where instructions are emulated few have to be. */
#pragma once
#include "probes/sample.h"

/* Lets so many times 20 ms, or so many milliseconds, go by, by the clock. What passes is not measured. Where the clock
 * stands still it is as many core cycles, at least, as that would be. A machine that refuses is kept in the bench. */
void bench_wait(struct bench *, unsigned moments);
void bench_pause(struct bench *, unsigned milliseconds);
