// SPDX-License-Identifier: BSD-2-Clause
/* features.h: what the processor can do, as far as owning it needs to know. */
#pragma once
#include "kernel/cpuid.h"
#include "kernel/state.h"

/* Fills features from CPUID leaves and, for five_levels, from CR4. What must be tried (MSRs) is left false. */
void features_find(const struct cpuid_dump *, struct features *);

/* The bit of table entries that marks encrypted memory (AMD SME and SEV); 0: there is none. */
uint64_t features_encryption_bit(const struct cpuid_dump *);
