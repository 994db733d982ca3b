// SPDX-License-Identifier: BSD-2-Clause
/* judge.c: assay-model: a run's findings beside the truth, as a table and as JSON. */
#include "probes/probes.h"
#include "report/quantity.h"
#include "report/writer.h"
#include "run/deliver.h"
#include "tests/silicon/process/model.h"
#include <stdlib.h>
#include <string.h>

enum { AT_VALUE = 20, AT_SURE = 36, AT_TRUTH = 45, AT_VERDICT = 74, JSON_SIZE = 1 << 20 };

static bool same_subject(const char *id, const char *other)
{
    size_t length = strcspn(id, ".");

    return strncmp(id, other, length) == 0 && other[length] == '.';
}

/* Takes the next id from a probe's list of those that it promises. False: there is none. */
static bool next_promised(const char **at, char id[28])
{
    size_t length = strcspn(*at, " ");
    struct text text = text_in(id, 28);

    text_bytes(&text, *at, length);
    *at += length + ((*at)[length] == ' ');
    return length > 0;
}

/* Whether an id is the business of a probe that has left anything in the report: of the one that promises this very id,
 * or else of one that promises another about the same subject. */
static bool was_asked(const struct notebook *notebook, const char *id)
{
    char one[28];
    bool promised = false, exactly = false, alike = false;

    for (unsigned i = 0; i < probe_count; i++) {
        bool its = false, about = false, ran = false;
        for (const char *at = probe_list[i].ids; next_promised(&at, one);) {
            its = its || strcmp(id, one) == 0;
            about = about || same_subject(id, one);
            ran = ran || noted(notebook, one);
        }
        promised = promised || its;
        exactly = exactly || (its && ran);
        alike = alike || (about && ran);
    }
    return promised ? exactly : alike;
}

static void add(struct judgements *judgements, const char *id, const struct finding *finding, struct truths *truths)
{
    struct judged *judged = &judgements->one[judgements->count];

    if (judgements->count == MOST_JUDGED)
        return;
    judgements->count++;
    text_copy(judged->id, sizeof judged->id, id);
    judged->finding = finding;
    judged->truth = truth_of(truths, id);
    judged->judgement = judge(&judged->truth, finding);
    judgements->of[judged->judgement]++;
}

void judge_all(struct judgements *judgements, const struct notebook *notebook, struct truths *truths)
{
    const char *id;

    for (unsigned i = 0; i < notebook->findings; i++)
        add(judgements, notebook->finding[i].id, &notebook->finding[i], truths);
    for (unsigned i = 0; (id = truth_demanded(truths, i)) != NULL; i++)
        if (!noted(notebook, id) && was_asked(notebook, id))
            add(judgements, id, NULL, truths);
}

/* A range without an upper end, as of a number of footprints. */
static const double MANY = 1e18;

static void range_text(struct text *text, double low, double high, const char *unit)
{
    quantity_text(text, low, unit);
    if (high >= MANY)
        text_string(text, " or more");
    if (high >= MANY || high == low)
        return;
    text_string(text, " to ");
    quantity_text(text, high, unit);
}

static void truth_text(struct text *text, const struct truth *truth, enum truth_kind kind, const char *unit)
{
    switch (kind) {
    case TRUTH_EQUAL:
    case TRUTH_WITHIN:
        quantity_text(text, truth->value, unit);
        break;
    case TRUTH_RANGE:
        range_text(text, truth->low, truth->high, unit);
        break;
    case TRUTH_ABSENT:
        text_string(text, "none here");
        break;
    case TRUTH_HIDDEN:
        if (truth->beneath != TRUTH_NONE)
            truth_text(text, truth, truth->beneath, unit);
        break;
    default:
        text_string(text, "the model has no truth for it");
    }
}

static bool measured(const struct finding *finding)
{
    return finding && finding->measured && finding->value - finding->value == 0;
}

static void next_part(struct text *line, size_t column)
{
    text_char(line, ' ');
    text_column(line, column);
}

static const char *unit_of(const char *id)
{
    static const char *const units[][2] = {{".latency", "cycles"}, {".ns", "ns"},         {".size", "bytes"},
                                           {".line", "bytes"},     {".tsc", "Hz"},        {".frequency", "Hz"},
                                           {".sector", "bytes"},   {".32", "cycles"},     {".indexed", "cycles"},
                                           {".float", "cycles"},   {".penalty", "cycles"}};
    size_t length = strlen(id);

    for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
        if (length > strlen(units[i][0]) && strcmp(id + length - strlen(units[i][0]), units[i][0]) == 0)
            return units[i][1];
    return "";
}

static void print_one(FILE *file, const struct judged *judged)
{
    char buffer[600];
    struct text line = text_in(buffer, sizeof buffer);
    const char *unit = judged->finding ? judged->finding->unit : unit_of(judged->id);

    text_string(&line, judged->id);
    next_part(&line, AT_VALUE);
    if (measured(judged->finding)) {
        quantity_text(&line, judged->finding->value, unit);
        next_part(&line, AT_SURE);
        confidence_text(&line, judged->finding->confidence);
    } else {
        text_string(&line, judged->finding ? "not measurable" : "not reported");
    }
    next_part(&line, AT_TRUTH);
    truth_text(&line, &judged->truth, judged->truth.kind, unit);
    next_part(&line, AT_VERDICT);
    text_string(&line, judgement_name(judged->judgement));
    if (judged->judgement == HIDDEN)
        text_format(&line, ": %s", judged->truth.reason);
    fprintf(file, "%s\n", line.at);
}

void judge_print(FILE *file, const struct judgements *judgements)
{
    fprintf(file, "\n%-*s%-*s%-*s%-*sverdict\n", AT_VALUE, "finding", AT_SURE - AT_VALUE, "value", AT_TRUTH - AT_SURE,
            "sure", AT_VERDICT - AT_TRUTH, "truth");
    for (unsigned i = 0; i < judgements->count; i++)
        print_one(file, &judgements->one[i]);
    for (unsigned i = RIGHT; i <= HIDDEN; i++)
        fprintf(file, "%s%u %s", i ? ", " : "", judgements->of[i], judgement_name((enum judgement)i));
    if (judgements->of[UNJUDGED])
        fprintf(file, ", %u unjudged", judgements->of[UNJUDGED]);
    fprintf(file, "\n");
}

static void write_pair(struct writer *writer, double low, double high)
{
    write_string(writer, "[");
    write_number(writer, low);
    write_string(writer, ", ");
    if (high >= MANY)
        write_string(writer, "null");
    else
        write_number(writer, high);
    write_string(writer, "]");
}

/* A number, [low, high], or null. */
static void write_truth(struct writer *writer, const struct truth *truth)
{
    switch (truth->kind) {
    case TRUTH_EQUAL:
    case TRUTH_WITHIN:
        write_number(writer, truth->value);
        break;
    case TRUTH_RANGE:
        write_pair(writer, truth->low, truth->high);
        break;
    default:
        write_string(writer, "null");
    }
}

static void write_judged(struct writer *writer, const struct judged *judged)
{
    const struct finding *finding = judged->finding;

    write_string(writer, "{\"id\": ");
    write_json(writer, judged->id);
    write_string(writer, ", \"value\": ");
    if (measured(finding))
        write_number(writer, finding->value);
    else
        write_string(writer, "null");
    write_string(writer, ", \"truth\": ");
    write_truth(writer, &judged->truth);
    write_string(writer, ", \"verdict\": ");
    write_json(writer, judgement_name(judged->judgement));
    write_string(writer, ", \"confidence\": ");
    if (measured(finding))
        write_number(writer, finding->confidence);
    else
        write_string(writer, "null");
    write_format(writer, ", \"steps\": %llu", finding ? (unsigned long long)finding->cost : 0ULL);
    if (judged->judgement == HIDDEN || !measured(finding)) {
        write_string(writer, ", \"reason\": ");
        write_json(writer, judged->judgement == HIDDEN ? judged->truth.reason
                           : finding                   ? finding->why
                                                       : "not in the report");
    }
    write_string(writer, "}");
}

void judge_json(FILE *file, const char *machine, const struct judgements *judgements)
{
    char *buffer = malloc(JSON_SIZE);
    struct text text;
    struct report_sink sink = {.text = &text};
    struct writer writer;

    if (!buffer)
        return;
    text = text_in(buffer, JSON_SIZE);
    writer_start(&writer, &sink);
    write_string(&writer, "{\"machine\": ");
    write_json(&writer, machine);
    write_string(&writer, ", \"findings\": [");
    for (unsigned i = 0; i < judgements->count; i++) {
        write_string(&writer, i ? ",\n " : "\n ");
        write_judged(&writer, &judgements->one[i]);
    }
    write_string(&writer, "]}\n");
    writer_end(&writer);
    fwrite(text.at, 1, text.length, file);
    free(buffer);
}

static void print_truth(FILE *file, struct truths *truths, const char *id)
{
    char buffer[600];
    struct text line = text_in(buffer, sizeof buffer);
    struct truth truth = truth_of(truths, id);

    text_string(&line, id);
    next_part(&line, AT_VALUE);
    truth_text(&line, &truth, truth.kind, unit_of(id));
    if (truth.kind == TRUTH_WITHIN) {
        text_string(&line, ", to ");
        quantity_text(&line, truth.tolerance, unit_of(id));
    }
    if (truth.kind == TRUTH_HIDDEN)
        text_format(&line, "%shidden: %s", truth.beneath == TRUTH_NONE ? "" : "; ", truth.reason);
    else if (truth.optional && truth.kind != TRUTH_ABSENT)
        text_string(&line, " (or not measurable)");
    fprintf(file, "%s\n", line.at);
}

static bool is_promised(const char *id)
{
    char one[28];

    for (unsigned i = 0; i < probe_count; i++)
        for (const char *at = probe_list[i].ids; next_promised(&at, one);)
            if (strcmp(one, id) == 0)
                return true;
    return false;
}

static bool is_demanded(struct truths *truths, const char *id)
{
    const char *demanded;

    for (unsigned i = 0; (demanded = truth_demanded(truths, i)) != NULL; i++)
        if (strcmp(demanded, id) == 0)
            return true;
    return false;
}

/* What probes promise, whether it is there or not; what else a report has to say; and what else there is of caches. */

void truth_print(FILE *file, struct truths *truths)
{
    char id[28];
    const char *demanded;

    for (unsigned i = 0; i < probe_count; i++)
        for (const char *at = probe_list[i].ids; next_promised(&at, id);)
            print_truth(file, truths, id);
    for (unsigned i = 0; (demanded = truth_demanded(truths, i)) != NULL; i++)
        if (!is_promised(demanded))
            print_truth(file, truths, demanded);
    for (unsigned i = 0; truth_cache_id(truths, i, id); i++)
        if (!is_promised(id) && !is_demanded(truths, id))
            print_truth(file, truths, id);
}
