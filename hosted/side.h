// SPDX-License-Identifier: BSD-2-Clause
/* side.h: one of the two runs that assay-diff compares. */
#pragma once
#include "hosted/result.h"
#include "report/compare.h"

/* Large: allocate it. */
struct side {
    char path[1024]; /* of the file that was read */
    bool whole;      /* it was a result.json; a findings.csv tells nothing about machine and run */
    struct result result;
};

/* Reads a result.json, a findings.csv (its name ends in .csv), or the folder of a run. False: the complaint names the
 * file and says what is wrong with it. */
bool side_read(struct side *, const char *path, struct text *complaint);

struct findings side_findings(const struct side *);

/* A fact about machine or run, as text; "" where it is not known. */
struct fact {
    const char *name; /* "microcode" */
    bool counts;      /* another one makes two machines different; else it only tells runs apart */
    bool differs;
    char first[RESULT_TEXT_SIZE], second[RESULT_TEXT_SIZE];
};

enum { MOST_FACTS = 18 };

struct facts_compared {
    unsigned count, different; /* different: of those that count */
    struct fact fact[MOST_FACTS];
};

/* The facts of both sides beside each other; none unless both are whole. */
void compare_facts(struct facts_compared *, const struct side *first, const struct side *second);
