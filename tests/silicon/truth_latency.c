// SPDX-License-Identifier: BSD-2-Clause
/* truth_latency.c: the truth of latency.*. Plateaus have no names but their order, and some (narrow, far out, hardly
 * higher than the one before) may or may not be told apart; then latency.3 is one of several, and each is right. */
#include "tests/silicon/truth_levels.h"
#include <string.h>

enum { SPARSE = 16 << 20, EIGHTHS = 8 };

/* What becomes of a capacity in eighths of an octave. */
static uint64_t eighths_on(uint64_t bytes, int eighths)
{
    static const double eighth[EIGHTHS] = {1,
                                           1.0905077326652577,
                                           1.189207115002721,
                                           1.2968395546510096,
                                           1.4142135623730951,
                                           1.5422108254079407,
                                           1.681792830507429,
                                           1.8340080864093424};
    double at = (double)bytes;

    for (; eighths < 0; eighths += EIGHTHS)
        at /= 2;
    for (; eighths >= EIGHTHS; eighths -= EIGHTHS)
        at *= 2;
    return (uint64_t)(at * eighth[eighths]) / 64 * 64;
}

/* Where the curve first exceeds `limit` around a capacity, to an eighth of an octave: it does not at *below, and does
 * at *above. */
static void find_rise(struct truths *truths, const struct level *from, const struct level *to, double limit,
                      uint64_t *below, uint64_t *above)
{
    uint64_t capacity = to->begins;
    int low = 0, high = 0;
    int stride = 1;

    if (walk_cycles(truths, capacity) > limit) {
        for (low = -1; eighths_on(capacity, low) > from->middle; low -= stride, stride *= 2) {
            if (walk_cycles(truths, eighths_on(capacity, low)) <= limit)
                break;
            high = low;
        }
    } else {
        for (high = 1; eighths_on(capacity, high) < to->middle; high += stride, stride *= 2) {
            if (walk_cycles(truths, eighths_on(capacity, high)) > limit)
                break;
            low = high;
        }
    }
    while (high - low > 1) {
        int between = low + (high - low) / 2;
        if (walk_cycles(truths, eighths_on(capacity, between)) > limit)
            high = between;
        else
            low = between;
    }
    *below = eighths_on(capacity, low);
    *above = eighths_on(capacity, high);
    if (*below < from->middle)
        *below = from->middle;
    if (*above > to->middle)
        *above = to->middle;
}

/* The last footprint on a plateau that a sweep has: not before the last one of any grid that is still on it for
 * certain, and not beyond half of the rise. */
static struct truth end_of(struct truths *truths, unsigned index)
{
    const struct level *level = &truths->level[index];
    struct truth truth = {.kind = TRUTH_RANGE, .optional = true};
    uint64_t below, above;

    /* Before what rises gradually, any footprint may be called the last one. */
    if (level[1].blends)
        truth.low = (double)level->middle;
    else {
        find_rise(truths, level, level + 1, level->cycles + latency_tolerance(level->cycles), &below, &above);
        truth.low = (double)eighths_on(below, below > SPARSE ? -EIGHTHS / 2 : -EIGHTHS / 4);
    }
    for (unsigned i = index + 1; i < truths->levels && truth.optional; i++) {
        const struct level *next = &truths->level[i];
        if (next->blends)
            above = next->ends ? next->ends : truths->reach;
        else
            find_rise(truths, level, next, (level->cycles + next->cycles) / 2, &below, &above);
        if (truth.high < (double)above)
            truth.high = (double)above;
        truth.optional = !next->certain;
    }
    return truth;
}

static void add_choice(struct truth *truth, double low, double high)
{
    if (truth->choices == MAX_CHOICES)
        return;
    truth->choice[truth->choices].low = low;
    truth->choice[truth->choices++].high = high;
}

static double core_hz(const struct description *description)
{
    const struct clock_description *clock = &description->clock;

    return (double)clock->hz * clock->ratio_core / clock->ratio_clock;
}

/* What is said of the plateau at one place of the list. */
static struct truth said_of(struct truths *truths, unsigned index, const char *what)
{
    const struct level *level = &truths->level[index];
    double scale = strcmp(what, "ns") == 0 ? 1e9 / core_hz(&truths->whole) : 1;
    double tolerance = latency_tolerance(level->cycles), lowest = level->lowest, highest = level->highest;

    if (strcmp(what, "ends") == 0)
        return index + 1 < truths->levels ? end_of(truths, index) : (struct truth){.kind = TRUTH_ABSENT};
    /* What is not told apart is part of this one. */
    for (unsigned i = index + 1; i < truths->levels && !truths->level[i].certain && truths->level[i].blends; i++)
        if (highest < truths->level[i].highest)
            highest = truths->level[i].highest;
    if (highest - lowest <= tolerance)
        return (struct truth){.kind = TRUTH_WITHIN, .value = level->cycles * scale, .tolerance = tolerance * scale};
    return (struct truth){
        .kind = TRUTH_RANGE, .low = (lowest - tolerance) * scale, .high = (highest + tolerance) * scale};
}

/* The truth of the plateau that is number `number` (from 1) in a report. */
static struct truth of_plateau(struct truths *truths, uint64_t number, const char *what)
{
    struct truth truth = {.kind = TRUTH_CHOICE}, last = {.kind = TRUTH_ABSENT};
    unsigned certain = 0, possible = 0;

    for (unsigned i = 0; i < truths->levels; i++) {
        if (certain < number && number <= certain + possible + 1) {
            last = said_of(truths, i, what);
            if (last.kind == TRUTH_WITHIN)
                add_choice(&truth, last.value - last.tolerance, last.value + last.tolerance);
            else if (last.kind == TRUTH_RANGE)
                add_choice(&truth, last.low, last.high);
            truth.optional = truth.optional || last.optional || last.kind == TRUTH_ABSENT;
        }
        if (truths->level[i].certain)
            certain++;
        else
            possible++;
    }
    if (truth.choices <= 1)
        truth = truth.choices ? last.kind == TRUTH_ABSENT ? truth : last : (struct truth){.kind = TRUTH_ABSENT};
    truth.optional = truth.optional || number > certain || certain < 2;
    return truth;
}

bool level_demanded(struct truths *truths, unsigned number, bool ends)
{
    unsigned certain = 0;

    levels_find(truths);
    for (unsigned i = 0; i < truths->levels; i++)
        certain += truths->level[i].certain;
    return certain >= 2 && number >= 1 && number <= (ends ? certain - 1 : certain);
}

static struct truth of_count(const struct truths *truths)
{
    struct truth truth = {.kind = TRUTH_RANGE};

    for (unsigned i = 0; i < truths->levels; i++) {
        truth.high++;
        truth.low += truths->level[i].certain;
    }
    truth.optional = truth.low < 2; /* one plateau without a step is not to be told from no measurement */
    return truth;
}

/* How many footprints were measured with pages of a size: any number, where there are such pages. */
static struct truth of_sizes(const struct description *description, uint64_t page)
{
    for (unsigned class = 0; class < 3; class ++)
        if (description->pages & 1U << class && page <= description->memory.span &&
            page == (uint64_t)1 << (description->page_shift + class * description->page_bits))
            return (struct truth){.kind = TRUTH_RANGE, .low = 1, .high = 1e18};
    return (struct truth){.kind = TRUTH_ABSENT};
}

struct truth truth_of_latency(struct truths *truths, const char *id)
{
    uint64_t number;
    const char *rest;

    if (strcmp(id, "latency.plateaus") == 0) {
        levels_find(truths);
        return of_count(truths);
    }
    if (!id_number(id, "latency.", &number, &rest))
        return (struct truth){.kind = TRUTH_NONE};
    if (strcmp(rest, "k.sizes") == 0)
        return of_sizes(&truths->whole, number << 10);
    if (strcmp(rest, "m.sizes") == 0)
        return of_sizes(&truths->whole, number << 20);
    if (strcmp(rest, "g.sizes") == 0)
        return of_sizes(&truths->whole, number << 30);
    if (number == 0 || (strcmp(rest, ".cycles") != 0 && strcmp(rest, ".ns") != 0 && strcmp(rest, ".ends") != 0))
        return (struct truth){.kind = TRUTH_NONE};
    levels_find(truths);
    return of_plateau(truths, number, rest + 1);
}
