// SPDX-License-Identifier: BSD-2-Clause
/* tlb_pieces.c: large pages that are too many, visited in one place each and in another. */
#include "probes/tlb_pieces.h"

/* Core cycles a load or jump: pages that are too many by less tell nothing. */
static const double LEAST_EXCESS = LEAST_STEP;

/* What was not asked, or not answered, may be wrong so often. */
static const double NOT_ASKED = 0.1;

enum answer_of { NOT_TOLD, WHOLE_PAGES, PIECES };

/* One look. Whole pages that are too many miss as before, though the next level may have their pieces; pieces that
 * found room all hit. Where as many pieces of few pages miss, too, they are of one set, or use all sets. together: core
 * cycles that a page takes longer if they are not visited in other pieces. False: see seats_ok. */
static bool look(struct tlb *tlb, uint64_t count, enum pieces way, double hit, double together, enum answer_of *answer)
{
    double in_pieces, own, tick = tlb->bench.cycles_per_tick;
    *answer = WHOLE_PAGES;
    if (!seats_excess_of_pieces(&tlb->pages, count, way, &in_pieces))
        return false;
    in_pieces = in_pieces * tick - hit;
    bool fit = in_pieces < together / 2 && in_pieces < LEAST_STEP;
    if (!fit)
        return true;
    if (!seats_excess_of_lines(&tlb->pages, count, way, &own))
        return false;
    *answer = own * tick <= together / 2 ? PIECES : WHOLE_PAGES;
    return true;
}

/* What pieces say that lie in one way. Those that found room have to find it again. */
static enum answer_of ask(struct tlb *tlb, uint64_t count, enum pieces way, double hit, double together)
{
    enum { LOOKS = 2 };
    enum answer_of answer = PIECES;
    for (unsigned i = 0; i < LOOKS && answer == PIECES; i++)
        if (!look(tlb, count, way, hit, together, &answer))
            return NOT_TOLD;
    return answer;
}

/* Core cycles that a page takes longer of so many, near their beginnings. False: they seem to fit, or see seats_ok. */
static bool are_too_many(struct tlb *tlb, uint64_t count, double hit, double *cycles)
{
    enum { ROWS = 3 };
    *cycles = 0;
    for (unsigned i = 0; i < ROWS && *cycles <= LEAST_EXCESS; i++) {
        double ticks;
        struct stops row = seats_row(&tlb->pages, count);
        if (!seats_ok(&tlb->pages) || !seats_excess(&tlb->pages, &row, &ticks))
            return false;
        *cycles = ticks * tlb->bench.cycles_per_tick - hit;
    }
    return *cycles > LEAST_EXCESS;
}

bool tlb_keeps_pieces(struct tlb *tlb, uint64_t entries, double hit, double *error, const char **why)
{
    enum { MORE = 4 };
    uint64_t most = seats_most_pieces(&tlb->pages), count = entries + entries / MORE + 2;
    double together = 0;
    bool told = false;
    if (!most)
        return false;
    bool asked = count <= most && are_too_many(tlb, count, hit, &together);
    for (unsigned way = 0; asked && way < PIECES_WAYS; way++) {
        enum answer_of answer = ask(tlb, count, (enum pieces)way, hit, together);
        if (answer == PIECES) {
            *why = "it keeps pieces of these pages, as where a hypervisor's own are smaller";
            return true;
        }
        told = told || answer == WHOLE_PAGES;
    }
    if (!told)
        *error += NOT_ASKED;
    return false;
}
