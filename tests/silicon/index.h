// SPDX-License-Identifier: BSD-2-Clause
/* index.h: from a line's or page's number to its set, and from a line's number to its slice. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { MAX_INDEX_BITS = 20, MAX_SLICE_SEQUENCE = 4096 };

enum index_kind {
    INDEX_MODULO, /* number % sets: any count of sets */
    INDEX_XOR,    /* bit i of the set is the parity of number & mask[i]; sets = 2^bits */
    INDEX_SKEWED, /* as XOR, but every way has its own: way w uses mask[i] rotated left by w * skew bits within 40 bits
                   */
};

/* `number` is a line number (address / line) or a page number (address / page size). */
struct index {
    enum index_kind kind;
    uint64_t sets;
    unsigned bits;                 /* XOR and SKEWED */
    uint64_t mask[MAX_INDEX_BITS]; /* over bits of the number */
    unsigned skew;
};

uint64_t index_set(const struct index *, uint64_t number, unsigned way); /* way: 0 unless skewed */

/* SKEWED: the number whose set under the masks as they are is this number's set in `way`. */
uint64_t index_turned(const struct index *, uint64_t number, unsigned way);

/* The slice of a physical address. XOR: bit i of the slice is the parity of address & mask[i] (masks over ADDRESS bits,
 * bit 6 the lowest). SEQUENCE: for counts that are no power of two, McCalpin's form ("Mapping addresses to L3/CHA
 * slices in Intel processors", TR-2021-03): the line's number inside a block of `length` lines, XORed with a
 * permutation number that hashes the higher address bits, selects a slice from a base sequence. */
enum slice_kind { SLICE_NONE, SLICE_XOR, SLICE_SEQUENCE };
struct slices {
    enum slice_kind kind;
    unsigned count; /* 1 for NONE */
    unsigned bits;
    uint64_t mask[MAX_INDEX_BITS]; /* XOR: of the slice; SEQUENCE: of the permutation number */
    unsigned length;               /* SEQUENCE: lines of the base sequence, a power of two */
    uint8_t sequence[MAX_SLICE_SEQUENCE];
};

unsigned slice_of(const struct slices *, uint64_t address);
