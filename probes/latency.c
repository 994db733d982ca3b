// SPDX-License-Identifier: BSD-2-Clause
/* latency.c: how many levels of caches a load meets, and what a load takes that each of them, or memory, serves.
 *
 * Findings: latency.levels (how many, memory not counted); l1d.latency, l2.latency, l3.latency ... and mem.latency
 * (core cycles); each with .ns (l2.latency.ns); latency.4k.sizes, latency.2m.sizes, latency.1g.sizes (footprints
 * measured with pages of that size; the same for other page sizes that a machine has). Series: levels: latency of lines
 * after so many other bytes were read: a staircase, one step a level (probes/levels.h); latency.4k, latency.2m,
 * latency.1g: mean latency against footprint (probes/curve.h), which is what a program sees.
 *
 * The first level's latency comes from a few lines, to a whole cycle; the staircase has the others; memory's is that of
 * flushed lines where lines can be flushed, and the staircase's last step must agree with it. */
#include "base/text.h"
#include "probes/confidence.h"
#include "probes/confirm.h"
#include "probes/curve.h"
#include "probes/hit.h"
#include "probes/levels.h"
#include "probes/probes.h"
#include "probes/rate.h"
#include "probes/tries.h"

enum {
    USUALLY = 1 << 30,     /* bytes: no sweep goes further without all_memory */
    LEAST_CURVE = 4 << 20, /* bytes that a curve goes on to */
    BEYOND = 2,            /* times what the last level holds */
    MOST_PAGES = 4,
    ALWAYS = 4 /* levels that are spoken of, whether they are there or not */
};

struct latency {
    struct bench bench;
    struct notebook *notebook;
    struct levels levels;
    struct curve curve;
    struct hit hit;
    double extra;      /* core cycles that a load takes more through large pages */
    double rate_error; /* that an add is not a core cycle */
    bool all_memory;
};

/* More doubt than that is noise, and no answer. */
static const double MOST_ERROR = 0.9;

/* Every run says something about these sizes, whatever the machine has. */
static const uint64_t usual_pages[] = {1 << 30, 2 << 20, 4 << 10};

enum { USUAL_PAGES = sizeof usual_pages / sizeof *usual_pages };

static const char *reason(const struct latency *latency)
{
    return latency->bench.skipped ? "skipped" : machine_why(latency->bench.machine);
}

/* A latency in core cycles and nanoseconds. error: that it is wrong. */
static void note_latency(struct latency *latency, const char *level, double cycles, double error, uint64_t cost,
                         const char *method)
{
    struct bench *bench = &latency->bench;
    char id[28], ns[28];
    struct text text = text_in(id, sizeof id);
    text_format(&text, "%s.latency", level);
    text = text_in(ns, sizeof ns);
    text_format(&text, "%s.latency.ns", level);
    double hz = (double)bench->clock.hz * bench->cycles_per_tick;
    if (error > MOST_ERROR) {
        note_missing(latency->notebook, id, "cycles", cost, "noise: %.2f cycles are right with %d %% only", cycles,
                     (int)(100 * (error < 1 ? 1 - error : 0)));
        note_missing(latency->notebook, ns, "ns", cost, "noise, as for %s", id);
        return;
    }
    note_value(latency->notebook, id, cycles, "cycles", confidence_from(error + latency->rate_error), cost, method);
    note_value(latency->notebook, ns, cycles / hz * 1e9, "ns", confidence_from(error), cost, method);
}

static void missing_latency(struct notebook *notebook, const char *level, uint64_t cost, const char *why)
{
    char id[28];
    struct text text = text_in(id, sizeof id);
    text_format(&text, "%s.latency", level);
    note_missing(notebook, id, "cycles", cost, "%s", why);
    text_format(&text, ".ns");
    note_missing(notebook, id, "ns", cost, "%s", why);
}

static double first_cycles(const struct latency *latency)
{
    const struct hit *hit = &latency->hit;
    return hit->cycles ? (double)hit->cycles : (hit->low + hit->high) / 2;
}

/* The first level's: whole cycles where they are known. */
static void note_first(struct latency *latency, uint64_t cost)
{
    const struct hit *hit = &latency->hit;
    static const char method[] = "dependent loads of a few lines, against dependent adds in the same stretch";
    if (hit->cycles)
        note_latency(latency, "l1d", (double)hit->cycles, 1 - hit->confidence, cost, method);
    else
        note_latency(latency, "l1d", first_cycles(latency), hit->high - hit->low > 1 ? 1 : 0.5, cost, method);
}

/* A latency whose level is not certain is said all the same, with so much doubt at most. */
static const double LEAST_SURE = 0.7;

/* Hits that are not sure leave every latency in doubt that a cycle would make another one. */
static double doubt_of_hits(const struct latency *latency, double cycles)
{
    bool matters = readings_tolerance(cycles) < 1;
    return matters && !hit_is_sure(&latency->hit) ? 1 - latency->hit.confidence : 0;
}

/* That a level's value is wrong: noise, another level overlooked before it, what hits take, from which it is told, or a
 * neighbour. */
static double error_of(const struct latency *latency, const struct level *level)
{
    double doubt = level->numbering + doubt_of_hits(latency, level->cycles) + tries_neighbour(latency->bench.machine);
    return (doubt < LEAST_SURE ? doubt : LEAST_SURE) +
           confidence_within(level->deviation, readings_tolerance(level->cycles));
}

static void note_staircase(struct latency *latency)
{
    const struct levels *levels = &latency->levels;
    struct series *series = note_series(latency->notebook, "levels", "bytes", "cycles");
    for (unsigned i = 0; i < levels->places; i++) {
        const struct latency_of *at = &levels->place[i].latency;
        note_point(latency->notebook, series,
                   (struct point){(double)levels->place[i].bytes, at->low, at->middle, at->high});
    }
}

/* Memory's latency, and how many levels come before it. */
static void note_memory(struct latency *latency, unsigned count, uint64_t cost)
{
    const struct levels *levels = &latency->levels;
    double error = confidence_within(levels->memory.deviation, readings_tolerance(levels->memory.cycles)) +
                   doubt_of_hits(latency, levels->memory.cycles);
    if (levels->memory.cycles > 0) {
        note_latency(latency, "mem", levels->memory.cycles, error, cost,
                     levels->flushed ? "flushed lines, in rows of memory at random" : "the staircase's last step");
        if (error <= MOST_ERROR && (levels->counting < MOST_ERROR || levels->count))
            note_value(latency->notebook, "latency.levels", count, "",
                       confidence_from(levels->counting < LEAST_SURE ? levels->counting : LEAST_SURE), cost,
                       "steps of the staircase of latency against bytes read in between");
        else
            note_missing(latency->notebook, "latency.levels", "", cost,
                         "noise: where levels begin and end is not to be seen (%u seen)", count);
        return;
    }
    missing_latency(latency->notebook, "mem", cost, "lines cannot be flushed here, and no step of memory's was met");
    note_missing(latency->notebook, "latency.levels", "", cost, "where memory begins was not met");
}

static void note_levels(struct latency *latency, uint64_t cost)
{
    const struct levels *levels = &latency->levels;
    double first = first_cycles(latency);
    /* The first step is the first level's, and says what the few lines said. A first level that is too small for
     * targets and others together has no step. */
    unsigned begin = levels->count && levels->level[0].cycles <= first + readings_tolerance(first);
    for (unsigned i = begin; i < levels->count; i++) {
        char id[] = {'l', (char)('2' + (i - begin)), 0};
        note_latency(latency, id, levels->level[i].cycles, error_of(latency, &levels->level[i]), cost,
                     "lines that other bytes have pushed out of every nearer level");
    }
    note_memory(latency, 1 + levels->count - begin, cost);
    const char *why = levels->counting < MOST_ERROR ? "no such level was seen"
                                                    : "noise: where levels begin and end is not to be seen";
    for (unsigned i = 1 + levels->count - begin; i < ALWAYS; i++)
        missing_latency(latency->notebook, (const char[]){'l', (char)('1' + i), 0}, cost, why);
}

static void note_flat(struct latency *latency, uint64_t cost)
{
    static const char why[] = "no step seen up to memory itself: it is as quick as the first level";
    missing_latency(latency->notebook, "l1d", cost, why);
    for (unsigned i = 1; i < ALWAYS; i++)
        missing_latency(latency->notebook, (const char[]){'l', (char)('1' + i), 0}, cost, why);
    missing_latency(latency->notebook, "mem", cost, why);
    note_missing(latency->notebook, "latency.levels", "", cost, "%s", why);
}

/* The first level's latency, in small pages and in large ones: some first TLBs hold but one kind, and a load through
 * the other kind always takes longer. */
static bool measure_first(struct latency *latency, const struct stretch *large)
{
    struct bench *bench = &latency->bench;
    struct stretch small;
    struct hit hit;
    if (!hit_measure(bench, large->base + KEPT, &latency->hit))
        return false;
    stretch_unmap(bench->machine, large);
    if (!stretch_map(bench->machine, machine_page(bench->machine, 0), 1, &small))
        return true;
    bool good = hit_measure(bench, small.base + KEPT, &hit);
    stretch_unmap(bench->machine, &small);
    if (good && hit.high < latency->hit.low) {
        latency->extra = (latency->hit.low + latency->hit.high - hit.low - hit.high) / 2;
        latency->hit = hit;
    }
    return bench_ok(bench);
}

/* The levels, as the only try finds them; or, of several, as the last one does, until what it finds was found before.
 */
static bool find_levels(struct latency *latency, struct depth *depth)
{
    struct levels *levels = &latency->levels, before;
    struct said said[TRIES];
    unsigned most = tries_on(latency->bench.machine);
    bool confirmed = false;
    for (unsigned made = 0; made < most && !confirmed; made++) {
        if (!levels_measure(depth, first_cycles(latency), levels)) {
            if (made)
                *levels = before; /* it is kept, though nothing confirms it */
            return made > 0;
        }
        confirmed = most == 1 || levels_confirm(said, made, levels, &said[made]);
        before = *levels;
    }
    return true;
}

/* The levels, by the largest pages that can be had. */
static bool measure_levels(struct latency *latency)
{
    struct bench *bench = &latency->bench;
    struct stretch stretch;
    struct depth depth;
    uint64_t before = machine_steps(bench->machine);
    if (!stretch_best(bench->machine, UINT64_MAX, LEAST_CURVE, USUALLY, &stretch) ||
        !measure_first(latency, &stretch) || !stretch_map(bench->machine, stretch.page, USUALLY, &stretch))
        return false;
    uint64_t cost = machine_steps(bench->machine) - before;
    bench->permille = 50;
    double rate = bench->cycles_per_tick;
    if (!depth_open(&depth, bench, &stretch, first_cycles(latency) / rate, latency->extra / rate)) {
        note_first(latency, cost);
        stretch_unmap(bench->machine, &stretch);
        return true;
    }
    bool good = find_levels(latency, &depth);
    if (latency->levels.places)
        note_staircase(latency);
    if (good && levels_flat(&latency->levels)) {
        note_flat(latency, machine_steps(bench->machine) - before);
    } else if (good) {
        note_first(latency, cost);
        note_levels(latency, machine_steps(bench->machine) - before);
    }
    stretch_unmap(bench->machine, &stretch);
    return good;
}

/* "latency.4k" and what follows it. */
static void page_id(char id[28], uint64_t page, const char *what)
{
    struct text text = text_in(id, 28);
    unsigned unit = page >> 30 ? 30 : page >> 20 ? 20 : 10;
    text_format(&text, "latency.%u%c%s", (unsigned)(page >> unit), unit == 30 ? 'g' : unit == 20 ? 'm' : 'k', what);
}

/* How far a curve goes: beyond the last level as far as it matters; or, with all_memory, to the end. */
static uint64_t curve_end(const struct latency *latency, uint64_t available)
{
    const struct levels *levels = &latency->levels;
    uint64_t end = BEYOND * (levels->count ? levels->level[levels->count - 1].last : LEAST_CURVE);
    if (end < LEAST_CURVE)
        end = LEAST_CURVE;
    return latency->all_memory || end > available ? available : end;
}

/* The curve with one page size. */
static void measure_curve(struct latency *latency, uint64_t page, uint64_t end)
{
    struct bench *bench = &latency->bench;
    struct curve *curve = &latency->curve;
    char id[28], sizes[28];
    uint64_t before = machine_steps(bench->machine);
    page_id(id, page, "");
    page_id(sizes, page, ".sizes");
    if (!stretch_map(bench->machine, page, end, &curve->stretch)) {
        note_missing(latency->notebook, sizes, "sizes", 0, "the memory has no such page in one piece");
        return;
    }
    curve->limit = curve->stretch.size < end ? curve->stretch.size : end;
    curve_measure(curve);
    struct series *series =
        note_series(latency->notebook, id, "bytes", bench->cycles_per_tick > 0 ? "cycles" : "ticks");
    for (unsigned i = 0; i < curve->count; i++)
        note_point(latency->notebook, series, curve->point[i]);
    uint64_t cost = machine_steps(bench->machine) - before;
    if (bench_ok(bench))
        note_value(latency->notebook, sizes, curve->count, "sizes", confidence_from(0), cost, "footprints measured");
    else
        note_missing(latency->notebook, sizes, "sizes", cost, "%s", reason(latency));
    stretch_unmap(bench->machine, &curve->stretch);
}

static void measure_curves(struct latency *latency)
{
    struct machine *machine = latency->bench.machine;
    uint64_t end = curve_end(latency, stretch_available(machine));
    unsigned pages = 0;
    while (pages < MOST_PAGES && machine_page(machine, pages))
        pages++;
    latency->curve.bench = &latency->bench;
    latency->curve.permilles = pages ? 500 / pages : 0;
    for (unsigned i = pages; i-- && bench_ok(&latency->bench);) {
        latency->curve.permille = 500 + (pages - 1 - i) * latency->curve.permilles;
        /* With smaller pages the curve parts from the first one long before its end. */
        bool first = i + 1 == pages || latency->all_memory || end < LEAST_CURVE;
        measure_curve(latency, machine_page(machine, i), first ? end : LEAST_CURVE);
    }
}

/* What nothing was said about. */
static void note_rest(struct latency *latency)
{
    static const char *const always[] = {"l1d", "l2", "l3", "l4", "mem"};
    const char *why = !bench_ok(&latency->bench)           ? reason(latency)
                      : latency->bench.cycles_per_tick > 0 ? "the memory is too small"
                                                           : "core cycles are not known: adds and multiplies disagree";
    uint64_t cost = machine_steps(latency->bench.machine);
    char id[28];
    for (unsigned i = 0; i < sizeof always / sizeof *always; i++) {
        struct text text = text_in(id, sizeof id);
        text_format(&text, "%s.latency.ns", always[i]);
        if (!noted(latency->notebook, id))
            missing_latency(latency->notebook, always[i], cost, why);
    }
    if (!noted(latency->notebook, "latency.levels"))
        note_missing(latency->notebook, "latency.levels", "", cost, "%s", why);
    for (unsigned i = 0; i < USUAL_PAGES; i++) {
        page_id(id, usual_pages[i], ".sizes");
        if (!noted(latency->notebook, id))
            note_missing(latency->notebook, id, "sizes", 0, "%s",
                         bench_ok(&latency->bench) ? "no pages of that size here" : reason(latency));
    }
}

bool probe_latency(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    struct latency latency = {.bench = bench_open(machine, request->seed ^ 0x6c6174),
                              .notebook = notebook,
                              .all_memory = request->all_memory};
    struct rate rate;
    bool ready = rate_measure(&latency.bench, &rate);
    latency.rate_error = rate.error;
    /* What a hit takes is known in core cycles, and everything else is told from it. */
    if (ready && (latency.bench.cycles_per_tick <= 0 || measure_levels(&latency)))
        measure_curves(&latency);
    note_rest(&latency);
    return !latency.bench.skipped;
}
