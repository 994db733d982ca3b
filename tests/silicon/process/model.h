// SPDX-License-Identifier: BSD-2-Clause
/* model.h: what the parts of the program assay-model share: open.c (which machine), command.c (words that are no run),
 * judge.c and judge_read.c (a run's findings against the truth). */
#pragma once
#include "tests/host/program.h"
#include "tests/silicon/truth.h"

/* A run that is to be judged: `assay-model run NAME`. */
struct order {
    bool json;
    char noise[16]; /* "" for the machine's own */
    struct description description;
};

/* Finds the file of a machine: a path as it is (it ends in .ini or has a slash), a name among the machines and
 * misconception machines. False: *complaint, which names machines of a similar name. */
bool machine_find(const char *name, char path[600], struct text *complaint);

/* Finds and reads one. False: *complaint ("FILE: line N: ..."). */
bool machine_read(const char *name, struct description *, struct text *complaint);

enum { MACHINE_FOLDERS = 2 };
/* The folder of machines (0) or of misconceptions (1); false: it is not there. */
bool machine_folder(unsigned number, char path[600]);

/* The file names of a folder, sorted, without ".ini"; NULL: none. The caller frees each and all. */
char **machine_names(const char *folder, size_t *count);

/* `list`, `random`, `truth`, `judge`. False: it is none of them. */
bool command_do(int count, char **words, int *status);
void command_usage(FILE *);

/* The word after an option ("--seed 3" or "--seed=3"), which is taken out of the words; NULL: the option is not there.
 * A flag's value is "". */
const char *word_take(int *count, char **words, const char *option, bool flag);

/* A finding beside the truth. finding NULL: it should be in the report and is not. */
struct judged {
    char id[28];
    const struct finding *finding;
    struct truth truth;
    enum judgement judgement;
};
enum { MOST_JUDGED = MAX_FINDINGS + 64 };
struct judgements {
    unsigned count, of[UNJUDGED + 1];
    struct judged one[MOST_JUDGED];
};

/* Judges every finding, and misses what the probes that ran should have found. */
void judge_all(struct judgements *, const struct notebook *, struct truths *);
void judge_print(FILE *, const struct judgements *);
void judge_json(FILE *, const char *machine, const struct judgements *);
void truth_print(FILE *, struct truths *);

/* Reads the findings.csv of another run. False: *complaint ("FILE: line N: ..."). */
bool judge_read(const char *path, struct notebook *, struct text *complaint);
