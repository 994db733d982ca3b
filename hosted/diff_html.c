// SPDX-License-Identifier: BSD-2-Clause
/* diff_html.c: two runs compared, as one HTML5 page that needs nothing else: no script, no network. Words say what
 * colours say. */
#include "hosted/diff.h"
#include "report/xml.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>assay: two runs compared</title>\n"
    "<style>\n"
    ":root { color-scheme: light dark; }\n"
    "body { font: 16px/1.4 sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; }\n"
    "table { border-collapse: collapse; margin: 1em 0; width: 100%; }\n"
    "caption { text-align: left; font-weight: bold; padding: .3em 0; }\n"
    "th, td { text-align: left; vertical-align: top; padding: .2em .6em; border-bottom: 1px solid #8886; }\n"
    "tr.different th, tr.different td { background: #d5500030; }\n"
    "tr.uncertain th, tr.uncertain td { background: #e6c30028; }\n"
    "</style>\n</head>\n<body>\n<h1>Two runs compared</h1>\n";

static void write_element(struct writer *writer, const char *open, const char *content, const char *close)
{
    write_string(writer, open);
    write_xml(writer, content);
    write_string(writer, close);
}

static void write_pair(struct writer *writer, const struct pair *pair)
{
    char buffer[160];
    struct text cell = text_in(buffer, sizeof buffer);
    bool marked = pair->comparison == DIFFERENT || pair->comparison == UNCERTAIN;

    write_format(writer, "<tr%s%s%s>", marked ? " class=\"" : "", marked ? comparison_name(pair->comparison) : "",
                 marked ? "\"" : "");
    write_element(writer, "<th scope=\"row\">", pair->first ? pair->first->id : pair->second->id, "</th>");
    write_element(writer, "<td>", comparison_name(pair->comparison), "</td>");
    compared_text(&cell, pair->first, pair->aspect);
    write_element(writer, "<td>", cell.at, "</td>");
    cell = text_in(buffer, sizeof buffer);
    compared_text(&cell, pair->second, pair->aspect);
    write_element(writer, "<td>", cell.at, "</td>");
    cell = text_in(buffer, sizeof buffer);
    diff_change(&cell, pair);
    write_element(writer, "<td>", cell.at, "</td>");
    cell = text_in(buffer, sizeof buffer);
    diff_sure(&cell, pair);
    write_element(writer, "<td>", cell.at, "</td></tr>\n");
}

static void write_pairs(struct writer *writer, const struct comparison_of_runs *runs, enum comparison comparison)
{
    struct pairing pairing = {.first = side_findings(&runs->first), .second = side_findings(&runs->second)};
    struct pair pair;

    while (compare_next(&pairing, &pair)) {
        if (pair.comparison == comparison)
            write_pair(writer, &pair);
    }
}

/* What is heavy first. */
static void write_findings(struct writer *writer, const struct comparison_of_runs *runs)
{
    const struct tally *tally = &runs->tally;
    unsigned told = tally->of[DIFFERENT] + tally->of[UNCERTAIN];

    if (runs->all)
        told += tally->of[NOT_ASKED] + tally->of[OF_THE_RUN] + tally->of[EQUAL];
    if (told == 0)
        return;
    write_string(writer, "<table>\n<caption>Findings</caption>\n<thead><tr><th scope=\"col\">finding</th>"
                         "<th scope=\"col\">comparison</th><th scope=\"col\">A</th><th scope=\"col\">B</th>"
                         "<th scope=\"col\">change</th><th scope=\"col\">sure</th></tr></thead>\n<tbody>\n");
    write_pairs(writer, runs, DIFFERENT);
    write_pairs(writer, runs, UNCERTAIN);
    if (runs->all) {
        write_pairs(writer, runs, NOT_ASKED);
        write_pairs(writer, runs, OF_THE_RUN);
        write_pairs(writer, runs, EQUAL);
    }
    write_string(writer, "</tbody>\n</table>\n");
}

static void write_fact(struct writer *writer, const struct fact *fact)
{
    write_string(writer, fact->counts && fact->differs ? "<tr class=\"different\">" : "<tr>");
    write_element(writer, "<th scope=\"row\">", fact->name, "</th>");
    write_element(writer, "<td>", !fact->differs ? "equal" : fact->counts ? "different" : "another run", "</td>");
    write_element(writer, "<td>", fact->first, "</td>");
    write_element(writer, "<td>", fact->second, "</td></tr>\n");
}

static void write_facts(struct writer *writer, const struct comparison_of_runs *runs)
{
    bool any = false;

    for (unsigned i = 0; i < runs->facts.count; i++) {
        if (!runs->facts.fact[i].differs && !runs->all)
            continue;
        if (!any)
            write_string(writer, "<table>\n<caption>Machine and run</caption>\n<thead><tr><th scope=\"col\">fact</th>"
                                 "<th scope=\"col\">comparison</th><th scope=\"col\">A</th><th scope=\"col\">B</th>"
                                 "</tr></thead>\n<tbody>\n");
        any = true;
        write_fact(writer, &runs->facts.fact[i]);
    }
    if (any)
        write_string(writer, "</tbody>\n</table>\n");
}

bool diff_html(struct report_sink *sink, const struct comparison_of_runs *runs)
{
    char buffer[200];
    struct text verdict = text_in(buffer, sizeof buffer);
    struct writer writer;

    writer_start(&writer, sink);
    write_string(&writer, head);
    diff_verdict(&verdict, runs);
    write_element(&writer, "<p><strong>", verdict.at, "</strong> ");
    verdict = text_in(buffer, sizeof buffer);
    diff_rest(&verdict, runs);
    write_element(&writer, "", verdict.at, "</p>\n");
    write_element(&writer, "<p>A: ", runs->first.path, "<br>\n");
    write_element(&writer, "B: ", runs->second.path, "</p>\n");
    write_findings(&writer, runs);
    write_facts(&writer, runs);
    write_string(&writer, "</body>\n</html>\n");
    return writer_end(&writer);
}
