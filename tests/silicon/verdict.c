// SPDX-License-Identifier: BSD-2-Clause
/* verdict.c: what a probe said against what is true. */
#include "tests/silicon/truth.h"

/* From here on a finding is a statement, not a guess. */
static const double STATED = 0.5;

static bool finite(double number)
{
    return number - number == 0;
}

static bool holds(const struct truth *truth, enum truth_kind kind, double value)
{
    switch (kind) {
    case TRUTH_EQUAL:
        return value == truth->value;
    case TRUTH_WITHIN:
        return value >= truth->value - truth->tolerance && value <= truth->value + truth->tolerance;
    case TRUTH_RANGE:
        return value >= truth->low && value <= truth->high;
    default:
        return false; /* there is nothing: every value differs */
    }
}

enum judgement judge(const struct truth *truth, const struct finding *finding)
{
    bool hidden = truth->kind == TRUTH_HIDDEN;
    enum truth_kind kind = hidden ? truth->beneath : truth->kind;

    if (truth->kind == TRUTH_NONE)
        return UNJUDGED;
    if (!finding || !finding->measured || !finite(finding->value)) {
        if (hidden)
            return HIDDEN;
        return truth->kind == TRUTH_ABSENT || truth->optional ? RIGHT : MISSED;
    }
    if (hidden && kind == TRUTH_NONE)
        return HIDDEN;
    if (holds(truth, kind, finding->value))
        return RIGHT;
    if (finding->confidence >= STATED)
        return WRONG;
    return hidden ? HIDDEN : DOUBTFUL;
}

const char *judgement_name(enum judgement judgement)
{
    switch (judgement) {
    case RIGHT:
        return "right";
    case WRONG:
        return "wrong";
    case DOUBTFUL:
        return "doubtful";
    case MISSED:
        return "missed";
    case HIDDEN:
        return "hidden";
    default:
        return "unjudged";
    }
}
