// SPDX-License-Identifier: BSD-2-Clause
/* machine.h: the waist. Everything that a probe may ask of a machine, and the only header that a probe includes besides
 * its own. Exactly one implementation is linked into a program: kernel/ (bare metal), tests/silicon/ (a model of known
 * truth), tests/linux/ (this computer's CPU from user space) or tests/replay/ (a recorded run).
 *
 * A call that the machine cannot serve returns false (or NULL, or 0), changes nothing, and machine_why() says why.
 * Nothing here warms up, repeats or averages: that is the probes' business (probes/sample.h).
 *
 * Kept lines: while a clock runs, what the machine itself reads and writes (script, results, code) lies in lines whose
 * page offset is below KEPT, inside one page of the largest size. A probe that counts sets or entries uses offsets
 * from KEPT up and knows that a script costs one TLB entry. A bulk run (machine_run) touches no data but the walk's. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEPT = 0x400, MAX_TASKS = 4, MAX_EVENTS = 4, MAX_LAPS = 32 };

struct machine; /* opaque and always passed: many in one process, no globals */

/* Physical memory granted to the probe. `contiguous`: the size of naturally aligned blocks inside which physical order
 * is certain (a page under an operating system; the whole span, rounded down to a power of two, on bare metal). */
struct span {
    uint64_t base, size, contiguous; /* bytes */
    unsigned node;                   /* NUMA node, 0 when unknown */
};

/* Virtual addresses that belong to the probe: nothing is mapped there until machine_map() says so. */
struct view {
    uint64_t base, size; /* bytes; base is aligned to the largest page size */
};

struct clock {
    uint64_t hz;   /* ticks a second */
    uint64_t step; /* smallest difference that the clock can show, in ticks: 26 on a 2.6 GHz Zen 4, which moves in
                      jumps; the shorter one where jumps differ by a tick */
};

enum memtype { MEM_WB, MEM_WT, MEM_WP, MEM_WC, MEM_UC };

enum op {
    /* links of a walk: each stop holds the address of the next */
    OP_LOAD,         /* 8-byte load */
    OP_LOAD_32,      /* 4-byte load of the link's distance from the view's base: the walk must lie within 4 GB of it */
    OP_LOAD_INDEXED, /* 8-byte load through base + index * 1 + displacement */
    OP_LOAD_FLOAT,   /* floating-point load of the link, moved back to an integer register */
    OP_STORE,        /* load of the link, then a store to the word behind it */
    OP_EXCHANGE,     /* atomic exchange with the word behind the link, between loads of the links */
    OP_JUMP,         /* each stop is a near jump to the next */
    OP_JUMP_FAR,     /* each stop is an indirect jump through a register: any distance */
    OP_HANDOFF,      /* two tasks pass one line to and fro */
    /* streams of independent accesses: `start`, then `steps` lines of 64 bytes upward */
    OP_READ,
    OP_WRITE,
    OP_WRITE_NT,
    OP_COPY, /* the first half of 2 * steps lines to the second */
    /* only in scripts */
    OP_EXECUTE,      /* call the code at va (OP_JUMP stop linked to 0) */
    OP_PREFETCH,     /* PREFETCHT0 */
    OP_FLUSH_LINE,   /* CLFLUSH */
    OP_FLUSH_PAGE,   /* INVLPG */
    OP_FLUSH_TLB,    /* everything, global entries too */
    OP_FLUSH_CACHES, /* WBINVD */
    OP_SET_ROOT,     /* MOV CR3 with the same root: non-global entries */
    OP_FENCE,        /* MFENCE, LFENCE */
    OP_WAIT,         /* `value` core cycles or more without memory accesses */
    OP_FAULT,        /* a load that is expected to fault, delivered and returned from */
    /* only in links: jumps of walks of OP_JUMP, or OP_JUMP_FAR, that count no step, see task.lap */
    OP_PASS,
    OP_PASS_FAR,
    OP_COUNT
};

/* Tasks of one core interleave, step by step; tasks of different cores run together. `steps` visits from `start`.
 * `warm`: visits from `start` that are made first, before the clock starts. Whoever starts a run touches pages of its
 * own, and TLBs that are full lose entries for them: between these visits and the timed ones nothing touches any data.
 * Only for one task alone that has links; 0: none.
 * `lap`: of a walk of jumps: its stops are linked by OP_PASS, but for the first one and each that is so many behind. A
 * count is a chain of subtractions, which takes a cycle a stop: a core that foretells two jumps a cycle fetches ahead
 * meanwhile, and hides translations that it misses (a Zen 5: those of 8 pages more than its ITLB has entries, in a lap
 * of 72). Steps and visits before the clock starts are a multiple of it, which the machine cannot check of the links:
 * nothing ends a run that meets no stop that counts. At the end of a run the first stop is met once more; of a walk
 * that ends within a lap, the whole lap is told as made. 0: each stop counts. */
struct task {
    enum op op;
    uint64_t start, steps;
    unsigned core; /* 0: the core that the probe runs on */
    uint64_t warm;
    uint64_t lap;
};

/* One visit of a script. `site`: which of 16 copies of the instruction issues it (prefetchers tell instructions apart).
 * `lap`: the lap that times it, 1 to MAX_LAPS - 1; 0 is untimed. Visits of one lap must be neighbours.
 * `value`: in: the word to store (OP_STORE) or cycles (OP_WAIT); out: the word that a load read, stale or fresh: with
 * swapped table entries it tells a TLB hit from a miss with no clock at all. */
struct visit {
    enum op op;
    uint8_t site, lap;
    uint64_t va, value;
};

/* Straight code, no memory: dependent register instructions, or PAUSE, by which a core waits and leaves what it shares
 * to whoever shares it: some cycles each, a hundred and more on some cores, which is nothing to measure by. */
enum block_kind { BLOCK_ADD, BLOCK_MULTIPLY, BLOCK_PAUSE, BLOCK_COUNT };
struct block {
    enum block_kind kind;
    unsigned variables; /* independent chains, in turn; 1 to 4, of PAUSE no matter which */
};

/* What one run gave. */
struct reading {
    uint64_t ticks;  /* of the clock, the measured overhead of reading it already taken off */
    uint64_t cycles; /* core cycles, 0 when the machine cannot tell */
    uint64_t steps;  /* visits made */
    uint64_t event[MAX_EVENTS];
    uint64_t lost;         /* ticks known to have been taken by somebody else */
    unsigned disturbances; /* SMIs, NMIs, context switches during the run: its time is not to be trusted */
};

enum knob {
    KNOB_PREFETCH_FIRST,
    KNOB_PREFETCH_LAST = 15,
    KNOB_TURBO,
    KNOB_WALK_ASSUMES_WB,
    KNOB_SELECTIVE_INVLPG,
    KNOB_PCID,
    KNOB_GLOBAL,
    KNOB_COUNT
};

/* The machine's ground. */
bool machine_span(struct machine *, unsigned index, struct span *); /* false: no such span */
struct view machine_view(struct machine *);
struct clock machine_clock(struct machine *);
unsigned machine_cores(struct machine *);                /* that tasks may name; 1 when no other can be reached */
uint64_t machine_page(struct machine *, unsigned index); /* page sizes in bytes, smallest first; 0 ends */
const char *machine_why(struct machine *);               /* why the last refused call was refused; "" when none was */
uint64_t machine_steps(struct machine *); /* visits made since the machine was opened: what findings cost */

/* Maps [va, va + size) of the view to [pa, pa + size) of a span in pages of `page` bytes; page 0 unmaps (pa and type
 * are ignored). All three are multiples of the page size. Mapping over a mapping replaces it. Stale translations are
 * flushed. The same physical memory may be mapped many times, but with one memory type at a time. */
bool machine_map(struct machine *, uint64_t va, uint64_t pa, uint64_t size, uint64_t page, enum memtype);

/* The table entry that translates va at a level: 1 = PTE, 2 = PDE, 3 = PDPTE, 4 = PML4E, 5 = PML5E. NULL: no such
 * entry, or no tables of one's own. Writing through it flushes nothing: share, move, uncache and swap tables through
 * it. */
uint64_t *machine_entry(struct machine *, uint64_t va, unsigned level);

/* Untimed access to granted physical memory, to build data, code and tables in it; NULL: not granted. What a walk reads
 * comes back through visit.value, never through this pointer: a replayed run has no memory. */
void *machine_at(struct machine *, uint64_t pa);

/* Makes stop `from` of a walk of `op` lead to stop `to` (mapped view addresses; for jumps 16 bytes at `from` are code).
 * to 0 ends a jump walk. False: the operation has no links here, or an address is not mapped. */
bool machine_link(struct machine *, enum op, uint64_t from, uint64_t to);

/* Runs all tasks once, at most MAX_TASKS; each[i] is the reading of tasks[i]. */
bool machine_run(struct machine *, const struct task *tasks, size_t count, struct reading *each);

/* Makes the visits in order, once. lap[i] sums the visits of lap i; lap[0] is not written. */
bool machine_script(struct machine *, struct visit *, size_t count, struct reading lap[MAX_LAPS]);

/* Runs `steps` instructions of a block. */
bool machine_block(struct machine *, const struct block *, uint64_t steps, struct reading *);

/* Watches an idle clock for `ticks`: gap[i] counts jumps of 2^i to 2^(i+1) - 1 ticks. */
bool machine_listen(struct machine *, uint64_t ticks, uint64_t gap[64]);

/* Counts an abstract event (or the raw encoding when event is 0) in reading.event[slot] from now on. */
bool machine_count(struct machine *, unsigned slot, unsigned event, uint64_t raw);

/* Turns a switch; undone when the probe ends. False: not here, or refused. machine_knob: its name here, NULL when
 * absent. */
bool machine_turn(struct machine *, enum knob, bool on);
const char *machine_knob(struct machine *, enum knob);

/* Lets whoever owns the machine live for a moment; call it between decisions, at least every 100 ms of measuring (it
 * returns at once when nothing is due). Cache and TLB contents do not survive it. permille_done: 0 to 1000 of this
 * probe, for the progress line. False: the user wants to skip this probe: return at once. */
bool machine_rest(struct machine *, unsigned permille_done);
