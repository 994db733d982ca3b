// SPDX-License-Identifier: BSD-2-Clause
/* known.c: lines of a set, and what their differences have in common. */
#include "probes/known.h"
#include "base/arithmetic.h"
#include "probes/likely.h"

enum {
    SAME = 10,      /* lines in turn that must not tell anything new of the space; */
    SAME_ASKED = 3, /* after which it is asked whether there are others: no is believed. If there are, it is asked */
    AGAIN = 3,      /* again so often before all of SAME are; */
    MORE = 10       /* lines that the others foretell */
};

/* The mean of votes of which six in ten are 1, and the others -1. */
static const double MOSTLY = 0.2;

struct kin known_kin(const struct known *known, const struct region *region)
{
    return kin_by(region, &known->space, known->nearer->kin.odd);
}

/* Notes a line. True: it says something new of the space. */
static bool note(struct known *known, uint64_t target, uint64_t line)
{
    if (known->count < MOST_KNOWN)
        known->line[known->count++] = line;
    known->divisor = common_divisor(known->divisor, difference(line, target));
    return gf2_add(&known->space, line ^ target);
}

/* So many draws that one of them is of the set in six rounds of ten, or more: for as long as one is less often, twice
 * as many. How many were drawn until three or four lines were found may be a small part of that. */
static uint64_t enough_draws(struct push *push, const struct scene *scene, const struct known *known, uint64_t tries)
{
    const struct kin *kin = &known->nearer->kin;
    double needed = push_needed(push, VOTES_CHECK);
    while (tries < kin_count(kin, &push->region) && push_ok(push) &&
           !evict_above(push, scene, kin, NULL, tries, MOSTLY, needed))
        tries *= 2;
    return tries;
}

/* If the space is not all, at least every other line of the set is outside; so of RICH times as many draws as it takes
 * until a line is of the set, one is such a line in six rounds of ten. (More lines might push the target out of an
 * outer level.) */
bool known_lacks(struct push *push, const struct scene *scene, const struct known *known, uint64_t tries)
{
    enum { RICH = 2 };
    const struct kin *kin = &known->nearer->kin;
    struct kin space = kin_by(&push->region, &known->space, 1);
    tries = enough_draws(push, scene, known, tries);
    return evict_mostly(push, scene, kin, &space, RICH * tries, VOTES_CHECK);
}

/* Draws a line that is of the set, and notes it. Where lines are flushed as soon as they were loaded, those that are
 * kin of the target by bits only, and not by a nearer level's odd number of sets, tell as much of the space: there are
 * more of them. *more: it says something new of that. */
static bool draw(struct push *push, const struct scene *scene, struct known *known, bool *more)
{
    const struct kin *kin = &known->nearer->kin;
    struct kin any = scene->alone ? kin_by(&push->region, &kin->space, 1) : *kin;
    uint64_t line;
    if (!evict_draw(push, scene, &any, &known->tries, &line))
        return false;
    *more = kin_are(kin, line, scene->target) ? note(known, scene->target, line)
                                              : gf2_add(&known->space, line ^ scene->target);
    return true;
}

bool known_draw(struct push *push, const struct scene *scene, struct known *known)
{
    uint64_t tries = 0;
    unsigned again = 0;
    for (unsigned same = 0; same < SAME;) {
        bool more;
        if (!draw(push, scene, known, &more))
            return scene->sharp && evict_has_all(push, scene, &known->nearer->kin);
        tries = known->tries > tries ? known->tries : tries;
        same = more ? 0 : same + 1;
        /* Where lots are drawn, one line fewer than it takes may push the target out, too. */
        if (!scene->sharp || (same != SAME_ASKED && same != SAME))
            continue;
        if (!known_lacks(push, scene, known, tries))
            break;
        if (same == SAME && again++ < AGAIN)
            same = SAME_ASKED; /* all of these were of the space by chance */
    }
    return push_ok(push);
}

bool known_learn(struct push *push, const struct scene *scene, const struct nearer *nearer, struct known *known)
{
    *known = (struct known){.nearer = nearer, .tries = scene->alone && push->any_way ? push->any_way : 8};
    for (unsigned i = 0; i < scene->lines; i++)
        note(known, scene->target, scene->line[i]);
    if (!known_draw(push, scene, known))
        return false;
    struct scene more = *scene;
    likely_grow(push, &more, &more, &nearer->kin, scene->lines + MORE);
    for (unsigned i = scene->lines; i < more.lines; i++)
        if (!push_among(known->line, known->count, more.line[i]))
            note(known, scene->target, more.line[i]);
    return push_ok(push);
}

void known_more(struct push *push, const struct scene *scene, struct known *known, unsigned wanted)
{
    struct kin rule = known_kin(known, &push->region);
    uint64_t seed = bench_seed(push->bench);
    for (uint64_t i = 0; i < kin_count(&rule, &push->region) && known->count < wanted && push_ok(push); i++) {
        uint64_t line = kin_draw(&rule, &push->region, scene->target, seed, i);
        if (line != scene->target && !push_among(known->line, known->count, line) &&
            evict_takes(push, scene, line, VOTES_SEARCH))
            known->line[known->count++] = line;
    }
}
