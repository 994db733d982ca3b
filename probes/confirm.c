// SPDX-License-Identifier: BSD-2-Clause
/* confirm.c: what several tries say of levels. */
#include "probes/confirm.h"
#include "base/arithmetic.h"
#include "probes/tries.h"

static bool is_said(const struct said *said, unsigned level, double cycles)
{
    return level < said->count && apart(said->cycles[level], cycles) <= readings_tolerance(cycles);
}

bool levels_confirm(const struct said *earlier, unsigned tries, struct levels *levels, struct said *now)
{
    bool counted = false, all = true; /* until one level is doubted, and with it which number those behind it have */
    *now = (struct said){.count = levels->count};
    for (unsigned i = 0; i < tries; i++)
        counted = counted || earlier[i].count == levels->count;
    for (unsigned level = 0; level < levels->count; level++) {
        bool confirmed = false;
        now->cycles[level] = levels->level[level].cycles;
        for (unsigned i = 0; i < tries; i++)
            confirmed = confirmed || is_said(&earlier[i], level, now->cycles[level]);
        all = all && confirmed;
        if (!all)
            levels->level[level].numbering += UNCONFIRMED;
    }
    if (!counted)
        levels->counting += UNCONFIRMED;
    return all && counted;
}
