// SPDX-License-Identifier: BSD-2-Clause
/* pool.c: pools of lines, made longer and shorter. */
#include "probes/pool.h"

enum { LARGEST = 1 << 16, LARGEST_FLUSHED = 1 << 17 };

bool pool_goes(struct push *push, const struct scene *scene)
{
    return push_out(push, scene, VOTES_SEARCH, NULL);
}

bool pool_enough(struct push *push, struct scene *scene, const struct kin *kin, uint64_t first)
{
    uint64_t largest = push->flushed ? LARGEST_FLUSHED / push->laps : LARGEST;
    scene->pool.kin = kin;
    scene->pool.seed = bench_seed(push->bench);
    for (scene->pool.count = first; push_ok(push); scene->pool.count *= 2) {
        if (push_out(push, scene, push->flushed ? VOTES_SEARCH : VOTES_CHECK, NULL))
            return true;
        if (scene->pool.count >= kin_count(kin, &push->region) || scene->pool.count >= largest)
            break;
    }
    scene->pool.count = 0;
    return false;
}

uint64_t pool_last_straw(struct push *push, struct scene *scene, uint64_t high)
{
    uint64_t low = 0; /* so many do not, or it is 0 */
    while (high - low > 1 && push_ok(push)) {
        scene->pool.count = low + (high - low) / 2;
        if (pool_goes(push, scene))
            high = scene->pool.count;
        else
            low = scene->pool.count;
    }
    scene->pool.count = high;
    return high;
}

struct push pool_one_by_one(const struct push *push, unsigned times)
{
    struct push rounds = *push;
    rounds.flushed = true;
    rounds.laps = times;
    return rounds;
}
