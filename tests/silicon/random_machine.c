// SPDX-License-Identifier: BSD-2-Clause
/* random_machine.c: a machine drawn from a seed: nobody's, but one that somebody could have built. Every level is at
 * least twice as large as the one before it and slower. Ranges stand beside each draw; they surround what the tables of
 * known truths have (docs/silicon.md). Sound by construction: nothing is drawn again. */
#include "base/text.h"
#include "tests/silicon/random_draw.h"
#include <stdio.h>
#include <string.h>

static bool power_of_two(uint64_t number)
{
    return (number & (number - 1)) == 0;
}

static unsigned bits_of(uint64_t number)
{
    return 63 - (unsigned)__builtin_clzll(number);
}

/* Trees over numbers of ways that are no power of two are in simulators only, as candidates. What was found where ways
 * are three times a power of two is a tree in each of three groups: with LRU among them in Ice Lake's first level (12
 * ways: uops.info, "Caches"), one after the other in Kaby Lake's second level of TLBs ("TLB;DR"). Here it is the
 * largest tree that divides the ways; for an odd number of them that leaves LRU. */
static void plant_whole_trees(unsigned ways, struct policy *policy)
{
    unsigned tree = ways & -ways;
    char name[32] = "LRU";

    if (tree == ways)
        return;
    if (tree > 1)
        snprintf(name, sizeof name, "LRU%uPLRU%u", ways / tree, tree);
    (void)policy_parse(policy, name);
}

/* Any policy that suits so many ways. Grouped ones where they make whole groups of four. */
static void draw_policy(struct draw *draw, unsigned ways, struct policy *policy)
{
    static const char *const names[] = {
        "LRU",
        "LRU",
        "LRU",
        "PLRU",
        "PLRU",
        "PLRUl",
        "PLRUl",
        "FIFO",
        "RANDOMl",
        "MRU",
        "MRU_N",
        "NRU",
        "RANDOM",
        "QLRU_H00_M1_R0_U1",
        "QLRU_H11_M1_R0_U0",
        "QLRU_H00_M1_R2_U1",
        "QLRU_H11_M1_R1_U2",
        "QLRU_H00_M2_R0_U0_UMO",
        "QLRU_H11_MR31_R1_U2",
    };
    char grouped[24];

    if (ways % 4 == 0 && ways > 4 && chance(draw, 15)) {
        snprintf(grouped, sizeof grouped, "%s%uPLRU4", chance(draw, 70) ? "LRU" : "NEXT", ways / 4);
        (void)policy_parse(policy, grouped);
        return;
    }
    (void)policy_parse(policy, ways == 1 ? "LRU" : ONE_OF(draw, names));
    if (policy->kind == POLICY_TREE_PLRU)
        plant_whole_trees(ways, policy);
}

/* A number of sets near `about`: mostly a power of two, else 3 * 2^k, else any. */
static uint64_t draw_sets(struct draw *draw, uint64_t about)
{
    unsigned kind = from(draw, 1, 100);
    uint64_t power = UINT64_C(1) << bits_of(about < 1 ? 1 : about);

    if (kind <= 80 || power < 4)
        return power;
    if (kind <= 93)
        return power / 2 * 3;
    return power + from(draw, 1, (unsigned)power - 1);
}

/* Each set bit folded with the bit as many places higher, perhaps with the next one, too. */
static void draw_fold(struct draw *draw, struct index *index)
{
    unsigned bits = bits_of(index->sets), depth = from(draw, 2, 3);

    index->kind = INDEX_XOR;
    index->bits = bits;
    for (unsigned i = 0; i < bits; i++)
        for (unsigned j = 0; j < depth && i + j * bits < 34; j++)
            index->mask[i] |= UINT64_C(1) << (i + j * bits);
}

/* Slices: 2, 4 or 8 by a hash, or 3 to 12 by a sequence, and a power of two of sets in each. Each mask has a bit of its
 * own above the set's bits, so that every set of every slice is used. */
static void draw_slices(struct draw *draw, struct cache_description *cache)
{
    static const unsigned odd[] = {3, 5, 6, 10, 12};
    struct slices *slices = &cache->slices;
    unsigned low = bits_of(cache->line), above;

    slices->kind = chance(draw, 70) ? SLICE_XOR : SLICE_SEQUENCE;
    slices->bits = slices->kind == SLICE_XOR ? from(draw, 1, 3) : 7;
    slices->count = slices->kind == SLICE_XOR ? 1u << slices->bits : ONE_OF(draw, odd);
    cache->shape.index.sets = UINT64_C(1) << bits_of(cache->shape.index.sets / slices->count);
    above = low + bits_of(cache->shape.index.sets);
    for (unsigned i = 0; i < slices->bits; i++) {
        slices->mask[i] = UINT64_C(1) << (above + i);
        for (unsigned bit = low; bit < 34 && slices->kind == SLICE_XOR; bit++)
            if ((bit < above || bit >= above + slices->bits) && chance(draw, 35))
                slices->mask[i] |= UINT64_C(1) << bit;
    }
    if (slices->kind == SLICE_XOR)
        return;
    slices->length = 128;
    for (unsigned i = 0; i < slices->length; i++) /* each as often as any other, give or take one */
        slices->sequence[i] = (uint8_t)((i * 7 + i / slices->count) % slices->count);
}

/* Ways and sets for a size of about so much; the size follows from them. */
static void draw_shape(struct draw *draw, struct cache_description *cache, uint64_t about, unsigned most_ways)
{
    struct array_shape *shape = &cache->shape;

    shape->ways = from(draw, cache->level == 1 ? 1 : 2, most_ways);
    if (chance(draw, 60)) /* most real ones have a power of two */
        shape->ways = 1u << bits_of(shape->ways);
    cache->slices.count = 1;
    shape->index.sets = draw_sets(draw, about / ((uint64_t)shape->ways * cache->line));
    if (cache->level >= 3 && shape->index.sets >= 1024 && chance(draw, 50))
        draw_slices(draw, cache);
    else if (cache->level >= 2 && power_of_two(shape->index.sets) && shape->index.sets > 1 && chance(draw, 25))
        draw_fold(draw, &shape->index);
    draw_policy(draw, shape->ways, &shape->policy);
    cache->size = shape->index.sets * shape->ways * cache->line * cache->slices.count;
}

static struct cache_description *next_cache(struct draw *draw, const char *name, unsigned level, unsigned holds)
{
    struct cache_description *cache = &draw->machine->cache[draw->machine->caches++];

    snprintf(cache->name, sizeof cache->name, "%s", name);
    cache->level = level;
    cache->holds = holds;
    cache->shared_by = 1;
    cache->keeps_permille = 1000;
    return cache;
}

/* 4 to 64 KB, 1 to 16 ways, 2 to 6 cycles. */
static void draw_first(struct draw *draw, const char *name, unsigned holds, unsigned line, unsigned latency)
{
    struct cache_description *cache = next_cache(draw, name, 1, holds);

    cache->line = cache->sector = line;
    cache->latency = latency;
    draw_shape(draw, cache, UINT64_C(4096) << from(draw, 0, 4), 16);
    if (holds == HOLDS_CODE)
        return;
    cache->virtual_index = cache->shape.index.sets * line > 4096 && chance(draw, 50);
    cache->write_through = cache->no_write_allocate = chance(draw, 10);
    cache->banks = chance(draw, 15) ? 8 : 0;
    if (chance(draw, 10)) {
        static const unsigned partner[] = {27, 26, 25, 20, 21, 22, 23, 24};

        cache->folds = 8;
        for (unsigned i = 0; i < 8; i++)
            cache->fold[i] = UINT64_C(1) << (12 + i) | UINT64_C(1) << partner[i];
        cache->fold_latency = latency + from(draw, 6, 12);
    }
}

/* A further level: 2 to 16 times what the one before it has, at most 32 MB. */
static void draw_further(struct draw *draw, unsigned level, const struct cache_description *before)
{
    char name[8];
    struct cache_description *cache;
    static const unsigned slower_from[] = {0, 0, 6, 15, 20}, slower_to[] = {0, 0, 16, 40, 50};
    uint64_t about = before->size * from(draw, 2, 12);
    unsigned kind = from(draw, 1, 100);

    snprintf(name, sizeof name, "l%u", level % 10);
    cache = next_cache(draw, name, level, HOLDS_BOTH);
    cache->line = cache->sector = chance(draw, 10) && before->line < 128 ? before->line * 2 : before->line;
    cache->latency = before->latency + from(draw, slower_from[level], slower_to[level]);
    draw_shape(draw, cache, about, 24);
    while (cache->size < 2 * before->size) { /* rounding may have taken more than half */
        cache->shape.ways *= 2;
        cache->size *= 2;
        draw_policy(draw, cache->shape.ways, &cache->shape.policy);
    }
    if (before->folds != 0) /* a line that the way predictor does not name is as slow as a miss that level 2 serves */
        draw->machine->cache[0].fold_latency = cache->latency;
    if (kind <= 30)
        cache->inclusion = INCLUSION_INCLUSIVE;
    else if (kind <= 50 && cache->line == before->line)
        cache->inclusion = INCLUSION_EXCLUSIVE;
    if (cache->inclusion == INCLUSION_EXCLUSIVE)
        cache->keeps_hits = chance(draw, 20);
    cache->slice_step = cache->slices.count > 1 && chance(draw, 40) ? from(draw, 1, 2) : 0;
}

static void draw_caches(struct draw *draw)
{
    static const unsigned lines[] = {64, 64, 64, 32, 128};
    unsigned line = ONE_OF(draw, lines), latency = from(draw, 2, 6), levels = from(draw, 1, 4);
    struct description *machine = draw->machine;

    draw_first(draw, "l1d", HOLDS_DATA, line, latency);
    draw_first(draw, "l1i", HOLDS_CODE, line, latency);
    for (unsigned level = 2; level <= levels; level++) {
        const struct cache_description *before = &machine->cache[level == 2 ? 0 : machine->caches - 1];

        if (before->size > 2 << 20)
            break;
        draw_further(draw, level, before);
    }
    if (machine->caches > 2)
        machine->cache[machine->caches - 1].shared_by = machine->cores;
}

/* 100 to 400 cycles behind the last cache; half of them with rows, a fifth with refresh (JEDEC: every 7.8 us). */
static void draw_memory(struct draw *draw)
{
    struct description *machine = draw->machine;
    struct memory_description *memory = &machine->memory;
    const struct cache_description *last = &machine->cache[machine->caches - 1];
    uint64_t cycles_per_us = machine->clock.hz / 1000000 * machine->clock.ratio_core / machine->clock.ratio_clock;

    memory->span = description_random_span(machine);
    memory->latency = last->latency + from(draw, 100, 400);
    memory->parallel = from(draw, 1, 16);
    memory->transfer = memory->latency / 2;
    if (chance(draw, 50)) {
        memory->row_miss = from(draw, 20, 100);
        memory->banks = 8u << from(draw, 0, 3);
        memory->row = 2048u << from(draw, 0, 2);
    }
    if (chance(draw, 20)) {
        memory->refresh_period = cycles_per_us * 78 / 10;
        memory->refresh_length = cycles_per_us * from(draw, 100, 350) / 1000;
    }
}

/* 1 to 5 GHz; the counter's rate and step differ from the core's as often as not. */
static void draw_clock(struct draw *draw)
{
    struct clock_description *clock = &draw->machine->clock;
    unsigned multiple = from(draw, 10, 50);

    clock->hz = UINT64_C(100000000) * multiple - UINT64_C(1000000) * from(draw, 0, 9);
    clock->step = chance(draw, 40) ? 1 : chance(draw, 30) ? 2 : multiple;
    clock->ratio_core = clock->ratio_clock = 1;
    if (chance(draw, 60)) {
        clock->ratio_clock = multiple;
        clock->ratio_core = multiple + from(draw, 0, multiple / 2);
    }
    clock->multiply = from(draw, 3, 6);
    clock->pause = USUAL_PAUSE;
    clock->rdtsc = from(draw, 15, 45);
    clock->rdtscp = chance(draw, 80) ? clock->rdtsc + from(draw, 0, 12) : 0;
    clock->lfence = from(draw, 4, 12);
    if (chance(draw, 20)) {
        clock->ramp = from(draw, 10000, 200000);
        clock->idle = from(draw, 100000, 1000000);
    }
}

static struct tlb_description *next_tlb(struct draw *draw, const char *name, unsigned level, unsigned holds,
                                        unsigned pages)
{
    struct tlb_description *tlb = &draw->machine->tlb[draw->machine->tlbs++];

    snprintf(tlb->name, sizeof tlb->name, "%s", name);
    tlb->level = level;
    tlb->holds = holds;
    tlb->pages = pages;
    tlb->loads = tlb->stores = true;
    tlb->sector = tlb->coalesce = 1;
    return tlb;
}

/* 2^low to 2^high entries, fully associative up to 128 as often as not (then any multiple of 8), else 4, 6, 8 or 12
 * ways and a power of two of sets. */
static void draw_entries(struct draw *draw, struct tlb_description *tlb, unsigned low, unsigned high)
{
    static const unsigned ways[] = {4, 4, 6, 8, 12};
    struct array_shape *shape = &tlb->shape;
    unsigned entries = 1u << from(draw, low, high);

    if (entries <= 128 && chance(draw, 50)) {
        shape->ways = entries + (entries >= 32 ? 8 * from(draw, 0, entries / 16) : 0);
        shape->index.sets = 1;
        (void)policy_parse(&shape->policy, chance(draw, 80) ? "LRU" : "PLRUl");
        if (shape->policy.kind == POLICY_TREE_PLRU)
            plant_whole_trees(shape->ways, &shape->policy);
        return;
    }
    shape->ways = ONE_OF(draw, ways);
    shape->index.sets = UINT64_C(1) << bits_of(entries / 4);
    if (tlb->level > 1 && chance(draw, 30))
        draw_fold(draw, &shape->index);
    draw_policy(draw, shape->ways, &shape->policy);
}

/* A first level of 16 to 128 entries, with large pages in it or apart; three times in four a second of 256 to 2048. */
static void draw_side(struct draw *draw, char side, unsigned holds)
{
    const unsigned pages = draw->machine->pages;
    struct tlb_description *second;
    char name[12];
    bool together = chance(draw, 50);

    snprintf(name, sizeof name, together ? "%ctlb1" : "%ctlb1.4k", side);
    draw_entries(draw, next_tlb(draw, name, 1, holds, together ? pages : (unsigned)PAGES_SMALL), 4, 7);
    if (!together) {
        snprintf(name, sizeof name, "%ctlb1.2m", side);
        draw_entries(draw, next_tlb(draw, name, 1, holds, pages & ~(unsigned)PAGES_SMALL), 3, 5);
    }
    if (!chance(draw, 75))
        return;
    snprintf(name, sizeof name, "%ctlb2", side);
    second = next_tlb(draw, name, 2, holds, PAGES_SMALL | (chance(draw, 60) ? PAGES_LARGE : 0));
    draw_entries(draw, second, 8, 11);
    second->latency = from(draw, 4, 10);
}

static void draw_psc(struct draw *draw, unsigned level, enum psc_tag tag, unsigned entries)
{
    struct psc_description *psc = &draw->machine->psc[draw->machine->pscs++];

    psc->level = level;
    psc->tag = tag;
    psc->shape.ways = entries > 8 && chance(draw, 50) ? 4 : entries;
    psc->shape.index.sets = entries / psc->shape.ways;
    (void)policy_parse(&psc->shape.policy, "LRU");
}

/* Six in ten split by level and linear (4 to 64 PDEs), three unified and physical (16 to 64 entries), one none. */
static void draw_translation(struct draw *draw)
{
    struct description *machine = draw->machine;
    unsigned kind = from(draw, 1, 100);

    draw_side(draw, 'd', HOLDS_DATA);
    draw_side(draw, 'i', HOLDS_CODE);
    if (kind <= 60) {
        draw_psc(draw, 2, PSC_LINEAR, 4u << from(draw, 0, 4));
        if (chance(draw, 80))
            draw_psc(draw, 3, PSC_LINEAR, 2u << from(draw, 0, 2));
        if (chance(draw, 50))
            draw_psc(draw, 4, PSC_LINEAR, 2u << from(draw, 0, 1));
    } else if (kind <= 90) {
        draw_psc(draw, 0, PSC_PHYSICAL, 16u << from(draw, 0, 2));
    }
    machine->walker.count = from(draw, 1, 4);
    machine->walker.overhead = from(draw, 2, 20);
    machine->walker.from_level = machine->caches > 2 ? from(draw, 1, 2) : 1;
}

/* Each kind four times in ten; four of five can be switched, by the bits of their vendor. */
static void draw_prefetchers(struct draw *draw)
{
    static const unsigned intel_bit[] = {2, 1, 0, 3, 4}, amd_bit[] = {5, 6, 0, 1, 2};
    struct description *machine = draw->machine;
    bool intel = strcmp(machine->vendor, "Intel") == 0;

    for (unsigned kind = PREFETCH_NEXT_LINE; kind <= PREFETCH_NEXT_PAGE; kind++) {
        struct prefetcher_description *prefetcher = &machine->prefetcher[machine->prefetchers];
        bool second = machine->caches > 2 && (kind == PREFETCH_ADJACENT || kind == PREFETCH_STREAM);

        if (!chance(draw, 40))
            continue;
        machine->prefetchers++;
        prefetcher->kind = (enum prefetcher_kind)kind;
        prefetcher->watches = prefetcher->into = second ? 2 : 1;
        prefetcher->misses_only = chance(draw, 50);
        prefetcher->ahead = kind == PREFETCH_STREAM ? from(draw, 1, 8) : 1;
        if (kind == PREFETCH_STREAM || kind == PREFETCH_STRIDE) {
            prefetcher->trackers = 8u << from(draw, 0, 3);
            prefetcher->train = from(draw, 2, 4);
        }
        prefetcher->reach = kind == PREFETCH_STRIDE ? 2048 : 0;
        if (chance(draw, 80)) {
            prefetcher->msr = intel ? 0x1a4 : 0xc0000108;
            prefetcher->bit = intel ? intel_bit[kind] : amd_bit[kind];
        }
    }
}

static void draw_fetch(struct draw *draw)
{
    struct fetch_description *fetch = &draw->machine->fetch;

    fetch->jump = from(draw, 1, 3);
    fetch->miss = from(draw, 5, 20);
    fetch->targets = chance(draw, 70);
    if (!fetch->targets)
        return;
    fetch->target_shape.ways = 4;
    fetch->target_shape.index.sets = UINT64_C(128) << from(draw, 0, 4);
    (void)policy_parse(&fetch->target_shape.policy, "LRU");
}

/* One in five has none; the others those events that the model counts, under numbers of their vendor. */
static void draw_counters(struct draw *draw)
{
    static const struct encoding
        intel[] = {{0x3c, 0x00, COUNTED_CYCLES, 1000, false},    {0xc0, 0x00, COUNTED_INSTRUCTIONS, 1000, false},
                   {0xd1, 0x08, COUNTED_L1D_MISS, 1000, false},  {0xd1, 0x10, COUNTED_L2_MISS, 1000, false},
                   {0x08, 0x20, COUNTED_DTLB2_HIT, 1000, false}, {0x08, 0x0e, COUNTED_WALK, 1000, false},
                   {0x85, 0x0e, COUNTED_ITLB_WALK, 1000, false}},
        amd[] = {{0x76, 0x00, COUNTED_CYCLES, 1000, false},    {0xc0, 0x00, COUNTED_INSTRUCTIONS, 1000, false},
                 {0x43, 0x5f, COUNTED_L1D_MISS, 1000, false},  {0x64, 0x08, COUNTED_L2_MISS, 1000, false},
                 {0x45, 0x0f, COUNTED_DTLB2_HIT, 1000, false}, {0x45, 0xf0, COUNTED_WALK, 1000, false},
                 {0x85, 0x0f, COUNTED_ITLB_WALK, 1000, false}};
    struct counters_description *counters = &draw->machine->counters;
    bool is_intel = strcmp(draw->machine->vendor, "Intel") == 0;

    if (!chance(draw, 80))
        return;
    counters->family = is_intel ? COUNTERS_INTEL : COUNTERS_AMD;
    counters->version = is_intel ? from(draw, 2, 5) : 0;
    counters->general = is_intel ? 4 : 6;
    counters->fixed = is_intel ? 3 : 0;
    counters->width = 48;
    counters->overhead = from(draw, 20, 50);
    counters->encodings = sizeof intel / sizeof *intel;
    memcpy(counters->encoding, is_intel ? intel : amd, sizeof intel);
    if (chance(draw, 10)) /* an erratum of over-counting, or of one too many */
        counters->encoding[2].per_thousand = 1100;
    counters->encoding[3].always_one = chance(draw, 5);
}

void description_random(struct description *machine, uint64_t seed)
{
    struct draw draw = {{seed}, machine};
    static const unsigned cores[] = {1, 2, 4};

    memset(machine, 0, sizeof *machine);
    snprintf(machine->name, sizeof machine->name, "random-%llu", (unsigned long long)seed);
    text_copy(machine->vendor, sizeof machine->vendor, chance(&draw, 50) ? "Intel" : "AMD");
    snprintf(machine->title, sizeof machine->title, "a random machine, seed %llu", (unsigned long long)seed);
    machine->x86 = true;
    machine->cores = ONE_OF(&draw, cores);
    machine->levels = 4;
    machine->page_shift = 12;
    machine->page_bits = 9;
    machine->pages = PAGES_SMALL | PAGES_LARGE | (chance(&draw, 30) ? PAGES_HUGE : 0);
    draw_clock(&draw);
    draw_caches(&draw);
    draw_memory(&draw);
    draw_translation(&draw);
    draw_prefetchers(&draw);
    draw_fetch(&draw);
    draw_counters(&draw);
    if (chance(&draw, 10))
        machine->noise.jitter = from(&draw, 1, 8);
    machine->clock.half_step = machine->clock.step >= 10 && chance(&draw, 25);
    draw_latest(&draw); /* last, so that everything else is what the same seed has always given */
}
