// SPDX-License-Identifier: BSD-2-Clause
/* probes.c: the list of probes, in the order of a full run. A new probe is one file and one row here. */
#include "probes/probes.h"

const struct probe probe_list[] = {
    {"clock", "the clock, the core's frequency, and what interrupts it",
     "cpu.tsc cpu.clock_step cpu.frequency noise.max_gap", probe_clock, 500, true},
    {"latency", "load latency against footprint, and its plateaus",
     "latency.plateaus latency.1.cycles latency.1.ns latency.1.ends latency.1g.sizes latency.2m.sizes latency.4k.sizes",
     probe_latency, 20000, false},
    {"l1d", "capacity, ways, line and latency of the L1 data cache", "l1d.latency l1d.size l1d.ways l1d.line",
     probe_l1d, 1500, true},
};

const unsigned probe_count = sizeof probe_list / sizeof *probe_list;
