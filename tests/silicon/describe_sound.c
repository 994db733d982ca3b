// SPDX-License-Identifier: BSD-2-Clause
/* describe_sound.c: what a description must be like so that the parts of the model can take it: numbers of sets that
 * come out whole, levels that follow each other, names that are there once. */
#include "tests/silicon/describe.h"
#include <string.h>

enum { MOST_ENTRIES = 1 << 24, MOST_SECTORS = 16, MOST_MORE = 100, MOST_COST = 100000 };

/* Divides what entries_read() or a cache's size left as the number of all entries. */
static const char *shape_finish(struct array_shape *shape, uint64_t entries)
{
    if (shape->ways == 0 && entries <= MOST_ENTRIES)
        shape->ways = (unsigned)entries;
    if (entries == 0 || entries > MOST_ENTRIES || shape->ways == 0 || entries % shape->ways != 0)
        return "is not a whole number of sets: entries (or size / line / slices) must be a multiple of the ways";
    shape->index.sets = entries / shape->ways;
    if (shape->index.kind != INDEX_MODULO && shape->index.sets != UINT64_C(1) << shape->index.bits)
        return "has an index of as many bits as its sets do not have: 2 to the number of terms must be the sets";
    return NULL;
}

/* A shape that need not be there: without entries it is nothing at all. */
static const char *spare_shape_finish(struct array_shape *shape, bool *there)
{
    *there = shape->index.sets != 0;
    if (*there)
        return shape_finish(shape, shape->index.sets);
    memset(shape, 0, sizeof *shape);
    return NULL;
}

static const char *cache_finish(struct cache_description *cache)
{
    const char *wrong;

    if (cache->line == 0 || cache->size % cache->line != 0 || cache->size / cache->line % cache->slices.count != 0)
        return "must have a size that is a multiple of its line and its slices";
    if (cache->sector == 0)
        cache->sector = cache->line;
    wrong = shape_finish(&cache->shape, cache->size / cache->line / cache->slices.count);
    if (wrong == NULL)
        wrong = spare_shape_finish(&cache->directory_shape, &cache->directory);
    return wrong;
}

const char *section_finish(const struct section *section, void *base)
{
    struct tlb_description *tlb = base;
    struct psc_description *psc = base;
    struct fetch_description *fetch = base;

    if (strcmp(section->kind, "cache") == 0)
        return cache_finish(base);
    if (strcmp(section->kind, "tlb") == 0)
        return shape_finish(&tlb->shape, tlb->shape.index.sets);
    if (strcmp(section->kind, "psc") == 0)
        return shape_finish(&psc->shape, psc->shape.index.sets);
    if (strcmp(section->kind, "fetch") == 0)
        return spare_shape_finish(&fetch->target_shape, &fetch->targets);
    return NULL;
}

static bool power_of_two(uint64_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

static const char *machine_unsound(const struct description *machine)
{
    if (machine->name[0] == '\0' || machine->name[strspn(machine->name, "abcdefghijklmnopqrstuvwxyz0123456789-")] != 0)
        return "must have a name of small letters, digits and -";
    if (machine->cores < 1 || machine->cores > MAX_MODEL_CORES)
        return "must have 1 to 8 cores";
    if (machine->x86 && (machine->page_shift != 12 || machine->page_bits != 9 || machine->levels < 4))
        return "is an x86 machine: page 4K, page_bits 9, levels 4 or 5";
    if (machine->levels < 3 || machine->levels > 5 || machine->page_bits < 3 ||
        machine->page_bits > machine->page_shift - 3 || machine->page_shift + machine->levels * machine->page_bits > 57)
        return "must have 3 to 5 levels, a table no larger than a page, and addresses of at most 57 bits";
    if ((machine->pages & PAGES_SMALL) == 0)
        return "must have its smallest page among `pages`";
    if (machine->load_32 > MOST_MORE || machine->load_indexed > MOST_MORE || machine->load_float > MOST_MORE)
        return "must have a load_32, load_indexed and load_float of at most 100 cycles";
    if (machine->invlpg > MOST_COST || machine->set_root > MOST_COST || machine->flush_tlb > MOST_COST ||
        machine->fault > MOST_COST)
        return "must have an invlpg, set_root, flush_tlb and fault of at most 100000 cycles";
    for (unsigned i = 0; i < machine->declarations; i++)
        for (unsigned j = 0; j < i; j++)
            if (strcmp(machine->declaration[i].id, machine->declaration[j].id) == 0 &&
                strcmp(machine->declaration[i].by, machine->declaration[j].by) == 0)
                return "declares a finding twice by the same";
    for (unsigned i = 0; i < machine->hidings; i++)
        for (unsigned j = 0; j < i; j++)
            if (strcmp(machine->hiding[i].id, machine->hiding[j].id) == 0)
                return "hides a finding twice";
    return NULL;
}

static const char *clock_unsound(const struct clock_description *clock)
{
    if (clock->hz < 1000000 || clock->hz > UINT64_C(100000000000))
        return "must have a hz from 1000000 to 100000000000";
    if (clock->step < 1 || clock->ratio_core < 1 || clock->ratio_clock < 1)
        return "must have a step and a ratio of at least 1";
    if (clock->multiply < 3 || clock->multiply > 100)
        return "must have a multiply of 3 to 100 cycles";
    if (clock->pause < 1 || clock->pause > 1000)
        return "must have a pause of 1 to 1000 cycles";
    return NULL;
}

static const char *memory_unsound(const struct memory_description *memory)
{
    if (memory->span < 1 << 20 || memory->span % (1 << 20) != 0)
        return "must have a span of whole megabytes";
    if (memory->latency < 1 || memory->latency > 100000 || memory->parallel < 1)
        return "must have a latency of 1 to 100000 cycles, and parallel at least 1";
    if (memory->banks > 4096 || (memory->banks > 0 && (memory->row < 64 || memory->row_miss == 0)))
        return "must have at most 4096 banks, and with banks a row of at least 64 bytes and a row_miss";
    if (memory->refresh_period != 0 && memory->refresh_length >= memory->refresh_period)
        return "must have a refresh_length below its refresh_period";
    for (unsigned i = 0; i < memory->holes; i++)
        if (memory->hole[i].size == 0 || memory->hole[i].base % 4096 != 0 || memory->hole[i].size % 4096 != 0)
            return "must have holes of whole 4K pages";
    return NULL;
}

/* Whether every set of every slice can be reached: the bits of the set and of the slice are independent functions of
 * the address (Gaussian elimination over GF(2)). */
static bool all_sets_used(const struct cache_description *cache)
{
    const struct index *index = &cache->shape.index;
    const unsigned line_shift = (unsigned)__builtin_ctz(cache->line);
    unsigned bits = index->bits, rows = 0;
    uint64_t row[MAX_INDEX_BITS * 2];

    if (index->kind == INDEX_SKEWED || cache->slices.kind == SLICE_SEQUENCE || !power_of_two(index->sets))
        return true;
    if (index->kind == INDEX_MODULO)
        bits = (unsigned)__builtin_ctzll(index->sets);
    for (unsigned i = 0; i < bits && rows < MAX_INDEX_BITS; i++)
        row[rows++] = (index->kind == INDEX_XOR ? index->mask[i] : UINT64_C(1) << i) << line_shift;
    for (unsigned i = 0; i < cache->slices.bits && rows < MAX_INDEX_BITS * 2; i++)
        row[rows++] = cache->slices.mask[i];
    for (unsigned i = 0; i < rows; i++) {
        if (row[i] == 0)
            return false;
        for (unsigned j = i + 1; j < rows; j++)
            if ((row[j] & (row[i] & -row[i])) != 0)
                row[j] ^= row[i];
    }
    return true;
}

static const char *cache_unsound(const struct cache_description *cache)
{
    const struct slices *slices = &cache->slices;
    const uint64_t line_ways = (uint64_t)cache->line * cache->shape.ways;

    if (slices->count < 1 || cache->shape.index.sets > MOST_ENTRIES ||
        cache->size != cache->shape.index.sets * line_ways * slices->count)
        return "must have a size that is its ways, lines, sets and slices multiplied";
    if (cache->level < 1 || cache->level > MAX_CACHES)
        return "must have a level of 1 to 8";
    if (!power_of_two(cache->line) || cache->line < 8 || cache->line > 4096 || !power_of_two(cache->sector) ||
        cache->sector > cache->line || cache->sector < 8 || cache->line / cache->sector > MOST_SECTORS)
        return "must have a line of 8 to 4096 bytes and a sector that are powers of two, at most 16 sectors in a line";
    if (cache->latency < 1 || cache->shared_by < 1)
        return "must have a latency and shared_by of at least 1";
    if (cache->inclusion == INCLUSION_EXCLUSIVE && cache->level == 1)
        return "cannot be exclusive: nothing is nearer to the cores than level 1";
    if (cache->keeps_permille > 1000)
        return "must have a keeps_permille of at most 1000";
    if (cache->folds > 0 && (cache->fold_latency < cache->latency || cache->level != 1))
        return "must be of level 1 and have a fold_latency of at least its latency to have folds";
    if (cache->virtual_index && cache->level != 1)
        return "must be of level 1 to be indexed by virtual addresses";
    if (slices->kind == SLICE_SEQUENCE && (!power_of_two(slices->length) || slices->count < 2 || slices->bits > 12 ||
                                           slices->length < UINT64_C(1) << slices->bits))
        return "must have a slice sequence whose length is a power of two with as many bits as there are terms, or "
               "more";
    if (cache->shape.duel.leaders == 0 && (cache->shape.duel.period != 0 || cache->shape.duel.counter_most != 0))
        return "must have duel_first and duel_second to have a duel";
    if (cache->directory && array_unsound(&cache->directory_shape) != NULL)
        return array_unsound(&cache->directory_shape);
    if (!all_sets_used(cache))
        return "has sets that no address leads to: index and slices must be independent of each other";
    return array_unsound(&cache->shape);
}

static const char *tlb_unsound(const struct description *machine, const struct tlb_description *tlb)
{
    if (tlb->level < 1 || tlb->level > 3 || (tlb->level == 1 && (tlb->latency != 0 || tlb->victim)))
        return "must have a level of 1 to 3; level 1 has no latency of its own and is no victim TLB";
    if (tlb->pages == 0 || (tlb->pages & ~machine->pages) != 0)
        return "must hold pages that the machine has";
    if (!tlb->loads && !tlb->stores)
        return "must serve loads or stores";
    if (!power_of_two(tlb->sector) || tlb->sector > 16 || !power_of_two(tlb->coalesce) || tlb->coalesce > 8 ||
        (tlb->sector > 1 && tlb->coalesce > 1))
        return "must have a sector of 1, 2, 4, 8, 16 or a coalesce of 1, 2, 4, 8";
    return array_unsound(&tlb->shape);
}

static const char *prefetcher_unsound(const struct prefetcher_description *prefetcher)
{
    bool trains = prefetcher->kind == PREFETCH_STREAM || prefetcher->kind == PREFETCH_STRIDE;

    if (prefetcher->watches < 1 || prefetcher->into < 1 || prefetcher->ahead < 1 || prefetcher->ahead > 64)
        return "must watch and fill levels from 1 on, 1 to 64 ahead";
    if (trains != (prefetcher->trackers > 0) || trains != (prefetcher->train > 0) || prefetcher->trackers > 1024)
        return "must have trackers (at most 1024) and train if it is a stream or a stride prefetcher, else neither";
    if ((prefetcher->kind == PREFETCH_STRIDE) != (prefetcher->reach > 0))
        return "must have a reach if it is a stride prefetcher, else none";
    if (prefetcher->bit > 63 || (prefetcher->msr == 0 && prefetcher->bit != 0))
        return "must have a bit of 0 to 63 of an msr";
    return NULL;
}

static const char *counters_unsound(const struct counters_description *counters)
{
    if (counters->family == COUNTERS_NONE)
        return counters->version + counters->general + counters->fixed + counters->width + counters->encodings != 0
                   ? "must have nothing when its family is none"
                   : NULL;
    if (counters->general < 1 || counters->general > 8 || counters->width < 32 || counters->width > 64)
        return "must have 1 to 8 general counters of 32 to 64 bits";
    if (counters->family == COUNTERS_INTEL && (counters->version > 5 || counters->fixed > 4))
        return "must have a version of 0 to 5 (0: before the architectural ones) and at most 4 fixed counters";
    if (counters->family == COUNTERS_AMD && (counters->version > 2 || counters->fixed != 0))
        return "must have a version of 0 to 2 and no fixed counters when its family is amd";
    for (unsigned i = 0; i < counters->encodings; i++)
        for (unsigned j = 0; j < i; j++)
            if (counters->encoding[i].event == counters->encoding[j].event &&
                counters->encoding[i].umask == counters->encoding[j].umask &&
                counters->encoding[i].counts == counters->encoding[j].counts)
                return "has an encoding twice";
    return NULL;
}

static const char *noise_unsound(const struct noise_description *noise)
{
    if (noise->smi_period != 0 && noise->smi_length >= noise->smi_period)
        return "must have an smi_length below its smi_period";
    return NULL;
}

const char *section_unsound(const struct section *section, const struct description *machine, const void *base)
{
    const struct psc_description *psc = base;
    const struct walker_description *walker = base;
    const struct fetch_description *fetch = base;

    if (strcmp(section->kind, "machine") == 0)
        return machine_unsound(machine);
    if (strcmp(section->kind, "clock") == 0)
        return clock_unsound(base);
    if (strcmp(section->kind, "memory") == 0)
        return memory_unsound(base);
    if (strcmp(section->kind, "cache") == 0)
        return cache_unsound(base);
    if (strcmp(section->kind, "tlb") == 0)
        return tlb_unsound(machine, base);
    if (strcmp(section->kind, "psc") == 0)
        return psc->level == 1 || psc->level > machine->levels ? "must be of a table level that the machine has"
                                                               : array_unsound(&psc->shape);
    if (strcmp(section->kind, "walker") == 0)
        return walker->count < 1 || walker->count > 16 ? "must have a count of 1 to 16" : NULL;
    if (strcmp(section->kind, "prefetcher") == 0)
        return prefetcher_unsound(base);
    if (strcmp(section->kind, "fetch") == 0 && fetch->jump < 1)
        return "must have a jump of at least 1 cycle";
    if (strcmp(section->kind, "fetch") == 0 && fetch->pairs > MAX_PAIRS)
        return "must have pairs of at most 64 jumps";
    if (strcmp(section->kind, "fetch") == 0)
        return fetch->targets ? array_unsound(&fetch->target_shape) : NULL;
    if (strcmp(section->kind, "counters") == 0)
        return counters_unsound(base);
    return noise_unsound(base);
}

static bool level_exists(const struct description *machine, unsigned level)
{
    for (unsigned i = 0; i < machine->caches; i++)
        if (machine->cache[i].level == level)
            return true;
    return false;
}

/* Caches of neighbouring levels, `near` nearer to the core. */
static const char *pair_unsound(const struct cache_description *near, const struct cache_description *far)
{
    if ((near->holds & far->holds) == 0)
        return NULL;
    if (near->level == far->level)
        return "has two caches of one level that hold the same";
    if (near->line > far->line)
        return "has a line that is longer than one further away from the core";
    if (far->inclusion == INCLUSION_EXCLUSIVE && far->line / near->line > MOST_SECTORS)
        return "has an exclusive cache whose line is more than 16 lines of a nearer one";
    if (near->latency >= far->latency)
        return "has a cache that is no faster than one further away from the core";
    if (near->shared_by > far->shared_by || far->shared_by % near->shared_by != 0)
        return "has a cache that more cores share than one further away from the core";
    return NULL;
}

static const char *caches_unsound(const struct description *machine)
{
    for (unsigned i = 0; i < machine->caches; i++) {
        const struct cache_description *cache = &machine->cache[i];

        if (cache->level > 1 && !level_exists(machine, cache->level - 1))
            return "has a cache level with none before it";
        if (machine->cores % cache->shared_by != 0)
            return "has a cache that is shared by more cores than there are, or by no whole part of them";
        if (cache->latency > machine->memory.latency)
            return "has a cache that is slower than memory";
        for (unsigned j = 0; j < i; j++) {
            const struct cache_description *before = &machine->cache[j];
            const char *wrong = before->level <= cache->level ? pair_unsound(before, cache)
                                                              : "has its caches out of order: nearest first";

            if (wrong != NULL)
                return wrong;
        }
    }
    return NULL;
}

static const char *translation_unsound(const struct description *machine)
{
    if (machine->tlbs == 0 && machine->pscs > 0)
        return "has page-structure caches but no TLB";
    if (machine->walker.from_level != 0 && machine->caches > 0 && !level_exists(machine, machine->walker.from_level))
        return "has a walker that looks first in a cache level that is not there";
    for (unsigned i = 0; i < machine->tlbs; i++)
        for (unsigned j = 0; j < i; j++)
            if (strcmp(machine->tlb[i].name, machine->tlb[j].name) == 0)
                return "has two TLBs of one name";
            else if (machine->tlb[i].level < machine->tlb[j].level &&
                     (machine->tlb[i].holds & machine->tlb[j].holds) != 0)
                return "has its TLBs out of order: nearest first";
    return NULL;
}

unsigned description_code_latency(const struct description *machine)
{
    for (unsigned i = 0; i < machine->caches; i++)
        if (machine->cache[i].level == 1 && (machine->cache[i].holds & HOLDS_CODE) != 0)
            return machine->cache[i].latency;
    return 0;
}

static const char *whole_unsound(const struct description *machine)
{
    const uint64_t large = UINT64_C(1) << (machine->page_shift + machine->page_bits);
    const char *wrong = caches_unsound(machine);

    for (unsigned i = 0; i < machine->prefetchers && wrong == NULL; i++)
        if (!level_exists(machine, machine->prefetcher[i].watches) ||
            !level_exists(machine, machine->prefetcher[i].into))
            wrong = "has a prefetcher that watches or fills a cache level that is not there";
    if (wrong == NULL && machine->fetch.ahead > description_code_latency(machine))
        wrong = "has fetching that runs farther ahead than a hit of its first level takes";
    if (wrong == NULL && (machine->pages & PAGES_LARGE) != 0 && machine->memory.span % large != 0)
        wrong = "has a span that is no whole number of large pages";
    for (unsigned i = 0; i < machine->caches && wrong == NULL; i++)
        for (unsigned j = 0; j < i; j++)
            if (strcmp(machine->cache[i].name, machine->cache[j].name) == 0)
                wrong = "has two caches of one name";
    return wrong != NULL ? wrong : translation_unsound(machine);
}

const char *description_unsound(const struct description *machine)
{
    for (unsigned i = 0; i < description_section_count; i++) {
        const struct section *section = &description_sections[i];
        const char *base = (const char *)machine + section->offset;
        unsigned count = 1;

        if (section->count != 0)
            count = *(const unsigned *)(const void *)((const char *)machine + section->count);
        if (count > section->most)
            return "has more structures of a kind than the model can hold";
        for (; count > 0; count--, base += section->size) {
            const char *wrong = section_unsound(section, machine, base);

            if (wrong != NULL)
                return wrong;
        }
    }
    return whole_unsound(machine);
}
