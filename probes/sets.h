// SPDX-License-Identifier: BSD-2-Clause
/* sets.h: ways and sets of a level, from lines that share one of its sets.
 *
 * Ways are the lines that a set keeps (probes/kept.h). The number of sets follows from which lines share one:
 *
 * - Where sets are chosen by XOR of address bits (and by plain bits, which is the same), differences of lines of one
 * set are a space over GF(2): n bits of a line's number less its dimension are the bits of the set's number.
 * - Where the number of sets is no power of two and sets are chosen modulo it, differences are its multiples.
 * - Else (slices by a table, say) lines that differ by a vector of the space lie in a few sets, which are counted, one
 *   after the other. */
#pragma once
#include "probes/inclusion.h"

enum { MOST_KNOWN = 160 };

/* How the number of sets was found. */
enum indexing { INDEX_LINEAR, INDEX_MODULO, INDEX_COUNTED };

struct sets {
    unsigned ways;
    uint64_t sets, line; /* line: bytes */
    enum indexing indexing;
    struct kin kin; /* INDEX_LINEAR, INDEX_MODULO: lines that share a set here and at all nearer levels */
    enum told exclusive, inclusive;
    bool pairs;   /* units that seem to be of one line come and go together, but may be lines of their own */
    double error; /* that it is wrong */
};

/* Finds them for the set of a target, and checks them on another, which differs from it in the lowest bit. near: for
 * the first level instead of this one. False: *why says why not, or see push_ok. */
bool sets_find(struct push *, const struct push *near, const struct nearer *, const uint64_t target[2], struct sets *,
               const char **why);
