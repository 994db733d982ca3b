// SPDX-License-Identifier: BSD-2-Clause
/* picture_plot.c: series as curves: quartiles as bands, logarithmic axes where a series spans much, and, where the axes
 * are those of the levels that were found, a mark for each of them. */
#include "report/answer.h"
#include "report/font.h"
#include "report/names.h"
#include "report/picture_parts.h"
#include "report/quantity.h"

struct extent {
    double low, high;
};

static void widen(struct extent *extent, double value)
{
    if (value - value != 0)
        return; /* not finite: it has no place */
    extent->low = value < extent->low ? value : extent->low;
    extent->high = value > extent->high ? value : extent->high;
}

static void find_extents(const struct picture *picture, struct extent *x, struct extent *y)
{
    *x = *y = (struct extent){1e300, -1e300};
    for (unsigned i = 0; i < picture->curves; i++) {
        const struct series *series = picture->curve[i];
        for (unsigned j = 0; j < series->count; j++) {
            const struct point *point = &picture->notebook->point[series->first + j];
            widen(x, point->x);
            widen(y, point->low);
            widen(y, point->high);
        }
    }
    if (x->low > x->high)
        *x = (struct extent){0, 1};
    if (y->low > y->high)
        *y = (struct extent){0, 1};
}

double picture_place(const struct scale *scale, double value)
{
    return scale->from + (scale->to - scale->from) * axis_place(&scale->axis, value);
}

/* Whether the axes are those on which levels have their places. */
static bool is_footprint(const struct series *series)
{
    return curve_of_levels(series->id) && text_equal(series->x, "bytes");
}

static bool has_bands(const struct picture *picture)
{
    for (unsigned i = 0; i < picture->curves; i++) {
        const struct point *point = &picture->notebook->point[picture->curve[i]->first];
        for (unsigned j = 0; j < picture->curve[i]->count; j++)
            if (point[j].high > point[j].low)
                return true;
    }
    return false;
}

static void make_legend(struct picture *picture, int x, int y)
{
    int unit = FONT_WIDTH * picture->scale, line = FONT_HEIGHT * picture->scale;

    for (unsigned i = 0; i < picture->curves; i++) {
        char buffer[LABEL_SIZE];
        struct text name = text_in(buffer, sizeof buffer);
        curve_label(&name, picture->curve[i]->id);
        picture->swatch[i] = (struct spot){x + 1.5 * unit, y + line / 2.0};
        x += 4 * unit;
        x += picture_label(picture, ROLE_LEGEND, x, y, COLOUR_TEXT, name.at) + 3 * unit;
    }
    if (has_bands(picture) && x + 28 * unit < picture->width)
        picture_label(picture, ROLE_LEGEND, x, y, COLOUR_FAINT, "shaded: between quartiles");
}

/* The levels found, where the axes are theirs. */
static void find_marks(struct picture *picture)
{
    struct level level[MAX_LEVELS];
    const struct series *series = picture->curve[0];
    unsigned count;

    if (!is_footprint(series))
        return;
    count = picture_levels(picture->notebook, level);
    for (unsigned i = 0; i < count; i++) {
        const struct finding *high = text_equal(series->y, "ns") ? level[i].time : level[i].latency;
        char buffer[LABEL_SIZE];
        struct text text = text_in(buffer, sizeof buffer);
        if (level[i].size && has_value(level[i].size) && level[i].size->value >= picture->x.axis.low &&
            level[i].size->value <= picture->x.axis.high && level[i].name[2] != 'i') {
            int x, width, y = picture->y.to + (int)(picture->marks % 2) * FONT_HEIGHT * picture->scale + picture->scale;
            picture->mark[picture->marks++] = level[i].size->value;
            text_format(&text, "%s ", level[i].name);
            quantity_text(&text, level[i].size->value, "bytes");
            width = (int)text.length * FONT_WIDTH * picture->scale;
            /* The line runs beside the plate of the words. */
            x = (int)picture_place(&picture->x, level[i].size->value) - width - (FONT_WIDTH + 2) * picture->scale;
            if (x < picture->x.from + FONT_WIDTH * picture->scale)
                x = (int)picture_place(&picture->x, level[i].size->value) + (FONT_WIDTH + 2) * picture->scale;
            picture_label(picture, ROLE_MARK, x, y, COLOUR_MARK, text.at);
        }
        if (high && has_value(high) && text_equal(high->unit, series->y) && high->value >= picture->y.axis.low &&
            high->value <= picture->y.axis.high)
            picture->high[picture->heights++] = high->value;
    }
}

/* The names of the heights, in the margin on the right; one that would cover another is left to the picture of the
 * hierarchy. */
static void label_heights(struct picture *picture)
{
    struct level level[MAX_LEVELS];
    unsigned count = picture_levels(picture->notebook, level);
    int line = FONT_HEIGHT * picture->scale, last = picture->height;

    for (unsigned i = 0; i < picture->heights; i++) {
        int y = (int)picture_place(&picture->y, picture->high[i]) - line / 2;
        char buffer[LABEL_SIZE];
        struct text text = text_in(buffer, sizeof buffer);
        for (unsigned j = 0; j < count && text.length == 0; j++) {
            const struct finding *high = text_equal(picture->curve[0]->y, "ns") ? level[j].time : level[j].latency;
            if (high && has_value(high) && high->value == picture->high[i])
                text_format(&text, "%s ", level[j].name);
        }
        quantity_text(&text, picture->high[i], "");
        if (y > last - line && y < last + line)
            continue;
        last = y;
        picture_label(picture, ROLE_MARK, picture->x.to + (FONT_WIDTH + 1) * picture->scale, y, COLOUR_MARK, text.at);
    }
}

static void label_ticks(struct picture *picture)
{
    int unit = FONT_WIDTH * picture->scale, line = FONT_HEIGHT * picture->scale, end = 0;

    for (unsigned i = 0; i < picture->x.ticks; i++) {
        char buffer[LABEL_SIZE];
        struct text text = text_in(buffer, sizeof buffer);
        int width, x;
        axis_label(&text, &picture->x.axis, picture->x.tick[i]);
        width = (int)text.length * unit;
        x = (int)picture_place(&picture->x, picture->x.tick[i]) - width / 2;
        if (x < end || x + width > picture->width - unit / 2)
            continue; /* it would touch the one before, or leave the page */
        picture_label(picture, ROLE_X_AXIS, x, picture->y.from + line / 2, COLOUR_TEXT, text.at);
        end = x + width + unit;
    }
    for (unsigned i = 0; i < picture->y.ticks; i++) {
        char buffer[LABEL_SIZE];
        struct text text = text_in(buffer, sizeof buffer);
        int y = (int)picture_place(&picture->y, picture->y.tick[i]) - line / 2;
        axis_label(&text, &picture->y.axis, picture->y.tick[i]);
        picture_label(picture, ROLE_Y_AXIS, picture->x.from - unit - (int)text.length * unit, y, COLOUR_TEXT, text.at);
    }
}

static void name_axes(struct picture *picture)
{
    int unit = FONT_WIDTH * picture->scale, line = FONT_HEIGHT * picture->scale;
    const char *id = picture->curve[0]->id;
    char buffer[LABEL_SIZE];
    struct text text = text_in(buffer, sizeof buffer);

    axis_title(&text, &picture->x.axis, curve_x(id));
    picture_label(picture, ROLE_X_AXIS,
                  picture->x.from + (picture->x.to - picture->x.from - (int)text.length * unit) / 2,
                  picture->y.from + 2 * line - line / 4, COLOUR_FAINT, text.at);
    text = text_in(buffer, sizeof buffer);
    axis_title(&text, &picture->y.axis, curve_y(id));
    picture_label(picture, ROLE_Y_AXIS, 2 * unit, picture->y.to - line - line / 2, COLOUR_FAINT, text.at);
}

static void set_axis(struct scale *scale, const struct extent *extent, const char *unit)
{
    scale->axis = axis_for(extent->low, extent->high, unit);
    scale->ticks = axis_ticks(&scale->axis, scale->tick);
}

void picture_make_plot(struct picture *picture)
{
    int unit = FONT_WIDTH * picture->scale, line = FONT_HEIGHT * picture->scale, left = 2 * unit;
    struct extent x, y;
    char buffer[LABEL_SIZE];
    struct text title = text_in(buffer, sizeof buffer);

    if (picture->curves == 0)
        return;
    curve_title(&title, picture->curve[0]->id, picture->curves == 1);
    picture_label_large(picture, ROLE_TITLE, left, left, COLOUR_TEXT, title.at);
    make_legend(picture, left, left + 2 * line + line / 2);
    picture->x.from = 10 * unit;
    picture->x.to = picture->width - (is_footprint(picture->curve[0]) ? 15 : 4) * unit;
    picture->y.from = picture->height - 5 * line;
    picture->y.to = left + 6 * line;
    find_extents(picture, &x, &y);
    set_axis(&picture->x, &x, picture->curve[0]->x);
    set_axis(&picture->y, &y, picture->curve[0]->y);
    label_ticks(picture);
    name_axes(picture);
    find_marks(picture);
    label_heights(picture);
}

static struct spot spot_of(const struct picture *picture, double x, double y)
{
    return (struct spot){picture_place(&picture->x, x), picture_place(&picture->y, y)};
}

static void draw_field(const struct picture *picture, struct raster *raster)
{
    int left = picture->x.from, right = picture->x.to, top = picture->y.to, bottom = picture->y.from;
    int thin = picture->scale, dash = 6 * picture->scale;

    raster_box(raster, left, top, right - left, bottom - top, COLOUR_FIELD, 256);
    for (unsigned i = 0; i < picture->x.ticks; i++)
        raster_box(raster, (int)picture_place(&picture->x, picture->x.tick[i]), top, thin, bottom - top + dash,
                   COLOUR_GRID, 256);
    for (unsigned i = 0; i < picture->y.ticks; i++)
        raster_box(raster, left - dash, (int)picture_place(&picture->y, picture->y.tick[i]), right - left + dash, thin,
                   COLOUR_GRID, 256);
    for (unsigned i = 0; i < picture->marks; i++)
        for (int y = top; y + dash <= bottom; y += 2 * dash)
            raster_box(raster, (int)picture_place(&picture->x, picture->mark[i]), y, thin, dash, COLOUR_MARK, 256);
    for (unsigned i = 0; i < picture->heights; i++)
        for (int x = left; x + dash <= right; x += 2 * dash)
            raster_box(raster, x, (int)picture_place(&picture->y, picture->high[i]), dash, thin, COLOUR_MARK, 160);
    raster_frame(raster, left - thin, top - thin, right - left + 2 * thin, bottom - top + 2 * thin, thin, COLOUR_EDGE);
}

static void draw_bands(const struct picture *picture, struct raster *raster, unsigned index)
{
    const struct point *point = &picture->notebook->point[picture->curve[index]->first];

    for (unsigned i = 0; i + 1 < picture->curve[index]->count; i++) {
        struct spot low[2] = {spot_of(picture, point[i].x, point[i].low),
                              spot_of(picture, point[i + 1].x, point[i + 1].low)};
        struct spot high[2] = {spot_of(picture, point[i].x, point[i].high),
                               spot_of(picture, point[i + 1].x, point[i + 1].high)};
        raster_band(raster, low, high, curve_colour[index], 88);
    }
}

static void draw_curve(const struct picture *picture, struct raster *raster, unsigned index)
{
    const struct series *series = picture->curve[index];
    const struct point *point = &picture->notebook->point[series->first];
    unsigned each = series->count / 20 + 1;

    for (unsigned i = 0; i + 1 < series->count; i++)
        raster_line(raster, spot_of(picture, point[i].x, point[i].middle),
                    spot_of(picture, point[i + 1].x, point[i + 1].middle), 1.8 * picture->scale, curve_colour[index]);
    /* Curves that lie on each other show their markers side by side. */
    for (unsigned i = index * each / picture->curves; i < series->count; i += each)
        raster_marker(raster, (enum marker)(index % MARKERS), spot_of(picture, point[i].x, point[i].middle),
                      3.2 * picture->scale, curve_colour[index]);
}

void picture_draw_plot(const struct picture *picture, struct raster *raster)
{
    double half = 12.0 * picture->scale;

    if (picture->curves == 0)
        return;
    draw_field(picture, raster);
    for (unsigned i = 0; i < picture->curves; i++)
        draw_bands(picture, raster, i);
    for (unsigned i = picture->curves; i-- > 0;) {
        struct spot at = picture->swatch[i];
        draw_curve(picture, raster, i);
        raster_line(raster, (struct spot){at.x - half, at.y}, (struct spot){at.x + half, at.y}, 1.8 * picture->scale,
                    curve_colour[i]);
        raster_marker(raster, (enum marker)(i % MARKERS), at, 4.0 * picture->scale, curve_colour[i]);
    }
}
