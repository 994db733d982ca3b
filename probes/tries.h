// SPDX-License-Identifier: BSD-2-Clause
/* tries.h: how often the same is measured, and what is thought of what only one of the tries says. Who does not know
 * where memory lies shares the computer: what a neighbour does while something is decided that all the rest stands on
 * cannot be made good by asking the rest again, and it may hold a part of a level for all of a try. */
#pragma once
#include "kernel/machine.h"

enum { TRIES = 3 };

/* On a computer that others share, what one try says and no other is wrong more often than right. */
static const double UNCONFIRMED = 0.6;

/* What nothing in a run speaks against may be a neighbour's all the same, who stays for all of it: on a Zen 5, as a
 * guest, 5 of 20 runs found 10 ways for 12, at 0.99, and 2 a second level that was a mixture, at 0.9. */
static const double NEIGHBOUR = 0.25;

/* How many tries there are at most: TRIES where others share the computer, else 1. */
unsigned tries_on(struct machine *);

/* The doubt that a neighbour leaves: NEIGHBOUR where others share the computer, else 0. */
double tries_neighbour(struct machine *);
