// SPDX-License-Identifier: BSD-2-Clause
/* probes.h: the probes' entries; each probe's file says what it finds and how. */
#pragma once
#include "probes/probe.h"

bool probe_clock(struct machine *, const struct request *, struct notebook *);
bool probe_latency(struct machine *, const struct request *, struct notebook *);
bool probe_l1d(struct machine *, const struct request *, struct notebook *);
bool probe_caches(struct machine *, const struct request *, struct notebook *);
bool probe_access(struct machine *, const struct request *, struct notebook *);
bool probe_dtlb(struct machine *, const struct request *, struct notebook *);
bool probe_itlb(struct machine *, const struct request *, struct notebook *);
bool probe_tables(struct machine *, const struct request *, struct notebook *);
bool probe_stores(struct machine *, const struct request *, struct notebook *);
bool probe_brought(struct machine *, const struct request *, struct notebook *);
bool probe_structures(struct machine *, const struct request *, struct notebook *);
bool probe_coalescing(struct machine *, const struct request *, struct notebook *);
bool probe_costs(struct machine *, const struct request *, struct notebook *);
bool probe_lists(struct machine *, const struct request *, struct notebook *);
