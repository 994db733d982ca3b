// SPDX-License-Identifier: BSD-2-Clause
/* push.h: whether lines push another one, the target, out of a level of cache.
 *
 * A round begins without any of the lines in any cache (CLFLUSH). The target is loaded; helpers, lines that share its
 * set at the nearer levels and not at this one, push it down to the level in question; then come the lines, and other
 * helpers that push those down in turn; and then the target is loaded again, and that is timed. (Paper 000, section 5:
 * sequences that make the nearer levels transparent. Vila et al., "Theory and practice of finding eviction sets", IEEE
 * S&P 2019: the test of a set of lines.) As sets are empty in the beginning, lines that are no more than its ways push
 * nothing out under any policy that takes empty ways first.
 *
 * A policy may need several laps over the lines until it gives the target up (one that draws lots, one that waits for
 * ages).
 *
 * A round is a vote of what the clock shows, clipped, so that an interruption is one vote and no more; and the sum of
 * the votes is Wald's sequential test. */
#pragma once
#include "probes/kin.h"
#include "probes/sample.h"

enum { MOST_HELPERS = 320, MOST_LINES = 512, MOST_KEPT = 160 };

/* Lines drawn one after the other from the kin of the target. */
struct pool {
    const struct kin *kin, *without; /* without: not these (NULL: all) */
    uint64_t seed, first, count;     /* from number `first` on, and before number `count` */
    unsigned known; /* nor those of the scene's lines before this one, though not all of them may take part */
};

/* Who takes part in a round, as line numbers. */
struct scene {
    uint64_t target;
    const struct nearer *nearer; /* NULL: not known */
    uint64_t helper[MOST_HELPERS];
    unsigned helpers;
    bool shallow; /* helpers push the target out of all nearer levels but the last: whatever shares a set there, does
                     here */
    uint64_t line[MOST_LINES];
    unsigned lines;
    unsigned needed;  /* so many of the lines, the first ones, push the target out; one fewer do not */
    bool sharp;       /* and that is so each time: no policy draws lots here */
    unsigned alone;   /* each line of the set pushes the target out alone, if it is flushed and loaded so often; 0: none
                         does */
    struct pool pool; /* lines that come after line[] */
};

/* What a load of a line brings along into this level, or a nearer one, because of prefetchers without a switch. */
struct along {
    bool next, pair; /* the next line; the other one of an aligned pair */
    uint64_t units;  /* of a region, that are flushed together */
};

struct push {
    struct bench *bench;
    struct region region;
    double middle, half; /* ticks that a timed load shows: between this level and the next; half of their distance */
    double hit;          /* ticks that a timed load shows of a line that is at hand */
    double slowest;      /* core cycles of a load that no cache serves; 0: not known */
    double longest; /* ticks, twice what `slowest` is: what takes longer had to wait for something else; 0: not known */
    double beyond;  /* ticks: between the next level and what is behind it; 0: nothing is */
    double beyond_half;         /* ticks, half of what those two take more or less than each other */
    double variance;            /* of one such reading that hits, in halves squared */
    double most_of_one;         /* votes that one reading counts for at most */
    unsigned laps;              /* over the lines */
    bool lines_stay_near;       /* no helpers come after the lines */
    bool near_only;             /* a target that is not in the next level either says nothing: an outer level may have
                                   given it up, which contains this one */
    bool flushed;               /* each line is flushed when it was loaded, and no helpers come, either */
    unsigned hot_to;            /* after each of the scene's lines before this one the target is loaded; */
    const uint64_t *hot_helper; /* and after each of all lines these, which push it out of all levels but the last of
                                   the nearer ones */
    unsigned hot_helpers;
    unsigned passes;    /* push_line: of the helpers at the end, after those that each lap ends with */
    unsigned settled;   /* push_line: so many of the lines come again and again at the end, so that nearer levels have
                           these and no others, whether they draw lots or not */
    struct along along; /* nothing of it stays: it is flushed after each of the scene's lines, and all of it at the end;
                           and a pool comes before the other lines, so that a set is not full yet when it comes along */
    uint64_t apart;     /* after each of the scene's lines the one so far from it (XOR) is flushed; 0: none is */
    bool emptied;       /* all caches are emptied (WBINVD) after each round, and not only of what it has loaded */
    bool empty_first;   /* so many lines as have ways here were seen to stay, so that none takes another's by lot */
    uint64_t any_way;   /* lines were found that do take it, empty ones or not: one of about so many; 0: were not */
    bool more_memory;   /* there are more lines elsewhere than the region has */
    uint64_t most;      /* visits of the machine (machine_steps): beyond, nothing is known any more */
};

/* Line number i of a scene's pool; the target: there is none of that number. */
uint64_t push_pooled(const struct push *, const struct scene *, uint64_t i);

/* Whether a line is one of those. */
bool push_among(const uint64_t *lines, unsigned count, uint64_t line);

/* The scene with its first line and its last one changed. It has one at least. */
struct scene push_ends_changed(const struct scene *);

/* Whether there were more visits than there may be. */
bool push_spent(const struct push *);

/* Neither spent, nor skipped or refused. */
bool push_ok(const struct push *);

/* How surely an answer is wanted: votes that have to point one way. VOTES_DRAW: of what is asked about again. */
enum { VOTES_DRAW = 2, VOTES_SEARCH = 3, VOTES_CHECK = 6 };

/* Votes by which one answer has to lead for so sure an answer: that many, or as many as noise does not make by chance
 * (Wald). */
double push_needed(const struct push *, unsigned votes);

/* Plays rounds until votes for one answer exceed those for the other by so many, or so often in vain that it does not
 * matter any more. True: the target was pushed out. *clear (may be NULL): whether the votes decided it. */
bool push_out(struct push *, const struct scene *, unsigned votes, bool *clear);

/* A vote, or what one reading counts for at most. */
double push_clipped(const struct push *, double vote);

/* One round alone, and the vote on it: above 0 for a target that was pushed out, in halves, clipped; 0 where the
 * reading says nothing. first: none of the scene's lines was cleared away before. False: see push_ok. */
bool push_round(struct push *, const struct scene *, bool first, double *vote);

/* The mean of so many votes that its standard error is as wanted, in halves, or less: 1 where the target always goes,
 * -1 where it always stays. */
bool push_mean(struct push *, const struct scene *, double error, double *mean);

/* The same of votes of which each counts 1 or -1: how far away a target is that goes, or stays, does not matter much.
 */
bool push_signs(struct push *, const struct scene *, double error, double *mean);

/* Whether a target that goes is not in the next level either, more often than not. */
bool push_far(struct push *, const struct scene *);

/* Plays a round of another kind: `laps` laps over a scene's lines and no target, in their order, with helpers after
 * each lap; then all helpers; and then one of the lines, that at `place`, is timed. Before all of that comes a lap
 * after which the line at `last` is loaded, so that the policy remembers that one, and not which was timed in the round
 * before. *vote: how far it is from the middle, in halves, above 0 where it is gone. False: skipped or refused, or
 * disturbed too often. */
bool push_line(struct push *, const struct scene *, unsigned laps, unsigned last, unsigned place, double *vote);

/* Whether it brings anything. */
bool push_brings(const struct push *);

/* Finds out what a load brings along, after push_calibrate. False: see push_ok. */
bool push_learn_along(struct push *);

/* Whether a line that is at hand is seen to be, after push_calibrate: translation has a part in it where pages
 * of the machine's own have all ways of a TLB that the line's page may have. False, too: undecided, or see push_ok. */
bool push_shows_hit(struct push *, uint64_t line);

/* Sets middle, half, hit, beyond, longest, variance and most_of_one: for a level that takes `near` core cycles, and the
 * next, or memory, `far`, and what is behind that `farther` (0: nothing); `hit`: what the first level takes. False:
 * skipped or refused, or the clock cannot tell them apart in a thousand readings. */
bool push_calibrate(struct push *, double hit, double near, double far, double farther);
