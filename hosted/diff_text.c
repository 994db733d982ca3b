// SPDX-License-Identifier: BSD-2-Clause
/* diff_text.c: two runs compared, as text: the verdict first, then what is different, and what it is best explained
 * by. */
#include "hosted/diff.h"

enum { COLUMNS = 100, LINE_SIZE = 1400, AT_FIRST = 30, AT_SECOND = 54, AT_CHANGE = 80, AT_SURE = 91 };

/* Ends a line: printable ASCII only, nothing beyond the last column. */
static void end_line(struct writer *writer, struct text *line)
{
    while (line->length > 0 && line->at[line->length - 1] == ' ')
        line->length--;
    for (size_t i = 0; i < line->length; i++) {
        if (line->at[i] < 0x20 || line->at[i] > 0x7E)
            line->at[i] = '?';
    }
    write_bytes(writer, line->at, line->length < COLUMNS ? line->length : COLUMNS);
    write_string(writer, "\n");
}

/* One side of a comparison: from its column on, on a line of its own when it does not fit before the next column. */
static void add_cell(struct writer *writer, struct text *line, const char *cell, size_t column, size_t next)
{
    if (line->length >= column) {
        end_line(writer, line);
        *line = text_in(line->at, line->capacity);
    }
    text_column(line, column);
    text_string(line, cell);
    if (line->length >= next) {
        end_line(writer, line);
        *line = text_in(line->at, line->capacity);
    }
}

static void write_pair(struct writer *writer, const struct pair *pair)
{
    char buffer[LINE_SIZE], cell_buffer[160];
    struct text line = text_in(buffer, sizeof buffer), cell = text_in(cell_buffer, sizeof cell_buffer);

    text_format(&line, "  %s", pair->first ? pair->first->id : pair->second->id);
    compared_text(&cell, pair->first, pair->aspect);
    add_cell(writer, &line, cell.at, AT_FIRST, AT_SECOND);
    cell = text_in(cell_buffer, sizeof cell_buffer);
    compared_text(&cell, pair->second, pair->aspect);
    add_cell(writer, &line, cell.at, AT_SECOND, AT_CHANGE);
    text_column(&line, AT_CHANGE);
    diff_change(&line, pair);
    text_column(&line, AT_SURE);
    diff_sure(&line, pair);
    end_line(writer, &line);
}

static void write_pairs(struct writer *writer, const struct comparison_of_runs *runs, enum comparison comparison,
                        const char *heading)
{
    struct pairing pairing = {.first = side_findings(&runs->first), .second = side_findings(&runs->second)};
    char buffer[LINE_SIZE];
    struct text line = text_in(buffer, sizeof buffer);
    struct pair pair;

    if (runs->tally.of[comparison] == 0)
        return;
    text_format(&line, "%s", heading);
    text_column(&line, AT_FIRST);
    text_string(&line, "A");
    text_column(&line, AT_SECOND);
    text_string(&line, "B");
    text_column(&line, AT_CHANGE);
    text_string(&line, "change");
    text_column(&line, AT_SURE);
    text_string(&line, "sure");
    write_string(writer, "\n");
    end_line(writer, &line);
    while (compare_next(&pairing, &pair)) {
        if (pair.comparison == comparison)
            write_pair(writer, &pair);
    }
}

static bool is_told(const struct comparison_of_runs *runs, const struct fact *fact, bool counts)
{
    return fact->counts == counts && (fact->differs || (runs->all && fact->first[0]));
}

/* One side of a fact that is too long for its column, on as many lines as it needs. */
static void write_long(struct writer *writer, struct text *line, const char *letter, const char *value)
{
    size_t left = text_length(value);

    text_column(line, AT_FIRST - 3);
    text_format(line, "%s: ", letter);
    do {
        size_t length = left < COLUMNS - AT_FIRST ? left : COLUMNS - AT_FIRST;
        text_column(line, AT_FIRST);
        text_bytes(line, left ? value : "-", left ? length : 1);
        end_line(writer, line);
        *line = text_in(line->at, line->capacity);
        value += length;
        left -= length;
    } while (left > 0);
}

static void write_fact(struct writer *writer, const struct fact *fact)
{
    char buffer[LINE_SIZE];
    struct text line = text_in(buffer, sizeof buffer);

    text_format(&line, "  %s", fact->name);
    if (text_length(fact->first) < AT_SECOND - AT_FIRST && text_length(fact->second) <= COLUMNS - AT_SECOND) {
        text_column(&line, AT_FIRST);
        text_string(&line, fact->first[0] ? fact->first : "-");
        text_column(&line, AT_SECOND);
        text_string(&line, fact->second[0] ? fact->second : "-");
        end_line(writer, &line);
        return;
    }
    write_long(writer, &line, "A", fact->first);
    line = text_in(buffer, sizeof buffer);
    write_long(writer, &line, "B", fact->second);
}

static void write_facts(struct writer *writer, const struct comparison_of_runs *runs, bool counts, const char *heading)
{
    bool any = false;

    for (unsigned i = 0; i < runs->facts.count; i++) {
        const struct fact *fact = &runs->facts.fact[i];
        if (!is_told(runs, fact, counts))
            continue;
        if (!any)
            write_format(writer, "\n%s\n", heading);
        any = true;
        write_fact(writer, fact);
    }
}

/* What was compared; of a long name the end, which tells more. */
static void write_side(struct writer *writer, const char *letter, const struct side *side)
{
    char buffer[LINE_SIZE];
    struct text line = text_in(buffer, sizeof buffer);
    size_t length = text_length(side->path), most = COLUMNS - 3;

    text_format(&line, "%s  ", letter);
    if (length > most)
        text_format(&line, "...%s", side->path + length - most + 3);
    else
        text_string(&line, side->path);
    end_line(writer, &line);
}

bool diff_text(struct report_sink *sink, const struct comparison_of_runs *runs)
{
    char buffer[LINE_SIZE];
    struct text verdict = text_in(buffer, sizeof buffer);
    struct writer writer;

    writer_start(&writer, sink);
    diff_verdict(&verdict, runs);
    end_line(&writer, &verdict);
    verdict = text_in(buffer, sizeof buffer);
    diff_rest(&verdict, runs);
    end_line(&writer, &verdict);
    write_side(&writer, "A", &runs->first);
    write_side(&writer, "B", &runs->second);
    write_pairs(&writer, runs, DIFFERENT, "Different");
    write_facts(&writer, runs, true, "Machine");
    write_pairs(&writer, runs, UNCERTAIN, "Uncertain");
    if (runs->all || runs_differ(runs))
        write_facts(&writer, runs, false, "Runs");
    if (runs->all) {
        write_pairs(&writer, runs, NOT_ASKED, "Asked for in one run only");
        write_pairs(&writer, runs, OF_THE_RUN, "Differs with every run");
        write_pairs(&writer, runs, EQUAL, "Equal");
    }
    if (!runs->first.whole || !runs->second.whole)
        write_string(&writer,
                     "\nA findings.csv tells nothing about the machine: board, firmware and microcode were not "
                     "compared.\n");
    return writer_end(&writer);
}
