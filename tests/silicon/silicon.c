// SPDX-License-Identifier: BSD-2-Clause
/* silicon.c: a modelled machine put together: what one access goes through, what it is counted as, and how time and
 * noise go by. Everything that it reads and writes is the ground's. */
#include "tests/silicon/silicon.h"
#include <stdlib.h>

/* Lines of other programs: physical addresses that no probe is granted, in enough memory to reach every set. */
static const uint64_t others_base = (uint64_t)1 << 40, others_size = (uint64_t)1 << 32;

static bool create_parts(struct silicon *silicon, struct ground *ground, uint64_t seed)
{
    const struct description *description = silicon->description;
    struct random random = {seed};

    silicon->caches = caches_create(description, random_next(&random));
    if (!silicon->caches)
        return false;
    silicon->translation = translation_create(description, silicon->caches, ground, random_next(&random));
    silicon->prefetch = prefetch_create(description);
    silicon->fetch = fetch_create(description, random_next(&random));
    silicon->counters = counters_create(description);
    silicon->clock.description = &description->clock;
    noise_start(&silicon->noise, &description->noise, random_next(&random));
    silicon->noise_at = noise_next(&silicon->noise);
    return silicon->translation && silicon->prefetch && silicon->fetch && silicon->counters;
}

struct silicon *silicon_create(const struct description *description, struct ground *ground, uint64_t seed,
                               const char **why)
{
    struct silicon *silicon;

    *why = description_unsound(description);
    if (*why)
        return NULL;
    silicon = calloc(1, sizeof *silicon);
    *why = "not enough memory for the model";
    if (!silicon)
        return NULL;
    silicon->description = description;
    if (create_parts(silicon, ground, seed))
        return silicon;
    silicon_destroy(silicon);
    return NULL;
}

void silicon_destroy(struct silicon *silicon)
{
    if (!silicon)
        return;
    if (silicon->counters)
        counters_destroy(silicon->counters);
    if (silicon->fetch)
        fetch_destroy(silicon->fetch);
    if (silicon->prefetch)
        prefetch_destroy(silicon->prefetch);
    if (silicon->translation)
        translation_destroy(silicon->translation);
    if (silicon->caches)
        caches_destroy(silicon->caches);
    free(silicon);
}

/* What a translation that the first level did not have counts as. */
static void count_translation(struct silicon *silicon, const struct access *access, const struct translated *translated)
{
    struct counters *counters = silicon->counters;
    bool walked = translated->level == 0;

    if (access->kind == ACCESS_FETCH) {
        counters_add(counters, access->core, COUNTED_ITLB1_MISS, 1);
        counters_add(counters, access->core, COUNTED_ITLB_WALK, walked);
        return;
    }
    counters_add(counters, access->core, COUNTED_DTLB1_MISS, 1);
    counters_add(counters, access->core, walked ? COUNTED_WALK : COUNTED_DTLB2_HIT, 1);
    if (!walked)
        return;
    counters_add(counters, access->core, COUNTED_WALK_CYCLES, translated->walk_cycles);
    counters_add(counters, access->core, COUNTED_PDE_MISS, translated->pde_missed);
}

/* What an access that the first level did not have counts as. Memory that no cache may hold misses none: Intel's
 * MEM_LOAD_RETIRED events leave uncacheable loads out (SDM volume 3, performance monitoring events). */
static void count_miss(struct silicon *silicon, const struct access *access, enum memtype type, unsigned level)
{
    struct counters *counters = silicon->counters;

    if (type == MEM_UC || type == MEM_WC)
        return;
    counters_add(counters, access->core, access->kind == ACCESS_FETCH ? COUNTED_L1I_MISS : COUNTED_L1D_MISS, 1);
    if (level > 2)
        counters_add(counters, access->core, COUNTED_L2_MISS, 1);
    if (level > 3)
        counters_add(counters, access->core, COUNTED_L3_MISS, 1);
}

/* An access inside one page. */
static inline uint64_t access_page(struct silicon *silicon, const struct access *access, struct translated *translated)
{
    uint64_t now = silicon->clock.cycles;
    struct cached cached;

    *translated = translation_of(silicon->translation, access->core, access->kind, access->va, now);
    if (translated->level != 1)
        count_translation(silicon, access, translated);
    if (translated->fault)
        return translated->cycles;
    cached = caches_access(silicon->caches, access->core, access->kind, access->va, translated->pa, access->size,
                           translated->type, now + translated->cycles);
    if (cached.level != 1)
        count_miss(silicon, access, translated->type, cached.level);
    if (silicon->description->prefetchers) {
        unsigned lines =
            prefetch_watch(silicon->prefetch, silicon->caches, silicon->translation, access->core, access->kind,
                           access->ip, access->va, translated, cached.level, now + translated->cycles);
        if (lines)
            counters_add(silicon->counters, access->core, COUNTED_PREFETCHES, lines);
    }
    if (access->kind == ACCESS_STORE && silicon->description->walker.psc_shadowed)
        translation_write_seen(silicon->translation, access->core, translated->pa);
    return translated->cycles + cached.cycles;
}

uint64_t silicon_access(struct silicon *silicon, const struct access *access, struct translated *translated)
{
    uint64_t page = (uint64_t)1 << silicon->description->page_shift, room = page - (access->va & (page - 1)), cycles;
    struct translated unused;

    if (!translated)
        translated = &unused;
    if (access->kind != ACCESS_FETCH)
        counters_add(silicon->counters, access->core, access->kind == ACCESS_LOAD ? COUNTED_LOADS : COUNTED_STORES, 1);
    if (access->size <= room)
        return access_page(silicon, access, translated);
    /* Both pages are translated before anything is moved, one part after the other. */
    struct access part = *access;
    struct translated second;
    part.size = (unsigned)room;
    cycles = access_page(silicon, &part, translated);
    if (translated->fault)
        return cycles;
    part.va += room;
    part.size = access->size - (unsigned)room;
    cycles += access_page(silicon, &part, &second);
    translated->fault = second.fault;
    return cycles;
}

static void disturb(struct silicon *silicon, const struct disturbance *disturbance)
{
    if (disturbance->lost) {
        for (unsigned core = 0; core < silicon->description->cores; core++) {
            counters_smm(silicon->counters, core, true);
            counters_add(silicon->counters, core, COUNTED_CYCLES, disturbance->lost);
            counters_smm(silicon->counters, core, false);
            if (disturbance->counted)
                counters_add(silicon->counters, core, COUNTED_SMI, 1);
        }
        clock_lose(&silicon->clock, disturbance->lost);
        silicon->disturbances += disturbance->counted;
        silicon->lost += disturbance->lost;
    }
    for (unsigned i = 0; i < disturbance->shared_lines; i++)
        caches_disturb(silicon->caches, 0, others_base + noise_line(&silicon->noise, others_size), false);
    for (unsigned i = 0; i < disturbance->first_lines; i++)
        caches_disturb(silicon->caches, 0, others_base + noise_line(&silicon->noise, others_size), true);
    for (unsigned i = 0; i < disturbance->first_pages; i++)
        translation_disturb(silicon->translation, 0, noise_line(&silicon->noise, others_size));
}

uint64_t silicon_disturb(struct silicon *silicon)
{
    struct disturbance disturbance;
    uint64_t lost = 0;

    while (noise_due(&silicon->noise, silicon->clock.cycles, &disturbance)) {
        disturb(silicon, &disturbance);
        lost += disturbance.lost;
    }
    silicon->noise_at = noise_next(&silicon->noise);
    return lost;
}

uint64_t silicon_pass(struct silicon *silicon, uint64_t cycles)
{
    clock_pass(&silicon->clock, cycles);
    for (unsigned core = 0; core < silicon->description->cores; core++)
        counters_add(silicon->counters, core, COUNTED_CYCLES, cycles);
    return silicon->clock.cycles < silicon->noise_at ? 0 : silicon_disturb(silicon);
}

void silicon_flush_line(struct silicon *silicon, unsigned core, uint64_t pa)
{
    (void)core; /* CLFLUSH reaches every cache of the coherence domain (SDM volume 2) */
    caches_flush_line(silicon->caches, pa);
}

void silicon_flush_caches(struct silicon *silicon, unsigned core)
{
    (void)core;
    caches_flush_all(silicon->caches);
}

void silicon_flush_page(struct silicon *silicon, unsigned core, uint64_t va)
{
    translation_flush_page(silicon->translation, core, va);
}

void silicon_flush_tlb(struct silicon *silicon, unsigned core, bool global)
{
    translation_flush(silicon->translation, core, global);
}

/* The bits of a prefetchers' MSR: those that there are, and those that are set (off) now. False: not such an MSR. */
static bool prefetch_bits(const struct silicon *silicon, unsigned core, uint32_t msr, uint64_t *there, uint64_t *set)
{
    *there = *set = 0;
    for (unsigned i = 0; msr && i < silicon->description->prefetchers; i++) {
        const struct prefetcher_description *prefetcher = &silicon->description->prefetcher[i];
        bool on;
        if (prefetcher->msr != msr)
            continue;
        prefetch_name(silicon->prefetch, core, i, &on);
        *there |= (uint64_t)1 << prefetcher->bit;
        *set |= on ? 0 : (uint64_t)1 << prefetcher->bit;
    }
    return *there != 0;
}

bool silicon_read_msr(struct silicon *silicon, unsigned core, uint32_t msr, uint64_t *value)
{
    uint64_t there;

    return prefetch_bits(silicon, core, msr, &there, value) ||
           counters_read_msr(silicon->counters, core, msr, silicon->clock.cycles, clock_ticks(&silicon->clock), value);
}

/* Bits of a prefetchers' MSR that this machine does not have are reserved: #GP. */
bool silicon_write_msr(struct silicon *silicon, unsigned core, uint32_t msr, uint64_t value)
{
    uint64_t there, set;

    if (prefetch_bits(silicon, core, msr, &there, &set))
        return !(value & ~there) && prefetch_switch(silicon->prefetch, core, msr, value);
    return counters_write_msr(silicon->counters, core, msr, silicon->clock.cycles, clock_ticks(&silicon->clock), value);
}

void silicon_mark(struct silicon *silicon)
{
    caches_mark(silicon->caches);
    translation_mark(silicon->translation);
    fetch_mark(silicon->fetch);
}

/* Adds a number to a digest: one round of SplitMix64's mixer over both. */
static uint64_t mixed(uint64_t digest, uint64_t number)
{
    struct random random = {digest ^ number};

    return random_next(&random) + number;
}

uint64_t silicon_digest(const struct silicon *silicon)
{
    uint64_t digest;

    caches_pass(silicon->caches, silicon->clock.cycles);
    digest = mixed(1, caches_digest(silicon->caches));
    digest = mixed(digest, translation_digest(silicon->translation));
    digest = mixed(digest, prefetch_digest(silicon->prefetch));
    return mixed(digest, fetch_digest(silicon->fetch));
}
