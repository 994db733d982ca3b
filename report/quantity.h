// SPDX-License-Identifier: BSD-2-Clause
/* quantity.h: values as people write them: "48 KB", "2.596 GHz", "4 cycles". For the console; files hold plain
 * numbers. */
#pragma once
#include "base/text.h"

/* Adds a value with its unit. Bytes become KB, MB or GB (powers of 1024), Hz MHz or GHz, from the first whole one on;
 * 1 and 0 of the unit "yes/no" become these words, 639 of the unit "bit mask" becomes "bits 0-6 9". */
void quantity_text(struct text *, double value, const char *unit);

/* Adds a confidence as a percentage with one decimal. Only certainty is shown as "100 %". */
void confidence_text(struct text *, double confidence);
