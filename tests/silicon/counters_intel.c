// SPDX-License-Identifier: BSD-2-Clause
/* counters_intel.c: Intel's registers of counters: those of the P6 family (version 0) and the architectural ones of
 * versions 1 to 5. From the SDM, volume 3, "Performance monitoring", and volume 4:
 *
 * version 0  two counters of 40 bits, event selects 186h and 187h, counters C1h and C2h; the enable bit of the first
 *            event select is that of both ("P6 family processor performance counters")
 * version 1  CPUID leaf 0Ah; an enable bit each
 * version 2  fixed counters 309h on and their control 38Dh, global status 38Eh, control 38Fh, overflow control 390h
 * version 3  bit 21, any thread, in event selects, and one such bit in the control of each fixed counter
 * version 4  status is reset by 390h and set by 391h; 392h says what is in use
 * version 5  fixed counters as a bit mask in CPUID; any thread is gone again
 *
 * Writes of 32 bits to C1h are sign-extended to the counter's width; full width is written at 4C1h, where
 * IA32_PERF_CAPABILITIES has bit 13: here from version 3 on, although the first processors of version 3 did not have
 * it. Reserved bits and registers that are not there: #GP. Not modelled: interrupts, freezing, precise sampling, last
 * branches, transactional bits, the slots counter's metrics. */
#include "tests/silicon/counters_inside.h"

enum {
    MSR_SMI_COUNT = 0x34,
    MSR_PMC = 0xC1,
    MSR_EVENT_SELECT = 0x186,
    MSR_FIXED = 0x309,
    MSR_CAPABILITIES = 0x345,
    MSR_FIXED_CONTROL = 0x38D,
    MSR_STATUS = 0x38E,
    MSR_GLOBAL_CONTROL = 0x38F,
    MSR_STATUS_RESET = 0x390, /* up to version 3: overflow control */
    MSR_STATUS_SET = 0x391,
    MSR_IN_USE = 0x392,
    MSR_FULL_PMC = 0x4C1
};

static const uint64_t FULL_WIDTH_WRITES = 1 << 13;

static unsigned version(const struct counters *counters)
{
    return counters->description->counters.version;
}

static bool any_thread(const struct counters *counters)
{
    return version(counters) == 3 || version(counters) == 4;
}

bool intel_general_runs(const struct counters *counters, const struct core_counters *here, unsigned number)
{
    uint64_t enabled = here->select[version(counters) == 0 ? 0 : number] & SELECT_ENABLE;
    bool global = version(counters) < 2 || here->global_control >> number & 1;

    return enabled && global && here->select[number] & SELECT_SYSTEM;
}

bool intel_fixed_runs(const struct counters *counters, const struct core_counters *here, unsigned number)
{
    (void)counters;
    return here->fixed_control >> 4 * number & 1 && here->global_control >> (FIXED_BIT + number) & 1;
}

/* Core cycles and instructions are events of every version (SDM, "Pre-defined architectural performance events"); 79h
 * is the P6 family's cycles. */
enum counted intel_architectural(const struct counters *counters, unsigned event, unsigned umask)
{
    if (umask != 0)
        return COUNTED_COUNT;
    if (event == 0xC0)
        return COUNTED_INSTRUCTIONS;
    return event == (version(counters) == 0 ? 0x79u : 0x3Cu) ? COUNTED_CYCLES : COUNTED_COUNT;
}

/* Whether msr is one of `count` in a row from `first` on, and which. */
static bool among(uint32_t msr, uint32_t first, unsigned count, unsigned *number)
{
    *number = msr - first;
    return msr >= first && *number < count;
}

static uint64_t in_use(const struct counters *counters, const struct core_counters *here)
{
    uint64_t bits = 0;
    bool interrupts = false;

    for (unsigned i = 0; i < counters->general; i++) {
        bits |= (uint64_t)((here->select[i] & SELECT_EVENT) != 0) << i;
        interrupts |= (here->select[i] & SELECT_INTERRUPT) != 0;
    }
    for (unsigned i = 0; i < counters->fixed; i++) {
        bits |= (uint64_t)((here->fixed_control >> 4 * i & 3) != 0) << (FIXED_BIT + i);
        interrupts |= here->fixed_control >> 4 * i & 8;
    }
    return bits | (uint64_t)interrupts << 63;
}

/* The registers around the counters, from version 2 on. */
static bool read_global(const struct counters *counters, const struct core_counters *here, uint32_t msr, uint64_t ticks,
                        uint64_t *value)
{
    if (version(counters) < 2 || (version(counters) < 4 && msr >= MSR_STATUS_SET))
        return false;
    switch (msr) {
    case MSR_CAPABILITIES:
        *value = version(counters) >= 3 ? FULL_WIDTH_WRITES : 0;
        return true;
    case MSR_FIXED_CONTROL:
        *value = here->fixed_control;
        return true;
    case MSR_STATUS:
        *value = counters_overflows(counters, here, ticks);
        return true;
    case MSR_GLOBAL_CONTROL:
        *value = here->global_control;
        return true;
    case MSR_STATUS_RESET:
    case MSR_STATUS_SET:
        *value = 0;
        return true;
    case MSR_IN_USE:
        *value = in_use(counters, here);
        return true;
    default:
        return false;
    }
}

bool intel_read(const struct counters *counters, const struct core_counters *here, uint32_t msr, struct moment moment,
                uint64_t *value)
{
    unsigned number;

    if (version(counters) >= 1 && counters_read_perf(here, msr, moment, value))
        return true;
    if (msr == MSR_SMI_COUNT && version(counters) >= 3) {
        *value = here->total[COUNTED_SMI] & UINT32_MAX;
        return true;
    }
    if (among(msr, MSR_EVENT_SELECT, counters->general, &number)) {
        *value = here->select[number];
        return true;
    }
    if (among(msr, MSR_PMC, counters->general, &number) ||
        (version(counters) >= 3 && among(msr, MSR_FULL_PMC, counters->general, &number))) {
        *value = counters_general(counters, here, number);
        return true;
    }
    if (among(msr, MSR_FIXED, counters->fixed, &number)) {
        *value = counters_fixed(counters, here, number, moment.ticks);
        return true;
    }
    return read_global(counters, here, msr, moment.ticks, value);
}

/* Each fixed counter has four bits: levels 0 and 1 to 3, any thread, interrupt. */
static uint64_t fixed_control_bits(const struct counters *counters)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < counters->fixed; i++)
        bits |= (uint64_t)(any_thread(counters) ? 0xF : 0xB) << 4 * i;
    return bits;
}

/* Bits of the status that are not of counters: buffer overflow and "condition changed", uncore (version 3), trace and
 * freezing (version 4). All of them read as 0. */
static uint64_t status_bits(const struct counters *counters)
{
    uint64_t bits = counters_bits(counters) | (uint64_t)3 << 62;

    if (version(counters) >= 3)
        bits |= (uint64_t)1 << 61;
    if (version(counters) >= 4)
        bits |= (uint64_t)1 << 55 | (uint64_t)7 << 58;
    return bits;
}

static bool write_global(const struct counters *counters, struct core_counters *here, uint32_t msr, uint64_t ticks,
                         uint64_t value)
{
    if (version(counters) < 2)
        return false;
    if (msr == MSR_FIXED_CONTROL && !(value & ~fixed_control_bits(counters)))
        counters_control(counters, here, ticks, &here->fixed_control, value);
    else if (msr == MSR_GLOBAL_CONTROL && !(value & ~counters_bits(counters)))
        counters_control(counters, here, ticks, &here->global_control, value);
    else if (msr == MSR_STATUS_RESET && !(value & ~status_bits(counters)))
        counters_clear_overflows(counters, here, ticks, value);
    else if (msr == MSR_STATUS_SET && version(counters) >= 4 && !(value & ~status_bits(counters)))
        here->overflows |= value & counters_bits(counters);
    else
        return false;
    return true;
}

bool intel_write(const struct counters *counters, struct core_counters *here, uint32_t msr, struct moment moment,
                 uint64_t value)
{
    uint64_t reserved = any_thread(counters) ? ~(uint64_t)UINT32_MAX : ~(uint64_t)UINT32_MAX | SELECT_ANY_THREAD;
    unsigned number;

    if (version(counters) >= 1 && counters_write_perf(here, msr, moment, value))
        return true;
    if (among(msr, MSR_EVENT_SELECT, counters->general, &number)) {
        if (value & reserved)
            return false;
        counters_control(counters, here, moment.ticks, &here->select[number], value);
        return true;
    }
    if (among(msr, MSR_PMC, counters->general, &number)) {
        counters_set(counters, here, moment.ticks, &here->general[number], (uint64_t)(int64_t)(int32_t)value);
        return true;
    }
    if (version(counters) >= 3 && among(msr, MSR_FULL_PMC, counters->general, &number)) {
        if (value & ~counters->mask)
            return false;
        counters_set(counters, here, moment.ticks, &here->general[number], value);
        return true;
    }
    if (among(msr, MSR_FIXED, counters->fixed, &number)) {
        if (value & ~counters->mask)
            return false;
        counters_set(counters, here, moment.ticks, &here->fixed[number], value);
        return true;
    }
    return write_global(counters, here, msr, moment.ticks, value);
}

/* Bit 30 of the number means a fixed counter. */
bool intel_rdpmc(const struct counters *counters, const struct core_counters *here, uint32_t index, uint64_t ticks,
                 uint64_t *value)
{
    uint32_t fixed = (uint32_t)1 << 30, number = index & ~fixed;

    if (number >= (index & fixed ? counters->fixed : counters->general))
        return false;
    *value = index & fixed ? counters_fixed(counters, here, number, ticks) : counters_general(counters, here, number);
    return true;
}

/* Whether the description has an encoding, so that CPUID need not call the event absent. */
static bool has_encoding(const struct counters_description *part, unsigned event, unsigned umask)
{
    for (unsigned i = 0; i < part->encodings; i++) {
        if (part->encoding[i].event == event && part->encoding[i].umask == umask)
            return true;
    }
    return false;
}

/* EBX has a bit for each architectural event that is NOT there: cycles and instructions always are; reference cycles
 * by a general counter are not modelled. */
void counters_cpuid(const struct counters *counters, uint32_t leaf[4])
{
    const struct counters_description *part = &counters->description->counters;
    const uint8_t event[] = {0x2E, 0x2E, 0xC4, 0xC5}, umask[] = {0x4F, 0x41, 0x00, 0x00};
    enum { EVENTS = 7, FIRST = 3 };

    leaf[0] = leaf[1] = leaf[2] = leaf[3] = 0;
    if (part->family != COUNTERS_INTEL || part->version == 0)
        return;
    leaf[0] = part->version | counters->general << 8 | part->width << 16 | EVENTS << 24;
    leaf[1] = 1u << 2;
    for (unsigned i = 0; i < EVENTS - FIRST; i++)
        leaf[1] |= has_encoding(part, event[i], umask[i]) ? 0 : 1u << (FIRST + i);
    if (part->version >= 2)
        leaf[3] = counters->fixed | part->width << 5;
    if (part->version >= 5) {
        leaf[2] = (1u << counters->fixed) - 1;
        leaf[3] |= 1u << 15; /* any thread is gone */
    }
}
