// SPDX-License-Identifier: BSD-2-Clause
/* baseline.c: findings.csv read back: bytes to fields, fields to findings. */
#include "report/baseline.h"

enum { MOST_COLUMNS = 32, FIELD_SIZE = 200, LONGEST_NUMBER = 24 };

enum column {
    ID,
    MEASURED,
    VALUE,
    UNIT,
    CONFIDENCE,
    COST,
    METHOD,
    WHY,
    EMULATED,
    DECLARED_LOW,
    DECLARED_HIGH,
    DECLARED_BY,
    AGREEMENT,
    COLUMNS
};

static const char *const column_names[COLUMNS] = {
    "id",  "measured", "value",        "unit",          "confidence",  "cost",     "method",
    "why", "emulated", "declared_low", "declared_high", "declared_by", "agreement"};

/* Where the reading is. */
struct reader {
    const char *at, *end;
    unsigned line;
    struct text *complaint;
    unsigned columns;
    int meaning[MOST_COLUMNS]; /* enum column, -1: not known */
    char field[COLUMNS][FIELD_SIZE];
};

static bool refuse(const struct reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(const struct reader *reader, const char *format, ...)
{
    va_list list;

    text_format(reader->complaint, "line %u: ", reader->line);
    va_start(list, format);
    text_format_list(reader->complaint, format, list);
    va_end(list);
    return false;
}

static bool is_line_end(const struct reader *reader)
{
    return reader->at < reader->end &&
           (*reader->at == '\n' || (*reader->at == '\r' && reader->end - reader->at > 1 && reader->at[1] == '\n'));
}

/* One character of a field: what no assay writes into a CSV file is refused. */
static bool take_character(struct reader *reader, struct text *field, bool quoted)
{
    unsigned char byte = (unsigned char)*reader->at++;
    bool line_end = byte == '\r' || byte == '\n';

    if ((byte < 0x20 || byte > 0x7E) && !(quoted && line_end))
        return refuse(reader, "a byte 0x%x, which is no text", byte);
    if (byte == '"' && !quoted)
        return refuse(reader, "a double quote in the middle of a field");
    reader->line += byte == '\n';
    text_char(field, (char)byte);
    return !field->cut || refuse(reader, "a field of more than %d characters", FIELD_SIZE - 1);
}

/* Takes a field; its separator or line end is left. */
static bool take_field(struct reader *reader, char buffer[FIELD_SIZE])
{
    struct text field = text_in(buffer, FIELD_SIZE);

    if (reader->at == reader->end || *reader->at != '"') {
        while (reader->at < reader->end && *reader->at != ',' && !is_line_end(reader)) {
            if (!take_character(reader, &field, false))
                return false;
        }
        return true;
    }
    for (reader->at++; reader->at < reader->end;) {
        if (*reader->at == '"') {
            reader->at++;
            if (reader->at == reader->end || *reader->at != '"')
                return reader->at == reader->end || *reader->at == ',' || is_line_end(reader) ||
                       refuse(reader, "text after a closing double quote");
        }
        if (!take_character(reader, &field, true))
            return false;
    }
    return refuse(reader, "a double quote is not closed");
}

/* Goes on to the next field: 1 there is one, 0 the line is over, -1 the file is. */
static int next_field(struct reader *reader)
{
    if (reader->at == reader->end)
        return -1;
    if (*reader->at == ',') {
        reader->at++;
        return 1;
    }
    reader->at += *reader->at == '\r' ? 2 : 1;
    return 0;
}

static bool cut_short(const struct reader *reader)
{
    return refuse(reader, "the last line does not end: the file was cut short");
}

static bool name_column(struct reader *reader, const char *name)
{
    if (reader->columns == MOST_COLUMNS)
        return refuse(reader, "more than %d columns", MOST_COLUMNS);
    reader->meaning[reader->columns] = -1;
    for (int i = 0; i < COLUMNS; i++) {
        if (!text_equal(column_names[i], name))
            continue;
        for (unsigned j = 0; j < reader->columns; j++) {
            if (reader->meaning[j] == i)
                return refuse(reader, "the column '%s' stands there twice", name);
        }
        reader->meaning[reader->columns] = i;
    }
    reader->columns++;
    return true;
}

static bool read_heading(struct reader *reader)
{
    char name[FIELD_SIZE];
    int more;

    do {
        if (!take_field(reader, name) || !name_column(reader, name))
            return false;
        more = next_field(reader);
    } while (more > 0);
    for (int i = 0; i < COLUMNS; i++) {
        bool there = false;
        for (unsigned j = 0; j < reader->columns; j++)
            there = there || reader->meaning[j] == i;
        if (!there)
            return refuse(reader, "no column '%s': this is no findings.csv", column_names[i]);
    }
    return more == 0 || cut_short(reader);
}

static bool read_row(struct reader *reader)
{
    char passed_over[FIELD_SIZE] = "";
    unsigned column = 0;
    int more;

    do {
        if (column == reader->columns)
            return refuse(reader, "more fields than the heading has");
        int meaning = reader->meaning[column++];
        if (!take_field(reader, meaning < 0 ? passed_over : reader->field[meaning]))
            return false;
        more = next_field(reader);
    } while (more > 0);
    if (more < 0)
        return cut_short(reader);
    return column == reader->columns || refuse(reader, "fewer fields than the heading has");
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/* Digits as part of a number; counts them. */
static unsigned take_digits(const char **at, double *number)
{
    unsigned count = 0;

    for (; is_digit(**at); count++)
        *number = *number * 10 + (*(*at)++ - '0');
    return count;
}

/* A number as text_number writes it: digits, decimals, an exponent. Six digits or an integer below 2^53: exact enough.
 */
static bool read_decimal(const char *from, double *number)
{
    bool negative = *from == '-', small = false;
    double value = 0, exponent = 0;
    unsigned decimals = 0;

    if (text_length(from) > LONGEST_NUMBER)
        return false;
    from += negative;
    if (take_digits(&from, &value) == 0)
        return false;
    if (*from == '.') {
        from++;
        decimals = take_digits(&from, &value);
        if (decimals == 0)
            return false;
    }
    if (*from == 'e') {
        small = from[1] == '-';
        from += small || from[1] == '+' ? 2 : 1;
        if (take_digits(&from, &exponent) == 0 || exponent > 300)
            return false;
    }
    double divisor = 1, factor = 1;
    for (unsigned i = 0; i < decimals; i++)
        divisor *= 10;
    for (unsigned i = 0; i < (unsigned)exponent; i++)
        factor *= 10;
    value = small ? value / divisor / factor : value / divisor * factor;
    *number = negative ? -value : value;
    return *from == '\0' && *number - *number == 0;
}

static bool number_in(const struct reader *reader, enum column column, double *number)
{
    return read_decimal(reader->field[column], number) ||
           refuse(reader, "%s: '%.40s' is not a number", column_names[column], reader->field[column]);
}

/* A whole number; an empty field is 0. */
static bool count_in(const struct reader *reader, enum column column, uint64_t *count)
{
    const char *at = reader->field[column];

    while (is_digit(*at))
        at++;
    *count = 0;
    if (reader->field[column][0] == '\0')
        return true;
    return (*at == '\0' && text_read_number(reader->field[column], count)) ||
           refuse(reader, "%s: '%.40s' is not a whole number", column_names[column], reader->field[column]);
}

static bool word_in(const struct reader *reader, enum column column, bool *yes)
{
    *yes = text_equal(reader->field[column], "yes");
    return *yes || text_equal(reader->field[column], "no") ||
           refuse(reader, "%s: '%.40s' is neither yes nor no", column_names[column], reader->field[column]);
}

static bool text_from(const struct reader *reader, enum column column, char *to, size_t capacity)
{
    text_copy(to, capacity, reader->field[column]);
    return text_equal(to, reader->field[column]) || refuse(reader, "%s: too long", column_names[column]);
}

static bool id_from(const struct reader *reader, char *to, size_t capacity)
{
    const char *id = reader->field[ID];

    for (; *id; id++) {
        if (!is_digit(*id) && !(*id >= 'a' && *id <= 'z') && *id != '.' && *id != '_')
            return refuse(reader, "id: '%.40s' is none", reader->field[ID]);
    }
    return text_from(reader, ID, to, capacity) && (*to || refuse(reader, "id: is missing"));
}

static bool read_measured(const struct reader *reader, struct finding *finding)
{
    if (!number_in(reader, VALUE, &finding->value) || !number_in(reader, CONFIDENCE, &finding->confidence))
        return false;
    return (finding->confidence >= 0 && finding->confidence <= 1) ||
           refuse(reader, "confidence: '%.40s' is not between 0 and 1", reader->field[CONFIDENCE]);
}

/* Agreement and what is declared: both or none, but that nothing agrees with what was not measured. */
static bool read_declared(const struct reader *reader, struct finding *finding)
{
    const char *agreement = reader->field[AGREEMENT];
    bool declared = reader->field[DECLARED_LOW][0] != '\0', agrees = text_equal(agreement, "agrees");

    if (!count_in(reader, DECLARED_LOW, &finding->declared_low) ||
        !count_in(reader, DECLARED_HIGH, &finding->declared_high) ||
        !text_from(reader, DECLARED_BY, finding->declared_by, sizeof finding->declared_by))
        return false;
    if (declared != (reader->field[DECLARED_HIGH][0] != '\0') || declared != (reader->field[DECLARED_BY][0] != '\0') ||
        finding->declared_low > finding->declared_high)
        return refuse(reader, "what is declared is not whole, or its ends are reversed");
    if (agreement[0] && !agrees && !text_equal(agreement, "differs"))
        return refuse(reader, "agreement: '%.40s' is neither agrees nor differs", agreement);
    if ((agreement[0] != '\0') != (declared && finding->measured))
        return refuse(reader, "agreement: does not go with what is measured and declared");
    if (declared)
        finding->agreement = agrees ? AGREES : DIFFERS;
    return true;
}

static bool read_finding(const struct reader *reader, struct baseline *baseline)
{
    struct finding finding = {0};

    if (!id_from(reader, finding.id, sizeof finding.id) || !word_in(reader, MEASURED, &finding.measured) ||
        !text_from(reader, UNIT, finding.unit, sizeof finding.unit) || !count_in(reader, COST, &finding.cost) ||
        !text_from(reader, METHOD, finding.method, sizeof finding.method) ||
        !text_from(reader, WHY, finding.why, sizeof finding.why) || !word_in(reader, EMULATED, &finding.emulated))
        return false;
    if (finding.measured && !read_measured(reader, &finding))
        return false;
    if (!finding.measured && (reader->field[VALUE][0] || reader->field[CONFIDENCE][0]))
        return refuse(reader, "%s: a value and not measured", finding.id);
    if (!read_declared(reader, &finding))
        return false;
    for (unsigned i = 0; i < baseline->count; i++) {
        if (text_equal(baseline->finding[i].id, finding.id))
            return refuse(reader, "%s stands there twice", finding.id);
    }
    if (baseline->count == MAX_FINDINGS)
        return refuse(reader, "more than %d findings", MAX_FINDINGS);
    baseline->finding[baseline->count++] = finding;
    return true;
}

bool baseline_read(struct baseline *baseline, const char *bytes, size_t length, struct text *complaint)
{
    struct reader reader = {.at = bytes, .end = bytes + length, .line = 1, .complaint = complaint};

    baseline->count = 0;
    if (length >= 3 && bytes[0] == '\xEF' && bytes[1] == '\xBB' && bytes[2] == '\xBF')
        reader.at += 3;
    if (!read_heading(&reader))
        return false;
    while (reader.at < reader.end) {
        reader.line++;
        if (!read_row(&reader) || !read_finding(&reader, baseline))
            return false;
    }
    return baseline->count > 0 || refuse(&reader, "no findings");
}
