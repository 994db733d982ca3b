// SPDX-License-Identifier: BSD-2-Clause
/* hit.h: what a load costs that hits the first level. */
#pragma once
#include "probes/sample.h"

struct hit {
    uint64_t cycles;   /* core cycles, 0: not decided */
    double confidence; /* of `cycles` */
    double low, high;  /* core cycles: what noise and the clock's step leave possible */
};

/* Whether what a hit takes is known for certain: so well that no further look is taken at it. */
bool hit_is_sure(const struct hit *);

/* Measures it on NEIGHBOURS neighbours at a mapped address; bench->cycles_per_tick must be known. False: skipped or
 * refused. */
bool hit_measure(struct bench *, uint64_t base, struct hit *);

/* The same for loads of another form: OP_LOAD_32, OP_LOAD_INDEXED, OP_LOAD_FLOAT. */
bool hit_measure_as(struct bench *, enum op, uint64_t base, struct hit *);

/* The least that a miss can cost more than a hit, in ticks, above 0: one core cycle. A next level that costs not even
 * that cannot be told from this one, nor need it be. Where core cycles are not known: no first level takes more than 16
 * of them, so a sixteenth of a hit is at most one. False: skipped or refused. */
bool hit_least_miss(struct bench *, uint64_t base, double *least);
