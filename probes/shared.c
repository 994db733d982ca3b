// SPDX-License-Identifier: BSD-2-Clause
/* shared.c: small pages, visited again after large ones. */
#include "probes/shared.h"
#include "probes/crowd.h"
#include "probes/pause.h"

enum {
    WORD = 8,       /* two walks use the same lines */
    ROW = 128,      /* seats of smaller pages begin at a multiple */
    ROUNDS = 16,    /* laps of each kind, at most */
    SOME = 6,       /* of long ones */
    LONG = 512,     /* pages */
    ATTEMPTS = 5,   /* two on end have to say the same */
    LEAST_STEPS = 2 /* of the clock, that pages in the way cost */
};

/* Of what small pages cost after as many more of their size, or, if that is less, of what those cost that were pushed
 * out of this level alone (more small pages may push them out of the next one, too, and large ones out of this one
 * only): large ones that cost less are kept elsewhere, large ones that cost more are in their way. (In one of two TLBs
 * only, they push out half of what the others do, or more.) */
static const double APART = 0.25, TOGETHER = 0.4;

/* What is visited between two laps. */
enum scene { FEW_PAGES, SMALL_PAGES, LARGE_PAGES, SCENES };

static uint64_t whole_rows(uint64_t seats)
{
    return (seats + ROW - 1) / ROW * ROW;
}

/* The mean of the middle half: what interrupts does not count, and a clock that moves in steps shows parts of them. */
static double middle(double *values, unsigned count)
{
    double sum = 0;
    unsigned from = count / 4, to = count - from;
    quantile(values, count, 0.5); /* sorts */
    for (unsigned i = from; i < to; i++)
        sum += values[i];
    return sum / (to - from);
}

/* Ticks of a lap over the pages that are kept, after each of the scenes. Walks of tables push lines out of the first
 * cache: those of the kept pages are visited in few pages, last, so that all that a lap can miss is translation. */
static bool time_laps(struct seats *pages, const struct walk *kept, const struct walk *lines,
                      const struct walk scene[SCENES], double lap[SCENES])
{
    struct bench *bench = pages->bench;
    double laps[SCENES][ROUNDS];
    unsigned rounds = kept->length > LONG ? SOME : ROUNDS;
    uint64_t settling = kept->length > LONG ? 2 : 4;
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < SCENES; i++)
            if (!bench_rest(bench, false) || !bench_warm(bench, kept, 0, settling * kept->length) ||
                !bench_warm(bench, &scene[i], 0, settling / 2 * scene[i].length) ||
                !bench_warm(bench, lines, 0, 2 * lines->length) ||
                !bench_batch(bench, kept, 0, kept->length, &laps[i][round]))
                return false;
    for (unsigned i = 0; i < SCENES; i++)
        lap[i] = middle(laps[i], rounds);
    return true;
}

/* What a lap over the kept pages takes longer where they were pushed out of the level; and at least, if it is not known
 * who has them then. 0: not known, or of no use. */
struct pushed {
    double ticks, least;
};

/* Ticks of a lap that are nothing: of those that pages take at least which were pushed out, or where a clock does not
 * show so little, of its step. */
static double nothing(const struct seats *pages, double least)
{
    double part = APART * least, step = APART * (double)pages->bench->clock.step;
    return part > step ? part : step;
}

/* One look, in new orders. False: skipped, refused or spent; *told: it says which, *shared. */
static bool look(struct seats *pages, const struct stops *kept, const struct stops *lines,
                 const struct stops stops[SCENES], const struct pushed *pushed, bool *told, bool *shared)
{
    struct bench *bench = pages->bench;
    struct walk walk = walk_over(kept, OP_LOAD, bench_seed(bench)), scene[SCENES];
    struct walk beside = walk_over(lines, OP_LOAD, bench_seed(bench));
    double lap[SCENES];
    *told = false;
    pages->spent = pages->spent || machine_steps(bench->machine) > pages->visits;
    if (!seats_ok(pages) || !bench_link(bench, &walk) || !bench_link(bench, &beside))
        return false;
    for (unsigned i = 0; i < SCENES; i++) {
        scene[i] = walk_over(&stops[i], OP_LOAD, bench_seed(bench));
        if (!bench_link(bench, &scene[i]))
            return false;
    }
    if (!time_laps(pages, &walk, &beside, scene, lap))
        return false;
    double small = lap[SMALL_PAGES] - lap[FEW_PAGES], large = lap[LARGE_PAGES] - lap[FEW_PAGES];
    double whole = pushed->ticks > 0 && pushed->ticks < small ? pushed->ticks : small;
    double shows = LEAST_STEPS * (double)bench->clock.step;
    bool apart =
        whole > shows && large < APART * whole && (pushed->least <= 0 || large < nothing(pages, pushed->least));
    *shared = large > shows && large > TOGETHER * whole;
    *told = small > shows && (*shared || apart);
    return true;
}

bool shared_ask(struct seats *pages, uint64_t page, uint64_t fit, double miss, bool surely, bool *shared,
                const char **why)
{
    /* Those that are kept leave room for the few pages of a control, in most sets of any number of ways. */
    uint64_t most = MOST_IN_A_ROW, others = fit, keep = fit - fit / 4, addresses = (uint64_t)1 << pages->bits;
    double least = LEAST_SECOND / pages->bench->cycles_per_tick;
    struct pushed pushed = {(double)keep * miss, miss > 0 && !surely ? (double)keep * least : 0};
    bool before = false, any = false;
    *why = "it would take too many pages to fill it";
    if (whole_rows(keep) + 2 * whole_rows(others) > most)
        others = (most - whole_rows(keep)) / 2 / ROW * ROW;
    if (keep < 2 || keep + others < fit + fit / 8 || others > addresses)
        return false;
    uint64_t seat = whole_rows(others);
    struct stops kept = seats_smaller(pages, page, 0, seat, keep), lines = seats_dense(pages, keep);
    lines.base += stops_seat(seat, pages->pitch) / page * page + WORD;
    seat += whole_rows(keep);
    struct stops stops[SCENES] = {seats_dense(pages, others), seats_smaller(pages, page, keep, seat, others),
                                  seats_row(pages, others)};
    stops[FEW_PAGES].base += WORD;
    *why = "neither do small pages push each other out for certain, nor do large ones not";
    for (unsigned attempt = 0; attempt < ATTEMPTS && seats_ok(pages); attempt++) {
        bool told;
        if (!look(pages, &kept, &lines, stops, &pushed, &told, shared))
            return false;
        if (told && any && *shared == before)
            return true;
        any = told;
        before = *shared;
        bench_wait(pages->bench, 1);
    }
    return false;
}
