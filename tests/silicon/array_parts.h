// SPDX-License-Identifier: BSD-2-Clause
/* array_parts.h: what an array is made of. Only for array*.c.
 *
 * All that belongs to a set lies together in one block, so that an access to a big array waits for the host's memory
 * for as few of its cache lines as can be. First come a header, a byte of hash of each tag and the policy's state: they
 * tell nearly always whether and where a tag is. Then come the row of tags and the row of values, and with many ways an
 * index of the tags instead of the bytes of hash. */
#pragma once
#include "tests/silicon/array.h"
#include "tests/silicon/policy_parts.h"

enum {
    HASHED_WAYS = 32, /* more ways than these are looked up by an index */
    LANES = 16,       /* bytes that are compared at a time */
    NUMBER_BYTES = 8
};

/* Sets that something happened to since a moment: each is listed once, and its header has the period's number.
 * The number comes again after 2^32 periods, which no run lives to see. */
struct set_list {
    uint32_t *set;
    uint64_t count;
    uint32_t period;
};

enum role { FOLLOWS, LEADS_FIRST, LEADS_SECOND };

struct set_header {
    uint32_t marked, used; /* the period in which the set was listed last, of either list */
    uint16_t held;         /* ways that are not empty */
    uint8_t role;
};

/* Skewed, LRU or FIFO: when a way of a set was used. */
struct moment {
    uint64_t at, cell;
};

struct array {
    struct array_shape shape;
    uint64_t sets;
    unsigned ways;
    void *memory;
    uint8_t *blocks; /* in there, at a cache line's start */
    size_t block_bytes, state_bytes, hashes_at, state_at, tags_at, values_at, slots_at;
    unsigned hashes;        /* bytes of hash of one set: its ways, rounded up to LANES; 0: none */
    unsigned slots;         /* of the index of one set, a power of two; 0: none */
    uint8_t *fresh;         /* the policy's state of an empty set */
    struct set_list marked; /* since array_mark */
    struct set_list used;   /* since the array was empty */
    struct random random;
    unsigned duel_counter;
    uint64_t clock;         /* skewed: the last moment of use that was given out */
    struct moment *moments; /* room to sort them all */
    /* XOR and SKEWED: the part that each byte of a number has in its set. */
    unsigned table_bytes;
    uint32_t table[NUMBER_BYTES][256];
};

static inline void *array_block(const struct array *array, uint64_t set)
{
    return array->blocks + set * array->block_bytes;
}

static inline struct set_header *array_header(const struct array *array, uint64_t set)
{
    return array_block(array, set);
}

static inline uint8_t *array_state(const struct array *array, uint64_t set)
{
    return (uint8_t *)array_block(array, set) + array->state_at;
}

static inline uint64_t *array_tags(const struct array *array, uint64_t set)
{
    return (void *)((uint8_t *)array_block(array, set) + array->tags_at);
}

static inline uint64_t *array_values(const struct array *array, uint64_t set)
{
    return (void *)((uint8_t *)array_block(array, set) + array->values_at);
}

/* The set of a number, or of a turned number when skewed. */
static inline uint64_t array_set_of(const struct array *array, uint64_t number)
{
    uint64_t set = 0;

    if (array->shape.index.kind == INDEX_MODULO)
        return index_set(&array->shape.index, number, 0);
    for (unsigned byte = 0; byte < array->table_bytes; byte++)
        set ^= array->table[byte][number >> 8 * byte & 0xFF];
    return set;
}

/* Something is about to happen to a set. */
static inline void array_use(struct array *array, uint64_t set)
{
    struct set_header *header = array_header(array, set);

    if (header->marked != array->marked.period) {
        header->marked = array->marked.period;
        array->marked.set[array->marked.count++] = (uint32_t)set;
    }
    if (header->used != array->used.period) {
        header->used = array->used.period;
        array->used.set[array->used.count++] = (uint32_t)set;
    }
}

/* A step of a 64-bit hash: multiply, and bring the well-mixed high half down. */
static inline uint64_t array_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15;
    return hash ^ hash >> 32;
}

/* Of eight bits: two tags of a set are taken for each other, until the tags themselves are compared, in one of 256. */
static inline uint8_t array_hash(uint64_t tag)
{
    return (uint8_t)(tag * 0x9E3779B97F4A7C15 >> 56);
}

static inline uint8_t *array_hashes(const struct array *array, uint64_t set)
{
    return (uint8_t *)array_block(array, set) + array->hashes_at;
}

/* array_slots.c: an exact index of the tags of one set, for arrays of many ways. */
unsigned slots_find(const struct array *, uint64_t set, uint64_t tag); /* NO_WAY: not there */
void slots_add(struct array *, uint64_t set, unsigned way);
void slots_remove(struct array *, uint64_t set, unsigned way); /* while its tag is still in the row */

/* array_skewed.c: the same for arrays each way of which has its own set. */
bool skewed_keeps_moments(const struct array_shape *);
const char *skewed_unsound(const struct array_shape *);
size_t skewed_state_bytes(const struct array_shape *);
void skewed_fresh(const struct array_shape *, uint8_t *state);
bool skewed_find(const struct array *, uint64_t number, uint64_t tag, struct place *);
void skewed_touch(struct array *, struct place);
struct place skewed_victim(struct array *, uint64_t number);
void skewed_fill(struct array *, uint64_t number, struct place);
uint64_t skewed_order_digest(const struct array *);
