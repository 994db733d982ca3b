// SPDX-License-Identifier: BSD-2-Clause
/* caches_virtual.c: the two ways in which a cache of physical lines depends on virtual addresses.
 *
 * Virtual index. A cache whose index reaches above the page offset could hold a frame's line twice, under two virtual
 * addresses. Processors allow one copy: the R10000 keeps the virtual bits of the primary cache's index in the secondary
 * cache's tag and moves the line (MIPS R10000 User's Manual, "Virtual coherency"); AMD's 64 KB 2-way first level looks
 * for synonyms in the other sets that the line could be in (Hennessy & Patterson, on the Opteron). Either way the
 * access is a miss that the next level answers, which is what it costs here. Which set a line is in stands in a table
 * beside the array: what a chip finds by trying the few possible sets.
 *
 * Way predictor. A first level that reads one way only needs to know which: it keeps for each line a fold of the linear
 * address that last used it (AMD, Software Optimization Guide for family 17h, 2.6.2.2: linear address micro-tags; Lipp
 * et al., "Take A Way", AsiaCCS 2020). Two consequences, both measured on a Zen 4: lines of one set whose bits 12-27
 * fold to one value evict each other, and synonyms of one frame are charged although they are the same line. Hence: an
 * entry carries the fold of its last use and whether it is the one that this fold names. An access with another fold,
 * or to a line that is not named, is slow, and takes the name. */
#include "tests/silicon/caches_inside.h"
#include <stdlib.h>
#include <string.h>

/* Open addressing, linear probing, at most half full. */
struct homes {
    uint64_t mask;
    struct {
        uint64_t tag, number; /* tag 0: free */
    } slot[];
};

struct folds {
    unsigned bytes; /* of the address that matter */
    struct {
        unsigned shift;
        uint16_t fold[256];
    } of[8];
};

struct homes *homes_create(uint64_t lines)
{
    uint64_t slots = 16;

    while (slots < 2 * lines + 2)
        slots *= 2;
    struct homes *homes = calloc(1, sizeof *homes + slots * sizeof homes->slot[0]);

    if (homes != NULL)
        homes->mask = slots - 1;
    return homes;
}

void homes_destroy(struct homes *homes)
{
    free(homes);
}

void homes_empty(struct homes *homes)
{
    memset(homes->slot, 0, (homes->mask + 1) * sizeof homes->slot[0]);
}

static uint64_t wished(const struct homes *homes, uint64_t tag)
{
    return (tag * 0x9E3779B97F4A7C15) >> 32 & homes->mask;
}

/* Its slot, or the free one where it would be. */
static uint64_t slot_of(const struct homes *homes, uint64_t tag)
{
    uint64_t at = wished(homes, tag);

    while (homes->slot[at].tag != 0 && homes->slot[at].tag != tag)
        at = (at + 1) & homes->mask;
    return at;
}

void homes_put(struct homes *homes, uint64_t tag, uint64_t number)
{
    const uint64_t at = slot_of(homes, tag);

    homes->slot[at].tag = tag;
    homes->slot[at].number = number;
}

bool homes_find(const struct homes *homes, uint64_t tag, uint64_t *number)
{
    const uint64_t at = slot_of(homes, tag);

    *number = homes->slot[at].number;
    return homes->slot[at].tag == tag;
}

/* Those that follow move up unless that would put them before the place that they wish for. */
void homes_remove(struct homes *homes, uint64_t tag)
{
    uint64_t hole = slot_of(homes, tag);

    if (homes->slot[hole].tag == 0)
        return;
    for (uint64_t at = (hole + 1) & homes->mask; homes->slot[at].tag != 0; at = (at + 1) & homes->mask) {
        const uint64_t wish = wished(homes, homes->slot[at].tag);

        if (((at - wish) & homes->mask) < ((at - hole) & homes->mask))
            continue;
        homes->slot[hole] = homes->slot[at];
        hole = at;
    }
    homes->slot[hole].tag = 0;
}

bool look_anywhere(const struct instance *instance, uint64_t pa, struct found *found)
{
    uint64_t number;

    if (instance->homes == NULL)
        return look(instance, pa, pa, found);
    if (!homes_find(instance->homes, line_tag(instance, pa), &number))
        return false;
    return look(instance, number << instance->line_shift, pa, found);
}

bool move_synonym(struct caches *caches, struct instance *instance, const struct request *request)
{
    struct found found;
    uint64_t dirty;

    if (!look_anywhere(instance, request->pa, &found) || !sector_here(instance, found.value, request->pa))
        return false;
    dirty = found.value >> DIRTY_SHIFT & VALID_BITS;
    array_remove(found.array, found.place);
    homes_remove(instance->homes, line_tag(instance, request->pa));
    fill_line(caches, instance, request, dirty != 0);
    return true;
}

struct folds *folds_create(const struct cache_description *description)
{
    struct folds *folds = calloc(1, sizeof *folds);

    for (unsigned byte = 0; folds != NULL && byte < 8; byte++) {
        uint16_t any = 0;

        for (unsigned value = 0; value < 256; value++) {
            uint16_t fold = 0;

            for (unsigned i = 0; i < description->folds && i < MAX_FOLDS; i++)
                fold |= (uint16_t)(__builtin_parityll((uint64_t)value << 8 * byte & description->fold[i]) << i);
            folds->of[folds->bytes].fold[value] = fold;
            any |= fold;
        }
        folds->of[folds->bytes].shift = 8 * byte;
        folds->bytes += any != 0;
    }
    return folds;
}

void folds_destroy(struct folds *folds)
{
    free(folds);
}

static uint64_t fold_of(const struct folds *folds, uint64_t va)
{
    uint64_t fold = 0;

    for (unsigned i = 0; i < folds->bytes; i++)
        fold ^= folds->of[i].fold[va >> folds->of[i].shift & 255];
    return fold;
}

bool predict_way(const struct instance *instance, const struct found *found, uint64_t va, uint64_t pa)
{
    const uint64_t name = fold_of(instance->folds, va) << FOLD_SHIFT | 1ULL << NAMED_SHIFT;
    const struct index *index = &instance->description->shape.index;
    const uint64_t number = line_number(instance, va, pa);

    if ((found->value & FOLD_BITS) == name)
        return true;
    for (unsigned way = 0; way < array_ways(found->array); way++) {
        const struct place place = {index->kind == INDEX_SKEWED ? index_set(index, number, way) : found->place.set,
                                    way};
        const struct entry entry = array_entry(found->array, place.set, way);

        if (entry.tag != 0 && (entry.value & FOLD_BITS) == name)
            array_set_value(found->array, place, entry.value & ~(1ULL << NAMED_SHIFT));
    }
    array_set_value(found->array, found->place, (array_value(found->array, found->place) & ~FOLD_BITS) | name);
    return false;
}
