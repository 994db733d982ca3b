// SPDX-License-Identifier: BSD-2-Clause
/* demanded.c: what a report has to say about a machine: of the ids that the probes promise those for which there is a
 * truth, and the plateaus that are there for certain. It stands here because the model itself knows no probe; no truth
 * depends on it. */
#include "base/text.h"
#include "probes/probes.h"
#include "tests/silicon/truth_levels.h"
#include <string.h>

static void demand(struct truths *truths, const char *id)
{
    if (truths->demands < MAX_DEMANDED && truth_of(truths, id).kind != TRUTH_HIDDEN)
        text_copy(truths->demanded[truths->demands++], sizeof truths->demanded[0], id);
}

/* The ids that a probe promises; those of plateaus come by themselves. */
static void demand_promised(struct truths *truths, const char *ids)
{
    size_t length;

    for (const char *at = ids; *at; at += length + (at[length] == ' ')) {
        char id[sizeof truths->demanded[0]] = "";
        struct truth truth;
        length = strcspn(at, " ");
        if (length >= sizeof id || strncmp(at, "latency.1.", 10) == 0)
            continue;
        memcpy(id, at, length);
        truth = truth_of(truths, id);
        if (truth.kind != TRUTH_ABSENT && !truth.optional)
            demand(truths, id);
    }
}

static void find_demands(struct truths *truths)
{
    static const char *const said[] = {"cycles", "ns", "ends"};
    char id[64];

    for (unsigned i = 0; i < probe_count; i++)
        demand_promised(truths, probe_list[i].ids);
    for (unsigned i = 1; level_demanded(truths, i, false); i++) {
        for (unsigned j = 0; j < 3; j++) {
            struct text text = text_in(id, sizeof id);
            text_format(&text, "latency.%u.%s", i, said[j]);
            if (level_demanded(truths, i, j == 2))
                demand(truths, id);
        }
    }
}

const char *truth_demanded(struct truths *truths, unsigned number)
{
    if (!truths->demands)
        find_demands(truths);
    return number < truths->demands ? truths->demanded[number] : NULL;
}
