// SPDX-License-Identifier: BSD-2-Clause
/* stage.h: the stage of a run over firmware (run/stage.h), as the files of boot/ share it. */
#pragma once
#include "boot/console.h"
#include "boot/volume.h"
#include "run/deliver.h"
#include "run/progress.h"

enum { MOST_DOCUMENTS = 8 };

/* A file of the run, collected in memory. */
struct document {
    char name[64];
    uint8_t *bytes;
    size_t length, capacity;
    bool failed;
    EFI_FILE_HANDLE file; /* while it is written, else NULL */
    EFI_STATUS status;    /* of its writing */
};

/* The journal: space is set aside when the first line is written; lines then overwrite it. */
struct journal_file {
    EFI_FILE_HANDLE file; /* NULL: there is none yet */
    uint64_t used;
    bool failed;
};

struct stage {
    const struct firmware *firmware;
    struct console console;
    struct progress progress;
    struct volume volume;
    EFI_FILE_HANDLE machine_folder, run_folder; /* \assay\<machine> and \assay\<machine>\<number> */
    unsigned previous;                          /* number of the run before this one, 0: there was none */
    struct document document;                   /* the one that is being made */
    struct document kept[MOST_DOCUMENTS];       /* whole, not on the medium yet */
    unsigned kept_count;
    struct journal_file journal;
    uint64_t ticks_per_ms; /* of the TSC, for progress and durations alone */
    unsigned skipped;      /* index of the probe that the user asked to skip, 0: none */
    bool aborted;
    char why[192];
};

/* Finds console, volume and clock. Never fails: what is not there is missed when it is asked for. */
void stage_open(struct stage *, const struct firmware *);

/* Closes all files: nothing of the volume is open or unwritten afterwards. */
void stage_close(struct stage *);

/* Frees the documents that are in memory. */
void stage_forget_documents(struct stage *);

/* Sets stage_why() and returns false. */
bool stage_refuse(struct stage *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads the keys that wait: s skips the running probe, q and ESC end the run. True: the running probe is to end. */
bool stage_listen(struct stage *);
