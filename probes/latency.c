// SPDX-License-Identifier: BSD-2-Clause
/* latency.c: mean load latency against footprint, and the plateaus of that curve.
 *
 * Findings: latency.plateaus (how many were seen), and for each plateau N, from 1:
 *   latency.N.cycles   core cycles of a load, the middle of the plateau; of a level that is nowhere level, the curve at
 *                      the geometric middle between its ends
 *   latency.N.ns       the same in nanoseconds
 *   latency.N.ends     bytes: the largest footprint measured that is not yet an eighth of the way up to the next level;
 *                      the next one measured lies a quarter of an octave further on (half an octave above 16 MB)
 *   latency.4k.sizes, latency.2m.sizes, latency.1g.sizes   footprints measured with pages of that size; the same for
 *                      other page sizes that a machine has
 * Series: latency.4k, latency.2m, latency.1g: core cycles (or ticks, when cycles are not known) against bytes.
 *
 * A footprint is walked line by line in pseudo-random cyclic order: once to fill, then a whole lap more, of which
 * batches are timed, each beside a batch of dependent adds that tells the core clock of that very moment. The plateaus
 * come from the curve with the largest pages, where translation costs least. The sweep goes on to 8 times the last step
 * (64 times while the curve still climbs), and to 64 MB at least: a first level of 32 KB may be followed by a second
 * one of 2 MB, and no step in between says that it is there. Where no step at all is seen it ends at 16 MB. */
#include "base/text.h"
#include "probes/confidence.h"
#include "probes/curve.h"
#include "probes/probes.h"
#include "probes/rate.h"

enum {
    USUALLY = 1 << 30, /* bytes: no sweep goes further without all_memory */
    MOST_NOTED = 8     /* plateaus */
};

/* An end at the border is right or one footprint off, and the value of a level that is nowhere level is read off a
 * climb: how often either is wrong is not known from this run's noise. */
static const double NEAR_BORDER = 0.1, ROUNDED_OFF = 0.1;

struct latency {
    struct bench bench;
    struct curve curve;
    struct notebook *notebook;
    bool contiguous;
    double rate_error;          /* that an add is not a core cycle */
    unsigned end[MAX_PLATEAUS]; /* the point at which each plateau ends */
    double end_error[MAX_PLATEAUS];
};

/* One curve, and the series of it. */
static void sweep(struct latency *latency, const char *id, enum density density)
{
    struct curve *curve = &latency->curve;
    struct series *series =
        note_series(latency->notebook, id, "bytes", latency->bench.cycles_per_tick > 0 ? "cycles" : "ticks");
    curve_measure(curve, density);
    for (unsigned i = 0; i < curve->count; i++)
        note_point(latency->notebook, series, curve->point[i]);
}

/* What noise does to one point of a plateau, in its unit, and how far off the whole level may be. */
struct noise {
    double spread; /* standard deviation of points, from their quartiles */
    double bias;   /* points may be too slow: how far they lie above their quickest batch; and the clock's step */
    double within; /* middle distance from the first quartile of a point's batches to their middle */
};

static struct noise noise_of(const struct curve *curve, const struct plateau *plateau)
{
    double value[MAX_SERIES_LENGTH], above[MAX_SERIES_LENGTH], within[MAX_SERIES_LENGTH];
    unsigned count = 0;
    for (unsigned i = plateau->first; i <= plateau->last; i++, count++) {
        value[count] = curve->cycles[i];
        above[count] = curve->cycles[i] - curve->least[i];
        within[count] = curve->point[i].middle - curve->point[i].low;
    }
    double rate = curve->bench->cycles_per_tick, step = (double)curve->bench->clock.step / 2;
    struct noise noise = {.bias = quantile(above, count, 0.5)};
    noise.spread = (quantile(value, count, 0.75) - quantile(value, count, 0.25)) / 1.349;
    noise.within = quantile(within, count, 0.5);
    if (noise.bias < 0)
        noise.bias = 0;
    /* The clock's step hides half of itself in a batch, and in the adds beside it. */
    noise.bias += step / CURVE_BATCH * (rate > 0 ? rate : 1);
    if (rate > 0)
        noise.bias += step * rate / (double)curve_adds(curve->bench) * plateau->level;
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

/* The share of points, of a plateau up to its end and of all up to the next one's last, that lie on the other side of a
 * border between them; never less than what so many points can exclude (Laplace's rule of succession). */
static double strays(const struct curve *curve, unsigned index, unsigned end, double border)
{
    unsigned last = index + 1 < curve->plateaus ? curve->plateau[index + 1].last : curve->count - 1;
    unsigned first = curve->plateau[index].first, stray = 0;
    for (unsigned i = first; i <= last; i++)
        stray += i <= end ? curve->cycles[i] > border : curve->cycles[i] < border;
    return (stray + 1.0) / (last - first + 3.0);
}

/* A plateau ends where the curve has climbed an eighth of the way to the next one (or to the last point, where none
 * follows). Before that a hashed set or two overflow, or a policy lets a few loads miss: the capacity is not exceeded
 * yet; a sixteenth more than the capacity costs at least as much under LRU. */
static double border_of(const struct curve *curve, unsigned index)
{
    const struct plateau *low = &curve->plateau[index];
    double high = index + 1 < curve->plateaus ? low[1].level : curve->cycles[curve->count - 1];
    return low->level + (high - low->level) / 8;
}

static unsigned end_of(const struct curve *curve, unsigned index, double border)
{
    const struct plateau *low = &curve->plateau[index];
    unsigned end = low->last, most = index + 1 < curve->plateaus ? low[1].first : curve->count;
    /* What climbs on to less than the least factor is no other level. */
    if (index + 1 == curve->plateaus && curve->cycles[curve->count - 1] < low->level * curve_least_ratio)
        return curve->count - 1;
    while (end + 1 < most && curve->cycles[end + 1] < border)
        end++;
    return end;
}

/* Measures both footprints around an end again, with other orders. *lower, *higher: whether a footprint lies on the
 * other side of the border now. The one above is judged by its middle: where a policy adapts, some parts of a lap hit
 * and others miss. */
static bool look_again(struct curve *curve, unsigned end, double border, bool *lower, bool *higher)
{
    enum { LAPS = 4 };
    struct point below, above;
    double least;
    if (!curve_footprint(curve, (uint64_t)curve->point[end].x, LAPS, &below, &least) ||
        !curve_footprint(curve, (uint64_t)curve->point[end + 1].x, LAPS, &above, &least))
        return false;
    *lower = below.low > border;
    *higher = above.middle < border;
    return true;
}

/* Where a plateau ends, and the error of that: how often noise would take a point across the border, twice, because
 * the point at the end must lie below it twice more, and the next one above it once more. An end so near to the border
 * that another order lifts it over is none: the footprint before is asked for. */
static bool measure_end(struct latency *latency, unsigned index)
{
    enum { AGAIN = 2 };
    struct curve *curve = &latency->curve;
    double border = border_of(curve, index), tolerance = border - curve->plateau[index].level;
    unsigned end = end_of(curve, index, border), looks = 0, high = 0, moves = 0;
    latency->end_error[index] = 0;
    while (looks < AGAIN && end + 1 < curve->count) {
        bool lower, higher;
        if (!look_again(curve, end, border, &lower, &higher))
            return false;
        looks = lower ? 0 : looks + 1;
        high += higher;
        if (lower && end == curve->plateau[index].first)
            break;
        end -= lower;
        moves += lower;
    }
    latency->end[index] = end;
    if (end + 1 >= curve->count)
        return true;
    struct noise noise = noise_of(curve, &curve->plateau[index]);
    double chance = point_error(&noise, tolerance), stray = strays(curve, index, end, border);
    if (chance < stray)
        chance = stray;
    /* After a move the one above is the one at the border, on whichever side; after two, nobody knows where it is. */
    bool vague = looks < AGAIN || moves > 1 || (high == AGAIN && !moves);
    latency->end_error[index] = vague ? 1 : chance * chance + (moves ? NEAR_BORDER : 0);
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
    const struct curve *curve = &latency->curve;
    double end = curve->point[latency->end[index]].x;
    char id[28];
    plateau_id(id, index + 1, "ends");
    if (latency->end[index] + 1 >= curve->count)
        note_missing(latency->notebook, id, "bytes", cost, "no next level seen up to %llu bytes",
                     (unsigned long long)curve->point[curve->count - 1].x);
    else if (end > (double)curve->stretch.contiguous && !latency->contiguous)
        note_missing(latency->notebook, id, "bytes", cost, "physical order unknown beyond %llu bytes",
                     (unsigned long long)curve->stretch.contiguous);
    else
        note_unless_noise(
            latency, id, end, "bytes", error + latency->end_error[index], cost,
            "largest footprint less than an eighth up to the next level; four (from 16 MB two) an octave");
}

static const char hidden[] = "a climb of more than 2.5 octaves before it may hide a level: its number is not certain";

static void note_unnumbered(struct latency *latency, unsigned number, uint64_t cost)
{
    static const char *const what[] = {"cycles", "ns", "ends"}, *const unit[] = {"cycles", "ns", "bytes"};
    char id[28];
    for (unsigned i = 0; i < sizeof what / sizeof *what; i++) {
        plateau_id(id, number, what[i]);
        note_missing(latency->notebook, id, unit[i], cost, "%s", hidden);
    }
}

/* before: the error of all ends before this plateau, without which it would not be one of its own. */
static void note_plateau(struct latency *latency, unsigned index, double before, uint64_t cost)
{
    const struct plateau *plateau = &latency->curve.plateau[index];
    double points = plateau->last - plateau->first + 1, hz = (double)latency->bench.clock.hz;
    /* A level is told to half a cycle, or to what counts as level. */
    double tolerance = plateau->level * curve_level;
    if (tolerance < curve_least_step)
        tolerance = curve_least_step;
    struct noise noise = noise_of(&latency->curve, plateau);
    double error = (plateau->first == plateau->last ? ROUNDED_OFF : 0) + before +
                   confidence_within(noise.spread, tolerance) / points + confidence_within(noise.bias, tolerance);
    char id[28];
    plateau_id(id, index + 1, "cycles");
    if (latency->bench.cycles_per_tick > 0) {
        note_unless_noise(
            latency, id, plateau->level, "cycles", error + latency->rate_error, cost,
            "dependent loads against adds beside them; level by optimal partitioning, to half a cycle or 2 %");
        hz *= latency->bench.cycles_per_tick;
    } else {
        note_missing(latency->notebook, id, "cycles", cost, "core cycles are not known");
    }
    plateau_id(id, index + 1, "ns");
    note_unless_noise(latency, id, plateau->level / hz * 1e9, "ns", error, cost,
                      "dependent loads, first quartile; level by optimal partitioning");
    note_end(latency, index, before, cost);
}

/* Every run says something about these sizes, whatever the machine has. */
static const uint64_t usual_pages[] = {1 << 30, 2 << 20, 4 << 10};

enum { USUAL_PAGES = sizeof usual_pages / sizeof *usual_pages, MOST_PAGES = 4 };

/* "latency.4k" and what follows it. */
static void page_id(char id[28], uint64_t page, const char *what)
{
    struct text text = text_in(id, 28);
    unsigned unit = page >> 30 ? 30 : page >> 20 ? 20 : 10;
    text_format(&text, "latency.%u%c%s", (unsigned)(page >> unit), unit == 30 ? 'g' : unit == 20 ? 'm' : 'k', what);
}

static void missing_plateaus(struct notebook *notebook, uint64_t cost, const char *why)
{
    note_missing(notebook, "latency.plateaus", "", cost, "%s", why);
    note_missing(notebook, "latency.1.cycles", "cycles", cost, "%s", why);
    note_missing(notebook, "latency.1.ns", "ns", cost, "%s", why);
    note_missing(notebook, "latency.1.ends", "bytes", cost, "%s", why);
}

/* Why there is no sweep with a usual page size that nothing was said about. */
static void missing_sizes(struct notebook *notebook, uint64_t cost, const char *why)
{
    char id[28];
    for (unsigned i = 0; i < USUAL_PAGES; i++) {
        page_id(id, usual_pages[i], ".sizes");
        if (!noted(notebook, id))
            note_missing(notebook, id, "sizes", cost, "%s", why);
    }
}

/* What the first sweep, with the largest pages, says. */
static void note_plateaus(struct latency *latency, uint64_t cost)
{
    const struct curve *curve = &latency->curve;
    char why[96];
    struct text text = text_in(why, sizeof why);
    if (!curve_last_step(curve)) {
        text_format(&text, "no step seen up to %llu bytes",
                    (unsigned long long)(curve->count ? curve->point[curve->count - 1].x : 0));
        missing_plateaus(latency->notebook, cost, why);
        return;
    }
    curve_round_off(&latency->curve);
    unsigned count = curve->plateaus < MOST_NOTED ? curve->plateaus : MOST_NOTED;
    double error = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!measure_end(latency, i))
            return;
        error += latency->end_error[i];
    }
    if (!count || latency->end[count - 1] + 1 < curve->count)
        note_missing(latency->notebook, "latency.plateaus", "", cost,
                     "after plateau %u the curve climbs up to %llu bytes and finds no other", count,
                     (unsigned long long)curve->point[curve->count - 1].x);
    else if (curve->sure < count)
        note_missing(latency->notebook, "latency.plateaus", "", cost, "%s", hidden);
    else
        note_unless_noise(latency, "latency.plateaus", count, "", error, cost,
                          "optimal partitioning of the logarithm of the latency; every end measured 3 times");
    error = 0;
    for (unsigned i = 0; i < count; i++) {
        if (i < curve->sure)
            note_plateau(latency, i, error, cost);
        else
            note_unnumbered(latency, i + 1, cost);
        error += latency->end_error[i];
    }
}

/* Maps what a sweep may use. False: not one such page fits. */
static bool prepare(struct latency *latency, uint64_t page, uint64_t available)
{
    struct curve *curve = &latency->curve;
    uint64_t wanted = available;
    if (!curve->all_memory && wanted > USUALLY)
        wanted = USUALLY;
    if (!stretch_map(latency->bench.machine, page, wanted, &curve->stretch))
        return false;
    curve->limit = curve->stretch.size < wanted ? curve->stretch.size : wanted;
    return true;
}

static const char *reason(const struct latency *latency)
{
    return latency->bench.skipped ? "skipped" : machine_why(latency->bench.machine);
}

/* One page size. first: the plateaus are taken from it. */
static void sweep_pages(struct latency *latency, uint64_t page, enum density density, bool first)
{
    struct curve *curve = &latency->curve;
    char series[28], sizes[28];
    uint64_t before = machine_steps(latency->bench.machine);
    page_id(series, page, "");
    page_id(sizes, page, ".sizes");
    sweep(latency, series, density);
    uint64_t cost = machine_steps(latency->bench.machine) - before;
    if (bench_ok(&latency->bench)) {
        note_value(latency->notebook, sizes, curve->count, "sizes", confidence_from(0), cost, "footprints measured");
        if (first)
            note_plateaus(latency, cost);
    } else {
        note_missing(latency->notebook, sizes, "sizes", cost, "%s", reason(latency));
    }
}

/* The sweeps, from the largest pages down, where translation costs least. */
static void sweep_all(struct latency *latency, uint64_t available)
{
    struct machine *machine = latency->bench.machine;
    struct curve *curve = &latency->curve;
    unsigned pages = 0;
    bool first = true, flat = false;
    while (pages < MOST_PAGES && machine_page(machine, pages))
        pages++;
    curve->permilles = pages ? 1000 / pages : 0;
    for (unsigned i = pages; i-- && bench_ok(&latency->bench);) {
        char sizes[28];
        uint64_t page = machine_page(machine, i);
        curve->permille = (pages - 1 - i) * curve->permilles;
        page_id(sizes, page, ".sizes");
        if (!prepare(latency, page, available)) {
            note_missing(latency->notebook, sizes, "sizes", 0, "the memory has no such page in one piece");
            continue;
        }
        sweep_pages(latency, page, first ? DENSITY_FULL : flat ? DENSITY_SPARSE : DENSITY_LIGHT, first);
        flat = flat || (first && !curve_last_step(curve));
        first = false;
        stretch_unmap(machine, &curve->stretch);
    }
}

bool probe_latency(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    struct latency latency = {.bench = bench_open(machine, request->seed ^ 0x6c6174),
                              .notebook = notebook,
                              .contiguous = request->contiguous};
    struct rate rate;
    latency.curve.bench = &latency.bench;
    latency.curve.all_memory = request->all_memory;
    bool ready = rate_measure(&latency.bench, &rate);
    latency.rate_error = rate.error;
    if (ready)
        sweep_all(&latency, stretch_available(machine));
    bool good = bench_ok(&latency.bench);
    missing_sizes(notebook, 0, good ? "no pages of that size here" : reason(&latency));
    if (!good || !noted(notebook, "latency.plateaus"))
        missing_plateaus(notebook, machine_steps(machine), good ? "no memory could be mapped" : reason(&latency));
    return !latency.bench.skipped;
}
