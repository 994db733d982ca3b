// SPDX-License-Identifier: BSD-2-Clause
/* selftest.h: --selftest. */
#pragma once
#include "boot/session.h"

/* Runs what the options name and prints "ok name" or "FAIL name: detail" for each check, then the line "selftest: N
 * passed, M failed". True: nothing failed. */
bool selftest(struct session *);
