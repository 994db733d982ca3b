// SPDX-License-Identifier: BSD-2-Clause
/* caches.c: the caches of all cores, built from a description: which instances there are, which lie on whose path, and
 * what lies before and behind each.
 *
 * A cache that is shared by n cores has one instance for each n of them. The data path of a core leads through its
 * instances of all caches that hold data, nearest first, the code path through those that hold code; the walker enters
 * the data path at walker.from_level. The index of a sliced cache is that of one slice: each slice is an array. */
#include "tests/silicon/caches_inside.h"
#include <stdlib.h>

static unsigned shift_of(uint64_t number)
{
    return number == 0 ? 0 : 63 - (unsigned)__builtin_clzll(number);
}

bool caches_index_translated(const struct description *description, const struct cache_description *cache)
{
    const struct index *index = &cache->shape.index;
    const unsigned line_shift = shift_of(cache->line);
    const uint64_t lines = description->page_shift > line_shift ? 1ULL << (description->page_shift - line_shift) : 1;

    if (index->kind == INDEX_MODULO)
        return index->sets > lines || (index->sets & (index->sets - 1)) != 0;
    for (unsigned i = 0; i < index->bits; i++)
        if (index->mask[i] >= lines || index->kind == INDEX_SKEWED)
            return true;
    return false;
}

/* Lines move to and from an exclusive cache in the size of what nearer caches fill; a miss fills at least as much. */
static void set_sizes(struct instance *instance, const struct description *description)
{
    const struct cache_description *cache = instance->description;
    unsigned sector = shift_of(cache->sector != 0 ? cache->sector : cache->line), grain = 0;

    instance->line_shift = shift_of(cache->line);
    for (unsigned i = 0; i < description->caches; i++) {
        const struct cache_description *nearer = &description->cache[i];

        if (nearer->level >= cache->level || (nearer->holds & cache->holds) == 0)
            continue;
        const unsigned filled = shift_of(nearer->sector != 0 ? nearer->sector : nearer->line);

        if (cache->inclusion == INCLUSION_EXCLUSIVE && filled < sector)
            sector = filled;
        if (filled > grain)
            grain = filled;
    }
    if (sector > instance->line_shift)
        sector = instance->line_shift;
    while (instance->line_shift - sector > 4) /* MAX_SECTORS of a line */
        sector++;
    if (grain < sector || grain > instance->line_shift)
        grain = grain < sector ? sector : instance->line_shift;
    instance->sector_shift = sector;
    instance->grain_shift = grain;
    instance->sector_mask = (1U << (instance->line_shift - sector)) - 1;
}

static struct array **arrays_create(const struct array_shape *shape, unsigned count, struct random *random)
{
    struct array **arrays = calloc(count, sizeof(struct array *));
    bool whole = arrays != NULL;

    for (unsigned i = 0; arrays != NULL && i < count; i++)
        whole = (arrays[i] = array_create(shape, random_next(random))) != NULL && whole;
    if (whole || arrays == NULL)
        return arrays;
    for (unsigned i = 0; i < count; i++)
        if (arrays[i] != NULL)
            array_destroy(arrays[i]);
    free((void *)arrays);
    return NULL;
}

static void arrays_destroy(struct array **arrays, unsigned count)
{
    for (unsigned i = 0; arrays != NULL && i < count; i++)
        array_destroy(arrays[i]);
    free((void *)arrays);
}

static bool instance_create(struct caches *caches, struct instance *instance, struct random *random)
{
    const struct cache_description *cache = instance->description;

    instance->slices = cache->slices.kind == SLICE_NONE || cache->slices.count == 0 ? 1 : cache->slices.count;
    set_sizes(instance, caches->description);
    instance->bank_time = UINT64_MAX;
    for (unsigned i = 0; i < MAX_MODEL_CORES; i++)
        instance->station[i] = i % instance->slices;
    instance->slice = arrays_create(&cache->shape, instance->slices, random);
    if (instance->slice == NULL)
        return false;
    if (cache->directory) {
        instance->filter = arrays_create(&cache->directory_shape, instance->slices, random);
        if (instance->filter == NULL)
            return false;
    }
    if (cache->virtual_index && caches_index_translated(caches->description, cache)) {
        instance->homes = homes_create(array_sets(instance->slice[0]) * cache->shape.ways * instance->slices);
        if (instance->homes == NULL)
            return false;
    }
    if (cache->folds != 0)
        instance->folds = folds_create(cache);
    return cache->folds == 0 || instance->folds != NULL;
}

/* Which instances there are, and which a core uses. */
static void place_instances(struct caches *caches)
{
    const struct description *description = caches->description;

    for (unsigned i = 0; i < description->caches; i++) {
        const unsigned shared = description->cache[i].shared_by > 1 ? description->cache[i].shared_by : 1;

        for (unsigned core = 0; core < description->cores && core < MAX_MODEL_CORES; core++) {
            if (core % shared == 0) {
                caches->instance[caches->instances].id = caches->instances;
                caches->instance[caches->instances++].description = &description->cache[i];
            }
            caches->of_core[core][i] = &caches->instance[caches->instances - 1];
            caches->of_core[core][i]->cores |= 1U << core;
        }
        if (caches->largest < description->cache[i].line)
            caches->largest = 1ULL << shift_of(description->cache[i].line);
    }
}

/* The path of a core through caches that hold such things, from a level on. */
static void make_path(const struct caches *caches, struct path *path, unsigned core, unsigned holds,
                      unsigned from_level)
{
    const struct description *description = caches->description;

    for (unsigned level = from_level; level < LEVEL_MEMORY; level++)
        for (unsigned i = 0; i < description->caches; i++)
            if (description->cache[i].level == level && (description->cache[i].holds & holds) != 0)
                path->at[path->count++] = caches->of_core[core][i];
    for (unsigned i = path->count; i-- > 0;)
        path->from[i] = path->from[i + 1] | 1ULL << path->at[i]->id;
}

/* Who lies before and behind whom, along one path. */
static void join_path(const struct path *path)
{
    for (unsigned i = 0; i < path->count; i++) {
        for (unsigned j = 0; j < i; j++)
            path->at[i]->nearer |= 1ULL << path->at[j]->id;
        if (i + 1 < path->count && path->at[i]->next == NULL)
            path->at[i]->next = path->at[i + 1];
    }
    for (unsigned i = path->count; i-- > 0;)
        if (path->at[i]->filter != NULL || (path->at[i]->next != NULL && path->at[i]->next->watched))
            path->at[i]->watched = true;
}

struct caches *caches_create(const struct description *description, uint64_t seed)
{
    struct caches *caches = calloc(1, sizeof *caches);
    struct random seeds = {seed};
    bool whole;

    if (caches == NULL)
        return NULL;
    caches->description = description;
    caches->random.state = random_next(&seeds);
    caches->largest = 1;
    caches->memory = memory_create(&description->memory);
    whole = caches->memory != NULL;
    place_instances(caches);
    for (unsigned i = 0; i < caches->instances && whole; i++)
        whole = instance_create(caches, &caches->instance[i], &seeds);
    for (unsigned core = 0; core < description->cores && core < MAX_MODEL_CORES && whole; core++) {
        const unsigned from = description->walker.from_level;

        make_path(caches, &caches->data[core], core, HOLDS_DATA, 1);
        make_path(caches, &caches->code[core], core, HOLDS_CODE, 1);
        make_path(caches, &caches->walk[core], core, HOLDS_DATA, from != 0 ? from : LEVEL_MEMORY);
        join_path(&caches->data[core]);
        join_path(&caches->code[core]);
    }
    if (whole)
        return caches;
    caches_destroy(caches);
    return NULL;
}

void caches_destroy(struct caches *caches)
{
    if (caches == NULL)
        return;
    for (unsigned i = 0; i < caches->instances; i++) {
        struct instance *instance = &caches->instance[i];

        arrays_destroy(instance->slice, instance->slices);
        arrays_destroy(instance->filter, instance->slices);
        homes_destroy(instance->homes);
        folds_destroy(instance->folds);
    }
    if (caches->memory != NULL)
        memory_destroy(caches->memory);
    free(caches);
}

const struct array *caches_array(const struct caches *caches, unsigned core, unsigned index)
{
    return caches->of_core[core][index]->slice[0];
}

unsigned caches_fill_size(const struct caches *caches, unsigned core, unsigned index)
{
    return 1U << caches->of_core[core][index]->grain_shift;
}

bool caches_holds(const struct caches *caches, unsigned core, unsigned index, uint64_t pa)
{
    struct found found;

    return look_anywhere(caches->of_core[core][index], pa, &found);
}

void caches_pass(struct caches *caches, uint64_t now)
{
    caches->now = now;
}

void caches_skip(struct caches *caches, uint64_t cycles)
{
    if (caches->memory_used)
        memory_skip(caches->memory, cycles);
}

/* First levels are small enough to be near anyway. */
void caches_expect(const struct caches *caches, unsigned core, uint64_t va, uint64_t pa)
{
    const struct path *path = &caches->data[core];

    for (unsigned i = 1; i < path->count; i++) {
        const struct instance *instance = path->at[i];
        const struct array *array = instance->slice[line_slice(instance, pa)];
        const uint64_t number = line_number(instance, va, pa);

        array_expect(array, number);
        /* An exclusive cache takes in what the one before it loses for this line. */
        if (i + 1 < path->count && exclusive(path->at[i + 1])) {
            const uint64_t out = (array_next_out(array, number) - 1) << instance->line_shift;
            const struct instance *next = path->at[i + 1];

            array_expect(next->slice[line_slice(next, out)], line_number(next, out, out));
        }
    }
}

void caches_mark(struct caches *caches)
{
    for (unsigned i = 0; i < caches->instances; i++)
        for (unsigned slice = 0; slice < caches->instance[i].slices; slice++) {
            array_mark(caches->instance[i].slice[slice]);
            if (caches->instance[i].filter != NULL)
                array_mark(caches->instance[i].filter[slice]);
        }
    caches->memory_used = false;
}

static uint64_t mix(uint64_t digest, uint64_t more)
{
    return (digest ^ more) * 0x9E3779B97F4A7C15 ^ digest >> 29;
}

/* Lines, dirty bits and the way predictor's names are the arrays'. Where a virtually indexed line lies is its place in
 * the array. Which bank was used last matters only while no time passes, and time passes between two laps. */
uint64_t caches_digest(const struct caches *caches)
{
    uint64_t digest = mix(caches->instances, caches->random.state);

    for (unsigned i = 0; i < caches->instances; i++)
        for (unsigned slice = 0; slice < caches->instance[i].slices; slice++) {
            digest = mix(digest, array_digest(caches->instance[i].slice[slice]));
            if (caches->instance[i].filter != NULL)
                digest = mix(digest, array_digest(caches->instance[i].filter[slice]));
        }
    return caches->memory_used ? mix(digest, memory_digest(caches->memory, caches->now)) : digest;
}
