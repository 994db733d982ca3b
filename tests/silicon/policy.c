// SPDX-License-Identifier: BSD-2-Clause
/* policy.c: replacement policies, put together from an order, a tree or ages (policy_parts.h).
 *
 * Sources: names and rules of LRU, FIFO, PLRU, PLRUl, MRU, MRU_N, NRU, QLRU and groups with LRU among them are those of
 * the cache simulator of uops.info (Abel and Reineke, nanoBench, ISPASS 2020; its Ice Lake L1 data cache is LRU3PLRU4);
 * the group after the most recently used one is the second-level TLB of Kaby Lake in Tatar et al., "TLB;DR: Enhancing
 * TLB-based attacks with TLB desynchronized reverse engineering", USENIX Security 2022; a random way of the pair used
 * longest ago is the second-level cache of the Opteron in Hennessy and Patterson, "Computer Architecture: a
 * quantitative approach", 4th edition, section 5.6. Where a rule does not say what becomes of a way that was emptied,
 * LRU, FIFO, MRU, NRU and the groups fill empty ways first, and trees and ages stay as they are. */
#include "tests/silicon/policy_parts.h"
#include <string.h>

unsigned policy_empty_way(const uint64_t *tags, unsigned ways)
{
    for (unsigned way = 0; tags && way < ways; way++)
        if (tags[way] == 0)
            return way;
    return NO_WAY;
}

/* GROUPED: first what there is to know about the groups (their order, or the one used last), then a tree for each. */
static size_t group_head_bytes(const struct policy *policy)
{
    return policy->next_group ? 1 : order_bytes(policy->groups);
}

static uint8_t *group_tree(const struct policy *policy, uint8_t *state, unsigned group)
{
    return state + group_head_bytes(policy) + group * tree_bytes(policy->group);
}

static void group_use(const struct policy *policy, uint8_t *state, unsigned way)
{
    unsigned group = way / policy->group;

    if (!policy->random_inside)
        tree_point_away(policy->group, group_tree(policy, state, group), way % policy->group);
    if (policy->next_group)
        state[0] = (uint8_t)group;
    else
        order_to_front(policy->groups, state, group);
}

static unsigned group_victim(const struct policy *policy, uint8_t *state, struct random *random)
{
    unsigned group = policy->next_group ? (state[0] + 1) % policy->groups : order_last(policy->groups, state);

    if (group == NO_WAY) /* a full set has used all of its groups */
        group = policy->groups - 1;
    if (policy->random_inside)
        return group * policy->group + (unsigned)random_below(random, policy->group);
    return group * policy->group + tree_victim(policy->group, group_tree(policy, state, group));
}

size_t policy_bytes(const struct policy *policy, unsigned ways)
{
    switch (policy->kind) {
    case POLICY_LRU:
    case POLICY_FIFO:
        return order_bytes(ways);
    case POLICY_TREE_PLRU:
        return tree_bytes(ways);
    case POLICY_MRU:
    case POLICY_NRU:
    case POLICY_QLRU:
        return ages_bytes(policy, ways);
    case POLICY_GROUPED:
        return group_head_bytes(policy) + policy->groups * tree_bytes(policy->group);
    case POLICY_RANDOM:
        break;
    }
    return 1;
}

void policy_reset(const struct policy *policy, unsigned ways, uint8_t *state)
{
    switch (policy->kind) {
    case POLICY_LRU:
    case POLICY_FIFO:
        order_reset(ways, state);
        break;
    case POLICY_MRU:
    case POLICY_NRU:
    case POLICY_QLRU:
        ages_reset(policy, ways, state);
        break;
    case POLICY_GROUPED:
        memset(state, 0, policy_bytes(policy, ways));
        if (!policy->next_group)
            order_reset(policy->groups, state);
        break;
    case POLICY_TREE_PLRU:
        tree_reset(ways, state);
        break;
    case POLICY_RANDOM:
        state[0] = 0;
        break;
    }
}

void policy_hit(const struct policy *policy, unsigned ways, uint8_t *state, const uint64_t *tags, unsigned way)
{
    (void)tags; /* no rule for hits asks what else is in the set */
    switch (policy->kind) {
    case POLICY_LRU:
        order_to_front(ways, state, way);
        break;
    case POLICY_TREE_PLRU:
        tree_point_away(ways, state, way);
        break;
    case POLICY_MRU:
    case POLICY_NRU:
    case POLICY_QLRU:
        ages_hit(policy, ways, state, way);
        break;
    case POLICY_GROUPED:
        group_use(policy, state, way);
        break;
    case POLICY_FIFO:
    case POLICY_RANDOM:
        break;
    }
}

unsigned policy_victim(const struct policy *policy, unsigned ways, uint8_t *state, const uint64_t *tags,
                       struct random *random)
{
    unsigned way = NO_WAY;

    switch (policy->kind) {
    case POLICY_LRU:
    case POLICY_FIFO:
        way = order_last(ways, state);
        return way == NO_WAY ? policy_empty_way(tags, ways) : way;
    case POLICY_RANDOM:
        way = policy->fills_empty ? policy_empty_way(tags, ways) : (unsigned)NO_WAY;
        return way == NO_WAY ? (unsigned)random_below(random, ways) : way;
    case POLICY_TREE_PLRU:
        way = policy->fills_empty ? policy_empty_way(tags, ways) : (unsigned)NO_WAY;
        return way == NO_WAY ? tree_victim(ways, state) : way;
    case POLICY_MRU:
    case POLICY_NRU:
    case POLICY_QLRU:
        return ages_victim(policy, ways, state, tags);
    case POLICY_GROUPED:
        way = policy_empty_way(tags, ways);
        return way == NO_WAY ? group_victim(policy, state, random) : way;
    }
    return 0;
}

void policy_fill(const struct policy *policy, unsigned ways, uint8_t *state, const uint64_t *tags, unsigned way,
                 struct random *random)
{
    switch (policy->kind) {
    case POLICY_LRU:
    case POLICY_FIFO:
        order_to_front(ways, state, way);
        break;
    case POLICY_TREE_PLRU:
        tree_point_away(ways, state, way);
        break;
    case POLICY_MRU:
    case POLICY_NRU:
    case POLICY_QLRU:
        ages_fill(policy, ways, state, tags, way, random);
        break;
    case POLICY_GROUPED:
        group_use(policy, state, way);
        break;
    case POLICY_RANDOM:
        break;
    }
}

void policy_drop(const struct policy *policy, unsigned ways, uint8_t *state, unsigned way)
{
    if (policy->kind == POLICY_LRU || policy->kind == POLICY_FIFO)
        order_drop(ways, state, way);
    else if (policy->kind == POLICY_MRU)
        ages_drop(policy, ways, state);
}
