// SPDX-License-Identifier: BSD-2-Clause
/* state.h: bare metal's struct machine, known to kernel/ alone. Who fills what: kernel.c opens and fills everything;
 * pages.c and view.c own `tables`; quiet.c and fault.c own `processor`; clock.c fills `clock`; measure.c and script.c
 * use `clock`, `kept` and `features`. */
#pragma once
#include "kernel/kernel.h"

enum { MAX_PROCESSORS = 256, KEPT_SIZE = 2 << 20 };

/* What this processor can do (features.c, from CPUID and by trying). */
struct features {
    bool rdtscp, avx, avx512, xsave, nx, pages_1g, five_levels, pcid, pge, clflush, clflushopt, invariant_tsc;
    bool amd, intel;        /* vendor: decides which MSRs exist, never what a probe measures */
    bool aperf, smi_count;  /* MSRs that answered when tried */
    bool lfence_serialises; /* tested, after the switch was set where there is one */
    uint64_t xcr0;          /* state components to enable in quiet */
    unsigned physical_bits;
};

/* The overheads of the timed loops, in ticks: the lowest of many empty runs. */
struct clock_state {
    struct clock clock;
    uint64_t overhead;  /* of loop_nothing */
    uint64_t rdtscp;    /* argument of the loops */
    const char *source; /* where hz comes from: "CPUID 15h", "PM timer", ... */
};

struct pages {
    uint64_t *root;          /* our top-level table; root's physical address equals its address */
    unsigned levels;         /* 4 or 5 */
    uint64_t pool, pool_end; /* free table pages: identity-mapped own memory */
    uint64_t free_list;      /* returned table pages, linked through their first word */
};

struct processor; /* quiet.h: descriptor tables, stacks, saved state of one processor */

struct machine {
    struct front front; /* first: kernel/front.h */
    struct kernel_setup setup;
    struct features features;
    struct clock_state clock;
    struct pages tables;
    struct facts facts;
    struct processor *processors; /* one for each processor that has been used */
    unsigned processor_count;
    unsigned here; /* the processor that the running body is on */
    bool quiet;    /* our own tables are loaded */
    uint8_t *kept; /* KEPT_SIZE bytes, 2 MB aligned: scripts and results use the first KEPT bytes of each page of it */
    uint64_t last_rest; /* ticks */
    uint64_t smi_seen;  /* SMI count at the last look */
    unsigned nmi_seen;  /* NMIs taken in quiet since the machine was opened */
};

/* clock.c (B). Calibrates hz (CPUID 15h/16h, PM timer through nothing but host_stall, ...), step and overhead. */
bool clock_open(struct machine *, const char **why);

/* msr.c (A): read and write an MSR; false when it faults (#GP) or the machine is not in quiet. */
bool msr_read(struct machine *, uint32_t number, uint64_t *value);
bool msr_write(struct machine *, uint32_t number, uint64_t value);

/* Number of SMIs so far (Intel MSR 34h), 0 where it cannot be known. In quiet only. */
uint64_t smi_count(struct machine *);

/* view.c (A): the address that the machine itself may use, under its own tables, to write code or links for view
 * address va: a writable alias of the memory behind it. 0: not mapped. */
uint64_t view_alias(struct machine *, uint64_t va);

/* fault.c (A): runs code(argument) and returns true, or false with *fault filled when it faulted. Nests. In quiet only.
 */
bool fault_try(struct machine *, void (*code)(void *), void *argument, struct fault *);
