// SPDX-License-Identifier: BSD-2-Clause
/* print.c: what is printed without measuring: help, list, version, the summary of the last run. */
#include "run/golden.h"
#include "run/summary.h"

/* Prints text that may have several lines. */
static void print_lines(struct stage *stage, const char *text, size_t length)
{
    char buffer[128];
    struct text line = text_in(buffer, sizeof buffer);

    for (size_t i = 0; i < length; i++) {
        if (text[i] != '\n') {
            text_char(&line, text[i]);
            continue;
        }
        stage_line(stage, line.at);
        line = text_in(buffer, sizeof buffer);
    }
    if (line.length > 0)
        stage_line(stage, line.at);
}

bool run_print_last(struct stage *stage)
{
    uint8_t summary[SUMMARY_SIZE];
    size_t size = sizeof summary, length;
    char buffer[128];
    struct text line = text_in(buffer, sizeof buffer);
    const char *text, *wrong;
    unsigned number;

    if (!stage_summary_read(stage, summary, &size)) {
        text_format(&line, "No summary of an earlier run: %s", stage_why(stage));
        stage_line(stage, line.at);
        return false;
    }
    wrong = summary_check(summary, size, &text, &length, &number);
    if (wrong) {
        text_format(&line, "The stored summary cannot be used: it is %s", wrong);
        stage_line(stage, line.at);
        return false;
    }
    text_format(&line, "The last stored summary, of run %u", number);
    if (summary_verdict(summary) != NO_BASELINE)
        text_format(&line, ", which %s beside its baseline", verdict_name(summary_verdict(summary)));
    text_char(&line, ':');
    stage_line(stage, line.at);
    print_lines(stage, text, length);
    return true;
}

void run_print_help(struct stage *stage)
{
    char buffer[4096];
    struct text help = text_in(buffer, sizeof buffer);

    options_help(&help);
    print_lines(stage, help.at, help.length);
}

void run_print_list(struct stage *stage)
{
    enum { ANSWERS = 12, LONGEST = 1024 };
    for (unsigned i = 0; i < probe_count; i++) {
        char buffer[LONGEST];
        struct text line = text_in(buffer, sizeof buffer);
        text_string(&line, probe_list[i].name);
        text_char(&line, ' ');
        text_column(&line, ANSWERS);
        text_format(&line, "%s%s", probe_list[i].answers, probe_list[i].trial ? " (on trial: runs when named)" : "");
        stage_line(stage, line.at);
        line = text_in(buffer, sizeof buffer);
        text_column(&line, ANSWERS);
        text_format(&line, "finds %s", probe_list[i].ids);
        stage_line(stage, line.at);
    }
    for (unsigned i = 0; i < suite_count; i++) {
        char buffer[512];
        struct text line = text_in(buffer, sizeof buffer);
        text_format(&line, "suite %s  %s; runs %s", suite_list[i].name, suite_list[i].answers, suite_list[i].probes);
        stage_line(stage, line.at);
    }
}

void run_print_version(struct stage *stage)
{
    char buffer[128];
    struct text line = text_in(buffer, sizeof buffer);

    text_format(&line, "assay %s, build %s", assay_version, assay_build);
    stage_line(stage, line.at);
}
