// SPDX-License-Identifier: BSD-2-Clause
/* notebook_bench.h: notebooks for a group of tests of probes: empty, and with what other probes have found. Private to
 * tests/unit/. */
#pragma once
#include "probes/finding.h"
#include "tests/silicon/description.h"
#include <stdlib.h>
#include <string.h>

static inline int fresh(void **state)
{
    *state = calloc(1, sizeof(struct notebook));
    return *state ? 0 : -1;
}

static inline int done(void **state)
{
    free(*state);
    return 0;
}

/* What the probes latency and l1d say of the first level, and how many levels there are; nothing else. */
static inline void know_first(struct notebook *notebook, const struct description *description)
{
    const struct cache_description *l1 = &description->cache[0];
    memset(notebook, 0, sizeof *notebook);
    note_value(notebook, "latency.levels", description->caches, "", 0.999, 0, "");
    note_value(notebook, "l1d.size", (double)l1->size, "bytes", 0.999, 0, "");
    note_value(notebook, "l1d.ways", l1->shape.ways, "ways", 0.999, 0, "");
    note_value(notebook, "l1d.line", l1->line, "bytes", 0.999, 0, "");
    note_value(notebook, "l1d.latency", l1->latency, "cycles", 0.999, 0, "");
}

/* The median of a series at an x; -1: it has no such point, or there is no such series. */
static inline double middle_at(const struct notebook *notebook, const char *id, double x)
{
    for (unsigned i = 0; i < notebook->series_count; i++) {
        const struct series *series = &notebook->series[i];
        for (unsigned j = 0; j < series->count && strcmp(series->id, id) == 0; j++)
            if (notebook->point[series->first + j].x == x)
                return notebook->point[series->first + j].middle;
    }
    return -1;
}
