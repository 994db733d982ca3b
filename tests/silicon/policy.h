// SPDX-License-Identifier: BSD-2-Clause
/* policy.h: replacement policies of one set: which way goes when a line comes in. Names and exact semantics of the
 * deterministic ones are those that uops.info publishes for its cache simulator; sources in policy.c. */
#pragma once
#include "base/random.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_POLICY_WAYS = 4096 };

enum policy_kind {
    POLICY_LRU,
    POLICY_FIFO,
    POLICY_RANDOM,    /* any way, also when another one is empty, unless fills_empty */
    POLICY_TREE_PLRU, /* number of ways rounded up to a power of two, leaves beyond the last way clipped to it */
    POLICY_MRU,       /* bit-PLRU; `late`: bits move only once the set is full (MRU_N) */
    POLICY_NRU,
    POLICY_QLRU,    /* quad-age LRU, the RRIP family */
    POLICY_GROUPED, /* groups of `group` ways with a tree each; LRU among groups, or the one after the last used */
};

struct policy {
    enum policy_kind kind;
    bool fills_empty; /* empty ways first, left to right; LRU, FIFO, MRU, NRU always do, QLRU as `replace` says */
    bool late;
    /* QLRU_Hxy_Mm_Rr_Uu[_UMO], M also with a second age that is taken in one of `rarely` inserts (MR: random) */
    uint8_t hit3, hit2;  /* age after a hit on age 3, on age 2 */
    uint8_t insert;      /* age of an inserted line */
    uint8_t insert_rare; /* age of one in 16 inserted lines when `random_insert` */
    bool random_insert;
    uint8_t replace, update; /* R and U */
    bool miss_only;          /* UMO */
    unsigned groups, group;  /* GROUPED: how many, and the ways of one */
    bool random_inside;      /* GROUPED: any way of the group, not the one that its tree points to */
    bool next_group;         /* GROUPED: victims come from the group after the most recently used */
};

/* Reads a policy's name: LRU FIFO RANDOM RANDOMl PLRU PLRUl MRU MRU_N NRU QLRU_H11_M1_R0_U1[_UMO] QLRU_H00_MR20_R0_U0
 * LRUnPLRUm (n groups of m ways) NEXTnPLRUm LRUnRANDOMm NEXTnRANDOMm. The number of groups times m must be the ways:
 * the caller checks with policy_suits. False: not a policy. */
bool policy_parse(struct policy *, const char *name);

/* The name that policy_parse reads back to the same policy; capacity 32 always suffices. */
void policy_name(const struct policy *, char *name, size_t capacity);

/* NULL, or why a set of so many ways (1 to MAX_POLICY_WAYS) cannot have this policy. */
const char *policy_suits(const struct policy *, unsigned ways);

/* True when a set that one of them has governed can go on under the other: their states mean the same. */
bool policy_compatible(const struct policy *, const struct policy *);

/* Bytes of state that a set of so many ways needs, at least 1. */
size_t policy_bytes(const struct policy *, unsigned ways);
void policy_reset(const struct policy *, unsigned ways, uint8_t *state); /* as after INVD: all ways empty */

/* A line in `way` was hit. */
void policy_hit(const struct policy *, unsigned ways, uint8_t *state, const uint64_t *tags, unsigned way);

/* The way that the next line goes to; tags[way] is 0 where a way is empty, and tags may be NULL when none is. May
 * change the state (aging). */
unsigned policy_victim(const struct policy *, unsigned ways, uint8_t *state, const uint64_t *tags, struct random *);

/* A line was put into `way`; tags[] already holds it. */
void policy_fill(const struct policy *, unsigned ways, uint8_t *state, const uint64_t *tags, unsigned way,
                 struct random *);

/* The line in `way` is gone (invalidated); tags[way] is already 0. */
void policy_drop(const struct policy *, unsigned ways, uint8_t *state, unsigned way);
