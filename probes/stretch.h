// SPDX-License-Identifier: BSD-2-Clause
/* stretch.h: the memory that a probe works in: the largest span, mapped at the start of the view. */
#pragma once
#include "kernel/machine.h"

struct stretch {
    uint64_t base, size; /* mapped view addresses; base is a multiple of the page size */
    uint64_t physical;   /* address of the first byte */
    uint64_t page;       /* bytes */
    uint64_t contiguous; /* physical order is certain inside naturally aligned blocks of so many bytes */
};

/* Bytes of the largest span, 0 when there is none. */
uint64_t stretch_available(struct machine *);

/* Maps at most `wanted` bytes of it, write-back, in pages of exactly `page` bytes, and unmaps nothing else. False: not
 * one such page can be had (machine_why, or the span is too small). */
bool stretch_map(struct machine *, uint64_t page, uint64_t wanted, struct stretch *);

/* The same with the largest page size of at most `most` bytes that maps at least `least` bytes; the smallest page
 * size is the last resort, whatever it gives. */
bool stretch_best(struct machine *, uint64_t most, uint64_t least, uint64_t wanted, struct stretch *);

/* Takes the mapping away. */
void stretch_unmap(struct machine *, const struct stretch *);
