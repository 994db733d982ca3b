// SPDX-License-Identifier: BSD-2-Clause
/* itlb.c: the TLBs that jumps look in (paper 001 counted their misses; probes/tlb.h has the method).
 *
 * Findings: itlb1.4k.entries, .ways, .sets, and .bits, a mask of the page-number bits that choose the set where they
 * are plain bits; itlb2.4k.entries, .ways, .sets, .bits, and itlb2.4k.penalty, the core cycles that a hit of it takes
 * more than one of the first. The same of pages of 2 MB: itlb1.2m.ways ... Series: itlb.4k, itlb.2m, core cycles by
 * pages in a row; itlb.4k.jumps, itlb.2m.jumps, those of as many jumps in few pages.
 *
 * Each stop is a jump to the next one, in a page and a line of its own. Pages of 4 KB lie within the 2 GB that near
 * jumps reach; larger ones take jumps through a register. */
#include "probes/budget.h"
#include "probes/probes.h"
#include "probes/tlb.h"

bool probe_itlb(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    static const struct tlb_size sizes[] = {{"4k", OP_JUMP, 4096, 76, 56}, {"2m", OP_JUMP_FAR, 2 << 20, 100, 98}};
    const struct tlb_side side = {"itlb", sizes, sizeof sizes / sizeof *sizes, 2, 4096, AFTER_ITLB};
    return tlb_measure(machine, request, &side, notebook);
}
