// SPDX-License-Identifier: BSD-2-Clause
/* evict.c: rows of lines, shortened from behind. */
#include "probes/evict.h"

enum { ATTEMPTS = 3, SMALLEST_POOL = 8, LARGEST_POOL = 1 << 16, HARDLY = 24, REDRAWS = 6 };

static bool goes(struct push *push, const struct scene *scene)
{
    return push_out(push, scene, VOTES_SEARCH, NULL);
}

/* The smallest number of the pool's lines that push the target out, given that `high` do. */
static uint64_t last_straw(struct push *push, struct scene *scene, uint64_t high)
{
    uint64_t low = 0; /* so many do not, or it is 0 */
    while (high - low > 1 && push_ok(push)) {
        scene->pool.count = low + (high - low) / 2;
        if (goes(push, scene))
            high = scene->pool.count;
        else
            low = scene->pool.count;
    }
    scene->pool.count = high;
    return high;
}

static void begin_pool(struct push *push, struct scene *scene, const struct kin *kin)
{
    scene->pool.kin = kin;
    scene->pool.seed = bench_seed(push->bench);
}

/* As many lines of a fresh pool as push the target out, roughly; from about so many on. False: there are none. */
static bool enough_of_pool(struct push *push, struct scene *scene, const struct kin *kin, uint64_t first)
{
    begin_pool(push, scene, kin);
    for (scene->pool.count = first; push_ok(push); scene->pool.count *= 2) {
        if (push_out(push, scene, VOTES_CHECK, NULL))
            return true;
        if (scene->pool.count >= kin_count(kin, &push->region) || scene->pool.count >= LARGEST_POOL)
            break;
    }
    scene->pool.count = 0;
    return false;
}

/* Helpers that push the target out by themselves are of its set: takes one after the other away. */
static void lighten(struct push *push, struct scene *scene)
{
    unsigned all = scene->helpers;
    while (scene->helpers && push_ok(push) && goes(push, scene)) {
        unsigned low = 0, high = scene->helpers;
        while (high - low > 1 && push_ok(push)) {
            scene->helpers = low + (high - low) / 2;
            if (goes(push, scene))
                high = scene->helpers;
            else
                low = scene->helpers;
        }
        scene->helpers = --all;
        scene->helper[high - 1] = scene->helper[all];
    }
}

/* Adds lines of a pool to those of the scene until they push the target out alone. */
static bool collect(struct push *push, struct scene *scene, const struct kin *kin)
{
    if (!enough_of_pool(push, scene, kin, SMALLEST_POOL))
        return false;
    uint64_t high = scene->pool.count;
    while (push_ok(push)) {
        scene->pool.count = 0;
        if (goes(push, scene))
            return true;
        if (high == 0 || scene->lines == MOST_LINES)
            return false;
        high = last_straw(push, scene, high) - 1;
        uint64_t line = push_pooled(push, scene, high);
        scene->line[scene->lines++] = line;
    }
    return false;
}

/* Takes those away without which the others push the target out as well. */
static void reduce(struct push *push, struct scene *scene)
{
    for (unsigned i = 0; i < scene->lines && push_ok(push);) {
        uint64_t line = scene->line[i];
        scene->line[i] = scene->line[--scene->lines];
        if (goes(push, scene))
            continue;
        scene->line[scene->lines++] = scene->line[i];
        scene->line[i++] = line;
    }
}

bool evict_takes(struct push *push, const struct scene *scene, uint64_t line, unsigned votes)
{
    struct scene other = *scene;
    if (line == scene->target || push_among(scene->line, scene->lines, line))
        return true; /* one that takes part already would not show it */
    if (push_among(scene->helper, scene->helpers, line))
        return false;
    other.line[other.lines - 1] = line;
    other.pool.count = 0;
    return push_out(push, &other, votes, NULL);
}

bool evict_takes_far(struct push *push, const struct scene *scene, uint64_t line, bool modulo, unsigned votes)
{
    struct scene other = *scene;
    other.line[other.lines - 1] = line;
    other.pool.count = 0;
    /* In an order of their own each time: which of them come last, and stay near, is another one each time. */
    unsigned first = (unsigned)(bench_seed(push->bench) % (scene->helpers + 1));
    for (unsigned i = 0; i < scene->helpers && other.lines < MOST_LINES; i++) {
        uint64_t helper = scene->helper[(first + i) % scene->helpers], target = scene->target;
        uint64_t moved = modulo ? (helper - target + line) % region_lines(&push->region) : helper ^ target ^ line;
        if (!modulo || moved - line == helper - target) /* not round the end */
            other.line[other.lines++] = moved;
    }
    if (!push_out(push, &other, votes, NULL))
        return false;
    /* It must have been the line, and none of those that push it down. */
    other.line[scene->lines - 1] = other.line[--other.lines];
    return !push_out(push, &other, votes, NULL) && push_ok(push);
}

/* Other helpers, none of them of the target's set. (One that takes part already would not show it.) */
static void clean_helpers(struct push *push, struct scene *scene, const struct kin *kin, unsigned wanted)
{
    uint64_t seed = bench_seed(push->bench), helper[MOST_HELPERS];
    unsigned count = 0, others = 0;
    for (unsigned i = 0;
         count < wanted && others <= 3 * count + HARDLY && i < kin_count(kin, &push->region) && push_ok(push); i++) {
        uint64_t line = kin_draw(kin, &push->region, scene->target, seed, i);
        if (line == scene->target || push_among(scene->helper, scene->helpers, line))
            continue;
        if (evict_takes(push, scene, line, VOTES_SEARCH))
            others++;
        else
            helper[count++] = line;
    }
    if (others > 3 * count)
        count = 0; /* there are none: what seemed to be one was noise */
    scene->helpers = count;
    for (unsigned i = 0; i < count; i++)
        scene->helper[i] = helper[i];
}

/* Takes out helpers that are of the target's set after all. */
static void check_helpers(struct push *push, struct scene *scene)
{
    for (unsigned i = 0; i < scene->helpers && push_ok(push);) {
        uint64_t line = scene->helper[i];
        scene->helper[i] = scene->helper[--scene->helpers];
        if (evict_takes(push, scene, line, VOTES_SEARCH))
            continue;
        scene->helper[scene->helpers++] = scene->helper[i];
        scene->helper[i++] = line;
    }
}

/* Whether all lines are needed and no more are. */
static bool holds(struct push *push, const struct scene *scene)
{
    bool clear;
    if (!push_out(push, scene, VOTES_CHECK, &clear) || !clear)
        return false;
    for (unsigned i = 0; i < scene->lines && push_ok(push); i++) {
        struct scene less = *scene;
        less.line[i] = less.line[--less.lines];
        if (push_out(push, &less, VOTES_CHECK, &clear) || !clear)
            return false;
    }
    return push_ok(push);
}

static void draw_helpers(struct push *push, struct scene *scene, const struct kin *kin, unsigned wanted)
{
    uint64_t seed = bench_seed(push->bench);
    scene->helpers = 0;
    for (uint64_t i = 0; scene->helpers < wanted && i < kin_count(kin, &push->region); i++) {
        uint64_t line = kin_draw(kin, &push->region, scene->target, seed, i);
        if (line != scene->target)
            scene->helper[scene->helpers++] = line;
    }
}

bool evict_find(struct push *push, const struct kin *kin, const struct kin *helping, uint64_t target, unsigned helpers,
                struct scene *scene, const char **why)
{
    *why = "no lines push a line out of it";
    for (unsigned attempt = 0; attempt < ATTEMPTS && push_ok(push); attempt++) {
        *scene = (struct scene){.target = target};
        if (helpers > MOST_HELPERS)
            helpers = MOST_HELPERS;
        draw_helpers(push, scene, helping, helpers);
        for (unsigned redraw = 0; redraw < REDRAWS && push_ok(push) && goes(push, scene); redraw++)
            draw_helpers(push, scene, helping, helpers);
        lighten(push, scene);
        bool good = collect(push, scene, kin);
        if (!good)
            continue;
        reduce(push, scene);
        if (!scene->lines)
            continue;
        clean_helpers(push, scene, helping, helpers);
        if (!goes(push, scene) && !collect(push, scene, kin))
            continue;
        *why = "which lines push one out of it changes from time to time";
        for (unsigned again = 0; again < 2 && push_ok(push); again++) {
            reduce(push, scene);
            if (!scene->lines)
                break;
            check_helpers(push, scene);
            if (!goes(push, scene) && !collect(push, scene, kin))
                break;
            if (holds(push, scene))
                return true;
        }
    }
    return false;
}

bool evict_any(struct push *push, const struct scene *scene, const struct kin *kin, const struct kin *without,
               uint64_t count)
{
    struct scene less = *scene;
    less.lines--;
    less.pool = (struct pool){.kin = kin, .without = without, .seed = bench_seed(push->bench), .count = count};
    return push_out(push, &less, VOTES_SEARCH, NULL);
}

bool evict_draw(struct push *push, const struct scene *scene, const struct kin *kin, uint64_t *tries, uint64_t *line)
{
    struct scene less = *scene;
    less.lines--;
    for (unsigned attempt = 0; attempt < ATTEMPTS && push_ok(push); attempt++) {
        if (!enough_of_pool(push, &less, kin, *tries))
            return false;
        uint64_t high = less.pool.count, at = last_straw(push, &less, high) - 1;
        *line = push_pooled(push, &less, at);
        *tries = 1 + (*tries * 3 + at) / 4;
        if (evict_takes(push, scene, *line, VOTES_CHECK))
            return true;
    }
    return false;
}

/* The last straw may be what pushed a line of the target's set down, and not that line itself: but then both are kin at
 * the nearer levels. */
bool evict_draw_far(struct push *push, const struct scene *scene, const struct kin *nearer, const struct pool *pool,
                    uint64_t *line)
{
    struct scene less = *scene;
    less.lines--;
    less.pool = *pool;
    for (unsigned attempt = 0; attempt < ATTEMPTS && push_ok(push); attempt++) {
        if (!enough_of_pool(push, &less, pool->kin, pool->count))
            return false;
        uint64_t straw = push_pooled(push, &less, last_straw(push, &less, less.pool.count) - 1), seed = less.pool.seed;
        *line = straw;
        for (uint64_t i = 0; i < kin_count(nearer, &push->region) && push_ok(push); i++) {
            if (*line != scene->target && evict_takes_far(push, scene, *line, false, VOTES_SEARCH) &&
                evict_takes_far(push, scene, *line, false, VOTES_CHECK))
                return true;
            *line = kin_draw(nearer, &push->region, straw, seed, i);
        }
    }
    return false;
}
