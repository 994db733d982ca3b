// SPDX-License-Identifier: BSD-2-Clause
/* outcome.h: how a probe ended, as findings. A probe that could not say anything itself still leaves a line for each of
 * its ids. */
#pragma once
#include "base/text.h"
#include "kernel/owner.h"
#include "probes/probe.h"
#include "report/report.h"

/* Adds "fault #PF at 0x1000 (error 0x2, address 0x0) while ..." */
void fault_text(struct text *, const struct fault *);

/* Notes `why` for each id of the probe that it has not noted itself. */
void note_rest_missing(struct notebook *, const struct probe *, uint64_t cost, const char *why);

/* Puts what the machine declares beside all findings, and marks them when the machine is emulated. A
 * value agrees when it lies in the declared range; a frequency may be 1 % off, because the declared one is nominal. */
void compare_declared(struct notebook *, const struct facts *);
