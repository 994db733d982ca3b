// SPDX-License-Identifier: BSD-2-Clause
/* test_summary.c: the summary fits, comes back, and is not believed when it is damaged. */
#define _GNU_SOURCE // memmem
#include "run/summary.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct run_summary run = {.tool_version = "0.1.0", .brand = "A\xE9 \"CPU\"", .run_number = 0x01020304};

static struct notebook *notebook_of(unsigned measured, unsigned missing)
{
    struct notebook *notebook = calloc(1, sizeof *notebook);

    for (unsigned i = 0; i < measured; i++) {
        char id[28];
        snprintf(id, sizeof id, i % 2 ? "l1d.s%u" : "l1d.of_some_more_size%u", i);
        note_value(notebook, id, 49152 + i, "bytes", i == 0 ? 1 : 0.99999, 0, "");
    }
    for (unsigned i = 0; i < missing; i++) {
        char id[28];
        snprintf(id, sizeof id, "tlb.missing%u", i);
        note_missing(notebook, id, "", 0, "because");
    }
    return notebook;
}

static void small(void **state)
{
    struct notebook *notebook = notebook_of(1, 1);
    uint8_t summary[SUMMARY_SIZE];
    size_t size = summary_make(summary, &run, notebook), length;
    static const char expected[] =
        "assay 0.1.0 A? \"CPU\"\nl1d.of_some_more_size0=49152 bytes 100.0%\ntlb.missing0=?\n";
    const char *text;
    unsigned number;

    (void)state;
    assert_int_equal(size, 16 + strlen(expected));
    assert_memory_equal(summary, "ASAY\x01\x00", 6);
    assert_memory_equal(summary + 8, "\x04\x03\x02\x01", 4);
    assert_null(summary_check(summary, size, &text, &length, &number));
    assert_int_equal(number, 0x01020304);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(text, expected, length);
    free(notebook);
}

static void verdict_beside_the_baseline(void **state)
{
    struct notebook *notebook = notebook_of(1, 1);
    uint8_t summary[SUMMARY_SIZE];
    struct run_summary compared = run;
    size_t length;
    const char *text;
    unsigned number;

    (void)state;
    for (unsigned verdict = NO_BASELINE; verdict <= BASELINE_FAILED; verdict++) {
        compared.verdict = (enum verdict)verdict;
        size_t size = summary_make(summary, &compared, notebook);
        assert_int_equal(summary[5], verdict);
        assert_null(summary_check(summary, size, &text, &length, &number));
        assert_int_equal(summary_verdict(summary), verdict);
    }
    summary[5] = 77;
    assert_int_equal(summary_verdict(summary), NO_BASELINE);
    free(notebook);
}

static void always_fits(void **state)
{
    (void)state;
    for (unsigned findings = 0; findings <= 100; findings++) {
        struct notebook *notebook = notebook_of(findings / 2, findings - findings / 2);
        uint8_t summary[SUMMARY_SIZE];
        size_t size = summary_make(summary, &run, notebook), length;
        const char *text;
        unsigned number, lines = 0, more = 0;
        assert_true(size <= SUMMARY_SIZE);
        assert_null(summary_check(summary, size, &text, &length, &number));
        assert_true(text[length - 1] == '\n');
        for (size_t i = 0; i < length; i++)
            lines += text[i] == '\n';
        for (size_t i = 0; i + 1 < length; i++) {
            if (text[i] == '\n' && text[i + 1] == '+')
                more = (unsigned)strtoul(text + i + 1, NULL, 10);
        }
        /* What is there is the first of them, without a gap. */
        for (unsigned i = 0; i + 2 + (more > 0) <= lines && i < findings / 2; i++) {
            char id[28];
            snprintf(id, sizeof id, i % 2 ? "\nl1d.s%u=" : "\nl1d.of_some_more_size%u=", i);
            assert_non_null(memmem(text, length, id, strlen(id)));
        }
        /* One line names the tool, and one may say how many are missing. */
        assert_int_equal(lines - 1 - (more > 0) + more, findings);
        free(notebook);
    }
}

static void damage_is_noticed(void **state)
{
    struct notebook *notebook = notebook_of(3, 1);
    uint8_t summary[SUMMARY_SIZE + 1] = {0};
    size_t size = summary_make(summary, &run, notebook), length;
    const char *text;
    unsigned number;

    (void)state;
    for (size_t i = 0; i < size; i++) {
        for (unsigned change = 1; change < 256; change++) {
            summary[i] ^= (uint8_t)change;
            assert_non_null(summary_check(summary, size, &text, &length, &number));
            summary[i] ^= (uint8_t)change;
        }
    }
    for (size_t cut = 0; cut < size; cut++)
        assert_non_null(summary_check(summary, cut, &text, &length, &number));
    assert_non_null(summary_check(summary, size + 1, &text, &length, &number));
    free(notebook);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small), cmocka_unit_test(verdict_beside_the_baseline),
                                       cmocka_unit_test(always_fits), cmocka_unit_test(damage_is_noticed)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
