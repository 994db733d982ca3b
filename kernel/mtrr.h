// SPDX-License-Identifier: BSD-2-Clause
/* mtrr.h: the memory types that the firmware has set by physical range. A large page across two types is undefined
 * (Intel SDM volume 3, 12.11.9), so the tables ask here before they use one. Read, never written. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { MAX_MTRR_RANGES = 32 };

struct mtrr {
    bool enabled; /* false: everything is one type */
    unsigned count;
    struct {
        uint64_t base, mask; /* page-aligned address bits */
    } range[MAX_MTRR_RANGES];
};

/* Reads the variable ranges of this processor. `physical_bits`: of its addresses. Only where CPUID declares MTRRs. */
void mtrr_read(struct mtrr *, unsigned physical_bits);

/* Whether [base, base + size) certainly has one type; size: a power of two, base a multiple of it. Below 1 MB, where
 * the fixed ranges lie, only single 4 KB pages have. Ranges of the same type that meet inside count as two. */
bool mtrr_uniform(const struct mtrr *, uint64_t base, uint64_t size);
