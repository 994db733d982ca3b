// SPDX-License-Identifier: BSD-2-Clause
/* suite_list.c: the table of the suite `list`: for each kind of list, what an element costs by the array's size and the
 * order of the links, from the series list.LINK.ELEMENT.read.up and its like (probes/list.c). */
#include "report/answer.h"
#include "report/names.h"
#include "report/quantity.h"
#include "report/suite.h"
#include "report/writer.h"

enum { ORDERS = 3, LINE_SIZE = 160, ELEMENTS_END = 17, FIRST_END = 27, COLUMN = 9 };

/* The last parts of the ids, in the order of the columns. */
static const char *const orders[ORDERS] = {"up", "down", "random"};
static const char *const order_titles[ORDERS] = {"ascending", "descending", "random"};

/* A kind of list; a series that is not there is NULL. */
struct panel {
    const struct notebook *notebook;
    const struct series *series[ORDERS];
    double cycles_a_ns; /* 0: not known */
};

static const char *last_part(const char *id)
{
    size_t stem = stem_length(id);

    return id[stem] == '.' ? id + stem + 1 : "";
}

/* The kind that begins with a series. False: it is no list's, or not its kind's first. */
static bool panel_from(const struct notebook *notebook, unsigned first, struct panel *panel)
{
    const char *id = notebook->series[first].id;

    if (!text_starts(id, "list."))
        return false;
    for (unsigned i = 0; i < first; i++)
        if (same_stem(notebook->series[i].id, id))
            return false;
    for (unsigned order = 0; order < ORDERS; order++) {
        panel->series[order] = NULL;
        for (unsigned i = first; i < notebook->series_count; i++) {
            const struct series *series = &notebook->series[i];
            if (same_stem(series->id, id) && text_equal(last_part(series->id), orders[order]))
                panel->series[order] = series;
        }
    }
    return true;
}

/* Reads a number and the dot behind it; 0 when there is none. */
static uint64_t next_number(const char **at)
{
    uint64_t number = 0;

    while (**at >= '0' && **at <= '9')
        number = number * 10 + (uint64_t)(*(*at)++ - '0');
    *at += **at == '.';
    return number;
}

/* "64-byte elements (NUMPAD 7), 8-byte links, read"; returns the bytes of an element, 0 when the id does not tell. */
static uint64_t write_title(struct writer *writer, const char *id)
{
    const char *at = id + text_length("list.");
    uint64_t link = next_number(&at), element = next_number(&at);

    if (link == 0 || element == 0) {
        write_format(writer, "\n%s\n", id);
        return 0;
    }
    write_format(writer, "\n%llu-byte elements (NUMPAD %llu), %llu-byte links, ", (unsigned long long)element,
                 (unsigned long long)(element / link - 1), (unsigned long long)link);
    write_bytes(writer, at, stem_length(at));
    write_string(writer, "\n");
    return element;
}

static void write_heading(struct writer *writer)
{
    char above_buffer[LINE_SIZE], buffer[LINE_SIZE];
    struct text above = text_in(above_buffer, sizeof above_buffer), line = text_in(buffer, sizeof buffer);

    text_string(&line, "array");
    suite_right(&line, ELEMENTS_END, "N");
    for (unsigned order = 0; order < ORDERS; order++) {
        size_t end = FIRST_END + (size_t)order * 2 * COLUMN;
        suite_right(&above, end + COLUMN, order_titles[order]);
        suite_right(&line, end, "ns");
        suite_right(&line, end + COLUMN, "cycles");
    }
    write_format(writer, "%s\n%s\n", above.at, line.at);
}

/* The series' point at an x, NULL: it has none. */
static const struct point *point_at(const struct panel *panel, const struct series *series, double x)
{
    for (unsigned i = 0; series && i < series->count; i++)
        if (panel->notebook->point[series->first + i].x == x)
            return &panel->notebook->point[series->first + i];
    return NULL;
}

static void write_row(struct writer *writer, const struct panel *panel, double bytes, uint64_t element)
{
    char buffer[LINE_SIZE], cell_buffer[32];
    struct text line = text_in(buffer, sizeof buffer), cell = text_in(cell_buffer, sizeof cell_buffer);

    quantity_text(&line, bytes, "bytes");
    if (element)
        text_number(&cell, bytes / (double)element);
    suite_right(&line, ELEMENTS_END, cell.at);
    for (unsigned order = 0; order < ORDERS; order++) {
        const struct point *point = point_at(panel, panel->series[order], bytes);
        size_t end = FIRST_END + (size_t)order * 2 * COLUMN;
        cell = text_in(cell_buffer, sizeof cell_buffer);
        if (point)
            text_format(&cell, "%.2f", point->middle);
        suite_right(&line, end, point ? cell.at : "-");
        cell = text_in(cell_buffer, sizeof cell_buffer);
        if (point && panel->cycles_a_ns > 0)
            text_format(&cell, "%.1f", point->middle * panel->cycles_a_ns);
        suite_right(&line, end + COLUMN, cell.length ? cell.at : "-");
    }
    write_format(writer, "%s\n", line.at);
}

static void write_panel(struct writer *writer, const struct panel *panel, const char *id)
{
    const struct series *longest = NULL;
    uint64_t element = write_title(writer, id);

    write_heading(writer);
    for (unsigned order = 0; order < ORDERS; order++)
        if (panel->series[order] && (!longest || panel->series[order]->count > longest->count))
            longest = panel->series[order];
    for (unsigned i = 0; longest && i < longest->count; i++)
        write_row(writer, panel, panel->notebook->point[longest->first + i].x, element);
}

/* What the columns are, and how long a core cycle is; returns cycles a nanosecond, 0 when that is not known. */
static double write_units(struct writer *writer, const struct notebook *notebook, unsigned columns)
{
    const struct finding *core = noted(notebook, "cpu.frequency");
    char buffer[512];
    struct text text = text_in(buffer, sizeof buffer);
    bool known = core && has_value(core) && core->value > 0;

    text_string(&text, "Median time of an element, in nanoseconds and in core cycles");
    if (known) {
        text_string(&text, " of ");
        quantity_text(&text, core->value, "Hz");
        text_string(&text, " (cpu.frequency).");
    } else {
        text_format(&text, ", which are not known: cpu.frequency is not measurable: %s.",
                    core ? reason(core) : "it was not asked for");
    }
    text_string(&text, " Prefetchers are as they were found, pages the smallest. Quartiles are in series.csv.");
    write_wrapped(writer, text.at, 0, columns);
    if (core && core->emulated)
        write_wrapped(writer,
                      "Emulated: these times show the computer that emulates this one, through the emulator's clock.",
                      0, columns);
    return known ? core->value / 1e9 : 0;
}

bool report_suite_list(struct report_sink *sink, const struct notebook *notebook, unsigned columns)
{
    const struct finding *sizes = noted(notebook, "list.sizes");
    struct panel panel = {.notebook = notebook};
    struct writer writer;

    writer_start(&writer, sink);
    write_string(&writer, "\nSuite list: N linked elements, one after the other (the exercise of paper 003)\n");
    panel.cycles_a_ns = write_units(&writer, notebook, columns);
    for (unsigned i = 0; i < notebook->series_count; i++)
        if (panel_from(notebook, i, &panel))
            write_panel(&writer, &panel, notebook->series[i].id);
    if (!sizes || !has_value(sizes)) {
        char buffer[256];
        struct text text = text_in(buffer, sizeof buffer);
        write_string(&writer, "\n");
        text_format(&text, "Not all lists were measured: %s.", sizes ? reason(sizes) : "they were not asked for");
        write_wrapped(&writer, text.at, 0, columns);
    }
    return writer_end(&writer);
}
