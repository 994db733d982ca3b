// SPDX-License-Identifier: BSD-2-Clause
/* picture_parts.h: what the pages' files share: colours, labels, axes, levels. */
#pragma once
#include "report/picture.h"

enum {
    COLOUR_PAGE = 0x101418,
    COLOUR_FIELD = 0x181e24,
    COLOUR_GRID = 0x2c343c,
    COLOUR_EDGE = 0x8a949e,
    COLOUR_TEXT = 0xe8ecf0,
    COLOUR_FAINT = 0xa8b0b8,
    COLOUR_WARNING = 0xf0e442,
    COLOUR_MARK = 0xcc79a7
};

extern const uint32_t curve_colour[MAX_CURVES];

/* Adds a label; a text that would leave the page is cut. Returns its width in pixels. */
int picture_label(struct picture *, enum role, int x, int y, uint32_t colour, const char *text);
int picture_label_bold(struct picture *, enum role, int x, int y, uint32_t colour, const char *text);
int picture_label_large(struct picture *, enum role, int x, int y, uint32_t colour, const char *text);

/* Where a value stands, in pixels; one outside of the axis at its end. */
double picture_place(const struct scale *, double value);

/* The levels that findings speak of, the one nearest to the core first: l1d, l1i, l2, l3, ..., memory. Returns how
 * many. */
unsigned picture_levels(const struct notebook *, struct level level[MAX_LEVELS]);

/* The series of a plot page, NULL-free; returns how many, 0: there is no such page. */
unsigned picture_curves(const struct notebook *, unsigned page, const struct series *curve[MAX_CURVES]);

void picture_make_levels(struct picture *);
void picture_draw_levels(const struct picture *, struct raster *);
void picture_make_plot(struct picture *);
void picture_draw_plot(const struct picture *, struct raster *);
