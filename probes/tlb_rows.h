// SPDX-License-Identifier: BSD-2-Clause
/* tlb_rows.h: pages in a row, walked against the same lines in few pages: a part of probes/tlb.c. Where levels end is
 * seen, and the first level's end found exactly. */
#pragma once
#include "probes/seats.h"
#include "probes/tlb.h"
#include "probes/tries.h"

enum { LEVELS = 2, MOST_PLACES = 64, ATTEMPTS = 3 };

/* Core cycles: a step of less is none. (A jump to another page takes up to 0.2 cycles more than one that stays, by what
 * branch targets cost: measured on a Zen 4.) */
static const double LEAST_STEP = 0.6;

/* Core cycles: how far places of one step may be from each other. */
static const double LEVEL = 0.3;

/* Error of a decision on pages in a row. */
static const double BOUND = 1e-3;

struct row_place {
    uint64_t pages;
    double cycles; /* a step, more than the same lines in few pages */
    double few;    /* that of as many jumps in few pages */
};

/* What was found of a level. */
struct level {
    uint64_t fit; /* pages; 0: nothing */
    double doubt;
    double miss; /* core cycles that a page which it lacks takes longer; 0: it is not known */
    bool surely; /* that is a hit of the next level */
};

struct tlb {
    struct bench bench;
    struct seats pages;
    struct notebook *notebook;
    const struct tlb_side *side;
    const struct tlb_size *size;
    unsigned places;
    struct row_place place[MOST_PLACES];
    struct level level[LEVELS];
    struct level before[TRIES][LEVELS]; /* what earlier tries have found */
    unsigned made, tries;               /* earlier ones, and how many there are at most */
    unsigned permille;                  /* of the probe, when pages of this size began */
    bool drawn;                         /* the row's series is noted: an earlier try's stands */
    bool whole;                         /* another would not say more */
    uint64_t visits;                    /* that pages of all sizes may take, but for patience */
    uint64_t second;                    /* machine_steps from which on a second level is looked for no longer */
    double few;                         /* core cycles of a jump among the fewest */
    double little;                      /* core cycles more are as few */
    uint64_t fits;                      /* so many pages in a row fitted the first level once, in any try */
    bool behind;                        /* a first level is known, and a second one looked for */
    uint64_t calm;                      /* up to so many jumps are as few where nobody is busy, by LEVEL */
    uint64_t clean, mixed; /* up to so many jumps take no longer; from so many on they do, in whatever pages */
};

bool tlb_walks_code(const struct tlb *tlb);

/* Has as many pages as surely fit walked before and after all that is timed, where others may share the core. False:
 * see seats_ok. */
bool tlb_watch(struct tlb *tlb, uint64_t fit);

/* What so many pages in a row take longer, by their number. */
bool tlb_sweep(struct tlb *tlb);

/* The same, of jumps that ran out of lines in the longer rows, in lines that they share: for a second level. *after: as
 * before, the first place behind the first one. */
bool tlb_sweep_longer(struct tlb *tlb, unsigned *after);

/* The first place, from one on, from which all others take so many cycles or more; places: there is none. Those whose
 * control misses something say nothing against it. */
unsigned tlb_rises_above(const struct tlb *tlb, unsigned from, double cycles);

/* The same, and by more than chance makes of lines that run out. Where the first level ends is asked by decisions,
 * which see many orders; where the second one does, by single rows. */
unsigned tlb_rises_surely(const struct tlb *tlb, unsigned from, double cycles);

/* The cycles of a step that places from one on stand on: those of two of them, one at twice the pages of the other, or
 * more, that agree; or of two next to each other that are all but the same. 0: no two of them are. */
double tlb_step_from(const struct tlb *tlb, unsigned from, unsigned *last);

/* Whether one of the places from `from` to before `end` takes less than so many core cycles, by more than the same row
 * varies. A row of loads that hits, or misses, takes no longer than a longer one does; one whose control misses lines
 * may seem to. */
bool tlb_is_undercut(const struct tlb *, unsigned from, unsigned end, double cycles);

/* Whether a row of pages fits. fewer: of jumps, pages that surely do. miss: ticks a lap that one too many costs. */
bool tlb_row_fits(struct tlb *tlb, uint64_t count, uint64_t fewer, double miss);

/* Bounds the first level's entries: by bisection, from so many that fit, or as many as fitted once, since a neighbour
 * only takes entries, up to a place where they do not. *rough: by
 * places alone, if that was asked for: where rows miss lines, too, they do so now more, now less often, by the order
 * that these are visited in, and what pages too many cost is lost in that. miss: ticks a lap that one page too many
 * costs. */
bool tlb_bound(struct tlb *tlb, unsigned place, double miss, uint64_t *fit, uint64_t *crowd, bool *rough);

/* Narrows what bounds the second level's entries to a part of them: with a few more than fit, many of its sets have one
 * too many. level, least: core cycles of a row that fits at most, and of one that does not at least: what is between,
 * walks of tables that are near may take. *rough: lines run out there, and what fits is only known of the place that it
 * was known of before. */
bool tlb_narrow(struct tlb *tlb, double level, double least, uint64_t *fit, uint64_t *crowd, bool *rough);

/* Whether so many loads take as long as few where they go to few pages: what they miss in many is translation then. Of
 * jumps see tlb_is_pure. */
bool tlb_is_clean(const struct tlb *tlb, uint64_t count);

/* The same of just so many loads, which are measured now: the place that tlb_is_clean goes by may have more. */
bool tlb_row_is_clean(struct tlb *tlb, uint64_t count);

/* Whether so many loads miss as many lines in few pages as so many more do, or what these miss more is little beside
 * what their pages cost: of several orders, since which lines are missed is often a matter of order. */
bool tlb_row_is_like(struct tlb *tlb, uint64_t count, uint64_t more);

/* Whether so many jumps miss nothing but translations. */
bool tlb_is_pure(struct tlb *tlb, uint64_t count);

/* Whether whoever shares the core was busy while jumps were walked, again and again: what little their translations
 * take is not told then. */
bool tlb_is_busy(const struct tlb *tlb);
