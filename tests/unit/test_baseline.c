// SPDX-License-Identifier: BSD-2-Clause
/* test_baseline.c: findings.csv read back: what was written comes back, and nothing that was damaged does. */
#include "report/baseline.h"
#include "report/report.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADING                                                                                                        \
    "id,measured,value,unit,confidence,cost,method,why,emulated,declared_low,declared_high,declared_by,agreement\r\n"
#define ROW "l1d.size,yes,49152,bytes,0.99,10,X-Ray,,no,49152,49152,CPUID 4,agrees\r\n"

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

static struct report_sink sink;
static struct notebook notebook;
static struct baseline baseline;
static char said[200];

static bool read_bytes(const char *bytes, size_t length)
{
    struct text complaint = text_in(said, sizeof said);
    /* Exactly as many bytes as there are: a reader that looks further is seen by the sanitizer. */
    char *copy = malloc(length ? length : 1);
    bool good;

    assert_non_null(copy);
    memcpy(copy, bytes, length);
    good = baseline_read(&baseline, copy, length, &complaint);
    free(copy);
    assert_int_equal(good, complaint.length == 0);
    return good;
}

static bool read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

static void refused(const char *text, const char *because)
{
    assert_false(read_text(text));
    if (!strstr(said, because))
        fail_msg("said '%s', not '%s'", said, because);
}

static void what_was_written_comes_back(void **state)
{
    struct finding *finding;

    (void)state;
    memset(&notebook, 0, sizeof notebook);
    finding = note_value(&notebook, "l1d.size", 49152, "bytes", 0.998763, 1000, "X-Ray, \"Figure 6\"");
    finding->agreement = AGREES;
    finding->declared_low = 32768;
    finding->declared_high = 49152;
    strcpy(finding->declared_by, "CPUID 8000001D");
    finding = note_missing(&notebook, "l1d.ways", "ways", 17, "no step, up to %d MB", 64);
    finding->agreement = DIFFERS;
    finding->declared_low = finding->declared_high = 12;
    strcpy(finding->declared_by, "CPUID 4");
    note_value(&notebook, "mem.latency", 111.8, "cycles", 1, 0, "");
    note_value(&notebook, "a.big", 9007199254740991.0, "", 0, UINT64_MAX, "line\r\nline");
    note_value(&notebook, "a.small", -1.25e-17, "", 0.5, 0, "");
    note_value(&notebook, "a.huge", 2.5e20, "", 0.5, 0, "")->emulated = true;
    sink.used = 0;
    assert_true(report_findings(&sink, &notebook));
    assert_true(read_bytes(sink.bytes, sink.used));
    assert_int_equal(baseline.count, notebook.findings);
    for (unsigned i = 0; i < baseline.count; i++) {
        const struct finding *was = &notebook.finding[i], *is = &baseline.finding[i];
        assert_string_equal(is->id, was->id);
        assert_string_equal(is->unit, was->unit);
        assert_int_equal(is->measured, was->measured);
        assert_float_equal(is->value, was->value, 0);
        assert_float_equal(is->confidence, was->confidence, 0);
        assert_int_equal(is->cost, was->cost);
        assert_string_equal(is->method, was->method);
        assert_string_equal(is->why, was->why);
        assert_int_equal(is->emulated, was->emulated);
        assert_int_equal(is->agreement, was->agreement);
        assert_int_equal(is->declared_low, was->declared_low);
        assert_int_equal(is->declared_high, was->declared_high);
        assert_string_equal(is->declared_by, was->declared_by);
    }
}

static void what_a_spreadsheet_does_to_it(void **state)
{
    (void)state;
    assert_true(read_text("\xEF\xBB\xBF" HEADING ROW));
    assert_true(read_text("agreement,declared_by,declared_high,declared_low,emulated,why,method,cost,confidence,unit,"
                          "value,measured,id,remark\n"
                          "agrees,CPUID 4,8,8,no,,X,10,0.9,ways,8,yes,l1d.ways,\"a \"\"good\"\" one\"\n"));
    assert_string_equal(baseline.finding[0].id, "l1d.ways");
    assert_float_equal(baseline.finding[0].value, 8, 0);
}

static void no_findings_csv(void **state)
{
    (void)state;
    refused("", "no column 'id'");
    refused("hello", "no column 'id'");
    refused("{\"schema\": \"assay-result/1\"}", "a double quote in the middle");
    refused("id,measured,value\r\n", "no column 'unit'");
    refused("id,id\r\n", "'id' stands there twice");
    refused(HEADING, "no findings");
    refused("id,measured,value,unit,confidence,cost,method,why,emulated,declared_low,declared_high,declared_by\r\n"
            "l1d.size,yes,49152,bytes,0.99,10,X-Ray,,no,49152,49152,CPUID 4\r\n",
            "no column 'agreement'");
    refused("a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,aa,ab,ac,ad,ae,af,ag\r\n", "more than 32 columns");
}

static void cut_short(void **state)
{
    static const char whole[] = HEADING ROW ROW;
    char part[sizeof whole];

    (void)state;
    /* Wherever it ends but at a line's end, it is refused; the second row has the first one's id. */
    for (size_t length = 0; length < strlen(HEADING ROW); length++) {
        memcpy(part, whole, length);
        assert_false(read_bytes(part, length));
    }
    refused(HEADING "l1d.size,yes,49152,bytes,0.99,10,X-Ray,,no,49152,49152,CPUID 4,agrees", "line 2: the last line");
    refused(HEADING ROW "\"", "a double quote is not closed");
    refused(HEADING ROW "x", "does not end");
    refused(
        "id,measured,value,unit,confidence,cost,method,why,emulated,declared_low,declared_high,declared_by,agreement",
        "line 1: the last line does not end");
    assert_true(read_bytes(whole, strlen(HEADING ROW)));
}

static void bytes_that_are_no_text(void **state)
{
    static const char nul[] = HEADING "l1d.size,yes,49\000152,bytes,0.99,10,,,no,,,,\r\n";

    (void)state;
    assert_false(read_bytes(nul, sizeof nul - 1));
    assert_non_null(strstr(said, "line 2: a byte 0x0"));
    refused(HEADING "l1d.size,yes,49152,bytes,0.99,10,M\xFCnchen,,no,,,,\r\n", "a byte 0xfc");
    refused(HEADING "l1d.size,yes,49152,bytes,0.99,10,a\rb,,no,,,,\r\n", "a byte 0xd");
    refused(HEADING "l1d.size,yes,49152,bytes,0.99,10,a\"b,,no,,,,\r\n", "a double quote in the middle");
    refused(HEADING "l1d.size,yes,49152,bytes,0.99,10,\"a\"b,,no,,,,\r\n", "after a closing double quote");
}

static void huge_lines(void **state)
{
    static char line[1 << 17];
    size_t start = strlen(HEADING);

    (void)state;
    strcpy(line, HEADING);
    memset(line + start, 'x', sizeof line - start);
    assert_false(read_bytes(line, sizeof line));
    assert_non_null(strstr(said, "more than 199 characters"));
    memset(line + start, ',', sizeof line - start);
    assert_false(read_bytes(line, sizeof line));
    assert_non_null(strstr(said, "more fields than the heading has"));
}

static void too_many_findings(void **state)
{
    static char text[1 << 16];
    size_t length = (size_t)sprintf(text, "%s", HEADING);

    (void)state;
    for (int i = 0; i <= MAX_FINDINGS; i++)
        length += (size_t)sprintf(text + length, "a.b%d,no,,,,0,,why,no,,,,\r\n", i);
    assert_false(read_bytes(text, length));
    assert_non_null(strstr(said, "more than 256 findings"));
}

/* A row with one field changed is refused. */
static void wrong(const char *row, const char *because)
{
    char text[1000];

    snprintf(text, sizeof text, "%s%s\r\n", HEADING, row);
    refused(text, because);
}

static void wrong_numbers(void **state)
{
    static const char *const numbers[] = {"",   "x",   "1x",  "0x10", "1K",     " 1", "1 ",  "--1",  "1.",    "1e",
                                          ".5", "1,5", "nan", "inf",  "1e9999", "+1", "1e+", "null", "1.2.3", "1e1e1"};
    char row[200];

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        snprintf(row, sizeof row, "l1d.size,yes,\"%s\",bytes,0.99,10,,,no,,,,", numbers[i]);
        wrong(row, "is not a number");
    }
    wrong("l1d.size,yes,1,bytes,1.01,10,,,no,,,,", "not between 0 and 1");
    wrong("l1d.size,yes,1,bytes,-0.5,10,,,no,,,,", "not between 0 and 1");
    wrong("l1d.size,yes,1,bytes,0.5,1.5,,,no,,,,", "cost: '1.5' is not a whole number");
    wrong("l1d.size,yes,1,bytes,0.5,10,,,no,-1,2,CPUID 4,agrees", "declared_low: '-1'");
    wrong("l1d.size,yes,1,bytes,0.5,10,,,no,1,99999999999999999999,CPUID 4,agrees", "declared_high");
}

static void wrong_words(void **state)
{
    (void)state;
    wrong("l1d.size,maybe,1,bytes,0.5,10,,,no,,,,", "neither yes nor no");
    wrong("l1d.size,yes,1,bytes,0.5,10,,,true,,,,", "neither yes nor no");
    wrong("l1d.size,no,1,bytes,0.5,10,,,no,,,,", "a value and not measured");
    wrong(",yes,1,bytes,0.5,10,,,no,,,,", "id: is missing");
    wrong("L1D,yes,1,bytes,0.5,10,,,no,,,,", "id: 'L1D' is none");
    wrong("an.id.that.is.longer.than.it.may.be,yes,1,bytes,0.5,10,,,no,,,,", "id: too long");
    wrong("l1d.size,yes,1,much.too.long.a.unit,0.5,10,,,no,,,,", "unit: too long");
    wrong("l1d.size,yes,1,bytes,0.5,10,,,no,1,,CPUID 4,agrees", "what is declared is not whole");
    wrong("l1d.size,yes,1,bytes,0.5,10,,,no,2,1,CPUID 4,agrees", "its ends are reversed");
    wrong("l1d.size,yes,1,bytes,0.5,10,,,no,1,1,CPUID 4,perhaps", "neither agrees nor differs");
    wrong("l1d.size,yes,1,bytes,0.5,10,,,no,1,1,CPUID 4,", "agreement: does not go with");
    wrong("l1d.size,yes,1,bytes,0.5,10,,,no,,,,agrees", "agreement: does not go with");
    wrong("l1d.size,yes,1,bytes,0.5,10,,,no,,,", "fewer fields");
    wrong("l1d.size,yes,1,bytes,0.5,10,,,no,,,,,", "more fields");
    refused(HEADING ROW ROW, "line 3: l1d.size stands there twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_comes_back),
        cmocka_unit_test(what_a_spreadsheet_does_to_it),
        cmocka_unit_test(no_findings_csv),
        cmocka_unit_test(cut_short),
        cmocka_unit_test(bytes_that_are_no_text),
        cmocka_unit_test(huge_lines),
        cmocka_unit_test(too_many_findings),
        cmocka_unit_test(wrong_numbers),
        cmocka_unit_test(wrong_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
