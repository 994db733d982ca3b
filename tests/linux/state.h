// SPDX-License-Identifier: BSD-2-Clause
/* state.h: the machine of user space, known to tests/linux/ alone. */
#pragma once
#include "tests/linux/linux.h"
#include "tests/linux/mapping.h"
#include <setjmp.h>

enum {
    SMALL_PAGE = 4096,
    LARGE_PAGE = 2 << 20,
    LINUX_KEPT = 2 << 20,    /* bytes of kept memory for scripts */
    SIGNAL_STACK = 256 << 10 /* bytes: a frame with all of AVX-512 takes some 3 KB */
};

/* Where a fault goes. It lies at the lowest address of the signal stack, where a handler finds it without a global. */
struct trap {
    sigjmp_buf *jump; /* NULL: faults are nobody's, the program ends */
    struct fault *fault;
};

/* The memory file and what it is made of. */
struct memory {
    int file; /* descriptor, -1: none */
    uint64_t size;
    uint8_t *at;   /* all of it, always mapped and writable */
    bool small;    /* pages of 4 KB can be mapped */
    bool large;    /* pages of 2 MB can be mapped */
    char note[96]; /* why there are no huge pages, "" when there are */
};

struct machine {
    struct front front; /* first: kernel/front.h */
    struct host *host;
    struct memory memory;
    bool contiguous; /* the user vouches for it */
    struct mappings mappings;
    struct clock clock;
    uint64_t rdtscp, overhead, lap_overhead;
    struct facts facts;
    uint8_t *kept;
    struct trap *trap;
    uint64_t last_rest; /* ticks */
    unsigned core;      /* the processor that this thread is pinned to */
};

/* memory.c. The span begins at this physical address: any number will do but one that looks like no address. */
static const uint64_t memory_base = (uint64_t)4 << 30;

/* Takes at most `bytes` (0: a quarter of what is free, at most 1 GB). False: *why says why. */
bool memory_open(struct memory *, uint64_t bytes, const char **why);
void memory_close(struct memory *);

/* The number behind a word that begins a line of a /proc file (0x for hexadecimal), 0 when there is none. `from`: how a
 * line begins that must come first, NULL: none. */
uint64_t read_line_number(const char *path, const char *from, const char *word);

/* Reserves the view's addresses. size 0: nothing could be reserved. */
struct view view_reserve(void);

/* A region of `size` bytes (a power of two), aligned to its size, in huge pages where possible; NULL: no memory. */
void *region_open(uint64_t size);

/* Writes to every page, so that no later access faults. */
bool populate(void *start, uint64_t size);

/* trap.c: runs code(argument); false with *fault filled when it faulted. Nests. */
bool trap_open(struct machine *);
void trap_close(struct machine *);
bool trap_try(struct machine *, void (*code)(void *), void *argument, struct fault *);

/* The address through which view address va can always be written; NULL: not mapped. */
void *view_alias(struct machine *, uint64_t va);

/* Says what the page of view address va is for: code (executable, read-only) or data (writable, never executable).
 * Pages are data when they are mapped. False: the kernel refuses. */
bool view_use(struct machine *, uint64_t va, bool code);
