// SPDX-License-Identifier: BSD-2-Clause
/* picture_levels.c: the hierarchy as a picture: a box for each level, the nearest to the core on top, as wide as the
 * logarithm of its size, with what was found beside it. */
#include "base/logarithm.h"
#include "report/answer.h"
#include "report/font.h"
#include "report/picture_parts.h"
#include "report/quantity.h"

/* What is left of an id after a level's name: NULL when it is of no level. Sets the name and the place in the order. */
static const char *level_part(const char *id, char name[8], unsigned *order)
{
    if (text_starts(id, "mem.")) {
        text_copy(name, 8, "memory");
        *order = 1000;
        return id + 4;
    }
    if (id[0] != 'l' || id[1] < '1' || id[1] > '9')
        return NULL;
    name[0] = 'L';
    name[1] = id[1];
    name[2] = name[3] = '\0';
    *order = (unsigned)(id[1] - '0') * 4;
    if (id[2] == '.')
        return id + 3;
    if ((id[2] != 'd' && id[2] != 'i') || id[3] != '.')
        return NULL;
    name[2] = id[2];
    *order += id[2] == 'i';
    return id + 4;
}

/* Where a level of this name is among `count`, put in when it is not there; NULL: no room. */
static struct level *place_level(struct level *level, unsigned order[MAX_LEVELS], unsigned *count, const char *name,
                                 unsigned wanted)
{
    unsigned at = 0;

    while (at < *count && order[at] < wanted)
        at++;
    if (at < *count && order[at] == wanted)
        return &level[at];
    if (*count == MAX_LEVELS)
        return NULL;
    for (unsigned i = *count; i > at; i--) {
        level[i] = level[i - 1];
        order[i] = order[i - 1];
    }
    ++*count;
    order[at] = wanted;
    level[at] = (struct level){.name = ""};
    text_copy(level[at].name, sizeof level[at].name, name);
    return &level[at];
}

static void take_finding(struct level *level, const char *part, const struct finding *finding)
{
    if (text_equal(part, "size"))
        level->size = finding;
    else if (text_equal(part, "ways"))
        level->ways = finding;
    else if (text_equal(part, "line"))
        level->line = finding;
    else if (text_equal(part, "latency"))
        level->latency = finding;
    else
        level->time = finding;
}

unsigned picture_levels(const struct notebook *notebook, struct level level[MAX_LEVELS])
{
    unsigned order[MAX_LEVELS] = {0}, count = 0;

    for (unsigned i = 0; i < notebook->findings; i++) {
        const struct finding *finding = &notebook->finding[i];
        char name[8];
        unsigned wanted;
        const char *part = level_part(finding->id, name, &wanted);
        struct level *found;
        if (!part || !text_listed("size,ways,line,latency,latency.ns", part))
            continue;
        found = place_level(level, order, &count, name, wanted);
        if (found)
            take_finding(found, part, finding);
    }
    return count;
}

static bool known(const struct finding *finding)
{
    return finding && has_value(finding);
}

static void add_quantity(struct text *text, const struct finding *finding)
{
    if (!known(finding))
        return;
    text_string(text, text->length ? ", " : "");
    quantity_text(text, finding->value, finding->unit);
}

/* "L2  1 MB, 16 ways, 64-byte lines" */
static void shape_text(struct text *text, const struct level *level)
{
    add_quantity(text, level->size);
    add_quantity(text, level->ways);
    if (known(level->line))
        text_format(text, "%s%g-byte lines", text->length ? ", " : "", level->line->value);
    if (text->length == 0 && !text_equal(level->name, "memory"))
        text_string(text, "size not measured");
}

/* "14 cycles, 3.7 ns, 99.9 % sure" */
static void speed_text(struct text *text, const struct level *level)
{
    add_quantity(text, level->latency);
    add_quantity(text, level->time);
    if (known(level->latency)) {
        text_string(text, " a load, ");
        confidence_text(text, sure_of(level->latency));
        text_string(text, " sure");
    }
    if (text->length == 0)
        text_string(text, "latency not measured");
}

/* What the machine declares otherwise, or why there is no size. */
static bool warning_text(struct text *text, const struct level *level)
{
    enum { PARTS = 4 };
    const struct finding *all[PARTS] = {level->size, level->ways, level->line, level->latency};
    static const char *const names[PARTS] = {"size", "ways", "line", "latency"};

    for (unsigned i = 0; i < PARTS; i++) {
        if (!known(all[i]) || all[i]->agreement != DIFFERS)
            continue;
        text_format(text, "%s%s declared ", text->length ? ", " : "DIFFERS: ", names[i]);
        quantity_text(text, (double)all[i]->declared_low, text_equal(all[i]->unit, "ways") ? "" : all[i]->unit);
        text_format(text, " by %s", all[i]->declared_by);
    }
    if (text->length > 0)
        return true;
    for (unsigned i = 0; i < PARTS; i++)
        if (all[i] && !known(all[i])) {
            text_format(text, "%s: %s", names[i], reason(all[i]));
            return false;
        }
    return false;
}

/* A level whose size is not known gets a box in the middle of its neighbours'; memory the widest. */
static double octaves(const struct picture *picture, unsigned index)
{
    const struct level *level = &picture->level[index];
    double before = 14, after = 0;

    if (known(level->size) && level->size->value >= 1)
        return logarithm2(level->size->value);
    for (unsigned i = 0; i < index; i++)
        if (known(picture->level[i].size) && picture->level[i].size->value >= 1)
            before = logarithm2(picture->level[i].size->value);
    for (unsigned i = picture->levels; i-- > index + 1;)
        if (known(picture->level[i].size) && picture->level[i].size->value >= 1)
            after = logarithm2(picture->level[i].size->value);
    return after > 0 ? (before + after) / 2 : before + 3;
}

/* A label that may be wider than the page: on at most two rows, broken at a blank; dots stand for what
 * does not fit. The table has it. */
static void wrapped_label(struct picture *picture, int x, int y, uint32_t colour, const char *text)
{
    size_t room = (size_t)((picture->width - x) / (FONT_WIDTH * picture->scale) - 2), length = text_length(text);
    char first[LABEL_SIZE];

    room = room < LABEL_SIZE ? room : LABEL_SIZE - 1;
    if (length > room) {
        size_t at = room;
        while (at > 0 && text[at] != ' ')
            at--;
        at = at > 0 ? at : room;
        text_copy(first, at + 1, text);
        picture_label(picture, ROLE_LEVEL, x, y, colour, first);
        text += at + (text[at] == ' ');
        y += FONT_HEIGHT * picture->scale;
    }
    text_copy(first, room + 1, text);
    for (size_t i = room; text_length(text) > room && i > room - 3; i--)
        first[i - 1] = '.';
    picture_label(picture, ROLE_LEVEL, x, y, colour, first);
}

static void label_level(struct picture *picture, unsigned index, int x)
{
    const struct level *level = &picture->level[index];
    const int *box = picture->box[index];
    int line = FONT_HEIGHT * picture->scale, y = box[1] + box[3] / 2 - line - line / 2;
    int name_width = (int)text_length(level->name) * FONT_WIDTH * picture->scale;
    char buffer[LABEL_SIZE];
    struct text text = text_in(buffer, sizeof buffer);
    bool differs;

    picture_label_bold(picture, ROLE_LEVEL, box[0] + (box[2] - name_width) / 2, box[1] + (box[3] - line) / 2,
                       known(level->size) ? COLOUR_PAGE : COLOUR_TEXT, level->name);
    shape_text(&text, level);
    if (text.length > 0)
        picture_label_bold(picture, ROLE_LEVEL, x, y, COLOUR_TEXT, text.at);
    text = text_in(buffer, sizeof buffer);
    speed_text(&text, level);
    picture_label(picture, ROLE_LEVEL, x, y + line, COLOUR_TEXT, text.at);
    text = text_in(buffer, sizeof buffer);
    differs = warning_text(&text, level);
    if (text.length > 0)
        wrapped_label(picture, x, y + 2 * line, differs ? COLOUR_WARNING : COLOUR_FAINT, text.at);
}

void picture_make_levels(struct picture *picture)
{
    int unit = FONT_WIDTH * picture->scale, line = FONT_HEIGHT * picture->scale, left = 2 * unit;
    int top = left + 4 * line + line / 2, room = picture->height - top - 3 * line,
        widest = picture->width * 2 / 5 - left;
    double most = 0, least = 100;

    picture_label_large(picture, ROLE_TITLE, left, left, COLOUR_TEXT, "Memory hierarchy, as measured");
    picture->levels = picture_levels(picture->notebook, picture->level);
    if (picture->levels == 0) {
        picture_label(picture, ROLE_LEVEL, left, top, COLOUR_TEXT, "No probe has looked at a cache in this run.");
        return;
    }
    picture_label(picture, ROLE_LEGEND, left, left + 2 * line + line / 2, COLOUR_FAINT,
                  "Width: the logarithm of the size. An empty box: its size is not known.");
    for (unsigned i = 0; i < picture->levels; i++) {
        double size = octaves(picture, i);
        most = size > most ? size : most;
        least = size < least ? size : least;
    }
    for (unsigned i = 0; i < picture->levels; i++) {
        int pitch = room / (int)picture->levels;
        double part = most > least ? (octaves(picture, i) - least) / (most - least) : 0;
        int *box = picture->box[i];
        box[2] = widest * 3 / 10 + (int)(0.7 * widest * part);
        box[3] = pitch * 3 / 5 < 7 * line ? pitch * 3 / 5 : 7 * line;
        box[0] = left + (widest - box[2]) / 2;
        box[1] = top + pitch * (int)i;
        label_level(picture, i, left + widest + 3 * unit);
    }
}

static const uint32_t level_colour[] = {0xe69f00, 0xf0e442, 0x009e73, 0x56b4e9, 0xcc79a7};

void picture_draw_levels(const struct picture *picture, struct raster *raster)
{
    for (unsigned i = 0; i < picture->levels; i++) {
        const int *box = picture->box[i], *next = picture->box[i + 1 < picture->levels ? i + 1 : i];
        uint32_t colour = level_colour[i % (sizeof level_colour / sizeof *level_colour)];
        if (i + 1 < picture->levels) {
            struct spot above = {box[0] + 0.5 * box[2], box[1] + box[3]}, below = {above.x, next[1]};
            raster_line(raster, above, below, 2.0 * picture->scale, COLOUR_EDGE);
        }
        /* A box whose width says nothing is empty. */
        if (known(picture->level[i].size))
            raster_box(raster, box[0], box[1], box[2], box[3], colour, 256);
        else
            raster_frame(raster, box[0], box[1], box[2], box[3], 2 * picture->scale, colour);
    }
}
