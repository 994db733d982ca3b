// SPDX-License-Identifier: BSD-2-Clause
/* structures.c: page-structure caches, which keep entries of the upper tables.
 *
 * Findings, for PDEs, PDPTEs, PML4Es and PML5Es: psc.pde.entries, ...: how many are kept, 0: none; psc.pde.miss, ...:
 * core cycles that a walk takes more when this entry is not kept, and those above it are. psc.unified: whether one
 * cache keeps several levels; psc.physical: whether entries are found by their own address, and not by the linear one;
 * psc.invlpg: whether INVLPG of one page flushes entries of others. Series: structures.* (probes/strides.h).
 *
 * Paper 004 (section 2.4) infers all that from steps in what walks take, by the clock. Whoever owns the tables can ask:
 * an entry that was used is swapped, and what is read below it tells which one the walk went through (probes/fork.h).
 * From a flush on, one entry after the other is used, and one is asked for.
 *
 * How many are held is counted (probes/held.c). As many PDEs as a table has push a PDPTE out of a cache for both, and
 * none out of its own. */
#include "base/arithmetic.h"
#include "base/text.h"
#include "probes/confidence.h"
#include "probes/held.h"
#include "probes/mean.h"
#include "probes/pause.h"
#include "probes/probes.h"
#include "probes/rate.h"
#include "probes/readings.h"
#include "probes/strides.h"

enum { FEW = 8, LEAST_PUSHED = 3, OWN = 2, TRIES = 3, ROUNDS = 40, MOST_BATCHES = 40, LEAST_BATCHES = 4 };

/* A mean is good when its standard deviation is a sixth of what a value may be off by. */
static const double ENOUGH = 6;

/* Standard deviations up to which two means do not differ. */
static const double UNUSUAL = 2;

/* How sure an answer is that rests on a few looks. */
static const double FAIRLY = 0.95;

static const char ENTRIES[] = "entries"; /* a unit */

struct structures {
    struct bench bench;
    struct notebook *notebook;
    struct fork fork;
    struct rate rate;
    struct kept kept[PML5E + 1];
    unsigned unified; /* 0, 1; 2: not known */
    bool unsteady;    /* what is used last may be lost from a cache for all levels */
    bool physical;
    bool top_open; /* whether entries of the highest table are kept is not known */
    bool top_seen; /* they are, as the clock tells, though each swap of them is seen at once */
    bool timed;    /* what walks take is known: */
    struct cost {
        double cycles, deviation;
        double beside; /* how far off what short laps say is, beyond noise */
        bool known;
    } cost[PML5E + 1]; /* that miss a level */
    const char *why;
    uint64_t start;
};

static const char *const names[] = {[PDE] = "pde", [PDPTE] = "pdpte", [PML4E] = "pml4e", [PML5E] = "pml5e"};

/* Whether a single entry of a level is held. */
static bool is_kept(struct structures *structures, unsigned level, bool *kept)
{
    const struct held_question one = {.used = 1};
    *kept = false;
    if (!fork_at(&structures->fork, level))
        return false;
    for (unsigned try = 0; try < TRIES && !*kept; try++)
        if (!fork_held(&structures->fork, &one, kept))
            return false;
    return true;
}

/* Which levels are kept at all. */
static bool find_kept(struct structures *structures, unsigned highest, bool *any)
{
    *any = false;
    for (unsigned level = PDE; level <= highest; level++) {
        bool kept;
        if (!is_kept(structures, level, &kept))
            return false;
        structures->kept[level] = (struct kept){.known = !kept, .any = kept, .confidence = FAIRLY};
        *any = *any || kept;
    }
    return true;
}

/* After a flush nothing is held, as words or the clock tell it. */
static bool is_seen(struct structures *structures, unsigned highest, bool *seen)
{
    const struct held_question flushed = {.used = 1, .afresh = true};
    bool held;
    *seen = true;
    for (unsigned level = PDE; level <= highest; level++) {
        if (!fork_at(&structures->fork, level) || !fork_held(&structures->fork, &flushed, &held))
            return false;
        *seen = *seen && !held;
    }
    return true;
}

/* What walks take longer that miss a level, in laps of all pages and in short ones: core cycles. */
enum { LONG, SHORT, LAPS, SHORT_LAP = 3 };
struct misses {
    double cycles[LAPS][PML5E + 1];
};

/* Of so many rounds. */
static bool batch(struct structures *structures, struct misses *misses, bool *good)
{
    double value[LAPS][PML5E + 1][ROUNDS], lap[PML5E + 2];
    struct bench *bench = &structures->bench;
    struct fork *fork = &structures->fork;
    const unsigned pages[] = {fork->slots > FORK_LAP ? FORK_LAP : fork->slots - 1, SHORT_LAP};
    unsigned counted[LAPS] = {0};
    for (unsigned i = 0; i < LAPS * ROUNDS; i++) {
        unsigned which = i % LAPS;
        bool trusted;
        if (!fork_laps(fork, pages[which] < pages[LONG] ? pages[which] : pages[LONG], lap, &trusted))
            return false;
        for (unsigned level = PDE; level <= fork->levels; level++)
            value[which][level][counted[which]] = lap[level + 1] - lap[level];
        counted[which] += trusted;
    }
    *good = 2 * counted[LONG] > ROUNDS && 2 * counted[SHORT] > ROUNDS;
    for (unsigned which = 0; which < LAPS && *good; which++)
        for (unsigned level = PDE; level <= fork->levels; level++)
            misses->cycles[which][level] =
                mean_of_most(value[which][level], counted[which], (double)bench->clock.step) * bench->cycles_per_tick /
                pages[which];
    return true;
}

/* The mean of batches, and how far from it that of short laps lies. */
static void judge(double values[LAPS][MOST_BATCHES], unsigned count, struct cost *cost)
{
    double varies = 0;
    *cost = (struct cost){.known = true};
    cost->cycles = mean_of_batches(values[LONG], count, &cost->deviation);
    cost->beside = apart(mean_of_batches(values[SHORT], count, &varies), cost->cycles);
    cost->beside = cost->beside > UNUSUAL * varies ? cost->beside - UNUSUAL * varies : 0;
}

/* Once. False: skipped or refused. */
static bool time_misses(struct structures *structures)
{
    struct cost *cost = structures->cost;
    double values[PML5E + 1][LAPS][MOST_BATCHES];
    struct misses misses;
    unsigned count = 0, lost = 0, levels = structures->fork.levels;
    bool enough = false;
    if (structures->timed || structures->bench.cycles_per_tick <= 0)
        return true;
    structures->timed = true;
    if (!fork_at(&structures->fork, structures->fork.levels))
        return false;
    while (!enough && count < MOST_BATCHES && lost < MOST_BATCHES) {
        bool good;
        if (!batch(structures, &misses, &good))
            return false;
        if (!good) {
            lost++;
            bench_wait(&structures->bench, 1);
            continue;
        }
        for (unsigned level = PDE; level <= levels; level++)
            for (unsigned which = 0; which < LAPS; which++)
                values[level][which][count] = misses.cycles[which][level];
        enough = ++count >= LEAST_BATCHES;
        for (unsigned level = PDE; level <= levels && count >= LEAST_BATCHES; level++) {
            judge(values[level], count, &cost[level]);
            enough = enough && (!structures->kept[level].any ||
                                cost[level].deviation * ENOUGH < readings_tolerance(cost[level].cycles));
        }
    }
    return true;
}

/* Whether entries of the highest table are kept, where swaps of them tell nothing: then a walk that finds one takes
 * less than one that finds nothing, by what a load takes; a cycle at least. */
static bool time_top(struct structures *structures)
{
    const double LEAST = 1;
    struct kept *top = &structures->kept[structures->fork.levels];
    const struct cost *cost = &structures->cost[structures->fork.levels];
    *top = (struct kept){.why = "what is written to tables is seen at once"};
    structures->top_open = true;
    if (!time_misses(structures))
        return false;
    double error = cost->known ? confidence_within(cost->deviation, apart(cost->cycles, LEAST)) : 1;
    if (error >= 1 - FAIRLY)
        return true;
    structures->top_open = false;
    structures->top_seen = top->any = cost->cycles > LEAST;
    top->known = !top->any;
    top->confidence = FAIRLY;
    return true;
}

/* Chooses between words and the clock: where each swap of an entry just used is seen that a script makes, either
 * nothing is kept or the processor watches. Entries of the highest table are swapped by the machine itself, and not by
 * the clock. */
static bool choose(struct structures *structures, bool *good)
{
    struct fork *fork = &structures->fork;
    struct kept *top = &structures->kept[fork->levels];
    bool seen, any, told;
    *good = false;
    structures->why = "what is written to tables is not seen after a flush";
    if (!is_seen(structures, fork->levels, &seen) || !seen)
        return bench_ok(&structures->bench);
    if (!is_kept(structures, fork->levels, &top->any) || !find_kept(structures, fork->levels - 1, &any))
        return false;
    *top = (struct kept){.known = !top->any, .any = top->any, .confidence = FAIRLY};
    *good = any;
    if (any)
        return true;
    structures->why = "no swap of an entry goes unseen, and the clock does not tell what a walk loads";
    if (!fork_at(fork, PDE) || !fork_learn(fork, &told) || !told || !is_seen(structures, fork->levels - 1, &seen) ||
        !seen || !find_kept(structures, fork->levels - 1, &any))
        return bench_ok(&structures->bench);
    *good = true;
    return !any || top->any || time_top(structures);
}

/* The lowest level above `level` that is kept; 0: none. */
static unsigned next_kept(const struct structures *structures, unsigned level)
{
    while (++level <= structures->fork.levels)
        if (structures->kept[level].any)
            return level;
    return 0;
}

/* Whether many PDEs push an entry of the next level out, wherever among them that is used, and as many pages do not. */
static bool find_unified(struct structures *structures)
{
    struct fork *fork = &structures->fork;
    unsigned level = next_kept(structures, PDE), many = 2 * structures->kept[PDE].entries + FEW;
    unsigned pushed = 0;
    bool two, held, stays = true;
    structures->unified = 2;
    structures->why = "entries of one level at most are kept";
    if (!structures->kept[PDE].any || !level)
        return true;
    structures->why = "too few entries are kept to tell";
    struct held_question question = {.used = 1, .many = MOST_REGIONS};
    if (structures->kept[PDE].known && many < MOST_REGIONS)
        question.many = many;
    if (!fork_at(fork, level) || !fork_held(fork, &(struct held_question){.used = 2}, &two))
        return false;
    for (; question.before < FEW; question.before++) {
        question.between = BETWEEN_PDES;
        if (!fork_held(fork, &question, &held))
            return false;
        pushed += !held;
        question.between = BETWEEN_PAGES;
        if (!fork_held(fork, &question, &held))
            return false;
        stays = stays && held;
    }
    if (two && stays && (!pushed || pushed >= LEAST_PUSHED))
        structures->unified = pushed > 0;
    return true;
}

static void note_missing_why(struct structures *structures, const char *id, const char *unit, const char *why)
{
    struct bench *bench = &structures->bench;
    if (!bench_ok(bench))
        why = bench->skipped ? "skipped" : machine_why(bench->machine);
    note_missing(structures->notebook, id, unit, machine_steps(bench->machine) - structures->start, "%s", why);
}

static void note_answer(struct structures *structures, const char *id, double value, const char *unit,
                        double confidence, const char *method)
{
    note_value(structures->notebook, id, value, unit, confidence,
               machine_steps(structures->bench.machine) - structures->start, method);
}

static const char *id_of(unsigned level, const char *what, char id[28])
{
    struct text text = text_in(id, 28);
    text_format(&text, "psc.%s.%s", names[level], what);
    return id;
}

/* Whether an entry is found through another one above, and whether one outlives INVLPG of another page. */
static bool find_tag(struct structures *structures)
{
    struct fork *fork = &structures->fork;
    unsigned level = PDPTE;
    bool held;
    if (!structures->kept[level].any)
        level = structures->kept[PDE].any ? PDE : next_kept(structures, PDPTE);
    if (!level || level == fork->levels) {
        note_missing_why(structures, "psc.physical", YES_NO,
                         level ? "entries of the highest table have one place only" : "no upper entries are kept");
        return true;
    }
    if (!fork_at(fork, level) || !fork_held(fork, &(struct held_question){.used = 1, .aside = true}, &held))
        return false;
    structures->physical = held;
    note_answer(structures, "psc.physical", held, YES_NO, FAIRLY,
                "an entry below two others, used through one and swapped: read through the other");
    return true;
}

static bool find_invlpg(struct structures *structures)
{
    struct fork *fork = &structures->fork;
    unsigned level = next_kept(structures, PDE - 1);
    bool held;
    if (!level) {
        note_missing_why(structures, "psc.invlpg", YES_NO, "no upper entries are kept");
        return true;
    }
    if (!fork_at(fork, level) || !fork_held(fork, &(struct held_question){.used = 1, .between = BETWEEN_INVLPG}, &held))
        return false;
    note_answer(structures, "psc.invlpg", !held, YES_NO, FAIRLY, "INVLPG between the use of an entry and its swap");
    return true;
}

static bool find_misses(struct structures *structures)
{
    const struct cost *cost = structures->cost;
    char id[28];
    if (!time_misses(structures))
        return false;
    bool timed = structures->timed;
    for (unsigned level = PDE; level <= structures->fork.levels; level++) {
        double tolerance = readings_tolerance(cost[level].cycles);
        double off = cost[level].deviation + cost[level].cycles * structures->rate.doubt;
        double error = confidence_within(off, tolerance) + confidence_within(cost[level].beside, 2 * tolerance);
        id_of(level, "miss", id);
        if (structures->unsteady && structures->kept[level].any)
            note_missing_why(structures, id, "cycles", "what is used last may be lost");
        else if (!structures->kept[level].any)
            note_missing_why(structures, id, "cycles",
                             structures->kept[level].known ? "no such entries are kept" : structures->kept[level].why);
        else if (!timed || !cost[level].known || error >= 0.5)
            note_missing_why(structures, id, "cycles", timed ? "it varies too much" : "core cycles are not known");
        else if (cost[level].beside > tolerance)
            note_missing_why(structures, id, "cycles", "what walks load does not stay near");
        else
            note_answer(structures, id, cost[level].cycles, "cycles", confidence_from(error),
                        "walks that find an entry kept, against walks that find the ones above");
    }
    return true;
}

/* How many entries above are held after so many PDEs below them. One of the highest table that nobody can ask for fares
 * as the one below it: the same walks use both. */
static bool count_above(struct structures *structures, unsigned pdes, unsigned *above)
{
    const struct held_question question = {.used = 1, .between = BETWEEN_BELOW, .many = pdes};
    bool held = false;
    *above = 0;
    for (unsigned level = PDPTE; level <= structures->fork.levels; level++) {
        if (level == structures->fork.levels && structures->top_seen) {
            *above += held;
            break;
        }
        if (!fork_at(&structures->fork, level) || !fork_held(&structures->fork, &question, &held))
            return false;
        *above += held && structures->kept[level].any;
    }
    return true;
}

/* Of a cache for all levels what was counted is what the entries above leave: those that are held after so many PDEs,
 * of which only the last are, and always as many. PDPTEs with what is above those have to come to the same number, or
 * to fewer by those of the machine's own walks.
 * Otherwise what was used last does not push out what was used first, and the cache may not be full. */
static bool add_above(struct structures *structures)
{
    struct kept *kept = &structures->kept[PDE], upper = {0};
    unsigned above = 0, other, over = 0, span = kept->known ? kept->entries : 0;
    bool steady = kept->used > span && !kept->chance;
    if (steady && (!held_count(&structures->fork, PDPTE, &upper) || !count_above(structures, kept->used, &above)))
        return false;
    for (unsigned fewer = 1; fewer <= span && steady; fewer++) {
        if (!count_above(structures, kept->used - fewer, &other))
            return false;
        steady = other == above;
    }
    for (unsigned level = PML4E; level <= structures->fork.levels && (structures->physical || !over); level++)
        over += structures->kept[level].any;
    kept->entries += above;
    structures->unsteady = kept->chance || (kept->known && (!steady || kept->span > kept->entries));
    bool same = upper.entries + over <= kept->entries && upper.entries + over + OWN >= kept->entries;
    if (structures->top_open)
        *kept = (struct kept){.any = true, .why = "one of the highest table may be among them, or not"};
    else if (structures->unsteady || (kept->known && structures->kept[PDPTE].any && !same))
        *kept = (struct kept){.any = true, .why = "what is used last does not push out what was used first"};
    return true;
}

static bool find_entries(struct structures *structures)
{
    structures->unsteady = structures->unified == 2 && structures->kept[PDE].chance && next_kept(structures, PDE);
    if (structures->unified == 1 && !add_above(structures))
        return false;
    for (unsigned level = PDPTE; level <= structures->fork.levels; level++) {
        struct kept *kept = &structures->kept[level];
        if (kept->any && structures->unified == 1)
            *kept = structures->kept[PDE];
        else if (kept->any && !(level == structures->fork.levels && structures->top_seen) &&
                 !held_count(&structures->fork, level, kept))
            return false;
    }
    return true;
}

static void note_entries(struct structures *structures)
{
    char id[28];
    for (unsigned level = PDE; level <= structures->fork.levels; level++) {
        const struct kept *kept = &structures->kept[level];
        id_of(level, "entries", id);
        if (!kept->known || kept->confidence < 0.5)
            note_missing_why(structures, id, ENTRIES, kept->known ? "they do not fill its sets evenly" : kept->why);
        else
            note_answer(structures, id, kept->entries, ENTRIES, confidence_from(1 - kept->confidence),
                        "entries swapped after use and asked for one by one (after paper 004, section 2.4)");
    }
}

/* Whatever has no answer yet. */
static void note_rest(struct structures *structures, const char *why)
{
    static const char *const others[] = {"psc.unified", "psc.physical", "psc.invlpg"};
    char id[28], fewer[32];
    struct text text = text_in(fewer, sizeof fewer);
    text_format(&text, "firmware uses %u levels", structures->fork.levels);
    for (unsigned level = PDE; level <= PML5E; level++) {
        bool there = level <= structures->fork.levels;
        if (!noted(structures->notebook, id_of(level, "entries", id)))
            note_missing_why(structures, id, ENTRIES, there ? why : fewer);
        if (!noted(structures->notebook, id_of(level, "miss", id)))
            note_missing_why(structures, id, "cycles", there ? why : fewer);
    }
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (!noted(structures->notebook, others[i]))
            note_missing_why(structures, others[i], YES_NO, why);
}

static bool find_all(struct structures *structures)
{
    bool good;
    if (!choose(structures, &good) || !good)
        return false;
    if (structures->kept[PDE].any && !held_count(&structures->fork, PDE, &structures->kept[PDE]))
        return false;
    if (!find_unified(structures))
        return false;
    if (structures->unified == 2)
        note_missing_why(structures, "psc.unified", YES_NO, structures->why);
    else
        note_answer(structures, "psc.unified", structures->unified, YES_NO, FAIRLY,
                    "an upper entry after walks through many PDEs");
    if (!find_tag(structures) || !find_invlpg(structures) || !find_entries(structures))
        return false;
    note_entries(structures);
    return find_misses(structures);
}

bool probe_structures(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    struct structures structures = {.bench = bench_open(machine, request->seed ^ 0x707363), .notebook = notebook};
    const char *why = "";
    structures.start = machine_steps(machine);
    if (rate_measure(&structures.bench, &structures.rate) && fork_open(&structures.fork, &structures.bench, &why)) {
        structures.why = "";
        find_all(&structures);
        why = structures.why;
        fork_close(&structures.fork);
    } else {
        structures.fork.levels = PML5E;
    }
    note_rest(&structures, why);
    return strides_note(&structures.bench, notebook);
}
