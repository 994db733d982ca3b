// SPDX-License-Identifier: BSD-2-Clause
/* demanded.c: what a report has to say about a machine: of the ids that the probes promise, and of the latencies of all
 * levels, those for which there is a truth. It stands here because the model itself knows no probe; no truth depends
 * on it. */
#include "base/text.h"
#include "probes/probes.h"
#include "tests/silicon/truth_inside.h"
#include <stdlib.h>
#include <string.h>

/* Demands an id, once, unless there is nothing to find or nothing to be seen of it. */
static void demand(struct truths *truths, const char *id)
{
    struct truth truth = truth_of(truths, id);

    for (unsigned i = 0; i < truths->demands; i++)
        if (strcmp(truths->demanded[i], id) == 0)
            return;
    if (truth.kind == TRUTH_ABSENT || truth.kind == TRUTH_HIDDEN || truth.optional)
        return;
    if (truths->demands == MAX_DEMANDED)
        abort(); /* what is not demanded would not be missed */
    text_copy(truths->demanded[truths->demands++], sizeof truths->demanded[0], id);
}

static void demand_promised(struct truths *truths, const char *ids)
{
    size_t length;

    for (const char *at = ids; *at; at += length + (at[length] == ' ')) {
        char id[sizeof truths->demanded[0]] = "";
        length = strcspn(at, " ");
        if (length >= sizeof id)
            continue;
        memcpy(id, at, length);
        demand(truths, id);
    }
}

/* In cycles and in nanoseconds. */
static void demand_latency(struct truths *truths, const char *name)
{
    static const char *const what[] = {"latency", "latency.ns"};

    for (unsigned i = 0; i < 2; i++) {
        char id[sizeof truths->demanded[0]];
        struct text text = text_in(id, sizeof id);
        text_format(&text, "%s.%s", name, what[i]);
        demand(truths, id);
    }
}

static void find_demands(struct truths *truths)
{
    for (unsigned i = 0; i < probe_count; i++)
        if (!probe_list[i].trial)
            demand_promised(truths, probe_list[i].ids);
    demand(truths, "latency.levels");
    demand_latency(truths, "l1d");
    for (unsigned level = 2; level <= MAX_CACHES; level++)
        demand_latency(truths, (char[]){'l', (char)('0' + level), '\0'});
    demand_latency(truths, "mem");
}

const char *truth_demanded(struct truths *truths, unsigned number)
{
    if (!truths->demands)
        find_demands(truths);
    return number < truths->demands ? truths->demanded[number] : NULL;
}
