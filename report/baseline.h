// SPDX-License-Identifier: BSD-2-Clause
/* baseline.h: the findings.csv of an earlier run, read back, so that a run can be compared with it where there is no
 * JSON library. Strict: a file that was cut short, edited into nonsense or is something else is refused, not read as
 * far as it goes. */
#pragma once
#include "base/text.h"
#include "probes/finding.h"

enum { BASELINE_FILE_SIZE = 256 << 10 };

/* Large: allocate it. */
struct baseline {
    unsigned count;
    struct finding finding[MAX_FINDINGS];
};

/* Reads a findings.csv: RFC 4180 with a heading line; lines may end in LF alone, and a byte order mark may stand
 * before, as spreadsheets write it. Columns are found by name, and ones that are not known are passed over. False: the
 * complaint says what is wrong and in which line. */
bool baseline_read(struct baseline *, const char *bytes, size_t length, struct text *complaint);
