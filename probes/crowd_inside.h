// SPDX-License-Identifier: BSD-2-Clause
/* crowd_inside.h: what the files of crowds share: crowd.c finds one, crowd_spare.c leaves out pages of it, and
 * crowd_sets.c tells sets from it. */
#pragma once
#include "probes/crowd.h"

enum { MOST_CROWD = 1024 }; /* pages that a list may begin with */

/* Errors of a decision while pages are spared, of a look at one bit (a row has to agree, or its shape is doubted), and
 * of a last decision. */
static const double SPARING = 1e-2, LOOK = 3e-3, LAST = 1e-4;

/* Pages that do not fit together, by their numbers. */
struct crowd {
    const struct reach *reach;
    uint32_t set;   /* numbers are differences from this one */
    unsigned alike; /* bits of their numbers in which all pages are the same, and those of the block that are visited */
    unsigned count;
    uint32_t number[MOST_LISTED];
};

static inline struct seats *crowd_pages(const struct crowd *crowd)
{
    return crowd->reach->pages;
}

/* Whether a crowd, along with the block, does not fit. What is slow, or nearly so, because of its seats is not in
 * others: more pages than change seats while they are compared are compared twice. */
bool crowd_overflows(struct crowd *, double error);

/* Whether so many entries, each of one page, are what a row of pages says. */
bool crowd_in_reach(const struct reach *reach, uint64_t pages);

/* Whether bits matter, but not the lowest two, in a level behind another one. Four entries of a table, or more, share a
 * line: what these bits do not matter for is a cache of tables. */
bool crowd_is_of_lines(const struct crowd *crowd, const struct shape *shape);

/* Whether pages do not fit either in any other places of those lines of tables that they are in, by lot. (Of a level of
 * one set, where no bit matters, that is so, too.) */
bool crowd_moves_in_lines(const struct crowd *crowd);

/* Sets that are a power of two: as many as bits matter, or, where bits are folded, fewer, all low ones among them. Ways
 * times sets have to be what a row of pages says, too. */
bool crowd_sets_by_bits(struct crowd *crowd, struct shape *shape);

/* Any other number of them, no power of two, chosen modulo it. */
bool crowd_sets_by_stride(struct crowd *crowd, struct shape *shape);

/* Whether a row of pages says the same if the bits of a mask choose the set, whether the block is in it or not. */
bool crowd_serves(const struct crowd *crowd, const struct shape *shape, unsigned mask);

/* The bits that matter, those that are known to among them. Those above as many as there may be sets seldom do: all of
 * them are asked at once. */
unsigned crowd_bits(const struct crowd *crowd, unsigned known);

/* Whether as many pages of other sets, or, where there is but one set, any others, do not fit either, a while later:
 * somebody else may have been in the first one for as long as that took. Every other time any pages that are of one set
 * by what is said do not fit, and one less does: what chooses no set of a TLB may choose lines, of tables and of
 * theirs, and a level whose pages hit does not read them. True where sets are chosen modulo an odd number. */
bool crowd_holds_elsewhere(const struct crowd *crowd, const struct shape *shape);

/* Whether pages that fit still do where each has a line of tables to itself, as far as there are numbers for it: pages
 * that a TLB has need no tables. */
bool crowd_fits_apart(const struct crowd *crowd, unsigned count);

/* The crowd's pages in another order: each gets another seat. */
void crowd_shuffle(struct crowd *);

/* Makes a crowd of all pages whose numbers differ from the set's in these bits alone; at most MOST_CROWD. */
void crowd_list_bits(struct crowd *, uint64_t bits);

/* Spares halves of all pages with these bits: a bit is left out while what is left does not fit. The bits that are
 * left, which may be more than can be listed. */
uint64_t crowd_spare_bits(struct crowd *, uint64_t bits);

/* Spares halves that differ in the parity of two bits, for folded indexes: what is left has two bits that are equal.
 * Whatever the higher one would be asked with has been asked, or will be, of the lower one, so it is not asked again.
 * Folds are of bits as far apart as each other, mostly: the low bit after the last one that was found comes first. */
void crowd_spare_parities(struct crowd *, uint64_t bits);

/* Leaves out pages behind the first ones that do not fit. */
void crowd_cut(struct crowd *);

/* Leaves out pieces of so many pages. */
void crowd_spare_pieces(struct crowd *, unsigned piece);

/* Whether none of so many pages, any, can be spared. */
bool crowd_none_to_spare(struct crowd *, unsigned trials);
