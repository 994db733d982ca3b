// SPDX-License-Identifier: BSD-2-Clause
/* sets.c: differences of lines of one set. */
#include "probes/sets.h"
#include "base/arithmetic.h"
#include "probes/kept.h"

enum {
    HELPERS = 3, /* for each way of the nearer levels */
    SAME = 10,   /* lines in turn that must not tell anything new of the space */
    OTHER_SETS = 5,
    OTHERS = 3,
    MOST_MORE = 20, /* lines for experiments on exclusion */
    MOST_FALSE = 8,
    AGREEING = 3,
    MOST_MISSED = 2,
    CHECKS = 12,   /* lines that a rule must foretell */
    SAMPLES = 192, /* lines among which sets are counted */
    MOST_SETS = 24,
    TIMES = 5 /* draws for each that is expected */
};

/* Probability of a wrong answer where the target is not in the next level either: that one may contain this one, and
 * have given the line up first. */
static const double NEXT_GAVE_UP = 0.6;

/* The same where the sets of a nearer level are chosen modulo an odd number, and this one's by XOR: what differs from
 * the helpers by XOR pushes nothing down there, so some lines that share a set may have been missed. */
static const double MODULO_BEFORE = 0.6;

/* Lines known to share the target's set. */
struct known {
    const struct kin *nearer;
    uint64_t line[MOST_KNOWN];
    unsigned count;
    struct gf2 space;
    uint64_t divisor; /* the greatest common one of all differences */
    uint64_t tries;
};

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Notes a line. True: it says something new of the space. */
static bool note(struct known *known, uint64_t target, uint64_t line)
{
    if (known->count < MOST_KNOWN)
        known->line[known->count++] = line;
    known->divisor = common_divisor(known->divisor, difference(line, target));
    return gf2_add(&known->space, line ^ target);
}

/* Draws lines of the set until SAME in turn say nothing new. */
static bool learn(struct push *push, const struct scene *scene, struct known *known)
{
    for (unsigned same = 0; same < SAME;) {
        uint64_t line;
        if (!evict_draw(push, scene, known->nearer, &known->tries, &line))
            return false;
        same = note(known, scene->target, line) ? 0 : same + 1;
    }
    return push_ok(push);
}

/* The same of other sets, whose differences are of the same space: those of one may all lie in a part of it where sets
 * are chosen by a table. */
static bool learn_from_others(struct push *push, const struct scene *scene, struct known *known, unsigned helpers,
                              const char **why)
{
    uint64_t seed = bench_seed(push->bench);
    for (unsigned i = 0; i < OTHER_SETS; i++) {
        struct scene other;
        struct known more = {.nearer = known->nearer, .tries = known->tries};
        uint64_t target = kin_draw(known->nearer, &push->region, scene->target, seed, i);
        if (target == scene->target)
            continue;
        if (!evict_find(push, known->nearer, known->nearer, target, helpers, &other, why) ||
            !learn(push, &other, &more))
            return false;
        for (unsigned bit = 0; bit < 64; bit++)
            if (more.space.vector[bit])
                gf2_add(&known->space, more.space.vector[bit]);
    }
    return push_ok(push);
}

/* Whether lines drawn by a rule share the target's set: nearly all of them, for noise may hide one; where the rule is
 * wrong, no more than half do. far: they need not be kin of the target at the nearer levels, whose sets are chosen
 * modulo their number. */
static bool foretells(struct push *push, const struct scene *scene, const struct kin *rule, bool far)
{
    uint64_t seed = bench_seed(push->bench);
    unsigned checked = 0, missed = 0;
    for (uint64_t i = 0; checked < CHECKS && i < kin_count(rule, &push->region) && push_ok(push); i++) {
        uint64_t line = kin_draw(rule, &push->region, scene->target, seed, i);
        if (line == scene->target || push_among(scene->line, scene->lines, line))
            continue;
        checked++;
        missed +=
            far ? !evict_takes_far(push, scene, line, true, VOTES_CHECK) : !evict_takes(push, scene, line, VOTES_CHECK);
        if (missed > MOST_MISSED)
            return false;
    }
    return push_ok(push);
}

/* The odd part of the number of sets. What the nearer levels' own odd number of sets has put into all differences is
 * taken out again, prime by prime, as far as lines without it share the set, too. */
static uint64_t odd_part(struct push *push, const struct scene *scene, const struct known *known, uint64_t odd)
{
    for (uint64_t prime = 3; prime <= known->nearer->odd; prime += 2)
        while (odd % prime == 0 && known->nearer->odd % prime == 0) {
            struct kin rule = kin_by(&push->region, &known->space, odd / prime);
            if (!foretells(push, scene, &rule, true))
                break;
            odd /= prime;
        }
    return odd;
}

/* Lines that push a target out: where no policy draws lots, as many as of other sets. */
static bool find_alike(struct push *push, const struct kin *kin, const struct kin *nearer, uint64_t target,
                       unsigned helpers, unsigned lines, struct scene *scene, const char **why)
{
    for (unsigned i = 0; i < AGREEING && push_ok(push); i++)
        if (evict_find(push, kin, nearer, target, helpers, scene, why) &&
            (!scene->sharp || !lines || scene->needed == lines))
            return true;
    return false;
}

/* How many sets lines lie in that differ by vectors of the space. 0: too many, or noise. */
static unsigned count_sets(struct push *push, const struct known *known, unsigned helpers, unsigned lines,
                           uint64_t target, const char **why)
{
    bool done[SAMPLES] = {false};
    unsigned sets = 0;
    struct kin all = kin_by(&push->region, &known->space, 1);
    struct kin within = kin_by(&push->region, &known->space, known->nearer->odd);
    uint64_t seed = bench_seed(push->bench);
    for (unsigned i = 0; i < SAMPLES && push_ok(push); i++) {
        struct scene scene;
        if (done[i])
            continue;
        uint64_t one = kin_draw(&all, &push->region, target, seed, i);
        if (sets == MOST_SETS || !find_alike(push, &within, known->nearer, one, helpers, lines, &scene, why))
            return 0;
        sets++;
        for (unsigned j = i; j < SAMPLES; j++) {
            uint64_t other = kin_draw(&all, &push->region, target, seed, j);
            done[j] = done[j] || other == one || evict_takes(push, &scene, other, VOTES_SEARCH);
        }
    }
    return push_ok(push) ? sets : 0;
}

/* Whether other lines of the set, so far moved, are still of it. A burst of noise may have made it seem so of one. */
static bool confirmed(struct push *push, const struct scene *scene, const struct known *known, uint64_t apart)
{
    for (unsigned i = scene->needed; i < scene->needed + OTHERS && i < known->count; i++)
        if (!evict_takes_far(push, scene, known->line[i] ^ apart, false, VOTES_SEARCH))
            return false;
    return push_ok(push);
}

/* Whether any of so many lines shares a set with a target; asked again of others, for chance may have left them out. */
static bool seen_by(struct push *push, const struct scene *scene, const struct kin *kin, const struct kin *without,
                    uint64_t draws)
{
    for (unsigned i = 0; i < 2; i++)
        if (evict_any(push, scene, kin, without, draws))
            return true;
    return false;
}

/* Lines that the nearer levels tell apart may share a set here all the same, where those levels use bits that this one
 * does not, or uses with others. Looks among lines that differ in the lowest of those bits, then in more and more of
 * them, and adds what it finds to the space, if it is so for the second target, too. (A prefetcher that brings the next
 * line may make it look so for an even line, or an odd one, and not for both.) */
static bool look_outside(struct push *push, const struct scene *scene, const struct scene *second,
                         const struct known *known, struct gf2 *space)
{
    struct kin all = {.space = known->nearer->space, .odd = 1}, without = all;
    unsigned false_ones = 0;
    for (uint64_t bit = 1; bit < region_lines(&push->region) && push_ok(push); bit *= 2) {
        if (!gf2_add(&all.space, bit))
            continue;
        for (;;) {
            uint64_t draws = (uint64_t)TIMES << (all.space.dimension - space->dimension), line;
            if (!seen_by(push, scene, &all, &without, draws) || !seen_by(push, second, &all, &without, draws))
                break;
            struct pool pool = {.kin = &all, .without = &without, .count = draws};
            if (!evict_draw_far(push, scene, known->nearer, &pool, &line))
                return false;
            uint64_t apart = line ^ scene->target;
            if (!confirmed(push, scene, known, apart)) {
                if (++false_ones > MOST_FALSE)
                    return false;
                continue;
            }
            gf2_add(&without.space, apart);
            if (evict_takes_far(push, second, second->target ^ apart, false, VOTES_CHECK))
                gf2_add(space, apart);
        }
    }
    return push_ok(push);
}

/* Whether lines an odd number of times so far from the target share its set. */
static bool shares_at(struct push *push, const struct scene *scene, uint64_t apart)
{
    uint64_t lines = region_lines(&push->region), spread = lines / apart / 2 / CHECKS;
    for (unsigned i = 0; i < CHECKS && push_ok(push); i++) {
        uint64_t line = (scene->target + apart * (2 * spread * i + 1)) % lines;
        bool round_the_end = line < scene->target && (scene->target - line) % apart != 0;
        if (!round_the_end && !evict_takes_far(push, scene, line, true, VOTES_CHECK))
            return false;
    }
    return push_ok(push);
}

/* Whether lines that differ from known ones in so low a bit only share the set: then it lies inside the level's own
 * line, which is longer than the unit. */
static bool is_inside_line(struct push *push, const struct scene *scene, const struct known *known, uint64_t bit)
{
    for (unsigned i = scene->needed; i < scene->needed + CHECKS && i < known->count && push_ok(push); i++)
        if (!evict_takes_far(push, scene, known->line[i] ^ bit, true, VOTES_CHECK))
            return false;
    return push_ok(push);
}

/* The same where sets are chosen modulo their number. *stride: between lines that share a set at all levels, and then
 * at this one. *inside: units of this level's line. False: lines share its sets otherwise, too. */
static bool look_outside_modulo(struct push *push, const struct scene *scene, const struct scene *second,
                                const struct known *known, uint64_t *stride, uint64_t *inside)
{
    while (*stride % 2 == 0 && shares_at(push, scene, *stride / 2) && shares_at(push, second, *stride / 2))
        *stride /= 2;
    for (*inside = 1; *stride % (2 * *inside) == 0 && is_inside_line(push, scene, known, *inside);)
        *inside *= 2;
    struct kin all = {.odd = 1}, without;
    for (uint64_t bit = *inside; bit < region_lines(&push->region); bit *= 2)
        gf2_add(&all.space, bit);
    without = kin_modulo(&push->region, *stride);
    return push_ok(push) && !evict_any(push, scene, &all, &without, TIMES * *stride / *inside) && push_ok(push);
}

/* Counted sets: that lines share them otherwise, too, can be seen, and no more. */
static bool look_outside_counted(struct push *push, const struct scene *scene, const struct known *known,
                                 const struct gf2 *space, uint64_t within)
{
    struct kin all = {.odd = 1}, without = {.space = known->nearer->space, .odd = 1};
    for (uint64_t bit = 1; bit < region_lines(&push->region); bit *= 2)
        gf2_add(&all.space, bit);
    return !evict_any(push, scene, &all, &without, (TIMES * within) << (all.space.dimension - space->dimension)) &&
           push_ok(push);
}

/* Lines for experiments on exclusion: more of those that are known. */
static void know_more(struct push *push, const struct scene *scene, struct known *known, unsigned wanted)
{
    struct kin rule = kin_by(&push->region, &known->space, known->nearer->odd);
    uint64_t seed = bench_seed(push->bench);
    for (uint64_t i = 0; i < kin_count(&rule, &push->region) && known->count < wanted && push_ok(push); i++) {
        uint64_t line = kin_draw(&rule, &push->region, scene->target, seed, i);
        if (line != scene->target && !push_among(known->line, known->count, line) &&
            evict_takes(push, scene, line, VOTES_SEARCH))
            known->line[known->count++] = line;
    }
}

/* What is to be known of exclusion and inclusion. */
static void tell_inclusion(struct push *push, const struct push *near, const struct scene *scene, struct known *known,
                           const struct nearer *before, struct sets *sets)
{
    unsigned wanted = scene->needed + CHECKS + (before->ways < MOST_MORE ? before->ways : MOST_MORE);
    if (!scene->helpers)
        know_more(push, scene, known, wanted < MOST_KNOWN ? wanted : MOST_KNOWN);
    sets->exclusive = inclusion_exclusive(push, near, scene, before, known->line, known->count);
    sets->inclusive = sets->exclusive == YES ? NO : inclusion_inclusive(push, near, scene);
}

/* Ways: the lines that a set keeps. Where lines cannot get past the nearer levels without filling this one, what these
 * keep is counted, too, and is not of an exclusive level's ways. */
static unsigned count_ways(struct push *push, const struct scene scene[2], const struct nearer *before,
                           struct sets *sets, const char **why)
{
    struct kept kept, other;
    *why = "how many lines a set keeps is not clear";
    if (!kept_count(push, &scene[0], &kept) || !kept.lines)
        return 0;
    sets->error += kept.error;
    /* Where no policy draws lots, the fewest lines that push one out are as many; else another set has to agree. */
    if (scene[0].sharp ? scene[0].needed != kept.lines
                       : !kept_count(push, &scene[1], &other) || other.lines != kept.lines)
        return 0;
    if (scene[0].helpers)
        return kept.lines;
    *why = "whether it is exclusive is not clear, and so how many lines a set keeps";
    if (sets->exclusive == NOT_TOLD)
        return 0;
    if (sets->exclusive == NO)
        return kept.lines;
    return kept.lines > before->nearest_one ? kept.lines - before->nearest_one : 0;
}

/* The lines that push either target out: as many of one as of the other. */
static bool find_both(struct push *push, const struct nearer *before, const uint64_t target[2], struct scene scene[2],
                      const char **why)
{
    for (unsigned i = 0; i < AGREEING; i++) {
        for (unsigned j = 0; j < 2; j++)
            if (!evict_find(push, &before->kin, &before->kin, target[j], HELPERS * before->ways, &scene[j], why))
                return false;
        *why = "a set keeps more lines than can be told";
        if (2 * scene[0].needed > MOST_KEPT || 2 * scene[1].needed > MOST_KEPT)
            return false;
        if (!scene[0].sharp || !scene[1].sharp || scene[0].needed == scene[1].needed)
            return true;
    }
    *why = "two of its sets do not agree on how many lines they keep";
    return false;
}

/* Whether lines drawn by a rule share either target's set. */
static bool foretells_both(struct push *push, const struct scene scene[2], const struct kin *rule)
{
    return foretells(push, &scene[0], rule, false) && foretells(push, &scene[1], rule, false);
}

/* Finds the rule by which sets are chosen. *within: sets among lines that differ by vectors of the space. */
static bool choose_rule(struct push *push, const struct nearer *before, const struct scene scene[2],
                        struct known *known, struct sets *sets, uint64_t *within, const char **why)
{
    unsigned helpers = HELPERS * before->ways;
    uint64_t odd = known->divisor;
    while (odd && odd % 2 == 0)
        odd /= 2;
    struct kin rule = kin_by(&push->region, &known->space, odd);
    sets->kin = kin_by(&push->region, &known->space, before->kin.odd);
    *within = 1;
    if (foretells_both(push, scene, &sets->kin)) {
        sets->indexing = INDEX_LINEAR;
        if (before->kin.odd > 1)
            *within = odd_part(push, &scene[0], known, before->kin.odd);
    } else if (odd > 1 && foretells_both(push, scene, &rule)) {
        sets->indexing = INDEX_MODULO;
        sets->kin = rule;
    } else {
        if (!learn_from_others(push, &scene[0], known, helpers, why))
            return false;
        *within = count_sets(push, known, helpers, scene[0].sharp ? scene[0].needed : 0, scene[0].target, why);
        sets->indexing = *within == 1 ? INDEX_LINEAR : INDEX_COUNTED;
    }
    return *within && push_ok(push);
}

/* Whether units that share a set wherever they are belong to one line: when the other one is flushed after each line of
 * the set, these lines go, too, and push nothing out. A prefetcher that brings pairs makes it look the same until then.
 */
static bool is_one_line(struct push *push, const struct scene *scene, uint64_t inside)
{
    struct push flushing = *push;
    for (flushing.apart = 1; flushing.apart < inside; flushing.apart *= 2) {
        bool clear;
        if (push_out(&flushing, scene, VOTES_CHECK, &clear) || !clear)
            return false;
    }
    return push_ok(&flushing);
}

/* The number of sets and the line, by the rule and by what lines share sets outside of the nearer levels'. */
static bool count_all_sets(struct push *push, const struct scene scene[2], const struct known *known, uint64_t within,
                           struct sets *sets)
{
    struct gf2 space = known->space;
    uint64_t stride = sets->kin.stride, inside = 1;
    if (sets->indexing == INDEX_MODULO) {
        if (!stride || !look_outside_modulo(push, &scene[0], &scene[1], known, &stride, &inside))
            return false;
        sets->sets = stride / inside;
    } else {
        if (sets->indexing == INDEX_LINEAR ? !look_outside(push, &scene[0], &scene[1], known, &space)
                                           : !look_outside_counted(push, &scene[0], known, &space, within))
            return false;
        while (gf2_has(&space, inside))
            inside *= 2;
        sets->sets = (region_lines(&push->region) >> space.dimension) * within;
    }
    sets->line = inside * push->region.unit;
    sets->pairs = !is_one_line(push, &scene[0], inside);
    return true;
}

static bool find(struct push *push, const struct push *near, const struct nearer *before, const uint64_t target[2],
                 struct sets *sets, const char **why)
{
    struct scene scene[2];
    struct known known = {.nearer = &before->kin, .tries = 8};
    uint64_t within;
    *sets = (struct sets){.ways = 0};
    if (!find_both(push, before, target, scene, why))
        return false;
    *why = "lines of one set are hard to tell";
    for (unsigned i = 0; i < scene[0].lines; i++)
        note(&known, target[0], scene[0].line[i]);
    if (!learn(push, &scene[0], &known))
        return false;
    tell_inclusion(push, near, &scene[0], &known, before, sets);
    sets->ways = count_ways(push, scene, before, sets, why);
    if (!sets->ways || !choose_rule(push, before, scene, &known, sets, &within, why))
        return false;
    *why = "how lines share its sets follows no rule that was tried";
    if (!count_all_sets(push, scene, &known, within, sets))
        return false;
    struct scene fewest = evict_needed(&scene[0], 0);
    bool may_have_missed = sets->indexing == INDEX_LINEAR && within < before->kin.odd && sets->exclusive != NO;
    sets->error +=
        2.0 / (1 << SAME) + (push_far(push, &fewest) ? NEXT_GAVE_UP : 0) + (may_have_missed ? MODULO_BEFORE : 0);
    return push_ok(push);
}

bool sets_find(struct push *push, const struct push *near, const struct nearer *before, const uint64_t target[2],
               struct sets *sets, const char **why)
{
    /* Most policies give a line up within three laps, and an exclusive level shows its ways in the first. */
    static const unsigned laps[] = {3, 1, 12, 40};
    for (unsigned i = 0; i < sizeof laps / sizeof *laps && push_ok(push); i++) {
        push->laps = laps[i];
        if (find(push, near, before, target, sets, why))
            return true;
    }
    return false;
}
