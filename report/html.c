// SPDX-License-Identifier: BSD-2-Clause
/* html.c: report.html: one file that any browser opens, without a script and without a network. This part: the head,
 * what was measured and how, and the order of the rest. */
#include "report/html.h"
#include "base/number.h"
#include "report/answer.h"
#include "report/quantity.h"
#include "report/xml.h"

void html_quantity(struct writer *writer, double value, const char *unit)
{
    char buffer[96];
    struct text text = text_in(buffer, sizeof buffer);

    quantity_text(&text, value, unit);
    write_xml(writer, buffer);
}

void html_share(struct writer *writer, double place)
{
    write_format(writer, "%.2f%%", place * 100);
}

double html_value(const struct finding *finding)
{
    return number_as_written(finding->value);
}

const struct finding *html_measured(const struct notebook *notebook, const char *id)
{
    const struct finding *finding = noted(notebook, id);

    return finding && has_value(finding) ? finding : NULL;
}

/* What the machine is called: its processor, else whatever is known. */
static const char *name_of(const struct run_summary *run)
{
    return run->brand[0] ? run->brand : run->board[0] ? run->board : run->vendor[0] ? run->vendor : "Unknown machine";
}

static void write_head(struct writer *writer, const struct run_summary *run)
{
    write_string(writer, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    write_xml(writer, name_of(run));
    write_string(writer, " \xE2\x80\x93 assay</title>\n");
    html_style(writer);
    write_string(writer, "</head>\n<body>\n");
}

/* A row of the list of facts; nothing when there is no text. */
static void write_fact(struct writer *writer, const char *name, const char *text)
{
    if (!text[0])
        return;
    write_format(writer, "<div><dt>%s</dt><dd>", name);
    write_xml(writer, text);
    write_string(writer, "</dd></div>\n");
}

static void write_rate_fact(struct writer *writer, const char *name, uint64_t hz)
{
    char buffer[48];
    struct text text = text_in(buffer, sizeof buffer);

    if (hz)
        quantity_text(&text, (double)hz, "Hz");
    write_fact(writer, name, buffer);
}

static void write_processor(struct writer *writer, const struct run_summary *run)
{
    char buffer[96];
    struct text text = text_in(buffer, sizeof buffer);

    write_fact(writer, "Processor", run->brand);
    text_format(&text, "%s%s0x%08x", run->vendor, run->vendor[0] ? ", " : "", run->signature);
    write_fact(writer, "Maker, signature", buffer);
    text = text_in(buffer, sizeof buffer);
    if (run->microcode)
        text_format(&text, "0x%llx", (unsigned long long)run->microcode);
    write_fact(writer, "Microcode", buffer);
    text = text_in(buffer, sizeof buffer);
    text_format(&text, "%u of %u", run->core, run->processors);
    write_fact(writer, "Measured on processor", buffer);
    write_rate_fact(writer, "Clock (TSC)", run->tsc_hz);
    write_rate_fact(writer, "Core", run->core_hz);
}

/* The date as people write it: "2026-11-21 09:30:00". */
static void write_date(struct writer *writer, const char *date)
{
    char buffer[32];

    text_copy(buffer, sizeof buffer, date);
    if (text_length(buffer) > 10 && buffer[10] == 'T')
        buffer[10] = ' ';
    write_fact(writer, "Date, by the machine's clock", buffer);
}

static void write_run_facts(struct writer *writer, const struct run_summary *run)
{
    char buffer[96];
    struct text text = text_in(buffer, sizeof buffer);

    write_fact(writer, "Mode", run->mode);
    write_date(writer, run->date);
    text_format(&text, "%.1f s", (double)run->duration_ms / 1000);
    write_fact(writer, "Duration", buffer);
    text = text_in(buffer, sizeof buffer);
    text_format(&text, "%llu", (unsigned long long)run->disturbances);
    if (run->lost_ticks)
        text_format(&text, ", %llu ticks", (unsigned long long)run->lost_ticks);
    write_fact(writer, "Interruptions noticed", buffer);
    write_fact(writer, "Options", run->options);
}

static void write_facts(struct writer *writer, const struct run_summary *run)
{
    write_string(writer, "<section aria-labelledby=\"machine\">\n<h2 id=\"machine\">Machine and run</h2>\n"
                         "<dl class=\"facts\">\n");
    write_processor(writer, run);
    write_fact(writer, "Board", run->board);
    write_fact(writer, "Serial number", run->serial);
    write_fact(writer, "Firmware", run->firmware);
    write_fact(writer, "Hypervisor", run->hypervisor);
    write_run_facts(writer, run);
    write_string(writer, "</dl>\n</section>\n");
}

struct totals {
    unsigned measured, agree, differ;
    bool emulated;
};

static struct totals totals_of(const struct notebook *notebook)
{
    struct totals totals = {0};

    for (unsigned i = 0; i < notebook->findings; i++) {
        const struct finding *finding = &notebook->finding[i];
        if (!has_value(finding))
            continue;
        totals.measured++;
        totals.agree += finding->agreement == AGREES;
        totals.differ += finding->agreement == DIFFERS;
        totals.emulated = totals.emulated || finding->emulated;
    }
    return totals;
}

static void write_tile(struct writer *writer, const char *kind, unsigned number, const char *what)
{
    write_format(writer, "<li%s><b>%u</b> %s</li>\n", kind, number, what);
}

/* How much of the run succeeded, at a glance. */
static void write_tiles(struct writer *writer, const struct run_summary *run, const struct notebook *notebook)
{
    struct totals totals = totals_of(notebook);

    write_string(writer, "<ul class=\"tiles\">\n");
    write_format(writer, "<li><b>%u</b> of %u findings measured</li>\n", totals.measured, notebook->findings);
    write_tile(writer, "", totals.agree,
               totals.agree == 1 ? "agrees with what is declared" : "agree with what is declared");
    write_tile(writer, totals.differ ? " class=\"bad\"" : "", totals.differ,
               totals.differ == 1 ? "differs from what is declared" : "differ from what is declared");
    if (run->skipped)
        write_tile(writer, " class=\"bad\"", run->skipped, run->skipped == 1 ? "probe skipped" : "probes skipped");
    if (run->faulted)
        write_tile(writer, " class=\"bad\"", run->faulted, run->faulted == 1 ? "probe faulted" : "probes faulted");
    if (notebook->dropped)
        write_tile(writer, " class=\"bad\"", notebook->dropped, "notes did not fit");
    write_string(writer, "</ul>\n");
    if (totals.emulated)
        write_string(writer,
                     "<p class=\"warning\"><strong>Emulated.</strong> Values with the word emulated beside them "
                     "show the computer that emulates this one, through the emulator's clock. Do not believe "
                     "them.</p>\n");
}

static void write_header(struct writer *writer, const struct run_summary *run, const struct notebook *notebook)
{
    write_string(writer, "<header>\n<p class=\"over\">assay \xC2\xB7 what this memory hierarchy really is</p>\n<h1>");
    write_xml(writer, name_of(run));
    write_string(writer, "</h1>\n<p class=\"under\">");
    if (run->board[0] && run->brand[0]) { /* else the board is the heading */
        write_xml(writer, run->board);
        write_string(writer, " \xC2\xB7 ");
    }
    if (run->hypervisor[0]) {
        write_string(writer, "under ");
        write_xml(writer, run->hypervisor);
        write_string(writer, " \xC2\xB7 ");
    }
    write_xml(writer, run->mode);
    write_format(writer, " \xC2\xB7 run %u</p>\n", run->run_number);
    write_tiles(writer, run, notebook);
    if (run->note[0]) {
        write_string(writer, "<p class=\"note\"><strong>What this machine could not do:</strong> ");
        write_xml(writer, run->note);
        write_string(writer, "</p>\n");
    }
    write_string(writer, "</header>\n");
}

static void write_footer(struct writer *writer, const struct run_summary *run)
{
    write_string(writer,
                 "<footer>\n<p>Confidence is the probability that a value is right. Declared is what the machine "
                 "says about itself; it never goes into a measurement. The same findings and curves stand in "
                 "<code>result.json</code>, <code>findings.csv</code> and <code>series.csv</code> beside this "
                 "file.</p>\n<p>assay ");
    write_xml(writer, run->tool_version);
    write_string(writer, ", build ");
    write_xml(writer, run->build);
    write_string(writer, "</p>\n</footer>\n</body>\n</html>\n");
}

bool report_html(struct report_sink *sink, const struct run_summary *run, const struct notebook *notebook)
{
    struct writer writer;

    writer_start(&writer, sink);
    write_head(&writer, run);
    write_header(&writer, run, notebook);
    write_string(&writer, "<main>\n");
    html_differences(&writer, notebook);
    html_hierarchy(&writer, run, notebook);
    html_curves(&writer, notebook);
    html_findings(&writer, notebook);
    write_facts(&writer, run);
    write_string(&writer, "</main>\n");
    write_footer(&writer, run);
    return writer_end(&writer);
}
