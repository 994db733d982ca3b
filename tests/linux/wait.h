// SPDX-License-Identifier: BSD-2-Clause
/* wait.h: whether this thread was made to wait for another one. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* What is known at the beginning of a run. */
struct wait {
    bool watched;      /* the kernel marks it, without being asked */
    uint64_t switches; /* else: involuntary context switches until then */
};

/* Begins to watch. Where the kernel marks a wait by itself (restartable sequences: Linux 4.18, registered by
 * glibc 2.35) nothing is asked of it, neither now nor at the end: a system call between two runs takes translations
 * away where the kernel has tables of its own (page-table isolation) or the machine is a guest whose host handles
 * system calls. */
struct wait wait_watch(void);

/* How many waits there have been since: 1 stands for any number where the kernel marks them. 0 also where nothing
 * tells. */
unsigned wait_count(const struct wait *);
