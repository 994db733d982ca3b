// SPDX-License-Identifier: BSD-2-Clause
/* clock.h: time: core cycles, the clock's ticks, and what disturbs both. */
#pragma once
#include "tests/silicon/description.h"

struct silicon_clock {
    const struct clock_description *description;
    uint64_t cycles; /* core cycles since the start */
    uint64_t parts;  /* ratio_core-ths of a tick since the start */
    uint64_t busy;   /* cycles of work since the last idle time, at most the ramp: slow while less */
    uint64_t waited; /* cycles without work since the last work, at most `idle` */
};

void clock_pass(struct silicon_clock *, uint64_t cycles); /* work */
void clock_idle(struct silicon_clock *, uint64_t cycles); /* waiting: longer than `idle` costs the ramp */
void clock_lose(struct silicon_clock *, uint64_t cycles); /* time that somebody else took: ticks go by */
uint64_t clock_ticks(const struct silicon_clock *);       /* what the counter shows: a multiple of the step */

/* Noise in time: what happens at which cycle. */
struct noise {
    const struct noise_description *description;
    struct random random;
    uint64_t smi_at, traffic_at, neighbour_at, neighbour_until; /* cycles; UINT64_MAX: never */
    uint64_t smis;                                              /* so far, counted ones */
};

void noise_start(struct noise *, const struct noise_description *, uint64_t seed);
uint64_t noise_next(const struct noise *); /* the cycle at which something happens next; UINT64_MAX: never */

/* What is due at `now`: an SMI (cycles that it took in *lost), or lines and pages that others bring in (numbers of
 * them). False: nothing. Call until false. */
struct disturbance {
    uint64_t lost;
    bool counted;
    unsigned shared_lines, first_lines, first_pages;
};
bool noise_due(struct noise *, uint64_t now, struct disturbance *);
uint64_t noise_line(struct noise *, uint64_t span); /* a random line address below span */
uint64_t noise_jitter(struct noise *);              /* ticks */
