// SPDX-License-Identifier: BSD-2-Clause
/* budget.c: what is left of the visits that the probes of translation have together. */
#include "probes/budget.h"
#include "probes/tries.h"

uint64_t translation_left(struct machine *machine, const struct notebook *notebook, uint64_t behind)
{
    uint64_t spoken_for = notebook->translation + behind + ENDING;
    if (tries_on(machine) > 1)
        return TRANSLATION;
    return spoken_for < TRANSLATION ? TRANSLATION - spoken_for : 0;
}
