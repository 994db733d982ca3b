// SPDX-License-Identifier: BSD-2-Clause
/* bars.h: series as small bar charts made of characters, for a console without graphics. */
#pragma once
#include "report/report.h"

enum { BARS_ROWS = 3 }; /* of a chart */

/* BARS_ROWS lines a series, of at most so many columns (60 or more): what it is on the left, then a | and the chart, in
 * which # is a full cell and : a cell that is half full. The points stand side by side, whatever their distance. */
bool report_bars(struct report_sink *, const struct notebook *, unsigned columns);
