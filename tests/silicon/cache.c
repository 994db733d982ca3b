// SPDX-License-Identifier: BSD-2-Clause
/* cache.c: the modelled cache and memory: sets by physical line number modulo the number of sets, least recently used
 * line out first. */
#include "tests/silicon/inside.h"
#include <string.h>

static uint64_t *set_of(struct machine *machine, uint64_t line)
{
    return machine->cache.lines + line % machine->cache.sets * machine->description.ways;
}

/* The way that holds a line; `ways` when none does. */
static unsigned way_of(const struct machine *machine, const uint64_t *set, uint64_t line)
{
    unsigned way = 0;
    while (way < machine->description.ways && set[way] != line + 1)
        way++;
    return way;
}

uint64_t cache_access(struct machine *machine, uint64_t pa, bool cacheable)
{
    if (!cacheable)
        return machine->description.memory;
    uint64_t line = pa / machine->description.line, *set = set_of(machine, line);
    unsigned way = way_of(machine, set, line), ways = machine->description.ways;
    bool hit = way < ways;
    memmove(set + 1, set, (hit ? way : ways - 1) * sizeof *set);
    set[0] = line + 1;
    return hit ? machine->description.hit : machine->description.memory;
}

void cache_drop(struct machine *machine, uint64_t pa)
{
    uint64_t line = pa / machine->description.line, *set = set_of(machine, line);
    unsigned way = way_of(machine, set, line), ways = machine->description.ways;
    if (way == ways)
        return;
    memmove(set + way, set + way + 1, (ways - 1 - way) * sizeof *set);
    set[ways - 1] = 0;
}

void cache_empty(struct machine *machine)
{
    memset(machine->cache.lines, 0, machine->cache.sets * machine->description.ways * sizeof *machine->cache.lines);
}

uint64_t memory_read(const struct machine *machine, uint64_t pa)
{
    uint64_t value = 0, left = machine->description.span - (pa - SPAN_BASE);
    memcpy(&value, machine->memory + (pa - SPAN_BASE), left < sizeof value ? left : sizeof value);
    return value;
}

void memory_write(struct machine *machine, uint64_t pa, uint64_t value, unsigned size)
{
    uint64_t left = machine->description.span - (pa - SPAN_BASE);
    memcpy(machine->memory + (pa - SPAN_BASE), &value, left < size ? left : size);
}
