// SPDX-License-Identifier: BSD-2-Clause
/* policy_tree.c: tree-PLRU: the bits of a binary tree over the ways. Each bit tells in which half of its ways the next
 * victim is; using a way turns all bits on its path away from it (Abel and Reineke, "Measurement-based modeling of the
 * cache replacement policy", RTAS 2013). For a number of ways that is no power of two, the tree is that of the next
 * power and a leaf beyond the last way means the last way, as in the cache simulator of uops.info. */
#include "tests/silicon/policy_parts.h"
#include <string.h>

/* Node 1 is the root, nodes 2n and 2n + 1 are the halves of node n, and leaf `leaves + w` is way w. One byte a node. */
static unsigned leaves_of(unsigned ways)
{
    return ways <= 1 ? 1 : 2U << (31 - __builtin_clz(ways - 1));
}

size_t tree_bytes(unsigned ways)
{
    return leaves_of(ways);
}

void tree_reset(unsigned ways, uint8_t *state)
{
    memset(state, 0, tree_bytes(ways));
}

void tree_point_away(unsigned ways, uint8_t *state, unsigned way)
{
    for (unsigned node = leaves_of(ways) + way; node > 1; node /= 2)
        state[node / 2] = !(node & 1);
}

unsigned tree_victim(unsigned ways, const uint8_t *state)
{
    unsigned leaves = leaves_of(ways), node = 1;

    while (node < leaves)
        node = 2 * node + state[node];
    node -= leaves;
    return node < ways ? node : ways - 1;
}
