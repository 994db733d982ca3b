// SPDX-License-Identifier: BSD-2-Clause
/* curve.c: footprints, batches, and where the curve is level so far. */
#include "probes/curve.h"
#include "probes/onset.h"

enum {
    FIRST = 1 << 10,        /* bytes */
    NO_STEP = 16 << 20,     /* bytes: no first level is so large; a sweep without a step ends here */
    ALWAYS = 64 << 20,      /* bytes: a sweep that has seen a step goes at least so far */
    BEYOND = 8,             /* times the last step */
    SPARSE_LIMIT = 4 << 20, /* bytes: other page sizes when the first showed no step */
    BATCHES = 11,
    LONG_BATCH = 32768, /* visits */
    LAPS = 32
};

const double curve_least_step = 0.5, curve_level = 0.02, curve_least_ratio = 1.25;

/* How densely a sweep samples: four footprints an octave up to `quarters` bytes, two up to `halves`, then one. */
struct sampling {
    uint64_t quarters, halves;
};

static const struct sampling FULL = {16 << 20, UINT64_MAX}, /* the sweep that plateaus are taken from */
    LIGHT = {1 << 20, 4 << 20},                             /* other page sizes */
    SEARCH = {1 << 20, 0},                                  /* the first, until a step was seen */
    SPARSE = {0, 0};                                        /* other page sizes when the first showed no step */

/* The footprint after this one. */
static uint64_t next_footprint(uint64_t bytes, const struct sampling *sampling)
{
    uint64_t octave = FIRST;
    while (octave <= bytes / 2)
        octave *= 2;
    if (bytes < sampling->quarters)
        return bytes + octave / 4;
    if (bytes < sampling->halves)
        return bytes + octave / 2;
    return bytes + octave;
}

/* Visits of a batch: many laps, so that what the calls between two batches pushed out of a full cache does not count;
 * or a part of a lap, where that would be too long. */
static uint64_t batch_length(const struct walk *walk)
{
    uint64_t length = LAPS * walk->length;
    return length < CURVE_BATCH || walk->length > CURVE_BATCH ? CURVE_BATCH : length > LONG_BATCH ? LONG_BATCH : length;
}

uint64_t curve_adds(const struct bench *bench)
{
    enum { PARTS = 1000 };
    uint64_t adds = CURVE_BATCH;
    while (adds < LONG_BATCH && (double)adds < PARTS * (double)bench->clock.step * bench->cycles_per_tick)
        adds *= 2;
    return adds;
}

/* The timed batches of a linked walk that has been filled: their quartiles in core cycles, or ticks, a visit. */
static bool time_batches(struct bench *bench, const struct walk *walk, struct point *point, double *least)
{
    double load[BATCHES], add[BATCHES];
    uint64_t adds = curve_adds(bench), length = batch_length(walk), part = walk->length / BATCHES, position = 0;
    for (unsigned i = 0; i < BATCHES; i++) {
        if (walk->length <= CURVE_BATCH && !bench_warm(bench, walk, 0, walk->length))
            return false;
        if (!bench_batch(bench, walk, position, length, &load[i]) ||
            (bench->cycles_per_tick > 0 && !bench_block(bench, BLOCK_ADD, adds, &add[i])))
            return false;
        /* Of a long lap the batches are parts from all over it, because a policy that resists being swept keeps what
         * came first and misses all the rest; and what lies between is visited, too, or it would not be pushed out. */
        if (walk->length > CURVE_BATCH)
            position += length;
        if (part > length && !bench_warm(bench, walk, position, part - length))
            return false;
        if (part > length)
            position += part - length;
    }
    /* Ticks of a core cycle: the low end of the adds, like that of the loads, is the undisturbed one. */
    double cycle = bench->cycles_per_tick > 0 ? quantile(add, BATCHES, 0.25) / (double)adds : 1;
    double unit = cycle > 0 ? cycle * (double)length : (double)length;
    point->low = quantile(load, BATCHES, 0.25) / unit;
    *least = load[0] / unit;
    point->middle = quantile(load, BATCHES, 0.5) / unit;
    point->high = quantile(load, BATCHES, 0.75) / unit;
    return true;
}

bool curve_footprint(struct curve *curve, uint64_t bytes, unsigned laps, struct point *point, double *least)
{
    struct bench *bench = curve->bench;
    struct stops stops = stops_sequence(curve->stretch.base, CURVE_LINE, bytes / CURVE_LINE);
    struct walk walk = walk_over(&stops, OP_LOAD, bench_seed(bench));
    point->x = (double)bytes;
    return bench_link(bench, &walk) && bench_warm(bench, &walk, 0, laps * walk.length) &&
           time_batches(bench, &walk, point, least) && bench_rest(bench, false);
}

/* What is known of the plateaus by now. */
static void find_plateaus(struct curve *curve)
{
    double spread[MAX_SERIES_LENGTH];
    for (unsigned i = 0; i < curve->count; i++)
        spread[i] = curve->spread[i];
    /* The clock can show a batch no better than to a step of its own. A level that costs not even half a core cycle
     * more is none (half a tick, when cycles are not known). */
    double batch_ticks = curve->cycles[0] * CURVE_BATCH;
    if (curve->bench->cycles_per_tick > 0)
        batch_ticks /= curve->bench->cycles_per_tick;
    struct step_rules rules = {.least_step = curve_least_step, .least_points = 3, .least_ratio = curve_least_ratio};
    rules.least_noise = (double)curve->bench->clock.step / batch_ticks;
    double middle = quantile(spread, curve->count, 0.5);
    if (rules.least_noise < middle)
        rules.least_noise = middle;
    if (rules.least_noise < curve_level / 4) /* pieces less than 4 of these apart are one */
        rules.least_noise = curve_level / 4;
    curve->plateaus = step_plateaus(curve->cycles, curve->count, &rules, curve->plateau);
}

/* Bytes at which the last step begins, 0 when none was seen. */
uint64_t curve_last_step(const struct curve *curve)
{
    unsigned left = curve->plateaus;
    if (left && curve->plateau[left - 1].last + 1 == curve->count)
        left--;
    return left ? (uint64_t)curve->point[curve->plateau[left - 1].last].x : 0;
}

static uint64_t sweep_end(const struct curve *curve)
{
    uint64_t end = BEYOND * curve_last_step(curve);
    /* A policy that adapts lets the curve climb for a long time: on to where it is level again. */
    if (end && curve->plateau[curve->plateaus - 1].last + 1 < curve->count)
        end *= BEYOND;
    if (!end)
        end = NO_STEP;
    else if (end < ALWAYS)
        end = ALWAYS;
    if (curve->all_memory)
        end = UINT64_MAX;
    return end < curve->limit ? end : curve->limit;
}

/* One more footprint. False: skipped or refused. */
static bool add_footprint(struct curve *curve, uint64_t bytes)
{
    struct point point;
    unsigned i = curve->count;
    if (!curve_footprint(curve, bytes, 1, &point, &curve->least[i]))
        return false;
    curve->point[i] = point;
    curve->cycles[i] = point.low > 0 ? point.low : 1e-3;
    curve->spread[i] = point.low > 0 ? (point.middle - point.low) / point.low : 0;
    curve->count++;
    find_plateaus(curve);
    return true;
}

/* The first step was seen among footprints an octave apart: takes those away, so that they are measured again as
 * densely as all others. Returns the footprint to go on from. */
static uint64_t go_back(struct curve *curve, uint64_t bytes)
{
    bool sparse = bytes > SEARCH.quarters;
    curve->stepped = true;
    while (sparse && curve->count && curve->point[curve->count - 1].x > (double)SEARCH.quarters)
        curve->count--;
    if (sparse)
        find_plateaus(curve);
    return sparse ? SEARCH.quarters : bytes;
}

static const struct sampling *sampling_of(const struct curve *curve, enum density density)
{
    if (density == DENSITY_FULL)
        return curve->stepped ? &FULL : &SEARCH;
    return density == DENSITY_LIGHT ? &LIGHT : &SPARSE;
}

bool curve_measure(struct curve *curve, enum density density)
{
    bool sparse = density == DENSITY_SPARSE;
    uint64_t end = sparse && curve->limit > SPARSE_LIMIT ? SPARSE_LIMIT : sweep_end(curve);
    curve->count = 0;
    curve->plateaus = 0;
    for (uint64_t bytes = FIRST; bytes <= end && curve->count < MAX_SERIES_LENGTH;) {
        curve->bench->permille = curve->permille + (unsigned)(curve->permilles * bytes / end);
        if (!add_footprint(curve, bytes))
            return false;
        if (density == DENSITY_FULL && !curve->stepped && curve_last_step(curve))
            bytes = go_back(curve, bytes);
        if (!sparse)
            end = sweep_end(curve);
        bytes = next_footprint(bytes, sampling_of(curve, density));
    }
    return true;
}

void curve_round_off(struct curve *curve)
{
    curve->plateaus = onset_levels(curve->point, curve->cycles, curve->count, curve_least_ratio, curve->plateau,
                                   curve->plateaus, &curve->sure);
}
