// SPDX-License-Identifier: BSD-2-Clause
/* colour.c: one row of physical pages in two virtual layouts. */
#include "probes/colour.h"
#include "base/arithmetic.h"
#include "base/random.h"
#include "probes/pause.h"

enum { ATTEMPTS = 6, UNIT = 256 };

struct row {
    uint64_t page, distance; /* bytes: of a page, and from one line to the next: a multiple of it and of a way */
    uint64_t lines;
    bool two_colours; /* every other physical page is the next one */
};

static uint64_t extent_of(const struct row *row)
{
    return row->lines * row->distance + 2 * row->page;
}

/* From here on lines are a page further on in the second layout. */
static uint64_t half_of(const struct row *row)
{
    return (row->lines + 1) / 2;
}

/* Maps line by line: the layout changes, the physical pages stay what they are. */
static bool map_row(struct fit *fit, const struct row *row, bool spread)
{
    for (uint64_t i = 0; i < row->lines; i++) {
        uint64_t va = fit->stretch.base + i * row->distance, pa = fit->stretch.physical + i * row->distance;
        va += spread && i >= half_of(row) ? row->page : 0;
        pa += row->two_colours && i % 2 ? row->page : 0;
        if (!machine_map(fit->bench.machine, va, pa, row->page, row->page, MEM_WB)) {
            fit->bench.refused = true;
            return false;
        }
    }
    return true;
}

/* Whether the row does not fit in a layout. */
static bool overflows(struct fit *fit, const struct row *row, bool spread, double *error)
{
    struct stretch whole = {.size = 0};
    struct answer answer = {.error = 1};
    struct stops stops = stops_sequence(fit->base, row->distance, row->lines);
    if (spread) {
        stops.shifted_from = half_of(row);
        stops.shift = row->page;
    }
    /* The rest of the pages is for the control. */
    bool mapped = stretch_map(fit->bench.machine, row->page, extent_of(row), &whole);
    fit->stretch = whole;
    if (whole.size < extent_of(row))
        fit->wrong = "the memory is too small";
    bool over = fit_usable(fit) && map_row(fit, row, spread) && fit_overflows(fit, &stops, FIT_CHECK, &answer);
    *error += answer.error;
    if (mapped)
        stretch_unmap(fit->bench.machine, &whole);
    return over;
}

/* What one row says. That lines fit is proof; that they do not is none, for some policies do not let a set settle that
 * has room: so a row that fits in neither layout says nothing. */
static enum colour_answer ask(struct fit *fit, const struct row *row, double *error)
{
    bool same = overflows(fit, row, false, error);
    bool spread = fit_usable(fit) && overflows(fit, row, true, error);
    if (!fit_usable(fit) || (same && spread))
        return COLOUR_OPEN;
    if (spread)
        fit->wrong = "lines of one colour fit, and of two do not";
    return same ? COLOUR_VIRTUAL : spread ? COLOUR_OPEN : COLOUR_PHYSICAL;
}

/* One attempt. Under a virtual index both rows show it; under a physical one that of two colours does, and the other
 * says nothing, or, where physical order is another than it seems, the same. */
static enum colour_answer both_rows(struct fit *fit, struct row *row, double *error)
{
    *error = 0;
    row->two_colours = true;
    enum colour_answer two = ask(fit, row, error);
    if (two == COLOUR_OPEN)
        return two;
    row->two_colours = false;
    enum colour_answer one = ask(fit, row, error);
    if (!fit_usable(fit) || one == two || (one == COLOUR_OPEN && two == COLOUR_PHYSICAL))
        return fit_usable(fit) ? two : COLOUR_OPEN;
    fit->wrong = "physical pages of one colour and of two do not agree";
    return COLOUR_OPEN;
}

enum colour_answer colour_of_index(struct fit *fit, uint64_t page, uint64_t way, unsigned ways, double *error)
{
    uint64_t common = way / common_divisor(way, page) * page;
    enum colour_answer answer = COLOUR_OPEN;
    for (unsigned attempt = 0; attempt < ATTEMPTS && bench_ok(&fit->bench) && answer == COLOUR_OPEN; attempt++) {
        struct random random = {bench_seed(&fit->bench)};
        struct row row = {.page = page, .distance = common * (1 + 2 * (attempt % 2)), .lines = ways + 1};
        bench_wait(&fit->bench, attempt);
        fit->wrong = NULL;
        fit->undecided = false;
        /* What nobody uses any more stays in a set under some policies, unless the caches are emptied. */
        fit->emptied = attempt % 2 && bench_empty(&fit->bench);
        fit->base = machine_view(fit->bench.machine).base + KEPT + random_below(&random, (page - KEPT) / UNIT) * UNIT;
        answer = both_rows(fit, &row, error);
    }
    if (answer == COLOUR_OPEN && fit_usable(fit))
        fit->wrong = "lines for which there is room do not settle in a set";
    return answer;
}
