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

/* Those against lines of a set share a picture, those against offsets another one. */
static void curves_of_misses(void **state)
{
    char buffer[64];
    struct text text = text_in(buffer, sizeof buffer);

    (void)state;
    curve_title(&text, "penalty.l3.even", false);
    assert_string_equal(buffer, "Loads that miss the L3 cache");
    text = text_in(buffer, sizeof buffer);
    curve_title(&text, "penalty.l2.offset", false);
    assert_string_equal(buffer, "Loads that miss the L2 cache, by offset");
    assert_string_equal(curve_x("penalty.l2.pages"), "lines of a set");
    assert_string_equal(curve_x("penalty.l2.offset_random"), "offset in a line");
    text = text_in(buffer, sizeof buffer);
    group_title(&text, "penalty.l2.sizes");
    assert_string_equal(buffer, "Loads that miss");
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
    expect("  Itanium 2                 24          24         n/a         n/a\n");
    expect("  Itanium 2                  ?          19          14       abort\n\nSection 6: ");
    expect("  Pentium 4                 64          65       wrong       wrong\n");
    assert_string_equal(sink.bytes + sink.used - 6, "wrong\n");
    expect_narrow();
}

/* A curve whose medians are so many times x, between quartiles that are one less and one more. */
static void note_curve(const char *id, const double (*at)[2], unsigned points)
{
    struct series *series = note_series(&notebook, id, "lines", "cycles");

    for (unsigned i = 0; i < points; i++)
        note_point(&notebook, series, (struct point){at[i][0], at[i][1] - 1, at[i][1], at[i][1] + 1});
}

/* Two levels: 2 and 4 ways, hits of 3 and 15 cycles; memory takes 200, and 250 once more lines share a set. */
static void note_machine(void)
{
    static const double first[][2] = {{1, 3}, {2, 3}, {3, 31}, {4, 15}, {6, 16}, {7, 200}};
    static const double second[][2] = {{1, 3}, {4, 15}, {11, 20}, {12, 210}, {24, 200.4}};
    static const double odd[][2] = {{12, 230}, {30, 220}}, random[][2] = {{1, 3}, {4, 18}};

    note_value(&notebook, "l1d.size", 65536, "bytes", 0.998, 0, "");
    note_value(&notebook, "l1d.ways", 2, "ways", 0.997, 0, "");
    note_value(&notebook, "l1d.virtual_index", 1, "yes/no", 0.9, 0, "");
    note_value(&notebook, "l1d.latency", 3, "cycles", 0.9, 0, "");
    note_value(&notebook, "penalty.l1d.sizes", 9, "sizes", 0.9, 0, "");
    note_value(&notebook, "l2.ways", 4, "ways", 0.9, 0, "");
    note_missing(&notebook, "l2.size", "bytes", 0, "a reason of its own");
    note_value(&notebook, "l2.latency", 15, "cycles", 0.9, 0, "");
    note_missing(&notebook, "penalty.l2.sizes", "sizes", 0, "no rule");
    note_missing(&notebook, "l3.size", "bytes", 0, "no such level was seen");
    note_missing(&notebook, "l3.ways", "ways", 0, "no such level was seen");
    note_curve("penalty.l1d.even", first, 6);
    note_curve("penalty.l1d.random", random, 2);
    note_curve("penalty.l2.even", second, 5);
    note_curve("penalty.l2.odd", odd, 2);
}

/* Each entry beside the paper's; why there is none, once where it is the same for several. */
static void babka_table(void **state)
{
    (void)state;
    note_machine();
    assert_true(report_suite_babka(&sink, &notebook, COLUMNS, false));
    expect("\nTable 2: cache parameters\n"
           "                    this machine         sure      Intel Server   AMD Server\n"
           "L1 data cache\n"
           "  size              64 KB                99.8 %    32 KB          64 KB\n"
           "  associativity     2-way                99.7 %    8-way          2-way\n"
           "  index             virtual              90.0 %    virtual        virtual\n"
           "  miss, random sets 15                                            12\n"
           "  miss, single set  12-13                          11             27-40\n"
           "  miss, its peak    28 at 3 lines                                 40\n"
           "L1 code cache\n"
           "  size              -                              32 KB          64 KB\n");
    expect("  miss, single set  -                              30             25\n"
           "  miss, its peak    -\n"
           "    all: not measured: none of the probes that ran is about this cache\n"
           "L2 unified cache\n"
           "  size              -                              4 MB           512 KB\n"
           "  associativity     4-way                90.0 %    16-way         16-way\n"
           "  index             -                              physical       physical\n"
           "  miss, random sets -                                             +32-35\n"
           "  miss, single set  185-215                        256-286        +16-63\n"
           "  miss, its peak    none\n"
           "    size: not measurable: a reason of its own\n"
           "    index: not measured: none of the probes that ran tells l2.virtual_index\n"
           "    miss, random sets: not measurable: no rule\n"
           "L3 unified cache\n"
           "  size              -                                             2 MB\n");
    expect("  miss, random sets -                                             +208\n"
           "  miss, single set  -                                             +159-211\n"
           "  miss, its peak    -\n"
           "    size: not measurable: no such level was seen\n");
    assert_null(strstr(sink.bytes, "associativity: not measurable: no such level"));
    assert_null(strstr(sink.bytes, "Emulated"));
    expect_narrow();
    sink.used = 0;
    notebook.finding[0].emulated = true;
    assert_true(report_suite_babka(&sink, &notebook, COLUMNS, false));
    expect("\nEmulated: these values show the computer");
    expect_narrow();
}

/* Two levels of TLBs, a page-structure cache and one that is not there; a walk is what the second level's miss takes,
 * more than the first one's. */
static void note_translation(void)
{
    note_value(&notebook, "itlb1.4k.entries", 128, "entries", 0.99, 0, "");
    note_value(&notebook, "itlb1.4k.ways", 4, "ways", 0.98, 0, "");
    note_missing(&notebook, "itlb2.4k.entries", "entries", 0, "no second step");
    note_missing(&notebook, "itlb2.4k.penalty", "cycles", 0, "no second step");
    note_value(&notebook, "dtlb1.4k.entries", 48, "entries", 0.99, 0, "");
    note_value(&notebook, "dtlb1.4k.ways", 48, "ways", 0.97, 0, "");
    note_value(&notebook, "dtlb2.4k.entries", 512, "entries", 0.99, 0, "");
    note_value(&notebook, "dtlb2.4k.ways", 4, "ways", 0.99, 0, "");
    note_value(&notebook, "dtlb2.4k.penalty", 5, "cycles", 0.99, 0, "");
    note_value(&notebook, "walker.cached_in", 2, "level", 0.95, 0, "");
    note_value(&notebook, "walk.4k.l1", 9, "cycles", 0.99, 0, "");
    note_value(&notebook, "walk.4k.l2", 40.25, "cycles", 0.96, 0, "");
    note_value(&notebook, "psc.pde.entries", 24, "entries", 0.9, 0, "");
    note_value(&notebook, "psc.pde.miss", 21, "cycles", 0.8, 0, "");
    note_value(&notebook, "psc.pml4e.entries", 0, "entries", 0.9, 0, "");
}

static void babka_translation(void **state)
{
    (void)state;
    note_translation();
    assert_true(report_suite_babka(&sink, &notebook, COLUMNS, false));
    expect("\nTable 1: translation buffers, for pages of 4 KB\n"
           "              entries  ways     miss      sure    Intel Server    AMD Server\n"
           "L1 ITLB       128      4-way              98.0 %  128 4-way 18.5  32 full 4\n"
           "    not measurable: no second step\n"
           "L2 ITLB       -                                                   512 4-way +40\n"
           "L1 DTLB       48       full     5.0       97.0 %  16 4-way 2      48 full 5\n"
           "L2 DTLB       512      4-way    +35.3     95.0 %  256 4-way +7    512 4-way +35\n"
           "PDE cache     24                +21.0     80.0 %  present +4      present +21\n"
           "PDPTE cache   -                                   present +8      present +21\n"
           "    not measured: none of the probes that ran tells psc.pdpte.entries\n"
           "PML4E cache   not present                 90.0 %  not present     present +21\n"
           "Misses: core cycles.");
    expect_narrow();
}

/* Where there is one level of TLBs for loads, a walk is what its miss takes; and where nothing is known of walks, that
 * is said. */
static void babka_one_level(void **state)
{
    (void)state;
    note_translation();
    notebook.finding[6].measured = notebook.finding[8].measured = false;
    text_copy(notebook.finding[6].why, sizeof notebook.finding[6].why, "no second step");
    text_copy(notebook.finding[8].why, sizeof notebook.finding[8].why, "no second step");
    assert_true(report_suite_babka(&sink, &notebook, COLUMNS, false));
    expect("L1 DTLB       48       full     40.3      95.0 %  16 4-way 2      48 full 5\n"
           "L2 DTLB       -                                   256 4-way +7    512 4-way +35\n"
           "    not measurable: no second step\n");
    sink.used = 0;
    notebook.finding[11].measured = false; /* walk.4k.l2 */
    text_copy(notebook.finding[11].why, sizeof notebook.finding[11].why, "no walk");
    assert_true(report_suite_babka(&sink, &notebook, COLUMNS, false));
    expect("L1 DTLB       48       full               95.0 %  16 4-way 2      48 full 5\n"
           "    not measurable: no walk\n");
}

/* In short where curves begin, rise and end; whole with each point of both, and blanks where one has none. */
static void babka_figures(void **state)
{
    (void)state;
    note_machine();
    assert_true(report_suite_babka(&sink, &notebook, COLUMNS, false));
    expect("an even one and\nan odd one\n"
           "  penalty.l2.even: 3.0 at 1, 20.0 at 11, 210.0 at 12, 200.4 at 24 lines\n"
           "  penalty.l2.odd: 230.0 at 12, 220.0 at 30 lines\n\nFigure 10: ");
    expect("\n  penalty.l2.pages: not measurable: no rule\n\nFigure 8: ");
    expect("\n  not measured: no probe counts events");
    expect_narrow();
    sink.used = 0;
    assert_true(report_suite_babka(&sink, &notebook, COLUMNS, true));
    expect("                           penalty.l2.even                     penalty.l2.odd\n"
           "  lines          low     median       high          low     median       high\n"
           "      1          2.0        3.0        4.0\n"
           "      4         14.0       15.0       16.0\n"
           "     11         19.0       20.0       21.0\n"
           "     12        209.0      210.0      211.0        229.0      230.0      231.0\n"
           "     24        199.4      200.4      201.4\n"
           "     30                                           219.0      220.0      221.0\n"
           "\nFigure 10: ");
    expect_narrow();
}

/* Of a run that found nothing each figure says why, and so does each cache. */
static void babka_without_anything(void **state)
{
    (void)state;
    assert_true(report_suite_babka(&sink, &notebook, COLUMNS, true));
    for (unsigned figure = 1; figure <= 11; figure++) {
        char title[16] = "\nFigure ";
        title[8] = (char)(figure < 10 ? '0' + figure : '1');
        const char *at = strstr(sink.bytes, title);
        assert_true(at && strstr(at, "not measured: "));
    }
    expect("\n  penalty.l1d.even: not measured: none of the probes that ran tells\n  penalty.l1d.sizes\n");
    note_value(&notebook, "penalty.l1d.sizes", 4, "sizes", 1, 0, "");
    note_value(&notebook, "l1d.latency", 3, "cycles", 1, 0, "");
    note_series(&notebook, "penalty.l1d.even", "lines", "cycles");
    sink.used = 0;
    assert_true(report_suite_babka(&sink, &notebook, COLUMNS, true));
    expect("\n  penalty.l1d.even: not measurable: it has no points\n");
    expect("\n    miss, random sets: not measurable: the memory has too few lines of one set\n");
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
        assert_false(report_suite_babka(&sink, &notebook, COLUMNS, true));
    }
    clear(NULL);
    note_list("list.8.64.read.up", 3, 1);
    sink.room = 100;
    assert_false(report_suite_list(&sink, &notebook, COLUMNS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(lists, clear),
                                       cmocka_unit_test_setup(no_lists, clear),
                                       cmocka_unit_test(curves_of_lists),
                                       cmocka_unit_test(curves_of_misses),
                                       cmocka_unit_test_setup(xray_here, clear),
                                       cmocka_unit_test_setup(xray_there, clear),
                                       cmocka_unit_test_setup(babka_table, clear),
                                       cmocka_unit_test_setup(babka_translation, clear),
                                       cmocka_unit_test_setup(babka_one_level, clear),
                                       cmocka_unit_test_setup(babka_figures, clear),
                                       cmocka_unit_test_setup(babka_without_anything, clear),
                                       cmocka_unit_test_setup(failing_sink, clear)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
