// SPDX-License-Identifier: BSD-2-Clause
/* tlb_tries.c: what several tries say of a TLB's levels. */
#include "probes/tlb_tries.h"

/* How many earlier tries found so many pages to fit a level. */
static unsigned said_before(const struct tlb *tlb, unsigned level, uint64_t fit)
{
    unsigned said = 0;
    for (unsigned i = 0; i < tlb->made; i++)
        said += fit && tlb->before[i][level - 1].fit == fit;
    return said;
}

uint64_t tlb_agreed_before(const struct tlb *tlb, unsigned level)
{
    for (unsigned i = 0; i < tlb->made; i++)
        if (said_before(tlb, level, tlb->before[i][level - 1].fit) > 1)
            return tlb->before[i][level - 1].fit;
    return 0;
}

double tlb_unconfirmed(const struct tlb *tlb, unsigned level, uint64_t fit)
{
    return tlb->tries > 1 && !said_before(tlb, level, fit) ? UNCONFIRMED : 0;
}

struct level tlb_said_of(const struct tlb *tlb, unsigned level)
{
    uint64_t agreed = tlb_agreed_before(tlb, level);
    for (unsigned i = tlb->made; i--;)
        if (agreed ? tlb->before[i][level - 1].fit == agreed : tlb->before[i][level - 1].fit > 0)
            return tlb->before[i][level - 1];
    return (struct level){0};
}

bool tlb_asks_again(const struct tlb *tlb)
{
    bool known = tlb->made > 0;
    for (unsigned level = 1; level <= LEVELS && known; level++)
        known = tlb_agreed_before(tlb, level) || (tlb->whole && !tlb_said_of(tlb, level).fit);
    return !known && tlb->made < tlb->tries && bench_ok(&tlb->bench);
}
