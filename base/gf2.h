// SPDX-License-Identifier: BSD-2-Clause
/* gf2.h: vectors of up to 64 bits over the field of two elements, whose sum is XOR. Hashes of addresses in hardware are
 * linear over it: a set's number is a product of the address and a matrix of bits. */
#pragma once
#include "base/random.h"
#include <stdbool.h>

/* A space, spanned by vectors of which each has a highest bit that no other one has. All 0: nothing but the zero
 * vector.
 */
struct gf2 {
    uint64_t vector[64]; /* the one whose highest bit is i; 0: none */
    unsigned dimension;
};

/* Adds a vector to those that span the space. False: it was in it already. */
bool gf2_add(struct gf2 *, uint64_t vector);

/* Whether a vector lies in the space. */
bool gf2_has(const struct gf2 *, uint64_t vector);

/* A vector of the space, all equally likely. */
uint64_t gf2_any(const struct gf2 *, struct random *);
