// SPDX-License-Identifier: BSD-2-Clause
/* memory.c: what an access costs that no cache can serve.
 *
 * Rules, all after JEDEC's DRAM standards (JESD79 and its successors):
 * - A bank keeps its last row in its sense amplifiers (open-page policy). An access to that row needs a column command
 *   only (`latency`). Another open row has to be closed first and the new one opened (tRP + tRCD: `row_miss` more). A
 *   bank with no open row only has to open one (tRCD); speed grades have tRCD = tRP, hence half of `row_miss`.
 * - Rows follow each other over the banks: row number r of memory is row r / banks of bank r % banks.
 * - A refresh (tRFC: `refresh_length`) is due once in each tREFI (`refresh_period`) and needs all banks closed. Here it
 *   takes the end of each period; an access that falls into it waits, and finds its bank closed.
 *
 * Lines written back leave no trace: controllers collect writes and drain them when nobody reads (Rixner et al.,
 * "Memory access scheduling", ISCA 2000). */
#include "tests/silicon/memory.h"
#include <stdlib.h>
#include <string.h>

enum { NO_SHIFT = 64, MOST_BANKS = 4096 };

struct memory {
    const struct memory_description *description;
    unsigned banks;                  /* 0: rows do not matter */
    unsigned row_shift, bank_shift;  /* NO_SHIFT: no power of two */
    uint64_t period_start, till_end; /* of the last access's refresh period; cycles before its refresh begins */
    uint64_t open[];                 /* of each bank: row number plus 1; 0: closed */
};

static unsigned shift_of(uint64_t number)
{
    return (number & (number - 1)) == 0 ? (unsigned)__builtin_ctzll(number) : NO_SHIFT;
}

struct memory *memory_create(const struct memory_description *description)
{
    const bool rows = description->row_miss != 0 && description->banks != 0 && description->row != 0;
    const unsigned banks = !rows ? 0 : description->banks < MOST_BANKS ? description->banks : MOST_BANKS;
    struct memory *memory = calloc(1, sizeof *memory + banks * sizeof memory->open[0]);

    if (memory == NULL)
        return NULL;
    memory->description = description;
    memory->banks = banks;
    if (banks != 0) {
        memory->row_shift = shift_of(description->row);
        memory->bank_shift = shift_of(banks);
    }
    if (description->refresh_period > description->refresh_length)
        memory->till_end = description->refresh_period - description->refresh_length;
    return memory;
}

void memory_destroy(struct memory *memory)
{
    free(memory);
}

void memory_close_rows(struct memory *memory)
{
    memset(memory->open, 0, memory->banks * sizeof memory->open[0]);
}

/* Cycles that an access at `now` waits for a refresh; closes the rows when one has passed since the last access. */
static unsigned refresh_wait(struct memory *memory, uint64_t now)
{
    const uint64_t period = memory->description->refresh_period;

    if (now - memory->period_start < memory->till_end)
        return 0;
    const uint64_t into = now % period;
    const uint64_t wait = into < memory->till_end ? 0 : period - into;
    const uint64_t start = now - into + (wait != 0 ? period : 0);

    if (start != memory->period_start)
        memory_close_rows(memory);
    memory->period_start = start;
    return (unsigned)wait;
}

/* Cycles that opening the row takes, and opens it. */
static unsigned row_wait(struct memory *memory, uint64_t pa)
{
    const struct memory_description *description = memory->description;
    const uint64_t row = memory->row_shift != NO_SHIFT ? pa >> memory->row_shift : pa / description->row;
    uint64_t *open = &memory->open[memory->bank_shift != NO_SHIFT ? row & (memory->banks - 1) : row % memory->banks];
    unsigned wait = description->row_miss;

    if (*open == row + 1)
        return 0;
    if (*open == 0)
        wait /= 2;
    *open = row + 1;
    return wait;
}

unsigned memory_access(struct memory *memory, uint64_t pa, uint64_t now)
{
    unsigned cycles = memory->description->latency;

    if (memory->till_end != 0)
        cycles += refresh_wait(memory, now);
    if (memory->banks != 0)
        cycles += row_wait(memory, pa);
    return cycles;
}

void memory_skip(struct memory *memory, uint64_t cycles)
{
    memory->period_start += cycles;
}

uint64_t memory_digest(const struct memory *memory, uint64_t now)
{
    uint64_t digest = memory->till_end != 0 ? now % memory->description->refresh_period + 1 : 0;

    for (unsigned i = 0; i < memory->banks; i++)
        digest = (digest ^ memory->open[i]) * 0x9E3779B97F4A7C15 ^ digest >> 32;
    /* Rows that a refresh has closed unseen: the next access would find them closed. */
    if (memory->till_end != 0 && now - memory->period_start >= memory->till_end)
        digest = ~digest;
    return digest;
}
