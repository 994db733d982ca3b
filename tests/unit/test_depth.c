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

/* Targets on a machine. */
struct setting {
    struct machine *machine;
    struct bench bench;
    struct depth depth;
};

/* With half of the memory for targets and others, in blocks of so many bytes. */
static void set_up(const struct description *description, uint64_t contiguous, struct setting *setting)
{
    const char *why = "";
    struct rate rate;
    struct stretch stretch;
    setting->machine = process_open(NULL, description, 1, NULL, &why);
    if (!setting->machine)
        fail_msg("%s", why);
    setting->bench = bench_open(setting->machine, 1);
    assert_true(rate_measure(&setting->bench, &rate));
    uint64_t span = description->memory.span;
    assert_true(stretch_best(setting->machine, UINT64_MAX, span / 2, span, &stretch));
    stretch.contiguous = contiguous;
    assert_true(depth_open(&setting->depth, &setting->bench, &stretch, HIT / setting->bench.cycles_per_tick, 0));
    assert_true(setting->depth.group > 1);
}

/* Latency after so many other bytes. */
static struct latency_of after(const struct description *description, uint64_t bytes, bool fresh, uint64_t piece)
{
    struct setting setting;
    struct latency_of latency;
    set_up(description, UINT64_MAX, &setting);
    setting.depth.fresh = fresh;
    setting.depth.twice = piece;
    assert_true(depth_after(&setting.depth, bytes, 2, &latency));
    machine_close(setting.machine);
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
    struct latency_of latency = after(&description, 24 << 10, true, 0);
    assert_second(&latency);
}

/* A part of the targets stays, since they come again and again; of those that come for the first time none does. */
static void a_part_that_stays(void **state)
{
    struct description description = machine(16 << 10, 2, "QLRU_H11_MR31_R1_U2", 12);
    (void)state;
    struct latency_of latency = after(&description, 32 << 10, false, 0);
    assert_true(latency.cycles < SECOND - 3);
    latency = after(&description, 32 << 10, true, 0);
    assert_second(&latency);
}

/* What came once is let go of before anything that came twice: targets stay however much is read. What is read twice on
 * end pushes them out, if it comes from behind that level once and from there once. */
static void targets_that_outlive_what_comes_once(void **state)
{
    struct description description = machine(16 << 10, 8, "QLRU_H00_M3_R0_U1", 12);
    (void)state;
    struct latency_of latency = after(&description, 96 << 10, false, 0);
    assert_true(latency.cycles < HIT + 3);
    latency = after(&description, 96 << 10, false, 2 << 10);
    assert_second(&latency);
}

/* A machine whose memory has rows, or is refreshed. */
static struct description machine_with_rows(bool rows)
{
    struct description description = machine(16 << 10, 4, "LRU", 12);
    description.memory.span = 128 << 20;
    description.memory.row_miss = rows ? 90 : 0;
    description.memory.banks = rows ? 64 : 0;
    description.memory.row = rows ? 8 << 10 : 0;
    description.memory.refresh_period = rows ? 0 : 20000;
    description.memory.refresh_length = rows ? 0 : 700;
    return description;
}

/* Latency of lines all over the memory, where TLBs keep small pages, or large ones. */
static struct latency_of scattered(const struct description *description, bool small)
{
    struct setting setting;
    struct latency_of latency;
    set_up(description, small ? 4096 : UINT64_MAX, &setting);
    assert_true((setting.depth.page == 4096) == small);
    assert_true(depth_flushed(&setting.depth, FLUSHED_SCATTERED, &latency));
    machine_close(setting.machine);
    return latency;
}

static void assert_about(const struct latency_of *latency, double sure)
{
    double tolerance = readings_tolerance(sure);
    if (latency->cycles < sure - tolerance || latency->cycles > sure + tolerance || latency->bias > 0.7 * tolerance)
        fail_msg("%g cycles for %g, bias %g", latency->cycles, sure, latency->bias);
}

/* Where TLBs keep small pages a doorstep has to lie in its target's row, and opens it when it comes from memory: a
 * target is to find its row closed all the same, as loads in any order do. */
static void rows_that_doorsteps_open(void **state)
{
    struct description description = machine_with_rows(true);
    (void)state;
    struct latency_of latency = scattered(&description, true);
    assert_about(&latency, MEMORY + description.memory.row_miss);
}

/* And so where no cache keeps as many doorsteps as there are. */
static void doorsteps_that_come_from_memory(void **state)
{
    struct description description = machine_with_rows(true);
    (void)state;
    description.caches = 1;
    description.memory.banks /= 2; /* a lead opens a row in nearly every one */
    struct latency_of latency = scattered(&description, true);
    assert_about(&latency, MEMORY + description.memory.row_miss);
}

/* A refresh is rare and long, and a part of what memory takes. */
static void refreshes_that_meet_few(void **state)
{
    struct description description = machine_with_rows(false);
    (void)state;
    struct latency_of large = scattered(&description, false), small = scattered(&description, true);
    assert_true(large.cycles > 1.025 * MEMORY);
    assert_about(&small, large.cycles);
}

/* Nor is it an interruption where only one in five or so of the groups meets one. */
static void refreshes_that_few_groups_meet(void **state)
{
    struct description description = machine_with_rows(false);
    (void)state;
    uint64_t period = description.memory.refresh_period = 160000, length = description.memory.refresh_length = 8000;
    struct latency_of latency = scattered(&description, false);
    assert_about(&latency, (double)MEMORY * (double)period / (double)(period - length));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doorsteps_that_do_not_stay),
        cmocka_unit_test(a_part_that_stays),
        cmocka_unit_test(targets_that_outlive_what_comes_once),
        cmocka_unit_test(rows_that_doorsteps_open),
        cmocka_unit_test(refreshes_that_meet_few),
        cmocka_unit_test(doorsteps_that_come_from_memory),
        cmocka_unit_test(refreshes_that_few_groups_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
