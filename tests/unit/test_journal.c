// SPDX-License-Identifier: BSD-2-Clause
/* test_journal.c: a journal is understood wherever the power cut it off. */
#include "run/journal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINES = 10 };

/* The lines of a run that was told to leave out psc and tlb, without their seals, and what is to be left out after
 * each: l1d is interrupted by nothing, psc runs again, tlb does not. */
static const struct {
    const char *line, *left_out;
} run[LINES] = {
    {"{\"seq\":1,\"event\":\"run\",\"tool\":\"0.1.0\",\"probes\":\"latency,l1d\",\"unfinished\":\"psc,tlb\"",
     "psc,tlb"},
    {"{\"seq\":2,\"event\":\"begin\",\"probe\":\"latency\"", "psc,tlb,latency"},
    {"{\"seq\":3,\"event\":\"end\",\"probe\":\"latency\",\"outcome\":\"done\",\"findings\":[{\"id\": \"a.b\"}]",
     "psc,tlb"},
    {"{\"seq\":4,\"event\":\"begin\",\"probe\":\"l1d\"", "psc,tlb,l1d"},
    {"{\"seq\":5,\"event\":\"end\",\"probe\":\"l1d\",\"outcome\":\"skipped\",\"findings\":[]", "psc,tlb"},
    {"{\"seq\":6,\"event\":\"begin\",\"probe\":\"psc\"", "psc,tlb"},
    {"{\"seq\":7,\"event\":\"end\",\"probe\":\"psc\",\"outcome\":\"fault\",\"findings\":[]", "tlb"},
    {"{\"seq\":8,\"event\":\"end\",\"probe\":\"tlb\",\"outcome\":\"left out\",\"findings\":[]", "tlb"},
    {"{\"seq\":9,\"event\":\"begin\",\"probe\":\"mem\"", "tlb,mem"},
    {"{\"seq\":10,\"event\":\"finished\"", "tlb"},
};

static size_t write_line(char *to, unsigned i)
{
    struct text text = text_in(to, 512);

    text_string(&text, run[i].line);
    journal_seal(&text);
    assert_false(text.cut);
    return text.length;
}

static void seals(void **state)
{
    char line[512];

    (void)state;
    for (unsigned i = 0; i < LINES; i++) {
        size_t length = write_line(line, i);
        assert_true(journal_whole(line, length));
        for (size_t cut = 0; cut < length; cut++)
            assert_false(journal_whole(line, cut));
        for (size_t at = 0; at < length; at++) {
            line[at] ^= 1;
            assert_false(journal_whole(line, length));
            line[at] ^= 1;
        }
    }
    assert_false(journal_whole("", 0));
    assert_false(journal_whole("{}", 2));
}

/* Cut at every byte, with and without the newlines or zeros of space set aside behind it. */
static void every_prefix(void **state)
{
    char journal[LINES * 512 + 600], whole[LINES * 512];
    size_t length = 0, ends[LINES];

    (void)state;
    for (unsigned i = 0; i < LINES; i++) {
        length += write_line(whole + length, i);
        ends[i] = length;
        whole[length++] = '\n';
    }
    for (size_t cut = 0; cut <= length; cut++) {
        const char *expected = NULL;
        for (unsigned i = 0; i < LINES && ends[i] <= cut; i++)
            expected = run[i].left_out;
        for (unsigned padding = 0; padding < 3; padding++) {
            char probe[32] = "";
            bool found;
            memcpy(journal, whole, cut);
            memset(journal + cut, padding == 1 ? '\n' : 0, 600);
            found = journal_unfinished(journal, cut + (padding ? 600 : 0), probe, sizeof probe);
            /* Zeros directly behind a line belong to it: it is not whole then. */
            if (padding == 2 && cut > 0 && journal[cut - 1] != '\n')
                continue;
            assert_int_equal(found, expected != NULL);
            if (expected)
                assert_string_equal(probe, expected);
        }
    }
}

static void odd_journals(void **state)
{
    char probe[4] = "", line[512];
    size_t length = write_line(line, 1);

    (void)state;
    assert_false(journal_unfinished("", 0, probe, sizeof probe));
    assert_false(journal_unfinished("\n\n\n", 3, probe, sizeof probe));
    assert_false(journal_unfinished("not a journal", 13, probe, sizeof probe));
    assert_true(journal_unfinished(line, length, probe, sizeof probe));
    assert_string_equal(probe, "lat");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(seals), cmocka_unit_test(every_prefix),
                                       cmocka_unit_test(odd_journals)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
