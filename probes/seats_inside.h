// SPDX-License-Identifier: BSD-2-Clause
/* seats_inside.h: what the files of seats share: seats.c maps and walks them, seats_pieces.c visits pieces of large
 * pages. */
#pragma once
#include "probes/seats.h"

/* The address of the row's first page. */
uint64_t seats_row_base(const struct seats *);

/* Bytes from a stop to the control's beside it. */
uint64_t seats_beside(const struct seats *);

/* Ticks a step of a walk over stops, more than that of its control, *few. False: see seats_ok. */
bool seats_time_both(struct seats *, const struct stops *, const struct stops *control, double *few, double *ticks);
