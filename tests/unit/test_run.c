// SPDX-License-Identifier: BSD-2-Clause
/* test_run.c: whole runs on a modelled machine and a stage that fails in every way: order of the journal, probes that
 * fault, are skipped or were under way when the last run ended, and deliveries that cannot be made. */
#include "kernel/record.h"
#include "run/journal.h"
#include "run/progress.h"
#include "run/run.h"
#include "tests/silicon/process/process.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SAID_SIZE = 1 << 16 };

struct stage {
    char said[SAID_SIZE], journal[SAID_SIZE], last_journal[SAID_SIZE];
    char result[SAID_SIZE], names[256];
    uint8_t summary[512];
    size_t said_length, journal_length, result_length, summary_size;
    bool no_folder, no_journal, full, in_file, no_commit, aborted;
    unsigned summary_writes, journal_calls, commits;
    uint64_t milliseconds;
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
    stage_line(at, line);
}

const char *stage_why(struct stage *at)
{
    (void)at;
    return "the stage will not";
}

bool stage_folder(struct stage *at, const char *machine_name, unsigned *number)
{
    assert_string_equal(machine_name, "test");
    *number = 7;
    return !at->no_folder;
}

bool stage_read(struct stage *at, const char *path, char *buffer, size_t size, size_t *length)
{
    (void)at, (void)path, (void)buffer, (void)size, (void)length;
    return false;
}

bool stage_last_journal(struct stage *at, char *buffer, size_t size, size_t *length)
{
    *length = strlen(at->last_journal);
    assert_true(*length <= size);
    memcpy(buffer, at->last_journal, *length);
    return *length > 0;
}

bool stage_journal(struct stage *at, const char *line)
{
    assert_false(at->no_folder);
    at->journal_calls++;
    assert_true(journal_whole(line, strlen(line)));
    at->journal_length += (size_t)sprintf(at->journal + at->journal_length, "%s\n", line);
    return !at->no_journal;
}

bool stage_file_begin(struct stage *at, const char *name)
{
    struct text names = {at->names, sizeof at->names, strlen(at->names), false};

    assert_false(at->in_file);
    at->in_file = !at->full || strcmp(name, "result.json") != 0; /* one file fails at once, the others in between */
    text_string(&names, name);
    text_char(&names, ' ');
    at->result_length = strcmp(name, "result.json") == 0 ? 0 : SAID_SIZE;
    return at->in_file;
}

bool stage_file_write(struct stage *at, const void *bytes, size_t length)
{
    assert_true(at->in_file);
    if (at->result_length < SAID_SIZE) {
        memcpy(at->result + at->result_length, bytes, length);
        at->result_length += length;
        at->result[at->result_length] = '\0';
    }
    return !at->full;
}

bool stage_file_end(struct stage *at)
{
    assert_true(at->in_file);
    at->in_file = false;
    return true; /* a piece that failed is enough */
}

bool stage_files_commit(struct stage *at)
{
    assert_false(at->in_file);
    at->commits++;
    return !at->no_commit;
}

bool stage_summary_read(struct stage *at, void *buffer, size_t *size)
{
    assert_true(*size >= at->summary_size);
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
    return !at->full;
}

bool stage_summary_forget(struct stage *at)
{
    at->summary_size = 0;
    return true;
}

uint64_t stage_milliseconds(struct stage *at)
{
    return at->milliseconds += 400;
}

bool stage_date(struct stage *at, char iso[24])
{
    (void)at;
    text_copy(iso, 24, "2026-11-21T09:30:00");
    return true;
}

bool stage_aborted(struct stage *at)
{
    return at->aborted;
}

struct progress *stage_running(struct stage *at)
{
    return &at->progress;
}

bool host_rest(struct host *at, unsigned permille)
{
    progress_show(&stage.progress, &stage, permille);
    return !at->skip && !stage.aborted;
}

/* The probes: one that answers, one that faults half-way, one that rests for long. */
static bool answer(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    struct visit visits[] = {{.op = OP_FLUSH_TLB}, {.op = OP_FENCE}};
    struct reading lap[MAX_LAPS];

    (void)request;
    assert_true(machine_script(machine, visits, 2, lap));
    note_value(notebook, "good.value", 48, "bytes", 0.99, 1, "known");
    return true;
}

static bool touch_nothing(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    struct task walk = {.op = OP_LOAD, .start = machine_view(machine).base, .steps = 10};
    struct reading reading;

    (void)request;
    note_value(notebook, "bad.first", 1, "", 1, 0, "before");
    machine_run(machine, &walk, 1, &reading);
    note_value(notebook, "bad.second", 1, "", 1, 0, "after");
    return true;
}

static bool rest_long(struct machine *machine, const struct request *request, struct notebook *notebook)
{
    (void)request;
    for (unsigned permille = 0; permille <= 1000; permille += 100) {
        if (!machine_rest(machine, permille))
            return false;
    }
    note_value(notebook, "long.value", 3, "", 1, 0, "");
    note_missing(notebook, "long.missing", "ns", 0, "a reason of its own");
    return true;
}

const struct probe probe_list[] = {
    {"good", "", "good.value", answer, 1000, true, NULL, false, true},
    {"bad", "", "bad.first bad.second", touch_nothing, 1000, false, NULL, false, false},
    {"long", "", "long.value long.missing long.forgotten", rest_long, 5000, false, NULL, false, false}};
const unsigned probe_count = 3;

const struct suite suite_list[] = {{"pair", "two of them", "good,long", SUITE_LIST}};
const unsigned suite_count = 1;

static struct machine *fresh(struct recording *recording)
{
    struct description description;
    const char *why = "";
    struct machine *machine;

    memset(&stage, 0, sizeof stage);
    memset(&run, 0, sizeof run);
    memset(&host, 0, sizeof host);
    options_default(&run.options);
    run.recording = recording;
    description_plain(&description, 32 << 10, 8, 64, 4, 100);
    strcpy(description.name, "test");
    description.title[0] = '\0';
    description.memory.span = 4 << 20;
    machine = process_open(&host, &description, 1, recording, &why);
    if (!machine)
        fail_msg("%s", why);
    return machine;
}

static void expect(const char *where, const char *text)
{
    if (!strstr(where, text))
        fail_msg("no '%s' in:\n%s", text, where);
}

static void whole_run(void **state)
{
    struct machine *machine = fresh(NULL);
    char probe[32];

    (void)state;
    assert_int_equal(run_measure(&run, machine, &stage), 2);
    expect(stage.result, "\"run\": {\"number\": 7, \"date\": \"2026-11-21T09:30:00\"");
    expect(stage.result, "\"faulted\": 1}");
    expect(stage.result, "{\"id\": \"good.value\", \"measured\": true, \"value\": 48");
    expect(stage.result, "{\"id\": \"bad.first\", \"measured\": true");
    expect(stage.result,
           "{\"id\": \"bad.second\", \"measured\": false, \"unit\": \"\", \"cost\": 0, \"why\": \"fault #PF at");
    expect(stage.result, "{\"id\": \"long.value\", \"measured\": true");
    expect(stage.result, "\"why\": \"a reason of its own\"");
    expect(stage.result,
           "\"id\": \"long.forgotten\", \"measured\": false, \"unit\": \"\", \"cost\": 0, \"why\": \"the probe");
    expect(stage.journal, "{\"seq\":1,\"event\":\"run\",\"tool\":\"0.1.0\",\"probes\":\"good,bad,long\"");
    expect(stage.journal, "{\"seq\":5,\"event\":\"end\",\"probe\":\"bad\",\"outcome\":\"fault\",\"visits\":");
    expect(stage.journal, "\"probe\":\"good\",\"outcome\":\"done\",\"visits\":2,\"findings\":[{\"id\"");
    assert_int_equal(run.notebook.translation, 2); /* of those that share them */
    expect(stage.journal, "{\"seq\":8,\"event\":\"finished\"");
    assert_false(journal_unfinished(stage.journal, stage.journal_length, probe, sizeof probe));
    assert_string_equal(stage.names, "result.json findings.csv series.csv report.html topology.xml cache.txt ");
    expect(stage.said, "[3/3] long  50 %  about 2 s left   (s skips, q ends the run)");
    assert_int_equal(stage.summary_writes, 1);
    machine_close(machine);
}

/* A suite has its probes, and its table at the end, on the console and as a file. */
static void suite(void **state)
{
    struct machine *machine = fresh(NULL);

    (void)state;
    strcpy(run.options.suite, "pair");
    assert_int_equal(run_measure(&run, machine, &stage), 2);
    expect(stage.journal, "\"probes\":\"good,long\"");
    assert_string_equal(stage.names,
                        "result.json findings.csv series.csv report.html topology.xml cache.txt suite.txt ");
    expect(stage.said, "\nSuite list: ");
    expect(stage.said, "\nNot all lists were measured: they were not asked for.\n");
    expect(stage.result, "--suite=pair");
    machine_close(machine);
}

static void same_summary_once(void **state)
{
    struct machine *machine = fresh(NULL);
    uint8_t summary[512];
    size_t size;

    (void)state;
    run_measure(&run, machine, &stage);
    size = stage.summary_size;
    memcpy(summary, stage.summary, size);
    machine_close(machine);
    machine = fresh(NULL);
    memcpy(stage.summary, summary, size);
    stage.summary_size = size;
    run_measure(&run, machine, &stage);
    assert_int_equal(stage.summary_writes, 0);
    expect(stage.said, "already says the same");
    machine_close(machine);
    machine = fresh(NULL);
    run.options.no_variable = true;
    run_measure(&run, machine, &stage);
    assert_int_equal(stage.summary_writes, 0);
    machine_close(machine);
}

/* The journal of a run that ended while `probe` was under way. */
static void last_run_ended_in(const char *probe)
{
    struct text line = text_in(stage.last_journal, sizeof stage.last_journal);

    text_format(&line, "{\"seq\":1,\"event\":\"begin\",\"probe\":\"%s\"", probe);
    journal_seal(&line);
}

static void unfinished(void **state)
{
    (void)state;
    for (unsigned retry = 0; retry < 2; retry++) {
        struct machine *machine = fresh(NULL);
        last_run_ended_in("good");
        run.options.retry = retry;
        assert_int_equal(run_measure(&run, machine, &stage), retry ? 2 : 1);
        expect(stage.said, "An earlier run ended during probe good");
        expect(stage.result,
               retry ? "\"id\": \"good.value\", \"measured\": true" : "\"why\": \"left out: an earlier run");
        if (!retry)
            expect(stage.journal, "\"event\":\"end\",\"probe\":\"good\",\"outcome\":\"left out\"");
        expect(stage.journal, "\"event\":\"begin\",\"probe\":\"long\"");
        machine_close(machine);
    }
}

static void skipped_and_ended(void **state)
{
    struct machine *machine = fresh(NULL);
    char probe[32];

    (void)state;
    host.skip = true;
    assert_int_equal(run_measure(&run, machine, &stage), 1);
    expect(stage.result,
           "\"id\": \"long.value\", \"measured\": false, \"unit\": \"\", \"cost\": 0, \"why\": \"skipped by");
    expect(stage.journal, "\"probe\":\"long\",\"outcome\":\"skipped\"");
    assert_false(journal_unfinished(stage.journal, stage.journal_length, probe, sizeof probe));
    machine_close(machine);
    machine = fresh(NULL);
    stage.aborted = true;
    assert_int_equal(run_measure(&run, machine, &stage), 0);
    expect(stage.result, "\"why\": \"the user ended the run before\"");
    expect(stage.journal, "\"event\":\"finished\"");
    assert_int_equal(run.notebook.findings, 6);
    machine_close(machine);
}

static void failing_stages(void **state)
{
    struct machine *machine = fresh(NULL);

    (void)state;
    stage.no_folder = true;
    assert_int_equal(run_measure(&run, machine, &stage), 2);
    expect(stage.said, "No files can be written: the stage will not");
    expect(stage.said, "good.value");
    assert_string_equal(stage.names, "");
    assert_int_equal(run.number, 0);
    assert_int_equal(stage.summary_writes, 1);
    machine_close(machine);
    machine = fresh(NULL);
    stage.no_journal = stage.full = true;
    assert_int_equal(run_measure(&run, machine, &stage), 2);
    expect(stage.said, "The journal ends here: the stage will not");
    assert_int_equal(stage.journal_calls, 1);
    expect(stage.said, "result.json could not be written");
    expect(stage.said, "series.csv could not be written");
    expect(stage.said, "The summary could not be stored");
    machine_close(machine);
    machine = fresh(NULL);
    run.options.no_files = true;
    assert_int_equal(run_measure(&run, machine, &stage), 2);
    assert_string_equal(stage.names, "");
    assert_int_equal(stage.journal_length, 0);
    machine_close(machine);
    machine = fresh(NULL);
    stage.no_commit = true;
    assert_int_equal(run_measure(&run, machine, &stage), 2);
    assert_int_equal(stage.commits, 1);
    expect(stage.said, "Not all files written, run 7 of test\nMissing: the stage will not");
    assert_null(strstr(stage.said, "3 files written"));
    machine_close(machine);
}

static void recorded(void **state)
{
    static uint8_t memory[1 << 16];
    struct recording recording;
    struct machine *machine;

    (void)state;
    recording_begin(&recording, memory, sizeof memory);
    machine = fresh(&recording);
    run_measure(&run, machine, &stage);
    assert_string_equal(stage.names,
                        "result.json findings.csv series.csv report.html topology.xml cache.txt readings ");
    assert_null(recording_check(memory, recording.used));
    machine_close(machine);
    recording_begin(&recording, memory, 300);
    machine = fresh(&recording);
    run_measure(&run, machine, &stage);
    assert_string_equal(stage.names, "result.json findings.csv series.csv report.html topology.xml cache.txt ");
    expect(stage.said, "readings is not written");
    machine_close(machine);
}

static void chosen_probes(void **state)
{
    struct machine *machine = fresh(NULL);

    (void)state;
    text_copy(run.options.probes, sizeof run.options.probes, "long,good");
    run.options.core = 5;
    assert_int_equal(run_measure(&run, machine, &stage), 0);
    expect(stage.journal, "\"probes\":\"good,long\"");
    expect(stage.journal, "\"outcome\":\"refused\"");
    expect(stage.result, "\"why\": \"no processor 5: there are 1\"");
    assert_int_equal(run.notebook.findings, 4);
    machine_close(machine);
}

static void last_summary(void **state)
{
    struct machine *machine = fresh(NULL);

    (void)state;
    assert_false(run_print_last(&stage));
    expect(stage.said, "No summary of an earlier run: the stage will not");
    run_measure(&run, machine, &stage);
    stage.said_length = 0;
    assert_true(run_print_last(&stage));
    expect(stage.said, "The last stored summary, of run 7:\nassay 0.1.0 test\ngood.value=48 bytes 99.0%\n");
    stage.summary[20] ^= 1;
    assert_false(run_print_last(&stage));
    expect(stage.said, "damaged");
    machine_close(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole_run),         cmocka_unit_test(suite),
                                       cmocka_unit_test(same_summary_once), cmocka_unit_test(unfinished),
                                       cmocka_unit_test(skipped_and_ended), cmocka_unit_test(failing_stages),
                                       cmocka_unit_test(recorded),          cmocka_unit_test(chosen_probes),
                                       cmocka_unit_test(last_summary)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
