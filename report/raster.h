// SPDX-License-Identifier: BSD-2-Clause
/* raster.h: boxes, lines, bands and text as pixels in memory. Pure: no firmware, no screen.
 *
 * A picture is drawn piece by piece, some rows at a time, into one small buffer: everything is given in the picture's
 * coordinates, and what lies outside the piece is left out. Drawing the same things into every piece gives the same
 * picture as drawing them once into a large one. Lines are smoothed by how much of a pixel they cover. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raster {
    uint32_t *pixel; /* width * rows of them, 0x00RRGGBB, row after row */
    int width, rows;
    int top; /* the picture's row that is the first one here */
};

/* A place in a picture; the middle of the pixel in column x and row y is (x + 0.5, y + 0.5). */
struct spot {
    double x, y;
};

/* Mixes a colour into the pixel: share 0 leaves it, 256 replaces it. Outside: nothing. */
void raster_mix(struct raster *, int x, int y, uint32_t colour, unsigned share);

/* A filled box; share as above. */
void raster_box(struct raster *, int x, int y, int width, int height, uint32_t colour, unsigned share);

/* The outline of a box, `thick` pixels wide, inside of it. */
void raster_frame(struct raster *, int x, int y, int width, int height, int thick, uint32_t colour);

/* A straight line `thick` pixels wide, with flat ends. */
void raster_line(struct raster *, struct spot from, struct spot to, double thick, uint32_t colour);

/* What lies between the lines low[0] to low[1] and high[0] to high[1], which have the same columns: from column
 * low[0].x up to, not including, column low[1].x. Neighbours that meet in a column do not overlap. */
void raster_band(struct raster *, const struct spot low[2], const struct spot high[2], uint32_t colour, unsigned share);

/* Markers of different shapes, so that series differ in more than colour. size: from the middle to the edge. */
enum marker { MARKER_DISC, MARKER_SQUARE, MARKER_DIAMOND, MARKER_TRIANGLE, MARKERS };
void raster_marker(struct raster *, enum marker, struct spot, double size, uint32_t colour);

/* ASCII text in cells of 8 by 16 pixels, each pixel `scale` times as large; (x, y) is its upper left corner. Bold: each
 * stroke one pixel wider. Other characters are shown as question marks. */
void raster_text(struct raster *, int x, int y, int scale, bool bold, uint32_t colour, const char *);
