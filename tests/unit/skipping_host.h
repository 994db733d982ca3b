// SPDX-License-Identifier: BSD-2-Clause
/* skipping_host.h: a host that lets a probe go on for a while. Private to tests/unit/; once in a test program. */
#pragma once
#include "kernel/host.h"
#include <limits.h>

static unsigned rests_left = UINT_MAX; /* then the user wants to skip */

bool host_rest(struct host *host, unsigned permille)
{
    (void)host;
    assert_in_range(permille, 0, 1000);
    if (rests_left == 0)
        return false;
    rests_left -= rests_left != UINT_MAX;
    return true;
}
