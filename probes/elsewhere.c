// SPDX-License-Identifier: BSD-2-Clause
/* elsewhere.c: scenes that are moved. */
#include "probes/elsewhere.h"

enum {
    PLACES = 20,        /* of which 18 share by chance once in sixty times, if two lines in three do; */
    PLACES_BY_LOT = 32, /* more where it is not looked at what the lines do alone */
    LEAST = 8,          /* of those, where others tell nothing */
    TRIES = 4,          /* for each place that is wanted */
    MOST_MISSED = 2,
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

/* Whether the lines do in their new place what they did, where they did it each time. A set in which the machine keeps
 * a line of its own has fewer ways: one line fewer pushes the target out there, which tells nothing. */
static enum told push_as_before(struct push *push, const struct scene *scene)
{
    struct scene row = evict_needed(scene, 0);
    if (!scene->sharp)
        return YES;
    if (!push_out(push, &row, VOTES_SEARCH, NULL))
        return NO;
    row.lines--;
    return push_out(push, &row, VOTES_SEARCH, NULL) ? NOT_TOLD : YES;
}

static enum told takes(struct push *push, const struct scene *scene, const struct kin *rule, uint64_t line, bool far)
{
    enum told told = push_as_before(push, scene);
    if (told != YES)
        return told;
    if (far)
        return evict_takes_far(push, scene, line, rule, VOTES_SEARCH);
    return evict_takes(push, scene, line, VOTES_SEARCH) ? YES : NO;
}

bool elsewhere_holds(struct push *push, const struct scene *scene, const struct known *known, uint64_t apart)
{
    struct kin rule = known_kin(known, &push->region);
    /* At as much from where a page begins, so that none of the lines is one of the machine's own. */
    struct kin places = kin_modulo(&push->region, PAGE / push->region.unit);
    uint64_t seed = bench_seed(push->bench), other_seed = bench_seed(push->bench);
    uint64_t kin = kin_count(&rule, &push->region);
    unsigned wanted = scene->sharp ? PLACES : PLACES_BY_LOT, checked = 0, missed = 0;
    if (known->nearer->kin.odd > 1)
        return true;
    for (uint64_t i = 0; checked < wanted && i < TRIES * wanted && push_ok(push); i++) {
        uint64_t place = kin_draw(&places, &push->region, scene->target, seed, i);
        struct scene other = moved(scene, place ^ scene->target);
        uint64_t line = kin_draw(&rule, &push->region, place ^ apart, other_seed, i % kin);
        if (place == scene->target || line == place)
            continue;
        /* Noise may hide a line; it hardly ever does so twice. */
        enum told told = takes(push, &other, &rule, line, apart != 0);
        if (told == NO)
            told = takes(push, &other, &rule, line, apart != 0);
        checked += told != NOT_TOLD;
        missed += told == NO;
        if (missed > MOST_MISSED)
            return false;
    }
    return checked >= LEAST && push_ok(push);
}
