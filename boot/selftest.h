// SPDX-License-Identifier: BSD-2-Clause
/* selftest.h: --selftest. */
#pragma once
#include "boot/session.h"

/* Memory for the list of checks. It is written while the machine is owned, so it is taken before the session opens.
 * False: there is none, and the console says so. */
bool selftest_open(struct stage *);
void selftest_close(struct stage *);

/* Between the two. Runs what the options name and prints "ok name" or "FAIL name: detail" for each check, then the line
 * "selftest: N passed, M failed". True: nothing failed. */
bool selftest(struct session *);
