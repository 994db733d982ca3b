// SPDX-License-Identifier: BSD-2-Clause
/* random_span.c: how much memory a machine needs that was drawn from a seed. */
#include "base/arithmetic.h"
#include "base/gf2.h"
#include "tests/silicon/description.h"

enum { LEAST = 64 << 20, MOST = 1 << 30, TIMES = 4 };

/* What lines of one set have in common: sums of address bits, and remainders. */
struct common {
    struct gf2 sums;
    uint64_t modulus; /* of line numbers */
};

static void add_index(struct common *common, const struct cache_description *cache, uint64_t span)
{
    const struct index *index = &cache->shape.index;
    uint64_t sets = index->sets, bit = cache->line;

    if (index->kind != INDEX_MODULO) {
        for (unsigned i = 0; i < index->bits; i++)
            gf2_add(&common->sums, index->mask[i] * cache->line & (span - 1));
        return;
    }
    for (; sets % 2 == 0; sets /= 2, bit *= 2)
        gf2_add(&common->sums, bit & (span - 1));
    common->modulus *= sets / common_divisor(common->modulus, sets);
}

/* So many lines of a power of two of memory share a set with any one at all levels, roughly. */
static uint64_t lines_of_a_set(const struct description *machine, uint64_t span)
{
    struct common common = {.modulus = 1};
    uint64_t tables = 1, longest = 1;

    for (unsigned i = 0; i < machine->caches; i++) {
        const struct cache_description *cache = &machine->cache[i];

        if (!(cache->holds & HOLDS_DATA))
            continue;
        add_index(&common, cache, span);
        longest = cache->line > longest ? cache->line : longest;
        for (unsigned bit = 0; bit < cache->slices.bits && cache->slices.kind == SLICE_XOR; bit++)
            gf2_add(&common.sums, cache->slices.mask[bit] & (span - 1));
        if (cache->slices.kind == SLICE_SEQUENCE)
            tables *= cache->slices.count;
    }
    return (span / longest >> common.sums.dimension) / common.modulus / tables;
}

uint64_t description_random_span(const struct description *machine)
{
    const struct cache_description *last = &machine->cache[machine->caches - 1];
    uint64_t span = LEAST, ways = 0;

    for (unsigned i = 0; i < machine->caches; i++)
        if (machine->cache[i].shape.ways > ways)
            ways = machine->cache[i].shape.ways;
    while (span < 4 * last->size || (span < MOST && lines_of_a_set(machine, span) < TIMES * ways))
        span *= 2;
    return span;
}
