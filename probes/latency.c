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

/* Core cycles (ticks, when cycles are not known) that two levels differ by at least. */
static const double LEAST_STEP = 0.5;

struct latency {
    struct bench bench;
    struct stretch stretch;
    struct notebook *notebook;
    bool all_memory, contiguous;
    unsigned pages, page_index; /* for the progress line */
    uint64_t limit;             /* bytes: no further */
    /* One sweep. */
    unsigned count;
    double cycles[MAX_SERIES_LENGTH], spread[MAX_SERIES_LENGTH]; /* first quartile, above 0; to the middle, relative */
    double least[MAX_SERIES_LENGTH];                             /* the quickest batch */
    struct point point[MAX_SERIES_LENGTH];
    struct plateau plateau[MAX_PLATEAUS];
    unsigned plateaus;
    bool stepped;             /* a step was seen at some time */
    double rate_error;        /* that an add is not a core cycle */
    double end[MAX_PLATEAUS]; /* error of each end: the probability that it is none */
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
static bool time_batches(struct bench *bench, const struct walk *walk, struct point *point, double *least)
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
    *least = load[0] / unit;
    point->middle = quantile(load, BATCHES, 0.5) / unit;
    point->high = quantile(load, BATCHES, 0.75) / unit;
    return true;
}

static bool measure_footprint(struct latency *latency, uint64_t bytes, struct point *point, double *least)
{
    struct bench *bench = &latency->bench;
    struct stops stops = stops_sequence(latency->stretch.base, LINE, bytes / LINE);
    struct walk walk = walk_over(&stops, OP_LOAD, bench_seed(bench));
    point->x = (double)bytes;
    return bench_link(bench, &walk) && bench_warm(bench, &walk, 0, walk.length) &&
           time_batches(bench, &walk, point, least) && bench_rest(bench, false);
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
    struct step_rules rules = {.least_step = LEAST_STEP, .least_points = 3};
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
    return left ? (uint64_t)latency->point[latency->plateau[left - 1].last].x : 0;
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

/* One more footprint. False: skipped or refused. */
static bool add_footprint(struct latency *latency, uint64_t bytes)
{
    struct point point;
    unsigned i = latency->count;
    if (!measure_footprint(latency, bytes, &point, &latency->least[i]))
        return false;
    latency->point[i] = point;
    latency->cycles[i] = point.low > 0 ? point.low : 1e-3;
    latency->spread[i] = point.low > 0 ? (point.middle - point.low) / point.low : 0;
    latency->count++;
    find_plateaus(latency);
    return true;
}

/* The first step was seen among footprints an octave apart: takes those away, so that they are measured again as
 * densely as all others. Returns the footprint to go on from. */
static uint64_t go_back(struct latency *latency, uint64_t bytes)
{
    bool sparse = bytes > SEARCH.quarters;
    latency->stepped = true;
    while (sparse && latency->count && latency->point[latency->count - 1].x > (double)SEARCH.quarters)
        latency->count--;
    if (sparse)
        find_plateaus(latency);
    return sparse ? SEARCH.quarters : bytes;
}

static void measure_curve(struct latency *latency, const struct density *density)
{
    bool sparse = density == &SPARSE;
    uint64_t end = sparse && latency->limit > SPARSE_LIMIT ? SPARSE_LIMIT : sweep_end(latency);
    for (uint64_t bytes = FIRST; bytes <= end && latency->count < MAX_SERIES_LENGTH;) {
        uint64_t done = 1000 * bytes / end;
        latency->bench.permille = (unsigned)((latency->page_index * 1000 + done) / latency->pages);
        if (!add_footprint(latency, bytes))
            return;
        if (density == &FULL && !latency->stepped && last_step(latency))
            bytes = go_back(latency, bytes);
        if (!sparse)
            end = sweep_end(latency);
        bytes = next_footprint(bytes, density == &FULL && !latency->stepped ? &SEARCH : density);
    }
}

/* One curve. */
static void sweep(struct latency *latency, const char *id, const struct density *density)
{
    struct series *series =
        note_series(latency->notebook, id, "bytes", latency->bench.cycles_per_tick > 0 ? "cycles" : "ticks");
    latency->count = 0;
    latency->plateaus = 0;
    measure_curve(latency, density);
    for (unsigned i = 0; i < latency->count; i++)
        note_point(latency->notebook, series, latency->point[i]);
}

/* What noise does to one point of a plateau, in its unit, and how far off the whole level may be. */
struct noise {
    double spread; /* standard deviation of points, from their quartiles */
    double bias;   /* all points may be too slow: from the quickest batches; and the clock's step */
    double within; /* middle distance from the first quartile of a point's batches to their middle */
};

static struct noise noise_of(const struct latency *latency, const struct plateau *plateau)
{
    double value[MAX_SERIES_LENGTH], least[MAX_SERIES_LENGTH], within[MAX_SERIES_LENGTH];
    unsigned count = 0;
    for (unsigned i = plateau->first; i <= plateau->last; i++, count++) {
        value[count] = latency->cycles[i];
        least[count] = latency->least[i];
        within[count] = latency->point[i].middle - latency->point[i].low;
    }
    double rate = latency->bench.cycles_per_tick, step = (double)latency->bench.clock.step / SHORT_BATCH;
    struct noise noise = {.bias = plateau->level - quantile(least, count, 0.1)};
    noise.spread = (quantile(value, count, 0.75) - quantile(value, count, 0.25)) / 1.349;
    noise.within = quantile(within, count, 0.5);
    if (noise.bias < 0)
        noise.bias = 0;
    noise.bias += rate > 0 ? step * rate * (1 + plateau->level) : step;
    return noise;
}

/* Standard deviation of one point. The first quartile of BATCHES batches deviates by 1.36 / sqrt(BATCHES) of their
 * standard deviation, which is 1.48 times what lies between quartile and middle: 0.37 of the square. */
static double point_error(const struct noise *noise, double tolerance)
{
    double error = confidence_within(noise->spread, tolerance) + confidence_within(noise->bias, tolerance) +
                   0.37 * confidence_within(noise->within, tolerance);
    return error < 1 ? error : 1;
}

/* The share of points, among all of two plateaus (or all after the last one, when the curve climbs on), that lie on the
 * other side of a border between them; never less than what so many points can exclude (Laplace's rule of succession).
 */
static double strays(const struct latency *latency, const struct plateau *low, const struct plateau *high,
                     double border)
{
    unsigned stray = 0, count = 0;
    for (unsigned i = low->first; i <= low->last; i++, count++)
        stray += latency->cycles[i] > border;
    for (unsigned i = high ? high->first : low->last + 1; i <= (high ? high->last : latency->count - 1); i++, count++)
        stray += latency->cycles[i] < border;
    return (stray + 1.0) / (count + 2.0);
}

/* The error of an end: how often noise would take a point across the border halfway up the step, twice, because both
 * points around it are measured again with other orders, and must lie on their sides of it again. */
static bool measure_end(struct latency *latency, unsigned index, double *error)
{
    enum { AGAIN = 2 };
    const struct plateau *low = &latency->plateau[index], *high = index + 1 < latency->plateaus ? low + 1 : NULL;
    double border = (low->level + latency->cycles[low->last + 1]) / 2, tolerance = border - low->level;
    struct noise noise = noise_of(latency, low);
    double chance = point_error(&noise, tolerance), stray = strays(latency, low, high, border);
    if (chance < stray)
        chance = stray;
    *error = chance * chance;
    for (unsigned i = 0; i < AGAIN; i++) {
        struct point below, above;
        double least;
        if (!measure_footprint(latency, (uint64_t)latency->point[low->last].x, &below, &least) ||
            !measure_footprint(latency, (uint64_t)latency->point[low->last + 1].x, &above, &least))
            return false;
        if (below.low > border || above.low < border)
            *error = 1;
    }
    return true;
}

/* The id of a plateau's finding: latency.N.what. */
static void plateau_id(char id[28], unsigned number, const char *what)
{
    struct text text = text_in(id, 28);
    text_format(&text, "latency.%u.%s", number, what);
}

/* Notes a value, or that noise hides it when it is rather wrong than right. */
static void note_unless_noise(struct latency *latency, const char *id, double value, const char *unit, double error,
                              uint64_t cost, const char *method)
{
    double confidence = confidence_from(error);
    if (confidence >= 0.5)
        note_value(latency->notebook, id, value, unit, confidence, cost, method);
    else
        note_missing(latency->notebook, id, unit, cost, "noise: it is as large as the step, or a second look differs");
}

/* The end of a plateau: a size only where physical order is certain. */
static void note_end(struct latency *latency, unsigned index, double error, uint64_t cost)
{
    const struct plateau *plateau = &latency->plateau[index];
    double end = latency->point[plateau->last].x;
    char id[28];
    plateau_id(id, index + 1, "ends");
    if (plateau->last + 1 == latency->count)
        note_missing(latency->notebook, id, "bytes", cost, "no next level seen up to %llu bytes",
                     (unsigned long long)latency->point[latency->count - 1].x);
    else if (end > (double)latency->stretch.contiguous && !latency->contiguous)
        note_missing(latency->notebook, id, "bytes", cost, "physical order unknown beyond %llu bytes",
                     (unsigned long long)latency->stretch.contiguous);
    else
        note_unless_noise(latency, id, end, "bytes", error + latency->end[index], cost,
                          "largest footprint on the plateau, in stops of 64 bytes, four (above 16 MB two) an octave");
}

/* before: the error of all ends before this plateau, without which it would not be one of its own. */
static void note_plateau(struct latency *latency, unsigned index, double before, uint64_t cost)
{
    const struct plateau *plateau = &latency->plateau[index];
    double points = plateau->last - plateau->first + 1, hz = (double)latency->bench.clock.hz;
    /* A level is told to half of the least step between two, or to 3 %, which a climb too slow to be one may hide. */
    double tolerance = plateau->level * 0.03;
    if (tolerance < LEAST_STEP / 2)
        tolerance = LEAST_STEP / 2;
    struct noise noise = noise_of(latency, plateau);
    double error =
        before + confidence_within(noise.spread, tolerance) / points + confidence_within(noise.bias, tolerance);
    char id[28];
    plateau_id(id, index + 1, "cycles");
    if (latency->bench.cycles_per_tick > 0) {
        note_unless_noise(latency, id, plateau->level, "cycles", error + latency->rate_error, cost,
                          "dependent loads against adds beside them; level by optimal partitioning, to 0.25 or 3 %");
        hz *= latency->bench.cycles_per_tick;
    } else {
        note_missing(latency->notebook, id, "cycles", cost, "core cycles are not known");
    }
    plateau_id(id, index + 1, "ns");
    note_unless_noise(latency, id, plateau->level / hz * 1e9, "ns", error, cost,
                      "dependent loads, first quartile; level by optimal partitioning");
    note_end(latency, index, before, cost);
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
                    (unsigned long long)(latency->count ? latency->point[latency->count - 1].x : 0));
        missing_plateaus(latency->notebook, cost, why);
        return;
    }
    unsigned count = latency->plateaus < MOST_NOTED ? latency->plateaus : MOST_NOTED;
    double error = 0;
    for (unsigned i = 0; i < count; i++) {
        latency->end[i] = 0;
        if (latency->plateau[i].last + 1 < latency->count && !measure_end(latency, i, &latency->end[i]))
            return;
        error += latency->end[i];
    }
    note_unless_noise(latency, "latency.plateaus", count, "", error, cost,
                      "optimal partitioning of the logarithm of the latency; every end measured 3 times");
    error = 0;
    for (unsigned i = 0; i < count; i++) {
        note_plateau(latency, i, error, cost);
        error += latency->end[i];
    }
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
    bool ready = rate_measure(&latency.bench, &rate);
    latency.rate_error = rate.error;
    if (ready)
        sweep_all(&latency, stretch_available(machine));
    if (!bench_ok(&latency.bench))
        missing(notebook, machine_steps(machine), reason(&latency));
    else if (!noted(notebook, "latency.plateaus"))
        missing(notebook, 0, "no memory could be mapped");
    return !latency.bench.skipped;
}
