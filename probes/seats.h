// SPDX-License-Identifier: BSD-2-Clause
/* seats.h: control and experiment of translation: the same lines of memory, once through few pages and once through as
 * many as there are stops. A stop is a load, a load and a store beside it, or a jump to the next stop: then as many
 * jumps are made in either, at the same offsets, and what branch targets and the instruction cache cost is in both.
 * Jumps and stores that share lines leave no room there for their control: it is in as many others of the same frames.
 *
 * Stop number j is always the same place in memory, "seat" j, in whatever page it is seen: seats lie side by side, and
 * a page is a number in a region of addresses, mapped to where its seat is. So the pages under test share the memory of
 * a few, as often as is asked for (paper 004, section 2, needs a line for each page, too; an owner of the tables may
 * let many pages lie in one frame), and no two that are neighbours lie in neighbouring frames: nothing coalesces. What
 * the walk through the pages takes longer than one over its seats is translation.
 *
 * Seats are lines of 64 bytes, or share them: the fewer lines there are, the later do they run out. Where lines that
 * are seen in several pages cost something by themselves (a cache with a virtual index, or a way predictor, has one
 * name for a line), seats have a line each, or two or four where lines are longer, or fetched ahead: seats_settle()
 * asks. */
#pragma once
#include "probes/sample.h"
#include "probes/stretch.h"
#include "probes/witness.h"

enum {
    MOST_LISTED = 1536,      /* pages of a list */
    MOST_IN_A_ROW = 1 << 13, /* pages */
    SHARE_FRAME = 64,        /* pages */
    PLACES = 2 * 14          /* halves of octaves, up to MOST_IN_A_ROW */
};

/* What a lap that misses costs more is known, once one was compared: the next ones cost as much, or nothing. They are
 * asked for a part of it, so small that a batch that takes all of it says so clearly (probes/sample.c). */
static const double CLEAR = 4.2;

struct seats {
    struct bench *bench;
    enum op op;           /* of its walks: OP_LOAD, OP_STORE, OP_JUMP or OP_JUMP_FAR */
    uint64_t page;        /* bytes of one */
    uint64_t pitch;       /* bytes between seats; 0: SEAT */
    unsigned bits;        /* of the number of a page in a list: 21, or fewer where there are not as many addresses */
    struct stretch dense; /* seats through the largest pages there are */
    uint64_t base;        /* address of page number 0 */
    uint64_t mapped;      /* pages of the row that are mapped: the first with numbers that differ in */
    uint64_t spread;      /* ... these bits, 0: in all, ... */
    uint64_t fixed;       /* ... and have these set */
    uint64_t quarters;    /* pages of four seats each that are mapped */
    uint64_t shared; /* up to so many seats are compared with themselves in pages of four each; 0: in the largest */
    uint64_t visits; /* machine_steps beyond which it would take too many */
    bool spent, undecided;  /* too many; noise left a decision open, for whoever asks to set */
    bool any;               /* something was mapped */
    uint64_t foretelling;   /* laps after which jumps are foretold; 0: it was not asked yet */
    uint64_t settling;      /* laps of a crowd in the run that is timed, before the clock starts; 0: as few as ever */
    double few;             /* ticks a step of the control that was timed last, by seats_excess */
    double control[PLACES]; /* of all lengths, two an octave; 0: none was timed */
    double longer;          /* ticks a lap that the pages took longer which were compared last, by seats_crowd */
    double blur;            /* ticks a lap that clock and spread make of that, if no batch was brief, at most */
    double beside;          /* ticks a step of what they were compared with */
    struct witness witness; /* of whoever shares the core, if seats_watch was asked for it */
    unsigned lasts;         /* pages of the list that was mapped last */
    uint32_t last[MOST_LISTED];
};

/* Maps the seats. False: the machine has no such pages, or no memory or addresses for them; *why says which. */
bool seats_open(struct seats *, struct bench *, enum op, uint64_t page, uint64_t visits, const char **why);
void seats_close(struct seats *);

/* Chooses how far apart seats lie: so many bytes or, where few pages, so many, take longer there than their seats by
 * `least` ticks a step, further; lines, one each, where none is near enough. Stops from before are none any more.
 * False: see seats_ok. */
bool seats_settle(struct seats *, uint64_t pitch, uint64_t few, double least);

/* Has a witness from now on, whose pages are so many, which fit, or as many as may be watched: what is slow while these
 * are slow, too, is timed again, later. Fewer than 16 are not worth it. False: see seats_ok. */
bool seats_watch(struct seats *, uint64_t count);

/* Pages of a list, from its beginning, that share a frame, at most SHARE_FRAME: they may change seats without being
 * mapped anew. */
unsigned seats_share(const struct seats *);

/* Skipped, refused, spent or undecided: false. */
bool seats_ok(const struct seats *);

/* So many seats, without a page for each. */
struct stops seats_dense(const struct seats *, uint64_t count);

/* So many pages on end, apart from those that may be listed; at most MOST_IN_A_ROW and 2 to the power of bits. */
struct stops seats_row(struct seats *, uint64_t count);

/* So many pages of the row, the first whose numbers have the bits that are alike in common with `number`. */
struct stops seats_row_alike(struct seats *, uint64_t count, uint64_t alike, uint64_t number);

/* So many seats in a quarter as many pages on end, which are others than the row's. */
struct stops seats_shared(struct seats *, uint64_t count);

/* What so many seats are compared with: without a page for each, or, where lines of one page are in each other's way (a
 * way predictor whose sets are few), in a quarter as many pages. */
struct stops seats_control(struct seats *, uint64_t count);

/* Pages of the row: all whose numbers have no other bits than these. */
struct stops seats_spread(struct seats *, uint64_t bits);

/* So many smaller pages on end, of `page` bytes, apart from all others: from that number on, 0 the first, in seats from
 * that one on, a multiple of 128. */
struct stops seats_smaller(struct seats *, uint64_t page, uint64_t number, uint64_t seat, uint64_t count);

/* Pages with numbers of so many bits, each there once. The list must live as long as the stops do. */
struct stops seats_listed(struct seats *, const uint32_t *number, unsigned count);

/* Ticks a step that a walk through pages takes longer than one over its seats; both settled. False: see seats_ok. */
bool seats_excess(struct seats *, const struct stops *, double *ticks);

/* Which of the smaller pages that a large one has room for it is visited in, by its number: in that of the same number;
 * in the one of the number turned to the left by a bit; or of its Gray code. Where bits of an index are folded, the
 * numbers of a page and of its piece may cancel out in one of them. */
enum pieces { PIECES_AS_PAGES, PIECES_TURNED, PIECES_GRAY };
enum { PIECES_WAYS = 3, MOST_PIECES = 512 };

/* The same of so many large pages of the row, each visited in another one of its pieces, which a TLB that keeps large
 * pages as a whole does not care for. count: seats_most_pieces() at most. */
bool seats_excess_of_pieces(struct seats *, uint64_t count, enum pieces, double *ticks);

/* Ticks a step that the same pieces of few pages take longer than as many lines side by side. */
bool seats_excess_of_lines(struct seats *, uint64_t count, enum pieces, double *ticks);

/* Pieces of a page, of which any two differ in all smaller sizes, as far as a power of two; 0: no page is smaller. */
uint64_t seats_most_pieces(const struct seats *);

/* Ticks a step that a walk of so many loads takes longer than its control by chance, at most, where the control takes
 * `few`: of lines that a cache has no room for, either walk finds others, as by lot. 0: of jumps, and where as good as
 * none are missed. Controls of all lengths have to be timed before, by seats_excess. */
double seats_by_lot(const struct seats *, uint64_t count, double few);

/* Whether in each lap over the pages some miss which do not in one over the control's: SLOWER: it takes longer by
 * `effect` ticks a lap, or more, with that error. mixed: the first of a list's numbers, at most seats_share(), that get
 * other seats again and again: what is slow because of its seat is fast in others (AMD's way predictor cannot tell some
 * lines of one set apart, by their pages); 0: none do. Also UNDECIDED where seats_ok is false. */
enum verdict seats_crowd(struct seats *, const struct stops *, const struct stops *control, double effect, double error,
                         uint32_t *number, unsigned mixed);
