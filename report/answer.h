// SPDX-License-Identifier: BSD-2-Clause
/* answer.h: what all documents say of a finding, whatever a probe has put into it. */
#pragma once
#include "probes/finding.h"

bool has_value(const struct finding *);     /* a value that is not finite is none */
double sure_of(const struct finding *);     /* the confidence, between 0 and 1 */
const char *reason(const struct finding *); /* why there is no value; never empty */
