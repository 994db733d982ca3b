// SPDX-License-Identifier: BSD-2-Clause
/* l1d.c: capacity, ways and line of the first-level data cache.
 *
 * Findings: l1d.size (bytes), l1d.ways, l1d.line (bytes).
 *
 * Every question is whether lines fit into the cache together (probes/fit.h). Ways and the size of a way follow from
 * the fewest lines that do not (probes/way.c), the line from half of those, moved (probes/line.c). An answer is given
 * when two measurements with orders and places of their own agree. */
#include "base/text.h"
#include "probes/confidence.h"
#include "probes/hit.h"
#include "probes/line.h"
#include "probes/pause.h"
#include "probes/probes.h"
#include "probes/rate.h"
#include "probes/tries.h"

enum { ATTEMPTS = 12, CLOSER = 3, FARTHER = 4, PATIENT = 12, LATER = 10, MOST_VISITS = 16 << 20 };

static void missing(struct notebook *notebook, uint64_t cost, const char *why)
{
    note_missing(notebook, "l1d.size", "bytes", cost, "%s", why);
    note_missing(notebook, "l1d.ways", "ways", cost, "%s", why);
    note_missing(notebook, "l1d.line", "bytes", cost, "%s", why);
}

static const char *reason(const struct fit *fit)
{
    if (fit->bench.skipped)
        return "skipped";
    if (fit->bench.refused)
        return machine_why(fit->bench.machine);
    if (fit->wrong)
        return fit->wrong;
    return "noise left a decision open, or the memory is too small";
}

static void begin(struct fit *fit, unsigned attempt)
{
    fit->undecided = false;
    fit->wrong = NULL;
    fit->error = 0;
    fit->pattern = attempt;
}

/* Searches until two of them, each from bases and orders of its own, agree. False: there were no such two. failed:
 * searches that contradicted themselves or another are added. */
static bool agreed_way(struct fit *fit, uint64_t bound, unsigned closer, struct way *way, unsigned *failed)
{
    struct way before = {.ways = 0};
    double error = 0;
    uint64_t start = machine_steps(fit->bench.machine);
    unsigned attempt = 0;
    /* What longer distances told of a miss may be one of the next level, too. */
    if (fit_is_large(fit))
        fit->miss = fit->dense;
    if (fit->emptied)
        fit_forget(fit);
    fit->emptied = false;
    while (attempt < ATTEMPTS && bench_ok(&fit->bench) &&
           (before.ways || machine_steps(fit->bench.machine) - start < MOST_VISITS)) {
        begin(fit, attempt % FIT_PATTERNS);
        if (!way_find(fit, bound, closer, way)) {
            ++attempt;
            ++*failed;
            bench_wait(&fit->bench, attempt < 4 ? attempt : 4);
            continue;
        }
        if (way->ways == before.ways && way->single == before.single && (way->single || way->size == before.size)) {
            /* Both rest on their own decisions, and one of them alone would do. */
            fit->error = fit->error < error ? fit->error : error;
            return true;
        }
        attempt += before.ways != 0;
        *failed += before.ways != 0;
        before = *way;
        error = fit->error;
    }
    if (fit_usable(fit))
        fit->wrong = "no two measurements agree";
    return false;
}

/* What is certain of ways: every search that contradicted itself was one more chance for a wrong one to go unnoticed.
 */
static double confidence_of(const struct fit *fit, unsigned failed)
{
    double confidence = confidence_from(fit->error * (1 + failed));
    /* A core on which adds and multiplies never agree is not measured in peace, or is emulated. */
    if (fit->bench.cycles_per_tick <= 0)
        confidence *= 0.8;
    return confidence;
}

static uint64_t measure_line(struct fit *fit, const struct way *way)
{
    uint64_t line = 0;
    for (unsigned attempt = 0; attempt < ATTEMPTS && !line && bench_ok(&fit->bench); attempt++) {
        bench_wait(&fit->bench, attempt < 4 ? attempt : 4);
        begin(fit, attempt % FIT_PATTERNS);
        fit->base = fit_some_base(fit, fit_apart(fit, way->size) * (way->ways + 2));
        line = line_find(fit, way);
    }
    return line;
}

/* doubt: of the line's own checks; why: what kept them from an end, if anything did. */
static void note_line(uint64_t line, double of_ways, double doubt, const char *why, struct notebook *notebook,
                      uint64_t cost)
{
    double confidence = confidence_from(doubt);
    if (line)
        note_value(notebook, "l1d.line", (double)line, "bytes", confidence < of_ways ? confidence : of_ways, cost,
                   "X-Ray Figure 8: two halves of an overfull set part at a line's distance");
    else
        note_missing(notebook, "l1d.line", "bytes", cost, "%s", why);
}

static void note_way(const struct way *way, uint64_t line, double confidence, struct notebook *notebook, uint64_t cost)
{
    note_value(notebook, "l1d.ways", (double)way->ways, "ways", confidence, cost,
               "X-Ray Figure 6: the most lines of one set that fit");
    if (!way->single)
        note_value(notebook, "l1d.size", (double)(way->ways * way->size), "bytes", confidence, cost,
                   "X-Ray Figure 6: ways times the distance of lines of one set");
    else if (line)
        note_value(notebook, "l1d.size", (double)(way->ways * line), "bytes", confidence, cost,
                   "one set: ways times a line");
    else
        note_missing(notebook, "l1d.size", "bytes", cost, "one set, and its line is not known");
}

static void measure(struct fit *fit, uint64_t bound, struct notebook *notebook, uint64_t start)
{
    struct machine *machine = fit->bench.machine;
    struct way way;
    unsigned failed = 0;
    /* Where pages are small for all that is known, somebody else owns the machine: that takes patience. Elsewhere the
     * bound may be what was too low: a way predictor that mixes up the lines of a page makes a dense walk slow that
     * fits. */
    bool large = fit_is_large(fit);
    unsigned tries = large ? CLOSER + 1 : PATIENT;
    for (unsigned closer = 0; closer < tries && bench_ok(&fit->bench); closer++) {
        bool farther = large && closer == CLOSER;
        if (!large && closer >= CLOSER)
            bench_wait(&fit->bench, closer * LATER); /* a neighbour may be busy for seconds */
        if (!agreed_way(fit, farther ? FARTHER * bound : bound, farther ? 0 : closer, &way, &failed))
            continue;
        double confidence = confidence_of(fit, failed);
        uint64_t found = machine_steps(machine), line = measure_line(fit, &way);
        double doubt = fit->error;
        const char *why = reason(fit);
        begin(fit, 0);
        if (!way_holds(fit, &way))
            continue;
        note_line(line, confidence, doubt, why, notebook, machine_steps(machine) - found);
        double doubted = confidence - tries_neighbour(machine); /* who holds ways of all sets, for as long as that */
        note_way(&way, line, doubted > 0 ? doubted : 0, notebook, found - start);
        return;
    }
    missing(notebook, machine_steps(machine) - start, reason(fit));
}

bool probe_l1d(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    enum { LARGE_PAGE = 16 << 20, ENOUGH = 2 << 20, WANTED = 32 << 20 };
    struct fit fit = {.bench = bench_open(machine, request->seed ^ 0x6c3164)};
    uint64_t start = machine_steps(machine);
    struct rate rate;
    uint64_t bound = 0, seen = 0;
    if (!stretch_best(machine, LARGE_PAGE, ENOUGH, WANTED, &fit.stretch)) {
        missing(notebook, 0, machine_why(machine));
        return true;
    }
    fit.base = fit.stretch.base + KEPT;
    bool ready = rate_measure(&fit.bench, &rate);
    if (ready && hit_least_miss(&fit.bench, fit.base, &fit.least) && way_bound(&fit, &bound, &seen)) {
        fit.bench.permille = 200;
        measure(&fit, bound, notebook, start);
    } else if (bench_ok(&fit.bench)) {
        char why[64];
        struct text text = text_in(why, sizeof why);
        text_format(&text, "no step seen up to %llu bytes", (unsigned long long)seen);
        missing(notebook, machine_steps(machine) - start, why);
    }
    if (!bench_ok(&fit.bench))
        missing(notebook, machine_steps(machine) - start, reason(&fit));
    stretch_unmap(machine, &fit.stretch);
    return !fit.bench.skipped;
}
