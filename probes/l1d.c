// SPDX-License-Identifier: BSD-2-Clause
/* l1d.c: capacity, ways and line of the first-level data cache.
 *
 * Findings: l1d.size (bytes), l1d.ways, l1d.line (bytes).
 *
 * The algorithms are X-Ray's (paper 000, Figures 6 and 8) with every question "is this sequence compact?" put as a
 * decision against a control in the same pages that is compact for certain, and the smallest effect derived rather than
 * assumed: a lap over N stops that do not fit has at least one miss, so a load loses at least (next level - hit) / N.
 *
 * 1. Grow a dense walk until it is slower than its control: that bounds the capacity, and twice that tells the next
 *    level's time.
 * 2. At a stride near the way size, find the fewest stops that do not fit. While half as many do not fit at twice the
 *    stride, or as many at half of it, move there. That ends at the smallest power-of-two stride at which all stops
 *    fall into one set, or into an odd number of them when the number of sets is no power of two: odd multiples of the
 *    stride settle which.
 * 3. Ask again with other orders and another base, and check that twice as many stops fit, and one more does not, at
 *    half of the stride.
 * 4. Line: two half groups that overfill a set together, one moved up by a growing distance: they part at the line. */
#include "base/random.h"
#include "base/text.h"
#include "probes/confidence.h"
#include "probes/hit.h"
#include "probes/probes.h"
#include "probes/rate.h"
#include "probes/stretch.h"

enum {
    DENSE = 64,         /* bytes between the stops of the growing walk: at most the way size of any cache */
    SMALLEST = 1 << 10, /* first footprint, bytes */
    LARGEST = 4 << 20,  /* no first level is larger, bytes */
    MOST_STOPS = 520,   /* of a sequence in one set */
    LEAST_BATCH = 1024, /* steps */
    MOST_BATCH = 32768,
    ATTEMPTS = 24,
    MOMENTS = 8,
    LINE_MOST = 1024 /* bytes */
};

/* Errors that a decision may have: of the search, whose result is asked for again, and of the checks. */
static const double SEARCH_ERROR = 3e-3, CHECK_ERROR = 1e-4;

struct l1d {
    struct bench bench;
    struct stretch stretch;
    uint64_t base;     /* where sequences start */
    double least;      /* ticks: what a miss costs more than a hit at the very least */
    double miss;       /* ticks that a miss costs more than a hit */
    double error;      /* sum of the errors of the checks that the answer rests on */
    double slowness;   /* of the overflows that were checked the least, in misses a load */
    bool undecided;    /* a decision stayed open */
    const char *wrong; /* which check failed */
    uint64_t bound;    /* bytes: a dense walk of this size does not fit */
    uint64_t stride, ways;
};

/* Ticks that a load of a lap over `count` stops loses at least when they do not fit. A line
 * that the calls between the batches left in a full set costs a lap of misses before it is gone: a batch must be so
 * long that two misses a stop make half of the effect. Where that is too long, more misses a lap are demanded. */
static double least_effect(const struct l1d *l1d, uint64_t count, uint64_t *steps)
{
    uint64_t needed = 8 * count * count;
    *steps = needed < LEAST_BATCH ? LEAST_BATCH : needed > MOST_BATCH ? MOST_BATCH : needed;
    uint64_t misses = (needed + *steps - 1) / *steps;
    return l1d->miss * (double)misses / (double)count;
}

/* Whether the stops do not fit. Sets undecided when noise leaves it open. */
static bool overflows(struct l1d *l1d, const struct stops *stops, double error, struct answer *answer)
{
    struct stops quiet = stops_control(stops, l1d->stretch.page);
    *answer = (struct answer){.verdict = UNDECIDED, .error = 1};
    if (!bench_ok(&l1d->bench))
        return false;
    if (stops->base + stops_extent(stops) > l1d->stretch.base + l1d->stretch.size) {
        l1d->wrong = "a walk needs more memory than there is";
        return false;
    }
    /* A control that lies in the signal's own lines would change its links, but never shares a link of another stop:
     * link it first, the signal last, and give it a word of its own. */
    quiet.base += 8;
    struct walk control = walk_over(&quiet, OP_LOAD, bench_seed(&l1d->bench));
    struct walk signal = walk_over(stops, OP_LOAD, bench_seed(&l1d->bench));
    struct question question = {.signal = &signal, .control = &control, .error = error};
    question.effect = least_effect(l1d, signal.length, &question.steps);
    if (!bench_link(&l1d->bench, &control) || !bench_link(&l1d->bench, &signal) ||
        !sample_compare(&l1d->bench, &question, answer))
        return false;
    l1d->undecided |= answer->verdict == UNDECIDED;
    return answer->verdict == SLOWER;
}

static bool sequence_overflows(struct l1d *l1d, uint64_t stride, uint64_t count)
{
    struct stops stops = stops_sequence(l1d->base, stride, count);
    struct answer answer;
    return overflows(l1d, &stops, SEARCH_ERROR, &answer);
}

static bool usable(const struct l1d *l1d)
{
    return bench_ok(&l1d->bench) && !l1d->undecided && !l1d->wrong;
}

/* A check: the sequence must fit, or must not. How slow one that must not was is kept. */
static void check(struct l1d *l1d, uint64_t stride, uint64_t count, bool overflow, const char *wrong)
{
    struct stops stops = stops_sequence(l1d->base, stride, count);
    struct answer answer;
    if (!usable(l1d) || stride < 16)
        return;
    if (overflows(l1d, &stops, CHECK_ERROR, &answer) != overflow)
        l1d->wrong = wrong;
    l1d->error += answer.error;
    double slowness = (answer.signal - answer.control) / l1d->miss;
    if (overflow && slowness < l1d->slowness)
        l1d->slowness = slowness;
}

/* Step 1. Ticks that a load of a dense walk takes more than its control; whether that is half a core cycle or more. */
static bool grown(struct l1d *l1d, uint64_t footprint, double least, double *more)
{
    struct stops stops = stops_sequence(l1d->stretch.base, DENSE, footprint / DENSE);
    struct stops quiet = stops_control(&stops, l1d->stretch.page);
    quiet.base += 8;
    struct walk control = walk_over(&quiet, OP_LOAD, bench_seed(&l1d->bench));
    struct walk signal = walk_over(&stops, OP_LOAD, bench_seed(&l1d->bench));
    struct question question = {
        .signal = &signal, .control = &control, .steps = 2048, .effect = least, .error = SEARCH_ERROR};
    struct answer answer;
    if (!bench_link(&l1d->bench, &control) || !bench_link(&l1d->bench, &signal) ||
        !sample_compare(&l1d->bench, &question, &answer))
        return false;
    *more = answer.signal - answer.control;
    return answer.verdict == SLOWER;
}

static bool find_bound(struct l1d *l1d, uint64_t *seen)
{
    /* Just above the capacity a quarter of the loads miss at least, and a footprint that is a power of two lies well
     * above: half of the least cost shows. */
    double more = 0, next = 0;
    for (uint64_t size = SMALLEST; size <= LARGEST && 2 * size <= l1d->stretch.size; size *= 2) {
        if (!bench_ok(&l1d->bench))
            return false;
        *seen = size;
        if (!grown(l1d, size, l1d->least / 2, &more))
            continue;
        if (!grown(l1d, 2 * size, l1d->least / 2, &next) || next < l1d->least / 2)
            continue;
        l1d->bound = size;
        l1d->miss = next;
        return true;
    }
    return false;
}

/* The most stops that fit at a stride; 0: undecided, or more than can be tried. */
static uint64_t most_fitting(struct l1d *l1d, uint64_t stride)
{
    uint64_t fits = 0, over = 1;
    while (over <= MOST_STOPS && usable(l1d) && !sequence_overflows(l1d, stride, over)) {
        fits = over;
        over *= 2;
    }
    while (usable(l1d) && over <= MOST_STOPS && over - fits > 1) {
        uint64_t middle = fits + (over - fits) / 2;
        if (sequence_overflows(l1d, stride, middle))
            over = middle;
        else
            fits = middle;
    }
    if (usable(l1d) && over > MOST_STOPS)
        l1d->wrong = "more stops fit in a set than can be tried";
    return usable(l1d) ? fits : 0;
}

/* Step 2: stride and ways. False: undecided. */
static bool find_way(struct l1d *l1d)
{
    l1d->stride = l1d->bound / 16;
    l1d->ways = most_fitting(l1d, l1d->stride);
    if (!l1d->ways)
        return false;
    /* Upwards while every set gets fewer stops of the walk but still too many; downwards while all stay in one set. */
    while (usable(l1d) && l1d->ways > 1 && sequence_overflows(l1d, 2 * l1d->stride, l1d->ways / 2 + 1)) {
        l1d->stride *= 2;
        l1d->ways = most_fitting(l1d, l1d->stride);
    }
    while (usable(l1d) && l1d->stride >= 32 && sequence_overflows(l1d, l1d->stride / 2, l1d->ways + 1))
        l1d->stride /= 2;
    for (uint64_t odd = l1d->ways | 1; usable(l1d) && odd > 1; odd -= 2)
        if (l1d->ways % odd == 0 && sequence_overflows(l1d, odd * l1d->stride, l1d->ways / odd + 1)) {
            l1d->stride *= odd;
            l1d->ways /= odd;
            break;
        }
    return usable(l1d) && l1d->ways;
}

/* With many ways one miss a lap is below what a batch of sensible length can show; then the first walk that does not
 * fit must at least be halfway to missing always, or what was found is not one set. */
static void check_all_miss(struct l1d *l1d)
{
    struct stops stops = stops_sequence(l1d->base, l1d->stride, l1d->ways + 1);
    struct answer answer;
    uint64_t steps;
    if (!usable(l1d) || least_effect(l1d, stops.count, &steps) * (double)stops.count < l1d->miss * 1.5)
        return;
    if (!overflows(l1d, &stops, CHECK_ERROR, &answer) || answer.signal - answer.control < l1d->miss / 2)
        l1d->wrong = "the overflow of a large set is not seen for certain";
}

/* Step 3, from whatever base is set. */
static void check_way(struct l1d *l1d)
{
    check(l1d, l1d->stride, l1d->ways, false, "as many stops as ways do not fit the second time");
    check(l1d, l1d->stride, l1d->ways + 1, true, "one stop more than ways fits the second time");
}

static void check_twice(struct l1d *l1d)
{
    check(l1d, 2 * l1d->stride, l1d->ways, false, "as many stops as ways do not fit at twice the stride");
    check(l1d, 2 * l1d->stride, l1d->ways + 1, true, "one stop more than ways fits at twice the stride");
    for (uint64_t odd = 3; odd <= l1d->ways; odd += 2)
        if (l1d->ways % odd == 0)
            check(l1d, odd * l1d->stride, l1d->ways / odd + 1, false,
                  "an odd multiple of the stride holds fewer stops");
}

static void check_half(struct l1d *l1d)
{
    check(l1d, l1d->stride / 2, 2 * l1d->ways, false, "half of the stride holds less than twice the stops");
    check(l1d, l1d->stride / 2, 2 * l1d->ways + 1, true, "half of the stride holds more than twice the stops");
}

/* The control of the sequence that one set decides on must itself be as fast as a few neighbours: if its stops did not
 * fit either, an overflow would hide behind it. */
static void check_control(struct l1d *l1d)
{
    struct stops stops = stops_sequence(l1d->base, l1d->stride, l1d->ways + 1),
                 control = stops_control(&stops, l1d->stretch.page);
    struct stops neighbours = stops_sequence(l1d->base & ~(uint64_t)63, 16, NEIGHBOURS);
    struct answer answer;
    if (!usable(l1d))
        return;
    neighbours.base += 8;
    struct walk few = walk_over(&neighbours, OP_LOAD, bench_seed(&l1d->bench));
    struct walk signal = walk_over(&control, OP_LOAD, bench_seed(&l1d->bench));
    struct question question = {.signal = &signal, .control = &few, .error = CHECK_ERROR};
    question.effect = least_effect(l1d, signal.length, &question.steps);
    if (!bench_link(&l1d->bench, &few) || !bench_link(&l1d->bench, &signal) ||
        !sample_compare(&l1d->bench, &question, &answer))
        return;
    l1d->undecided |= answer.verdict == UNDECIDED;
    l1d->error += answer.error;
    if (answer.verdict == SLOWER)
        l1d->wrong = "stops spread over the sets are slower than neighbours";
}

/* Two half groups that together overfill a set, the second moved up by `shift` bytes. */
static bool halves_overflow(struct l1d *l1d, uint64_t shift, double error, struct answer *answer)
{
    struct stops stops = stops_sequence(l1d->base, l1d->stride, l1d->ways + 1);
    stops.shifted_from = (l1d->ways + 1) / 2;
    stops.shift = shift;
    return overflows(l1d, &stops, error, answer);
}

/* Step 4. The line's size, 0 when undecided. A line of 16 bytes or less cannot be told from one of 16: stops hold two
 * words. */
static uint64_t find_line(struct l1d *l1d, double *errors)
{
    struct answer answer;
    uint64_t line = 16;
    while (line <= LINE_MOST && usable(l1d) && halves_overflow(l1d, line, SEARCH_ERROR, &answer))
        line *= 2;
    /* One set: every stride of at least a line leads to it, and the smallest is the line. */
    if (usable(l1d) && line > LINE_MOST && l1d->stride <= LINE_MOST)
        return l1d->stride;
    if (usable(l1d) && line > LINE_MOST)
        l1d->wrong = "no distance parts the halves of an overfull set";
    if (usable(l1d) && line == 16)
        l1d->wrong = "lines of 16 bytes or less, or halves that never met";
    if (!usable(l1d))
        return 0;
    if (halves_overflow(l1d, line, CHECK_ERROR, &answer))
        l1d->wrong = "the halves part at a line's distance only once";
    *errors += answer.error;
    if (usable(l1d)) {
        if (!halves_overflow(l1d, line - 16, CHECK_ERROR, &answer))
            l1d->wrong = "the halves part below a line's distance";
        *errors += answer.error;
    }
    return usable(l1d) ? line : 0;
}

static void missing(struct notebook *notebook, uint64_t cost, const char *why)
{
    note_missing(notebook, "l1d.size", "bytes", cost, "%s", why);
    note_missing(notebook, "l1d.ways", "ways", cost, "%s", why);
    note_missing(notebook, "l1d.line", "bytes", cost, "%s", why);
}

static const char *reason(const struct l1d *l1d)
{
    if (l1d->bench.skipped)
        return "skipped";
    if (l1d->bench.refused)
        return machine_why(l1d->bench.machine);
    if (l1d->wrong)
        return l1d->wrong;
    return "noise left a decision open, or the memory is too small";
}

/* A base anywhere in the memory that leaves `extent` bytes above it, in whole lines and at a page offset from KEPT up.
 * It differs from one attempt to the next: some sets hold lines that the machine itself uses between two batches. */
static uint64_t some_base(struct l1d *l1d, uint64_t extent)
{
    enum { PAGE = 4096, UNIT = 256 };
    struct random random = {bench_seed(&l1d->bench)};
    uint64_t pages = l1d->stretch.size / PAGE, needed = extent / PAGE + 2;
    uint64_t page = pages > needed ? random_below(&random, pages - needed) : 0;
    return l1d->stretch.base + page * PAGE + KEPT + random_below(&random, (PAGE - KEPT) / UNIT) * UNIT;
}

/* A neighbour that shares the core can hold ways for as long as it is busy, and then fewer stops fit than there are
 * ways: at no moment of many may one stop more than the ways fit. */
static void check_moments(struct l1d *l1d)
{
    for (unsigned moment = 0; moment < MOMENTS && usable(l1d); moment++) {
        bench_wait(&l1d->bench, 2);
        l1d->base = some_base(l1d, l1d->stride * (l1d->ways + 1));
        check(l1d, l1d->stride, l1d->ways + 1, true, "one stop more than ways fits another time");
    }
}

/* Steps 2 and 3: one attempt. */
static bool attempt_way(struct l1d *l1d)
{
    l1d->undecided = false;
    l1d->wrong = NULL;
    l1d->error = 0;
    l1d->base = l1d->stretch.base + some_base(l1d, 0) % 4096;
    if (!find_way(l1d))
        return false;
    l1d->slowness = 1;
    check_control(l1d);
    check_all_miss(l1d);
    for (unsigned again = 0; again < 3 && usable(l1d); again++) {
        bench_wait(&l1d->bench, 1);
        check_way(l1d);
        l1d->base = some_base(l1d, 2 * l1d->stride * (l1d->ways + 1));
    }
    check_twice(l1d);
    check_moments(l1d);
    double slowness = l1d->slowness;
    check_half(l1d);
    l1d->slowness = slowness; /* of one set alone: at half of the stride only one of two is overfull */
    return usable(l1d);
}

/* Attempts until two of them, each from bases and orders of its own, agree. False: there were no such two. failed:
 * attempts that contradicted themselves or another. */
static bool agreed_way(struct l1d *l1d, unsigned *failed)
{
    uint64_t stride = 0, ways = 0;
    double error = 0, slowness = 1;
    *failed = 0;
    while (*failed < ATTEMPTS && bench_ok(&l1d->bench)) {
        if (!attempt_way(l1d)) {
            ++*failed;
            bench_wait(&l1d->bench, *failed < 4 ? *failed : 4);
            continue;
        }
        if (l1d->stride == stride && l1d->ways == ways) {
            /* Both rest on their own decisions, and one of them alone would do. */
            l1d->error = l1d->error < error ? l1d->error : error;
            l1d->slowness = l1d->slowness < slowness ? l1d->slowness : slowness;
            return true;
        }
        *failed += ways != 0;
        stride = l1d->stride;
        ways = l1d->ways;
        error = l1d->error;
        slowness = l1d->slowness;
    }
    if (usable(l1d))
        l1d->wrong = "no two measurements agree";
    return false;
}

static void measure_way(struct l1d *l1d, struct notebook *notebook, uint64_t start)
{
    struct machine *machine = l1d->bench.machine;
    unsigned attempt = 0;
    bool found = agreed_way(l1d, &attempt);
    uint64_t cost = machine_steps(machine) - start;
    if (!found) {
        missing(notebook, cost, reason(l1d));
        return;
    }
    /* Every attempt that contradicted itself was one more chance for a wrong one to go unnoticed. */
    double confidence = confidence_from(l1d->error * (1 + attempt));
    /* A set that is overfull by one line misses on every visit under the policies of first levels (LRU, FIFO, trees of
     * bits: simulated). Less than that is rather the doing of a neighbour that kept lines of its own in every set for
     * as long as this took. */
    if (l1d->slowness < 0.8)
        confidence *= 0.8;
    /* A core on which adds and multiplies never agree is not measured in peace, or is emulated. */
    if (l1d->bench.cycles_per_tick <= 0)
        confidence *= 0.8;
    note_value(notebook, "l1d.ways", (double)l1d->ways, "ways", confidence, cost,
               "X-Ray Figure 6: the most stops that fit at the stride of one set");
    note_value(notebook, "l1d.size", (double)(l1d->ways * l1d->stride), "bytes", confidence, cost,
               "X-Ray Figure 6: ways times the smallest stride of one set");
}

static void measure_line(struct l1d *l1d, struct notebook *notebook)
{
    uint64_t before = machine_steps(l1d->bench.machine), line = 0;
    double errors = 0;
    for (unsigned attempt = 0; attempt < ATTEMPTS && !line && bench_ok(&l1d->bench); attempt++) {
        bench_wait(&l1d->bench, attempt < 4 ? attempt : 4);
        l1d->undecided = false;
        l1d->wrong = NULL;
        errors = 0;
        /* Aligned to any line that can be found, and such that the halves of a longer one never part. */
        l1d->base = l1d->stretch.base + bench_seed(&l1d->bench) % 3 * 4096 + 2 * LINE_MOST;
        line = find_line(l1d, &errors);
    }
    uint64_t cost = machine_steps(l1d->bench.machine) - before;
    double confidence = confidence_from(errors + l1d->error), of_ways = noted(notebook, "l1d.ways")->confidence;
    uint64_t of_ways_cost = noted(notebook, "l1d.ways")->cost;
    if (line)
        note_value(notebook, "l1d.line", (double)line, "bytes", confidence < of_ways ? confidence : of_ways, cost,
                   "X-Ray Figure 8: two halves of an overfull set part at a line's distance");
    else
        note_missing(notebook, "l1d.line", "bytes", cost, "%s", reason(l1d));
    if (line || !bench_ok(&l1d->bench))
        return;
    /* The smallest stride of one set is the way size only if it is no shorter than a line, which is not known now. */
    note_value(notebook, "l1d.size", (double)(l1d->ways * l1d->stride), "bytes", of_ways * 0.8, of_ways_cost,
               "X-Ray Figure 6: ways times the smallest stride of one set, if a line is no longer than that");
}

bool probe_l1d(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    enum { LARGE_PAGE = 2 << 20 };
    struct l1d l1d = {.bench = bench_open(machine, request->seed ^ 0x6c3164)};
    uint64_t start = machine_steps(machine), seen = 0;
    struct rate rate;
    if (!stretch_best(machine, LARGE_PAGE, LARGE_PAGE, 2 * LARGEST, &l1d.stretch)) {
        missing(notebook, 0, machine_why(machine));
        return true;
    }
    l1d.base = l1d.stretch.base + KEPT;
    bool ready = rate_measure(&l1d.bench, &rate);
    if (ready && hit_least_miss(&l1d.bench, l1d.base, &l1d.least) && find_bound(&l1d, &seen)) {
        l1d.bench.permille = 200;
        measure_way(&l1d, notebook, start);
        l1d.bench.permille = 800;
        if (noted(notebook, "l1d.ways") && noted(notebook, "l1d.ways")->measured)
            measure_line(&l1d, notebook);
    } else if (bench_ok(&l1d.bench)) {
        char why[64];
        struct text text = text_in(why, sizeof why);
        text_format(&text, "no step seen up to %llu bytes", (unsigned long long)seen);
        missing(notebook, machine_steps(machine) - start, why);
    }
    if (!bench_ok(&l1d.bench))
        missing(notebook, machine_steps(machine) - start, reason(&l1d));
    stretch_unmap(machine, &l1d.stretch);
    return !l1d.bench.skipped;
}
