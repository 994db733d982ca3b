// SPDX-License-Identifier: BSD-2-Clause
/* finding.h: what a probe says. A finding is an answer or the reason why there is none; a series is the curve behind
 * it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_FINDINGS = 256, MAX_SERIES = 128, MAX_POINTS = 16384 };

/* The unit of an answer: 1 or 0. */
static const char YES_NO[] = "yes/no";

enum agreement { NOTHING_DECLARED, AGREES, DIFFERS };

struct finding {
    char id[28];   /* dotted and stable: "l1d.size"; scripts rely on it */
    char unit[12]; /* "bytes", "ways", "cycles", "ns", "Hz", "ticks", YES_NO, "" */
    bool measured; /* false: value and confidence mean nothing, `why` says why */
    double value;
    double confidence; /* probability of being right, 0 to 1 */
    uint64_t cost;     /* visits spent on it */
    char method[96];   /* how it was found, with its source ("X-Ray Figure 6, from the ways down") */
    char why[160];     /* why it could not be measured */
    bool emulated;     /* found on an emulator whose clock shows another machine's caches; set by the program around */
    /* What the machine declares about itself; set by the program around, never known to a probe. */
    enum agreement agreement;
    uint64_t declared_low, declared_high;
    char declared_by[24];
};

struct point {
    double x, low, middle, high; /* quartiles of y at x */
};

struct series {
    char id[28];           /* "latency.4k" */
    char x[16], y[16];     /* units of the axes: "bytes", "cycles" */
    unsigned first, count; /* its points in notebook.point */
};

/* All that a run found. Large: allocate it, do not put it on a stack. */
struct notebook {
    unsigned findings, series_count, points;
    unsigned dropped;     /* findings, series and points that did not fit */
    uint64_t translation; /* visits that probes of translation have made so far (probes/budget.h) */
    struct finding finding[MAX_FINDINGS];
    struct series series[MAX_SERIES];
    struct point point[MAX_POINTS];
};

/* Adds a measured value. Returns the finding to add to, never NULL (a scratch entry at the end when the notebook is
 * full). An id that is already there is replaced. */
struct finding *note_value(struct notebook *, const char *id, double value, const char *unit, double confidence,
                           uint64_t cost, const char *method);

/* Adds "not measurable, because ..." (a format as in base/text.h). Does not replace a measured finding of the same id.
 */
struct finding *note_missing(struct notebook *, const char *id, const char *unit, uint64_t cost, const char *why, ...)
    __attribute__((format(printf, 5, 6)));

/* Starts a series; points go to the one started last. NULL-safe: a series that did not fit is counted and its points
 * dropped. */
struct series *note_series(struct notebook *, const char *id, const char *x, const char *y);
void note_point(struct notebook *, struct series *, struct point);

/* The finding with this id, NULL if there is none. */
const struct finding *noted(const struct notebook *, const char *id);

/* The value of what was found with this id; 0: it was not measured. *error (may be NULL) grows to the probability that
 * it is wrong, or to 1 where it was not measured: of several, the least sure counts. */
double noted_value(const struct notebook *, const char *id, double *error);
