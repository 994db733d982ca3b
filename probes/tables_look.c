// SPDX-License-Identifier: BSD-2-Clause
/* tables_look.c: entries of tables are put where they are wanted, and what walks to them take is timed. */
#include "probes/mean.h"
#include "probes/pause.h"
#include "probes/tables_inside.h"

enum { MOST_BATCHES = 240, MOST_OF_ALL = 60 };

/* A mean is good when its standard deviation is a sixth of what a value may be off by. Few batches may agree by chance,
 * and do not know that deviation. */
static const double ENOUGH = 6;

/* Standard deviation of a difference of two readings of a clock that only steps, as part of the step: what each of them
 * is off by is spread evenly over one. */
static const double OF_STEP = 0.41;

/* Plays what puts lines somewhere. */
static bool prepare(struct tables *tables, struct script_of *script)
{
    struct reading lap[MAX_LAPS];
    bool disturbed;
    return script_play(script, &tables->bench, lap, &disturbed);
}

/* Loads entries, and controls, and pushes them out again. Where entries themselves are asked, controls would only be in
 * their way: they share their sets. */
static bool sweep(struct tables *tables, const struct laying *laying, struct script_of *script)
{
    script_all(script, &tables->hung, HUNG_ENTRIES, OP_LOAD, 0);
    if (laying->loads == HUNG_CONTROLS)
        script_all(script, &tables->hung, HUNG_CONTROLS, OP_LOAD, 0);
    script_fence(script);
    return prepare(tables, script) && bench_warm(&tables->bench, laying->sweep, 0, laying->sweep->length);
}

/* Who walks needs what no TLB knows. Loads of lines do without: others would have to be translated again, too, and what
 * that loads is in the way of what lies where it is wanted, and closes rows. */
static void forget(struct script_of *script, enum hung_what what)
{
    if (what == HUNG_PAGES)
        script_add(script, OP_FLUSH_TLB, 0, 0);
}

/* Puts the lines of entries and controls where they are wanted: what is left of the script does the last of that. */
static bool lay(struct tables *tables, const struct laying *laying, enum hung_what what, struct script_of *script)
{
    struct hung *hung = &tables->hung;
    hung_shuffle(hung);
    script_flush(script, hung);
    if (laying->place == SWEPT && !sweep(tables, laying, script))
        return false;
    hung_swap(hung, laying->place == SWEPT);
    script_bring(script, hung);
    bool brought = prepare(tables, script);
    hung_swap(hung, false);
    if (laying->place == FLUSHED) {
        /* The last loads from memory are of what is timed: all of its rows are open. */
        script_flush(script, hung);
        forget(script, what);
        script_all(script, hung, what, OP_LOAD, 0);
        script_fence(script);
        script_flush(script, hung);
    }
    forget(script, what);
    return brought;
}

/* Plays a look to its end. *good: nobody disturbed it. */
static bool play(struct tables *tables, struct script_of *script, struct reading lap[MAX_LAPS], bool *good)
{
    bool disturbed;
    bool played = script_play(script, &tables->bench, lap, &disturbed) && bench_rest(&tables->bench, false);
    *good = played && !disturbed;
    return played;
}

/* Puts them there, and times what is wanted, and as many hits: in ticks. */
static bool look(struct tables *tables, const struct laying *laying, enum hung_what what, double *ticks, double *hits,
                 bool *good)
{
    struct reading lap[MAX_LAPS];
    struct script_of script = {.count = 0};
    if (!lay(tables, laying, what, &script))
        return false;
    script_timed(&script, &tables->hung, what);
    if (!play(tables, &script, lap, good))
        return false;
    *ticks = (double)lap[1].ticks;
    *hits = (double)lap[2].ticks;
    return true;
}

/* One batch: what each of them takes more than a hit. */
static bool batch_of(struct tables *tables, const struct laying *laying, enum hung_what what, double *more, bool *good)
{
    double laps[MOST_ROUNDS], hits[MOST_ROUNDS];
    double scale = tables->bench.cycles_per_tick / count_of(tables->hung.chosen);
    double step = (double)tables->bench.clock.step;
    unsigned counted = 0;
    for (unsigned round = 0; round < laying->rounds; round++) {
        bool trusted;
        if (!look(tables, laying, what, &laps[counted], &hits[counted], &trusted))
            return false;
        counted += trusted;
    }
    *good = 2 * counted > laying->rounds;
    if (*good)
        *more = (mean_of_most(laps, counted, step) - mean_of_most(hits, counted, step)) * scale;
    return true;
}

bool tables_batch(struct tables *tables, const struct laying *laying, double *walk, double *load, bool *good)
{
    *good = true;
    if (load && !batch_of(tables, laying, laying->loads, load, good))
        return false;
    return !walk || !*good || batch_of(tables, laying, HUNG_PAGES, walk, good);
}

bool tables_is_cut(struct tables *tables)
{
    tables->cut = tables->cut || machine_steps(tables->bench.machine) > tables->end;
    return tables->cut;
}

bool tables_measure(struct tables *tables, const struct laying *laying, uint64_t visits, struct cost *cost)
{
    double walks[MOST_BATCHES], loads[MOST_BATCHES];
    bool walked = laying->walks, loaded = laying->loads != HUNG_NOTHING;
    uint64_t end = machine_steps(tables->bench.machine) + visits;
    /* Of two pages a clock that steps shows a fifth of what it shows of ten. */
    unsigned count = 0, lost = 0, most = tables->hung.present == ALL_HUNG ? MOST_OF_ALL : MOST_BATCHES;
    *cost = (struct cost){.known = false};
    while (count < most && lost < most && !(laying->place == SWEPT && tables_is_cut(tables))) {
        bool good;
        if (!tables_batch(tables, laying, walked ? &walks[count] : NULL, loaded ? &loads[count] : NULL, &good))
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
        cost->walk = walked ? mean_of_batches(walks, count, &cost->deviation) : 0;
        cost->load = loaded ? mean_of_batches(loads, count, &cost->deviation) : 0;
        cost->well = cost->deviation * ENOUGH < readings_tolerance(cost->walk);
        if (cost->well || machine_steps(tables->bench.machine) > end)
            break;
    }
    return true;
}

unsigned tables_left(const struct tables *tables)
{
    for (unsigned level = 1; level <= tables->levels && tables->left.known; level++)
        if (is_of(tables, level, tables->left.load, tables->left.deviation))
            return level;
    return 0;
}

/* *level: the one that takes most nearly so long. False: it does not take so long. */
static bool level_that_takes(const struct tables *tables, double load, double deviation, unsigned *level)
{
    *level = 0;
    for (unsigned i = 1; i <= tables->levels; i++)
        if (apart(load, behind_first(tables, i)) < apart(load, behind_first(tables, *level)))
            *level = i;
    return is_of(tables, *level, load, deviation);
}

/* One round: ticks that each entry took, by its number, and those of hits, on average. */
static bool look_singly(struct tables *tables, const struct laying *laying, double ticks[HUNG], double *hits,
                        bool *good)
{
    struct reading lap[MAX_LAPS];
    struct script_of script = {.count = 0};
    if (!lay(tables, laying, HUNG_ENTRIES, &script))
        return false;
    script_singly(&script, &tables->hung);
    if (!play(tables, &script, lap, good))
        return false;
    *hits = 0;
    for (unsigned i = 0; i < HUNG; i++)
        if (tables->hung.present >> tables->hung.order[i] & 1) {
            ticks[tables->hung.order[i]] = (double)lap[1 + i].ticks;
            *hits += (double)lap[1 + HUNG + i].ticks / count_of(tables->hung.present);
        }
    return true;
}

/* Ticks; nothing that is asked here takes so long, and what does was interrupted. */
static double longest(const struct tables *tables)
{
    return 2 * tables->latency[0] / tables->bench.cycles_per_tick + 2 * (double)tables->bench.clock.step;
}

/* Sums of the rounds, in ticks. */
struct singles {
    double entry[HUNG], hits;
    unsigned entries[HUNG], rounds; /* how many */
};

/* Means, and not those of most: what is elsewhere now and then does not count as left in a level. */
static bool sum_singly(struct tables *tables, const struct laying *laying, unsigned rounds, struct singles *sum)
{
    *sum = (struct singles){.rounds = 0};
    for (unsigned round = 0; round < rounds && !tables_is_cut(tables); round++) {
        double ticks[HUNG], hits;
        bool trusted;
        if (!look_singly(tables, laying, ticks, &hits, &trusted))
            return false;
        if (!trusted || hits > longest(tables))
            continue;
        sum->hits += hits;
        sum->rounds++;
        for (unsigned i = 0; i < HUNG; i++)
            if (tables->hung.present >> i & 1 && ticks[i] <= longest(tables)) {
                sum->entry[i] += ticks[i];
                sum->entries[i]++;
            }
    }
    return true;
}

bool tables_singly(struct tables *tables, const struct laying *laying, double near, struct entries *entries)
{
    double cycles = tables->bench.cycles_per_tick, blur = OF_STEP * (double)tables->bench.clock.step * cycles;
    /* A quarter of what lies between is two deviations at most. */
    double wanted = 64 * (blur / near) * (blur / near);
    unsigned rounds = wanted > MOST_SINGLY ? MOST_SINGLY : wanted > FEW_ROUNDS ? (unsigned)wanted : FEW_ROUNDS;
    struct singles sum;
    *entries = (struct entries){.in = {0}};
    for (unsigned i = 0; i < HUNG; i++)
        entries->load[i] = -1;
    if (!sum_singly(tables, laying, rounds, &sum))
        return false;
    for (unsigned i = 0; i < HUNG; i++) {
        unsigned level, count = sum.entries[i];
        if (2 * count < rounds)
            continue;
        double load = (sum.entry[i] / count - sum.hits / sum.rounds) * cycles;
        bool takes = level_that_takes(tables, load, blur / square_root(count), &level);
        entries->load[i] = load > 0 ? load : 0;
        if (takes || level == 0)
            entries->in[level] |= 1U << i;
    }
    return true;
}

bool tables_measure_chosen(struct tables *tables, const struct laying *laying, unsigned chosen, unsigned level,
                           double room, struct cost *walk, struct cost *load)
{
    struct laying loads = *laying, walks = *laying;
    loads.loads = HUNG_ENTRIES;
    walks.walks = true;
    walk->known = false;
    tables->hung.chosen = chosen;
    bool ok = tables_measure(tables, &loads, MOST_SEARCHED, load);
    bool near = room > 0 ? apart(load->load, behind_first(tables, level)) <= room
                         : is_of(tables, level, load->load, load->deviation);
    if (ok && load->known && near)
        ok = tables_measure(tables, &walks, MOST_SEARCHED, walk);
    load->known = walk->known;
    tables->hung.chosen = tables->hung.present;
    return ok;
}
