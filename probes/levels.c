// SPDX-License-Identifier: BSD-2-Clause
/* levels.c: a staircase. At each place (so many other bytes) targets are found in one level, and the level changes
 * where the bytes exceed what a level holds. Where too few places agree it is looked at more closely; what the places
 * say of levels is in probes/steps.c. */
#include "probes/levels.h"
#include "base/arithmetic.h"
#include "probes/cluster.h"

enum {
    CLOSEST = 16, /* places an octave at most: in a narrow step */
    MOST_PASSES = 16,
    MOST_VISITS = 1 << 19,  /* of a place, before another look at it */
    MOST_CLOSER = 12 << 20, /* visits that looking closer may cost */
    MOST_AGAIN = 8 << 20,   /* that asking again may, where farther places are nearer */
    LINE = 64,
    ENOUGH = 64 << 20 /* bytes: where memory's latency is not known, a sweep goes on to here at least ... */
};

/* Of targets that agree, a difference that is chance. */
static const double SHARES = 0.2;

/* ... and to so many times the last step. */
static const uint64_t BEYOND = 8;

/* Whether two readings of one latency may well be the same. */
static bool agree(const struct latency_of *a, const struct latency_of *b)
{
    return apart(a->cycles, b->cycles) <=
           readings_tolerance(a->cycles) / 4 + 2 * square_root(a->variance + b->variance);
}

/* Whether nothing is known of a latency: readings were lost, or all were disturbed. */
static bool vague(const struct latency_of *latency)
{
    return latency->variance > 1 + latency->cycles * latency->cycles;
}

/* What the targets took in between is kept as well, for it was a level's. */
static void keep_early(struct place *place, double cycles)
{
    bool known = cycles <= 0 || apart(place->latency.cycles, cycles) <= readings_tolerance(cycles);
    for (unsigned i = 0; i < MOST_EARLY && !known; i++) {
        if (place->early[i] <= 0)
            place->early[i] = cycles;
        known = apart(place->early[i], cycles) <= readings_tolerance(cycles);
    }
}

/* Whether nearly all targets were in one level, and not in memory. */
static bool whole(const struct levels *levels, const struct latency_of *latency)
{
    return latency->share >= WHOLE && !levels_are_memory(levels, latency->cycles, latency->variance);
}

/* Another look at a place, at targets that were flushed before each round: some policies keep, or keep a part of, what
 * has come back again and again, and let go of what comes for the first time. False: skipped or refused. */
static bool look_afresh(struct depth *depth, uint64_t bytes, unsigned passes, struct latency_of *latency)
{
    depth->fresh = true;
    bool good = depth_after(depth, bytes, passes, latency);
    depth->fresh = false;
    return good;
}

/* What a mixture was is what targets that come for the first time took: a level, or memory. What single loads said of
 * the mixture is kept. */
static void take_afresh(const struct levels *levels, struct place *place, const struct latency_of *afresh)
{
    struct latency_of again = place->latency;
    place->latency = *afresh;
    place->memory = levels_are_memory(levels, afresh->cycles, afresh->variance);
    if (again.seen) {
        keep_early(place, again.cycles);
        keep_early(place, again.other);
    }
}

/* The latency at a place: more passes until they change nothing any more. Where they leave a mixture, targets that come
 * for the first time may be in one level all the same. */
static bool measure_place(struct depth *depth, const struct levels *levels, uint64_t bytes, struct place *place)
{
    struct latency_of before, afresh;
    uint64_t start = machine_steps(depth->bench->machine);
    unsigned passes = 1;
    *place = (struct place){.bytes = bytes};
    if (!depth_after(depth, bytes, passes, &before))
        return false;
    for (bool done = false; !done;) {
        passes *= 2;
        if (!depth_after(depth, bytes, passes, &place->latency))
            return false;
        place->memory =
            !vague(&place->latency) && levels_are_memory(levels, place->latency.cycles, place->latency.variance);
        bool same = agree(&before, &place->latency) && apart(before.share, place->latency.share) <= SHARES;
        if (!same && before.seen) {
            keep_early(place, before.cycles);
            keep_early(place, before.other);
        }
        done = place->memory || same || passes == MOST_PASSES ||
               machine_steps(depth->bench->machine) - start > MOST_VISITS;
        before = place->latency;
    }
    if (!levels->flushed || place->memory || place->latency.share >= WHOLE)
        return true;
    if (!look_afresh(depth, bytes, passes, &afresh))
        return false;
    if (afresh.share >= WHOLE)
        take_afresh(levels, place, &afresh);
    return true;
}

/* Whether two neighbouring places lie on one step of the staircase. */
static bool level_here(const struct place *a, const struct place *b)
{
    return a->memory || b->memory ? a->memory && b->memory : agree(&a->latency, &b->latency);
}

/* Upward, until two places on end come from memory; or, where that cannot be told, far behind the last step. */
static bool sweep(struct depth *depth, struct levels *levels)
{
    uint64_t step = 0;
    for (uint64_t bytes = SMALLEST_PLACE; bytes <= depth->most && levels->places < MOST_PLACES / 2;) {
        struct place *place = &levels->place[levels->places];
        if (!measure_place(depth, levels, bytes, place))
            return false;
        levels->places++;
        if (levels->places > 1) {
            if (place->memory && (place - 1)->memory)
                break;
            if (!level_here(place - 1, place))
                step = bytes;
        }
        if (!levels->flushed && bytes >= ENOUGH && bytes >= BEYOND * step)
            break;
        bytes += power_of_two_within(bytes) / 2;
    }
    return true;
}

static bool insert(struct depth *depth, struct levels *levels, unsigned index, uint64_t bytes)
{
    struct place place;
    if (!measure_place(depth, levels, bytes, &place))
        return false;
    for (unsigned i = levels->places++; i > index; i--)
        levels->place[i] = levels->place[i - 1];
    levels->place[index] = place;
    return true;
}

/* Places on end that agree with one. */
struct agreeing {
    unsigned places;
    double weights; /* how well they know it together: 1 / (core cycles squared) */
};

static struct agreeing agreeing_with(const struct levels *levels, unsigned index)
{
    const struct place *place = &levels->place[index];
    struct agreeing agreeing = {.places = 0};
    unsigned before = index, after = index;
    while (before && place_is_pure(&levels->place[before - 1]) && level_here(&levels->place[before - 1], place))
        before--;
    while (after + 1 < levels->places && place_is_pure(&levels->place[after + 1]) &&
           level_here(place, &levels->place[after + 1]))
        after++;
    for (unsigned i = before; i <= after; i++) {
        agreeing.places++;
        agreeing.weights += 1 / place_variance(&levels->place[i]);
    }
    return agreeing;
}

/* Whether too few places on end agree with this one for a level: by chance another mixture of two levels may take as
 * long, but not two others. What single loads took is no mixture. */
static bool lonely(const struct levels *levels, unsigned index)
{
    return agreeing_with(levels, index).places < (levels->place[index].latency.seen ? 2 : LEAST_PLACES);
}

/* Whether those that agree with this one do not know it well enough together. What a hit takes is known. */
static bool vague_together(const struct levels *levels, unsigned index)
{
    double cycles = levels->place[index].latency.cycles, tolerance = readings_tolerance(cycles);
    return cycles > levels->hit + tolerance && agreeing_with(levels, index).weights * tolerance * tolerance < 9;
}

enum closer { LONELY, VAGUE, OPEN };

/* Whether a place asks for others beside it. */
static bool asks(const struct levels *levels, unsigned index, enum closer why)
{
    const struct place *place = &levels->place[index];
    if (place->memory || !place_is_pure(place))
        return false;
    switch (why) {
    case LONELY:
        return lonely(levels, index);
    case VAGUE:
        return vague_together(levels, index);
    case OPEN:
        return place->open;
    }
    return false;
}

/* Looks closer beside places that ask for it, no closer than a part of an octave, while fewer than `most` visits have
 * been made. */
static bool look_closer(struct depth *depth, struct levels *levels, enum closer why, unsigned parts, uint64_t most)
{
    for (unsigned i = 1; i < levels->places && levels->places < MOST_PLACES; i++) {
        if (machine_steps(depth->bench->machine) > most)
            return true;
        uint64_t low = levels->place[i - 1].bytes, high = levels->place[i].bytes;
        uint64_t middle = (low + high) / 2 / LINE * LINE;
        if (high - low <= power_of_two_within(low) / parts || middle <= low ||
            (!asks(levels, i - 1, why) && !asks(levels, i, why)))
            continue;
        if (!insert(depth, levels, i, middle))
            return false;
        i++;
    }
    return true;
}

/* First wherever too few places agree: a level may be no larger than twice the one before it. Then where those that
 * agree do not know it well enough. Then where they rise: a few steps in a thousand do by chance, and do not among more
 * places; what is a mixture of two levels still does. What visits the first two leave is the last one's. */
static bool look_closer_everywhere(struct depth *depth, struct levels *levels)
{
    uint64_t most = machine_steps(depth->bench->machine) + MOST_CLOSER;
    bool good = true;
    for (enum closer why = LONELY; why <= OPEN; why++)
        for (unsigned parts = 4; parts <= CLOSEST && good; parts *= 2) {
            levels_find_steps(levels);
            good = look_closer(depth, levels, why, parts, most);
        }
    return good;
}

/* Whether a latency is farther than another by more than tolerance and noise. */
static bool surely_farther(const struct latency_of *latency, const struct latency_of *other)
{
    return latency->cycles >
           other->cycles + readings_tolerance(latency->cycles) + 3 * square_root(latency->variance + other->variance);
}

/* Whether the targets of a place are nearer than those of a place before it, though more bytes bring no target nearer.
 * *first, *last: the places before that one whose targets are as near as this one's. */
static bool undercuts(const struct levels *levels, unsigned index, unsigned *first, unsigned *last)
{
    const struct place *place = &levels->place[index];
    unsigned farther = 0, near = 0;
    if (place->memory || !place_is_pure(place))
        return false;
    for (unsigned i = 0; i < index; i++)
        if (place_is_pure(&levels->place[i]) && surely_farther(&levels->place[i].latency, &place->latency))
            farther = i;
    for (unsigned i = 0; i < farther; i++)
        if (place_is_pure(&levels->place[i]) && level_here(&levels->place[i], place)) {
            *first = near++ ? *first : i;
            *last = i;
        }
    return near > 0;
}

/* Asks a place again while others are read in parts of so many bytes, each twice. What two looks agree on counts, if it
 * is farther, and one level or memory. False: skipped or refused. */
static bool ask_twice(struct depth *depth, struct levels *levels, struct place *place, uint64_t twice, uint64_t *left)
{
    enum { TIMES = 4, PASSES = 2, READS = 2 };
    const uint64_t cost = place->bytes / LINE * READS * PASSES;
    struct place again = *place, before = *place;
    for (unsigned time = 0; time < TIMES && *left >= cost; time++) {
        *left -= cost;
        depth->twice = twice;
        bool good = depth_after(depth, place->bytes, PASSES, &again.latency);
        depth->twice = 0;
        if (!good)
            return false;
        again.memory = levels_are_memory(levels, again.latency.cycles, again.latency.variance);
        bool told = again.memory || again.latency.share >= WHOLE;
        if (told && surely_farther(&again.latency, &place->latency) && time && level_here(&again, &before)) {
            if (place->latency.seen)
                keep_early(&again, place->latency.cycles);
            *place = again;
            return true;
        }
        before = again;
    }
    return true;
}

/* Levels that choose among policies by what seems to serve best may let go of nothing, for as long as what comes is not
 * asked for again (Qureshi et al., ISCA 2007; seen on a Redwood Cove, whose second level holds targets through 50 times
 * what it has room for). So others are read in parts, each twice, of no more than that level has held and, if it is at
 * least twice as large as those before it, of more than these do. */
static bool ask_undercut(struct depth *depth, struct levels *levels, uint64_t *left)
{
    for (unsigned i = 0; i < levels->places; i++) {
        unsigned first = 0, last = 0;
        if (!undercuts(levels, i, &first, &last))
            continue;
        uint64_t twice = 2 * levels->place[first].bytes;
        if (twice > levels->place[last].bytes)
            twice = levels->place[last].bytes;
        if (!ask_twice(depth, levels, &levels->place[i], twice, left))
            return false;
    }
    return true;
}

/* Whether a latency is farther than a level's for certain, and that of other places. These need not have made a level:
 * what keeps a part of the targets for long may do so wherever the next level would be seen on end. */
static bool is_farther(const struct levels *levels, const struct level *level, const struct latency_of *latency)
{
    double tolerance = readings_tolerance(latency->cycles);
    double noise = 3 * square_root(latency->variance + level->deviation * level->deviation);
    unsigned agreeing = 0;
    for (unsigned i = 0; i < levels->places; i++) {
        const struct place *place = &levels->place[i];
        double room = tolerance + 2 * square_root(latency->variance + place->latency.variance);
        agreeing += !place->memory && place_is_pure(place) && apart(place->latency.cycles, latency->cycles) <= room;
    }
    return latency->cycles > level->cycles + 2 * tolerance + noise && agreeing >= LEAST_PLACES;
}

/* Whether a place is one of a level's, of which single loads have said nothing. */
static bool is_on(const struct level *level, const struct place *place)
{
    return !place->memory && !place->latency.seen && place_is_pure(place) && place->bytes >= level->first &&
           place->bytes <= level->last &&
           apart(place->latency.cycles, level->cycles) <= 2 * readings_tolerance(level->cycles);
}

/* The middle one of a level's places; NULL: none, or one was asked before. */
static struct place *middle_place(struct levels *levels, const struct level *level)
{
    struct place *on[MOST_PLACES];
    unsigned count = 0;
    for (unsigned i = 0; i < levels->places; i++)
        if (is_on(level, &levels->place[i])) {
            if (levels->place[i].asked)
                return NULL;
            on[count++] = &levels->place[i];
        }
    return count ? on[count / 2] : NULL;
}

/* Looks afresh at a place of a level. *refuted: all targets are in one behind it then, and that is what counts. */
static bool ask_afresh(struct depth *depth, const struct levels *levels, const struct level *level, struct place *place,
                       bool *refuted)
{
    enum { PASSES = 2 };
    struct latency_of afresh;
    if (!look_afresh(depth, place->bytes, PASSES, &afresh))
        return false;
    *refuted = whole(levels, &afresh) && is_farther(levels, level, &afresh);
    if (*refuted)
        place->latency = afresh;
    place->asked = true;
    return true;
}

/* Asks a level, and, if it is refuted at its middle place, each of its places. */
static bool ask_level(struct depth *depth, struct levels *levels, const struct level *level, bool *refuted)
{
    struct place *middle = middle_place(levels, level);
    bool also;
    *refuted = false;
    if (!middle || apart(level->cycles, levels->hit) <= readings_tolerance(levels->hit))
        return true;
    if (!ask_afresh(depth, levels, level, middle, refuted))
        return false;
    for (unsigned i = 0; i < levels->places && *refuted; i++)
        if (is_on(level, &levels->place[i]) && !ask_afresh(depth, levels, level, &levels->place[i], &also))
            return false;
    return true;
}

/* Finds the levels, and refutes what is none: a level may keep a part of the targets, always as large a one, long after
 * it is full. Those that come for the first time are in a level behind it then. */
static bool find_levels(struct depth *depth, struct levels *levels)
{
    levels_infer(levels);
    for (unsigned i = 0; levels->flushed && i < levels->count;) {
        const struct level level = levels->level[i];
        bool refuted;
        if (!ask_level(depth, levels, &level, &refuted))
            return false;
        i++;
        if (refuted) {
            levels_infer(levels);
            i = 0;
        }
    }
    return true;
}

/* Memory's latency, and the least that it takes, by which places that targets come to from memory are known. */
static bool ask_memory(struct depth *depth, struct levels *levels)
{
    struct latency_of all, near;
    levels->flushed =
        depth_flushed(depth, FLUSHED_BESIDE, &levels->least) && depth_flushed(depth, FLUSHED_SCATTERED, &all);
    if (levels->flushed)
        levels->memory = (struct level){.cycles = all.cycles, .deviation = square_root(all.variance) + all.bias};
    /* A row that is open saves a part of the way; what saves more was brought in by a prefetcher. */
    if (levels->flushed && depth_flushed(depth, FLUSHED_NEAR, &near) && near.cycles < levels->least.cycles &&
        near.cycles > all.cycles / 2)
        levels->least = near;
    return bench_ok(depth->bench);
}

bool levels_are_memory(const struct levels *levels, double cycles, double variance)
{
    const struct latency_of *least = &levels->least;
    double noise = 2 * square_root(variance + least->variance);
    return levels->flushed && cycles >= least->cycles - readings_tolerance(least->cycles) - noise;
}

bool levels_flat(const struct levels *levels)
{
    return levels->flushed && levels->memory.cycles <= levels->hit + readings_tolerance(levels->hit);
}

bool levels_measure(struct depth *depth, double hit, struct levels *levels)
{
    *levels = (struct levels){.hit = hit};
    levels->step = (double)depth->bench->clock.step * depth->bench->cycles_per_tick;
    if (!ask_memory(depth, levels))
        return false;
    uint64_t left = MOST_AGAIN;
    bool good = levels_flat(levels) || (sweep(depth, levels) && ask_undercut(depth, levels, &left) &&
                                        look_closer_everywhere(depth, levels) && ask_undercut(depth, levels, &left));
    if (good)
        return find_levels(depth, levels);
    levels_infer(levels);
    return false;
}
