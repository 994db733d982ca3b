// SPDX-License-Identifier: BSD-2-Clause
/* tables_inside.h: what the files of the probe of walks share: tables_look.c puts entries where they are wanted and
 * times walks to them, tables_sweep.c looks for what leaves them in levels between, and tables.c decides. */
#pragma once
#include "base/arithmetic.h"
#include "probes/hang.h"
#include "probes/rate.h"
#include "probes/readings.h"

enum { LEVELS = 3, MOST_ROUNDS = 60, FEW_ROUNDS = 8, MOST_SINGLY = 64 };
enum { MOST_SEARCHED = 1 << 20 }; /* visits */
enum { LEAST_BATCHES = 12 };

enum place { WALKED, SWEPT, FLUSHED };

/* Where entries are put, and what is timed: loads of the entries, which bring them near, or of the controls; walks to
 * the pages; or both, in looks of their own: controls that are loaded may push pages' lines out. */
struct laying {
    enum place place;
    enum hung_what loads;
    bool walks;
    const struct walk *sweep; /* SWEPT: linked */
    unsigned rounds;          /* of a batch: to MOST_ROUNDS */
};

/* Core cycles, more than a hit. */
struct cost {
    double walk, load; /* a page that the TLBs lack; a line */
    double deviation;  /* of either */
    bool known;
    bool well;  /* as well as was wanted */
    bool mixed; /* not all entries lay there: what loads of them took more or less is taken off */
};

struct tables {
    struct bench bench;
    struct notebook *notebook;
    struct hung hung;
    struct rate rate;
    unsigned levels;                                /* of cache whose latency is known, without a gap */
    double latency[LEVELS + 1];                     /* core cycles; [0]: of memory */
    double error;                                   /* that one of them is wrong */
    struct cost near, left, far, swept[LEVELS + 1]; /* left: as near, by loads of the entries themselves */
    unsigned cached_in;                             /* 0: not known */
    double doubt;                                   /* of it */
    uint64_t end;                                   /* machine_steps from which on nothing more is swept out */
    bool cut;                                       /* it would have been */
    bool unknown; /* it is none of those levels: what memory costs is known all the same */
    const char *why;
};

/* What a level takes more than the first. */
static inline double behind_first(const struct tables *tables, unsigned level)
{
    return tables->latency[level] - tables->latency[1];
}

/* Whether loads take what a level takes, as far as is known. */
static inline bool is_of(const struct tables *tables, unsigned level, double load, double deviation)
{
    return apart(load, behind_first(tables, level)) <= readings_tolerance(tables->latency[level]) + 2 * deviation;
}

/* Looks of a batch: a clock that steps shows less of two pages than of ten. */
static inline unsigned rounds_of(const struct tables *tables)
{
    return tables->hung.present == ALL_HUNG ? 24 : MOST_ROUNDS;
}

/* The level that loads of the entries say walks left them in. 0: none of them. */
unsigned tables_left(const struct tables *);

/* Whether other probes need the visits that are left, so that nothing more is swept out. */
bool tables_is_cut(struct tables *);

/* One batch of looks: what they say on average. NULL: is not asked. *good: enough of them are to be trusted. False:
 * skipped or refused. */
bool tables_batch(struct tables *, const struct laying *, double *walk, double *load, bool *good);

/* Times what is timed, until it is known well, or for so many visits. */
bool tables_measure(struct tables *, const struct laying *, uint64_t visits, struct cost *);

static inline unsigned count_of(unsigned entries)
{
    unsigned count = 0;
    for (; entries; entries &= entries - 1)
        count++;
    return count;
}

/* Entries by the level that each of them is left in. */
struct entries {
    unsigned in[LEVELS + 1]; /* by level; bit i: number i; [0]: in memory, or nearly as far away */
    double load[HUNG];       /* core cycles more than a hit, on average; below 0: not known */
};

/* Loads each entry in a lap of its own, in so many rounds that levels `near` core cycles apart are told from each
 * other, as far as the clock shows that. Those of which it does not are in none. */
bool tables_singly(struct tables *, const struct laying *, double near, struct entries *);

/* Times walks to some of the entries alone, and loads of them, for so many visits each. Both are known, or neither:
 * that is if loads take what a level takes, or, with `room`, what is no further away from that (core cycles). */
bool tables_measure_chosen(struct tables *, const struct laying *, unsigned chosen, unsigned level, double room,
                           struct cost *walk, struct cost *load);

/* Looks for sweeps that leave all entries in one level, by what the controls take. */
bool tables_search(struct tables *);

/* Looks for sweeps that leave some entries in levels of which nothing is known for sure so far, by loads of each entry,
 * from a level on. *found: what is known of one may be new. */
bool tables_search_singly(struct tables *, unsigned from, bool *found);
