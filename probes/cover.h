// SPDX-License-Identifier: BSD-2-Clause
/* cover.h: whether the entry that a TLB made for one place translates another place, too.
 *
 * All TLBs are flushed, and one place of each pair is loaded. Then the table entries of both are swapped for others, of
 * which no TLB hears, and both are loaded again. The first place has to show its old word still, or its entry is lost
 * and nothing is known. The other one shows its old word if that entry covered it, its new one if the tables were
 * walked. (It is loaded behind the first: a walk for it may bring an entry for both.) That needs no clock, and tells
 * what any level of TLB knows. By the clock the first level is told from those behind it: what it covers takes no
 * longer than a load once more. An emulator's own TLB shows old words and new ones, too, but not these times. */
#pragma once
#include "probes/sample.h"

enum { MOST_PAIRS = 4 };

/* A line in a page. */
struct spot {
    uint64_t va;
    uint64_t alias;      /* another address of its line, whose load brings it near */
    uint64_t *entry;     /* that maps its page */
    uint64_t was, other; /* what that holds, and what it is swapped for */
};

struct pairs {
    unsigned count;
    struct spot first[MOST_PAIRS], second[MOST_PAIRS];
};

/* Writes a word that tells what was loaded to where the spot is mapped, pa, and another one to other_pa, where the page
 * of other_va puts it. level: of the table entry that maps the page. The caller sets spot->va and ->alias before.
 * False: refused. */
bool spot_make(struct machine *, struct spot *, uint64_t pa, unsigned level, uint64_t other_va, uint64_t other_pa);

enum covered { COVERED, WALKED_TO, LOST };

/* Asks all pairs at once, by the words that they show. push: pages that are walked through after the first places were
 * loaded, to push these out of the first level; NULL: none. False: see bench_ok. */
bool cover_ask(struct bench *, const struct pairs *, const struct walk *push, enum covered answer[MOST_PAIRS]);

/* What it takes. */
enum speed { FAST, SLOW, UNKNOWN };
struct taken {
    enum speed speed; /* FAST: the first level has it */
    double cycles;    /* core cycles that loads of the second places take more than once more */
    double error;     /* of the speed */
};

/* The same by the clock. False: see bench_ok. */
bool cover_time(struct bench *, const struct pairs *, const struct walk *push, struct taken *);

/* The same of places that some level covers, so that no more than a line may be lost: SLOW only if each pair is, by
 * itself. */
bool cover_time_each(struct bench *, const struct pairs *, struct taken *);
