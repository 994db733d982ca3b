// SPDX-License-Identifier: BSD-2-Clause
/* identity.c: what the guest is told by CPUID. Vendor and features stay those of Bochs' processor model, because Bochs
 * executes; name, caches, TLBs and counters are the machine's own, as its file declares them (some declare wrongly, on
 * purpose). What is not declared is not said. Encodings: Intel SDM volume 2, CPUID; AMD APM volume 3, appendix E. */
#include "tests/silicon/bochs/declared.h"
#include "tests/silicon/bochs/hook.h"
#include <string.h>

enum {
    LAST_LEAF = 0x18,
    AMD_FIRST = 0x80000005,
    AMD_SECOND = 0x80000006,
    AMD_PARAMETERS = 0x8000001d,
    AMD_ENCRYPTION = 0x8000001f,
    AMD_NEWER = 0x80000021,
    FEATURE_LFENCE = 1 << 2,    /* there EAX: LFENCE always serialises */
    FEATURE_PREFETCH = 1 << 13, /* the prefetchers' MSR is there */
    PREFETCH_CONTROL = 0xc0000108,
    NAME_FIRST = 0x80000002,
    NAME_LAST = 0x80000004,
    FEATURE_RDTSCP = 1 << 27, /* 80000001 EDX */
    FEATURE_1G = 1 << 26,
    FEATURE_TOPOLOGY = 1 << 22, /* 80000001 ECX: leaf 8000001D is there */
    FEATURE_APERF = 1,          /* 6 ECX */
    APERF = 0xe8
};

/* Programs tell by family and model which switches there are, so an old machine needs an old processor: RDTSCP came
 * with AMD's family 10h and with Nehalem, leaf 8000001D with AMD's family 15h. */
const char *identity_processor(const struct description *description)
{
    if (strcmp(description->vendor, "AMD") != 0)
        return description->clock.rdtscp ? "corei7_skylake_x" : "core2_penryn_t9600";
    if (description->clock.rdtscp == 0)
        return "athlon64_clawhammer";
    return declared_least(description, "l1d", "size", "CPUID 8000001D") ? "ryzen" : "phenom_8650_toliman";
}

/* Leaves 4 and 8000001D: one subleaf for each cache that is declared by them. */
static struct cpuid parameters(const struct description *description, const char *by, uint32_t subleaf)
{
    for (unsigned i = 0; i < description->caches; i++) {
        const struct cache_description *cache = &description->cache[i];
        uint64_t size = declared_least(description, cache->name, "size", by), sets;
        uint64_t ways = declared_least(description, cache->name, "ways", by),
                 line = declared_least(description, cache->name, "line", by);
        uint32_t type = cache->holds == HOLDS_DATA ? 1 : cache->holds == HOLDS_CODE ? 2 : 3;

        if (!size || !ways || !line || subleaf--)
            continue;
        sets = size / (ways * line);
        return (struct cpuid){.eax = type | cache->level << 5 | 1 << 8 | (cache->shared_by - 1) << 14,
                              .ebx = (uint32_t)((line - 1) | (ways - 1) << 22),
                              .ecx = (uint32_t)(sets ? sets - 1 : 0)};
    }
    return (struct cpuid){0};
}

/* 80000005, a cache: KB, ways (255: all), a line a tag, bytes of a line. */
static uint32_t first_level(const struct description *description, const char *cache)
{
    static const char by[] = "CPUID 80000005";
    uint64_t size = declared_least(description, cache, "size", by),
             line = declared_least(description, cache, "line", by);
    uint64_t ways = declared_least(description, cache, "ways", by);

    return (uint32_t)(size >> 10 << 24 | (ways & 255) << 16 | (line ? 1 << 8 : 0) | line);
}

static uint32_t plain_tlb(const struct description *description, const char *tlb, unsigned shift)
{
    static const char by[] = "CPUID 80000005";
    uint64_t entries = declared_least(description, tlb, "entries", by),
             ways = declared_least(description, tlb, "ways", by);

    return (uint32_t)((ways == entries && ways ? 255 : ways & 255) << 8 | (entries & 255)) << shift;
}

/* 80000006: four bits for a number of ways. */
static uint32_t ways_code(uint64_t ways, uint64_t entries)
{
    static const uint8_t from[] = {0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128};
    uint32_t code = 0;

    if (ways == entries && entries)
        return 15;
    for (uint32_t i = 1; i < sizeof from; i++) {
        if (from[i] && ways >= from[i])
            code = i;
    }
    return code;
}

static uint32_t coded_tlb(const struct description *description, const char *tlb, unsigned shift)
{
    static const char by[] = "CPUID 80000006";
    uint64_t entries = declared_least(description, tlb, "entries", by),
             ways = declared_least(description, tlb, "ways", by);

    return (ways_code(ways, entries) << 12 | (uint32_t)(entries & 0xfff)) << shift;
}

static struct cpuid second_level(const struct description *description)
{
    static const char by[] = "CPUID 80000006";
    uint64_t l2 = declared_least(description, "l2", "size", by),
             l2_line = declared_least(description, "l2", "line", by);
    uint64_t l3 = declared_least(description, "l3", "size", by),
             l3_line = declared_least(description, "l3", "line", by);

    return (struct cpuid){
        .eax = coded_tlb(description, "dtlb2.2m", 16) | coded_tlb(description, "itlb2.2m", 0),
        .ebx = coded_tlb(description, "dtlb2.4k", 16) | coded_tlb(description, "itlb2.4k", 0),
        .ecx = (uint32_t)(l2 >> 10 << 16 | l2_line) |
               ways_code(declared_least(description, "l2", "ways", by), l2_line ? l2 / l2_line : 0) << 12,
        .edx = (uint32_t)(l3 >> 19 << 18 | l3_line) |
               ways_code(declared_least(description, "l3", "ways", by), l3_line ? l3 / l3_line : 0) << 12,
    };
}

/* 48 bytes of the machine's title in three leaves. */
static struct cpuid name_part(const struct description *description, uint32_t part)
{
    char name[48] = {0};
    struct cpuid leaf;

    for (size_t i = 0; i + 1 < sizeof name && description->title[i]; i++)
        name[i] = description->title[i];
    memcpy(&leaf, name + 16 * part, sizeof leaf);
    return leaf;
}

static void features(const struct hook *hook, struct cpuid *leaf)
{
    const struct description *description = &hook->description;
    struct cpuid parts = parameters(description, "CPUID 8000001D", 0);

    if (description->clock.rdtscp == 0)
        leaf->edx &= ~(uint32_t)FEATURE_RDTSCP;
    if (!(description->pages & PAGES_HUGE))
        leaf->edx &= ~(uint32_t)FEATURE_1G;
    leaf->ecx &= ~(uint32_t)FEATURE_TOPOLOGY;
    if (parts.eax)
        leaf->ecx |= FEATURE_TOPOLOGY;
}

static uint32_t newer_features(const struct description *description)
{
    uint32_t bits = description->clock.lfence_passes ? 0 : FEATURE_LFENCE;

    for (unsigned i = 0; i < description->prefetchers; i++) {
        if (description->prefetcher[i].msr == PREFETCH_CONTROL)
            return bits | FEATURE_PREFETCH;
    }
    return 0;
}

void identity_of(const struct hook *hook, uint32_t leaf, uint32_t subleaf, struct cpuid *answer)
{
    const struct description *description = &hook->description;
    uint64_t aperf;
    uint32_t words[4];

    switch (leaf) {
    case 4:
        *answer = parameters(description, "CPUID 4", subleaf);
        break;
    case 6:
        answer->ecx &= ~(uint32_t)FEATURE_APERF;
        if (silicon_read_msr(hook->silicon, 0, APERF, &aperf))
            answer->ecx |= FEATURE_APERF;
        break;
    case 0xa:
        counters_cpuid(hook->silicon->counters, words);
        *answer = (struct cpuid){words[0], words[1], words[2], words[3]};
        break;
    case 0:
        if (answer->eax < LAST_LEAF)
            answer->eax = LAST_LEAF;
        break;
    case 2:
        declared_descriptors(description, words);
        *answer = (struct cpuid){words[0], words[1], words[2], words[3]};
        break;
    case 0x15: /* somebody else's clock */
    case 0x16:
    case 0x17:
    case AMD_ENCRYPTION: /* Bochs does not do it, whatever its processor model says */
        *answer = (struct cpuid){0};
        break;
    case LAST_LEAF:
        declared_translation(description, subleaf, words);
        *answer = (struct cpuid){words[0], words[1], words[2], words[3]};
        break;
    case 0x80000000:
        if (newer_features(description))
            answer->eax = AMD_NEWER;
        break;
    case AMD_NEWER:
        *answer = (struct cpuid){.eax = newer_features(description)};
        break;
    case 0x80000020:
        *answer = (struct cpuid){0};
        break;
    case 0x80000001:
        features(hook, answer);
        break;
    case AMD_FIRST:
        *answer = (struct cpuid){
            .eax = plain_tlb(description, "dtlb1.2m", 16) | plain_tlb(description, "itlb1.2m", 0),
            .ebx = plain_tlb(description, "dtlb1.4k", 16) | plain_tlb(description, "itlb1.4k", 0),
            .ecx = first_level(description, "l1d"),
            .edx = first_level(description, "l1i"),
        };
        break;
    case AMD_SECOND:
        *answer = second_level(description);
        break;
    case AMD_PARAMETERS:
        *answer = parameters(description, "CPUID 8000001D", subleaf);
        break;
    default:
        if (leaf >= NAME_FIRST && leaf <= NAME_LAST)
            *answer = name_part(description, leaf - NAME_FIRST);
    }
}
