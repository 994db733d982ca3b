// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_forms.c: loads of other forms, stores and aliases through the waist, as somebody who only has a clock
 * sees them; each against numbers worked out by hand. */
#include "tests/silicon/process/process.h"
#include "tests/unit/resting_host.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { PAGE = 4096, LARGE = 2 << 20, STEPS = 100, MORE_32 = 1, MORE_INDEXED = 2, MORE_FLOAT = 5 };

/* 4 KB in one way of 64-byte lines, hit 3; 64 KB in one way, hit 20; memory 100. Translation costs nothing. */
static struct description two_levels(void)
{
    struct description description;

    description_plain(&description, PAGE, 1, 64, 3, 100);
    description.cache[1] = description.cache[0];
    description.caches = 2;
    memcpy(description.cache[1].name, "l2", sizeof "l2");
    description.cache[1].level = 2;
    description.cache[1].size = 64 << 10;
    description.cache[1].shape.index.sets = 1024;
    description.cache[1].latency = 20;
    description.load_32 = MORE_32;
    description.load_indexed = MORE_INDEXED;
    description.load_float = MORE_FLOAT;
    return description;
}

/* One of such a machine, with the first large page of its view mapped to the first of its memory. */
static struct machine *opened(const struct description *description)
{
    const char *why = "";
    struct machine *machine = process_open(NULL, description, 1, NULL, &why);
    struct span span;

    if (!machine)
        fail_msg("%s", why);
    assert_true(machine_span(machine, 0, &span));
    assert_true(machine_map(machine, machine_view(machine).base, span.base, LARGE, LARGE, MEM_WB));
    return machine;
}

/* Ticks of a walk to and fro between two lines so far apart. */
static uint64_t walked(struct machine *machine, enum op op, uint64_t distance)
{
    uint64_t base = machine_view(machine).base;
    struct task task = {.op = op, .start = base, .steps = STEPS};
    struct reading reading;

    assert_true(machine_link(machine, op, base, base + distance));
    assert_true(machine_link(machine, op, base + distance, base));
    assert_true(machine_run(machine, &task, 1, &reading)); /* the lines come */
    assert_true(machine_run(machine, &task, 1, &reading));
    assert_int_equal(reading.steps, STEPS);
    return reading.ticks;
}

/* Ticks of one visit. */
static uint64_t visited(struct machine *machine, enum op op, uint64_t va)
{
    struct visit visit = {.op = op, .lap = 1, .va = va};
    struct reading lap[MAX_LAPS];

    if (!machine_script(machine, &visit, 1, lap))
        fail_msg("%s", machine_why(machine));
    return lap[1].ticks;
}

static const enum op forms[] = {OP_LOAD, OP_LOAD_32, OP_LOAD_INDEXED, OP_LOAD_FLOAT};
static const unsigned more[] = {0, MORE_32, MORE_INDEXED, MORE_FLOAT};

/* What a form takes more it takes wherever the load hits. */
static void walks_of_every_form(void **state)
{
    struct description description = two_levels();

    (void)state;
    for (unsigned all = 0; all < 2; all++) {
        struct machine *machine = opened(&description);

        process_simulate_all(machine, all);
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(walked(machine, forms[i], 64), STEPS * (3 + more[i]));
            assert_int_equal(walked(machine, forms[i], PAGE), STEPS * (20 + more[i]));
            assert_int_equal(walked(machine, forms[i], 64 << 10), STEPS * (100 + more[i]));
        }
        machine_close(machine);
    }
}

static void scripts_of_every_form(void **state)
{
    struct description description = two_levels();
    struct machine *machine = opened(&description);
    uint64_t base = machine_view(machine).base;

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        visited(machine, OP_FLUSH_LINE, base);
        assert_int_equal(visited(machine, forms[i], base), 100 + more[i]);
        assert_int_equal(visited(machine, forms[i], base), 3 + more[i]);
        visited(machine, OP_LOAD, base + PAGE);
        assert_int_equal(visited(machine, forms[i], base), 20 + more[i]);
    }
    machine_close(machine);
}

/* Hits of any form overlap, even where one miss at a time is under way; what a form takes more is no wait. */
static void hits_of_every_form_overlap(void **state)
{
    struct description description = two_levels();
    struct machine *machine;
    struct task tasks[3];
    struct reading each[3];
    uint64_t base;

    (void)state;
    description.memory.parallel = 1;
    machine = opened(&description);
    base = machine_view(machine).base;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t at = base + i * 128ULL;
        enum op op = i == 2 ? OP_LOAD_INDEXED : OP_LOAD_FLOAT;
        assert_true(machine_link(machine, op, at, at + 64) && machine_link(machine, op, at + 64, at));
        tasks[i] = (struct task){.op = op, .start = at, .steps = STEPS};
    }
    assert_true(machine_run(machine, tasks, 3, each));
    assert_true(machine_run(machine, tasks, 3, each));
    assert_int_equal(each[0].ticks, STEPS * (3 + MORE_FLOAT));
    machine_close(machine);
}

/* A walk of stores to lines that are there: the load of the link, and what takes the store. */
static void stores_that_hit(void **state)
{
    (void)state;
    for (unsigned through = 0; through < 2; through++) {
        struct description description = two_levels();
        struct machine *machine;

        description.cache[0].write_through = through;
        machine = opened(&description);
        assert_int_equal(walked(machine, OP_STORE, 64), STEPS * (3 + (through ? 20 : 1)));
        machine_close(machine);
    }
}

/* A store that misses takes what has the line; whether the first level has it then, the next load tells. */
static void stores_that_miss(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) {
        struct description description = two_levels();
        struct machine *machine;
        uint64_t base;

        description.cache[0].no_write_allocate = kind & 1;
        description.cache[0].write_through = kind & 2;
        machine = opened(&description);
        base = machine_view(machine).base;
        visited(machine, OP_FLUSH_LINE, base);
        assert_int_equal(visited(machine, OP_STORE, base), 100);
        assert_int_equal(visited(machine, OP_LOAD, base), kind & 1 ? 20 : 3);
        assert_int_equal(visited(machine, OP_LOAD, base), 3);
        visited(machine, OP_LOAD, base + PAGE); /* takes its place in the first level */
        assert_int_equal(visited(machine, OP_STORE, base), 20);
        assert_int_equal(visited(machine, OP_LOAD, base + PAGE), kind & 1 ? 3 : 20);
        machine_close(machine);
    }
}

/* 16 KB in one way: four colours. Two views of one line, which differ in colour: by virtual index it moves each time,
 * by physical index it is the same line. Views of one colour never differ. */
static void views_of_one_line(void **state)
{
    (void)state;
    for (unsigned is_virtual = 0; is_virtual < 2; is_virtual++) {
        struct description description = two_levels();
        struct machine *machine;
        struct span span;
        uint64_t base, other;

        description.cache[0].size = 4 * PAGE;
        description.cache[0].shape.index.sets = 256;
        description.cache[0].virtual_index = is_virtual;
        machine = opened(&description);
        base = machine_view(machine).base;
        other = base + LARGE;
        assert_true(machine_span(machine, 0, &span));
        for (unsigned i = 0; i < 8; i++)
            assert_true(machine_map(machine, other + i * PAGE, span.base, PAGE, PAGE, MEM_WB));
        visited(machine, OP_LOAD, base);
        for (unsigned i = 0; i < 8; i++) {
            assert_int_equal(visited(machine, OP_LOAD, other + i * PAGE), is_virtual && i ? 20 : 3);
            assert_int_equal(visited(machine, OP_LOAD, other + i * PAGE), 3);
        }
        assert_int_equal(visited(machine, OP_LOAD, other + 3 * PAGE), 3);
        assert_int_equal(visited(machine, OP_LOAD, base), is_virtual ? 20 : 3);
        /* Another line, of the first one's colour by physical address, and of another by its view. */
        assert_true(machine_map(machine, other + 9 * PAGE, span.base + 8 * PAGE, PAGE, PAGE, MEM_WB));
        visited(machine, OP_LOAD, other + 9 * PAGE);
        assert_int_equal(visited(machine, OP_LOAD, base), is_virtual ? 3 : 20);
        machine_close(machine);
    }
}

/* All kinds come up on random machines, and 4 bytes take no longer than base + index do. */
static void forms_of_random_machines(void **state)
{
    static struct description description;
    unsigned with_32 = 0, with_indexed = 0, with_float = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        description_random(&description, seed);
        assert_true(description.load_32 <= description.load_indexed && description.load_indexed <= 1);
        assert_true(description.load_float <= 8);
        with_32 += description.load_32 > 0;
        with_indexed += description.load_indexed > 0;
        with_float += description.load_float > 0;
    }
    assert_in_range(with_32, 90, 160);
    assert_in_range(with_indexed, 210, 290);
    assert_in_range(with_float, 385, 430);
}

/* Runs of pages come up on one machine in five or so, in the first level that loads look in and behind it, and never
 * where code is looked for alone. */
static void runs_of_random_machines(void **state)
{
    static struct description description;
    unsigned first = 0, behind = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        description_random(&description, seed);
        assert_true(description.invlpg >= 20 && description.set_root >= 40 && description.fault >= 200);
        assert_int_equal(description.flush_tlb % 2, 0);
        for (unsigned i = 0; i < description.tlbs; i++) {
            const struct tlb_description *tlb = &description.tlb[i];
            assert_true(tlb->coalesce == 1 || (tlb->holds & HOLDS_DATA && tlb->pages & PAGES_SMALL));
            first += tlb->level == 1 && tlb->coalesce > 1;
            behind += tlb->level == 2 && tlb->coalesce > 1;
        }
    }
    assert_in_range(first, 75, 125);
    assert_in_range(behind, 35, 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_of_every_form),        cmocka_unit_test(scripts_of_every_form),
        cmocka_unit_test(hits_of_every_form_overlap), cmocka_unit_test(stores_that_hit),
        cmocka_unit_test(stores_that_miss),           cmocka_unit_test(views_of_one_line),
        cmocka_unit_test(forms_of_random_machines),   cmocka_unit_test(runs_of_random_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
