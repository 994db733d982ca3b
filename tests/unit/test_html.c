// SPDX-License-Identifier: BSD-2-Clause
/* test_html.c: report.html from small, empty, full and nasty notebooks, and from their result.json. Whether it is HTML
 * and how it looks is asked of other people's programs in tests/cases_report.py. */
#include "base/random.h"
#include "hosted/result.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SINK_BYTES = 4 << 20 };

#include "tests/unit/sink_bench.h"

enum { MOST_BYTES = 1 << 20, JSON_BYTES = SINK_BYTES };

static struct report_sink html, json, again;
static struct notebook notebook;
static struct result result;

static const struct run_summary run = {.tool_version = "0.1.0",
                                       .build = "abc",
                                       .implementation = "kernel",
                                       .vendor = "AuthenticAMD",
                                       .brand = "AMD EPYC",
                                       .board = "Board",
                                       .serial = "1",
                                       .firmware = "EDK II",
                                       .hypervisor = "",
                                       .note = "",
                                       .signature = 0xb00f21,
                                       .mode = "borrowed",
                                       .options = "",
                                       .date = "2026-11-21T09:30:00",
                                       .run_number = 3,
                                       .duration_ms = 12340,
                                       .seed = 1,
                                       .processors = 4};

static void clear(void)
{
    memset(&notebook, 0, sizeof notebook);
}

static void write_html(const struct run_summary *summary)
{
    html.used = 0;
    html.room = MOST_BYTES; /* a report is no larger, whatever is in it */
    assert_true(report_html(&html, summary, &notebook));
    assert_true(strncmp(html.bytes, "<!DOCTYPE html>\n", 16) == 0);
    assert_string_equal(html.bytes + html.used - 8, "</html>\n");
}

static bool has(const char *part)
{
    return strstr(html.bytes, part) != NULL;
}

static unsigned count(const char *from, const char *end, const char *part)
{
    unsigned found = 0;

    for (const char *at = from; (at = strstr(at, part)) && at < end; at += strlen(part))
        found++;
    return found;
}

static unsigned count_all(const char *part)
{
    return count(html.bytes, html.bytes + html.used, part);
}

/* The report that assay-report would make of this run's result.json is the same. */
static void expect_same_from_json(const struct run_summary *summary)
{
    char buffer[256];
    struct text complaint = text_in(buffer, sizeof buffer);

    json.used = again.used = 0;
    json.room = JSON_BYTES - 1;
    again.room = MOST_BYTES;
    assert_true(report_json(&json, summary, &notebook));
    if (!result_parse(&result, json.bytes, json.used, &complaint))
        fail_msg("result.json is refused: %s", buffer);
    assert_true(report_html(&again, &result.run, &result.notebook));
    write_html(summary);
    if (strcmp(html.bytes, again.bytes) != 0) {
        size_t at = 0;
        while (html.bytes[at] == again.bytes[at])
            at++;
        fail_msg("differs at byte %zu: %.80s and %.80s", at, html.bytes + at, again.bytes + at);
    }
}

static struct finding *declared(struct finding *finding, enum agreement agreement, uint64_t value)
{
    finding->agreement = agreement;
    finding->declared_low = finding->declared_high = value;
    strcpy(finding->declared_by, "CPUID 4");
    return finding;
}

/* A curve with three levels, and the findings that belong to it. */
static void fill(void)
{
    struct series *series;

    clear();
    declared(note_value(&notebook, "l1d.size", 32768, "bytes", 0.999, 2000000, "X-Ray"), AGREES, 32768);
    declared(note_value(&notebook, "l1d.ways", 12, "ways", 0.9, 20, "X-Ray"), DIFFERS, 8);
    note_value(&notebook, "l1d.latency", 4, "cycles", 0.9, 20, "walk");
    note_value(&notebook, "l2.latency", 14.25, "cycles", 0.9, 20, "walk");
    note_missing(&notebook, "l2.size", "bytes", 20, "physical order unknown beyond %d bytes", 4096);
    note_value(&notebook, "mem.latency", 1e6, "cycles", 0.9, 20, "not within the curve");
    note_value(&notebook, "noise.max_gap", 4, "cycles", 0.9, 20, "another probe's");
    series = note_series(&notebook, "latency.4k", "bytes", "cycles");
    note_point(&notebook, series, (struct point){1024, 4, 4.04, 4.1});
    note_point(&notebook, series, (struct point){32768, 4, 4.04, 4.1});
    note_point(&notebook, series, (struct point){1048576, 100, 120, 180});
    series = note_series(&notebook, "latency.2m", "bytes", "cycles");
    note_point(&notebook, series, (struct point){1024, 4, 4.04, 4.1});
}

static void ordinary(void **state)
{
    (void)state;
    fill();
    expect_same_from_json(&run);
    assert_true(has("<h1>AMD EPYC</h1>"));
    assert_true(has("<b>6</b> of 7 findings measured"));
    assert_true(has("<b>1</b> differs from what is declared"));
    /* What differs stands before everything else, and again in its group. */
    assert_int_equal(count_all("<strong class=\"differs\">\xE2\x89\xA0 8 ways</strong>"), 2);
    assert_true(strstr(html.bytes, "id=\"differences\"") < strstr(html.bytes, "id=\"hierarchy\""));
    assert_true(has("<span class=\"agrees\">= 32 KB</span> <small>CPUID 4</small>"));
    assert_true(has("not measurable</td>"));
    assert_true(has("because: physical order unknown beyond 4096 bytes"));
    assert_true(has("(2.0 million accesses)"));
    /* The hierarchy: what is known, what is not, and no level that nobody spoke of. */
    assert_true(has("L1D 32 KB: 12 ways; 4 cycles. L2 size unknown: ways and line unknown; 14.25 cycles. "));
    assert_false(has("L3"));
    note_missing(&notebook, "l4.latency", "cycles", 1, "there is no such level");
    note_value(&notebook, "latency.levels", 3, "", 0.9, 1, "counted");
    note_value(&notebook, "l1d.write_back", 1, "yes/no", 0.9, 1, "asked");
    expect_same_from_json(&run);
    assert_true(has("<td class=\"number\">yes</td><td class=\"unit\"></td>"));
    assert_true(has("L3 size unknown: ways and line unknown; latency unknown. "));
    assert_false(has("L4 size"));
    fill();
    expect_same_from_json(&run);
    /* One plot for both page sizes, each with its name, with the decisions that lie in it. */
    assert_int_equal(count_all("class=\"plot\" role=\"img\" aria-labelledby=\"plot1-title plot1-text\""), 1);
    assert_int_equal(count_all("class=\"plot\" role=\"img\""), 1);
    assert_true(has(">4 KB pages</text>") && has(">2 MB pages</text>"));
    assert_true(has(">L1D: 32 KB, 4 cycles</text>") && has(">L2: 14.25 cycles</text>"));
    assert_true(has("Marked: L1D: 32 KB, 4 cycles; L2: 14.25 cycles.</desc>"));
    assert_false(has("max_gap: "));
    assert_true(has("footprint, bytes (logarithmic)") && has("latency of a load, cycles"));
    assert_false(has("<script"));
}

static void empty(void **state)
{
    struct run_summary nothing = {.tool_version = "0.1.0",
                                  .build = "abc",
                                  .implementation = "",
                                  .vendor = "",
                                  .brand = "",
                                  .board = "",
                                  .serial = "",
                                  .firmware = "",
                                  .hypervisor = "",
                                  .note = "",
                                  .mode = "",
                                  .options = "",
                                  .date = ""};

    (void)state;
    clear();
    expect_same_from_json(&nothing);
    assert_true(has("<h1>Unknown machine</h1>"));
    assert_true(has("This run left no findings."));
    assert_false(has("id=\"curves\"") || has("id=\"differences\""));
    note_series(&notebook, "a.b", "x", "y");
    expect_same_from_json(&nothing);
    assert_true(has("a.b has no points that can be drawn."));
    assert_false(has("class=\"plot\""));
}

/* One point: a dot, its quartiles, and axes around it. */
static void one_point(void **state)
{
    struct series *series;

    (void)state;
    clear();
    series = note_series(&notebook, "a.b", "ns", "gaps");
    note_point(&notebook, series, (struct point){6, 10, 20, 30});
    expect_same_from_json(&run);
    assert_true(has("<path class=\"dots s0 lone\" d=\"M2000 "));
    assert_false(has("class=\"band"));
    assert_true(has("a.b, 1 point: 20 gaps at 6 ns."));
}

/* Text from outside, wherever it stands, is text. */
static void escaping(void **state)
{
    static const char nasty[] = "<script>&\"'\x01\x7F\x85\xE9]]>";
    struct run_summary hostile = run;
    struct series *series;

    (void)state;
    clear();
    hostile.brand = hostile.board = hostile.serial = hostile.firmware = hostile.hypervisor = hostile.note = nasty;
    hostile.options = hostile.mode = hostile.vendor = hostile.build = nasty;
    declared(note_value(&notebook, "a.value", 1, "<b>", 1, 1, nasty), DIFFERS, 2);
    strcpy(notebook.finding[0].declared_by, "<i>&");
    note_missing(&notebook, "a.why", "", 1, "%s", nasty);
    series = note_series(&notebook, "a.series", "<u>", "<p>");
    note_point(&notebook, series, (struct point){1, 1, 1, 1});
    expect_same_from_json(&hostile);
    assert_false(has("<script") || has("<b>\"") || has("1 <b>") || has("<i>&") || has("<u>") || has("<p></text>"));
    assert_true(has("<h1>&lt;script&gt;&amp;&quot;&#39;???&#233;]]&gt;</h1>"));
    for (const char *at = html.bytes; *at; at++)
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
}

/* A long curve is thinned, and its one peak, its one hole and its widest quartiles are still there. */
static void thinned(void **state)
{
    const unsigned peak = 5003, hole = 6007;
    struct series *series;
    const char *curve, *end;

    (void)state;
    clear();
    series = note_series(&notebook, "a.trace", "ms", "ticks");
    for (unsigned i = 0; i <= 10000; i++) {
        double middle = i == peak ? 100 : i == hole ? 0 : 50;
        note_point(&notebook, series, (struct point){i, i == peak ? 0 : middle, middle, middle});
    }
    expect_same_from_json(&run);
    curve = strstr(html.bytes, "<path class=\"curve s0\"");
    assert_non_null(curve);
    end = strchr(curve, '>');
    assert_true(count(curve, end, "L") < 750 && count(curve, end, "L") > 300);
    assert_true(count(curve, end, "L2001 0L") + count(curve, end, "L2000 0L") == 1);
    assert_true(count(curve, end, " 2000L") == 1);
    curve = strstr(html.bytes, "<path class=\"band b0\"");
    assert_true(count(curve, strchr(curve, '>'), " 2000L") >= 2); /* the peak's lower quartile and the hole */
    assert_true(has("one of 417 points; all are in series.csv"));
}

/* What is no number is a hole in the curve; the smallest and the largest numbers are drawn within the picture. */
static void strange_numbers(void **state)
{
    const double none = 0.0 / 0.0;
    struct series *series;
    const char *curve;

    (void)state;
    clear();
    series = note_series(&notebook, "a.holes", "ms", "ticks");
    for (unsigned i = 0; i < 9; i++)
        note_point(&notebook, series, (struct point){i, i == 6 ? none : 1, i == 3 ? none : 1, i == 7 ? 1 / 0.0 : 1});
    series = note_series(&notebook, "b.sizes", "ms", "ticks");
    note_point(&notebook, series, (struct point){-1e308, 5e-324, 1, 1e308});
    note_point(&notebook, series, (struct point){1e308, -1e308, 1e308, 1.7e308});
    series = note_series(&notebook, "c.small", "bytes", "ticks");
    note_point(&notebook, series, (struct point){5e-324, 5e-324, 5e-324, 5e-324});
    note_point(&notebook, series, (struct point){1e-310, 0, 0, 1e-300});
    note_value(&notebook, "a.large", 1e308, "ticks", 1, 1, "");
    note_value(&notebook, "a.none", none, "ticks", 1, 1, "");
    expect_same_from_json(&run);
    curve = strstr(html.bytes, "<path class=\"curve s0\"");
    assert_int_equal(count(curve, strchr(curve, '>'), "M"), 2);
    assert_int_equal(count(curve, strchr(curve, '>'), "L"), 6);
    assert_false(has("nan") || has("inf%") || has("null"));
    for (const char *at = html.bytes; (at = strstr(at, " d=\"")); at++) {
        for (const char *one = at + 4; *one != '"'; one++) {
            if (*one >= '0' && *one <= '9') {
                assert_true(strtoul(one, (char **)&one, 10) <= 4000);
                one--;
            }
        }
    }
}

/* As many findings, series and points as a notebook holds: below 1 MB. */
static void full_notebook(void **state)
{
    char id[28];

    (void)state;
    clear();
    for (unsigned i = 0; i < MAX_FINDINGS + 4; i++) {
        snprintf(id, sizeof id, "group%u.finding_number_%u", i / 8, i);
        declared(note_value(&notebook, id, i * 1234.567, "megaunits/s", 0.5, i * 1000000ULL,
                            "a method of a long description"),
                 i % 2 ? AGREES : DIFFERS, i);
    }
    for (unsigned i = 0; i < MAX_SERIES + 1; i++) {
        snprintf(id, sizeof id, "group%u.series_number_%u", i / 2, i);
        struct series *series = note_series(&notebook, id, "milliseconds", "microseconds");
        for (unsigned j = 0; j < MAX_POINTS / MAX_SERIES; j++)
            note_point(&notebook, series, (struct point){j * 1.234567, j % 7 + 0.25, j % 7 + 1, j % 9 + 2});
    }
    assert_int_equal(notebook.points, MAX_POINTS);
    expect_same_from_json(&run);
    assert_true(has("notes did not fit"));
    assert_int_equal(count_all("class=\"plot\" role=\"img\""), MAX_SERIES / 2);
}

static double any_double(struct random *random)
{
    uint64_t bits = random_next(random);
    double number;

    switch (random_below(random, 4)) {
    case 0:
        memcpy(&number, &bits, sizeof number);
        return number;
    case 1:
        return (double)(bits >> 11) / (1 << 20);
    case 2:
        return (double)random_below(random, 1000) / 8;
    default:
        return (double)(bits >> 34);
    }
}

/* Anything that a notebook can hold: the same from result.json. */
static void any_notebook(void **state)
{
    static const char *const units[] = {"bytes", "cycles", "Hz", "", "ns"};
    struct random random = {9};
    char text[96], id[28];

    (void)state;
    for (unsigned round = 0; round < 40; round++) {
        struct run_summary summary = run;
        clear();
        for (unsigned i = 0; i + 1 < sizeof text; i++)
            text[i] = (char)(1 + random_below(&random, 255));
        text[sizeof text - 1] = '\0';
        summary.board = summary.brand = summary.note = text;
        summary.disturbances = random_next(&random) >> 1;
        for (unsigned i = 0; i < 12; i++) {
            static const char *const ids[] = {"l1d.size",    "l1d.latency",      "l2.size",
                                              "mem.latency", "dtlb1.4k.entries", "a.b"};
            snprintf(id, sizeof id, "%s", ids[random_below(&random, 6)]);
            struct finding *finding =
                random_below(&random, 3)
                    ? note_value(&notebook, id, any_double(&random), units[random_below(&random, 5)],
                                 any_double(&random), random_next(&random) >> 1, text)
                    : note_missing(&notebook, id, "ways", 3, "%s", text);
            declared(finding, (enum agreement)random_below(&random, 3), random_next(&random) >> 1);
            finding->emulated = random_below(&random, 5) == 0;
        }
        for (unsigned i = 0; i < 4; i++) {
            struct series *series =
                note_series(&notebook, i < 2 ? "latency.4k" : "a.curve", units[random_below(&random, 5)], "cycles");
            for (uint64_t j = random_below(&random, 60); j > 0; j--)
                note_point(
                    &notebook, series,
                    (struct point){any_double(&random), any_double(&random), any_double(&random), any_double(&random)});
        }
        expect_same_from_json(&summary);
    }
}

/* A medium that is full at any byte: told, and nothing more is written. */
static void full_medium(void **state)
{
    size_t whole;

    (void)state;
    fill();
    write_html(&run);
    whole = html.used;
    for (size_t room = 0; room < whole; room += 61) {
        html.used = 0;
        html.room = room;
        assert_false(report_html(&html, &run, &notebook));
        assert_true(html.used <= room);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary),      cmocka_unit_test(empty),        cmocka_unit_test(one_point),
        cmocka_unit_test(escaping),      cmocka_unit_test(thinned),      cmocka_unit_test(strange_numbers),
        cmocka_unit_test(full_notebook), cmocka_unit_test(any_notebook), cmocka_unit_test(full_medium)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
