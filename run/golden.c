// SPDX-License-Identifier: BSD-2-Clause
/* golden.c: a run beside its baseline. */
#include "run/golden.h"
#include "run/deliver.h"

enum { MOST_SAID = 8, NAME_SHOWN = 30, AT_VALUES = 20 };

bool run_read_baseline(struct run *run, struct stage *stage)
{
    const char *name = run->options.baseline;
    char buffer[200];
    struct text complaint = text_in(buffer, sizeof buffer);
    size_t length = 0;

    if (!name[0])
        return true;
    if (!stage_read(stage, name, run->baseline_file, sizeof run->baseline_file, &length))
        say(stage, "--baseline %.60s cannot be read: %s", name, stage_why(stage));
    else if (!baseline_read(&run->baseline, run->baseline_file, length, &complaint))
        say(stage, "--baseline %.60s: %s", name, complaint.at);
    else
        return true;
    stage_line(stage, "Nothing is measured. A baseline is the findings.csv of an earlier run.");
    return false;
}

static struct findings golden(const struct run *run)
{
    return (struct findings){run->baseline.finding, run->baseline.count};
}

static struct findings found(const struct run *run)
{
    return (struct findings){run->notebook.finding, run->notebook.findings};
}

enum verdict golden_verdict(const struct run *run)
{
    if (run->baseline.count == 0)
        return NO_BASELINE;
    return compare_all(golden(run), found(run)).of[DIFFERENT] ? BASELINE_FAILED : BASELINE_PASSED;
}

const char *verdict_name(enum verdict verdict)
{
    return verdict == BASELINE_PASSED ? "passed" : "failed";
}

static void say_pair(struct stage *stage, const struct pair *pair)
{
    char buffer[160];
    struct text line = text_in(buffer, sizeof buffer);

    text_format(&line, "  %s ", pair->first ? pair->first->id : pair->second->id);
    text_column(&line, AT_VALUES + 2);
    compared_text(&line, pair->second, pair->aspect);
    text_string(&line, ", baseline ");
    compared_text(&line, pair->first, pair->aspect);
    if (pair->comparison == UNCERTAIN)
        text_string(&line, " (uncertain)");
    stage_line(stage, line.at);
}

/* The pairs of one comparison; returns how many may still be said. */
static unsigned say_pairs(const struct run *run, struct stage *stage, enum comparison comparison, unsigned left)
{
    struct pairing pairing = {.first = golden(run), .second = found(run)};
    struct pair pair;

    while (left > 0 && compare_next(&pairing, &pair)) {
        if (pair.comparison != comparison)
            continue;
        say_pair(stage, &pair);
        left--;
    }
    return left;
}

void golden_say(const struct run *run, struct stage *stage)
{
    struct tally tally = compare_all(golden(run), found(run));
    const char *name = run->options.baseline;
    size_t length = text_length(name), tell = tally.of[DIFFERENT] + tally.of[UNCERTAIN];

    if (run->baseline.count == 0)
        return;
    say(stage, "Baseline %s%s %s: %u different, %u uncertain, %u equal", length > NAME_SHOWN ? "..." : "",
        length > NAME_SHOWN ? name + length - NAME_SHOWN : name, tally.of[DIFFERENT] ? "FAILED" : "passed",
        tally.of[DIFFERENT], tally.of[UNCERTAIN], tally.of[EQUAL]);
    say_pairs(run, stage, UNCERTAIN, say_pairs(run, stage, DIFFERENT, MOST_SAID));
    if (tell > MOST_SAID)
        say(stage, "  and %u more (assay-diff tells them all)", (unsigned)(tell - MOST_SAID));
    if (tally.of[NOT_ASKED])
        say(stage, "  not compared, because only one run was asked for them: %u", tally.of[NOT_ASKED]);
}

void golden_journal(const struct run *run, struct text *line)
{
    struct tally tally = compare_all(golden(run), found(run));

    text_format(line, ",\"verdict\":\"%s\",\"different\":%u,\"uncertain\":%u,\"equal\":%u",
                verdict_name(golden_verdict(run)), tally.of[DIFFERENT], tally.of[UNCERTAIN], tally.of[EQUAL]);
}
