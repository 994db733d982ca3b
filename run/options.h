// SPDX-License-Identifier: BSD-2-Clause
/* options.h: what the user asked for. One list of options for the image (load options, \assay\assay.ini) and the host
 * programs. */
#pragma once
#include "base/text.h"
#include "probes/probe.h"
#include "run/suites.h"

enum after { AFTER_WAIT, AFTER_RESET, AFTER_SHUTDOWN, AFTER_RETURN };
enum task_kind { TASK_MEASURE, TASK_HELP, TASK_VERSION, TASK_LIST, TASK_LAST, TASK_FORGET, TASK_SELFTEST };

struct options {
    enum task_kind task;
    char probes[128];   /* comma-separated names, "" for all */
    char suite[16];     /* its name, "" for none */
    char selftest[16];  /* "all", "machine", "faults", "quiet" */
    char baseline[256]; /* the findings.csv to compare with, "": none */
    unsigned core;
    uint64_t memory; /* bytes at most to take, 0: as much as is sensible */
    enum after after;
    bool no_variable, no_files, retry, plain; /* plain: lines instead of a redrawn progress line */
    bool lava;                                /* test-case lines for LAVA */
    bool no_pictures;                         /* text on a graphics screen, too */
    bool five_levels;                         /* of page tables, where the firmware uses four */
    bool quick;                               /* all probes: only those of a quick run */
    bool given;                               /* the user gave an option, whatever it says */
    struct request request;
    /* host programs only; the image refuses them */
    char out[256], machine[256], from[256];
};

void options_default(struct options *);

/* Reads a command line ("--probe l1d --core 0", words separated by blanks, double quotes group). Options may be "--name
 * value" or
 * "--name=value". False: a clear message for the user is in *complaint, naming the word. */
bool options_read_line(struct options *, const char *line, struct text *complaint);

/* Reads an assay.ini: "name = value" lines with the same names, # and ; start comments, a flag takes yes or no. */
bool options_read_ini(struct options *, const char *ini, size_t length, struct text *complaint);

/* The options that differ from the defaults, as a command line that means the same. */
void options_write(const struct options *, struct text *);

/* --help: every option, one line each, with defaults; and the probes. */
void options_help(struct text *);

/* The suite that the user asked for, NULL: none. */
const struct suite *options_suite(const struct options *);

/* Whether the user asked for this probe: by its name, by a suite, or by naming one that goes by it. */
bool options_wants(const struct options *, const char *probe);
