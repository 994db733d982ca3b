// SPDX-License-Identifier: BSD-2-Clause
/* selftest.c: --selftest machine on a host: the contract of the waist, one line a check. */
#include "run/deliver.h"
#include "run/outcome.h"
#include "tests/host/program.h"
#include "tests/machine/contract.h"

/* contract_check() is called without a handle, so what it adds to lies here. */
static struct {
    struct stage *stage;
    unsigned passed, failed;
} tally;

void contract_check(const char *name, bool held, const char *detail)
{
    tally.passed += held;
    tally.failed += !held;
    if (detail[0])
        say(tally.stage, "%s %s: %s", held ? "ok" : "FAIL", name, detail);
    else
        say(tally.stage, "%s %s", held ? "ok" : "FAIL", name);
}

static void run_contract(struct machine *machine, void *argument)
{
    (void)argument;
    contract_run(machine);
}

unsigned selftest_run(struct stage *stage, struct machine *machine)
{
    char buffer[200];
    struct text what = text_in(buffer, sizeof buffer);
    struct fault fault;

    tally.stage = stage;
    if (!machine_protect(machine, 0, run_contract, NULL, &fault))
        contract_check("protection starts", false, machine_why(machine));
    else if (fault.happened) {
        fault_text(&what, &fault);
        contract_check("no fault", false, what.at);
    }
    say(stage, "selftest: %u passed, %u failed", tally.passed, tally.failed);
    return tally.failed;
}
