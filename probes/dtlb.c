// SPDX-License-Identifier: BSD-2-Clause
/* dtlb.c: the TLBs that loads look in (paper 004, section 2; probes/tlb.h has the method).
 *
 * Findings: dtlb1.4k.entries, .ways, .sets, and .bits, a mask of the page-number bits that choose the set where they
 * are plain bits; dtlb2.4k.entries, .ways, .sets, .bits, and dtlb2.4k.penalty, the core cycles that a hit of it takes
 * more than one of the first. The same of pages of 2 MB and 1 GB: dtlb1.2m.ways ..., and dtlb1.2m.shared: whether
 * these are kept in the same entries as pages of 4 KB.
 * Series: dtlb.4k, dtlb.2m, dtlb.1g, core cycles by pages in a row. */
#include "probes/budget.h"
#include "probes/probes.h"
#include "probes/seats.h"
#include "probes/tlb.h"

bool probe_dtlb(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    static const struct tlb_size sizes[] = {
        {"4k", OP_LOAD, 4096, 72, 50}, {"2m", OP_LOAD, 2 << 20, 98, 90}, {"1g", OP_LOAD, 1 << 30, 100, 99}};
    const struct tlb_side side = {"dtlb", sizes, sizeof sizes / sizeof *sizes, 4, MOST_IN_A_ROW, AFTER_DTLB};
    return tlb_measure(machine, request, &side, notebook);
}
