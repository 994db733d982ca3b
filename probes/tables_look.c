// SPDX-License-Identifier: BSD-2-Clause
/* tables_look.c: entries of tables are put where they are wanted, and what walks to them take is timed. */
#include "probes/mean.h"
#include "probes/tables_inside.h"

enum { PASSES = 8, MOST_BATCHES = 40, LEAST_BATCHES = 12 };

/* A mean is good when its standard deviation is a sixth of what a value may be off by. Few batches may agree by chance,
 * and do not know that deviation. */
static const double ENOUGH = 6;

/* Standard deviation of a difference of two readings of a clock that only steps, as part of the step: what each of them
 * is off by is spread evenly over one. */
static const double OF_STEP = 0.41;

_Static_assert(PASSES *(HUNG + 1) + 5 * HUNG + 16 <= MOST_VISITS, "a look is one script");

/* Puts the lines of entries and controls where they are wanted: what is left of the script does the last of that. */
static bool lay(struct tables *tables, const struct laying *laying, struct script_of *script)
{
    struct reading lap[MAX_LAPS];
    struct hung *hung = &tables->hung;
    struct bench *bench = &tables->bench;
    bool disturbed;
    hung_shuffle(hung);
    if (laying->place == SWEPT) {
        script_flush(script, hung);
        script_all(script, hung, HUNG_ENTRIES, OP_LOAD, 0);
        /* Where entries themselves are asked, these would only be in their way: they share their sets. */
        if (laying->first == HUNG_CONTROLS)
            script_all(script, hung, HUNG_CONTROLS, OP_LOAD, 0);
        script_fence(script);
        if (!script_play(script, bench, lap, &disturbed) || !bench_warm(bench, laying->sweep, 0, laying->sweep->length))
            return false;
        /* What the pages hold is near, and their entries are not. */
        script_all(script, hung, HUNG_ALIASES, OP_LOAD, 0);
    } else {
        if (laying->place != FLUSHED)
            script_flush(script, hung);
        /* Again: small levels that draw lots need not keep what comes once. */
        for (unsigned pass = 0; pass < PASSES; pass++) {
            script_add(script, OP_FLUSH_TLB, 0, 0);
            script_all(script, hung, HUNG_PAGES, OP_LOAD, 0);
        }
    }
    script_fence(script);
    script_add(script, OP_FLUSH_TLB, 0, 0);
    if (laying->place == FLUSHED)
        script_flush(script, hung);
    return true;
}

/* Plays a look to its end. *good: nobody disturbed it. */
static bool play(struct tables *tables, struct script_of *script, struct reading lap[MAX_LAPS], bool *good)
{
    bool disturbed;
    bool played = script_play(script, &tables->bench, lap, &disturbed) && bench_rest(&tables->bench, false);
    *good = played && !disturbed;
    return played;
}

/* Puts them there, and times walks and what is timed besides. Where walks left entries, controls may push them out, in
 * a level of one way. */
static bool look(struct tables *tables, const struct laying *laying, double lap_ticks[4], bool *good)
{
    struct reading lap[MAX_LAPS];
    struct script_of script = {.count = 0};
    if (!lay(tables, laying, &script))
        return false;
    script_timed(&script, &tables->hung, laying->first);
    if (!play(tables, &script, lap, good))
        return false;
    for (unsigned i = laying->first == HUNG_NOTHING ? 2 : 1; i < 4; i++)
        lap_ticks[i] = (double)lap[i].ticks;
    return true;
}

bool tables_batch(struct tables *tables, const struct laying *laying, double *walk, double *load, bool *good)
{
    double ticks[4] = {0}, laps[4][ROUNDS];
    double scale = tables->bench.cycles_per_tick / count_of(tables->hung.chosen);
    double step = (double)tables->bench.clock.step;
    unsigned counted = 0;
    for (unsigned round = 0; round < laying->rounds; round++) {
        bool trusted;
        if (!look(tables, laying, ticks, &trusted))
            return false;
        for (unsigned i = 1; i < 4 && trusted; i++)
            laps[i][counted] = ticks[i];
        counted += trusted;
    }
    *good = 2 * counted > laying->rounds;
    if (!*good)
        return true;
    double hits = mean_of_most(laps[2], counted, step);
    *walk = (mean_of_most(laps[3], counted, step) - hits) * scale;
    *load = laying->first == HUNG_NOTHING ? 0 : (mean_of_most(laps[1], counted, step) - hits) * scale;
    return true;
}

bool tables_measure(struct tables *tables, const struct laying *laying, uint64_t visits, struct cost *cost)
{
    double walks[MOST_BATCHES], loads[MOST_BATCHES];
    uint64_t end = machine_steps(tables->bench.machine) + visits;
    unsigned count = 0, lost = 0;
    *cost = (struct cost){.known = false};
    while (count < MOST_BATCHES && lost < MOST_BATCHES) {
        bool good;
        if (!tables_batch(tables, laying, &walks[count], &loads[count], &good))
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
    if (!lay(tables, laying, &script))
        return false;
    script_singly(&script, &tables->hung);
    if (!play(tables, &script, lap, good))
        return false;
    *hits = 0;
    for (unsigned i = 0; i < HUNG; i++) {
        ticks[tables->hung.order[i]] = (double)lap[1 + i].ticks;
        *hits += (double)lap[1 + HUNG + i].ticks / HUNG;
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
    for (unsigned round = 0; round < rounds; round++) {
        double ticks[HUNG], hits;
        bool trusted;
        if (!look_singly(tables, laying, ticks, &hits, &trusted))
            return false;
        if (!trusted || hits > longest(tables))
            continue;
        sum->hits += hits;
        sum->rounds++;
        for (unsigned i = 0; i < HUNG; i++)
            if (ticks[i] <= longest(tables)) {
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
    loads.first = HUNG_ENTRIES;
    walks.first = HUNG_NOTHING;
    walk->known = false;
    tables->hung.chosen = chosen;
    bool ok = tables_measure(tables, &loads, MOST_SEARCHED, load);
    bool near = room > 0 ? apart(load->load, behind_first(tables, level)) <= room
                         : is_of(tables, level, load->load, load->deviation);
    if (ok && load->known && near)
        ok = tables_measure(tables, &walks, MOST_SEARCHED, walk);
    load->known = walk->known;
    tables->hung.chosen = ALL_HUNG;
    return ok;
}
