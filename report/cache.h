// SPDX-License-Identifier: BSD-2-Clause
/* cache.h: the findings about one cache together, for the formats that are made of caches. Which caches there are is
 * read off the ids: l1d, l1i, l2, l3, ... */
#pragma once
#include "base/text.h"
#include "probes/finding.h"

/* As many as hwloc has names for. */
enum { LEVELS = 5, INSTRUCTION_LEVELS = 3, KINDS = 3 };

enum cache_kind { UNIFIED, DATA, INSTRUCTION };

/* size, ways, line: 0 where not measured. */
struct cache {
    char name[4]; /* "l1d": the family of the ids */
    unsigned level;
    enum cache_kind kind;
    uint64_t size, ways, line;
    uint64_t sets; /* when the three give a whole number */
};

/* The cache of a level (1 to LEVELS, of instructions to INSTRUCTION_LEVELS) and a kind; false: its size was not
 * measured. */
bool cache_found(const struct notebook *, unsigned level, enum cache_kind, struct cache *);

/* Whether a finding is about a cache: its id is "<name>.<something>", and *what then points to the something. */
bool cache_owns(const struct cache *, const struct finding *, const char **what);
