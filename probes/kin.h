// SPDX-License-Identifier: BSD-2-Clause
/* kin.h: lines that share a set with each other, by what is known of how sets are chosen.
 *
 * A line has a number: its physical address in a region, in units of the first level's line. Which lines share a set is
 * told by differences: a level whose index is made of address bits, hashed or not, by a space over GF(2) of
 * differences; one with a number of sets that is no power of two by a multiple of its odd part, too. */
#pragma once
#include "base/gf2.h"
#include "kernel/machine.h"
#include "probes/stretch.h"

/* Memory whose physical order is certain: an aligned power of two bytes of it. */
struct region {
    uint64_t va, pa; /* of its first byte; pa is a multiple of size */
    uint64_t size;   /* bytes, a power of two; 0: there is none */
    uint64_t unit;   /* bytes, a power of two: what one line number stands for */
};

/* The largest region of at most `most` bytes in a stretch. */
struct region region_in(const struct stretch *, uint64_t unit, uint64_t most);

/* How many lines it has; and the address of one, in the view. */
uint64_t region_lines(const struct region *);
uint64_t region_address(const struct region *, uint64_t line);

/* Lines of one set at some levels: number XOR a vector of the space, as long as numbers differ by a multiple of `odd`.
 */
struct kin {
    struct gf2 space; /* of line numbers */
    uint64_t odd;     /* 1: no such rule */
    uint64_t stride;  /* where the space is that of all multiples of a power of two: that times odd; else 0 */
};

/* What is known of the levels before. */
struct nearer {
    struct kin kin;          /* lines that share a set at all of them */
    struct kin kin_but_last; /* at all but the last of them; of one level: nothing */
    unsigned ways;           /* of all of them */
    unsigned ways_but_last;
    unsigned holds;  /* lines of one set that the last of them holds, and what it does not have of those before it */
    uint64_t units;  /* of a region, in the longest line that any of them seems to have, */
    bool units_open; /* which may be several that a prefetcher brings together */
};

/* Kin by such a space and rule. */
struct kin kin_by(const struct region *, const struct gf2 *space, uint64_t odd);

/* All lines that lie a number of sets apart: what a level has whose sets are chosen by the line's number modulo that.
 */
struct kin kin_modulo(const struct region *, uint64_t sets);

/* Whether two lines are kin. */
bool kin_are(const struct kin *, uint64_t a, uint64_t b);

/* How many lines can be drawn of a line's kin, roughly. Where an odd rule leaves most out, at least half of
 * them are there, unless there are fewer than 8. */
uint64_t kin_count(const struct kin *, const struct region *);

/* Line number i of the kin of a line, in an order that a seed chooses: no line comes twice. The line itself where there
 * is none: beyond kin_count, in lines that the machine keeps for itself (KEPT), or by chance. */
uint64_t kin_draw(const struct kin *, const struct region *, uint64_t line, uint64_t seed, uint64_t i);
