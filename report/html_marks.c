// SPDX-License-Identifier: BSD-2-Clause
/* html_marks.c: what was found, drawn into the curve that shows it: a size or a count as an upright line, a latency as
 * a level one, and where both belong together (l1d.size and l1d.latency) the level up to where it ends. */
#include "report/answer.h"
#include "report/html_plot.h"
#include "report/names.h"
#include "report/quantity.h"
#include "report/xml.h"

enum { MOST_MARKS = 24 };

struct mark {
    const struct finding *across, *up; /* its value on the x and on the y axis; one may be NULL */
};

struct marks {
    struct mark at[MOST_MARKS];
    unsigned count;
};

/* Whether a finding is the size or the latency of a level. */
static bool is_of_level(const struct finding *finding)
{
    for (unsigned i = 0; level_id(i); i++) {
        const char *what = finding->id + text_length(level_id(i));
        if (text_starts(finding->id, level_id(i)) && (text_equal(what, ".size") || text_equal(what, ".latency")))
            return true;
    }
    return false;
}

static bool belongs(const struct plot *plot, const struct finding *finding)
{
    for (unsigned i = 0; i < plot->curves; i++) {
        const char *id = plot->curve[i]->id;
        if (same_group(id, finding->id) || (curve_of_levels(id) && is_of_level(finding)))
            return true;
    }
    return false;
}

static bool fits(const struct axis *axis, const struct finding *finding)
{
    double value = html_value(finding);

    return axis->unit[0] && text_equal(axis->unit, finding->unit) && value >= axis->low && value <= axis->high;
}

static void add_mark(struct marks *marks, const struct finding *finding, bool across)
{
    for (unsigned i = 0; i < marks->count; i++) {
        struct mark *mark = &marks->at[i];
        if (across && !mark->across && same_stem(mark->up->id, finding->id)) {
            mark->across = finding;
            return;
        }
        if (!across && !mark->up && same_stem(mark->across->id, finding->id)) {
            mark->up = finding;
            return;
        }
    }
    if (marks->count < MOST_MARKS)
        marks->at[marks->count++] = (struct mark){across ? finding : NULL, across ? NULL : finding};
}

static struct marks marks_of(const struct plot *plot)
{
    struct marks marks = {.count = 0};

    for (unsigned i = 0; i < plot->notebook->findings; i++) {
        const struct finding *finding = &plot->notebook->finding[i];
        if (!has_value(finding) || !belongs(plot, finding))
            continue;
        if (fits(&plot->x, finding))
            add_mark(&marks, finding, true);
        else if (fits(&plot->y, finding))
            add_mark(&marks, finding, false);
    }
    return marks;
}

/* What a mark is called: the level, what two findings have in common, or the finding itself. */
static void add_name(struct text *text, const struct mark *mark)
{
    const struct finding *finding = mark->across ? mark->across : mark->up;

    for (unsigned i = 0; level_id(i); i++) {
        if (is_of_level(finding) && same_group(level_id(i), finding->id)) {
            text_string(text, level_name(i));
            return;
        }
    }
    if (mark->across && mark->up)
        text_bytes(text, finding->id, stem_length(finding->id));
    else
        text_string(text, finding->id);
}

static void write_mark_text(struct writer *writer, const struct mark *mark)
{
    char buffer[160];
    struct text text = text_in(buffer, sizeof buffer);

    add_name(&text, mark);
    text_string(&text, ": ");
    if (mark->across)
        quantity_text(&text, html_value(mark->across), mark->across->unit);
    if (mark->across && mark->up)
        text_string(&text, ", ");
    if (mark->up)
        quantity_text(&text, html_value(mark->up), mark->up->unit);
    write_xml(writer, buffer);
}

/* Where the level line of a mark begins: where the one below it ends. */
static double begin_of(const struct plot *plot, const struct marks *marks, const struct mark *mark)
{
    double begin = 0;

    for (unsigned i = 0; i < marks->count; i++) {
        const struct mark *other = &marks->at[i];
        bool before = other != mark && other->across &&
                      (mark->across ? html_value(other->across) < html_value(mark->across)
                                    : other->up && html_value(other->up) < html_value(mark->up));
        double place = before ? axis_place(&plot->x, html_value(other->across)) : 0;
        begin = place > begin ? place : begin;
    }
    return begin;
}

static void write_line(struct writer *writer, double x1, double y1, double x2, double y2)
{
    write_string(writer, "<line class=\"level\" x1=\"");
    html_share(writer, x1);
    write_string(writer, "\" y1=\"");
    html_share(writer, y1);
    write_string(writer, "\" x2=\"");
    html_share(writer, x2);
    write_string(writer, "\" y2=\"");
    html_share(writer, y2);
    write_string(writer, "\"/>\n");
}

/* The label's place: below the level's end, where a curve that climbs leaves room; at the top of a line that has no
 * level; one line further down for each label that is in the way. */
struct label {
    double x, y;
};

static struct label label_place(const struct label *before, unsigned count, struct label wanted)
{
    static const double reach = 0.3; /* of the width, which a label may take */
    const double room = plot_line * 0.99;

    /* Each pass moves below one label at least, so that as many passes as labels find the place. */
    for (unsigned pass = 0; pass < count; pass++) {
        for (unsigned i = 0; i < count; i++) {
            double across = before[i].x - wanted.x, down = before[i].y - wanted.y;
            if (across < reach && across > -reach && down < room && down > -room)
                wanted.y = before[i].y + plot_line;
        }
    }
    return wanted;
}

static void write_label(struct writer *writer, const struct mark *mark, struct label label)
{
    bool left = label.x > 0.62;

    write_format(writer, "<text class=\"mark%s\" dx=\"%s\" dy=\"1.1em\" x=\"", left ? " end" : "",
                 left ? "-.4em" : ".4em");
    html_share(writer, label.x);
    write_string(writer, "\" y=\"");
    html_share(writer, label.y);
    write_string(writer, "\">");
    write_mark_text(writer, mark);
    write_string(writer, "</text>\n");
}

/* Where a mark is: the level's end; the top of an upright line, the right end of a level one that ends nowhere. */
static struct label corner_of(const struct plot *plot, const struct mark *mark)
{
    return (struct label){.x = mark->across ? axis_place(&plot->x, html_value(mark->across)) : 1,
                          .y = mark->up ? 1 - axis_place(&plot->y, html_value(mark->up)) : 0};
}

void html_mark_lines(struct writer *writer, const struct plot *plot)
{
    struct marks marks = marks_of(plot);

    for (unsigned i = 0; i < marks.count; i++) {
        struct label corner = corner_of(plot, &marks.at[i]);
        if (marks.at[i].up)
            write_line(writer, begin_of(plot, &marks, &marks.at[i]), corner.y, corner.x, corner.y);
        if (marks.at[i].across)
            write_line(writer, corner.x, corner.y, corner.x, 1);
    }
}

void html_mark_labels(struct writer *writer, const struct plot *plot)
{
    struct marks marks = marks_of(plot);
    struct label labels[MOST_MARKS];

    for (unsigned i = 0; i < marks.count; i++) {
        labels[i] = label_place(labels, i, corner_of(plot, &marks.at[i]));
        write_label(writer, &marks.at[i], labels[i]);
    }
}

void html_marks_text(struct writer *writer, const struct plot *plot)
{
    struct marks marks = marks_of(plot);

    for (unsigned i = 0; i < marks.count; i++) {
        write_string(writer, i == 0 ? " Marked: " : "; ");
        write_mark_text(writer, &marks.at[i]);
    }
    if (marks.count > 0)
        write_string(writer, ".");
}
