// SPDX-License-Identifier: BSD-2-Clause
/* result.c: result.json into a notebook. Each function takes one object of the format; the first thing that is wrong
 * ends the reading. */
#include "hosted/result.h"
#include <jansson.h>

/* An object of the file, and where it stands, for complaints. */
struct place {
    struct result *result;
    struct text *complaint;
    const json_t *object;
    char at[64]; /* "findings[3]." */
};

static bool refuse(const struct place *place, const char *key, const char *what)
{
    if (place->complaint->length == 0)
        text_format(place->complaint, "%s%s: %s", place->at, key, what);
    return false;
}

static const json_t *member(const struct place *place, const char *key)
{
    const json_t *found = json_object_get(place->object, key);

    if (!found)
        refuse(place, key, "is missing");
    return found;
}

/* The object that a member is; false: it is none. */
static bool enter(const struct place *outer, const char *key, struct place *inner)
{
    struct text at;

    *inner = *outer;
    inner->object = member(outer, key);
    at = text_in(inner->at, sizeof inner->at);
    text_format(&at, "%s%s.", outer->at, key);
    return inner->object && (json_is_object(inner->object) || refuse(outer, key, "an object is needed"));
}

/* The object with an index in a list. */
static bool enter_index(const struct place *outer, const json_t *list, const char *key, size_t index,
                        struct place *inner)
{
    struct text at = text_in(inner->at, sizeof inner->at);

    inner->result = outer->result;
    inner->complaint = outer->complaint;
    inner->object = json_array_get(list, index);
    text_format(&at, "%s%s[%lu].", outer->at, key, (unsigned long)index);
    return json_is_object(inner->object) || refuse(inner, "", "an object is needed");
}

/* The documents hold bytes as the code points below 256; back to bytes. False: too long. */
static bool copy_latin(char *to, size_t capacity, const char *from)
{
    struct text text = text_in(to, capacity);

    while (*from) {
        unsigned char byte = (unsigned char)*from++;
        if (byte < 0x80) {
            text_char(&text, (char)byte);
        } else if (byte == 0xC2 || byte == 0xC3) {
            text_char(&text, (char)((byte & 3) << 6 | ((unsigned char)*from++ & 0x3F)));
        } else {
            text_char(&text, '?');
            while (((unsigned char)*from & 0xC0) == 0x80)
                from++;
        }
    }
    return !text.cut;
}

static bool take_string(const struct place *place, const char *key, char *to, size_t capacity)
{
    const json_t *value = member(place, key);

    if (!value)
        return false;
    if (!json_is_string(value))
        return refuse(place, key, "a text is needed");
    return copy_latin(to, capacity, json_string_value(value)) || refuse(place, key, "is too long");
}

/* A text that the result keeps; "" for null where that is allowed. */
static bool keep_string(const struct place *place, const char *key, bool may_be_null, const char **to)
{
    struct result *result = place->result;

    *to = "";
    if (may_be_null && json_is_null(json_object_get(place->object, key)))
        return true;
    if (!take_string(place, key, result->text[result->texts], RESULT_TEXT_SIZE))
        return false;
    *to = result->text[result->texts++];
    return true;
}

static bool take_number(const struct place *place, const char *key, double *to)
{
    const json_t *value = member(place, key);

    if (value && !json_is_number(value))
        return refuse(place, key, "a number is needed");
    *to = json_number_value(value);
    return value != NULL;
}

/* A count. It comes as a real number where the file holds one beyond 2^63 (see result_parse). */
static bool take_count(const struct place *place, const char *key, uint64_t *to)
{
    const json_t *value = member(place, key);
    double real = json_number_value(value);

    if (!value)
        return false;
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *to = (uint64_t)json_integer_value(value);
        return true;
    }
    if (json_is_real(value) && real >= 0 && real < 18446744073709551616.0 && real == (double)(uint64_t)real) {
        *to = (uint64_t)real;
        return true;
    }
    return refuse(place, key, "a whole number from 0 on is needed");
}

static bool take_unsigned(const struct place *place, const char *key, unsigned *to)
{
    uint64_t count = 0;

    if (!take_count(place, key, &count))
        return false;
    *to = (unsigned)count;
    return count == *to || refuse(place, key, "is too large");
}

/* A count that may be null: then 0. */
static bool take_known(const struct place *place, const char *key, uint64_t *to)
{
    *to = 0;
    return json_is_null(json_object_get(place->object, key)) || take_count(place, key, to);
}

static bool take_flag(const struct place *place, const char *key, bool *to)
{
    const json_t *value = member(place, key);

    if (value && !json_is_boolean(value))
        return refuse(place, key, "true or false is needed");
    *to = json_is_true(value);
    return value != NULL;
}

/* A number that is written as a text in hexadecimal; null, where that is allowed, is 0. */
static bool take_hexadecimal(const struct place *place, const char *key, bool may_be_null, uint64_t *to)
{
    char text[24];

    *to = 0;
    if (may_be_null && json_is_null(json_object_get(place->object, key)))
        return true;
    if (!take_string(place, key, text, sizeof text))
        return false;
    return (text_starts(text, "0x") && text_read_number(text, to)) ||
           refuse(place, key, "a hexadecimal number is needed");
}

static bool take_tool(const struct place *root)
{
    struct run_summary *run = &root->result->run;
    struct place tool;

    return enter(root, "tool", &tool) && keep_string(&tool, "version", false, &run->tool_version) &&
           keep_string(&tool, "build", false, &run->build);
}

static bool take_machine(const struct place *root)
{
    struct run_summary *run = &root->result->run;
    uint64_t signature = 0;
    struct place machine;

    if (!enter(root, "machine", &machine) || !keep_string(&machine, "implementation", false, &run->implementation) ||
        !keep_string(&machine, "vendor", false, &run->vendor) || !keep_string(&machine, "brand", false, &run->brand) ||
        !take_hexadecimal(&machine, "signature", false, &signature) ||
        !take_hexadecimal(&machine, "microcode", true, &run->microcode) ||
        !keep_string(&machine, "hypervisor", false, &run->hypervisor) ||
        !take_flag(&machine, "emulated", &run->emulated) || !keep_string(&machine, "board", false, &run->board) ||
        !keep_string(&machine, "serial", false, &run->serial) ||
        !keep_string(&machine, "firmware", false, &run->firmware) ||
        !take_unsigned(&machine, "processors", &run->processors) || !take_known(&machine, "tsc_hz", &run->tsc_hz) ||
        !take_known(&machine, "core_hz", &run->core_hz))
        return false;
    run->signature = (uint32_t)signature;
    return keep_string(&machine, "note", false, &run->note);
}

static bool take_run(const struct place *root)
{
    struct run_summary *summary = &root->result->run;
    struct place run;

    return enter(root, "run", &run) && take_unsigned(&run, "number", &summary->run_number) &&
           keep_string(&run, "date", true, &summary->date) && keep_string(&run, "mode", false, &summary->mode) &&
           keep_string(&run, "options", false, &summary->options) && take_count(&run, "seed", &summary->seed) &&
           take_unsigned(&run, "core", &summary->core) && take_count(&run, "duration_ms", &summary->duration_ms) &&
           take_count(&run, "disturbances", &summary->disturbances) &&
           take_count(&run, "lost_ticks", &summary->lost_ticks) && take_unsigned(&run, "skipped", &summary->skipped) &&
           take_unsigned(&run, "faulted", &summary->faulted);
}

/* What is declared beside a finding, and whether the value agrees. */
static bool take_declared(const struct place *place, struct finding *finding)
{
    const json_t *declared = member(place, "declared");
    const char *agreement = json_string_value(json_object_get(place->object, "agreement"));
    struct place inner;

    if (!declared || json_is_null(declared))
        return declared != NULL;
    if (!enter(place, "declared", &inner) || !take_count(&inner, "low", &finding->declared_low) ||
        !take_count(&inner, "high", &finding->declared_high) ||
        !take_string(&inner, "by", finding->declared_by, sizeof finding->declared_by))
        return false;
    finding->agreement = agreement && text_equal(agreement, "agrees") ? AGREES : DIFFERS;
    if (finding->measured && (!agreement || !text_listed("agrees,differs", agreement)))
        return refuse(place, "agreement", "agrees or differs is needed");
    return true;
}

static bool take_finding(const struct place *place)
{
    struct notebook *notebook = &place->result->notebook;
    struct finding finding = {0};
    bool good = take_string(place, "id", finding.id, sizeof finding.id) &&
                take_flag(place, "measured", &finding.measured) &&
                take_string(place, "unit", finding.unit, sizeof finding.unit) &&
                take_count(place, "cost", &finding.cost) && take_flag(place, "emulated", &finding.emulated);

    if (good && finding.measured)
        good = take_number(place, "value", &finding.value) && take_number(place, "confidence", &finding.confidence) &&
               take_string(place, "method", finding.method, sizeof finding.method);
    else if (good)
        good = take_string(place, "why", finding.why, sizeof finding.why);
    if (!good || !take_declared(place, &finding))
        return false;
    if (finding.confidence < 0 || finding.confidence > 1)
        return refuse(place, "confidence", "a number from 0 to 1 is needed");
    if (noted(notebook, finding.id))
        return refuse(place, "id", "stands there twice");
    if (notebook->findings == MAX_FINDINGS)
        return refuse(place, "id", "more findings than a run can have");
    notebook->finding[notebook->findings++] = finding;
    return true;
}

/* null is what a number that is not finite was written as. */
static bool take_point(const struct place *place, struct series *series, const json_t *point)
{
    struct notebook *notebook = &place->result->notebook;
    double number[4];

    if (!json_is_array(point) || json_array_size(point) != 4)
        return refuse(place, "points", "four numbers a point are needed");
    if (notebook->points == MAX_POINTS)
        return refuse(place, "points", "more points than a run can have");
    for (size_t i = 0; i < 4; i++) {
        const json_t *one = json_array_get(point, i);
        if (!json_is_number(one) && !json_is_null(one))
            return refuse(place, "points", "four numbers a point are needed");
        number[i] = json_is_null(one) ? (double)__builtin_nan("") : json_number_value(one);
    }
    note_point(notebook, series, (struct point){number[0], number[1], number[2], number[3]});
    return true;
}

static bool take_series(const struct place *place)
{
    char id[sizeof((struct series *)0)->id], x[sizeof((struct series *)0)->x], y[sizeof((struct series *)0)->y];
    const json_t *points = member(place, "points");
    struct series *series;

    if (!points || !take_string(place, "id", id, sizeof id) || !take_string(place, "x", x, sizeof x) ||
        !take_string(place, "y", y, sizeof y))
        return false;
    if (!json_is_array(points))
        return refuse(place, "points", "a list is needed");
    series = note_series(&place->result->notebook, id, x, y);
    if (!series)
        return refuse(place, "id", "more series than a run can have");
    for (size_t i = 0; i < json_array_size(points); i++) {
        if (!take_point(place, series, json_array_get(points, i)))
            return false;
    }
    return true;
}

/* Each object of a list. */
static bool take_list(const struct place *root, const char *key, bool take(const struct place *))
{
    const json_t *list = member(root, key);
    struct place inner;

    if (!list)
        return false;
    if (!json_is_array(list))
        return refuse(root, key, "a list is needed");
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!enter_index(root, list, key, i, &inner) || !take(&inner))
            return false;
    }
    return true;
}

static bool take_root(const struct place *root)
{
    char schema[32];

    if (!json_is_object(root->object))
        return refuse(root, "", "not an object, and so not a result.json");
    if (!take_string(root, "schema", schema, sizeof schema))
        return false;
    if (!text_equal(schema, "assay-result/1"))
        return refuse(root, "schema", "assay-result/1 is needed");
    return take_tool(root) && take_machine(root) && take_run(root) &&
           take_unsigned(root, "dropped", &root->result->notebook.dropped) &&
           take_list(root, "findings", take_finding) && take_list(root, "series", take_series);
}

bool result_parse(struct result *result, const char *bytes, size_t length, struct text *complaint)
{
    json_error_t error;
    json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
    struct place place = {.result = result, .complaint = complaint};
    bool good;

    /* A seed may be larger than what jansson counts with. */
    if (!root && json_error_code(&error) == json_error_numeric_overflow)
        root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    __builtin_memset(result, 0, sizeof *result);
    if (!root) {
        text_format(complaint, "line %d: %s", error.line, error.text);
        return false;
    }
    place.object = root;
    good = take_root(&place);
    json_decref(root);
    return good;
}
