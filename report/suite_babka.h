// SPDX-License-Identifier: BSD-2-Clause
/* suite_babka.h: the parts of the suite `babka`. */
#pragma once
#include "report/writer.h"

/* The series with this id, NULL: there is none, or it has no point. */
const struct series *babka_series(const struct notebook *, const char *id);

/* Table 1: what TLBs and page-structure caches there are. */
void babka_table1(struct writer *, const struct notebook *, unsigned columns);

/* Figures 1 to 11. whole: each point of each curve; else where it begins, where it rises most and where it ends. */
void babka_figures(struct writer *, const struct notebook *, unsigned columns, bool whole);
