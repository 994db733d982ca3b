// SPDX-License-Identifier: BSD-2-Clause
/* test_fit.c: searches for the most stops that fit, on a modelled cache of 8 ways whose lines of one set lie 4 KB
 * apart: from nothing, and from what a check has proven, be it so or not. */
#include "probes/fit.h"
#include "tests/silicon/process/process.h"
#include "tests/unit/resting_host.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { WAY = 4096, WAYS = 8, LIMIT = 64 };

static struct description description;

/* A bench over a fresh machine; close() ends it. */
static struct fit opened(void)
{
    const char *why = "";
    description_plain(&description, WAY * WAYS, WAYS, 64, 4, 14);
    struct machine *machine = process_open(NULL, &description, 1, NULL, &why);
    if (!machine)
        fail_msg("%s", why);
    struct fit fit = {.bench = bench_open(machine, 1), .least = 5, .dense = 5, .miss = 5};
    assert_true(stretch_best(machine, 2 << 20, 1 << 20, 2 << 20, &fit.stretch));
    fit.base = fit.stretch.base;
    return fit;
}

static void close(struct fit *fit)
{
    assert_true(fit_usable(fit));
    machine_close(fit->bench.machine);
}

static uint64_t cost(struct fit *fit, uint64_t stride, uint64_t most)
{
    uint64_t before = machine_steps(fit->bench.machine);
    assert_int_equal(fit_most(fit, stride, LIMIT), most);
    return machine_steps(fit->bench.machine) - before;
}

static void from_nothing(void **state)
{
    struct fit fit = opened();
    (void)state;
    assert_int_equal(fit_most(&fit, WAY, LIMIT), WAYS);
    assert_int_equal(fit_most(&fit, WAY / 2, LIMIT), 2 * WAYS);
    close(&fit);
}

static void from_what_is_proven(void **state)
{
    struct fit fit = opened();
    uint64_t whole = cost(&fit, WAY, WAYS);
    (void)state;
    fit_prove(&fit, WAY, WAYS, true);
    assert_true(cost(&fit, WAY, WAYS) < whole / 2);
    fit_prove(&fit, WAY, WAYS - 1, true); /* less tells nothing new */
    fit_prove(&fit, WAY, WAYS + 1, false);
    assert_true(cost(&fit, WAY, WAYS) < whole / 2);
    close(&fit);
}

static void a_proof_that_was_wrong(void **state)
{
    struct fit fit = opened();
    unsigned doubts = 0;
    (void)state;
    fit_prove(&fit, WAY, WAYS + 3, true);
    for (; fit_most(&fit, WAY, LIMIT) != WAYS && doubts < 100; doubts++)
        fit_prove(&fit, WAY, WAYS + 3, false);
    assert_in_range(doubts, 2, 20);
    close(&fit);
}

static void strides_have_proofs_of_their_own(void **state)
{
    struct fit fit = opened();
    (void)state;
    fit_prove(&fit, WAY, WAYS + 1, true);
    assert_int_equal(fit_most(&fit, 2 * WAY, LIMIT), WAYS);
    for (unsigned other = 1; other < FIT_PROVEN - 1; other++)
        fit_prove(&fit, (uint64_t)WAY << other, 1, true);
    assert_int_equal(fit_most(&fit, WAY, LIMIT), WAYS + 1); /* still kept */
    for (unsigned other = 1; other < FIT_PROVEN; other++)
        fit_prove(&fit, WAY - 64 * other, 1, true);
    fit_prove(&fit, 16, 1, true);
    assert_int_equal(fit_most(&fit, WAY, LIMIT), WAYS); /* the eldest went */
    fit_prove(&fit, WAY, WAYS + 1, true);
    fit_forget(&fit);
    assert_int_equal(fit_most(&fit, WAY, LIMIT), WAYS);
    close(&fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_nothing),
        cmocka_unit_test(from_what_is_proven),
        cmocka_unit_test(a_proof_that_was_wrong),
        cmocka_unit_test(strides_have_proofs_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
