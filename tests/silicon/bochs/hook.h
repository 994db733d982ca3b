// SPDX-License-Identifier: BSD-2-Clause
/* hook.h: a modelled machine under Bochs: Bochs executes, the model says how long it takes.
 *
 * Time: a tick of Bochs' virtual time is a core cycle. Each instruction takes one, by Bochs' own rule; what it takes
 * beyond that passes as more ticks, which every timer of the guest sees.
 *
 * Instructions that close a loop run beside the chain that the loop repeats, as on every core that issues more than one
 * instruction a cycle; Bochs counts one cycle for each, and they are taken back (see jump()).
 *
 * What is modelled. The guest tells what matters to it: code that measures looks at the clock between two fences, or
 * fences completely (MFENCE, LFENCE) before it begins. From there until that function has returned every access goes
 * through the model. Outside, only those do that touch a page which is touched so, and not mostly by others; for the
 * rest of the firmware and of the guest's program an access takes nothing beyond its instruction. So what is measured
 * is prepared by modelled accesses, and code that nobody measures (most of all accesses) neither costs this computer's
 * time nor disturbs the guest's caches. */
#pragma once
#include "tests/silicon/bochs/guest.h"
#include "tests/silicon/silicon.h"

enum { MAX_OPCODES = 8192 };

/* Accesses to 4 KB of memory: while something was timed, and from then on by others. */
struct touches {
    uint64_t timed, others;
};

struct hook {
    struct emulator emulator;
    struct ground ground;
    struct description description;
    struct silicon *silicon;
    uint64_t known;                 /* ticks that the model has been told of */
    uint64_t instructions, waited;  /* ticks that the counters have been told of, and ticks that are no instructions */
    uint64_t last_tsc;              /* what the guest saw last, so that jitter never turns time back */
    uint64_t fence_end, full_end;   /* addresses after the last LFENCE and MFENCE */
    uint64_t clock_end;             /* address after the last RDTSC that came straight after an LFENCE */
    uint64_t frame;                 /* stack pointer where what is timed began */
    uint64_t fault_end;             /* ticks when a page fault that is being handled will have been; 0: none is */
    uint64_t fault_frame;           /* stack pointer where it came */
    uint64_t jump_at;               /* instructions up to the last jump */
    uint16_t lfence, mfence, rdtsc; /* opcodes */
    uint16_t load_64, load_32, load_float;
    const uint8_t *instruction; /* under way, as Bochs has decoded it */
    uint32_t port;              /* cycles of an access to an I/O port */
    uint32_t fetch_hit;         /* cycles of an instruction fetch that hits, which nothing waits for */
    bool all;                   /* every access is modelled, from the first such moment on */
    bool timed;
    bool idle;                  /* the processor has halted */
    uint16_t more[MAX_OPCODES]; /* cycles that an instruction takes beyond one, by Bochs' opcode */
    struct touches touches[GUEST_FRAMES];
};

/* The one machine. Bochs calls plain functions that get no handle, so this handle lives here. */
struct hook *hook_here(void);

/* The model learns how much time has passed, and Bochs what others took of it. */
void hook_catch_up(struct hook *);

/* More ticks pass than the instruction under way accounts for. */
void hook_wait(struct hook *, uint64_t ticks);

/* The time stamp counter as the guest sees it, from what Bochs' own rule makes of it. */
uint64_t hook_tsc(struct hook *, uint64_t bochs_tsc);

/* Makes Bochs call hook.c, and its debugger silent. False: *why. */
bool hook_replace(const char **why);

/* Replaced instructions (instructions.c): MSRs, counters, CPUID, clock. False: *why. */
bool instructions_replace(const char **why);

/* A CPUID leaf as the machine has it (identity.c), from what Bochs' processor model says. */
struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};
void identity_of(const struct hook *, uint32_t leaf, uint32_t subleaf, struct cpuid *);

/* Bochs' processor model that comes nearest, by its name in a configuration. */
const char *identity_processor(const struct description *);
