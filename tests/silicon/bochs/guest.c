// SPDX-License-Identifier: BSD-2-Clause
/* guest.c: the guest's memory and memory types, as the model's walker wants to know them.
 *
 * Types: Intel SDM volume 3, chapter "Memory Cache Control", sections "Memory Type Range Registers" and "Page Attribute
 * Table"; table "Effective Page-Level Memory Types for Pentium III and More Recent Processor Families" for how the two
 * combine. AMD64 APM volume 2, "Memory-Type Range Registers", has the same registers with the same numbers. */
#include "tests/silicon/bochs/guest.h"
#include <string.h>

enum {
    MSR_MTRRCAP = 0xfe,
    MSR_RANGE_FIRST = 0x200,
    MSR_RANGE_LAST = 0x21f,
    MSR_FIXED_64K = 0x250,
    MSR_FIXED_16K = 0x258,
    MSR_FIXED_4K = 0x268,
    MSR_FIXED_LAST = 0x26f,
    MSR_PAT = 0x277,
    MSR_MTRR_DEFAULT = 0x2ff,
    ENABLE = 1 << 11, /* in the default type register, and `valid` in a mask register */
    FIXED_ENABLE = 1 << 10,
    FRAME = 4096,
    LOW = 1 << 20, /* here ROM, RAM and video memory change places */
    BOCHS_READ = 0
};

static const uint64_t ADDRESS = 0x000ffffffffff000;

/* Types as MTRRs and PAT number them. */
enum coded { CODED_UC = 0, CODED_WC = 1, CODED_WT = 4, CODED_WP = 5, CODED_WB = 6, CODED_UC_MINUS = 7 };

bool guest_types_by(uint32_t msr)
{
    return (msr >= MSR_RANGE_FIRST && msr <= MSR_FIXED_LAST) || msr == MSR_PAT || msr == MSR_MTRR_DEFAULT;
}

uint64_t ground_read(struct ground *ground, uint64_t pa)
{
    uint64_t number = pa / FRAME, value = 0;
    uint8_t *frame = number < GUEST_FRAMES ? ground->frame[number] : NULL;

    if (!frame) {
        frame = ground->emulator->host_address(emulator_processor(ground->emulator), pa & ADDRESS, BOCHS_READ);
        if (!frame)
            return 0; /* a device, or nothing */
        if (pa >= LOW && number < GUEST_FRAMES)
            ground->frame[number] = frame;
    }
    memcpy(&value, frame + pa % FRAME, sizeof value);
    return value;
}

uint64_t ground_root(struct ground *ground, unsigned core)
{
    (void)core;
    return ground->root;
}

static uint64_t register_of(struct ground *ground, uint32_t msr)
{
    uint64_t value = 0;

    if (!ground->emulator->read_msr(emulator_processor(ground->emulator), msr, &value))
        return 0;
    return value;
}

static void read_bytes(struct ground *ground, uint32_t msr, uint8_t bytes[8])
{
    uint64_t value = register_of(ground, msr);

    memcpy(bytes, &value, sizeof value);
}

static void refresh(struct ground *ground)
{
    static const uint32_t fixed[FIXED_TYPES / 8] = {
        MSR_FIXED_64K,    MSR_FIXED_16K,    MSR_FIXED_16K + 1, MSR_FIXED_4K,     MSR_FIXED_4K + 1, MSR_FIXED_4K + 2,
        MSR_FIXED_4K + 3, MSR_FIXED_4K + 4, MSR_FIXED_4K + 5,  MSR_FIXED_4K + 6, MSR_FIXED_4K + 7};
    uint64_t all = register_of(ground, MSR_MTRR_DEFAULT), count = register_of(ground, MSR_MTRRCAP) & 0xff;

    ground->ranges_on = all & ENABLE;
    ground->fixed_on = all & FIXED_ENABLE;
    ground->otherwise = all & 0xff;
    read_bytes(ground, MSR_PAT, ground->pat);
    for (unsigned i = 0; i < FIXED_TYPES / 8; i++)
        read_bytes(ground, fixed[i], &ground->fixed[8 * i]);
    ground->ranges = 0;
    for (uint32_t i = 0; i < count && i < MAX_RANGES; i++) {
        uint64_t base = register_of(ground, MSR_RANGE_FIRST + 2 * i);
        uint64_t mask = register_of(ground, MSR_RANGE_FIRST + 2 * i + 1);

        if (!(mask & ENABLE))
            continue;
        ground->range[ground->ranges].base = base & mask & ADDRESS;
        ground->range[ground->ranges].mask = mask & ADDRESS;
        ground->range[ground->ranges++].type = base & 0xff;
    }
    ground->stale = false;
}

static unsigned fixed_type(const struct ground *ground, uint64_t pa)
{
    if (pa < 0x80000)
        return ground->fixed[pa >> 16];
    if (pa < 0xc0000)
        return ground->fixed[8 + ((pa - 0x80000) >> 14)];
    return ground->fixed[24 + ((pa - 0xc0000) >> 12)];
}

/* Overlaps: UC wins; WT and WB give WT ("Precedence of Cache Controls"). */
static unsigned range_type(const struct ground *ground, uint64_t pa)
{
    unsigned found = UINT32_MAX;

    if (!ground->ranges_on)
        return CODED_UC;
    if (ground->fixed_on && pa < LOW)
        return fixed_type(ground, pa);
    for (unsigned i = 0; i < ground->ranges; i++) {
        if ((pa & ground->range[i].mask) != ground->range[i].base)
            continue;
        if (ground->range[i].type < found)
            found = ground->range[i].type;
    }
    return found == UINT32_MAX ? ground->otherwise : found;
}

enum memtype ground_type(struct ground *ground, unsigned core, uint64_t pa, unsigned pat_bits)
{
    unsigned by_range, by_page;

    (void)core;
    if (ground->stale)
        refresh(ground);
    by_range = range_type(ground, pa);
    by_page = ground->pat[pat_bits & 7];
    if (by_page == CODED_WC || (by_page == CODED_UC_MINUS && by_range == CODED_WC))
        return MEM_WC;
    if (by_page == CODED_UC || by_page == CODED_UC_MINUS || by_range == CODED_UC)
        return MEM_UC;
    if (by_range == CODED_WC)
        return by_page == CODED_WB ? MEM_WC : MEM_UC;
    if (by_page == CODED_WP || by_range == CODED_WP)
        return by_page == CODED_WT ? MEM_WT : MEM_WP;
    return by_page == CODED_WT || by_range == CODED_WT ? MEM_WT : MEM_WB;
}
