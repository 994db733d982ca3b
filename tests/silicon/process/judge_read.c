// SPDX-License-Identifier: BSD-2-Clause
/* judge_read.c: assay-model: the findings.csv of a run (RFC 4180; docs/results.md) back into a notebook. */
#include "tests/silicon/process/model.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 8, FIELD_SIZE = 256 };

/* The columns that matter, in the order of a row below. */
static const char *const column_names[COLUMNS] = {"id",         "measured", "value",  "unit",
                                                  "confidence", "cost",     "method", "why"};
enum { ID, MEASURED, VALUE, UNIT, CONFIDENCE, COST, METHOD, WHY };

struct table {
    const char *at;
    unsigned line;
    int column[64]; /* which of ours the file's column is; -1: none */
    unsigned columns;
};

/* Takes one field. False: the row ends with it. *good: it is whole. */
static bool take_field(struct table *table, char field[FIELD_SIZE], bool *good)
{
    struct text text = text_in(field, FIELD_SIZE);

    if (*table->at == '"') {
        for (table->at++; *table->at && (*table->at != '"' || table->at[1] == '"'); table->at++) {
            if (*table->at == '"')
                table->at++;
            table->line += *table->at == '\n';
            text_char(&text, *table->at);
        }
        *good = *good && *table->at == '"';
        if (*table->at)
            table->at++;
    } else {
        while (*table->at && *table->at != ',' && *table->at != '\r' && *table->at != '\n')
            text_char(&text, *table->at++);
    }
    *good = *good && !text.cut;
    if (*table->at == ',') {
        table->at++;
        return true;
    }
    if (*table->at == '\r')
        table->at++;
    *good = *good && *table->at == '\n';
    if (*table->at)
        table->at++;
    table->line++;
    return false;
}

static bool read_heading(struct table *table)
{
    char field[FIELD_SIZE];
    bool more = true, good = true;
    unsigned found = 0;

    while (more && table->columns < 64) {
        more = take_field(table, field, &good);
        table->column[table->columns] = -1;
        for (int i = 0; i < COLUMNS; i++) {
            if (strcmp(field, column_names[i]) == 0) {
                table->column[table->columns] = i;
                found++;
            }
        }
        table->columns++;
    }
    return good && !more && found == COLUMNS;
}

static bool number_in(const char *field, double *number)
{
    char *end;

    *number = strtod(field, &end);
    return end != field && *end == '\0';
}

static bool note_row(char row[COLUMNS][FIELD_SIZE], struct notebook *notebook)
{
    double value, confidence;
    uint64_t cost = strtoull(row[COST], NULL, 10);

    if (!row[ID][0] || strlen(row[ID]) >= sizeof notebook->finding[0].id || noted(notebook, row[ID]))
        return false;
    if (strcmp(row[MEASURED], "no") == 0) {
        note_missing(notebook, row[ID], row[UNIT], cost, "%s", row[WHY]);
        return true;
    }
    if (strcmp(row[MEASURED], "yes") != 0 || !number_in(row[VALUE], &value) || !number_in(row[CONFIDENCE], &confidence))
        return false;
    note_value(notebook, row[ID], value, row[UNIT], confidence, cost, row[METHOD]);
    return true;
}

static bool read_row(struct table *table, struct notebook *notebook)
{
    char row[COLUMNS][FIELD_SIZE] = {{0}}, field[FIELD_SIZE];
    bool more = true, good = true;
    unsigned column = 0;

    while (more && column < table->columns) {
        more = take_field(table, field, &good);
        if (table->column[column] >= 0)
            memcpy(row[table->column[column]], field, FIELD_SIZE);
        column++;
    }
    return good && !more && column == table->columns && note_row(row, notebook);
}

bool judge_read(const char *path, struct notebook *notebook, struct text *complaint)
{
    struct table table = {.line = 1};
    unsigned line = 1;
    size_t size;
    char *csv = file_read(path, &size);
    bool good;

    if (!csv) {
        text_format(complaint, "%s: %s", path, strerror(errno));
        return false;
    }
    table.at = csv;
    good = read_heading(&table);
    while (good && *table.at) {
        line = table.line;
        good = read_row(&table, notebook);
    }
    if (!good)
        text_format(complaint, "%s: line %u: not a findings.csv", path, line);
    free(csv);
    return good;
}
