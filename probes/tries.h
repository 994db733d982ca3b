// SPDX-License-Identifier: BSD-2-Clause
/* tries.h: how often the same is measured, and what is thought of what only one of the tries says. Who does not know
 * where memory lies shares the computer: what a neighbour does while something is decided that all the rest stands on
 * cannot be made good by asking the rest again, and it may hold a part of a level for all of a try. */
#pragma once
#include "kernel/machine.h"

enum { TRIES = 3 };

/* On a computer that others share, what one try says and no other is wrong more often than right. */
static const double UNCONFIRMED = 0.6;

/* How many tries there are at most: TRIES where others share the computer, else 1. */
unsigned tries_on(struct machine *);
