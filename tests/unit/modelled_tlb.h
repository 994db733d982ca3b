// SPDX-License-Identifier: BSD-2-Clause
/* modelled_tlb.h: one more TLB for a modelled machine. Include it after cmocka.h. */
#pragma once
#include "tests/silicon/description.h"
#include <stdio.h>

/* A TLB of so many sets and ways. pages: of the sizes that it holds, PAGES_SMALL and others. */
static inline struct tlb_description *add_tlb_of(struct description *description, unsigned holds, unsigned pages,
                                                 unsigned level, unsigned sets, unsigned ways, unsigned latency)
{
    struct tlb_description *tlb = &description->tlb[description->tlbs++];
    *tlb = (struct tlb_description){.level = level, .latency = latency};
    snprintf(tlb->name, sizeof tlb->name, "tlb%u", description->tlbs);
    tlb->holds = holds;
    tlb->pages = pages;
    tlb->loads = tlb->stores = true;
    tlb->sector = tlb->coalesce = 1;
    tlb->shape.ways = ways;
    tlb->shape.index = (struct index){.kind = INDEX_MODULO, .sets = sets};
    assert_true(policy_parse(&tlb->shape.policy, "LRU"));
    return tlb;
}
