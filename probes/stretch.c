// SPDX-License-Identifier: BSD-2-Clause
/* stretch.c: choosing and mapping the memory of a probe. */
#include "probes/stretch.h"

static bool largest_span(struct machine *machine, struct span *largest)
{
    bool any = false;
    struct span span;
    for (unsigned index = 0; machine_span(machine, index, &span); index++)
        if (!any || span.size > largest->size) {
            *largest = span;
            any = true;
        }
    return any;
}

uint64_t stretch_available(struct machine *machine)
{
    struct span span;
    return largest_span(machine, &span) ? span.size : 0;
}

bool stretch_map(struct machine *machine, uint64_t page, uint64_t wanted, struct stretch *stretch)
{
    struct span span;
    if (!page || !largest_span(machine, &span))
        return false;
    uint64_t first = (span.base + page - 1) & ~(page - 1), end = (span.base + span.size) & ~(page - 1);
    if (end <= first)
        return false;
    struct view view = machine_view(machine);
    uint64_t size = (wanted + page - 1) & ~(page - 1);
    if (size > end - first)
        size = end - first;
    if (size > view.size)
        size = view.size & ~(page - 1);
    if (!size || !machine_map(machine, view.base, first, size, page, MEM_WB))
        return false;
    *stretch = (struct stretch){.base = view.base, .size = size, .physical = first, .page = page};
    stretch->contiguous = span.contiguous;
    return true;
}

bool stretch_best(struct machine *machine, uint64_t most, uint64_t least, uint64_t wanted, struct stretch *stretch)
{
    unsigned sizes = 0;
    while (machine_page(machine, sizes))
        sizes++;
    for (unsigned index = sizes; index-- > 0;) {
        uint64_t page = machine_page(machine, index);
        if (index && page > most)
            continue;
        if (!stretch_map(machine, page, wanted, stretch))
            continue;
        if (!index || stretch->size >= least)
            return true;
        stretch_unmap(machine, stretch);
    }
    return false;
}

void stretch_unmap(struct machine *machine, const struct stretch *stretch)
{
    machine_map(machine, stretch->base, 0, stretch->size, 0, MEM_WB);
}
