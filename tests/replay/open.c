// SPDX-License-Identifier: BSD-2-Clause
/* open.c: assay-replay: a recorded run again. The recorded options hold; only where files go and how progress looks is
 * this program's own affair. */
#include "run/deliver.h"
#include "tests/host/program.h"
#include "tests/replay/replay.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char program_name[] = "assay-replay";

/* Puts the recorded options into run->options. False: *why. */
static bool take_options(struct machine *machine, struct options *options, const char **why)
{
    static char complaint[300];
    struct options asked = *options;
    char line[512] = "";
    struct text text = text_in(complaint, sizeof complaint);

    if (!replay_text(machine, "options", line, sizeof line))
        return true; /* not a recorded run, but a self-test */
    options_default(options);
    text_string(&text, "the recorded options cannot be read: ");
    *why = complaint;
    if (!options_read_line(options, line, &text))
        return false;
    text_copy(options->out, sizeof options->out, asked.out);
    text_copy(options->from, sizeof options->from, asked.from);
    text_copy(options->baseline, sizeof options->baseline, asked.baseline);
    options->plain = asked.plain;
    options->lava = asked.lava;
    return true;
}

/* What the recorded run took from its surroundings. */
static const struct replayed *take_surroundings(struct machine *machine)
{
    struct replayed *replayed = calloc(1, sizeof *replayed);
    char number[16] = "0";

    if (!replayed)
        return NULL;
    replay_text(machine, "date", replayed->date, sizeof replayed->date);
    replay_text(machine, "unfinished", replayed->unfinished, sizeof replayed->unfinished);
    replay_text(machine, "aborted", replayed->aborted, sizeof replayed->aborted);
    replay_text(machine, "number", number, sizeof number);
    replayed->number = (unsigned)strtoul(number, NULL, 10);
    return replayed;
}

bool program_take(struct host *host, int *count, char **words, int *status)
{
    (void)host, (void)count, (void)words, (void)status;
    return true;
}

/* The recording's bytes and what came out of them are needed until the program ends, and go with it. */
struct machine *program_open(struct host *host, struct run *run, const char **why)
{
    struct machine *machine;
    size_t size;
    char *bytes;

    *why = "--from FILE is needed: the readings of a run";
    if (!run->options.from[0])
        return NULL;
    bytes = file_read(run->options.from, &size);
    *why = strerror(errno);
    machine = bytes ? replay_open(host, bytes, size, run->recording, why) : NULL;
    if (!machine)
        return NULL;
    if (!take_options(machine, &run->options, why)) {
        machine_close(machine);
        return NULL;
    }
    run->replayed = take_surroundings(machine);
    return machine;
}

bool program_check(struct host *host, struct run *run, struct machine *machine)
{
    uint64_t unasked, not_found;

    (void)run;
    replay_left(machine, &unasked, &not_found);
    if (unasked || not_found)
        say(host->stage, "NOT the recorded run: %llu readings not asked for, %llu asked for and not in the recording",
            (unsigned long long)unasked, (unsigned long long)not_found);
    else
        say(host->stage, "Replayed: every recorded reading was asked for");
    return !unasked && !not_found;
}
