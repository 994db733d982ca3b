// SPDX-License-Identifier: BSD-2-Clause
/* declared.c: reading CPUID leaves. Encodings: Intel SDM volume 2, CPUID (leaves 2, 4 and 18h); AMD APM volume 3,
 * appendix E (80000005, 80000006, 80000019, 8000001D, 80000021). Declarations are for comparison with what was measured
 * and are often wrong or ranges; nothing that measures may use them. */
#include "kernel/declared.h"
#include "base/text.h"

struct list {
    struct declared *at;
    unsigned count, capacity;
};

/* A range of ways: most declarations are exact, AMD's codes are not. */
struct ways {
    uint64_t low, high;
};

const struct cpuid_leaf *cpuid_find(const struct cpuid_dump *dump, uint32_t leaf, uint32_t subleaf)
{
    for (unsigned i = 0; i < dump->count; i++) {
        if (dump->leaf[i].leaf == leaf && dump->leaf[i].subleaf == subleaf)
            return &dump->leaf[i];
    }
    return NULL;
}

static struct declared *lookup(const struct list *list, const char *id)
{
    for (unsigned i = 0; i < list->count; i++) {
        if (text_equal(list->at[i].id, id))
            return &list->at[i];
    }
    return NULL;
}

/* Adds a declaration unless the id has been declared by an earlier source. */
static struct declared *declare(struct list *list, const char *structure, const char *what, uint64_t low, uint64_t high,
                                const char *by)
{
    char id[sizeof list->at->id];
    struct text name = text_in(id, sizeof id);

    text_format(&name, "%s.%s", structure, what);
    if (lookup(list, id) || list->count == list->capacity || high == 0)
        return NULL;
    struct declared *declared = &list->at[list->count++];
    *declared = (struct declared){.low = low, .high = high};
    text_copy(declared->id, sizeof declared->id, id);
    text_copy(declared->by, sizeof declared->by, by);
    return declared;
}

static void declare_cache(struct list *list, const char *cache, uint64_t low, uint64_t high, struct ways ways,
                          uint64_t line, const char *by)
{
    declare(list, cache, "size", low, high, by);
    declare(list, cache, "line", line, line, by);
    declare(list, cache, "ways", ways.low, ways.high, by);
}

static void declare_tlb(struct list *list, const char *tlb, const char *page, uint64_t entries, struct ways ways,
                        const char *by)
{
    char structure[16];
    struct text name = text_in(structure, sizeof structure);

    if (entries == 0)
        return;
    text_format(&name, "%s.%s", tlb, page);
    declare(list, structure, "entries", entries, entries, by);
    declare(list, structure, "ways", ways.low, ways.high, by);
}

static struct ways exactly(uint64_t ways)
{
    return (struct ways){ways, ways};
}

/* Which cache a leaf of type 1 (data), 2 (instructions) or 3 (both) and level speaks of; NULL: none that has a name. */
static const char *cache_name(unsigned type, unsigned level)
{
    static const char *const unified[] = {NULL, "l1d", "l2", "l3", "l4"};

    if (level == 1 && type == 2)
        return "l1i";
    return level < sizeof unified / sizeof *unified && (type == 1 || type == 3) ? unified[level] : NULL;
}

/* Leaves 4 and 8000001D, which share one layout. */
static void declare_parameters(struct list *list, const struct cpuid_dump *dump, uint32_t leaf, const char *by)
{
    const struct cpuid_leaf *cache;

    for (uint32_t i = 0; (cache = cpuid_find(dump, leaf, i)) != NULL; i++) {
        const char *name = cache_name(cache->eax & 0x1f, (cache->eax >> 5) & 7);
        uint64_t line = (cache->ebx & 0xfff) + 1;
        uint64_t partitions = ((cache->ebx >> 12) & 0x3ff) + 1;
        uint64_t ways = (cache->ebx >> 22) + 1;
        uint64_t size = ways * partitions * line * ((uint64_t)cache->ecx + 1);
        bool fully = cache->eax & (1u << 9);

        if (name)
            declare_cache(list, name, size, size, exactly(fully ? size / line : ways), line, by);
    }
}

/* One line of a leaf 18h subleaf: the structure it speaks of serves each page size that it names. Several structures of
 * one kind and level add up: a translation may be in any of them. */
static void declare_translation(struct list *list, const char *tlb, const struct cpuid_leaf *leaf)
{
    static const char *const page[] = {"4k", "2m", NULL, "1g"}; /* bit 2, 4 MB pages, does not exist in long mode */
    uint64_t ways = leaf->ebx >> 16;
    uint64_t entries = ways * leaf->ecx;

    if (leaf->edx & (1u << 8))
        ways = entries;
    for (unsigned i = 0; i < 4; i++) {
        char id[28];
        struct text name = text_in(id, sizeof id);
        struct declared *sum;

        if (!page[i] || !(leaf->ebx & (1u << i)))
            continue;
        text_format(&name, "%s.%s.entries", tlb, page[i]);
        sum = lookup(list, id);
        if (sum) {
            sum->low += entries;
            sum->high += entries;
        } else {
            declare_tlb(list, tlb, page[i], entries, exactly(ways), "CPUID 18");
        }
    }
}

static void declare_translations(struct list *list, const struct cpuid_dump *dump)
{
    enum { DATA = 1, INSTRUCTION = 2, UNIFIED = 3, LOAD_ONLY = 4 };
    static const char *const data[] = {NULL, "dtlb1", "dtlb2"}, *const instruction[] = {NULL, "itlb1", "itlb2"};
    const struct cpuid_leaf *leaf;

    for (uint32_t i = 0; (leaf = cpuid_find(dump, 0x18, i)) != NULL; i++) {
        unsigned type = leaf->edx & 0x1f, level = (leaf->edx >> 5) & 7;

        if (level != 1 && level != 2)
            continue;
        if (type == DATA || type == UNIFIED || type == LOAD_ONLY)
            declare_translation(list, data[level], leaf);
        if (type == INSTRUCTION || type == UNIFIED)
            declare_translation(list, instruction[level], leaf);
    }
}

/* A descriptor byte of leaf 2. Caches: size in KB. TLBs: entries; ways 0: fully associative, or not said. */
struct descriptor {
    uint8_t byte;
    char structure[9];
    uint16_t size;
    uint8_t ways, line;
};

static const struct descriptor cache_descriptors[] = {
    {0x06, "l1i", 8, 4, 32},     {0x08, "l1i", 16, 4, 32},    {0x09, "l1i", 32, 4, 64},    {0x0a, "l1d", 8, 2, 32},
    {0x0c, "l1d", 16, 4, 32},    {0x0d, "l1d", 16, 4, 64},    {0x0e, "l1d", 24, 6, 64},    {0x1d, "l2", 128, 2, 64},
    {0x21, "l2", 256, 8, 64},    {0x22, "l3", 512, 4, 64},    {0x23, "l3", 1024, 8, 64},   {0x24, "l2", 1024, 16, 64},
    {0x25, "l3", 2048, 8, 64},   {0x29, "l3", 4096, 8, 64},   {0x2c, "l1d", 32, 8, 64},    {0x30, "l1i", 32, 8, 64},
    {0x41, "l2", 128, 4, 32},    {0x42, "l2", 256, 4, 32},    {0x43, "l2", 512, 4, 32},    {0x44, "l2", 1024, 4, 32},
    {0x45, "l2", 2048, 4, 32},   {0x46, "l3", 4096, 4, 64},   {0x47, "l3", 8192, 8, 64},   {0x48, "l2", 3072, 12, 64},
    {0x49, "l2", 4096, 16, 64},  {0x4a, "l3", 6144, 12, 64},  {0x4b, "l3", 8192, 16, 64},  {0x4c, "l3", 12288, 12, 64},
    {0x4d, "l3", 16384, 16, 64}, {0x4e, "l2", 6144, 24, 64},  {0x60, "l1d", 16, 8, 64},    {0x66, "l1d", 8, 4, 64},
    {0x67, "l1d", 16, 4, 64},    {0x68, "l1d", 32, 4, 64},    {0x78, "l2", 1024, 4, 64},   {0x79, "l2", 128, 8, 64},
    {0x7a, "l2", 256, 8, 64},    {0x7b, "l2", 512, 8, 64},    {0x7c, "l2", 1024, 8, 64},   {0x7d, "l2", 2048, 8, 64},
    {0x7f, "l2", 512, 2, 64},    {0x80, "l2", 512, 8, 64},    {0x82, "l2", 256, 8, 32},    {0x83, "l2", 512, 8, 32},
    {0x84, "l2", 1024, 8, 32},   {0x85, "l2", 2048, 8, 32},   {0x86, "l2", 512, 4, 64},    {0x87, "l2", 1024, 8, 64},
    {0xd0, "l3", 512, 4, 64},    {0xd1, "l3", 1024, 4, 64},   {0xd2, "l3", 2048, 4, 64},   {0xd6, "l3", 1024, 8, 64},
    {0xd7, "l3", 2048, 8, 64},   {0xd8, "l3", 4096, 8, 64},   {0xdc, "l3", 1536, 12, 64},  {0xdd, "l3", 3072, 12, 64},
    {0xde, "l3", 6144, 12, 64},  {0xe2, "l3", 2048, 16, 64},  {0xe3, "l3", 4096, 16, 64},  {0xe4, "l3", 8192, 16, 64},
    {0xea, "l3", 12288, 24, 64}, {0xeb, "l3", 18432, 24, 64}, {0xec, "l3", 24576, 24, 64},
};

/* Fully associative ones carry their entries as ways. Where the manual gives one descriptor for 2 MB and 4 MB pages it
 * counts for 2 MB pages; one for 4 MB pages alone does not. */
static const struct descriptor tlb_descriptors[] = {
    {0x01, "itlb1.4k", 32, 4, 0},   {0x03, "dtlb1.4k", 64, 4, 0},   {0x4f, "itlb1.4k", 32, 0, 0},
    {0x50, "itlb1.4k", 64, 0, 0},   {0x50, "itlb1.2m", 64, 0, 0},   {0x51, "itlb1.4k", 128, 0, 0},
    {0x51, "itlb1.2m", 128, 0, 0},  {0x52, "itlb1.4k", 256, 0, 0},  {0x52, "itlb1.2m", 256, 0, 0},
    {0x55, "itlb1.2m", 7, 7, 0},    {0x57, "dtlb1.4k", 16, 4, 0},   {0x59, "dtlb1.4k", 16, 16, 0},
    {0x5a, "dtlb1.2m", 32, 4, 0},   {0x5b, "dtlb1.4k", 64, 0, 0},   {0x5c, "dtlb1.4k", 128, 0, 0},
    {0x5d, "dtlb1.4k", 256, 0, 0},  {0x61, "itlb1.4k", 48, 48, 0},  {0x63, "dtlb1.2m", 32, 4, 0},
    {0x63, "dtlb1.1g", 4, 4, 0},    {0x64, "dtlb1.4k", 512, 4, 0},  {0x6a, "dtlb1.4k", 64, 8, 0},
    {0x6b, "dtlb1.4k", 256, 8, 0},  {0x6c, "dtlb1.2m", 128, 8, 0},  {0x6d, "dtlb1.1g", 16, 16, 0},
    {0x76, "itlb1.2m", 8, 8, 0},    {0xa0, "dtlb1.4k", 32, 32, 0},  {0xb0, "itlb1.4k", 128, 4, 0},
    {0xb1, "itlb1.2m", 8, 4, 0},    {0xb2, "itlb1.4k", 64, 4, 0},   {0xb3, "dtlb1.4k", 128, 4, 0},
    {0xb4, "dtlb2.4k", 256, 4, 0},  {0xb5, "itlb1.4k", 64, 8, 0},   {0xb6, "itlb1.4k", 128, 8, 0},
    {0xba, "dtlb2.4k", 64, 4, 0},   {0xc1, "dtlb2.4k", 1024, 8, 0}, {0xc1, "dtlb2.2m", 1024, 8, 0},
    {0xc2, "dtlb1.4k", 16, 4, 0},   {0xc2, "dtlb1.2m", 16, 4, 0},   {0xc3, "dtlb2.4k", 1536, 6, 0},
    {0xc3, "dtlb2.2m", 1536, 6, 0}, {0xc3, "dtlb2.1g", 16, 4, 0},   {0xc4, "dtlb1.2m", 32, 4, 0},
    {0xca, "dtlb2.4k", 512, 4, 0},
};

static void declare_byte(struct list *list, uint8_t byte)
{
    for (unsigned i = 0; i < sizeof cache_descriptors / sizeof *cache_descriptors; i++) {
        const struct descriptor *cache = &cache_descriptors[i];

        if (cache->byte == byte)
            declare_cache(list, cache->structure, cache->size * 1024ull, cache->size * 1024ull, exactly(cache->ways),
                          cache->line, "CPUID 2");
    }
    for (unsigned i = 0; i < sizeof tlb_descriptors / sizeof *tlb_descriptors; i++) {
        const struct descriptor *tlb = &tlb_descriptors[i];

        if (tlb->byte != byte)
            continue;
        declare(list, tlb->structure, "entries", tlb->size, tlb->size, "CPUID 2");
        declare(list, tlb->structure, "ways", tlb->ways, tlb->ways, "CPUID 2");
    }
}

static void declare_descriptors(struct list *list, const struct cpuid_dump *dump)
{
    const struct cpuid_leaf *leaf;

    for (uint32_t i = 0; (leaf = cpuid_find(dump, 2, i)) != NULL; i++) {
        const uint32_t word[] = {leaf->eax & ~0xffu, leaf->ebx, leaf->ecx, leaf->edx};

        for (unsigned j = 0; j < 4; j++) {
            /* A register whose top bit is set holds no descriptors. */
            for (unsigned shift = 0; shift < 32 && !(word[j] >> 31); shift += 8)
                declare_byte(list, (uint8_t)(word[j] >> shift));
        }
    }
}

/* AMD's four-bit associativity codes: since 2019's manuals most are ranges. */
static struct ways coded_ways(unsigned code, uint64_t entries)
{
    static const struct ways of[16] = {
        [1] = {1, 1},   [2] = {2, 2},    [3] = {3, 3},    [4] = {4, 5},    [5] = {6, 7},     [6] = {8, 15},
        [8] = {16, 31}, [10] = {32, 47}, [11] = {48, 63}, [12] = {64, 95}, [13] = {96, 127},
    };
    struct ways ways = of[code & 15];

    if ((code & 15) == 14)
        ways = (struct ways){128, entries > 128 ? entries - 1 : 128};
    if ((code & 15) == 15)
        ways = exactly(entries);
    return ways;
}

/* 80000005: eight bits of ways, 255: fully associative. */
static struct ways plain_ways(unsigned byte, uint64_t entries)
{
    return exactly(byte == 255 ? entries : byte);
}

static void declare_first_level(struct list *list, const struct cpuid_leaf *leaf)
{
    static const char by[] = "CPUID 80000005";
    const uint32_t cache[] = {leaf->ecx, leaf->edx}, tlb[] = {leaf->ebx, leaf->eax};
    static const char *const cache_id[] = {"l1d", "l1i"}, *const page[] = {"4k", "2m"};

    for (unsigned i = 0; i < 2; i++) {
        uint64_t size = (cache[i] >> 24) * 1024ull, line = cache[i] & 0xff;

        if (size && line)
            declare_cache(list, cache_id[i], size, size, plain_ways((cache[i] >> 16) & 0xff, size / line), line, by);
        declare_tlb(list, "dtlb1", page[i], (tlb[i] >> 16) & 0xff, plain_ways(tlb[i] >> 24, (tlb[i] >> 16) & 0xff), by);
        declare_tlb(list, "itlb1", page[i], tlb[i] & 0xff, plain_ways((tlb[i] >> 8) & 0xff, tlb[i] & 0xff), by);
    }
}

/* A word of two TLBs with coded ways: data in the upper half, instructions in the lower. */
static void declare_pair(struct list *list, uint32_t word, unsigned unit, const char *data, const char *instruction,
                         const char *page, const char *by)
{
    uint64_t upper = (word >> 16 & 0xfff) * unit, lower = (word & 0xfff) * unit;

    declare_tlb(list, data, page, upper, coded_ways(word >> 28, upper), by);
    declare_tlb(list, instruction, page, lower, coded_ways(word >> 12, lower), by);
}

/* Entries that second-level TLBs are counted in: 32 where twelve bits would not do (80000021 EAX[14], L2TlbSizeX32). */
static unsigned second_level_unit(const struct cpuid_dump *dump)
{
    const struct cpuid_leaf *leaf = cpuid_find(dump, 0x80000021, 0);

    return leaf && leaf->eax >> 14 & 1 ? 32 : 1;
}

static void declare_second_level(struct list *list, const struct cpuid_leaf *leaf, unsigned unit)
{
    static const char by[] = "CPUID 80000006";
    const uint32_t tlb[] = {leaf->ebx, leaf->eax};
    static const char *const page[] = {"4k", "2m"};
    uint64_t l2 = (leaf->ecx >> 16) * 1024ull, l2_line = leaf->ecx & 0xff;
    uint64_t l3 = (uint64_t)(leaf->edx >> 18) << 19, l3_line = leaf->edx & 0xff;

    if (l2 && l2_line)
        declare_cache(list, "l2", l2, l2, coded_ways(leaf->ecx >> 12, l2 / l2_line), l2_line, by);
    if (l3 && l3_line) /* at least so many 512 KB, less than one more */
        declare_cache(list, "l3", l3, l3 + (512 << 10) - 1, coded_ways(leaf->edx >> 12, l3 / l3_line), l3_line, by);
    for (unsigned i = 0; i < 2; i++) {
        uint64_t lower = (tlb[i] & 0xfff) * unit;

        declare_pair(list, tlb[i], unit, "dtlb2", "itlb2", page[i], by);
        if (tlb[i] >> 16 == 0) /* one TLB for both, told in the lower half */
            declare_tlb(list, "dtlb2", page[i], lower, coded_ways(tlb[i] >> 12, lower), by);
    }
}

static bool is_vendor(const struct cpuid_leaf *leaf, const char *vendor)
{
    return leaf && __builtin_memcmp(&leaf->ebx, vendor, 4) == 0 && __builtin_memcmp(&leaf->edx, vendor + 4, 4) == 0 &&
           __builtin_memcmp(&leaf->ecx, vendor + 8, 4) == 0;
}

unsigned declared_find(const struct cpuid_dump *dump, struct declared *declared, unsigned capacity)
{
    struct list list = {.at = declared, .capacity = capacity};
    const struct cpuid_leaf *leaf;
    bool intel = is_vendor(cpuid_find(dump, 0, 0), "GenuineIntel");

    declare_parameters(&list, dump, 0x8000001d, "CPUID 8000001D");
    declare_parameters(&list, dump, 4, "CPUID 4");
    declare_translations(&list, dump);
    if (intel)
        declare_descriptors(&list, dump);
    /* Intel answers 80000005 and 80000006 with little, and codes the ways differently. */
    if (!intel && (leaf = cpuid_find(dump, 0x80000005, 0)) != NULL)
        declare_first_level(&list, leaf);
    if (!intel && (leaf = cpuid_find(dump, 0x80000006, 0)) != NULL)
        declare_second_level(&list, leaf, second_level_unit(dump));
    if (!intel && (leaf = cpuid_find(dump, 0x80000019, 0)) != NULL) {
        declare_pair(&list, leaf->eax, 1, "dtlb1", "itlb1", "1g", "CPUID 80000019");
        declare_pair(&list, leaf->ebx, second_level_unit(dump), "dtlb2", "itlb2", "1g", "CPUID 80000019");
    }
    return list.count;
}

/* Adds the four characters of a register; anything unprintable ends the text there. */
static void add_register(struct text *text, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++) {
        char c = (char)(word >> (8 * i));

        if (c >= ' ' && c <= '~')
            text_char(text, c);
    }
}

static void trim(char *string)
{
    size_t length = text_length(string), start = 0;

    while (length && string[length - 1] == ' ')
        string[--length] = 0;
    while (string[start] == ' ')
        start++;
    for (size_t i = 0; start && i + start <= length; i++)
        string[i] = string[i + start];
}

static void fill_names(const struct cpuid_dump *dump, struct facts *facts)
{
    struct text vendor = text_in(facts->vendor, sizeof facts->vendor);
    struct text brand = text_in(facts->brand, sizeof facts->brand);
    struct text hypervisor = text_in(facts->hypervisor, sizeof facts->hypervisor);
    const struct cpuid_leaf *leaf;

    if ((leaf = cpuid_find(dump, 0, 0)) != NULL) {
        add_register(&vendor, leaf->ebx);
        add_register(&vendor, leaf->edx);
        add_register(&vendor, leaf->ecx);
    }
    for (uint32_t i = 0x80000002; i <= 0x80000004; i++) {
        if ((leaf = cpuid_find(dump, i, 0)) == NULL)
            break;
        add_register(&brand, leaf->eax);
        add_register(&brand, leaf->ebx);
        add_register(&brand, leaf->ecx);
        add_register(&brand, leaf->edx);
    }
    if ((leaf = cpuid_find(dump, 0x40000000, 0)) != NULL) {
        add_register(&hypervisor, leaf->ebx);
        add_register(&hypervisor, leaf->ecx);
        add_register(&hypervisor, leaf->edx);
    }
    trim(facts->brand);
    trim(facts->hypervisor);
}

/* Hypervisors that run code on the processor itself. Anybody else may be interpreting it, and then the clock shows
 * somebody else's caches. */
static bool runs_natively(const char *hypervisor)
{
    static const char *const known[] = {
        "KVMKVMKVM",    "Linux KVM Hv", "Microsoft Hv", "VMwareVMware", "XenVMMXenVMM", "VBoxVBoxVBox",
        "bhyve bhyve",  "prl hyperv",   "lrpepyh vr",   "ACRNACRNACRN", "QNXQVMBSQG",   "HAXMHAXMHAXM",
        "___ NVMM ___", "OpenBSDVMM58", "SRESRESRESRE", "EVMMEVMMEVMM", "Jailhouse",    "UnisysSpar64",
    };

    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        if (text_equal(hypervisor, known[i]))
            return true;
    }
    return false;
}

void declared_facts(const struct cpuid_dump *dump, struct facts *facts)
{
    const struct cpuid_leaf *signature = cpuid_find(dump, 1, 0);
    bool hypervisor = cpuid_find(dump, 0x40000000, 0) != NULL;

    fill_names(dump, facts);
    facts->signature = signature ? signature->eax : 0;
    facts->emulated = (hypervisor && !runs_natively(facts->hypervisor)) || text_starts(facts->brand, "QEMU TCG");
    facts->declared_count = declared_find(dump, facts->declared, MAX_DECLARED);
}
