// SPDX-License-Identifier: BSD-2-Clause
/* declared.h: what a machine declares of itself, in the words of CPUID's leaves 2 and 18h. */
#pragma once
#include "tests/silicon/description.h"

/* The number that is declared of `structure`.`what` by a leaf ("CPUID 4"), the least one of a range; 0: none. */
uint64_t declared_least(const struct description *, const char *structure, const char *what, const char *by);

/* Leaf 2, and a subleaf of leaf 18h: EAX, EBX, ECX, EDX. */
void declared_descriptors(const struct description *, uint32_t words[4]);
void declared_translation(const struct description *, uint32_t subleaf, uint32_t words[4]);
