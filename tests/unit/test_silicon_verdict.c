// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_verdict.c: every kind of truth against every kind of answer. */
#include "tests/silicon/truth.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct finding says(double value, double confidence)
{
    return (struct finding){.id = "x.y", .measured = true, .value = value, .confidence = confidence};
}

static enum judgement of(struct truth truth, double value, double confidence)
{
    struct finding finding = says(value, confidence);
    return judge(&truth, &finding);
}

static enum judgement of_silence(struct truth truth)
{
    struct finding finding = {.id = "x.y", .why = "noise"};
    enum judgement judgement = judge(&truth, &finding);

    assert_int_equal(judge(&truth, NULL), judgement); /* left out is as bad as not measurable */
    return judgement;
}

static void equal_values(void **state)
{
    struct truth truth = {.kind = TRUTH_EQUAL, .value = 8};

    (void)state;
    assert_int_equal(of(truth, 8, 0.1), RIGHT);
    assert_int_equal(of(truth, 7, 0.5), WRONG);
    assert_int_equal(of(truth, 7, 0.4999), DOUBTFUL);
    assert_int_equal(of_silence(truth), MISSED);
}

static void values_within(void **state)
{
    struct truth truth = {.kind = TRUTH_WITHIN, .value = 4, .tolerance = 0.5};

    (void)state;
    assert_int_equal(of(truth, 3.5, 1), RIGHT);
    assert_int_equal(of(truth, 4.5, 1), RIGHT);
    assert_int_equal(of(truth, 3.49, 1), WRONG);
    assert_int_equal(of(truth, 4.51, 1), WRONG);
    assert_int_equal(of(truth, 5, 0.2), DOUBTFUL);
    assert_int_equal(of_silence(truth), MISSED);
}

static void values_in_ranges(void **state)
{
    struct truth range = {.kind = TRUTH_RANGE, .low = 10, .high = 20};

    (void)state;
    assert_int_equal(of(range, 10, 1), RIGHT);
    assert_int_equal(of(range, 20, 1), RIGHT);
    assert_int_equal(of(range, 9.9, 1), WRONG);
    assert_int_equal(of(range, 20.1, 1), WRONG);
    assert_int_equal(of_silence(range), MISSED);
    range.optional = true;
    assert_int_equal(of_silence(range), RIGHT);
    assert_int_equal(of(range, 20.1, 1), WRONG);
}

static void what_is_not_there(void **state)
{
    struct truth truth = {.kind = TRUTH_ABSENT};

    (void)state;
    assert_int_equal(of_silence(truth), RIGHT);
    assert_int_equal(of(truth, 0, 0.9), WRONG);
    assert_int_equal(of(truth, 0, 0.1), DOUBTFUL);
}

/* Whoever says nothing about a hidden thing is excused; whoever says something surely is held to it. */
static void what_is_hidden(void **state)
{
    struct truth truth = {.kind = TRUTH_HIDDEN, .beneath = TRUTH_EQUAL, .value = 8, .reason = "no way to see it"};

    (void)state;
    assert_int_equal(of_silence(truth), HIDDEN);
    assert_int_equal(of(truth, 8, 0.9), RIGHT);
    assert_int_equal(of(truth, 4, 0.9), WRONG);
    assert_int_equal(of(truth, 4, 0.3), HIDDEN);
    truth.beneath = TRUTH_NONE;
    assert_int_equal(of(truth, 4, 0.9), HIDDEN);
}

static void what_nobody_knows(void **state)
{
    struct truth truth = {.kind = TRUTH_NONE};

    (void)state;
    assert_int_equal(of_silence(truth), UNJUDGED);
    assert_int_equal(of(truth, 4, 0.9), UNJUDGED);
}

/* A value that is no number is no value. */
static void no_number(void **state)
{
    struct truth truth = {.kind = TRUTH_EQUAL, .value = 8}, absent = {.kind = TRUTH_ABSENT};

    (void)state;
    assert_int_equal(of(truth, NAN, 1), MISSED);
    assert_int_equal(of(truth, INFINITY, 1), MISSED);
    assert_int_equal(of(absent, NAN, 1), RIGHT);
}

static void names(void **state)
{
    static const char *const expected[] = {"right", "wrong", "doubtful", "missed", "hidden", "unjudged"};

    (void)state;
    for (unsigned i = RIGHT; i <= UNJUDGED; i++)
        assert_string_equal(judgement_name((enum judgement)i), expected[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_values),      cmocka_unit_test(values_within),  cmocka_unit_test(values_in_ranges),
        cmocka_unit_test(what_is_not_there), cmocka_unit_test(what_is_hidden), cmocka_unit_test(what_nobody_knows),
        cmocka_unit_test(no_number),         cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
