// SPDX-License-Identifier: BSD-2-Clause
/* progress.h: the progress line. Used by host_rest() of boot/ and tests/host/, which know the time and the keys. */
#pragma once
#include "run/stage.h"

struct progress {
    const char *probe;       /* NULL: no probe is running */
    unsigned index, count;   /* this is probe `index` (from 1) of `count` */
    uint64_t started, drawn; /* milliseconds */
};

void progress_start(struct progress *, struct stage *, const char *probe, unsigned index, unsigned count);

/* Draws the line when a second has passed since the last one: "[2/3] l1d  41 %  about 7 s left   (s skips, q ends the
 * run)". */
void progress_show(struct progress *, struct stage *, unsigned permille);
void progress_end(struct progress *);

/* The progress of the stage that host_rest finds itself on. */
struct progress *stage_running(struct stage *);
