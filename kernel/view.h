// SPDX-License-Identifier: BSD-2-Clause
/* view.h: what kernel.c needs of the view; the rest is in kernel/front.h and kernel/state.h. */
#pragma once
#include "kernel/state.h"

enum { NO_SLOT = 0xff };

/* Decides which entry of IA32_PAT holds each memory type. Types that the firmware's value lacks go into those of the
 * entries 4 to 7 that repeat a lower one, as all four do after reset: no type that the firmware has set up is lost. A
 * type that finds no such entry is absent. */
void view_choose_types(struct machine *, uint64_t firmware_pat);

/* Unmaps the whole view; in quiet, when a body has ended. */
void view_reset(struct machine *);
