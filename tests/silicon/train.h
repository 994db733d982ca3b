// SPDX-License-Identifier: BSD-2-Clause
/* train.h: how one prefetcher of one core learns from addresses: trackers of streams and of strides. Knows no caches:
 * it is told of accesses and says what it would like to have. */
#pragma once
#include "tests/silicon/description.h"

enum { PREFETCH_PAGE = 4096 }; /* bytes: what no prefetcher crosses */

struct trainer; /* opaque */

/* shift: log2 of the bytes of a line. kind: STREAM or STRIDE. NULL: no memory. */
struct trainer *trainer_create(const struct prefetcher_description *, unsigned shift);
void trainer_destroy(struct trainer *);

/* Places to fetch: `count` of them, `first` and then every `step` bytes; relative to the page of 4096 bytes of the
 * access that asked for them, and all inside it. */
struct run {
    int64_t first, step;
    unsigned count;
};

/* An access to a physical address, for a stream. */
struct run trainer_stream(struct trainer *, uint64_t pa);

/* An access to a virtual address by an instruction, for a stride. */
struct run trainer_stride(struct trainer *, uint64_t ip, uint64_t va);

void trainer_forget(struct trainer *);
uint64_t trainer_digest(const struct trainer *); /* 0: knows nothing */
