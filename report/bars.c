// SPDX-License-Identifier: BSD-2-Clause
/* bars.c: see bars.h. */
#include "report/bars.h"
#include "report/axis.h"
#include "report/quantity.h"
#include "report/writer.h"

enum { STEPS = 2 * BARS_ROWS, AT_CHART = 30, MOST_EACH = 3 /* columns of a point */, LINE_SIZE = 256, STEEP = 8 };

static bool is_finite(double number)
{
    return number - number == 0;
}

/* Least and largest of the middles, and of the places. False: nothing in it can be shown. */
static bool extents(const struct notebook *notebook, const struct series *series, struct point *low, struct point *high)
{
    bool found = false;

    for (unsigned i = 0; i < series->count; i++) {
        const struct point *point = &notebook->point[series->first + i];
        if (!is_finite(point->x) || !is_finite(point->middle))
            continue;
        if (!found)
            *low = *high = *point;
        found = true;
        low->x = point->x < low->x ? point->x : low->x;
        high->x = point->x > high->x ? point->x : high->x;
        low->middle = point->middle < low->middle ? point->middle : low->middle;
        high->middle = point->middle > high->middle ? point->middle : high->middle;
    }
    return found;
}

/* Half cells, 1 to STEPS, of a value; on a logarithmic axis where the values span much. */
static unsigned height_of(double value, double low, double high)
{
    bool steep = low > 0 && high / low >= STEEP;
    struct axis axis = {.kind = steep ? AXIS_DECADES : AXIS_EVEN, .low = low, .high = high};

    return is_finite(value) ? 1 + (unsigned)(axis_place(&axis, value) * (STEPS - 1) + 0.5) : 0;
}

static void write_row(struct writer *writer, const struct notebook *notebook, const struct series *series,
                      const struct text *label, unsigned row, unsigned width, const struct point ends[2])
{
    char buffer[LINE_SIZE];
    struct text line = text_in(buffer, sizeof buffer);
    unsigned shown = series->count < width ? series->count : width, each = width / shown;

    text_string(&line, label->at);
    text_column(&line, AT_CHART);
    text_char(&line, '|');
    for (unsigned i = 0; i < shown; i++) {
        const struct point *point = &notebook->point[series->first + (uint64_t)i * series->count / shown];
        unsigned height = height_of(point->middle, ends[0].middle, ends[1].middle), under = 2 * (BARS_ROWS - 1 - row);
        for (unsigned copy = 0; copy < each && copy < MOST_EACH; copy++)
            text_char(&line, height >= under + 2 ? '#' : height == under + 1 ? ':' : ' ');
    }
    while (line.length > 0 && line.at[line.length - 1] == ' ')
        line.at[--line.length] = '\0';
    write_string(writer, line.at);
    write_string(writer, "\n");
}

static void range_text(struct text *text, double low, double high, const char *unit)
{
    quantity_text(text, low, unit);
    text_string(text, " to ");
    quantity_text(text, high, unit);
}

bool report_bars(struct report_sink *sink, const struct notebook *notebook, unsigned columns)
{
    struct writer writer;
    unsigned width = columns < LINE_SIZE ? columns - AT_CHART - 1 : LINE_SIZE - AT_CHART - 2;

    writer_start(&writer, sink);
    for (unsigned i = 0; i < notebook->series_count; i++) {
        const struct series *series = &notebook->series[i];
        struct point ends[2] = {{0}};
        if (series->count < 2 || !extents(notebook, series, &ends[0], &ends[1]))
            continue;
        for (unsigned row = 0; row < BARS_ROWS; row++) {
            char buffer[AT_CHART];
            struct text label = text_in(buffer, sizeof buffer);
            if (row == 0)
                text_string(&label, series->id);
            else if (row == 1)
                range_text(&label, ends[0].middle, ends[1].middle, series->y);
            else
                range_text(&label, ends[0].x, ends[1].x, series->x);
            write_row(&writer, notebook, series, &label, row, width, ends);
        }
    }
    return writer_end(&writer);
}
