// SPDX-License-Identifier: BSD-2-Clause
/* program.h: the host programs: what main.c shares with the rest of tests/host/, and what each program adds in its own
 * open.c. */
#pragma once
#include "kernel/host.h"
#include "run/progress.h"
#include "run/run.h"
#include <stdio.h>
#include <termios.h>

struct stage {
    FILE *console;           /* where lines go */
    const char *folder;      /* where files go, below the current directory or absolute */
    bool plain;              /* progress as plain lines */
    bool progress_shown;     /* a progress line stands on the terminal, not ended */
    uint64_t progress_said;  /* milliseconds: when the last plain progress line was printed */
    bool raw;                /* standard input is a terminal that gives single keys */
    struct termios terminal; /* as it was before */
    bool aborted, skip_asked;
    struct progress progress;
    FILE *file, *journal;
    char file_path[600], why[256];
};

struct host {
    struct stage *stage;
    void *own; /* what a program's open.c keeps for itself */
};

/* Keys: s skips the probe, q and Escape (and the interrupt key) end the run. keys_stop restores the terminal. */
void keys_start(struct stage *);
void keys_read(struct stage *);
void keys_stop(struct stage *);

/* --selftest: the contract of the machine. Returns the number of checks that failed. */
unsigned selftest_run(struct stage *, struct machine *);

/* Reads a whole file; NULL with errno set. The caller frees it. It is terminated by a byte 0 that does not count. */
char *file_read(const char *path, size_t *size);

/* Makes a folder and all above it. False with errno set. */
bool folder_make(const char *path);

/* What each program adds (tests/linux/open.c, tests/silicon/process/open.c, tests/replay/open.c).
 *
 * program_take takes words that are the program's own from the command line before options are read; false: nothing is
 * left to do, and *status is what the program ends with. program_open may complete run->options and run->replayed; it
 * takes run->recording. NULL: *why says why, valid until the program ends. program_check says at the end what this
 * program knows about the run's worth; false: the program failed. */
extern const char program_name[];
bool program_take(struct host *, int *count, char **words, int *status);
struct machine *program_open(struct host *, struct run *, const char **why);
bool program_check(struct host *, struct run *, struct machine *);
