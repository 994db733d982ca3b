// SPDX-License-Identifier: BSD-2-Clause
/* crowd_sets.c: which bits of a page's number choose the set, and how many sets there are, from a crowd of one set. */
#include "base/arithmetic.h"
#include "base/random.h"
#include "probes/crowd_inside.h"
#include "probes/pause.h"

/* Ways of which a nearer level may have kept some may be wrong so often. */
static const double NEARER_KEPT = 0.05;

enum { IN_A_LINE = 4 }; /* entries of a table, in the shortest line */

enum { STRIDES = 64 }; /* that may be tried for an odd number of sets */

/* Pages of one set that get other numbers by lot are of one set still in one time of 2^DOUBT. */
enum { DOUBT = 11 };

static bool among(const struct crowd *crowd, uint32_t number)
{
    for (unsigned i = 0; i < crowd->count; i++)
        if (crowd->number[i] == number)
            return true;
    return false;
}

/* Whether bits of the page's number matter: pages of one set that are moved by them are in another set then. Each half
 * of them is moved once: if either leaves room, the bits matter; if one does not, somebody else may have been in that
 * set. (Of many pages one half is moved: they may be lines of tables, of which some always leave room.) */
static bool matters(const struct crowd *crowd, unsigned bits)
{
    unsigned halves = crowd->count <= SHARE_FRAME ? 2 : 1;
    for (unsigned half = 0; half < halves && seats_ok(crowd_pages(crowd)); half++) {
        struct crowd moved = *crowd;
        moved.alike &= ~bits;
        for (unsigned i = half; i < crowd->count; i += 2) {
            moved.number[i] ^= bits;
            if (among(crowd, moved.number[i]))
                return false; /* both are of the set */
        }
        if (!crowd_overflows(&moved, LOOK))
            return seats_ok(crowd_pages(crowd));
    }
    return false;
}

/* The crowd's pages, each of which makes some moves or not, by lot. */
static void move_by_lot(const struct crowd *crowd, const unsigned *move, unsigned moves, struct random *random,
                        struct crowd *moved)
{
    *moved = (struct crowd){.reach = crowd->reach, .set = crowd->set, .alike = crowd->alike};
    for (unsigned i = 0; i < moves; i++)
        moved->alike &= ~move[i];
    while (moved->count < crowd->count) {
        uint32_t number = crowd->number[moved->count];
        for (uint64_t i = 0, lot = random_next(random); i < moves; i++)
            number ^= lot >> i & 1 ? move[i] : 0;
        if (!among(moved, number))
            moved->number[moved->count++] = number;
    }
}

/* Whether any of some moves matter: among pages of one set that make each or not, by lot, some are of other sets then,
 * but for one time in 2^DOUBT. Of few moves it may say so unasked: it takes less to ask them one by one. */
static bool any_matters(const struct crowd *crowd, const unsigned *move, unsigned moves)
{
    if ((crowd->count - 1) * moves < DOUBT || crowd->count >> (moves - 1))
        return true;
    struct random random = {bench_seed(crowd_pages(crowd)->bench)};
    struct crowd moved;
    for (unsigned pages = 0; pages < DOUBT && seats_ok(crowd_pages(crowd)); pages += crowd->count - 1) {
        move_by_lot(crowd, move, moves, &random, &moved);
        if (!crowd_overflows(&moved, LOOK))
            return true;
    }
    return false;
}

/* Pages of the block that are of one set, of those that it is in, and are visited. */
static unsigned of_block(const struct crowd *crowd, unsigned mask)
{
    unsigned unit = crowd->reach->unit;
    return unit ? crowd->reach->block / unit * (unit >> bits_set((mask | crowd->alike) & (unit - 1))) : 0;
}

/* Pages of the block that are of the crowd's set, if the bits of a mask choose the set, or others that follow them. */
static bool block_in_set(struct crowd *crowd, unsigned mask, unsigned *in_set)
{
    unsigned block = crowd->reach->block, unit = crowd->reach->unit;
    unsigned each = of_block(crowd, mask);
    *in_set = each;
    if (!block || !(mask & ~(unit - 1)))
        return true;
    /* The block is in some sets only: a crowd in others, where it is not, is one all the same, or it needed the block.
     */
    bool told = false;
    for (unsigned bit = 0; bit < 32; bit++) {
        if (!(mask >> bit & 1) || 1U << bit < unit)
            continue;
        struct crowd moved = *crowd;
        for (unsigned i = 0; i < moved.count; i++)
            moved.number[i] ^= 1U << bit;
        unsigned needed = crowd_overflows(&moved, LAST) ? 0 : each;
        if (!seats_ok(crowd_pages(crowd)) || (told && needed != *in_set))
            return false;
        *in_set = needed;
        told = true;
    }
    return true;
}

/* Whether so many pages, at a distance of so many, do not fit. */
static bool row_crowds(struct crowd *crowd, uint64_t stride, unsigned count)
{
    struct crowd row = {.reach = crowd->reach, .count = count};
    for (unsigned i = 0; i < count; i++)
        row.number[i] = (uint32_t)(i * stride);
    return crowd_overflows(&row, LAST);
}

/* Whether so many pages, at a distance of so many, do not fit, and one fewer does; and as many at another distance,
 * which pages of any distance would not, if there were but one set. */
static bool stride_shows(struct crowd *crowd, uint64_t stride, unsigned count)
{
    if ((stride + 1) * count >> (crowd_pages(crowd)->bits - 1))
        return false;
    return row_crowds(crowd, stride, count) && !row_crowds(crowd, stride, count - 1) &&
           !row_crowds(crowd, stride + 1, count) && seats_ok(crowd_pages(crowd));
}

bool crowd_in_reach(const struct reach *reach, uint64_t pages)
{
    return pages + reach->hidden >= reach->fit && pages < reach->most;
}

/* The lowest of the bits that are set in a mask. */
static unsigned lowest(unsigned mask, unsigned count)
{
    unsigned low = 0;
    for (; count; count--, mask &= mask - 1)
        low |= mask & -mask;
    return low;
}

/* Whether so many ways in 2^bits sets are what a row of pages says, where an entry serves one page or some. */
static bool serves(const struct crowd *crowd, struct shape *shape, unsigned ways, unsigned bits)
{
    const struct reach *reach = crowd->reach;
    /* Folded bits do not say how many sets there are: then a row alone does. */
    uint64_t end = (unsigned)bits_set(shape->bits) > bits ? reach->crowd : reach->most;
    shape->sets = (uint64_t)1 << bits;
    for (shape->neighbours = 1; shape->neighbours <= crowd->reach->neighbours; shape->neighbours *= 2)
        if (crowd_in_reach(reach, ways * shape->sets * shape->neighbours) &&
            ways * shape->sets * shape->neighbours < end &&
            (shape->neighbours == 1 || !(shape->bits & (shape->neighbours - 1))))
            return true;
    return false;
}

/* The ways, so many or as many fewer as a nearer level may have kept pages of the crowd, of which a row of pages says
 * the same. 0: none. */
static unsigned serves_less(const struct crowd *crowd, struct shape *shape, unsigned ways, unsigned bits)
{
    enum { MARGIN = 2 };
    unsigned kept = (unsigned)(MARGIN * crowd->reach->kept * crowd->count + 0.5);
    for (unsigned less = 0; less <= kept && less < ways; less++)
        if (serves(crowd, shape, ways - less, bits)) {
            shape->error += less ? NEARER_KEPT : 0;
            return ways - less;
        }
    return 0;
}

/* Whether all bits that matter, and that no row of pages has to show what they do, are folded onto one of the lowest:
 * pages that are moved by both stay in their set. If one is not, there are more sets than a row can fill. Folds are of
 * bits as far apart as there are of them, mostly: such pairs are all asked at once. */
static bool high_bits_fold(const struct crowd *crowd, unsigned matter, unsigned low)
{
    unsigned count = (unsigned)bits_set(low), pairs = 0, pair[32];
    for (unsigned bit = 0; bit < 32; bit++)
        if ((matter & ~low) >> bit & 1 && (crowd->reach->rough || (uint64_t)1 << bit >= crowd->reach->crowd))
            pair[pairs++] = 1U << bit | (count ? 1U << bit % count : 0);
    if (!pairs || !any_matters(crowd, pair, pairs))
        return true;
    for (unsigned i = 0; i < pairs; i++) {
        unsigned high = pair[i] & ~low, onto = 0;
        if (!matters(crowd, pair[i]))
            continue;
        while (onto < count && matters(crowd, high | 1U << onto))
            onto++;
        if (onto == count)
            return false;
    }
    return true;
}

/* Whether the highest of the bits that are taken for a set's number does something of its own: if it does what one of
 * the others does, pages that are moved by both stay in their set, and there are half as many sets. */
static bool highest_is_apart(const struct crowd *crowd, unsigned low)
{
    unsigned highest = low;
    while (highest & (highest - 1))
        highest &= highest - 1;
    for (unsigned others = low & ~highest; others; others &= others - 1)
        if (!matters(crowd, highest | (others & -others)))
            return false;
    return true;
}

bool crowd_serves(const struct crowd *crowd, const struct shape *shape, unsigned mask)
{
    struct shape some = *shape;
    unsigned bits = (unsigned)bits_set(mask), each = of_block(crowd, mask);
    return serves_less(crowd, &some, crowd->count - 1, bits) ||
           serves_less(crowd, &some, crowd->count + each - 1, bits);
}

bool crowd_is_of_lines(const struct crowd *crowd, const struct shape *shape)
{
    return crowd->reach->block && shape->bits && !(shape->bits & (IN_A_LINE - 1));
}

bool crowd_moves_in_lines(const struct crowd *crowd)
{
    enum { TRIALS = 3 };
    static const unsigned move[] = {IN_A_LINE / 4, IN_A_LINE / 2};
    struct random random = {bench_seed(crowd_pages(crowd)->bench)};
    struct crowd moved;
    for (unsigned trial = 0; trial < TRIALS && seats_ok(crowd_pages(crowd)); trial++) {
        move_by_lot(crowd, move, sizeof move / sizeof *move, &random, &moved);
        if (!crowd_overflows(&moved, LOOK))
            return false;
    }
    return seats_ok(crowd_pages(crowd));
}

bool crowd_sets_by_bits(struct crowd *crowd, struct shape *shape)
{
    unsigned mattering = (unsigned)bits_set(shape->bits);
    if (crowd_is_of_lines(crowd, shape))
        return false;
    for (unsigned folded = 0; folded <= mattering; folded++) {
        unsigned bits = mattering - folded, mask = lowest(shape->bits, bits), in_set;
        if (folded && (mask & (mask + (mask & -mask)))) /* the low ones have to be all there */
            continue;
        unsigned unit = crowd->reach->unit;
        if (crowd->reach->block > unit && mask & ~(unit - 1))
            continue; /* two units in some sets, one in others */
        if (!crowd_serves(crowd, shape, mask))
            continue;
        if (!block_in_set(crowd, mask, &in_set))
            return false;
        struct shape said = *shape;
        said.ways = serves_less(crowd, &said, crowd->count + in_set - 1, bits);
        said.plain = !folded;
        /* A row may say that a few more pages fit than do, where walks of tables that are near take little. */
        if (said.ways && highest_is_apart(crowd, mask)) {
            *shape = said;
            return !folded || high_bits_fold(crowd, shape->bits, mask);
        }
    }
    return false;
}

bool crowd_sets_by_stride(struct crowd *crowd, struct shape *shape)
{
    const struct reach *reach = crowd->reach;
    if (reach->block || reach->rough)
        return false; /* how many of the block share a set, or how many sets a row fills, is not known then */
    shape->ways = crowd->count - 1;
    shape->neighbours = 1;
    shape->plain = false;
    uint64_t first = (reach->fit + shape->ways - 1) / shape->ways;
    for (uint64_t sets = first; sets < first + STRIDES && crowd_in_reach(reach, sets * shape->ways); sets++)
        if (sets & (sets - 1) && stride_shows(crowd, sets, crowd->count)) {
            shape->sets = sets;
            return true;
        }
    return false;
}

/* Those of some bits that matter, of which seldom many do: half of them are asked at once, and half of those. */
static unsigned few_that_matter(const struct crowd *crowd, unsigned from, unsigned to, unsigned known)
{
    unsigned move[32], all = 0, middle = from + (to - from) / 2;
    for (unsigned bit = from; bit < to; bit++)
        all |= move[bit - from] = 1U << bit;
    if (to - from == 1)
        return *move & known || matters(crowd, *move) ? *move : 0;
    if (from == to || (!(all & known) && !any_matters(crowd, move, to - from)))
        return 0;
    unsigned bits = few_that_matter(crowd, from, middle, known);
    return seats_ok(crowd_pages(crowd)) ? bits | few_that_matter(crowd, middle, to, known) : bits;
}

unsigned crowd_bits(const struct crowd *crowd, unsigned known)
{
    unsigned count = crowd_pages(crowd)->bits - 2, low = 0, bits = 0;
    while (low < count && (uint64_t)(crowd->count - 1) << low < crowd->reach->crowd)
        low++;
    for (unsigned bit = 0; bit < low && seats_ok(crowd_pages(crowd)); bit++)
        bits |= (unsigned)(known >> bit & 1 || matters(crowd, 1U << bit)) << bit;
    return bits | few_that_matter(crowd, low, count, known);
}

/* The crowd's pages, moved to another set that the block has as many pages of, or, where there is but one, any others.
 */
static void move_all(const struct crowd *crowd, const struct shape *shape, struct random *random, struct crowd *other)
{
    *other = *crowd;
    unsigned unit = crowd->reach->unit, mask = shape->bits & (unit ? unit - 1 : ~0U);
    unsigned lot = (unsigned)random_next(random), numbers = (1U << crowd_pages(crowd)->bits) - 1;
    for (unsigned i = 0; i < other->count; i++)
        other->number[i] ^= shape->sets > 1 ? lot & mask : lot >> 4 & 0xff00 & numbers;
}

/* Any pages that are of one set, if the bits that do not matter do not: as many as the block leaves no room for, or,
 * where it is in some sets only, of one where it is not, as many as there are ways, and one. False: there are not
 * enough such bits, or which sets the block is in is not known. */
static bool any_of_a_set(const struct crowd *crowd, const struct shape *shape, struct random *random,
                         struct crowd *other)
{
    unsigned unit = crowd->reach->unit, numbers = (1U << (crowd_pages(crowd)->bits - 2)) - 1;
    unsigned mask = lowest(shape->bits, (unsigned)bits_set(shape->sets - 1)), beyond = unit ? mask & ~(unit - 1) : 0;
    unsigned free = numbers & ~(shape->bits | crowd->alike), count = beyond ? shape->ways + 1 : crowd->count;
    uint32_t set = *crowd->number ^ ((uint32_t)random_next(random) & shape->bits & ~crowd->alike);
    if (crowd->reach->kept > 0 || (beyond && !shape->plain) || count > (uint64_t)1 << bits_set(free))
        return false;
    if (!(set & beyond))
        set |= beyond;
    *other = (struct crowd){.reach = crowd->reach, .set = crowd->set, .alike = crowd->alike};
    while (other->count < count) {
        uint32_t number = set ^ ((uint32_t)random_next(random) & free);
        if (!among(other, number))
            other->number[other->count++] = number;
    }
    return true;
}

/* Whether one page less fits, at one moment of some: somebody else may be in that set. */
static bool fits_without_one(const struct crowd *crowd)
{
    enum { MOMENTS = 3 };
    struct crowd less = *crowd;
    less.count--;
    for (unsigned moment = 0; moment < MOMENTS && seats_ok(crowd_pages(crowd)); moment++) {
        bench_wait(crowd_pages(crowd)->bench, moment);
        if (!crowd_overflows(&less, LOOK))
            return seats_ok(crowd_pages(crowd));
    }
    return false;
}

bool crowd_holds_elsewhere(const struct crowd *crowd, const struct shape *shape)
{
    enum { TRIALS = 4 };
    struct seats *pages = crowd_pages(crowd);
    struct random random = {bench_seed(pages->bench)};
    if (shape->sets & (shape->sets - 1) || (!shape->bits && shape->sets > 1))
        return true;
    for (unsigned trial = 0; trial < TRIALS && seats_ok(pages); trial++) {
        struct crowd other;
        bool any = trial % 2 && shape->sets > 1 && any_of_a_set(crowd, shape, &random, &other);
        if (!any)
            move_all(crowd, shape, &random, &other);
        bench_wait(pages->bench, 1);
        if (!crowd_overflows(&other, LOOK) || (any && !fits_without_one(&other)))
            return false;
    }
    return seats_ok(pages);
}

bool crowd_fits_apart(const struct crowd *crowd, unsigned count)
{
    enum { ENTRIES = 8 }; /* of a table, in a line */
    struct crowd apart = {.reach = crowd->reach, .count = count};
    uint32_t stride = ENTRIES;
    while (stride > 1 && (uint64_t)stride * count >> (crowd_pages(crowd)->bits - 1))
        stride /= 2;
    for (unsigned i = 0; i < count; i++)
        apart.number[i] = (i * stride) ^ crowd->set;
    return !crowd_overflows(&apart, LAST);
}
