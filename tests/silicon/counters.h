// SPDX-License-Identifier: BSD-2-Clause
/* counters.h: event counters and the MSRs around them, as Intel's architectural versions 1 to 5 and AMD have them. The
 * model adds up everything it can count; a counter shows the difference since it was set. */
#pragma once
#include "tests/silicon/description.h"

struct counters; /* opaque; one for all cores */

struct counters *counters_create(const struct description *);
void counters_destroy(struct counters *);
void counters_add(struct counters *, unsigned core, enum counted, uint64_t);
uint64_t counters_total(const struct counters *, unsigned core, enum counted); /* the plain truth */
void counters_smm(struct counters *, unsigned core, bool inside);              /* stops_in_smm */

/* False: no such MSR, or a value that it refuses: #GP. APERF, MPERF, SMI count, event selects, counters, global
 * control, PERF_CAPABILITIES; AMD's the same way. now: core cycles; ticks: of the clock. */
bool counters_read_msr(const struct counters *, unsigned core, uint32_t msr, uint64_t now, uint64_t ticks,
                       uint64_t *value);
bool counters_write_msr(struct counters *, unsigned core, uint32_t msr, uint64_t now, uint64_t ticks, uint64_t value);
bool counters_rdpmc(const struct counters *, unsigned core, uint32_t index, uint64_t now, uint64_t ticks,
                    uint64_t *value); /* false: #GP */

/* In process: counts a raw encoding (event and umask as in an event select register) in a slot. False: *why. */
bool counters_select(struct counters *, unsigned core, unsigned slot, uint64_t raw, const char **why);
uint64_t counters_slot(const struct counters *, unsigned core, unsigned slot);

/* CPUID leaf 0Ah as the description says (all 0 for others). */
void counters_cpuid(const struct counters *, uint32_t leaf[4]);
