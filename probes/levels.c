// SPDX-License-Identifier: BSD-2-Clause
/* levels.c: a staircase. At each place (so many other bytes) targets are found in one level, and the level changes
 * where the bytes exceed what a level holds. A step of the staircase that at least two places agree on is a level; what
 * lies between two steps is looked at more closely. */
#include "probes/levels.h"
#include "base/arithmetic.h"
#include "base/logarithm.h"
#include "probes/confidence.h"

enum {
    FIRST = 1 << 10, /* bytes */
    CLOSEST = 16,    /* places an octave at most: in a narrow step */
    MOST_PASSES = 16,
    MOST_VISITS = 1 << 19, /* of a place, before another look at it */
    MOST_CLOSER = 4 << 20, /* visits that looking closer may cost */
    LINE = 64,
    LEAST_PLACES = 3, /* that make a level, where single loads are not seen */
    ENOUGH = 64 << 20 /* bytes: where memory's latency is not known, a sweep goes on to here at least ... */
};

/* Of targets that agree, a difference that is chance. */
static const double SHARES = 0.2;

/* ... and to so many times the last step. */
static const uint64_t BEYOND = 8;

/* No designer builds a level that takes but a tenth (and a tolerance) more than the one before it. */
static const double SAME = 0.1;

/* Standard deviations beyond which places are not of one step: one step of a hundred loses a place at an end so. */
static const double UNUSUAL = 2.5;

static double apart(double a, double b)
{
    return a > b ? a - b : b - a;
}

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

/* Whether targets came from memory at a place. */
static bool from_memory(const struct levels *levels, const struct place *place)
{
    const struct latency_of *memory = &levels->least;
    double noise = 2 * square_root(place->latency.variance + memory->variance);
    return levels->flushed && !vague(&place->latency) &&
           place->latency.cycles >= memory->cycles - readings_tolerance(memory->cycles) - noise;
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

/* The latency at a place: more passes until they change nothing any more. */
static bool measure_place(struct depth *depth, const struct levels *levels, uint64_t bytes, struct place *place)
{
    struct latency_of before;
    uint64_t start = machine_steps(depth->bench->machine);
    *place = (struct place){.bytes = bytes};
    if (!depth_after(depth, bytes, 1, &before))
        return false;
    for (unsigned passes = 2; passes <= MOST_PASSES; passes *= 2) {
        if (!depth_after(depth, bytes, passes, &place->latency))
            return false;
        place->memory = from_memory(levels, place);
        bool same = agree(&before, &place->latency) && apart(before.share, place->latency.share) <= SHARES;
        if (!same && before.seen) {
            keep_early(place, before.cycles);
            keep_early(place, before.other);
        }
        if (place->memory || same || machine_steps(depth->bench->machine) - start > MOST_VISITS)
            return true;
        before = place->latency;
    }
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
    for (uint64_t bytes = FIRST; bytes <= depth->most && levels->places < MOST_PLACES / 2;) {
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

/* Whether enough targets were found in one level at a place. */
static bool pure(const struct place *place)
{
    return place->latency.share > 0;
}

/* The probability that a level was overlooked between two places. One level goes over into the next within an octave,
 * even where sets are hashed or replacement is random; in each octave beyond that there may be one. */
static double overlooked(uint64_t last, uint64_t first)
{
    double chance = 0;
    for (; last < first / 2 && chance < 1; last *= 2)
        chance += 0.5;
    return chance;
}

/* Whether too few places on end agree with this one for a level: by chance another mixture of two levels may take as
 * long, but not two others. What single loads took is no mixture. */
static bool lonely(const struct levels *levels, unsigned index)
{
    const struct place *place = &levels->place[index];
    unsigned before = index, after = index;
    if (place->memory || !pure(place))
        return false;
    while (before && pure(&levels->place[before - 1]) && level_here(&levels->place[before - 1], place))
        before--;
    while (after + 1 < levels->places && pure(&levels->place[after + 1]) &&
           level_here(place, &levels->place[after + 1]))
        after++;
    return 1 + after - before < (place->latency.seen ? 2 : LEAST_PLACES);
}

/* Looks closer wherever a place stands alone: a level may be no larger than twice the one before it. */
static bool look_closer(struct depth *depth, struct levels *levels)
{
    uint64_t start = machine_steps(depth->bench->machine);
    for (unsigned parts = 4; parts <= CLOSEST; parts *= 2)
        for (unsigned i = 1; i < levels->places && levels->places < MOST_PLACES; i++) {
            if (machine_steps(depth->bench->machine) - start > MOST_CLOSER)
                return true;
            uint64_t low = levels->place[i - 1].bytes, high = levels->place[i].bytes;
            uint64_t middle = (low + high) / 2 / LINE * LINE;
            if (high - low <= power_of_two_within(low) / parts || middle <= low ||
                (!lonely(levels, i - 1) && !lonely(levels, i)))
                continue;
            if (!insert(depth, levels, i, middle))
                return false;
            i++;
        }
    return true;
}

/* A step of the staircase, as far as it is known. */
struct step {
    unsigned first, last;               /* places */
    double weights, sum, squares, bias; /* the places' latencies, weighted by how well they are known */
    unsigned places;
    bool seen; /* at each of them: latency_of.seen */
};

static double mean_of(const struct step *step)
{
    return step->sum / step->weights;
}

/* How well a place's latency is known: no better than to an eighth of what makes two. */
static double variance_of(const struct place *place)
{
    double known = readings_tolerance(place->latency.cycles) / 8;
    return place->latency.variance + known * known;
}

static void add_place(struct step *step, const struct place *place, unsigned index)
{
    double weight = 1 / variance_of(place);
    if (step->weights <= 0)
        *step = (struct step){.first = index, .seen = true};
    step->seen = step->seen && place->latency.seen;
    step->last = index;
    step->places++;
    step->weights += weight;
    step->sum += weight * place->latency.cycles;
    step->squares += weight * place->latency.cycles * place->latency.cycles;
    step->bias += weight * place->latency.bias;
}

/* Whether a place may well be on a step. */
static bool belongs(const struct step *step, const struct place *place)
{
    double mean = mean_of(step), noise = square_root(place->latency.variance + 1 / step->weights);
    return apart(mean, place->latency.cycles) <= readings_tolerance(mean) / 2 + 3 * noise;
}

/* Whether the places of a step differ by no more than noise: chi-squared is not unusual for one latency. Where two
 * levels mix, the mixture changes from place to place. */
static bool steady(const struct step *step)
{
    double excess = step->squares - step->sum * step->sum / step->weights, degrees = step->places - 1;
    return excess <= degrees + UNUSUAL * square_root(2 * degrees);
}

/* Whether latencies do not rise or fall from the first place to the last one: the line through them, against the
 * logarithm of the bytes, is level but for noise. From one level to the next, under replacement at
 * random, latencies rise so slowly that neighbours do not differ. */
static bool horizontal(const struct levels *levels, const struct step *step)
{
    double x = 0, xx = 0, xy = 0;
    for (unsigned i = step->first; i <= step->last; i++) {
        double weight = 1 / variance_of(&levels->place[i]), at = logarithm2((double)levels->place[i].bytes);
        x += weight * at;
        xx += weight * at * at;
        xy += weight * at * levels->place[i].latency.cycles;
    }
    double spread = xx - x * x / step->weights, slope = xy - x * mean_of(step); /* slope times spread */
    return slope * slope <= UNUSUAL * UNUSUAL * spread;
}

/* Whether a farther place was quicker, so that this one's targets cannot all have been in one level. */
static bool undercut(const struct levels *levels, unsigned index)
{
    const struct latency_of *here = &levels->place[index].latency;
    for (unsigned i = index + 1; i < levels->places; i++) {
        const struct latency_of *there = &levels->place[i].latency;
        if (there->cycles <
            here->cycles - readings_tolerance(here->cycles) - 3 * square_root(here->variance + there->variance))
            return true;
    }
    return false;
}

/* Puts a level among the others, by latency: a policy that is not LRU may keep a part of the targets in a near level
 * long after the next one was seen. Of two that are the same the one that was seen over more places counts. */
static void put_level(struct levels *levels, const struct level *level)
{
    unsigned place = levels->count;
    for (unsigned i = 0; i < levels->count; i++) {
        struct level *same = &levels->level[i];
        if (apart(same->cycles, level->cycles) > readings_tolerance(same->cycles) + SAME * same->cycles)
            continue;
        same->seen = same->seen || level->seen;
        if (same->places < level->places && same->cycles != levels->hit) {
            same->cycles = level->cycles;
            same->deviation = level->deviation;
            same->places = level->places;
        }
        same->last = same->last > level->last ? same->last : level->last;
        return;
    }
    if (levels->count == MOST_LEVELS)
        return;
    for (; place && levels->level[place - 1].cycles > level->cycles; place--)
        levels->level[place] = levels->level[place - 1];
    levels->level[place] = *level;
    levels->count++;
}

static struct step step_of(const struct levels *levels, unsigned first, unsigned last)
{
    struct step step = {.weights = 0};
    for (unsigned i = first; i <= last; i++)
        add_place(&step, &levels->place[i], i);
    return step;
}

/* How far a place lies from a step, in standard deviations, squared. */
static double off(const struct step *step, const struct place *place)
{
    double away = place->latency.cycles - mean_of(step);
    return away * away / variance_of(place);
}

/* Without the places at its ends that are still, or already, mixtures. */
static struct step trimmed(const struct levels *levels, struct step step)
{
    while (!step.seen && step.places > 2 && (!steady(&step) || !horizontal(levels, &step))) {
        bool first = off(&step, &levels->place[step.first]) > off(&step, &levels->place[step.last]);
        step = step_of(levels, step.first + first, step.last - !first);
    }
    return step;
}

/* Takes a step for a level if it is one for certain: enough places on end agree, and single loads were seen or the
 * places lie a quarter from each other at least. What was seen, but not well enough, is remembered. */
static void add_step(struct levels *levels, const struct step *whole)
{
    struct step of_one_level = trimmed(levels, *whole), *step = &of_one_level;
    const struct place *first = &levels->place[step->first], *end = &levels->place[step->last];
    struct level level = {
        .cycles = mean_of(step), .first = first->bytes, .last = end->bytes, .seen = step->seen, .places = step->places};
    level.deviation = square_root(1 / step->weights) + step->bias / step->weights;
    bool wide = level.last * 4 >= level.first * 5, known = 3 * level.deviation <= readings_tolerance(level.cycles);
    /* What a hit takes is known better than from here. (A level a quarter slower is another one, however wide the
     * noise.)
     */
    double away = apart(level.cycles, levels->hit);
    bool hit = away <= readings_tolerance(levels->hit) + 3 * level.deviation && 4 * away <= levels->hit;
    if (hit) {
        level.cycles = levels->hit;
        level.deviation = 0;
        known = true;
    }
    if (known && (hit || step->seen ? step->places > 1 : step->places >= LEAST_PLACES && wide) &&
        (step->seen || (steady(step) && horizontal(levels, step))))
        put_level(levels, &level);
    else if (step->places > 1 && levels->narrows < MOST_LEVELS)
        levels->narrow[levels->narrows++] = level.cycles;
}

/* Whether a level is what the next one is, but for a few lines that the level before both had kept: replacement at
 * random lets go of them slowly. No designer builds a level for a quarter of what the step to it saves. */
static bool remainder_of(const struct level *level, const struct level *before, const struct level *next)
{
    return !level->seen && next->cycles - level->cycles < (next->cycles - before->cycles) / 4;
}

static void drop_remainders(struct levels *levels)
{
    for (unsigned i = 1; i + 1 < levels->count; i++) {
        struct level *level = &levels->level[i];
        if (!remainder_of(level, level - 1, level + 1))
            continue;
        level[1].first = level->first;
        for (unsigned j = i; j + 1 < levels->count; j++)
            levels->level[j] = levels->level[j + 1];
        levels->count--;
        i--;
    }
}

/* The probability that a level was overlooked between two latencies: what was seen there, but not well enough, may have
 * been one, and one may lie in each octave that nothing is known of. */
static double overlooked_between(const struct levels *levels, double nearer, double farther, uint64_t last,
                                 uint64_t first)
{
    double chance = overlooked(last, first);
    for (unsigned i = 0; i < levels->narrows; i++)
        if (levels->narrow[i] > nearer + readings_tolerance(nearer) &&
            levels->narrow[i] < farther - readings_tolerance(farther))
            return chance + 0.5;
    return chance;
}

/* Whether a latency is that of a level that was found, of a hit, or of memory. */
static bool explained(const struct levels *levels, double cycles)
{
    bool is = cycles <= levels->hit + readings_tolerance(levels->hit) ||
              (levels->flushed && cycles >= levels->least.cycles - readings_tolerance(cycles));
    for (unsigned i = 0; i < levels->count; i++)
        is = is || apart(levels->level[i].cycles, cycles) <= 2 * readings_tolerance(cycles);
    return is;
}

/* What single loads agreed on at a place, one way or another; 0: nothing. */
enum { HEARD = 2 + MOST_EARLY };
static double heard(const struct place *place, unsigned way)
{
    const struct latency_of *latency = &place->latency;
    if (way >= 2)
        return place->early[way - 2];
    return way == 1 ? latency->other : latency->seen && pure(place) ? latency->cycles : 0;
}

/* The nearest to a latency of what was heard at a place. */
static double nearest_heard(const struct place *place, double cycles)
{
    double nearest = heard(place, 0);
    for (unsigned way = 1; way < HEARD; way++)
        if (apart(heard(place, way), cycles) < apart(nearest, cycles))
            nearest = heard(place, way);
    return nearest;
}

/* Single loads that agreed with each other, but with no level: at two places or more they are one, of which no number
 * of bytes leaves most targets, or not for long; at one they are a reason to doubt. */
static void add_other(struct levels *levels, unsigned index, double cycles)
{
    struct level level = {.first = levels->place[index].bytes, .last = levels->place[index].bytes, .seen = true};
    double sum = 0, off = levels->step / 4; /* a part of all readings may not be their middle one */
    for (unsigned i = index; i < levels->places; i++) {
        double there = nearest_heard(&levels->place[i], cycles);
        if (apart(there, cycles) > readings_tolerance(cycles) + off)
            continue;
        sum += there;
        level.last = levels->place[i].bytes;
        level.places++;
    }
    level.cycles = sum / level.places;
    level.deviation = readings_tolerance(cycles) / 8 + off / 2;
    if (level.places > 1)
        put_level(levels, &level);
    else if (levels->narrows < MOST_LEVELS)
        levels->narrow[levels->narrows++] = cycles;
}

static void add_others(struct levels *levels)
{
    for (unsigned i = 0; i < levels->places; i++)
        for (unsigned way = 0; way < HEARD; way++) {
            double cycles = heard(&levels->place[i], way);
            if (cycles > 0 && !explained(levels, cycles))
                add_other(levels, i, cycles);
        }
}

/* Each level's doubt, with that of the levels before it. Returns that of how many there are, as far as the last one. */
static double number_levels(struct levels *levels)
{
    double nearer = levels->hit, doubt = 0;
    uint64_t last = FIRST;
    for (unsigned i = 0; i < levels->count; i++) {
        struct level *level = &levels->level[i];
        /* The first level has no step of its own where it is too small for one. */
        if (i || level->cycles > levels->hit + readings_tolerance(levels->hit))
            doubt += overlooked_between(levels, nearer, level->cycles, last, level->first);
        level->numbering = doubt;
        /* One that is not known too well may be none: that is its own doubt, and the number's of those behind it. */
        if (!level->seen)
            doubt += confidence_within(level->deviation, readings_tolerance(level->cycles));
        nearer = level->cycles;
        last = level->last;
    }
    return doubt;
}

/* A last step that is hardly quicker than flushed lines is memory's. */
static void drop_memory(struct levels *levels)
{
    const struct level *last = levels->count ? &levels->level[levels->count - 1] : NULL;
    if (levels->flushed && last && last->cycles > levels->memory.cycles - 2 * readings_tolerance(levels->memory.cycles))
        levels->count--;
}

/* Bytes behind the last level from which on targets come from memory; the most there are where they do not. */
static uint64_t memory_begins(const struct levels *levels)
{
    uint64_t last = levels->count ? levels->level[levels->count - 1].last : 0;
    for (unsigned i = 0; i < levels->places; i++)
        if (levels->place[i].bytes > last && levels->place[i].memory)
            return levels->place[i].bytes;
    return levels->places ? levels->place[levels->places - 1].bytes : UINT64_MAX;
}

void levels_infer(struct levels *levels)
{
    struct step step = {.weights = 0};
    levels->count = 0;
    levels->narrows = 0;
    for (unsigned i = 0; i < levels->places; i++) {
        const struct place *place = &levels->place[i];
        bool good = !place->memory && pure(place) && (place->latency.seen || !undercut(levels, i));
        if (step.weights > 0 && (!good || !belongs(&step, place))) {
            add_step(levels, &step);
            step = (struct step){.weights = 0};
        }
        if (good)
            add_place(&step, place, i);
    }
    if (step.weights > 0)
        add_step(levels, &step);
    add_others(levels);
    drop_remainders(levels);
    drop_memory(levels);
    levels->counting = number_levels(levels);
    if (levels->count > 1 && !levels->flushed)
        levels->memory = levels->level[--levels->count];
    else if (levels->count)
        levels->memory.numbering = levels->level[levels->count - 1].numbering;
    const struct level *last = levels->count ? &levels->level[levels->count - 1] : NULL;
    if (levels->flushed)
        levels->counting += overlooked_between(levels, last ? last->cycles : levels->hit, levels->memory.cycles,
                                               last ? last->last : (uint64_t)FIRST, memory_begins(levels));
}

/* Memory's latency, and the least that it takes, by which places that targets come to from memory are known. */
static bool ask_memory(struct depth *depth, struct levels *levels)
{
    struct latency_of all;
    levels->flushed = depth_flushed(depth, false, &levels->least) && depth_flushed(depth, true, &all);
    if (levels->flushed)
        levels->memory = (struct level){.cycles = all.cycles, .deviation = square_root(all.variance) + all.bias};
    return bench_ok(depth->bench);
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
    bool good = levels_flat(levels) || (sweep(depth, levels) && look_closer(depth, levels));
    levels_infer(levels);
    return good;
}
