// SPDX-License-Identifier: BSD-2-Clause
/* inside.h: the modelled machine, known to tests/silicon/ alone. */
#pragma once
#include "base/random.h"
#include "tests/silicon/silicon.h"
#include <setjmp.h>

enum { SPAN_BASE = 1 << 30 };

/* The cache: `ways` lines of each set, the most recently used first; a line's number plus 1, or 0 when empty. */
struct cache {
    uint64_t sets;
    uint64_t *lines;
};

/* What the mappings of a physical page have in common. */
struct mapped {
    uint32_t count;
    uint8_t type;
};

struct machine {
    struct front front; /* first: kernel/front.h */
    struct silicon_description description;
    struct host *host;
    struct facts facts;
    struct random random;
    struct cache cache;
    uint64_t time;         /* in ratio_core-ths of a tick since the start */
    uint8_t *memory;       /* the span */
    uint64_t *page;        /* translation of each small page of the view */
    struct mapped *mapped; /* of each small page of the span */
    struct fault fault;
    jmp_buf *recovery; /* of the innermost machine_protect */
};

/* cache.c: one access to a physical address, in core cycles; one that the cache must not hold is not `cacheable`. */
uint64_t cache_access(struct machine *, uint64_t pa, bool cacheable);
void cache_drop(struct machine *, uint64_t pa);
void cache_empty(struct machine *);

uint64_t memory_read(const struct machine *, uint64_t pa);
void memory_write(struct machine *, uint64_t pa, uint64_t value, unsigned size); /* size: bytes, at most 8 */

/* time.c: core cycles go by; a stretch between two looks at the clock, with the description's noise. */
void clock_pass(struct machine *, uint64_t cycles);
uint64_t clock_start(struct machine *);
struct reading clock_stop(struct machine *, uint64_t start);
