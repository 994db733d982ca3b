// SPDX-License-Identifier: BSD-2-Clause
/* instructions.c: the instructions whose results are the model's: RDTSC and RDTSCP, RDMSR, WRMSR, RDPMC, CPUID. Each
 * takes the place of Bochs' own function for it; what the model does not know is passed on to Bochs. Faults: Intel SDM
 * volume 2, the instruction's page. */
#include "tests/silicon/bochs/hook.h"

enum {
    FAULT_UNDEFINED = 6,
    FAULT_PROTECTION = 13,
    CR4_PCE = 1 << 8,
    MSR_PLATFORM_ID = 0x17,
    IDENTITY_ANSWER = 5 /* number of the virtual function that answers CPUID */
};

static unsigned privilege(void *processor)
{
    return ((uint8_t *)processor)[CPU_PRIVILEGE];
}

static void protect(void *processor)
{
    hook_here()->emulator.exception(processor, FAULT_PROTECTION, 0);
}

/* The 64 bits of EDX and EAX. */
static void give(void *processor, uint64_t value)
{
    *cpu_word(processor, CPU_RAX) = (uint32_t)value;
    *cpu_word(processor, CPU_RDX) = value >> 32;
}

/* In place of get_TSC_VMXAdjust(): what RDTSC, RDTSCP and RDMSR show. */
static uint64_t tsc(void *processor, uint64_t bochs_tsc)
{
    (void)processor;
    return hook_tsc(hook_here(), bochs_tsc);
}

static void rdtscp_absent(void *processor, void *instruction)
{
    (void)instruction;
    hook_here()->emulator.exception(processor, FAULT_UNDEFINED, 0);
}

/* In place of what Bochs does with MSRs that its processor does not have: #GP. MSR 17h is there on every Intel
 * processor since the Pentium III, and the firmware reads it. */
static bool unknown_read(void *processor, uint32_t msr, uint64_t *value)
{
    (void)processor;
    *value = 0;
    return msr == MSR_PLATFORM_ID;
}

static bool unknown_write(void *processor, uint32_t msr, uint64_t value)
{
    (void)processor;
    (void)msr;
    (void)value;
    return false;
}

/* The bits of an MSR that switch prefetchers. Elsewhere in the same MSR are switches that the model knows nothing of:
 * those stay Bochs'. */
static uint64_t switches(const struct description *description, uint32_t msr)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < description->prefetchers; i++) {
        if (description->prefetcher[i].msr == msr)
            bits |= (uint64_t)1 << description->prefetcher[i].bit;
    }
    return bits;
}

static bool read_msr(struct hook *hook, void *processor, uint32_t msr, uint64_t *value)
{
    uint64_t others = 0, bits = switches(&hook->description, msr);
    bool modelled;

    hook_catch_up(hook);
    modelled = silicon_read_msr(hook->silicon, 0, msr, value);
    if (modelled && !bits)
        return true;
    if (!modelled)
        return hook->emulator.read_msr(processor, msr, value);
    if (hook->emulator.read_msr(processor, msr, &others))
        *value |= others & ~bits;
    return true;
}

static bool write_msr(struct hook *hook, void *processor, uint32_t msr, uint64_t value)
{
    uint64_t bits = switches(&hook->description, msr), others;

    hook_catch_up(hook);
    if (!bits)
        return silicon_write_msr(hook->silicon, 0, msr, value) || hook->emulator.write_msr(processor, msr, value);
    if (hook->emulator.read_msr(processor, msr, &others)) {
        if (!hook->emulator.write_msr(processor, msr, (value & ~bits) | (others & bits)))
            return false;
    } else if (value & ~bits) {
        return false;
    }
    return silicon_write_msr(hook->silicon, 0, msr, value & bits);
}

static void rdmsr(void *processor, void *instruction)
{
    uint64_t value = 0;

    (void)instruction;
    if (privilege(processor) != 0 || !read_msr(hook_here(), processor, (uint32_t)*cpu_word(processor, CPU_RCX), &value))
        protect(processor);
    give(processor, value);
}

static void wrmsr(void *processor, void *instruction)
{
    struct hook *hook = hook_here();
    uint32_t msr = (uint32_t)*cpu_word(processor, CPU_RCX), zero = 0;
    uint64_t value = *cpu_word(processor, CPU_RDX) << 32 | (uint32_t)*cpu_word(processor, CPU_RAX);

    (void)instruction;
    if (privilege(processor) != 0)
        protect(processor);
    __builtin_memcpy((char *)processor + CPU_FETCH_WINDOW, &zero, sizeof zero);
    if (!write_msr(hook, processor, msr, value))
        protect(processor);
    if (guest_types_by(msr))
        hook->ground.stale = true;
}

static void rdpmc(void *processor, void *instruction)
{
    struct hook *hook = hook_here();
    uint64_t value = 0;

    (void)instruction;
    hook_catch_up(hook);
    if ((privilege(processor) != 0 && !(*cpu_word(processor, CPU_CR4) & CR4_PCE)) ||
        !counters_rdpmc(hook->silicon->counters, 0, (uint32_t)*cpu_word(processor, CPU_RCX),
                        hook->silicon->clock.cycles, clock_ticks(&hook->silicon->clock), &value))
        protect(processor);
    give(processor, value);
}

static void cpuid(void *processor, void *instruction)
{
    typedef void answer(const void *identity, uint32_t leaf, uint32_t subleaf, struct cpuid *);
    uint32_t leaf = (uint32_t)*cpu_word(processor, CPU_RAX), subleaf = (uint32_t)*cpu_word(processor, CPU_RCX);
    void *identity = (void *)(uintptr_t)*cpu_word(processor, CPU_IDENTITY);
    struct cpuid result = {0};
    answer *ask;

    (void)instruction;
    __builtin_memcpy(&ask, *(char **)identity + IDENTITY_ANSWER * sizeof ask, sizeof ask);
    ask(identity, leaf, subleaf, &result);
    identity_of(hook_here(), leaf, subleaf, &result);
    *cpu_word(processor, CPU_RAX) = result.eax;
    *cpu_word(processor, CPU_RCX) = result.ecx;
    *cpu_word(processor, CPU_RDX) = result.edx;
    *cpu_word(processor, CPU_RBX) = result.ebx;
}

bool instructions_replace(const char **why)
{
    if (hook_here()->description.clock.rdtscp == 0 &&
        !emulator_replace("_ZN8BX_CPU_C6RDTSCPEP15bxInstruction_c", (uintptr_t)rdtscp_absent, why))
        return false;
    return emulator_replace("_ZN8BX_CPU_C17get_TSC_VMXAdjustEm", (uintptr_t)tsc, why) &&
           emulator_replace("_ZN8BX_CPU_C20handle_unknown_rdmsrEjPm", (uintptr_t)unknown_read, why) &&
           emulator_replace("_ZN8BX_CPU_C20handle_unknown_wrmsrEjm", (uintptr_t)unknown_write, why) &&
           emulator_replace("_ZN8BX_CPU_C5RDMSREP15bxInstruction_c", (uintptr_t)rdmsr, why) &&
           emulator_replace("_ZN8BX_CPU_C5WRMSREP15bxInstruction_c", (uintptr_t)wrmsr, why) &&
           emulator_replace("_ZN8BX_CPU_C5RDPMCEP15bxInstruction_c", (uintptr_t)rdpmc, why) &&
           emulator_replace("_ZN8BX_CPU_C5CPUIDEP15bxInstruction_c", (uintptr_t)cpuid, why);
}
