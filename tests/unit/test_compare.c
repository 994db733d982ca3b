// SPDX-License-Identifier: BSD-2-Clause
/* test_compare.c: two runs beside each other: what tolerance and confidence explain, and what they do not. */
#include "report/compare.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct notebook one, other;

static int clear(void **state)
{
    (void)state;
    memset(&one, 0, sizeof one);
    memset(&other, 0, sizeof other);
    return 0;
}

static struct findings all(const struct notebook *notebook)
{
    return (struct findings){notebook->finding, notebook->findings};
}

/* The pair with an id. */
static struct pair pair_of(const char *id)
{
    struct pairing pairing = {.first = all(&one), .second = all(&other)};
    struct pair pair;

    while (compare_next(&pairing, &pair)) {
        if (strcmp(pair.first ? pair.first->id : pair.second->id, id) == 0)
            return pair;
    }
    fail_msg("no pair %s", id);
    return pair;
}

/* Compares two values of a unit, each surely right. */
static enum comparison values(double first, double second, const char *unit)
{
    note_value(&one, "x.y", first, unit, 0.99, 1, "");
    note_value(&other, "x.y", second, unit, 0.99, 1, "");
    return pair_of("x.y").comparison;
}

static void structures_differ_by_one(void **state)
{
    static const char *const units[] = {"bytes", "ways", "entries", "lines", "sets", ""};

    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        assert_int_equal(values(16, 16, units[i]), EQUAL);
        assert_int_equal(values(16, 17, units[i]), DIFFERENT);
        /* Far more than six digits: an integer is compared as such. */
        assert_int_equal(values(1073741824, 1073741825, units[i]), DIFFERENT);
    }
    /* What files round to six digits is no difference. */
    assert_int_equal(values(2.0 / 3, 0.666667, ""), EQUAL);
    assert_int_equal(values(0.66, 0.67, ""), DIFFERENT);
    assert_int_equal(pair_of("x.y").aspect, IN_VALUE);
}

static void latencies_have_tolerance(void **state)
{
    (void)state;
    assert_int_equal(values(4, 4.5, "cycles"), EQUAL);
    assert_int_equal(values(4, 4.51, "cycles"), DIFFERENT);
    assert_int_equal(values(200, 203.9, "cycles"), EQUAL);
    assert_int_equal(values(203.9, 200, "cycles"), EQUAL);
    assert_int_equal(values(200, 204.5, "cycles"), DIFFERENT);
    assert_int_equal(values(26, 26, "ticks"), EQUAL);
    assert_int_equal(values(26, 27, "ticks"), DIFFERENT);
    assert_int_equal(values(1e9, 1.009e9, "Hz"), EQUAL);
    assert_int_equal(values(1e9, 1.011e9, "Hz"), DIFFERENT);
    assert_int_equal(values(100, 101.9, "ns"), EQUAL);
    assert_int_equal(values(100, 102.5, "ns"), DIFFERENT);
}

static void nanoseconds_know_half_a_cycle(void **state)
{
    (void)state;
    assert_int_equal(values(2, 2.2, "ns"), DIFFERENT);
    note_value(&one, "cpu.frequency", 2e9, "Hz", 0.99, 1, "");
    assert_int_equal(values(2, 2.2, "ns"), EQUAL);
    assert_int_equal(values(2, 2.26, "ns"), DIFFERENT);
    /* The slower core's cycle counts. */
    note_value(&other, "cpu.frequency", 1e9, "Hz", 0.99, 1, "");
    assert_int_equal(values(2, 2.26, "ns"), EQUAL);
    note_value(&other, "cpu.frequency", 4e9, "Hz", 0.99, 1, "");
    assert_int_equal(values(2, 2.2, "ns"), EQUAL);
}

static void low_confidence_is_uncertain_not_silent(void **state)
{
    (void)state;
    note_value(&one, "l1d.size", 16384, "bytes", 0.99, 1, "");
    note_value(&other, "l1d.size", 32768, "bytes", 0.89, 1, "");
    assert_int_equal(pair_of("l1d.size").comparison, UNCERTAIN);
    /* Each is sure enough, both together are not. */
    note_value(&one, "l1d.size", 16384, "bytes", 0.94, 1, "");
    note_value(&other, "l1d.size", 32768, "bytes", 0.94, 1, "");
    assert_int_equal(pair_of("l1d.size").comparison, UNCERTAIN);
    note_value(&one, "l1d.size", 16384, "bytes", 0.96, 1, "");
    assert_int_equal(pair_of("l1d.size").comparison, DIFFERENT);
    /* Equal values are equal, however unsure. */
    note_value(&one, "l1d.size", 32768, "bytes", 0.1, 1, "");
    assert_int_equal(pair_of("l1d.size").comparison, EQUAL);
}

static void emulated_on_one_side_is_uncertain(void **state)
{
    (void)state;
    note_value(&one, "l1d.size", 16384, "bytes", 0.99, 1, "");
    note_value(&other, "l1d.size", 32768, "bytes", 0.99, 1, "")->emulated = true;
    assert_int_equal(pair_of("l1d.size").comparison, UNCERTAIN);
    note_value(&one, "l1d.size", 16384, "bytes", 0.99, 1, "")->emulated = true;
    assert_int_equal(pair_of("l1d.size").comparison, DIFFERENT);
}

static void measured_on_one_side_only(void **state)
{
    (void)state;
    note_value(&one, "l2.size", 262144, "bytes", 0.99, 1, "");
    note_missing(&other, "l2.size", "bytes", 1, "no step");
    assert_int_equal(pair_of("l2.size").comparison, DIFFERENT);
    assert_int_equal(pair_of("l2.size").aspect, IN_BEING_MEASURED);
    note_value(&one, "l2.size", 262144, "bytes", 0.5, 1, "");
    assert_int_equal(pair_of("l2.size").comparison, UNCERTAIN);
    note_value(&one, "l3.size", INFINITY, "bytes", 1, 1, "");
    note_missing(&other, "l3.size", "bytes", 1, "other reason");
    assert_int_equal(pair_of("l3.size").comparison, EQUAL);
}

static void families(void **state)
{
    (void)state;
    note_value(&one, "l1d.size", 16384, "bytes", 0.99, 1, "");
    note_value(&one, "l1d.ways", 4, "ways", 0.99, 1, "");
    note_missing(&one, "l1d.line", "bytes", 1, "no");
    note_value(&one, "l1.size", 1, "bytes", 0.99, 1, "");
    note_value(&other, "l1d.size", 16384, "bytes", 0.99, 1, "");
    note_value(&other, "dtlb1.4k.entries", 64, "entries", 0.99, 1, "");
    assert_int_equal(pair_of("l1d.ways").comparison, DIFFERENT);
    assert_int_equal(pair_of("l1d.line").comparison, EQUAL);
    assert_int_equal(pair_of("l1.size").comparison, NOT_ASKED); /* "l1" is not the family "l1d" */
    assert_int_equal(pair_of("dtlb1.4k.entries").comparison, NOT_ASKED);
    note_missing(&one, "dtlb1.2m.entries", "entries", 1, "no");
    assert_int_equal(pair_of("dtlb1.4k.entries").comparison, DIFFERENT);
    assert_null(pair_of("dtlb1.4k.entries").first);
}

static void families_are_whole_words(void **state)
{
    (void)state;
    note_value(&one, "l1.size", 16384, "bytes", 0.99, 1, "");
    note_value(&other, "l1d.size", 16384, "bytes", 0.99, 1, "");
    assert_int_equal(pair_of("l1.size").comparison, NOT_ASKED);
    assert_int_equal(pair_of("l1d.size").comparison, NOT_ASKED);
}

static struct finding *declare(struct finding *finding, enum agreement agreement, uint64_t low, uint64_t high)
{
    finding->agreement = agreement;
    finding->declared_low = low;
    finding->declared_high = high;
    return finding;
}

static void declarations(void **state)
{
    (void)state;
    declare(note_value(&one, "l1d.ways", 8, "ways", 0.5, 1, ""), AGREES, 8, 8);
    declare(note_value(&other, "l1d.ways", 8, "ways", 0.5, 1, ""), DIFFERS, 12, 12);
    /* Read, not measured: confidence is no excuse. */
    assert_int_equal(pair_of("l1d.ways").comparison, DIFFERENT);
    assert_int_equal(pair_of("l1d.ways").aspect, IN_DECLARED);
    note_value(&other, "l1d.ways", 8, "ways", 0.99, 1, "");
    assert_int_equal(pair_of("l1d.ways").comparison, DIFFERENT);
    assert_int_equal(pair_of("l1d.ways").aspect, IN_DECLARED);
    /* A clock that is declared anew at every start. */
    declare(note_value(&one, "cpu.tsc", 2e9, "Hz", 0.99, 1, ""), AGREES, 2000000000, 2000000000);
    declare(note_value(&other, "cpu.tsc", 2e9, "Hz", 0.99, 1, ""), AGREES, 2000100000, 2000100000);
    assert_int_equal(pair_of("cpu.tsc").comparison, EQUAL);
}

static void agreement_that_flips(void **state)
{
    (void)state;
    /* Within the tolerance of a frequency, and yet once within what is declared and once outside. */
    declare(note_value(&one, "cpu.tsc", 2.015e9, "Hz", 0.99, 1, ""), AGREES, 2000000000, 2000000000);
    declare(note_value(&other, "cpu.tsc", 2.025e9, "Hz", 0.99, 1, ""), DIFFERS, 2000000000, 2000000000);
    assert_int_equal(pair_of("cpu.tsc").comparison, DIFFERENT);
    assert_int_equal(pair_of("cpu.tsc").aspect, IN_AGREEMENT);
}

static void what_is_of_the_run(void **state)
{
    (void)state;
    note_value(&one, "noise.max_gap", 1000, "ns", 0.99, 1, "");
    note_value(&other, "noise.max_gap", 90000, "ns", 0.99, 1, "");
    assert_int_equal(pair_of("noise.max_gap").comparison, OF_THE_RUN);
    assert_int_equal(values(49, 62, "sizes"), OF_THE_RUN);
}

static void units_must_be_the_same(void **state)
{
    (void)state;
    note_value(&one, "mem.latency", 100, "cycles", 0.99, 1, "");
    note_value(&other, "mem.latency", 100, "ns", 0.99, 1, "");
    assert_int_equal(pair_of("mem.latency").comparison, DIFFERENT);
    assert_int_equal(pair_of("mem.latency").aspect, IN_UNIT);
}

static void everything_is_counted_once(void **state)
{
    struct tally tally;

    (void)state;
    note_value(&one, "a.b", 1, "", 0.99, 1, "");
    note_value(&one, "a.c", 1, "", 0.5, 1, "");
    note_value(&other, "a.c", 2, "", 0.99, 1, "");
    note_value(&other, "a.d", 2, "", 0.99, 1, "");
    note_value(&other, "e.f", 2, "", 0.99, 1, "");
    tally = compare_all(all(&one), all(&other));
    assert_int_equal(tally.of[DIFFERENT], 2);
    assert_int_equal(tally.of[UNCERTAIN], 1);
    assert_int_equal(tally.of[NOT_ASKED], 1);
    assert_int_equal(tally.of[EQUAL], 0);
    tally = compare_all((struct findings){NULL, 0}, all(&other));
    assert_int_equal(tally.of[NOT_ASKED], 3);
}

static void written_for_people(void **state)
{
    char buffer[100];
    struct text text = text_in(buffer, sizeof buffer);
    struct finding *finding = declare(note_value(&one, "l1d.size", 49152, "bytes", 0.9, 1, ""), AGREES, 32768, 49152);

    (void)state;
    compared_text(&text, finding, IN_VALUE);
    text_char(&text, '|');
    compared_text(&text, finding, IN_DECLARED);
    text_char(&text, '|');
    compared_text(&text, finding, IN_AGREEMENT);
    text_char(&text, '|');
    compared_text(&text, note_missing(&one, "l2.size", "bytes", 0, "no"), IN_DECLARED);
    text_char(&text, '|');
    compared_text(&text, NULL, IN_VALUE);
    assert_string_equal(buffer, "48 KB|declared 32 KB to 48 KB|48 KB as declared|nothing declared|not there");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(structures_differ_by_one, clear),
        cmocka_unit_test_setup(latencies_have_tolerance, clear),
        cmocka_unit_test_setup(nanoseconds_know_half_a_cycle, clear),
        cmocka_unit_test_setup(low_confidence_is_uncertain_not_silent, clear),
        cmocka_unit_test_setup(emulated_on_one_side_is_uncertain, clear),
        cmocka_unit_test_setup(measured_on_one_side_only, clear),
        cmocka_unit_test_setup(families, clear),
        cmocka_unit_test_setup(families_are_whole_words, clear),
        cmocka_unit_test_setup(declarations, clear),
        cmocka_unit_test_setup(agreement_that_flips, clear),
        cmocka_unit_test_setup(what_is_of_the_run, clear),
        cmocka_unit_test_setup(units_must_be_the_same, clear),
        cmocka_unit_test_setup(everything_is_counted_once, clear),
        cmocka_unit_test_setup(written_for_people, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
