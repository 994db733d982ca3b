// SPDX-License-Identifier: BSD-2-Clause
/* collect.c: last straws of pools, one after the other. */
#include "probes/collect.h"
#include "probes/likely.h"
#include "probes/pool.h"

/* Whether the scene's lines push the target out alone: the last one, too, and not what it brings along into a set that
 * the others have filled. */
static bool goes_alone(struct push *push, const struct scene *scene)
{
    if (!pool_goes(push, scene))
        return false;
    if (!push_brings(push) || !scene->lines)
        return true;
    struct scene changed = push_ends_changed(scene);
    return pool_goes(push, &changed);
}

/* Adds those lines to a scene that are the last straws of a pool, which pushes its target out, until it has few enough
 * to go without: true. *high: the pool's lines that are left. Where noise has made one of them look like the last
 * straw, the others are not enough with it, which shows when the next one would be the last of them: false. (Where lots
 * are drawn, that shows all the time, and means nothing.) */
static bool add_straw(struct push *push, struct scene *scene, uint64_t *high)
{
    uint64_t straw = pool_last_straw(push, scene, *high, VOTES_SEARCH);
    if (straw == *high && !pool_goes(push, scene))
        return false;
    *high = straw - 1;
    scene->line[scene->lines++] = push_pooled(push, scene, *high);
    return true;
}

bool collect_alike(struct push *push, struct scene *scene, const struct scene *alike, const struct kin *kin)
{
    for (unsigned rule = 0; rule < LIKELY_RULES && push_ok(push); rule++) {
        struct kin likely;
        struct scene more = *scene;
        if (!likely_kin(push, alike, kin, rule, &likely))
            continue;
        uint64_t high = kin_count(&likely, &push->region);
        high = high < MOST_KEPT ? high : MOST_KEPT;
        more.pool = (struct pool){.kin = &likely, .seed = bench_seed(push->bench), .count = high};
        if (!pool_goes(push, &more))
            continue;
        while (high && more.lines < MOST_KEPT && push_ok(push) && add_straw(push, &more, &high)) {
            more.pool.count = 0;
            if (!goes_alone(push, &more))
                continue;
            for (; scene->lines < more.lines; scene->lines++)
                scene->line[scene->lines] = more.line[scene->lines];
            return true;
        }
    }
    return false;
}

bool collect_are_all(const struct push *push, const struct kin *kin, uint64_t lines)
{
    return push->more_memory && 4 * lines > 3 * kin_count(kin, &push->region);
}

bool collect_from(struct push *push, struct scene *scene, const struct kin *kin, uint64_t first, unsigned times)
{
    if (!pool_enough(push, scene, kin, first, VOTES_CHECK) || collect_are_all(push, kin, scene->pool.count))
        return false;
    uint64_t high = scene->pool.count;
    while (push_ok(push)) {
        scene->pool.count = 0;
        if (goes_alone(push, scene) || collect_alike(push, scene, scene, kin))
            return true;
        if (high == 0 || scene->lines >= MOST_KEPT)
            return false;
        if (add_straw(push, scene, &high))
            continue;
        if (!times)
            return false;
        times--;
        if (push_brings(push) && scene->lines == 1)
            scene->lines = 0; /* it is what that brought along */
        if (!pool_enough(push, scene, kin, high, VOTES_CHECK))
            return false;
        high = scene->pool.count;
    }
    return false;
}

void collect_fewest(struct push *push, struct scene *scene)
{
    scene->needed = scene->lines;
    for (unsigned i = 0; i < scene->needed && push_ok(push);) {
        uint64_t line = scene->line[i];
        scene->line[i] = scene->line[--scene->needed];
        scene->line[scene->needed] = line;
        struct scene less = evict_needed(scene, 0);
        if (goes_alone(push, &less))
            continue;
        scene->line[scene->needed++] = scene->line[i];
        scene->line[i++] = line;
    }
}
