// SPDX-License-Identifier: BSD-2-Clause
/* open.c: assay-model: a run on a modelled machine. `--machine FILE` runs and reports like any host program; `run
 * NAME|FILE` says for each finding what is true, too. */
#include "run/deliver.h"
#include "tests/silicon/process/model.h"
#include "tests/silicon/process/process.h"
#include <stdlib.h>
#include <string.h>

const char program_name[] = "assay-model";

enum { BAD_INPUT = 2 };

static bool fail(int *status, const char *complaint)
{
    fprintf(stderr, "%s: %s\n", program_name, complaint);
    *status = BAD_INPUT;
    return false;
}

const char *word_take(int *count, char **words, const char *option, bool flag)
{
    size_t length = strlen(option);
    const char *value = NULL;
    int kept = 0;

    for (int i = 0; i < *count; i++) {
        if (strcmp(words[i], option) == 0) {
            value = flag ? "" : i + 1 < *count ? words[++i] : "";
        } else if (!flag && strncmp(words[i], option, length) == 0 && words[i][length] == '=') {
            value = words[i] + length + 1;
        } else {
            words[kept++] = words[i];
        }
    }
    *count = kept;
    return value;
}

/* Turns "run NAME ..." into "--machine PATH ...", which the options understand. */
static bool take_run(struct host *host, int *count, char **words, int *status)
{
    static char path[600], option[] = "--machine";
    char said[600] = "run needs the name of a machine, or its file (assay-model list)";
    struct text complaint = text_in(said, sizeof said);
    struct order *order;
    const char *noise;

    if (*count < 3 || words[2][0] == '-')
        return fail(status, "run needs the name of a machine, or its file (assay-model list)");
    order = calloc(1, sizeof *order);
    if (!order)
        return fail(status, "no memory");
    host->own = order; /* for as long as the program runs */
    if (!machine_find(words[2], path, &complaint) || !machine_read(path, &order->description, &complaint))
        return fail(status, said);
    words[1] = option;
    words[2] = path;
    order->json = word_take(count, words, "--json", true) != NULL;
    noise = word_take(count, words, "--noise", false);
    if (noise) {
        text_copy(order->noise, sizeof order->noise, noise);
        if (!description_disturb(&order->description, noise))
            return fail(status, "--noise: one of quiet, office, hostile is needed");
    }
    if (order->json)
        host->stage->console = stderr;
    return true;
}

bool program_take(struct host *host, int *count, char **words, int *status)
{
    if (*count < 2 || strcmp(words[1], "help") == 0) {
        command_usage(*count < 2 ? stderr : stdout);
        *status = *count < 2 ? BAD_INPUT : 0;
        return false;
    }
    if (strcmp(words[1], "run") == 0)
        return take_run(host, count, words, status);
    if (words[1][0] != '-') {
        if (!command_do(*count, words, status)) {
            fprintf(stderr, "%s: there is no command named '%s'\n", program_name, words[1]);
            command_usage(stderr);
            *status = BAD_INPUT;
        }
        return false;
    }
    if (strcmp(words[1], "--help") == 0)
        command_usage(stdout);
    return true;
}

struct machine *program_open(struct host *host, struct run *run, const char **why)
{
    static char said[600];
    struct text complaint = text_in(said, sizeof said);
    struct order *order = host->own;
    struct description *description = order ? &order->description : calloc(1, sizeof *description);
    struct machine *machine = NULL;

    *why = said;
    if (!description || !run->options.machine[0])
        text_string(&complaint, "run NAME or --machine FILE is needed: which machine (assay-model list)");
    else if (order || machine_read(run->options.machine, description, &complaint)) {
        if (run->options.memory && run->options.memory < description->memory.span)
            description->memory.span = run->options.memory;
        machine = process_open(host, description, run->options.request.seed, run->recording, why);
    }
    if (!order)
        free(description);
    return machine;
}

static bool judge_run(const struct order *order, const struct run *run)
{
    struct truths *truths = truths_create(&order->description);
    struct judgements *judgements = calloc(1, sizeof *judgements);
    bool good = false;

    if (truths && judgements) {
        judge_all(judgements, &run->notebook, truths);
        if (order->json)
            judge_json(stdout, order->description.name, judgements);
        else
            judge_print(stdout, judgements);
        good = judgements->of[WRONG] + judgements->of[UNJUDGED] == 0;
    }
    free(judgements);
    truths_destroy(truths);
    return good;
}

bool program_check(struct host *host, struct run *run, struct machine *machine)
{
    const struct order *order = host->own;

    (void)machine;
    return !order || run->options.task != TASK_MEASURE || judge_run(order, run);
}
