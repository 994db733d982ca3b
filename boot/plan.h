// SPDX-License-Identifier: BSD-2-Clause
/* plan.h: which memory the probes get and how much stays with the firmware. Pure: tested on the host. */
#pragma once
#include "kernel/kernel.h"

/* Bytes that stay with the firmware when so much memory is free: what its drivers, and our documents, need to live. */
uint64_t plan_leave(uint64_t all_free);

/* Chooses grants among free ranges (any order, no overlaps): the largest ones, largest first, at most `most` bytes
 * together, leaving at least `leave` bytes of what lies below 4 GB, where devices can reach it. A grant starts and ends
 * at multiples of 2 MB; where a range has more than is needed, it starts at the largest power of two, up to 1 GB, that
 * leaves room for it. Returns how many there are. */
unsigned plan_grants(const struct grant *available, size_t count, uint64_t most, uint64_t leave,
                     struct grant grants[MAX_GRANTS]);
