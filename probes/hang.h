// SPDX-License-Identifier: BSD-2-Clause
/* hang.h: pages whose page table hangs in granted memory, so that its lines can be loaded and flushed like any others,
 * and scripts that walk to them.
 *
 * Each page has a table entry APART bytes from the next one's: no two in one line, whatever the lines. All pages lie in
 * one frame, each with a line of its own there, so that nothing coalesces. Other lines, the "controls", lie at the same
 * offsets of another frame: whatever is done to the line of an entry is done to one of them, too, and a load of it
 * tells where that left it. What loads of the pages take longer than loads that hit, right after everything was flushed
 * from the TLBs, are walks. */
#pragma once
#include "probes/sample.h"
#include "probes/stretch.h"

enum {
    HUNG = 10,   /* pages */
    APART = 256, /* bytes */
    ALL_HUNG = (1 << HUNG) - 1,
    /* Two, whose lines and entries are in no set of those that are always needed, of sets that repeat after 512 bytes
     * and more: entries of upper tables, those of the pages beside, and the lines there. */
    FEW_HUNG = 1 << 1 | 1 << 3,
    ENTRIES_UP = 9, /* bits of the number of an entry in its table */
    MOST_VISITS = 160
};

struct hung {
    struct bench *bench;
    struct stretch dense; /* the frames of the pages' lines, of the controls, and of the table; and what is swept */
    uint64_t page;        /* bytes of one */
    uint64_t base;        /* address of page number 0 */
    uint64_t *hook, old;  /* the entry that a table hangs from, and what it was */
    unsigned present;     /* what is visited at all, bit i: number i; all of them to begin with */
    unsigned chosen;      /* of these, what is timed */
    uint8_t order[HUNG];  /* of visits: drawn anew for each script */
};

/* Maps them. False: *why says why not; nothing is mapped then. */
bool hung_open(struct hung *, struct bench *, const char **why);
void hung_close(struct hung *);

/* Where a page is, and a control. number: below HUNG. */
uint64_t hung_page(const struct hung *, unsigned number);
uint64_t hung_control(const struct hung *, unsigned number);

/* Leaves all pages present, or those of FEW_HUNG: small first levels have room for these. */
void hung_leave(struct hung *, unsigned present);

/* Lets the second table hang there, or the first one again. TLBs know what they knew. */
void hung_swap(struct hung *, bool second);

/* Lines of so many frames: who visits them all, in random order, pushes entries and controls out of caches. They share
 * the low address bits of those, so that few of them do; or, `dense`, they are all lines of their frames: where a level
 * chooses sets by a hash of addresses, and the next one does not, only these fill the nearer one first. */
struct stops hung_sweep(const struct hung *, uint64_t frames, bool dense);
uint64_t hung_frames(const struct hung *); /* the most of them */

/* A script under construction: see machine_script. */
struct script_of {
    unsigned count;
    struct visit visit[MOST_VISITS];
};

void script_add(struct script_of *, enum op, uint64_t va, unsigned lap);
void script_fence(struct script_of *);

/* Lets what follows begin anywhere between two steps of the clock, by a wait that is drawn: means of many laps show
 * less than a step then, where rounds that are all as long would come in the same moment of it. */
void script_begin(struct script_of *, struct bench *);

enum hung_what { HUNG_NOTHING, HUNG_PAGES, HUNG_ENTRIES, HUNG_CONTROLS };
/* Visits all that are present, in the order of hung->order. */
void script_all(struct script_of *, const struct hung *, enum hung_what, enum op, unsigned lap);

/* Draws an order. */
void hung_shuffle(struct hung *);

/* Flushes the lines of all entries and controls, and those that are loaded, or walked to, right before these are timed:
 * that opens a row of memory. */
void script_flush(struct script_of *, const struct hung *);

/* Brings near, as the second table hangs there, what the pages hold, and all else that script_timed() visits, but for
 * their entries in the first table. */
void script_bring(struct script_of *, const struct hung *);

/* Appends what is timed, of those that are chosen: lap 2: as many lines beside the controls, which hit; and lap 1:
 * controls or entries, as they were left, or, with HUNG_PAGES, walks to pages, behind one to a page beside them, which
 * leaves the upper entries where a walk finds them. Before all, lap 3, whose time nobody asks: the same hits. */
void script_timed(struct script_of *, const struct hung *, enum hung_what);

/* Appends loads of all entries that are present, each in a lap of its own, in the order of hung->order: lap 1 + i for
 * the one at place i; and for each a line that hits: lap 1 + HUNG + i. Before all, from lap 1 + 2 * HUNG on, whose
 * times nobody asks: the same hits. */
void script_singly(struct script_of *, const struct hung *);

/* Plays it. *disturbed: its times are not to be trusted. False: refused. */
bool script_play(struct script_of *, struct bench *, struct reading lap[MAX_LAPS], bool *disturbed);
