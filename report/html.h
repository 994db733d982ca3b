// SPDX-License-Identifier: BSD-2-Clause
/* html.h: the parts of report.html, which html.c puts together, and what they share. All that is drawn comes from
 * numbers as result.json holds them (number_as_written), so that the file made from result.json is the same. */
#pragma once
#include "report/report.h"
#include "report/writer.h"

void html_style(struct writer *);

/* The hierarchy as a picture and as a table, and the TLBs when anything was found about them. */
void html_hierarchy(struct writer *, const struct run_summary *, const struct notebook *);

/* What differs from what is declared, and after it every finding. */
void html_differences(struct writer *, const struct notebook *);
void html_findings(struct writer *, const struct notebook *);

/* Every series as a plot; those of one quantity in one. */
void html_curves(struct writer *, const struct notebook *);

/* A value as people write it. */
void html_quantity(struct writer *, double value, const char *unit);

/* A place from 0 to 1 as a percentage: "12.34%". */
void html_share(struct writer *, double place);

/* The value of a finding, as result.json has it. */
double html_value(const struct finding *);

/* A finding that has a value; NULL: none has this id. */
const struct finding *html_measured(const struct notebook *, const char *id);
