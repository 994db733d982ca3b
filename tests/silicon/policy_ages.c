// SPDX-License-Identifier: BSD-2-Clause
/* policy_ages.c: policies that keep a bit or an age of two bits for each way: MRU (bit-PLRU), NRU and QLRU.
 *
 * Rules as the cache simulator of uops.info defines its names (Abel and Reineke, "nanoBench: a low-overhead tool for
 * running microbenchmarks on x86 systems", ISPASS 2020, section VI; NRU and RRIP after Jaleel et al., "High performance
 * cache replacement using re-reference interval prediction", ISCA 2010). Invalidating a line leaves its way's age.
 *
 * All ages of a set are looked at and often all changed in one access, so bit b of the ages of 64 ways is one word: a
 * plane. QLRU has two planes, the low one first, with ages from 0 to 3. MRU and NRU have one, with 1 for a way that may
 * go. Bits of ways that do not exist are 0. */
#include "tests/silicon/policy_parts.h"
#include <string.h>

enum { WAYS_A_WORD = 64, OLDEST_AGE = 3, RARELY = 16 };

static unsigned words_of(unsigned ways)
{
    return (ways + WAYS_A_WORD - 1) / WAYS_A_WORD;
}

static uint64_t get(const uint8_t *state, unsigned word)
{
    uint64_t bits;

    memcpy(&bits, state + word * sizeof bits, sizeof bits);
    return bits;
}

static void put(uint8_t *state, unsigned word, uint64_t bits)
{
    memcpy(state + word * sizeof bits, &bits, sizeof bits);
}

/* Ways that exist, of the 64 of this word. */
static uint64_t existing(unsigned ways, unsigned word)
{
    unsigned rest = ways - word * WAYS_A_WORD;

    return rest >= WAYS_A_WORD ? ~0ULL : (1ULL << rest) - 1;
}

/* `way` as a bit of this word; 0 when it is in another one. */
static uint64_t bit_of(unsigned way, unsigned word)
{
    return way / WAYS_A_WORD == word ? 1ULL << way % WAYS_A_WORD : 0;
}

static unsigned planes_of(const struct policy *policy)
{
    return policy->kind == POLICY_QLRU ? 2 : 1;
}

/* MRU_N has one more word: whether the set was full after the last fill. */
size_t ages_bytes(const struct policy *policy, unsigned ways)
{
    bool late = policy->kind == POLICY_MRU && policy->late;

    return (planes_of(policy) * words_of(ways) + late) * sizeof(uint64_t);
}

void ages_reset(const struct policy *policy, unsigned ways, uint8_t *state)
{
    unsigned words = words_of(ways);

    memset(state, 0, ages_bytes(policy, ways));
    for (unsigned plane = 0; plane < planes_of(policy); plane++)
        for (unsigned word = 0; word < words; word++)
            put(state, plane * words + word, existing(ways, word));
}

/* The leftmost way with a bit in the plane (of MRU, NRU), or with age 3 (both planes of QLRU). */
static unsigned leftmost(const struct policy *policy, unsigned ways, const uint8_t *state)
{
    unsigned words = words_of(ways);

    for (unsigned word = 0; word < words; word++) {
        uint64_t bits = get(state, word);

        if (policy->kind == POLICY_QLRU)
            bits &= get(state, words + word);
        if (bits)
            return word * WAYS_A_WORD + (unsigned)__builtin_ctzll(bits);
    }
    return NO_WAY;
}

/* MRU and NRU: a way was used. MRU: when no way may go any more, all others may. */
static void bit_use(const struct policy *policy, unsigned ways, uint8_t *state, unsigned way)
{
    unsigned words = words_of(ways), word = way / WAYS_A_WORD;

    put(state, word, get(state, word) & ~bit_of(way, word));
    if (policy->kind == POLICY_NRU || leftmost(policy, ways, state) != NO_WAY)
        return;
    for (word = 0; word < words; word++)
        put(state, word, existing(ways, word) & ~bit_of(way, word));
}

static unsigned age_of(unsigned ways, const uint8_t *state, unsigned way)
{
    unsigned words = words_of(ways), word = way / WAYS_A_WORD, shift = way % WAYS_A_WORD;

    return (unsigned)(get(state, word) >> shift & 1) + 2 * (unsigned)(get(state, words + word) >> shift & 1);
}

static void set_age(unsigned ways, uint8_t *state, unsigned way, unsigned age)
{
    unsigned words = words_of(ways), word = way / WAYS_A_WORD;
    uint64_t bit = bit_of(way, word), low = get(state, word) & ~bit, high = get(state, words + word) & ~bit;

    put(state, word, age & 1 ? low | bit : low);
    put(state, words + word, age & 2 ? high | bit : high);
}

/* The greatest age of all ways but one; NO_WAY: of all. */
static unsigned greatest_age(unsigned ways, const uint8_t *state, unsigned but)
{
    unsigned words = words_of(ways), greatest = 0;

    for (unsigned word = 0; word < words; word++) {
        uint64_t counted = ~bit_of(but, word);
        uint64_t low = get(state, word) & counted, high = get(state, words + word) & counted;
        unsigned age = low & high ? 3 : high ? 2 : low ? 1 : 0;

        if (age > greatest)
            greatest = age;
    }
    return greatest;
}

/* Adds to the ages of all ways but one; no age may pass 3. */
static void add_age(unsigned ways, uint8_t *state, unsigned add, unsigned but)
{
    unsigned words = words_of(ways);

    for (unsigned word = 0; add && word < words; word++) {
        uint64_t change = existing(ways, word) & ~bit_of(but, word);
        uint64_t low = get(state, word), high = get(state, words + word);
        uint64_t carry = add & 1 ? low & change : 0;

        put(state, word, add & 1 ? low ^ change : low);
        put(state, words + word, high ^ carry ^ (add & 2 ? change : 0));
    }
}

/* U0 to U3. way: the one just used; NO_WAY: before a miss, where U1 is U0 and U3 is U2. */
static void age_all(const struct policy *policy, unsigned ways, uint8_t *state, unsigned way)
{
    unsigned all = greatest_age(ways, state, NO_WAY);

    switch (policy->update) {
    case 0:
        add_age(ways, state, OLDEST_AGE - all, NO_WAY);
        break;
    case 1:
        if (ways > 1)
            add_age(ways, state, OLDEST_AGE - greatest_age(ways, state, way), way);
        break;
    case 2:
        add_age(ways, state, all < OLDEST_AGE, NO_WAY);
        break;
    default:
        add_age(ways, state, all < OLDEST_AGE, way);
        break;
    }
}

void ages_hit(const struct policy *policy, unsigned ways, uint8_t *state, unsigned way)
{
    if (policy->kind == POLICY_QLRU) {
        unsigned age = age_of(ways, state, way);

        set_age(ways, state, way, age == 3 ? policy->hit3 : age == 2 ? policy->hit2 : 0);
        if (!policy->miss_only)
            age_all(policy, ways, state, way);
        return;
    }
    if (!policy->late || get(state, words_of(ways))) /* MRU_N: nothing moves before the set is full */
        bit_use(policy, ways, state, way);
}

static unsigned rightmost_empty(const uint64_t *tags, unsigned ways)
{
    for (unsigned way = ways; tags && way-- > 0;)
        if (tags[way] == 0)
            return way;
    return NO_WAY;
}

unsigned ages_victim(const struct policy *policy, unsigned ways, uint8_t *state, const uint64_t *tags)
{
    unsigned way;

    if (policy->kind == POLICY_QLRU && policy->miss_only)
        age_all(policy, ways, state, NO_WAY);
    if (policy->kind == POLICY_NRU && leftmost(policy, ways, state) == NO_WAY)
        ages_reset(policy, ways, state);
    way = policy->kind == POLICY_QLRU && policy->replace == 2 ? rightmost_empty(tags, ways)
                                                              : policy_empty_way(tags, ways);
    if (way == NO_WAY)
        way = leftmost(policy, ways, state);
    return way == NO_WAY ? 0 : way; /* R1 says so; elsewhere only a set of one way comes to this */
}

void ages_fill(const struct policy *policy, unsigned ways, uint8_t *state, const uint64_t *tags, unsigned way,
               struct random *random)
{
    if (policy->kind == POLICY_QLRU) {
        bool rare = policy->random_insert && random_below(random, RARELY) == 0;

        set_age(ways, state, way, rare ? policy->insert_rare : policy->insert);
        if (!policy->miss_only)
            age_all(policy, ways, state, way);
        return;
    }
    ages_hit(policy, ways, state, way);
    if (policy->kind == POLICY_MRU && policy->late && !get(state, words_of(ways)))
        put(state, words_of(ways), policy_empty_way(tags, ways) == NO_WAY);
}

void ages_drop(const struct policy *policy, unsigned ways, uint8_t *state)
{
    if (policy->kind == POLICY_MRU && policy->late)
        put(state, words_of(ways), 0);
}
