// SPDX-License-Identifier: BSD-2-Clause
/* html_hierarchy.c: the levels as boxes, one below the other from the core to memory, and as a table; beside them the
 * TLBs. A box is as wide as the logarithm of its size says, on the same scale in every report, so that two reports can
 * be laid beside each other. What was not measured has a dashed outline and says so. */
#include "base/logarithm.h"
#include "report/answer.h"
#include "report/html.h"
#include "report/names.h"
#include "report/quantity.h"
#include "report/xml.h"

/* Widths, as shares of the picture: a cache of 4 KB and 16 TLB entries are NARROW, 64 GB and 64 Ki entries WIDE. */
static const double NARROW = 0.46, WIDE = 1;
static const double LEAST_BYTES = 12, MOST_BYTES = 36, LEAST_ENTRIES = 4, MOST_ENTRIES = 16; /* logarithms to base 2 */

/* Heights in em: a box, the space below it, and the text's lines within it. */
static const double BOX = 4.4, GAP = 1.1, LINES[3] = {1.35, 2.65, 3.75}, HALF_LINE = 0.5;

enum { MOST_BOXES = 24, LINE_SIZE = 160, SHADES = 5 /* below the core's */ };

/* A box with three lines of text. */
struct box {
    double width;      /* share of the picture */
    bool known;        /* its size was measured */
    unsigned depth;    /* how far from the core, for its shade */
    const char *title; /* of the first line */
    char size[48], form[LINE_SIZE], time[LINE_SIZE];
};

struct level {
    const char *name;
    const struct finding *size, *ways, *line, *cycles, *ns;
    bool there; /* something about it was measured, or the number of levels says so; memory always is */
};

static double width_of(double size, double least, double most)
{
    double width = NARROW + (WIDE - NARROW) * (logarithm2(size) - least) / (most - least);

    return width < NARROW ? NARROW : width > WIDE ? WIDE : width;
}

static const struct finding *part_of(const struct notebook *notebook, const char *id, const char *part)
{
    char buffer[28];
    struct text text = text_in(buffer, sizeof buffer);

    text_format(&text, "%s.%s", id, part);
    return html_measured(notebook, buffer);
}

static bool is_memory(unsigned index)
{
    return level_id(index + 1) == NULL;
}

static struct level level_of(const struct notebook *notebook, unsigned index)
{
    const struct finding *levels = html_measured(notebook, "latency.levels");
    const char *id = level_id(index);
    struct level level = {.name = level_name(index),
                          .size = part_of(notebook, id, "size"),
                          .ways = part_of(notebook, id, "ways"),
                          .line = part_of(notebook, id, "line"),
                          .cycles = part_of(notebook, id, "latency"),
                          .ns = part_of(notebook, id, "latency.ns")};

    level.there = is_memory(index) || (levels && index < html_value(levels));
    for (unsigned i = 0; i < notebook->findings; i++) {
        const struct finding *finding = &notebook->finding[i];
        level.there = level.there || (same_group(id, finding->id) && has_value(finding));
    }
    return level;
}

static void add_quantity(struct text *text, const char *before, const struct finding *finding)
{
    if (!finding)
        return;
    if (text->length > 0)
        text_string(text, before);
    quantity_text(text, html_value(finding), finding->unit);
}

static struct box box_of(const struct level *level, unsigned index, double width_before)
{
    struct box box = {.known = level->size, .depth = index + 1, .title = level->name};
    struct text size = text_in(box.size, sizeof box.size), form = text_in(box.form, sizeof box.form);
    struct text time = text_in(box.time, sizeof box.time);

    if (level->size)
        box.width = width_of(html_value(level->size), LEAST_BYTES, MOST_BYTES);
    else
        box.width = is_memory(index) ? WIDE : width_before;
    add_quantity(&size, "", level->size);
    if (!level->size)
        text_string(&size, is_memory(index) ? "" : "size unknown");
    add_quantity(&form, "", level->ways);
    add_quantity(&form, ", ", level->line);
    if (level->line)
        text_string(&form, " a line");
    if (form.length == 0)
        text_string(&form, is_memory(index) ? "size not measured" : "ways and line unknown");
    add_quantity(&time, "", level->cycles);
    add_quantity(&time, ", ", level->ns);
    if (time.length == 0)
        text_string(&time, "latency unknown");
    return box;
}

static void write_line(struct writer *writer, const char *kind, double at, double height, const char *one,
                       const char *other)
{
    write_format(writer, "<text class=\"%s\" x=\"50%%\" y=\"%.2f%%\">", kind, at / height * 100);
    write_xml(writer, one);
    if (other[0]) {
        write_string(writer, " ");
        write_xml(writer, other);
    }
    write_string(writer, "</text>\n");
}

/* One box below the others; `height` is that of the whole picture, all in em. */
static void write_box(struct writer *writer, const struct box *box, unsigned index, double height)
{
    double top = index * (BOX + GAP), text = top + (box->time[0] ? 0 : HALF_LINE);

    if (index > 0)
        write_format(writer, "<line class=\"way\" x1=\"50%%\" x2=\"50%%\" y1=\"%.2f%%\" y2=\"%.2f%%\"/>\n",
                     (top - GAP) / height * 100, top / height * 100);
    write_format(writer,
                 "<rect class=\"box d%u%s\" x=\"%.2f%%\" y=\"%.2f%%\" width=\"%.2f%%\" height=\"%.2f%%\" rx=\"6\"/>\n",
                 box->depth, box->known ? "" : " unknown", (1 - box->width) * 50, top / height * 100, box->width * 100,
                 BOX / height * 100);
    write_line(writer, "name", text + LINES[0], height, box->title, box->size);
    write_line(writer, "part", text + LINES[1], height, box->form, "");
    if (box->time[0])
        write_line(writer, "part", text + LINES[2], height, box->time, "");
}

/* A picture of boxes, with the same in words for who cannot see it. */
static void write_picture(struct writer *writer, const char *name, const char *title, const struct box *boxes,
                          unsigned count)
{
    double height = count * (BOX + GAP) - GAP;

    write_format(writer,
                 "<svg class=\"picture\" style=\"height:%.2fem\" role=\"img\" aria-labelledby=\"%s-title %s-text\">\n",
                 height, name, name);
    write_format(writer, "<title id=\"%s-title\">%s</title>\n<desc id=\"%s-text\">", name, title, name);
    for (unsigned i = 0; i < count; i++) {
        write_xml(writer, boxes[i].title);
        write_string(writer, boxes[i].size[0] ? " " : "");
        write_xml(writer, boxes[i].size);
        write_string(writer, ": ");
        write_xml(writer, boxes[i].form);
        write_string(writer, boxes[i].time[0] ? "; " : "");
        write_xml(writer, boxes[i].time);
        write_string(writer, ". ");
    }
    write_string(writer, "</desc>\n");
    for (unsigned i = 0; i < count; i++)
        write_box(writer, &boxes[i], i, height);
    write_string(writer, "</svg>\n");
}

/* The core: its frequency as measured, else as the run knows it. */
static struct box core_box(const struct run_summary *run, const struct notebook *notebook)
{
    const struct finding *frequency = html_measured(notebook, "cpu.frequency");
    struct box box = {.width = NARROW, .known = true, .title = "Core"};
    struct text form = text_in(box.form, sizeof box.form);

    if (frequency)
        quantity_text(&form, html_value(frequency), frequency->unit);
    else if (run->core_hz)
        quantity_text(&form, (double)run->core_hz, "Hz");
    else
        text_string(&form, "frequency unknown");
    return box;
}

static void write_levels_picture(struct writer *writer, const struct run_summary *run, const struct notebook *notebook)
{
    struct box boxes[MOST_BOXES];
    double width = NARROW;
    unsigned count = 0;

    boxes[count++] = core_box(run, notebook);
    for (unsigned i = 0; level_id(i); i++) {
        struct level level = level_of(notebook, i);
        if (!level.there)
            continue;
        boxes[count] = box_of(&level, i, width);
        width = boxes[count++].width;
    }
    write_string(writer, "<figure>\n");
    write_picture(writer, "levels", "The memory hierarchy, from the core to memory", boxes, count);
    write_string(writer,
                 "<figcaption>To scale on a logarithmic scale: each doubling of a size makes a box wider by the "
                 "same step. A dashed outline: the size was not measured.</figcaption>\n</figure>\n");
}

static void write_cell(struct writer *writer, const struct finding *finding)
{
    if (!finding) {
        write_string(writer, "<td class=\"none\">unknown</td>");
        return;
    }
    write_string(writer, "<td><a href=\"#");
    write_xml(writer, finding->id);
    write_string(writer, "\">");
    html_quantity(writer, html_value(finding), finding->unit);
    write_string(writer, "</a></td>");
}

static void write_levels_table(struct writer *writer, const struct notebook *notebook)
{
    write_string(writer,
                 "<table class=\"levels\">\n<caption>The same as a table</caption>\n<thead><tr>"
                 "<th scope=\"col\">Level</th><th scope=\"col\">Size</th><th scope=\"col\">Ways</th>"
                 "<th scope=\"col\">Line</th><th scope=\"col\" colspan=\"2\">Latency</th></tr></thead>\n<tbody>\n");
    for (unsigned i = 0; level_id(i); i++) {
        struct level level = level_of(notebook, i);
        if (!level.there)
            continue;
        write_format(writer, "<tr><th scope=\"row\">%s</th>", level.name);
        write_cell(writer, level.size);
        write_cell(writer, level.ways);
        write_cell(writer, level.line);
        write_cell(writer, level.cycles);
        write_cell(writer, level.ns);
        write_string(writer, "</tr>\n");
    }
    write_string(writer, "</tbody>\n</table>\n");
}

/* The middle part of "dtlb1.4k.entries": false when the id is not such a one. */
static bool entries_of(const struct finding *finding, char middle[28])
{
    size_t group = group_length(finding->id), stem = stem_length(finding->id);

    if (!has_value(finding) || stem <= group + 1 || !text_equal(finding->id + stem, ".entries"))
        return false;
    text_copy(middle, stem - group, finding->id + group + 1);
    return true;
}

/* Adds what a group's findings say of entries and ways, page size by page size. Returns the largest number of entries.
 */
static double add_entries(struct text *text, const struct notebook *notebook, const char *id)
{
    double most = 0;
    char middle[28], stem[28];

    for (unsigned i = 0; i < notebook->findings; i++) {
        const struct finding *finding = &notebook->finding[i];
        if (!same_group(finding->id, id) || !entries_of(finding, middle))
            continue;
        text_copy(stem, stem_length(finding->id) + 1, finding->id);
        const struct finding *ways = part_of(notebook, stem, "ways");
        text_format(text, "%s%s: %g", text->length ? "; " : "", middle, html_value(finding));
        if (ways)
            text_format(text, ", %g ways", html_value(ways));
        if (html_value(finding) > most)
            most = html_value(finding);
    }
    return most;
}

/* Whether a finding is the first of its group that tells entries. */
static bool begins_translation(const struct notebook *notebook, unsigned index)
{
    char middle[28];

    if (!entries_of(&notebook->finding[index], middle))
        return false;
    for (unsigned i = 0; i < index; i++) {
        if (same_group(notebook->finding[i].id, notebook->finding[index].id) &&
            entries_of(&notebook->finding[i], middle))
            return false;
    }
    return true;
}

/* The box of a TLB, or of what else of translation has entries. `name` holds its title. */
static struct box translation_box(const struct notebook *notebook, const char *id, unsigned depth, char name[28])
{
    struct box box = {.known = true, .depth = depth, .title = name};
    struct text title = text_in(name, 28), form = text_in(box.form, sizeof box.form);
    struct text time = text_in(box.time, sizeof box.time);
    char group[28];

    group_title(&title, id);
    box.width = width_of(add_entries(&form, notebook, id), LEAST_ENTRIES, MOST_ENTRIES);
    text_copy(group, group_length(id) + 1, id);
    const struct finding *miss = part_of(notebook, group, "miss");
    if (miss) {
        text_string(&time, "a miss costs ");
        quantity_text(&time, html_value(miss), miss->unit);
    }
    return box;
}

/* Nothing when nothing was found about translation. */
static void write_translation(struct writer *writer, const struct notebook *notebook)
{
    struct box boxes[MOST_BOXES];
    char names[MOST_BOXES][28];
    unsigned count = 0;

    for (unsigned i = 0; i < notebook->findings && count < MOST_BOXES; i++) {
        if (!begins_translation(notebook, i))
            continue;
        boxes[count] = translation_box(notebook, notebook->finding[i].id, 1 + count % SHADES, names[count]);
        count++;
    }
    if (count == 0)
        return;
    write_string(writer, "<figure>\n");
    write_picture(writer, "translation", "Translation: TLBs and page-structure caches", boxes, count);
    write_string(writer, "<figcaption>Translation, entries by page size; each doubling makes a box wider by the same "
                         "step.</figcaption>\n</figure>\n");
}

void html_hierarchy(struct writer *writer, const struct run_summary *run, const struct notebook *notebook)
{
    write_string(writer, "<section aria-labelledby=\"hierarchy\">\n<h2 id=\"hierarchy\">Memory hierarchy</h2>\n"
                         "<div class=\"hierarchy\">\n");
    write_levels_picture(writer, run, notebook);
    write_string(writer, "<div>\n");
    write_levels_table(writer, notebook);
    write_translation(writer, notebook);
    write_string(writer, "</div>\n</div>\n</section>\n");
}
