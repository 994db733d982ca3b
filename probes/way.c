// SPDX-License-Identifier: BSD-2-Clause
/* way.c: ways and the size of a way, as X-Ray finds them (paper 000, Figure 6), for any number of sets and any policy.
 *
 * 1. A dense walk grows until it does not fit: that bounds the capacity.
 * 2. At a distance well below the bound the most lines that fit are found: the ways, times the number of sets that
 *    these lines lie in. If an odd multiple of the distance leads to fewer sets, there was an odd number of them, and
 *    one set is left. While as many lines, and one more, do not fit at half of the distance either, that leads to no
 *    more sets. While half as many, and one more, do not fit at twice the distance, that leads to fewer.
 * 3. Checks from other bases, in other orders, with another prime (probes/fit.h): as many lines as ways fit, and one
 *    more does not; at half of the distance twice as many; at multiples of it no fewer. */
#include "probes/way.h"
#include "probes/pause.h"

enum {
    DENSE = 32,            /* bytes: the distance of stops in step 1: every line has one */
    SMALLEST = 1 << 10,    /* bytes */
    LARGEST = 4 << 20,     /* bytes: no first level is larger */
    PARTS = 16,            /* of the bound: the first distance of step 2 */
    MOST_STOPS = 4096,     /* twice what a first level of 128 KB holds, as an odd number of sets leads through all */
    LONGEST_LINE = 1024,   /* bytes */
    LONGEST_WAY = 1 << 17, /* bytes */
    LONG_LINE = 128,       /* bytes: nearly all are no longer */
    STOP = 16,             /* bytes: two words */
    AGAIN = 4,
    MOMENTS = 4
};

/* Probability that ways are more than were found where a set does not settle and their number is no power of two. */
static const double UNSETTLED = 0.05;

/* Ticks that a load of a walk over many lines takes more than its control; whether that is `effect` or more. */
static bool many_overflow(struct fit *fit, const struct stops *stops, double effect, double *more)
{
    struct stops control = stops_control(stops, fit->stretch.page);
    struct question question = {.steps = 2048, .effect = effect, .error = 3e-3, .orders = 1, .warm_laps = 6};
    struct answer answer;
    if (!fit_compare(fit, stops, &control, &question, &answer))
        return false;
    *more = answer.signal - answer.control;
    return answer.verdict == SLOWER;
}

static bool grown(struct fit *fit, uint64_t footprint, double effect, double *more)
{
    struct stops stops = stops_sequence(fit->stretch.base, DENSE, footprint / DENSE);
    return many_overflow(fit, &stops, effect, more);
}

bool way_bound(struct fit *fit, uint64_t *bound, uint64_t *seen)
{
    /* Just above the capacity a quarter of the loads miss at least, and a footprint that is a power of two lies well
     * above: half of the least cost shows. */
    double more = 0, next = 0;
    for (*bound = SMALLEST; *bound <= LARGEST && 2 * *bound <= fit->stretch.size; *bound *= 2) {
        if (!bench_ok(&fit->bench))
            return false;
        *seen = *bound;
        if (!grown(fit, *bound, fit->least / 2, &more) || !grown(fit, 2 * *bound, fit->least / 2, &next) ||
            next < fit->least / 2)
            continue;
        /* Not what twice the bound tells: that may already be more than the next level holds. */
        fit->miss = fit->dense = more > fit->least ? more : fit->least;
        return true;
    }
    return false;
}

/* Whether the number of sets is a multiple of an odd number: then that multiple of the distance leads to fewer sets. */
static void search_odd(struct fit *fit, struct way *way)
{
    for (uint64_t odd = way->ways | 1; fit_usable(fit) && odd > 1; odd -= 2)
        if (way->ways % odd == 0 && fit_search(fit, odd * way->size, way->ways / odd + 1)) {
            way->size *= odd;
            way->ways /= odd;
            return;
        }
}

/* Step 2. */
static bool search(struct fit *fit, uint64_t distance, struct way *way)
{
    *way = (struct way){.size = distance};
    way->ways = fit_most(fit, way->size, MOST_STOPS);
    search_odd(fit, way);
    while (fit_usable(fit) && way->size % (2 * STOP) == 0 && fit_search(fit, way->size / 2, way->ways + 1))
        way->size /= 2;
    way->single = way->size % (2 * STOP) != 0;
    while (fit_usable(fit) && !way->single && way->ways % 2 == 0 && fit_search(fit, 2 * way->size, way->ways / 2 + 1)) {
        way->size *= 2;
        way->ways /= 2;
    }
    return fit_usable(fit);
}

/* Step 3. */

/* What a check says about a search that was wrong goes on to the next one: that an overflow does not come is proof that
 * so many fit. */
static void check_most(struct fit *fit, const struct way *way, uint64_t count, bool overflow, const char *wrong)
{
    bool usable = fit_usable(fit);
    fit_check(fit, way->size, count, overflow, wrong);
    if (usable && fit->wrong == wrong && !fit->undecided)
        fit_prove(fit, way->size, count, overflow);
}

static void check_way(struct fit *fit, const struct way *way)
{
    check_most(fit, way, way->ways, false, "as many lines as ways do not fit the second time");
    check_most(fit, way, way->ways + 1, true, "one line more than ways fits the second time");
}

static void check_multiples(struct fit *fit, const struct way *way)
{
    if (way->single)
        fit_check(fit, LONGEST_WAY, way->ways, false, "lines of one set only fit where they are close together");
    fit_check(fit, 2 * way->size, way->ways, false, "as many lines as ways do not fit at twice the distance");
    fit_check(fit, 3 * way->size, way->ways + 1, true, "one line more than ways fits at thrice the distance");
    for (uint64_t prime = 2; prime <= way->ways; prime++)
        if (way->ways % prime == 0)
            fit_check(fit, prime * way->size, way->ways / prime + 1, false,
                      "a multiple of the distance holds fewer lines");
}

static void check_half(struct fit *fit, const struct way *way)
{
    if (way->single)
        return;
    fit_check(fit, way->size / 2, 2 * way->ways, false, "half of the distance holds less than twice the lines");
    fit_check(fit, way->size / 2, 2 * way->ways + 1, true, "half of the distance holds more than twice the lines");
}

/* Whether as many lines, and one more, fit when they come into empty caches: some policies then take ways that nobody
 * uses, and otherwise hardly ever let a set settle that has a line for each way. */
static bool fits_emptied(struct fit *fit, const struct way *way)
{
    if (!fit_usable(fit) || fit->emptied || !bench_empty(&fit->bench))
        return false;
    fit->emptied = true;
    bool fits = !fit_search(fit, way->size, way->ways + 1);
    fit->emptied = fits && fit_usable(fit);
    return fit->emptied;
}

/* A tree of bits over a number of ways that is no power of two may never let a set settle that has a line for nearly
 * each way; but then most loads still hit, which under other policies they do not where one line is too many. (They do
 * where lots are drawn: the doubt is for both.) */
static void doubt_unsettled(struct fit *fit, const struct way *way)
{
    struct stops one = stops_sequence(fit->base, fit_apart(fit, way->size), way->ways + 1), many = one;
    struct answer few, all;
    many.count = 2 * way->ways;
    if (fit_usable(fit) && (way->ways & (way->ways - 1)) && fit_overflows(fit, &one, FIT_CHECK, &few) &&
        fit_overflows(fit, &many, FIT_CHECK, &all) && few.signal - few.control < (all.signal - all.control) / 2)
        fit->error += UNSETTLED;
}

static void move(struct fit *fit, const struct way *way, unsigned pattern)
{
    fit->pattern = pattern % FIT_PATTERNS;
    fit->base = fit_some_base(fit, fit_apart(fit, 3 * way->size) * (way->ways + 1));
}

bool way_find(struct fit *fit, uint64_t bound, unsigned closer, struct way *way)
{
    unsigned pattern = fit->pattern;
    fit->base = fit->stretch.base + LONGEST_LINE * (1 + bench_seed(&fit->bench) % 3);
    uint64_t distance = bound / PARTS >> (fit_is_large(fit) ? 2 * closer : 0);
    if (distance < LONG_LINE)
        distance = LONG_LINE;
    if (!search(fit, distance, way) || (fits_emptied(fit, way) && !search(fit, distance, way)))
        return false;
    if (!fit_learn(fit, way->size, way->ways + 1) && fit_usable(fit)) {
        check_most(fit, way, way->ways + 1, true, "one line more than ways fits the second time");
        fit->undecided |= !fit->wrong; /* two decisions, two answers */
    }
    fit_check_control(fit, way->size, way->ways + 1);
    for (unsigned again = 0; again < AGAIN && fit_usable(fit); again++) {
        bench_wait(&fit->bench, 1);
        move(fit, way, pattern + again);
        check_way(fit, way);
    }
    check_multiples(fit, way);
    /* A neighbour that shares the core can hold ways for as long as it is busy, and then fewer lines fit than there are
     * ways: at no moment of many may one line more than the ways fit. */
    for (unsigned moment = 0; moment < MOMENTS && fit_usable(fit); moment++) {
        bench_wait(&fit->bench, 1);
        move(fit, way, pattern + moment);
        check_most(fit, way, way->ways + 1, true, "one line more than ways fits another time");
    }
    move(fit, way, pattern);
    check_half(fit, way);
    doubt_unsettled(fit, way);
    return fit_usable(fit);
}

bool way_holds(struct fit *fit, const struct way *way)
{
    double more;
    bool rows = way->ways >= 4; /* not all of them, or not all of each: full sets do not settle soon */
    /* More than half of it in any case: a next level that is twice as large would hold the other half. */
    struct stops stops = stops_sequence(0, fit_apart(fit, way->size), rows ? (way->ways * 5 + 7) / 8 : way->ways);
    stops.inner_stride = DENSE;
    stops.inner_count = way->size / DENSE * (rows ? 8 : 5) / 8;
    if (way->single || !stops.inner_count)
        return true;
    for (unsigned attempt = 0; attempt < AGAIN && bench_ok(&fit->bench); attempt++) {
        stops.base = fit_some_base(fit, stops_extent(&stops));
        stops.base -= stops.base % LONGEST_LINE;
        if (!many_overflow(fit, &stops, fit->least, &more))
            return bench_ok(&fit->bench);
        bench_wait(&fit->bench, 1 + attempt);
    }
    fit->wrong = "more lines fit at a distance than in a row";
    return false;
}
