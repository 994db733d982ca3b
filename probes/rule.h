// SPDX-License-Identifier: BSD-2-Clause
/* rule.h: by which rule a level chooses its sets, and so how many it has.
 *
 * - Where sets are chosen by XOR of address bits (and by plain bits, which is the same), differences of lines of one
 * set are a space over GF(2): n bits of a line's number less its dimension are the bits of the set's number.
 * - Where the number of sets is no power of two and sets are chosen modulo it, differences are its multiples.
 * - Else (slices by a table, say) lines that differ by a vector of the space lie in a few sets, which are counted, one
 *   after the other. */
#pragma once
#include "probes/known.h"
#include "probes/minimal.h"
#include "probes/whole.h"

/* How the number of sets was found. */
enum indexing { INDEX_LINEAR, INDEX_MODULO, INDEX_COUNTED };

struct rule {
    enum indexing indexing;
    uint64_t sets, line; /* line: bytes */
    struct kin kin;      /* not INDEX_COUNTED: lines that share a set here and at all nearer levels */
    enum whole whole;    /* whether units that come and go together are of one line */
    double error;        /* that it is wrong */
};

/* Finds the rule that holds for the sets of two scenes; known: of the first one. False: *why says why not, or see
 * push_ok. */
bool rule_find(struct push *, const struct scene scene[2], struct known *, struct rule *, const char **why);
