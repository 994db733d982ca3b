// SPDX-License-Identifier: BSD-2-Clause
/* host.h: what a machine needs from the program that it is in. The image's boot/ implements all of it over firmware;
 * the host programs (tests/host/) implement host_rest and refuse the rest. No firmware type appears here. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct host; /* opaque; handed to the machine when it is opened */

/* Lets the outside world live: progress line, keys, watchdog. Called with the host's own world fully restored, on the
 * boot processor. permille: how much of the running probe is done. False: the user asked to skip the probe (or to abort
 * the run). */
bool host_rest(struct host *, unsigned permille);

/* The same from another processor, where nothing of the firmware may be touched: only leaves the number where the boot
 * processor finds it, and returns what the boot processor last heard from the user. */
bool host_signal(struct host *, unsigned permille);

/* Keeps the firmware from running anything of its own on this processor (timer events), until host_resume. */
void host_pause(struct host *);
void host_resume(struct host *);

/* Processors, the boot processor being 0. host_start runs entry(argument) on processor `core` (1 and up) and returns
 * when it has returned; false and host_why() when it cannot. */
unsigned host_processors(struct host *);
bool host_start(struct host *, unsigned core, void (*entry)(void *), void *argument);
const char *host_why(struct host *);

/* Waits at least so many microseconds by the firmware's own clock. For calibrating ours when nothing better exists. */
void host_stall(struct host *, unsigned microseconds);
