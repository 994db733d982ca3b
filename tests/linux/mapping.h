// SPDX-License-Identifier: BSD-2-Clause
/* mapping.h: which addresses of the view lead to which part of the memory file. The kernel knows it too, but a stop of
 * jumps is written through another address than it is run at, and so is every link. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
    uint64_t va, size, pa, page; /* bytes; page: the page size that was asked for */
    bool code;                   /* mapped executable and not writable */
};

struct mappings {
    struct mapping *at; /* sorted by va, none overlap */
    size_t count, capacity;
};

/* Makes room for the changes of one mappings_set. False: no memory. */
bool mappings_reserve(struct mappings *);

/* Puts a mapping in place of whatever was there; page 0 only takes away. mappings_reserve comes first. */
void mappings_set(struct mappings *, struct mapping);

/* The mapping that holds va; NULL: none. Valid until the next change. */
struct mapping *mappings_find(struct mappings *, uint64_t va);
