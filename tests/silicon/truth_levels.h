// SPDX-License-Identifier: BSD-2-Clause
/* truth_levels.h: what the truth of latencies is made of: the reference walk, and the plateaus that follow from the
 * structures of the machine. Only for truth*.c and their tests. */
#pragma once
#include "tests/silicon/truth.h"

enum { MAX_WALKED = 512, MAX_STEPS = MAX_CACHES + MAX_TLBS + MAX_PSC, MAX_LEVELS = MAX_STEPS + 1, MAX_DEMANDED = 64 };

/* A plateau of the curve of the reference walk. */
struct level {
    uint64_t begins, ends;  /* bytes: capacities of what ends before it, and of what it ends with; 0, the sweep's end */
    uint64_t middle;        /* bytes: the footprint that stands for it */
    double cycles;          /* of the reference walk there */
    double lowest, highest; /* of the reference walk at a quarter, half and three quarters of the way (in octaves) */
    bool certain; /* false: so narrow, so far out or so like its neighbour that it may or may not be told apart */
    bool blends;  /* if it is not, it shifts the height of the one before: it rises from there gradually or hardly */
};

struct truths {
    struct description whole; /* the machine */
    struct description quiet; /* the same without noise and without prefetchers that can be switched off */
    uint64_t reach;           /* bytes that are walked at most */
    unsigned walked_count;
    struct walked {
        uint64_t footprint;
        double cycles;
    } walked[MAX_WALKED]; /* what the reference walk has told so far */
    bool levelled, built; /* the levels were found; the first data cache was looked at */
    unsigned levels;
    struct level level[MAX_LEVELS];
    unsigned first_ways, first_line;
    uint64_t first_sets; /* 0: there is no data cache */
    unsigned demands;    /* 0: not known yet */
    char demanded[MAX_DEMANDED][28];
};

/* Mean core cycles of a visit of the reference walk over this footprint (bytes, a multiple of 64); negative: it could
 * not be walked. */
double walk_cycles(struct truths *, uint64_t footprint);

/* The page that the reference walk uses: the largest that the span holds; *bytes: what can be mapped with it. 0: no
 * page fits. */
uint64_t walk_page(const struct description *, uint64_t *bytes);

/* How far two latencies may be apart and still be the same: 2 %, or half a core cycle, whichever is more. */
double latency_tolerance(double cycles);

/* The capacities (ascending, each once) at which the curve can rise: of caches and of translation. */
struct step {
    uint64_t capacity; /* bytes */
    bool translation;  /* of a TLB or a page-structure cache: beyond it ever more visits miss there, in no sharp step */
};
unsigned levels_steps(const struct description *, struct step step[MAX_STEPS]);

/* Fills truths->level, once. */
void levels_find(struct truths *);

/* Whether a report has to hold "latency.NUMBER.cycles", ".ns" (ends: ".ends"), as far as plateaus go. */
bool level_demanded(struct truths *, unsigned number, bool ends);

/* The truth of latency.*; NONE for what is none of them. */
struct truth truth_of_latency(struct truths *, const char *id);

/* A number that an id like "latency.12.cycles" or "latency.4k.sizes" has in its middle; *rest is what follows it. */
bool id_number(const char *id, const char *prefix, uint64_t *number, const char **rest);
