// SPDX-License-Identifier: BSD-2-Clause
/* neighbours.h: small pages side by side, whose frames lie side by side, too, or far apart; and large ones. */
#pragma once
#include "probes/cover.h"
#include "probes/stretch.h"

enum {
    BLOCK = 32, /* pages; no run is longer than half of it */
    PAGES = (MOST_PAIRS + 1) * BLOCK,
    MOST_PUSHED = 2048
};

struct neighbours {
    struct bench *bench;
    struct stretch dense;
    uint64_t distance;         /* of large pages */
    uint64_t base, first;      /* address of page 0, and of its frame */
    struct spot spot[PAGES];   /* side by side, from a multiple of BLOCK on */
    struct spot lonely[BLOCK]; /* side by side, but not their frames */
    const char *why;           /* it could not be opened */
};

/* Maps them, so many bytes above the memory's own mapping. False: ->why; neighbours_close is needed all the same. */
bool neighbours_open(struct neighbours *, struct bench *, uint64_t distance);
void neighbours_close(struct neighbours *);

/* A walk through so many other pages, at most MOST_PUSHED, which pushes the others' entries out of a level. */
bool neighbours_push(struct neighbours *, uint64_t count, struct walk *push);

/* Maps two pages of so many bytes, which show the same memory, the first as far above its own mapping and the second as
 * far above that, two pages at least; and makes pairs of places in one page each: two in each page, half of it apart.
 * False: ->why; large_close is needed all the same. */
bool large_open(struct neighbours *, struct bench *, uint64_t page, uint64_t distance, struct pairs *);
void large_close(struct neighbours *, uint64_t page);
