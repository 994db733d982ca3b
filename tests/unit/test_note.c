// SPDX-License-Identifier: BSD-2-Clause
/* test_note.c: findings and series in a notebook, and what happens when it is full. */
#include "base/text.h"
#include "probes/finding.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

static int fresh(void **state)
{
    *state = calloc(1, sizeof(struct notebook));
    return *state ? 0 : -1;
}

static int done(void **state)
{
    free(*state);
    return 0;
}

static void values_replace_and_reasons_do_not(void **state)
{
    struct notebook *notebook = *state;
    note_missing(notebook, "l1d.size", "bytes", 5, "no step seen up to %u bytes", 4096u);
    assert_string_equal(noted(notebook, "l1d.size")->why, "no step seen up to 4096 bytes");
    note_value(notebook, "l1d.size", 32768, "bytes", 0.9, 7, "by hand");
    assert_int_equal(notebook->findings, 1);
    assert_true(noted(notebook, "l1d.size")->measured);
    assert_string_equal(noted(notebook, "l1d.size")->why, "");
    note_missing(notebook, "l1d.size", "bytes", 9, "skipped");
    assert_true(noted(notebook, "l1d.size")->measured);
    assert_true(noted(notebook, "l1d.size")->value == 32768);
    note_value(notebook, "l1d.size", 16384, "bytes", 0.5, 8, "again");
    assert_int_equal(notebook->findings, 1);
    assert_true(noted(notebook, "l1d.size")->value == 16384);
    assert_null(noted(notebook, "l1d.ways"));
}

static void long_texts_are_cut(void **state)
{
    struct notebook *notebook = *state;
    char words[400];
    memset(words, 'x', sizeof words - 1);
    words[sizeof words - 1] = 0;
    struct finding *finding = note_value(notebook, words, 1, words, 1, 0, words);
    assert_int_equal(strlen(finding->id), sizeof finding->id - 1);
    assert_int_equal(strlen(finding->unit), sizeof finding->unit - 1);
    finding = note_missing(notebook, "other", "bytes", 0, "%s", words);
    assert_int_equal(strlen(finding->why), sizeof finding->why - 1);
}

static void full_notebook_counts_what_it_drops(void **state)
{
    struct notebook *notebook = *state;
    for (unsigned i = 0; i < MAX_FINDINGS + 10; i++) {
        char id[28];
        struct text text = text_in(id, sizeof id);
        text_format(&text, "finding.%u", i);
        assert_non_null(note_value(notebook, id, i, "", 1, 0, ""));
    }
    assert_true(notebook->findings <= MAX_FINDINGS);
    assert_int_equal(notebook->findings + notebook->dropped, MAX_FINDINGS + 10);
    assert_non_null(note_missing(notebook, "one.more", "", 0, "full"));
    assert_null(noted(notebook, "one.more"));
}

static void series_hold_their_own_points(void **state)
{
    struct notebook *notebook = *state;
    struct series *first = note_series(notebook, "latency.4k", "bytes", "cycles");
    note_point(notebook, first, (struct point){.x = 1});
    note_point(notebook, first, (struct point){.x = 2});
    struct series *second = note_series(notebook, "latency.2m", "bytes", "cycles");
    note_point(notebook, second, (struct point){.x = 3});
    assert_int_equal(first->count, 2);
    assert_int_equal(second->first, 2);
    assert_int_equal(second->count, 1);
    for (unsigned i = 2; i < MAX_SERIES; i++)
        assert_non_null(note_series(notebook, "more", "", ""));
    struct series *none = note_series(notebook, "none", "", "");
    assert_null(none);
    note_point(notebook, none, (struct point){.x = 4});
    assert_int_equal(notebook->points, 3);
    assert_int_equal(notebook->dropped, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_replace_and_reasons_do_not, fresh, done),
        cmocka_unit_test_setup_teardown(long_texts_are_cut, fresh, done),
        cmocka_unit_test_setup_teardown(full_notebook_counts_what_it_drops, fresh, done),
        cmocka_unit_test_setup_teardown(series_hold_their_own_points, fresh, done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
