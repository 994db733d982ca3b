// SPDX-License-Identifier: BSD-2-Clause
/* index.c: sets and slices by modulo, by XOR and by a sequence.
 *
 * Sources: modulo by a count that is no power of two is what caches of 3, 6 or 11 million bytes do; XOR of address bits
 * is the second-level TLB in Tatar et al. ("TLB;DR", USENIX Security 2022) and the slice hash in Maurice et al.
 * ("Reverse engineering Intel last-level cache complex addressing using performance counters", RAID 2015); ways that
 * each have their own function are Seznec's ("A case for two-way skewed-associative caches", ISCA 1993); sequences are
 * McCalpin's (index.h). */
#include "tests/silicon/index.h"

enum { SKEWED_BITS = 40, LINE_SHIFT = 6 };

/* Bit i: the parity of the number under mask[i]. */
static uint64_t parities(const uint64_t *mask, unsigned bits, uint64_t number)
{
    uint64_t result = 0;

    for (unsigned i = 0; i < bits; i++)
        result |= (uint64_t)__builtin_parityll(number & mask[i]) << i;
    return result;
}

/* Turning the masks left is turning the number right: parity(n & left(m)) = parity(right(n) & m). */
uint64_t index_turned(const struct index *index, uint64_t number, unsigned way)
{
    const uint64_t all = (1ULL << SKEWED_BITS) - 1;
    unsigned by = (unsigned)((uint64_t)way * index->skew % SKEWED_BITS);

    number &= all;
    return by ? (number >> by | number << (SKEWED_BITS - by)) & all : number;
}

uint64_t index_set(const struct index *index, uint64_t number, unsigned way)
{
    switch (index->kind) {
    case INDEX_XOR:
        return parities(index->mask, index->bits, number);
    case INDEX_SKEWED:
        return parities(index->mask, index->bits, index_turned(index, number, way));
    case INDEX_MODULO:
        break;
    }
    if ((index->sets & (index->sets - 1)) == 0)
        return number & (index->sets - 1);
    return number % index->sets;
}

unsigned slice_of(const struct slices *slices, uint64_t address)
{
    uint64_t number;

    switch (slices->kind) {
    case SLICE_XOR:
        return (unsigned)parities(slices->mask, slices->bits, address);
    case SLICE_SEQUENCE:
        number = parities(slices->mask, slices->bits, address);
        return slices->sequence[(address >> LINE_SHIFT ^ number) & (slices->length - 1)];
    case SLICE_NONE:
        break;
    }
    return 0;
}
