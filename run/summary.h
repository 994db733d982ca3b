// SPDX-License-Identifier: BSD-2-Clause
/* summary.h: the run in at most 512 bytes, for a place that survives the power (docs/variable.md). Little-endian:
 *   0 "ASAY"  4 version (1)  5 verdict beside the baseline (0: none, 1: passed, 2: failed)  6 length of the text (2
 * bytes)  8 run number (4 bytes)  12 CRC-32 of bytes 0 to 11 and the text 16 text: "id=value unit confidence%\n" per
 * finding, measured ones first, cut at a line end; the last line "+N more" when cut. */
#pragma once
#include "report/report.h"

enum { SUMMARY_SIZE = 512 };

/* Returns the size, at most SUMMARY_SIZE. */
size_t summary_make(uint8_t summary[SUMMARY_SIZE], const struct run_summary *, const struct notebook *);

/* The verdict in a summary that has been checked. */
enum verdict summary_verdict(const uint8_t *summary);

/* Checks a summary and points *text at its text (not terminated, *length bytes). NULL when it is right, else what is
 * wrong. */
const char *summary_check(const uint8_t *summary, size_t size, const char **text, size_t *length, unsigned *run_number);
