// SPDX-License-Identifier: BSD-2-Clause
/* features.c: reading features out of CPUID. Bits: Intel SDM volume 2, CPUID; AMD APM volume 3, appendix E. */
#include "kernel/features.h"
#include "base/text.h"
#include "kernel/cpu.h"
#include "kernel/declared.h"

enum { XCR0_X87_SSE = 3, XCR0_AVX = 4, XCR0_AVX512 = 0xe0 };

/* A leaf, all zero where the processor does not have it. */
static struct cpuid_leaf leaf_of(const struct cpuid_dump *dump, uint32_t leaf)
{
    const struct cpuid_leaf *found = cpuid_find(dump, leaf, 0);

    return found ? *found : (struct cpuid_leaf){.leaf = leaf};
}

static bool bit(uint32_t word, unsigned number)
{
    return word >> number & 1;
}

static void find_states(const struct cpuid_dump *dump, struct features *features)
{
    uint32_t components = leaf_of(dump, 0xd).eax;

    features->xcr0 = 0;
    if (!features->xsave)
        return;
    features->avx = features->avx && (components & XCR0_AVX);
    features->avx512 = features->avx512 && features->avx && (components & XCR0_AVX512) == XCR0_AVX512;
    features->xcr0 = XCR0_X87_SSE | (features->avx ? XCR0_AVX : 0) | (features->avx512 ? XCR0_AVX512 : 0);
}

static void find_signature(const struct cpuid_dump *dump, struct features *features)
{
    uint32_t signature = leaf_of(dump, 1).eax;

    features->family = signature >> 8 & 15;
    features->model = signature >> 4 & 15;
    if (features->family == 6 || features->family == 15)
        features->model += (signature >> 16 & 15) << 4;
    if (features->family == 15)
        features->family += signature >> 20 & 255;
}

void features_find(const struct cpuid_dump *dump, struct features *features)
{
    struct cpuid_leaf basic = leaf_of(dump, 1), seven = leaf_of(dump, 7);
    struct cpuid_leaf extended = leaf_of(dump, 0x80000001), newer = leaf_of(dump, 0x80000021);
    struct facts facts = {.declared_count = 0};

    declared_facts(dump, &facts);
    *features = (struct features){
        .rdtscp = bit(extended.edx, 27),
        .avx = bit(basic.ecx, 26) && bit(basic.ecx, 28),
        .avx512 = bit(seven.ebx, 16),
        .xsave = bit(basic.ecx, 26),
        .nx = bit(extended.edx, 20),
        .pages_1g = bit(extended.edx, 26),
        .five_levels = (cpu_cr4() & CR4_LA57) != 0,
        .five_possible = bit(seven.ecx, 16),
        .clflush = bit(basic.edx, 19),
        .invariant_tsc = bit(leaf_of(dump, 0x80000007).edx, 8),
        .amd = text_equal(facts.vendor, "AuthenticAMD") || text_equal(facts.vendor, "HygonGenuine"),
        .intel = text_equal(facts.vendor, "GenuineIntel"),
        .mtrr = bit(basic.edx, 12),
        .pat = bit(basic.edx, 16),
        .mce = bit(basic.edx, 7) && bit(basic.edx, 14),
        .apic = bit(basic.edx, 9),
        .aperf = bit(leaf_of(dump, 6).ecx, 0),
        .lfence_declared = bit(newer.eax, 2),
        .prefetch_control = bit(newer.eax, 13),
        .physical_bits = leaf_of(dump, 0x80000008).eax & 0xff,
    };
    if (features->physical_bits == 0)
        features->physical_bits = 36;
    find_signature(dump, features);
    find_states(dump, features);
}

bool features_intel_core(const struct features *features)
{
    return features->intel && features->family >= 6 && features->family != 15;
}

bool features_core2(const struct features *features)
{
    enum { MEROM = 0x0f, MEROM_L = 0x16, PENRYN = 0x17, DUNNINGTON = 0x1d };

    if (!features->intel || features->family != 6)
        return false;
    return features->model == MEROM || features->model == MEROM_L || features->model == PENRYN ||
           features->model == DUNNINGTON;
}

uint64_t features_encryption_bit(const struct cpuid_dump *dump)
{
    struct cpuid_leaf leaf = leaf_of(dump, 0x8000001f);

    return leaf.eax & 3 ? 1ull << (leaf.ebx & 63) : 0;
}
