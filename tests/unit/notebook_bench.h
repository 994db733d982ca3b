// SPDX-License-Identifier: BSD-2-Clause
/* notebook_bench.h: an empty notebook for a group of tests of probes. Private to tests/unit/. */
#pragma once
#include "probes/finding.h"
#include <stdlib.h>

static inline int fresh(void **state)
{
    *state = calloc(1, sizeof(struct notebook));
    return *state ? 0 : -1;
}

static inline int done(void **state)
{
    free(*state);
    return 0;
}
