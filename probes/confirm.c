// SPDX-License-Identifier: BSD-2-Clause
/* confirm.c: what several tries say of levels. */
#include "probes/confirm.h"
#include "base/arithmetic.h"
#include "probes/confidence.h"

static bool is_said(const struct said *said, double cycles)
{
    for (unsigned level = 0; level < said->count; level++)
        if (apart(said->cycles[level], cycles) <= readings_tolerance(cycles))
            return true;
    return false;
}

bool levels_confirm(const struct said *earlier, unsigned tries, struct levels *levels, struct said *now)
{
    bool counted = false, all = true;
    *now = (struct said){.count = levels->count};
    for (unsigned i = 0; i < tries; i++)
        counted = counted || earlier[i].count == levels->count;
    for (unsigned level = 0; level < levels->count; level++) {
        bool confirmed = false;
        now->cycles[level] = levels->level[level].cycles;
        for (unsigned i = 0; i < tries; i++)
            confirmed = confirmed || is_said(&earlier[i], now->cycles[level]);
        if (!confirmed)
            levels->level[level].numbering += UNCONFIRMED;
        all = all && confirmed;
    }
    if (!counted)
        levels->counting += UNCONFIRMED;
    return all && counted;
}
