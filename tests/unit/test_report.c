// SPDX-License-Identifier: BSD-2-Clause
/* test_report.c: the documents of a small notebook, byte by byte, and of one with nasty strings and numbers. */
#include "base/text.h"
#include "report/quantity.h"
#include "report/report.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SINK_BYTES = 1 << 16 };

#include "tests/unit/sink_bench.h"

static struct report_sink sink;
static struct notebook notebook;

static const struct run_summary run = {.tool_version = "0.1.0",
                                       .build = "abc",
                                       .implementation = "kernel",
                                       .vendor = "AuthenticAMD",
                                       .brand = "AMD EPYC",
                                       .board = "Bo\"ard",
                                       .serial = "S\xE9\n1",
                                       .firmware = "EDK II",
                                       .hypervisor = "",
                                       .note = "",
                                       .signature = 0xb00f21,
                                       .microcode = 0xb002116,
                                       .tsc_hz = 2596000000,
                                       .emulated = false,
                                       .mode = "borrowed",
                                       .options = "--probe=l1d",
                                       .date = "2026-11-21T09:30:00",
                                       .run_number = 3,
                                       .duration_ms = 12340,
                                       .seed = 1,
                                       .processors = 4,
                                       .skipped = 1};

static void clear(void)
{
    memset(&notebook, 0, sizeof notebook);
    sink.used = 0;
    sink.room = sizeof sink.bytes - 1;
}

static void fill(void)
{
    struct finding *finding;
    struct series *series;

    clear();
    finding = note_value(&notebook, "l1d.size", 49152, "bytes", 0.9999, 1000, "X-Ray, \"Figure 6\"");
    finding->agreement = AGREES;
    finding->declared_low = finding->declared_high = 49152;
    strcpy(finding->declared_by, "CPUID 8000001D");
    finding = note_missing(&notebook, "l1d.ways", "ways", 17, "no step seen up to %d MB", 64);
    finding->agreement = DIFFERS;
    finding->declared_low = finding->declared_high = 12;
    strcpy(finding->declared_by, "CPUID 8000001D");
    finding = note_value(&notebook, "cpu.tsc", 2.595e9, "Hz", 1, 0, "counted");
    finding->agreement = DIFFERS;
    finding->declared_low = 2600000000;
    finding->declared_high = 2700000000;
    strcpy(finding->declared_by, "CPUID 15");
    finding = note_value(&notebook, "l1d.latency", 4.04, "cycles", 0.5, 5, "walk");
    finding->emulated = true;
    series = note_series(&notebook, "latency.4k", "bytes", "cycles");
    note_point(&notebook, series, (struct point){1024, 4, 4.04, 4.1});
    note_point(&notebook, series, (struct point){2048, 4, 0.0 / 0.0, 4.1});
}

static void json(void **state)
{
    static const char expected[] =
        "{\n"
        "  \"schema\": \"assay-result/1\",\n"
        "  \"tool\": {\"name\": \"assay\", \"version\": \"0.1.0\", \"build\": \"abc\"},\n"
        "  \"machine\": {\"implementation\": \"kernel\", \"vendor\": \"AuthenticAMD\", \"brand\": \"AMD EPYC\", "
        "\"signature\": \"0x00b00f21\", \"microcode\": \"0xb002116\", \"hypervisor\": \"\", \"emulated\": false,\n"
        "    \"board\": \"Bo\\\"ard\", \"serial\": \"S\\u00e9\\u000a1\", \"firmware\": \"EDK II\", \"processors\": 4, "
        "\"tsc_hz\": 2596000000, \"core_hz\": null, \"note\": \"\"},\n"
        "  \"run\": {\"number\": 3, \"date\": \"2026-11-21T09:30:00\", \"mode\": \"borrowed\", "
        "\"options\": \"--probe=l1d\", \"seed\": 1, \"core\": 0, \"duration_ms\": 12340, \"disturbances\": 0, "
        "\"lost_ticks\": 0, \"skipped\": 1, \"faulted\": 0},\n"
        "  \"dropped\": 0,\n"
        "  \"findings\": [\n"
        "    {\"id\": \"l1d.size\", \"measured\": true, \"value\": 49152, \"unit\": \"bytes\", \"confidence\": 0.9999, "
        "\"cost\": 1000, \"method\": \"X-Ray, \\\"Figure 6\\\"\", \"emulated\": false, \"declared\": {\"low\": 49152, "
        "\"high\": 49152, \"by\": \"CPUID 8000001D\"}, \"agreement\": \"agrees\"},\n"
        "    {\"id\": \"l1d.ways\", \"measured\": false, \"unit\": \"ways\", \"cost\": 17, "
        "\"why\": \"no step seen up to 64 MB\", \"emulated\": false, \"declared\": {\"low\": 12, \"high\": 12, "
        "\"by\": \"CPUID 8000001D\"}, \"agreement\": null},\n"
        "    {\"id\": \"cpu.tsc\", \"measured\": true, \"value\": 2595000000, \"unit\": \"Hz\", \"confidence\": 1, "
        "\"cost\": 0, \"method\": \"counted\", \"emulated\": false, \"declared\": {\"low\": 2600000000, "
        "\"high\": 2700000000, \"by\": \"CPUID 15\"}, \"agreement\": \"differs\"},\n"
        "    {\"id\": \"l1d.latency\", \"measured\": true, \"value\": 4.04, \"unit\": \"cycles\", \"confidence\": 0.5, "
        "\"cost\": 5, \"method\": \"walk\", \"emulated\": true, \"declared\": null, \"agreement\": null}\n"
        "  ],\n"
        "  \"series\": [\n"
        "    {\"id\": \"latency.4k\", \"x\": \"bytes\", \"y\": \"cycles\", \"points\": [\n"
        "      [1024, 4, 4.04, 4.1],\n"
        "      [2048, 4, null, 4.1]\n"
        "    ]}\n"
        "  ]\n"
        "}\n";

    (void)state;
    fill();
    assert_true(report_json(&sink, &run, &notebook));
    assert_string_equal(sink.bytes, expected);
}

static void empty_json(void **state)
{
    struct run_summary dead = run;

    (void)state;
    clear();
    dead.date = "";
    dead.microcode = 0;
    assert_true(report_json(&sink, &dead, &notebook));
    assert_non_null(strstr(sink.bytes, "\"date\": null"));
    assert_non_null(strstr(sink.bytes, "\"microcode\": null"));
    assert_non_null(strstr(sink.bytes, "\"findings\": [],\n  \"series\": []\n}\n"));
}

static void csv(void **state)
{
    static const char findings[] =
        "id,measured,value,unit,confidence,cost,method,why,emulated,declared_low,declared_high,declared_by,"
        "agreement\r\n"
        "l1d.size,yes,49152,bytes,0.9999,1000,\"X-Ray, \"\"Figure 6\"\"\",,no,49152,49152,CPUID 8000001D,agrees\r\n"
        "l1d.ways,no,,ways,,17,,no step seen up to 64 MB,no,12,12,CPUID 8000001D,\r\n"
        "cpu.tsc,yes,2595000000,Hz,1,0,counted,,no,2600000000,2700000000,CPUID 15,differs\r\n"
        "l1d.latency,yes,4.04,cycles,0.5,5,walk,,yes,,,,\r\n";
    static const char series[] = "series,x_unit,y_unit,x,low,middle,high\r\n"
                                 "latency.4k,bytes,cycles,1024,4,4.04,4.1\r\n"
                                 "latency.4k,bytes,cycles,2048,4,,4.1\r\n";

    (void)state;
    fill();
    assert_true(report_findings(&sink, &notebook));
    assert_string_equal(sink.bytes, findings);
    sink.used = 0;
    assert_true(report_series(&sink, &notebook));
    assert_string_equal(sink.bytes, series);
}

static void table(void **state)
{
    static const char expected[] = "AMD EPYC, Bo\"ard (borrowed)\n"
                                   "finding             value         sure     declared\n"
                                   "l1d.size            48 KB         >99.9 %  = 48 KB by CPUID 8000001D\n"
                                   "l1d.ways            not measurable: no step seen up to 64 MB (declared: 12 ways\n"
                                   "                    by CPUID 8000001D)\n"
                                   "cpu.tsc             2.595 GHz     100 %    DIFFERS: 2.6 GHz to 2.7 GHz by CPUID\n"
                                   "                                           15\n"
                                   "l1d.latency         4.04 cycles   50.0 %\n"
                                   "3 of 4 measured, 1 agrees with what the machine declares, 1 differs, 1 probe\n"
                                   "skipped; 12.3 s.\n"
                                   "Emulated: these values show the computer that emulates this one, through the\n"
                                   "emulator's clock.\n";

    (void)state;
    fill();
    assert_true(report_table(&sink, &run, &notebook, 79));
    assert_string_equal(sink.bytes, expected);
}

/* No line is wider than asked for, whatever stands in it. */
static void narrow_tables(void **state)
{
    (void)state;
    for (unsigned columns = 60; columns <= 132; columns++) {
        struct run_summary wide = run;
        size_t width = 0;
        fill();
        wide.note =
            "a_word_that_is_far_too_long_to_stand_on_any_line_of_any_console_in_the_world_and_that_has_no_blank_"
            "anywhere";
        note_value(&notebook, "an.id.of.27.characters.long", 123456.789, "megaunits/s", 0.123, 1, "");
        note_missing(&notebook, "an.id.of.27.characters.lon2", "", 1, "%s", wide.note);
        assert_true(report_table(&sink, &wide, &notebook, columns));
        for (size_t i = 0; i < sink.used; i++) {
            char byte = sink.bytes[i];
            assert_true(byte == '\n' || (byte >= 0x20 && byte < 0x7F));
            width = byte == '\n' ? 0 : width + 1;
            if (width > columns)
                fail_msg("a line of more than %u columns: %s", columns, sink.bytes);
        }
    }
}

static void nasty(void **state)
{
    struct finding *finding;

    (void)state;
    clear();
    finding = note_value(&notebook, "a.b", 0.0 / 0.0, "x", 7, 0, "a\\\"\t\x01\x7F\xFF,\r\nb");
    assert_true(report_finding(&sink, finding));
    assert_string_equal(sink.bytes, "{\"id\": \"a.b\", \"measured\": false, \"unit\": \"x\", \"cost\": 0, "
                                    "\"why\": \"the probe's value is not a finite number\", \"emulated\": false, "
                                    "\"declared\": null, \"agreement\": null}");
    sink.used = 0;
    finding->value = -1.5;
    assert_true(report_finding(&sink, finding));
    assert_string_equal(sink.bytes,
                        "{\"id\": \"a.b\", \"measured\": true, \"value\": -1.5, \"unit\": \"x\", \"confidence\": 1, "
                        "\"cost\": 0, \"method\": \"a\\\\\\\"\\u0009\\u0001\\u007f\\u00ff,\\u000d\\u000ab\", "
                        "\"emulated\": false, \"declared\": null, \"agreement\": null}");
    sink.used = 0;
    finding->confidence = 0.0 / 0.0;
    assert_true(report_findings(&sink, &notebook));
    assert_non_null(strstr(sink.bytes, "a.b,yes,-1.5,x,0,0,\"a\\\"\"????,\r\nb\",,no,,,,\r\n"));
    sink.used = 0;
    note_missing(&notebook, "a.c", "", 0, "%s", "");
    assert_true(report_findings(&sink, &notebook));
    assert_non_null(strstr(sink.bytes, "no reason was given"));
}

/* A medium that is full at any byte: told, and nothing more is written. */
static void full(void **state)
{
    size_t whole;

    (void)state;
    fill();
    assert_true(report_json(&sink, &run, &notebook));
    whole = sink.used;
    for (size_t room = 0; room < whole; room++) {
        sink.used = 0;
        sink.room = room;
        assert_false(report_json(&sink, &run, &notebook));
    }
}

static void expect_quantity(double value, const char *unit, const char *expected)
{
    char buffer[64];
    struct text text = text_in(buffer, sizeof buffer);

    quantity_text(&text, value, unit);
    assert_string_equal(buffer, expected);
}

static void quantities(void **state)
{
    (void)state;
    expect_quantity(64, "bytes", "64 bytes");
    expect_quantity(1023, "bytes", "1023 bytes");
    expect_quantity(1536, "bytes", "1.5 KB");
    expect_quantity(33554432, "bytes", "32 MB");
    expect_quantity(1073741824, "bytes", "1 GB");
    expect_quantity(2596000000.0, "Hz", "2.596 GHz");
    expect_quantity(14318180, "Hz", "14.32 MHz");
    expect_quantity(3.99519, "cycles", "3.995 cycles");
    expect_quantity(0.000123456, "ns", "0.0001235 ns");
    expect_quantity(505.815, "cycles", "505.8 cycles");
    expect_quantity(-1.23456, "", "-1.235");
    expect_quantity(6462480, "ns", "6462480 ns");
    expect_quantity(0, "Hz", "0 Hz");
    expect_quantity(12, "ways", "12 ways");
    expect_quantity(3, "", "3");
    expect_quantity(1, "yes/no", "yes");
    expect_quantity(0, "yes/no", "no");
    expect_quantity(0.5, "yes/no", "0.5 yes/no");
    expect_quantity(639, "bit mask", "bits 0-6 9");
    expect_quantity(0x40005, "bit mask", "bits 0 2 18");
    expect_quantity(0, "bit mask", "no bits");
    expect_quantity(1.5, "bit mask", "1.5 bit mask");
    expect_quantity(-1, "bit mask", "-1 bit mask");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(json),          cmocka_unit_test(empty_json),
                                       cmocka_unit_test(csv),           cmocka_unit_test(table),
                                       cmocka_unit_test(narrow_tables), cmocka_unit_test(nasty),
                                       cmocka_unit_test(full),          cmocka_unit_test(quantities)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
