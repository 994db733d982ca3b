// SPDX-License-Identifier: BSD-2-Clause
/* contract.h: what every implementation of kernel/machine.h keeps to, as a test that runs inside any program. */
#pragma once
#include "kernel/machine.h"

/* Runs the whole contract on a machine. Each check calls contract_check, which the program defines: name of the check,
 * whether it held, and a detail ("" when there is none). A call that the machine refuses with a reason keeps the
 * contract. */
void contract_run(struct machine *);
void contract_check(const char *name, bool held, const char *detail);
