// SPDX-License-Identifier: BSD-2-Clause
/* score.c: findings of any tool against the truth of a modelled machine (tests/silicon/verdict.c judges). */
#include "tests/peers/score.h"
#include "report/quantity.h"
#include <string.h>

enum { LEVELS = 8, A_TENTH = 10 };

static void quantity(struct text *text, double value, const char *what)
{
    quantity_text(text, value, strcmp(what, "latency") == 0 ? "cycles" : strcmp(what, "ways") == 0 ? "ways" : "bytes");
}

static void tell(struct text *differs, const char *id, const char *what, const struct finding *finding,
                 const struct truth *truth)
{
    text_format(differs, "%s%s ", differs->length ? ", " : "", id);
    if (finding && finding->measured)
        quantity(differs, finding->value, what);
    else
        text_string(differs, "missing");
    text_string(differs, " (");
    if (truth->kind == TRUTH_ABSENT)
        text_string(differs, "none");
    else
        quantity(differs, truth->value, what);
    text_string(differs, ")");
}

static void judge_one(struct score *score, const struct notebook *notebook, struct truths *truths, const char *subject,
                      const char *what, struct text *differs)
{
    char id[28];
    struct text text = text_in(id, sizeof id);
    const struct finding *finding;
    struct truth truth;
    enum judgement judgement;

    text_format(&text, "%s.%s", subject, what);
    finding = noted(notebook, id);
    truth = truth_of(truths, id);
    judgement = judge(&truth, finding);
    if (judgement == UNJUDGED || judgement == HIDDEN)
        return;
    if (truth.kind == TRUTH_ABSENT && (!finding || !finding->measured))
        return; /* nothing, and nothing said */
    score->right += judgement == RIGHT;
    score->wrong += judgement == WRONG;
    score->missing += judgement == MISSED || judgement == DOUBTFUL;
    if (judgement != RIGHT)
        tell(differs, id, what, finding, &truth);
}

struct score score_of(const struct notebook *notebook, struct truths *truths, struct text *differs)
{
    struct score score = {0};

    for (unsigned level = 1; level <= LEVELS; level++) {
        char numbered[] = {'l', (char)('0' + level), '\0'};
        const char *subject = level == 1 ? "l1d" : numbered;
        judge_one(&score, notebook, truths, subject, "size", differs);
        judge_one(&score, notebook, truths, subject, "ways", differs);
        if (level == 1)
            judge_one(&score, notebook, truths, subject, "line", differs);
        judge_one(&score, notebook, truths, subject, "latency", differs);
    }
    judge_one(&score, notebook, truths, "mem", "latency", differs);
    return score;
}

const char *score_complaint(const struct score *score, double accesses, const struct score *other,
                            double other_accesses)
{
    if (score->right < other->right)
        return "fewer right than X-Ray";
    return accesses * A_TENTH > other_accesses ? "more than a tenth of X-Ray's accesses" : NULL;
}
