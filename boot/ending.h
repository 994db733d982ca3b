// SPDX-License-Identifier: BSD-2-Clause
/* ending.h: leaving the program. */
#pragma once
#include "boot/stage.h"
#include "run/options.h"

/* Closes the stage and does what the user wants done at the end. Comes back only when that is to return to the caller.
 */
void ending(struct stage *, enum after);
