// SPDX-License-Identifier: BSD-2-Clause
/* penalty.c: walks through one set and through many, and their curves. */
#include "probes/penalty.h"
#include "probes/misses.h"

enum {
    PAGE = 4096, /* what prefetchers do not leave */
    TIMES = 4,   /* lines of a set: up to so many times its ways */
    TWICE = 2,
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

static bool fits(const struct stretch *stretch, const struct stops *stops)
{
    return stops->base + stops_extent(stops) <= stretch->base + stretch->size;
}

static bool note_set(struct bench *bench, const struct stretch *stretch, const struct penalty *penalty,
                     const struct curve *curve, struct notebook *notebook)
{
    struct series *series = note_series(notebook, curve->id, "lines", "cycles");
    uint64_t base = stretch->base + KEPT + curve->set * penalty->line;
    unsigned most = TIMES * penalty->ways;
    for (unsigned lines = 1; lines <= most; lines += misses_step(penalty->ways, lines, most)) {
        struct stops stops = stops_sequence(base, distance_of(penalty), lines);
        struct point point = {.x = lines};
        if (!fits(stretch, &stops))
            break;
        if (!misses_measure(bench, &stops, curve->op, lines, &point))
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
    for (unsigned lines = 1; fits(stretch, &stops) && lines <= most; lines += misses_step(penalty->ways, lines, most)) {
        struct point point = {.x = lines};
        if (!misses_measure(bench, &stops, OP_LOAD, lines * sets, &point))
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
        if (!misses_measure(bench, &stops, OP_LOAD, stops.count, &point))
            return false;
        note_point(notebook, series, point);
    }
    return true;
}

static bool note_all(struct bench *bench, const struct stretch *stretch, const struct penalty *penalty,
                     struct notebook *notebook)
{
    for (unsigned i = 0; i < CURVES; i++)
        if (!note_set(bench, stretch, penalty, &curves[i], notebook))
            return false;
    return note_random(bench, stretch, penalty, notebook) && note_offsets(bench, stretch, penalty, notebook);
}

bool penalty_note(struct bench *bench, const struct stretch *stretch, const struct penalty *penalty,
                  struct notebook *notebook)
{
    uint64_t start = machine_steps(bench->machine);
    unsigned before = notebook->points;
    bool good = note_all(bench, stretch, penalty, notebook);
    misses_note_sizes(bench, notebook, "penalty.l1d.sizes", good, notebook->points - before,
                      machine_steps(bench->machine) - start);
    return good;
}
