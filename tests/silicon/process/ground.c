// SPDX-License-Identifier: BSD-2-Clause
/* ground.c: what the model asks of the world that it times (ground.h): here, the machine in process. */
#include "tests/silicon/process/process_inside.h"

/* The PAT of the modelled machine: the value after reset (SDM volume 3, "Programming the PAT") in entries 0 to 3, and
 * the two types that are missing there in 4 and 5, as an operating system would place them. */
static const uint8_t pat[8] = {MEM_WB, MEM_WT, MEM_UC, MEM_UC, MEM_WP, MEM_WC, MEM_UC, MEM_UC};

uint64_t ground_read(struct ground *ground, uint64_t pa)
{
    const uint8_t *at = ground_at(ground, pa, 8);
    uint64_t word = 0;

    if (at)
        memcpy(&word, at, sizeof word);
    return word;
}

uint64_t ground_root(struct ground *ground, unsigned core)
{
    (void)core;
    return ground->root;
}

/* Effective type of a range type and a page type (SDM volume 3, "Effective page-level memory types": the type that
 * allows less, write-combining of the page before everything but itself). */
static enum memtype combined(enum memtype range, enum memtype page)
{
    if (page == MEM_WC || page == MEM_UC)
        return page;
    if (range == MEM_WB || range == page)
        return page;
    if (page == MEM_WB)
        return range;
    return MEM_UC;
}

enum memtype ground_type(struct ground *ground, unsigned core, uint64_t pa, unsigned pat_bits)
{
    const struct memory_description *memory = &ground->description->memory;
    enum memtype type = (enum memtype)pat[pat_bits & 7];

    (void)core;
    for (unsigned i = 0; i < memory->holes; i++)
        if (pa - memory->hole[i].base < memory->hole[i].size)
            type = combined((enum memtype)memory->hole[i].type, type);
    return type;
}
