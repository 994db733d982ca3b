// SPDX-License-Identifier: BSD-2-Clause
/* array_skewed.c: arrays each way of which has its own set (Seznec, "A case for two-way skewed-associative caches",
 * ISCA 1993). The lines that compete for a place are in a different set in each way, so there is no set whose order or
 * tree could be kept. What works is what belongs to a single place: its age, or the moment of its last use. So the
 * policies are RANDOM, NRU (Seznec's own: a bit for each line), QLRU that ages on misses only, and LRU and FIFO by
 * moments. When a line comes in, the ages of its candidates are gathered as if they were a set, and put back. */
#include "tests/silicon/array_parts.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_SKEWED_WAYS = 64, SKEWED_MASK_BITS = 40 };

static bool by_moments(const struct policy *policy)
{
    return policy->kind == POLICY_LRU || policy->kind == POLICY_FIFO;
}

bool skewed_keeps_moments(const struct array_shape *shape)
{
    return shape->index.kind == INDEX_SKEWED && by_moments(&shape->policy);
}

const char *skewed_unsound(const struct array_shape *shape)
{
    const struct policy *policy = &shape->policy;

    if (shape->ways > MAX_SKEWED_WAYS)
        return "a skewed array has at most 64 ways";
    if (shape->duel.leaders)
        return "a skewed array has no sets that could lead a duel";
    for (unsigned i = 0; i < shape->index.bits; i++)
        if (shape->index.mask[i] >> SKEWED_MASK_BITS)
            return "the masks of a skewed index are 40 bits wide";
    if (by_moments(policy) || policy->kind == POLICY_RANDOM || policy->kind == POLICY_NRU ||
        (policy->kind == POLICY_QLRU && policy->miss_only))
        return NULL;
    return "a skewed array can have LRU, FIFO, RANDOM, NRU, and QLRU with UMO";
}

/* LRU and FIFO: a moment for each way. NRU and QLRU: planes as of a set. */
size_t skewed_state_bytes(const struct array_shape *shape)
{
    if (by_moments(&shape->policy))
        return shape->ways * sizeof(uint64_t);
    return policy_bytes(&shape->policy, shape->ways);
}

void skewed_fresh(const struct array_shape *shape, uint8_t *state)
{
    if (by_moments(&shape->policy))
        memset(state, 0, skewed_state_bytes(shape));
    else
        policy_reset(&shape->policy, shape->ways, state);
}

static uint64_t set_in_way(const struct array *array, uint64_t number, unsigned way)
{
    return array_set_of(array, index_turned(&array->shape.index, number, way));
}

static uint64_t *moment_of(const struct array *array, struct place place)
{
    return (uint64_t *)(void *)array_state(array, place.set) + place.way;
}

/* Planes of ages (policy_ages.c). */
static unsigned planes_of(const struct array *array)
{
    if (array->shape.policy.kind == POLICY_QLRU)
        return 2;
    return array->shape.policy.kind == POLICY_NRU;
}

/* The ages and tags of a number's candidates, as if they were a set. */
static void gather(const struct array *array, uint64_t number, uint64_t *planes, uint64_t *tags)
{
    for (unsigned way = 0; way < array->ways; way++) {
        uint64_t set = set_in_way(array, number, way);
        const uint64_t *state = (const void *)array_state(array, set);

        tags[way] = array_tags(array, set)[way];
        for (unsigned plane = 0; plane < planes_of(array); plane++)
            planes[plane] |= state[plane] & 1ULL << way;
    }
}

static void scatter(struct array *array, uint64_t number, const uint64_t *planes)
{
    for (unsigned way = 0; way < array->ways; way++) {
        uint64_t set = set_in_way(array, number, way), bit = 1ULL << way;
        uint64_t *state = (void *)array_state(array, set);

        for (unsigned plane = 0; plane < planes_of(array); plane++)
            state[plane] = (state[plane] & ~bit) | (planes[plane] & bit);
    }
}

bool skewed_find(const struct array *array, uint64_t number, uint64_t tag, struct place *place)
{
    for (unsigned way = 0; way < array->ways; way++) {
        uint64_t set = set_in_way(array, number, way);

        if (array_tags(array, set)[way] == tag) {
            *place = (struct place){set, way};
            return true;
        }
    }
    return false;
}

void skewed_touch(struct array *array, struct place place)
{
    const struct policy *policy = &array->shape.policy;

    if (policy->kind == POLICY_LRU)
        *moment_of(array, place) = ++array->clock;
    else if (policy->kind != POLICY_FIFO) /* of the others, a hit changes nothing but the place's own age */
        policy_hit(policy, array->ways, array_state(array, place.set), array_tags(array, place.set), place.way);
}

/* Empty ways first, then the moment that is longest ago. No two moments are equal. */
static unsigned oldest(const struct array *array, uint64_t number, const uint64_t *tags)
{
    unsigned oldest_way = policy_empty_way(tags, array->ways);
    uint64_t least = UINT64_MAX;

    if (oldest_way != NO_WAY)
        return oldest_way;
    for (unsigned way = 0; way < array->ways; way++) {
        uint64_t moment = *moment_of(array, (struct place){set_in_way(array, number, way), way});

        if (moment < least) {
            least = moment;
            oldest_way = way;
        }
    }
    return oldest_way;
}

struct place skewed_victim(struct array *array, uint64_t number)
{
    const struct policy *policy = &array->shape.policy;
    uint64_t planes[2] = {0, 0}, tags[MAX_SKEWED_WAYS];
    unsigned way;

    for (way = 0; way < array->ways; way++)
        array_use(array, set_in_way(array, number, way));
    gather(array, number, planes, tags);
    if (by_moments(policy)) {
        way = oldest(array, number, tags);
    } else {
        way = policy_victim(policy, array->ways, (uint8_t *)planes, tags, &array->random);
        scatter(array, number, planes);
    }
    return (struct place){set_in_way(array, number, way), way};
}

void skewed_fill(struct array *array, uint64_t number, struct place place)
{
    const struct policy *policy = &array->shape.policy;
    uint64_t planes[2] = {0, 0}, tags[MAX_SKEWED_WAYS];

    if (by_moments(policy)) {
        *moment_of(array, place) = ++array->clock;
        return;
    }
    gather(array, number, planes, tags);
    policy_fill(policy, array->ways, (uint8_t *)planes, tags, place.way, &array->random);
    scatter(array, number, planes);
}

static int earlier(const void *one, const void *other)
{
    const struct moment *first = one, *second = other;

    return (first->at > second->at) - (first->at < second->at);
}

/* The order of all moments, not the moments: time goes on, and the same order is the same state. */
uint64_t skewed_order_digest(const struct array *array)
{
    uint64_t count = 0, hash = 0;

    for (uint64_t i = 0; i < array->marked.count; i++) {
        uint64_t set = array->marked.set[i];

        for (unsigned way = 0; way < array->ways; way++)
            if (array_tags(array, set)[way])
                array->moments[count++] =
                    (struct moment){*moment_of(array, (struct place){set, way}), set * array->ways + way};
    }
    qsort(array->moments, count, sizeof *array->moments, earlier);
    for (uint64_t i = 0; i < count; i++)
        hash = array_mix(hash, array->moments[i].cell);
    return hash;
}
