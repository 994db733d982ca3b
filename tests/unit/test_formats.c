// SPDX-License-Identifier: BSD-2-Clause
/* test_formats.c: what other people's programs read: hwloc's XML, sysfs as text, LAVA's lines. */
#include "report/lava.h"
#include "report/xml.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SINK_BYTES = 1 << 16 };

#include "tests/unit/sink_bench.h"

static struct report_sink sink;
static struct notebook notebook, golden;
static struct run_summary run;

static int clear(void **state)
{
    (void)state;
    memset(&notebook, 0, sizeof notebook);
    memset(&golden, 0, sizeof golden);
    sink.used = 0;
    sink.room = sizeof sink.bytes - 1;
    sink.bytes[0] = '\0';
    run = (struct run_summary){.vendor = "A&B",
                               .brand = "<CPU \"1\">",
                               .board = "S\xE9\n'",
                               .firmware = "",
                               .mode = "borrowed",
                               .processors = 2,
                               .run_number = 7,
                               .core = 1};
    return 0;
}

static void expect(const char *text)
{
    if (!strstr(sink.bytes, text))
        fail_msg("no '%s' in:\n%s", text, sink.bytes);
}

static void never(const char *text)
{
    if (strstr(sink.bytes, text))
        fail_msg("'%s' in:\n%s", text, sink.bytes);
}

static void fill(void)
{
    note_value(&notebook, "cpu.frequency", 2e9, "Hz", 0.9, 1, "");
    note_value(&notebook, "l1d.latency", 4, "cycles", 0.999, 1, "");
    note_value(&notebook, "l1d.size", 49152, "bytes", 0.99, 1, "");
    note_value(&notebook, "l1d.ways", 12, "ways", 0.98, 1, "");
    note_value(&notebook, "l1d.line", 64, "bytes", 0.97, 1, "");
    note_value(&notebook, "l2.size", 1310720, "bytes", 0.9, 1, "");
    note_missing(&notebook, "l2.ways", "ways", 1, "no step");
    note_value(&notebook, "l1i.size", 32768, "bytes", 0.9, 1, "");
    note_missing(&notebook, "l3.size", "bytes", 1, "no step");
    note_value(&notebook, "l3.latency", 50, "cycles", 0.9, 1, "");
    note_value(&notebook, "mem.latency.ns", 80.5, "ns", 0.9, 1, "");
}

static void xml_is_quoted(void **state)
{
    struct writer writer;

    (void)state;
    writer_start(&writer, &sink);
    write_xml(&writer, "a<b>&\"c'\xE9\x80\x7F\x01\n;");
    assert_true(writer_end(&writer));
    assert_string_equal(sink.bytes, "a&lt;b&gt;&amp;&quot;c&#39;&#233;????;");
}

static void sysfs_tells_only_what_is_known(void **state)
{
    (void)state;
    fill();
    assert_true(report_sysfs(&sink, &run, &notebook));
    assert_string_equal(sink.bytes, "/sys/devices/system/cpu/cpu1/cache/index0/coherency_line_size:64\n"
                                    "/sys/devices/system/cpu/cpu1/cache/index0/level:1\n"
                                    "/sys/devices/system/cpu/cpu1/cache/index0/number_of_sets:64\n"
                                    "/sys/devices/system/cpu/cpu1/cache/index0/size:48K\n"
                                    "/sys/devices/system/cpu/cpu1/cache/index0/type:Data\n"
                                    "/sys/devices/system/cpu/cpu1/cache/index0/ways_of_associativity:12\n"
                                    "/sys/devices/system/cpu/cpu1/cache/index1/level:1\n"
                                    "/sys/devices/system/cpu/cpu1/cache/index1/size:32K\n"
                                    "/sys/devices/system/cpu/cpu1/cache/index1/type:Instruction\n"
                                    "/sys/devices/system/cpu/cpu1/cache/index2/level:2\n"
                                    "/sys/devices/system/cpu/cpu1/cache/index2/size:1280K\n"
                                    "/sys/devices/system/cpu/cpu1/cache/index2/type:Unified\n");
}

static void sets_must_be_whole(void **state)
{
    (void)state;
    note_value(&notebook, "l1d.size", 49152, "bytes", 0.99, 1, "");
    note_value(&notebook, "l1d.ways", 10, "ways", 0.98, 1, "");
    note_value(&notebook, "l1d.line", 64, "bytes", 0.97, 1, "");
    assert_true(report_sysfs(&sink, &run, &notebook));
    never("number_of_sets");
}

/* Leaves the document where a test asked for it that shows it to hwloc (tests/cases_compare.py). */
static void leave_document(void)
{
    const char *path = getenv("ASSAY_TOPOLOGY");
    FILE *file = path ? fopen(path, "wb") : NULL;

    if (!path)
        return;
    assert_non_null(file);
    assert_int_equal(fwrite(sink.bytes, 1, sink.used, file), sink.used);
    assert_int_equal(fclose(file), 0);
}

static void topology(void **state)
{
    const char *place = sink.bytes;

    (void)state;
    fill();
    assert_true(report_topology(&sink, &run, &notebook));
    leave_document();
    expect("<info name=\"CPUVendor\" value=\"A&amp;B\"/>");
    expect("<info name=\"CPUModel\" value=\"&lt;CPU &quot;1&quot;&gt;\"/>");
    expect("<info name=\"DMIBoardName\" value=\"S&#233;?&#39;\"/>");
    never("DMIBIOSVersion");
    never("L3Cache");
    expect("cache_size=\"49152\" depth=\"1\" cache_linesize=\"64\" cache_associativity=\"12\" cache_type=\"1\"");
    expect("cache_size=\"1310720\" depth=\"2\" cache_linesize=\"0\" cache_associativity=\"0\" cache_type=\"0\"");
    expect("<info name=\"assay:latency\" value=\"4 cycles\"/>");
    expect("<info name=\"assay:latency.confidence\" value=\"0.999\"/>");
    expect("<info name=\"assay:latency.ns\" value=\"80.5 ns\"/>");
    expect("<info name=\"assay:l3.latency\" value=\"50 cycles\"/>");
    /* From the memory to the core. */
    static const char *const order[] = {"Machine", "Package", "NUMANode", "L2Cache", "L1iCache", "L1Cache", "Core"};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        char object[40];
        snprintf(object, sizeof object, "<object type=\"%s\"", order[i]);
        place = strstr(place, object);
        assert_non_null(place);
    }
}

static void many_processors(void **state)
{
    (void)state;
    run.processors = 70;
    run.core = 65;
    assert_true(report_topology(&sink, &run, &notebook));
    expect("<object type=\"Machine\" cpuset=\"0x0000003f,0xffffffff,0xffffffff\"");
    expect("<object type=\"Core\" cpuset=\"0x00000002,0x00000000,0x00000000\"");
    expect("<object type=\"PU\" cpuset=\"0x80000000\"");
    run.processors = 32;
    run.core = 0;
    sink.used = 0;
    assert_true(report_topology(&sink, &run, &notebook));
    expect("<object type=\"Machine\" cpuset=\"0xffffffff\"");
}

static void a_full_medium_ends_it(void **state)
{
    (void)state;
    fill();
    sink.room = 100;
    assert_false(report_topology(&sink, &run, &notebook));
    assert_false(report_sysfs(&sink, &run, &notebook));
    assert_false(report_lava(&sink, &run, &notebook, (struct findings){NULL, 0}));
}

static void lava_without_a_baseline(void **state)
{
    struct finding *finding;

    (void)state;
    note_value(&notebook, "l1d.latency", 4.25, "cycles", 0.999, 1, "");
    finding = note_value(&notebook, "l1d.ways", 12, "ways", 0.98, 1, "");
    finding->agreement = DIFFERS;
    note_value(&notebook, "latency.levels", 3, "", 0.98, 1, "")->agreement = AGREES;
    finding = note_missing(&notebook, "l2.ways", "ways", 1, "no step");
    finding->agreement = DIFFERS;
    note_value(&notebook, "l2.size", 3, "bytes", 0.98, 1, "")->emulated = true;
    assert_true(report_lava(&sink, &run, &notebook, (struct findings){NULL, 0}));
    assert_string_equal(sink.bytes,
                        "<LAVA_SIGNAL_STARTRUN assay 7>\n"
                        "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=l1d.latency RESULT=pass MEASUREMENT=4.25 UNITS=cycles>\n"
                        "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=l1d.ways RESULT=fail MEASUREMENT=12 UNITS=ways>\n"
                        "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=latency.levels RESULT=pass MEASUREMENT=3>\n"
                        "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=l2.ways RESULT=skip>\n"
                        "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=l2.size RESULT=unknown MEASUREMENT=3 UNITS=bytes>\n"
                        "<LAVA_SIGNAL_ENDRUN assay 7>\n");
}

static void lava_beside_a_baseline(void **state)
{
    struct findings baseline = {golden.finding, 0};

    (void)state;
    note_value(&notebook, "l1d.size", 16384, "bytes", 0.999, 1, "");
    note_value(&golden, "l1d.size", 32768, "bytes", 0.999, 1, "");
    note_value(&notebook, "l1d.ways", 4, "ways", 0.999, 1, "");
    note_value(&golden, "l1d.ways", 8, "ways", 0.5, 1, "");
    note_missing(&notebook, "l1d.line", "bytes", 1, "no");
    note_value(&golden, "l1d.line", 64, "bytes", 0.999, 1, "");
    note_value(&golden, "l2.size", 64, "bytes", 0.999, 1, "");
    baseline.count = golden.findings;
    assert_true(report_lava(&sink, &run, &notebook, baseline));
    assert_string_equal(sink.bytes,
                        "<LAVA_SIGNAL_STARTRUN assay 7>\n"
                        "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=l1d.size RESULT=fail MEASUREMENT=16384 UNITS=bytes>\n"
                        "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=l1d.ways RESULT=unknown MEASUREMENT=4 UNITS=ways>\n"
                        "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=l1d.line RESULT=fail>\n"
                        "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=baseline RESULT=fail>\n"
                        "<LAVA_SIGNAL_ENDRUN assay 7>\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(xml_is_quoted, clear),
        cmocka_unit_test_setup(sysfs_tells_only_what_is_known, clear),
        cmocka_unit_test_setup(sets_must_be_whole, clear),
        cmocka_unit_test_setup(topology, clear),
        cmocka_unit_test_setup(many_processors, clear),
        cmocka_unit_test_setup(a_full_medium_ends_it, clear),
        cmocka_unit_test_setup(lava_without_a_baseline, clear),
        cmocka_unit_test_setup(lava_beside_a_baseline, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
