// SPDX-License-Identifier: BSD-2-Clause
/* main.c: the host programs: the image's options, the image's run, on a machine that the program's open.c opens. Exit
 * status: 0 done, 1 failed or different from the baseline, 2 wrong options or a baseline that cannot be used. */
#include "kernel/record.h"
#include "run/deliver.h"
#include "tests/host/program.h"
#include <stdlib.h>
#include <string.h>

enum { RECORDING_SIZE = 256 << 20, LINE_SIZE = 4096 };

/* Puts the words of the command line into one line, as the image gets it. */
static bool join_words(int count, char **words, struct text *line)
{
    for (int i = 1; i < count; i++) {
        if (strchr(words[i], '"'))
            return false;
        text_format(line, "%s\"%s\"", i > 1 ? " " : "", words[i]);
    }
    return !line->cut;
}

static bool read_options(int count, char **words, struct options *options)
{
    char line_buffer[LINE_SIZE], complaint_buffer[256] = "the command line is too long, or has double quotes";
    struct text line = text_in(line_buffer, sizeof line_buffer), complaint;

    options_default(options);
    if (join_words(count, words, &line)) {
        complaint = text_in(complaint_buffer, sizeof complaint_buffer);
        if (options_read_line(options, line.at, &complaint))
            return true;
    }
    fprintf(stderr, "%s: %s\n", program_name, complaint_buffer);
    return false;
}

/* What needs no machine. False: it is something else. */
static bool run_simple(const struct options *options, struct stage *stage, int *status)
{
    *status = 0;
    switch (options->task) {
    case TASK_HELP:
        run_print_help(stage);
        return true;
    case TASK_VERSION:
        run_print_version(stage);
        return true;
    case TASK_LIST:
        run_print_list(stage);
        return true;
    case TASK_LAST:
        *status = !run_print_last(stage);
        return true;
    case TASK_FORGET:
        *status = !stage_summary_forget(stage);
        say(stage, *status ? "No summary deleted: %s" : "The stored summary is deleted%s",
            *status ? stage_why(stage) : "");
        return true;
    default:
        return false;
    }
}

/* Keeps the readings of a self-test, so that a replay can pass the same one. */
static void keep_readings(struct run *run, struct stage *stage)
{
    unsigned number;

    if (run->options.no_files)
        return;
    recording_finish(run->recording);
    if (!stage_folder(stage, "", &number) || !stage_file_begin(stage, "readings")) {
        say(stage, "readings could not be written: %s", stage_why(stage));
        return;
    }
    stage_file_write(stage, run->recording->bytes, run->recording->used);
    if (!stage_file_end(stage))
        say(stage, "readings could not be written: %s", stage_why(stage));
}

static bool selftest(struct run *run, struct machine *machine, struct stage *stage)
{
    unsigned failed;

    if (strcmp(run->options.selftest, "all") != 0 && strcmp(run->options.selftest, "machine") != 0) {
        say(stage, "--selftest %s: only bare metal has it", run->options.selftest);
        return false;
    }
    machine_record_ground(machine);
    failed = selftest_run(stage, machine);
    keep_readings(run, stage);
    return failed == 0;
}

static int run_on_machine(struct run *run, struct host *host)
{
    const char *why = "";
    struct machine *machine;
    bool good = true;

    if (run->options.task == TASK_MEASURE && !run_read_baseline(run, host->stage))
        return 2;
    machine = program_open(host, run, &why);
    if (!machine) {
        fprintf(stderr, "%s: %s\n", program_name, why);
        return 1;
    }
    if (run->options.five_levels)
        say(host->stage, "--five-levels: only bare metal has its own tables; the levels stay as they are");
    keys_start(host->stage);
    if (run->options.task == TASK_SELFTEST)
        good = selftest(run, machine, host->stage);
    else
        run_measure(run, machine, host->stage);
    good = program_check(host, run, machine) && good;
    keys_stop(host->stage);
    machine_close(machine);
    good = good && run->verdict != BASELINE_FAILED;
    return good ? 0 : 1;
}

int main(int count, char **words)
{
    static const char default_folder[] = "build/run/";
    struct run *run = calloc(1, sizeof *run);
    struct recording *recording = calloc(1, sizeof *recording);
    void *memory = malloc(RECORDING_SIZE); /* costs only what is used of it */
    char folder[300];
    struct text path = text_in(folder, sizeof folder);
    struct stage stage = {.console = stdout, .folder = folder};
    struct host host = {.stage = &stage};
    int status = 1;

    if (!run || !recording || !memory) {
        fprintf(stderr, "%s: no memory\n", program_name);
    } else if (!program_take(&host, &count, words, &status)) {
        /* The program has done all that was asked for. */
    } else if (!read_options(count, words, &run->options)) {
        status = 2;
    } else {
        /* "assay-linux" writes to build/run/linux. */
        if (run->options.out[0])
            text_string(&path, run->options.out);
        else
            text_format(&path, "%s%s", default_folder, program_name + strlen("assay-"));
        stage.plain = run->options.plain;
        recording_begin(recording, memory, RECORDING_SIZE);
        run->recording = recording;
        if (!run_simple(&run->options, &stage, &status))
            status = run_on_machine(run, &host);
    }
    free(memory);
    free(recording);
    free(run);
    return status;
}
