// SPDX-License-Identifier: BSD-2-Clause
/* declared.h: what a processor declares about itself, read out of its CPUID leaves. Pure: no instruction of the
 * machine, so the leaves may come from anywhere. */
#pragma once
#include "kernel/cpuid.h"

/* A leaf of a dump; NULL: the processor does not have it. */
const struct cpuid_leaf *cpuid_find(const struct cpuid_dump *, uint32_t leaf, uint32_t subleaf);

/* Fills vendor, brand, signature, hypervisor and emulated, and all declarations. The rest is left alone. */
void declared_facts(const struct cpuid_dump *, struct facts *);

/* Caches and TLBs under the ids of the findings that measure them: l1d.size (bytes), l1d.line (bytes), l1d.ways, the
 * same for l1i, l2, l3 and l4; dtlb1.4k.entries, dtlb1.4k.ways, the same for 2m and 1g and for dtlb2, itlb1 and itlb2.
 * Sources in this order, the first that declares an id counts: leaves 8000001D (AMD) and 4, 18h, 2, 80000005, 80000006,
 * 80000019. A fully associative structure has as many ways as entries. Returns how many; at most capacity. */
unsigned declared_find(const struct cpuid_dump *, struct declared *, unsigned capacity);
