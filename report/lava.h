// SPDX-License-Identifier: BSD-2-Clause
/* lava.h: a run as the lines that LAVA's dispatcher takes test results from on a board's serial console
 * (lava_dispatcher/actions/test_shell: "<LAVA_SIGNAL_(\S+) ([^>]+)>", whose second part are words NAME=value). */
#pragma once
#include "report/compare.h"
#include "report/report.h"

/* Writes STARTRUN, a TESTCASE a finding, and ENDRUN. A finding fails when it is not what the machine declares, or
 * another than the baseline's; it is skipped where it could not be measured, and unknown where the baseline's
 * confidence and its own leave it open, or it is emulated. With a baseline (count > 0) there is a TESTCASE "baseline",
 * too: whether nothing is different from it. */
bool report_lava(struct report_sink *, const struct run_summary *, const struct notebook *, struct findings baseline);
