// SPDX-License-Identifier: BSD-2-Clause
/* seats_pieces.c: pieces of large pages, which a TLB may keep instead of them. */
#include "base/arithmetic.h"
#include "probes/seats_inside.h"

/* Bytes of a page of each smaller size together: whichever of them a TLB keeps of a large page, the next one of each.
 */
static uint64_t piece_step(const struct seats *pages)
{
    uint64_t bytes = 0, size;
    for (unsigned i = 0; (size = machine_page(pages->bench->machine, i)) && size < pages->page; i++)
        bytes += size;
    return bytes;
}

uint64_t seats_most_pieces(const struct seats *pages)
{
    uint64_t step = piece_step(pages), most = step ? power_of_two_within(pages->page / step) : 0;
    return most < MOST_PIECES ? most : MOST_PIECES;
}

/* The piece that a page is visited in, by its number below `most`: each has another. */
static uint64_t piece_of(uint64_t number, enum pieces way, uint64_t most)
{
    switch (way) {
    case PIECES_AS_PAGES:
        return number;
    case PIECES_TURNED:
        return 2 * number < most ? 2 * number : 2 * number - most + 1;
    case PIECES_GRAY:
        break;
    }
    return number ^ number / 2;
}

/* The pitch of their lines: loads have a line each. */
static uint64_t pitch_of_pieces(const struct seats *pages)
{
    return pages->op == OP_LOAD && pages->pitch == TIGHT ? SEAT : pages->pitch;
}

/* Where pieces are visited in pages so many bytes apart; 0: all in one. at: room for their addresses. */
static struct stops pieces_from(const struct seats *pages, uint64_t base, uint64_t stride, uint64_t count,
                                enum pieces way, uint64_t at[MOST_PIECES])
{
    enum { SMALLEST = 4096 };
    uint64_t most = seats_most_pieces(pages), pitch = pitch_of_pieces(pages);
    for (uint64_t i = 0; i < count; i++)
        at[i] = base + i * stride + piece_of(i, way, most) * piece_step(pages) + stops_seat(i, pitch) % SMALLEST;
    return stops_listed(at, count);
}

bool seats_excess_of_pieces(struct seats *pages, uint64_t count, enum pieces way, double *ticks)
{
    uint64_t at[2][MOST_PIECES];
    double few;
    seats_row(pages, count);
    struct stops stops = pieces_from(pages, seats_row_base(pages), pages->page, count, way, at[0]);
    struct stops control = pieces_from(pages, pages->dense.base + seats_beside(pages), 0, count, way, at[1]);
    return seats_ok(pages) && seats_time_both(pages, &stops, &control, &few, ticks);
}

bool seats_excess_of_lines(struct seats *pages, uint64_t count, enum pieces way, double *ticks)
{
    uint64_t at[MOST_PIECES];
    double few;
    struct stops stops = pieces_from(pages, pages->dense.base, 0, count, way, at), lines = seats_dense(pages, count);
    lines.pitch = pitch_of_pieces(pages);
    return seats_time_both(pages, &stops, &lines, &few, ticks);
}
