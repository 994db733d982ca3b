// SPDX-License-Identifier: BSD-2-Clause
/* command.c: assay-model: the words that run nothing: list, random, truth, judge. */
#include "tests/silicon/process/model.h"
#include <stdlib.h>
#include <string.h>

enum { FOUND_WRONG = 1, BAD_INPUT = 2, INI_SIZE = 1 << 20 };

void command_usage(FILE *file)
{
    fputs("assay-model list                           every machine and misconception machine\n"
          "assay-model run NAME|FILE.ini [options]    run the probes and judge what they find by the truth\n"
          "            --noise quiet|office|hostile   around the machine's own noise\n"
          "            --json                         the judged findings on standard output, and nothing else\n"
          "assay-model truth NAME|FILE.ini            what is true\n"
          "assay-model judge NAME|FILE.ini FINDINGS.csv [--memory SIZE] [--json]\n"
          "                                           judge the findings of another run on that machine, with so\n"
          "                                           much memory\n"
          "assay-model random --seed N                a random plausible machine, as a file on standard output\n"
          "Exit status: 0 none is wrong, 1 some are, 2 bad input.\n"
          "\n",
          file);
}

static int complain(const char *complaint)
{
    fprintf(stderr, "%s: %s\n", program_name, complaint);
    return BAD_INPUT;
}

static void size_text(struct text *text, uint64_t bytes)
{
    if (bytes >= 1 << 20 && bytes % (1 << 20) == 0)
        text_format(text, "%lluM", (unsigned long long)(bytes >> 20));
    else if (bytes % 1024 == 0)
        text_format(text, "%lluK", (unsigned long long)(bytes >> 10));
    else
        text_format(text, "%llu", (unsigned long long)bytes);
}

static void list_one(const char *folder, const char *name, struct description *description)
{
    char path[600], said[600], buffer[600];
    struct text text = text_in(path, sizeof path), complaint = text_in(said, sizeof said);
    struct text line = text_in(buffer, sizeof buffer);

    text_format(&text, "%s/%s.ini", folder, name);
    if (!machine_read(path, description, &complaint)) {
        printf("%-22s cannot be read: %s\n", name, said);
        return;
    }
    text_format(&line, "%-22s %-34s", name, description->title);
    for (unsigned i = 0; i < description->caches; i++) {
        const struct cache_description *cache = &description->cache[i];
        text_format(&line, "%s%s ", i ? ", " : " ", cache->name);
        size_text(&line, cache->size);
        text_format(&line, "/%u/%u %u", cache->shape.ways, cache->line, cache->latency);
    }
    puts(line.at);
}

static int list(void)
{
    struct description *description = calloc(1, sizeof *description);
    unsigned folders = 0;

    puts("name                   title                              caches: size/ways/line cycles");
    for (unsigned i = 0; description && i < MACHINE_FOLDERS; i++) {
        char folder[600];
        size_t count;
        char **names;
        if (!machine_folder(i, folder))
            continue;
        folders++;
        names = machine_names(folder, &count);
        if (i == 1 && count)
            puts("misconceptions: structures that no probe was written for; right or unsaid, but never surely wrong");
        for (size_t j = 0; names && j < count; j++) {
            list_one(folder, names[j], description);
            free(names[j]);
        }
        free(names);
    }
    free(description);
    return folders ? 0 : complain("tests/silicon/machines is neither here nor beside the program");
}

static int draw(int count, char **words)
{
    const char *seed = word_take(&count, words, "--seed", false);
    struct description *description = calloc(1, sizeof *description);
    char *ini = malloc(INI_SIZE);
    uint64_t number = 1;
    int status = BAD_INPUT;

    if (count > 2 || (seed && !text_read_number(seed, &number))) {
        complain("random takes --seed N and nothing else");
    } else if (description && ini) {
        description_random(description, number);
        if (description_write(description, ini, INI_SIZE) && fputs(ini, stdout) >= 0)
            status = 0;
        else
            complain("the machine could not be written");
    }
    free(ini);
    free(description);
    return status;
}

/* What `truth` and `judge` have in common: the machine and its name, and how much memory it has. NULL: *status. */
static struct truths *truths_for(int *count, char **words, char name[48], int *status)
{
    char said[600] = "which machine? A name or a file is needed";
    struct text complaint = text_in(said, sizeof said);
    const char *memory = word_take(count, words, "--memory", false);
    struct description *description = calloc(1, sizeof *description);
    struct truths *truths = NULL;
    uint64_t bytes = 0;

    if (memory && !text_read_number(memory, &bytes))
        text_string(&complaint, "--memory takes a size, as 512M");
    else if (*count > 2 && description && machine_read(words[2], description, &complaint)) {
        text_copy(name, 48, description->name);
        if (bytes && bytes < description->memory.span)
            description->memory.span = bytes;
        truths = truths_create(description);
    }
    if (!truths)
        *status = complain(said);
    free(description);
    return truths;
}

static int tell(int count, char **words)
{
    char name[48];
    int status = 0;
    struct truths *truths = truths_for(&count, words, name, &status);

    if (truths && count > 3)
        status = complain("truth takes one machine");
    else if (truths)
        truth_print(stdout, truths);
    truths_destroy(truths);
    return status;
}

static int judge_findings(int count, char **words)
{
    bool json = word_take(&count, words, "--json", true) != NULL;
    struct notebook *notebook = calloc(1, sizeof *notebook);
    struct judgements *judgements = calloc(1, sizeof *judgements);
    char said[600] = "", name[48];
    struct text complaint = text_in(said, sizeof said);
    int status = 0;
    struct truths *truths = truths_for(&count, words, name, &status);

    if (truths && (count != 4 || !notebook || !judgements)) {
        status = complain("judge takes a machine and the findings.csv of a run");
    } else if (truths && !judge_read(words[3], notebook, &complaint)) {
        status = complain(said);
    } else if (truths) {
        judge_all(judgements, notebook, truths);
        if (json)
            judge_json(stdout, name, judgements);
        else
            judge_print(stdout, judgements);
        status = judgements->of[WRONG] + judgements->of[UNJUDGED] ? FOUND_WRONG : 0;
    }
    truths_destroy(truths);
    free(judgements);
    free(notebook);
    return status;
}

bool command_do(int count, char **words, int *status)
{
    if (strcmp(words[1], "list") == 0)
        *status = list();
    else if (strcmp(words[1], "random") == 0)
        *status = draw(count, words);
    else if (strcmp(words[1], "truth") == 0)
        *status = tell(count, words);
    else if (strcmp(words[1], "judge") == 0)
        *status = judge_findings(count, words);
    else
        return false;
    return true;
}
