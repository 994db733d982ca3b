// SPDX-License-Identifier: BSD-2-Clause
/* cpuid.h: a processor's CPUID leaves as data: collected once (cpuid.c, no privilege needed), then only looked up, so
 * that what is read out of them (declared.c) can be tested with the leaves of processors that are not here. */
#pragma once
#include "kernel/owner.h"

struct cpuid_leaf {
    uint32_t leaf, subleaf;
    uint32_t eax, ebx, ecx, edx;
};

enum { MAX_CPUID_LEAVES = 192 };

struct cpuid_dump {
    unsigned count;
    struct cpuid_leaf leaf[MAX_CPUID_LEAVES];
};

/* Collects the leaves of the processor that this runs on: of the basic, the hypervisor's and the extended range those
 * that the range's first leaf announces. A leaf beyond what its range announces is never asked for: many processors
 * answer it with another leaf's data. Leaf 2 is asked as often as it says, each answer being a subleaf here. */
void cpuid_collect(struct cpuid_dump *);
