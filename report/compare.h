// SPDX-License-Identifier: BSD-2-Clause
/* compare.h: the findings of two runs beside each other: what differs beyond what tolerance and confidence explain. The
 * one comparison of the project: the run on a board (--baseline) and assay-diff on a host decide with it.
 *
 * Two values are different when they are further apart than
 *   cycles, ticks   2 % of the larger one or half of the unit, whichever is more
 *   ns              2 % of the larger one or half a core cycle (by cpu.frequency, where it is known)
 *   Hz              1 %: clocks drift and turn themselves up
 *   anything else   nothing: a size or a count is right or wrong (what files round to six digits is equal)
 * A finding that only one run measured is a difference, and so is another declared value (by the same tolerance), or an
 * agreement of measured and declared value that has changed. */
#pragma once
#include "base/text.h"
#include "probes/finding.h"

/* In order of their weight. */
enum comparison {
    EQUAL,
    OF_THE_RUN, /* differs, and always does: noise, how many sizes were visited */
    NOT_ASKED,  /* one run has no finding of this family (the id up to its first dot): its probe was not asked for */
    UNCERTAIN,  /* it seems different, but the product of the confidences is below 0.9, or one of two is emulated */
    DIFFERENT
};

/* What it is that differs. */
enum aspect { NO_ASPECT, IN_BEING_MEASURED, IN_UNIT, IN_VALUE, IN_AGREEMENT, IN_DECLARED };

struct findings {
    const struct finding *at;
    unsigned count;
};

struct pair {
    const struct finding *first, *second; /* NULL: the run has no such finding; never both */
    enum comparison comparison;
    enum aspect aspect;
};

/* The way through all pairs; start with at = 0. */
struct pairing {
    struct findings first, second;
    unsigned at;
};

/* The next pair: the ids of the first run in their order, then those of the second that the first has not. False: there
 * is none. */
bool compare_next(struct pairing *, struct pair *);

/* How many pairs there are of each comparison. */
struct tally {
    unsigned of[DIFFERENT + 1];
};
struct tally compare_all(struct findings first, struct findings second);

/* One word each, for documents: "equal", "of the run", "not asked", "uncertain", "different". */
const char *comparison_name(enum comparison);
const char *aspect_name(enum aspect);

/* Adds both sides of a pair as people read them: "48 KB" and "not measured"; what is declared when it is that which
 * differs. */
void compared_text(struct text *, const struct finding *, enum aspect);
