// SPDX-License-Identifier: BSD-2-Clause
/* counters_amd.c: AMD's registers of counters. From AMD's BKDGs, PPRs and the APM, volume 2, "Performance monitoring":
 *
 * 4 counters  families 0Fh to 14h: event selects C0010000h on, counters C0010004h on
 * 6 counters  families 15h on: C0010200h and C0010201h on, in pairs, of which the first four are also at the older
 *             addresses; read-only copies of MPERF and APERF at C00000E7h and C00000E8h, which a write of the others
 *             does not move
 * version 2   family 19h model 10h on (CPUID leaf 80000022h): global status C0000300h, control C0000301h, status clear
 *             C0000302h and set C0000303h; after reset all counters are enabled there
 *
 * Reserved bits of event selects and of the control are dropped, and so are the bits of a counter beyond its width;
 * writes of the read-only status are ignored. RDPMC takes a core counter's number. Not modelled: the counters of
 * northbridge, L3 and memory controllers, interrupts, the event that counts instructions for good (C00000E9h). */
#include "tests/silicon/counters_inside.h"

enum {
    LEGACY = 4,   /* counters at the older addresses */
    EXTENDED = 6, /* from which number of counters on there are the newer ones */
    VERSION_2 = 2
};

static const uint32_t MSR_LEGACY_SELECT = 0xC0010000, MSR_LEGACY_COUNTER = 0xC0010004, MSR_EXTENDED = 0xC0010200,
                      MSR_MPERF_COPY = 0xC00000E7, MSR_APERF_COPY = 0xC00000E8, MSR_STATUS = 0xC0000300,
                      MSR_CONTROL = 0xC0000301, MSR_STATUS_CLEAR = 0xC0000302, MSR_STATUS_SET = 0xC0000303;

/* Event and mask, levels, edge, interrupt, enable, invert, counter mask, four more bits of event, guest and host. */
static const uint64_t SELECT_BITS = 0x30FFFD7FFFF;

static bool version_2(const struct counters *counters)
{
    return counters->description->counters.version >= VERSION_2;
}

bool amd_general_runs(const struct counters *counters, const struct core_counters *here, unsigned number)
{
    bool global = !version_2(counters) || here->global_control >> number & 1;

    return global && here->select[number] & SELECT_ENABLE && here->select[number] & SELECT_SYSTEM;
}

/* 76h: cycles not in halt; C0h: retired instructions; 2Bh: SMIs received (from family 17h on; its PPRs). */
enum counted amd_architectural(const struct counters *counters, unsigned event, unsigned umask)
{
    if (umask != 0)
        return COUNTED_COUNT;
    if (event == 0x76)
        return COUNTED_CYCLES;
    if (event == 0xC0)
        return COUNTED_INSTRUCTIONS;
    return event == 0x2B && counters->general >= EXTENDED ? COUNTED_SMI : COUNTED_COUNT;
}

/* Which counter an MSR belongs to, and whether it is its event select. False: none. */
static bool register_of(const struct counters *counters, uint32_t msr, unsigned *number, bool *select)
{
    unsigned legacy = counters->general < LEGACY ? counters->general : LEGACY;

    *select = msr - MSR_LEGACY_SELECT < legacy;
    *number = *select ? msr - MSR_LEGACY_SELECT : msr - MSR_LEGACY_COUNTER;
    if (*number < legacy)
        return true;
    *select = (msr - MSR_EXTENDED) % 2 == 0;
    *number = (msr - MSR_EXTENDED) / 2;
    return counters->general >= EXTENDED && *number < counters->general;
}

static bool read_global(const struct counters *counters, const struct core_counters *here, uint32_t msr, uint64_t ticks,
                        uint64_t *value)
{
    if (!version_2(counters))
        return false;
    if (msr == MSR_STATUS)
        *value = counters_overflows(counters, here, ticks);
    else if (msr == MSR_CONTROL)
        *value = here->global_control;
    else if (msr == MSR_STATUS_CLEAR || msr == MSR_STATUS_SET)
        *value = 0;
    else
        return false;
    return true;
}

bool amd_read(const struct counters *counters, const struct core_counters *here, uint32_t msr, struct moment moment,
              uint64_t *value)
{
    unsigned number;
    bool select;

    if (counters_read_perf(here, msr, moment, value))
        return true;
    if (counters->general >= EXTENDED && (msr == MSR_MPERF_COPY || msr == MSR_APERF_COPY)) {
        *value = msr == MSR_APERF_COPY ? moment.now : moment.ticks;
        return true;
    }
    if (register_of(counters, msr, &number, &select)) {
        *value = select ? here->select[number] : counters_general(counters, here, number);
        return true;
    }
    return read_global(counters, here, msr, moment.ticks, value);
}

static bool write_global(const struct counters *counters, struct core_counters *here, uint32_t msr, uint64_t ticks,
                         uint64_t value)
{
    uint64_t bits = ((uint64_t)1 << counters->general) - 1;

    if (!version_2(counters))
        return false;
    if (msr == MSR_STATUS)
        return true;
    if (msr == MSR_CONTROL)
        counters_control(counters, here, ticks, &here->global_control, value & bits);
    else if (msr == MSR_STATUS_CLEAR)
        counters_clear_overflows(counters, here, ticks, value);
    else if (msr == MSR_STATUS_SET)
        here->overflows |= value & bits;
    else
        return false;
    return true;
}

bool amd_write(const struct counters *counters, struct core_counters *here, uint32_t msr, struct moment moment,
               uint64_t value)
{
    unsigned number;
    bool select;

    if (counters_write_perf(here, msr, moment, value))
        return true;
    if (!register_of(counters, msr, &number, &select))
        return write_global(counters, here, msr, moment.ticks, value);
    if (select)
        counters_control(counters, here, moment.ticks, &here->select[number], value & SELECT_BITS);
    else
        counters_set(counters, here, moment.ticks, &here->general[number], value);
    return true;
}
