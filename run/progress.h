// SPDX-License-Identifier: BSD-2-Clause
/* progress.h: the progress line, and the forecast in it. Used by host_rest() of boot/ and tests/host/, which know the
 * time and the keys.
 *
 * The forecast is that of the whole run. Each probe says how long it usually takes; how much longer things take here is
 * measured on the probes that have ended and, the further it comes, on the running one. What is shown follows that
 * smoothly: it falls as time goes by, and never rises by more than a second and a twentieth at once. */
#pragma once
#include "run/stage.h"

struct progress {
    const char *probe;       /* NULL: no probe is running */
    unsigned index, count;   /* this is probe `index` (from 1) of `count` */
    uint64_t started, drawn; /* milliseconds */
    uint64_t usual, usual_left,
        usual_done;           /* what the running probe, those after it and those before it usually take */
    uint64_t spent_done;      /* milliseconds that those before it took */
    uint64_t shown, shown_at; /* the forecast and when it was made, milliseconds; shown_at 0: none yet */
};

/* Before the first probe: what all of them usually take together, milliseconds. */
void progress_plan(struct progress *, uint64_t usual_ms);

void progress_start(struct progress *, struct stage *, const char *probe, unsigned index, unsigned count,
                    uint64_t usual_ms);

/* Instead of progress_start: this probe is left out. */
void progress_pass(struct progress *, uint64_t usual_ms);

/* Draws the line when a second has passed since the last one: "[2/3] l1d  41 %  about 7 s left   (s skips, q ends the
 * run)". */
void progress_show(struct progress *, struct stage *, unsigned permille);

/* whole: the probe came to its end; else the time that it took says nothing about the others'. */
void progress_end(struct progress *, struct stage *, bool whole);

/* Milliseconds that the run will still take, as they are to be shown at `now` (milliseconds, never falling). */
uint64_t progress_left(struct progress *, unsigned permille, uint64_t now);

/* The progress of the stage that host_rest finds itself on. */
struct progress *stage_running(struct stage *);
