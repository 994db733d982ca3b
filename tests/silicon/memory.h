// SPDX-License-Identifier: BSD-2-Clause
/* memory.h: DRAM: banks with one open row each, and refresh. */
#pragma once
#include "tests/silicon/description.h"

struct memory; /* opaque */

struct memory *memory_create(const struct memory_description *); /* NULL: no memory. Keeps the pointer. */
void memory_destroy(struct memory *);

/* Core cycles of one access, load to use, at time `now`. */
unsigned memory_access(struct memory *, uint64_t pa, uint64_t now);
void memory_close_rows(struct memory *);

/* So many cycles, whole periods of refresh, went by in which what happened before happened again. */
void memory_skip(struct memory *, uint64_t cycles);
uint64_t memory_digest(const struct memory *, uint64_t now); /* open rows, and the phase of refresh when there is any */
