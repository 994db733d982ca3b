// SPDX-License-Identifier: BSD-2-Clause
/* policy_parts.h: what policy.c puts policies together from: an order of ways, a tree of bits, and ages. Only for
 * policy*.c and array*.c. */
#pragma once
#include "tests/silicon/policy.h"

enum { NO_WAY = MAX_POLICY_WAYS };

/* The leftmost empty way, or NO_WAY. tags: NULL when none is empty. */
unsigned policy_empty_way(const uint64_t *tags, unsigned ways);

/* policy_order.c: the ways that hold something, from the newest to the oldest. An empty way has no place in the order,
 * so that the state does not remember in which order ways were emptied. */
size_t order_bytes(unsigned ways);
void order_reset(unsigned ways, uint8_t *state);
void order_to_front(unsigned ways, uint8_t *state, unsigned way);
unsigned order_last(unsigned ways, const uint8_t *state); /* NO_WAY: not all ways are in the order */
bool order_has(unsigned ways, const uint8_t *state, unsigned way);
void order_ranks(unsigned ways, const uint8_t *state, uint16_t *ranks); /* 0: the newest; NO_WAY: not in the order */
void order_drop(unsigned ways, uint8_t *state, unsigned way);

/* policy_tree.c: a binary tree of bits, each pointing to the half to evict from. */
size_t tree_bytes(unsigned ways);
void tree_reset(unsigned ways, uint8_t *state);
void tree_point_away(unsigned ways, uint8_t *state, unsigned way);
unsigned tree_victim(unsigned ways, const uint8_t *state);

/* policy_ages.c: MRU, NRU and QLRU: one or two bits a way, kept as planes of bits, 64 ways a word, the
 * words of the low plane first. A skewed array takes the bits of its ways from different sets. */
size_t ages_bytes(const struct policy *, unsigned ways);
void ages_reset(const struct policy *, unsigned ways, uint8_t *state);
void ages_hit(const struct policy *, unsigned ways, uint8_t *state, unsigned way);
unsigned ages_victim(const struct policy *, unsigned ways, uint8_t *state, const uint64_t *tags);
void ages_fill(const struct policy *, unsigned ways, uint8_t *state, const uint64_t *tags, unsigned way,
               struct random *);
void ages_drop(const struct policy *, unsigned ways, uint8_t *state);
