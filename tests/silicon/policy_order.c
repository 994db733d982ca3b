// SPDX-License-Identifier: BSD-2-Clause
/* policy_order.c: the order in which the ways of a set were used or filled, for LRU and FIFO and for the groups of
 * grouped policies. Every access to a cache under LRU comes through here, so it is made for speed: up to 255 ways are
 * bytes with each way's rank, sixteen of which move at a time; more ways are a list. Both are canonical: the same order
 * is the same bytes, whatever led to it. */
#include "tests/silicon/policy_parts.h"
#include <string.h>

enum {
    RANKED_WAYS = 255, /* ranks 0 (newest) to 254 */
    NO_RANK = 255,     /* of an empty way, and of the bytes that fill up the last sixteen */
    LANES = 16,
    NO_LINK = 0xFFFF
};

typedef uint8_t lanes __attribute__((vector_size(LANES)));

/* The list, as 16-bit numbers: newest, oldest, how many, then of each way the next newer and the next older one. */
enum { NEWEST, OLDEST, COUNT, LINKS };

static unsigned get(const uint8_t *state, size_t at)
{
    uint16_t number;

    memcpy(&number, state + at * sizeof number, sizeof number);
    return number;
}

static void put(uint8_t *state, size_t at, unsigned value)
{
    uint16_t number = (uint16_t)value;

    memcpy(state + at * sizeof number, &number, sizeof number);
}

static size_t newer(unsigned way)
{
    return LINKS + 2 * (size_t)way;
}

static size_t older(unsigned way)
{
    return LINKS + 2 * (size_t)way + 1;
}

size_t order_bytes(unsigned ways)
{
    if (ways <= RANKED_WAYS)
        return (ways + LANES - 1) / LANES * LANES;
    return (LINKS + 2 * (size_t)ways) * sizeof(uint16_t);
}

void order_reset(unsigned ways, uint8_t *state)
{
    memset(state, 0xFF, order_bytes(ways)); /* NO_RANK, or NO_LINK everywhere */
    if (ways > RANKED_WAYS)
        put(state, COUNT, 0);
}

/* Is a way in the list? A single way has no neighbours, but it is the newest. */
static bool listed(const uint8_t *state, unsigned way)
{
    return get(state, newer(way)) != NO_LINK || get(state, older(way)) != NO_LINK || get(state, NEWEST) == way;
}

static void unlink_way(uint8_t *state, unsigned way)
{
    unsigned before = get(state, newer(way)), after = get(state, older(way));

    put(state, before == NO_LINK ? NEWEST : older(before), after);
    put(state, after == NO_LINK ? OLDEST : newer(after), before);
    put(state, newer(way), NO_LINK);
    put(state, older(way), NO_LINK);
    put(state, COUNT, get(state, COUNT) - 1);
}

static void link_first(uint8_t *state, unsigned way)
{
    unsigned after = get(state, NEWEST);

    put(state, older(way), after);
    put(state, after == NO_LINK ? OLDEST : newer(after), way);
    put(state, NEWEST, way);
    put(state, COUNT, get(state, COUNT) + 1);
}

void order_to_front(unsigned ways, uint8_t *state, unsigned way)
{
    uint8_t rank = state[way];

    if (ways > RANKED_WAYS) {
        if (get(state, NEWEST) == way)
            return;
        if (listed(state, way))
            unlink_way(state, way);
        link_first(state, way);
        return;
    }
    if (rank == 0)
        return;
    for (unsigned at = 0; at < ways; at += LANES) { /* whoever was newer than this one becomes one older */
        lanes ranks;

        memcpy(&ranks, state + at, LANES);
        ranks -= (lanes)(ranks < rank);
        memcpy(state + at, &ranks, LANES);
    }
    state[way] = 0;
}

unsigned order_last(unsigned ways, const uint8_t *state)
{
    const uint8_t *oldest;

    if (ways > RANKED_WAYS)
        return get(state, COUNT) == ways ? get(state, OLDEST) : (unsigned)NO_WAY;
    oldest = memchr(state, (int)ways - 1, ways);
    return oldest ? (unsigned)(oldest - state) : (unsigned)NO_WAY;
}

bool order_has(unsigned ways, const uint8_t *state, unsigned way)
{
    return ways > RANKED_WAYS ? listed(state, way) : state[way] != NO_RANK;
}

void order_ranks(unsigned ways, const uint8_t *state, uint16_t *ranks)
{
    uint16_t rank = 0;

    for (unsigned way = 0; way < ways; way++)
        ranks[way] = ways > RANKED_WAYS || state[way] == NO_RANK ? NO_WAY : state[way];
    for (unsigned way = ways > RANKED_WAYS ? get(state, NEWEST) : NO_LINK; way != NO_LINK; way = get(state, older(way)))
        ranks[way] = rank++;
}

void order_drop(unsigned ways, uint8_t *state, unsigned way)
{
    uint8_t rank = state[way];

    if (!order_has(ways, state, way))
        return;
    if (ways > RANKED_WAYS) {
        unlink_way(state, way);
        return;
    }
    for (unsigned other = 0; other < ways; other++)
        if (state[other] > rank && state[other] != NO_RANK)
            state[other]--;
    state[way] = NO_RANK;
}
