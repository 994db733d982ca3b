// SPDX-License-Identifier: BSD-2-Clause
/* tlb.c: levels of TLBs, from rows of pages and from crowds. */
#include "base/text.h"
#include "probes/budget.h"
#include "probes/confidence.h"
#include "probes/crowd.h"
#include "probes/pause.h"
#include "probes/rate.h"
#include "probes/shared.h"
#include "probes/tlb_notes.h"
#include "probes/tlb_pieces.h"
#include "probes/tlb_rows.h"
#include "probes/tlb_tries.h"

enum { NEIGHBOURS_MOST = 16, LEAST_BLOCK = 16, MOST_BLOCK = 512 };
/* Entries of a second level that are not of the row's pages, but of tables, or of who owns the machine: one for each
 * two of the row, at most. */
enum { OTHERS = 2 };

enum { SHARING = 500000 /* visits */ };

/* Core cycles that a jump takes at least whose page alone is not there. Where all pages of a walk miss, and targets are
 * foretold, translations overlap, and each takes less (1 on a Zen 4). */
static const double LEAST_ALONE = 2;

/* A second step is as high as a part of the first one, at least. */
static const double LEAST_PART = 0.25;

/* What is not checked by a second method may be wrong so often. */
static const double FOLDED = 0.03, SHARED = 0.15;

/* A shape that a row of pages bounds roughly, or that other crowds did not say, may be wrong so often. */
static const double ROUGH = 0.1;

/* Where others share the core a row is asked many times, and one time in some a fetch that runs ahead hides what the
 * jumps of a set or two miss (a Redwood Cove: 257 or 258 pages for 256): such a part of what fits may be too many. */
enum { HIDDEN_OF_JUMPS = 64 };

/* What is said where the row does not rise again: an answer, which another try would only give again. */
static const char no_second[] = "no second step was seen";

/* What is said where more stops than these are needed to see a level's end. */
static const char *const impure = "branch targets or the instruction cache run out before it does";

/* An index that is folded, or none of bits, and entries that serve several pages, are inferred with less to check them
 * by. */
static double doubt_of(const struct shape *shape)
{
    return shape->error + (shape->plain ? 0 : FOLDED) + (shape->neighbours > 1 ? SHARED : 0);
}

/* Ticks a lap that one page too many costs at least, if a miss takes so many cycles. */
static double miss_of(const struct tlb *tlb, double cycles)
{
    if (tlb_walks_code(tlb) && cycles < LEAST_ALONE)
        cycles = LEAST_ALONE;
    return LEAST_MISSES * cycles / tlb->bench.cycles_per_tick;
}

/* The more cycles of a place and the next one. Only these two: behind a first level a second one of hardly more entries
 * may end soon. */
static double most_cycles(const struct tlb *tlb, unsigned place)
{
    double cycles = tlb->place[place].cycles;
    bool more = place + 1 < tlb->places && tlb->place[place + 1].cycles > cycles;
    return more ? tlb->place[place + 1].cycles : cycles;
}

/* Whether jumps through the pages of a place take no longer than through fewer in orders that are new, too, by more
 * than a miss or two: a sweep's orders have been walked for long, and are foretold as a whole. */
static bool settles(struct tlb *tlb, unsigned place, double miss)
{
    for (unsigned attempt = 0; attempt < ATTEMPTS && seats_ok(&tlb->pages); attempt++) {
        bench_wait(&tlb->bench, attempt);
        if (tlb_row_fits(tlb, tlb->place[place].pages, tlb->place[place - 1].pages, 2 * miss))
            return true;
    }
    return false;
}

/* Twice as many pages as there are entries, or, where jumps to as many miss something else, too, as many as do not:
 * what they miss would hide what the level's misses cost. */
static uint64_t too_many(const struct tlb *tlb, uint64_t entries)
{
    uint64_t count = 2 * entries;
    for (unsigned i = 0; 2 * entries > tlb->clean && i < tlb->places; i++)
        if (tlb->place[i].pages > entries && tlb->place[i].pages <= tlb->clean)
            count = tlb->place[i].pages;
    return count;
}

/* Whether jumps to many more pages than there are entries take longer each, by a step: else what pages in a row meet is
 * no level, but something that branch targets cost. */
static bool all_miss(struct tlb *tlb, const struct shape *shape, uint64_t fewer)
{
    uint64_t count = too_many(tlb, shape->ways * shape->sets);
    double lap = LEAST_STEP * (double)count / tlb->bench.cycles_per_tick;
    return !tlb_row_fits(tlb, count, fewer, lap) && seats_ok(&tlb->pages);
}

/* Any pages push each other out of a level of one set, and any lines out of a cache that they fill: where lines, too,
 * run out there, or are in each other's way, nobody knows which it is. Where they have run out before, and one more is
 * missed no more often, a first level is doubted; of a second one, which is seen behind a block, it says nothing.
 * False: *why. */
static bool is_no_cache(struct tlb *tlb, struct shape *shape, bool first, const char **why)
{
    if (shape->sets > 1 || tlb_is_clean(tlb, shape->ways + 1) || tlb_row_is_clean(tlb, shape->ways + 1))
        return true;
    *why = "it has one set, and lines run out where it does";
    shape->error += ROUGH;
    return first && tlb_row_is_like(tlb, shape->ways, shape->ways + 1);
}

/* Where bounds are rough, all stands on the crowd: whether it is few pages, which change seats while they are compared,
 * and whose lines do not run out. */
static bool is_clear(struct tlb *tlb, const struct shape *shape)
{
    return shape->ways < SHARE_FRAME && tlb_row_is_clean(tlb, shape->ways + 1);
}

/* The first level. *after: the first place behind it. */
static bool measure_first(struct tlb *tlb, struct shape *shape, unsigned *after)
{
    uint64_t start = machine_steps(tlb->bench.machine);
    const char *why = "no step was seen";
    unsigned first = *after = tlb_rises_above(tlb, 0, LEAST_STEP);
    /* A crowd of few pages with one entry for several would have to be told from one of branch targets. */
    struct reach reach = {.pages = &tlb->pages, .neighbours = tlb_walks_code(tlb) ? 1 : NEIGHBOURS_MOST};
    bool seen = first > 0 && first < tlb->places;
    if (seen && tlb_is_busy(tlb)) {
        why = "noise: as many jumps in few pages take now more, now less";
        seen = false;
    }
    if (seen) {
        reach.miss = miss_of(tlb, most_cycles(tlb, first));
        reach.least = tlb_walks_code(tlb) ? miss_of(tlb, LEAST_ALONE) : 0;
        reach.fit = reach.fewer = tlb->place[first - 1].pages;
    }
    if (seen && tlb_walks_code(tlb) && first > 1 && !settles(tlb, first - 1, reach.miss)) {
        why = "jumps take longer in orders that are new";
        seen = false;
    }
    shape->miss = 0;
    for (unsigned attempt = 0; seen && attempt < ATTEMPTS && bench_ok(&tlb->bench) && !tlb->pages.spent; attempt++) {
        bench_wait(&tlb->bench, 2 * attempt);
        tlb->pages.undecided = false;
        reach.rough = attempt > 0; /* only where the row said nothing, or what is not so */
        if (attempt) { /* what a page misses on average is no more than a miss costs, whatever is missed behind */
            reach.fit = reach.fewer;
            reach.miss = miss_of(tlb, tlb->place[first].cycles);
            if (shape->miss > 0 && shape->miss < reach.miss) /* nor is what few pages of one set miss */
                reach.miss = shape->miss;
        }
        if (!tlb_bound(tlb, first, reach.miss, &reach.fit, &reach.crowd, &reach.rough))
            continue;
        reach.most = reach.crowd;
        reach.hidden = tlb_walks_code(tlb) && tlb->tries > 1 ? reach.fit / HIDDEN_OF_JUMPS : 0;
        if (!tlb_watch(tlb, reach.fit))
            break;
        if (!tlb_is_pure(tlb, reach.crowd)) {
            why = impure;
            break;
        }
        if (crowd_shape(&reach, shape, &why)) {
            if (tlb_walks_code(tlb) && !all_miss(tlb, shape, reach.fewer)) {
                why = "no step was seen";
                break;
            }
            if (!is_no_cache(tlb, shape, true, &why))
                break;
            tlb->whole = tlb_keeps_pieces(tlb, reach.fit, 0, &shape->error, &why); /* an answer, as good as another's */
            if (tlb->whole)
                break;
            if (reach.rough && !is_clear(tlb, shape)) {
                why = "lines run out before it does";
                break;
            }
            bool fewer = shape->ways * shape->sets * shape->neighbours < reach.fit;
            shape->error += attempt || reach.rough || fewer ? ROUGH : 0;
            tlb_note_shape(tlb, 1, shape, doubt_of(shape) + 2 * BOUND, machine_steps(tlb->bench.machine) - start);
            return true;
        }
    }
    tlb_note_missing(tlb, 1, machine_steps(tlb->bench.machine) - start, why);
    return false;
}

/* The last place of a step: where the same lines in few pages leave a cache, hits of the level may take a little
 * longer, or less long, than before; what is not a step higher is still the same one. */
static void go_on(const struct tlb *tlb, double least, unsigned *last)
{
    unsigned further = *last;
    double step = tlb->place[*last].cycles;
    for (double cycles = step; cycles > 0; cycles = tlb_step_from(tlb, *last + 1, &further)) {
        if (cycles > step + least)
            return;
        *last = further;
    }
}

/* The part of a row of so many pages that the first level keeps, though they are more than it has entries: some
 * policies do. step: core cycles of a hit of the next one. */
static double kept_of(const struct tlb *tlb, uint64_t pages, double step)
{
    for (unsigned i = 0; i < tlb->places; i++)
        if (tlb->place[i].pages == pages)
            return tlb->place[i].cycles >= step - LEVEL ? 0 : 1 - tlb->place[i].cycles / step;
    return 1;
}

/* The smallest block of so many units, up to so many pages, that leaves a first level of so many entries nothing. */
static bool smallest_block(const struct tlb *tlb, uint64_t entries, double step, unsigned units, uint64_t most,
                           struct reach *reach)
{
    for (reach->unit = LEAST_BLOCK / 2; units * reach->unit <= MOST_BLOCK; reach->unit *= 2) {
        reach->block = units * reach->unit;
        if (reach->block > entries && reach->block <= most && kept_of(tlb, reach->block, step) <= 0)
            return true;
    }
    return false;
}

/* A block that leaves the first level nothing, and the second one room for a crowd: of at least twice as many pages as
 * there are entries, and at most half of those that fit; or else of any number that the rows say is enough, or, where
 * it is hardly known what fits, may be. Where the first level has one set, which pages are visited does not matter: as
 * few as leave it nothing in a row do in any order, and of these lines are missed less often. */
static bool choose_block(const struct tlb *tlb, const struct shape *first, double step, struct reach *reach)
{
    unsigned block = LEAST_BLOCK, most = reach->fit / 2 < MOST_BLOCK ? (unsigned)(reach->fit / 2) : MOST_BLOCK;
    uint64_t entries = first->ways * first->sets * first->neighbours;
    while (block <= entries || (first->sets > 1 && block < 2 * entries))
        block *= 2;
    while (2 * block <= most && kept_of(tlb, block, step) > 0)
        block *= 2;
    reach->block = reach->unit = block;
    reach->kept = kept_of(tlb, block, step);
    if (block <= most && (reach->kept <= 0 || block >= 2 * entries))
        return true;
    reach->kept = 0;
    uint64_t some = reach->fit - reach->fit / 4;
    return smallest_block(tlb, entries, step, 1, some, reach) ||
           smallest_block(tlb, entries, step, 1, reach->crowd / 4, reach) ||
           smallest_block(tlb, entries, step, 3, some, reach);
}

/* The part of a row's pages that may be too many though it takes no more than so many core cycles a page more than
 * hits do: of a set that has one too many one misses a lap at least. more: core cycles that a miss takes more. A policy
 * that replaces at random keeps most of them. */
static double hidden_part(double cycles, double more)
{
    static const double MOST = 0.5;
    return cycles < MOST * more ? cycles / more : MOST;
}

/* What the sweep tells of the second level. *step: core cycles of its hits. False: *why. */
static bool reach_second(struct tlb *tlb, const struct shape *first, unsigned after, struct reach *reach, double *step,
                         const char **why)
{
    unsigned last = after, level, second;
    *why = "no step behind the first one is level for an octave";
    *step = tlb_step_from(tlb, after, &last);
    if (*step <= 0)
        return false;
    level = last;
    double least = LEAST_PART * *step > LEAST_SECOND ? LEAST_PART * *step : LEAST_SECOND, end;
    go_on(tlb, least, &last);
    end = tlb->place[last].cycles > *step ? tlb->place[last].cycles : *step;
    second = tlb_rises_surely(tlb, last + 1, *step + least);
    *why = no_second;
    if (second == tlb->places)
        return false;
    /* A level takes no less of more pages, but a walk whose tables are near may, and then nobody sees where the level
     * ends: what ends the step is a cache of tables. */
    *why = "a walk of tables that are near takes less than it";
    if (tlb_is_undercut(tlb, level, second, *step))
        return false;
    double more = most_cycles(tlb, second) - *step, rise = tlb->place[second].cycles - *step;
    double room = 2 * (LEVEL + end / 32); /* what is within it was level, too */
    *reach = (struct reach){.pages = &tlb->pages, .neighbours = first->neighbours};
    reach->hit = *step / tlb->bench.cycles_per_tick;
    reach->miss = miss_of(tlb, more);
    reach->least = tlb_walks_code(tlb) ? miss_of(tlb, LEAST_ALONE) : 0;
    reach->fit = tlb->place[last].pages;
    reach->crowd = tlb->place[second].pages;
    *why = "the first level hides it";
    if (!choose_block(tlb, first, *step, reach))
        return false;
    *why = impure;
    if (reach->block >= tlb->mixed)
        return false;
    reach->nearer = first->plain ? first->bits & (reach->unit - 1) : 0;
    bool narrowed = tlb_narrow(tlb, end + room / 2, end + (rise / 16 > room ? rise / 16 : room), &reach->fit,
                               &reach->crowd, &reach->rough);
    reach->hidden = (uint64_t)((double)reach->fit * hidden_part(end + room / 2 - *step, more));
    reach->most = reach->crowd + (tlb_walks_code(tlb) || reach->kept > 0 ? 0 : reach->crowd / OTHERS);
    *why = "the first level hides it";
    return narrowed && reach->block < reach->crowd;
}

/* Whoever holds a few entries of the first level is not in the way of a second one: a row of a few less is watched. */
static bool watch_roughly(struct tlb *tlb, uint64_t entries)
{
    enum { SPARED = 8 };
    return tlb_watch(tlb, entries - entries / SPARED);
}

static void measure_second(struct tlb *tlb, const struct shape *first, unsigned after)
{
    uint64_t start = machine_steps(tlb->bench.machine), cost;
    struct reach reach = {.block = 0};
    struct shape shape = {.ways = 0};
    double step = 0;
    const char *why = no_second;
    unsigned attempt = 1;
    bool ready = watch_roughly(tlb, first->ways * first->sets) && reach_second(tlb, first, after, &reach, &step, &why);
    bool found = ready && crowd_shape(&reach, &shape, &why);
    /* Somebody else may have been in that set: another one is asked, and later, until two say the same. */
    for (const char *before = ""; ready && !found && attempt < ATTEMPTS; attempt++) {
        if (!bench_ok(&tlb->bench) || tlb->pages.spent || (why == before && !tlb->pages.undecided))
            break;
        bench_wait(&tlb->bench, attempt);
        before = tlb->pages.undecided ? "" : why;
        tlb->pages.undecided = false;
        found = crowd_shape(&reach, &shape, &why);
    }
    found = found && is_no_cache(tlb, &shape, false, &why) &&
            !tlb_keeps_pieces(tlb, shape.ways * shape.sets, step, &shape.error, &why);
    if (found && !tlb_is_pure(tlb, reach.block + shape.ways + 1)) {
        found = false;
        why = impure;
    }
    cost = machine_steps(tlb->bench.machine) - start;
    tlb->whole = found || (why == no_second && !tlb->pages.spent && !tlb->pages.undecided);
    if (!found) {
        tlb_note_missing(tlb, 2, cost, why);
        return;
    }
    /* Crowds that said what cannot be before may say what can be by luck, and bounds that are far apart let them. */
    double error = attempt * doubt_of(&shape) + doubt_of(first) + (attempt > 1 || reach.rough ? ROUGH : 0);
    tlb->level[0].miss = step;
    tlb->level[0].surely = true;
    if (tlb_note_shape(tlb, 2, &shape, error, cost))
        tlb_note_penalty(tlb, step, tlb->level[1].doubt, cost);
}

/* Some visits are left for a second level, even where noise made the first one take long. */
static void limit_second(struct tlb *tlb)
{
    enum { LEAST = 5000000 };
    uint64_t least = machine_steps(tlb->bench.machine) + LEAST, end = tlb->second > least ? tlb->second : least;
    if (end < tlb->pages.visits)
        tlb->pages.visits = end;
}

static void measure(struct tlb *tlb)
{
    struct shape first;
    unsigned after;
    if (!tlb_sweep(tlb)) {
        tlb_note_missing(tlb, 1, 0, "noise");
        tlb_note_missing(tlb, 2, 0, "noise");
    } else if (measure_first(tlb, &first, &after)) {
        /* A next level of few entries more may end before that place. */
        tlb->level[0].miss = tlb->place[after].cycles > LEAST_SECOND ? tlb->place[after].cycles : LEAST_SECOND;
        tlb->bench.permille = tlb->permille + 150;
        limit_second(tlb);
        if (tlb_sweep_longer(tlb, &after))
            measure_second(tlb, &first, after);
        else
            tlb_note_missing(tlb, 2, 0, "noise");
    } else {
        tlb_note_missing(tlb, 2, 0, "what the first level is like is not known");
    }
}

/* Whether pages of this size are kept in the same entries of a level as small ones, of so many bytes, are. */
static void measure_shared(struct tlb *tlb, const struct level *small, uint64_t page, unsigned level)
{
    static const double ERROR = 3e-3;
    uint64_t start = machine_steps(tlb->bench.machine);
    const struct level *large = &tlb->level[level - 1];
    const char *why = "how many pages fit is not known of both sizes";
    bool shared = false;
    char id[28];
    tlb_id(tlb, level, "shared", id);
    bool told = small->fit && large->fit &&
                shared_ask(&tlb->pages, page, small->fit, small->miss / tlb->bench.cycles_per_tick, small->surely,
                           &shared, &why);
    uint64_t cost = machine_steps(tlb->bench.machine) - start;
    if (told)
        note_value(tlb->notebook, id, shared, YES_NO, confidence_from(ERROR + small->doubt + large->doubt), cost,
                   "small pages that fit, visited again after large ones, and after more small ones");
    else
        note_missing(tlb->notebook, id, YES_NO, cost, "%s", tlb_reason(tlb, why));
}

/* Both levels, for pages of one size; small: what was found of small pages, NULL for those themselves, and of code.
 * known: how long a core cycle is. */
static void measure_size(struct tlb *tlb, bool known, uint64_t visits, const struct level *small)
{
    const char *why = "core cycles are not known";
    const struct tlb_size *size = tlb->size;
    bool open = known && seats_open(&tlb->pages, &tlb->bench, size->op, size->page, visits, &why);
    tlb->whole = !open;
    if (open) {
        measure(tlb);
    } else {
        tlb_note_missing(tlb, 1, 0, why);
        tlb_note_missing(tlb, 2, 0, why);
    }
    for (unsigned level = 1; small && level <= LEVELS; level++) {
        char id[28];
        tlb_id(tlb, level, "shared", id);
        /* Whatever was spent or left open before: this takes little, and stands by itself. */
        tlb->pages.undecided = tlb->pages.spent = false;
        tlb->pages.visits = machine_steps(tlb->bench.machine) + SHARING;
        if (open)
            measure_shared(tlb, &small[level - 1], tlb->side->size[0].page, level);
        else
            note_missing(tlb->notebook, id, YES_NO, 0, "%s", tlb_reason(tlb, why));
    }
    if (open)
        seats_close(&tlb->pages);
}

/* Visits that pages of this size and those before them may take, in one try. */
static uint64_t visits_of(const struct tlb *tlb, const struct tlb_size *size)
{
    enum { PATIENCE = 6 }; /* times as many, where moments are waited for, and asked again */
    return (tlb->tries > 1 ? PATIENCE : 1) * tlb->visits * size->visits / 100;
}

/* As if so many visits had been made before now, as far as there were any. */
static uint64_t since(uint64_t now, uint64_t visits)
{
    return now > visits ? now - visits : 0;
}

/* Measures pages of one size. start: machine_steps from which on visits are counted; another try has as many as this
 * size had. */
static void measure_again(struct tlb *tlb, bool known, unsigned tries, unsigned size, uint64_t *start,
                          const struct level *small)
{
    const struct tlb_size *sizes = tlb->side->size;
    struct tlb next = {.notebook = tlb->notebook,
                       .side = tlb->side,
                       .size = &sizes[size],
                       .tries = tries,
                       .visits = tlb->visits,
                       .permille = tlb->bench.permille};
    do {
        if (next.made)
            *start = since(machine_steps(tlb->bench.machine), size ? visits_of(&next, &sizes[size - 1]) : 0);
        next.bench = tlb->bench;
        next.bench.permille = next.permille;
        *tlb = next;
        tlb->mixed = UINT64_MAX;
        tlb->second = *start + tlb->visits * sizes[size].second / 100;
        measure_size(tlb, known, *start + visits_of(tlb, &sizes[size]), size && !tlb_walks_code(tlb) ? small : NULL);
        next.drawn = tlb->drawn;
        next.fits = tlb->fits;
        for (unsigned level = 0; level < LEVELS; level++)
            tlb->before[tlb->made][level] = next.before[tlb->made][level] = tlb->level[level];
        tlb->made = ++next.made;
    } while (tlb_asks_again(tlb));
    for (unsigned level = 0; level < LEVELS; level++)
        tlb->level[level] = tlb_said_of(tlb, level + 1);
}

bool tlb_measure(struct machine *machine, const struct request *request, const struct tlb_side *side,
                 struct notebook *notebook)
{
    struct tlb tlb = {.bench = bench_open(machine, request->seed ^ 0x64746c62),
                      .notebook = notebook,
                      .side = side,
                      .visits = translation_left(machine, notebook, side->behind)};
    struct level small[LEVELS] = {{0}};
    struct rate rate;
    bool known = rate_measure(&tlb.bench, &rate) && tlb.bench.cycles_per_tick > 0;
    uint64_t start = machine_steps(machine);
    for (unsigned i = 0; i < side->sizes; i++) {
        measure_again(&tlb, known, tries_on(machine), i, &start, small);
        for (unsigned level = 0; i == 0 && level < LEVELS; level++)
            small[level] = tlb.level[level];
        tlb.bench.refused = false; /* what was refused to pages of one size may be granted to others */
        tlb.bench.permille = 1000 * (i + 1) / side->sizes;
    }
    return !tlb.bench.skipped;
}
