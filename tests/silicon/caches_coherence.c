// SPDX-License-Identifier: BSD-2-Clause
/* caches_coherence.c: what caches beside a path do to it, and flushes.
 *
 * Rules: the MESI protocol (Papamarcos and Patel, ISCA 1984; Intel SDM volume 3, "Cache control protocol"), seen from
 * outside. A store takes the line from all caches beside its path. A read of a line that another core has modified gets
 * it from there, which takes memory.transfer cycles, and leaves it clean there; what both share has it modified from
 * then on. A line that is clean elsewhere comes from where it would come from anyway. The instruction cache beside a
 * core's own data cache is kept coherent in the same way (SDM volume 3, "Self-modifying code": a store invalidates the
 * line there). */
#include "tests/silicon/caches_inside.h"

unsigned clean_elsewhere(struct caches *caches, uint64_t set, unsigned core, uint64_t pa)
{
    unsigned where = 0;

    while (set != 0) {
        const struct instance *instance = take_first(caches, &set);
        struct found found;

        if (!look_anywhere(instance, pa, &found))
            continue;
        const uint64_t dirty = sector_bits(instance, pa, 1) << DIRTY_SHIFT;

        if ((found.value & dirty) == 0)
            continue;
        array_set_value(found.array, found.place, found.value & ~dirty);
        if ((instance->cores >> core & 1) == 0)
            where = 2;
        else if (where == 0)
            where = 1;
    }
    return where;
}

void take_from_others(struct caches *caches, const struct path *path, uint64_t pa)
{
    uint64_t set = caches->used & ~path->from[0];

    while (set != 0) {
        struct instance *instance = take_first(caches, &set);

        if (drop_lines(caches, instance, pa, 1).held)
            directories_forget(caches, instance, pa);
    }
}

/* Drops the directory's entries of a range. */
static void forget_range(struct instance *instance, uint64_t base, uint64_t bytes)
{
    const uint64_t line = 1ULL << instance->line_shift;

    for (uint64_t at = base & ~(line - 1); at < base + bytes; at += line) {
        struct array *filter = instance->filter[line_slice(instance, at)];
        struct place place;

        if (array_find(filter, at >> instance->line_shift, line_tag(instance, at), &place))
            array_remove(filter, place);
    }
}

/* CLFLUSH (SDM volume 2: the line is invalidated in every level of every processor's hierarchy and written back if it
 * differs). Where lines differ in size, the largest goes, so that no inclusive cache loses a part only. */
void caches_flush_line(struct caches *caches, uint64_t pa)
{
    const uint64_t base = pa & ~(caches->largest - 1);

    for (unsigned i = 0; i < caches->instances; i++) {
        struct instance *instance = &caches->instance[i];

        if (caches->used >> i & 1)
            drop_lines(caches, instance, base, caches->largest);
        if (instance->filter != NULL)
            forget_range(instance, base, caches->largest);
    }
}

void caches_flush_all(struct caches *caches)
{
    for (unsigned i = 0; i < caches->instances; i++) {
        struct instance *instance = &caches->instance[i];

        for (unsigned slice = 0; slice < instance->slices; slice++) {
            array_empty(instance->slice[slice]);
            if (instance->filter != NULL)
                array_empty(instance->filter[slice]);
        }
        if (instance->homes != NULL)
            homes_empty(instance->homes);
    }
    caches->used = 0;
}
