// SPDX-License-Identifier: BSD-2-Clause
/* line.h: the length of a line of the first level. */
#pragma once
#include "probes/way.h"

/* Bytes, 32 to 1024; 0: not decided, see fit_usable. */
uint64_t line_find(struct fit *, const struct way *);
