// SPDX-License-Identifier: BSD-2-Clause
/* crowd.c: crowds of pages, spared until none can be. */
#include "base/arithmetic.h"
#include "probes/crowd_inside.h"

/* What is more than a row of pages says, because others hold a part of the level, may be wrong so often. */
static const double BEYOND = 0.1;

static const char of_lines[] = "lines of tables run out where it does";

/* Core cycles that a page which hits takes more than one that misses, at least, where that can be. */
static const double CHEAPER = 0.3;

/* Of a policy that draws lots most pages of a crowd with one too many stay. Few of them, and no more than there are
 * ways, find room soon; whether many do is a matter of luck. */
static const double LUCK = 0.3;
enum { FEW = 32 };

/* Pages of the block that are visited along. */
static unsigned block_of(const struct crowd *crowd)
{
    return crowd->reach->block >> bits_set(crowd->alike);
}

/* A walk over a crowd, with the block behind it. */
static struct stops with_block(struct crowd *crowd)
{
    unsigned count = crowd->count;
    for (unsigned i = 0; i < crowd->reach->block; i++)
        if (!((i ^ *crowd->number) & crowd->alike))
            crowd->number[count++] = ((uint32_t)1 << (crowd_pages(crowd)->bits - 1)) + i;
    return seats_listed(crowd_pages(crowd), crowd->number, count);
}

/* What a crowd is compared with: pages that the level has. Loads have no need of pages where there is no nearer level;
 * jumps go to another page each: to fewer than they are where a row of as many may not fit. Where there is a nearer
 * level, they are in the crowd's sets of it, so that it keeps as little of them. */
static struct stops control_of(const struct crowd *crowd)
{
    const struct reach *reach = crowd->reach;
    struct seats *pages = crowd_pages(crowd);
    uint64_t count = crowd->count + block_of(crowd);
    uint64_t fit = reach->block ? reach->fit >> bits_set(crowd->alike) : reach->fewer;
    if (!reach->block && pages->op == OP_LOAD)
        return seats_control(pages, count);
    return seats_row_alike(pages, count < fit ? count : fit, crowd->alike, *crowd->number);
}

/* How many of its pages may change seats while they are compared. Jumps stay: branch targets are found by address. */
static unsigned mixed(const struct crowd *crowd)
{
    return crowd_pages(crowd)->op == OP_LOAD && crowd->count <= seats_share(crowd_pages(crowd)) ? crowd->count : 0;
}

/* Whether a crowd that did not take longer by what misses of others did took longer all the same, by more than chance:
 * where lines of tables that one set's pages need are near and those of another's far, misses of the one cost a part of
 * the other's. Jumps, which may take longer for other reasons, are asked where the control makes as many, to as many
 * pages. */
static bool may_be_near(const struct crowd *crowd, uint64_t count, uint64_t control)
{
    enum { ENDS = 2 }; /* of what is compared, and of what it is compared with */
    const struct seats *pages = crowd_pages(crowd);
    double least = LEAST_MISSES * LEAST_SECOND / pages->bench->cycles_per_tick + ENDS * pages->blur;
    double lot = seats_by_lot(pages, count, pages->beside - (crowd->reach->block ? crowd->reach->hit : 0));
    return (pages->op == OP_LOAD || count == control) && pages->longer > least + lot * (double)count;
}

/* Whether a crowd, along with the block, takes longer than the control. */
static enum verdict compare(struct crowd *crowd, double error)
{
    struct seats *pages = crowd_pages(crowd);
    struct stops listed = with_block(crowd);
    struct stops control = control_of(crowd);
    uint64_t count = stops_count(&listed), beside = stops_count(&control);
    enum verdict verdict =
        seats_crowd(pages, &listed, &control, crowd->reach->miss, error, crowd->number, mixed(crowd));
    /* By how much is asked of other batches than said so. */
    if (verdict != SLOWER && may_be_near(crowd, count, beside) &&
        seats_crowd(pages, &listed, &control, pages->longer, error, crowd->number, mixed(crowd)) == SLOWER)
        return SLOWER;
    if (verdict != SLOWER || pages->op == OP_LOAD || count == beside)
        return verdict;
    control = seats_shared(pages, count); /* as many jumps, to fewer pages */
    return seats_crowd(pages, &listed, &control, crowd->reach->miss, error, NULL, 0);
}

bool crowd_overflows(struct crowd *crowd, double error)
{
    enum { ATTEMPTS = 8 };
    struct crowd other = *crowd;
    unsigned slow = 0, needed = crowd_pages(crowd)->op == OP_LOAD && !mixed(crowd) ? 2 : 1;
    for (unsigned attempt = 0; attempt < ATTEMPTS && seats_ok(crowd_pages(crowd)); attempt++) {
        enum verdict verdict = compare(&other, error);
        if (verdict == NOT_SLOWER)
            return false;
        slow += verdict == SLOWER;
        if (slow == needed)
            return true;
        crowd_shuffle(&other);
    }
    crowd_pages(crowd)->undecided = true;
    return false;
}

/* Some set that pages of the list's beginning are of is not that of number 0, nor of any small number: entries of
 * tables may share a TLB with pages (Zen 2), under the numbers of the regions that they cover, which are small. */
static uint32_t some_set(struct seats *pages)
{
    enum { HIGH = 0x78, ANY = 0x187 };
    return HIGH | (uint32_t)(bench_seed(pages->bench) & ANY);
}

/* Any pages that are as many as do not fit in a row, and none of which can be spared, are of one set: then they are the
 * crowd. They are given time: a tree of many ways takes some laps until each page has found one. */
static bool is_one_set(struct crowd *crowd)
{
    /* Of pages of two sets, one too many in one of them, half of the trials leave out one of the others. */
    enum { SETTLING = 16, TRIALS = 16 };
    struct crowd any = *crowd;
    struct seats *pages = crowd_pages(crowd);
    if (crowd->reach->block || crowd->count < crowd->reach->crowd)
        return false;
    crowd_shuffle(&any);
    any.count = (unsigned)crowd->reach->crowd;
    pages->settling = SETTLING;
    bool one = crowd_overflows(&any, SPARING) && crowd_none_to_spare(&any, TRIALS);
    pages->settling = 0;
    if (one)
        *crowd = any;
    return one;
}

/* A list of as many pages as do not fit in a row, of those with these bits, by lot. */
static void list_any(struct crowd *crowd, uint64_t bits)
{
    crowd_list_bits(crowd, bits);
    crowd_shuffle(crowd);
    if (crowd->count > crowd->reach->crowd)
        crowd->count = (unsigned)crowd->reach->crowd;
}

/* Whether so many pages find room after all, given so many laps for each, in the run that is timed: a policy that draws
 * lots would have drawn the one free entry, even of as many as there are pages, and a queue, of which whoever began the
 * run has taken a place, would have come to that again. */
static bool finds_room(struct crowd *crowd, unsigned laps)
{
    struct seats *pages = crowd_pages(crowd);
    pages->settling = laps * crowd->count;
    bool room = !crowd_overflows(crowd, LAST);
    pages->settling = 0;
    return room;
}

/* Whether one page less takes longer all the same, by a part of a miss a lap. One too many for a policy that draws lots
 * has two misses a lap on average, and often one alone: what asks for more than that may not see it. */
static bool still_misses(const struct crowd *crowd)
{
    enum { PART = 3, SETTLING = 16 };
    struct reach part = *crowd->reach;
    struct crowd less = *crowd;
    double miss = part.miss / (PART * LEAST_MISSES);
    part.miss = miss > part.least ? miss : part.least;
    less.reach = &part;
    less.count--;
    crowd_pages(crowd)->settling = SETTLING;
    bool misses = crowd_overflows(&less, LAST);
    crowd_pages(crowd)->settling = 0;
    return misses;
}

/* Whether it takes luck to be among those that stay, or time. sharp: one page less has always found room at once, in
 * any order: with luck it would take half as long as this many do, at most, and these have found none; but a queue may
 * have room for them all the same, and where few of them miss, one page less may miss still fewer. */
static bool draws_lots(struct crowd *crowd, bool sharp)
{
    enum { ROUND = 1, TIMES = 3, MOST = 128 };
    const struct reach *reach = crowd->reach;
    unsigned count = crowd->count + block_of(crowd);
    double ticks = 0;
    if (!crowd_overflows(crowd, LAST))
        return true;
    if (sharp && count <= MOST && finds_room(crowd, ROUND))
        return true;
    if (sharp && crowd->count <= FEW) /* laps of few are many in a batch, and tell two misses from none */
        return false;
    struct stops stops = with_block(crowd);
    if (!seats_excess(reach->pages, &stops, &ticks))
        return true;
    bool few = (ticks - reach->hit) * count < LUCK / LEAST_MISSES * reach->miss * crowd->count;
    if (crowd->count <= FEW || !few)
        return false;
    return sharp ? still_misses(crowd) : count > MOST || finds_room(crowd, TIMES); /* for all that is known */
}

/* Learns what a lap over the crowd costs more: of some orders, which may have fewer misses, the fewest are told. Where
 * they would not show by what is asked then, all stays as it was. True: it is less than was asked for. */
static bool learn_lap(struct crowd *crowd, struct reach *reach)
{
    enum { ORDERS = 3 };
    struct stops stops = with_block(crowd);
    double ticks, least = 0, before = reach->miss;
    double floor = LEAST_MISSES * LEAST_MISSES * LEAST_SECOND / reach->pages->bench->cycles_per_tick;
    for (unsigned order = 0; order < ORDERS; order++) {
        if (!seats_excess(reach->pages, &stops, &ticks))
            return false;
        ticks = (ticks - reach->hit) * (double)stops_count(&stops);
        if (!order || ticks < least)
            least = ticks;
    }
    reach->miss = least / CLEAR > before / 4 ? least / CLEAR : before / 4;
    if (least > floor && reach->miss > least / LEAST_MISSES)
        reach->miss = least / LEAST_MISSES; /* its tables are near */
    if (reach->miss < reach->least)
        reach->miss = reach->least;
    if (!crowd_overflows(crowd, LAST)) {
        reach->miss = before;
        reach->pages->undecided = false; /* other orders, as are asked, may miss less than those that were learned */
        return false;
    }
    return least < before;
}

/* Spares one of the last pages, so many, if any can be. Not of many pages: they may be lines of tables, of which fewer
 * and fewer miss. */
static bool spare_one(struct crowd *crowd, unsigned last)
{
    unsigned most = crowd->count <= 2 || crowd->count > SHARE_FRAME ? 0 : crowd->count;
    for (unsigned trial = 0; trial < last && trial < most && seats_ok(crowd_pages(crowd)); trial++) {
        struct crowd left = *crowd;
        left.count--;
        left.number[left.count - trial] = crowd->number[left.count];
        if (crowd_overflows(&left, LAST)) {
            *crowd = left;
            return seats_ok(crowd_pages(crowd));
        }
    }
    return false;
}

/* Spares pages for as long as what one too many costs by itself, which is known then, tells that none of those left can
 * be spared: before, no less than many of them cost on average was asked for. If that was too much, any of them may
 * have stayed, and each is tried; else only the last one. Without a nearer level a row of pages says how many there
 * are, too. */
static void spare_by_lap(struct crowd *crowd, struct reach *reach)
{
    bool less;
    do
        less = learn_lap(crowd, reach) && reach->block;
    while (spare_one(crowd, less ? crowd->count : 1));
}

/* Whether a page less than a crowd takes less than pages that hit: then it misses, too, and walks of tables that are
 * near take less than hits. What the crowd is too many for is a cache of lines of tables. */
static bool misses_are_cheap(const struct crowd *crowd)
{
    enum { TIMES = 2, ENDS = 2 };
    const struct seats *pages = crowd_pages(crowd);
    struct crowd left = *crowd;
    left.count--;
    double least = CHEAPER * left.count / pages->bench->cycles_per_tick;
    for (unsigned time = 0; time < TIMES && crowd->reach->block; time++)
        if (crowd_overflows(&left, LOOK) || pages->longer > -least - ENDS * pages->blur)
            return false;
    return crowd->reach->block && seats_ok(pages);
}

/* What a miss costs among pages as few as these: less than where tables, too, leave the caches. */
static bool learn(struct crowd *crowd, struct reach *reach)
{
    double ticks = 0;
    struct stops stops = with_block(crowd);
    if (!seats_excess(reach->pages, &stops, &ticks))
        return false;
    double miss = LEAST_MISSES * (ticks - reach->hit) * (double)stops_count(&stops) / crowd->count;
    if (miss > 0 && miss < reach->miss)
        reach->miss = miss > reach->least ? miss : reach->least;
    return true;
}

/* How many pages of a part of a block are in the crowd's set is known where each bit that matters is one of the set's
 * number, those of the nearer level among them. Else it is known of a whole block only: of a crowd that has one along
 * some pages can be spared, and bits that did not matter are asked again. */
static bool sets_by_bits(struct crowd *crowd, struct shape *shape)
{
    double error = shape->error;
    bool plain = crowd_serves(crowd, shape, shape->bits) && !(crowd->alike & ~shape->bits);
    if ((!crowd->alike || plain) && crowd_sets_by_bits(crowd, shape) && (!crowd->alike || shape->plain))
        return true;
    if (!crowd->alike || crowd_is_of_lines(crowd, shape) || !seats_ok(crowd_pages(crowd)))
        return false;
    crowd->alike = 0;
    while (spare_one(crowd, crowd->count))
        ;
    shape->error = error;
    shape->bits = crowd_bits(crowd, shape->bits);
    return seats_ok(crowd_pages(crowd)) && crowd_sets_by_bits(crowd, shape);
}

/* Whether pages too many to spare them one by one are of lines of tables: of which none of some can be spared, that are
 * not as many as a row says that one set has, and that do not fit wherever in these lines they are. */
static bool are_of_lines(struct crowd *crowd, const struct shape *shape)
{
    enum { TRIALS = 8 };
    return crowd->count > SHARE_FRAME && crowd->reach->block && !crowd_serves(crowd, shape, 0) &&
           crowd_none_to_spare(crowd, TRIALS) && crowd_moves_in_lines(crowd);
}

bool crowd_shape(const struct reach *known, struct shape *shape, const char **why)
{
    struct reach own = *known, *reach = &own;
    struct crowd crowd = {.reach = reach, .set = some_set(reach->pages)};
    unsigned bits = 1;
    *shape = (struct shape){.error = 2 * LAST};
    while (5 * ((uint64_t)1 << bits) < 6 * reach->fit || (uint64_t)1 << bits < reach->crowd)
        bits++;
    *why = "it would take too many pages to fill it";
    if ((uint64_t)1 << bits > MOST_IN_A_ROW || bits >= reach->pages->bits)
        return false;
    uint64_t left = crowd_spare_bits(&crowd, ((uint64_t)1 << bits) - 1);
    if ((uint64_t)1 << bits_set(left) > MOST_CROWD || reach->block > MOST_LISTED - MOST_CROWD)
        return false;
    *why = "no few pages push each other out of it";
    crowd_list_bits(&crowd, left);
    if (!learn(&crowd, reach))
        return false;
    /* Where lines run out soon, more pages than it takes to fill one set may hide what they cost. */
    if (!crowd_overflows(&crowd, SPARING)) {
        list_any(&crowd, left);
        if (!seats_ok(reach->pages) || reach->block || !crowd_overflows(&crowd, SPARING))
            return false;
    }
    bool sharp = is_one_set(&crowd);
    if (!sharp) {
        crowd_spare_parities(&crowd, left);
        crowd_shuffle(&crowd);
        crowd_cut(&crowd);
        if (are_of_lines(&crowd, shape)) {
            *why = of_lines;
            return false;
        }
        for (unsigned piece = crowd.count < 4 ? 1 : crowd.count / 4; piece; piece /= 2)
            crowd_spare_pieces(&crowd, piece);
    }
    if (crowd.count < 2) /* one page alone misses: that is no TLB's doing */
        return false;
    if (!seats_ok(reach->pages) || draws_lots(&crowd, sharp)) {
        *why = "which pages it keeps is a matter of luck";
        return false;
    }
    spare_by_lap(&crowd, reach);
    shape->miss = reach->miss;
    *why = "a walk of tables that are near takes less than it";
    if (misses_are_cheap(&crowd))
        return false;
    /* One that has one set needs no further look: its ways are what a row of pages says. */
    if (reach->block || reach->rough || !crowd_in_reach(reach, crowd.count - 1))
        shape->bits = crowd_bits(&crowd, 0);
    *why = "pages in a row and pages of one set say different things";
    if (!seats_ok(reach->pages) || (!sets_by_bits(&crowd, shape) && !crowd_sets_by_stride(&crowd, shape)))
        return false;
    /* Which pages they are does not matter to a second level of one set; to a cache of lines, of tables and of theirs,
     * it does. */
    *why = of_lines;
    if (reach->block && shape->sets == 1 && !crowd_fits_apart(&crowd, crowd.count - 1))
        return false;
    if (shape->ways * shape->sets * shape->neighbours >= reach->crowd)
        shape->error += BEYOND;
    *why = "pages in a row and pages of one set say different things";
    return crowd_holds_elsewhere(&crowd, shape) && seats_ok(reach->pages);
}
