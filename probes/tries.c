// SPDX-License-Identifier: BSD-2-Clause
/* tries.c: who shares the computer. */
#include "probes/tries.h"

unsigned tries_on(struct machine *machine)
{
    enum { SMALL_PAGE = 4096 };
    struct span span;
    return machine_span(machine, 0, &span) && span.contiguous <= SMALL_PAGE ? TRIES : 1;
}

double tries_neighbour(struct machine *machine)
{
    return tries_on(machine) > 1 ? NEIGHBOUR : 0;
}
