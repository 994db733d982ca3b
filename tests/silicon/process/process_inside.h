// SPDX-License-Identifier: BSD-2-Clause
/* process_inside.h: the modelled machine in process, known to tests/silicon/process/ alone.
 *
 * Physical memory is one block of this process: first the page tables, then the span, which starts at SPAN_BASE. Tables
 * and span are mapped at their own addresses ("identity"); the view lies far above them. */
#pragma once
#include "base/random.h"
#include "tests/silicon/ground.h"
#include "tests/silicon/process/process.h"
#include "tests/silicon/silicon.h"
#include <setjmp.h>
#include <string.h>

enum { SPAN_BASE = 1 << 30, TABLES_SIZE = 64 << 20, TABLES_BASE = SPAN_BASE - TABLES_SIZE, MAX_TABLE_LEVELS = 6 };

/* Bits of a table entry (Intel SDM volume 3, chapter 4). Machines that are no x86 have the same entries: nothing that
 * is measured depends on how an entry spells what it says. */
static const uint64_t ENTRY_PRESENT = 1, ENTRY_WRITE = 2, ENTRY_PWT = 8, ENTRY_PCD = 0x10, ENTRY_ACCESSED = 0x20,
                      ENTRY_DIRTY = 0x40, ENTRY_LARGE = 0x80, ENTRY_PAT_SMALL = 0x80, ENTRY_PAT_LARGE = 0x1000,
                      ENTRY_ADDRESS = 0x000ffffffffff000;

/* What the mappings of a smallest page of the span have in common. */
struct mapped {
    uint32_t count;
    uint8_t type;
};

/* Memory and page tables. `own` is a second copy of the tables, holding what machine_map() wrote: a probe may change
 * the real ones behind our back, and what it has mapped must be known all the same. */
struct ground {
    const struct description *description;
    uint8_t *block, *own;
    uint64_t end;             /* the block is physical memory from TABLES_BASE up to here */
    unsigned table_size;      /* bytes */
    uint64_t root, free_list; /* physical addresses; free_list 0: none */
    uint64_t pool;            /* tables from here on were never used */
    uint64_t free_count;
    struct mapped *mapped; /* of each smallest page of the span */
};

struct machine {
    struct front front; /* first: kernel/front.h */
    struct description description;
    struct host *host;
    struct facts facts;
    struct random random;
    struct ground ground;
    struct silicon *silicon;
    unsigned here;          /* the core that the probe runs on */
    unsigned chunk;         /* bytes of a line of a stream that are one access */
    unsigned first_latency; /* of a hit of the first level of data cache */
    bool simulate_all;      /* laps that repeat are not multiplied */
    uint64_t walked;        /* cycles of all page walks */
    uint64_t changes;       /* stores that changed a word */
    uint64_t last_rest;     /* ticks */
    uint64_t overhead;      /* ticks of an empty stretch, taken off every reading */
    unsigned slots;         /* bits: slots of events that count */
    uint64_t uncounted;     /* core cycles that the counters have not heard of */
    struct fault fault;
    jmp_buf *recovery; /* of the innermost machine_protect */
};

/* tables.c. ground_open: false: not enough memory. Everything else about ground_* is in ground.h. */
bool ground_open(struct ground *, const struct description *);
void ground_close(struct ground *);
uint64_t ground_span_of(const struct ground *, unsigned level); /* bytes that an entry of a table level covers */
void ground_empty_view(struct machine *);                       /* unmaps everything, flushes nothing */

/* `size` bytes of physical memory; NULL where there is none. */
static inline uint8_t *ground_at(const struct ground *ground, uint64_t pa, unsigned size)
{
    return pa >= TABLES_BASE && pa <= ground->end - size ? ground->block + (pa - TABLES_BASE) : NULL;
}

/* The address of a table entry, as machine_entry() gives it, is a pointer into the block; on bare metal it would be the
 * address at which that memory is identity-mapped. */
static inline uint64_t model_address(const struct machine *machine, uint64_t va)
{
    uint64_t offset = va - (uint64_t)(uintptr_t)machine->ground.block;

    return offset < machine->ground.end - TABLES_BASE ? TABLES_BASE + offset : va;
}

/* The core of the model that a task's core is: 0 is the one that the probe runs on. */
static inline unsigned model_core(const struct machine *machine, unsigned core)
{
    return core == 0 ? machine->here : core == machine->here ? 0 : core;
}

/* Time goes by; noise that is due happens. Called for each visit. The counters hear of it at settle(). */
static inline void pass(struct machine *machine, uint64_t cycles)
{
    struct silicon *silicon = machine->silicon;

    clock_pass(&silicon->clock, cycles);
    machine->uncounted += cycles;
    if (silicon->clock.cycles >= silicon->noise_at)
        silicon_disturb(silicon);
}

/* Before counters are looked at. */
static inline void settle(struct machine *machine)
{
    for (unsigned core = 0; core < machine->description.cores; core++)
        counters_add(machine->silicon->counters, core, COUNTED_CYCLES, machine->uncounted);
    machine->uncounted = 0;
}

/* access.c: accesses, in core cycles: a page fault where there is nothing. Values are what memory holds at the physical
 * address that the translation gave, be it stale. */
_Noreturn void access_fault(struct machine *, uint64_t va, bool write);
uint64_t access_load(struct machine *, unsigned core, uint64_t va, unsigned size, uint64_t ip, uint64_t *value);
uint64_t access_store(struct machine *, unsigned core, uint64_t va, uint64_t ip, uint64_t value); /* of 8 bytes */

/* An exchange is a load and a store in one: it takes at least what a hit takes. */
uint64_t access_exchange(struct machine *, unsigned core, uint64_t va, uint64_t ip, uint64_t value);

/* One that moves nothing; *pa: where it went. */
uint64_t access_touch(struct machine *, unsigned core, enum access_kind, uint64_t va, unsigned size, uint64_t ip,
                      uint64_t *pa);

/* What the machine itself needs to make a run, in no modelled time: its data, its stack and its code, each in a page of
 * the largest size, take TLB entries, as on bare metal, where none of them lies in the pages of a walk. */
void access_own_data(struct machine *, unsigned core);
void access_own_code(struct machine *, unsigned core);

/* The word (at most 8 bytes) at va, which an access found at pa. */
uint64_t access_word(const struct machine *, unsigned core, uint64_t va, uint64_t pa, unsigned size);

/* Core cycles that a load of this form takes more than a plain one, whatever level answers it. What the address takes
 * to be added up lies before the caches, and what brings the word from a floating-point register to the next address
 * lies behind them. Intel's optimization manual has the first as a table of addressing modes (Sandy Bridge: base +
 * index is one more than base alone, a load into an SSE register one more than an integer's); AMD's guides for families
 * 17h and 19h have 4 and 7 cycles for integer and floating-point loads, and one more for base + index + displacement.
 */
static inline unsigned form_cycles(const struct machine *machine, enum op op)
{
    switch (op) {
    case OP_LOAD_32:
        return machine->description.load_32;
    case OP_LOAD_INDEXED:
        return machine->description.load_indexed;
    case OP_LOAD_FLOAT:
        return machine->description.load_float;
    default:
        return 0;
    }
}

/* Instructions are told apart by these addresses. */
static inline uint64_t task_ip(enum op op, size_t task)
{
    return 0x10000 + (uint64_t)op * 0x100 + task * 0x10;
}

/* scout.c: this computer's memory is asked ahead for what a long walk of loads will need. scout_follow() after each
 * step; at: where the walk stands now. */
enum { SCOUTED = 256 };
struct scout {
    bool on;
    unsigned core, page_shift;
    uint64_t next, steps, cycles;
    const uint8_t *word;
    struct scouted {
        uint64_t page, pa; /* number of a page of that size, plus 1 */
    } known[SCOUTED];
};
void scout_start(struct machine *, struct scout *, unsigned core);
void scout_follow(struct machine *, struct scout *, uint64_t at);

/* stretch.c: what lies between two looks at the clock. */
struct stretch {
    uint64_t ticks, cycles, smis, lost, event[MAX_EVENTS];
};
void stretch_calibrate(struct machine *);
void stretch_start(struct machine *, struct stretch *);
struct reading stretch_stop(struct machine *, const struct stretch *, uint64_t steps);

/* laps.c: multiplication of laps that repeat. */
enum { LAP_HISTORY = 32 };
struct laps {
    bool on;
    unsigned core;
    uint64_t count;                       /* laps that have ended since the last disturbance */
    uint64_t cycles, left;                /* when the current lap began: the clock, and the steps still to make */
    uint64_t cost[LAP_HISTORY], noise_at; /* of the last laps, by their number; when noise was to come */
    uint64_t next_try, wait;              /* the lap after which to look next, and how far to go after a failure */
    uint64_t reach;                       /* laps for which a held state is compared with */
    bool held;                            /* there is a state to compare with: */
    uint64_t digest, changes;             /* what it was */
    uint64_t held_count, held_cycles, held_left;
    uint64_t total[MAX_MODEL_CORES][COUNTED_COUNT];
};
void laps_start(struct machine *, struct laps *, unsigned core, uint64_t steps);
uint64_t laps_ended(struct machine *, struct laps *, uint64_t left); /* how many of the steps left are done already */
