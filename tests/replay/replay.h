// SPDX-License-Identifier: BSD-2-Clause
/* replay.h: a recorded run served again. A reading is found by its request: the records with the same key are served in
 * the order in which they were recorded; a request that was never recorded is refused ("not in the recording"). */
#pragma once
#include "kernel/front.h"
#include "kernel/host.h"

/* bytes must outlive the machine. NULL: *why says what is wrong with the recording. */
struct machine *replay_open(struct host *, const void *bytes, size_t size, struct recording *, const char **why);

/* A text that the program around noted when it recorded (RECORD_TEXT); false: none of that name. */
bool replay_text(struct machine *, const char *name, char *to, size_t capacity);

/* How many recorded readings were never asked for, and how many requests were not found: both 0 after a faithful
 * replay. */
void replay_left(struct machine *, uint64_t *unasked, uint64_t *not_found);
