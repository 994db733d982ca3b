// SPDX-License-Identifier: BSD-2-Clause
/* test_suites.c: the tables of the suites from notebooks filled by hand: what was measured, what was not and why, and
 * what the paper prints. */
#include "base/text.h"
#include "report/names.h"
#include "report/report.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { SINK_BYTES = 1 << 15 };

#include "tests/unit/sink_bench.h"

enum { COLUMNS = 79 };

static struct report_sink sink;
static struct notebook notebook;

static int clear(void **state)
{
    (void)state;
    memset(&notebook, 0, sizeof notebook);
    sink.used = 0;
    sink.room = sizeof sink.bytes - 1;
    return 0;
}

static void expect(const char *text)
{
    if (!strstr(sink.bytes, text))
        fail_msg("no '%s' in:\n%s", text, sink.bytes);
}

static void expect_narrow(void)
{
    size_t width = 0;

    for (const char *at = sink.bytes; *at; at++) {
        width = *at == '\n' ? 0 : width + 1;
        if (width > COLUMNS)
            fail_msg("a line of more than %d columns: %.100s", (int)COLUMNS, at - width + 1);
    }
}

static void note_list(const char *id, unsigned points, double first)
{
    struct series *series = note_series(&notebook, id, "bytes", "ns");

    for (unsigned i = 0; i < points; i++)
        note_point(&notebook, series, (struct point){1024 << i, first, first * (i + 1), 99});
}

/* A row for each size, in nanoseconds and in cycles of 4 GHz; what an order does not have is a dash. */
static void lists(void **state)
{
    (void)state;
    note_value(&notebook, "cpu.frequency", 4e9, "Hz", 1, 0, "");
    note_list("list.8.64.read.up", 2, 1);
    note_list("list.8.64.read.down", 1, 1.25);
    note_list("list.4.16.write.random", 3, 150.125);
    note_list("list.8.64.read.random", 2, 2);
    note_list("latency.4k", 5, 3);
    note_value(&notebook, "list.sizes", 8, "sizes", 1, 0, "");
    assert_true(report_suite_list(&sink, &notebook, COLUMNS));
    expect("in core cycles of 4 GHz\n(cpu.frequency).");
    expect("\n64-byte elements (NUMPAD 7), 8-byte links, read\n"
           "                           ascending        descending            random\n"
           "array           N        ns   cycles       ns   cycles       ns   cycles\n"
           "1 KB           16      1.00      4.0     1.25      5.0     2.00      8.0\n"
           "2 KB           32      2.00      8.0        -        -     4.00     16.0\n"
           "\n16-byte elements (NUMPAD 3), 4-byte links, write\n");
    expect("\n4 KB          256         -        -        -        -   450.38   1801.5\n");
    assert_null(strstr(sink.bytes, "latency"));
    assert_null(strstr(sink.bytes, "Not all lists"));
    assert_null(strstr(sink.bytes, "Emulated"));
    expect_narrow();
    sink.used = 0;
    notebook.finding[0].emulated = true;
    assert_true(report_suite_list(&sink, &notebook, COLUMNS));
    expect("\nEmulated: these times show the computer");
    expect_narrow();
}

static void no_lists(void **state)
{
    (void)state;
    note_missing(&notebook, "cpu.frequency", "Hz", 0, "adds and multiplies disagree");
    note_missing(&notebook, "list.sizes", "sizes", 0, "skipped");
    note_list("list.8.64.read.up", 1, 1);
    assert_true(report_suite_list(&sink, &notebook, COLUMNS));
    expect("which are not\nknown: cpu.frequency is not measurable: adds and multiplies disagree.");
    expect("1 KB           16      1.00        -        -        -        -        -\n");
    expect("\nNot all lists were measured: skipped.\n");
    expect_narrow();
    clear(NULL);
    assert_true(report_suite_list(&sink, &notebook, COLUMNS));
    expect("cpu.frequency is not measurable: it was not asked for.");
    expect("Not all lists were measured: they were not asked for.\n");
}

/* Curves of one kind of list share a picture, which says which kind it is; each is called what its order is. */
static void curves_of_lists(void **state)
{
    char buffer[64];
    struct text text = text_in(buffer, sizeof buffer);

    (void)state;
    curve_title(&text, "list.8.64.read.up", false);
    assert_string_equal(buffer, "Time of a linked element (list.8.64.read)");
    text = text_in(buffer, sizeof buffer);
    curve_title(&text, "list.8.64.read.up", true);
    assert_string_equal(buffer, "Time of a linked element (list.8.64.read.up)");
    text = text_in(buffer, sizeof buffer);
    curve_title(&text, "latency.4k", false);
    assert_string_equal(buffer, "Load latency against footprint");
    text = text_in(buffer, sizeof buffer);
    curve_label(&text, "list.8.64.read.down");
    assert_string_equal(buffer, "descending");
    assert_string_equal(curve_x("list.4.4.read.up"), "array");
}

/* What this machine has, what could not be measured and what nobody asked for, each with what is declared. */
static void xray_here(void **state)
{
    struct finding *finding = note_value(&notebook, "l1d.size", 49152, "bytes", 0.998, 0, "");

    (void)state;
    finding->agreement = AGREES;
    finding->declared_low = finding->declared_high = 49152;
    strcpy(finding->declared_by, "CPUID 4");
    note_value(&notebook, "mem.latency", 299.6789, "cycles", 0.9, 0, "")->emulated = true;
    finding = note_missing(&notebook, "l2.ways", "ways", 0, "noise");
    finding->agreement = DIFFERS;
    finding->declared_low = 16;
    finding->declared_high = 31;
    strcpy(finding->declared_by, "CPUID 80000006");
    assert_true(report_suite_xray(&sink, &notebook, COLUMNS));
    expect("\nL1 data cache: capacity (KB)\n  this machine    48 by assay, 99.8 % sure; declared 48 by CPUID 4\n");
    expect(
        "\nMain memory: latency (cycles)\n  this machine    299.7 by assay, 90.0 % sure, on an emulator whose clock");
    expect("  this machine    not measurable: noise; declared 16 to 31 by CPUID 80000006\n");
    expect(
        "\nL2 data cache: block (bytes)\n  this machine    not measured: none of the probes that ran tells l2.line\n");
    expect_narrow();
}

/* The papers' entries: those that its text speaks of, and the first and last of both tables. */
static void xray_there(void **state)
{
    (void)state;
    assert_true(report_suite_xray(&sink, &notebook, COLUMNS));
    expect("                        actual       X-Ray  Calibrator     lmbench\n"
           "  Pentium 4                  8           8           8           8\n");
    expect("  Power 3                   64        64.5          64          64\n");
    expect("  Power 3                  128         129         n/a         n/a\n");
    expect("  Athlon MP                512         576         384         512\n");
    expect("  Opteron 240             1024        1088         768       abort\n");
    expect("  Athlon MP                 16          18         n/a         n/a\n");
    expect("  Opteron 240               16          17         n/a         n/a\n");
    expect("  Pentium 4                  ?      761.92      372.42      368.31\n");
    expect("  Power 3                    ?          os      136.22      160.84\n\nTable 3\n");
    expect("  Itanium 2                  ?          19          14       abort\n");
    assert_string_equal(sink.bytes + sink.used - 6, "abort\n");
    expect_narrow();
}

/* A sink that fails, at any byte, is told. */
static void failing_sink(void **state)
{
    (void)state;
    for (size_t room = 0; room < 4096; room += 512) {
        clear(NULL);
        sink.room = room;
        assert_false(report_suite_xray(&sink, &notebook, COLUMNS));
    }
    clear(NULL);
    note_list("list.8.64.read.up", 3, 1);
    sink.room = 100;
    assert_false(report_suite_list(&sink, &notebook, COLUMNS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(lists, clear),      cmocka_unit_test_setup(no_lists, clear),
        cmocka_unit_test(curves_of_lists),         cmocka_unit_test_setup(xray_here, clear),
        cmocka_unit_test_setup(xray_there, clear), cmocka_unit_test_setup(failing_sink, clear)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
