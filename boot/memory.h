// SPDX-License-Identifier: BSD-2-Clause
/* memory.h: memory for the machine, the probes and the run, from the firmware. It goes back only with the power: a
 * program that returns to the firmware frees it with memory_free. */
#pragma once
#include "boot/firmware.h"
#include "boot/plan.h"

struct memory {
    struct grant own; /* the machine's */
    struct grant low; /* code below 4 GB, with tables of five levels; size 0: not asked for */
    struct grant grants[MAX_GRANTS];
    unsigned grant_count;
    struct region *regions;
    size_t region_count;
    struct grant run, recording; /* for struct run and the raw readings */
    uint64_t granted, left;      /* bytes: of the grants, and what is still free for the firmware */
};

/* Takes LEVELS_SIZE bytes of code below 4 GB (kernel/levels.h), after the other memory. False: there are none. */
bool memory_take_low(struct memory *, const struct firmware *);

/* Takes memory: `run` bytes for the run, a recording, what the machine needs for itself, and grants of at most `most`
 * bytes (0: as much as is sensible, which is up to 8 GB unless all memory is asked for). False: *why says what is
 * missing; what was taken is freed. */
bool memory_take(struct memory *, const struct firmware *, size_t run, uint64_t most, bool all, const char **why);

void memory_free(struct memory *, const struct firmware *);
