// SPDX-License-Identifier: BSD-2-Clause
/* fork.h: addresses whose walks meet tables of one's own at every level, and entries that lead to one of two chains of
 * tables: the same pages, other frames, other words in them.
 *
 * An entry that was used is swapped from one chain to the other, and nothing is flushed. A page below it that was not
 * visited yet has to be walked to: the word that is read there tells whether the entry was loaded anew or had been kept
 * in a page-structure cache, and no clock is asked (Intel SDM volume 3, 4.10.2.3 and 4.10.3, allow the stale one).
 * Where a processor watches what is written to entries, all of them read as loaded anew. There the clock answers: the
 * entry's line is flushed from the caches (CLFLUSH), so that a walk that loads it waits for memory. */
#pragma once
#include "probes/sample.h"
#include "probes/stretch.h"

enum {
    PDE = 2, /* levels of tables, as in machine_entry */
    PDPTE,
    PML4E,
    PML5E,
    MOST_REGIONS = 500, /* entries of one level that are used */
    FORK_LAP = 7        /* pages of a timed lap */
};

struct fork {
    struct bench *bench;
    struct stretch dense; /* one large page: frames, tables, and the script */
    unsigned levels;      /* of tables */
    uint64_t base;        /* address below the first of so many entries of the highest table: */
    unsigned slots;
    uint64_t old, flags; /* the first of them as it was; of an entry that leads to a table */
    unsigned level;      /* whose entries are swapped */
    bool by_clock;       /* the clock answers */
    double limit;        /* ticks of a load whose walk waits for memory, at least */
    struct visit *visit; /* the script */
    unsigned count, walks;
};

/* What lies between the use of an entry and the question. */
enum between {
    BETWEEN_NOTHING,
    BETWEEN_INVLPG, /* of a page far away */
    BETWEEN_PDES,   /* walks through `many` PDEs, all below one other entry */
    BETWEEN_PAGES,  /* as many through a single PDE */
    BETWEEN_BELOW   /* as many through PDEs below the entry itself */
};

struct held_question {
    unsigned used;  /* entries that are used, one after the other, from none on; 1 or more */
    unsigned asked; /* which of them is asked for: below `used` */
    bool backwards; /* used in descending order */
    bool aside;     /* asked for below another entry of the next higher level, that leads to the same table */
    bool afresh;    /* all is flushed after the swap: it cannot be held */
    enum between between;
    unsigned many,
        before; /* walks, at most MOST_REGIONS, and so many of these come before the use; one entry is used */
};

/* Maps all. False: *why says why not; nothing is mapped then. */
bool fork_open(struct fork *, struct bench *, const char **why);
void fork_close(struct fork *);

/* Entries of a level that can be used: at most MOST_REGIONS. */
unsigned fork_regions(const struct fork *, unsigned level);

/* From here on entries of this level are swapped, and all levels above share one table. False: refused. */
bool fork_at(struct fork *, unsigned level);

/* Whether an entry is held. False: skipped or refused. */
bool fork_held(struct fork *, const struct held_question *, bool *held);

/* Learns how to tell by the clock, at level PDE. *told: a load that waits for memory stands out. False: skipped or
 * refused. */
bool fork_learn(struct fork *, bool *told);

/* Ticks of laps of so many walks, at most FORK_LAP, and fewer than the highest table has entries for. lap[k]: each
 * finds the entry of level k kept if it can be, and none below; lap[levels + 1]: none at all. All that is loaded is as
 * near to the walker as walks just before left it. *good: they are to be trusted. Needs fork_at the highest level.
 * False: skipped or refused. */
bool fork_laps(struct fork *, unsigned pages, double lap[PML5E + 2], bool *good);
