// SPDX-License-Identifier: BSD-2-Clause
/* elsewhere.c: scenes that are moved. */
#include "probes/elsewhere.h"

enum {
    PLACES = 16, /* of which 15 share by chance once in a hundred times, if two lines in three do */
    MOST_MISSED = 1,
    PAGE = 4096
};

static struct scene moved(const struct scene *scene, uint64_t apart)
{
    struct scene other = *scene;
    other.pool.count = 0;
    other.target ^= apart;
    for (unsigned i = 0; i < other.lines; i++)
        other.line[i] ^= apart;
    for (unsigned i = 0; i < other.helpers; i++)
        other.helper[i] ^= apart;
    return other;
}

/* Whether the lines do in their new place what they did, where they did it each time. */
static bool push_as_before(struct push *push, const struct scene *scene)
{
    struct scene all = evict_needed(scene, 0), less = evict_needed(scene, 1);
    return !scene->sharp ||
           (push_out(push, &all, VOTES_SEARCH, NULL) && !push_out(push, &less, VOTES_SEARCH, NULL) && push_ok(push));
}

static bool takes(struct push *push, const struct scene *scene, const struct kin *rule, uint64_t line, bool far)
{
    return far ? evict_takes_far(push, scene, line, rule, VOTES_CHECK) == YES
               : evict_takes(push, scene, line, VOTES_CHECK);
}

bool elsewhere_holds(struct push *push, const struct scene *scene, const struct known *known, uint64_t apart)
{
    struct kin rule = known_kin(known, &push->region);
    /* At as much from where a page begins, so that none of the lines is one of the machine's own. */
    struct kin places = kin_modulo(&push->region, PAGE / push->region.unit);
    uint64_t seed = bench_seed(push->bench);
    unsigned checked = 0, missed = 0;
    if (known->nearer->kin.odd > 1)
        return true;
    for (uint64_t i = 0; checked < PLACES && i < kin_count(&places, &push->region) && push_ok(push); i++) {
        uint64_t place = kin_draw(&places, &push->region, scene->target, seed, i);
        struct scene other = moved(scene, place ^ scene->target);
        uint64_t line = kin_draw(&rule, &push->region, place ^ apart, seed, i);
        if (place == scene->target || line == place)
            continue;
        checked++;
        missed += !push_as_before(push, &other) || !takes(push, &other, &rule, line, apart != 0);
        if (missed > MOST_MISSED)
            return false;
    }
    return push_ok(push);
}
