// SPDX-License-Identifier: BSD-2-Clause
/* features.h: what the processor can do, as far as owning it needs to know. */
#pragma once
#include "kernel/cpuid.h"
#include "kernel/state.h"

/* Fills features from CPUID leaves and, for five_levels, from CR4. What must be tried (MSRs) is left false. */
void features_find(const struct cpuid_dump *, struct features *);

/* Families of AMD whose model-specific MSRs differ: 10h and 12h (K10), and 17h (Zen 1 and 2). */
enum { FAMILY_K10 = 0x10, FAMILY_K10_LLANO = 0x12, FAMILY_ZEN = 0x17 };

/* Whether this is a core of Intel's family 6 or a later one, which share model-specific MSRs; the Pentium 4 (15) does
 * not. */
bool features_intel_core(const struct features *);

/* Whether it is a Core 2 among these, by its model: 65 nm (0Fh, 16h) or 45 nm (17h, 1Dh). */
bool features_core2(const struct features *);

/* The bit of table entries that marks encrypted memory (AMD SME and SEV); 0: there is none. */
uint64_t features_encryption_bit(const struct cpuid_dump *);
