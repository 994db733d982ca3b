// SPDX-License-Identifier: BSD-2-Clause
/* test_result.c: result.json read back: what was written comes back byte for byte, and what is damaged is refused with
 * the place where. */
#include "hosted/result.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct report_sink {
    char bytes[1 << 17];
    size_t used;
};

bool report_out(struct report_sink *sink, const char *bytes, size_t length)
{
    assert_true(sink->used + length < sizeof sink->bytes);
    memcpy(sink->bytes + sink->used, bytes, length);
    sink->used += length;
    sink->bytes[sink->used] = '\0';
    return true;
}

static struct report_sink sink, again;
static struct notebook notebook;
static struct result result;
static char said[200];

static bool parse(const char *bytes, size_t length)
{
    struct text complaint = text_in(said, sizeof said);
    bool good = result_parse(&result, bytes, length, &complaint);

    assert_int_equal(good, complaint.length == 0);
    return good;
}

static struct run_summary run = {.tool_version = "0.1.0",
                                 .build = "abc",
                                 .implementation = "kernel",
                                 .vendor = "AuthenticAMD",
                                 .brand = "AMD EPYC",
                                 .board = "Bo\"ard",
                                 .serial = "S\xE9\n1\xFF\x80",
                                 .firmware = "EDK II",
                                 .hypervisor = "",
                                 .note = "",
                                 .signature = 0xb00f21,
                                 .microcode = 0xb002116,
                                 .tsc_hz = 2596000000,
                                 .mode = "borrowed",
                                 .options = "--probe=l1d",
                                 .date = "2026-11-21T09:30:00",
                                 .run_number = 3,
                                 .duration_ms = 12340,
                                 .seed = 1,
                                 .processors = 4,
                                 .skipped = 1};

static int write_document(void **state)
{
    struct finding *finding;
    struct series *series;

    (void)state;
    memset(&notebook, 0, sizeof notebook);
    finding = note_value(&notebook, "l1d.size", 49152, "bytes", 0.9999, 1000, "X-Ray, \"Figure 6\"");
    finding->agreement = AGREES;
    finding->declared_low = finding->declared_high = 49152;
    strcpy(finding->declared_by, "CPUID 8000001D");
    finding = note_missing(&notebook, "l1d.ways", "ways", 17, "no step seen");
    finding->agreement = DIFFERS;
    finding->declared_low = 1;
    finding->declared_high = UINT64_C(1) << 62;
    strcpy(finding->declared_by, "CPUID 4");
    note_value(&notebook, "mem.latency", 111.8, "cycles", 1, 0, "")->emulated = true;
    series = note_series(&notebook, "latency.4k", "bytes", "cycles");
    note_point(&notebook, series, (struct point){4096, 4, 4.25, 4.5});
    note_point(&notebook, series, (struct point){8192, 1.0 / 3, INFINITY, 1e17});
    note_series(&notebook, "empty.one", "", "");
    sink.used = 0;
    assert_true(report_json(&sink, &run, &notebook));
    return 0;
}

static void comes_back_byte_for_byte(void **state)
{
    (void)state;
    assert_true(parse(sink.bytes, sink.used));
    again.used = 0;
    assert_true(report_json(&again, &result.run, &result.notebook));
    assert_string_equal(again.bytes, sink.bytes);
    assert_int_equal(result.run.microcode, 0xb002116);
    assert_string_equal(result.run.serial, "S\xE9\n1\xFF\x80");
    assert_int_equal(result.notebook.finding[1].declared_high, UINT64_C(1) << 62);
}

static void what_is_not_known(void **state)
{
    struct run_summary unknown = run;

    (void)state;
    unknown.date = "";
    unknown.microcode = 0;
    unknown.tsc_hz = 0;
    sink.used = 0;
    assert_true(report_json(&sink, &unknown, &notebook));
    assert_true(parse(sink.bytes, sink.used));
    assert_string_equal(result.run.date, "");
    assert_int_equal(result.run.microcode, 0);
    assert_int_equal(result.run.tsc_hz, 0);
}

static void seeds_beyond_what_json_libraries_count(void **state)
{
    struct run_summary large = run;

    (void)state;
    large.seed = UINT64_C(1) << 63;
    sink.used = 0;
    assert_true(report_json(&sink, &large, &notebook));
    assert_true(parse(sink.bytes, sink.used));
    assert_true(result.run.seed == UINT64_C(1) << 63);
    assert_float_equal(result.notebook.finding[0].value, 49152, 0);
}

/* The document with the first `from` replaced by `to` is refused, and the complaint says `because`. */
static void refused(const char *from, const char *to, const char *because)
{
    static char changed[sizeof sink.bytes + 1000];
    const char *at = strstr(sink.bytes, from);

    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - sink.bytes), sink.bytes, to, at + strlen(from));
    assert_false(parse(changed, strlen(changed)));
    if (!strstr(said, because))
        fail_msg("said '%s', not '%s'", said, because);
}

static void damaged(void **state)
{
    (void)state;
    refused("assay-result/1", "assay-result/2", "schema: assay-result/1 is needed");
    refused("\"schema\"", "\"scheme\"", "schema: is missing");
    refused("\"brand\": \"AMD EPYC\"", "\"brand\": 5", "machine.brand: a text is needed");
    refused("\"brand\": \"AMD EPYC\"", "\"brand\": null", "machine.brand: a text is needed");
    refused("\"processors\": 4", "\"processors\": -4", "machine.processors: a whole number");
    refused("\"processors\": 4", "\"processors\": 4.5", "machine.processors: a whole number");
    refused("\"processors\": 4", "\"processors\": 4294967296", "machine.processors: is too large");
    refused("\"0xb002116\"", "\"b002116\"", "machine.microcode: a hexadecimal number");
    refused("\"run\": {", "\"run\": 7, \"other\": {", "run: an object is needed");
    refused("\"emulated\": false", "\"emulated\": 0", "emulated: true or false");
    refused("\"value\": 49152", "\"value\": \"49152\"", "findings[0].value: a number is needed");
    refused("\"confidence\": 0.9999", "\"confidence\": 1.5", "findings[0].confidence: a number from 0 to 1");
    refused("\"agreement\": \"agrees\"", "\"agreement\": null", "findings[0].agreement: agrees or differs");
    refused("\"id\": \"l1d.ways\"", "\"id\": \"l1d.size\"", "findings[1].id: stands there twice");
    refused("\"id\": \"l1d.ways\"", "\"id\": \"l1d.ways.and.more.than.fits.in.it\"", "findings[1].id: is too long");
    refused("[4096, 4, 4.25, 4.5]", "[4096, 4, 4.25]", "series[0].points: four numbers");
    refused("[4096, 4, 4.25, 4.5]", "[4096, 4, 4.25, \"4\"]", "series[0].points: four numbers");
    refused("\"findings\": [", "\"findings\": {}, \"x\": [", "findings: a list is needed");
    refused("\"findings\": [", "\"findings\": [3, ", "findings[0].: an object is needed");
    refused("\"board\"", "\"vendor\"", "duplicate object key");
    refused("\"Bo", "\"\\u0000Bo", "\\u0000");
}

static void no_result_at_all(void **state)
{
    (void)state;
    assert_false(parse("", 0));
    assert_false(parse("[]", 2));
    assert_false(parse("id,measured\r\n", 13));
    assert_false(parse("\0\0\0\0", 4));
    for (size_t length = 0; length + 2 < sink.used; length += 7)
        assert_false(parse(sink.bytes, length));
}

static void more_than_a_run_can_have(void **state)
{
    static char text[1 << 17];
    char *end;
    size_t length;

    (void)state;
    end = strstr(sink.bytes, "\n    {\"id\": \"l1d.size\"");
    assert_non_null(end);
    length = (size_t)sprintf(text, "%.*s", (int)(end - sink.bytes), sink.bytes);
    for (int i = 0; i <= MAX_FINDINGS; i++)
        length +=
            (size_t)sprintf(text + length,
                            "{\"id\": \"a.b%d\", \"measured\": false, \"unit\": \"\", \"cost\": 0, \"why\": \"x\", "
                            "\"emulated\": false, \"declared\": null, \"agreement\": null},",
                            i);
    length += (size_t)sprintf(text + length, "%s", end);
    assert_false(parse(text, length));
    assert_non_null(strstr(said, "findings[256].id: more findings than a run can have"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(comes_back_byte_for_byte, write_document),
        cmocka_unit_test_setup(what_is_not_known, write_document),
        cmocka_unit_test_setup(seeds_beyond_what_json_libraries_count, write_document),
        cmocka_unit_test_setup(damaged, write_document),
        cmocka_unit_test_setup(no_result_at_all, write_document),
        cmocka_unit_test_setup(more_than_a_run_can_have, write_document),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
