// SPDX-License-Identifier: BSD-2-Clause
/* test_golden.c: whole runs beside a baseline: what is said, what the journal, the summary and LAVA's lines tell, and
 * baselines that cannot be used. */
#include "run/golden.h"
#include "run/progress.h"
#include "tests/silicon/process/process.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SAID_SIZE = 1 << 16 };

struct stage {
    char said[SAID_SIZE], journal[SAID_SIZE], result[SAID_SIZE], baseline[SAID_SIZE];
    uint8_t summary[512];
    size_t said_length, journal_length, result_length, summary_size;
    unsigned summary_writes;
    struct progress progress;
};

struct host {
    bool skip;
};

static struct stage stage;
static struct host host;
static struct run run;

void stage_line(struct stage *at, const char *line)
{
    at->said_length += (size_t)sprintf(at->said + at->said_length, "%s\n", line);
}

void stage_progress(struct stage *at, const char *line)
{
    (void)at, (void)line;
}

const char *stage_why(struct stage *at)
{
    (void)at;
    return "the stage will not";
}

bool stage_read(struct stage *at, const char *path, char *buffer, size_t size, size_t *length)
{
    *length = strlen(at->baseline);
    assert_string_equal(path, "golden.csv");
    assert_true(*length < size);
    memcpy(buffer, at->baseline, *length);
    return *length > 0;
}

bool stage_folder(struct stage *at, const char *machine_name, unsigned *number)
{
    (void)at, (void)machine_name;
    *number = 7;
    return true;
}

bool stage_last_journal(struct stage *at, char *buffer, size_t size, size_t *length)
{
    (void)at, (void)buffer, (void)size, (void)length;
    return false;
}

bool stage_journal(struct stage *at, const char *line)
{
    at->journal_length += (size_t)sprintf(at->journal + at->journal_length, "%s\n", line);
    return true;
}

bool stage_file_begin(struct stage *at, const char *name)
{
    at->result_length = strcmp(name, "result.json") == 0 ? 0 : SAID_SIZE;
    return true;
}

bool stage_file_write(struct stage *at, const void *bytes, size_t length)
{
    if (at->result_length + length < SAID_SIZE) {
        memcpy(at->result + at->result_length, bytes, length);
        at->result_length += length;
        at->result[at->result_length] = '\0';
    }
    return true;
}

bool stage_file_end(struct stage *at)
{
    (void)at;
    return true;
}

bool stage_files_commit(struct stage *at)
{
    (void)at;
    return true;
}

bool stage_summary_read(struct stage *at, void *buffer, size_t *size)
{
    memcpy(buffer, at->summary, at->summary_size);
    *size = at->summary_size;
    return at->summary_size > 0;
}

bool stage_summary_write(struct stage *at, const void *bytes, size_t size)
{
    assert_true(size <= sizeof at->summary);
    memcpy(at->summary, bytes, size);
    at->summary_size = size;
    at->summary_writes++;
    return true;
}

bool stage_summary_forget(struct stage *at)
{
    at->summary_size = 0;
    return true;
}

uint64_t stage_milliseconds(struct stage *at)
{
    (void)at;
    return 0;
}

bool stage_date(struct stage *at, char iso[24])
{
    (void)at, (void)iso;
    return false;
}

bool stage_aborted(struct stage *at)
{
    (void)at;
    return false;
}

struct progress *stage_running(struct stage *at)
{
    return &at->progress;
}

bool host_rest(struct host *at, unsigned permille)
{
    (void)permille;
    return !at->skip;
}

static bool answer(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    (void)machine, (void)request;
    note_value(notebook, "good.value", 48, "bytes", 0.99, 1, "known");
    return true;
}

const struct probe probe_list[] = {{"good", "", "good.value", answer, 1000, true, NULL, false, false}};
const unsigned probe_count = 1;

static struct machine *fresh(void)
{
    struct description description;
    const char *why = "";
    struct machine *machine;

    memset(&stage, 0, sizeof stage);
    memset(&run, 0, sizeof run);
    memset(&host, 0, sizeof host);
    options_default(&run.options);
    description_plain(&description, 32 << 10, 8, 64, 4, 100);
    strcpy(description.name, "test");
    description.title[0] = '\0';
    description.memory.span = 4 << 20;
    machine = process_open(&host, &description, 1, NULL, &why);
    if (!machine)
        fail_msg("%s", why);
    return machine;
}

static void expect(const char *where, const char *text)
{
    if (!strstr(where, text))
        fail_msg("no '%s' in:\n%s", text, where);
}

/* The only finding of the baseline that the run has, too; of the others it was not asked. */
static void expect_baseline(const char *row)
{
    snprintf(stage.baseline, sizeof stage.baseline,
             "id,measured,value,unit,confidence,cost,method,why,emulated,declared_low,declared_high,declared_by,"
             "agreement\n%s\nl1d.size,yes,1,bytes,1,1,,,no,,,,\n",
             row);
    text_copy(run.options.baseline, sizeof run.options.baseline, "golden.csv");
    run.options.lava = true;
}

static void baseline_passes(void **state)
{
    struct machine *machine = fresh();

    (void)state;
    expect_baseline("good.value,yes,48,bytes,0.99,1,,,no,,,,");
    assert_true(run_read_baseline(&run, &stage));
    assert_int_equal(run_measure(&run, machine, &stage), 1);
    assert_int_equal(run.verdict, BASELINE_PASSED);
    expect(stage.said, "Baseline golden.csv passed: 0 different, 0 uncertain, 1 equal\n"
                       "  not compared, because only one run was asked for them: 1\n");
    expect(stage.said, "<LAVA_SIGNAL_STARTRUN assay 7>\n<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=good.value RESULT=pass "
                       "MEASUREMENT=48 UNITS=bytes>\n<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=baseline RESULT=pass>\n"
                       "<LAVA_SIGNAL_ENDRUN assay 7>\n");
    expect(stage.journal, "\"event\":\"baseline\",\"verdict\":\"passed\",\"different\":0,\"uncertain\":0,\"equal\":1,");
    assert_int_equal(stage.summary[5], BASELINE_PASSED);
    assert_null(strstr(stage.result, "golden"));
    machine_close(machine);
}

static void baseline_fails(void **state)
{
    struct machine *machine = fresh();

    (void)state;
    expect_baseline("good.value,yes,49,bytes,0.99,1,,,no,,,,");
    assert_true(run_read_baseline(&run, &stage));
    run_measure(&run, machine, &stage);
    assert_int_equal(run.verdict, BASELINE_FAILED);
    expect(stage.said, "Baseline golden.csv FAILED: 1 different, 0 uncertain, 0 equal\n"
                       "  good.value          48 bytes, baseline 49 bytes\n");
    expect(stage.said, "TEST_CASE_ID=good.value RESULT=fail ");
    expect(stage.said, "TEST_CASE_ID=baseline RESULT=fail>");
    expect(stage.journal, "\"verdict\":\"failed\",\"different\":1,");
    assert_int_equal(stage.summary[5], BASELINE_FAILED);
    /* Another verdict alone makes another summary. */
    expect_baseline("good.value,yes,48,bytes,0.99,1,,,no,,,,");
    assert_true(run_read_baseline(&run, &stage));
    run_measure(&run, machine, &stage);
    assert_int_equal(stage.summary_writes, 2);
    stage.said_length = 0;
    assert_true(run_print_last(&stage));
    expect(stage.said, "of run 7, which passed beside its baseline:\n");
    machine_close(machine);
}

static void baseline_in_doubt(void **state)
{
    struct machine *machine = fresh();

    (void)state;
    expect_baseline("good.value,yes,49,bytes,0.5,1,,,no,,,,");
    assert_true(run_read_baseline(&run, &stage));
    run_measure(&run, machine, &stage);
    assert_int_equal(run.verdict, BASELINE_PASSED);
    expect(stage.said, "passed: 0 different, 1 uncertain, 0 equal\n"
                       "  good.value          48 bytes, baseline 49 bytes (uncertain)\n");
    expect(stage.said, "TEST_CASE_ID=good.value RESULT=unknown ");
    machine_close(machine);
}

static void baseline_that_cannot_be_used(void **state)
{
    struct machine *machine = fresh();

    (void)state;
    text_copy(run.options.baseline, sizeof run.options.baseline, "golden.csv");
    assert_false(run_read_baseline(&run, &stage));
    expect(stage.said, "--baseline golden.csv cannot be read: the stage will not\nNothing is measured.");
    expect_baseline("good.value,yes,4x8,bytes,0.99,1,,,no,,,,");
    assert_false(run_read_baseline(&run, &stage));
    expect(stage.said, "--baseline golden.csv: line 2: value: '4x8' is not a number\nNothing is measured.");
    machine_close(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(baseline_passes),
        cmocka_unit_test(baseline_fails),
        cmocka_unit_test(baseline_in_doubt),
        cmocka_unit_test(baseline_that_cannot_be_used),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
