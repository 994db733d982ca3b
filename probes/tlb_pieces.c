// SPDX-License-Identifier: BSD-2-Clause
/* tlb_pieces.c: large pages that are too many, visited in one place each and in another. */
#include "probes/tlb_pieces.h"

/* Core cycles a load or jump: pages that are too many by less tell nothing. */
static const double LEAST_EXCESS = LEAST_STEP / 2;

/* What was not asked, or not answered, may be wrong so often. */
static const double NOT_ASKED = 0.1;

/* One look. *told: there was something to see. Where the same places in few pages take longer than others do, too, it
 * is these pages' pieces that are too many, as they are in one set, or lines. False: see seats_ok. */
static bool look(struct tlb *tlb, uint64_t count, double hit, bool *told, bool *pieces)
{
    double together, apart, few, tick = tlb->bench.cycles_per_tick;
    struct stops row = seats_row(&tlb->pages, count);
    if (!seats_ok(&tlb->pages) || !seats_excess(&tlb->pages, &row, &together) ||
        !seats_excess_of_pieces(&tlb->pages, count, &few, &apart))
        return false;
    together = together * tick - hit;
    apart = apart * tick - hit;
    few = (few - tlb->pages.few) * tick;
    *pieces = apart < together / 2;
    *told = together > LEAST_EXCESS && !(*pieces && few > together / 2);
    return true;
}

bool tlb_keeps_pieces(struct tlb *tlb, uint64_t entries, double hit, double *error, const char **why)
{
    enum { LOOKS = 5 }; /* two on end have to say the same */
    uint64_t most = seats_most_pieces(&tlb->pages), count = 2 * entries < most ? 2 * entries : most;
    bool before = false, any = false;
    if (!most)
        return false;
    for (unsigned i = 0; i < LOOKS && count > entries + entries / 4; i++) {
        bool told, pieces;
        if (!look(tlb, count, hit, &told, &pieces))
            break;
        if (told && any && pieces == before) {
            if (pieces)
                *why = "it keeps pieces of these pages, as where a hypervisor's own are smaller";
            return pieces;
        }
        any = told;
        before = pieces;
        bench_wait(&tlb->bench, 1);
    }
    *error += NOT_ASKED;
    return false;
}
