// SPDX-License-Identifier: BSD-2-Clause
/* picture.c: pages: which there are, their words, and what all of them have in common. */
#include "report/font.h"
#include "report/names.h"
#include "report/picture_parts.h"
#include "report/writer.h"

const uint32_t curve_colour[MAX_CURVES] = {0x56b4e9, 0xe69f00, 0x009e73, 0xd55e00};

enum { ROWS_AROUND = 3 }; /* rows of text that margins and the line at the bottom take */

static int text_scale(int width, int height)
{
    int scale = height / 540 < width / 800 ? height / 540 : width / 800;

    return scale < 1 ? 1 : scale;
}

static int add_label(struct picture *picture, enum role role, int x, int y, int scale, bool bold, uint32_t colour,
                     const char *text)
{
    int room = (picture->width - x) / (FONT_WIDTH * scale), length;
    struct label *label;

    if (picture->labels == MAX_LABELS || !text[0] || room < 1 || x < 0 || y < 0)
        return 0;
    label = &picture->label[picture->labels++];
    *label = (struct label){.role = role, .x = x, .y = y, .scale = scale, .bold = bold, .colour = colour};
    text_copy(label->text, (size_t)room + 1 < LABEL_SIZE ? (size_t)room + 1 : LABEL_SIZE, text);
    length = (int)text_length(label->text);
    return length * FONT_WIDTH * scale;
}

int picture_label(struct picture *picture, enum role role, int x, int y, uint32_t colour, const char *text)
{
    return add_label(picture, role, x, y, picture->scale, false, colour, text);
}

int picture_label_bold(struct picture *picture, enum role role, int x, int y, uint32_t colour, const char *text)
{
    return add_label(picture, role, x, y, picture->scale, true, colour, text);
}

/* Twice as large where that fits, else bold. */
int picture_label_large(struct picture *picture, enum role role, int x, int y, uint32_t colour, const char *text)
{
    int large = 2 * picture->scale;

    if (x + (int)text_length(text) * FONT_WIDTH * large < picture->width)
        return add_label(picture, role, x, y, large, false, colour, text);
    return picture_label_bold(picture, role, x, y, colour, text);
}

/* Whether two series belong into one plot: of one thing, in the same units. */
static bool together(const struct series *one, const struct series *other)
{
    return same_stem(one->id, other->id) && text_equal(one->x, other->x) && text_equal(one->y, other->y);
}

/* A plot holds MAX_CURVES series of a group; the next ones begin another page. */
unsigned picture_curves(const struct notebook *notebook, unsigned page, const struct series *curve[MAX_CURVES])
{
    for (unsigned i = 0; i < notebook->series_count; i++) {
        const struct series *series = &notebook->series[i];
        unsigned before = 0, found = 0;
        for (unsigned j = 0; j < i; j++)
            before += notebook->series[j].count >= 2 && together(series, &notebook->series[j]);
        if (series->count < 2 || before % MAX_CURVES != 0 || page-- > 0)
            continue;
        for (unsigned j = i; j < notebook->series_count && found < MAX_CURVES; j++)
            if (notebook->series[j].count >= 2 && together(series, &notebook->series[j]))
                curve[found++] = &notebook->series[j];
        return found;
    }
    return 0;
}

unsigned picture_pages(const struct notebook *notebook)
{
    const struct series *curve[MAX_CURVES];
    unsigned plots = 0;

    while (picture_curves(notebook, plots, curve) > 0)
        plots++;
    return plots + 1;
}

static void begin(struct picture *picture, int width, int height, const char *foot)
{
    __builtin_memset(picture, 0, sizeof *picture); /* it is large: no copy of it on the stack */
    picture->width = width;
    picture->height = height;
    picture->scale = text_scale(width, height);
    picture_label(picture, ROLE_KEYS, 2 * FONT_WIDTH * picture->scale, height - 3 * FONT_HEIGHT * picture->scale / 2,
                  COLOUR_FAINT, foot);
}

void picture_make(struct picture *picture, const struct notebook *notebook, unsigned page, int width, int height,
                  const char *foot)
{
    begin(picture, width, height, foot);
    picture->notebook = notebook;
    if (page > 0) {
        picture->kind = PAGE_PLOT;
        picture->curves = picture_curves(notebook, page - 1, picture->curve);
        picture_make_plot(picture);
    } else {
        picture->kind = PAGE_LEVELS;
        picture_make_levels(picture);
    }
}

unsigned picture_rows(int width, int height)
{
    return (unsigned)(height / (FONT_HEIGHT * text_scale(width, height)) - ROWS_AROUND);
}

unsigned picture_columns(int width, int height)
{
    return (unsigned)(width / (FONT_WIDTH * text_scale(width, height)) - 4);
}

void picture_make_lines(struct picture *picture, const char *text, unsigned first, int width, int height,
                        const char *foot)
{
    unsigned rows = picture_rows(width, height), row = 0;
    char buffer[LABEL_SIZE];
    struct text line = text_in(buffer, sizeof buffer);

    begin(picture, width, height, foot);
    picture->kind = PAGE_LINES;
    for (; *text && row < first + rows; text++) {
        if (*text != '\n') {
            text_char(&line, *text);
            continue;
        }
        if (row >= first && line.length > 0)
            picture_label(picture, ROLE_LINE, 2 * FONT_WIDTH * picture->scale,
                          (int)(row - first + 1) * FONT_HEIGHT * picture->scale - FONT_HEIGHT * picture->scale / 2,
                          COLOUR_TEXT, line.at);
        row++;
        line = text_in(buffer, sizeof buffer);
    }
}

void picture_draw(const struct picture *picture, struct raster *raster)
{
    raster_box(raster, 0, raster->top, raster->width, raster->rows, COLOUR_PAGE, 256);
    if (picture->kind == PAGE_PLOT)
        picture_draw_plot(picture, raster);
    else if (picture->kind == PAGE_LEVELS)
        picture_draw_levels(picture, raster);
    for (unsigned i = 0; i < picture->labels; i++) {
        const struct label *label = &picture->label[i];
        /* Words in the middle of curves stand on a plate of their own, a blank wider on either side, so that no dash of
         * a line looks like a letter. */
        if (label->role == ROLE_MARK)
            raster_box(raster, label->x - FONT_WIDTH * label->scale, label->y,
                       ((int)text_length(label->text) + 2) * FONT_WIDTH * label->scale, FONT_HEIGHT * label->scale,
                       COLOUR_FIELD, 256);
        raster_text(raster, label->x, label->y, label->scale, label->bold, label->colour, label->text);
    }
}

bool picture_words(struct report_sink *sink, const struct picture *picture)
{
    static const char *const names[ROLES] = {"title", "legend", "x axis", "y axis", "mark", "level", NULL, "keys"};
    struct writer writer;

    writer_start(&writer, sink);
    for (unsigned role = 0; role < ROLES; role++) {
        bool first = true;
        for (unsigned i = 0; names[role] && i < picture->labels; i++) {
            if (picture->label[i].role != role)
                continue;
            write_string(&writer, first ? "screen " : " | ");
            if (first)
                write_format(&writer, "%s: ", names[role]);
            write_string(&writer, picture->label[i].text);
            first = false;
        }
        if (!first)
            write_string(&writer, "\n");
    }
    return writer_end(&writer);
}
