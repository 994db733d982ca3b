// SPDX-License-Identifier: BSD-2-Clause
/* result.h: a run's result.json, read back into what the report was written from: the notebook, and what was said about
 * machine and run. For the programs on a host; JSON is read with jansson. */
#pragma once
#include "base/text.h"
#include "report/report.h"

enum { RESULT_TEXTS = 16, RESULT_TEXT_SIZE = 520 };

/* Large: allocate it. What run points to lies in text. */
struct result {
    struct notebook notebook;
    struct run_summary run;
    char text[RESULT_TEXTS][RESULT_TEXT_SIZE];
    unsigned texts; /* that are used */
};

/* Reads bytes of the format assay-result/1 (docs/result.schema.json). Characters above 255, which assay does not write,
 * become question marks. A member that is missing or of another type, an id that stands there twice and more of
 * anything than a notebook holds are errors. False: the complaint says what is wrong and where ("findings[3].value: a
 * number is needed"). */
bool result_parse(struct result *, const char *bytes, size_t length, struct text *complaint);
