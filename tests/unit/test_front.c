// SPDX-License-Identifier: BSD-2-Clause
/* test_front.c: what kernel/front.c refuses, counts and records, over a back that accepts everything it gets. */
#include "kernel/front.h"
#include "kernel/payload.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define VIEW 0x100000000000ULL
#define SPAN 0x40000000ULL

struct machine {
    struct front front;
    unsigned calls; /* that came through */
    bool fails;
    uint64_t entry;
};

/* The back: it would do anything. */
static bool arrive(struct machine *machine)
{
    machine->calls++;
    return !machine->fails || refuse(machine, "the back refuses");
}

bool back_span(struct machine *machine, unsigned index, struct span *span)
{
    (void)machine;
    *span = (struct span){.base = SPAN << index, .size = 1 << 20, .contiguous = 4096};
    return index < 2;
}

struct clock back_clock(struct machine *machine)
{
    (void)machine;
    return (struct clock){1000000, 1};
}

unsigned back_cores(struct machine *machine)
{
    (void)machine;
    return 2;
}

unsigned back_processors(struct machine *machine)
{
    (void)machine;
    return 3;
}

uint64_t back_page(struct machine *machine, unsigned index)
{
    (void)machine;
    return index == 0 ? 4096 : index == 1 ? 2 << 20 : 0;
}

bool back_map(struct machine *machine, uint64_t va, uint64_t pa, uint64_t size, uint64_t page, enum memtype type)
{
    (void)va, (void)pa, (void)size, (void)page, (void)type;
    return arrive(machine);
}

uint64_t *back_entry(struct machine *machine, uint64_t va, unsigned level)
{
    (void)va, (void)level;
    return arrive(machine) ? &machine->entry : NULL;
}

void *back_at(struct machine *machine, uint64_t pa)
{
    (void)pa;
    return arrive(machine) ? &machine->entry : NULL;
}

bool back_link(struct machine *machine, enum op op, uint64_t from, uint64_t to)
{
    (void)op, (void)from, (void)to;
    return arrive(machine);
}

bool back_run(struct machine *machine, const struct task *tasks, size_t count, struct reading *each)
{
    for (size_t i = 0; i < count; i++)
        each[i] = (struct reading){.ticks = 5, .steps = tasks[i].steps, .lost = 2, .disturbances = 1};
    return arrive(machine);
}

bool back_script(struct machine *machine, struct visit *visits, size_t count, struct reading lap[MAX_LAPS])
{
    for (size_t i = 0; i < count; i++)
        lap[visits[i].lap] = (struct reading){.ticks = 3, .steps = count, .lost = 10, .disturbances = 1};
    return arrive(machine);
}

bool back_block(struct machine *machine, const struct block *block, uint64_t steps, struct reading *reading)
{
    (void)block;
    *reading = (struct reading){.ticks = steps, .steps = steps};
    return arrive(machine);
}

bool back_listen(struct machine *machine, uint64_t ticks, uint64_t gap[64])
{
    (void)ticks;
    memset(gap, 0, 64 * sizeof gap[0]);
    return arrive(machine);
}

bool back_count(struct machine *machine, unsigned slot, unsigned event, uint64_t raw)
{
    (void)slot, (void)event, (void)raw;
    return arrive(machine);
}

bool back_turn(struct machine *machine, enum knob knob, bool on)
{
    (void)knob, (void)on;
    return arrive(machine);
}

const char *back_knob(struct machine *machine, enum knob knob)
{
    (void)knob;
    return arrive(machine) ? "knob" : NULL;
}

bool back_rest(struct machine *machine, unsigned permille_done)
{
    assert_true(permille_done <= 1000);
    return arrive(machine);
}

bool back_protect(struct machine *machine, unsigned core, void (*body)(struct machine *, void *), void *argument,
                  struct fault *fault)
{
    (void)core;
    if (!arrive(machine))
        return false;
    body(machine, argument);
    fault->happened = argument != NULL;
    return true;
}

const struct facts *back_facts(struct machine *machine)
{
    static const struct facts facts = {
        .implementation = "silicon", .declared_count = 1, .declared = {{"a.b", 1, 2, "me"}}};

    (void)machine;
    return &facts;
}

uint64_t back_now(struct machine *machine)
{
    return arrive(machine) ? 42 : 0;
}

void back_close(struct machine *machine)
{
    arrive(machine);
}

static struct machine fresh(void)
{
    return (struct machine){.front.view = {VIEW, 1ULL << 40}};
}

/* The call that was just made was refused, in words, before the back. */
static void expect_refused(struct machine *machine, bool result, const char *word)
{
    assert_false(result);
    assert_int_equal(machine->calls, 0);
    if (!strstr(machine_why(machine), word))
        fail_msg("'%s' does not say '%s'", machine_why(machine), word);
    machine->front.why[0] = '\0';
    assert_int_equal(machine_steps(machine), 0);
    assert_int_equal(machine->front.calls, 0);
}

static void mappings(void **state)
{
    struct machine machine = fresh();
    struct machine *m = &machine;

    (void)state;
    expect_refused(m, machine_map(m, VIEW, SPAN, 4096, 8192, MEM_WB), "no pages of 8192 bytes");
    expect_refused(m, machine_map(m, VIEW + 1, SPAN, 4096, 4096, MEM_WB), "whole aligned pages");
    expect_refused(m, machine_map(m, VIEW, SPAN + 64, 4096, 4096, MEM_WB), "whole aligned pages");
    expect_refused(m, machine_map(m, VIEW, SPAN, 4097, 4096, MEM_WB), "4097 bytes");
    expect_refused(m, machine_map(m, VIEW, SPAN, 0, 4096, MEM_WB), "whole aligned pages");
    expect_refused(m, machine_map(m, VIEW - 4096, SPAN, 4096, 4096, MEM_WB), "outside the view");
    expect_refused(m, machine_map(m, VIEW + (1ULL << 40), SPAN, 4096, 4096, MEM_WB), "outside the view");
    expect_refused(m, machine_map(m, VIEW, SPAN, 2 << 20, 4096, MEM_WB), "not granted");
    expect_refused(m, machine_map(m, VIEW, 0, 4096, 4096, MEM_WB), "not granted");
    expect_refused(m, machine_map(m, VIEW, UINT64_MAX - 4095, 4096, 4096, MEM_WB), "not granted");
    expect_refused(m, machine_map(m, VIEW, SPAN, 4096, 4096, (enum memtype)9), "memory type 9");
    expect_refused(m, machine_map(m, VIEW + 64, 0, 4096, 0, MEM_WB), "whole aligned pages");
    assert_true(machine_map(m, VIEW, SPAN + (1 << 20) - 4096, 4096, 4096, MEM_WB));
    assert_true(machine_map(m, VIEW, 2 * SPAN, 4096, 4096, MEM_UC));
    assert_true(machine_map(m, VIEW, 77, 4096, 0, (enum memtype)9));
    assert_int_equal(machine.calls, 3);
}

static void single_calls(void **state)
{
    struct machine machine = fresh();
    struct machine *m = &machine;
    uint64_t gap[64];
    struct block block = {BLOCK_ADD, 5};
    struct reading reading;
    struct span span;
    struct fault fault;

    (void)state;
    expect_refused(m, machine_span(m, 2, &span), "span 2");
    expect_refused(m, machine_entry(m, VIEW, 0), "level 0");
    expect_refused(m, machine_entry(m, VIEW, 6), "level 6");
    expect_refused(m, machine_entry(m, VIEW - 1, 1), "outside the view");
    expect_refused(m, machine_at(m, SPAN - 1), "not granted");
    expect_refused(m, machine_at(m, SPAN + (1 << 20)), "not granted");
    expect_refused(m, machine_link(m, OP_READ, VIEW, VIEW), "no links");
    expect_refused(m, machine_link(m, OP_LOAD, VIEW - 8, VIEW), "outside the view");
    expect_refused(m, machine_link(m, OP_LOAD, VIEW, 0), "outside the view");
    expect_refused(m, machine_link(m, OP_JUMP, VIEW + (1ULL << 40) - 8, 0), "outside the view");
    expect_refused(m, machine_block(m, &block, 10, &reading), "5 variables");
    block = (struct block){BLOCK_COUNT, 1};
    expect_refused(m, machine_block(m, &block, 10, &reading), "kind");
    block = (struct block){BLOCK_ADD, 1};
    expect_refused(m, machine_block(m, &block, 0, &reading), "no steps");
    expect_refused(m, machine_listen(m, 0, gap), "0 ticks");
    expect_refused(m, machine_count(m, MAX_EVENTS, 0, 0), "slot 4");
    expect_refused(m, machine_turn(m, KNOB_COUNT, true), "switch");
    expect_refused(m, machine_knob(m, (enum knob) - 1), "switch");
    expect_refused(m, machine_protect(m, 3, NULL, NULL, &fault), "processor 3");
    assert_true(machine_link(m, OP_JUMP, VIEW, 0));
    assert_true(machine_block(m, &block, 10, &reading));
    assert_int_equal(machine_steps(m), 0); /* a block visits nothing */
    assert_true(machine_rest(m, 5000));
    assert_string_equal(machine_why(m), "");
}

static void runs(void **state)
{
    struct machine machine = fresh();
    struct machine *m = &machine;
    struct task tasks[MAX_TASKS] = {{.op = OP_LOAD, .start = VIEW, .steps = 100},
                                    {.op = OP_COPY, .start = VIEW, .steps = 20, .core = 1},
                                    {.op = OP_LOAD, .start = VIEW, .steps = 3},
                                    {.op = OP_LOAD, .start = VIEW, .steps = 4}};
    struct reading each[MAX_TASKS];
    uint64_t lost;

    (void)state;
    expect_refused(m, machine_run(m, tasks, 0, each), "0 tasks");
    expect_refused(m, machine_run(m, tasks, MAX_TASKS + 1, each), "5 tasks");
    tasks[1].op = OP_EXECUTE;
    expect_refused(m, machine_run(m, tasks, 2, each), "for scripts");
    tasks[1].op = OP_COPY;
    tasks[1].core = 2;
    expect_refused(m, machine_run(m, tasks, 2, each), "no core 2");
    tasks[1].core = 1;
    tasks[1].steps = 0;
    expect_refused(m, machine_run(m, tasks, 2, each), "task 1 has no steps");
    tasks[1].steps = 20;
    tasks[1].start = VIEW - 64;
    expect_refused(m, machine_run(m, tasks, 2, each), "outside the view");
    tasks[1].start = VIEW;
    assert_true(machine_run(m, tasks, 4, each));
    assert_int_equal(machine_steps(m), 127);
    assert_int_equal(machine_disturbances(m, &lost), 4);
    assert_int_equal(lost, 8);
    machine.fails = true;
    assert_false(machine_run(m, tasks, 4, each));
    assert_int_equal(machine_steps(m), 127);
    assert_string_equal(machine_why(m), "the back refuses");
}

static void scripts(void **state)
{
    struct machine machine = fresh();
    struct machine *m = &machine;
    struct reading lap[MAX_LAPS];
    struct visit visits[4] = {
        {OP_LOAD, 0, 1, VIEW, 0}, {OP_LOAD, 15, 1, VIEW, 0}, {OP_FENCE, 0, 0, 0, 0}, {OP_LOAD, 0, 2, VIEW, 0}};
    uint64_t lost;

    (void)state;
    expect_refused(m, machine_script(m, visits, 0, lap), "no visits");
    visits[1].op = OP_JUMP;
    expect_refused(m, machine_script(m, visits, 4, lap), "not for scripts");
    visits[1].op = OP_READ;
    expect_refused(m, machine_script(m, visits, 4, lap), "not for scripts");
    visits[1].op = OP_COUNT;
    expect_refused(m, machine_script(m, visits, 4, lap), "not for scripts");
    visits[1] = (struct visit){OP_LOAD, 16, 1, VIEW, 0};
    expect_refused(m, machine_script(m, visits, 4, lap), "site 16");
    visits[1] = (struct visit){OP_LOAD, 0, MAX_LAPS, VIEW, 0};
    expect_refused(m, machine_script(m, visits, 4, lap), "lap 32");
    visits[1] = (struct visit){OP_LOAD, 0, 1, VIEW - 1, 0};
    expect_refused(m, machine_script(m, visits, 4, lap), "outside the view");
    visits[1] = (struct visit){OP_LOAD, 0, 1, VIEW, 0};
    visits[3].lap = 1;
    expect_refused(m, machine_script(m, visits, 4, lap), "neighbouring");
    visits[3].lap = 2;
    assert_true(machine_script(m, visits, 4, lap));
    assert_int_equal(machine_steps(m), 4);
    assert_int_equal(machine_disturbances(m, &lost), 2);
    assert_int_equal(lost, 20);
}

static void body(struct machine *machine, void *argument)
{
    struct task task = {.op = OP_LOAD, .start = VIEW, .steps = 10};
    struct reading reading;

    (void)argument;
    machine_run(machine, &task, 1, &reading);
}

/* Kinds of the records that some calls leave. */
static void records(void **state)
{
    static const enum record_kind expected[] = {RECORD_GROUND,  RECORD_FACTS, RECORD_TEXT, RECORD_RUN,
                                                RECORD_PROTECT, RECORD_NOW,   RECORD_KNOB, RECORD_MAP,
                                                RECORD_REST,    RECORD_KNOB,  RECORD_END};
    struct machine machine = fresh();
    uint8_t memory[4096];
    struct recording recording;
    struct cursor cursor;
    struct record record;
    struct payload payload = {.from = &record.payload};
    struct fault fault;
    struct ground ground;

    (void)state;
    recording_begin(&recording, memory, sizeof memory);
    machine.front.recording = &recording;
    machine_record_ground(&machine);
    machine_record_ground(&machine);
    machine_note(&machine, "options", "--core=1");
    assert_true(machine_map(&machine, VIEW, SPAN, 4096, 4096, MEM_WB));
    assert_true(machine_protect(&machine, 0, body, &fault, &fault));
    assert_int_equal(machine_now(&machine), 42);
    assert_string_equal(machine_knob(&machine, KNOB_TURBO), "knob");
    assert_true(machine_rest(&machine, 0));
    machine.fails = true;
    assert_false(machine_map(&machine, VIEW, SPAN, 4096, 4096, MEM_WB));
    assert_false(machine_rest(&machine, 0));
    assert_null(machine_knob(&machine, KNOB_TURBO));
    recording_finish(&recording);
    assert_null(recording_check(memory, recording.used));
    cursor = recording_start(memory, recording.used);
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_true(recording_next(&cursor, &record));
        assert_int_equal(record.kind, expected[i]);
        if (record.kind == RECORD_GROUND) {
            payload_ground(&payload, &ground);
            assert_int_equal(ground.spans, 2);
            assert_int_equal(ground.page_sizes, 2);
            assert_int_equal(ground.processors, 3);
            assert_true(ground.span[1].base == 2 * SPAN);
        }
        if (record.kind == RECORD_MAP)
            assert_int_equal(cursor_number(&record.payload), machine.front.calls - 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mappings), cmocka_unit_test(single_calls),
                                       cmocka_unit_test(runs), cmocka_unit_test(scripts), cmocka_unit_test(records)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
