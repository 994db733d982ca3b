// SPDX-License-Identifier: BSD-2-Clause
/* random_latest.c: what is drawn behind all else, so that a seed goes on giving what it gave before. */
#include "tests/silicon/random_draw.h"

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

void draw_latest(struct draw *draw)
{
    draw_loads(draw);
    draw_costs(draw);
    draw_runs(draw);
}
