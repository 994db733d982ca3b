// SPDX-License-Identifier: BSD-2-Clause
/* suites.c: the list of suites. */
#include "run/suites.h"

const struct suite suite_list[] = {
    {"xray", "X-Ray's tables and its TLBs (paper 000), this machine beside the paper's",
     "clock,latency,l1d,caches,dtlb", SUITE_XRAY},
    {"list", "linked lists of many sizes, in three orders, read and written (paper 003)", "clock,list", SUITE_LIST},
    {"babka", "Babka and Tuma's tables and figures (paper 004), this machine beside the paper's",
     "clock,latency,l1d,caches,access,brought,dtlb,itlb,tables,structures", SUITE_BABKA},
};

const unsigned suite_count = sizeof suite_list / sizeof *suite_list;
