// SPDX-License-Identifier: BSD-2-Clause
/* suite_babka_figures.c: what Figures 1 to 11 of paper 004 show, for this machine: the points of its series. */
#include "report/answer.h"
#include "report/suite.h"
#include "report/suite_babka.h"

enum { MOST_CURVES = 2, X_END = 7, CURVE = 35, VALUE = 11, LINE_SIZE = 160 };

/* A figure: its number, what it is about, the curves that show it here, and what is not shown by any. Characters
 * instead of pointers to them: the image would have to relocate each. */
struct figure {
    unsigned number;
    char about[160];
    char sizes[18]; /* the finding that says why a curve is not there */
    char curve[MOST_CURVES][28];
    char other[170];
};

static const struct figure figures[] = {
    {1,
     "loads that go from page to page, by how many: what they take longer than in few pages, until the first TLB is "
     "full, and the second one",
     "dtlb1.4k.entries",
     {"dtlb.4k", "dtlb.2m"},
     "no probe counts events; the paper's walk goes to one set, this one to pages in a row"},
    {2,
     "events of the misses of Figure 1; here what its loads take longer, beside jumps that go from page to page",
     "itlb1.4k.entries",
     {"dtlb.4k", "itlb.4k"},
     "no probe counts events"},
    {3,
     "loads of pages that lie 512 and 8192 pages apart: each has a PDE of its own",
     "structures.sizes",
     {"structures.512", "structures.8k"},
     "no probe counts events"},
    {4,
     "the same, 256 K pages apart, where each has a PDPTE of its own, and 128 M, a PML4E",
     "structures.sizes",
     {"structures.256k", "structures.128m"},
     "no probe counts events"},
    {5,
     "loads of half of the second level after an interfering walk over as many bytes as it has, by how far apart the "
     "stops of that are",
     "interference.sizes",
     {"interference.stride", ""},
     "no probe counts what a prefetcher brings meanwhile"},
    {6,
     "the same for lines 256 bytes apart, by how many bytes those of the interfering walk lie further on: pairs reach "
     "from 64, not from 192",
     "interference.sizes",
     {"interference.offset", ""},
     ""},
    {7,
     "loads of lines of one place in as many pages: pages of one colour of the second level, and pages as they come",
     "penalty.l2.sizes",
     {"penalty.l2.even", "penalty.l2.pages"},
     ""},
    {8,
     "the same for both levels of the AMD server, and the events that go with it",
     "penalty.l2.sizes",
     {"", ""},
     "no probe counts events; the curves of Figure 7 begin in the first level"},
    {9,
     "loads of lines of a single set of the second level, an even one and an odd one",
     "penalty.l2.sizes",
     {"penalty.l2.even", "penalty.l2.odd"},
     ""},
    {10,
     "loads that miss the first level: lines of a single set, and so many for each of random sets",
     "penalty.l1d.sizes",
     {"penalty.l1d.even", "penalty.l1d.random"},
     ""},
    {11,
     "loads that miss the second level, by their offset in the line: random sets, and a single one",
     "penalty.l2.sizes",
     {"penalty.l2.offset_random", "penalty.l2.offset"},
     ""},
};

/* One curve of a figure, from its first point on. */
struct cursor {
    const struct series *series; /* NULL: there is none */
    unsigned at;
};

static const struct point *point_of(const struct notebook *notebook, const struct series *series, unsigned number)
{
    return &notebook->point[series->first + number];
}

static void add_value(struct text *line, size_t end, double value)
{
    char buffer[32];
    struct text text = text_in(buffer, sizeof buffer);

    text_format(&text, "%.1f", value);
    suite_right(line, end, text.at);
}

/* The curves' names, and below each of them what its three columns are. */
static void write_heading(struct writer *writer, const struct cursor cursor[MOST_CURVES])
{
    static const char *const titles[] = {"low", "median", "high"};
    char above_buffer[LINE_SIZE], buffer[LINE_SIZE];
    struct text above = text_in(above_buffer, sizeof above_buffer), line = text_in(buffer, sizeof buffer);

    for (unsigned i = 0; i < MOST_CURVES; i++) {
        const struct series *series = cursor[i].series;
        if (!series)
            continue;
        if (!line.length)
            suite_right(&line, X_END, series->x);
        suite_right(&above, X_END + (i + 1) * CURVE, series->id);
        for (unsigned j = 0; j < 3; j++)
            suite_right(&line, X_END + (i + 1) * CURVE - (2 - j) * VALUE, titles[j]);
    }
    write_format(writer, "%s\n%s\n", above.at, line.at);
}

/* All points, in the order of x; a curve that has none at one leaves its columns blank. */
static void write_points(struct writer *writer, const struct notebook *notebook, struct cursor cursor[MOST_CURVES])
{
    write_heading(writer, cursor);
    for (;;) {
        char buffer[LINE_SIZE], x_buffer[32];
        struct text line = text_in(buffer, sizeof buffer), x = text_in(x_buffer, sizeof x_buffer);
        const struct point *least = NULL;
        for (unsigned i = 0; i < MOST_CURVES; i++) {
            const struct series *series = cursor[i].series;
            if (series && cursor[i].at < series->count &&
                (!least || point_of(notebook, series, cursor[i].at)->x < least->x))
                least = point_of(notebook, series, cursor[i].at);
        }
        if (!least)
            break;
        text_number(&x, least->x);
        suite_right(&line, X_END, x.at);
        for (unsigned i = 0; i < MOST_CURVES; i++) {
            const struct series *series = cursor[i].series;
            if (!series || cursor[i].at >= series->count)
                continue;
            const struct point *point = point_of(notebook, series, cursor[i].at);
            size_t end = X_END + (i + 1) * CURVE;
            if (point->x != least->x)
                continue;
            add_value(&line, end - (size_t)2 * VALUE, point->low);
            add_value(&line, end - VALUE, point->middle);
            add_value(&line, end, point->high);
            cursor[i].at++;
        }
        write_format(writer, "%s\n", line.at);
    }
}

/* Where a curve begins, the two points between which it rises most, and where it ends. */
static void write_summary(struct writer *writer, const struct notebook *notebook, const struct series *series,
                          unsigned columns)
{
    unsigned last = series->count - 1, rise = 0;
    char buffer[LINE_SIZE];
    struct text text = text_in(buffer, sizeof buffer);

    for (unsigned i = 0; i + 1 < series->count; i++)
        if (point_of(notebook, series, i + 1)->middle - point_of(notebook, series, i)->middle >
            point_of(notebook, series, rise + 1)->middle - point_of(notebook, series, rise)->middle)
            rise = i;
    const unsigned shown[] = {0, rise, rise + 1 < last ? rise + 1 : last, last};
    text_format(&text, "%s: ", series->id);
    for (unsigned i = 0; i < sizeof shown / sizeof *shown; i++) {
        const struct point *point = point_of(notebook, series, shown[i]);
        if (i && shown[i] == shown[i - 1])
            continue;
        text_format(&text, "%s%.1f at %g", i ? ", " : "", point->middle, point->x);
    }
    text_format(&text, " %s", series->x);
    write_string(writer, "  ");
    write_wrapped(writer, text.at, 2, columns);
}

static void write_missing(struct writer *writer, const struct notebook *notebook, const struct figure *figure,
                          const char *id, unsigned columns)
{
    const struct finding *finding = noted(notebook, figure->sizes);
    char buffer[256];
    struct text text = text_in(buffer, sizeof buffer);

    text_format(&text, "%s: ", id);
    if (finding && has_value(finding))
        text_string(&text, "not measurable: it has no points");
    else
        suite_why(&text, finding, figure->sizes);
    write_string(writer, "  ");
    write_wrapped(writer, text.at, 2, columns);
}

static void write_figure(struct writer *writer, const struct notebook *notebook, const struct figure *figure,
                         unsigned columns, bool whole)
{
    struct cursor cursor[MOST_CURVES] = {{.series = NULL}};
    char buffer[2 * sizeof figure->about];
    struct text text = text_in(buffer, sizeof buffer);
    bool any = false;

    text_format(&text, "Figure %u: %s", figure->number, figure->about);
    write_string(writer, "\n");
    write_wrapped(writer, text.at, 0, columns);
    for (unsigned i = 0; i < MOST_CURVES && figure->curve[i][0]; i++) {
        cursor[i].series = babka_series(notebook, figure->curve[i]);
        if (!cursor[i].series)
            write_missing(writer, notebook, figure, figure->curve[i], columns);
        else if (!whole)
            write_summary(writer, notebook, cursor[i].series, columns);
        any = any || cursor[i].series;
    }
    if (any && whole)
        write_points(writer, notebook, cursor);
    if (figure->other[0]) {
        text = text_in(buffer, sizeof buffer);
        text_format(&text, "not measured: %s", figure->other);
        write_string(writer, "  ");
        write_wrapped(writer, text.at, 2, columns);
    }
}

void babka_figures(struct writer *writer, const struct notebook *notebook, unsigned columns, bool whole)
{
    write_string(writer, "\n");
    write_wrapped(writer,
                  whole ? "Figures: core cycles a load, quartiles over batches."
                        : "Figures: core cycles a load, medians: where a curve begins, where it rises most, where it "
                          "ends. All points and quartiles are in suite.txt.",
                  0, columns);
    for (unsigned i = 0; i < sizeof figures / sizeof *figures; i++)
        write_figure(writer, notebook, &figures[i], columns, whole);
}
