// SPDX-License-Identifier: BSD-2-Clause
/* levels.c: a staircase. At each place (so many other bytes) targets are found in one level, and the level changes
 * where the bytes exceed what a level holds. A step of the staircase that at least two places agree on is a level; what
 * lies between two steps is looked at more closely. */
#include "probes/levels.h"
#include "base/arithmetic.h"

enum {
    FIRST = 1 << 10, /* bytes */
    CLOSEST = 16,    /* places an octave at most: in a narrow step */
    MOST_PASSES = 16,
    MOST_VISITS = 1 << 19, /* of a place, before another look at it */
    MOST_CLOSER = 4 << 20, /* visits that looking closer may cost */
    LINE = 64,
    ENOUGH = 64 << 20 /* bytes: where memory's latency is not known, a sweep goes on to here at least ... */
};

/* ... and to so many times the last step. */
static const uint64_t BEYOND = 8;

double levels_tolerance(double cycles)
{
    double share = cycles * 0.02;
    return share > 0.5 ? share : 0.5;
}

static double apart(double a, double b)
{
    return a > b ? a - b : b - a;
}

/* Whether two readings of one latency may well be the same. */
static bool agree(const struct latency_of *a, const struct latency_of *b)
{
    return apart(a->cycles, b->cycles) <= levels_tolerance(a->cycles) / 4 + 2 * square_root(a->variance + b->variance);
}

/* Whether targets came from memory at a place. */
static bool from_memory(const struct levels *levels, const struct place *place)
{
    const struct latency_of *memory = &levels->least;
    double noise = 2 * square_root(place->latency.variance + memory->variance);
    return levels->flushed && place->latency.cycles >= memory->cycles - levels_tolerance(memory->cycles) - noise;
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
        if (place->memory || agree(&before, &place->latency) ||
            machine_steps(depth->bench->machine) - start > MOST_VISITS)
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

/* Whether all targets were found in one level at a place. Where some were lost and others not, groups of them differ by
 * more than the clock makes them: than at most places. */
static bool pure(const struct levels *levels, const struct place *place)
{
    double spread[MOST_PLACES], limit = levels_tolerance(place->latency.cycles);
    for (unsigned i = 0; i < levels->places; i++)
        spread[i] = levels->place[i].latency.spread;
    return place->latency.spread <= 4 * quantile(spread, levels->places, 0.25) + limit * limit;
}

/* Whether purity is proof: a share of targets so large that it would spoil the mean would have been seen. */
static bool proven(const struct levels *levels, const struct level *level, double nearer)
{
    double spread[MOST_PLACES], limit = levels_tolerance(level->cycles), step = level->cycles - nearer;
    for (unsigned i = 0; i < levels->places; i++)
        spread[i] = levels->place[i].latency.spread;
    return 4 * quantile(spread, levels->places, 0.25) + limit * limit <= step * step / 200;
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

/* Whether a place is a level that no other place agrees with. */
static bool lonely(const struct levels *levels, unsigned index)
{
    const struct place *place = &levels->place[index];
    bool before = index && pure(levels, place - 1) && level_here(place - 1, place);
    bool after = index + 1 < levels->places && pure(levels, place + 1) && level_here(place, place + 1);
    return !before && !after && !place->memory && pure(levels, place);
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
    unsigned first, last; /* places */
    double weights, sum, bias;
};

static double mean_of(const struct step *step)
{
    return step->sum / step->weights;
}

static void add_place(struct step *step, const struct place *place, unsigned index)
{
    double weight = 1 / (place->latency.variance + 1e-6);
    if (step->weights <= 0)
        step->first = index;
    step->last = index;
    step->weights += weight;
    step->sum += weight * place->latency.cycles;
    step->bias += weight * place->latency.bias;
}

/* Whether a place may well be on a step. */
static bool belongs(const struct step *step, const struct place *place)
{
    double mean = mean_of(step), noise = square_root(place->latency.variance + 1 / step->weights);
    return apart(mean, place->latency.cycles) <= levels_tolerance(mean) / 2 + 3 * noise;
}

/* Whether a farther place was quicker, so that this one's targets cannot all have been in one level. */
static bool undercut(const struct levels *levels, unsigned index)
{
    const struct latency_of *here = &levels->place[index].latency;
    for (unsigned i = index + 1; i < levels->places; i++) {
        const struct latency_of *there = &levels->place[i].latency;
        if (there->cycles <
            here->cycles - levels_tolerance(here->cycles) - 3 * square_root(here->variance + there->variance))
            return true;
    }
    return false;
}

/* Whether a level is what the next one is, but for a few lines that the level before both had kept: replacement at
 * random lets go of them slowly. No designer builds a level for a quarter of what the step to it saves. */
static bool remainder_of(const struct levels *levels, const struct level *level, double next)
{
    double before = level == levels->level ? levels->hit : (level - 1)->cycles;
    return next > level->cycles && next - level->cycles < (next - before) / 4;
}

/* Adds a step as a level, or to the last level where they are the same. A level between two others that lie further
 * than an octave apart may have been overlooked: the more octaves, the likelier. */
static void add_level(struct levels *levels, const struct step *step)
{
    const struct place *first = &levels->place[step->first], *end = &levels->place[step->last];
    struct level level = {.cycles = mean_of(step), .first = first->bytes, .last = end->bytes};
    struct level *last = levels->count ? &levels->level[levels->count - 1] : NULL;
    level.deviation = square_root(1 / step->weights) + step->bias / step->weights;
    bool wide = level.last * 6 >= level.first * 7, known = 3 * level.deviation <= levels_tolerance(level.cycles);
    if (step->first == step->last || !known || !(wide || proven(levels, &level, last ? last->cycles : 0))) {
        if (step->first != step->last)
            levels->narrow = level.cycles;
        return;
    }
    if (last && apart(last->cycles, level.cycles) <= levels_tolerance(last->cycles)) {
        last->last = level.last;
        return;
    }
    if (last && levels->count > 1 && remainder_of(levels, last, level.cycles)) {
        level.first = last->first;
        level.numbering = last->numbering;
        *last = level;
        return;
    }
    if (last && level.cycles < last->cycles)
        level.numbering += 1; /* farther and yet quicker: something is not as it should be */
    /* What was seen in between, but not well enough, may have been a level. */
    if (levels->narrow > (last ? last->cycles : levels->hit) + levels_tolerance(levels->narrow) &&
        levels->narrow < level.cycles - levels_tolerance(level.cycles))
        level.numbering += 0.5;
    levels->narrow = 0;
    if (last)
        level.numbering += last->numbering + overlooked(last->last, level.first);
    else if (level.cycles > levels->hit + levels_tolerance(levels->hit))
        level.numbering += overlooked(FIRST, level.first); /* the first level has no step of its own */
    if (levels->count < MOST_LEVELS)
        levels->level[levels->count++] = level;
}

/* A last step that is hardly quicker than flushed lines is memory's. */
static void drop_memory(struct levels *levels)
{
    const struct level *last = levels->count ? &levels->level[levels->count - 1] : NULL;
    if (levels->flushed && last && last->cycles > levels->memory.cycles - 2 * levels_tolerance(levels->memory.cycles))
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
    levels->narrow = 0;
    for (unsigned i = 0; i < levels->places; i++) {
        const struct place *place = &levels->place[i];
        bool good = !place->memory && pure(levels, place) && !undercut(levels, i);
        if (step.weights > 0 && (!good || !belongs(&step, place))) {
            add_level(levels, &step);
            step = (struct step){.weights = 0};
        }
        if (good)
            add_place(&step, place, i);
    }
    if (step.weights > 0)
        add_level(levels, &step);
    drop_memory(levels);
    if (levels->count > 1 && !levels->flushed)
        levels->memory = levels->level[--levels->count];
    else if (levels->count)
        levels->memory.numbering = levels->level[levels->count - 1].numbering;
    levels->counting = levels->memory.numbering;
    if (levels->flushed)
        levels->counting +=
            overlooked(levels->count ? levels->level[levels->count - 1].last : (uint64_t)FIRST, memory_begins(levels));
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
    return levels->flushed && levels->memory.cycles <= levels->hit + levels_tolerance(levels->hit);
}

bool levels_measure(struct depth *depth, double hit, struct levels *levels)
{
    *levels = (struct levels){.hit = hit};
    if (!ask_memory(depth, levels))
        return false;
    bool good = levels_flat(levels) || (sweep(depth, levels) && look_closer(depth, levels));
    levels_infer(levels);
    return good;
}
