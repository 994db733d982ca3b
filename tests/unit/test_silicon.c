// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon.c: a modelled machine of one level of cache, through the waist, against hits and misses counted by hand.
 */
#include "tests/silicon/process/process.h"
#include "tests/unit/resting_host.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

/* Three sets of two ways of 64 bytes; a hit costs 3, a miss 20 cycles. */
static struct description small(void)
{
    struct description description;
    description_plain(&description, 384, 2, 64, 3, 20);
    description.memory.span = 4 << 20;
    return description;
}

static int fresh(void **state)
{
    struct description description = small();
    const char *why;
    struct machine *machine = process_open(NULL, &description, 1, NULL, &why);
    *state = machine;
    struct span span;
    return machine && machine_span(machine, 0, &span) &&
                   machine_map(machine, machine_view(machine).base, span.base, 1 << 20, 4096, MEM_WB)
               ? 0
               : -1;
}

static int done(void **state)
{
    machine_close(*state);
    return 0;
}

/* Ticks of one visit to line `number` of the memory. */
static uint64_t visit(struct machine *machine, enum op op, uint64_t number)
{
    struct visit visit = {.op = op, .lap = 1, .va = machine_view(machine).base + number * 64};
    struct reading lap[MAX_LAPS];
    assert_true(machine_script(machine, &visit, 1, lap));
    assert_int_equal(lap[1].steps, 1);
    return lap[1].ticks;
}

static void least_recent_line_goes(void **state)
{
    struct machine *machine = *state;
    /* The span starts on a gigabyte: line numbers there are 2^24 and on, 2^24 modulo 3 is 1; lines 0, 3, 6 share a set.
     */
    static const struct {
        unsigned line, ticks;
    } expected[] = {{0, 20}, {3, 20}, {0, 3}, {6, 20}, {0, 3},  {3, 20}, {6, 20}, {0, 20}, {1, 20}, {2, 20},
                    {1, 3},  {2, 3},  {0, 3}, {6, 3},  {4, 20}, {1, 3},  {7, 20}, {4, 20}, {7, 3}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(visit(machine, OP_LOAD, expected[i].line), expected[i].ticks);
}

static void flushing_and_types(void **state)
{
    struct machine *machine = *state;
    uint64_t base = machine_view(machine).base;
    struct span span;
    assert_int_equal(visit(machine, OP_LOAD, 0), 20);
    assert_int_equal(visit(machine, OP_STORE, 0), 1); /* the store buffer takes it */
    visit(machine, OP_FLUSH_LINE, 0);
    assert_int_equal(visit(machine, OP_LOAD, 0), 20);
    visit(machine, OP_FLUSH_CACHES, 0);
    assert_int_equal(visit(machine, OP_LOAD, 0), 20);
    assert_int_equal(visit(machine, OP_FENCE, 0), 0);
    assert_true(machine_span(machine, 0, &span));
    /* The same page, uncached, is refused while it is mapped write-back; another one is never held. */
    assert_false(machine_map(machine, base + (8 << 20), span.base, 4096, 4096, MEM_UC));
    assert_true(strlen(machine_why(machine)) > 0);
    assert_true(machine_map(machine, base + (8 << 20), span.base + (2 << 20), 4096, 4096, MEM_UC));
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(visit(machine, OP_LOAD, (8 << 20) / 64), 20);
}

/* The physical address decides, not the virtual one. */
static void aliases_share_a_line(void **state)
{
    struct machine *machine = *state;
    struct span span;
    assert_true(machine_span(machine, 0, &span));
    assert_true(machine_map(machine, machine_view(machine).base + (4 << 20), span.base, 4096, 4096, MEM_WB));
    assert_int_equal(visit(machine, OP_LOAD, 0), 20);
    assert_int_equal(visit(machine, OP_LOAD, (4 << 20) / 64), 3);
}

static void walks_and_blocks_cost_what_they_should(void **state)
{
    struct machine *machine = *state;
    uint64_t base = machine_view(machine).base;
    struct task task = {.op = OP_LOAD, .start = base, .steps = 31};
    struct reading reading;
    /* Three lines of one set, two ways: every load misses. */
    for (unsigned i = 0; i < 3; i++)
        assert_true(machine_link(machine, OP_LOAD, base + i * 192, base + (i + 1) % 3 * 192));
    assert_true(machine_run(machine, &task, 1, &reading));
    assert_int_equal(reading.ticks, 31 * 20);
    /* Two of them: two misses. */
    assert_true(machine_link(machine, OP_LOAD, base + 192, base));
    visit(machine, OP_FLUSH_CACHES, 0);
    assert_true(machine_run(machine, &task, 1, &reading));
    assert_int_equal(reading.ticks, 2 * 20 + 29 * 3);
    struct block block = {.kind = BLOCK_ADD, .variables = 1};
    assert_true(machine_block(machine, &block, 1000, &reading));
    assert_int_equal(reading.ticks, 1000);
    block.kind = BLOCK_MULTIPLY;
    assert_true(machine_block(machine, &block, 1000, &reading));
    assert_int_equal(reading.ticks, 3000);
    block = (struct block){.kind = BLOCK_PAUSE, .variables = 4};
    assert_true(machine_block(machine, &block, 1000, &reading));
    assert_int_equal(reading.ticks, 1000 * small().clock.pause);
}

static void stray(struct machine *machine, void *argument)
{
    bool *came_back = argument;
    struct task task = {.op = OP_LOAD, .start = machine_view(machine).base + (64 << 20), .steps = 1};
    struct reading reading;
    machine_run(machine, &task, 1, &reading);
    *came_back = true;
}

static void stray_load_faults(void **state)
{
    struct machine *machine = *state;
    struct fault fault;
    bool came_back = false;
    assert_true(machine_protect(machine, 0, stray, &came_back, &fault));
    assert_true(fault.happened);
    assert_int_equal(fault.vector, 14);
    assert_int_equal(fault.cr2, machine_view(machine).base + (64 << 20));
    assert_false(came_back);
}

static void clock_steps_and_noise_repeat(void **state)
{
    (void)state;
    struct description description = small();
    const char *why;
    description.clock.step = 26;
    description.clock.ratio_core = 37;
    description.clock.ratio_clock = 26;
    /* Readings take 3700 cycles and 70 more for the clock and the way to it: one of about ten is interrupted. */
    description.noise =
        (struct noise_description){.jitter = 40, .smi_period = 44000, .smi_length = 7000, .smi_counted = true};
    struct machine *machine[2] = {process_open(NULL, &description, 7, NULL, &why),
                                  process_open(NULL, &description, 7, NULL, &why)};
    struct block block = {.kind = BLOCK_ADD, .variables = 1};
    unsigned told = 0;
    for (unsigned i = 0; i < 1000; i++) {
        struct reading reading[2];
        for (unsigned k = 0; k < 2; k++)
            assert_true(machine_block(machine[k], &block, 3700, &reading[k]));
        assert_int_equal(reading[0].ticks, reading[1].ticks);
        assert_int_equal(reading[0].lost, reading[1].lost);
        assert_int_equal(reading[0].disturbances, reading[1].disturbances);
        assert_int_equal(reading[0].ticks % 26, 0);
        uint64_t least = 2600 - 26 + reading[0].lost;
        assert_in_range(reading[0].ticks, least, least + 40 + 78);
        told += reading[0].disturbances;
    }
    assert_in_range(told, 60, 140);
    machine_close(machine[0]);
    machine_close(machine[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(least_recent_line_goes, fresh, done),
        cmocka_unit_test_setup_teardown(flushing_and_types, fresh, done),
        cmocka_unit_test_setup_teardown(aliases_share_a_line, fresh, done),
        cmocka_unit_test_setup_teardown(walks_and_blocks_cost_what_they_should, fresh, done),
        cmocka_unit_test_setup_teardown(stray_load_faults, fresh, done),
        cmocka_unit_test(clock_steps_and_noise_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
