// SPDX-License-Identifier: BSD-2-Clause
/* resting_host.h: a host that always lets a probe go on. Private to tests/unit/; once in a test program. */
#pragma once
#include "kernel/host.h"

bool host_rest(struct host *host, unsigned permille)
{
    (void)host;
    (void)permille;
    return true;
}
