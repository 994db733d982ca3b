// SPDX-License-Identifier: BSD-2-Clause
/* round.h: the visits of a round, which push.c and push_calibrate.c make up. */
#pragma once
#include "probes/push.h"

enum {
    PIECE = 992,  /* visits that are made at once: more than a round of the longest row of hot targets has
                     (probes/inclusion.c) */
    ROOM = 4,     /* at its end, for what is timed and what comes just before */
    BESIDE = 5,   /* units from a target to its doorstep, in the same page: no neighbour, and of another set (XOR) */
    PAGE = 4096,  /* no prefetcher brings lines of another one: it does not know where that is */
    IN_VAIN = 12, /* votes, in so many times as many rounds */
    MOST_NEEDED = 200
};

/* The line that comes along with one, if the next one does. */
static inline uint64_t next_of(const struct along *along, uint64_t line)
{
    return (line | (along->units - 1)) + 1;
}

/* Sets what a reading counts for, by what its ticks vary by, squared. */
void push_set_votes(struct push *, double variance);

/* Visits that are collected, and made when there are enough of them. */
struct round {
    struct push *push;
    struct visit visit[PIECE];
    unsigned count;
    double ticks; /* of the last lap */
    bool disturbed;
};

/* Most rounds fill but a part of the visits, so none of them is set to anything here. */
void round_begin(struct round *, struct push *);

/* Makes what was collected. False: skipped or refused. */
bool round_play(struct round *);

/* One more visit of a line. What is refused shows when the rest is played. */
static inline void round_add(struct round *round, enum op op, uint64_t line)
{
    if (round->count == PIECE - ROOM && !round_play(round))
        return;
    round->visit[round->count++] = (struct visit){.op = op, .va = region_address(&round->push->region, line)};
}

/* The load that is timed, behind one of another line of its page: translation has no part in it. Then all is played:
 * `ticks` and `disturbed` tell of it. False: skipped or refused. */
bool round_time(struct round *, uint64_t target);
