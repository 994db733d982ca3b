// SPDX-License-Identifier: BSD-2-Clause
/* html_plot.c: axes, bands and curves of one plot. Curves lie in an inner picture of ACROSS by DOWN units that the
 * browser stretches to the page's width while lines keep their thickness; all text is outside of it. */
#include "report/html_plot.h"
#include "base/number.h"
#include "report/names.h"
#include "report/xml.h"

enum {
    ACROSS = 4000,
    DOWN = 2000,
    MOST_DRAWN = 400, /* points of a curve; a longer one is thinned to COLUMNS columns */
    COLUMNS = 360,
    MOST_NARROW = 5, /* labels below a narrow plot; of more, each second is left out there */
    MOST_DOTS = 80   /* points that are shown one by one */
};

const double plot_line = 0.062;

static bool is_finite(double number)
{
    return number - number == 0;
}

bool plot_point(const struct plot *plot, const struct series *series, unsigned index, struct point *point)
{
    const struct point *raw = &plot->notebook->point[series->first + index];

    point->x = number_as_written(raw->x);
    point->middle = number_as_written(raw->middle);
    point->low = is_finite(raw->low) ? number_as_written(raw->low) : point->middle;
    point->high = is_finite(raw->high) ? number_as_written(raw->high) : point->middle;
    return is_finite(raw->x) && is_finite(raw->middle);
}

static unsigned column_of(const struct plot *plot, const struct series *series, unsigned index)
{
    struct point point;

    if (!plot_point(plot, series, index, &point))
        return COLUMNS + 1;
    return (unsigned)(axis_place(&plot->x, point.x) * COLUMNS);
}

/* What is drawn of neighbouring points that lie in one column: their extremes, so that no peak is lost. */
struct run {
    unsigned first, end;
    bool drawable;
    double x, low, high;   /* the quartiles' extremes, at the first point */
    struct point one, two; /* the lowest and the highest middle, in their order */
};

/* The run that begins at a point. In a curve that is not thinned each point is a run of its own. */
static struct run run_at(const struct plot *plot, const struct series *series, unsigned first)
{
    struct run run = {.first = first, .end = first + 1};
    struct point point;
    unsigned column, lowest = first, highest = first;

    run.drawable = plot_point(plot, series, first, &run.one);
    run.two = run.one;
    run.x = run.one.x;
    run.low = run.one.low;
    run.high = run.one.high;
    if (series->count <= MOST_DRAWN || !run.drawable)
        return run;
    column = column_of(plot, series, first);
    for (; run.end < series->count && column_of(plot, series, run.end) == column; run.end++) {
        plot_point(plot, series, run.end, &point);
        run.low = point.low < run.low ? point.low : run.low;
        run.high = point.high > run.high ? point.high : run.high;
        if (point.middle < run.one.middle) {
            run.one = point;
            lowest = run.end;
        }
        if (point.middle > run.two.middle) {
            run.two = point;
            highest = run.end;
        }
    }
    if (highest < lowest) {
        point = run.one;
        run.one = run.two;
        run.two = point;
    }
    return run;
}

/* The first point of the run that ends with a point. */
static unsigned run_before(const struct plot *plot, const struct series *series, unsigned last)
{
    unsigned column = column_of(plot, series, last);

    if (series->count > MOST_DRAWN && column <= COLUMNS) {
        while (last > 0 && column_of(plot, series, last - 1) == column)
            last--;
    }
    return last;
}

static void write_place(struct writer *writer, const struct plot *plot, char command, double x, double y)
{
    write_format(writer, "%c%u %u", command, (unsigned)(axis_place(&plot->x, x) * ACROSS + 0.5),
                 (unsigned)((1 - axis_place(&plot->y, y)) * DOWN + 0.5));
}

/* The quartiles of a stretch of drawable points: along the upper ones, and back along the lower ones. */
static void write_band_part(struct writer *writer, const struct plot *plot, const struct series *series, unsigned first,
                            unsigned end)
{
    char command = 'M';

    for (unsigned i = first; i < end; command = 'L') {
        struct run run = run_at(plot, series, i);
        write_place(writer, plot, command, run.x, run.high);
        i = run.end;
    }
    for (unsigned i = end; i > first;) {
        i = run_before(plot, series, i - 1);
        struct run run = run_at(plot, series, i);
        write_place(writer, plot, 'L', run.x, run.low);
    }
    write_string(writer, "Z");
}

/* The end of the stretch of points from `first` that can all be drawn, or that cannot. */
static unsigned stretch_end(const struct plot *plot, const struct series *series, unsigned first)
{
    struct point point;
    bool drawable = plot_point(plot, series, first, &point);
    unsigned end = first + 1;

    while (end < series->count && plot_point(plot, series, end, &point) == drawable)
        end++;
    return end;
}

static void write_band(struct writer *writer, const struct plot *plot, const struct series *series, unsigned colour)
{
    struct point point;

    write_format(writer, "<path class=\"band b%u\" d=\"", colour);
    for (unsigned i = 0; i < series->count; i = stretch_end(plot, series, i)) {
        if (plot_point(plot, series, i, &point))
            write_band_part(writer, plot, series, i, stretch_end(plot, series, i));
    }
    write_string(writer, "\"/>\n");
}

/* The quartiles of a curve of one point, which is no curve: a line from one to the other. */
static void write_whisker(struct writer *writer, const struct plot *plot, const struct series *series, unsigned colour)
{
    struct point point;

    if (!plot_point(plot, series, 0, &point))
        return;
    write_format(writer, "<path class=\"s%u\" d=\"", colour);
    write_place(writer, plot, 'M', point.x, point.low);
    write_place(writer, plot, 'L', point.x, point.high);
    write_string(writer, "\"/>\n");
}

static void write_curve(struct writer *writer, const struct plot *plot, const struct series *series, unsigned colour)
{
    char command = 'M';

    write_format(writer, "<path class=\"curve s%u\" d=\"", colour);
    for (unsigned i = 0; i < series->count;) {
        struct run run = run_at(plot, series, i);
        i = run.end;
        if (!run.drawable) {
            command = 'M';
            continue;
        }
        write_place(writer, plot, command, run.one.x, run.one.middle);
        command = 'L';
        if (run.two.x != run.one.x || run.two.middle != run.one.middle)
            write_place(writer, plot, command, run.two.x, run.two.middle);
    }
    write_string(writer, "\"/>\n");
}

/* A line of no length with round ends is a dot, and stays round when the picture is stretched. */
static void write_dots(struct writer *writer, const struct plot *plot, const struct series *series, unsigned colour)
{
    struct point point;

    write_format(writer, "<path class=\"dots s%u%s\" d=\"", colour, series->count == 1 ? " lone" : "");
    for (unsigned i = 0; i < series->count; i++) {
        if (!plot_point(plot, series, i, &point))
            continue;
        write_place(writer, plot, 'M', point.x, point.middle);
        write_string(writer, "h0");
    }
    write_string(writer, "\"/>\n");
}

/* The picture that is stretched to the plot's size. */
static void begin_stretched(struct writer *writer)
{
    write_format(writer, "<svg viewBox=\"0 0 %u %u\" width=\"100%%\" height=\"100%%\" preserveAspectRatio=\"none\">\n",
                 ACROSS, DOWN);
}

static void write_grid(struct writer *writer, const struct plot *plot)
{
    double ticks[MOST_TICKS];
    unsigned count = axis_ticks(&plot->x, ticks);

    begin_stretched(writer);
    write_string(writer, "<path class=\"grid\" d=\"");
    for (unsigned i = 0; i < count; i++)
        write_format(writer, "M%u 0v%u", (unsigned)(axis_place(&plot->x, ticks[i]) * ACROSS + 0.5), DOWN);
    count = axis_ticks(&plot->y, ticks);
    for (unsigned i = 0; i < count; i++)
        write_format(writer, "M0 %uh%u", (unsigned)((1 - axis_place(&plot->y, ticks[i])) * DOWN + 0.5), ACROSS);
    write_format(writer, "\"/>\n<path class=\"edge\" d=\"M0 0V%uH%u\"/>\n</svg>\n", DOWN, ACROSS);
}

static void write_curves(struct writer *writer, const struct plot *plot)
{
    begin_stretched(writer);
    for (unsigned i = 0; i < plot->curves; i++) {
        if (plot->curve[i]->count > 1)
            write_band(writer, plot, plot->curve[i], i);
        else if (plot->curve[i]->count == 1)
            write_whisker(writer, plot, plot->curve[i], i);
    }
    for (unsigned i = 0; i < plot->curves; i++) {
        write_curve(writer, plot, plot->curve[i], i);
        if (plot->curve[i]->count <= MOST_DOTS)
            write_dots(writer, plot, plot->curve[i], i);
    }
    write_string(writer, "</svg>\n");
}

static void write_label(struct writer *writer, const struct axis *axis, double value)
{
    char buffer[64];
    struct text text = text_in(buffer, sizeof buffer);

    axis_label(&text, axis, value);
    write_xml(writer, buffer);
    write_string(writer, "</text>\n");
}

static void write_title(struct writer *writer, const struct axis *axis, const char *name)
{
    char buffer[80];
    struct text text = text_in(buffer, sizeof buffer);

    axis_title(&text, axis, name);
    write_xml(writer, buffer);
    write_string(writer, "</text>\n");
}

static void write_axes(struct writer *writer, const struct plot *plot)
{
    double ticks[MOST_TICKS];
    unsigned count = axis_ticks(&plot->x, ticks);

    for (unsigned i = 0; i < count; i++) {
        bool extra = count > MOST_NARROW && i % 2;
        write_format(writer, "<text class=\"tick middle%s\" ", extra ? " extra" : "");
        write_string(writer, "y=\"100%\" dy=\"1.4em\" x=\"");
        html_share(writer, axis_place(&plot->x, ticks[i]));
        write_string(writer, "\">");
        write_label(writer, &plot->x, ticks[i]);
    }
    count = axis_ticks(&plot->y, ticks);
    for (unsigned i = 0; i < count; i++) {
        write_string(writer, "<text class=\"tick end\" x=\"0\" dx=\"-.5em\" dy=\".35em\" y=\"");
        html_share(writer, 1 - axis_place(&plot->y, ticks[i]));
        write_string(writer, "\">");
        write_label(writer, &plot->y, ticks[i]);
    }
    write_string(writer, "<text class=\"axis end\" x=\"100%\" y=\"100%\" dy=\"2.9em\">");
    write_title(writer, &plot->x, curve_x(plot->curve[0]->id));
    write_string(writer, "<text class=\"axis\" x=\"0\" y=\"0\" dx=\"-3.6em\" dy=\"-.9em\">");
    write_title(writer, &plot->y, curve_y(plot->curve[0]->id));
}

/* The last point of a curve that can be drawn. */
static bool last_point(const struct plot *plot, const struct series *series, struct point *point)
{
    for (unsigned i = series->count; i-- > 0;) {
        if (plot_point(plot, series, i, point))
            return true;
    }
    return false;
}

/* A place for a line of text as near to `wanted` (a share of the height, from above) as those before leave one. */
static double free_place(const double *taken, unsigned count, double wanted)
{
    for (unsigned tried = 0; tried <= 2 * count; tried++) {
        unsigned lines = (tried + 1) / 2;
        double place = wanted + plot_line * lines * (tried % 2 ? 1 : -1);
        bool free = true;
        for (unsigned i = 0; i < count; i++) {
            double distance = taken[i] - place;
            free = free && (distance >= plot_line * 0.99 || distance <= -plot_line * 0.99);
        }
        if (free)
            return place;
    }
    return wanted;
}

/* The name of each curve, where it ends. */
static void write_names(struct writer *writer, const struct plot *plot)
{
    double taken[MOST_CURVES];
    char buffer[40];
    struct point point;

    for (unsigned i = 0, count = 0; i < plot->curves && plot->curves > 1; i++) {
        struct text text = text_in(buffer, sizeof buffer);
        if (!last_point(plot, plot->curve[i], &point))
            continue;
        taken[count] = free_place(taken, count, 1 - axis_place(&plot->y, point.middle));
        curve_label(&text, plot->curve[i]->id);
        write_string(writer, "<text class=\"own\" dx=\".6em\" dy=\".35em\" x=\"");
        html_share(writer, axis_place(&plot->x, point.x));
        write_string(writer, "\" y=\"");
        html_share(writer, taken[count++]);
        write_string(writer, "\">");
        write_xml(writer, buffer);
        write_string(writer, "</text>\n");
    }
}

void html_plot(struct writer *writer, const struct plot *plot)
{
    write_grid(writer, plot);
    html_mark_lines(writer, plot);
    write_curves(writer, plot);
    write_axes(writer, plot);
    html_mark_labels(writer, plot);
    write_names(writer, plot);
}
