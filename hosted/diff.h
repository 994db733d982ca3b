// SPDX-License-Identifier: BSD-2-Clause
/* diff.h: two runs compared, as text, JSON or HTML: the parts of the program assay-diff. */
#pragma once
#include "hosted/side.h"
#include "report/writer.h"
#include <stdio.h>

struct report_sink {
    FILE *file;
};

struct comparison_of_runs {
    struct side first, second;
    struct facts_compared facts;
    struct tally tally;
    bool all; /* what is equal is told, too */
};

/* Whether anything is different that counts. */
bool runs_differ(const struct comparison_of_runs *);

/* Each writes the whole document; false: it could not be written. */
bool diff_text(struct report_sink *, const struct comparison_of_runs *); /* at most 100 columns, ASCII */
bool diff_json(struct report_sink *, const struct comparison_of_runs *); /* assay-diff/1, docs/results.md */
bool diff_html(struct report_sink *, const struct comparison_of_runs *); /* HTML5, complete in itself */

/* "Different: 2 findings and 1 fact about the machine." and "1 uncertain, 18 equal." */
void diff_verdict(struct text *, const struct comparison_of_runs *);
void diff_rest(struct text *, const struct comparison_of_runs *);

/* By how much the second value is more: "+12.5 %"; nothing where that says nothing. */
void diff_change(struct text *, const struct pair *);

/* How sure the less sure one of the values is: "99.8 %"; nothing where nothing was measured. */
void diff_sure(struct text *, const struct pair *);
