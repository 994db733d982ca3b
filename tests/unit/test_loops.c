// SPDX-License-Identifier: BSD-2-Clause
/* test_loops.c: the timed loops, the stops of walks and the interpreter of scripts on the processor at hand: that they
 * make exactly the visits that they are asked for, in order, and touch nothing else. Nothing here depends on time. */
#define _GNU_SOURCE
#include "kernel/link.h"
#include "kernel/loops.h"
#include "kernel/script.h"
#include "kernel/timing.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { STOPS = 13, WORDS = 8, LONGEST = 300, PAGES = 80, SIZE = PAGES * SCRIPT_PAGE };

static uint64_t walk[STOPS * WORDS] __attribute__((aligned(64)));
static uint8_t kept[SIZE] __attribute__((aligned(SCRIPT_PAGE)));

static uint64_t address(const void *at)
{
    return (uintptr_t)at;
}

/* A cycle that visits stop 5 * i modulo STOPS after i steps. */
static uint64_t link_walk(enum op op)
{
    memset(walk, 0, sizeof walk);
    for (unsigned i = 0; i < STOPS; i++) {
        uint64_t *from = &walk[i * WORDS], *to = &walk[(i + 5) % STOPS * WORDS];
        assert_null(link_write(op, from, address(from), address(to), address(walk)));
    }
    return address(walk);
}

static void loads_are_counted_exactly(void **state)
{
    uint64_t start = link_walk(OP_LOAD), end;

    (void)state;
    for (uint64_t steps = 0; steps <= LONGEST; steps++) {
        for (unsigned rdtscp = 0; rdtscp <= 1; rdtscp++) {
            loop_load(start, steps, rdtscp, &end, rdtscp * steps / 2); /* those before the clock change no place */
            assert_int_equal(end, address(&walk[steps * 5 % STOPS * WORDS]));
        }
    }
}

/* Stores and exchanges leave traces: which stops they do is how many steps they made. */
static void stores_are_counted_exactly(void **state)
{
    (void)state;
    for (uint64_t steps = 0; steps <= LONGEST; steps++) {
        uint64_t start = link_walk(OP_STORE);
        loop_store(start, steps / 2, 1, steps);
        for (uint64_t i = 0; i < STOPS; i++) {
            uint64_t *stop = &walk[i * 5 % STOPS * WORDS];
            assert_int_equal(stop[1], i < steps ? address(stop) : 0);
        }
    }
    for (uint64_t steps = 0; steps < STOPS; steps++) {
        uint64_t start = link_walk(OP_EXCHANGE);
        for (unsigned i = 0; i < STOPS; i++)
            walk[i * WORDS + 1] = i + 1;
        loop_exchange(start, steps, 1, 0);
        for (uint64_t i = 0; i < STOPS; i++) /* a visited stop holds the word of the one before */
            assert_true((walk[i * 5 % STOPS * WORDS + 1] == i * 5 % STOPS + 1) == (i >= steps));
    }
}

/* These have no trace; a step too many or too few would follow a link that is not one of a broken walk and fault. */
static void other_loads_follow_their_links(void **state)
{
    uint64_t start[4], end;

    (void)state;
    start[0] = link_walk(OP_LOAD_32);
    loop_load_32(start[0], LONGEST, 1, start[0], LONGEST / 2);
    start[0] = link_walk(OP_LOAD);
    for (unsigned i = 1; i < 4; i++)
        start[i] = address(&walk[i * WORDS]);
    for (unsigned steps = 0; steps < STOPS; steps++) {
        uint64_t *last = &walk[steps * 5 % STOPS * WORDS], next = *last;
        *last = 1; /* loading from here faults */
        loop_load_indexed(start[0], steps + 1, 1, steps + 1);
        loop_load_float(start[0], steps + 1, 1, steps + 1);
        loop_exchange(start[0], 1, 1, steps + 1);
        *last = next;
    }
    loop_load2(start, LONGEST, 1);
    loop_load3(start, LONGEST, 1);
    loop_load4(start, LONGEST, 1);
    loop_load(start[0], 1, 1, &end, 3);
    assert_int_equal(end, address(&walk[5 * WORDS]));
}

static void streams_touch_their_lines_only(void **state)
{
    enum { LINES = 100, LINE = 64 };
    uint8_t *area = aligned_alloc(LINE, (2 * LINES + 2) * LINE);

    (void)state;
    for (unsigned lines = 0; lines <= LINES; lines++) {
        memset(area, 0xa5, (2 * LINES + 2) * LINE);
        loop_write(address(area + LINE), lines, 1);
        loop_write_nt(address(area + LINE), lines / 2, 1);
        for (unsigned i = 0; i < (2 * LINES + 2) * LINE; i++)
            assert_int_equal(area[i], i / LINE >= 1 && i / LINE <= lines ? 0 : 0xa5);
        for (unsigned i = 0; i < lines * LINE; i++)
            area[LINE + i] = (uint8_t)(i * 7);
        loop_read(address(area + LINE), lines, 1);
        loop_copy(address(area + LINE), lines, 1);
        assert_memory_equal(area + LINE, area + LINE + lines * LINE, lines * LINE);
        assert_int_equal(area[LINE + 2 * lines * LINE], 0xa5);
    }
    free(area);
}

static void stops_of_jumps_are_what_the_loop_expects(void **state)
{
    static const uint8_t near[] = {0x48, 0x29, 0xc3, 0x74, 0xfd, 0xe9, 0xf6, 0x0f, 0, 0};
    static const uint8_t far[] = {0x29, 0xc3, 0x74, 0xfd, 0x48, 0xb9, 0, 0x10, 0, 0, 0, 0x80, 0, 0, 0xff, 0xe1};
    uint8_t stop[STOP_SIZE];

    (void)state;
    assert_null(link_write(OP_JUMP, stop, 0x1000, 0x2000, 0));
    assert_memory_equal(stop, near, sizeof near);
    assert_null(link_write(OP_JUMP_FAR, stop, 0x1000, 0x800000001000, 0));
    assert_memory_equal(stop, far, sizeof far);
    assert_non_null(link_write(OP_JUMP, stop, 0x1000, 0x100001000, 0));
    assert_memory_equal(stop, far, sizeof far); /* refused: nothing is changed */
    assert_null(link_write(OP_PASS_FAR, stop, 0x1000, 0x800000001000, 0));
    assert_memory_equal(stop, far + 4, sizeof far - 4); /* without what counts */
    assert_null(link_write(OP_PASS, stop, 0x1000, 0x1ffb, 0));
    assert_memory_equal(stop, near + 5, sizeof near - 5);
    assert_non_null(link_write(OP_PASS, stop, 0x1000, 0x100001000, 0));
    assert_non_null(link_write(OP_JUMP, stop, 0x1008, 0x2000, 0));
    assert_non_null(link_write(OP_LOAD, stop, 0x1004, 0x2000, 0));
    assert_non_null(link_write(OP_LOAD_32, stop, 0x1000, 0x100001000, 0x1000));
    assert_non_null(link_write(OP_READ, stop, 0x1000, 0x2000, 0));
}

static void jumps_are_counted_exactly(void **state)
{
    enum { CODE = STOPS * SCRIPT_PAGE };
    uint8_t *code = mmap(NULL, CODE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t left;

    (void)state;
    assert_true(code != MAP_FAILED);
    for (enum op op = OP_JUMP; op <= OP_JUMP_FAR; op++) {
        for (unsigned ends = 0; ends <= 1; ends++) {
            assert_int_equal(mprotect(code, CODE, PROT_READ | PROT_WRITE), 0);
            for (unsigned i = 0; i < STOPS; i++) {
                uint64_t to = i + 1 < STOPS ? address(code) + (i + 1) * SCRIPT_PAGE : ends ? 0 : address(code);
                assert_null(link_write(op, code + i * SCRIPT_PAGE, address(code) + i * SCRIPT_PAGE, to, 0));
            }
            assert_int_equal(mprotect(code, CODE, PROT_READ | PROT_EXEC), 0);
            for (uint64_t steps = 0; steps <= LONGEST; steps++) {
                loop_jump(address(code), steps, 1, &left, steps / 2);
                assert_int_equal(left, ends && steps > STOPS ? steps - STOPS : 0);
            }
        }
    }
    munmap(code, CODE);
}

/* Of three stops the first counts, and the second notes that it was met. */
static void laps_of_jumps_are_made(void **state)
{
    enum { LAP = 3, NOTE = 2 * SCRIPT_PAGE, CODE = 3 * SCRIPT_PAGE, LONGEST_RUN = 5 };
    uint8_t *code = mmap(NULL, CODE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t *met = (uint64_t *)(code + NOTE), made[MAX_TASKS], start = address(code);

    (void)state;
    assert_true(code != MAP_FAILED);
    for (unsigned far = 0; far <= 1; far++) {
        enum op op = far ? OP_JUMP_FAR : OP_JUMP, pass = far ? OP_PASS_FAR : OP_PASS;
        static const uint8_t note[] = {0x48, 0xff, 0x05}; /* inc qword [rip + ...] */
        int32_t distance = NOTE - (STOP_SIZE + sizeof note + sizeof distance);
        memcpy(code + STOP_SIZE, note, sizeof note);
        memcpy(code + STOP_SIZE + sizeof note, &distance, sizeof distance);
        code[STOP_SIZE + sizeof note + sizeof distance] = 0xeb; /* jmp to the third */
        code[STOP_SIZE + sizeof note + sizeof distance + 1] = STOP_SIZE - sizeof note - sizeof distance - 2;
        assert_null(link_write(op, code, start, start + STOP_SIZE, 0));
        assert_null(link_write(pass, code + 2 * STOP_SIZE, start + 2 * STOP_SIZE, start, 0));
        for (uint64_t laps = 1; laps <= LONGEST_RUN; laps++) {
            struct task task = {.op = op, .start = start, .steps = LAP * laps, .warm = LAP * (laps - 1), .lap = LAP};
            *met = 0;
            timing_run(&task, 1, 0, 1, made);
            assert_int_equal(*met, laps + laps - 1);
            assert_int_equal(made[0], LAP * laps);
        }
    }
    munmap(code, CODE);
}

static void run_script(void)
{
    void *stack = script_stack(kept, SIZE);
    struct script_record *record = script_execute(script_first(kept), stack);

    while (!script_ended(record)) {
        record->value = 0xfa17;
        record = script_execute(script_next(record), stack);
    }
}

/* Long enough to turn pages many times, with laps that begin and end anywhere and visits that the caller makes. */
static void scripts_make_every_visit(void **state)
{
    enum { VISITS = 1500, CELLS = 64 };
    static uint64_t cell[CELLS], model[CELLS];
    static struct visit visit[VISITS];
    struct reading lap[MAX_LAPS];
    uint64_t random = 1, steps[MAX_LAPS] = {0};

    (void)state;
    memset(lap, 0x5a, sizeof lap);
    for (unsigned i = 0; i < VISITS; i++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        visit[i] = (struct visit){.op = OP_LOAD, .site = random >> 60, .lap = (uint8_t)(i / 49 % MAX_LAPS)};
        visit[i].va = address(&cell[random >> 40 & (CELLS - 1)]);
        if (random >> 33 & 1)
            visit[i].op = OP_STORE, visit[i].value = random;
        if ((random >> 34 & 15) == 0)
            visit[i].op = OP_FAULT;
        if ((random >> 34 & 15) == 1)
            visit[i].op = OP_FLUSH_LINE;
        if ((random >> 34 & 15) == 2)
            visit[i].op = OP_FENCE;
        if ((random >> 34 & 15) == 3)
            visit[i].op = OP_WAIT, visit[i].value = 3;
        steps[visit[i].lap]++;
    }
    assert_null(script_lay(kept, SIZE, visit, VISITS, false));
    run_script();
    script_gather(kept, visit, VISITS, 0, lap);
    for (unsigned i = 0; i < VISITS; i++) {
        uint64_t *at = &model[(uint64_t *)visit[i].va - cell];
        if (visit[i].op == OP_STORE)
            *at = visit[i].value;
        if (visit[i].op == OP_LOAD)
            assert_int_equal(visit[i].value, *at);
        if (visit[i].op == OP_FAULT)
            assert_int_equal(visit[i].value, 0xfa17);
    }
    assert_memory_equal(cell, model, sizeof cell);
    for (unsigned i = 1; i < MAX_LAPS; i++)
        assert_int_equal(lap[i].steps, steps[i] ? steps[i] : 0x5a5a5a5a5a5a5a5a);
    assert_int_equal(lap[0].steps, 0x5a5a5a5a5a5a5a5a);
}

/* Wherever a lap begins, no page is turned before it ends, if one has room for it. */
static void laps_lie_in_one_page(void **state)
{
    enum { LONGEST_LAP = RECORDS + 1, BEFORE = 2 * RECORDS };
    static struct visit visit[BEFORE + LONGEST_LAP + 1];
    struct reading lap[MAX_LAPS];
    uint64_t word = 7;

    (void)state;
    for (unsigned before = 0; before <= BEFORE; before++) {
        for (unsigned length = 1; length <= LONGEST_LAP; length++) {
            struct script_record *record = script_first(kept), *start;
            for (unsigned i = 0; i <= before + length; i++)
                visit[i] = (struct visit){.op = OP_LOAD, .va = address(&word), .lap = i >= before};
            visit[before + length].lap = 0;
            memset(lap, 0, sizeof lap);
            assert_null(script_lay(kept, SIZE, visit, before + length + 1, false));
            run_script();
            script_gather(kept, visit, before + length + 1, 0, lap);
            assert_int_equal(lap[1].steps, length);
            assert_int_equal(visit[before + length].value, 7);
            for (unsigned i = 0; i < before; i++)
                record = script_next(record);
            start = record;
            for (unsigned i = 0; i <= length; i++)
                record = script_next(record);
            assert_int_equal(address(start) / SCRIPT_PAGE == address(record) / SCRIPT_PAGE, length + 2 <= RECORDS);
            /* It reads that far ahead, and nothing but kept lines. */
            assert_true(address(start + 4) % SCRIPT_PAGE <= KEPT);
        }
    }
}

static void scripts_keep_to_kept_lines(void **state)
{
    static struct visit visit[PAGES * RECORDS];
    uint64_t word = 7;

    (void)state;
    memset(kept, 0xa5, SIZE);
    for (unsigned i = 0; i < PAGES * RECORDS; i++)
        visit[i] = (struct visit){.op = OP_LOAD, .va = address(&word)};
    assert_non_null(script_lay(kept, SIZE, visit, PAGES * RECORDS, false));
    assert_null(script_lay(kept, SIZE, visit, (PAGES - 16) * RECORDS - 1, false));
    run_script();
    script_gather(kept, visit, (PAGES - 16) * RECORDS - 1, 0, NULL);
    assert_int_equal(visit[(PAGES - 16) * RECORDS - 2].value, 7);
    for (unsigned i = 0; i < SIZE; i++)
        assert_true(i % SCRIPT_PAGE < KEPT || kept[i] == 0xa5);
    assert_true(address(script_stack(kept, SIZE)) % SCRIPT_PAGE == KEPT);
}

static void scripts_refuse_what_they_have_not(void **state)
{
    struct visit visit = {.op = OP_FLUSH_PAGE};

    (void)state;
    assert_non_null(script_lay(kept, SIZE, &visit, 1, false));
    assert_null(script_lay(kept, SIZE, &visit, 1, true));
    visit.op = OP_LOAD_FLOAT;
    assert_non_null(script_lay(kept, SIZE, &visit, 1, true));
}

static void numbers_are_scaled_without_overflow(void **state)
{
    const uint64_t three[] = {3, 1, 2};

    (void)state;
    assert_int_equal(timing_scale(10, 7, 2), 35);
    assert_int_equal(timing_scale(1000000, 129804700, 50000), 2596094000);
    assert_int_equal(timing_scale(5, 1, 0), 0);
    assert_int_equal(timing_scale(1000, (uint64_t)3 << 40, (uint64_t)2 << 40), 1500);
    assert_int_equal(timing_middle(three), 2);
    assert_int_equal(timing_net(3, 5), 0);
    assert_int_equal(timing_net(5, 3), 2);
}

static void tasks_that_cannot_run_together_are_told(void **state)
{
    struct task tasks[2] = {{.op = OP_LOAD, .start = 64, .steps = 5}, {.op = OP_LOAD, .start = 128, .steps = 5}};

    (void)state;
    assert_null(timing_refusal(tasks, 2));
    tasks[1].steps = 6;
    assert_non_null(timing_refusal(tasks, 2));
    tasks[1] = (struct task){.op = OP_STORE, .start = 64, .steps = 5};
    assert_non_null(timing_refusal(tasks, 2));
    assert_null(timing_refusal(&tasks[1], 1));
    tasks[1].core = 1;
    assert_non_null(timing_refusal(&tasks[1], 1));
    tasks[1] = (struct task){.op = OP_READ, .start = 65, .steps = 5};
    assert_non_null(timing_refusal(&tasks[1], 1));
    tasks[1] = (struct task){.op = OP_JUMP_FAR, .start = 64, .steps = (uint64_t)1 << 32};
    assert_non_null(timing_refusal(&tasks[1], 1));
    tasks[1].op = OP_HANDOFF;
    assert_non_null(timing_refusal(&tasks[1], 1));
}

/* Runs by a clock that moves by `step` / 2 ticks, and takes `empty` half ticks to be read, counted from the shortest;
 * so many of them interrupted. */
static void read_differences(uint16_t times[STEP_DIFFERENCES], unsigned step, unsigned empty, unsigned lost)
{
    uint64_t shortest = empty / step * step / 2;

    memset(times, 0, STEP_DIFFERENCES * sizeof *times);
    for (unsigned i = 0; i < 4096; i++) {
        uint64_t begin = i * 7919, end = begin + empty + 3 * (i % 97);
        uint64_t ticks = end / step * step / 2 - begin / step * step / 2;
        times[i < lost ? 200 + i : ticks >= shortest ? ticks - shortest : 0]++;
    }
}

/* Whole steps and those that differ by a tick (24 and 25, as a Zen 3 shows them), a few readings interrupted; and
 * however long it takes to read the clock: 1100 ticks where a hypervisor does it. */
static void steps_of_clocks_are_found(void **state)
{
    static const unsigned empties[] = {60, 100, 500, 2200};
    uint16_t times[STEP_DIFFERENCES];

    (void)state;
    for (unsigned i = 0; i < sizeof empties / sizeof *empties; i++)
        for (unsigned step = 2; step < 1025; step += step < 110 ? 1 : 37) {
            read_differences(times, step, empties[i], 20);
            uint64_t found = timing_step_of(times), sought = step % 2 == 0 || step / 2 >= 8 ? step / 2 : 1;
            /* Where runs differ by less than a step, the longer one is as good. */
            assert_true(found == sought || (step > 144 && step % 2 && found == sought + 1));
        }
}

/* An emulated core: so many ticks an instruction, three of them an add, 50 of them a round of 48 adds, so that most
 * runs are longer than what is counted. Where only single adds are counted, their length would pass for a step. */
static void a_step_is_found_where_adds_take_long(void **state)
{
    (void)state;
    for (unsigned step = 9; step < 64; step++) {
        uint16_t times[STEP_DIFFERENCES] = {0};
        for (unsigned i = 0; i < 4096; i++) {
            unsigned adds = i % 97, ticks = (adds / 48 * 50 + adds % 48 * 3) * step;
            if (ticks < STEP_DIFFERENCES)
                times[ticks]++;
        }
        uint64_t found = timing_step_of(times);
        assert_true(found == step || (found == 1 && step > 16));
    }
}

/* A fifth of the readings interrupted, none at all, or a clock that stands still: every tick may be shown. */
static void no_step_where_none_is_seen(void **state)
{
    uint16_t times[STEP_DIFFERENCES];

    (void)state;
    read_differences(times, 52, 100, 800);
    assert_int_equal(timing_step_of(times), 1);
    memset(times, 0, sizeof times);
    assert_int_equal(timing_step_of(times), 1);
    times[0] = 4096;
    assert_int_equal(timing_step_of(times), 1);
    times[26] = 40;
    assert_int_equal(timing_step_of(times), 1);
    times[0] = 0;
    times[26] = 400; /* of 4096: the others took too long */
    assert_int_equal(timing_step_of(times), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_clocks_are_found),
        cmocka_unit_test(a_step_is_found_where_adds_take_long),
        cmocka_unit_test(no_step_where_none_is_seen),
        cmocka_unit_test(loads_are_counted_exactly),
        cmocka_unit_test(stores_are_counted_exactly),
        cmocka_unit_test(other_loads_follow_their_links),
        cmocka_unit_test(streams_touch_their_lines_only),
        cmocka_unit_test(stops_of_jumps_are_what_the_loop_expects),
        cmocka_unit_test(jumps_are_counted_exactly),
        cmocka_unit_test(laps_of_jumps_are_made),
        cmocka_unit_test(scripts_make_every_visit),
        cmocka_unit_test(laps_lie_in_one_page),
        cmocka_unit_test(scripts_keep_to_kept_lines),
        cmocka_unit_test(scripts_refuse_what_they_have_not),
        cmocka_unit_test(numbers_are_scaled_without_overflow),
        cmocka_unit_test(tasks_that_cannot_run_together_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
