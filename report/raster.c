// SPDX-License-Identifier: BSD-2-Clause
/* raster.c: see raster.h. */
#include "report/raster.h"
#include "base/arithmetic.h"
#include "report/font.h"

static int lowest(int one, int other)
{
    return one < other ? one : other;
}

static int highest(int one, int other)
{
    return one > other ? one : other;
}

/* The whole number at or below. */
static int whole(double number)
{
    int cut = (int)number;

    return number < cut ? cut - 1 : cut;
}

static double size_of(double number)
{
    return number < 0 ? -number : number;
}

/* 0 to 1 as a share of 256. */
static unsigned share_of(double covered)
{
    return covered <= 0 ? 0 : covered >= 1 ? 256 : (unsigned)(covered * 256);
}

void raster_mix(struct raster *raster, int x, int y, uint32_t colour, unsigned share)
{
    uint32_t *pixel, mixed = 0;

    if (x < 0 || x >= raster->width || y < raster->top || y >= raster->top + raster->rows)
        return;
    pixel = &raster->pixel[(size_t)(y - raster->top) * (size_t)raster->width + (size_t)x];
    for (unsigned shift = 0; shift < 24; shift += 8) {
        uint32_t old = *pixel >> shift & 0xff, new = colour >> shift & 0xff;
        mixed |= (old * (256 - share) + new *share) / 256 << shift;
    }
    *pixel = mixed;
}

void raster_box(struct raster *raster, int x, int y, int width, int height, uint32_t colour, unsigned share)
{
    int first = highest(y, raster->top), end = lowest(y + height, raster->top + raster->rows);

    for (int row = first; row < end; row++)
        for (int column = highest(x, 0); column < lowest(x + width, raster->width); column++)
            raster_mix(raster, column, row, colour, share);
}

void raster_frame(struct raster *raster, int x, int y, int width, int height, int thick, uint32_t colour)
{
    raster_box(raster, x, y, width, thick, colour, 256);
    raster_box(raster, x, y + height - thick, width, thick, colour, 256);
    raster_box(raster, x, y + thick, thick, height - 2 * thick, colour, 256);
    raster_box(raster, x + width - thick, y + thick, thick, height - 2 * thick, colour, 256);
}

void raster_line(struct raster *raster, struct spot from, struct spot to, double thick, uint32_t colour)
{
    double right = to.x - from.x, down = to.y - from.y, length = square_root(right * right + down * down);
    double half = thick / 2, reach = half + 1;
    int top = highest(whole((from.y < to.y ? from.y : to.y) - reach), raster->top);
    int bottom = lowest(whole((from.y > to.y ? from.y : to.y) + reach), raster->top + raster->rows - 1);
    int left = highest(whole((from.x < to.x ? from.x : to.x) - reach), 0);
    int end = lowest(whole((from.x > to.x ? from.x : to.x) + reach), raster->width - 1);

    if (length < 1e-6)
        return;
    for (int y = top; y <= bottom; y++) {
        for (int x = left; x <= end; x++) {
            /* How far the middle of the pixel lies beside the line, and how far from the middle between its ends. */
            double east = x + 0.5 - from.x, south = y + 0.5 - from.y;
            double beside = size_of(east * down - south * right) / length;
            double beyond = size_of((east * right + south * down) / length - length / 2) - length / 2;
            double covered = half + 0.5 - beside, end_covered = 0.5 - beyond;
            raster_mix(raster, x, y, colour, share_of(covered < end_covered ? covered : end_covered));
        }
    }
}

void raster_band(struct raster *raster, const struct spot low[2], const struct spot high[2], uint32_t colour,
                 unsigned share)
{
    int first = whole(low[0].x + 0.5), end = whole(low[1].x + 0.5);

    for (int x = highest(first, 0); x < lowest(end, raster->width); x++) {
        double part = (x + 0.5 - low[0].x) / (low[1].x - low[0].x);
        double one = low[0].y + (low[1].y - low[0].y) * part, other = high[0].y + (high[1].y - high[0].y) * part;
        double above = one < other ? one : other, below = one < other ? other : one;
        int last = lowest(whole(below), raster->top + raster->rows - 1);
        for (int y = highest(whole(above), raster->top); y <= last; y++) {
            double from = above > y ? above : y, to = below < y + 1 ? below : y + 1;
            raster_mix(raster, x, y, colour, share_of(to - from) * share / 256);
        }
    }
}

/* How far inside a marker a place lies, in pixels; negative: outside. */
static double inside(enum marker marker, double right, double down, double size)
{
    double across = size_of(right), along = size_of(down);

    switch (marker) {
    case MARKER_DISC:
        return size - square_root(right * right + down * down);
    case MARKER_SQUARE:
        return size * 0.9 - (across > along ? across : along);
    case MARKER_DIAMOND:
        return (size * 1.3 - across - along) * 0.7071;
    default:
        /* Its tip is up: two thirds of its height lie above the middle. */
        return down > size * 0.7 ? size * 0.7 - down : (size * 1.3 + down - 1.73 * across) / 2;
    }
}

void raster_marker(struct raster *raster, enum marker marker, struct spot at, double size, uint32_t colour)
{
    int reach = whole(size * 1.5) + 2, middle_x = whole(at.x), middle_y = whole(at.y);

    for (int y = middle_y - reach; y <= middle_y + reach; y++)
        for (int x = middle_x - reach; x <= middle_x + reach; x++)
            raster_mix(raster, x, y, colour, share_of(inside(marker, x + 0.5 - at.x, y + 0.5 - at.y, size) + 0.5));
}

static void glyph(struct raster *raster, int x, int y, int scale, bool bold, uint32_t colour, char character)
{
    const uint8_t *rows = font_glyph[(character < FONT_FIRST || character > FONT_LAST ? '?' : character) - FONT_FIRST];

    for (int row = 0; row < FONT_HEIGHT; row++)
        for (int column = 0; column < FONT_WIDTH; column++)
            if (rows[row] & 0x80 >> column)
                raster_box(raster, x + column * scale, y + row * scale, scale + bold, scale, colour, 256);
}

void raster_text(struct raster *raster, int x, int y, int scale, bool bold, uint32_t colour, const char *text)
{
    if (y >= raster->top + raster->rows || y + FONT_HEIGHT * scale <= raster->top)
        return;
    for (; *text; text++, x += FONT_WIDTH * scale)
        glyph(raster, x, y, scale, bold, colour, *text);
}
