// SPDX-License-Identifier: BSD-2-Clause
/* test_list.c: lists on a modelled machine of one small cache: what an element costs in each order, with prefetchers
 * and without, in nanoseconds; and what a machine with little memory has of it. */
#include "base/text.h"
#include "probes/probes.h"
#include "tests/silicon/process/process.h"
#include "tests/unit/notebook_bench.h"
#include "tests/unit/resting_host.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

/* Core cycles; two of them are a nanosecond, four a tick of the clock. */
enum {
    CACHE = 4096,
    HIT = 4,
    MEMORY = 100,
    CYCLES_A_NS = 2,
    CYCLES_A_TICK = 4,
    TICKS_A_SECOND = 500000000,
    SPAN = 1 << 20,
    LINE = 64
};

/* Of the lists of one run, which all tests look at: the machine has a prefetcher that could be turned off and brings
 * the line after the one that is used. */
static int measured_once(void **state)
{
    struct description description;
    struct request request = {.seed = 1};
    const char *why = "";
    description_plain(&description, CACHE, 8, LINE, HIT, MEMORY);
    description.clock.hz = TICKS_A_SECOND;
    description.clock.ratio_core = CYCLES_A_TICK;
    description.pages = PAGES_SMALL;
    description.memory.span = SPAN;
    description.prefetchers = 1;
    description.prefetcher[0] =
        (struct prefetcher_description){.kind = PREFETCH_NEXT_LINE, .watches = 1, .into = 1, .ahead = 1, .msr = 0x1a4};
    struct machine *machine = process_open(NULL, &description, 1, NULL, &why);
    if (!machine || fresh(state) != 0) {
        print_error("%s\n", why);
        return -1;
    }
    bool good = probe_lists(machine, &request, *state);
    machine_close(machine);
    return good ? 0 : -1;
}

/* The median of a series at a working set, in core cycles. */
static double cycles_at(const struct notebook *notebook, const char *id, uint64_t bytes)
{
    for (unsigned i = 0; i < notebook->series_count; i++) {
        const struct series *series = &notebook->series[i];
        if (!text_equal(series->id, id))
            continue;
        assert_string_equal(series->x, "bytes");
        assert_string_equal(series->y, "ns");
        for (unsigned j = 0; j < series->count; j++)
            if (notebook->point[series->first + j].x == (double)bytes)
                return notebook->point[series->first + j].middle * CYCLES_A_NS;
    }
    fail_msg("%s has no point at %u bytes", id, (unsigned)bytes);
    return 0;
}

static void assert_near(double value, double expected)
{
    if (value < expected * 0.98 || value > expected * 1.02)
        fail_msg("%g is not about %g", value, expected);
}

/* Every list that fits costs what a hit costs. */
static void hits(void **state)
{
    static const char *const fitting[] = {"list.8.64.read.up",    "list.8.64.read.down",  "list.8.64.read.random",
                                          "list.8.8.read.up",     "list.8.8.read.random", "list.8.256.read.down",
                                          "list.4.4.read.random", "list.4.64.read.up"};
    for (unsigned i = 0; i < sizeof fitting / sizeof *fitting; i++)
        assert_near(cycles_at(*state, fitting[i], CACHE / 4), HIT);
}

/* Far beyond the cache each new line costs what memory does, in any order that nothing prefetches. */
static void misses(void **state)
{
    static const char *const missing[] = {"list.8.64.read.down",   "list.8.64.read.random",   "list.8.256.read.up",
                                          "list.8.4096.read.up",   "list.8.4096.read.random", "list.4.64.read.down",
                                          "list.4.64.read.random", "list.4.4096.read.down"};
    for (unsigned i = 0; i < sizeof missing / sizeof *missing; i++)
        assert_near(cycles_at(*state, missing[i], SPAN), MEMORY);
    /* Neighbours in a line come along, in order; at random hardly one does. */
    assert_near(cycles_at(*state, "list.8.8.read.down", SPAN), HIT + (MEMORY - HIT) / 8.0);
    assert_near(cycles_at(*state, "list.4.4.read.down", SPAN / 2), HIT + (MEMORY - HIT) / 16.0);
    assert_true(cycles_at(*state, "list.8.8.read.random", SPAN) > 0.9 * MEMORY);
}

/* A prefetcher that could be turned off stays on: all lines of a page but the first are there by then. */
static void prefetchers_stay_on(void **state)
{
    assert_near(cycles_at(*state, "list.8.64.read.up", SPAN), HIT + (MEMORY - HIT) / 64.0);
    assert_near(cycles_at(*state, "list.4.64.read.up", SPAN), HIT + (MEMORY - HIT) / 64.0);
}

/* A store goes beside each load. */
static void writes(void **state)
{
    double read = cycles_at(*state, "list.8.64.read.random", CACHE / 4),
           written = cycles_at(*state, "list.8.64.write.random", CACHE / 4);
    assert_true(written > read && written <= read + HIT);
    assert_true(cycles_at(*state, "list.8.4096.write.up", SPAN) > MEMORY);
}

/* What there is no room for is not there, and the count says what is. */
static void all_that_there_is_room_for(void **state)
{
    const struct notebook *notebook = *state;
    unsigned points = 0;
    for (unsigned i = 0; i < notebook->series_count; i++) {
        const struct series *series = &notebook->series[i];
        assert_true(series->count > 0);
        assert_int_equal(notebook->point[series->first + series->count - 1].x,
                         strstr(series->id, "list.4.4.") ? SPAN / 2 : SPAN);
        points += series->count;
    }
    assert_true(noted(notebook, "list.sizes")->measured);
    assert_int_equal(noted(notebook, "list.sizes")->value, points);
    assert_int_equal(notebook->dropped, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hits), cmocka_unit_test(misses),
                                       cmocka_unit_test(prefetchers_stay_on), cmocka_unit_test(writes),
                                       cmocka_unit_test(all_that_there_is_room_for)};
    return cmocka_run_group_tests(tests, measured_once, done);
}
