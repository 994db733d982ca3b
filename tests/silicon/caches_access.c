// SPDX-License-Identifier: BSD-2-Clause
/* caches_access.c: one access goes along its path until a cache has the line, and fills those before it.
 *
 * What it costs:
 * - A read takes the load-to-use latency of the level that has it, measured from the core: not a sum over levels. In a
 *   sliced cache, slice_step more for each stop on the way: slices and cores lie on a ring that turns in both
 *   directions, core n beside slice n (Intel 64 and IA-32 Architectures Optimization Reference Manual, on the ring and
 *   the last level cache of Sandy Bridge).
 * - A store that the first level takes (write-back, line there) costs 1 cycle: it waits in the store buffer and leaves
 *   it one a cycle (same manual, on store buffers). Any other store is taken to meet a full buffer, which moves on at
 *   the rate of whatever takes the oldest store (Jouppi, "Cache write policies and performance", ISCA 1993): a
 *   write-through store costs the latency of the next write-back level that has the line, an allocating one that of the
 *   level the line comes from, one that nobody allocates that of memory.
 * - An access across a line boundary makes two and costs the longer one and a cycle (same manual, on split loads).
 * - Two accesses of one moment to different lines in one bank of a banked cache: the second waits a cycle. Banks
 *   divide the line evenly (Pentium: 8 banks of 4 bytes in a line of 32, Intel's manuals on pairing; AMD K8: 8 of 8
 *   bytes in a line of 64, AMD's optimization guide).
 * - UC and WC accesses see memory only; WT reads are cached, WT stores go through to memory and allocate nothing; a WP
 *   store takes the line out of all caches (SDM volume 3, "Methods of caching available"). */
#include "tests/silicon/caches_inside.h"

static unsigned distance(const struct instance *instance, unsigned core, unsigned slice)
{
    const unsigned station = instance->station[core];
    const unsigned one = slice > station ? slice - station : station - slice;
    const unsigned other = instance->slices - one;

    return one < other ? one : other;
}

static inline unsigned latency_of(const struct instance *instance, unsigned core, const struct found *found)
{
    const unsigned step = instance->description->slice_step;

    return instance->description->latency + (step != 0 ? step * distance(instance, core, found->slice) : 0);
}

/* Whether the access collides with the one before it. */
static unsigned bank_wait(struct instance *instance, uint64_t pa, uint64_t now)
{
    const uint64_t line = pa >> instance->line_shift, offset = pa & ((1ULL << instance->line_shift) - 1);
    const uint64_t bank = offset * instance->description->banks >> instance->line_shift;
    const bool waits = instance->bank_time == now && instance->bank == bank && instance->bank_line != line;

    instance->bank_time = now;
    instance->bank = bank;
    instance->bank_line = line;
    return waits;
}

/* Cycles of a read that the path's first position serves. */
static inline unsigned near_latency(struct instance *instance, const struct request *request, const struct found *found)
{
    unsigned cycles = latency_of(instance, request->core, found);

    if (instance->folds != NULL && request->named && !predict_way(instance, found, request->va, request->pa))
        cycles = instance->description->fold_latency;
    if (instance->description->banks > 1)
        cycles += bank_wait(instance, request->pa, request->now);
    return cycles;
}

/* Bytes of a line that a hit at `level` brings nearer: what the positions before it fill that get the line. */
static uint64_t moving(const struct request *request, unsigned level)
{
    unsigned shift = 0;

    for (unsigned i = request->from; i < level; i++) {
        const struct instance *nearer = request->path->at[i];

        if ((i == request->from || !exclusive(nearer)) && nearer->grain_shift > shift)
            shift = nearer->grain_shift;
    }
    return 1ULL << shift;
}

/* A hit at a level behind the one entered: an exclusive cache gives away what comes nearer, and its policy hears of
 * nothing (Jouppi, ISCA 1990: a victim cache and the one before it swap lines). Returns whether what it gave is newer
 * than memory. */
static bool give(struct instance *instance, const struct request *request, unsigned level, const struct found *found,
                 bool keep)
{
    const uint64_t bytes = moving(request, level);
    const uint64_t sectors = sector_bits(instance, request->pa & ~(bytes - 1), bytes);
    const uint64_t value = array_value(found->array, found->place);
    const uint64_t left = value & ~(sectors | sectors << DIRTY_SHIFT);

    if (!exclusive(instance) || (keep && instance->description->keeps_hits)) {
        array_touch(found->array, found->place);
        return false;
    }
    if ((left & VALID_BITS) != 0) {
        array_set_value(found->array, found->place, left);
    } else {
        array_remove(found->array, found->place);
        if (instance->homes != NULL)
            homes_remove(instance->homes, line_tag(instance, request->pa));
    }
    return (value & sectors << DIRTY_SHIFT) != 0;
}

/* The line comes into all positions before `level`, the far ones first, so that an inclusive one finds nothing of it
 * nearer. The nearest that can hold newer data gets them. */
static void fill_path(struct caches *caches, const struct request *request, unsigned level, bool newer)
{
    const struct path *path = request->path;
    unsigned home = request->from;

    while (home < level &&
           (path->at[home]->description->write_through || path->at[home]->description->holds == HOLDS_CODE ||
            (home > request->from && exclusive(path->at[home]))))
        home++;
    for (unsigned i = level < path->count ? level : path->count - 1; i > request->from; i--)
        if (path->at[i]->filter != NULL)
            directory_note(caches, path->at[i], request->pa);
    for (unsigned i = level; i-- > request->from;)
        if (i == request->from || !exclusive(path->at[i]))
            fill_line(caches, path->at[i], request, newer && i == home);
}

/* Nobody on the path had it, or nobody before `level`. */
static struct cached miss(struct caches *caches, const struct request *request, unsigned level,
                          const struct found *found, bool keep)
{
    const struct path *path = request->path;
    struct instance *hit = level < path->count ? path->at[level] : NULL;
    const uint64_t beside = (hit != NULL ? hit->nearer : ~0ULL) & caches->used & ~path->from[request->from];
    const unsigned transfer = caches->description->memory.transfer;
    struct cached cached = {0, LEVEL_MEMORY};
    bool newer = false;
    unsigned where;

    if (hit != NULL) {
        cached.level = hit->description->level;
        cached.cycles = latency_of(hit, request->core, found);
    }
    where = beside != 0 ? clean_elsewhere(caches, beside, request->core, request->pa) : 0;
    if (where != 0 && hit != NULL && !hit->description->write_through) {
        const uint64_t dirty = sector_bits(hit, request->pa, 1) << DIRTY_SHIFT;

        array_set_value(found->array, found->place, array_value(found->array, found->place) | dirty);
    }
    if (transfer != 0 && (where == 2 || (where == 1 && hit == NULL))) {
        cached.cycles = transfer;
    } else if (hit == NULL) {
        cached.cycles = memory_access(caches->memory, request->pa, request->now);
        caches->memory_used = true;
    }
    if (hit != NULL)
        newer = give(hit, request, level, found, keep) && where == 0; /* where it came from keeps a clean copy */
    if (path->count > request->from)
        fill_path(caches, request, level, newer);
    return cached;
}

/* What an access costs whose line had to move inside a virtually indexed cache: the next level's answer. */
static struct cached synonym(struct caches *caches, const struct request *request)
{
    const struct path *path = request->path;
    struct instance *next = request->from + 1 < path->count ? path->at[request->from + 1] : NULL;
    struct found found = {0};

    if (next == NULL)
        return (struct cached){caches->description->memory.latency, LEVEL_MEMORY};
    if (look(next, request->va, request->pa, &found))
        array_touch(found.array, found.place);
    return (struct cached){latency_of(next, request->core, &found), next->description->level};
}

struct cached read_line(struct caches *caches, const struct request *request, bool keep)
{
    const struct path *path = request->path;
    struct found found = {0};
    unsigned level = request->from;

    while (level < path->count && !(look(path->at[level], request->va, request->pa, &found) &&
                                    sector_here(path->at[level], found.value, request->pa)))
        level++;
    if (level == request->from && level < path->count) {
        array_touch(found.array, found.place);
        return (struct cached){near_latency(path->at[level], request, &found), path->at[level]->description->level};
    }
    if (request->from < path->count && path->at[request->from]->homes != NULL &&
        move_synonym(caches, path->at[request->from], request))
        return synonym(caches, request);
    return miss(caches, request, level, &found, keep);
}

static struct cached past_caches(struct caches *caches, uint64_t pa, uint64_t now)
{
    caches->memory_used = true;
    return (struct cached){memory_access(caches->memory, pa, now), LEVEL_MEMORY};
}

/* The store's line is at this position: it is written there. Returns whether that ends it. */
static bool store_here(struct caches *caches, const struct request *request, unsigned level, const struct found *found,
                       bool through)
{
    struct instance *instance = request->path->at[level];
    const uint64_t dirty = sector_bits(instance, request->pa, 1) << DIRTY_SHIFT;

    if (instance->folds != NULL && level == 0)
        predict_way(instance, found, request->va, request->pa);
    if (through || instance->description->write_through)
        return false;
    take_from_others(caches, request->path, request->pa);
    array_set_value(found->array, found->place, array_value(found->array, found->place) | dirty);
    return true;
}

/* through: of memory type WT. */
static struct cached store(struct caches *caches, const struct request *whole, bool through)
{
    const struct path *path = whole->path;
    struct request request = *whole;
    struct cached cached = {0, LEVEL_MEMORY};

    for (unsigned i = 0; i < path->count; i++) {
        struct instance *instance = path->at[i];
        struct found found;
        unsigned cycles;

        if (look(instance, request.va, request.pa, &found) && sector_here(instance, found.value, request.pa)) {
            array_touch(found.array, found.place);
            cycles = i == 0 ? 1 : latency_of(instance, request.core, &found);
        } else if (!through && !instance->description->no_write_allocate && (i == 0 || !exclusive(instance))) {
            request.from = i;
            cached = read_line(caches, &request, false);
            cycles = cached.cycles;
            if (!look(instance, request.va, request.pa, &found))
                continue;
        } else {
            continue;
        }
        if (cached.level == LEVEL_MEMORY && cached.cycles == 0)
            cached.level = instance->description->level;
        if (cycles > cached.cycles)
            cached.cycles = cycles;
        if (store_here(caches, &request, i, &found, through))
            return cached;
    }
    take_from_others(caches, path, request.pa);
    return past_caches(caches, request.pa, request.now);
}

static struct cached access_line(struct caches *caches, const struct request *request, enum memtype type)
{
    struct cached cached;

    if (request->kind != ACCESS_STORE)
        return read_line(caches, request, true);
    if (type != MEM_WP)
        return store(caches, request, type == MEM_WT);
    cached = past_caches(caches, request->pa, request->now);
    caches_flush_line(caches, request->pa);
    return cached;
}

static const struct path *path_of(const struct caches *caches, unsigned core, enum access_kind kind)
{
    if (kind == ACCESS_FETCH)
        return &caches->code[core];
    return kind == ACCESS_WALK ? &caches->walk[core] : &caches->data[core];
}

struct cached caches_access(struct caches *caches, unsigned core, enum access_kind kind, uint64_t va, uint64_t pa,
                            unsigned size, enum memtype type, uint64_t now)
{
    const struct path *path = path_of(caches, core, kind);
    struct request request = {path, 0, core, kind, kind != ACCESS_WALK, va, pa, now};
    struct cached first, second;

    caches->now = now;
    if (type == MEM_UC || type == MEM_WC)
        return past_caches(caches, pa, now);
    if (path->count == 0 || (pa ^ (pa + size - 1)) >> path->at[0]->line_shift == 0 || size == 0)
        return access_line(caches, &request, type);
    const uint64_t line = 1ULL << path->at[0]->line_shift;

    first = access_line(caches, &request, type);
    request.pa = (pa & ~(line - 1)) + line;
    request.va = va + (request.pa - pa);
    second = access_line(caches, &request, type);
    if (second.level > first.level)
        first.level = second.level;
    first.cycles = (second.cycles > first.cycles ? second.cycles : first.cycles) + 1;
    return first;
}

unsigned caches_level(const struct caches *caches, unsigned core, uint64_t va, uint64_t pa)
{
    const struct path *path = &caches->data[core];
    struct found found;

    for (unsigned i = 0; i < path->count; i++) {
        const struct instance *instance = path->at[i];

        if (look(instance, va, pa, &found) && sector_here(instance, found.value, pa))
            return instance->description->level;
        if (i == 0 && instance->homes != NULL && look_anywhere(instance, pa, &found))
            return path->count > 1 ? path->at[1]->description->level : LEVEL_MEMORY;
    }
    return LEVEL_MEMORY;
}
