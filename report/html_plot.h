// SPDX-License-Identifier: BSD-2-Clause
/* html_plot.h: one plot of report.html, between the files that draw it. A plot has no fixed width: places across and
 * down are percentages, curves are stretched with the page (html_plot.c), and text keeps its size on every screen. */
#pragma once
#include "report/axis.h"
#include "report/html.h"

enum { MOST_CURVES = 6 /* as many as there are colours and dashes */ };

struct plot {
    const struct notebook *notebook;
    const struct series *curve[MOST_CURVES];
    unsigned curves, number; /* number: of the plot in the document, for ids */
    bool drawable;           /* at least one point can be drawn; else the axes mean nothing */
    struct axis x, y;
};

/* The space of a line of text, as a share of a plot's height. */
extern const double plot_line;

/* A point of a curve as result.json has it. False: it cannot be drawn. Quartiles that are no numbers are the middle. */
bool plot_point(const struct plot *, const struct series *, unsigned index, struct point *);

/* Everything inside a plot. */
void html_plot(struct writer *, const struct plot *);

/* Decisions: what was found, on the curves where it was found. A finding is marked in a plot when it has a value in the
 * unit of one of the axes, within that axis, and belongs to the curve: both ids begin with the same part, or the curve
 * shows the levels of the hierarchy and the finding is a level's size or latency. Lines go below the curves, labels
 * above. */
void html_mark_lines(struct writer *, const struct plot *);
void html_mark_labels(struct writer *, const struct plot *);

/* The same in words, one sentence a mark. */
void html_marks_text(struct writer *, const struct plot *);
