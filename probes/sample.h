// SPDX-License-Identifier: BSD-2-Clause
/* sample.h: measuring under noise: batches, low quantiles, and decisions against a control.
 *
 * Noise adds time and hardly ever takes any away: an interruption, a neighbour on the same core that pushes lines out.
 * So a walk that fits is known by the batches in which it is as fast as its control, however few they are, and a walk
 * that does not fit by having none. The decision is Wald's sequential test (Annals of Mathematical Statistics 16, 1945)
 * on that vote: go on until the error that was asked for is reached. Controls are interleaved in the same stretch, so
 * that a core clock that moves takes both along. */
#pragma once
#include "probes/walk.h"

struct witness; /* probes/witness.h */

/* What the samples of a probe share. */
struct bench {
    struct machine *machine;
    struct clock clock;
    uint64_t seed;          /* advanced by bench_seed */
    uint64_t busy;          /* ticks measured since the last rest */
    uint64_t linked;        /* stops linked since the last rest */
    unsigned permille;      /* done, for the progress line; the probe moves it */
    bool skipped, refused;  /* the user wants to skip; the machine refused a call (machine_why) */
    uint64_t disturbed;     /* batches dropped */
    double cycles_per_tick; /* 0: not known; set by rate_measure (probes/rate.h) */
};

/* Turns off the prefetchers that can be turned off, until the probe ends. */
struct bench bench_open(struct machine *, uint64_t seed);

/* Leaves the prefetchers as they were found: for a probe that asks what a program sees. */
struct bench bench_open_as_found(struct machine *, uint64_t seed);

bool bench_ok(const struct bench *); /* neither skipped nor refused */
uint64_t bench_seed(struct bench *); /* a new seed */

/* Lets the machine live when 50 ms of measuring or linking have gone by, or at once with `now`. False: skip. */
bool bench_rest(struct bench *, bool now);

/* One run of one task, as it comes: not even a disturbed one is made again. False: skipped or refused. */
bool bench_run(struct bench *, enum op, uint64_t start, uint64_t steps, struct reading *);

/* Plays a script, see machine_script. False: refused. */
bool bench_script(struct bench *, struct visit *, size_t count, struct reading lap[MAX_LAPS]);

/* Links a whole walk, with rests. */
bool bench_link(struct bench *, const struct walk *);

/* Empties all caches (WBINVD). False: skipped, or the machine does not allow it, which is not an error. */
bool bench_empty(struct bench *);

/* What is walked below is, of jumps, made in whole laps, from the first stop; so many steps as are asked for are told
 * then as their part of it. */

/* Runs `steps` visits from a position, untimed, with rests if they take long. */
bool bench_warm(struct bench *, const struct walk *, uint64_t position, uint64_t steps);

/* Runs `steps` visits from a position as one batch and tells its ticks. A batch that the machine knows to be disturbed
 * is made again, warmed for at most a lap, up to 16 times; after that the last one counts. */
bool bench_batch(struct bench *, const struct walk *, uint64_t position, uint64_t steps, double *ticks);

/* The same from the first stop, after `warm` visits from there before the clock starts: between these and the timed
 * ones no data is touched but the walk's. A walk that just fits would miss all through a lap otherwise, where what is
 * least recently used goes first and whoever starts a run touches a page. The code that reads the clock does so even
 * then: of jumps it is what so many steps behind a lap, or behind `warm` if that is more, take. warm: whole laps. */
bool bench_timed(struct bench *, const struct walk *, uint64_t warm, uint64_t steps, double *ticks);

/* Straight code, the same way. */
bool bench_block(struct bench *, enum block_kind, uint64_t steps, double *ticks);

/* The value below which a fraction (0 to 1) of the values lies, interpolated linearly; sorts the values. count: 1 or
 * more. */
double quantile(double *values, unsigned count, double fraction);

enum verdict { NOT_SLOWER, SLOWER, UNDECIDED };

/* The part of an effect that clock and spread may make of two batches: these are no longer than that asks for. */
static const double BLURRED = 0.25;

struct question {
    const struct walk *signal, *control; /* linked */
    uint64_t steps;                      /* of a batch of the signal; the control's are the same, at most 4096 */
    double effect;      /* ticks a step that the signal loses at least, if it is slower at all; above 0 */
    double error;       /* probability of a wrong verdict that is acceptable, for example 1e-3 */
    bool emptied;       /* all caches are emptied (bench_empty) before each batch of the signal */
    unsigned orders;    /* in which the signal's stops are visited one after the other before each of its batches, each
                           a new one, the last one also in the batch: 0: always in the order that they are linked in */
    unsigned silent;    /* after so many rounds on end without a vote it stays open; 0: it does not */
    uint64_t warm_laps; /* in each of these orders; two more follow (one where the signal is long) */
    uint64_t control_laps; /* that the control is visited before each of its batches, where it takes more than two to
                              settle */
    uint64_t near_laps;    /* of the two, or more, so many come right before the signal's clock starts, where it is no
                              long one; 0: one. The lap that a run begins with may miss in a TLB all along, and what it
                              loads of tables pushes lines out, which the timed one pays for; jumps are foretold wrongly
                              for some laps of a new order, and again where a run of them ended. The control's order
                              is an old one */
    unsigned every;        /* rounds from one batch of the control to the next; 0: one in each */
    bool brief; /* where batches become longer than asked for: by no more than it takes, and one that is clearly slow,
                   by so much more than clock and spread make of a short one, may be short */
    bool together;           /* a slow batch says nothing whose control was slow, too, unless that is little beside it:
                                whoever shares the core was busy */
    struct witness *witness; /* where it says that whoever shares the core was at work, before a batch of the signal or
                                after it, a slow one says nothing and is made again; NULL: nobody is asked */
    uint32_t *mixed; /* numbers of the signal's first stops, so many, that change places before each of these orders */
    unsigned mixed_count;
};

struct answer {
    enum verdict verdict;
    double error;           /* that was reached */
    double signal, control; /* ticks a step, first quartile of the batches */
    double blur;            /* ticks a step that clock and spread make of a batch that is not brief, at most */
    unsigned rounds;
};

/* Decides whether a walk is slower than its control by `effect` or more. Batches become longer than asked for when
 * clock step and spread would hide half of the effect. False: skipped or refused. */
bool sample_compare(struct bench *, const struct question *, struct answer *);
