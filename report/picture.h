// SPDX-License-Identifier: BSD-2-Clause
/* picture.h: a finished run as pages for a graphics screen of any size from 640 x 480 up: the hierarchy, a plot for
 * each group of series, and the table. Pure: a page is laid out first, which settles every word and where it stands;
 * then it is drawn, as often as there are pieces of it (report/raster.h). So the same words can be told to who cannot
 * see them.
 *
 * Colours are those of Okabe and Ito ("Color Universal Design", 2008), which people of all kinds of colour vision tell
 * apart, and no series differs from another in colour alone. */
#pragma once
#include "base/text.h"
#include "report/axis.h"
#include "report/raster.h"
#include "report/report.h"

enum { MAX_LABELS = 160, LABEL_SIZE = 168, MAX_CURVES = 4, MAX_MARKS = 8, MAX_LEVELS = 8 };
enum { PICTURE_LEAST_WIDTH = 640, PICTURE_LEAST_HEIGHT = 480 };

enum role { ROLE_TITLE, ROLE_LEGEND, ROLE_X_AXIS, ROLE_Y_AXIS, ROLE_MARK, ROLE_LEVEL, ROLE_LINE, ROLE_KEYS, ROLES };

struct label {
    enum role role;
    int x, y, scale; /* pixels of the upper left corner; pixels of the screen to one of the font */
    bool bold;
    uint32_t colour;
    char text[LABEL_SIZE];
};

/* A level of the hierarchy: what findings say of it; NULL: nothing. */
struct level {
    char name[8]; /* "L1d", "memory" */
    const struct finding *size, *ways, *line, *latency, *time;
};

/* An axis: its low end at pixel `from`, its high end at `to`. */
struct scale {
    struct axis axis;
    int from, to;
    double tick[MOST_TICKS];
    unsigned ticks;
};

enum page_kind { PAGE_LEVELS, PAGE_PLOT, PAGE_LINES };

struct picture {
    enum page_kind kind;
    int width, height;
    int scale; /* of the text */
    const struct notebook *notebook;
    unsigned labels;
    struct label label[MAX_LABELS];
    /* PAGE_PLOT */
    struct scale x, y;
    unsigned curves, marks, heights;
    const struct series *curve[MAX_CURVES];
    struct spot swatch[MAX_CURVES];          /* of the legend */
    double mark[MAX_MARKS], high[MAX_MARKS]; /* sizes and latencies of the levels found, as x and y */
    /* PAGE_LEVELS */
    unsigned levels;
    struct level level[MAX_LEVELS];
    int box[MAX_LEVELS][4]; /* x, y, width, height */
};

/* Pages of pictures that the findings and series of a run make. */
unsigned picture_pages(const struct notebook *);

/* Lays out page `page`, from 0 on. `foot`: the line at the bottom. The size is at least the least one. */
void picture_make(struct picture *, const struct notebook *, unsigned page, int width, int height, const char *foot);

/* Lines and columns of text that fit on a page of this size, and such a page: lines `first` and on of a text. */
unsigned picture_rows(int width, int height);
unsigned picture_columns(int width, int height);
void picture_make_lines(struct picture *, const char *text, unsigned first, int width, int height, const char *foot);

/* Draws the part of the page that the raster holds; all of its pixels are set. */
void picture_draw(const struct picture *, struct raster *);

/* Tells the page's words, a line for each role: "screen x axis: 1 KB | 4 KB | footprint, bytes". */
bool picture_words(struct report_sink *, const struct picture *);
