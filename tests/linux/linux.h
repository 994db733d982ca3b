// SPDX-License-Identifier: BSD-2-Clause
/* linux.h: this computer's own CPU from user space. Aliased mappings of one memory file stand in for page tables. */
#pragma once
#include "kernel/front.h"
#include "kernel/host.h"

/* memory: bytes to take at most (0: a quarter of what is free, at most 1 GB). contiguous: the user vouches that the
 * memory is physically contiguous. core: the processor to stay on. NULL: *why says why. */
struct machine *linux_open(struct host *, uint64_t memory, bool contiguous, unsigned core, struct recording *,
                           const char **why);
