// SPDX-License-Identifier: BSD-2-Clause
/* known.h: lines that are known to share a target's set, and what their differences have in common: where sets are
 * chosen by XOR of address bits, a space over GF(2); where they are chosen modulo their number, a divisor. */
#pragma once
#include "probes/evict.h"

enum { MOST_KNOWN = 160 };

/* Lines known to share a target's set. */
struct known {
    const struct nearer *nearer;
    uint64_t line[MOST_KNOWN];
    unsigned count;
    struct gf2 space; /* of their differences */
    uint64_t divisor; /* the greatest common one of all differences */
    uint64_t tries;   /* for evict_draw */
    bool victims;     /* the level may get lines from the one before it only */
};

/* Lines that share a set here and at all nearer levels, by what is known. */
struct kin known_kin(const struct known *, const struct region *);

/* Begins with the lines of a scene, and draws more until they say nothing new of the space. False: see push_ok. */
bool known_learn(struct push *, const struct scene *, const struct nearer *, struct known *);

/* The same of lines that are drawn for a scene alone, which has to have its nearer levels and tries. */
bool known_draw(struct push *, const struct scene *, struct known *);

/* Whether there are lines of the set whose differences the space does not have, for a scene that is sharp. tries: about
 * how many draws from the nearer levels' kin hold one line of the set, or fewer. False: there are none, or see push_ok.
 */
bool known_lacks(struct push *, const struct scene *, const struct known *, uint64_t tries);

/* Draws more, until there are so many. */
void known_more(struct push *, const struct scene *, struct known *, unsigned wanted);
