// SPDX-License-Identifier: BSD-2-Clause
/* state.h: bare metal's struct machine, known to kernel/ alone. Who fills what: kernel.c opens and fills everything;
 * pages.c and view.c own `tables`; quiet.c and fault.c own `processor`; clock.c fills `clock`; measure.c and script.c
 * use `clock`, `kept` and `features`. */
#pragma once
#include "kernel/kernel.h"
#include "kernel/pages.h"

enum { MAX_PROCESSORS = 256, KEPT_SIZE = 2 << 20 };

/* What this processor can do (features.c, from CPUID and by trying). */
struct features {
    bool rdtscp, avx, avx512, xsave, nx, pages_1g, five_levels, five_possible, clflush, invariant_tsc;
    bool amd, intel; /* vendor: decides which MSRs exist, never what a probe measures */
    bool mtrr, pat, mce, apic;
    bool lfence_declared;   /* CPUID says that LFENCE serialises, no MSR needed */
    bool prefetch_control;  /* CPUID says that AMD's PrefetchControl exists */
    bool aperf, smi_count;  /* MSRs that answered when tried */
    unsigned family, model; /* as the manuals count them, extended ones added */
    bool lfence_serialises; /* tested, after the switch was set where there is one */
    uint64_t xcr0;          /* state components to enable in quiet */
    unsigned physical_bits;
};

/* The overheads of the timed loops, in ticks: the lowest of many empty runs. */
struct clock_state {
    struct clock clock;
    uint64_t overhead;     /* of loop_nothing */
    uint64_t lap_overhead; /* of a script's empty lap */
    uint64_t rdtscp;       /* argument of the loops */
    bool settled;          /* the overheads are those of quiet */
    const char *source;    /* where hz comes from: "CPUID 15h", "the firmware's stall", ... */
};

struct processor; /* quiet.h: descriptor tables, stacks, saved state of one processor */

struct machine {
    struct front front; /* first: kernel/front.h */
    struct kernel_setup setup;
    struct features features;
    struct clock_state clock;
    struct pages tables;
    uint64_t low; /* memory that five levels are reached through (levels.h); 0: the firmware's number of levels stays */
    struct facts facts;
    uint64_t pat;                                /* IA32_PAT in quiet */
    uint8_t slot[5];                             /* which entry of it holds each enum memtype; 0xff: none */
    struct processor *processor[MAX_PROCESSORS]; /* NULL: not used so far */
    unsigned here;                               /* the processor that the running body is on */
    bool types_mixed;                            /* the view has had mappings that are not write-back */
    uint32_t switches;                           /* rows of knobs.c that answered when tried */
    bool quiet;                                  /* our own tables are loaded */
    uint8_t *kept; /* KEPT_SIZE bytes, 2 MB aligned: scripts and results use the first KEPT bytes of each page of it */
    uint64_t last_rest; /* ticks */
    uint64_t smi_seen;  /* SMI count at the last look */
    unsigned nmi_seen;  /* NMIs taken in quiet since the machine was opened */
};

/* clock.c (B). Finds hz (declared by CPUID where host_stall does not contradict it, from host_stall alone otherwise),
 * step and overhead. */
bool clock_open(struct machine *, const char **why);

/* msr.c (A): read and write an MSR; false when it faults (#GP) or the machine is not in quiet. */
bool msr_read(struct machine *, uint32_t number, uint64_t *value);
bool msr_write(struct machine *, uint32_t number, uint64_t value);

/* Number of SMIs so far (Intel MSR 34h), 0 where it cannot be known. In quiet only. */
uint64_t smi_count(struct machine *);

/* view.c (A): the address that the machine itself may use, under its own tables, to write code or links for view
 * address va: a writable alias of the memory behind it. 0: not mapped. */
uint64_t view_alias(struct machine *, uint64_t va);

/* view.c: to be called after a write through the alias of view address va: where the view has the memory with another
 * type than write-back, the line goes from the caches to memory, where the view's type looks for it. */
void view_written(struct machine *, uint64_t va);

/* view.c: says what the page of view address va is for: code (executable, read-only) or data (writable, never
 * executable). Pages are data when they are mapped. Links of jumps call it with true, all others with false. False: not
 * mapped. */
bool view_use(struct machine *, uint64_t va, bool code);

/* fault.c (A): runs code(argument) and returns true, or false with *fault (NULL: nobody asks) filled when it faulted.
 * Nests. In quiet only.
 */
bool fault_try(struct machine *, void (*code)(void *), void *argument, struct fault *);
