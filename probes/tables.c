// SPDX-License-Identifier: BSD-2-Clause
/* tables.c: what a walk of the page tables costs.
 *
 * Findings: walk.4k.l1, .l2, .l3, .mem: core cycles that a load takes more than one that the first TLB serves, when the
 * tables have to be walked and the line of the PTE is in the first, second, third level of cache, or in memory; upper
 * entries are as near as a walk just before left them. walker.cached_in: the level of cache that the walker's own loads
 * go through first (paper 004, section 2.2: the first on an Intel Core 2, the second on an AMD K10). Needs what the
 * probe latency has found.
 *
 * The paper sees these costs where pages of one set overflow the last TLB, and what comes on top where tables leave a
 * cache. Whoever owns the tables can do without sets and overflows: all TLBs are flushed, so that the first load of
 * every page walks, and the lines of the PTEs are put where they are wanted (probes/hang.h).
 *
 * 1. Where a walk left them: the nearest level that the walker looks in.
 * 2. In memory, by CLFLUSH. A load of a line that was flushed, too, takes so much longer than one that hits; a walk
 *    takes longer by less, and by how much less is how far from the core the walker finds what it loads.
 * 3. In levels between: lines of the same sets are visited, more and more of them, until loads of the controls take
 *    what that level takes, or, of the entries themselves, those of some (probes/tables_sweep.c).
 *
 * What a walk takes besides the load of its last entry is the same in all of these places, and loads of the entries
 * themselves tell where walks left them: that says whether entries lay where they were wanted. */
#include "base/text.h"
#include "probes/budget.h"
#include "probes/confidence.h"
#include "probes/probes.h"
#include "probes/tables_inside.h"

/* What sweeps, flushes, or loads of the entries say alone, or against what another of these says, is wrong so often. */
static const double ALONE = 0.15;

/* A walk that reads memory costs more than one that reads a cache by a part of what a load does, at least. */
static const double LEAST_PART = 0.25;

static const char *const places[] = {"mem", "l1", "l2", "l3"};

/* How much longer than the first level what the walker looks in first takes: by so much less does memory cost a walk
 * more than a load. */
static double depth_of(const struct tables *tables)
{
    return tables->far.load - (tables->far.walk - tables->near.walk);
}

/* The walker's level by that. *off: core cycles, from what that level takes. */
static unsigned level_of(const struct tables *tables, double *error, double *off)
{
    double depth = depth_of(tables);
    double deviation = tables->far.deviation + tables->near.deviation, gap = 0;
    unsigned nearest = 1;
    for (unsigned level = 2; level <= tables->levels; level++)
        if (apart(behind_first(tables, level), depth) < apart(behind_first(tables, nearest), depth))
            nearest = level;
    *off = apart(behind_first(tables, nearest), depth);
    for (unsigned level = 0; level <= tables->levels; level++) {
        double other = apart(behind_first(tables, level), behind_first(tables, nearest));
        if (level != nearest && (gap == 0 || other < gap))
            gap = other;
    }
    *error = confidence_within(deviation, gap / 2 - *off);
    return nearest;
}

/* How far what entries in a level cost is from what they would if the walker looked in some level first. */
static double contradiction(const struct tables *tables, unsigned in, unsigned level)
{
    double more = in > level ? tables->latency[in] - tables->latency[level] : 0;
    return apart(tables->swept[in].walk - tables->near.walk, more);
}

/* How far off that may be. Those of several slices are not equally far away: an eighth of the way from the level before
 * may be that. */
static double room_of(const struct tables *tables, unsigned in)
{
    double slices = (tables->latency[in] - tables->latency[in - 1]) / 8, room = readings_tolerance(tables->latency[in]);
    return (slices > room ? slices : room) + 2 * (tables->swept[in].deviation + tables->near.deviation);
}

static bool fits(const struct tables *tables, unsigned in, unsigned level)
{
    return contradiction(tables, in, level) <= room_of(tables, in);
}

/* The only level that what was swept out speaks for. 0: none, or several. Where entries and controls fared differently
 * (of another line's length, or slice, or in another's way), no level fits, and nothing is said. */
static unsigned level_by_sweeps(const struct tables *tables)
{
    unsigned all = (1U << tables->levels) - 1, candidates = all, found = 0;
    for (unsigned i = 2; i <= tables->levels; i++) {
        unsigned fitting = 0;
        for (unsigned level = 1; tables->swept[i].known && level <= tables->levels; level++)
            fitting |= (unsigned)fits(tables, i, level) << (level - 1);
        if (fitting)
            candidates &= fitting;
    }
    if (!candidates || candidates == all || candidates & (candidates - 1))
        return 0;
    while (candidates >> found)
        found++;
    return found;
}

/* What a walk takes besides the load of its last entry, by where that is. */
static bool besides(const struct tables *tables, unsigned place, double *cycles)
{
    if (place == 0) {
        *cycles = tables->far.walk - tables->far.load - tables->latency[1];
        return true;
    }
    const struct cost *cost = place == tables->cached_in ? &tables->near : &tables->swept[place];
    *cycles = cost->walk - tables->latency[place];
    return cost->known;
}

/* How far off what walks take there may be: not all entries need be where they are wanted, where caches are small. It
 * is the same besides the last load, wherever that is: who agrees best with it says how far, or, of three or more, the
 * second one, since one may agree by chance. Controls that are loaded may push pages' lines out, when entries were
 * swept out and when they were flushed: so nearest walks say it of those, unless entries were seen not to be left
 * there. */
static double off_by(const struct tables *tables, unsigned place)
{
    double here, there, least = tables->latency[0], second = least;
    unsigned count = 0;
    besides(tables, place, &here);
    if (place > tables->cached_in && tables_left(tables) == tables->cached_in)
        return contradiction(tables, place, tables->cached_in);
    for (unsigned other = 0; other <= tables->levels; other++) {
        if (other == place || (other && other < tables->cached_in) || !besides(tables, other, &there))
            continue;
        double off = apart(here, there), more = off > least ? off : least;
        least = off < least ? off : least;
        second = more < second ? more : second;
        count++;
    }
    return count > 2 ? second : least;
}

/* Whether loads of the entries and flushes say the same, and not what the nearest level takes, which is so far off. */
static bool agree_on_another(const struct tables *tables, double off)
{
    const struct cost *left = &tables->left;
    double deviation = left->deviation + tables->near.deviation + tables->far.deviation;
    double room = readings_tolerance(tables->latency[1]) + 2 * deviation;
    return left->known && off > room && apart(left->load, depth_of(tables)) <= room;
}

/* False: *why. */
static bool find_level(struct tables *tables)
{
    struct cost *near = &tables->near, *far = &tables->far;
    double last = behind_first(tables, tables->levels);
    tables->unknown = false;
    tables->why = "noise left it open";
    if (!near->known || !far->known)
        return false;
    tables->why = "lines that are flushed do not come from memory";
    if (far->load < last + LEAST_PART * (tables->latency[0] - tables->latency[tables->levels]))
        return false;
    tables->why = "what a walk takes does not depend on where the table's entry lies";
    if (far->walk - near->walk < LEAST_PART * (far->load - last))
        return false;
    double error, off;
    unsigned level = level_of(tables, &error, &off), by_sweeps = level_by_sweeps(tables), left = tables_left(tables);
    tables->why = "the walker's loads are as slow as those of two levels";
    if (error > LEAST_PART && !by_sweeps)
        return false;
    tables->why = "the walker's loads are as slow as those of no level that is known";
    tables->unknown = !by_sweeps && !left && agree_on_another(tables, off);
    if (tables->unknown)
        return false;
    tables->why = "what is swept out and what is flushed say different things";
    if (error <= LEAST_PART && by_sweeps && by_sweeps != level)
        return false;
    /* Loads of the entries, by other addresses than a walker has, may take what a farther level does: of a way that is
     * predicted wrongly, say. Never what a nearer one does. */
    tables->why = "what walks left and what is flushed say different things";
    if (!by_sweeps && left && left < level)
        return false;
    tables->doubt = by_sweeps ? ALONE * (error <= LEAST_PART ? error : 1) : left == level ? error : error + ALONE;
    level = by_sweeps ? by_sweeps : level;
    tables->cached_in = level;
    for (unsigned i = 2; i <= tables->levels; i++)
        tables->swept[i].known = tables->swept[i].known && off_by(tables, i) <= room_of(tables, i);
    return true;
}

static const char *id_of(unsigned place, char id[28])
{
    struct text text = text_in(id, 28);
    text_format(&text, "walk.4k.%s", places[place]);
    return id;
}

static void note_missing_cost(struct tables *tables, unsigned place, const char *why, uint64_t visits)
{
    char id[28];
    if (!bench_ok(&tables->bench))
        why = tables->bench.skipped ? "skipped" : machine_why(tables->bench.machine);
    note_missing(tables->notebook, id_of(place, id), "cycles", visits, "%s", why);
}

/* off: core cycles that it may be off by, besides; doubt: that it is wrong, besides. */
static void note_cost(struct tables *tables, unsigned place, const struct cost *cost, double off, double doubt,
                      uint64_t visits)
{
    char id[28];
    double tolerance = readings_tolerance(cost->walk);
    double error = confidence_within(cost->deviation + cost->walk * tables->rate.doubt, tolerance) +
                   confidence_within(off, 2 * tolerance);
    if (error >= 0.5) {
        bool elsewhere = confidence_within(off, 2 * tolerance) >= 0.25;
        note_missing_cost(tables, place, elsewhere ? "some of the entries lay elsewhere" : "it varies too much",
                          visits);
        return;
    }
    note_value(tables->notebook, id_of(place, id), cost->walk, "cycles",
               confidence_from(error + doubt + tables->doubt + tables->error), visits,
               "loads right after all TLBs were flushed, against loads that hit (after paper 004, section 2.2)");
}

/* The nearest walks. Where no other place agrees, loads of the entries may all the same: that is doubted. */
static void note_near(struct tables *tables, uint64_t visits)
{
    unsigned level = tables->cached_in;
    double off = off_by(tables, level), left = apart(tables->left.load, behind_first(tables, level));
    bool alone = tables->left.known && left < off && off > readings_tolerance(tables->latency[level]);
    note_cost(tables, level, &tables->near, alone ? left : off, alone ? ALONE : 0, visits);
}

static void note_nothing(struct tables *tables, const char *why, uint64_t visits)
{
    if (tables->unknown)
        note_cost(tables, 0, &tables->far, 0, ALONE, visits);
    for (unsigned place = tables->unknown ? 1 : 0; place <= LEVELS; place++)
        note_missing_cost(tables, place, why, visits);
    if (!bench_ok(&tables->bench))
        why = tables->bench.skipped ? "skipped" : machine_why(tables->bench.machine);
    note_missing(tables->notebook, "walker.cached_in", "", visits, "%s", why);
}

static void note_all(struct tables *tables, uint64_t visits)
{
    note_value(tables->notebook, "walker.cached_in", tables->cached_in, "",
               confidence_from(tables->doubt + tables->error), visits,
               "what a walk costs more when the entry comes from memory, against a load (paper 004, section 2.2)");
    note_cost(tables, 0, &tables->far, 0, 0, visits);
    for (unsigned level = 1; level <= LEVELS; level++) {
        if (level == tables->cached_in)
            note_near(tables, visits);
        else if (level < tables->cached_in)
            note_missing_cost(tables, level, "the walker does not look in that level", visits);
        else if (level > tables->levels)
            note_missing_cost(tables, level, "no such level is known", visits);
        else if (tables->swept[level].known)
            note_cost(tables, level, &tables->swept[level], off_by(tables, level),
                      tables_left(tables) == tables->cached_in && !tables->swept[level].mixed ? 0 : ALONE, visits);
        else
            note_missing_cost(tables, level,
                              tables->cut ? "it would take too many accesses"
                                          : "no lines that were visited left the entries in that level",
                              visits);
    }
}

/* Latencies that were found. False: not even those of the first level and memory. */
static bool recall(struct tables *tables)
{
    static const char *const ids[] = {"mem.latency", "l1d.latency", "l2.latency", "l3.latency"};
    tables->error = 0;
    for (unsigned i = 0; i <= LEVELS; i++) {
        double error = 0;
        tables->latency[i] = noted_value(tables->notebook, ids[i], &error);
        if (tables->latency[i] <= 0)
            return i > 1;
        tables->error = error > tables->error ? error : tables->error;
        tables->levels = i;
    }
    return true;
}

enum { ENDS = 1 << 20 }; /* visits */

/* Times two pages alone, and all of them. */
static bool measure_both(struct tables *tables, struct laying laying, struct cost *few, struct cost *all)
{
    unsigned present = tables->hung.present;
    bool measured = true;
    for (unsigned turn = 0; measured && turn < 2; turn++) {
        hung_leave(&tables->hung, turn ? ALL_HUNG : FEW_HUNG);
        laying.rounds = rounds_of(tables);
        measured = tables_measure(tables, &laying, ENDS, turn ? all : few);
    }
    hung_leave(&tables->hung, present);
    return measured;
}

/* By how much what two take may be off what all do. */
static double room_between(const struct cost *few, const struct cost *all)
{
    return readings_tolerance(few->walk) / 2 + 2 * (few->deviation + all->deviation);
}

/* What else is met in a lap only adds to it, and more of it to a longer one. */
static bool two_take_less(const struct cost *few, const struct cost *all)
{
    return few->known && (!all->known || all->walk - few->walk > room_between(few, all));
}

/* Whether two are known as well as all are, and take no more, by more than they may. */
static bool two_say_as_much(const struct cost *few, const struct cost *all)
{
    return few->known && (few->well || few->deviation <= all->deviation) &&
           few->walk - all->walk <= room_between(few, all);
}

/* Entries where walks left them. Small first levels have no room for all that is timed, or for some of it that shares a
 * set with entries of upper tables; and pages' lines that are lost make walks seem longer by the same, wherever the
 * entries are. Then there are two from here on. */
static bool choose_pages(struct tables *tables)
{
    struct cost few, all;
    if (!measure_both(tables, (struct laying){.place = WALKED, .walks = true}, &few, &all))
        return false;
    bool less = two_take_less(&few, &all);
    hung_leave(&tables->hung, less ? FEW_HUNG : ALL_HUNG);
    tables->near = less ? few : all;
    return true;
}

/* What is in memory. A refresh comes into long laps too often to be told from what they take, and into so many of them
 * that these agree: two pages count if they say as much. */
static bool measure_far(struct tables *tables)
{
    struct laying far = {.place = FLUSHED, .loads = HUNG_CONTROLS, .walks = true, .rounds = rounds_of(tables)};
    struct cost few, all;
    if (tables->hung.present == FEW_HUNG)
        return tables_measure(tables, &far, ENDS, &tables->far);
    if (!measure_both(tables, far, &few, &all))
        return false;
    tables->far = two_take_less(&few, &all) || two_say_as_much(&few, &all) ? few : all;
    return true;
}

static bool measure_ends(struct tables *tables)
{
    struct laying left = {.place = WALKED, .loads = HUNG_ENTRIES};
    if (!choose_pages(tables))
        return false;
    left.rounds = rounds_of(tables);
    return tables_measure(tables, &left, ENDS, &tables->left) && measure_far(tables);
}

/* Where sweeps that leave all entries in one level do not say it all, those are asked that leave some there: of all
 * levels, where loads of the entries say another one. False: *why. */
static bool find_all(struct tables *tables)
{
    bool found = find_level(tables), more;
    unsigned left = tables_left(tables);
    bool agreed = found && (!left || left == tables->cached_in);
    if (!tables_search_singly(tables, agreed ? tables->cached_in + 1 : 2, &more))
        return false;
    return more ? find_level(tables) : found;
}

bool probe_tables(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    struct tables tables = {.bench = bench_open(machine, request->seed ^ 0x77616c6b), .notebook = notebook};
    uint64_t start = machine_steps(machine);
    const char *why = "";
    if (!recall(&tables)) {
        note_nothing(&tables, "needs what the probe latency finds", 0);
        return true;
    }
    tables.end = start + translation_left(machine, notebook, AFTER_TABLES);
    bool known = rate_measure(&tables.bench, &tables.rate) && tables.bench.cycles_per_tick > 0;
    if (!known || machine_page(machine, 0) != 4096 || !hung_open(&tables.hung, &tables.bench, &why)) {
        note_nothing(&tables, !known ? "core cycles are not known" : *why ? why : "no pages of 4 KB", 0);
        return !tables.bench.skipped;
    }
    bool found = measure_ends(&tables) && tables_search(&tables) && find_all(&tables);
    if (found)
        note_all(&tables, machine_steps(machine) - start);
    else
        note_nothing(&tables, tables.why ? tables.why : "", machine_steps(machine) - start);
    hung_close(&tables.hung);
    return !tables.bench.skipped;
}
