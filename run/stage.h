// SPDX-License-Identifier: BSD-2-Clause
/* stage.h: what a run needs from its surroundings; implemented at link time by boot/ (firmware) and tests/host/
 * (POSIX). Nothing here is fatal: what cannot be done returns false, stage_why() says why in one sentence, and the run
 * goes on without it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stage;

/* Console. Lines are ASCII without a newline. A progress line is redrawn in place where the console can do that, and is
 * a plain line where it cannot or the user asked for plain lines. stage_line ends a progress line first. */
void stage_line(struct stage *, const char *line);
void stage_progress(struct stage *, const char *line);

const char *stage_why(struct stage *);

/* Reads a file that the user named: on a board from the root of the volume that assay was started from, on a host as
 * the path says. False also when it has `size` bytes or more. */
bool stage_read(struct stage *, const char *path, char *buffer, size_t size, size_t *length);

/* The folder of this run: \assay\<board>-<serial>\<number>\ (host: the --out folder). Made by stage_folder, which tells
 * the number (1 more than the highest there). False: no file can be written in this run. */
bool stage_folder(struct stage *, const char *machine_name, unsigned *number);

/* The journal of the run before this one in the same folder's parent: fills at most size bytes; false: there is none.
 */
bool stage_last_journal(struct stage *, char *buffer, size_t size, size_t *length);

/* Appends one line (no newline in it) to this run's journal and flushes it to the medium. The space is set aside when
 * the first line is written, so that no file system table changes while probes run. */
bool stage_journal(struct stage *, const char *line);

/* One file of this run: begin, any number of pieces, end. A failure anywhere fails the end, and nothing is left of the
 * file. A file that ended well is on the medium at the latest after stage_files_commit: until then it may be kept in
 * memory, so that all files of a run change the medium's tables at one moment. */
bool stage_file_begin(struct stage *, const char *name);
bool stage_file_write(struct stage *, const void *bytes, size_t length);
bool stage_file_end(struct stage *);

/* Writes the files that are kept, once, after the last of them. False: stage_why() names those that could not be
 * written; nothing is left of them, and the others are there. */
bool stage_files_commit(struct stage *);

/* The summary that outlives the power (an EFI variable; a file beside the runs on a host). write: false with a reason
 * also when it is refused for want of room. size: of the buffer in, of the summary out. */
bool stage_summary_read(struct stage *, void *buffer, size_t *size);
bool stage_summary_write(struct stage *, const void *bytes, size_t size);
bool stage_summary_forget(struct stage *);

uint64_t stage_milliseconds(struct stage *);   /* since some moment, for progress and durations */
bool stage_date(struct stage *, char iso[24]); /* "2026-11-21T09:30:00"; false: no clock, or a dead one */
bool stage_aborted(struct stage *);            /* the user asked to end the whole run */
