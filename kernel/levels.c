// SPDX-License-Identifier: BSD-2-Clause
/* levels.c: see levels.h. The first page of the memory holds code and segments (levels.nasm knows the offsets), the
 * second the top of five levels, the third the copy of the firmware's top, which is the second of five. */
#include "kernel/levels.h"
#include "kernel/cpu.h"

enum { TABLE = 0x200, REGISTER = 0x220, TOP = 4096, COPY = 2 * 4096, DESCRIPTORS = 3 };

extern const uint8_t levels_code[], levels_code_end[], levels_far[];
void levels_turn(uint64_t low, uint32_t root, uint32_t cr4);

void levels_lay(uint64_t low)
{
    /* Present, code, readable, of ring 0: of 32 bits with 4 GB, and of 64 bits (SDM volume 3, 3.4.5). */
    static const uint64_t segments[DESCRIPTORS] = {0, 0x00cf9b000000ffff, 0x00af9b000000ffff};
    uint8_t *to = (uint8_t *)(uintptr_t)low;
    struct table_register *table = (struct table_register *)(uintptr_t)(low + REGISTER);
    uint32_t far;

    for (size_t i = 0; i < (uintptr_t)levels_code_end - (uintptr_t)levels_code; i++)
        to[i] = levels_code[i];
    __builtin_memcpy(&far, levels_far, sizeof far);
    far += (uint32_t)low;
    __builtin_memcpy(to + ((uintptr_t)levels_far - (uintptr_t)levels_code), &far, sizeof far);
    for (unsigned i = 0; i < DESCRIPTORS; i++)
        ((uint64_t *)(uintptr_t)(low + TABLE))[i] = segments[i];
    *table = (struct table_register){sizeof segments - 1, low + TABLE};
}

const uint64_t *levels_top(uint64_t low, const uint64_t *firmware)
{
    uint64_t *top = (uint64_t *)(uintptr_t)(low + TOP), *copy = (uint64_t *)(uintptr_t)(low + COPY);

    for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
        copy[i] = firmware[i];
        top[i] = 0;
    }
    /* The lower half of 48 bits begins the addresses of 57, the upper half ends them. */
    top[0] = top[TABLE_ENTRIES - 1] = (low + COPY) | ENTRY_PRESENT | ENTRY_WRITE | ENTRY_ACCESSED;
    return top;
}

void levels_five(uint64_t low)
{
    levels_turn(low, (uint32_t)(low + TOP), (uint32_t)(cpu_cr4() | CR4_LA57));
}

void levels_four(uint64_t low)
{
    levels_turn(low, (uint32_t)(low + COPY), (uint32_t)(cpu_cr4() & ~(uint64_t)CR4_LA57));
}
