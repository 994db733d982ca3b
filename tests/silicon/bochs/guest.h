// SPDX-License-Identifier: BSD-2-Clause
/* guest.h: the ground of the model (tests/silicon/ground.h) under Bochs: the guest's memory, its CR3, and the memory
 * types that its MTRRs and its PAT give. */
#pragma once
#include "tests/silicon/bochs/emulator.h"
#include "tests/silicon/ground.h"

enum { MAX_RANGES = 16, FIXED_TYPES = 88, GUEST_FRAMES = 1 << 20 };

struct ground {
    struct emulator *emulator;
    uint64_t root;                /* CR3 */
    uint8_t *frame[GUEST_FRAMES]; /* where 4 KB of guest memory lie in this process; NULL: not looked up yet */
    /* MTRRs and PAT, as last read: Intel SDM volume 3, "Memory Cache Control" */
    bool stale;
    bool ranges_on, fixed_on;
    uint8_t otherwise;          /* type where no range says anything */
    uint8_t pat[8];             /* type of each of the eight entries */
    uint8_t fixed[FIXED_TYPES]; /* below 1 MB: 8 of 64 KB, 16 of 16 KB, 64 of 4 KB */
    unsigned ranges;
    struct {
        uint64_t base, mask;
        uint8_t type;
    } range[MAX_RANGES];
};

/* Whether a write to this MSR changes memory types. */
bool guest_types_by(uint32_t msr);
