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
 *    what that level takes.
 *
 * What a walk takes besides the load of its last entry is the same in all of these places, and loads of the entries
 * themselves tell where walks left them: that says whether entries lay where they were wanted. */
#include "base/arithmetic.h"
#include "base/text.h"
#include "probes/confidence.h"
#include "probes/hang.h"
#include "probes/mean.h"
#include "probes/probes.h"
#include "probes/rate.h"
#include "probes/readings.h"

enum { LEVELS = 3, PASSES = 8, ROUNDS = 24, FEW_ROUNDS = 8 };
enum { MOST_BATCHES = 40, LEAST_BATCHES = 12, MOST_SEARCHED = 1 << 20 };

/* A mean is good when its standard deviation is a sixth of what a value may be off by. Few batches may agree by chance,
 * and do not know that deviation. */
static const double ENOUGH = 6;

/* What sweeps, or loads of the entries, say alone, without what flushes say, is wrong so often. */
static const double ALONE = 0.15;

/* A walk that reads memory costs more than one that reads a cache by a part of what a load does, at least. */
static const double LEAST_PART = 0.25;

enum place { WALKED, LEFT, SWEPT, FLUSHED }; /* LEFT: as WALKED, for loads of the entries themselves */

/* Core cycles, more than a hit. */
struct cost {
    double walk, load; /* a page that the TLBs lack; a control */
    double deviation;  /* of either */
    bool known;
};

struct tables {
    struct bench bench;
    struct notebook *notebook;
    struct hung hung;
    struct rate rate;
    unsigned levels;            /* of cache whose latency is known, without a gap */
    double latency[LEVELS + 1]; /* core cycles; [0]: of memory */
    double error;               /* that one of them is wrong */
    struct cost near, left, far, swept[LEVELS + 1];
    unsigned cached_in; /* 0: not known */
    double doubt;       /* of it */
    const char *why;
};

static const char *const places[] = {"mem", "l1", "l2", "l3"};

/* What a level takes more than the first. */
static double behind_first(const struct tables *tables, unsigned level)
{
    return tables->latency[level] - tables->latency[1];
}

_Static_assert(PASSES *(HUNG + 1) + 5 * HUNG + 16 <= MOST_VISITS, "a look is one script");

/* Besides what a walk takes. Where walks left entries, controls may push them out, in a level of one way. */
static enum hung_what first_timed(enum place place)
{
    if (place == WALKED)
        return HUNG_NOTHING;
    return place == LEFT ? HUNG_ENTRIES : HUNG_CONTROLS;
}

/* Puts the lines of entries and controls where they are wanted, and times both. */
static bool look(struct tables *tables, enum place place, const struct walk *sweep, double lap_ticks[4], bool *good)
{
    struct reading lap[MAX_LAPS];
    struct hung *hung = &tables->hung;
    struct bench *bench = &tables->bench;
    struct script_of script = {.count = 0};
    bool disturbed;
    hung_shuffle(hung);
    if (place == SWEPT) {
        script_flush(&script, hung);
        script_all(&script, hung, HUNG_ENTRIES, OP_LOAD, 0);
        script_all(&script, hung, HUNG_CONTROLS, OP_LOAD, 0);
        script_fence(&script);
        if (!script_play(&script, bench, lap, &disturbed) || !bench_warm(bench, sweep, 0, sweep->length))
            return false;
        /* What the pages hold is near, and their entries are not. */
        script_all(&script, hung, HUNG_ALIASES, OP_LOAD, 0);
    } else {
        if (place != FLUSHED)
            script_flush(&script, hung);
        /* Again: small levels that draw lots need not keep what comes once. */
        for (unsigned pass = 0; pass < PASSES; pass++) {
            script_add(&script, OP_FLUSH_TLB, 0, 0);
            script_all(&script, hung, HUNG_PAGES, OP_LOAD, 0);
        }
    }
    script_fence(&script);
    script_add(&script, OP_FLUSH_TLB, 0, 0);
    if (place == FLUSHED)
        script_flush(&script, hung);
    script_timed(&script, hung, first_timed(place));
    if (!script_play(&script, bench, lap, &disturbed) || !bench_rest(bench, false))
        return false;
    for (unsigned i = place == WALKED ? 2 : 1; i < 4; i++)
        lap_ticks[i] = (double)lap[i].ticks;
    *good = !disturbed;
    return true;
}

/* One batch of looks: what they say on average. *good: enough of them are to be trusted. */
static bool batch(struct tables *tables, enum place place, const struct walk *sweep, unsigned rounds, double *walk,
                  double *load, bool *good)
{
    double ticks[4] = {0}, laps[4][ROUNDS], scale = tables->bench.cycles_per_tick / HUNG;
    double step = (double)tables->bench.clock.step;
    unsigned counted = 0;
    for (unsigned round = 0; round < rounds; round++) {
        bool trusted;
        if (!look(tables, place, sweep, ticks, &trusted))
            return false;
        for (unsigned i = 1; i < 4 && trusted; i++)
            laps[i][counted] = ticks[i];
        counted += trusted;
    }
    *good = 2 * counted > rounds;
    if (!*good)
        return true;
    double hits = mean_of_most(laps[2], counted, step);
    *walk = (mean_of_most(laps[3], counted, step) - hits) * scale;
    *load = place == WALKED ? 0 : (mean_of_most(laps[1], counted, step) - hits) * scale;
    return true;
}

/* Times walks and controls until they are known well, or for so many visits. */
static bool measure(struct tables *tables, enum place place, const struct walk *sweep, uint64_t visits,
                    struct cost *cost)
{
    double walks[MOST_BATCHES], loads[MOST_BATCHES];
    uint64_t end = machine_steps(tables->bench.machine) + visits;
    unsigned count = 0, lost = 0;
    *cost = (struct cost){.known = false};
    while (count < MOST_BATCHES && lost < MOST_BATCHES) {
        bool good;
        if (!batch(tables, place, sweep, ROUNDS, &walks[count], &loads[count], &good))
            return false;
        if (!good) {
            lost++;
            bench_wait(&tables->bench, 1);
            continue;
        }
        if (++count < LEAST_BATCHES)
            continue;
        cost->known = true;
        cost->deviation = 0;
        cost->walk = mean_of_batches(walks, count, &cost->deviation);
        cost->load = mean_of_batches(loads, count, &cost->deviation);
        if (cost->deviation * ENOUGH < readings_tolerance(cost->walk) || machine_steps(tables->bench.machine) > end)
            break;
    }
    return true;
}

/* Whether loads of controls take what a level takes, as far as is known. */
static bool is_of(const struct tables *tables, unsigned level, double load, double deviation)
{
    return apart(load, behind_first(tables, level)) <= readings_tolerance(tables->latency[level]) + 2 * deviation;
}

/* Sweeps once over lines of so many frames: whether that leaves the controls in a level, as far as few looks tell. */
static bool sweep_leaves(struct tables *tables, uint64_t frames, unsigned level, struct walk *sweep, double *load,
                         bool *leaves)
{
    struct bench *bench = &tables->bench;
    struct stops stops = hung_sweep(&tables->hung, frames);
    double walk, slack = (double)bench->clock.step * bench->cycles_per_tick / HUNG / 4;
    bool good;
    *sweep = walk_over(&stops, OP_LOAD, bench_seed(bench));
    if (!bench_link(bench, sweep) || !batch(tables, SWEPT, sweep, FEW_ROUNDS, &walk, load, &good))
        return false;
    *leaves = good && is_of(tables, level, *load, slack);
    return true;
}

/* Times what a sweep leaves in a level. It does not if a few more lines and a few less both leave something else: then
 * it was a mixture of a nearer level and one behind, which was like this one by chance. Whichever leaves the controls
 * there more nearly is timed. */
static bool measure_swept(struct tables *tables, uint64_t frames, unsigned level, double load, const struct walk *sweep)
{
    struct cost *cost = &tables->swept[level];
    struct walk other;
    double other_load, wanted = behind_first(tables, level);
    bool leaves;
    if (!sweep_leaves(tables, frames + frames / 8, level, &other, &other_load, &leaves) ||
        (!leaves && !sweep_leaves(tables, frames - frames / 8, level, &other, &other_load, &leaves)))
        return false;
    if (!leaves)
        return true;
    if (apart(other_load, wanted) > apart(load, wanted))
        other = *sweep;
    if (!bench_link(&tables->bench, &other) || !measure(tables, SWEPT, &other, MOST_SEARCHED, cost))
        return false;
    cost->known = cost->known && is_of(tables, level, cost->load, cost->deviation);
    return true;
}

/* Sweeps of more and more lines, each half as many again. */
static bool search(struct tables *tables)
{
    enum { FEWEST = 2 };
    struct hung *hung = &tables->hung;
    uint64_t spent = machine_steps(tables->bench.machine) + 2 * MOST_SEARCHED;
    unsigned level = 2;
    for (uint64_t frames = FEWEST; 9 * frames / 8 <= hung_frames(hung) && level <= tables->levels;
         frames += (frames + 1) / 2) {
        struct walk sweep;
        double load;
        bool leaves;
        if (machine_steps(tables->bench.machine) + FEW_ROUNDS * HUNG * frames > spent)
            break;
        if (!sweep_leaves(tables, frames, level, &sweep, &load, &leaves) ||
            (leaves && !measure_swept(tables, frames, level, load, &sweep)))
            return false;
        if (tables->swept[level].known)
            level++;
        while (level < tables->levels && load > (behind_first(tables, level) + behind_first(tables, level + 1)) / 2)
            level++;
    }
    return true;
}

/* How much longer than the first level what the walker looks in first takes: by so much less does memory cost a walk
 * more than a load. */
static double depth_of(const struct tables *tables)
{
    return tables->far.load - (tables->far.walk - tables->near.walk);
}

/* The walker's level by that. */
static unsigned level_of(const struct tables *tables, double *error)
{
    double depth = depth_of(tables);
    double deviation = tables->far.deviation + tables->near.deviation, gap = 0;
    unsigned nearest = 1;
    for (unsigned level = 2; level <= tables->levels; level++)
        if (apart(behind_first(tables, level), depth) < apart(behind_first(tables, nearest), depth))
            nearest = level;
    double off = apart(behind_first(tables, nearest), depth);
    for (unsigned level = 0; level <= tables->levels; level++) {
        double other = apart(behind_first(tables, level), behind_first(tables, nearest));
        if (level != nearest && (gap == 0 || other < gap))
            gap = other;
    }
    *error = confidence_within(deviation, gap / 2 - off);
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
    unsigned candidates = (1U << tables->levels) - 1, found = 0;
    for (unsigned i = 2; i <= tables->levels; i++) {
        unsigned fitting = 0;
        for (unsigned level = 1; tables->swept[i].known && level <= tables->levels; level++)
            fitting |= (unsigned)fits(tables, i, level) << (level - 1);
        if (fitting)
            candidates &= fitting;
    }
    if (!candidates || candidates & (candidates - 1))
        return 0;
    while (candidates >> found)
        found++;
    return found;
}

/* The level that loads of the entries say walks left them in. 0: none of them. */
static unsigned level_left(const struct tables *tables)
{
    for (unsigned level = 1; level <= tables->levels && tables->left.known; level++)
        if (is_of(tables, level, tables->left.load, tables->left.deviation))
            return level;
    return 0;
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
    if (place > tables->cached_in && level_left(tables) == tables->cached_in)
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

/* False: *why. */
static bool find_level(struct tables *tables)
{
    struct cost *near = &tables->near, *far = &tables->far;
    double last = behind_first(tables, tables->levels);
    tables->why = "noise left it open";
    if (!near->known || !far->known)
        return false;
    tables->why = "lines that are flushed do not come from memory";
    if (far->load < last + LEAST_PART * (tables->latency[0] - tables->latency[tables->levels]))
        return false;
    tables->why = "what a walk takes does not depend on where the table's entry lies";
    if (far->walk - near->walk < LEAST_PART * (far->load - last))
        return false;
    double error;
    unsigned level = level_of(tables, &error), by_sweeps = level_by_sweeps(tables), left = level_left(tables);
    tables->why = "the walker's loads are as slow as those of two levels";
    if (error > LEAST_PART && !by_sweeps)
        return false;
    tables->why = "what is swept out and what is flushed say different things";
    if (error <= LEAST_PART && by_sweeps && by_sweeps != level)
        return false;
    tables->why = "what walks left and what is flushed say different things";
    if (!by_sweeps && left && left != level)
        return false;
    tables->doubt = by_sweeps ? ALONE * (error <= LEAST_PART ? error : 1) : error;
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
    for (unsigned place = 0; place <= LEVELS; place++)
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
            note_cost(tables, level, &tables->swept[level], off_by(tables, level), 0, visits);
        else
            note_missing_cost(tables, level, "no lines that were visited left the entries in that level", visits);
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

bool probe_tables(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    struct tables tables = {.bench = bench_open(machine, request->seed ^ 0x77616c6b), .notebook = notebook};
    uint64_t start = machine_steps(machine), few = 1 << 18;
    const char *why = "";
    if (!recall(&tables)) {
        note_nothing(&tables, "needs what the probe latency finds", 0);
        return true;
    }
    bool known = rate_measure(&tables.bench, &tables.rate) && tables.bench.cycles_per_tick > 0;
    if (!known || machine_page(machine, 0) != 4096 || !hung_open(&tables.hung, &tables.bench, &why)) {
        note_nothing(&tables, !known ? "core cycles are not known" : *why ? why : "no pages of 4 KB", 0);
        return !tables.bench.skipped;
    }
    bool found = measure(&tables, WALKED, NULL, few, &tables.near) && measure(&tables, LEFT, NULL, few, &tables.left) &&
                 measure(&tables, FLUSHED, NULL, few, &tables.far) && search(&tables) && find_level(&tables);
    if (found)
        note_all(&tables, machine_steps(machine) - start);
    else
        note_nothing(&tables, tables.why ? tables.why : "", machine_steps(machine) - start);
    hung_close(&tables.hung);
    return !tables.bench.skipped;
}
