// SPDX-License-Identifier: BSD-2-Clause
/* test_console_text.c: what a console without graphics shows: the table at all widths, and series as bars. */
#include "report/bars.h"
#include "report/report.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct report_sink {
    char bytes[1 << 16];
    size_t used;
};

bool report_out(struct report_sink *at, const char *bytes, size_t length)
{
    assert_true(at->used + length < sizeof at->bytes);
    memcpy(at->bytes + at->used, bytes, length);
    at->used += length;
    at->bytes[at->used] = '\0';
    return true;
}

static struct report_sink sink;
static struct notebook notebook;
static const struct run_summary run = {.tool_version = "1",
                                       .build = "x",
                                       .implementation = "kernel",
                                       .vendor = "v",
                                       .brand = "A CPU",
                                       .board = "",
                                       .serial = "",
                                       .firmware = "",
                                       .hypervisor = "",
                                       .note = "",
                                       .mode = "borrowed",
                                       .options = "",
                                       .date = ""};

static const char *table(unsigned columns)
{
    sink.used = 0;
    assert_true(report_table(&sink, &run, &notebook, columns));
    return sink.bytes;
}

static void clear(void)
{
    memset(&notebook, 0, sizeof notebook);
}

static void check_width(const char *text, size_t columns)
{
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        assert_in_range(strchr(line, '\n') - line, 0, columns);
}

/* The longest id, the longest reason, a reason without a blank: no line is too long, and no word is lost. */
static void long_ones(void **state)
{
    static const unsigned widths[] = {60, 79, 99, 100, 131, 132, 160};
    struct finding *finding;

    (void)state;
    clear();
    note_missing(&notebook, "a.very.long.id.of.its.owner", "", 1,
                 "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
                 "seventeen eighteen nineteen twenty twenty-one twenty");
    note_missing(&notebook, "l2.size", "bytes", 1, "%s",
                 "unbreakableunbreakableunbreakableunbreakableunbreakableunbreakableunbreakableunbreakableunbreakable"
                 "unbreakableunbreakableunbreakableunbreakableunbreakable");
    finding = note_value(&notebook, "another.very.long.id.of.own", 123456789012.0, "ticks", 0.5, 1,
                         "a method that is told where there is room for it, in as many lines as it needs, to the end");
    finding->agreement = DIFFERS;
    finding->declared_low = 1;
    finding->declared_high = 1ull << 40;
    strcpy(finding->declared_by, "CPUID 8000001D and 0004");
    for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++) {
        const char *text = table(widths[i]);
        check_width(text, widths[i]);
        assert_non_null(strstr(text, "twenty-one"));
        assert_non_null(strstr(text, "DIFFERS"));
        assert_int_equal(strstr(text, "to the end") != NULL || strstr(text, "the\n") != NULL, widths[i] >= 132);
    }
}

/* Reasons go on below themselves, under their finding. */
static void hanging(void **state)
{
    (void)state;
    clear();
    note_missing(&notebook, "l2.size", "bytes", 1,
                 "physical order unknown beyond 2097152 bytes, and no larger page was granted to this run");
    note_value(&notebook, "l2.line", 64, "bytes", 0.99, 1, "");
    assert_non_null(strstr(table(79), "\nl2.size             not measurable: physical order unknown beyond 2097152\n"
                                      "                    bytes, and no larger page was granted to this run\n"
                                      "l2.line             64 bytes      99.0 %\n"));
}

/* A reason is told once for findings that follow each other, however often; what is declared is told of each. */
static void likewise(void **state)
{
    (void)state;
    clear();
    note_missing(&notebook, "l2.size", "bytes", 1, "no rule");
    struct finding *declared = note_missing(&notebook, "l2.ways", "ways", 1, "no rule");
    declared->agreement = AGREES;
    declared->declared_low = declared->declared_high = 8;
    strcpy(declared->declared_by, "CPUID 4");
    note_missing(&notebook, "l2.line", "bytes", 1, "no rule");
    note_missing(&notebook, "l2.exclusive", "yes/no", 1, "noise");
    note_value(&notebook, "l3.line", 64, "bytes", 0.99, 1, "");
    note_missing(&notebook, "l3.ways", "ways", 1, "noise");
    assert_non_null(strstr(table(79), "\nl2.size             not measurable: no rule\n"
                                      "l2.ways             not measurable: as l2.size (declared: 8 ways by CPUID 4)\n"
                                      "l2.line             not measurable: as l2.size\n"
                                      "l2.exclusive        not measurable: noise\n"
                                      "l3.line             64 bytes      99.0 %\n"
                                      "l3.ways             not measurable: noise\n"));
}

static void wide(void **state)
{
    (void)state;
    clear();
    note_value(&notebook, "latency.1.something.longer", 4, "cycles", 0.99, 1, "by hand")->agreement = NOTHING_DECLARED;
    note_value(&notebook, "l1d.size", 49152, "bytes", 0.99, 1, "as in Figure 6");
    notebook.finding[1].agreement = AGREES;
    notebook.finding[1].declared_low = notebook.finding[1].declared_high = 49152;
    strcpy(notebook.finding[1].declared_by, "CPUID 4");
    assert_non_null(strstr(table(140), "finding                      value         sure     declared                  "
                                       "      how it was found\n"
                                       "latency.1.something.longer   4 cycles      99.0 %                             "
                                       "      by hand\n"
                                       "l1d.size                     48 KB         99.0 %   = 48 KB by CPUID 4        "
                                       "      as in Figure 6\n"));
}

static const char *bars(unsigned columns)
{
    sink.used = 0;
    sink.bytes[0] = '\0';
    assert_true(report_bars(&sink, &notebook, columns));
    return sink.bytes;
}

static void charts(void **state)
{
    struct series *series;

    (void)state;
    clear();
    assert_string_equal(bars(79), "");
    series = note_series(&notebook, "latency.4k", "bytes", "cycles");
    for (unsigned i = 0; i < 6; i++)
        note_point(&notebook, series, (struct point){1024 << i, 0, 4 + i, 0});
    assert_string_equal(bars(79), "latency.4k                    |            :::###\n"
                                  "4 cycles to 9 cycles          |      :::#########\n"
                                  "1 KB to 32 KB                 |:::###############\n");
    /* Over a wide range logarithmic: a tenfold is half of a hundredfold. */
    clear();
    series = note_series(&notebook, "a.b", "", "");
    note_point(&notebook, series, (struct point){0, 0, 1, 0});
    note_point(&notebook, series, (struct point){1, 0, 10, 0});
    note_point(&notebook, series, (struct point){2, 0, 100, 0});
    assert_string_equal(bars(79), "a.b                           |      ###\n"
                                  "1 to 100                      |   ######\n"
                                  "0 to 2                        |:::######\n");
}

/* More points than columns: the chart is as wide as it may be. What is not finite has no bar; one point is no chart. */
static void odd_charts(void **state)
{
    struct series *series;

    (void)state;
    clear();
    series = note_series(&notebook, "long", "bytes", "cycles");
    for (unsigned i = 0; i < 1000; i++)
        note_point(&notebook, series, (struct point){i, 0, 5, 0});
    series = note_series(&notebook, "one", "", "");
    note_point(&notebook, series, (struct point){0, 0, 1, 0});
    series = note_series(&notebook, "odd", "", "");
    note_point(&notebook, series, (struct point){0, 0, NAN, 0});
    note_point(&notebook, series, (struct point){1, 0, INFINITY, 0});
    note_point(&notebook, series, (struct point){2, 0, 3, 0});
    check_width(bars(79), 79);
    assert_int_equal(strstr(sink.bytes, "\nodd") - strstr(sink.bytes, "0 bytes to 999"), 79);
    assert_null(strstr(sink.bytes, "one"));
    assert_non_null(strstr(sink.bytes, "2 to 2                        |      :::\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(long_ones), cmocka_unit_test(hanging),
                                       cmocka_unit_test(likewise),  cmocka_unit_test(wide),
                                       cmocka_unit_test(charts),    cmocka_unit_test(odd_charts)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
