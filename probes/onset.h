// SPDX-License-Identifier: BSD-2-Clause
/* onset.h: levels that never become level: where a curve that was about to settle climbs anew. */
#pragma once
#include "probes/finding.h"
#include "probes/step.h"

/* Adds to the plateaus of a curve (count points, x above 0 and growing) the levels between them that random or hashed
 * replacement rounds off: such a level ends at an onset, a point after which the curve climbs at least three times as
 * steeply as in the octave before it, by at least `ratio` within the next octave, though the climb had slowed down to
 * half by then. Its value is that of the curve at the geometric middle between its ends. Returns how many plateaus
 * there are now. *sure: how many of them, from the first, are numbered for certain: a climb of more than three octaves
 * can hide a level that has no onset. */
unsigned onset_levels(const struct point *, const double *value, unsigned count, double ratio,
                      struct plateau plateau[MAX_PLATEAUS], unsigned plateaus, unsigned *sure);
