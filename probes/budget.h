// SPDX-License-Identifier: BSD-2-Clause
/* budget.h: visits that the probes of translation may make together (probes/probe.h says which these are). What one
 * does not need is left to those behind it. */
#pragma once
#include "kernel/machine.h"
#include "probes/finding.h"

enum {
    TRANSLATION = 40000000, /* visits of all of them */
    ENDING = 500000,        /* that end what was begun */
    /* What is left to the probes behind one, whatever it would do with more: as much as most machines ask for. */
    AFTER_TABLES = 4000000, /* structures, coalescing and costs, which have no limit of their own: 1 to 4 million */
    AFTER_ITLB = AFTER_TABLES + 2000000,
    AFTER_DTLB = AFTER_ITLB + 14000000 /* stores, and four levels of jumps at 3 to 4 million each */
};

/* Visits that a probe may make yet, if those behind it need so many. Where others share the computer each has all of
 * them: what counts there is time. */
uint64_t translation_left(struct machine *, const struct notebook *, uint64_t behind);
