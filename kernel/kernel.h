// SPDX-License-Identifier: BSD-2-Clause
/* kernel.h: opening bare metal. Implements machine.h and owner.h over host.h; no firmware header. */
#pragma once
#include "kernel/front.h"
#include "kernel/host.h"

enum { MAX_GRANTS = 8 };

/* Memory for a machine: allocated by the firmware's means, identity-mapped, used by nobody else. */
struct grant {
    uint64_t base, size; /* bytes, multiples of 4096 */
};

/* What the firmware's memory map says about a range, as far as page tables care: types must not mix in one large page.
 */
struct region {
    uint64_t base, size;
    bool ram; /* ordinary cacheable memory */
};

struct kernel_setup {
    struct host *host;
    struct grant own;                /* for the machine itself: tables, stacks, kept lines; at least KERNEL_OWN_SIZE */
    struct grant grants[MAX_GRANTS]; /* for the probes, largest first */
    unsigned grant_count;
    struct grant low; /* for five levels of tables where the firmware has four (levels.h); size 0: as it is */
    const struct region *regions; /* sorted by base */
    size_t region_count;
    struct recording *recording;           /* NULL: do not record */
    const char *board, *serial, *firmware; /* SMBIOS, "" when not known */
};

/* Bytes that kernel_setup.own needs when the probes' grants add up to `granted` bytes. */
uint64_t kernel_own_size(uint64_t granted);

/* Opens the machine: reads features, builds descriptor tables and page tables, calibrates the clock. Changes nothing of
 * the firmware's. NULL: cannot be done, and *why (static text) says why. */
struct machine *kernel_open(const struct kernel_setup *, const char **why);

/* --selftest. Each check calls selftest_check, which the program defines. */
void kernel_selftest_faults(struct machine *); /* #GP, #PF, #UD, NMI on every processor: told and survived */
/* State after so many quiet periods (50 at most on processors but the first) equals the snapshot before, taken on the
 * same processor. */
void kernel_selftest_quiet(struct machine *, unsigned periods);
void selftest_check(const char *name, bool held, const char *detail);
