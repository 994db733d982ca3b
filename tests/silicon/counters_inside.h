// SPDX-License-Identifier: BSD-2-Clause
/* counters_inside.h: what counters.c, counters_intel.c and counters_amd.c know of each other: the registers of one
 * core, and counting as such, which is the same for both vendors. */
#pragma once
#include "tests/silicon/counters.h"

enum {
    MAX_GENERAL = 8,
    MAX_FIXED = 4,
    FIXED_BIT = 32, /* of global control and status: fixed counter 0 */
    MSR_MPERF = 0xE7,
    MSR_APERF = 0xE8
};
enum { FIXED_INSTRUCTIONS, FIXED_CYCLES, FIXED_REFERENCE };

/* Bits of an event select register that both vendors have. */
static const uint64_t SELECT_EVENT = 0xFF, SELECT_USER = 1 << 16, SELECT_SYSTEM = 1 << 17, SELECT_EDGE = 1 << 18,
                      SELECT_INTERRUPT = 1 << 20, SELECT_ANY_THREAD = 1 << 21, SELECT_ENABLE = 1 << 22,
                      SELECT_INVERT = 1 << 23;

/* A counter as it was when it was last written or its control changed: it goes on from there. */
struct counter {
    uint64_t value;      /* modulo 2^width */
    unsigned thousandth; /* beyond it, of an erratum's rate: 0 to 999 */
    uint64_t start;      /* thousandths of events that had been counted by then */
};

struct core_counters {
    uint64_t total[COUNTED_COUNT];
    uint64_t hidden[COUNTED_COUNT]; /* part of it that went by in SMM, where counters stand still */
    bool smm;
    uint64_t select[MAX_GENERAL];
    struct counter general[MAX_GENERAL], fixed[MAX_FIXED];
    uint64_t fixed_control, global_control;
    uint64_t overflows;              /* as in IA32_PERF_GLOBAL_STATUS, up to the last settling */
    uint64_t aperf_base, mperf_base; /* what is added to cycles and ticks, modulo 2^64 */
};

struct counters {
    const struct description *description;
    unsigned general, fixed; /* that there are; AMD and versions below 2: no fixed ones */
    uint64_t mask;           /* of a counter's width */
    struct core_counters core[MAX_MODEL_CORES];
};

/* A counter's value as RDPMC shows it. */
uint64_t counters_general(const struct counters *, const struct core_counters *, unsigned number);
uint64_t counters_fixed(const struct counters *, const struct core_counters *, unsigned number, uint64_t ticks);

/* Around every change of what counters are or what controls them: all of them stop before it and go on after it. */
void counters_stop(const struct counters *, struct core_counters *, uint64_t ticks);
void counters_go_on(const struct counters *, struct core_counters *, uint64_t ticks);

/* Sets a register that controls counters, or a counter, between the two. */
void counters_control(const struct counters *, struct core_counters *, uint64_t ticks, uint64_t *reg, uint64_t value);
void counters_set(const struct counters *, struct core_counters *, uint64_t ticks, struct counter *, uint64_t value);

/* Overflows so far, as in IA32_PERF_GLOBAL_STATUS; and taking some back. */
uint64_t counters_overflows(const struct counters *, const struct core_counters *, uint64_t ticks);
void counters_clear_overflows(const struct counters *, struct core_counters *, uint64_t ticks, uint64_t bits);

/* Bits of global control and status that belong to counters. */
uint64_t counters_bits(const struct counters *);

/* A moment on a core: core cycles and ticks of the clock. */
struct moment {
    uint64_t now, ticks;
};

/* APERF and MPERF. False: msr is neither. */
bool counters_read_perf(const struct core_counters *, uint32_t msr, struct moment, uint64_t *value);
bool counters_write_perf(struct core_counters *, uint32_t msr, struct moment, uint64_t value);

/* What the vendors decide: whether a counter runs, the MSRs, RDPMC's numbers. */
bool intel_general_runs(const struct counters *, const struct core_counters *, unsigned number);
bool intel_fixed_runs(const struct counters *, const struct core_counters *, unsigned number);
bool intel_read(const struct counters *, const struct core_counters *, uint32_t msr, struct moment, uint64_t *value);
bool intel_write(const struct counters *, struct core_counters *, uint32_t msr, struct moment, uint64_t value);
bool intel_rdpmc(const struct counters *, const struct core_counters *, uint32_t index, uint64_t ticks,
                 uint64_t *value);
bool amd_general_runs(const struct counters *, const struct core_counters *, unsigned number);
bool amd_read(const struct counters *, const struct core_counters *, uint32_t msr, struct moment, uint64_t *value);
bool amd_write(const struct counters *, struct core_counters *, uint32_t msr, struct moment, uint64_t value);

/* What the architecture itself promises, whether or not the description lists it. COUNTED_COUNT: nothing. */
enum counted intel_architectural(const struct counters *, unsigned event, unsigned umask);
enum counted amd_architectural(const struct counters *, unsigned event, unsigned umask);
