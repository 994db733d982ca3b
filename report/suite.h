// SPDX-License-Identifier: BSD-2-Clause
/* suite.h: what the tables of several suites (report/suite_*.c) have in common. */
#pragma once
#include "base/text.h"
#include "probes/finding.h"
#include "report/writer.h"

/* Adds why there is no value of a finding: "not measurable: noise", or that nobody asked for it. finding: of that id,
 * NULL: there is none. */
void suite_why(struct text *, const struct finding *, const char *id);

/* Writes a line, without the blanks at its end. */
void suite_write(struct writer *, struct text *line);

/* Adds a text that ends at column `end` of its line, or where it ends. */
void suite_right(struct text *line, size_t end, const char *what);
