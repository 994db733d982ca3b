// SPDX-License-Identifier: BSD-2-Clause
/* test_hit.c: what a load takes that hits, on a modelled first level of 4 cycles: in peace, and beside a neighbour that
 * takes lines away for as long as a look lasts, now and then. */
#include "probes/hit.h"
#include "probes/rate.h"
#include "probes/stretch.h"
#include "tests/silicon/process/process.h"
#include "tests/unit/resting_host.h"
#include <setjmp.h>
#include <stdarg.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { HIT = 4, MEMORY = 150, SEEDS = 40, BURST = 10000000, LINES = 512 };

static struct description description;

/* Beside a neighbour half of the time is in bursts, each BURST cycles long. In one each line is lost every thousand
 * cycles: a load takes 0.6 more on average then. */
static struct hit measured(bool neighbour, uint64_t seed)
{
    const char *why = "";
    struct stretch stretch;
    struct rate rate;
    struct hit hit;
    description_plain(&description, 4096, 8, 64, HIT, MEMORY);
    if (neighbour) {
        description.noise.neighbour_period = BURST + 1;
        description.noise.neighbour_length = BURST;
        description.noise.neighbour_lines = LINES;
    }
    struct machine *machine = process_open(NULL, &description, seed, NULL, &why);
    if (!machine)
        fail_msg("%s", why);
    struct bench bench = bench_open(machine, seed);
    assert_true(stretch_map(machine, machine_page(machine, 0), 4096, &stretch));
    assert_true(rate_measure(&bench, &rate));
    assert_true(hit_measure(&bench, stretch.base + KEPT, &hit));
    machine_close(machine);
    return hit;
}

static void in_peace(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct hit hit = measured(false, seed);
        assert_true(hit.cycles == HIT && hit.confidence > 0.99);
    }
}

/* A look that lay in a burst is not the last one. */
static void now_and_then(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct hit hit = measured(true, seed);
        assert_true(hit.cycles == HIT && hit.confidence >= 0.9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_peace),
        cmocka_unit_test(now_and_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
