// SPDX-License-Identifier: BSD-2-Clause
/* quiet.h: quiet mode: the processor is ours, from quiet_enter() to quiet_leave(), and exactly as it was found after.
 *
 * What a processor needs for that (descriptor tables, stack, what was found) is its struct processor, made when it is
 * first used. No task state segment is loaded: where the firmware runs with a null TR nothing can ever make it null
 * again, and ring 0 needs none. So faults are delivered on the stack that is in use, and the stack is our own. */
#pragma once
#include "kernel/cpu.h"
#include "kernel/state.h"

enum {
    VECTORS = 32,
    GDT_ROOM = 256,        /* descriptors that a copy of the firmware's table may have */
    MAX_BANKS = 32,        /* machine check banks that have their MSRs one after the other */
    STACK_SIZE = 160 << 10 /* bytes: tests/stack.py says what the deepest calls take */
};

/* MSRs that quiet may change, beside EFER and PAT (msr.c has their names). */
enum listed {
    LISTED_MISC_FEATURE_CONTROL,
    LISTED_MISC_ENABLE,
    LISTED_PREFETCH_CONTROL,
    LISTED_DC_CFG,
    LISTED_DE_CFG,
    LISTED_MSRS
};

/* Everything that quiet changes, and some that it must not change by accident. */
struct state {
    uint64_t cr0, cr3, cr4, efer, xcr0, pat, dr7;
    struct table_register gdtr, idtr;
    uint16_t tr, ldtr, segment[SEGMENTS];
    uint16_t fcw; /* x87 control word and MXCSR: 0 where they cannot be read now */
    uint32_t mxcsr;
    uint64_t msr[LISTED_MSRS]; /* 0 where the processor does not have it */
};

struct gate {
    uint16_t offset_low, selector, flags, offset_middle;
    uint32_t offset_high, reserved;
};

/* Where a fault leads back to: what a called function must keep, in the order that entry.nasm knows. */
struct recovery {
    uint64_t rbx, rbp, r12, r13, r14, r15, rsp;
    struct recovery *outer;
    struct fault fault;
};

struct processor {
    struct gate idt[VECTORS];    /* first, page-aligned: entry.nasm finds the processor by its IDTR */
    volatile unsigned *nmi_seen; /* second: entry.nasm counts here */
    struct recovery *recovery;   /* the innermost one; NULL: none */
    bool switching;              /* quiet is being entered or left: no machine check can be recovered from */
    unsigned banks;              /* machine check banks that are looked at */
    uint64_t bank[MAX_BANKS];    /* their status when quiet was entered */
    uint16_t gdt_limit;          /* of the copy */
    uint64_t gdt[GDT_ROOM];
    struct state found;                   /* the firmware's */
    uint64_t flags;                       /* RFLAGS of the firmware */
    bool explored;                        /* `there` is known */
    bool there[LISTED_MSRS];              /* listed MSRs that answered when tried */
    uint64_t now[LISTED_MSRS];            /* what they hold in quiet */
    uint64_t stack_top;                   /* of the body's stack */
    uint64_t outside;                     /* stack pointer of the firmware while a body runs */
    _Alignas(16) uint8_t float_area[512]; /* x87 and SSE state of the firmware */
};

/* Enters quiet on the processor that this runs on (machine->here). NULL, or why it cannot be; nothing is changed
 * then. */
const char *quiet_enter(struct machine *);

/* Puts everything back as quiet_enter() found it. */
void quiet_leave(struct machine *);

/* Reads the state of this processor, in quiet or out of it. `there`: which listed MSRs may be read. */
void quiet_read_state(const struct features *, const bool there[LISTED_MSRS], struct state *);

/* descriptors.c: gives this processor the first GDT_ROOM entries of the firmware's segment table as a copy, and our own
 * interrupt table. False: a segment register holds a selector beyond them. */
bool descriptors_build(struct processor *, const struct state *found);
void descriptors_load(struct processor *);

/* msr.c: number and manual's name of a listed MSR, and whether it is worth trying here. */
uint32_t listed_number(enum listed);
const char *listed_name(enum listed);
bool listed_applies(const struct features *, enum listed);

/* knobs.c: finds which switches answer, in quiet on the boot processor; and turns back what a body has turned. */
void knobs_explore(struct machine *);
void knobs_undo(struct machine *);

/* kernel.c: runs a body in quiet on the processor that this runs on (machine->here), on its own stack; and comes back
 * to the firmware's world. NULL, or why it was not started. */
const char *run_here(struct machine *, void (*body)(struct machine *, void *), void *argument, struct fault *);

/* entry.nasm */
extern const uint8_t entry_points[VECTORS][16];
/* Calls code(argument); 1: it returned, 0: recovery_return() was called. */
uint64_t recovery_call(struct recovery *, void (*code)(void *), void *argument);
_Noreturn void recovery_return(struct recovery *);
/* Calls code(argument) on the stack that ends at `top` (16-byte aligned), leaving the present stack pointer in *outside
 * meanwhile. */
void stack_call(uint64_t top, void (*code)(void *), void *argument, uint64_t *outside);

/* fault.c: where entry.nasm brings every vector but the NMI. */
struct frame {
    uint64_t vector, error, rip, cs, rflags, rsp, ss;
};
_Noreturn void fault_arrived(struct processor *, const struct frame *);
