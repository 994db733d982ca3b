// SPDX-License-Identifier: BSD-2-Clause
/* evict.c: whether a line is of a set, asked of lines that push another one out. */
#include "probes/evict.h"
#include "probes/pool.h"

enum {
    DRAWS = 6,
    HARDLY = 24,
    MOST_OF_ALL = 1 << 14,
    PER_WAY = 3, /* lines that push another one down, for each way of the nearer levels */
    DRAWS_BESIDE = 4096,
    IN_VAIN = 12, /* votes, in so many times as many rounds */
    MOST_EMPTIED = 4
};

/* How many of a scene's helpers, or lines, are the fewest, more than `low`, that push the target out, given that as
 * many do as there are: *count, which is either of the scene's. */
static unsigned fewest(struct push *push, const struct scene *scene, unsigned *count, unsigned low)
{
    unsigned high = *count;
    while (high - low > 1 && push_ok(push)) {
        *count = low + (high - low) / 2;
        if (pool_goes(push, scene))
            high = *count;
        else
            low = *count;
    }
    return high;
}

void evict_lighten(struct push *push, struct scene *scene)
{
    unsigned all = scene->helpers;
    while (scene->helpers && push_ok(push) && pool_goes(push, scene)) {
        unsigned of_set = fewest(push, scene, &scene->helpers, 0);
        scene->helpers = --all;
        scene->helper[of_set - 1] = scene->helper[all];
    }
}

struct scene evict_needed(const struct scene *scene, unsigned but)
{
    struct scene less = *scene;
    less.lines = scene->needed - but;
    return less;
}

/* The scene that one more line of the set completes, and the rounds to be played of it. */
static struct scene but_for_one(const struct push *push, const struct scene *scene, struct push *rounds)
{
    *rounds = scene->alone ? pool_one_by_one(push, scene->alone) : *push;
    return evict_needed(scene, scene->alone ? scene->needed : 1);
}

/* The scene with a line as its target, and its target among the lines; a line that takes part does so no more. */
static struct scene turned(const struct scene *scene, uint64_t line)
{
    struct scene other = *scene;
    other.pool.count = 0;
    other.target = line;
    for (unsigned i = 0; i < other.lines; i++)
        if (other.line[i] == line)
            other.line[i] = other.line[--other.lines];
    other.line[other.lines++] = scene->target;
    for (unsigned i = 0; i < other.helpers; i++)
        if (other.helper[i] == line)
            other.helper[i] = other.helper[--other.helpers];
    return other;
}

/* Lines that take part beside those of a set, and do not belong to it. */
struct beside {
    uint64_t line[MOST_HELPERS];
    unsigned lines;
};

static void add_beside(struct scene *scene, const struct beside *beside)
{
    for (unsigned i = 0; beside && i < beside->lines && scene->lines < MOST_LINES; i++)
        scene->line[scene->lines++] = beside->line[i];
}

/* Whether one fewer line than those that are needed pushes the target out with lines beside it. They come twice, so
 * that each of them has been pushed down, too: an exclusive level gets it only then. */
static bool goes_with(struct push *push, const struct scene *scene, const struct beside *beside, struct scene *other)
{
    *other = evict_needed(scene, 1);
    other->pool.count = 0;
    add_beside(other, beside);
    add_beside(other, beside);
    return pool_goes(push, other);
}

/* Leaves those of the lines beside out among which one of the set is. False: no few of them are all. */
static bool leave_out(struct push *push, const struct scene *scene, struct beside *beside)
{
    enum { PARTS = 6 }; /* those that are left still push a line down */
    unsigned part = (beside->lines + PARTS - 1) / PARTS;
    for (unsigned from = 0; from < beside->lines && push_ok(push); from += part) {
        struct scene other;
        struct beside fewer = {.lines = 0};
        for (unsigned i = 0; i < beside->lines; i++)
            if (i < from || i >= from + part)
                fewer.line[fewer.lines++] = beside->line[i];
        if (goes_with(push, scene, &fewer, &other))
            continue;
        *beside = fewer;
        return push_ok(push);
    }
    return false;
}

/* Takes out those of the lines beside that are of the set after all. The one that pushes the target out at last is, if
 * it does so alone; an exclusive level has got another one then, which that one has pushed down. False: see push_ok. */
static bool lighten_beside(struct push *push, const struct scene *scene, struct beside *beside)
{
    struct scene other;
    while (goes_with(push, scene, beside, &other) && push_ok(push)) {
        if (!beside->lines)
            return false; /* noise */
        unsigned without = scene->needed - 1;
        unsigned straw = (fewest(push, &other, &other.lines, without) - without - 1) % beside->lines;
        struct beside alone = {.line = {beside->line[straw]}, .lines = 1};
        if (!goes_with(push, scene, &alone, &other))
            return leave_out(push, scene, beside);
        beside->line[straw] = beside->line[--beside->lines];
    }
    return push_ok(push);
}

/* Whether a line does what the last one of those that are needed does, with others after it (NULL: none) that do
 * nothing. first: before those; what it brings along pushes nothing out then, for there is room. */
static bool is_straw(struct push *push, const struct scene *scene, uint64_t line, const struct beside *beside,
                     bool first, unsigned votes)
{
    struct push rounds;
    struct scene other = but_for_one(push, scene, &rounds);
    unsigned last = other.lines++;
    other.pool.count = 0;
    other.line[last] = line;
    if (first) {
        other.line[last] = other.line[0];
        other.line[0] = line;
        last = 0;
    }
    add_beside(&other, beside);
    if (!push_out(&rounds, &other, votes, NULL))
        return false;
    other.line[last] = other.line[--other.lines];
    return !beside || !beside->lines || (!push_out(&rounds, &other, votes, NULL) && push_ok(push));
}

/* Whether a scene's lines push its target out, and others beside them (NULL: none), and helpers, do not. */
static bool is_pushed(struct push *push, struct scene *scene, const struct beside *beside, unsigned votes)
{
    unsigned lines = scene->lines;
    add_beside(scene, beside);
    if (!push_out(push, scene, votes, NULL))
        return false;
    lines = scene->lines - lines;
    scene->lines = 0;
    if (lines)
        add_beside(scene, beside);
    return (!scene->helpers && !scene->lines) || (!push_out(push, scene, votes, NULL) && push_ok(push));
}

/* A scene in one lap, with so many more of its lines as push the target out then. False: they do not, or no level keeps
 * the last ones, or what comes along has a part in it. */
static bool in_one_lap(struct push *once, const struct scene *scene, uint64_t line, unsigned votes,
                       struct scene *in_one)
{
    *in_one = evict_needed(scene, 0);
    once->laps = 1;
    in_one->pool.count = 0;
    if (!scene->sharp || (scene->helpers && !scene->shallow) || push_brings(once))
        return false;
    for (unsigned i = scene->needed; !push_out(once, in_one, votes, NULL); i++) {
        if (i >= scene->lines)
            return false;
        if (scene->line[i] != line)
            in_one->line[in_one->lines++] = scene->line[i];
    }
    in_one->needed = in_one->lines;
    return true;
}

/* Lines of one set may change places. Where the level before keeps the last ones, for no helpers push them down, a line
 * of another set in their place pushes one of the set down instead, and seems to be of it; in the first place it does
 * not. That is so in one lap: in several, a level loses lines for which it has room. It may take some lines more. */
static bool is_straw_in_front(struct push *push, const struct scene *scene, uint64_t line, unsigned votes)
{
    struct push once = *push;
    struct scene in_one;
    if (!in_one_lap(&once, scene, line, votes, &in_one))
        return true;
    /* What says nothing of the first place with two lines of the set changed says nothing with others, either. */
    struct scene changed = push_ends_changed(&in_one);
    return !push_out(&once, &changed, votes, NULL) || is_straw(&once, &in_one, line, NULL, true, votes);
}

bool evict_tells_places(struct push *push, const struct scene *scene)
{
    struct push once = *push;
    struct scene in_one;
    bool clear;
    /* What brings others along is always put in front; where lines are flushed, places do not matter. */
    if ((scene->helpers && !scene->shallow) || push_brings(push) || scene->alone)
        return true;
    if (!in_one_lap(&once, scene, scene->target, VOTES_CHECK, &in_one))
        return false;
    struct scene changed = push_ends_changed(&in_one), less = evict_needed(&in_one, 1);
    return push_out(&once, &changed, VOTES_CHECK, NULL) && !push_out(&once, &less, VOTES_CHECK, &clear) && clear;
}

bool evict_takes(struct push *push, const struct scene *scene, uint64_t line, unsigned votes)
{
    if (line == scene->target || push_among(scene->line, scene->needed, line))
        return true; /* one that takes part already would not show it */
    if (scene->sharp || scene->alone)
        return is_straw(push, scene, line, NULL, push_brings(push), votes) &&
               is_straw_in_front(push, scene, line, votes);
    struct scene other = turned(scene, line);
    return is_pushed(push, &other, NULL, votes);
}

/* What pushes a line down by itself: kin of it at the nearer levels, and not by the rule of this level's sets. Where
 * all kin share a set here, none. */
static void draw_beside(struct push *push, const struct scene *scene, uint64_t line, const struct kin *rule,
                        struct beside *beside)
{
    const struct kin *kin = &scene->nearer->kin;
    unsigned wanted = PER_WAY * scene->nearer->ways;
    uint64_t seed = bench_seed(push->bench), draws = kin_count(kin, &push->region);
    draws = draws < DRAWS_BESIDE ? draws : DRAWS_BESIDE;
    wanted = wanted < MOST_HELPERS ? wanted : MOST_HELPERS;
    for (uint64_t i = 0; i < draws && beside->lines < wanted; i++) {
        uint64_t drawn = kin_draw(kin, &push->region, line, seed, i);
        if (drawn != line && !kin_are(rule, drawn, line))
            beside->line[beside->lines++] = drawn;
    }
}

/* The same where there is no rule: lines as far from it as the helpers are from the target; by XOR, or, where the
 * nearer levels' sets are chosen modulo their number, by subtraction. Some may be of the target's set. */
static void move_beside(struct push *push, const struct scene *scene, uint64_t line, struct beside *beside)
{
    bool modulo = scene->nearer->kin.odd > 1;
    uint64_t target = scene->target;
    /* In an order of their own each time: which of them come last, and stay near, is another one each time. */
    unsigned first = (unsigned)(bench_seed(push->bench) % (scene->helpers + 1));
    for (unsigned i = 0; i < scene->helpers; i++) {
        uint64_t helper = scene->helper[(first + i) % scene->helpers];
        uint64_t far = modulo ? line + (helper - target) : helper ^ target ^ line;
        if (far >= region_lines(&push->region)) /* beyond either end: as far to the other side */
            far = line - (helper - target);
        if (far < region_lines(&push->region))
            beside->line[beside->lines++] = far;
    }
}

/* Where all kin share a set here, those of the line share its, and push it down: they push the target out with it, if
 * the line does. */
static bool pushes_with_kin(struct push *push, const struct scene *scene, uint64_t line, unsigned votes)
{
    const struct kin *kin = &scene->nearer->kin;
    struct scene other = evict_needed(scene, 1);
    uint64_t seed = bench_seed(push->bench);
    other.pool.count = 0;
    other.line[other.lines++] = line;
    for (unsigned i = 0; i < PER_WAY * scene->nearer->ways && i < kin_count(kin, &push->region); i++) {
        uint64_t drawn = kin_draw(kin, &push->region, line, seed, i);
        if (drawn != line && other.lines < MOST_LINES)
            other.line[other.lines++] = drawn;
    }
    return push_out(push, &other, votes, NULL);
}

/* The same where lots are drawn. The line is the target, what pushes it down are its helpers, and the target's push
 * down the set's lines. lightly: what is beside the line and of its set is left out. */
static enum told is_pushed_far(struct push *push, const struct scene *scene, uint64_t line, const struct beside *beside,
                               bool lightly, unsigned votes)
{
    struct scene other = turned(scene, line);
    struct beside helpers = {.lines = other.helpers};
    for (unsigned i = 0; i < other.helpers; i++)
        helpers.line[i] = other.helper[i];
    other.helpers = beside->lines;
    for (unsigned i = 0; i < beside->lines; i++)
        other.helper[i] = beside->line[i];
    if (lightly) {
        struct scene alone = other;
        alone.lines = 0;
        evict_lighten(push, &alone);
        other.helpers = alone.helpers;
        for (unsigned i = 0; i < alone.helpers; i++)
            other.helper[i] = alone.helper[i];
    }
    return is_pushed(push, &other, &helpers, votes) ? YES : other.helpers ? NO : NOT_TOLD;
}

enum told evict_takes_far(struct push *push, const struct scene *scene, uint64_t line, const struct kin *rule,
                          unsigned votes)
{
    struct beside beside = {.lines = 0};
    if (line == scene->target || push_among(scene->line, scene->needed, line))
        return YES;
    if (scene->alone)
        return is_straw(push, scene, line, NULL, false, votes) ? YES : NO; /* what is flushed is not pushed down */
    if (rule)
        draw_beside(push, scene, line, rule, &beside);
    else
        move_beside(push, scene, line, &beside);
    if (!scene->sharp)
        return is_pushed_far(push, scene, line, &beside, !rule, votes);
    /* What lines bring along may be of the set, too. */
    if ((!rule || push_brings(push)) && !lighten_beside(push, scene, &beside))
        return NOT_TOLD;
    if (is_straw(push, scene, line, &beside, push_brings(push), votes))
        return YES;
    if (!scene->helpers || scene->shallow)
        return pushes_with_kin(push, scene, line, votes) ? YES : NO;
    return rule && beside.lines < scene->nearer->ways ? NOT_TOLD : NO;
}

bool evict_disturbs(struct push *push, const struct scene *scene, uint64_t line, unsigned votes)
{
    return scene->sharp && push_brings(push) ? is_straw(push, scene, line, NULL, false, votes)
                                             : evict_takes(push, scene, line, votes);
}

void evict_purge(struct push *push, struct scene *scene)
{
    for (unsigned i = 0; i < scene->lines && push_ok(push);) {
        struct scene other = turned(scene, scene->line[i]);
        if (is_pushed(push, &other, NULL, VOTES_CHECK))
            i++;
        else
            scene->line[i] = scene->line[--scene->lines];
    }
}

bool evict_any(struct push *push, const struct scene *scene, const struct kin *kin, const struct kin *without,
               uint64_t count)
{
    struct push rounds;
    struct scene less = but_for_one(push, scene, &rounds);
    less.pool = (struct pool){.kin = kin, .without = without, .seed = bench_seed(push->bench), .count = count};
    return pool_goes(&rounds, &less);
}

bool evict_has_all(struct push *push, const struct scene *scene, const struct kin *kin)
{
    struct scene less = evict_needed(scene, 1);
    bool clear;
    less.pool = (struct pool){
        .kin = kin, .seed = bench_seed(push->bench), .count = kin_count(kin, &push->region), .known = scene->lines};
    return less.pool.count <= MOST_OF_ALL && !push_out(push, &less, VOTES_CHECK, &clear) && clear && push_ok(push);
}

/* A vote on whether any is of it, from one round with lines of its own. False: see push_ok. */
static bool any_once(struct push *push, const struct scene *scene, const struct kin *kin, const struct kin *without,
                     uint64_t count, double *vote)
{
    struct push rounds;
    struct scene less = but_for_one(push, scene, &rounds);
    less.pool = (struct pool){.kin = kin, .without = without, .seed = bench_seed(push->bench), .count = count};
    return push_round(&rounds, &less, true, vote);
}

/* Whether lines of a sharp scene push its target out that did not before there was a pool with them. What a prefetcher
 * without a switch has brought beside lines of a pool is not flushed with them, and may be of the set: it would be
 * there in all rounds to come. It is taken away. False, too: that is not allowed. */
static bool lingers(struct push *push, const struct scene *scene)
{
    struct scene less = evict_needed(scene, 1);
    less.pool.count = 0;
    return scene->sharp && push_out(push, &less, VOTES_SEARCH, NULL) && push_ok(push) && bench_empty(push->bench);
}

/* The sum of what votes of such rounds are beyond `between`, when it reaches `needed` on either side, or after a great
 * many rounds. False: see push_ok. */
static bool sum_of_votes(struct push *push, const struct scene *scene, const struct kin *kin, const struct kin *without,
                         uint64_t count, double between, double needed, double *sum)
{
    double votes = 0, vote;
    for (unsigned i = 0; votes < needed && votes > -needed && i < IN_VAIN * needed; i++) {
        if (!any_once(push, scene, kin, without, count, &vote))
            return false;
        votes += vote - between;
    }
    *sum = votes;
    return true;
}

bool evict_above(struct push *push, const struct scene *scene, const struct kin *kin, const struct kin *without,
                 uint64_t count, double between, double needed)
{
    double sum;
    for (unsigned emptied = 0;; emptied++) {
        if (!sum_of_votes(push, scene, kin, without, count, between, needed, &sum))
            return false;
        /* What still lingers when all caches were emptied so often does so for another reason. */
        if (sum < needed || emptied == MOST_EMPTIED || !lingers(push, scene))
            break;
    }
    return sum > 0;
}

bool evict_mostly(struct push *push, const struct scene *scene, const struct kin *kin, const struct kin *without,
                  uint64_t count, unsigned votes)
{
    /* Votes whose mean is above 0 in six rounds of ten, else -1. */
    static const double between = -0.4, from_it = 0.6;
    return evict_above(push, scene, kin, without, count, between, push_needed(push, votes) / from_it);
}

/* The number of a line of the pool that is of the set, given that all of them push the target out. */
static uint64_t straw_of(struct push *rounds, struct scene *less, unsigned votes)
{
    uint64_t high = less->pool.count;
    return (less->alone ? pool_one(rounds, less, high) : pool_last_straw(rounds, less, high, votes)) - 1;
}

/* How often each line of a pool comes of which about one in so many is of the set: as often as it takes until that one
 * surely pushes the target out, or, where none would be among so few, less often. */
static unsigned times_in_pool(const struct scene *scene, uint64_t tries)
{
    enum { LEAST = 16 };
    unsigned times = scene->alone;
    while (times > LEAST && LARGEST_FLUSHED / times < 2 * tries)
        times /= 2;
    return times;
}

/* Draws until one is taken. Most are not: those that seem to be are asked again. */
static bool draw_slowly(struct push *push, const struct scene *scene, const struct kin *kin, uint64_t *tries,
                        uint64_t *line)
{
    uint64_t seed = bench_seed(push->bench);
    for (uint64_t i = 0; i < HARDLY * *tries && i < kin_count(kin, &push->region) && push_ok(push); i++) {
        *line = kin_draw(kin, &push->region, scene->target, seed, i);
        if (*line == scene->target || !evict_takes(push, scene, *line, VOTES_SEARCH) ||
            !evict_takes(push, scene, *line, VOTES_CHECK))
            continue;
        *tries = 1 + (*tries * 3 + i) / 4;
        return true;
    }
    return false;
}

bool evict_draw(struct push *push, const struct scene *scene, const struct kin *kin, uint64_t *tries, uint64_t *line)
{
    struct push rounds;
    struct scene less = but_for_one(push, scene, &rounds);
    less.pool.known = scene->lines; /* where there are few, it would be one of them again and again */
    if (scene->alone)
        rounds.laps = times_in_pool(scene, *tries);
    /* What is drawn is asked about alone, which costs little: neither its pool nor the straw need be sure before. */
    for (unsigned attempt = 0; attempt < DRAWS && push_ok(push); attempt++) {
        if (!pool_enough(&rounds, &less, kin, *tries, VOTES_DRAW))
            break;
        uint64_t count = less.pool.count, at = straw_of(&rounds, &less, VOTES_DRAW);
        *line = push_pooled(push, &less, at);
        /* Of several that are of the set, no first one is found where each does it alone: half as many may do. */
        *tries = 1 + (scene->alone ? count / 2 : (*tries * 3 + at) / 4);
        if (*line != scene->target && evict_takes(push, scene, *line, VOTES_CHECK))
            return true;
    }
    return !scene->sharp && draw_slowly(push, scene, kin, tries, line);
}

/* The last straw may be what pushed a line of the target's set down, and not that line itself: but then both are kin at
 * the nearer levels. */
bool evict_draw_far(struct push *push, const struct scene *scene, const struct kin *rule, const struct pool *pool,
                    uint64_t *line)
{
    struct push rounds;
    const struct kin *nearer = &scene->nearer->kin;
    struct scene less = but_for_one(push, scene, &rounds);
    less.pool = *pool;
    for (unsigned attempt = 0; attempt < DRAWS && push_ok(push); attempt++) {
        if (!pool_enough(&rounds, &less, pool->kin, pool->count, scene->alone ? VOTES_SEARCH : VOTES_CHECK))
            continue; /* some policies keep the target in spite of them all, as they come */
        uint64_t straw = push_pooled(push, &less, straw_of(&rounds, &less, VOTES_SEARCH)), seed = less.pool.seed;
        if (straw == scene->target)
            continue; /* a place of the pool that is left out: what is kin of it is known */
        *line = straw;
        for (uint64_t i = 0; i < pool->count && i < kin_count(nearer, &push->region) && push_ok(push); i++) {
            if (*line != scene->target && evict_takes_far(push, scene, *line, rule, VOTES_SEARCH) == YES &&
                evict_takes_far(push, scene, *line, rule, VOTES_CHECK) == YES)
                return true;
            *line = kin_draw(nearer, &push->region, straw, seed, i);
        }
    }
    return false;
}
