// SPDX-License-Identifier: BSD-2-Clause
/* curve.c: footprints and batches. */
#include "probes/curve.h"
#include "base/arithmetic.h"

enum {
    LINE = 64,          /* bytes between the stops */
    FIRST = 1 << 10,    /* bytes */
    QUARTERS = 1 << 18, /* bytes: four footprints an octave up to here */
    HALVES = 1 << 20,   /* and two up to here */
    BATCHES = 7,
    SHORT_BATCH = 2048, /* visits */
    LAPS = 8,
    ADDS = 8192
};

static uint64_t next_footprint(uint64_t bytes)
{
    uint64_t octave = power_of_two_within(bytes);
    return bytes + octave / (bytes < QUARTERS ? 4 : bytes < HALVES ? 2 : 1);
}

/* Visits of a batch: several laps, so that what the calls between two batches pushed out of a full cache does not
 * count; or a part of a lap, where that would be too long. */
static uint64_t batch_length(const struct walk *walk, uint64_t least)
{
    uint64_t length = LAPS * walk->length, most = CURVE_LONGER * least;
    return length < least || walk->length > most ? least : length > most ? most : length;
}

bool curve_batches(struct bench *bench, const struct walk *walk, uint64_t least, struct point *point)
{
    double load[BATCHES], add[BATCHES];
    uint64_t length = batch_length(walk, least), part = walk->length / BATCHES, position = 0;
    bool parts = walk->length > CURVE_LONGER * least, cycles = bench->cycles_per_tick > 0;
    for (unsigned i = 0; i < BATCHES; i++) {
        /* The adds tell the core clock of that very moment. */
        if (!bench_batch(bench, walk, position, length, &load[i]) ||
            (cycles && !bench_block(bench, BLOCK_ADD, ADDS, &add[i])))
            return false;
        /* Of a long lap the batches are parts from all over it, because a policy that resists being swept keeps what
         * came first and misses all the rest; and what lies between is visited, too, or it would not be pushed out. */
        position += parts ? length : 0;
        if (parts && part > length && !bench_warm(bench, walk, position, part - length))
            return false;
        position += parts && part > length ? part - length : 0;
    }
    double cycle = cycles ? quantile(add, BATCHES, 0.25) / ADDS : 1, unit = (cycle > 0 ? cycle : 1) * (double)length;
    point->low = quantile(load, BATCHES, 0.25) / unit;
    point->middle = quantile(load, BATCHES, 0.5) / unit;
    point->high = quantile(load, BATCHES, 0.75) / unit;
    return true;
}

bool curve_measure(struct curve *curve)
{
    struct bench *bench = curve->bench;
    curve->count = 0;
    for (uint64_t bytes = FIRST; bytes <= curve->limit && curve->count < CURVE_POINTS; bytes = next_footprint(bytes)) {
        struct stops stops = stops_sequence(curve->stretch.base, LINE, bytes / LINE);
        struct walk walk = walk_over(&stops, OP_LOAD, bench_seed(bench));
        struct point *point = &curve->point[curve->count];
        bench->permille = curve->permille + (unsigned)(curve->permilles * bytes / curve->limit);
        point->x = (double)bytes;
        if (!bench_link(bench, &walk) || !bench_warm(bench, &walk, 0, walk.length) ||
            !curve_batches(bench, &walk, SHORT_BATCH, point) || !bench_rest(bench, false))
            return false;
        curve->count++;
    }
    return true;
}
