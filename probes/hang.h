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
    REGIONS_UP = 18, /* a region of page numbers that share all but two tables: 1 GB of pages of 4 KB */
    MOST_VISITS = 160
};

struct hung {
    struct bench *bench;
    struct stretch dense; /* the frames of the pages' lines, of the controls, and of the table; and what is swept */
    uint64_t page;        /* bytes of one */
    uint64_t base;        /* address of page number 0 */
    uint64_t *hook, old;  /* the entry that the table hangs from, and what it was */
    unsigned chosen;      /* of what is timed, bit i: number i; all of them to begin with */
    uint8_t order[HUNG];  /* of visits: drawn anew for each script */
};

/* Maps them. False: *why says why not; nothing is mapped then. */
bool hung_open(struct hung *, struct bench *, const char **why);
void hung_close(struct hung *);

/* Where a page is, and where it is once more: through other tables, with the same low address bits, by which first
 * levels choose sets and predict ways. And a control. number: below HUNG. */
uint64_t hung_page(const struct hung *, unsigned number);
uint64_t hung_alias(const struct hung *, unsigned number);
uint64_t hung_control(const struct hung *, unsigned number);

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

enum hung_what { HUNG_NOTHING, HUNG_PAGES, HUNG_ALIASES, HUNG_ENTRIES, HUNG_CONTROLS };
/* Visits all of them, in the order of hung->order. */
void script_all(struct script_of *, const struct hung *, enum hung_what, enum op, unsigned lap);

/* Draws an order. */
void hung_shuffle(struct hung *);

/* Flushes the lines of all entries and controls, and one more of each kind, whose load opens a row of memory for what
 * is timed. */
void script_flush(struct script_of *, const struct hung *);

/* Appends what is timed, of those that are chosen: lap 1: controls or entries, as they were left, or nothing; lap 2: as
 * many lines beside the controls, which hit; lap 3: walks to pages, behind one to a page beside them, which leaves the
 * upper entries where a walk finds them. */
void script_timed(struct script_of *, const struct hung *, enum hung_what first);

/* Appends loads of all entries, each in a lap of its own, in the order of hung->order: laps 1 to HUNG; and as many
 * lines that hit: laps HUNG + 1 to 2 * HUNG. */
void script_singly(struct script_of *, const struct hung *);

/* Plays it. *disturbed: its times are not to be trusted. False: refused. */
bool script_play(struct script_of *, struct bench *, struct reading lap[MAX_LAPS], bool *disturbed);
