// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_machine.c: what the machine in process adds to the model: page tables, memory types, tasks, scripts,
 * events, switches; each against numbers worked out by hand. */
#include "tests/silicon/process/process.h"
#include "tests/silicon/silicon.h"
#include "tests/unit/resting_host.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { PAGE = 4096, LARGE = 2 << 20, WORD = 0x5a17 };

/* 4 KB, 1 way, 64-byte lines, hit 3, memory 100; a TLB of 4 entries for all pages. Walks go past the caches. */
static struct description small(void)
{
    struct description description;
    description_plain(&description, 4096, 1, 64, 3, 100);
    description.tlbs = 1;
    description.tlb[0] = (struct tlb_description){.name = "dtlb1",
                                                  .level = 1,
                                                  .holds = HOLDS_BOTH,
                                                  .pages = PAGES_SMALL | PAGES_LARGE,
                                                  .loads = true,
                                                  .stores = true,
                                                  .shape = {.index = {.sets = 1}, .ways = 4},
                                                  .sector = 1,
                                                  .coalesce = 1};
    description.walker.from_level = 0;
    description.memory.parallel = 4;
    return description;
}

static struct machine *opened(const struct description *description)
{
    const char *why = "";
    struct machine *machine = process_open(NULL, description, 1, NULL, &why);
    if (!machine)
        fail_msg("%s", why);
    return machine;
}

static uint64_t memory_of(struct machine *machine)
{
    struct span span;
    assert_true(machine_span(machine, 0, &span));
    return span.base;
}

/* Ticks of one visit; *value in and out. */
static uint64_t visit(struct machine *machine, enum op op, uint64_t va, uint64_t *value)
{
    struct visit visit = {.op = op, .lap = 1, .va = va, .value = value ? *value : 0};
    struct reading lap[MAX_LAPS];
    if (!machine_script(machine, &visit, 1, lap))
        fail_msg("%s", machine_why(machine));
    if (value)
        *value = visit.value;
    return lap[1].ticks;
}

static uint64_t loaded(struct machine *machine, uint64_t va)
{
    uint64_t value = ~(uint64_t)0;
    visit(machine, OP_LOAD, va, &value);
    return value;
}

static uint64_t *word_at(struct machine *machine, uint64_t pa)
{
    return machine_at(machine, pa);
}

/* What a TLB holds is used until it is flushed, whatever the tables say. */
static void stale_translations_show_stale_words(void **state)
{
    struct description description = small();
    struct machine *machine = opened(&description);
    uint64_t va = machine_view(machine).base, pa = memory_of(machine), *one, *other, kept;
    (void)state;
    assert_true(machine_map(machine, va, pa, 2 * PAGE, PAGE, MEM_WB));
    *word_at(machine, pa) = WORD;
    *word_at(machine, pa + PAGE) = WORD + 1;
    assert_int_equal(loaded(machine, va), WORD);
    one = machine_entry(machine, va, 1);
    other = machine_entry(machine, va + PAGE, 1);
    assert_ptr_equal(other, one + 1);
    kept = *one, *one = *other, *other = kept;
    assert_int_equal(loaded(machine, va), WORD);
    visit(machine, OP_FLUSH_PAGE, va, NULL);
    assert_int_equal(loaded(machine, va), WORD + 1);
    kept = *one, *one = *other, *other = kept;
    visit(machine, OP_SET_ROOT, 0, NULL);
    assert_int_equal(loaded(machine, va), WORD);
    /* A first load walks four levels of uncached tables; the line is in its cache already. */
    visit(machine, OP_FLUSH_TLB, 0, NULL);
    assert_int_equal(visit(machine, OP_LOAD, va, NULL), 4 * 100 + 3);
    assert_int_equal(visit(machine, OP_LOAD, va, NULL), 3);
    machine_close(machine);
}

/* Tables and large pages change into each other, and what a probe did to a table is undone by mapping anew. */
static void tables_hold_together(void **state)
{
    struct description description = small();
    struct machine *machine = opened(&description);
    uint64_t va = machine_view(machine).base, pa = memory_of(machine);
    (void)state;
    assert_true(machine_map(machine, va, pa, 2 * LARGE, LARGE, MEM_WB));
    assert_null(machine_entry(machine, va, 1));
    *word_at(machine, pa + 3 * PAGE) = WORD;
    *word_at(machine, pa + LARGE) = WORD + 1;
    assert_int_equal(loaded(machine, va + 3 * PAGE), WORD);
    /* One small page inside the first large one: its neighbours stay what they were. */
    assert_true(machine_map(machine, va + 2 * PAGE, pa + LARGE, PAGE, PAGE, MEM_WB));
    assert_int_equal(loaded(machine, va + 2 * PAGE), WORD + 1);
    assert_int_equal(loaded(machine, va + 3 * PAGE), WORD);
    assert_non_null(machine_entry(machine, va, 1));
    assert_null(machine_entry(machine, va + LARGE, 1));
    /* Both slots share a table, then do not. */
    *machine_entry(machine, va + LARGE, 2) = *machine_entry(machine, va, 2);
    visit(machine, OP_FLUSH_TLB, 0, NULL);
    assert_int_equal(loaded(machine, va + LARGE + 3 * PAGE), WORD);
    assert_ptr_equal(machine_entry(machine, va + LARGE, 1), machine_entry(machine, va, 1));
    assert_true(machine_map(machine, va, pa, 2 * LARGE, LARGE, MEM_WB));
    assert_int_equal(loaded(machine, va + LARGE), WORD + 1);
    assert_null(machine_entry(machine, va, 1));
    machine_close(machine);
}

static void load_once(struct machine *machine, void *va)
{
    visit(machine, OP_LOAD, *(uint64_t *)va, NULL);
}

static void unmapped_pages_fault(void **state)
{
    struct description description = small();
    struct machine *machine = opened(&description);
    uint64_t va = machine_view(machine).base, value = WORD;
    struct fault fault;
    (void)state;
    assert_true(machine_map(machine, va, memory_of(machine), LARGE, LARGE, MEM_WB));
    assert_true(machine_map(machine, va + PAGE, 0, PAGE, 0, MEM_WB));
    va += PAGE;
    visit(machine, OP_PREFETCH, va, &value);
    visit(machine, OP_FAULT, va, &value);
    assert_int_equal(value, WORD);
    assert_true(machine_protect(machine, 0, load_once, &va, &fault));
    assert_true(fault.happened);
    assert_int_equal(fault.vector, 14);
    assert_int_equal(fault.cr2, va);
    /* Nothing of the view outlives a probe. */
    va -= PAGE;
    assert_true(machine_protect(machine, 0, load_once, &va, &fault));
    assert_true(fault.happened);
    machine_close(machine);
}

/* What drops translations takes its time, and so does a fault: beside a walk, and only where there is one. */
static void what_flushes_and_faults_take(void **state)
{
    struct description description = small();
    (void)state;
    description.invlpg = 31;
    description.set_root = 47;
    description.flush_tlb = 95;
    description.fault = 700;
    struct machine *machine = opened(&description);
    uint64_t va = machine_view(machine).base;
    assert_true(machine_map(machine, va, memory_of(machine), PAGE, PAGE, MEM_WB));
    loaded(machine, va);
    assert_int_equal(visit(machine, OP_FLUSH_PAGE, va, NULL), 31);
    assert_int_equal(visit(machine, OP_SET_ROOT, 0, NULL), 47);
    assert_int_equal(visit(machine, OP_FLUSH_TLB, 0, NULL), 95);
    assert_int_equal(visit(machine, OP_FENCE, 0, NULL), 0);
    loaded(machine, va);
    assert_int_equal(visit(machine, OP_FAULT, va, NULL), 3);
    assert_int_equal(visit(machine, OP_FAULT, va + PAGE, NULL), 4 * 100 + 700);
    machine_close(machine);
}

static void types_are_kept_apart(void **state)
{
    struct description description = small();
    description.memory.holes = 1;
    description.memory.hole[0].base = ((uint64_t)1 << 30) + 8 * PAGE;
    description.memory.hole[0].size = PAGE;
    description.memory.hole[0].type = MEM_UC;
    struct machine *machine = opened(&description);
    uint64_t va = machine_view(machine).base, pa = memory_of(machine);
    (void)state;
    assert_true(machine_map(machine, va, pa, 4 * PAGE, PAGE, MEM_WB));
    assert_false(machine_map(machine, va + LARGE, pa + 3 * PAGE, PAGE, PAGE, MEM_UC));
    assert_non_null(strstr(machine_why(machine), "already mapped with memory type"));
    assert_true(machine_map(machine, va + 3 * PAGE, pa + 3 * PAGE, PAGE, PAGE, MEM_UC)); /* replaced */
    assert_false(machine_map(machine, va + LARGE, pa, 4 * PAGE, PAGE, MEM_WB));
    visit(machine, OP_LOAD, va + 3 * PAGE, NULL);
    assert_int_equal(visit(machine, OP_LOAD, va + 3 * PAGE, NULL), 100);
    assert_true(machine_map(machine, va + 3 * PAGE, 0, PAGE, 0, MEM_WB));
    assert_true(machine_map(machine, va + LARGE, pa + 3 * PAGE, PAGE, PAGE, MEM_WB));
    /* What an MTRR says counts as well. */
    assert_true(machine_map(machine, va, pa + 8 * PAGE, PAGE, PAGE, MEM_WB));
    visit(machine, OP_LOAD, va, NULL);
    assert_int_equal(visit(machine, OP_LOAD, va, NULL), 100);
    machine_close(machine);
}

/* Walks of two lines of different sets each: after the first round every step hits. */
static void link_pair(struct machine *machine, enum op op, uint64_t at, uint64_t distance)
{
    assert_true(machine_link(machine, op, at, at + distance));
    assert_true(machine_link(machine, op, at + distance, at));
}

static void tasks_of_one_core_overlap(void **state)
{
    (void)state;
    for (unsigned parallel = 1; parallel <= 4; parallel++) {
        struct description description = small();
        description.tlbs = 0;
        description.memory.parallel = parallel;
        struct machine *machine = opened(&description);
        uint64_t base = machine_view(machine).base;
        struct task tasks[MAX_TASKS];
        struct reading each[MAX_TASKS];
        assert_true(machine_map(machine, base, memory_of(machine), LARGE, LARGE, MEM_WB));
        for (unsigned i = 0; i < MAX_TASKS; i++) {
            /* The first two miss for ever, two lines in the one way of a set; the others hit from the second lap on. */
            link_pair(machine, OP_LOAD, base + i * 128, i < 2 ? PAGE : 64);
            tasks[i] = (struct task){.op = OP_LOAD, .start = base + i * 128, .steps = 10};
        }
        assert_true(machine_run(machine, tasks, 4, each));
        /* Two rounds of four misses, eight of two; one after the other where one may be under way, ... */
        static const uint64_t four[] = {400, 200, 200, 100}, two[] = {200, 100, 100, 100};
        assert_int_equal(each[0].ticks, 2 * four[parallel - 1] + 8 * two[parallel - 1]);
        assert_int_equal(each[3].ticks, each[0].ticks);
        assert_int_equal(each[3].steps, 10);
        machine_close(machine);
    }
}

static void cores_run_side_by_side(void **state)
{
    struct description description = small();
    description.tlbs = 0;
    description.cores = 2;
    description.memory.parallel = 1;
    description.memory.transfer = 40;
    struct machine *machine = opened(&description);
    uint64_t base = machine_view(machine).base;
    struct task tasks[2];
    struct reading each[2];
    (void)state;
    assert_true(machine_map(machine, base, memory_of(machine), LARGE, LARGE, MEM_WB));
    for (unsigned i = 0; i < 2; i++) {
        link_pair(machine, OP_LOAD, base + i * 128, i ? 64 : PAGE);
        tasks[i] = (struct task){.op = OP_LOAD, .start = base + i * 128, .steps = 10, .core = i};
    }
    assert_true(machine_run(machine, tasks, 2, each));
    assert_int_equal(each[0].ticks, 10 * 100);
    assert_false(machine_run(machine, &(struct task){.op = OP_HANDOFF, .start = base, .steps = 1}, 1, each));
    tasks[0] = (struct task){.op = OP_HANDOFF, .start = base + 1024, .steps = 100};
    tasks[1] = tasks[0];
    assert_false(machine_run(machine, tasks, 2, each));
    tasks[1].core = 1;
    assert_true(machine_run(machine, tasks, 2, each));
    /* Each side reads the line that the other one wrote: a transfer; its own write then takes as long as a hit. */
    assert_int_equal(each[0].ticks, 100 + 3 + 199 * (40 + 3));
    machine_close(machine);
}

static void streams_overlap(void **state)
{
    struct description description = small();
    description.tlbs = 0;
    struct machine *machine = opened(&description);
    uint64_t base = machine_view(machine).base, pa = memory_of(machine);
    struct task task = {.op = OP_READ, .start = base, .steps = 32};
    struct reading reading;
    (void)state;
    assert_true(machine_map(machine, base, pa, LARGE, LARGE, MEM_WB));
    assert_true(machine_run(machine, &task, 1, &reading));
    assert_int_equal(reading.ticks, 32 * 100 / 4);
    assert_true(machine_run(machine, &task, 1, &reading));
    assert_int_equal(reading.ticks, 32); /* a hit of 3 cycles, 4 at a time, is less than the cycle that each takes */
    *word_at(machine, pa) = WORD;
    task.op = OP_COPY;
    assert_true(machine_run(machine, &task, 1, &reading));
    assert_int_equal(*word_at(machine, pa + 32 * 64), WORD);
    task.op = OP_WRITE_NT;
    assert_true(machine_run(machine, &task, 1, &reading));
    assert_int_equal(*word_at(machine, pa), 0);
    assert_int_equal(visit(machine, OP_LOAD, base, NULL), 100); /* the line is in no cache any more */
    task.start += 8;
    assert_false(machine_run(machine, &task, 1, &reading));
    machine_close(machine);
}

static void jumps_end_where_they_should(void **state)
{
    struct description description = small();
    struct machine *machine = opened(&description);
    uint64_t base = machine_view(machine).base;
    struct task task = {.op = OP_JUMP_FAR, .start = base, .steps = 100};
    struct reading reading;
    (void)state;
    assert_true(machine_map(machine, base, memory_of(machine), LARGE, LARGE, MEM_WB));
    link_pair(machine, OP_JUMP_FAR, base, 64);
    assert_true(machine_run(machine, &task, 1, &reading));
    assert_int_equal(reading.steps, 100);
    assert_true(machine_link(machine, OP_JUMP_FAR, base + 64, 0));
    assert_true(machine_run(machine, &task, 1, &reading));
    assert_int_equal(reading.steps, 2);
    visit(machine, OP_EXECUTE, base, NULL);
    assert_false(machine_link(machine, OP_JUMP, base + 8, base));
    machine_close(machine);
}

/* Of a lap the first stop alone counts. */
static void laps_are_linked_as_they_are_run(void **state)
{
    struct description description = small();
    struct machine *machine = opened(&description);
    uint64_t base = machine_view(machine).base;
    struct task task = {.op = OP_JUMP, .start = base, .steps = 100, .lap = 2};
    struct reading reading;
    assert_true(machine_map(machine, base, memory_of(machine), LARGE, LARGE, MEM_WB) && *state == NULL);
    link_pair(machine, OP_JUMP, base, 64); /* both count */
    assert_false(machine_run(machine, &task, 1, &reading));
    assert_true(machine_link(machine, OP_PASS, base + 64, base) && machine_run(machine, &task, 1, &reading));
    task.start = base + 64;
    assert_false(machine_run(machine, &task, 1, &reading)); /* the other one is the first */
    task = (struct task){.op = OP_JUMP, .start = base, .steps = 100};
    assert_false(machine_run(machine, &task, 1, &reading)); /* one passes */
    task.lap = task.warm = 2;
    assert_true(machine_link(machine, OP_PASS, base, base + 64)); /* none counts */
    assert_false(machine_run(machine, &task, 1, &reading));
    machine_close(machine);
}

static void waiting_takes_its_time(void **state)
{
    struct description description = small();
    struct machine *machine = opened(&description);
    uint64_t cycles = 12345;
    (void)state;
    assert_int_equal(visit(machine, OP_WAIT, 0, &cycles), 12345);
    assert_int_equal(visit(machine, OP_FENCE, 0, NULL), 0);
    machine_close(machine);
}

/* 64 lines of a way's size each: 64 loads, as many misses, in the two raw encodings of this machine. */
static void events_are_counted(void **state)
{
    struct description description = small();
    struct counters_description *counters = &description.counters;
    counters->family = COUNTERS_INTEL;
    counters->version = 2;
    counters->general = 2;
    counters->width = 40;
    counters->encodings = 2;
    counters->encoding[0] =
        (struct encoding){.event = 0xd1, .umask = 8, .counts = COUNTED_L1D_MISS, .per_thousand = 1000};
    counters->encoding[1] =
        (struct encoding){.event = 0xd0, .umask = 0x81, .counts = COUNTED_LOADS, .per_thousand = 1000};
    struct machine *machine = opened(&description);
    uint64_t base = machine_view(machine).base;
    struct task task = {.op = OP_LOAD, .start = base, .steps = 64000};
    struct reading reading;
    (void)state;
    assert_true(machine_map(machine, base, memory_of(machine), LARGE, LARGE, MEM_WB));
    for (unsigned i = 0; i < 64; i++)
        assert_true(machine_link(machine, OP_LOAD, base + i * PAGE, base + (i + 1) % 64 * PAGE));
    assert_true(machine_count(machine, 0, 0, 0x08d1));
    assert_true(machine_count(machine, 1, 0, 0x81d0));
    assert_false(machine_count(machine, 2, 7, 0));
    assert_true(strlen(machine_why(machine)) > 0);
    assert_true(machine_run(machine, &task, 1, &reading));
    assert_int_equal(reading.event[0], 64000);
    assert_int_equal(reading.event[1], 64000);
    assert_int_equal(reading.cycles, reading.ticks);
    machine_close(machine);
}

static void turn_off(struct machine *machine, void *unused)
{
    (void)unused;
    assert_true(machine_turn(machine, KNOB_PREFETCH_FIRST, false));
}

/* A next-line prefetcher: a load brings in the line after its own, unless it is off, which ends with the probe. */
static void switches_are_turned_back(void **state)
{
    struct description description = small();
    struct fault fault;
    description.prefetchers = 1;
    description.prefetcher[0] = (struct prefetcher_description){
        .kind = PREFETCH_NEXT_LINE, .watches = 1, .into = 1, .ahead = 1, .msr = 0x1a4, .bit = 2};
    struct machine *machine = opened(&description);
    uint64_t base = machine_view(machine).base;
    (void)state;
    assert_non_null(machine_knob(machine, KNOB_PREFETCH_FIRST));
    assert_null(machine_knob(machine, (enum knob)(KNOB_PREFETCH_FIRST + 1)));
    assert_false(machine_turn(machine, KNOB_TURBO, false));
    assert_true(machine_map(machine, base, memory_of(machine), LARGE, LARGE, MEM_WB));
    visit(machine, OP_LOAD, base, NULL);
    assert_int_equal(visit(machine, OP_LOAD, base + 64, NULL), 3);
    assert_true(machine_turn(machine, KNOB_PREFETCH_FIRST, false));
    visit(machine, OP_LOAD, base + 512, NULL);
    assert_int_equal(visit(machine, OP_LOAD, base + 576, NULL), 100);
    assert_true(machine_turn(machine, KNOB_PREFETCH_FIRST, true));
    assert_true(machine_protect(machine, 0, turn_off, NULL, &fault));
    assert_false(fault.happened);
    assert_true(machine_map(machine, base, memory_of(machine), LARGE, LARGE, MEM_WB));
    visit(machine, OP_LOAD, base + 1024, NULL);
    assert_int_equal(visit(machine, OP_LOAD, base + 1088, NULL), 3);
    machine_close(machine);
}

/* A clock that moves in steps of 26 ticks, 37 core cycles to 26 ticks: 3700 adds are 2600 ticks, give or take a step.
 * An LFENCE that does not serialise, without RDTSCP, hides the last 64 of them. */
static void clocks_are_read(void **state)
{
    (void)state;
    for (unsigned passes = 0; passes < 2; passes++) {
        struct description description = small();
        description.clock.step = 26;
        description.clock.ratio_core = 37;
        description.clock.ratio_clock = 26;
        description.clock.lfence_passes = passes;
        description.clock.rdtscp = passes ? 0 : 30;
        struct machine *machine = opened(&description);
        struct block block = {.kind = BLOCK_ADD, .variables = 1};
        uint64_t sum = 0, expected = passes ? 2600 - 64 * 26 / 37 : 2600;
        for (unsigned i = 0; i < 1000; i++) {
            struct reading reading;
            assert_true(machine_block(machine, &block, 3700, &reading));
            assert_in_range(reading.ticks, expected - 26, expected + 52);
            assert_int_equal(reading.ticks % 26, 0);
            sum += reading.ticks;
        }
        assert_in_range(sum / 1000, expected, expected + 26);
        machine_close(machine);
    }
}

/* By turns 24 ticks and 25: the overhead found is the lowest that an empty stretch shows, whatever its length. */
static void overhead_is_the_lowest_of_steps_that_differ(void **state)
{
    (void)state;
    for (unsigned length = 20; length < 130; length++) {
        struct description description = small();
        description.clock.step = 24;
        description.clock.half_step = true;
        description.clock.lfence = 0;
        description.clock.rdtscp = length;
        uint64_t lowest = UINT64_MAX, found;
        for (uint64_t begin = 0; begin < 49; begin++) {
            uint64_t end = begin + length;
            uint64_t shown = end / 49 * 49 + (end % 49 >= 24 ? 24 : 0) - (begin >= 24 ? 24 : 0);
            lowest = shown < lowest ? shown : lowest;
        }
        struct machine *machine = opened(&description);
        struct block block = {.kind = BLOCK_ADD, .variables = 1};
        struct reading reading;
        found = 0;
        for (unsigned i = 0; i < 400; i++) { /* 490 adds: 490 ticks, and the overhead's rest */
            assert_true(machine_block(machine, &block, 490, &reading));
            found += reading.ticks;
        }
        /* On average a reading shows the stretch's true length; the rest of it is overhead. */
        assert_in_range(found / 400, 490 + length - lowest - 3, 490 + length - lowest + 3);
        machine_close(machine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stale_translations_show_stale_words),
        cmocka_unit_test(tables_hold_together),
        cmocka_unit_test(unmapped_pages_fault),
        cmocka_unit_test(what_flushes_and_faults_take),
        cmocka_unit_test(types_are_kept_apart),
        cmocka_unit_test(tasks_of_one_core_overlap),
        cmocka_unit_test(cores_run_side_by_side),
        cmocka_unit_test(streams_overlap),
        cmocka_unit_test(jumps_end_where_they_should),
        cmocka_unit_test(laps_are_linked_as_they_are_run),
        cmocka_unit_test(waiting_takes_its_time),
        cmocka_unit_test(events_are_counted),
        cmocka_unit_test(switches_are_turned_back),
        cmocka_unit_test(clocks_are_read),
        cmocka_unit_test(overhead_is_the_lowest_of_steps_that_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
