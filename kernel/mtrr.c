// SPDX-License-Identifier: BSD-2-Clause
/* mtrr.c: reading the memory type range registers; see mtrr.h. */
#include "kernel/mtrr.h"
#include "kernel/cpu.h"

enum { DEF_TYPE_ENABLE = 1 << 11, MASK_VALID = 1 << 11, CAP_COUNT = 0xff, FIXED_END = 1 << 20 };

void mtrr_read(struct mtrr *mtrr, unsigned physical_bits)
{
    uint64_t address = ((1ull << physical_bits) - 1) & ~0xfffull;
    unsigned count = (unsigned)cpu_msr(IA32_MTRRCAP) & CAP_COUNT;

    mtrr->enabled = cpu_msr(IA32_MTRR_DEF_TYPE) & DEF_TYPE_ENABLE;
    mtrr->count = 0;
    for (unsigned i = 0; mtrr->enabled && i < count && mtrr->count < MAX_MTRR_RANGES; i++) {
        uint64_t base = cpu_msr(IA32_MTRR_PHYSBASE0 + 2 * i), mask = cpu_msr(IA32_MTRR_PHYSBASE0 + 2 * i + 1);

        if (!(mask & MASK_VALID))
            continue;
        mtrr->range[mtrr->count].base = base & address;
        mtrr->range[mtrr->count].mask = mask & address;
        mtrr->count++;
    }
}

bool mtrr_uniform(const struct mtrr *mtrr, uint64_t base, uint64_t size)
{
    if (!mtrr->enabled || size <= 4096)
        return true;
    if (base < FIXED_END)
        return false;
    for (unsigned i = 0; i < mtrr->count; i++) {
        uint64_t mask = mtrr->range[i].mask;
        bool meets = ((base ^ mtrr->range[i].base) & mask & ~(size - 1)) == 0;

        /* A mask that looks at bits inside the page puts only a part of it into the range. */
        if (meets && (mask & (size - 1)) != 0)
            return false;
    }
    return true;
}
