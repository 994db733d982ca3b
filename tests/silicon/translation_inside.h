// SPDX-License-Identifier: BSD-2-Clause
/* translation_inside.h: what translation.c, tlb.c, psc.c and walker.c share, and nobody else. */
#pragma once
#include "tests/silicon/translation.h"

enum { CLASSES = 3, SIDES = 3, TLB_LEVELS = 4, HINTS = 128, LONGEST_RUN = 8, MAX_SECTOR = 16, MAX_TABLES = 5 };

/* Bits of table entries (Intel SDM Vol. 3, 4.5; AMD64 APM Vol. 2, 5.3). The frame is what lies between. */
enum { ENTRY_PRESENT = 1, ENTRY_WRITABLE = 2, ENTRY_PWT = 8, ENTRY_PCD = 16, ENTRY_LARGE = 128, ENTRY_GLOBAL = 256 };
#define ENTRY_FRAME UINT64_C(0x000ffffffffff000)

/* A translation, as the walker found it or a TLB kept it: that of a whole page, whatever piece of it a TLB holds. */
struct page {
    uint64_t base;  /* physical address of its first byte */
    unsigned class; /* 0 small, 1 large, 2 huge */
    enum memtype type;
    bool writable, global;
    uint8_t run; /* small pages: bit i: page i of the aligned group of LONGEST_RUN has the frame that its distance from
                    this page asks for, and the same attributes; always includes this page itself */
};

/* How page numbers become addresses on this machine. */
struct paging {
    unsigned shift[CLASSES + 3]; /* address bits below the number of a page of a class; [level - 1]: of a table entry */
    unsigned levels, classes;    /* table levels; enum page_class bits that may end a walk */
    uint64_t slots;              /* entries of a table, less one */
    uint64_t reach;              /* virtual address bits that are translated */
    bool runs;                   /* some TLB coalesces */
};

struct hit {
    struct place place;
    struct entry entry; /* as the array has it */
    struct page page;
};

struct tlb {
    const struct tlb_description *description;
    const struct paging *paging;
    struct array *array;
    unsigned sector, coalesce;                   /* 1: none */
    unsigned number_shift[CLASSES], group_shift; /* address bits below what a tag and an index see */
    bool mourned;                                /* there is a victim TLB: whoever fills must know what went */
    unsigned piece;                              /* class that every page is held as; CLASSES: each as its own */
    unsigned forms;                              /* bit: a tag of this form (tlb.c) may be here; never too few */
    uint64_t *sub;                               /* sectored: the values of the pages of each entry; else NULL */
    uint64_t *source; /* holds PDEs that can be shadowed: their physical addresses; else NULL */
};

/* What an insertion pushed out: up to MAX_SECTOR pages, for the victim TLB behind. */
struct lost {
    unsigned count;
    unsigned pcid;
    uint64_t va[MAX_SECTOR];
    struct page page[MAX_SECTOR];
};

bool tlb_open(struct tlb *, const struct tlb_description *, const struct paging *, bool shadowed, uint64_t seed);
void tlb_close(struct tlb *);
bool tlb_holds(const struct tlb *, unsigned class); /* as a class of its own or as pieces */

/* Looks for va as a page that is held under `class` (the class of the piece when the TLB splits). Changes nothing. */
bool tlb_find(const struct tlb *, unsigned class, uint64_t va, unsigned pcid, struct hit *);
/* Takes a page in, the way this TLB holds it. *lost: what went for it. */
void tlb_fill(struct tlb *, uint64_t va, unsigned pcid, const struct page *, struct lost *);
/* Whether an insertion would find an empty way (for the choice between TLBs of one level). */
bool tlb_has_room(const struct tlb *, uint64_t va, const struct page *);
/* A victim TLB gives a page back: the page of va goes from the entry that hit. */
void tlb_take(struct tlb *, const struct hit *, uint64_t va);
void tlb_drop(struct tlb *, uint64_t va, unsigned pcid); /* all that translates va, and all PDEs of this PCID */
void tlb_drop_pcid(struct tlb *, unsigned pcid);         /* all entries of this PCID that are not global */
void tlb_drop_all(struct tlb *);

/* PDEs in a TLB. `upper`: as struct psc keeps it. */
bool tlb_find_pde(const struct tlb *, uint64_t va, unsigned pcid, uint64_t *upper, struct place *);
void tlb_fill_pde(struct tlb *, uint64_t va, unsigned pcid, uint64_t upper, uint64_t source, struct lost *);
void tlb_shadow(struct tlb *, uint64_t line); /* drops PDEs that were read from this line */

/* A page-structure cache. Its values are `upper` entries: frame of the next table, with the writable bit of all entries
 * on the way and PWT and PCD of the last. */
struct psc {
    const struct psc_description *description;
    const struct paging *paging;
    struct array *array;
    uint64_t *source; /* physical addresses of the entries, when they can be shadowed */
};

bool psc_open(struct psc *, const struct psc_description *, const struct paging *, bool shadowed, uint64_t seed);
void psc_close(struct psc *);
bool psc_serves(const struct psc *, enum psc_tag, unsigned level);
/* Linear: by va and level. Physical: by the address of the entry. */
bool psc_find(const struct psc *, unsigned level, uint64_t va, unsigned pcid, uint64_t source, uint64_t *upper,
              struct place *);
void psc_fill(struct psc *, unsigned level, uint64_t va, unsigned pcid, uint64_t source, uint64_t upper);
void psc_drop_pcid(struct psc *, unsigned pcid);
void psc_shadow(struct psc *, uint64_t line);

/* The TLBs that accesses of one kind look in, by level. */
struct side {
    unsigned levels;
    struct {
        unsigned count;
        struct tlb *tlb[MAX_TLBS];
    } level[TLB_LEVELS];
    unsigned last; /* class that hit last in the first level */
    struct hint {
        uint64_t key;
        struct tlb *tlb;
        struct hit hit;
    } hint[HINTS];
};

struct core {
    struct tlb tlb[MAX_TLBS];
    struct psc psc[MAX_PSC];
    struct side side[SIDES];
    unsigned pcid;
    unsigned turn[MAX_TLBS][CLASSES]; /* which of several TLBs of a level takes the next page, when all are full */
    uint64_t tables;                  /* bit (hash of frame): a table in this frame was cached; psc_shadowed */
};

struct translation {
    const struct description *description;
    struct caches *caches;
    struct ground *ground;
    struct paging paging;
    unsigned cores;
    struct core core[MAX_MODEL_CORES];
};

struct walk {
    bool fault;
    struct page page;
    unsigned loads, cycles;
    bool pde_missed;
};

/* A walk by the hardware (or by software, when walker.fixed is set): loads, cycles, page-structure caches. */
struct walk walker_walk(struct translation *, unsigned core, enum access_kind, uint64_t va, uint64_t now);
/* The same without effects and cycles. */
struct walk walker_peek(struct translation *, unsigned core, uint64_t va);
/* After a fill of a TLB: what it lost goes to the victim TLBs of the level behind. */
void translation_bury(struct core *, const struct tlb *, const struct lost *);
