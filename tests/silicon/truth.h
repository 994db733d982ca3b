// SPDX-License-Identifier: BSD-2-Clause
/* truth.h: what a finding of a modelled machine truly is, computed from the machine's structures, and the verdict on
 * what a probe said. */
#pragma once
#include "probes/finding.h"
#include "tests/silicon/description.h"

enum truth_kind {
    TRUTH_NONE,   /* the model has no truth for this id: an error in the model's tests, never silent */
    TRUTH_HIDDEN, /* cannot be seen through the waist on this machine, because `reason` */
    TRUTH_ABSENT, /* there is no such thing here: "not measurable" is right, any value is wrong */
    TRUTH_EQUAL,  /* value */
    TRUTH_WITHIN, /* value, at most `tolerance` away */
    TRUTH_RANGE,  /* low to high */
};

struct truth {
    enum truth_kind kind;
    enum truth_kind beneath; /* HIDDEN: what it is all the same; a value stated in spite of that is judged by it */
    bool optional;           /* "not measurable" is right as well */
    double value, low, high, tolerance;
    char reason[96];
};

/* The truth of a finding. Deterministic: what takes time to ask (docs/silicon.md) is asked on creation, of caches and
 * memory of its own, without noise. */
struct truths;                                            /* opaque: what is known of one machine */
struct truths *truths_create(const struct description *); /* NULL: no memory */
void truths_destroy(struct truths *);
struct truth truth_of(struct truths *, const char *id);

/* Ids that must be found on this machine (not hidden, not absent), in order; NULL ends. For what a run left out. */
const char *truth_demanded(struct truths *, unsigned number);

/* Ids about the data caches that there are, number by number: what a probe may say of them. False: no such number. */
bool truth_cache_id(const struct truths *, unsigned number, char id[28]);

/* "verdict" alone is the word of probes/sample.h for a decision. */
enum judgement { RIGHT, WRONG, DOUBTFUL, MISSED, HIDDEN, UNJUDGED };
enum judgement judge(const struct truth *, const struct finding *); /* finding NULL: it is not in the report */
const char *judgement_name(enum judgement);
