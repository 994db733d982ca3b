// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_contract.c: the contract of the waist on modelled machines of many shapes: page sizes, table levels,
 * line sizes, cores, noise. */
#include "tests/machine/contract.h"
#include "tests/silicon/process/process.h"
#include "tests/unit/resting_host.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

static unsigned checks;

void contract_check(const char *name, bool held, const char *detail)
{
    checks++;
    if (!held)
        fail_msg("%s: %s", name, detail);
}

static void run(struct machine *machine, void *argument)
{
    (void)argument;
    contract_run(machine);
}

static void keep_contract(const struct description *description)
{
    const char *why = "";
    struct machine *machine = process_open(NULL, description, 1, NULL, &why);
    struct fault fault;

    if (!machine)
        fail_msg("%s: %s", description->name, why);
    checks = 0;
    assert_true(machine_protect(machine, 0, run, NULL, &fault));
    if (fault.happened)
        fail_msg("%s: fault %u at 0x%llx", description->name, fault.vector, (unsigned long long)fault.cr2);
    assert_true(checks > 150);
    machine_close(machine);
}

static void plain(void **state)
{
    struct description description;
    (void)state;
    description_plain(&description, 32 << 10, 8, 64, 4, 100);
    keep_contract(&description);
    description.pages |= PAGES_HUGE;
    description.memory.span = (uint64_t)3 << 30; /* a whole page of 1 GB fits */
    keep_contract(&description);
    description.levels = 5;
    keep_contract(&description);
}

/* As UltraSPARC III: pages of 8 KB, lines of 32 bytes. */
static void other_pages(void **state)
{
    struct description description;
    (void)state;
    description_plain(&description, 64 << 10, 4, 32, 2, 50);
    description.x86 = false;
    description.levels = 3;
    description.page_shift = 13;
    description.pages = PAGES_SMALL | PAGES_LARGE;
    keep_contract(&description);
    description.page_shift = 14;
    description.page_bits = 11;
    description.pages = PAGES_SMALL;
    keep_contract(&description);
    description.page_shift = 12;
    description.page_bits = 8; /* tables of half a page */
    keep_contract(&description);
}

static void many_cores(void **state)
{
    struct description description;
    (void)state;
    description_plain(&description, 32 << 10, 8, 64, 4, 100);
    description.cores = 4;
    keep_contract(&description);
}

static void coarse_and_noisy(void **state)
{
    struct description description;
    (void)state;
    description_plain(&description, 32 << 10, 8, 64, 4, 100);
    description.clock.step = 26;
    description.clock.ratio_core = 37;
    description.clock.ratio_clock = 26;
    assert_true(description_disturb(&description, "hostile"));
    keep_contract(&description);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(other_pages),
        cmocka_unit_test(many_cores),
        cmocka_unit_test(coarse_and_noisy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
