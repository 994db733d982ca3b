// SPDX-License-Identifier: BSD-2-Clause
/* array.h: a set-associative array of tagged entries: what caches, TLBs, page-structure caches, snoop filters and
 * branch-target buffers have in common.
 *
 * A tag is any number but 0; its owner makes it (line number plus 1, page number with its PCID, ...). An entry carries
 * a value of 64 bits that only the owner understands (dirty, sector and owner bits; a frame).
 *
 * For walks that repeat: array_mark() starts a period, and array_digest() is a number over everything in those sets
 * that were used since. A walk whose laps all start and end with the same digest does the same thing in each lap. Under
 * LRU and FIFO the ways of a set are interchangeable, and the digest takes them so. */
#pragma once
#include "tests/silicon/index.h"
#include "tests/silicon/policy.h"

/* Two policies that compete (set duelling: Qureshi et al., "Adaptive Insertion Policies for High-Performance Caching",
 * ISCA 2007): leader sets follow one each and move a counter with their misses, all others follow the one that misses
 * less. leaders == 0: no duel. */
enum { MAX_LEADERS = 32 };
struct duel {
    unsigned leaders; /* of each of the two policies */
    uint32_t first_leader[MAX_LEADERS],
        second_leader[MAX_LEADERS]; /* set numbers within 1024-set groups or the array */
    unsigned period;                /* set number % period is compared; 0: whole number */
    struct policy second;
    unsigned counter_most; /* saturates at 0 and here, starts in the middle */
};

struct array_shape {
    struct index index;
    unsigned ways;
    struct policy policy;
    struct duel duel;
};

struct array; /* opaque: array.c */

/* NULL: not enough memory. The shape is copied. */
struct array *array_create(const struct array_shape *, uint64_t seed);
void array_destroy(struct array *);

/* NULL, or what is wrong with a shape. */
const char *array_unsound(const struct array_shape *);

struct entry {
    uint64_t tag, value;
};

/* The place of an entry, found or about to be filled: pass it on while nothing else happens to the array. */
struct place {
    uint64_t set; /* of `way`; differs from way to way when skewed */
    unsigned way;
};

/* Looks for `tag` under `number`; false: not there. Changes nothing. */
bool array_find(const struct array *, uint64_t number, uint64_t tag, struct place *);
/* Tells this computer that the number will be looked up soon: nothing of the model changes. */
void array_expect(const struct array *, uint64_t number);

/* The tag that would go if another came to this number now; 0: none, or nobody knows. */
uint64_t array_next_out(const struct array *, uint64_t number);

void array_touch(struct array *, struct place); /* a hit: the policy hears of it */
uint64_t array_value(const struct array *, struct place);
void array_set_value(struct array *, struct place, uint64_t value); /* the policy does not hear of it */

/* Puts an entry that is not there yet in; returns what it pushed out (tag 0: nothing). *place: where it went. */
struct entry array_insert(struct array *, uint64_t number, struct entry, struct place *);
void array_remove(struct array *, struct place);
void array_empty(struct array *);

/* Calls remove for every entry for which (tag & mask) == match. Returns how many. */
unsigned array_remove_matching(struct array *, uint64_t mask, uint64_t match);

/* The entries of a way of a set, for whoever wants to look at all (truth, back-invalidation tests). tag 0: empty. */
struct entry array_entry(const struct array *, uint64_t set, unsigned way);
uint64_t array_sets(const struct array *);
unsigned array_ways(const struct array *);
const struct array_shape *array_shape(const struct array *);

void array_mark(struct array *);
uint64_t array_digest(const struct array *);
