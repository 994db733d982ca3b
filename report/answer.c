// SPDX-License-Identifier: BSD-2-Clause
/* answer.c: what all documents say of a finding: JSON has no infinity, and a schema holds even when a probe errs. */
#include "report/answer.h"

static bool is_finite(double number)
{
    return number - number == 0;
}

bool has_value(const struct finding *finding)
{
    return finding->measured && is_finite(finding->value);
}

double sure_of(const struct finding *finding)
{
    if (!(finding->confidence > 0))
        return 0;
    return finding->confidence < 1 ? finding->confidence : 1;
}

const char *reason(const struct finding *finding)
{
    if (finding->measured)
        return "the probe's value is not a finite number";
    return finding->why[0] ? finding->why : "no reason was given";
}
