// SPDX-License-Identifier: BSD-2-Clause
/* minimal.c: rows of lines, shortened from behind. */
#include "probes/minimal.h"
#include "probes/collect.h"
#include "probes/likely.h"
#include "probes/pool.h"

enum {
    ATTEMPTS = 3,
    SMALLEST_POOL = 8,
    LAPS_OF_LOTS = 12,
    MANY_TIMES = 128,  /* chances: in a set of 32 ways the target misses all of them once in 50 rounds */
    LINES_OF_LOTS = 8, /* that push a target out together, at least */
    ALL_KNOWN = 24,    /* lines drawn in turn that are known: there are no others, or few */
    MOST_OTHERS = 24,
    SOME_OTHERS = 8, /* where every other one is of the set at most, that is so by chance once in 240 times */
    REDRAWS = 6,
    MOST_WRONG = 8, /* straws that noise has made, of many lines */
    SOME_WRONG = 3, /* and of fewer */
    SURPLUS = 8,
    PART_FOR_ALL = 6, /* of the visits that are left, for what is known without them, though less surely */
    PER_WAY = 3       /* helpers, for each way of the nearer levels */
};

/* Standard error of a mean of votes; and such a mean, of which -1 or 1 is no matter of lots. */
static const double PRECISE = 0.2, BY_LOT = 0.6;

/* Takes out lines that are not needed, and not of the set: what they have brought along was, or what helpers pushed
 * down that were of the set themselves. */
static void drop_others(struct push *push, struct scene *scene)
{
    for (unsigned i = scene->needed; i < scene->lines && push_ok(push);) {
        if (evict_takes(push, scene, scene->line[i], VOTES_CHECK))
            i++;
        else
            scene->line[i] = scene->line[--scene->lines];
    }
}

/* Other helpers, none of them of the target's set, nor kin of it `without` (NULL: all may be). in_vain: so many more of
 * the set than three for each that is not, and there are none. */
static void clean_helpers(struct push *push, struct scene *scene, const struct kin *kin, const struct kin *without,
                          unsigned wanted, unsigned in_vain)
{
    uint64_t seed = bench_seed(push->bench), helper[MOST_HELPERS];
    unsigned count = 0, others = 0;
    for (unsigned i = 0;
         count < wanted && others <= 3 * count + in_vain && i < kin_count(kin, &push->region) && push_ok(push); i++) {
        uint64_t line = kin_draw(kin, &push->region, scene->target, seed, i);
        if (line == scene->target || push_among(scene->helper, scene->helpers, line) ||
            push_among(scene->line, scene->lines, line) || (without && kin_are(without, line, scene->target)))
            continue;
        if (evict_disturbs(push, scene, line, VOTES_SEARCH))
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

/* Helpers that are of the target's set after all become lines: those without which the lines push nothing out. */
static void check_helpers(struct push *push, struct scene *scene)
{
    for (unsigned i = 0; i < scene->helpers && push_ok(push);) {
        uint64_t line = scene->helper[i];
        scene->helper[i] = scene->helper[--scene->helpers];
        struct scene fewest = evict_needed(scene, 0);
        if (scene->sharp ? pool_goes(push, &fewest) : !evict_takes(push, scene, line, VOTES_SEARCH)) {
            scene->helper[scene->helpers++] = scene->helper[i];
            scene->helper[i++] = line;
        } else if (scene->lines < MOST_KEPT) {
            scene->line[scene->lines++] = scene->line[scene->needed];
            scene->line[scene->needed++] = line;
        }
    }
}

/* Whether exactly those lines that are needed are, in each of several trials. */
static bool is_sharp(struct push *push, const struct scene *scene)
{
    bool clear;
    struct scene all = evict_needed(scene, 0);
    all.pool.count = 0;
    if (!push_out(push, &all, VOTES_CHECK, &clear) || !clear)
        return false;
    for (unsigned i = 0; i < scene->needed && push_ok(push); i++) {
        struct scene less = all;
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

/* Adds a line to some, drawn by what a scene shows, if it is not among them already. False: none was found. */
static bool add_drawn(struct push *push, const struct scene *scene, const struct kin *kin, uint64_t *tries,
                      struct scene *some)
{
    uint64_t line;
    if (!evict_draw(push, scene, kin, tries, &line))
        return false;
    if (!push_among(some->line, some->lines, line))
        some->line[some->lines++] = line;
    return true;
}

/* Adds lines of the set to the scene, so many that they push the target out whatever the policy is. */
static bool grow(struct push *push, struct scene *scene, const struct kin *kin)
{
    unsigned wanted = (scene->sharp ? 1 : 2) * scene->needed + SURPLUS;
    uint64_t tries = SMALLEST_POOL;
    wanted = wanted < MOST_KEPT ? wanted : MOST_KEPT;
    for (unsigned i = 0; scene->lines < wanted && i < 2 * wanted && push_ok(push); i++) {
        likely_grow(push, scene, scene, kin, wanted);
        if (scene->lines < wanted && !add_drawn(push, scene, kin, &tries, scene))
            break;
    }
    return scene->lines > scene->needed;
}

static unsigned most_helpers(unsigned ways)
{
    return PER_WAY * ways < MOST_HELPERS ? PER_WAY * ways : MOST_HELPERS;
}

/* Whether lines push the target out by lot that are flushed as soon as they were loaded, and so leave its set all ways
 * but one. A policy that goes by a tree, or round, may take the target's way in spite of empty ones, too, but the same
 * lines each time: as many of them as just do so always do, and one fewer never. A pool that pushes it out when nothing
 * is flushed has at least as many lines of its set as there are ways, each of which is a chance of one in so many here:
 * of SURELY times as many once in 20 rounds none takes its way. Several rounds have to say the same, so that more would
 * cost, and tell nothing more. Of a part of them, as many as there are ways at most, some round or other does not; from
 * there it is halved between what always does and what never does. *enough: lines that do, when nothing is flushed; 0:
 * there are none. */
static bool takes_any_way(struct push *push, const struct scene *scene, const struct kin *kin, uint64_t *enough)
{
    enum { SURELY = 3, PART = 8, LOOKS = 4 };
    struct push rounds = pool_one_by_one(push, 1);
    struct scene flushed = *scene;
    bool any = pool_enough(push, &flushed, kin, SMALLEST_POOL, VOTES_CHECK);
    *enough = flushed.pool.count;
    if (!any || collect_are_all(push, kin, *enough))
        return false;
    flushed.pool.count *= SURELY;
    if (!push_out(&rounds, &flushed, VOTES_DRAW, NULL))
        return false; /* whoever is wrong finds no lines, and asks again */
    uint64_t never = 0, always = flushed.pool.count;
    flushed.pool.count /= PART;
    for (unsigned look = 0; look < LOOKS && always - never > 1; look++) {
        double mean;
        if (!push_mean(&rounds, &flushed, PRECISE, &mean))
            return false;
        if (mean > -BY_LOT && mean < BY_LOT)
            return true;
        *(mean < 0 ? &never : &always) = flushed.pool.count;
        flushed.pool.count = never + (always - never) / 2;
    }
    return false;
}

/* How often a line has to be flushed and loaded to push the target out most of the time: fewer times than are known to
 * do. */
static unsigned fewer_times(struct push *push, const struct scene *scene, unsigned times)
{
    for (unsigned fewer = times / 2; fewer && push_ok(push); fewer /= 2) {
        struct push rounds = pool_one_by_one(push, fewer);
        if (!push_out(&rounds, scene, VOTES_CHECK, NULL))
            return 4 * fewer < times ? 4 * fewer : times; /* from less than half of the time to most of it */
    }
    return times;
}

/* One more line for a scene whose lines push its target out alone: foretold by one like it (NULL: there is none), or by
 * others of its set, or drawn. To draw one takes as many loads of each line of a pool; and as all of these are flushed,
 * the nearer levels need not be transparent: where they have an odd number of sets, lines that are no kin there
 * foretell some that are, of which there are few. False: none was found. */
static bool add_alone(struct push *push, const struct scene *alike, const struct kin *kin, uint64_t *tries,
                      struct scene *others, struct scene *scene)
{
    struct kin any = kin_by(&push->region, &kin->space, 1);
    unsigned before = scene->lines, known = others->lines;
    if (known == MOST_LINES)
        return false;
    if (alike)
        likely_grow(push, scene, alike, kin, before + 1);
    if (scene->lines == before)
        likely_grow(push, scene, others, kin, before + 1);
    if (scene->lines > before) {
        others->line[others->lines++] = scene->line[before];
        return true;
    }
    if (!add_drawn(push, others, &any, tries, others))
        return false;
    if (!known && !alike)
        scene->alone = others->alone = fewer_times(push, others, others->alone);
    if (others->lines > known && kin_are(kin, others->line[known], scene->target))
        scene->line[scene->lines++] = others->line[known];
    return true;
}

/* Where a policy takes any way, empty or not, each line of the target's set pushes it out alone, in time. Finds so many
 * that they do so together in several laps, and then as many again and more, if there are. False: there are none. */
static bool find_alone(struct push *push, const struct kin *kin, const struct nearer *nearer, const struct scene *alike,
                       uint64_t tries, struct scene *scene)
{
    alike = alike && alike->alone ? alike : NULL;
    scene->alone = alike ? alike->alone : MANY_TIMES;
    clean_helpers(push, scene, &nearer->kin, NULL, most_helpers(nearer->ways), MOST_OTHERS);
    push->laps = LAPS_OF_LOTS;
    struct scene others = *scene;
    for (unsigned wanted = MOST_KEPT, in_vain = 0; scene->lines < wanted && in_vain < ALL_KNOWN && push_ok(push);) {
        unsigned before = scene->lines, known = others.lines;
        if (!add_alone(push, alike, kin, &tries, &others, scene))
            break;
        in_vain = others.lines > known ? 0 : in_vain + 1;
        if (scene->lines > before && !scene->needed && push_out(push, scene, VOTES_CHECK, NULL)) {
            scene->needed = scene->lines;
            wanted = 3 * scene->needed + SURPLUS; /* so many fill all ways within laps that are few */
        }
    }
    if (!scene->needed || !push_ok(push))
        return false;
    push->any_way = tries;
    return true;
}

/* Helpers that are none of the set; where it has all kin of the target, such as reach all levels but the last. */
static void choose_helpers(struct push *push, struct scene *scene, const struct nearer *nearer)
{
    clean_helpers(push, scene, &nearer->kin, NULL, most_helpers(nearer->ways), MOST_OTHERS);
    if (scene->helpers || !nearer->ways_but_last)
        return;
    scene->shallow = true;
    clean_helpers(push, scene, &nearer->kin_but_last, &nearer->kin, most_helpers(nearer->ways_but_last), MOST_OTHERS);
}

/* Lines that push the target out with the helpers that there are: those that it takes, and more. drop: lines that are
 * there already may not be of the set, and are asked. False: none are found. */
static bool find_lines(struct push *push, struct scene *scene, const struct kin *kin, uint64_t enough, bool drop)
{
    if (!pool_goes(push, scene) && !collect_from(push, scene, kin, enough, SOME_WRONG))
        return false;
    collect_fewest(push, scene);
    scene->sharp = scene->needed && is_sharp(push, scene);
    if (scene->sharp && drop)
        drop_others(push, scene);
    return scene->needed && grow(push, scene, kin);
}

/* Looks for helpers once more, where there were none, or only such as reach all levels but the last. Among the first
 * ones, which are drawn blindly, there are some of the set, and each line that is added may push one of those down: to
 * an exclusive level all of them seem to be of its set then. Now there are lines that are, and nothing else. The scene
 * stays as it is if there are none, or no such lines with them, or where its lines are not sharp, which is what tells a
 * helper of the set. */
static void choose_helpers_after_all(struct push *push, struct scene *scene, const struct kin *kin,
                                     const struct nearer *nearer, uint64_t enough)
{
    struct scene other = *scene;
    if (!scene->sharp || (scene->helpers && !scene->shallow))
        return;
    clean_helpers(push, &other, &nearer->kin, NULL, most_helpers(nearer->ways), SOME_OTHERS);
    other.shallow = false;
    if (other.helpers && find_lines(push, &other, kin, enough, true) && other.sharp)
        *scene = other;
}

/* from: lines to begin with (NULL: none). alike: what was found for another target of the level (NULL: nothing). */
static bool find_once(struct push *push, const struct kin *kin, const struct nearer *nearer, const struct scene *from,
                      const struct scene *alike, struct scene *scene)
{
    unsigned helpers = most_helpers(nearer->ways);
    draw_helpers(push, scene, &nearer->kin, helpers);
    /* Where these push it out, there are fewer of its set among fewer: an exclusive level has got another line than the
     * last one of them then, so that it is not told which they are. */
    for (unsigned redraw = 1; redraw <= REDRAWS && push_ok(push) && pool_goes(push, scene); redraw++)
        draw_helpers(push, scene, &nearer->kin, helpers - helpers * redraw / (2 * REDRAWS));
    evict_lighten(push, scene);
    uint64_t enough = SMALLEST_POOL;
    if (!push->empty_first && (push->any_way || takes_any_way(push, scene, kin, &enough))) {
        unsigned laps = push->laps;
        bool found =
            find_alone(push, kin, nearer, alike, push->any_way ? push->any_way : 1 + enough / LINES_OF_LOTS, scene);
        if (!found)
            push->laps = laps;
        return found;
    }
    if (!enough && !from)
        return false;
    enough = enough ? enough : SMALLEST_POOL;
    for (; from && scene->lines < from->lines; scene->lines++)
        scene->line[scene->lines] = from->line[scene->lines];
    if (alike && !pool_goes(push, scene))
        collect_alike(push, scene, alike, kin);
    if (!find_lines(push, scene, kin, enough, push_brings(push)))
        return false;
    choose_helpers(push, scene, nearer);
    if (!find_lines(push, scene, kin, enough, true))
        return false;
    choose_helpers_after_all(push, scene, kin, nearer, enough);
    check_helpers(push, scene);
    if (!scene->sharp)
        evict_purge(push, scene);
    if (!pool_goes(push, scene))
        return false;
    collect_fewest(push, scene);
    scene->sharp = scene->needed && is_sharp(push, scene);
    push->empty_first = push->empty_first || scene->sharp;
    return scene->needed && push_ok(push);
}

static bool is_far(struct push *push, const struct scene *scene)
{
    struct scene fewest = evict_needed(scene, 0);
    return push_far(push, &fewest);
}

/* The visits of the machine when a part of those that are left have been made. */
static uint64_t end_of_part(const struct push *push)
{
    uint64_t now = machine_steps(push->bench->machine);
    return push->most > now ? now + (push->most - now) / PART_FOR_ALL : push->most;
}

/* Among its kin a target may be given up by an outer level first, which takes it from this one (Baer and Wang, ISCA
 * 1988), and the next one: by XOR, or modulo an odd number, kin lie in many sets here. All lines are spread over the
 * sets of either, and fill these first: in one lap, for they need not miss the first level in another. With what pushes
 * the target out then, lines that are kin are found one by one. What prefetchers bring beside so many lines fills sets,
 * too, and is not flushed with them: all caches are emptied after each round, where that is allowed. An outer level
 * that draws lots takes any line now and then, and so no lines are found: that ends with a part of the visits. */
static bool find_among_all(struct push *push, const struct kin *kin, const struct nearer *nearer, struct scene *scene)
{
    struct push once = *push;
    struct kin all = kin_modulo(&push->region, 1);
    struct scene any = {.target = scene->target}, some = any;
    uint64_t tries = SMALLEST_POOL;
    once.laps = 1;
    once.emptied = bench_empty(push->bench);
    once.most = end_of_part(push);
    draw_helpers(push, &any, &nearer->kin, most_helpers(nearer->ways));
    if (collect_from(&once, &any, &all, SMALLEST_POOL, MOST_WRONG))
        collect_fewest(&once, &any);
    any.sharp = any.needed && is_sharp(&once, &any) && !is_far(&once, &any);
    for (unsigned i = 0; any.sharp && i < 2 * any.needed + SURPLUS && some.lines < any.needed + SURPLUS; i++)
        add_drawn(&once, &any, kin, &tries, &some);
    *scene = (struct scene){.target = any.target};
    return any.sharp && push_ok(push) && find_once(push, kin, nearer, &some, NULL, scene);
}

/* The same where an outer level that contains this one draws lots, and gives targets up now and then, however few lines
 * of its sets there are: rounds in which it has done so do not count. In so many laps as the other lines were looked
 * for; with a part of the visits. */
static bool find_near(struct push *push, const struct kin *kin, const struct nearer *nearer, unsigned laps,
                      struct scene *scene)
{
    struct push near = *push;
    near.near_only = true;
    near.any_way = 0;
    near.laps = laps;
    near.most = end_of_part(push);
    *scene = (struct scene){.target = scene->target};
    if (push->near_only || !find_once(&near, kin, nearer, NULL, NULL, scene) || is_far(&near, scene))
        return false;
    near.most = push->most;
    *push = near;
    return true;
}

/* Whether there are more lines than pools ever have. */
static bool are_many(const struct push *push, const struct kin *kin)
{
    return kin_count(kin, &push->region) > MOST_OF_POOL;
}

bool minimal_find(struct push *push, const struct kin *kin, const struct nearer *nearer, uint64_t target,
                  const struct scene *alike, struct scene *scene, const char **why)
{
    struct scene first = {.target = target}, before;
    unsigned laps = push->laps;
    *why = are_many(push, kin)
               ? "no lines push a line out of it"
               : "no lines push a line out of it, not even all of the memory's that share a set before it";
    for (unsigned attempt = 0; attempt < ATTEMPTS && push_ok(push) && !first.needed; attempt++) {
        /* Where noise has spoilt an attempt at last, most of the lines that it has found are right. */
        before = first;
        first = (struct scene){.target = target};
        first.needed =
            find_once(push, kin, nearer, NULL, alike || attempt == 0 ? alike : &before, &first) ? first.needed : 0;
    }
    *scene = first;
    if (first.needed && is_far(push, &first) && (!find_among_all(push, kin, nearer, scene) || is_far(push, scene)) &&
        !find_near(push, kin, nearer, laps, scene))
        *scene = first;
    scene->nearer = nearer;
    return first.needed && push_ok(push);
}
