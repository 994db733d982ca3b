// SPDX-License-Identifier: BSD-2-Clause
/* line.c: the length of a line.
 *
 * One line more than a set has ways does not fit. Half of them moved up by less than a line are in the set still; by a
 * line, they are in the next set, and both halves fit (X-Ray, paper 000, Figure 8).
 *
 * A prefetcher of the next line that nothing turns off hides that: whatever half lies lower brings the line above it
 * into the other's set, so that the halves part at twice the line only. It cannot hide where lines begin: halves on
 * both sides of a line's boundary part at once where there is no such prefetcher, and with it once there is a whole
 * line between them. So the halves are moved apart twice: from the beginning of lines, and from their last word.
 *
 * Where lines can be flushed, flushing tells pairs of lines from long ones.
 *
 * With a single set nothing parts. Then as many lines as ways are joined by a stop that moves through one of them: it
 * is one line more as soon as it leaves it. */
#include "probes/line.h"

enum {
    WORD = 16, /* bytes: the length of a stop */
    LONGEST = 1024,
    FLUSHED = 4, /* lines */
    FLUSHED_STRIDE = 4096 + 512,
    FAR = 2 * LONGEST, /* from each, and from the next */
    FLUSHES = 15
};

/* Whether lines that together are too many for a set, half of them moved up, are so still. */
static bool halves_meet(struct fit *fit, const struct way *way, uint64_t shift, double error)
{
    struct stops stops = stops_sequence(fit->base, fit_apart(fit, way->size), way->ways + 1);
    struct answer answer;
    stops.shifted_from = (way->ways + 1) / 2;
    stops.shift = shift;
    bool meet = fit_overflows(fit, &stops, error, &answer);
    if (error == FIT_CHECK)
        fit->error += answer.error;
    return meet;
}

/* The least distance, a power of two from WORD up, that parts the halves, counted from `below` bytes below the base; 0
 * when it is below WORD. The halves have to meet just before it. */
static uint64_t parting(struct fit *fit, const struct way *way, uint64_t below)
{
    uint64_t distance = below ? 0 : WORD;
    fit->base -= below;
    while (distance <= LONGEST && fit_usable(fit) && halves_meet(fit, way, distance + below, FIT_SEARCH))
        distance = distance ? 2 * distance : WORD;
    if (fit_usable(fit) && distance > LONGEST)
        fit->wrong = "no distance parts the halves of an overfull set";
    if (fit_usable(fit) && halves_meet(fit, way, distance + below, FIT_CHECK))
        fit->wrong = "the halves part at a line's distance only once";
    if (fit_usable(fit) && distance > WORD && !halves_meet(fit, way, distance + below - WORD, FIT_CHECK))
        fit->wrong = "the halves part below a line's distance";
    fit->base += below;
    return distance;
}

/* One set: the first distance from a line's beginning that is another line. */
static uint64_t leaving(struct fit *fit, const struct way *way)
{
    uint64_t stride = fit_apart(fit, way->size);
    struct stops stops = stops_sequence(fit->base, stride, way->ways + 1);
    struct answer answer;
    stops.shifted_from = way->ways;
    for (uint64_t distance = WORD; distance <= LONGEST && fit_usable(fit); distance *= 2) {
        stops.shift = distance - way->ways * stride;
        if (fit_overflows(fit, &stops, FIT_CHECK, &answer) || !fit_usable(fit)) {
            fit->error += answer.error;
            return distance;
        }
    }
    fit->wrong = "no distance leaves a line";
    return 0;
}

/* Quartiles of the ticks of a lap over a few words after what lies `distance` from each was flushed (CLFLUSH). False:
 * lines cannot be flushed here, or see fit_usable. */
static bool after_flush(struct fit *fit, const struct walk *walk, uint64_t distance, double *first, double *third)
{
    double ticks[FLUSHES];
    struct visit visits[FLUSHED + 1];
    struct reading lap[MAX_LAPS];
    for (unsigned i = 0; i < FLUSHED; i++)
        visits[i] = (struct visit){.op = OP_FLUSH_LINE, .va = stops_address(&walk->stops, i) + distance};
    visits[FLUSHED] = (struct visit){.op = OP_FENCE};
    for (unsigned i = 0; i < FLUSHES; i++)
        if (!bench_rest(&fit->bench, false) || !bench_warm(&fit->bench, walk, 0, 2 * FLUSHED) ||
            !machine_script(fit->bench.machine, visits, FLUSHED + 1, lap) ||
            !bench_batch(&fit->bench, walk, 0, FLUSHED, &ticks[i]))
            return false;
    *first = quantile(ticks, FLUSHES, 0.25);
    *third = quantile(ticks, FLUSHES, 0.75);
    return true;
}

/* A prefetcher that brings in the other line of a pair, and that nothing turns off, makes one line of two for whoever
 * only loads. But words are in one line only if flushing one takes the other away: the longest such line, as far as
 * noise lets that be seen. What is flushed far away shows what words take that are still there: those of a shorter line
 * do as well, up to half of what a flush costs. A clock that steps makes smaller differences, and so does memory. */
static uint64_t flushed_line(struct fit *fit, uint64_t line)
{
    struct stops stops = stops_sequence(fit->base, FLUSHED_STRIDE, FLUSHED);
    struct walk walk = walk_over(&stops, OP_LOAD, bench_seed(&fit->bench));
    double gone, there, first, third;
    if (!fit_usable(fit) || !bench_link(&fit->bench, &walk) || !after_flush(fit, &walk, 0, &gone, &third) ||
        !after_flush(fit, &walk, FAR, &first, &there) || there >= gone)
        return line;
    while (line > 2 * WORD && after_flush(fit, &walk, line / 2, &first, &third) && third < (there + gone) / 2)
        line /= 2;
    return line;
}

uint64_t line_find(struct fit *fit, const struct way *way)
{
    fit->base -= fit->base % LONGEST;
    if (fit->base < fit->stretch.base + 2 * LONGEST)
        fit->base += 2 * LONGEST;
    uint64_t line = way->single ? leaving(fit, way) : parting(fit, way, 0);
    if (fit_usable(fit) && line <= WORD)
        fit->wrong = "lines of 16 bytes or less, or halves that never met";
    if (way->single || !fit_usable(fit))
        return fit_usable(fit) ? line : 0;
    /* At an odd multiple of what was found: the end of a page holds every prefetcher back. */
    fit->base += line;
    uint64_t between = parting(fit, way, WORD);
    if (fit_usable(fit) && between && 2 * between != line)
        fit->wrong = "halves part otherwise from a line's end than from its beginning";
    if (!fit_usable(fit))
        return 0;
    return flushed_line(fit, between ? between : line);
}
