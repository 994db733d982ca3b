// SPDX-License-Identifier: BSD-2-Clause
/* known.c: lines of a set, and what their differences have in common. */
#include "probes/known.h"
#include "base/arithmetic.h"

enum { SAME = 10 /* lines in turn that must not tell anything new of the space */ };

/* Notes a line. True: it says something new of the space. */
static bool note(struct known *known, uint64_t target, uint64_t line)
{
    if (known->count < MOST_KNOWN)
        known->line[known->count++] = line;
    known->divisor = common_divisor(known->divisor, difference(line, target));
    return gf2_add(&known->space, line ^ target);
}

bool known_draw(struct push *push, const struct scene *scene, struct known *known)
{
    for (unsigned same = 0; same < SAME;) {
        uint64_t line;
        if (!evict_draw(push, scene, &known->nearer->kin, &known->tries, &line))
            return false;
        same = note(known, scene->target, line) ? 0 : same + 1;
    }
    return push_ok(push);
}

bool known_learn(struct push *push, const struct scene *scene, const struct nearer *nearer, struct known *known)
{
    *known = (struct known){.nearer = nearer, .tries = 8};
    for (unsigned i = 0; i < scene->lines; i++)
        note(known, scene->target, scene->line[i]);
    return known_draw(push, scene, known);
}

void known_more(struct push *push, const struct scene *scene, struct known *known, unsigned wanted)
{
    struct kin rule = kin_by(&push->region, &known->space, known->nearer->kin.odd);
    uint64_t seed = bench_seed(push->bench);
    for (uint64_t i = 0; i < kin_count(&rule, &push->region) && known->count < wanted && push_ok(push); i++) {
        uint64_t line = kin_draw(&rule, &push->region, scene->target, seed, i);
        if (line != scene->target && !push_among(known->line, known->count, line) &&
            evict_takes(push, scene, line, VOTES_SEARCH))
            known->line[known->count++] = line;
    }
}
