// SPDX-License-Identifier: BSD-2-Clause
/* deliver.c: documents to the console, to files and to the stored summary. */
#include "run/deliver.h"
#include "kernel/record.h"
#include "report/lava.h"
#include "run/summary.h"

enum { COLUMNS = 79 }; /* a line that fills all 80 makes some consoles feed twice */

void say(struct stage *stage, const char *format, ...)
{
    char buffer[256];
    struct text line = text_in(buffer, sizeof buffer);
    va_list list;

    va_start(list, format);
    text_format_list(&line, format, list);
    va_end(list);
    stage_line(stage, line.at);
}

static void line_byte(struct report_sink *sink, char byte)
{
    if (byte != '\n') {
        if (sink->used + 1 < sizeof sink->line)
            sink->line[sink->used++] = byte;
        return;
    }
    sink->line[sink->used] = '\0';
    stage_line(sink->lines, sink->line);
    sink->used = 0;
}

bool report_out(struct report_sink *sink, const char *bytes, size_t length)
{
    if (sink->file)
        return stage_file_write(sink->file, bytes, length);
    if (sink->text) {
        text_bytes(sink->text, bytes, length);
        return !sink->text->cut;
    }
    for (size_t i = 0; i < length; i++)
        line_byte(sink, bytes[i]);
    return true;
}

void deliver_table(struct run *run, struct stage *stage, const struct run_summary *summary)
{
    struct report_sink sink = {.lines = stage};

    report_table(&sink, summary, &run->notebook, COLUMNS);
}

/* The one place that knows which function writes the table of which suite. whole: for a file, and not for a console. */
static bool write_suite(struct report_sink *sink, const struct suite *suite, const struct notebook *notebook,
                        bool whole)
{
    switch (suite->table) {
    case SUITE_XRAY:
        return report_suite_xray(sink, notebook, COLUMNS);
    case SUITE_LIST:
        return report_suite_list(sink, notebook, COLUMNS);
    case SUITE_BABKA:
        return report_suite_babka(sink, notebook, COLUMNS, whole);
    }
    return false;
}

void deliver_suite(struct run *run, struct stage *stage)
{
    struct report_sink sink = {.lines = stage};
    const struct suite *suite = options_suite(&run->options);

    if (suite)
        write_suite(&sink, suite, &run->notebook, false);
}

void deliver_lava(struct run *run, struct stage *stage, const struct run_summary *summary)
{
    struct report_sink sink = {.lines = stage};
    struct findings baseline = {run->baseline.finding, run->baseline.count};

    if (run->options.lava)
        report_lava(&sink, summary, &run->notebook, baseline);
}

enum document { RESULT, FINDINGS, SERIES, HTML, TOPOLOGY, CACHE, SUITE, READINGS, DOCUMENTS };

static const char *const document_names[DOCUMENTS] = {"result.json",  "findings.csv", "series.csv", "report.html",
                                                      "topology.xml", "cache.txt",    "suite.txt",  "readings"};

static bool write_document(struct run *run, struct report_sink *sink, const struct run_summary *summary,
                           enum document document)
{
    switch (document) {
    case RESULT:
        return report_json(sink, summary, &run->notebook);
    case FINDINGS:
        return report_findings(sink, &run->notebook);
    case SERIES:
        return report_series(sink, &run->notebook);
    case HTML:
        return report_html(sink, summary, &run->notebook);
    case TOPOLOGY:
        return report_topology(sink, summary, &run->notebook);
    case CACHE:
        return report_sysfs(sink, summary, &run->notebook);
    case SUITE:
        return write_suite(sink, options_suite(&run->options), &run->notebook, true);
    default:
        return stage_file_write(sink->file, run->recording->bytes, run->recording->used);
    }
}

static bool deliver_file(struct run *run, struct stage *stage, const struct run_summary *summary,
                         enum document document)
{
    struct report_sink sink = {.file = stage};
    bool written = stage_file_begin(stage, document_names[document]);

    if (written) {
        /* Always ended, so that the next file can begin. */
        bool whole = write_document(run, &sink, summary, document);
        written = stage_file_end(stage) && whole;
    }
    if (!written)
        say(stage, "%s could not be written: %s", document_names[document], stage_why(stage));
    return written;
}

/* Whether there is a recording that can be replayed; says so when it ran out of memory. */
static bool recording_is_whole(struct run *run, struct stage *stage)
{
    if (!run->recording)
        return false;
    recording_finish(run->recording);
    if (run->recording->full)
        say(stage, "readings is not written: more than the %llu KB set aside for it were read",
            (unsigned long long)(run->recording->capacity / 1024));
    return !run->recording->full;
}

void deliver_files(struct run *run, struct stage *stage, const struct run_summary *summary)
{
    unsigned written = 0;

    if (!run->folder)
        return;
    for (unsigned document = RESULT; document < SUITE; document++)
        written += deliver_file(run, stage, summary, (enum document)document);
    if (options_suite(&run->options))
        written += deliver_file(run, stage, summary, SUITE);
    if (recording_is_whole(run, stage))
        written += deliver_file(run, stage, summary, READINGS);
    if (stage_files_commit(stage)) {
        say(stage, "%u files written, run %u of %s", written, run->number, run->machine_name);
        return;
    }
    say(stage, "Not all files written, run %u of %s", run->number, run->machine_name);
    say(stage, "Missing: %s", stage_why(stage));
}

/* Whether the stored summary says the same, but for the run's number: then flash is not written again. */
static bool same_as_stored(struct stage *stage, const uint8_t *summary, size_t size)
{
    uint8_t stored[SUMMARY_SIZE];
    size_t stored_size = sizeof stored, length, stored_length;
    const char *text, *stored_text;
    unsigned number;

    if (!stage_summary_read(stage, stored, &stored_size) ||
        summary_check(stored, stored_size, &stored_text, &stored_length, &number) ||
        summary_check(summary, size, &text, &length, &number) || length != stored_length)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != stored_text[i])
            return false;
    }
    return summary_verdict(stored) == summary_verdict(summary);
}

void deliver_summary(struct run *run, struct stage *stage, const struct run_summary *summary)
{
    uint8_t bytes[SUMMARY_SIZE];
    size_t size;

    if (run->options.no_variable)
        return;
    size = summary_make(bytes, summary, &run->notebook);
    if (same_as_stored(stage, bytes, size))
        say(stage, "The stored summary already says the same (--last prints it)");
    else if (stage_summary_write(stage, bytes, size))
        say(stage, "Summary stored, %u bytes (--last prints it)", (unsigned)size);
    else
        say(stage, "The summary could not be stored: %s", stage_why(stage));
}
