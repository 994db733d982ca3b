// SPDX-License-Identifier: BSD-2-Clause
/* cpu.h: the processor's privileged registers, one inline function each. Names and bits as in the Intel SDM volume 3
 * and the AMD APM volume 2. Nothing here checks whether a register exists: whoever calls does. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum {
    CR0_MP = 1 << 1,
    CR0_EM = 1 << 2,
    CR0_TS = 1 << 3,
    CR0_NE = 1 << 5,
    CR0_WP = 1 << 16,
    CR4_TSD = 1 << 2,
    CR4_MCE = 1 << 6,
    CR4_PGE = 1 << 7,
    CR4_OSFXSR = 1 << 9,
    CR4_OSXMMEXCPT = 1 << 10,
    CR4_LA57 = 1 << 12,
    CR4_PCIDE = 1 << 17,
    CR4_OSXSAVE = 1 << 18,
    CR4_CET = 1 << 23,
    EFER_NXE = 1 << 11,
    DR7_FIXED = 1 << 10,
    MXCSR_DEFAULT = 0x1f80
};

enum {
    IA32_APIC_BASE = 0x1b,
    MSR_SMI_COUNT = 0x34,
    IA32_BIOS_SIGN_ID = 0x8b, /* AMD: PATCH_LEVEL */
    IA32_MTRRCAP = 0xfe,
    IA32_MTRR_PHYSBASE0 = 0x200, /* its mask follows; then the next pair */
    IA32_MTRR_DEF_TYPE = 0x2ff,
    IA32_PAT = 0x277,
    IA32_MPERF = 0xe7,
    IA32_APERF = 0xe8,
    IA32_MCG_CAP = 0x179,
    IA32_MCG_STATUS = 0x17a,
    IA32_MC0_STATUS = 0x401, /* 4 MSRs a bank */
    IA32_S_CET = 0x6a2,
    IA32_X2APIC_APICID = 0x802,
    IA32_X2APIC_ICR = 0x830
};
static const uint32_t IA32_EFER = 0xc0000080;

/* What LGDT, LIDT, SGDT and SIDT move. */
struct table_register {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

static inline uint64_t cpu_cr0(void)
{
    uint64_t value;
    __asm__ volatile("mov %%cr0, %0" : "=r"(value));
    return value;
}

static inline void cpu_set_cr0(uint64_t value)
{
    __asm__ volatile("mov %0, %%cr0" : : "r"(value) : "memory");
}

static inline uint64_t cpu_cr2(void)
{
    uint64_t value;
    __asm__ volatile("mov %%cr2, %0" : "=r"(value));
    return value;
}

static inline uint64_t cpu_cr3(void)
{
    uint64_t value;
    __asm__ volatile("mov %%cr3, %0" : "=r"(value));
    return value;
}

static inline void cpu_set_cr3(uint64_t value)
{
    __asm__ volatile("mov %0, %%cr3" : : "r"(value) : "memory");
}

static inline uint64_t cpu_cr4(void)
{
    uint64_t value;
    __asm__ volatile("mov %%cr4, %0" : "=r"(value));
    return value;
}

static inline void cpu_set_cr4(uint64_t value)
{
    __asm__ volatile("mov %0, %%cr4" : : "r"(value) : "memory");
}

static inline uint64_t cpu_dr7(void)
{
    uint64_t value;
    __asm__ volatile("mov %%dr7, %0" : "=r"(value));
    return value;
}

static inline void cpu_set_dr7(uint64_t value)
{
    __asm__ volatile("mov %0, %%dr7" : : "r"(value));
}

/* RDMSR and WRMSR; #GP where the MSR does not exist: msr_read() and msr_write() survive that. */
static inline uint64_t cpu_msr(uint32_t number)
{
    uint32_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(number) : "memory");
    return (uint64_t)high << 32 | low;
}

static inline void cpu_set_msr(uint32_t number, uint64_t value)
{
    __asm__ volatile("wrmsr" : : "c"(number), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)) : "memory");
}

/* XCR0; only while CR4.OSXSAVE is set. */
static inline uint64_t cpu_xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static inline void cpu_set_xcr0(uint64_t value)
{
    __asm__ volatile("xsetbv" : : "c"(0), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)) : "memory");
}

static inline struct table_register cpu_gdtr(void)
{
    struct table_register value;
    __asm__ volatile("sgdt %0" : "=m"(value));
    return value;
}

static inline struct table_register cpu_idtr(void)
{
    struct table_register value;
    __asm__ volatile("sidt %0" : "=m"(value));
    return value;
}

static inline void cpu_set_gdtr(struct table_register value)
{
    __asm__ volatile("lgdt %0" : : "m"(value) : "memory");
}

static inline void cpu_set_idtr(struct table_register value)
{
    __asm__ volatile("lidt %0" : : "m"(value) : "memory");
}

static inline uint16_t cpu_tr(void)
{
    uint16_t value;
    __asm__ volatile("str %0" : "=r"(value));
    return value;
}

static inline uint16_t cpu_ldtr(void)
{
    uint16_t value;
    __asm__ volatile("sldt %0" : "=r"(value));
    return value;
}

/* Segment registers in the order ES, CS, SS, DS, FS, GS (the order of their encodings). */
enum { SEGMENTS = 6, SEGMENT_CS = 1 };

static inline void cpu_segments(uint16_t segment[SEGMENTS])
{
    __asm__ volatile("mov %%es, %0" : "=r"(segment[0]));
    __asm__ volatile("mov %%cs, %0" : "=r"(segment[1]));
    __asm__ volatile("mov %%ss, %0" : "=r"(segment[2]));
    __asm__ volatile("mov %%ds, %0" : "=r"(segment[3]));
    __asm__ volatile("mov %%fs, %0" : "=r"(segment[4]));
    __asm__ volatile("mov %%gs, %0" : "=r"(segment[5]));
}

/* Disables interrupts and returns RFLAGS as they were; cpu_set_flags() puts them back. */
static inline uint64_t cpu_interrupts_off(void)
{
    uint64_t flags;
    __asm__ volatile("pushfq; pop %0; cli" : "=r"(flags) : : "memory");
    return flags;
}

static inline void cpu_set_flags(uint64_t flags)
{
    __asm__ volatile("push %0; popfq" : : "r"(flags) : "memory", "cc");
}

static inline void cpu_flush_page(uint64_t va)
{
    __asm__ volatile("invlpg (%0)" : : "r"(va) : "memory");
}

static inline void cpu_flush_line(uint64_t va)
{
    __asm__ volatile("clflush (%0)" : : "r"(va) : "memory");
}

static inline void cpu_flush_caches(void)
{
    __asm__ volatile("wbinvd" : : : "memory");
}

static inline void cpu_fence(void)
{
    __asm__ volatile("mfence; lfence" : : : "memory");
}

static inline void cpu_pause(void)
{
    __asm__ volatile("pause");
}

static inline uint64_t cpu_ticks(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

static inline void cpu_out_byte(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint32_t cpu_read_mmio(uint64_t address)
{
    return *(volatile uint32_t *)address;
}

static inline void cpu_write_mmio(uint64_t address, uint32_t value)
{
    *(volatile uint32_t *)address = value;
}

/* x87 and SSE state: 512 bytes, 16-byte aligned. */
static inline void cpu_save_float(void *area)
{
    __asm__ volatile("fxsave64 (%0)" : : "r"(area) : "memory");
}

static inline void cpu_load_float(const void *area)
{
    __asm__ volatile("fxrstor64 (%0)" : : "r"(area) : "memory");
}

static inline uint16_t cpu_fcw(void)
{
    uint16_t value;
    __asm__ volatile("fnstcw %0" : "=m"(value));
    return value;
}

static inline uint32_t cpu_mxcsr(void)
{
    uint32_t value;
    __asm__ volatile("stmxcsr %0" : "=m"(value));
    return value;
}

static inline void cpu_fresh_float(void)
{
    uint32_t mxcsr = MXCSR_DEFAULT;
    __asm__ volatile("fninit; ldmxcsr %0" : : "m"(mxcsr));
}

/* Upper halves of the vector registers empty; only while XCR0 enables AVX. */
static inline void cpu_zero_upper(void)
{
    __asm__ volatile("vzeroupper");
}
