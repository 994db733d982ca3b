// SPDX-License-Identifier: BSD-2-Clause
/* fit.h: whether lines fit into the first level of cache together.
 *
 * Lines that all hit, lap after lap, are in the cache together, whatever its policy: no set holds more of them than it
 * has ways. That is proof. The opposite is not: some policies keep a set from settling for a long time although its
 * ways suffice. So lines fit as soon as enough batches, each in an order of its own, are as fast as a control; they do
 * not when hardly any is (probes/sample.h). And lines that do not fit miss at least once a lap, because the line that
 * is not there is visited too: that is all the effect that a decision relies on.
 *
 * Stops lie a page apart where the pages of the mapping are larger than that. Prefetchers stay inside a page of 4 KB,
 * so none brings in the next stop or a line beside it that matters; a way predictor (AMD's, by a fold of the page
 * number) tells lines of different pages apart, but not always those of one. A stride becomes so long by a factor that
 * is prime: what shares no factor with the number of sets leads through as many sets as the stride itself would. It
 * also leads through as many sets of the next level, so that one which must contain the first (an inclusive one) does
 * not run out of room before it, as it does when strides are powers of two. */
#pragma once
#include "probes/sample.h"
#include "probes/stretch.h"

enum { FIT_PATTERNS = 3, FIT_PROVEN = 8 };

/* Errors that a decision may have: of a search, whose result is checked, and of a check. */
extern const double FIT_SEARCH, FIT_CHECK;

/* Stops that a check has seen to fit, although a search had decided that they do not: a neighbour that shares the core
 * holds ways for seconds, and searches that begin with the same stride begin with what fits for certain. */
struct proven {
    uint64_t stride, count; /* count 0: nothing is proven */
    unsigned doubts;        /* checks since then that say they do not fit */
};

struct fit {
    struct bench bench;
    struct stretch stretch;
    uint64_t base;                    /* where sequences start: a multiple of 16 */
    unsigned pattern;                 /* which factor: 0 is the smallest, up to FIT_PATTERNS - 1 */
    bool emptied;                     /* before each batch all caches are emptied first (WBINVD) */
    double least;                     /* ticks that a miss costs more than a hit in any case ... */
    double dense;                     /* ... at least, as a dense walk that does not fit shows ... */
    double miss;                      /* ... and as searches from one distance have learned since */
    double error;                     /* sum of the errors of the checks */
    struct proven proven[FIT_PROVEN]; /* of the strides that were checked last */
    bool undecided;                   /* a decision stayed open */
    const char *wrong;                /* which check failed; NULL: none */
};

/* No decision stayed open, no check failed, the machine serves. */
bool fit_usable(const struct fit *);

/* Whether pages are larger than 4 KB for certain. */
bool fit_is_large(const struct fit *);

/* The stride, or a prime multiple of it that leads from page to page. */
uint64_t fit_apart(const struct fit *, uint64_t stride);

/* A base anywhere in the memory that leaves `extent` bytes above it, from KEPT up in its page: some sets hold lines
 * that the machine itself uses between two batches. */
uint64_t fit_some_base(struct fit *, uint64_t extent);

/* Puts a question, which names no walks yet, about stops and a control of any kind. False: skipped or refused. */
bool fit_compare(struct fit *, const struct stops *, const struct stops *control, const struct question *,
                 struct answer *);

/* Whether the stops do not fit. Sets undecided when noise leaves it open, wrong when memory does not suffice. */
bool fit_overflows(struct fit *, const struct stops *, double error, struct answer *);

/* The same of `count` stops at a stride (made longer by fit_apart), with an error that suits a search whose result is
 * checked. */
bool fit_search(struct fit *, uint64_t stride, uint64_t count);

/* The same of stops of which one is too many for a set: what they cost is what a miss costs at least (fit->miss). */
bool fit_learn(struct fit *, uint64_t stride, uint64_t count);

/* The most such stops that fit, up to a limit; 0: see fit_usable. Begins with what is proven for the stride. */
uint64_t fit_most(struct fit *, uint64_t stride, uint64_t limit);

/* Forgets what is proven: for instance, what fits into empty caches may not settle otherwise. */
void fit_forget(struct fit *);

/* Tells what a check has seen of so many stops, which a search had decided to fit or not to fit. */
void fit_prove(struct fit *, uint64_t stride, uint64_t count, bool fits);

/* A check: so many stops must not fit (or must fit); otherwise `wrong` becomes the reason. */
void fit_check(struct fit *, uint64_t stride, uint64_t count, bool overflow, const char *wrong);

/* Whether stops spread over the sets are as fast as a few neighbours: if the control did not fit either, an overflow
 * would hide behind it. */
void fit_check_control(struct fit *, uint64_t stride, uint64_t count);
