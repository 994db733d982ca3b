// SPDX-License-Identifier: BSD-2-Clause
/* penalty.c: walks through one set and through many, and their curves. */
#include "probes/penalty.h"

enum {
    PAGE = 4096, /* what prefetchers do not leave */
    TIMES = 4,   /* lines of a set: up to so many times its ways */
    TWICE = 2,
    POINTS = 16, /* of a curve, about */
    ORDERS = 5,
    WARM_LAPS = 2,
    LEAST_STEPS = 512, /* and whole laps */
    ADDS = 4096,
    WORD = 8
};

/* The curves of single sets. */
static const struct curve {
    const char *id;
    enum op op;
    unsigned set; /* after the first one */
} curves[] = {
    {"penalty.l1d.even", OP_LOAD, 0},
    {"penalty.l1d.odd", OP_LOAD, 1},
    {"penalty.l1d.dirty", OP_STORE, 0},
};

enum { CURVES = sizeof curves / sizeof *curves };

/* The distance of lines of one set: in pages of their own. */
static uint64_t distance_of(const struct penalty *penalty)
{
    uint64_t way = penalty->size / penalty->ways, odd = 1;
    while (odd * way < PAGE)
        odd += 2;
    return odd * way;
}

/* Links the first `length` positions of a walk into a cycle. */
static bool link_part(struct bench *bench, const struct walk *walk, uint64_t length)
{
    uint64_t last = walk_address(walk, length - 1), first = walk_address(walk, 0);
    if (!walk_link(bench->machine, walk, 0, length - 1) || !machine_link(bench->machine, walk->op, last, first))
        bench->refused = true;
    bench->linked += length;
    return bench_rest(bench, false);
}

/* Quartiles of core cycles a visit, each batch beside a block of adds. length: of the stops, in a random choice. */
static bool measure(struct bench *bench, const struct stops *stops, enum op op, uint64_t length, struct point *point)
{
    double cycles[ORDERS], ticks, adds;
    uint64_t steps = (1 + LEAST_STEPS / length) * length;
    for (unsigned i = 0; i < ORDERS; i++) {
        struct walk walk = walk_over(stops, op, bench_seed(bench));
        if (!link_part(bench, &walk, length) || !bench_warm(bench, &walk, 0, WARM_LAPS * length) ||
            !bench_batch(bench, &walk, 0, steps, &ticks) || !bench_block(bench, BLOCK_ADD, ADDS, &adds))
            return false;
        cycles[i] = adds > 0 ? ticks / (double)steps / (adds / ADDS) : 0;
    }
    point->low = quantile(cycles, ORDERS, 0.25);
    point->middle = quantile(cycles, ORDERS, 0.5);
    point->high = quantile(cycles, ORDERS, 0.75);
    return true;
}

static bool fits(const struct stretch *stretch, const struct stops *stops)
{
    return stops->base + stops_extent(stops) <= stretch->base + stretch->size;
}

/* Every line counts near the ways, where the peak is; elsewhere some do. */
static unsigned step_of(const struct penalty *penalty, unsigned lines, unsigned most)
{
    enum { NEAR = 4 };
    bool near = lines + NEAR >= penalty->ways && lines < penalty->ways + NEAR;
    return near || most < POINTS ? 1 : most / POINTS;
}

static bool note_set(struct bench *bench, const struct stretch *stretch, const struct penalty *penalty,
                     const struct curve *curve, struct notebook *notebook)
{
    struct series *series = note_series(notebook, curve->id, "lines", "cycles");
    uint64_t base = stretch->base + KEPT + curve->set * penalty->line;
    unsigned most = TIMES * penalty->ways;
    for (unsigned lines = 1; lines <= most; lines += step_of(penalty, lines, most)) {
        struct stops stops = stops_sequence(base, distance_of(penalty), lines);
        struct point point = {.x = lines};
        if (!fits(stretch, &stops))
            break;
        if (!measure(bench, &stops, curve->op, lines, &point))
            return false;
        note_point(notebook, series, point);
    }
    return true;
}

/* Lines drawn from twice what the first level holds: so many for each set, on average. */
static bool note_random(struct bench *bench, const struct stretch *stretch, const struct penalty *penalty,
                        struct notebook *notebook)
{
    struct series *series = note_series(notebook, "penalty.l1d.random", "lines", "cycles");
    uint64_t all = penalty->size / penalty->line, sets = all / penalty->ways;
    struct stops stops = stops_sequence(stretch->base, penalty->line, TWICE * all);
    unsigned most = TWICE * penalty->ways;
    for (unsigned lines = 1; fits(stretch, &stops) && lines <= most; lines += step_of(penalty, lines, most)) {
        struct point point = {.x = lines};
        if (!measure(bench, &stops, OP_LOAD, lines * sets, &point))
            return false;
        note_point(notebook, series, point);
    }
    return true;
}

static bool note_offsets(struct bench *bench, const struct stretch *stretch, const struct penalty *penalty,
                         struct notebook *notebook)
{
    struct series *series = note_series(notebook, "penalty.l1d.offset", "bytes", "cycles");
    for (uint64_t offset = 0; offset < penalty->line; offset += WORD) {
        struct stops stops = stops_sequence(stretch->base + KEPT + offset, distance_of(penalty), TWICE * penalty->ways);
        struct point point = {.x = (double)offset};
        if (!fits(stretch, &stops))
            break;
        if (!measure(bench, &stops, OP_LOAD, stops.count, &point))
            return false;
        note_point(notebook, series, point);
    }
    return true;
}

bool penalty_note(struct bench *bench, const struct stretch *stretch, const struct penalty *penalty,
                  struct notebook *notebook)
{
    for (unsigned i = 0; i < CURVES; i++)
        if (!note_set(bench, stretch, penalty, &curves[i], notebook))
            return false;
    return note_random(bench, stretch, penalty, notebook) && note_offsets(bench, stretch, penalty, notebook);
}
