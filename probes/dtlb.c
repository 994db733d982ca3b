// SPDX-License-Identifier: BSD-2-Clause
/* dtlb.c: the TLBs that loads look in.
 *
 * Findings: dtlb1.4k.entries, dtlb1.4k.ways, dtlb1.4k.sets; dtlb2.4k.entries, .ways, .sets, and dtlb2.4k.penalty, the
 * core cycles that a hit of it takes more than one of the first. The same of pages of 2 MB and 1 GB: dtlb1.2m.ways ...
 * Series: dtlb.4k, dtlb.2m, dtlb.1g, core cycles by pages in a row.
 *
 * 1. More and more pages in a row are walked, against the same lines in few pages (probes/seats.h; paper 004, section
 *    2). What the walk takes longer is nothing while the first level has them all, then what a hit of the next one
 *    takes, then a walk of the tables. That bounds each level's entries.
 * 2. The first level's entries are found exactly, by bisection.
 * 3. Ways and sets of each level follow from its smallest crowd (probes/crowd.h), and their product has to be what the
 *    row says. That also tells a TLB from a page-structure cache, whose entries serve 512 pages, and from tables that
 *    leave a cache. */
#include "base/arithmetic.h"
#include "base/text.h"
#include "probes/confidence.h"
#include "probes/crowd.h"
#include "probes/probes.h"
#include "probes/rate.h"

enum {
    MOST_PLACES = 64,
    FEWEST = 4,
    PARTS = 2,
    NEIGHBOURS_MOST = 16,
    LEAST_BLOCK = 16,
    MOST_BLOCK = 512,
    ATTEMPTS = 3
};

/* Core cycles: a step of less is none. */
static const double LEAST_STEP = 0.6;

/* A second step is as high as a part of the first one at least, and as a load that hits. */
static const double LEAST_PART = 0.25, LEAST_SECOND = 2.5;

/* Core cycles: how far places of one step may be from each other. */
static const double LEVEL = 0.3;

/* Error of a decision on pages in a row; what is not checked by a second method may be wrong so often. */
static const double BOUND = 1e-3, FOLDED = 0.03, SHARED = 0.15;

struct place {
    uint64_t pages;
    double cycles; /* a step, more than the same lines in few pages */
};

struct dtlb {
    struct bench bench;
    struct seats pages;
    struct notebook *notebook;
    const char *size; /* of a page, in ids */
    unsigned places;
    struct place place[MOST_PLACES];
};

static void id_of(const struct dtlb *dtlb, unsigned level, const char *what, char id[28])
{
    struct text text = text_in(id, 28);
    text_format(&text, "dtlb%u.%s.%s", level, dtlb->size, what);
}

static void missing(const struct dtlb *dtlb, unsigned level, uint64_t cost, const char *why)
{
    static const char *const all[][2] = {
        {"entries", "entries"}, {"ways", "ways"}, {"sets", "sets"}, {"penalty", "cycles"}};
    if (!bench_ok(&dtlb->bench))
        why = dtlb->bench.skipped ? "skipped" : machine_why(dtlb->bench.machine);
    else if (dtlb->pages.spent)
        why = "it would take too many accesses";
    else if (dtlb->pages.undecided)
        why = "noise left a decision open";
    for (unsigned i = 0; i < sizeof all / sizeof *all - (level == 1); i++) {
        char id[28];
        id_of(dtlb, level, all[i][0], id);
        note_missing(dtlb->notebook, id, all[i][1], cost, "%s", why);
    }
}

/* Pages of the next place: two in an octave. */
static uint64_t next_place(uint64_t pages)
{
    uint64_t step = power_of_two_within(pages) / PARTS;
    return pages + (step ? step : 1);
}

/* Pages of the longest row: where there are few addresses, as many as their numbers have. */
static uint64_t longest_row(const struct dtlb *dtlb)
{
    uint64_t numbers = (uint64_t)1 << dtlb->pages.bits;
    return numbers < MOST_IN_A_ROW ? numbers : MOST_IN_A_ROW;
}

/* What so many pages in a row take longer, by their number. */
static bool sweep(struct dtlb *dtlb)
{
    char id[28];
    struct text text = text_in(id, sizeof id);
    text_format(&text, "dtlb.%s", dtlb->size);
    struct series *series = note_series(dtlb->notebook, id, "pages", "cycles");
    for (uint64_t count = FEWEST; count <= longest_row(dtlb) && dtlb->places < MOST_PLACES; count = next_place(count)) {
        double ticks;
        struct stops row = seats_row(&dtlb->pages, count);
        if (!seats_ok(&dtlb->pages) || !seats_excess(&dtlb->pages, &row, &ticks))
            return false;
        double cycles = ticks * dtlb->bench.cycles_per_tick;
        if (cycles < -LEAST_STEP)
            continue; /* the control misses, something that is no translation */
        dtlb->place[dtlb->places++] = (struct place){count, cycles};
        note_point(dtlb->notebook, series, (struct point){(double)count, cycles, cycles, cycles});
    }
    return true;
}

/* The first place, from one on, from which all others take so many cycles or more; places: there is none. */
static unsigned rises_above(const struct dtlb *dtlb, unsigned from, double cycles)
{
    unsigned first = dtlb->places;
    while (first > from && dtlb->place[first - 1].cycles >= cycles)
        first--;
    return first;
}

/* The cycles of a step that places from one on stand on: those of two of them, one at twice the pages of the other, or
 * more, that agree. 0: no two of them do. */
static double step_from(const struct dtlb *dtlb, unsigned from, unsigned *last)
{
    for (unsigned i = from; i + PARTS < dtlb->places; i++) {
        double cycles = dtlb->place[i].cycles, room = LEVEL + cycles / 32;
        unsigned end = i;
        while (end + 1 < dtlb->places && apart(dtlb->place[end + 1].cycles, cycles) <= room)
            end++;
        if (end < i + PARTS)
            continue;
        *last = end;
        return dtlb->place[(i + end) / 2].cycles;
    }
    return 0;
}

static bool row_fits(struct dtlb *dtlb, uint64_t count, double miss)
{
    struct seats *pages = &dtlb->pages;
    for (unsigned attempt = 0; attempt < ATTEMPTS && seats_ok(pages); attempt++) {
        struct stops row = seats_row(pages, count), seats = seats_dense(pages, count);
        enum verdict verdict = seats_crowd(pages, &row, &seats, miss, BOUND);
        if (verdict != UNDECIDED)
            return verdict == NOT_SLOWER;
        bench_wait(&dtlb->bench, 1 + attempt);
    }
    pages->undecided = true;
    return false;
}

/* Bisects the number of pages in a row that fit the first level, from one that does. A neighbour that shares the core
 * can hold entries for as long as it is busy: at no moment of some may one page more fit. */
static bool bisect(struct dtlb *dtlb, double miss, uint64_t *fit, uint64_t *crowd)
{
    enum { MOMENTS = 3 };
    while (*crowd - *fit > 1 && seats_ok(&dtlb->pages)) {
        uint64_t middle = *fit + (*crowd - *fit) / 2;
        if (row_fits(dtlb, middle, miss))
            *fit = middle;
        else
            *crowd = middle;
    }
    for (unsigned moment = 0; moment < MOMENTS && seats_ok(&dtlb->pages); moment++) {
        bench_wait(&dtlb->bench, 1);
        while (row_fits(dtlb, *crowd, miss) && *crowd < longest_row(dtlb))
            *fit = (*crowd)++;
    }
    return seats_ok(&dtlb->pages);
}

/* Narrows what bounds the second level's entries to a part of them: with a few more than fit, many of its sets have one
 * too many. least: core cycles that this shows by. */
static bool narrow(struct dtlb *dtlb, double least, uint64_t *fit, uint64_t *crowd)
{
    enum { PART = 32 };
    while ((*crowd - *fit) * PART > *fit) {
        uint64_t middle = *fit + (*crowd - *fit) / 2;
        double ticks;
        struct stops row = seats_row(&dtlb->pages, middle);
        if (!seats_ok(&dtlb->pages) || !seats_excess(&dtlb->pages, &row, &ticks))
            return false;
        if (ticks * dtlb->bench.cycles_per_tick > least)
            *crowd = middle;
        else
            *fit = middle;
    }
    *fit -= *fit / PART; /* a policy may hide some misses */
    return true;
}

static void note_shape(const struct dtlb *dtlb, unsigned level, const struct shape *shape, double error, uint64_t cost)
{
    char id[28];
    double confidence = confidence_from(error);
    id_of(dtlb, level, "ways", id);
    note_value(dtlb->notebook, id, shape->ways, "ways", confidence, cost,
               "the fewest pages that do not fit, less one (after paper 000, section 6)");
    id_of(dtlb, level, "sets", id);
    note_value(dtlb->notebook, id, (double)shape->sets, "sets", confidence, cost,
               shape->plain ? "page-number bits that relieve a crowd, and what a row of pages says"
                            : "what a row of pages says, and no bits that speak against it");
    id_of(dtlb, level, "entries", id);
    note_value(dtlb->notebook, id, (double)(shape->ways * shape->sets), "entries", confidence, cost,
               "pages in a row that fit, and ways times sets");
}

/* An index that is folded, or none of bits, and entries that serve several pages, are inferred with less to check them
 * by. */
static double doubt_of(const struct shape *shape)
{
    return shape->error + (shape->plain ? 0 : FOLDED) + (shape->neighbours > 1 ? SHARED : 0);
}

/* Ticks a lap that one page too many costs at least, if a miss takes so many cycles. */
static double miss_of(const struct dtlb *dtlb, double cycles)
{
    return LEAST_MISSES * cycles / dtlb->bench.cycles_per_tick;
}

/* The more cycles of a place and the next one. Only these two: behind a first level a second one of hardly more entries
 * may end soon. */
static double most_cycles(const struct dtlb *dtlb, unsigned place)
{
    double cycles = dtlb->place[place].cycles;
    bool more = place + 1 < dtlb->places && dtlb->place[place + 1].cycles > cycles;
    return more ? dtlb->place[place + 1].cycles : cycles;
}

/* The first level. *after: the first place behind it. */
static bool measure_first(struct dtlb *dtlb, struct shape *shape, unsigned *after)
{
    uint64_t start = machine_steps(dtlb->bench.machine);
    const char *why = "no step was seen";
    unsigned first = *after = rises_above(dtlb, 0, LEAST_STEP);
    struct reach reach = {.pages = &dtlb->pages, .neighbours = NEIGHBOURS_MOST};
    bool seen = first > 0 && first < dtlb->places;
    if (seen) {
        reach.miss = miss_of(dtlb, most_cycles(dtlb, first));
        reach.fit = dtlb->place[first - 1].pages;
    }
    for (unsigned attempt = 0; seen && attempt < ATTEMPTS && bench_ok(&dtlb->bench) && !dtlb->pages.spent; attempt++) {
        bench_wait(&dtlb->bench, 2 * attempt);
        dtlb->pages.undecided = false;
        reach.crowd = dtlb->place[first].pages > reach.fit ? dtlb->place[first].pages : reach.fit + 1;
        if (bisect(dtlb, reach.miss, &reach.fit, &reach.crowd) && crowd_shape(&reach, shape, &why)) {
            note_shape(dtlb, 1, shape, doubt_of(shape) + 2 * BOUND, machine_steps(dtlb->bench.machine) - start);
            return true;
        }
    }
    missing(dtlb, 1, machine_steps(dtlb->bench.machine) - start, why);
    return false;
}

static void note_penalty(const struct dtlb *dtlb, double cycles, double error, uint64_t cost)
{
    char id[28];
    id_of(dtlb, 2, "penalty", id);
    note_value(dtlb->notebook, id, cycles, "cycles", confidence_from(error), cost,
               "pages that the first level lacks and the second has, against the same lines in few pages");
}

/* What the sweep tells of the second level. *step: core cycles of its hits. False: *why. */
static bool reach_second(struct dtlb *dtlb, const struct shape *first, unsigned after, struct reach *reach,
                         double *step, const char **why)
{
    unsigned last = after, second;
    uint64_t entries = first->ways * first->sets * first->neighbours;
    *why = "no step behind the first one is level for an octave";
    *step = step_from(dtlb, after, &last);
    if (*step <= 0)
        return false;
    double least = LEAST_PART * *step > LEAST_SECOND ? LEAST_PART * *step : LEAST_SECOND;
    second = rises_above(dtlb, last + 1, *step + least);
    *why = "no second step was seen";
    if (second == dtlb->places)
        return false;
    double more = most_cycles(dtlb, second) - *step;
    *reach = (struct reach){.pages = &dtlb->pages, .neighbours = first->neighbours};
    reach->hit = *step / dtlb->bench.cycles_per_tick;
    reach->miss = miss_of(dtlb, more);
    reach->fit = dtlb->place[last].pages;
    reach->crowd = dtlb->place[second].pages;
    for (reach->block = LEAST_BLOCK; reach->block < 2 * entries;)
        reach->block *= 2;
    *why = "the first level hides it";
    return 2 * reach->block <= reach->fit && reach->block <= MOST_BLOCK &&
           narrow(dtlb, *step + (more / 16 > 2 * LEVEL ? more / 16 : 2 * LEVEL), &reach->fit, &reach->crowd);
}

static void measure_second(struct dtlb *dtlb, const struct shape *first, unsigned after)
{
    uint64_t start = machine_steps(dtlb->bench.machine), cost;
    struct reach reach;
    struct shape shape;
    double step;
    const char *why;
    bool found = reach_second(dtlb, first, after, &reach, &step, &why) && crowd_shape(&reach, &shape, &why);
    for (unsigned again = 1; dtlb->pages.undecided && again < ATTEMPTS && bench_ok(&dtlb->bench); again++) {
        bench_wait(&dtlb->bench, again);
        dtlb->pages.undecided = false;
        found = crowd_shape(&reach, &shape, &why);
    }
    cost = machine_steps(dtlb->bench.machine) - start;
    if (!found) {
        missing(dtlb, 2, cost, why);
        return;
    }
    double error = doubt_of(&shape) + doubt_of(first);
    note_shape(dtlb, 2, &shape, error, cost);
    note_penalty(dtlb, step, error, cost);
}

static void measure(struct dtlb *dtlb)
{
    struct shape first;
    unsigned after;
    if (!sweep(dtlb)) {
        missing(dtlb, 1, 0, "noise");
        missing(dtlb, 2, 0, "noise");
    } else if (measure_first(dtlb, &first, &after)) {
        dtlb->bench.permille += 150;
        measure_second(dtlb, &first, after);
    } else {
        missing(dtlb, 2, 0, "what the first level is like is not known");
    }
}

/* Both levels, for pages of one size. known: how long a core cycle is. */
static void measure_size(struct dtlb *dtlb, bool known, uint64_t page, uint64_t visits)
{
    const char *why = "core cycles are not known";
    if (known && seats_open(&dtlb->pages, &dtlb->bench, page, visits, &why)) {
        measure(dtlb);
        seats_close(&dtlb->pages);
    } else {
        missing(dtlb, 1, 0, why);
        missing(dtlb, 2, 0, why);
    }
}

bool probe_dtlb(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    static const struct {
        const char *name;
        uint64_t page, visits; /* that these and those before them may take */
    } sizes[] = {{"4k", 4096, 24000000}, {"2m", 2 << 20, 36000000}, {"1g", 1 << 30, 40000000}};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    struct bench bench = bench_open(machine, request->seed ^ 0x64746c62);
    struct rate rate;
    bool known = rate_measure(&bench, &rate) && bench.cycles_per_tick > 0;
    uint64_t start = machine_steps(machine);
    for (unsigned i = 0; i < SIZES; i++) {
        struct dtlb dtlb = {.bench = bench, .notebook = notebook, .size = sizes[i].name};
        measure_size(&dtlb, known, sizes[i].page, start + sizes[i].visits);
        bench = dtlb.bench;
        bench.refused = false; /* what was refused to pages of one size may be granted to others */
        bench.permille = 1000 * (i + 1) / SIZES;
    }
    return !bench.skipped;
}
