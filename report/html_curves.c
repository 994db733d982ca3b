// SPDX-License-Identifier: BSD-2-Clause
/* html_curves.c: every series of a run as a plot: which of them share one, what it says in words, and a part of the
 * points as a table. */
#include "base/number.h"
#include "report/html_plot.h"
#include "report/names.h"
#include "report/quantity.h"
#include "report/xml.h"

enum { MOST_ROWS = 24 /* of a table of points */ };

/* Whether two series show one quantity: the same id but for its last part, the same units. */
static bool same_quantity(const struct series *one, const struct series *other)
{
    return same_stem(one->id, other->id) && text_equal(one->x, other->x) && text_equal(one->y, other->y);
}

/* How many series before this one show the same quantity. */
static unsigned rank_of(const struct notebook *notebook, unsigned index)
{
    unsigned rank = 0;

    for (unsigned i = 0; i < index; i++)
        rank += same_quantity(&notebook->series[i], &notebook->series[index]);
    return rank;
}

struct range {
    double low, high;
};

static void widen(struct range *range, double value)
{
    range->low = value < range->low ? value : range->low;
    range->high = value > range->high ? value : range->high;
}

static void fit_axes(struct plot *plot)
{
    struct range x = {0, 0}, y = {0, 0};
    struct point point;

    for (unsigned i = 0; i < plot->curves; i++) {
        for (unsigned j = 0; j < plot->curve[i]->count; j++) {
            if (!plot_point(plot, plot->curve[i], j, &point))
                continue;
            if (!plot->drawable) {
                x = (struct range){point.x, point.x};
                y = (struct range){point.middle, point.middle};
            }
            plot->drawable = true;
            widen(&x, point.x);
            widen(&y, point.low);
            widen(&y, point.middle);
            widen(&y, point.high);
        }
    }
    plot->x = axis_for(x.low, x.high, plot->curve[0]->x);
    plot->y = axis_for(y.low, y.high, plot->curve[0]->y);
}

/* The plot that begins with a series. */
static struct plot plot_from(const struct notebook *notebook, unsigned first, unsigned number)
{
    struct plot plot = {.notebook = notebook, .number = number};

    for (unsigned i = first; i < notebook->series_count && plot.curves < MOST_CURVES; i++) {
        if (same_quantity(&notebook->series[i], &notebook->series[first]))
            plot.curve[plot.curves++] = &notebook->series[i];
    }
    fit_axes(&plot);
    return plot;
}

static void write_points(struct writer *writer, unsigned count)
{
    write_format(writer, "%u %s", count, count == 1 ? "point" : "points");
}

/* "latency.2m, 63 points: from 4 cycles at 1 KB to 398.7 cycles at 1 GB." */
static void write_sentence(struct writer *writer, const struct plot *plot, const struct series *series)
{
    struct point point, first = {0}, last = {0};
    unsigned drawn = 0;

    for (unsigned i = 0; i < series->count; i++) {
        if (!plot_point(plot, series, i, &point))
            continue;
        first = drawn++ == 0 ? point : first;
        last = point;
    }
    write_xml(writer, series->id);
    write_string(writer, ", ");
    write_points(writer, series->count);
    if (drawn > 0) {
        write_string(writer, drawn == 1 ? ": " : ": from ");
        html_quantity(writer, first.middle, series->y);
        write_string(writer, " at ");
        html_quantity(writer, first.x, series->x);
    }
    if (drawn > 1) {
        write_string(writer, " to ");
        html_quantity(writer, last.middle, series->y);
        write_string(writer, " at ");
        html_quantity(writer, last.x, series->x);
    }
    write_string(writer, ". ");
}

static void write_cell(struct writer *writer, double value)
{
    char buffer[64];
    struct text text = text_in(buffer, sizeof buffer);

    if (value - value == 0)
        text_number(&text, value);
    else
        text_string(&text, "none");
    write_format(writer, "<td>%s</td>", buffer);
}

/* A series as a table: each point of a short one, every n-th of a long one, and always the last. */
static void write_table(struct writer *writer, const struct plot *plot, const struct series *series)
{
    unsigned step = (series->count + MOST_ROWS - 1) / MOST_ROWS;

    write_string(writer, "<table>\n<caption>");
    write_xml(writer, series->id);
    if (step > 1)
        write_format(writer, ", one of %u points; all are in series.csv", step);
    write_string(writer, "</caption>\n<thead><tr><th scope=\"col\">");
    write_xml(writer, series->x[0] ? series->x : "x");
    write_string(writer,
                 "</th><th scope=\"col\">lower quartile</th><th scope=\"col\">median</th><th scope=\"col\">upper "
                 "quartile</th></tr></thead>\n<tbody>\n");
    for (unsigned i = 0; i < series->count;
         i += i + step < series->count || i + 1 == series->count ? step : series->count - 1 - i) {
        struct point point;
        plot_point(plot, series, i, &point);
        write_string(writer, "<tr>");
        write_cell(writer, point.x);
        write_cell(writer, point.low);
        write_cell(writer, point.middle);
        write_cell(writer, point.high);
        write_string(writer, "</tr>\n");
    }
    write_string(writer, "</tbody>\n</table>\n");
}

/* The room to the right that the names of the curves need, in characters. */
static unsigned longest_name(const struct plot *plot)
{
    size_t longest = 0;

    for (unsigned i = 0; i < plot->curves && plot->curves > 1; i++) {
        char buffer[40];
        struct text text = text_in(buffer, sizeof buffer);
        curve_label(&text, plot->curve[i]->id);
        longest = text.length > longest ? text.length : longest;
    }
    return (unsigned)longest;
}

static void write_heading(struct writer *writer, const struct plot *plot)
{
    char buffer[64];
    struct text title = text_in(buffer, sizeof buffer);

    curve_title(&title, plot->curve[0]->id, plot->curves == 1);
    write_xml(writer, buffer);
}

static void write_drawing(struct writer *writer, const struct plot *plot)
{
    unsigned name = longest_name(plot);

    write_string(writer, "<div class=\"frame\"");
    if (name)
        write_format(writer, " style=\"--right:%u.%02urem\"", (100 + 43 * name) / 100, (100 + 43 * name) % 100);
    write_format(writer, ">\n<svg class=\"plot\" role=\"img\" aria-labelledby=\"plot%u-title plot%u-text\">\n",
                 plot->number, plot->number);
    write_format(writer, "<title id=\"plot%u-title\">", plot->number);
    write_heading(writer, plot);
    write_format(writer, "</title>\n<desc id=\"plot%u-text\">", plot->number);
    for (unsigned i = 0; i < plot->curves; i++)
        write_sentence(writer, plot, plot->curve[i]);
    html_marks_text(writer, plot);
    write_string(writer, "</desc>\n");
    html_plot(writer, plot);
    write_string(writer, "</svg>\n</div>\n");
}

static void write_figure(struct writer *writer, const struct plot *plot)
{
    write_format(writer, "<figure%s>\n<figcaption><h3>",
                 plot->curves > 1 || curve_of_levels(plot->curve[0]->id) ? " class=\"wide\"" : "");
    write_heading(writer, plot);
    write_string(writer, "</h3></figcaption>\n");
    if (!plot->drawable) {
        write_string(writer, "<p class=\"soft\">");
        write_xml(writer, plot->curve[0]->id);
        write_string(writer, " has no points that can be drawn.</p>\n</figure>\n");
        return;
    }
    write_drawing(writer, plot);
    write_string(writer, "<details><summary>Points as a table</summary>\n");
    for (unsigned i = 0; i < plot->curves; i++)
        write_table(writer, plot, plot->curve[i]);
    write_string(writer, "</details>\n</figure>\n");
}

/* The plots of the hierarchy's levels, or all others. */
static void write_figures(struct writer *writer, const struct notebook *notebook, bool of_levels, unsigned *number)
{
    for (unsigned i = 0; i < notebook->series_count; i++) {
        if (curve_of_levels(notebook->series[i].id) != of_levels || rank_of(notebook, i) % MOST_CURVES != 0)
            continue;
        struct plot plot = plot_from(notebook, i, ++*number);
        write_figure(writer, &plot);
    }
}

void html_curves(struct writer *writer, const struct notebook *notebook)
{
    unsigned number = 0;

    if (notebook->series_count == 0)
        return;
    write_string(writer,
                 "<section aria-labelledby=\"curves\">\n<h2 id=\"curves\">Curves</h2>\n"
                 "<p class=\"soft\">Line: the median. Band: from the lower to the upper quartile. Dotted lines: "
                 "what was found.</p>\n<div class=\"plots\">\n");
    write_figures(writer, notebook, true, &number);
    write_figures(writer, notebook, false, &number);
    write_string(writer, "</div>\n</section>\n");
}
