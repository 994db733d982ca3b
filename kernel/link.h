// SPDX-License-Identifier: BSD-2-Clause
/* link.h: what a stop of a walk holds, in bytes: shared by bare metal and user space, which differ only in how they
 * reach the memory behind a stop. */
#pragma once
#include "kernel/machine.h"

enum { STOP_SIZE = 16 }; /* bytes of code that a jump stop may fill */

/* Bytes that a link of this operation fills, to which a stop is aligned: 4, 8 or STOP_SIZE; 0: the operation has no
 * links. */
unsigned link_size(enum op);

/* Whether stops of this operation are code. */
bool link_is_code(enum op);

/* Writes at `stop` (an alias of view address `from`, writable) what leads to view address `to`. base: of the view. NULL
 * when written; otherwise why not, and nothing is changed. */
const char *link_write(enum op, void *stop, uint64_t from, uint64_t to, uint64_t base);
