// SPDX-License-Identifier: BSD-2-Clause
/* sets.c: two sets of a level. */
#include "probes/sets.h"
#include "probes/kept.h"

enum {
    MORE_TO_PUSH = 4, /* lines that surely push one out of a level, for each that it holds */
    AGREEING = 4,
    PART = 3,
    PART_NEEDED = 2, /* of the visits that are left: for inclusion, and where the ways depend on that */
    MOST_UNRULED = 2 /* trials that found lines and ways, and no rule */
};

/* Probability of a wrong answer where the target is not in the next level either: that one may contain this one, and
 * have given the line up first. The same where it does so by lot, and this level draws lots, too: lines that are lost
 * to it are not kept. */
static const double NEXT_GAVE_UP = 0.6;

/* That lines drawn by chance have all told the same of the space, and are not all. */
static const double BY_CHANCE = 2.0 / 1024;

/* What is to be known of exclusion and inclusion. Experiments on a level that tells little may take all visits that are
 * left, and what lies behind would not be seen at all: they have a part of them. Where nothing pushes lines out of the
 * nearer levels, the ways rest on what they say. */
static void tell_inclusion(struct push *push, const struct push *before, const struct scene *scene, struct known *known,
                           const struct nearer *nearer, struct sets *sets)
{
    bool needed = !scene->helpers || scene->shallow;
    unsigned wanted = 2 * scene->needed + MORE_TO_PUSH * nearer->holds;
    if (needed)
        known_more(push, scene, known, wanted < MOST_KNOWN ? wanted : MOST_KNOWN);
    uint64_t now = machine_steps(push->bench->machine), left = push->most > now ? push->most - now : 0;
    struct push granted = *push, granted_before = before ? *before : *push;
    granted.most = granted_before.most = now + left / (needed ? PART_NEEDED : PART);
    sets->inclusion =
        inclusion_tell(&granted, before ? &granted_before : NULL, scene, nearer, known->line, known->count);
}

/* Counts what a set keeps. Where nothing pushes lines out of the nearer levels, those keep the last ones: of levels
 * that draw lots it would be others each time, some of which this one has given up. Where helpers push lines out, and
 * what is kept is not what it takes to push one out, they come again: a nearer level may keep one line in many for long
 * (Qureshi et al., ISCA 2007: BIP). */
static bool count_kept(const struct push *push, const struct scene *scene, const struct nearer *nearer,
                       struct kept *kept)
{
    struct push rounds = *push;
    rounds.settled = scene->helpers ? 0 : nearer->holds;
    if (!kept_count(&rounds, scene, kept))
        return false;
    if (!scene->helpers || (scene->sharp ? kept->lines == scene->needed : kept->lines > 0))
        return true;
    rounds.passes = MANY_PASSES;
    return kept_count(&rounds, scene, kept);
}

/* Ways: the lines that a set keeps, and those that it and the levels before keep of it. Where lines cannot get past the
 * nearer levels without filling this one, what these keep is counted, too, and is not of an exclusive level's ways: if
 * whether it is one is not told, both together are known all the same. False: not even those. */
static bool count_ways(struct push *push, const struct scene scene[2], const struct nearer *nearer, struct sets *sets,
                       const char **why)
{
    struct kept kept, other;
    enum told exclusive = sets->inclusion.exclusive;
    bool helped = scene[0].helpers && !scene[0].shallow;
    *why = "how many lines a set keeps is not clear";
    if (!count_kept(push, &scene[0], nearer, &kept) || !kept.lines)
        return false;
    /* What a level before keeps may come on top: where this one keeps what loads find, or gets them from that one only,
     * several laps need no more lines than it has ways; and where that one draws lots, it may have others than this. */
    bool may_add = scene[0].shallow || (!scene[0].helpers && exclusive != NOT_TOLD);
    if (scene[0].sharp && scene[1].sharp && may_add && kept.lines == scene[0].needed + nearer->holds) {
        sets->error += kept.error;
        sets->ways = scene[0].needed;
        sets->holds = sets->ways + (exclusive == YES ? nearer->holds : 0);
        return true;
    }
    /* Where no policy draws lots, the fewest lines that push one out are as many; else another set has to agree. */
    if (scene[0].sharp ? scene[0].needed != kept.lines
                       : !count_kept(push, &scene[1], nearer, &other) || other.lines != kept.lines)
        return false;
    sets->error += scene[0].sharp ? kept.error : kept.error * other.error; /* one as far off as the other, by chance */
    sets->ways = sets->holds = kept.lines;
    if (helped || exclusive == NO) {
        sets->holds += exclusive == YES ? nearer->holds : 0;
        return true;
    }
    *why = "whether it is exclusive is not clear, and so how many lines a set keeps";
    if (exclusive == NOT_TOLD) {
        sets->ways = 0; /* where lots are drawn, other laps may still tell it */
        return scene[0].sharp && scene[1].sharp && !scene[0].shallow;
    }
    /* Where helpers push lines out of all nearer levels but the last, what those hold has not been counted. */
    unsigned others = scene[0].shallow ? nearer->ways - nearer->ways_but_last : nearer->holds;
    sets->ways = kept.lines > others ? kept.lines - others : 0;
    sets->holds = sets->ways + nearer->holds;
    return sets->ways > 0;
}

/* Another line at as much from where its page begins, so that it is none of the machine's own either. */
static uint64_t other_target(struct push *push, uint64_t target)
{
    enum { PAGE = 4096, DRAWS = 8 };
    uint64_t seed = bench_seed(push->bench), other = target;
    struct kin pages = kin_modulo(&push->region, PAGE / push->region.unit);
    for (uint64_t i = 0; i < DRAWS && other == target; i++)
        other = kin_draw(&pages, &push->region, target, seed, i);
    return other;
}

/* The lines that push either target out: as many of one as of the other. Where they are not, the machine may keep a
 * line of its own (of its tables, say) in one of the two sets, which leaves fewer ways there: then a target of another
 * set takes its place; or noise has added a line to the other one. */
static bool find_both(struct push *push, const struct nearer *nearer, uint64_t target[2], struct scene scene[2],
                      bool *too_few, const char **why)
{
    unsigned which = 2; /* is to be found: both */
    for (unsigned i = 0; i < AGREEING; i++) {
        unsigned stale = 2; /* found by votes that do not count any more: none */
        *too_few = true;
        for (unsigned j = 0; j < 2; j++) {
            const struct scene *alike = i || j ? &scene[!j] : NULL;
            bool near_only = push->near_only;
            if ((which == j || which == 2) &&
                !minimal_find(push, &nearer->kin, nearer, target[j], alike, &scene[j], why))
                return false;
            stale = alike && push->near_only != near_only ? !j : stale;
        }
        *too_few = false;
        if (stale != 2) {
            which = stale;
            continue;
        }
        *why = "a set keeps more lines than can be told";
        if (2 * scene[0].needed > MOST_KEPT || 2 * scene[1].needed > MOST_KEPT)
            return false;
        if (!scene[0].sharp || !scene[1].sharp || scene[0].needed == scene[1].needed)
            return true;
        which = (scene[0].needed < scene[1].needed) == (i % 2 == 0) ? 0 : 1;
        target[which] = i + 1 < AGREEING ? other_target(push, target[which]) : target[which];
    }
    *why = "two of its sets do not agree on how many lines they keep";
    return false;
}

/* Inclusion and ways. False: not told, *why says why not. */
static bool measure(struct push *push, const struct push *before, const struct scene scene[2],
                    const struct nearer *nearer, struct known *known, struct sets *sets, const char **why)
{
    tell_inclusion(push, before, &scene[0], known, nearer, sets);
    return count_ways(push, scene, nearer, sets, why);
}

static bool find(struct push *push, const struct push *before, const struct nearer *nearer, uint64_t target[2],
                 const struct sets *old, struct sets *sets, bool *unruled, const char **why)
{
    struct scene scene[2];
    struct known known;
    *sets = (struct sets){.ways = 0};
    *unruled = false;
    if (!find_both(push, nearer, target, scene, &sets->too_few, why))
        return false;
    *why = "lines of one set are hard to tell";
    sets->too_few = !known_learn(push, &scene[0], nearer, &known);
    if (sets->too_few)
        return false;
    if (old)
        *sets = (struct sets){.ways = old->ways, .holds = old->holds, .inclusion = old->inclusion, .error = old->error};
    else if (!measure(push, before, scene, nearer, &known, sets, why))
        return false;
    known.victims = sets->inclusion.exclusive != NO;
    *unruled = scene[0].sharp && scene[1].sharp;
    if (!rule_find(push, scene, &known, &sets->rule, why))
        return false;
    struct scene fewest = evict_needed(&scene[0], 0);
    /* Where lines can be pushed down and stay, all that share a set have been seen. */
    bool gave_up = push_far(push, &fewest) || (push->near_only && !*unruled);
    sets->error += BY_CHANCE + (gave_up ? NEXT_GAVE_UP : 0) + (sets->inclusion.exclusive != NO ? sets->rule.error : 0);
    return push_ok(push);
}

bool sets_find(struct push *push, const struct push *before, const struct nearer *nearer, uint64_t target[2], bool last,
               const struct sets *known, struct sets *sets, const char **why)
{
    /* Most policies give a line up within three laps, and an exclusive level shows its ways in the first. */
    static const unsigned laps[] = {1, 3, 1, 12, 40};
    unsigned failed = 0;
    /* In a second lap sets are full when a line brings another along, which pushes the target out, too: it is told from
     * the line in the first one only. Where lines do not go then, it is not looked at, which is right for most levels:
     * where sets are chosen by plain bits, what comes along is of another set. */
    const unsigned first = push_brings(push) ? 0 : 1;
    for (unsigned i = first; i < sizeof laps / sizeof *laps && failed < MOST_UNRULED && push_ok(push); i++) {
        bool unruled, along = i == 0;
        push->laps = laps[i];
        push->any_way = push->near_only ? 0 : push->any_way;
        push->near_only = false;
        if (!along)
            push->along = (struct along){.next = false};
        if (find(push, before, nearer, target, known, sets, &unruled, why))
            return true;
        if (!along && sets->too_few && !last)
            return false;
        failed += !along && unruled;
    }
    return false;
}
