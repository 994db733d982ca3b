// SPDX-License-Identifier: BSD-2-Clause
/* inclusion.c: direct experiments on exclusion.
 *
 * Where helpers push the target down and nothing pushes the lines that come then, an exclusive level has to hold the
 * target and all lines but those that the level before still has; another one has to hold them all. (Paper 000 saw the
 * sum of both levels on an Opteron: 576 KB.)
 *
 * Where there are no helpers, because whatever shares a set at the nearer levels shares one here, the first level is
 * kept from giving the target up, while so many lines go by that this level, which does not see those visits, would
 * forget it; then the target is pushed down. Only an exclusive level takes it in then. (Method: docs/architecture.md.)
 */
#include "probes/inclusion.h"

enum { MOST_MORE = 8 };

static bool goes(struct push *push, const struct scene *scene, const uint64_t *lines, unsigned count, bool *clear)
{
    struct scene other = *scene;
    other.pool.count = 0;
    other.lines = count;
    for (unsigned i = 0; i < count; i++)
        other.line[i] = lines[i];
    return push_out(push, &other, VOTES_CHECK, clear);
}

/* Whether the first level keeps a line that is loaded in between: first among as many lines as it has ways, and then
 * among as many others. */
static bool keeps_hot(const struct push *near, const struct scene *scene, unsigned ways, const uint64_t *lines,
                      bool *clear)
{
    struct push push = *near;
    push.laps = 1;
    push.lines_stay_near = true;
    push.hot_from = ways - 2;
    push.hot_to = ways - 1;
    return !goes(&push, scene, lines, 2 * (ways - 1), clear) && *clear;
}

/* The experiment on the second level where there are no helpers. */
static bool takes_in_what_was_hot(struct push *push, const struct push *near, const struct scene *scene, unsigned ways,
                                  const uint64_t *lines, unsigned count, bool *clear)
{
    unsigned few = scene->lines;
    if (!near || ways < 2 || few + ways + 1 > count || 2 * ways > count ||
        !keeps_hot(near, scene, ways, lines, clear)) {
        *clear = false;
        return false;
    }
    push->hot_to = few - 1;
    return !goes(push, scene, lines, few + ways + 1, clear) && *clear;
}

bool inclusion_exclusive(struct push *push, const struct push *near, const struct scene *scene,
                         const struct nearer *nearer, const uint64_t *lines, unsigned count, bool *clear)
{
    struct push special = *push;
    /* So many of the lines are still in the level before. */
    unsigned near_ones = (nearer->nearest_one - 1) / 2;
    unsigned more = scene->lines + (near_ones < MOST_MORE ? near_ones : MOST_MORE);
    *clear = false;
    special.lines_stay_near = true;
    if (!scene->helpers)
        return nearer->levels == 1 && takes_in_what_was_hot(&special, near, scene, nearer->ways, lines, count, clear);
    if (more > count)
        return false;
    /* As many lines push the target out when they are pushed down themselves: otherwise it tells nothing. */
    if (!goes(push, scene, lines, more, clear) || !*clear) {
        *clear = false;
        return false;
    }
    return !goes(&special, scene, lines, more, clear) && *clear;
}
