// SPDX-License-Identifier: BSD-2-Clause
/* inclusion.c: direct experiments on exclusion and inclusion.
 *
 * Where helpers push the target down and nothing pushes the lines that come then, an exclusive level has to hold the
 * target and all lines but those that the level before still has; another one has to hold them all. (Paper 000 saw the
 * sum of both levels on an Opteron: 576 KB.)
 *
 * Where there are no helpers, because whatever shares a set at the nearer levels shares one here, the first level is
 * kept from giving the target up, while so many lines go by that this level, which does not see those visits, would
 * forget it; then the target is pushed down. Only an exclusive level takes it in then.
 *
 * An inclusive level gives the target up while the first level still keeps it, since it does not see that one's visits,
 * and takes it away from there, too: that shows in the visit that comes just then. As many lines that do not share the
 * level's set must not do that. (Jaleel et al., "Achieving non-inclusive cache performance with inclusive caches",
 * MICRO 2010, call it an inclusion victim.) */
#include "probes/inclusion.h"

enum { MOST_MORE = 8 };

/* Standard error of a share, in halves; and the mean of votes of which nearly all say "there". */
static const double PRECISE = 0.05, ALWAYS = -0.8;

static struct scene with_lines(const struct scene *scene, const uint64_t *lines, unsigned count)
{
    struct scene other = *scene;
    other.pool.count = 0;
    other.lines = count;
    for (unsigned i = 0; i < count; i++)
        other.line[i] = lines[i];
    return other;
}

static bool goes(struct push *push, const struct scene *scene, const uint64_t *lines, unsigned count, bool *clear)
{
    struct scene other = with_lines(scene, lines, count);
    return push_out(push, &other, VOTES_CHECK, clear);
}

/* Whether the first level keeps a line that is loaded in between: first among as many lines as it has ways, and then
 * among as many others. All the time, and not more often than not, as one does that draws lots. */
static bool keeps_hot(const struct push *near, const struct scene *scene, unsigned ways, const uint64_t *lines)
{
    struct push push = *near;
    struct scene other = with_lines(scene, lines, 2 * (ways - 1));
    double mean;
    push.laps = 1;
    push.lines_stay_near = true;
    push.hot_from = ways - 2;
    push.hot_to = ways - 1;
    return push_mean(&push, &other, PRECISE, &mean) && mean < ALWAYS;
}

/* The experiment on the second level where there are no helpers. */
static bool takes_in_what_was_hot(struct push *push, const struct push *near, const struct scene *scene, unsigned ways,
                                  const uint64_t *lines, unsigned count, bool *clear)
{
    unsigned few = scene->needed;
    if (!near || ways < 2 || few + ways + 1 > count || 2 * ways > count || !keeps_hot(near, scene, ways, lines)) {
        *clear = false;
        return false;
    }
    push->hot_to = few - 1;
    return !goes(push, scene, lines, few + ways + 1, clear) && *clear;
}

enum told inclusion_exclusive(struct push *push, const struct push *near, const struct scene *scene,
                              const struct nearer *nearer, const uint64_t *lines, unsigned count)
{
    struct push special = *push;
    bool clear, goes_down;
    /* So many of the lines are still in the level before. */
    unsigned near_ones = (nearer->nearest_one - 1) / 2;
    unsigned more = scene->needed + (near_ones < MOST_MORE ? near_ones : MOST_MORE);
    if (!scene->sharp)
        return NOT_TOLD;
    special.lines_stay_near = true;
    if (!scene->helpers) {
        if (nearer->levels > 1)
            return NOT_TOLD;
        bool taken = takes_in_what_was_hot(&special, near, scene, nearer->ways, lines, count, &clear);
        return !clear ? NOT_TOLD : taken ? YES : NO;
    }
    /* As many lines push the target out when they are pushed down themselves: otherwise it tells nothing. */
    if (more > count || !goes(push, scene, lines, more, &clear) || !clear)
        return NOT_TOLD;
    goes_down = goes(&special, scene, lines, more, &clear);
    return !clear ? NOT_TOLD : goes_down ? NO : YES;
}

/* Whether the first level loses a target that is visited after each of so many lines, at any of them. */
static bool loses_hot(struct push *near, const struct scene *scene, const uint64_t *lines, unsigned count)
{
    for (unsigned i = 1; i <= count && push_ok(near); i++) {
        struct scene other = with_lines(scene, lines, i);
        other.helpers = 0;
        near->hot_to = i - 1;
        if (push_out(near, &other, VOTES_SEARCH, NULL) && push_out(near, &other, VOTES_CHECK, NULL))
            return true;
    }
    return false;
}

enum told inclusion_inclusive(const struct push *push, const struct push *near, const struct scene *scene)
{
    unsigned count = scene->lines < scene->helpers ? scene->lines : scene->helpers;
    if (!near || !scene->sharp || count <= scene->needed)
        return NOT_TOLD;
    struct push once = *push, hot = *near;
    bool clear;
    once.laps = hot.laps = 1;
    hot.lines_stay_near = true;
    /* One lap has to push the target out, and lines of other sets must not. */
    if (!goes(&once, scene, scene->line, count, &clear) || !clear || loses_hot(&hot, scene, scene->helper, count))
        return NOT_TOLD;
    bool lost = loses_hot(&hot, scene, scene->line, count);
    return !push_ok(&hot) ? NOT_TOLD : lost ? YES : NO;
}
