// SPDX-License-Identifier: BSD-2-Clause
/* rule.c: differences of lines of one set. */
#include "probes/rule.h"
#include "base/arithmetic.h"
#include "probes/elsewhere.h"
#include "probes/outside.h"

enum {
    OTHER_SETS = 5,
    AGREEING = 3,
    MOST_MISSED = 2,
    CHECKS = 12,   /* lines that a rule must foretell */
    SAMPLES = 192, /* lines among which sets are counted */
    MOST_SETS = 24,
    MOST_MIXED = 3
};

/* Probability of a wrong answer where the sets of a nearer level are chosen modulo an odd number, and this one's by a
 * table, so that lines which push others down there may be of its set; or where nothing was found that pushes them
 * down. */
static const double MODULO_BEFORE = 0.6;

/* The same where the level may be exclusive, and lines of other sets are not told from its own by their places. */
static const double NO_PLACES = 0.6;

static const char *const NO_RULE = "how lines share its sets follows no rule that was tried";

/* Learns from lines of other sets, too: by a table, differences in one of them may all lie in a part of the space. */
static bool learn_from_others(struct push *push, const struct scene *scene, struct known *known, const char **why)
{
    uint64_t seed = bench_seed(push->bench);
    for (unsigned i = 0; i < OTHER_SETS; i++) {
        struct scene other;
        struct known more = {.nearer = known->nearer, .tries = known->tries};
        uint64_t target = kin_draw(&known->nearer->kin, &push->region, scene->target, seed, i);
        if (target == scene->target)
            continue;
        if (!minimal_find(push, &known->nearer->kin, known->nearer, target, NULL, &other, why) ||
            !known_draw(push, &other, &more))
            return false;
        for (unsigned bit = 0; bit < 64; bit++)
            if (more.space.vector[bit])
                gf2_add(&known->space, more.space.vector[bit]);
    }
    return push_ok(push);
}

/* Whether lines drawn by a rule share the target's set: nearly all of them, for noise may hide one; where the rule is
 * wrong, no more than half do, which a few do not show. far: by what is known of lines that are kin (NULL: all are kin
 * of the target at the nearer levels). */
static enum told foretells(struct push *push, const struct scene *scene, const struct kin *rule, const struct kin *far)
{
    uint64_t seed = bench_seed(push->bench);
    unsigned checked = 0, known = 0, missed = 0, open = 0;
    for (uint64_t i = 0; checked < CHECKS && i < kin_count(rule, &push->region) && push_ok(push); i++) {
        uint64_t line = kin_draw(rule, &push->region, scene->target, seed, i);
        if (line == scene->target)
            continue;
        if (push_among(scene->line, scene->lines, line)) {
            known++;
            continue;
        }
        checked++;
        enum told told = far ? evict_takes_far(push, scene, line, far, VOTES_CHECK)
                         : evict_takes(push, scene, line, VOTES_CHECK) ? YES
                                                                       : NO;
        missed += told != YES;
        open += told == NOT_TOLD;
        if (missed > MOST_MISSED)
            return open ? NOT_TOLD : NO;
    }
    return checked + known > 2 * MOST_MISSED && push_ok(push) ? YES : NOT_TOLD;
}

/* The odd part of the number of sets. What the nearer levels' own odd number of sets has put into all differences is
 * taken out again, prime by prime, as far as lines without it share the set, too. *open: whether they do is not told.
 */
static uint64_t odd_part(struct push *push, const struct scene *scene, const struct known *known, uint64_t odd,
                         bool *open)
{
    struct kin of_kin = known_kin(known, &push->region);
    *open = false;
    for (uint64_t prime = 3; prime <= known->nearer->kin.odd; prime += 2)
        while (odd % prime == 0 && known->nearer->kin.odd % prime == 0) {
            struct kin rule = kin_by(&push->region, &known->space, odd / prime);
            enum told told = foretells(push, scene, &rule, &of_kin);
            *open = *open || told == NOT_TOLD;
            if (told != YES)
                break;
            odd /= prime;
        }
    return odd;
}

/* Lines that push a target out: where no policy draws lots, as many as of other sets. */
static bool find_alike(struct push *push, const struct kin *kin, const struct nearer *nearer, uint64_t target,
                       unsigned lines, struct scene *scene, const char **why)
{
    for (unsigned i = 0; i < AGREEING && push_ok(push); i++)
        if (minimal_find(push, kin, nearer, target, NULL, scene, why) &&
            (!scene->sharp || !lines || scene->needed == lines))
            return true;
    return false;
}

/* Bits of a line's number by which a table chooses sets here, and nearer levels theirs. */
struct mixed {
    uint64_t bit[MOST_MIXED];
    unsigned count;
};

/* Whether a set has lines wherever those bits take it. */
static bool is_everywhere(struct push *push, const struct scene *scene, const struct gf2 *space,
                          const struct mixed *mixed)
{
    for (unsigned which = 1; which < 1u << mixed->count; which++) {
        struct kin all = {.space = *space, .odd = 1}, without = all;
        uint64_t apart = 0;
        for (unsigned i = 0; i < mixed->count; i++)
            apart ^= which >> i & 1 ? mixed->bit[i] : 0;
        gf2_add(&all.space, apart);
        if (!evict_mostly(push, scene, &all, &without, 2 * DRAWS_FOR_EACH * MOST_SETS, VOTES_SEARCH))
            return false;
    }
    return push_ok(push);
}

/* How many sets lines lie in that differ by vectors of the space. 0: too many, noise, or such as are not everywhere. */
static unsigned count_sets(struct push *push, const struct known *known, const struct mixed *mixed, unsigned lines,
                           uint64_t target, const char **why)
{
    bool done[SAMPLES] = {false};
    unsigned sets = 0;
    struct kin all = kin_by(&push->region, &known->space, 1);
    struct kin within = kin_by(&push->region, &known->space, known->nearer->kin.odd);
    uint64_t seed = bench_seed(push->bench);
    for (unsigned i = 0; i < SAMPLES && push_ok(push); i++) {
        struct scene scene;
        unsigned old = 0, others = 1;
        if (done[i])
            continue;
        uint64_t one = kin_draw(&all, &push->region, target, seed, i);
        if (sets == MOST_SETS || !find_alike(push, &within, known->nearer, one, lines, &scene, why))
            return 0;
        for (unsigned j = 0; j < SAMPLES; j++) {
            uint64_t other = kin_draw(&all, &push->region, target, seed, j);
            if (j != i && other != one && !evict_takes(push, &scene, other, VOTES_SEARCH))
                continue;
            old += done[j];
            others += !done[j];
            done[j] = true;
        }
        /* A line that noise has hidden from its set would begin that set again. */
        sets += old < others;
        *why = NO_RULE;
        if (!is_everywhere(push, &scene, &known->space, mixed))
            return 0;
    }
    return push_ok(push) ? sets : 0;
}

/* What the levels before have in one line, or bring together, comes and goes together here. (Where a table chooses sets
 * some lines that are moved by a part of it seem not to be of the set, and it was taken for a bit that makes sets.) */
static void add_units(struct gf2 *space, const struct nearer *nearer)
{
    for (uint64_t bit = 1; bit < nearer->units; bit *= 2)
        gf2_add(space, bit);
}

/* The same where sets are counted: `within` of them for the space of what is known. A difference that is good for one
 * line is not so for others there, but for bits that the table does not use: those are added to the space, bit by bit.
 * Some share sets by bits that it does use. False: otherwise, too. */
static bool look_outside_counted(struct push *push, const struct scene scene[2], const struct known *known,
                                 uint64_t within, struct gf2 *space, struct mixed *mixed)
{
    struct kin all = {.odd = 1}, without = {.space = known->nearer->kin.space, .odd = 1};
    add_units(space, known->nearer);
    add_units(&all.space, known->nearer);
    add_units(&without.space, known->nearer);
    for (uint64_t bit = 1; bit < region_lines(&push->region) && push_ok(push); bit *= 2) {
        gf2_add(&all.space, bit);
        if (gf2_has(&without.space, bit))
            continue;
        struct kin more = {.space = known->space, .odd = 1}, old = more;
        gf2_add(&more.space, bit);
        if (outside_confirmed(push, &scene[0], known, bit, true) &&
            outside_confirmed_by_second(push, &scene[1], known, bit, true))
            gf2_add(space, bit);
        else if (mixed->count < MOST_MIXED && evict_any(push, &scene[0], &more, &old, 2 * DRAWS_FOR_EACH * within))
            mixed->bit[mixed->count++] = bit;
        else
            continue;
        gf2_add(&without.space, bit);
    }
    return !evict_any(push, &scene[0], &all, &without,
                      DRAWS_FOR_EACH * within << (all.space.dimension - space->dimension)) &&
           push_ok(push);
}

/* Whether lines so far from either target share its set, or a multiple of that which is one more than a multiple of the
 * prime, anywhere: others would share it anyway if `prime` times as much did. rule: of lines that are kin. */
static bool shares_at(struct push *push, const struct scene scene[2], const struct kin *rule, uint64_t apart,
                      uint64_t prime)
{
    uint64_t period = apart * prime, count = region_lines(&push->region) / period;
    uint64_t step = count > CHECKS ? count / CHECKS * period : period;
    unsigned checks = count < CHECKS ? (unsigned)count : CHECKS, missed[2] = {0};
    for (unsigned i = 0; i < 2 * checks && push_ok(push); i++) {
        const struct scene *one = &scene[i % 2];
        uint64_t line = (one->target + apart) % period + i / 2 * step;
        if (evict_takes_far(push, one, line, rule, VOTES_CHECK) != YES && ++missed[i % 2] > MOST_MISSED)
            return false; /* noise may hide some */
    }
    return checks > 2 * MOST_MISSED && push_ok(push);
}

/* Whether lines that differ from known ones in so low a bit only share the set: then it lies inside the level's own
 * line, which is longer than the unit. */
static bool is_inside_line(struct push *push, const struct scene *scene, const struct known *known,
                           const struct kin *rule, uint64_t bit)
{
    for (unsigned i = scene->needed; i < scene->needed + CHECKS && i < known->count && push_ok(push); i++)
        if (evict_takes_far(push, scene, known->line[i] ^ bit, rule, VOTES_CHECK) != YES)
            return false;
    return push_ok(push);
}

/* The same where sets are chosen modulo their number. *stride: between lines that share a set at all levels, and then
 * at this one. *inside: units of this level's line. False: lines share its sets otherwise, too. */
static bool look_outside_modulo(struct push *push, const struct scene scene[2], const struct known *known,
                                const struct kin *rule, uint64_t *stride, uint64_t *inside)
{
    uint64_t odd = known->nearer->kin.odd;
    while (*stride % 2 == 0 && shares_at(push, scene, rule, *stride / 2, 2))
        *stride /= 2;
    for (uint64_t prime = 3; prime <= odd; prime += 2)
        while (odd % prime == 0 && *stride % prime == 0 && shares_at(push, scene, rule, *stride / prime, prime))
            *stride /= prime;
    for (*inside = 1; *stride % (2 * *inside) == 0 && is_inside_line(push, &scene[0], known, rule, *inside);)
        *inside *= 2;
    struct kin all = {.odd = 1}, without = kin_modulo(&push->region, *stride);
    for (uint64_t bit = *inside; bit < region_lines(&push->region); bit *= 2)
        gf2_add(&all.space, bit);
    return push_ok(push) && !evict_any(push, &scene[0], &all, &without, DRAWS_FOR_EACH * *stride / *inside) &&
           push_ok(push);
}

/* Whether lines drawn by a rule share either target's set. */
static bool foretells_both(struct push *push, const struct scene scene[2], const struct kin *rule)
{
    return foretells(push, &scene[0], rule, NULL) == YES && foretells(push, &scene[1], rule, NULL) == YES;
}

/* Sets that lie in so many for each of a space of differences, `within`; and the line, which is what shares a set in
 * the lowest bits. */
static void counts_by_space(struct push *push, const struct gf2 *space, uint64_t within, struct rule *rule)
{
    uint64_t inside = 1;
    while (gf2_has(space, inside))
        inside *= 2;
    rule->sets = (region_lines(&push->region) >> space->dimension) * within;
    rule->line = inside * push->region.unit;
}

/* Sets are chosen by XOR, or plain bits. *foretold: lines share them as it says, among what the nearer levels have. */
static bool is_linear(struct push *push, const struct scene scene[2], const struct known *known, uint64_t odd,
                      struct rule *rule, bool *foretold)
{
    uint64_t before = known->nearer->kin.odd, within = 1;
    bool open = false;
    rule->indexing = INDEX_LINEAR;
    rule->kin = kin_by(&push->region, &known->space, before);
    *foretold = foretells_both(push, scene, &rule->kin) && elsewhere_holds(push, &scene[0], known, 0);
    if (!*foretold)
        return false;
    /* Lines that differ by multiples of that have just been foretold: what else divides all differences is by chance.
     */
    if (before > 1)
        within = odd_part(push, &scene[0], known, common_divisor(odd, before), &open);
    rule->error = open ? MODULO_BEFORE : 0;
    struct gf2 space = known->space;
    /* Lines outside that are so far from each other by multiples of an odd number are found by the next rule. */
    bool linear;
    if (!outside_look(push, scene, known, within, &space, &linear)) {
        *foretold = within == 1 && linear;
        return false;
    }
    counts_by_space(push, &space, within, rule);
    return true;
}

/* Sets are chosen modulo their number, which is no power of two. */
static bool is_modulo(struct push *push, const struct scene scene[2], const struct known *known, uint64_t odd,
                      struct rule *rule, bool *foretold)
{
    uint64_t inside, stride;
    rule->indexing = INDEX_MODULO;
    rule->error = 0;
    rule->kin = kin_by(&push->region, &known->space, odd);
    *foretold = odd > 1 && foretells_both(push, scene, &rule->kin);
    if (!*foretold)
        return false;
    stride = rule->kin.stride ? rule->kin.stride : known->divisor;
    if (!look_outside_modulo(push, scene, known, &rule->kin, &stride, &inside))
        return false;
    rule->sets = stride / inside;
    rule->line = inside * push->region.unit;
    return true;
}

/* By a table: sets are counted. */
static bool is_counted(struct push *push, const struct scene scene[2], struct known *known, struct rule *rule,
                       const char **why)
{
    rule->indexing = INDEX_COUNTED;
    rule->error = known->nearer->kin.odd > 1 ? MODULO_BEFORE : 0;
    if (!learn_from_others(push, &scene[0], known, why))
        return false;
    unsigned lines = scene[0].sharp ? scene[0].needed : 0;
    struct mixed mixed = {.count = 0};
    struct gf2 space = known->space;
    uint64_t target = scene[0].target, within = count_sets(push, known, &mixed, lines, target, why);
    if (!within)
        return false;
    *why = NO_RULE;
    /* That all lines of the space share one is the first rule, which was not found to hold. Lines of other sets have
     * then seemed to be of the target's, as may be where lots are drawn, and how many sets there are is not known. */
    if (within == 1)
        return false;
    if (!look_outside_counted(push, scene, known, within, &space, &mixed))
        return false;
    /* As many sets on the other side of such a bit, and all of them are on this side, too: it makes none. */
    for (unsigned i = 0; i < mixed.count; i++)
        if (count_sets(push, known, &mixed, lines, target ^ mixed.bit[i], why) != within)
            return false;
    counts_by_space(push, &space, within, rule);
    rule->sets >>= mixed.count;
    return push_ok(push);
}

/* Whether lines push either target out as soon as they are loaded, while the nearer levels still have them: then this
 * one takes in what is loaded, and not what those give up. */
static bool are_taken_in(const struct push *push, const struct scene scene[2])
{
    struct push once = *push;
    once.laps = 1;
    once.lines_stay_near = true;
    for (unsigned i = 0; i < 2; i++) {
        struct scene lines = evict_needed(&scene[i], 0);
        bool clear;
        if (!scene[i].sharp || !push_out(&once, &lines, VOTES_CHECK, &clear) || !clear)
            return false;
    }
    return true;
}

bool rule_find(struct push *push, const struct scene scene[2], struct known *known, struct rule *rule, const char **why)
{
    bool linear, modulo;
    uint64_t odd = known->divisor;
    while (odd && odd % 2 == 0)
        odd /= 2;
    *why = NO_RULE;
    /* What a level loses, the one behind may get, and keep when it is asked for again: that is not exclusive. */
    known->victims = (known->victims || (scene[0].sharp && scene[1].sharp)) && !are_taken_in(push, scene);
    /* What foretells lines, and not all of them, is not another rule: differences by XOR have divisors in common. */
    if (!is_linear(push, scene, known, odd, rule, &linear) &&
        (linear || (!is_modulo(push, scene, known, odd, rule, &modulo) &&
                    (modulo || !push_ok(push) || !is_counted(push, scene, known, rule, why)))))
        return false;
    /* A line is no shorter than what the levels before take at once. */
    if (rule->line < known->nearer->units * push->region.unit)
        return false;
    if (rule->error < NO_PLACES && !evict_tells_places(push, &scene[0]))
        rule->error = NO_PLACES;
    rule->whole = whole_tell(push, scene, known->nearer, rule->line / push->region.unit);
    return push_ok(push);
}
