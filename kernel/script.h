// SPDX-License-Identifier: BSD-2-Clause
/* script.h: a script laid out beforehand in kept lines, and the interpreter (script.nasm) that makes its visits.
 *
 * Kept memory is a run of 4 KB pages of which only the first KEPT bytes are used. It holds records, two to a line of 64
 * bytes: at most RECORDS of them in a page, and one that turns to the next page. A timed lap lies between two stamps,
 * records that keep the clock, and in one page if there is room for it in any: turning takes time. While it runs, the
 * interpreter reads records and writes their values, nothing else: no stack, no table. Its own code lies within the
 * first KEPT bytes of one page too.
 *
 * Each visit's address depends on the value that the load before it read (by adding its low bits, masked to nothing),
 * so visits are made one after the other and a lap's time is the sum of their latencies, while the interpreter's own
 * reading of records runs ahead, hidden behind them. Shared by bare metal and user space. */
#pragma once
#include "kernel/machine.h"

struct script_record {
    uint64_t handler; /* address of the code that makes this visit */
    uint64_t va, value;
    uint64_t last; /* not 0: the script ends here */
};

enum {
    SITES = 16,
    RECORD_SIZE = sizeof(struct script_record),
    RECORDS = KEPT / RECORD_SIZE - 1, /* visits in one page */
    SCRIPT_PAGE = 4096
};

/* What a record does, in the order of script.nasm's table. */
enum script_step {
    STEP_LOAD,          /* SITES copies */
    STEP_STORE = SITES, /* SITES copies */
    STEP_PREFETCH = 2 * SITES,
    STEP_FLUSH_LINE,
    STEP_FENCE,
    STEP_WAIT,
    STEP_EXECUTE,
    STEP_FLUSH_PAGE,
    STEP_FLUSH_TLB,
    STEP_FLUSH_CACHES,
    STEP_SET_ROOT,
    STEP_START, /* a stamp that reads some records ahead */
    STEP_STAMP,
    STEP_TURN,
    STEP_PAUSE, /* back to the caller: the end, or a visit that it makes itself (OP_FAULT) */
    STEP_COUNT
};

/* script.nasm: the address of a step's code, and the interpreter. It starts at a record and returns the record of the
 * STEP_PAUSE that it came to. stack: a 16-byte aligned address inside a kept line; OP_EXECUTE uses the 8 bytes below
 * it. */
uint64_t script_handler(unsigned step);
struct script_record *script_execute(struct script_record *first, void *stack);

/* Lays out a script in `size` bytes of kept memory (aligned to 4 KB). privileged: whether the privileged operations may
 * be executed here. NULL when laid out, otherwise why not. */
const char *script_lay(void *kept, size_t size, const struct visit *, size_t count, bool privileged);

/* The first record, the record after one, and whether a STEP_PAUSE is the end of the script rather than an OP_FAULT
 * visit. */
struct script_record *script_first(void *kept);
struct script_record *script_next(struct script_record *);
bool script_ended(const struct script_record *);

/* The stack for OP_EXECUTE. Memory well below it is left unused, so that a signal handler in user space does no harm.
 */
void *script_stack(void *kept, size_t size);

/* Brings the values back into the visits and fills the laps that occur: ticks (the overhead of two stamps taken off)
 * and steps; the rest of such a lap is zeroed. Other laps are not written. */
void script_gather(void *kept, struct visit *, size_t count, uint64_t overhead, struct reading lap[MAX_LAPS]);

/* Overhead of an empty lap, in ticks: the lowest of many. Uses the kept memory. */
uint64_t script_overhead(void *kept, size_t size);
