// SPDX-License-Identifier: BSD-2-Clause
/* crowd.h: ways and sets of a TLB, from the fewest pages that it cannot hold together.
 *
 * Pages that all hit, lap after lap, are in the TLB together, whatever its policy; pages of which one is too many for a
 * set miss at least once a lap. So a crowd that does not fit, and of which no page can be spared, is one page more than
 * a set has ways (paper 000, section 6, has the same of caches; Vila et al., IEEE S&P 2019, of eviction sets). A crowd
 * is found by sparing first halves by one bit of the page's number, then pieces, then pages: no stride is ever doubled,
 * and no index assumed. Which bits choose the set is told by moving every other page of the crowd by one bit: that
 * relieves it if the bit matters.
 *
 * A level with fewer ways than a nearer one has entries is hidden behind it: a block of other pages, spread over all
 * sets, is then visited along with the crowd, so large that the nearer levels keep nothing, or, where policies keep
 * some pages of any number, little: pages that are kept are too many in a crowd, and a row of pages has to say how
 * many. Of a block only those pages are visited that the nearer level has in sets of the crowd's: the others push
 * nothing out of these. */
#pragma once
#include "probes/seats.h"

/* Core cycles that a page which a level lacks takes longer, at least: no less than a load that hits. */
static const double LEAST_SECOND = 2.5;

/* Misses that a lap over a crowd has at least, in walks of the tables or hits of the next level: where the page that is
 * pushed out is visited before the one that pushed it, there are two; and any of them may cost a little less. (Only a
 * policy that gives up what came last has one; then ways and entries contradict each other.) */
static const double LEAST_MISSES = 1.4;

/* What is known of a level before: pages in a row that fit, and that do not. */
struct reach {
    struct seats *pages;
    uint64_t fit, crowd;
    bool rough;          /* they may be far apart: then bits have to say how many sets there are */
    uint64_t most;       /* entries that it may have, and one more; less than twice what fits, if not rough */
    uint64_t hidden;     /* pages of a row that fits that may be too many all the same */
    uint64_t fewer;      /* of jumps: pages in a row that surely fit */
    unsigned block;      /* pages of the block that is visited along: one unit, or three; 0: there is no nearer level */
    unsigned unit;       /* pages: a power of two */
    unsigned nearer;     /* page-number bits, below the unit, by which the nearer level chooses sets; 0: any others */
    double kept;         /* part of the block that the nearer level keeps all the same, by its policy */
    double hit;          /* ticks that a page that this level has costs more than its seat */
    double miss;         /* ticks a lap that a crowd costs more, at least */
    double least;        /* no miss is learned to cost less a lap; 0: what is learned counts */
    unsigned neighbours; /* pages that one entry may serve, at most */
};

struct shape {
    unsigned ways;
    uint64_t sets;
    unsigned neighbours; /* pages side by side that one entry serves */
    unsigned bits;       /* a mask of the page-number bits that matter for the set, of all but the two highest */
    bool plain;          /* each of them alone is a bit of the set's number */
    double error;        /* that it is wrong */
    double miss;         /* ticks a lap that crowds were asked by in the end; 0: none was found */
};

/* Finds it. False: *why says why not, or see seats_ok. */
bool crowd_shape(const struct reach *, struct shape *, const char **why);
