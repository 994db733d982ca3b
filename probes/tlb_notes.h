// SPDX-License-Identifier: BSD-2-Clause
/* tlb_notes.h: the findings of a TLB's levels, with how sure they are: a part of probes/tlb.c. level: from 1. cost:
 * visits. */
#pragma once
#include "probes/crowd.h"
#include "probes/tlb_rows.h"

/* The id of a finding, such as dtlb1.4k.ways. */
void tlb_id(const struct tlb *, unsigned level, const char *what, char id[28]);

/* Why a finding of a level is missing: because the run ends, or there is no more room, or why it was said. */
const char *tlb_reason(const struct tlb *, const char *why);

/* All findings of a level are missing. */
void tlb_note_missing(const struct tlb *, unsigned level, uint64_t cost, const char *why);

/* error: how often it may be wrong. False: two tries have agreed on something else before, which stands. */
bool tlb_note_shape(struct tlb *, unsigned level, const struct shape *, double error, uint64_t cost);

/* Core cycles that a hit of the second level takes more than one of the first. */
void tlb_note_penalty(const struct tlb *, double cycles, double error, uint64_t cost);
