// SPDX-License-Identifier: BSD-2-Clause
/* array.c: finding, inserting and removing entries. Everything that every modelled access passes through is here, so
 * nothing in it allocates, and nothing divides but the index of an odd number of sets. What happens to a set is noted
 * once a period, for array_digest and for emptying an array at the price of what is in it. */
#include "tests/silicon/array_parts.h"
#include <emmintrin.h>
#include <string.h>

uint64_t array_sets(const struct array *array)
{
    return array->sets;
}

unsigned array_ways(const struct array *array)
{
    return array->ways;
}

const struct array_shape *array_shape(const struct array *array)
{
    return &array->shape;
}

struct entry array_entry(const struct array *array, uint64_t set, unsigned way)
{
    return (struct entry){array_tags(array, set)[way], array_values(array, set)[way]};
}

uint64_t array_value(const struct array *array, struct place place)
{
    return array_values(array, place.set)[place.way];
}

void array_set_value(struct array *array, struct place place, uint64_t value)
{
    array_use(array, place.set);
    array_values(array, place.set)[place.way] = value;
}

/* The policy that a set follows at the moment. */
static const struct policy *policy_of(const struct array *array, uint64_t set)
{
    const struct duel *duel = &array->shape.duel;
    enum role role;

    if (duel->leaders == 0)
        return &array->shape.policy;
    role = array_header(array, set)->role;
    if (role == LEADS_SECOND || (role == FOLLOWS && array->duel_counter > duel->counter_most / 2))
        return &duel->second;
    return &array->shape.policy;
}

/* A leader set missed. The counter is high when the first policy misses more. */
static void count_miss(struct array *array, uint64_t set)
{
    enum role role = array_header(array, set)->role;

    if (role == LEADS_FIRST && array->duel_counter < array->shape.duel.counter_most)
        array->duel_counter++;
    if (role == LEADS_SECOND && array->duel_counter > 0)
        array->duel_counter--;
}

/* Ways of a set whose tag may be this one, of the sixteen from `first`: bit by bit. */
static unsigned candidates(const uint8_t *hashes, unsigned first, uint8_t hash)
{
    __m128i some = _mm_loadu_si128((const void *)(hashes + first));

    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(some, _mm_set1_epi8((char)hash)));
}

bool array_find(const struct array *array, uint64_t number, uint64_t tag, struct place *place)
{
    const uint8_t *hashes;
    const uint64_t *tags;
    uint64_t set;

    if (array->shape.index.kind == INDEX_SKEWED)
        return skewed_find(array, number, tag, place);
    set = array_set_of(array, number);
    if (array->slots) {
        *place = (struct place){set, slots_find(array, set, tag)};
        return place->way != NO_WAY;
    }
    hashes = array_hashes(array, set);
    tags = array_tags(array, set);
    for (unsigned first = 0; first < array->ways; first += LANES)
        for (unsigned left = candidates(hashes, first, array_hash(tag)); left; left &= left - 1) {
            unsigned way = first + (unsigned)__builtin_ctz(left);

            if (way < array->ways && tags[way] == tag) {
                *place = (struct place){set, way};
                return true;
            }
        }
    return false;
}

void array_expect(const struct array *array, uint64_t number)
{
    enum { HOST_LINE = 64, MOST = 512 };

    if (array->shape.index.kind == INDEX_SKEWED)
        return;
    const uint8_t *block = array_block(array, array_set_of(array, number));
    for (size_t at = 0; at < array->block_bytes && at < MOST; at += HOST_LINE)
        __builtin_prefetch(block + at);
}

/* Asks the policy about a copy of the set's state, and lets it draw from a copy of the random numbers. */
uint64_t array_next_out(const struct array *array, uint64_t number)
{
    enum { MOST_STATE = 64 };
    struct random random = array->random;
    uint8_t state[MOST_STATE];
    const uint64_t *tags;
    uint64_t set;

    if (array->shape.index.kind == INDEX_SKEWED || array->state_bytes > MOST_STATE)
        return 0;
    set = array_set_of(array, number);
    tags = array_tags(array, set);
    memcpy(state, array_state(array, set), array->state_bytes);
    return tags[policy_victim(policy_of(array, set), array->ways, state, tags, &random)];
}

void array_touch(struct array *array, struct place place)
{
    array_use(array, place.set);
    if (array->shape.index.kind == INDEX_SKEWED)
        skewed_touch(array, place);
    else
        policy_hit(policy_of(array, place.set), array->ways, array_state(array, place.set),
                   array_tags(array, place.set), place.way);
}

/* Writes an entry where another one may have been; returns that. */
static struct entry put(struct array *array, struct place place, struct entry entry)
{
    uint64_t *tag = array_tags(array, place.set) + place.way, *value = array_values(array, place.set) + place.way;
    struct set_header *header = array_header(array, place.set);
    struct entry old = {*tag, *value};

    if (array->slots && old.tag)
        slots_remove(array, place.set, place.way);
    header->held = (uint16_t)(header->held - (old.tag != 0) + (entry.tag != 0));
    *tag = entry.tag;
    *value = entry.value;
    if (array->hashes)
        array_hashes(array, place.set)[place.way] = array_hash(entry.tag);
    if (array->slots && entry.tag)
        slots_add(array, place.set, place.way);
    return old;
}

struct entry array_insert(struct array *array, uint64_t number, struct entry entry, struct place *place)
{
    const struct policy *policy;
    const uint64_t *tags;
    struct entry old;
    uint8_t *state;
    uint64_t set;
    bool full;

    if (array->shape.index.kind == INDEX_SKEWED) {
        *place = skewed_victim(array, number);
        old = put(array, *place, entry);
        skewed_fill(array, number, *place);
        return old;
    }
    set = array_set_of(array, number);
    tags = array_tags(array, set);
    state = array_state(array, set);
    array_use(array, set);
    if (array->shape.duel.leaders)
        count_miss(array, set);
    policy = policy_of(array, set);
    full = array_header(array, set)->held == array->ways;
    *place = (struct place){set, policy_victim(policy, array->ways, state, full ? NULL : tags, &array->random)};
    old = put(array, *place, entry);
    policy_fill(policy, array->ways, state, tags, place->way, &array->random);
    return old;
}

void array_remove(struct array *array, struct place place)
{
    array_use(array, place.set);
    put(array, place, (struct entry){0, 0});
    if (array->shape.index.kind != INDEX_SKEWED)
        policy_drop(policy_of(array, place.set), array->ways, array_state(array, place.set), place.way);
}

unsigned array_remove_matching(struct array *array, uint64_t mask, uint64_t match)
{
    unsigned removed = 0;

    for (uint64_t i = 0; i < array->used.count; i++) {
        uint64_t set = array->used.set[i];
        const uint64_t *tags = array_tags(array, set);

        for (unsigned way = 0; array_header(array, set)->held && way < array->ways; way++)
            if (tags[way] && (tags[way] & mask) == match) {
                array_remove(array, (struct place){set, way});
                removed++;
            }
    }
    return removed;
}

void array_empty(struct array *array)
{
    for (uint64_t i = 0; i < array->used.count; i++) {
        uint64_t set = array->used.set[i];

        array_use(array, set);
        memcpy(array_state(array, set), array->fresh, array->state_bytes);
        memset(array_hashes(array, set), 0, array->hashes);
        memset(array_tags(array, set), 0, array->block_bytes - array->tags_at); /* values and index follow */
        array_header(array, set)->held = 0;
    }
    array->used.count = 0;
    array->used.period++;
}

void array_mark(struct array *array)
{
    array->marked.count = 0;
    array->marked.period++;
}

/* Everything in a set that can ever matter. */
static uint64_t set_digest(const struct array *array, uint64_t set, bool with_state)
{
    const uint8_t *state = array_state(array, set);
    const uint64_t *tags = array_tags(array, set), *values = array_values(array, set);
    uint64_t hash = array_mix(0, set + 1), other = hash;

    for (size_t at = 0; with_state && at < array->state_bytes; at += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, state + at, sizeof word);
        hash = array_mix(hash, word);
    }
    for (unsigned way = 0; way < array->ways; way++) {
        hash = array_mix(hash, tags[way]);
        other = array_mix(other, values[way]);
    }
    return array_mix(hash, other);
}

/* Under LRU and FIFO it does not matter which way an entry is in, only which place in the order it has: a walk of more
 * lines than a set has ways repeats itself although each lap ends one way further. */
static uint64_t ordered_digest(const struct array *array, uint64_t set)
{
    const uint64_t *tags = array_tags(array, set), *values = array_values(array, set);
    uint64_t start = array_mix(0, set + 1), sum = start;
    uint16_t ranks[MAX_POLICY_WAYS];

    order_ranks(array->ways, array_state(array, set), ranks);
    for (unsigned way = 0; way < array->ways; way++)
        if (tags[way])
            sum += array_mix(array_mix(start ^ ranks[way], tags[way]), values[way]);
    return array_mix(sum, start);
}

uint64_t array_digest(const struct array *array)
{
    const struct array_shape *shape = &array->shape;
    bool by_moments = skewed_keeps_moments(shape);
    bool by_order = (shape->policy.kind == POLICY_LRU || shape->policy.kind == POLICY_FIFO) && !by_moments &&
                    shape->duel.leaders == 0;
    uint64_t sum = by_moments ? skewed_order_digest(array) : 0;

    for (uint64_t i = 0; i < array->marked.count; i++) { /* a sum: the order in which sets were used does not matter */
        uint64_t set = array->marked.set[i];

        sum += by_order ? ordered_digest(array, set) : set_digest(array, set, !by_moments);
    }
    return array_mix(array_mix(sum, array->random.state), array->duel_counter);
}
