// SPDX-License-Identifier: BSD-2-Clause
/* levels.h: five levels of page tables on a processor whose firmware uses four. Long mode is left for some hundred
 * instructions and entered again (levels.nasm): Intel SDM volume 3, 4.1.2 and 2.5; AMD APM volume 2, 5.3 and 14.6.
 * Meanwhile there is no way to deliver anything: maskable interrupts are off, and an NMI or a machine check that comes
 * just then resets the machine. */
#pragma once
#include "kernel/pages.h"

/* Bytes of memory below 4 GB, identity-mapped, writable and executable in the firmware's tables. */
enum { LEVELS_SIZE = 3 * 4096 };

/* Lays code and segments out in it. */
void levels_lay(uint64_t low);

/* A top level that maps by five levels what the firmware's maps by four: both halves of the addresses, through a copy
 * of it. Both lie in that memory; the copy is made anew. */
const uint64_t *levels_top(uint64_t low, const uint64_t *firmware);

/* Goes on with five levels, by that top level; or with four, by the copy. Interrupts are off, CR4.PCIDE is clear; CR3
 * has a root of our own afterwards, and all other state is as before. */
void levels_five(uint64_t low);
void levels_four(uint64_t low);
