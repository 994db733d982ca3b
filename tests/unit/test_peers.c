// SPDX-License-Identifier: BSD-2-Clause
/* test_peers.c: what is counted of a tool's findings beside the truth, and when assay is not the better one of two. */
#include "tests/peers/score.h"
#include "tests/unit/notebook_bench.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

/* One level: size, ways, line and latency of it, and memory's latency. */
static struct truths *one_level(void)
{
    struct description description;
    struct truths *truths;

    description_plain(&description, 4 << 10, 4, 64, 4, 100);
    truths = truths_create(&description);
    assert_non_null(truths);
    return truths;
}

static void value(struct notebook *notebook, const char *id, double number, double confidence)
{
    note_value(notebook, id, number, "", confidence, 0, "");
}

static void assert_score(struct notebook *notebook, unsigned right, unsigned wrong, unsigned missing,
                         const char *differs)
{
    char buffer[400];
    struct text text = text_in(buffer, sizeof buffer);
    struct truths *truths = one_level();
    struct score score = score_of(notebook, truths, &text);

    assert_int_equal(score.right, right);
    assert_int_equal(score.wrong, wrong);
    assert_int_equal(score.missing, missing);
    assert_string_equal(text.at, differs);
    truths_destroy(truths);
}

static void what_counts(void **state)
{
    struct notebook *notebook = *state;

    memset(notebook, 0, sizeof *notebook);
    assert_score(notebook, 0, 0, 5,
                 "l1d.size missing (4 KB), l1d.ways missing (4 ways), l1d.line missing (64 bytes), "
                 "l1d.latency missing (4 cycles), mem.latency missing (100 cycles)");
    value(notebook, "l1d.size", 4096, 1);
    value(notebook, "l1d.ways", 4, 0.3); /* right is right, however sure */
    value(notebook, "l1d.line", 128, 0.3);
    value(notebook, "l1d.latency", 4.01, 1);
    value(notebook, "mem.latency", 100, 1);
    value(notebook, "latency.levels", 7, 1); /* none of its business */
    note_missing(notebook, "l2.size", "bytes", 0, "none");
    assert_score(notebook, 4, 0, 1, "l1d.line 128 bytes (64 bytes)");
    value(notebook, "l1d.line", 128, 0.5);
    value(notebook, "l2.ways", 8, 1);
    assert_score(notebook, 4, 2, 0, "l1d.line 128 bytes (64 bytes), l2.ways 8 ways (none)");
}

static void what_fails(void **state)
{
    const struct score eight = {.right = 8}, seven = {.right = 7, .missing = 1};

    (void)state;
    assert_null(score_complaint(&eight, 10, &eight, 100));
    assert_null(score_complaint(&eight, 10, &seven, 100));
    assert_string_equal(score_complaint(&eight, 11, &eight, 100), "more than a tenth of X-Ray's accesses");
    assert_string_equal(score_complaint(&seven, 1, &eight, 100), "fewer right than X-Ray");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_counts), cmocka_unit_test(what_fails)};
    return cmocka_run_group_tests(tests, fresh, done);
}
