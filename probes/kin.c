// SPDX-License-Identifier: BSD-2-Clause
/* kin.c: drawing lines of a set. */
#include "probes/kin.h"
#include "base/arithmetic.h"

struct region region_in(const struct stretch *stretch, uint64_t unit, uint64_t most)
{
    struct region region = {.unit = unit};
    uint64_t end = stretch->physical + stretch->size;
    for (uint64_t size = power_of_two_within(most < stretch->contiguous ? most : stretch->contiguous); size >= unit;
         size /= 2) {
        uint64_t pa = (stretch->physical + size - 1) & ~(size - 1);
        if (pa + size > end)
            continue;
        region.pa = pa;
        region.va = stretch->base + (pa - stretch->physical);
        region.size = size;
        return region;
    }
    return region;
}

uint64_t region_lines(const struct region *region)
{
    return region->size / region->unit;
}

uint64_t region_address(const struct region *region, uint64_t line)
{
    return region->va + line * region->unit;
}

struct kin kin_by(const struct region *region, const struct gf2 *space, uint64_t odd)
{
    struct kin kin = {.space = *space, .odd = odd};
    uint64_t lines = region_lines(region), power = lines >> space->dimension;
    for (uint64_t bit = power; bit < lines; bit *= 2)
        if (!gf2_has(space, bit))
            return kin;
    kin.stride = power * odd;
    return kin;
}

struct kin kin_modulo(const struct region *region, uint64_t sets)
{
    struct gf2 space = {.dimension = 0};
    uint64_t power = 1;
    for (; sets % 2 == 0; sets /= 2)
        power *= 2;
    for (; power < region_lines(region); power *= 2)
        gf2_add(&space, power);
    return kin_by(region, &space, sets);
}

bool kin_are(const struct kin *kin, uint64_t a, uint64_t b)
{
    return (kin->odd <= 1 || difference(a, b) % kin->odd == 0) && gf2_has(&kin->space, a ^ b);
}

/* Sends numbers below 2^bits to each other, one to one, in an order that a seed chooses. */
static uint64_t permuted(uint64_t number, unsigned bits, uint64_t seed)
{
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (unsigned round = 0; round < 3; round++) {
        number = (number + seed) * 0x9e3779b97f4a7c15u & mask;
        number ^= number >> (bits / 2 + 1);
        seed = seed * 0xd6e8feb86659fd93u + 1;
    }
    return number;
}

/* The vector with these coordinates. */
static uint64_t combination(const struct gf2 *space, uint64_t coordinates)
{
    uint64_t sum = 0;
    for (unsigned bit = 0; bit < 64 && coordinates; bit++)
        if (space->vector[bit]) {
            if (coordinates & 1)
                sum ^= space->vector[bit];
            coordinates >>= 1;
        }
    return sum;
}

/* Vectors among which lines are drawn: where the odd rule leaves most out, more. */
static uint64_t looks_of(const struct kin *kin)
{
    uint64_t looks = 4 * power_of_two_within(2 * kin->odd - 1), all = (uint64_t)1 << kin->space.dimension;
    return kin->odd <= 1 ? 1 : looks < all ? looks : all;
}

/* Lines that are drawn from so many vectors: nearly all that there are, 4 to 8 on average. */
static uint64_t from_looks(const struct kin *kin)
{
    return kin->odd > 1 ? 8 : 1;
}

/* How many times so many vectors there are. */
static uint64_t rows_of(const struct kin *kin)
{
    return ((uint64_t)1 << kin->space.dimension) / looks_of(kin);
}

uint64_t kin_count(const struct kin *kin, const struct region *region)
{
    return kin->stride ? region_lines(region) / kin->stride : rows_of(kin) * from_looks(kin);
}

/* Of lines a stride apart, number i in the order of a seed. */
static uint64_t strided(const struct kin *kin, const struct region *region, uint64_t line, uint64_t seed, uint64_t i)
{
    uint64_t count = kin_count(kin, region);
    unsigned bits = 1;
    while ((uint64_t)1 << bits < count)
        bits++;
    /* Numbers beyond the last are sent through again (cycle walking, as in walk.h). */
    do
        i = permuted(i, bits, seed);
    while (i >= count);
    return line % kin->stride + i * kin->stride;
}

static uint64_t drawn_from(const struct kin *kin, const struct region *region, uint64_t line, uint64_t seed, uint64_t i)
{
    uint64_t count = kin_count(kin, region);
    if (i >= count)
        return line;
    if (kin->stride)
        return strided(kin, region, line, seed, i);
    /* The first one of each row of vectors comes first, then the second one of each, and so on. */
    uint64_t rows = rows_of(kin), before = i / rows;
    for (uint64_t look = 0; look < looks_of(kin); look++) {
        uint64_t number = permuted(i % rows + look * rows, kin->space.dimension, seed);
        uint64_t drawn = line ^ combination(&kin->space, number);
        if (kin_are(kin, drawn, line) && before-- == 0)
            return drawn;
    }
    return line;
}

uint64_t kin_draw(const struct kin *kin, const struct region *region, uint64_t line, uint64_t seed, uint64_t i)
{
    enum { PAGE = 4096 };
    uint64_t drawn = drawn_from(kin, region, line, seed, i);
    bool kept = line * region->unit % PAGE < KEPT;
    return kept || drawn * region->unit % PAGE >= KEPT ? drawn : line;
}
