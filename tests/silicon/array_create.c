// SPDX-License-Identifier: BSD-2-Clause
/* array_create.c: makes arrays from shapes, and says what is wrong with a shape. */
#include "tests/silicon/array_parts.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_SETS = 1 << 28, HOST_LINE = 64 };

static size_t rounded(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

static size_t state_bytes(const struct array_shape *shape)
{
    size_t bytes, second = 0;

    if (shape->index.kind == INDEX_SKEWED)
        return skewed_state_bytes(shape);
    bytes = policy_bytes(&shape->policy, shape->ways);
    if (shape->duel.leaders)
        second = policy_bytes(&shape->duel.second, shape->ways);
    return bytes > second ? bytes : second;
}

/* Where the parts of a block are. */
static void lay_out(struct array *array)
{
    const struct array_shape *shape = &array->shape;
    size_t row = shape->ways * sizeof(uint64_t);

    array->sets = shape->index.sets;
    array->ways = shape->ways;
    if (shape->index.kind != INDEX_SKEWED && shape->ways <= HASHED_WAYS)
        array->hashes = (unsigned)rounded(shape->ways, LANES);
    else if (shape->index.kind != INDEX_SKEWED)
        for (array->slots = 1; array->slots < 2 * shape->ways;)
            array->slots *= 2;
    array->hashes_at = rounded(sizeof(struct set_header), sizeof(uint64_t));
    array->state_at = array->hashes_at + array->hashes;
    array->state_bytes = sizeof(uint64_t) * ((state_bytes(shape) - 1) / sizeof(uint64_t) + 1);
    array->tags_at = array->state_at + array->state_bytes;
    array->values_at = array->tags_at + row;
    array->slots_at = array->values_at + row;
    array->block_bytes = rounded(array->slots_at + array->slots * sizeof(uint16_t), HOST_LINE);
}

/* Zeroes that begin where a line of the host's caches does, and a block more than sets: of what an empty one has. */
static bool make_blocks(struct array *array)
{
    array->memory = calloc(array->sets + 2, array->block_bytes);
    if (!array->memory)
        return false;
    array->blocks = array->memory;
    array->blocks += -(uintptr_t)array->memory % HOST_LINE;
    array->fresh = array_state(array, array->sets);
    return true;
}

static void make_table(struct array *array)
{
    const struct index *index = &array->shape.index;
    uint64_t all = 0;

    if (index->kind == INDEX_MODULO)
        return;
    for (unsigned i = 0; i < index->bits; i++)
        all |= index->mask[i];
    for (; all >> 8 * array->table_bytes; array->table_bytes++) {
        for (uint64_t byte = 0; byte < 256; byte++)
            array->table[array->table_bytes][byte] = (uint32_t)index_set(index, byte << 8 * array->table_bytes, 0);
        if (array->table_bytes == NUMBER_BYTES - 1) {
            array->table_bytes++;
            break;
        }
    }
}

/* Who follows and who leads: compared by the set's number within the period. */
static enum role role_of(const struct duel *duel, uint64_t set)
{
    if (duel->period)
        set %= duel->period;
    for (unsigned i = 0; i < duel->leaders; i++) {
        if (duel->first_leader[i] == set)
            return LEADS_FIRST;
        if (duel->second_leader[i] == set)
            return LEADS_SECOND;
    }
    return FOLLOWS;
}

static void make_fresh(struct array *array)
{
    const struct array_shape *shape = &array->shape;
    const struct policy *policy = &shape->policy;

    if (shape->duel.leaders && policy->kind == POLICY_RANDOM) /* it has no state of its own, but the other one has */
        policy = &shape->duel.second;
    if (shape->index.kind == INDEX_SKEWED)
        skewed_fresh(shape, array->fresh);
    else
        policy_reset(policy, shape->ways, array->fresh);
    for (uint64_t set = 0; set < array->sets; set++) {
        memcpy(array_state(array, set), array->fresh, array->state_bytes);
        array_header(array, set)->role = shape->duel.leaders ? role_of(&shape->duel, set) : FOLLOWS;
    }
}

struct array *array_create(const struct array_shape *shape, uint64_t seed)
{
    struct array *array = calloc(1, sizeof *array);

    if (!array)
        return NULL;
    array->shape = *shape;
    array->random.state = seed;
    array->duel_counter = shape->duel.counter_most / 2;
    lay_out(array);
    make_table(array);
    array->marked = (struct set_list){calloc(array->sets, sizeof(uint32_t)), 0, 1};
    array->used = (struct set_list){calloc(array->sets, sizeof(uint32_t)), 0, 1};
    if (skewed_keeps_moments(shape))
        array->moments = calloc(array->sets, array->ways * sizeof *array->moments);
    if ((skewed_keeps_moments(shape) && !array->moments) || !make_blocks(array) || !array->marked.set ||
        !array->used.set) {
        array_destroy(array);
        return NULL;
    }
    make_fresh(array);
    return array;
}

void array_destroy(struct array *array)
{
    if (!array)
        return;
    free(array->memory);
    free(array->marked.set);
    free(array->used.set);
    free(array->moments);
    free(array);
}

/* Are the masks independent? If not, some sets are never used. */
static bool independent(const uint64_t *mask, unsigned bits)
{
    uint64_t row[MAX_INDEX_BITS];

    memcpy(row, mask, bits * sizeof *row);
    for (unsigned i = 0; i < bits; i++) {
        uint64_t lowest = row[i] & -row[i];

        if (!lowest)
            return false;
        for (unsigned j = i + 1; j < bits; j++)
            if (row[j] & lowest)
                row[j] ^= row[i];
    }
    return true;
}

static const char *index_unsound(const struct index *index)
{
    if (index->sets < 1 || index->sets > MAX_SETS)
        return "an array has 1 to 2^28 sets";
    if (index->kind == INDEX_MODULO)
        return NULL;
    if (index->bits > MAX_INDEX_BITS)
        return "an index has at most 20 bits";
    if (index->sets != 1ULL << index->bits)
        return "the sets are not two to the number of index bits";
    return independent(index->mask, index->bits) ? NULL : "index bits that depend on each other leave sets unused";
}

static const char *duel_unsound(const struct array_shape *shape)
{
    const struct duel *duel = &shape->duel;
    uint64_t limit = duel->period ? duel->period : shape->index.sets;

    if (duel->leaders > MAX_LEADERS)
        return "a duel has at most 32 leader sets of each policy";
    if (duel->counter_most < 1)
        return "a duel's counter counts to 1 at least";
    if (!policy_compatible(&shape->policy, &duel->second))
        return "followers cannot change between policies whose states differ";
    for (unsigned i = 0; i < duel->leaders; i++) {
        if (duel->first_leader[i] >= limit || duel->second_leader[i] >= limit)
            return "a leader set lies outside of the period or the array";
        for (unsigned j = 0; j < duel->leaders; j++)
            if (duel->first_leader[i] == duel->second_leader[j])
                return "a set cannot lead both policies";
    }
    return policy_suits(&duel->second, shape->ways);
}

const char *array_unsound(const struct array_shape *shape)
{
    const char *wrong = policy_suits(&shape->policy, shape->ways);

    if (!wrong)
        wrong = index_unsound(&shape->index);
    if (!wrong && shape->duel.leaders)
        wrong = duel_unsound(shape);
    if (!wrong && shape->index.kind == INDEX_SKEWED)
        wrong = skewed_unsound(shape);
    return wrong;
}
