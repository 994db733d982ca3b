// SPDX-License-Identifier: BSD-2-Clause
/* descriptors.c: the descriptor tables of quiet mode. The segment table is a copy of the firmware's: every selector
 * that is loaded stays valid, none has to be reloaded, and there is no moment at which an NMI would find a code segment
 * that the loaded table does not have. */
#include "kernel/quiet.h"

enum { INTERRUPT_GATE = 0x8e00 };

_Static_assert(sizeof(struct gate) == 16, "a gate has 16 bytes");
_Static_assert(offsetof(struct processor, idt) == 0, "entry.nasm takes IDTR for the processor");
_Static_assert(offsetof(struct processor, nmi_seen) == 512, "entry.nasm knows this offset");
_Static_assert(offsetof(struct recovery, rsp) == 48, "entry.nasm knows these offsets");

/* Whether all that segment registers hold lies below entry `count` of the segment table. TR and LDTR do not matter:
 * what they describe is in the processor, and nothing loads them again. Selectors with LOCAL set are LDTR's. */
static bool selectors_below(const struct state *found, unsigned count)
{
    enum { LOCAL = 4 };

    for (unsigned i = 0; i < SEGMENTS; i++) {
        if (!(found->segment[i] & LOCAL) && found->segment[i] / 8u >= count)
            return false;
    }
    return true;
}

bool descriptors_build(struct processor *processor, const struct state *found)
{
    const uint64_t *firmware = (const uint64_t *)(uintptr_t)found->gdtr.base;
    unsigned count = (found->gdtr.limit + 1u) / sizeof *firmware;

    if (count > GDT_ROOM)
        count = GDT_ROOM;
    if (!selectors_below(found, count))
        return false;
    processor->gdt_limit = (uint16_t)(count * sizeof *firmware - 1);
    for (unsigned i = 0; i < count; i++)
        processor->gdt[i] = firmware[i];
    for (unsigned i = 0; i < VECTORS; i++) {
        uint64_t entry = (uint64_t)(uintptr_t)entry_points[i];

        processor->idt[i] = (struct gate){
            .offset_low = (uint16_t)entry,
            .selector = found->segment[SEGMENT_CS],
            .flags = INTERRUPT_GATE,
            .offset_middle = (uint16_t)(entry >> 16),
            .offset_high = (uint32_t)(entry >> 32),
        };
    }
    return true;
}

void descriptors_load(struct processor *processor)
{
    struct table_register gdtr = {processor->gdt_limit, (uint64_t)(uintptr_t)processor->gdt};
    struct table_register idtr = {sizeof processor->idt - 1, (uint64_t)(uintptr_t)processor->idt};

    cpu_set_gdtr(gdtr);
    cpu_set_idtr(idtr);
}
