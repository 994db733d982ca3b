// SPDX-License-Identifier: BSD-2-Clause
/* steps.c: from places to levels. A step of the staircase that enough places agree on is a level; so is what single
 * loads were heard to take at two places, wherever most of them were. What may be a level, and may not, is doubt in the
 * count and in what lies behind. */
#include "base/arithmetic.h"
#include "base/logarithm.h"
#include "probes/cluster.h"
#include "probes/confidence.h"
#include "probes/levels.h"

enum { MANY_PLACES = 5 }; /* of more places than that one may be off */

/* Standard deviation of what lies anywhere on a line, as part of it: where a step rises, the level is somewhere there.
 */
static const double ALONG = 0.29;

/* No designer builds a level that takes but a tenth (and a tolerance) more than the one before it. */
static const double SAME = 0.1;

static const double LEAST_MISS = 1; /* core cycles that a load takes more, at least, where it misses the first level */

/* Standard deviations beyond which places are not of one step. By chance three true steps of a hundred lose a place. */
static const double UNUSUAL = 2.5;

/* The probability that a level was overlooked between two places. One level goes over into the next within an octave,
 * even where sets are hashed or replacement is random; in each octave beyond that there may be one. */
static double overlooked(uint64_t last, uint64_t first)
{
    double chance = 0;
    for (; last < first / 2 && chance < 1; last *= 2)
        chance += 0.5;
    return chance;
}

/* A step of the staircase, as far as it is known. */
struct step {
    unsigned first, last, without;      /* places; one of them that is left out */
    double weights, sum, squares, bias; /* the places' latencies, weighted by how well they are known ... */
    double largest;                     /* ... and the largest weight */
    unsigned places, telling;           /* telling: known so well that they agree for a reason */
    bool seen;                          /* at each of them: latency_of.seen */
};

static double mean_of(const struct step *step)
{
    return step->sum / step->weights;
}

static double octaves_of(const struct place *place)
{
    return logarithm2((double)place->bytes);
}

double place_variance(const struct place *place)
{
    double known = readings_tolerance(place->latency.cycles) / 8;
    return place->latency.variance + known * known;
}

/* Whether a place is known to a third of what makes two latencies, so that it does not agree with any: such places
 * decide together, however much better one of them is known. */
static bool tells(const struct place *place)
{
    return 3 * square_root(place->latency.variance) <= readings_tolerance(place->latency.cycles);
}

static void add_place(struct step *step, const struct place *place, unsigned index)
{
    double weight = 1 / place_variance(place);
    if (step->weights <= 0)
        *step = (struct step){.first = index, .without = MOST_PLACES, .seen = true};
    step->seen = step->seen && place->latency.seen;
    step->last = index;
    step->places++;
    step->telling += tells(place);
    step->largest = weight > step->largest ? weight : step->largest;
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

/* How far the places of a step lie from their mean, in their variances: chi-squared. */
static double excess(const struct step *step)
{
    return step->squares - step->sum * step->sum / step->weights;
}

/* Whether the places of a step differ by no more than noise. Where two levels mix, the mixture changes from place to
 * place. */
static bool steady(const struct step *step)
{
    double degrees = step->places - 1;
    return excess(step) <= degrees + UNUSUAL * square_root(2 * degrees);
}

/* Whether no place decides alone: those that are hardly known agree with any. */
static bool several(const struct step *step)
{
    return step->telling >= LEAST_PLACES || step->weights >= 2 * step->largest;
}

/* Octaves from the first place to the last one. */
static double octaves_across(const struct levels *levels, const struct step *step)
{
    return octaves_of(&levels->place[step->last]) - octaves_of(&levels->place[step->first]);
}

/* By how much latencies surely rise from the first place to the last one, in core cycles; less than 0: fall, 0: not for
 * certain. By the line through them, against the logarithm of the bytes. */
static double rise_of(const struct levels *levels, const struct step *step)
{
    double x = 0, xx = 0, xy = 0;
    for (unsigned i = step->first; i <= step->last; i++) {
        if (i == step->without)
            continue;
        double weight = 1 / place_variance(&levels->place[i]), at = octaves_of(&levels->place[i]);
        x += weight * at;
        xx += weight * at * at;
        xy += weight * at * levels->place[i].latency.cycles;
    }
    double spread = xx - x * x / step->weights, rise = xy - x * mean_of(step); /* slope times spread */
    return rise * rise > UNUSUAL * UNUSUAL * spread ? rise / spread * octaves_across(levels, step) : 0;
}

/* Whether latencies do not rise by what makes half of another latency, from the first place to the last one or, if that
 * is farther, in an octave. From one level to the next, under replacement at random, latencies rise so slowly that
 * neighbours do not differ; but over several octaves they rise a little in a level, too, as others take lines of it in
 * the meantime. No mixture falls, for the more was read the more is gone: what falls is noise, and doubt. */
static bool horizontal(const struct levels *levels, const struct step *step)
{
    double octaves = octaves_across(levels, step);
    return rise_of(levels, step) <= readings_tolerance(mean_of(step)) / 2 * (octaves > 1 ? octaves : 1);
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
 * long after the next one was seen. Of two that are the same the one that was seen over more places counts, but what a
 * hit takes is known. */
static void put_level(struct levels *levels, const struct level *level)
{
    unsigned place = levels->count;
    for (unsigned i = 0; i < levels->count; i++) {
        struct level *same = &levels->level[i];
        if (apart(same->cycles, level->cycles) > readings_tolerance(same->cycles) + SAME * same->cycles)
            continue;
        same->seen = same->seen || level->seen;
        if (level->cycles == levels->hit || (same->places < level->places && same->cycles != levels->hit)) {
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

static struct step step_of(const struct levels *levels, unsigned first, unsigned last, unsigned without)
{
    struct step step = {.weights = 0};
    for (unsigned i = first; i <= last; i++)
        if (i != without)
            add_place(&step, &levels->place[i], i);
    step.without = without;
    return step;
}

/* Without the one place that is farthest off, where many are left: slices that fall apart there, or an interruption. */
static struct step without_outlier(const struct levels *levels, const struct step *step)
{
    struct step best = *step;
    for (unsigned i = step->first; i <= step->last && step->places > MANY_PLACES; i++) {
        struct step other = step_of(levels, step->first, step->last, i);
        if (excess(&other) < excess(&best))
            best = other;
    }
    return best;
}

/* Whether a step goes on over many places and two octaves: no mixture of two levels does without rising. By chance its
 * places may differ by more than noise. */
static bool goes_on(const struct levels *levels, const struct step *step)
{
    return step->places > MANY_PLACES && levels->place[step->last].bytes >= 4 * levels->place[step->first].bytes;
}

/* Without the places at its ends that are still, or already, mixtures: those without which the others agree best; but
 * not without most of a step that goes on. */
static struct step trimmed(const struct levels *levels, const struct step *whole)
{
    struct step step = *whole, most = without_outlier(levels, whole);
    if (whole->seen || steady(whole))
        return *whole;
    if (steady(&most))
        return most;
    while (!step.seen && step.places > 2 && !steady(&step)) {
        struct step end = step_of(levels, step.first + 1, step.last, MOST_PLACES);
        step = step_of(levels, step.first, step.last - 1, MOST_PLACES);
        if (excess(&end) < excess(&step))
            step = end;
    }
    return goes_on(levels, whole) && 2 * step.places < whole->places ? *whole : step;
}

/* What level a step is, if it is one. Where places differ by more than noise, their mean is known so much less well
 * (Birge, Physical Review 40, 1932). */
static struct level level_of(const struct levels *levels, const struct step *step)
{
    double scatter = steady(step) ? 1 : excess(step) / (step->places - 1);
    return (struct level){.cycles = mean_of(step),
                          .deviation = square_root(scatter / step->weights) + step->bias / step->weights,
                          .first = levels->place[step->first].bytes,
                          .last = levels->place[step->last].bytes,
                          .places = step->places,
                          .seen = step->seen};
}

/* Whether it is the first level's: within a quarter of what a hit takes, for a level a quarter slower is another one,
 * however wide the noise; or less than a core cycle off, which is the least that a miss may cost: what lies in between
 * are hits, and a few targets elsewhere. Single loads tell more closely. */
static bool is_hit(const struct levels *levels, const struct level *level)
{
    double away = apart(level->cycles, levels->hit);
    return (4 * away <= levels->hit || away < LEAST_MISS) &&
           (!level->seen || away <= readings_tolerance(levels->hit) + 3 * level->deviation);
}

/* Whether enough is known of a step for a level: places on end agree, and know it well enough. Without single loads
 * that takes more of them, which lie a quarter from each other at least, and none of which decides alone. */
static bool enough(const struct levels *levels, const struct step *step, const struct level *level, bool hit)
{
    bool wide = level->last * 4 >= level->first * 5, known = 3 * level->deviation <= readings_tolerance(level->cycles);
    bool agree = steady(step) || goes_on(levels, step);
    if (step->places < 2)
        return false;
    if (hit)
        return step->seen || agree;
    return known && (step->seen || (step->places >= LEAST_PLACES && wide && several(step) && agree));
}

/* Whether it is none, for all that is known of it, because it rises. A hit's is the first level's even so. */
static bool only_rises(const struct levels *levels, const struct step *step, bool hit)
{
    return !hit && !step->seen && !horizontal(levels, step);
}

/* What was seen, but not well enough, is remembered. At one place alone only what is well known, of all targets: a
 * level may be larger than the one before it by a few lines only. */
static void remember(struct levels *levels, const struct step *step, double cycles)
{
    const struct place *only = &levels->place[step->first];
    if ((step->places > 1 || (tells(only) && only->latency.share >= WHOLE)) && levels->narrows < MOST_NARROW)
        levels->narrow[levels->narrows++] = cycles;
}

/* Takes a step for a level if it is one. */
static void add_step(struct levels *levels, const struct step *whole)
{
    struct step step = trimmed(levels, whole);
    struct level level = level_of(levels, &step);
    bool hit = is_hit(levels, &level), known = enough(levels, &step, &level, hit);
    bool rises = known && only_rises(levels, &step, hit);
    for (unsigned i = step.first; i <= step.last; i++)
        levels->place[i].open = rises || (!known && !hit && step.places > 1 && step.places < LEAST_PLACES);
    if (hit) { /* what a hit takes is known better than from here */
        level.cycles = levels->hit;
        level.deviation = 0;
    } else if (!step.seen) {
        level.deviation += ALONG * apart(rise_of(levels, &step), 0);
    }
    if (known && !rises)
        put_level(levels, &level);
    else
        remember(levels, &step, level.cycles);
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

/* Whether a latency at a place is that of a level that was found, of a hit, or of memory. */
static bool explained(const struct levels *levels, const struct place *place, double cycles)
{
    bool is = cycles <= levels->hit + readings_tolerance(levels->hit) ||
              levels_are_memory(levels, cycles, place->latency.variance);
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
    if (way == 1)
        return latency->other;
    return latency->seen && place_is_pure(place) && !place->memory ? latency->cycles : 0;
}

/* Whether a latency was heard at a place, and what exactly was. */
static bool hears(const struct levels *levels, const struct place *place, double cycles, double *exactly)
{
    /* A part of all readings may not be their middle one. */
    double room = readings_tolerance(cycles) + levels->step / 4;
    *exactly = 0;
    for (unsigned way = 0; way < HEARD; way++)
        if (heard(place, way) > 0 && apart(heard(place, way), cycles) < apart(*exactly, cycles))
            *exactly = heard(place, way);
    return *exactly > 0 && apart(*exactly, cycles) <= room;
}

/* Single loads that agreed with each other, but with no level: at two places or more they are one, of which no number
 * of bytes leaves most targets, or not for long; at one they are a reason to doubt. */
static void add_other(struct levels *levels, unsigned index, double cycles)
{
    struct level level = {.first = levels->place[index].bytes, .last = levels->place[index].bytes, .seen = true};
    double sum = 0, there;
    for (unsigned i = index; i < levels->places; i++)
        if (hears(levels, &levels->place[i], cycles, &there)) {
            sum += there;
            level.last = levels->place[i].bytes;
            level.places++;
        }
    level.cycles = sum / level.places;
    level.deviation = readings_tolerance(cycles) / 8 + levels->step / 8;
    if (level.places > 1)
        put_level(levels, &level);
    else if (levels->narrows < MOST_NARROW)
        levels->narrow[levels->narrows++] = cycles;
}

static void add_others(struct levels *levels)
{
    for (unsigned i = 0; i < levels->places; i++)
        for (unsigned way = 0; way < HEARD; way++) {
            double cycles = heard(&levels->place[i], way);
            if (cycles > 0 && !explained(levels, &levels->place[i], cycles))
                add_other(levels, i, cycles);
        }
}

/* Wherever a level was heard of, it is not overlooked. */
static void widen(struct levels *levels)
{
    for (unsigned i = 0; i < levels->count; i++) {
        struct level *level = &levels->level[i];
        for (unsigned j = 0; j < levels->places; j++) {
            const struct place *place = &levels->place[j];
            double there;
            if (!hears(levels, place, level->cycles, &there))
                continue;
            level->first = level->first < place->bytes ? level->first : place->bytes;
            level->last = level->last > place->bytes ? level->last : place->bytes;
        }
    }
}

/* Each level's doubt, with that of the levels before it. Returns that of how many there are, as far as the last one. */
static double number_levels(struct levels *levels)
{
    double nearer = levels->hit, doubt = 0;
    uint64_t last = SMALLEST_PLACE;
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

/* Takes in the steps of places that farther ones undercut, or of the others. */
static void add_steps(struct levels *levels, bool undercuts)
{
    struct step step = {.weights = 0};
    for (unsigned i = 0; i <= levels->places; i++) {
        const struct place *place = i < levels->places ? &levels->place[i] : NULL;
        bool in = place && !place->memory && place_is_pure(place) &&
                  (!place->latency.seen && undercut(levels, i)) == undercuts;
        if (step.weights > 0 && (!in || !belongs(&step, place))) {
            if (undercuts)
                remember(levels, &step, mean_of(&step));
            else
                add_step(levels, &step);
            step = (struct step){.weights = 0};
        }
        if (in)
            add_place(&step, place, i);
    }
}

void levels_find_steps(struct levels *levels)
{
    levels->count = 0;
    levels->narrows = 0;
    for (unsigned i = 0; i < levels->places; i++)
        levels->place[i].open = false;
    add_steps(levels, false);
}

void levels_infer(struct levels *levels)
{
    levels_find_steps(levels);
    add_steps(levels, true);
    add_others(levels);
    drop_remainders(levels);
    widen(levels);
    drop_memory(levels);
    levels->counting = number_levels(levels);
    if (levels->count > 1 && !levels->flushed)
        levels->memory = levels->level[--levels->count];
    else if (levels->count)
        levels->memory.numbering = levels->level[levels->count - 1].numbering;
    const struct level *last = levels->count ? &levels->level[levels->count - 1] : NULL;
    if (levels->flushed)
        levels->counting += overlooked_between(levels, last ? last->cycles : levels->hit, levels->memory.cycles,
                                               last ? last->last : (uint64_t)SMALLEST_PLACE, memory_begins(levels));
}
