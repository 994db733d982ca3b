// SPDX-License-Identifier: BSD-2-Clause
/* test_replay.c: a recording made by hand, and what a replay answers from it: in order, only inside the stretch that it
 * belongs to, and ending where a fault ended it. */
#include "base/text.h"
#include "kernel/payload.h"
#include "tests/replay/replay.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define VIEW 0x100000000000ULL
#define SPAN 0x40000000ULL

static const struct task walk = {.op = OP_LOAD, .start = VIEW, .steps = 100},
                         other = {.op = OP_LOAD, .start = VIEW, .steps = 200};

static uint8_t memory[1 << 16];
static struct recording recording;

static void record_run(const struct task *task, uint64_t ticks)
{
    struct payload payload = {.to = &recording};
    struct reading reading = {.ticks = ticks, .steps = task->steps};
    bool served = true;
    char why[WHY_SIZE] = "";

    record_open(&recording, RECORD_RUN, key_run(task, 1));
    payload_answer(&payload, &served, why);
    payload_reading(&payload, &reading);
    record_close(&recording);
}

static void record_stretch(uint64_t answered, bool faulted)
{
    struct payload payload = {.to = &recording};
    struct fault fault = {.happened = faulted, .vector = 13, .rip = 0x1234, .during = "reading MSR 0x1a4"};
    bool started = true;
    char why[WHY_SIZE] = "";

    record_open(&recording, RECORD_PROTECT, 0);
    payload_answer(&payload, &started, why);
    payload_number(&payload, &answered);
    payload_fault(&payload, &fault);
    record_close(&recording);
}

static void record_refused_map(uint64_t call)
{
    record_open(&recording, RECORD_MAP, 0);
    record_number(&recording, call);
    record_string(&recording, "no such memory");
    record_close(&recording);
}

static void begin(void)
{
    struct payload payload = {.to = &recording};
    struct ground ground = {.view = {VIEW, 1ULL << 40},
                            .clock = {1000000, 26},
                            .cores = 1,
                            .processors = 2,
                            .spans = 1,
                            .page_sizes = 1,
                            .span = {{SPAN, 1ULL << 36, 4096, 0}},
                            .page = {4096}};
    struct facts facts = {.implementation = "kernel", .board = "B"};

    recording_begin(&recording, memory, sizeof memory);
    record_open(&recording, RECORD_GROUND, 0);
    payload_ground(&payload, &ground);
    record_close(&recording);
    record_open(&recording, RECORD_FACTS, 0);
    payload_facts(&payload, &facts);
    record_close(&recording);
}

static struct machine *finish_and_open(void)
{
    const char *why;
    struct machine *machine;

    recording_finish(&recording);
    machine = replay_open(NULL, memory, recording.used, NULL, &why);
    assert_non_null(machine);
    return machine;
}

static void expect_left(struct machine *machine, uint64_t unasked, uint64_t not_found)
{
    uint64_t left, missed;

    replay_left(machine, &left, &missed);
    assert_int_equal(left, unasked);
    assert_int_equal(missed, not_found);
}

static void in_order(void **state)
{
    struct machine *machine;
    struct reading reading;
    struct span span;
    uint64_t *word;

    (void)state;
    begin();
    record_run(&walk, 10);
    record_run(&other, 20);
    record_run(&walk, 11);
    machine = finish_and_open();
    assert_true(machine_span(machine, 0, &span));
    assert_int_equal(machine_clock(machine).step, 26);
    assert_string_equal(machine_facts(machine)->board, "B");
    expect_left(machine, 3, 0);
    assert_true(machine_run(machine, &walk, 1, &reading));
    assert_int_equal(reading.ticks, 10);
    assert_true(machine_run(machine, &walk, 1, &reading));
    assert_int_equal(reading.ticks, 11);
    assert_false(machine_run(machine, &walk, 1, &reading));
    assert_string_equal(machine_why(machine), "not in the recording");
    assert_true(machine_run(machine, &other, 1, &reading));
    assert_int_equal(reading.ticks, 20);
    assert_int_equal(machine_steps(machine), 400);
    expect_left(machine, 0, 1);
    /* Memory of 64 GB, of which only what is written costs anything. */
    word = machine_at(machine, SPAN + (1ULL << 36) - 8);
    assert_non_null(word);
    *word = 5;
    assert_int_equal(*(uint64_t *)machine_at(machine, SPAN + (1ULL << 36) - 8), 5);
    assert_true(machine_map(machine, VIEW, SPAN, 4096, 4096, MEM_WB));
    machine_close(machine);
}

struct heard {
    uint64_t ticks[4];
    unsigned count;
    bool came_back;
};

static void ask_twice(struct machine *machine, void *argument)
{
    struct heard *heard = argument;
    struct reading reading;

    for (unsigned i = 0; i < 2; i++) {
        bool served = machine_run(machine, &walk, 1, &reading);
        heard->ticks[heard->count++] = served ? reading.ticks : 0;
    }
    heard->came_back = true;
}

static void stretches(void **state)
{
    struct machine *machine;
    struct heard heard = {0};
    struct fault fault;

    (void)state;
    begin();
    record_run(&walk, 10); /* the first probe asked once more than now */
    record_run(&walk, 11);
    record_run(&walk, 12);
    record_stretch(3, false);
    record_run(&walk, 20); /* and the second once less */
    record_stretch(4, false);
    record_run(&walk, 30);
    record_stretch(5, false);
    machine = finish_and_open();
    assert_true(machine_protect(machine, 0, ask_twice, &heard, &fault));
    assert_false(fault.happened);
    assert_true(machine_protect(machine, 1, ask_twice, &heard, &fault));
    assert_int_equal(heard.ticks[0], 10);
    assert_int_equal(heard.ticks[1], 11);
    assert_int_equal(heard.ticks[2], 20);
    assert_int_equal(heard.ticks[3], 0);
    expect_left(machine, 3, 1); /* the reading of 12, the one of 30, and the third stretch */
    machine_close(machine);
}

/* The fault came during the second call, or after it. */
static void faults(void **state)
{
    (void)state;
    for (unsigned answered = 1; answered <= 2; answered++) {
        struct machine *machine;
        struct heard heard = {0};
        struct fault fault;
        begin();
        for (unsigned i = 0; i < answered; i++)
            record_run(&walk, 10 + i);
        record_stretch(answered, true);
        record_run(&walk, 99);
        record_stretch(3, false);
        machine = finish_and_open();
        assert_true(machine_protect(machine, 0, ask_twice, &heard, &fault));
        assert_true(fault.happened);
        assert_int_equal(fault.vector, 13);
        assert_int_equal(fault.rip, 0x1234);
        assert_string_equal(fault.during, "reading MSR 0x1a4");
        assert_int_equal(heard.count, answered);
        assert_int_equal(heard.came_back, answered == 2);
        expect_left(machine, 2, 0);
        machine_close(machine);
    }
}

static void refusals(void **state)
{
    struct machine *machine;

    (void)state;
    begin();
    record_refused_map(2);
    machine = finish_and_open();
    assert_true(machine_map(machine, VIEW, SPAN, 4096, 4096, MEM_WB));
    assert_false(machine_map(machine, VIEW, SPAN, 4096, 4096, MEM_WB));
    assert_string_equal(machine_why(machine), "no such memory");
    assert_true(machine_map(machine, VIEW, SPAN, 4096, 4096, MEM_WB));
    expect_left(machine, 0, 0);
    machine_close(machine);
}

static void texts(void **state)
{
    struct machine *machine;
    char text[8] = "x";

    (void)state;
    begin();
    machine = finish_and_open();
    assert_false(replay_text(machine, "options", text, sizeof text));
    machine_close(machine);
}

static void expect_unusable(const void *bytes, size_t size, const char *word)
{
    const char *why = NULL;

    assert_null(replay_open(NULL, bytes, size, NULL, &why));
    if (!strstr(why, word))
        fail_msg("'%s' does not say '%s'", why, word);
}

static void unusable(void **state)
{
    (void)state;
    expect_unusable("", 0, "too short");
    expect_unusable("this is some other file", 23, "not a recording");
    begin();
    expect_unusable(memory, recording.used, "torn");
    recording_finish(&recording);
    memory[30] ^= 1;
    expect_unusable(memory, recording.used, "");
    recording_begin(&recording, memory, sizeof memory);
    recording_finish(&recording);
    expect_unusable(memory, recording.used, "no ground");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_order), cmocka_unit_test(stretches),
                                       cmocka_unit_test(faults),   cmocka_unit_test(refusals),
                                       cmocka_unit_test(texts),    cmocka_unit_test(unusable)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
