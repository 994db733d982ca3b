// SPDX-License-Identifier: BSD-2-Clause
/* tlb_tries.h: levels that several tries found (probes/tries.h), or one: a part of probes/tlb.c. Levels are numbered
 * from 1. */
#pragma once
#include "probes/tlb_rows.h"

/* So many pages of a level that two earlier tries agree on; 0: no two of them. */
uint64_t tlb_agreed_before(const struct tlb *, unsigned level);

/* That so many pages of a level are wrong, where others share the computer, because no earlier try said so, too; 0
 * where one did, or only one try is made. */
double tlb_unconfirmed(const struct tlb *, unsigned level, uint64_t fit);

/* What the tries say of a level: what two agree on, or else the last one that found something. */
struct level tlb_said_of(const struct tlb *, unsigned level);

/* Whether another try is made: until two say the same of each level, or the last one that there is none. */
bool tlb_asks_again(const struct tlb *);
