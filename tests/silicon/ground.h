// SPDX-License-Identifier: BSD-2-Clause
/* ground.h: what the model needs of the world whose accesses it times: page tables and memory types. Implemented at
 * link time: ground.c (the machine in process), bochs/ (a guest), or a unit test. */
#pragma once
#include "kernel/machine.h"

struct ground; /* opaque */

/* The 8-byte word at a physical address (multiple of 8); 0 where there is no memory. */
uint64_t ground_read(struct ground *, uint64_t pa);

/* CR3 of a core: address of the top table in bits 12 and up. */
uint64_t ground_root(struct ground *, unsigned core);

/* Effective memory type of an access to pa through an entry with these PWT (bit 0), PCD (bit 1), PAT (bit 2) bits. */
enum memtype ground_type(struct ground *, unsigned core, uint64_t pa, unsigned pat_bits);
