// SPDX-License-Identifier: BSD-2-Clause
/* deliver.h: a run's documents on their way out: to the console, into files, into the summary that outlives the power.
 * What cannot be delivered is told on the console and keeps nothing else from being delivered. */
#pragma once
#include "run/run.h"

/* Where report_out() hands a document to: exactly one of them is set. */
struct report_sink {
    struct text *text;   /* a buffer */
    struct stage *file;  /* the file that was begun last */
    struct stage *lines; /* the console, line by line; `line` holds the unfinished one */
    char line[256];
    size_t used;
};

/* Says a line on the console (a format as in base/text.h, at most 255 characters). */
void say(struct stage *, const char *format, ...) __attribute__((format(printf, 2, 3)));

void deliver_table(struct run *, struct stage *, const struct run_summary *);
void deliver_suite(struct run *, struct stage *);                            /* the table of --suite, if there is one */
void deliver_lava(struct run *, struct stage *, const struct run_summary *); /* where --lava asks for it */
void deliver_files(struct run *, struct stage *, const struct run_summary *);
void deliver_summary(struct run *, struct stage *, const struct run_summary *);
