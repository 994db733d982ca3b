// SPDX-License-Identifier: BSD-2-Clause
/* random_latest.c: what is drawn behind all else, so that a seed goes on giving what it gave before. */
#include "base/text.h"
#include "tests/silicon/random_draw.h"
#include <string.h>

/* Base + index is a cycle more on half of them, and on half of those for 4 bytes, too; four in five have floating-point
 * registers of their own, 1 to 8 cycles away. */
static void draw_loads(struct draw *draw)
{
    draw->machine->load_indexed = from(draw, 0, 1);
    draw->machine->load_32 = chance(draw, 50) ? draw->machine->load_indexed : 0;
    draw->machine->load_float = chance(draw, 80) ? from(draw, 1, 8) : 0;
}

/* What drops translations, and faults: from what little a Pentium takes to twice what tables of instructions have of
 * any other (A. Fog, "Instruction tables": tens of cycles to hundreds). */
static void draw_costs(struct draw *draw)
{
    struct description *machine = draw->machine;

    machine->invlpg = from(draw, 20, 500);
    machine->set_root = from(draw, 40, 800);
    machine->flush_tlb = 2 * from(draw, 40, 800);
    machine->fault = from(draw, 200, 2500);
}

/* One first level in five that loads look in joins 2, 4 or 8 small pages (Zen: 4), and two in five of those behind such
 * a one; of those behind others one in ten. */
static void draw_runs(struct draw *draw)
{
    bool first = chance(draw, 20);
    unsigned log = from(draw, 1, 3);

    for (unsigned i = 0; i < draw->machine->tlbs; i++) {
        struct tlb_description *tlb = &draw->machine->tlb[i];
        if (!(tlb->holds & HOLDS_DATA) || !(tlb->pages & PAGES_SMALL))
            continue;
        if (tlb->level == 1 ? first : chance(draw, first ? 40 : 10))
            tlb->coalesce = 1U << (tlb->level == 1 ? log : from(draw, 1, 3));
    }
}

/* Behind the last TLB of the first level that loads look in: the order of TLBs is that of their levels. */
static struct tlb_description *room_for_stores(struct description *machine)
{
    unsigned at = 0;

    for (unsigned i = 0; i < machine->tlbs; i++) {
        if (!(machine->tlb[i].holds & HOLDS_DATA) || machine->tlb[i].level != 1)
            continue;
        machine->tlb[i].stores = false;
        at = i + 1;
    }
    memmove(&machine->tlb[at + 1], &machine->tlb[at], (machine->tlbs - at) * sizeof *machine->tlb);
    machine->tlbs++;
    machine->tlb[at] = (struct tlb_description){.level = 1, .holds = HOLDS_DATA, .stores = true};
    return &machine->tlb[at];
}

/* One machine in six has a first level of stores' own, with all page sizes in it: four of the named ones have (Intel
 * since Ice Lake: CPUID leaf 18h lists 16 entries, fully associative, for stores only). 8 entries to 64, so that there
 * may be as many as loads have, as on a Cortex-A15 (its technical reference manual, "Memory Management Unit": 32 for
 * loads and 32 for stores), or more; then nothing shows. */
static void draw_stores(struct draw *draw)
{
    struct tlb_description *tlb;
    unsigned entries = 8u << from(draw, 0, 3);

    if (!chance(draw, 16))
        return;
    tlb = room_for_stores(draw->machine);
    text_copy(tlb->name, sizeof tlb->name, "dtlb1.store");
    tlb->pages = draw->machine->pages;
    tlb->sector = tlb->coalesce = 1;
    tlb->shape.ways = chance(draw, 80) ? entries : 4;
    tlb->shape.index.sets = entries / tlb->shape.ways;
    (void)policy_parse(&tlb->shape.policy, chance(draw, 80) ? "LRU" : "PLRUl");
}

void draw_latest(struct draw *draw)
{
    draw_loads(draw);
    draw_costs(draw);
    draw_runs(draw);
    draw_stores(draw);
}
