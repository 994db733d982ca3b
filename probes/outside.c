// SPDX-License-Identifier: BSD-2-Clause
/* outside.c: lines of a set that nearer levels tell apart. */
#include "probes/outside.h"
#include "probes/elsewhere.h"

enum {
    OTHERS = 3,
    MOST_FALSE = 8,
    MOST_NEIGHBOURS = 10,
    BY_LOT = 20, /* draws for each that is expected, where lots are drawn */
    DOWN = 3     /* lines that push one down, for each that the nearer levels hold */
};

/* Whether a line that the nearer levels may tell from the target shares its set. */
static bool shares(struct push *push, const struct known *known, const struct scene *scene, uint64_t line,
                   bool by_table, unsigned votes)
{
    struct kin rule = known_kin(known, &push->region);
    return evict_takes_far(push, scene, line, by_table ? NULL : &rule, votes) == YES;
}

bool outside_confirmed(struct push *push, const struct scene *scene, const struct known *known, uint64_t apart,
                       bool by_table)
{
    for (unsigned i = scene->needed; i < scene->needed + OTHERS && i < known->count; i++)
        if (!shares(push, known, scene, known->line[i] ^ apart, by_table, VOTES_SEARCH))
            return false;
    return push_ok(push);
}

bool outside_confirmed_by_second(struct push *push, const struct scene *second, const struct known *known,
                                 uint64_t apart, bool by_table)
{
    unsigned shared = 0;
    for (unsigned i = 0; i < OTHERS && i <= second->lines; i++) {
        uint64_t line = i ? second->line[second->lines - i] : second->target;
        shared += shares(push, known, second, line ^ apart, by_table, VOTES_CHECK);
    }
    return 2 * shared > OTHERS && push_ok(push);
}

/* What is looked through, and known, outside of what the nearer levels share. */
struct outside {
    const struct known *known;
    struct kin all, without; /* lines that are looked at, and those of them that need not be */
    struct gf2 *space;       /* of lines that share a set */
    uint64_t within;         /* sets for each of the space's */
    unsigned false_ones;     /* lines that seemed to */
    bool linear;             /* no difference was found that is good for some lines only */
};

/* Lines to draw: so many that some are of the set, if any are; and that those of each set of the nearer levels push
 * each other down, where an exclusive level gets them only then. */
static uint64_t draws_outside(const struct scene *scene, const struct outside *outside)
{
    const struct nearer *nearer = outside->known->nearer;
    unsigned all = outside->all.space.dimension, times = scene->sharp || scene->alone ? DRAWS_FOR_EACH : BY_LOT;
    /* Sets of an odd number of them are so many for each of those by bits. */
    uint64_t some = (uint64_t)times * outside->within << (all - outside->space->dimension),
             down = (uint64_t)DOWN * nearer->holds * nearer->kin.odd << (all - nearer->kin.space.dimension);
    return outside->known->victims && down > some ? down : some;
}

/* Adds what it finds among the lines that are looked at. Those whose neighbour a prefetcher brings are as many: they
 * are passed over when many in turn were no others, for what two of them differ by may be what is looked for. False:
 * too many were none, or see push_ok. */
static bool look_among(struct push *push, const struct scene scene[2], struct outside *outside)
{
    const struct known *known = outside->known;
    struct kin rule = known_kin(known, &push->region);
    unsigned neighbours = 0;
    for (;;) {
        uint64_t draws = draws_outside(&scene[0], outside), line;
        if (!evict_mostly(push, &scene[0], &outside->all, &outside->without, draws, VOTES_SEARCH) ||
            !evict_mostly(push, &scene[1], &outside->all, &outside->without, draws, VOTES_SEARCH))
            return push_ok(push);
        struct pool pool = {.kin = &outside->all, .without = &outside->without, .count = draws};
        if (!evict_draw_far(push, &scene[0], &rule, &pool, &line))
            return false;
        uint64_t apart = line ^ scene[0].target;
        if (!outside_confirmed(push, &scene[0], known, apart, false)) {
            if (++outside->false_ones > MOST_FALSE)
                return false;
            continue;
        }
        if (outside_confirmed_by_second(push, &scene[1], known, apart, false)) {
            outside->linear = elsewhere_holds(push, &scene[0], known, apart);
            if (!outside->linear)
                return false; /* these two sets have it in common by chance */
            gf2_add(&outside->without.space, apart);
            gf2_add(outside->space, apart);
        } else if (++neighbours == MOST_NEIGHBOURS) {
            if (push_brings(push))
                return false; /* what comes along is not looked at, so they are of the set for another reason */
            gf2_add(&outside->without.space, apart);
            neighbours = 0;
        }
    }
}

/* Whether lines do in one lap what they do in several, so that others need not be loaded again, either. (In several, an
 * exclusive level takes lines in that it gave away, and these need not take the way that was left: it may lose a line
 * though there is room for it.) */
static bool goes_in_one_lap(const struct push *push, const struct scene scene[2])
{
    struct push once = *push;
    if (!scene[0].sharp || !scene[1].sharp)
        return false; /* lots do now and then */
    once.laps = 1;
    for (unsigned i = 0; i < 4; i++) {
        struct scene lines = evict_needed(&scene[i / 2], i % 2);
        bool clear, goes = push_out(&once, &lines, VOTES_CHECK, &clear);
        if (!clear || goes != (i % 2 == 0))
            return false;
    }
    return push_ok(&once);
}

/* Looks in all of the memory, by its lowest bits first. */
static bool look_everywhere(struct push *push, const struct scene scene[2], struct outside *outside)
{
    if (outside->known->nearer->kin.odd > 1 && outside->within == 1) {
        outside->without.space = *outside->space;
        if (!look_among(push, scene, outside))
            return false;
        outside->without.space = outside->all.space;
    }
    for (uint64_t bit = 1; bit < region_lines(&push->region) && push_ok(push); bit *= 2)
        if (gf2_add(&outside->all.space, bit) && !look_among(push, scene, outside))
            return false;
    return push_ok(push);
}

bool outside_look(const struct push *several, const struct scene scene[2], const struct known *known, uint64_t within,
                  struct gf2 *space, bool *linear)
{
    struct push push = *several;
    struct outside outside = {.known = known, .space = space, .within = within, .linear = true};
    push.laps = goes_in_one_lap(several, scene) ? 1 : several->laps;
    outside.all = outside.without = (struct kin){.space = known->nearer->kin.space, .odd = 1};
    bool looked = look_everywhere(&push, scene, &outside);
    *linear = outside.linear || !push_ok(&push);
    return looked;
}
