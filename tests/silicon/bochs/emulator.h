// SPDX-License-Identifier: BSD-2-Clause
/* emulator.h: Bochs, as it is found in the process that the library was loaded into: the functions that are called or
 * replaced, and where its virtual time and its processor's registers lie. Everything is looked up by symbol and then
 * checked against the code bytes that rely on it; a Bochs that differs is refused. Processor 0 is the only one. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offsets in Bochs' processor (BX_CPU_C) and in its decoded instruction (bxInstruction_c), as the code that
 * emulator_find() checks has them. */
enum {
    CPU_IDENTITY = 0x38, /* what answers CPUID */
    CPU_RAX = 0x58,
    CPU_RCX = 0x60,
    CPU_RDX = 0x68,
    CPU_RBX = 0x70,
    CPU_RSP = 0x78,
    CPU_RIP_BEFORE = 0x110, /* address of the instruction under way */
    CPU_COUNT = 0x130,      /* instructions since power-on */
    CPU_PRIVILEGE = 0x175,  /* one byte: 0 to 3 */
    CPU_CR2 = 0x2a0,
    CPU_CR4 = 0x2b0,
    CPU_FETCH_WINDOW = 0x93e8, /* four bytes: 0 makes Bochs look up the code page anew */
    INSTRUCTION_OPCODE = 0x20, /* two bytes */
    INSTRUCTION_LENGTH = 0x22, /* one byte */
    INSTRUCTION_INDEX = 0x2a,  /* one byte: a register, or */
    NO_INDEX = 4,
    INSTRUCTION_DISPLACEMENT = 0x34 /* four bytes */
};

struct emulator {
    uint32_t *period, *countdown; /* ticks of the current stretch of time, and what is left of it */
    uint64_t *total;              /* ticks before it */
    void *system, ***processors;
    void (*countdown_event)(void *system);
    uint8_t *(*host_address)(void *processor, uint64_t pa, unsigned access); /* NULL: no memory there */
    bool (*read_msr)(void *processor, uint32_t msr, uint64_t *value);
    bool (*write_msr)(void *processor, uint32_t msr, uint64_t value);
    void (*exception)(void *processor, unsigned vector, uint16_t error); /* does not return */
    const char *(*opcode_name)(uint16_t opcode);                         /* NULL: no such opcode */
};

/* Finds Bochs in this process. False: *why (a few words with the symbol) says what is missing or different. */
bool emulator_find(struct emulator *, const char **why);

/* Makes every call of a function of Bochs, by its symbol, go to `target`. False: *why. */
bool emulator_replace(const char *symbol, uintptr_t target, const char **why);

/* Makes a function do nothing and return 0. False: *why. */
bool emulator_silence(const char *symbol, const char **why);

static inline void *emulator_processor(const struct emulator *emulator)
{
    return (*emulator->processors)[0];
}

/* Virtual time: ticks since power-on; more of them pass at once. Timers that become due fire, as between two
 * instructions. */
static inline uint64_t emulator_ticks(const struct emulator *emulator)
{
    return *emulator->total + (*emulator->period - *emulator->countdown);
}
void emulator_pass(struct emulator *, uint64_t ticks);

/* Ticks that Bochs has counted, or will count for the instruction under way, have not passed after all. */
void emulator_take_back(struct emulator *, uint32_t ticks);

/* A register or field of the processor. */
static inline uint64_t *cpu_word(void *processor, size_t offset)
{
    return (uint64_t *)(void *)((char *)processor + offset);
}
