// SPDX-License-Identifier: BSD-2-Clause
/* tlb_rows.c: a sweep of rows, and what its places say. */
#include "probes/tlb_rows.h"
#include "base/arithmetic.h"
#include "base/text.h"
#include "probes/pause.h"

enum { PARTS = 2, NARROW = 32, CYCLE = 1 };

/* Pages of the next place: two in an octave. */
static uint64_t next_place(uint64_t pages)
{
    uint64_t step = power_of_two_within(pages) / PARTS;
    return pages + (step ? step : 1);
}

/* Pages of the longest row: where there are few addresses, as many as their numbers have. */
static uint64_t longest_row(const struct tlb *tlb)
{
    uint64_t numbers = (uint64_t)1 << tlb->pages.bits;
    return numbers < tlb->side->most ? numbers : tlb->side->most;
}

bool tlb_walks_code(const struct tlb *tlb)
{
    return tlb->size->op != OP_LOAD;
}

/* Whether others may share the core. */
static bool is_shared(const struct tlb *tlb)
{
    return tlb->tries > 1;
}

bool tlb_watch(struct tlb *tlb, uint64_t fit)
{
    return is_shared(tlb) ? seats_watch(&tlb->pages, fit) : seats_ok(&tlb->pages);
}

/* Whether a place's jumps in few pages take as long as those of most, but for so many core cycles. */
static bool takes_few(const struct tlb *tlb, unsigned place, double room)
{
    return apart(tlb->place[place].few, tlb->few) <= room;
}

/* What jumps in few pages may take longer without hiding where translations end, or feigning it: so little that even
 * twice as many as do not fit take less than a part of the first step longer by it. What so many miss besides, if not
 * all fit there either, most of those miss. Of a second level, whose steps are lower, no more than ever. (A Redwood
 * Cove's jumps take 1 cycle, and from 192 on 1.5 to 2, whatever their number; what its first level of TLB has no more
 * takes 9.) */
static double find_little(const struct tlb *tlb)
{
    enum { PART = 8, TIMES = 2 };
    unsigned first = tlb_rises_above(tlb, 0, LEAST_STEP);
    if (tlb->behind || !first || first == tlb->places)
        return LEVEL;
    double little = tlb->place[first].cycles / PART;
    for (unsigned i = 0; i < tlb->places && tlb->place[i].pages <= TIMES * tlb->place[first].pages; i++)
        if (tlb->place[i].few > tlb->few + little)
            return LEVEL;
    return little > LEVEL ? little : LEVEL;
}

/* How many places come before jumps take longer for good, by more core cycles than that. Two on end must not. */
static unsigned clean_places(const struct tlb *tlb, double room)
{
    unsigned clean = tlb->places;
    while (clean > 1 && !(takes_few(tlb, clean - 1, room) && takes_few(tlb, clean - 2, room)))
        clean--;
    return clean;
}

/* What as many jumps take in few pages: from where they take longer on, something else is missed, too. For as many as
 * do not, twice on end, there is room, and so there is for fewer, whatever these took. What is missed by either walk
 * need not be as much, and policies make it vary. A jump of a cycle has missed nothing, though a core may foretell two
 * in one while there are few (a Redwood Cove: up to 16). */
static void find_clean(struct tlb *tlb)
{
    double few[MOST_PLACES] = {0};
    for (unsigned i = 0; i < tlb->places; i++)
        few[i] = tlb->place[i].few;
    /* The least of them may be too little. */
    tlb->few = tlb->places > 1 ? quantile(few, tlb->places, 1.0 / (tlb->places - 1)) : few[0];
    tlb->few = tlb->few < CYCLE ? CYCLE : tlb->few;
    tlb->little = find_little(tlb);
    unsigned calm = clean_places(tlb, LEVEL), clean = clean_places(tlb, tlb->little);
    tlb->calm = calm > 1 ? tlb->place[calm - 1].pages : 0;
    tlb->clean = clean > 1 ? tlb->place[clean - 1].pages : 0;
    tlb->mixed = clean < tlb->places ? tlb->place[clean].pages : UINT64_MAX;
}

static void note_jumps(struct tlb *tlb)
{
    char id[28];
    struct text text = text_in(id, sizeof id);
    text_format(&text, "%s.%s.jumps", tlb->side->name, tlb->size->name);
    struct series *series = note_series(tlb->notebook, id, "jumps", "cycles");
    for (unsigned i = 0; i < tlb->places; i++) {
        double few = tlb->place[i].few;
        note_point(tlb->notebook, series, (struct point){(double)tlb->place[i].pages, few, few, few});
    }
}

/* What a row of so many pages takes longer, and as many jumps in few pages, in core cycles. */
static bool measure_row(struct tlb *tlb, uint64_t count, struct row_place *place)
{
    double ticks;
    struct stops row = seats_row(&tlb->pages, count);
    if (!seats_ok(&tlb->pages) || !seats_excess(&tlb->pages, &row, &ticks))
        return false;
    *place = (struct row_place){count, ticks * tlb->bench.cycles_per_tick, tlb->pages.few * tlb->bench.cycles_per_tick};
    return true;
}

/* The same of a row of loads that is longer than all before. Where the control takes longer than the shortest one,
 * another is tried, for as long as no row has taken longer than its own: a quarter as many pages fit then. */
static bool measure_longer(struct tlb *tlb, uint64_t count, struct row_place *place, bool risen)
{
    struct seats *pages = &tlb->pages;
    if (!measure_row(tlb, count, place))
        return false;
    if (tlb_walks_code(tlb) || risen || !tlb->places || place->few <= tlb->place[0].few + LEVEL)
        return true;
    struct row_place again;
    uint64_t before = pages->shared;
    pages->shared = count;
    if (!measure_row(tlb, count, &again))
        return false;
    if (again.few <= tlb->place[0].few + LEVEL)
        *place = again;
    else
        pages->shared = before;
    return true;
}

bool tlb_is_undercut(const struct tlb *tlb, unsigned from, unsigned end, double cycles)
{
    for (unsigned i = from; i < end; i++)
        if (tlb->place[i].cycles < cycles - LEVEL - cycles / 32 &&
            (tlb_walks_code(tlb) || tlb_is_clean(tlb, tlb->place[i].pages)))
            return true;
    return false;
}

/* A row of loads takes no longer than a longer one: where it seems to, it is asked again, for a neighbour may have been
 * in its way. */
static bool ask_again(struct tlb *tlb)
{
    struct row_place again;
    for (unsigned i = 0; i < tlb->places; i++) {
        if (!tlb_is_undercut(tlb, i + 1, tlb->places, tlb->place[i].cycles))
            continue;
        if (!measure_row(tlb, tlb->place[i].pages, &again))
            return false;
        if (again.cycles < tlb->place[i].cycles)
            tlb->place[i] = again;
    }
    return true;
}

/* Whether a place's jumps in few pages took longer, though there is room for more of them: whoever shares the core was
 * busy. Hardly any take as long as they should among the fewest, whose loop is soon done. */
static bool is_busy(const struct tlb *tlb, unsigned place)
{
    enum { FEWEST = 16 };
    const struct row_place *row = &tlb->place[place];
    return row->pages >= FEWEST && row->pages <= tlb->calm && row->few > tlb->few + LEVEL;
}

/* Rows of jumps that were walked while the core was busy are asked again, later. */
static bool ask_when_quiet(struct tlb *tlb)
{
    enum { MOMENTS = 8 };
    struct row_place again;
    for (unsigned i = 0; i < tlb->places; i++)
        for (unsigned moment = 0; moment < MOMENTS && is_busy(tlb, i); moment++) {
            bench_wait(&tlb->bench, 1);
            if (!measure_row(tlb, tlb->place[i].pages, &again))
                return false;
            if (again.few < tlb->place[i].few)
                tlb->place[i] = again;
        }
    return true;
}

bool tlb_is_busy(const struct tlb *tlb)
{
    bool busy = false;
    for (unsigned i = 0; i < tlb->places; i++)
        busy = busy || is_busy(tlb, i);
    return busy;
}

/* Rows of all lengths, in seats so far apart or further. */
static bool sweep_in(struct tlb *tlb, uint64_t pitch)
{
    struct row_place place;
    bool risen = false;
    tlb->places = 0;
    tlb->clean = 0;
    tlb->mixed = UINT64_MAX;
    if (!seats_settle(&tlb->pages, pitch, tlb->side->fewest, LEAST_STEP / tlb->bench.cycles_per_tick))
        return false;
    for (uint64_t count = tlb->side->fewest; count <= longest_row(tlb) && tlb->places < MOST_PLACES;
         count = next_place(count)) {
        if (!measure_longer(tlb, count, &place, risen))
            return false;
        risen = risen || place.cycles >= LEAST_STEP;
        if (!risen && !tlb_watch(tlb, count))
            return false;
        if (place.cycles >= -LEAST_STEP) /* or the control misses, something that is no translation */
            tlb->place[tlb->places++] = place;
    }
    if (tlb_walks_code(tlb) && tlb->places)
        find_clean(tlb);
    return tlb_walks_code(tlb) ? ask_when_quiet(tlb) : ask_again(tlb);
}

/* Whether jumps run out of something else before the rows take longer, however little that costs. */
static bool runs_out(const struct tlb *tlb)
{
    unsigned first = tlb_rises_above(tlb, 0, LEAST_STEP);
    return tlb->places && tlb->calm < tlb->place[first < tlb->places ? first : tlb->places - 1].pages;
}

bool tlb_sweep(struct tlb *tlb)
{
    char id[28];
    struct text text = text_in(id, sizeof id);
    text_format(&text, "%s.%s", tlb->side->name, tlb->size->name);
    /* Jumps in lines that have several names may be slow even where few are not: each has one, if there are enough. */
    if (!sweep_in(tlb, tlb_walks_code(tlb) ? SEAT : TIGHT))
        return false;
    if (tlb_walks_code(tlb) && runs_out(tlb) && !sweep_in(tlb, TIGHT))
        return false;
    struct series *series = tlb->drawn ? NULL : note_series(tlb->notebook, id, "pages", "cycles");
    for (unsigned i = 0; series && i < tlb->places; i++) {
        double cycles = tlb->place[i].cycles;
        note_point(tlb->notebook, series, (struct point){(double)tlb->place[i].pages, cycles, cycles, cycles});
    }
    if (tlb_walks_code(tlb) && !tlb->drawn)
        note_jumps(tlb);
    tlb->drawn = true;
    return true;
}

bool tlb_sweep_longer(struct tlb *tlb, unsigned *after)
{
    tlb->behind = true;
    if (tlb_walks_code(tlb))
        find_clean(tlb);
    if (!tlb_walks_code(tlb) || tlb->pages.pitch == TIGHT || tlb->mixed == UINT64_MAX)
        return true;
    if (!sweep_in(tlb, TIGHT))
        return false;
    *after = tlb_rises_above(tlb, 0, LEAST_STEP);
    return true;
}

/* Core cycles that a row may take longer by chance, because lines run out. */
static double by_lot(const struct tlb *tlb, const struct row_place *place)
{
    double per_tick = tlb->bench.cycles_per_tick;
    return seats_by_lot(&tlb->pages, place->pages, place->few / per_tick) * per_tick;
}

/* chance: whether what a row takes longer by chance is no rise. */
static unsigned rises_above(const struct tlb *tlb, unsigned from, double cycles, bool chance)
{
    unsigned first = tlb->places;
    for (unsigned i = tlb->places; i > from; i--)
        if (tlb->place[i - 1].cycles >= cycles + (chance ? by_lot(tlb, &tlb->place[i - 1]) : 0))
            first = i - 1;
        else if (tlb_walks_code(tlb) ? tlb->place[i - 1].pages < tlb->mixed
                                     : tlb_is_clean(tlb, tlb->place[i - 1].pages))
            break;
    return first;
}

unsigned tlb_rises_above(const struct tlb *tlb, unsigned from, double cycles)
{
    return rises_above(tlb, from, cycles, false);
}

unsigned tlb_rises_surely(const struct tlb *tlb, unsigned from, double cycles)
{
    return rises_above(tlb, from, cycles, true);
}

double tlb_step_from(const struct tlb *tlb, unsigned from, unsigned *last)
{
    for (unsigned i = from; i + 1 < tlb->places; i++) {
        double cycles = tlb->place[i].cycles, room = LEVEL + cycles / 32;
        unsigned end = i;
        while (end + 1 < tlb->places && apart(tlb->place[end + 1].cycles, cycles) <= room)
            end++;
        /* A slope may be as level for half an octave, but for a tenth. */
        if (end < i + PARTS && (end == i || apart(tlb->place[i + 1].cycles, cycles) > LEVEL / 10))
            continue;
        *last = end;
        return tlb->place[(i + end) / 2].cycles;
    }
    return 0;
}

/* Whether a row takes longer than the control, or, of jumps, than those through fewer pages, which fit. */
static enum verdict compare_fewer(struct tlb *tlb, uint64_t count, uint64_t fewer, double miss, double error)
{
    struct seats *pages = &tlb->pages;
    struct stops control = tlb_walks_code(tlb) ? seats_row(pages, fewer) : seats_control(pages, count);
    struct stops row = seats_row(pages, count);
    return seats_crowd(pages, &row, &control, miss, error, NULL, 0);
}

/* The same of pages alone: jumps that take longer are compared with as many that go to other pages, too, but to
 * fewer. */
static enum verdict compare_row(struct tlb *tlb, uint64_t count, uint64_t fewer, double miss, double error)
{
    struct seats *pages = &tlb->pages;
    enum verdict verdict = compare_fewer(tlb, count, fewer, miss, error);
    if (verdict != SLOWER || !tlb_walks_code(tlb))
        return verdict;
    struct stops control = seats_shared(pages, count), row = seats_row(pages, count);
    return seats_crowd(pages, &row, &control, miss, error, NULL, 0);
}

static bool row_fits(struct tlb *tlb, uint64_t count, uint64_t fewer, double miss, double error)
{
    struct seats *pages = &tlb->pages;
    for (unsigned attempt = 0; attempt < ATTEMPTS && seats_ok(pages); attempt++) {
        enum verdict verdict = compare_row(tlb, count, fewer, miss, error);
        if (verdict != UNDECIDED)
            return verdict == NOT_SLOWER;
        bench_wait(&tlb->bench, 1 + attempt);
    }
    pages->undecided = true;
    return false;
}

bool tlb_row_fits(struct tlb *tlb, uint64_t count, uint64_t fewer, double miss)
{
    return row_fits(tlb, count, fewer, miss, BOUND);
}

/* Whether a row fits at this moment that did not before. Of jumps, what it took longer was known to be pages. */
static bool fits_now(struct tlb *tlb, uint64_t count, uint64_t fewer, double miss)
{
    if (tlb_walks_code(tlb) && compare_fewer(tlb, count, fewer, miss, BOUND) == SLOWER)
        return false;
    return tlb_row_fits(tlb, count, fewer, miss);
}

/* Halves what lies between pages in a row that fit and those that do not. */
static void halve(struct tlb *tlb, uint64_t fewer, double miss, uint64_t *fit, uint64_t *crowd)
{
    static const double ON_THE_WAY = 1e-2; /* where it ends is asked again, but after the last moment */
    while (*crowd - *fit > 1 && seats_ok(&tlb->pages)) {
        uint64_t middle = *fit + (*crowd - *fit) / 2;
        if (row_fits(tlb, middle, fewer, miss, ON_THE_WAY))
            *fit = middle;
        else
            *crowd = middle;
    }
}

/* Bisects the number of pages in a row that fit the first level, from one that does. Whether one page more fits is
 * asked again, more strictly than on the way, and where it does, twice as many more each time. Who owns the core is
 * alone with its entries; a neighbour that shares it can hold some for as long as it is busy. (A Zen 4's held one for
 * half of some seconds: it is asked at as many moments as take one.) */
static bool bisect(struct tlb *tlb, double miss, uint64_t *fit, uint64_t *crowd)
{
    enum { MOMENTS = 1, MORE_MOMENTS = 30 };
    const uint64_t fewer = *fit, longest = longest_row(tlb);
    const unsigned moments = is_shared(tlb) ? MORE_MOMENTS : MOMENTS;
    double asked = miss;
    if (tlb->fits > *fit && tlb->fits < *crowd)
        *fit = tlb->fits;
    halve(tlb, fewer, miss, fit, crowd);
    for (unsigned moment = 0; moment < moments && seats_ok(&tlb->pages); moment++) {
        bench_wait(&tlb->bench, 1);
        bool fits = *crowd < longest && fits_now(tlb, *crowd, fewer, asked);
        for (uint64_t more = 1; fits; more *= 2) {
            *fit = *crowd;
            *crowd = longest - *fit > more ? *fit + more : longest;
            fits = *crowd < longest && tlb_row_fits(tlb, *crowd, fewer, asked);
        }
        halve(tlb, fewer, miss, fit, crowd);
        if (tlb->pages.longer < CLEAR * asked && tlb->pages.longer > CLEAR * asked / 2)
            asked = tlb->pages.longer / CLEAR; /* what is asked for less clearly takes many more rounds */
    }
    if (is_shared(tlb) && *fit > tlb->fits)
        tlb->fits = *fit;
    return seats_ok(&tlb->pages);
}

/* Halves what lies between rows that take so many core cycles, or less, and those that take more. */
static bool halve_at(struct tlb *tlb, double cycles, uint64_t *fit, uint64_t *crowd, bool *rough)
{
    while ((*crowd - *fit) * NARROW > *fit) {
        struct row_place middle;
        if (!measure_row(tlb, *fit + (*crowd - *fit) / 2, &middle))
            return false;
        double lot = by_lot(tlb, &middle);
        *rough = *rough || lot > 0;
        if (middle.cycles > cycles + lot)
            *crowd = middle.pages;
        else
            *fit = middle.pages;
    }
    return true;
}

bool tlb_narrow(struct tlb *tlb, double level, double least, uint64_t *fit, uint64_t *crowd, bool *rough)
{
    const uint64_t sure = *fit;
    *rough = false;
    if (!halve_at(tlb, least, fit, crowd, rough))
        return false;
    if (level < least) {
        uint64_t end = *fit;
        *fit = sure;
        if (!halve_at(tlb, level, fit, &end, rough))
            return false;
    }
    *fit = *rough ? sure : *fit; /* where chance hides misses, it may be those of a few pages or of many */
    *fit -= 2 * *fit / NARROW;   /* a policy may hide some, too */
    return true;
}

bool tlb_is_clean(const struct tlb *tlb, uint64_t count)
{
    for (unsigned i = 0; i < tlb->places && !tlb_walks_code(tlb); i++)
        if (tlb->place[i].pages >= count)
            return tlb->place[i].few <= tlb->place[0].few + LEVEL;
    return tlb_walks_code(tlb);
}

bool tlb_row_is_clean(struct tlb *tlb, uint64_t count)
{
    struct row_place place;
    return measure_row(tlb, count, &place) && place.few <= tlb->place[0].few + LEVEL;
}

bool tlb_row_is_like(struct tlb *tlb, uint64_t count, uint64_t more)
{
    enum { TIMES = 8, PART = 8 };
    struct row_place less, longer;
    double lines = 0, pages = 0;
    for (unsigned time = 0; time < TIMES; time++) {
        if (!measure_row(tlb, count, &less) || !measure_row(tlb, more, &longer))
            return false;
        lines += (longer.few - less.few) / TIMES;
        pages += (longer.cycles - less.cycles) / TIMES;
    }
    return lines <= LEVEL || lines <= pages / PART;
}

/* The longest row before a place whose control misses no lines, and that takes no longer. */
static uint64_t last_clean(const struct tlb *tlb, unsigned place)
{
    while (place-- > 0)
        if (tlb->place[place].cycles < LEAST_STEP && tlb_is_clean(tlb, tlb->place[place].pages))
            return tlb->place[place].pages;
    return 1;
}

/* The first place, from one on, that takes longer than its control by more than chance makes of lines that run out;
 * that one, if none does. */
static unsigned first_surely(const struct tlb *tlb, unsigned place)
{
    for (unsigned i = place; i < tlb->places; i++)
        if (tlb->place[i].cycles >= LEAST_STEP + by_lot(tlb, &tlb->place[i]))
            return i;
    return place;
}

bool tlb_bound(struct tlb *tlb, unsigned place, double miss, uint64_t *fit, uint64_t *crowd, bool *rough)
{
    uint64_t end = tlb->place[place].pages;
    *crowd = end > *fit ? end : *fit + 1;
    bool told = bisect(tlb, miss, fit, crowd);
    *rough = *rough && !tlb_is_clean(tlb, end) && !(told && tlb_row_is_clean(tlb, *crowd));
    if (!*rough)
        return told;
    tlb->pages.undecided = false;
    *fit = last_clean(tlb, place);
    *crowd = tlb->place[first_surely(tlb, place)].pages;
    return seats_ok(&tlb->pages);
}

bool tlb_is_pure(struct tlb *tlb, uint64_t count)
{
    double ticks;
    if (!tlb_walks_code(tlb) || count <= tlb->clean)
        return true;
    struct stops row = seats_row(&tlb->pages, count);
    return count < tlb->mixed && seats_excess(&tlb->pages, &row, &ticks) &&
           tlb->pages.few * tlb->bench.cycles_per_tick <= tlb->few + tlb->little;
}
