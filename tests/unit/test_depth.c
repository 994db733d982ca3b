// SPDX-License-Identifier: BSD-2-Clause
/* test_depth.c: where targets are found on modelled machines whose clock shows groups of loads only, and whose first
 * level does not keep what came last, or keeps a part of what comes again and again. */
#include "probes/cluster.h"
#include "probes/depth.h"
#include "probes/rate.h"
#include "tests/silicon/process/process.h"
#include "tests/unit/resting_host.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { HIT = 6, SECOND = 17, MEMORY = 250, AVAILABLE = 8 << 20 };

/* A first level of that policy and a second one of 256 KB behind it, and a clock that moves in steps of so many cycles.
 */
static struct description machine(uint64_t size, unsigned ways, const char *policy, unsigned step)
{
    struct description description;
    description_plain(&description, size, ways, 64, HIT, MEMORY);
    struct cache_description *second = &description.cache[description.caches++];
    *second = description.cache[0];
    snprintf(second->name, sizeof second->name, "l2");
    second->level = 2;
    second->size = 256 << 10;
    second->shape.ways = 8;
    second->shape.index.sets = (256 << 10) / 64 / 8;
    second->latency = SECOND;
    description.memory.span = AVAILABLE;
    description.clock.step = step;
    assert_true(policy_parse(&description.cache[0].shape.policy, policy));
    return description;
}

/* Latency after so many other bytes. */
static struct latency_of after(const struct description *description, uint64_t bytes, bool fresh)
{
    const char *why = "";
    struct machine *machine = process_open(NULL, description, 1, NULL, &why);
    struct latency_of latency;
    struct rate rate;
    struct stretch stretch;
    struct depth depth;
    if (!machine)
        fail_msg("%s", why);
    struct bench bench = bench_open(machine, 1);
    assert_true(rate_measure(&bench, &rate));
    assert_true(stretch_best(machine, UINT64_MAX, AVAILABLE / 2, AVAILABLE, &stretch));
    assert_true(depth_open(&depth, &bench, &stretch, HIT / bench.cycles_per_tick, 0));
    assert_true(depth.group > 1);
    depth.fresh = fresh;
    assert_true(depth_after(&depth, bytes, 2, &latency));
    machine_close(machine);
    return latency;
}

static void assert_second(const struct latency_of *latency)
{
    double third = readings_tolerance(SECOND) / 3;
    if (latency->cycles < SECOND - 0.5 || latency->cycles > SECOND + 0.5 || latency->variance > third * third)
        fail_msg("%g cycles, variance %g", latency->cycles, latency->variance);
    assert_true(latency->share >= WHOLE);
}

/* What came last goes first, so the doorsteps of a group push each other out: what a hit shows is to be known all the
 * same. */
static void doorsteps_that_do_not_stay(void **state)
{
    struct description description = machine(8 << 10, 8, "QLRU_H11_MR31_R1_U2", 17);
    (void)state;
    struct latency_of latency = after(&description, 24 << 10, true);
    assert_second(&latency);
}

/* A part of the targets stays, since they come again and again; of those that come for the first time none does. */
static void a_part_that_stays(void **state)
{
    struct description description = machine(16 << 10, 2, "QLRU_H11_MR31_R1_U2", 12);
    (void)state;
    struct latency_of latency = after(&description, 32 << 10, false);
    assert_true(latency.cycles < SECOND - 3);
    latency = after(&description, 32 << 10, true);
    assert_second(&latency);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doorsteps_that_do_not_stay),
        cmocka_unit_test(a_part_that_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
