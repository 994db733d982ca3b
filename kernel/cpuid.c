// SPDX-License-Identifier: BSD-2-Clause
/* cpuid.c: asking the processor what it says about itself. Runs in any program: CPUID needs no privilege. */
#include "kernel/cpuid.h"

enum { MAX_SUBLEAVES = 32, HYPERVISOR_PRESENT = 1u << 31, TOPOLOGY_EXTENSIONS = 1u << 22 };

static struct cpuid_leaf ask(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_leaf answer = {.leaf = leaf, .subleaf = subleaf};

    __asm__ volatile("cpuid"
                     : "=a"(answer.eax), "=b"(answer.ebx), "=c"(answer.ecx), "=d"(answer.edx)
                     : "a"(leaf), "c"(subleaf));
    return answer;
}

static void keep(struct cpuid_dump *dump, struct cpuid_leaf leaf)
{
    if (dump->count < MAX_CPUID_LEAVES)
        dump->leaf[dump->count++] = leaf;
}

/* Leaves 4 and 8000001D: one subleaf for each cache, until one of type 0. */
static void keep_caches(struct cpuid_dump *dump, uint32_t leaf)
{
    for (uint32_t i = 0; i < MAX_SUBLEAVES; i++) {
        struct cpuid_leaf cache = ask(leaf, i);

        if ((cache.eax & 0x1f) == 0)
            return;
        keep(dump, cache);
    }
}

/* Leaves 7, 14h, 17h, 18h, ...: subleaf 0 says in EAX how many more there are. */
static void keep_announced(struct cpuid_dump *dump, uint32_t leaf)
{
    struct cpuid_leaf first = ask(leaf, 0);

    keep(dump, first);
    for (uint32_t i = 1; i <= first.eax && i < MAX_SUBLEAVES; i++)
        keep(dump, ask(leaf, i));
}

/* Leaf 2: the low byte of EAX says how often to ask; it is never more than 1 on any processor seen. */
static void keep_descriptors(struct cpuid_dump *dump)
{
    struct cpuid_leaf first = ask(2, 0);

    keep(dump, first);
    for (uint32_t i = 1; i < (first.eax & 0xff) && i < MAX_SUBLEAVES; i++) {
        struct cpuid_leaf next = ask(2, 0);

        next.subleaf = i;
        keep(dump, next);
    }
}

/* Leaves Bh and 1Fh: one subleaf for each level of the topology, until one of type 0. */
static void keep_topology(struct cpuid_dump *dump, uint32_t leaf)
{
    for (uint32_t i = 0; i < MAX_SUBLEAVES; i++) {
        struct cpuid_leaf level = ask(leaf, i);

        keep(dump, level);
        if ((level.ecx & 0xff00) == 0)
            return;
    }
}

static void keep_basic(struct cpuid_dump *dump)
{
    uint32_t last = ask(0, 0).eax;

    if (last > 0x40)
        last = 0x40;
    for (uint32_t leaf = 0; leaf <= last; leaf++) {
        switch (leaf) {
        case 2:
            keep_descriptors(dump);
            break;
        case 4:
            keep_caches(dump, leaf);
            break;
        case 7:
        case 0x18:
            keep_announced(dump, leaf);
            break;
        case 0xb:
        case 0x1f:
            keep_topology(dump, leaf);
            break;
        case 0xd:
            keep(dump, ask(leaf, 0));
            keep(dump, ask(leaf, 1));
            break;
        default:
            keep(dump, ask(leaf, 0));
        }
    }
}

static void keep_hypervisor(struct cpuid_dump *dump)
{
    uint32_t last;

    if (ask(0, 0).eax < 1 || !(ask(1, 0).ecx & HYPERVISOR_PRESENT))
        return;
    last = ask(0x40000000, 0).eax;
    keep(dump, ask(0x40000000, 0));
    /* Some hypervisors answer 0 here, meaning no more than the signature. */
    for (uint32_t leaf = 0x40000001; leaf <= last && leaf <= 0x40000010; leaf++)
        keep(dump, ask(leaf, 0));
}

static void keep_extended(struct cpuid_dump *dump)
{
    uint32_t last = ask(0x80000000, 0).eax;
    bool topology;

    if (last < 0x80000000 || last > 0x80000fff)
        return;
    topology = last >= 0x80000001 && (ask(0x80000001, 0).ecx & TOPOLOGY_EXTENSIONS);
    for (uint32_t leaf = 0x80000000; leaf <= last && leaf <= 0x80000030; leaf++) {
        if (leaf != 0x8000001d)
            keep(dump, ask(leaf, 0));
        else if (topology)
            keep_caches(dump, leaf);
    }
}

void cpuid_collect(struct cpuid_dump *dump)
{
    dump->count = 0;
    keep_basic(dump);
    keep_hypervisor(dump);
    keep_extended(dump);
}
