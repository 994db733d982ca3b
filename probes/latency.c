// SPDX-License-Identifier: BSD-2-Clause
/* latency.c: mean load latency against footprint, and the plateaus of that curve.
 *
 * Findings: latency.plateaus (how many were seen), and for each plateau N, from 1:
 *   latency.N.cycles   core cycles of a load, the middle of the plateau
 *   latency.N.ns       the same in nanoseconds
 *   latency.N.ends     bytes: the largest footprint measured that is still on the plateau; the true end lies between it
 *                      and the next footprint measured, a quarter of an octave further on (half an octave above 16 MB)
 *   latency.4k.sizes, latency.2m.sizes, latency.1g.sizes   footprints measured with pages of that size
 * Series: latency.4k, latency.2m, latency.1g: core cycles (or ticks, when cycles are not known) against bytes.
 *
 * A footprint is walked line by line in pseudo-random cyclic order: once to fill, then in timed batches, each beside a
 * batch of dependent adds that tells the core clock of that very moment. The plateaus come from the curve with the
 * largest pages, where translation costs least. The sweep goes on to 8 times the last step, and to 64 MB at least: a
 * first level of 32 KB may be followed by a second one of 2 MB, and no step in between says that it is there. Where no
 * step at all is seen it ends at 16 MB. */
#include "base/text.h"
#include "probes/confidence.h"
#include "probes/probes.h"
#include "probes/rate.h"
#include "probes/step.h"
#include "probes/stretch.h"

enum {
    LINE = 64,              /* bytes between the stops */
    FIRST = 1 << 10,        /* bytes */
    NO_STEP = 16 << 20,     /* bytes: no first level is so large; a sweep without a step ends here */
    ALWAYS = 64 << 20,      /* bytes: a sweep that has seen a step goes at least so far */
    BEYOND = 8,             /* times the last step */
    USUALLY = 1 << 30,      /* bytes: the sweep goes no further without all_memory */
    SPARSE_LIMIT = 4 << 20, /* bytes: other page sizes when the first showed no step */
    BATCHES = 11,
    SHORT_BATCH = 4096, /* visits */
    LONG_BATCH = 32768,
    LAPS = 32,
    MOST_NOTED = 8 /* plateaus */
};

struct latency {
    struct bench bench;
    struct stretch stretch;
    struct notebook *notebook;
    bool all_memory, contiguous;
    unsigned pages, page_index; /* for the progress line */
    uint64_t limit;             /* bytes: no further */
    /* One sweep. */
    unsigned count;
    double bytes[MAX_SERIES_LENGTH], cycles[MAX_SERIES_LENGTH], spread[MAX_SERIES_LENGTH];
    struct plateau plateau[MAX_PLATEAUS];
    unsigned plateaus;
};

/* How densely a sweep samples: four footprints an octave up to `quarters` bytes, two up to `halves`, then one. */
struct density {
    uint64_t quarters, halves;
};

static const struct density FULL = {16 << 20, UINT64_MAX}, /* the sweep that plateaus are taken from */
    LIGHT = {2 << 20, 64 << 20},                           /* other page sizes */
    SEARCH = {1 << 20, 0},                                 /* the first, until a step was seen */
    SPARSE = {0, 0};                                       /* other page sizes when the first showed no step */

/* The footprint after this one. */
static uint64_t next_footprint(uint64_t bytes, const struct density *density)
{
    uint64_t octave = FIRST;
    while (octave <= bytes / 2)
        octave *= 2;
    if (bytes < density->quarters)
        return bytes + octave / 4;
    if (bytes < density->halves)
        return bytes + octave / 2;
    return bytes + octave;
}

/* Visits of a batch: many laps, so that what the calls between two batches pushed out of a full cache does not count;
 * or a part of a lap, where that would be too long. */
static uint64_t batch_length(const struct walk *walk)
{
    uint64_t length = LAPS * walk->length;
    return length < SHORT_BATCH || walk->length > SHORT_BATCH ? SHORT_BATCH : length > LONG_BATCH ? LONG_BATCH : length;
}

/* The timed batches of a linked walk that has been filled: their quartiles in core cycles, or ticks, a visit. */
static bool time_batches(struct bench *bench, const struct walk *walk, struct point *point)
{
    double load[BATCHES], add[BATCHES];
    uint64_t position = 0, length = batch_length(walk);
    for (unsigned i = 0; i < BATCHES; i++) {
        if (walk->length <= SHORT_BATCH && !bench_warm(bench, walk, 0, walk->length))
            return false;
        if (!bench_batch(bench, walk, position, length, &load[i]) ||
            (bench->cycles_per_tick > 0 && !bench_block(bench, BLOCK_ADD, SHORT_BATCH, &add[i])))
            return false;
        if (walk->length > SHORT_BATCH)
            position += length;
    }
    /* Ticks of a core cycle: the low end of the adds, like that of the loads, is the undisturbed one. */
    double cycle = bench->cycles_per_tick > 0 ? quantile(add, BATCHES, 0.25) / SHORT_BATCH : 1;
    double unit = cycle > 0 ? cycle * (double)length : (double)length;
    point->low = quantile(load, BATCHES, 0.25) / unit;
    point->middle = quantile(load, BATCHES, 0.5) / unit;
    point->high = quantile(load, BATCHES, 0.75) / unit;
    return true;
}

static bool measure_footprint(struct latency *latency, uint64_t bytes, struct point *point)
{
    struct bench *bench = &latency->bench;
    struct stops stops = stops_sequence(latency->stretch.base, LINE, bytes / LINE);
    struct walk walk = walk_over(&stops, OP_LOAD, bench_seed(bench));
    point->x = (double)bytes;
    return bench_link(bench, &walk) && bench_warm(bench, &walk, 0, walk.length) && time_batches(bench, &walk, point) &&
           bench_rest(bench, false);
}

/* What is known of the plateaus by now. */
static void find_plateaus(struct latency *latency)
{
    double spread[MAX_SERIES_LENGTH];
    for (unsigned i = 0; i < latency->count; i++)
        spread[i] = latency->spread[i];
    /* The clock can show a batch no better than to a step of its own. A level that costs not even half a core cycle
     * more is none (half a tick, when cycles are not known). */
    double batch_ticks = latency->cycles[0] * SHORT_BATCH;
    if (latency->bench.cycles_per_tick > 0)
        batch_ticks /= latency->bench.cycles_per_tick;
    struct step_rules rules = {.least_step = 0.5, .least_points = 3};
    rules.least_noise = (double)latency->bench.clock.step / batch_ticks;
    double middle = quantile(spread, latency->count, 0.5);
    if (rules.least_noise < middle)
        rules.least_noise = middle;
    latency->plateaus = step_plateaus(latency->cycles, latency->count, &rules, latency->plateau);
}

/* Bytes at which the last step begins, 0 when none was seen. */
static uint64_t last_step(const struct latency *latency)
{
    unsigned left = latency->plateaus;
    if (left && latency->plateau[left - 1].last + 1 == latency->count)
        left--;
    return left ? (uint64_t)latency->bytes[latency->plateau[left - 1].last] : 0;
}

static uint64_t sweep_end(const struct latency *latency)
{
    uint64_t end = BEYOND * last_step(latency);
    if (!end)
        end = NO_STEP;
    else if (end < ALWAYS)
        end = ALWAYS;
    if (end > USUALLY)
        end = USUALLY;
    if (latency->all_memory)
        end = UINT64_MAX;
    return end < latency->limit ? end : latency->limit;
}

/* One curve. */
static void sweep(struct latency *latency, const char *id, const struct density *density)
{
    struct bench *bench = &latency->bench;
    struct series *series =
        note_series(latency->notebook, id, "bytes", bench->cycles_per_tick > 0 ? "cycles" : "ticks");
    latency->count = 0;
    latency->plateaus = 0;
    bool sparse = density == &SPARSE;
    uint64_t end = sparse && latency->limit > SPARSE_LIMIT ? SPARSE_LIMIT : sweep_end(latency);
    for (uint64_t bytes = FIRST; bytes <= end && latency->count < MAX_SERIES_LENGTH;
         bytes = next_footprint(bytes, density == &FULL && !last_step(latency) ? &SEARCH : density)) {
        struct point point;
        uint64_t done = 1000 * bytes / end;
        bench->permille = (unsigned)((latency->page_index * 1000 + done) / latency->pages);
        if (!measure_footprint(latency, bytes, &point))
            return;
        note_point(latency->notebook, series, point);
        latency->bytes[latency->count] = (double)bytes;
        latency->cycles[latency->count] = point.low > 0 ? point.low : 1e-3;
        latency->spread[latency->count] = point.low > 0 ? (point.middle - point.low) / point.low : 0;
        latency->count++;
        find_plateaus(latency);
        if (!sparse)
            end = sweep_end(latency);
    }
}

/* The id of a plateau's finding: latency.N.what. */
static void plateau_id(char id[28], unsigned number, const char *what)
{
    struct text text = text_in(id, 28);
    text_format(&text, "latency.%u.%s", number, what);
}

/* The end of a plateau: a size only where physical order is certain. */
static void note_end(struct latency *latency, unsigned index, double confidence, uint64_t cost)
{
    const struct plateau *plateau = &latency->plateau[index];
    double end = latency->bytes[plateau->last];
    char id[28];
    plateau_id(id, index + 1, "ends");
    if (plateau->last + 1 == latency->count)
        note_missing(latency->notebook, id, "bytes", cost, "no end seen up to %llu bytes", (unsigned long long)end);
    else if (end > (double)latency->stretch.contiguous && !latency->contiguous)
        note_missing(latency->notebook, id, "bytes", cost, "physical order unknown beyond %llu bytes",
                     (unsigned long long)latency->stretch.contiguous);
    else
        note_value(latency->notebook, id, end, "bytes", confidence, cost,
                   "largest footprint on the plateau, of four (two above 16 MB) an octave");
}

static void note_plateau(struct latency *latency, unsigned index, uint64_t cost)
{
    const struct plateau *plateau = &latency->plateau[index];
    double points = plateau->last - plateau->first + 1, hz = (double)latency->bench.clock.hz;
    /* Each point more halves the chance that a ramp was taken for a plateau. */
    double error = 0.1;
    for (double more = 3; more < points; more++)
        error /= 2;
    double confidence = confidence_from(error);
    char id[28];
    if (latency->bench.cycles_per_tick > 0) {
        plateau_id(id, index + 1, "cycles");
        note_value(latency->notebook, id, plateau->level, "cycles", confidence, cost,
                   "dependent loads, first quartile, against adds beside them; level by optimal partitioning");
        hz *= latency->bench.cycles_per_tick;
    } else {
        plateau_id(id, index + 1, "cycles");
        note_missing(latency->notebook, id, "cycles", cost, "core cycles are not known");
    }
    plateau_id(id, index + 1, "ns");
    note_value(latency->notebook, id, plateau->level / hz * 1e9, "ns", confidence, cost,
               "dependent loads, first quartile; level by optimal partitioning");
    note_end(latency, index, confidence, cost);
}

struct page_size {
    uint64_t bytes;
    const char *series, *sizes;
};

/* The largest first: its curve is the one that plateaus are taken from. */
static const struct page_size page_sizes[] = {{1 << 30, "latency.1g", "latency.1g.sizes"},
                                              {2 << 20, "latency.2m", "latency.2m.sizes"},
                                              {4 << 10, "latency.4k", "latency.4k.sizes"}};

enum { PAGE_SIZES = sizeof page_sizes / sizeof *page_sizes };

static void missing_plateaus(struct notebook *notebook, uint64_t cost, const char *why)
{
    note_missing(notebook, "latency.plateaus", "", cost, "%s", why);
    note_missing(notebook, "latency.1.cycles", "cycles", cost, "%s", why);
    note_missing(notebook, "latency.1.ns", "ns", cost, "%s", why);
    note_missing(notebook, "latency.1.ends", "bytes", cost, "%s", why);
}

/* The same, and no sweep either where there was none. */
static void missing(struct notebook *notebook, uint64_t cost, const char *why)
{
    missing_plateaus(notebook, cost, why);
    for (unsigned i = 0; i < PAGE_SIZES; i++)
        if (!noted(notebook, page_sizes[i].sizes))
            note_missing(notebook, page_sizes[i].sizes, "sizes", cost, "%s", why);
}

/* What the first sweep, with the largest pages, says. */
static void note_plateaus(struct latency *latency, uint64_t cost)
{
    char why[96];
    struct text text = text_in(why, sizeof why);
    if (!last_step(latency)) {
        text_format(&text, "no step seen up to %llu bytes",
                    (unsigned long long)(latency->count ? latency->bytes[latency->count - 1] : 0));
        missing_plateaus(latency->notebook, cost, why);
        return;
    }
    unsigned count = latency->plateaus < MOST_NOTED ? latency->plateaus : MOST_NOTED;
    note_value(latency->notebook, "latency.plateaus", count, "", confidence_from(0.1), cost,
               "optimal partitioning of the logarithm of the latency");
    for (unsigned index = 0; index < count; index++)
        note_plateau(latency, index, cost);
}

static bool has_page(struct machine *machine, uint64_t page)
{
    for (unsigned i = 0; machine_page(machine, i); i++)
        if (machine_page(machine, i) == page)
            return true;
    return false;
}

/* Maps what a sweep may use. False: noted why not. */
static bool prepare(struct latency *latency, const struct page_size *page, uint64_t available)
{
    struct machine *machine = latency->bench.machine;
    const char *why = "the memory has no such page in one piece";
    uint64_t wanted = available;
    if (!latency->all_memory) {
        wanted = available / 2 < USUALLY ? available / 2 : USUALLY;
        wanted = wanted < page->bytes ? page->bytes : wanted;
    }
    if (!has_page(machine, page->bytes))
        why = "no pages of that size here";
    else if (stretch_map(machine, page->bytes, wanted, &latency->stretch))
        why = NULL;
    if (why) {
        note_missing(latency->notebook, page->sizes, "sizes", 0, "%s", why);
        return false;
    }
    latency->limit = latency->stretch.size < wanted ? latency->stretch.size : wanted;
    return true;
}

static const char *reason(const struct latency *latency)
{
    return latency->bench.skipped ? "skipped" : machine_why(latency->bench.machine);
}

/* The sweeps, from the largest pages down. */
static void sweep_all(struct latency *latency, uint64_t available)
{
    struct machine *machine = latency->bench.machine;
    bool first = true, flat = false;
    for (unsigned i = 0; i < PAGE_SIZES && bench_ok(&latency->bench); i++) {
        latency->page_index = i;
        if (!prepare(latency, &page_sizes[i], available))
            continue;
        uint64_t before = machine_steps(machine);
        sweep(latency, page_sizes[i].series, first ? &FULL : flat ? &SPARSE : &LIGHT);
        uint64_t cost = machine_steps(machine) - before;
        if (bench_ok(&latency->bench)) {
            note_value(latency->notebook, page_sizes[i].sizes, latency->count, "sizes", confidence_from(0), cost,
                       "footprints measured");
            if (first)
                note_plateaus(latency, cost);
            flat = flat || (first && !last_step(latency));
            first = false;
        } else {
            note_missing(latency->notebook, page_sizes[i].sizes, "sizes", cost, "%s", reason(latency));
        }
        stretch_unmap(machine, &latency->stretch);
    }
}

bool probe_latency(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    struct latency latency = {.bench = bench_open(machine, request->seed ^ 0x6c6174),
                              .notebook = notebook,
                              .all_memory = request->all_memory,
                              .contiguous = request->contiguous,
                              .pages = PAGE_SIZES};
    struct rate rate;
    if (rate_measure(&latency.bench, &rate))
        sweep_all(&latency, stretch_available(machine));
    if (!bench_ok(&latency.bench))
        missing(notebook, machine_steps(machine), reason(&latency));
    else if (!noted(notebook, "latency.plateaus"))
        missing(notebook, 0, "no memory could be mapped");
    return !latency.bench.skipped;
}
