// SPDX-License-Identifier: BSD-2-Clause
/* measure.h: what bare metal looks at around everything that it times: who else took time, and how fast the core ran.
 */
#pragma once
#include "kernel/state.h"

/* The counters before a run. */
struct watch {
    uint64_t smi, nmi, aperf, mperf;
};

/* Called in quiet, before and after a run, never inside. The first call of a machine also measures the overheads that
 * readings are freed of: they are those of quiet. */
struct watch watch_start(struct machine *);

/* Fills a reading with net ticks, core cycles (APERF over MPERF, 0 where there is none) and disturbances. */
void watch_stop(struct machine *, const struct watch *, uint64_t net_ticks, uint64_t steps, struct reading *);
