// SPDX-License-Identifier: BSD-2-Clause
/* html_findings.c: the tables of report.html: what differs from what is declared, and every finding, group by group. */
#include "base/number.h"
#include "report/answer.h"
#include "report/html.h"
#include "report/names.h"
#include "report/quantity.h"
#include "report/xml.h"

static bool differs(const struct finding *finding)
{
    return has_value(finding) && finding->agreement == DIFFERS;
}

static void write_declared(struct writer *writer, const struct finding *finding)
{
    html_quantity(writer, (double)finding->declared_low, finding->unit);
    if (finding->declared_high != finding->declared_low) {
        write_string(writer, " to ");
        html_quantity(writer, (double)finding->declared_high, finding->unit);
    }
}

/* The number in a cell of its own, to the right, and its unit in the next, to the left: numbers stand below each other.
 */
static void write_value(struct writer *writer, const struct finding *finding)
{
    char buffer[96];
    struct text text = text_in(buffer, sizeof buffer);
    size_t number = 0;

    quantity_text(&text, html_value(finding), finding->unit);
    while (buffer[number] && buffer[number] != ' ')
        number++;
    bool unit = buffer[number] == ' ';
    buffer[number] = '\0';
    write_format(writer, "<td class=\"number\">%s</td><td class=\"unit\">", buffer);
    if (unit)
        write_xml(writer, buffer + number + 1);
    write_string(writer, finding->emulated ? " <span class=\"flag\">emulated</span></td>" : "</td>");
}

static void write_confidence(struct writer *writer, const struct finding *finding)
{
    char buffer[32];
    struct text text = text_in(buffer, sizeof buffer);
    double confidence = number_as_written(sure_of(finding));

    confidence_text(&text, confidence);
    write_string(writer, "<td class=\"sure\"><span class=\"bar\"><i style=\"width:");
    html_share(writer, confidence);
    write_string(writer, "\"></i></span> ");
    write_xml(writer, buffer);
    write_string(writer, "</td>");
}

static void write_agreement(struct writer *writer, const struct finding *finding)
{
    write_string(writer, "<td class=\"declared\">");
    if (finding->agreement != NOTHING_DECLARED) {
        if (differs(finding))
            write_string(writer, "<strong class=\"differs\">\xE2\x89\xA0 ");
        else if (has_value(finding))
            write_string(writer, "<span class=\"agrees\">= ");
        else
            write_string(writer, "<span>");
        write_declared(writer, finding);
        write_string(writer, differs(finding) ? "</strong> <small>" : "</span> <small>");
        write_xml(writer, finding->declared_by);
        write_string(writer, "</small>");
    }
    write_string(writer, "</td>");
}

/* Rounded: the exact number is in result.json. */
static void write_cost(struct writer *writer, uint64_t cost)
{
    if (cost >= 1000000)
        write_format(writer, " <small>(%llu.%llu million accesses)</small>", (unsigned long long)(cost / 1000000),
                     (unsigned long long)(cost / 100000 % 10));
    else if (cost)
        write_format(writer, " <small>(%llu accesses)</small>", (unsigned long long)cost);
}

static void write_row(struct writer *writer, const struct finding *finding)
{
    write_string(writer, differs(finding) ? "<tr class=\"differing\" id=\"" : "<tr id=\"");
    write_xml(writer, finding->id);
    write_string(writer, "\"><th scope=\"row\"><code>");
    write_xml(writer, finding->id);
    write_string(writer, "</code></th>");
    if (has_value(finding)) {
        write_value(writer, finding);
        write_confidence(writer, finding);
    } else {
        write_string(writer, "<td class=\"none\" colspan=\"3\">not measurable</td>");
    }
    write_agreement(writer, finding);
    write_string(writer, "<td class=\"how\">");
    if (!has_value(finding))
        write_string(writer, "because: ");
    write_xml(writer, has_value(finding) ? finding->method : reason(finding));
    write_cost(writer, finding->cost);
    write_string(writer, "</td></tr>\n");
}

/* Whether a finding is the first of its group. */
static bool begins_group(const struct notebook *notebook, unsigned index)
{
    for (unsigned i = 0; i < index; i++) {
        if (same_group(notebook->finding[i].id, notebook->finding[index].id))
            return false;
    }
    return true;
}

static void write_group(struct writer *writer, const struct notebook *notebook, unsigned first)
{
    char buffer[64];
    struct text title = text_in(buffer, sizeof buffer);

    group_title(&title, notebook->finding[first].id);
    write_string(writer, "<tbody>\n<tr class=\"group\"><th colspan=\"6\" scope=\"rowgroup\">");
    write_xml(writer, buffer);
    write_string(writer, "</th></tr>\n");
    for (unsigned i = first; i < notebook->findings; i++) {
        if (same_group(notebook->finding[i].id, notebook->finding[first].id))
            write_row(writer, &notebook->finding[i]);
    }
    write_string(writer, "</tbody>\n");
}

void html_findings(struct writer *writer, const struct notebook *notebook)
{
    write_string(writer, "<section aria-labelledby=\"findings\">\n<h2 id=\"findings\">Findings</h2>\n");
    if (notebook->findings == 0) {
        write_string(writer, "<p>This run left no findings.</p>\n</section>\n");
        return;
    }
    write_string(writer, "<table class=\"findings\">\n<thead><tr><th scope=\"col\">Finding</th>"
                         "<th scope=\"col\" colspan=\"2\">Value</th><th scope=\"col\">Confidence</th>"
                         "<th scope=\"col\">Declared</th><th scope=\"col\">How it was found, or why not</th></tr>"
                         "</thead>\n");
    for (unsigned i = 0; i < notebook->findings; i++) {
        if (begins_group(notebook, i))
            write_group(writer, notebook, i);
    }
    write_string(writer, "</table>\n</section>\n");
}

static void write_difference(struct writer *writer, const struct finding *finding)
{
    write_string(writer, "<tr><th scope=\"row\"><a href=\"#");
    write_xml(writer, finding->id);
    write_string(writer, "\"><code>");
    write_xml(writer, finding->id);
    write_string(writer, "</code></a></th>");
    write_value(writer, finding);
    write_string(writer, "<td class=\"declared\"><strong class=\"differs\">\xE2\x89\xA0 ");
    write_declared(writer, finding);
    write_string(writer, "</strong> <small>");
    write_xml(writer, finding->declared_by);
    write_string(writer, "</small></td>");
    write_confidence(writer, finding);
    write_string(writer, "</tr>\n");
}

void html_differences(struct writer *writer, const struct notebook *notebook)
{
    bool any = false;

    for (unsigned i = 0; i < notebook->findings; i++) {
        if (!differs(&notebook->finding[i]))
            continue;
        if (!any)
            write_string(writer,
                         "<section class=\"differences\" aria-labelledby=\"differences\">\n"
                         "<h2 id=\"differences\">Differs from what the machine declares</h2>\n<table>\n"
                         "<thead><tr><th scope=\"col\">Finding</th><th scope=\"col\" colspan=\"2\">Measured</th>"
                         "<th scope=\"col\">Declared</th><th scope=\"col\">Confidence</th></tr></thead>\n"
                         "<tbody>\n");
        any = true;
        write_difference(writer, &notebook->finding[i]);
    }
    if (any)
        write_string(writer, "</tbody>\n</table>\n</section>\n");
}
