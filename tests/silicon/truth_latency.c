// SPDX-License-Identifier: BSD-2-Clause
/* truth_latency.c: how long loads take, told by the caches and the memory that the model has built, access by access:
 * nothing is copied from the machine's file, and neither translation nor prefetchers, noise, the clock or the way in
 * which walks are run has a part in it.
 *
 * A level is asked with one load after the other from random places of a pool that is larger than what lies before the
 * level and smaller than the level. Whenever the level in question serves a load, its cycles go into the mean. What
 * was loaded is written, too: a dirty victim is always taken in by an exclusive cache, a clean one may not be. The
 * pool's places are blocks of the longest line, spread over the whole memory: lines and sectors of all sizes fill, and
 * hashes of high address bits choose all slices. */
#include "tests/silicon/caches.h"
#include "tests/silicon/truth_inside.h"
#include <string.h>

enum {
    SEED = 1,
    SAMPLE = 1 << 14,        /* loads that a level's mean is taken of */
    PATIENCE = 1 << 22,      /* loads after which what a level has served until then has to do */
    MEMORY_SAMPLE = 1 << 20, /* loads that memory's mean is taken of */
    WORD = 8,                /* bytes of a load */
    OVERFLOWS = 2            /* so many times what a memory or pool has to overflow */
};

/* Blocks at random places of a memory. */
struct pool {
    uint64_t blocks, block, places; /* block: bytes; places: blocks that memory has room for */
};

static uint64_t any_word(const struct pool *pool, struct random *random)
{
    struct random place = {random_below(random, pool->blocks)};

    return random_below(&place, pool->places) * pool->block + random_below(random, pool->block / WORD) * WORD;
}

static uint64_t longest_line(const struct description *description)
{
    uint64_t longest = WORD;

    for (unsigned i = 0; i < description->caches; i++)
        if (description->cache[i].line > longest)
            longest = description->cache[i].line;
    return longest;
}

static struct pool pool_of(const struct description *description, uint64_t bytes)
{
    struct pool pool = {.block = longest_line(description)};

    pool.blocks = bytes / pool.block ? bytes / pool.block : 1;
    pool.places = description->memory.span / pool.block;
    return pool;
}

/* A core's accesses, each after the one before. */
struct core {
    struct caches *caches;
    uint64_t now;
};

static struct cached access_word(struct core *core, enum access_kind kind, uint64_t pa)
{
    struct cached cached = caches_access(core->caches, 0, kind, pa, pa, WORD, MEM_WB, core->now);

    core->now += cached.cycles;
    return cached;
}

/* Mean cycles of loads that a level serves; 0: it serves none. The first level is asked for what was loaded just
 * before: a way predictor knows it. */
static double ask_level(struct caches *caches, const struct pool *pool, unsigned level, bool first)
{
    struct core core = {.caches = caches};
    struct random random = {SEED};
    uint64_t sum = 0, count = 0;

    for (unsigned i = 0; i < PATIENCE && count < SAMPLE; i++) {
        uint64_t pa = any_word(pool, &random);
        struct cached cached = access_word(&core, ACCESS_LOAD, pa);
        if (first)
            cached = access_word(&core, ACCESS_LOAD, pa);
        if (cached.level == level) {
            sum += cached.cycles;
            count++;
        }
        access_word(&core, ACCESS_STORE, pa);
    }
    return count ? (double)sum / (double)count : 0;
}

/* Mean cycles of loads from anywhere in memory. */
static bool ask_memory(const struct description *description, double *cycles)
{
    struct memory *memory = memory_create(&description->memory);
    struct pool pool = {.blocks = UINT32_MAX, .block = WORD, .places = description->memory.span / WORD};
    struct random random = {SEED};
    uint64_t now = 0;

    if (!memory)
        return false;
    for (unsigned i = 0; i < MEMORY_SAMPLE; i++)
        now += memory_access(memory, any_word(&pool, &random), now);
    memory_destroy(memory);
    *cycles = (double)now / MEMORY_SAMPLE;
    return true;
}

double latency_tolerance(double cycles)
{
    return cycles > 25 ? cycles / 50 : 0.5;
}

/* Whether nobody can tell two latencies apart. */
static bool same(double near, double far)
{
    return far - near <= latency_tolerance(far);
}

/* The bytes that an array as built can hold, all slices together. */
static uint64_t built_size(const struct cache_description *cache, const struct array *array)
{
    return array_sets(array) * array_ways(array) * cache->line * cache->slices.count;
}

/* Bytes between what is held before a level and what it holds, few enough to have been loaded soon. */
static uint64_t between(uint64_t before, uint64_t holds)
{
    uint64_t middle = (before + holds) / 2;

    return before && middle > OVERFLOWS * before ? OVERFLOWS * before : middle;
}

/* Whether a level that serves loads in so many cycles counts: it differs from the one before it and from memory. */
static bool counts(const struct met *met, double cycles)
{
    return cycles > 0 && !same(cycles, met->memory) &&
           (met->levels == 0 || !same(met->level[met->levels - 1].latency, cycles));
}

/* Asks one data cache. *before: bytes that the ones nearer to the core hold together; it gains those of this one. */
static bool meet(const struct description *description, unsigned index, uint64_t *before, struct met *met)
{
    const struct cache_description *cache = &description->cache[index];
    const bool first = met->first.size == 0;
    struct caches *caches = caches_create(description, SEED);
    const struct array *array;
    struct met_cache here = {.index = index, .line = cache->line};
    uint64_t holds;

    if (!caches)
        return false;
    array = caches_array(caches, 0, index);
    here.size = built_size(cache, array);
    here.ways = array_ways(array);
    here.sector = caches_fill_size(caches, 0, index);
    holds = here.size + (cache->inclusion == INCLUSION_EXCLUSIVE ? *before : 0);
    if (holds > *before && description->memory.span >= OVERFLOWS * *before) {
        struct pool pool = pool_of(description, between(*before, holds));
        here.latency = ask_level(caches, &pool, cache->level, first);
    }
    caches_destroy(caches);
    if (met->first.size == 0)
        met->first = here;
    if (counts(met, here.latency))
        met->level[met->levels++] = here;
    if (holds > *before)
        *before = holds;
    return true;
}

bool met_by_loads(const struct description *description, struct met *met)
{
    uint64_t before = 0;

    *met = (struct met){0};
    if (!ask_memory(description, &met->memory))
        return false;
    for (unsigned i = 0; i < description->caches; i++)
        if (description->cache[i].holds & HOLDS_DATA && !meet(description, i, &before, met))
            return false;
    return true;
}

static struct truth nothing(enum truth_kind kind)
{
    return (struct truth){.kind = kind};
}

/* What a load of so many core cycles takes, in those, or in nanoseconds by the core's true frequency. */
static struct truth of_load(const struct description *description, double cycles, bool ns)
{
    const struct clock_description *clock = &description->clock;
    double scale = 1e9 / ((double)clock->hz * clock->ratio_core / clock->ratio_clock);
    struct truth truth = {.kind = TRUTH_WITHIN, .value = cycles, .tolerance = latency_tolerance(cycles)};

    if (ns) {
        truth.value *= scale;
        truth.tolerance = truth.tolerance * scale + truth.value * CORE_TOLERANCE;
    }
    return truth;
}

/* How many footprints were measured with pages of a size, as "4k": any number, where there are such pages. */
static struct truth of_sizes(const struct description *description, const char *size)
{
    static const struct {
        const char *name;
        uint64_t unit;
    } units[] = {{"k.sizes", 1 << 10}, {"m.sizes", 1 << 20}, {"g.sizes", 1 << 30}};
    uint64_t number = 0;

    for (; *size >= '0' && *size <= '9' && number < 1 << 20; size++)
        number = number * 10 + (uint64_t)(*size - '0');
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
        if (number == 0 || strcmp(size, units[i].name) != 0)
            continue;
        for (unsigned class = 0; class < 3; class ++)
            if (description->pages & 1U << class && number * units[i].unit <= description->memory.span &&
                number * units[i].unit == (uint64_t)1 << (description->page_shift + class * description->page_bits))
                return (struct truth){.kind = TRUTH_RANGE, .low = 1, .high = 1e18};
        return nothing(TRUTH_ABSENT);
    }
    return nothing(TRUTH_NONE);
}

/* Where nothing can be told apart, "not measurable" is right as well. */
static struct truth of_levels(const struct met *met)
{
    return (struct truth){.kind = TRUTH_EQUAL, .value = met->levels, .optional = met->levels == 0};
}

/* A hit of the first data cache by a load of another form, "32", "indexed" or "float": a core takes as many cycles more
 * as its file says, before or behind the cache. */
static struct truth of_form(const struct truths *truths, const char *form)
{
    const struct description *description = &truths->description;
    double first = truths->met.first.latency;
    unsigned more;

    if (strcmp(form, "32") == 0)
        more = description->load_32;
    else if (strcmp(form, "indexed") == 0)
        more = description->load_indexed;
    else if (strcmp(form, "float") == 0)
        more = description->load_float;
    else
        return nothing(TRUTH_NONE);
    return first > 0 ? of_load(description, first + more, false) : nothing(TRUTH_ABSENT);
}

struct truth truth_of_latency(const struct truths *truths, const char *id)
{
    const struct met *met = &truths->met;
    const char *what = strchr(id, '.');
    bool ns = what && strcmp(what, ".latency.ns") == 0;
    double cycles;

    if (strncmp(id, "l1d.latency.", 12) == 0 && !ns)
        return of_form(truths, id + 12);
    if (strcmp(id, "latency.levels") == 0)
        return of_levels(met);
    if (strncmp(id, "latency.", 8) == 0)
        return of_sizes(&truths->description, id + 8);
    if (!what || (!ns && strcmp(what, ".latency") != 0))
        return nothing(TRUTH_NONE);
    if (strncmp(id, "mem.", 4) == 0)
        cycles = met->memory;
    else if (strncmp(id, "l1d.", 4) == 0)
        cycles = met->first.latency;
    else if (id[0] == 'l' && id[1] >= '2' && id[1] <= '0' + MAX_CACHES && what == id + 2)
        cycles = (unsigned)(id[1] - '0') <= met->levels ? met->level[id[1] - '1'].latency : 0;
    else
        return nothing(TRUTH_NONE);
    return cycles > 0 ? of_load(&truths->description, cycles, ns) : nothing(TRUTH_ABSENT);
}
