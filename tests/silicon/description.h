// SPDX-License-Identifier: BSD-2-Clause
/* description.h: what a modelled machine consists of: the contents of machines/NAME.ini (docs/silicon.md), as the parts
 * of the model take it. Core cycles are the unit of all times unless said. */
#pragma once
#include "tests/silicon/array.h"

enum {
    MAX_CACHES = 8,
    MAX_TLBS = 16,
    MAX_PSC = 5,
    MAX_PREFETCHERS = 12,
    MAX_FOLDS = 16,
    MAX_HOLES = 8,
    MAX_ENCODINGS = 48,
    MAX_HIDDEN = 48,
    MAX_DECLARATIONS = 48,
    MAX_MODEL_CORES = 8
};

enum holds { HOLDS_DATA = 1, HOLDS_CODE = 2, HOLDS_BOTH = 3 };

/* How a cache stands to those nearer to the cores. */
enum inclusion {
    INCLUSION_NEITHER,   /* filled on the way to the core; forgets lines without telling anybody */
    INCLUSION_INCLUSIVE, /* what it loses, they lose, too */
    INCLUSION_EXCLUSIVE  /* filled by what the next nearer one loses; a hit moves the line away, back to the core */
};

struct cache_description {
    char name[8];             /* "l1d", "l1i", "l2", "l3", "l4": the prefix of its findings */
    unsigned level;           /* 1 is nearest to the core */
    unsigned holds;           /* enum holds */
    uint64_t size;            /* bytes; sets = size / (ways * line), of all slices together */
    unsigned line, sector;    /* bytes; sector == line: not sectored; a miss fills one sector of a line's tag */
    unsigned latency;         /* load to use, when this level hits, from the core */
    unsigned slice_step;      /* more for each slice further away; 0: all the same */
    unsigned shared_by;       /* cores that share one instance */
    bool virtual_index;       /* set by virtual address; a line is in one place only (a synonym in another set moves) */
    struct array_shape shape; /* index over line numbers inside a slice; ways; policy; duel */
    struct slices slices;
    enum inclusion inclusion;
    unsigned keeps_permille; /* EXCLUSIVE: clean victims that are taken in, of a thousand; dirty ones always are */
    bool keeps_hits;         /* EXCLUSIVE: a line that a load hits stays */
    bool write_through, no_write_allocate;
    unsigned banks;           /* 0 or 1: a single one; two accesses of one moment to one bank cost a cycle */
    unsigned folds;           /* way predictor: bits of the fold; 0: none */
    uint64_t fold[MAX_FOLDS]; /* parity of (virtual address & fold[i]) is bit i */
    unsigned fold_latency;    /* a hit of a line that the predictor does not name takes this long instead of latency */
    bool directory;           /* a snoop filter of this shape beside it: what it loses, the nearer caches lose */
    struct array_shape directory_shape;
};

enum page_class { PAGES_SMALL = 1, PAGES_LARGE = 2, PAGES_HUGE = 4 }; /* 4 KB, 2 MB, 1 GB on x86-64 */

struct tlb_description {
    char name[12];            /* "dtlb1", "itlb1", "dtlb2" (the prefix of its findings) */
    unsigned level;           /* 1: looked up first */
    unsigned holds;           /* enum holds; a unified second level: both */
    unsigned pages;           /* enum page_class bits; a class that no TLB of a level holds always misses that level */
    bool loads, stores;       /* which accesses look here (data side); both unless apart */
    struct array_shape shape; /* index over page numbers of the class */
    unsigned latency;         /* more cycles when this level hits than when level 1 does; 0 for level 1 */
    unsigned sector;          /* neighbouring pages that one entry's tag covers, filled one by one; 1: none */
    unsigned coalesce; /* neighbouring pages with neighbouring frames that one entry translates at once; 1: none */
    bool victim;       /* filled by what the level before loses, not on the way */
    bool holds_pdes;   /* entries of the level-2 table live here, too, as in Zen 2's second level */
    bool splits;       /* larger pages are held as pieces of this TLB's smallest class */
};

enum psc_tag { PSC_LINEAR, PSC_PHYSICAL };

struct psc_description {
    unsigned level; /* table level whose entries it holds: 2 PDE, 3 PDPTE, 4 PML4E, 5 PML5E; 0: unified, all of them */
    enum psc_tag tag;
    struct array_shape shape; /* number: linear address bits above the level, or the entry's physical address / 8 */
};

struct walker_description {
    unsigned count;      /* walks at a time */
    unsigned overhead;   /* of a walk, besides its loads */
    unsigned fixed;      /* a software walker (TLB refill trap): all that a walk costs; 0: hardware */
    unsigned from_level; /* first cache level that its loads look in; 0: memory only */
    bool ignores_uc;     /* table pages that are mapped uncacheable are cached all the same */
    bool psc_shadowed;   /* entries of PSCs are dropped when the entry's line is written by the core (MOV to table) */
};

enum prefetcher_kind {
    PREFETCH_NEXT_LINE, /* an access to a line fetches the one after it */
    PREFETCH_ADJACENT,  /* the other half of an aligned pair */
    PREFETCH_STREAM,    /* ascending or descending misses inside a page */
    PREFETCH_STRIDE,    /* equal distances by instruction */
    PREFETCH_NEXT_PAGE  /* near the end of a page, the translation of the next one, too */
};

struct prefetcher_description {
    enum prefetcher_kind kind;
    unsigned watches;  /* cache level whose accesses it sees: 1 all, 2: those that missed level 1, ... */
    unsigned into;     /* cache level that it fills */
    bool misses_only;  /* trains on misses of the level it watches */
    unsigned trackers; /* streams, or instructions */
    unsigned train;    /* accesses before it starts */
    unsigned ahead;    /* lines, or strides */
    unsigned reach;    /* bytes: the longest stride */
    uint32_t msr;      /* switch: MSR and bit, set = off; 0: cannot be switched */
    unsigned bit;
};

struct memory_description {
    uint64_t span;                           /* bytes granted to probes in process */
    uint64_t contiguous;                     /* vouched for in process: bytes; 0: all that a power of two holds */
    unsigned latency;                        /* load to use, of an open row or without rows */
    unsigned row_miss;                       /* more when another row is open; 0: rows do not matter */
    unsigned banks;                          /* 0: none modelled */
    uint64_t row;                            /* bytes */
    uint64_t refresh_period, refresh_length; /* cycles; 0: none */
    unsigned parallel;                       /* misses in flight at most (streams) */
    unsigned transfer;                       /* of a line from another core's cache */
    unsigned holes;
    struct {
        uint64_t base, size;
        unsigned type;
    } hole[MAX_HOLES]; /* MTRRs: ranges of another type; enum memtype */
};

/* Cycles of PAUSE where nothing else is said: about that before Skylake (Intel's Optimization Reference Manual, on
 * PAUSE in Skylake). */
enum { USUAL_PAUSE = 10 };

struct clock_description {
    uint64_t hz, step;                /* of the counter: ticks a second, ticks */
    bool half_step;                   /* of half a tick more: by turns `step` ticks and one more */
    unsigned ratio_core, ratio_clock; /* core cycles per tick, as a fraction */
    unsigned multiply;                /* cycles of a dependent integer multiply, 3 or more */
    unsigned pause;                   /* cycles of PAUSE, 1 or more */
    unsigned rdtsc, rdtscp, lfence;   /* overheads; rdtscp 0: absent */
    bool lfence_passes;               /* LFENCE does not serialise */
    uint64_t ramp;                    /* cycles after idle at half of the speed */
    uint64_t idle;                    /* cycles without work that count as idle */
};

struct noise_description {
    unsigned jitter;                 /* ticks that a reading gains, 0 to jitter - 1, evenly */
    uint64_t smi_period, smi_length; /* cycles between two SMIs on average, and of one; 0: none */
    bool smi_counted;
    uint64_t traffic_period; /* cycles between two lines that another core brings into each shared cache; 0: none */
    uint64_t neighbour_period, neighbour_length; /* a sibling thread that works now and then; cycles */
    unsigned neighbour_lines; /* lines that it brings into the first level in each of its moments of 1000 cycles */
    unsigned neighbour_pages; /* and pages that it loads from and jumps to, which the TLBs of its core keep for it */
};

enum { MAX_PAIRS = 64 };

struct fetch_description {
    unsigned jump;                   /* cycles of a taken jump whose target is predicted */
    unsigned miss;                   /* more when the target buffer does not hold it */
    unsigned ends;                   /* laps of a new order in which the jump is foretold wrongly where a run ended */
    unsigned astray;                 /* more when it is */
    unsigned pairs;                  /* jumps that were taken last, of which two are foretold in what one takes */
    unsigned ahead;                  /* cycles that fetching may take and nobody waits for: it runs ahead */
    bool targets;                    /* there is a branch-target buffer of this shape */
    struct array_shape target_shape; /* number: address / 16 */
};

enum counter_family { COUNTERS_NONE, COUNTERS_INTEL, COUNTERS_AMD };
enum counted { /* what the model can count */
               COUNTED_CYCLES,
               COUNTED_INSTRUCTIONS,
               COUNTED_LOADS,
               COUNTED_STORES,
               COUNTED_L1D_MISS,
               COUNTED_L2_MISS,
               COUNTED_L3_MISS,
               COUNTED_L1I_MISS,
               COUNTED_DTLB1_MISS,
               COUNTED_DTLB2_HIT,
               COUNTED_WALK,
               COUNTED_WALK_CYCLES,
               COUNTED_PDE_MISS,
               COUNTED_ITLB1_MISS,
               COUNTED_ITLB_WALK,
               COUNTED_PREFETCHES,
               COUNTED_SMI,
               COUNTED_COUNT
};
struct counters_description {
    enum counter_family family;
    unsigned version;               /* Intel architectural 1 to 5 */
    unsigned general, fixed, width; /* counters, bits */
    unsigned overhead;              /* cycles of RDPMC */
    bool stops_in_smm;
    unsigned encodings;
    struct encoding {
        uint16_t event;
        uint8_t umask; /* as in the event select register (AMD: 12 bits of event) */
        enum counted counts;
        unsigned per_thousand; /* 1000: right; erratum: over- or under-counting */
        bool always_one;       /* erratum: every counter reads one more */
    } encoding[MAX_ENCODINGS];
};

struct declaration {
    char id[28];
    uint64_t low, high;
    char by[24];
}; /* what the machine says of itself: rightly or not */
struct hiding {
    char id[28];
    char reason[96];
}; /* id may end in '*' */

struct description {
    char name[48], vendor[16], title[64];
    bool x86;                       /* false: in process only */
    bool misconception;             /* judged by "0 wrong above 0.9" only */
    unsigned cores, levels;         /* page table levels, 4 or 5 (not x86: 3) */
    unsigned page_shift, page_bits; /* smallest page 2^page_shift, table index bits a level: 12 and 9 on x86 */
    unsigned pages;                 /* enum page_class bits that the machine has */
    unsigned load_32, load_indexed,
        load_float; /* cycles that OP_LOAD_32, ... take more than OP_LOAD, wherever they hit */
    unsigned invlpg, set_root,
        flush_tlb;  /* cycles of INVLPG, of a write of CR3, and of both writes of CR4.PGE that OP_FLUSH_TLB is */
    unsigned fault; /* of a page fault's delivery and of the return from it */
    unsigned caches, tlbs, pscs, prefetchers; /* tlbs 0: no walks, translation costs nothing */
    struct cache_description cache[MAX_CACHES];
    struct tlb_description tlb[MAX_TLBS];
    struct psc_description psc[MAX_PSC];
    struct walker_description walker;
    struct prefetcher_description prefetcher[MAX_PREFETCHERS];
    struct memory_description memory;
    struct clock_description clock;
    struct noise_description noise; /* of the machine itself; a run's --noise comes on top */
    struct fetch_description fetch;
    struct counters_description counters;
    unsigned declarations, hidings;
    struct declaration declaration[MAX_DECLARATIONS];
    struct hiding hiding[MAX_HIDDEN];
};

/* Reads a machine's file (docs/silicon.md: sections and names). False: *complaint (capacity bytes) says what is wrong,
 * beginning with "line N: ". */
bool description_read(struct description *, const char *ini, size_t length, char *complaint, size_t capacity);

/* Writes one that description_read reads back to the same description (for `random`). False: it did not fit. */
bool description_write(const struct description *, char *ini, size_t capacity);

/* NULL, or what keeps a description from being a machine. */
const char *description_unsound(const struct description *);

/* Core cycles of a hit in the first level that holds code; 0: there is none. */
unsigned description_code_latency(const struct description *);

/* A random plausible machine (random_machine.c); always sound. */
void description_random(struct description *, uint64_t seed);

/* Bytes of memory that a drawn machine gets, a power of two: 64 MB, or four times its last cache; and up to 1 GB, what
 * real ones have at least, as long as lines of one set of all its caches are fewer than four times any one's ways. */
uint64_t description_random_span(const struct description *);

/* Adds the noise of an environment: "quiet", "office", "hostile". False: no such environment. */
bool description_disturb(struct description *, const char *environment);

/* A plain x86 machine for tests: one LRU data cache with sets by physical address, memory behind it, translation that
 * costs nothing, a clock tick a core cycle, one core, no noise, 64 MB. Latencies in core cycles. */
void description_plain(struct description *, uint64_t size, unsigned ways, unsigned line, unsigned hit,
                       unsigned memory);
