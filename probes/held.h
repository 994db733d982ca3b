// SPDX-License-Identifier: BSD-2-Clause
/* held.h: how many entries of a level page-structure caches hold. */
#pragma once
#include "probes/fork.h"

struct kept {
    bool known, any;     /* how many; that there are any, whether these can be counted or not */
    bool chance;         /* which ones */
    unsigned entries;    /* of a cache for all levels without those above that walks need */
    unsigned used, span; /* of so many that were used, the last `span` have all that are held; 0: it is chance */
    double confidence;   /* 0: sets fill so unevenly that the number says nothing */
    const char *why;     /* not known */
};

/* Counts those of a level of which some are kept. False: skipped or refused. */
bool held_count(struct fork *, unsigned level, struct kept *);
