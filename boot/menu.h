// SPDX-License-Identifier: BSD-2-Clause
/* menu.h: what to do, asked of whoever started assay without options and sits at a keyboard. */
#pragma once
#include "boot/stage.h"

/* Completes the options with what the user chose; without a key in five seconds they stay what they are, a full run.
 * False: nothing is to be run; options->after says how to leave. */
bool menu(struct stage *, struct options *);
