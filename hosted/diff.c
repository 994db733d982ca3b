// SPDX-License-Identifier: BSD-2-Clause
/* diff.c: assay-diff: what changed between two boards, steppings, firmware versions or runs, beyond noise. Exit status:
 * 0 the same, 1 different, 2 bad input or output that could not be written. */
#include "hosted/diff.h"
#include "report/answer.h"
#include "report/quantity.h"
#include <stdlib.h>
#include <string.h>

extern const char assay_version[], assay_build[]; /* run/version.c */

enum { SAME, RUNS_DIFFER, TROUBLE };

struct asked {
    bool json, html, all, strict;
    const char *path[2];
    unsigned paths;
};

static const char usage[] =
    "Usage: assay-diff [--json | --html] [--all] [--strict] A B\n"
    "What changed from run A to run B, beyond noise. A and B are result.json files, folders of runs,\n"
    "or findings.csv files.\n"
    "  --json     as JSON (assay-diff/1)\n"
    "  --html     as one HTML page\n"
    "  --all      what is equal, too\n"
    "  --strict   what is uncertain makes the exit status 1, too\n"
    "  --help, --version\n"
    "Exit status: 0 the same, 1 different, 2 an input that cannot be used.\n";

bool report_out(struct report_sink *sink, const char *bytes, size_t length)
{
    return fwrite(bytes, 1, length, sink->file) == length;
}

bool runs_differ(const struct comparison_of_runs *runs)
{
    return runs->tally.of[DIFFERENT] + runs->facts.different > 0;
}

void diff_verdict(struct text *text, const struct comparison_of_runs *runs)
{
    unsigned findings = runs->tally.of[DIFFERENT], facts = runs->facts.different;

    if (!runs_differ(runs))
        text_string(text, "The same");
    else
        text_string(text, "Different: ");
    if (findings)
        text_format(text, "%u finding%s", findings, findings == 1 ? "" : "s");
    if (facts)
        text_format(text, "%s%u fact%s about the machine", findings ? " and " : "", facts, facts == 1 ? "" : "s");
    text_char(text, '.');
}

void diff_rest(struct text *text, const struct comparison_of_runs *runs)
{
    text_format(text, "%u uncertain, %u equal", runs->tally.of[UNCERTAIN], runs->tally.of[EQUAL]);
    if (runs->tally.of[NOT_ASKED])
        text_format(text, ", %u asked for in one run only", runs->tally.of[NOT_ASKED]);
    text_char(text, '.');
}

static bool has_both(const struct pair *pair)
{
    return pair->first && pair->second && has_value(pair->first) && has_value(pair->second);
}

void diff_change(struct text *text, const struct pair *pair)
{
    if (pair->aspect != IN_VALUE || !has_both(pair) || !(pair->first->value > 0))
        return;
    double change = (pair->second->value / pair->first->value - 1) * 100;
    text_format(text, change > 0 ? "+%.1f %%" : "%.1f %%", change);
}

void diff_sure(struct text *text, const struct pair *pair)
{
    bool first = pair->first && has_value(pair->first), second = pair->second && has_value(pair->second);
    double sure = first ? sure_of(pair->first) : 1;

    if (second && sure_of(pair->second) < sure)
        sure = sure_of(pair->second);
    if (first || second)
        confidence_text(text, sure);
}

/* Reads the command line. False: wrong, or all is done; then *status. */
static bool read_words(int count, char **words, struct asked *asked, int *status)
{
    bool options = true;

    *status = TROUBLE;
    for (int i = 1; i < count; i++) {
        const char *word = words[i];
        if (options && strcmp(word, "--") == 0) {
            options = false;
        } else if (options && strcmp(word, "--help") == 0) {
            *status = fputs(usage, stdout) < 0 ? TROUBLE : SAME;
            return false;
        } else if (options && strcmp(word, "--version") == 0) {
            *status = printf("assay-diff %s, build %s\n", assay_version, assay_build) < 0 ? TROUBLE : SAME;
            return false;
        } else if (options && strcmp(word, "--json") == 0) {
            asked->json = true;
        } else if (options && strcmp(word, "--html") == 0) {
            asked->html = true;
        } else if (options && strcmp(word, "--all") == 0) {
            asked->all = true;
        } else if (options && strcmp(word, "--strict") == 0) {
            asked->strict = true;
        } else if (options && word[0] == '-') {
            fprintf(stderr, "assay-diff: unknown option '%s' (--help lists them)\n", word);
            return false;
        } else if (asked->paths == 2) {
            fprintf(stderr, "assay-diff: '%s' is one file too many: two are compared\n", word);
            return false;
        } else {
            asked->path[asked->paths++] = word;
        }
    }
    if (asked->json && asked->html)
        fputs("assay-diff: either --json or --html\n", stderr);
    else if (asked->paths < 2)
        fputs("assay-diff: two runs are needed: assay-diff A/result.json B/result.json\n", stderr);
    else
        return true;
    return false;
}

static bool read_side(struct side *side, const char *path)
{
    char buffer[600];
    struct text complaint = text_in(buffer, sizeof buffer);

    if (side_read(side, path, &complaint))
        return true;
    fprintf(stderr, "assay-diff: %s\n", buffer);
    return false;
}

static int compare(struct comparison_of_runs *runs, const struct asked *asked)
{
    struct report_sink sink = {.file = stdout};
    bool written;

    if (!read_side(&runs->first, asked->path[0]) || !read_side(&runs->second, asked->path[1]))
        return TROUBLE;
    runs->all = asked->all;
    compare_facts(&runs->facts, &runs->first, &runs->second);
    runs->tally = compare_all(side_findings(&runs->first), side_findings(&runs->second));
    if (asked->json)
        written = diff_json(&sink, runs);
    else if (asked->html)
        written = diff_html(&sink, runs);
    else
        written = diff_text(&sink, runs);
    if (!written || fflush(stdout) != 0) {
        fputs("assay-diff: the output could not be written\n", stderr);
        return TROUBLE;
    }
    return runs_differ(runs) || (asked->strict && runs->tally.of[UNCERTAIN] > 0) ? RUNS_DIFFER : SAME;
}

int main(int count, char **words)
{
    struct comparison_of_runs *runs = calloc(1, sizeof *runs);
    struct asked asked = {0};
    int status = TROUBLE;

    if (!runs)
        fputs("assay-diff: no memory\n", stderr);
    else if (read_words(count, words, &asked, &status))
        status = compare(runs, &asked);
    free(runs);
    return status;
}
