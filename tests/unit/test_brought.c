// SPDX-License-Identifier: BSD-2-Clause
/* test_brought.c: the probe of what misses bring along against modelled caches with sectors and long lines, and with
 * prefetchers of pairs and of next lines, with a switch and without; by fine and by coarse clocks; and where there is
 * nothing to be told. */
#include "probes/probes.h"
#include "tests/silicon/process/process.h"
#include "tests/unit/notebook_bench.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/skipping_host.h"

enum { HIT = 4, NEXT = 14, MEMORY = 220, ABSENT = -1, SWITCH = 0x1a4 };

/* A first level of 16 KB and a second one of 128 KB, with lines of so many bytes. */
static struct description caches(unsigned first_line, unsigned second_line)
{
    struct description description;
    description_plain(&description, 16 << 10, 4, first_line, HIT, MEMORY);
    struct cache_description *second = &description.cache[description.caches++];
    *second = description.cache[0];
    snprintf(second->name, sizeof second->name, "l2");
    second->level = 2;
    second->holds = HOLDS_BOTH;
    second->size = 128 << 10;
    second->line = second->sector = second_line;
    second->latency = NEXT;
    second->shape.ways = 8;
    second->shape.index.sets = (128 << 10) / 8 / second_line;
    return description;
}

static void prefetch(struct description *description, enum prefetcher_kind kind, unsigned into, bool has_switch)
{
    unsigned bit = has_switch ? description->prefetchers : 0;
    description->prefetcher[description->prefetchers++] = (struct prefetcher_description){
        .kind = kind, .watches = into, .into = into, .ahead = 1, .msr = has_switch ? SWITCH : 0, .bit = bit};
}

/* What the probes before have found. */
static void know(struct notebook *notebook, const struct description *description)
{
    know_first(notebook, description);
    note_value(notebook, "mem.latency", MEMORY, "cycles", 0.999, 0, "");
    if (description->caches < 2)
        return;
    note_value(notebook, "l2.latency", description->cache[1].latency, "cycles", 0.999, 0, "");
    note_value(notebook, "l2.line", description->cache[1].line, "bytes", 0.999, 0, "");
    note_value(notebook, "l2.size", (double)description->cache[1].size, "bytes", 0.999, 0, "");
    note_value(notebook, "l2.exclusive", 0, "yes/no", 0.999, 0, "");
}

static void measure(const struct description *description, struct notebook *notebook)
{
    struct request request = {.seed = 7};
    const char *why = "";
    struct machine *machine = process_open(NULL, description, 7, NULL, &why);
    if (!machine)
        fail_msg("%s", why);
    assert_int_equal(probe_brought(machine, &request, notebook), rests_left != 0);
    machine_close(machine);
}

static void assert_value(const struct notebook *notebook, const char *id, int value)
{
    const struct finding *finding = noted(notebook, id);
    assert_non_null(finding);
    if (value == ABSENT) {
        assert_false(finding->measured);
        assert_true(finding->why[0]);
        return;
    }
    if (!finding->measured)
        fail_msg("%s, not %d: %s", id, value, finding->why);
    if (finding->value != value || finding->confidence < 0.94)
        fail_msg("%s is %g, not %d, confidence %.3f", id, finding->value, value, finding->confidence);
}

static void expect(struct description description, struct notebook *notebook, int first, int second, int unit, int next)
{
    know(notebook, &description);
    measure(&description, notebook);
    assert_value(notebook, "l1d.sector", first);
    assert_value(notebook, "l2.sector", second);
    assert_value(notebook, "l3.sector", ABSENT);
    assert_value(notebook, "mem.unit", unit);
    assert_value(notebook, "mem.next", next);
}

static void lines(void **state)
{
    expect(caches(64, 64), *state, 64, 64, 64, 0);
    expect(caches(32, 128), *state, 32, 128, 128, 0);
    expect(caches(64, 256), *state, 64, 256, 256, 0);
}

static void sectors(void **state)
{
    struct description description = caches(32, 128);
    description.cache[0].sector = 16;
    description.cache[1].sector = 64;
    expect(description, *state, 16, 64, 64, 0);
}

/* A pair is a unit of memory, and no part of a line; also where its prefetcher cannot be turned off. There a sector may
 * be a pair inside a line, so that it is less sure. */
static void pairs(void **state)
{
    double sure[2];
    for (unsigned has_switch = 0; has_switch < 2; has_switch++) {
        struct description description = caches(64, 64);
        prefetch(&description, PREFETCH_ADJACENT, 2, has_switch);
        expect(description, *state, 64, 64, 128, 0);
        sure[has_switch] = noted(*state, "l1d.sector")->confidence;
    }
    assert_true(sure[0] > 0.9 && sure[0] < 0.95 && sure[1] > 0.98);
}

static void next_lines(void **state)
{
    for (unsigned has_switch = 0; has_switch < 2; has_switch++) {
        struct description description = caches(64, 64);
        prefetch(&description, PREFETCH_NEXT_LINE, 1, has_switch);
        expect(description, *state, 64, 64, 64, 1);
        prefetch(&description, PREFETCH_ADJACENT, 2, has_switch);
        expect(description, *state, 64, 64, 128, 1);
    }
}

/* Of a unit as large as the largest that is asked for nobody knows where it ends. */
static void long_lines(void **state)
{
    struct notebook *notebook = *state;
    struct description description = caches(64, 512);
    expect(description, notebook, 64, 512, ABSENT, ABSENT);
    assert_string_equal(noted(notebook, "mem.unit")->why, "512 bytes or more");
    description = caches(64, 1024);
    expect(description, notebook, 64, ABSENT, ABSENT, ABSENT);
    description.cache[1].sector = 256;
    expect(description, notebook, 64, 256, 256, 0);
}

/* A first level that loses lines which were just loaded says nothing of what came with them. */
static void lines_that_do_not_stay(void **state)
{
    struct notebook *notebook = *state;
    struct description description = caches(32, 64);
    description.cache[0].size = 1 << 10;
    description.cache[0].shape.ways = 1;
    description.cache[0].shape.index.sets = (1 << 10) / 32;
    know(notebook, &description);
    measure(&description, notebook);
    assert_value(notebook, "l1d.sector", ABSENT);
    assert_value(notebook, "mem.unit", ABSENT);
    assert_string_equal(noted(notebook, "mem.unit")->why, "what nobody loaded does not come from memory, or what was "
                                                          "loaded not from the first level");
}

/* So little memory that the same lines come again and again, and stay in the caches if they are not flushed. */
static void little_memory(void **state)
{
    struct description description = caches(64, 64);
    description.memory.span = 2 << 20;
    description.cache[1].size = 2 << 20;
    description.cache[1].shape.index.sets = (2 << 20) / 8 / 64;
    expect(description, *state, 64, 64, 64, 0);
}

/* Steps that are longer than what tells the first level from the second, of a clock that is slower than the core. */
static void coarse_clocks(void **state)
{
    struct description description = caches(32, 128);
    description.cache[0].sector = 16;
    description.clock.step = 13;
    description.clock.ratio_core = 7;
    description.clock.ratio_clock = 2;
    expect(description, *state, 16, 128, 128, 0);
}

/* Without its line a sector that is longer than the first level's may be a pair; and an exclusive level shows nothing
 * of its own. */
static void what_is_not_known(void **state)
{
    struct notebook *notebook = *state;
    struct description description = caches(32, 64);
    know(notebook, &description);
    note_value(notebook, "l2.line", 0, "bytes", 0, 0, "");
    measure(&description, notebook);
    assert_value(notebook, "l1d.sector", 32);
    assert_string_equal(noted(notebook, "l2.sector")->why, "its line is not known");
    /* One that is as long as the first level's cannot be. */
    description = caches(64, 64);
    prefetch(&description, PREFETCH_ADJACENT, 2, true);
    know(notebook, &description);
    note_value(notebook, "l2.line", 0, "bytes", 0, 0, "");
    measure(&description, notebook);
    assert_value(notebook, "l2.sector", 64);
    /* Words that come from an unknown level between two may be taken for hits. */
    know(notebook, &description);
    note_value(notebook, "latency.levels", 3, "", 0.9, 0, "");
    measure(&description, notebook);
    assert_string_equal(noted(notebook, "mem.unit")->why, "which levels there are is not known (latency.levels)");
    assert_string_equal(noted(notebook, "mem.next")->why, noted(notebook, "mem.unit")->why);
    assert_string_equal(noted(notebook, "l1d.sector")->why, noted(notebook, "mem.unit")->why);
    know(notebook, &description);
    note_value(notebook, "l1d.line", 0, "bytes", 0, 0, "");
    measure(&description, notebook);
    assert_string_equal(noted(notebook, "l1d.sector")->why, "its line is not known");
    know(notebook, &description);
    note_value(notebook, "l2.exclusive", 1, "yes/no", 0.999, 0, "");
    measure(&description, notebook);
    assert_string_equal(noted(notebook, "l2.sector")->why, "loads do not fill it (l2.exclusive)");
}

/* Paper 004, Figures 5 and 6: without pairs, stops 128 bytes apart leave every other line of the measured walk; with
 * them only those 256 apart do; and of two walks over every fourth line, one that lies 64 bytes further on pushes out
 * the other's lines only with pairs, one that lies 192 bytes further on never does. */
static void interference(void **state)
{
    struct notebook *notebook = *state;
    for (unsigned in_pairs = 0; in_pairs < 2; in_pairs++) {
        struct description description = caches(64, 64);
        if (in_pairs)
            prefetch(&description, PREFETCH_ADJACENT, 2, true);
        know(notebook, &description);
        measure(&description, notebook);
        assert_value(notebook, "interference.sizes", 10);
        assert_true(middle_at(notebook, "interference.stride", 64) > NEXT + 50);
        /* Half as many lines, or as many as before. */
        assert_int_equal(middle_at(notebook, "interference.stride", 128) >
                             0.8 * middle_at(notebook, "interference.stride", 64),
                         in_pairs);
        assert_true(middle_at(notebook, "interference.stride", 1024) < NEXT + 20);
        assert_true(middle_at(notebook, "interference.offset", 0) > NEXT + 50);
        assert_int_equal(middle_at(notebook, "interference.offset", 64) > NEXT + 50, in_pairs);
        assert_true(middle_at(notebook, "interference.offset", 128) < NEXT + 20);
        assert_true(middle_at(notebook, "interference.offset", 192) < NEXT + 20);
    }
}

/* A walk that was disturbed has brought its lines back, so the next try needs the interfering one again. */
static void disturbed_walks(void **state)
{
    struct notebook *notebook = *state;
    struct description description = caches(64, 64);
    description.noise.smi_period = 100000;
    description.noise.smi_length = 1000;
    description.noise.smi_counted = true;
    know(notebook, &description);
    measure(&description, notebook);
    assert_value(notebook, "interference.sizes", 10);
    assert_true(middle_at(notebook, "interference.stride", 64) > NEXT + 50);
    assert_true(middle_at(notebook, "interference.offset", 0) > NEXT + 50);
}

static void without_what_it_needs(void **state)
{
    struct notebook *notebook = *state;
    struct description description = caches(64, 64);
    measure(&description, notebook);
    assert_string_equal(noted(notebook, "mem.unit")->why, "needs what the probe latency finds");
    assert_string_equal(noted(notebook, "l4.sector")->why, "needs what the probe latency finds");
    know(notebook, &description);
    note_missing(notebook, "interference.sizes", "sizes", 0, "nobody has asked");
    rests_left = 0;
    description.clock.step = 37;
    know(notebook, &description);
    measure(&description, notebook);
    rests_left = UINT_MAX;
    assert_value(notebook, "mem.unit", 64); /* which was known before the first rest */
    assert_string_equal(noted(notebook, "l1d.sector")->why, "skipped");
    assert_string_equal(noted(notebook, "l2.sector")->why, "skipped");
    assert_string_equal(noted(notebook, "interference.sizes")->why, "skipped");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines, fresh, done),
        cmocka_unit_test_setup_teardown(sectors, fresh, done),
        cmocka_unit_test_setup_teardown(pairs, fresh, done),
        cmocka_unit_test_setup_teardown(next_lines, fresh, done),
        cmocka_unit_test_setup_teardown(long_lines, fresh, done),
        cmocka_unit_test_setup_teardown(lines_that_do_not_stay, fresh, done),
        cmocka_unit_test_setup_teardown(little_memory, fresh, done),
        cmocka_unit_test_setup_teardown(coarse_clocks, fresh, done),
        cmocka_unit_test_setup_teardown(what_is_not_known, fresh, done),
        cmocka_unit_test_setup_teardown(interference, fresh, done),
        cmocka_unit_test_setup_teardown(disturbed_walks, fresh, done),
        cmocka_unit_test_setup_teardown(without_what_it_needs, fresh, done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
