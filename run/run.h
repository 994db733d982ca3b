// SPDX-License-Identifier: BSD-2-Clause
/* run.h: a run, from an opened machine to its documents. The same for the image and the host programs. */
#pragma once
#include "kernel/owner.h"
#include "report/baseline.h"
#include "report/compare.h"
#include "report/report.h"
#include "run/options.h"
#include "run/stage.h"

enum { JOURNAL_LINE_SIZE = 32768, JOURNAL_SIZE = 65536 };

/* What a replay takes from the recording instead of from its own surroundings. */
struct replayed {
    char date[24];       /* of the recorded run, "" when it had none */
    unsigned number;     /* of the recorded run */
    char unfinished[96]; /* probes that the recorded run was to leave out (run/journal.h), "" for none */
    char aborted[32];    /* the probe before which the user ended the recorded run, "" when he did not */
};

/* Memory that a run works in; the program allocates it (it is large) and zeroes it. */
struct run {
    struct options options;
    struct notebook notebook;
    struct baseline baseline; /* count 0: there is none */
    char baseline_file[BASELINE_FILE_SIZE];
    enum verdict verdict;        /* on the run beside its baseline */
    struct recording *recording; /* NULL: nothing is recorded */
    char machine_name[48]; /* "<board>-<serial>", made of letters, digits, - and _ that FAT can hold; "": to be made */
    unsigned number;
    bool folder, journal; /* there is one */
    bool skip_asked;
    const struct replayed *replayed; /* NULL: this run measures */
    unsigned journal_lines;
    char journal_line[JOURNAL_LINE_SIZE], last_journal[JOURNAL_SIZE];
    struct run_summary summary; /* what the documents say of the run, once it has ended */
    char options_text[512], date[24];
};

/* Reads the file that --baseline names, before anything is measured. False: it cannot be used, which was said. */
bool run_read_baseline(struct run *, struct stage *);

/* Measures everything that the options ask for, one probe after the other, and delivers: journal, console, files,
 * summary. Returns the number of probes that ended normally (or were rightly found not measurable); never stops
 * half-way for a failed delivery. */
unsigned run_measure(struct run *, struct machine *, struct stage *);

/* --last: prints the stored summary. --list, --help, --version print themselves. False: there was nothing to print. */
bool run_print_last(struct stage *);
void run_print_help(struct stage *);
void run_print_list(struct stage *);
void run_print_version(struct stage *);

extern const char assay_version[]; /* run/version.c */
extern const char assay_build[];
