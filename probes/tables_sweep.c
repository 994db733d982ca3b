// SPDX-License-Identifier: BSD-2-Clause
/* tables_sweep.c: sweeps that push entries of tables out of near levels of cache, and leave them in another.
 *
 * Few sweeps leave all of them in one level: sets that hold more of the entries than others overflow sooner, and where
 * a hash chooses sets, each fares in its own way. So where none does, or walks say that it does not, each entry is
 * loaded in a lap of its own: that says in which level a sweep leaves it, and walks are timed to those alone that it
 * leaves where they are wanted. That they are there is asked again, by other loads than those that they were chosen by.
 * If none is there for sure, loads say how far from what the level takes a mixture is, and walks to the same entries
 * are as far from it. */
#include "probes/tables_inside.h"

enum { FEWEST = 2, LEAST_CHOSEN = 2 };

/* Sweeps once over lines of so many frames: whether that leaves the controls in a level, as far as few looks tell. */
static bool sweep_leaves(struct tables *tables, uint64_t frames, unsigned level, struct walk *sweep, double *load,
                         bool *leaves)
{
    struct bench *bench = &tables->bench;
    struct stops stops = hung_sweep(&tables->hung, frames, false);
    struct laying laying = {.place = SWEPT, .loads = HUNG_CONTROLS, .sweep = sweep, .rounds = FEW_ROUNDS};
    double slack = (double)bench->clock.step * bench->cycles_per_tick / count_of(tables->hung.present) / 4;
    bool good;
    *sweep = walk_over(&stops, OP_LOAD, bench_seed(bench));
    if (!bench_link(bench, sweep) || !tables_batch(tables, &laying, NULL, load, &good))
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
    struct laying laying = {
        .place = SWEPT, .loads = HUNG_CONTROLS, .walks = true, .sweep = &other, .rounds = rounds_of(tables)};
    double other_load, wanted = behind_first(tables, level);
    bool leaves;
    if (!sweep_leaves(tables, frames + frames / 8, level, &other, &other_load, &leaves) ||
        (!leaves && !sweep_leaves(tables, frames - frames / 8, level, &other, &other_load, &leaves)))
        return false;
    if (!leaves)
        return true;
    if (apart(other_load, wanted) > apart(load, wanted))
        other = *sweep;
    if (!bench_link(&tables->bench, &other) || !tables_measure(tables, &laying, MOST_SEARCHED, cost))
        return false;
    cost->known = cost->known && is_of(tables, level, cost->load, cost->deviation);
    return true;
}

/* Sweeps of more and more lines, each half as many again. */
bool tables_search(struct tables *tables)
{
    struct hung *hung = &tables->hung;
    uint64_t spent = machine_steps(tables->bench.machine) + 2 * MOST_SEARCHED;
    unsigned level = 2;
    for (uint64_t frames = FEWEST; 9 * frames / 8 <= hung_frames(hung) && level <= tables->levels;
         frames += (frames + 1) / 2) {
        struct walk sweep;
        double load;
        bool leaves;
        if (tables_is_cut(tables) || machine_steps(tables->bench.machine) + FEW_ROUNDS * HUNG * frames > spent)
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

/* Entries that a sweep leaves in a level and in those beside it, so that loads of them take on average nearly what that
 * level takes. */
struct mixture {
    struct walk sweep;
    unsigned entries; /* bit i: number i; 0: none was found */
    double off;       /* core cycles, from what that level takes */
};

/* A search by loads of each entry. */
struct singly {
    struct tables *tables;
    bool dense;
    unsigned missing;           /* bit i: level i */
    unsigned tried[LEVELS + 1]; /* so many entries in vain: who draws lots leaves more there before it leaves all */
    struct mixture mixture[LEVELS + 1];
};

/* Whether loads of the entries say where walks leave them, and nothing else that is known of the walker is against it.
 */
static bool nearest_known(const struct tables *tables)
{
    unsigned left = tables_left(tables);
    return left && (!tables->cached_in || tables->cached_in == left);
}

/* How far loads of entries are from what a level takes, or walks to them from what they take where walks left them,
 * besides their last load: that is the same wherever they are. */
static double off_of(const struct tables *tables, unsigned level, const struct cost *cost)
{
    double off = apart(cost->load, behind_first(tables, level));
    double besides = apart(cost->walk - cost->load, tables->near.walk - tables->left.load);
    return nearest_known(tables) && besides > off ? besides : off;
}

/* Whether nothing more has to be looked for. Controls may all lie in a level where one of the entries does not. */
static bool near_enough(const struct tables *tables, unsigned level, const struct cost *cost)
{
    double room = readings_tolerance(tables->latency[level]) / 2;
    return cost->known && cost->deviation <= room && off_of(tables, level, cost) <= room + cost->deviation;
}

/* Keeps what was found of entries in a level, if it is less far off than what was found before. */
static void keep(struct singly *singly, unsigned level, const struct cost *cost)
{
    const struct tables *tables = singly->tables;
    struct cost *kept = &singly->tables->swept[level];
    if (kept->known && off_of(tables, level, kept) + kept->deviation <= off_of(tables, level, cost) + cost->deviation)
        return;
    *kept = *cost;
    if (near_enough(tables, level, kept))
        singly->missing &= ~(1U << level);
}

/* Times walks to what a sweep leaves in levels that are missing. */
static bool measure_entries(struct singly *singly, const struct laying *laying, const struct entries *entries)
{
    struct tables *tables = singly->tables;
    for (unsigned level = 2; level <= tables->levels; level++) {
        struct cost walk, load;
        unsigned count = count_of(entries->in[level]);
        if (!(singly->missing >> level & 1) || count < LEAST_CHOSEN || count <= singly->tried[level])
            continue;
        if (!tables_measure_chosen(tables, laying, entries->in[level], level, 0, &walk, &load))
            return false;
        if (!walk.known) {
            singly->tried[level] = count;
            continue;
        }
        walk.load = load.load;
        walk.deviation = walk.deviation > load.deviation ? walk.deviation : load.deviation;
        keep(singly, level, &walk);
        if (entries->in[level] == tables->hung.present) /* a longer sweep could only leave the same ones there */
            singly->tried[level] = count;
    }
    return true;
}

/* Half of the way to the next level on either side: a mixture that is further off may have nothing in this one. */
static double room_of_mixture(const struct tables *tables, unsigned level)
{
    double behind = tables->latency[level == tables->levels ? 0 : level + 1] - tables->latency[level];
    double before = tables->latency[level] - tables->latency[level - 1];
    return (behind < before ? behind : before) / 2;
}

/* Keeps a sweep that leaves half of the entries or more in a better mixture than those before. */
static void keep_mixtures(struct singly *singly, const struct walk *sweep, const struct entries *entries)
{
    const struct tables *tables = singly->tables;
    for (unsigned level = 2; level <= tables->levels; level++) {
        struct mixture found = {.sweep = *sweep};
        double wanted = behind_first(tables, level), room = room_of_mixture(tables, level), sum = 0;
        for (unsigned i = 0; i < HUNG; i++)
            if (entries->load[i] >= 0 && apart(entries->load[i], wanted) <= room) {
                found.entries |= 1U << i;
                sum += entries->load[i];
            }
        unsigned count = count_of(found.entries);
        found.off = apart(sum, wanted * count) / (count ? count : 1);
        struct mixture *kept = &singly->mixture[level];
        if (2 * count >= count_of(tables->hung.present) && (!kept->entries || found.off < kept->off))
            *kept = found;
    }
}

/* Looks of a batch. A long sweep comes before each of them: then there are few, and what batches say of their own
 * deviation is doubted with the rest. */
static unsigned rounds_after(const struct tables *tables, const struct walk *sweep)
{
    unsigned rounds = rounds_of(tables);
    return tables->hung.present == ALL_HUNG && LEAST_BATCHES * rounds * sweep->length > MOST_SEARCHED ? FEW_ROUNDS
                                                                                                      : rounds;
}

/* Times walks to mixtures, of levels in which no sweep leaves any entries for sure. What loads of them take more than
 * that level, or less, walks do, too: what a walk takes besides its last load is the same wherever that is. That is
 * seen if it is so where walks left the entries. */
static bool measure_mixtures(struct singly *singly)
{
    struct tables *tables = singly->tables;
    for (unsigned level = 2; level <= tables->levels && tables->cached_in && nearest_known(tables); level++) {
        struct mixture *mixture = &singly->mixture[level];
        struct laying laying = {
            .place = SWEPT, .sweep = &mixture->sweep, .rounds = rounds_after(tables, &mixture->sweep)};
        struct cost walk, load;
        if (!(singly->missing >> level & 1) || !mixture->entries)
            continue;
        if (!bench_link(&tables->bench, &mixture->sweep) ||
            !tables_measure_chosen(tables, &laying, mixture->entries, level, room_of_mixture(tables, level), &walk,
                                   &load))
            return false;
        if (!walk.known)
            continue;
        double more = load.load - behind_first(tables, level);
        struct cost cost = {.walk = walk.walk - more,
                            .load = load.load - more,
                            .deviation = walk.deviation + load.deviation,
                            .known = true,
                            .mixed = true};
        keep(singly, level, &cost);
    }
    return true;
}

/* How far apart the nearest two of the levels that can be swept out are. */
static double nearest_two(const struct tables *tables)
{
    double nearest = tables->latency[0] - tables->latency[tables->levels];
    for (unsigned level = 2; level <= tables->levels; level++) {
        double gap = tables->latency[level] - tables->latency[level - 1];
        nearest = gap < nearest ? gap : nearest;
    }
    return nearest;
}

/* Whether a longer sweep may leave more entries in a level that is missing: not if all were there, in vain. */
static bool may_leave_more(const struct singly *singly)
{
    const struct tables *tables = singly->tables;
    for (unsigned level = 2; level <= tables->levels; level++)
        if (singly->missing >> level & 1 && singly->tried[level] < count_of(tables->hung.present))
            return true;
    return false;
}

static bool search_kind(struct singly *singly)
{
    struct tables *tables = singly->tables;
    struct bench *bench = &tables->bench;
    uint64_t spent = machine_steps(bench->machine) + 4 * MOST_SEARCHED;
    for (uint64_t frames = FEWEST; frames <= hung_frames(&tables->hung) && may_leave_more(singly);
         frames += (frames + 2) / 3) {
        struct stops stops = hung_sweep(&tables->hung, frames, singly->dense);
        struct walk sweep = walk_over(&stops, OP_LOAD, bench_seed(bench));
        struct laying laying = {.place = SWEPT, .sweep = &sweep, .rounds = rounds_after(tables, &sweep)};
        struct entries entries;
        if (tables_is_cut(tables) || machine_steps(bench->machine) + FEW_ROUNDS * sweep.length > spent)
            break;
        if (!bench_link(bench, &sweep) || !tables_singly(tables, &laying, nearest_two(tables), &entries) ||
            !measure_entries(singly, &laying, &entries))
            return false;
        keep_mixtures(singly, &sweep, &entries);
        if (entries.in[0] == tables->hung.present)
            break;
    }
    return true;
}

bool tables_search_singly(struct tables *tables, unsigned from, bool *found)
{
    struct singly singly = {.tables = tables};
    for (unsigned level = from; level <= tables->levels; level++)
        if (!near_enough(tables, level, &tables->swept[level]))
            singly.missing |= 1U << level;
    unsigned missing = singly.missing;
    if (!search_kind(&singly))
        return false;
    singly.dense = true;
    for (unsigned level = 2; level <= tables->levels; level++)
        singly.tried[level] = 0;
    if (!search_kind(&singly) || !measure_mixtures(&singly))
        return false;
    *found = false;
    for (unsigned level = 2; level <= tables->levels; level++)
        *found = *found || (missing >> level & 1 && tables->swept[level].known);
    return true;
}
