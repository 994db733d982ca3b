// SPDX-License-Identifier: BSD-2-Clause
/* suites.h: the founding papers' own experiments, by name: which probes make one, and which table is printed at its
 * end. A suite is a row in run/suites.c, a function in report/ that writes its table from the notebook, and a case in
 * run/deliver.c. */
#pragma once

enum suite_table { SUITE_XRAY, SUITE_LIST, SUITE_BABKA };

struct suite {
    const char *name;    /* "list" */
    const char *answers; /* one line for --help */
    const char *probes;  /* separated by commas; those on trial run, too, and those that they go by */
    enum suite_table table;
};

extern const struct suite suite_list[];
extern const unsigned suite_count;
