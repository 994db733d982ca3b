// SPDX-License-Identifier: BSD-2-Clause
/* test_minimal.c: the few lines that push a target out, and what finding them takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "probes/known.h"
#include "tests/unit/looked_at.h"
#include "tests/unit/resting_host.h"

enum { TARGETS = 6 };

/* The third level, which takes from the second what it gives up, gives a target up first among the first level's kin;
 * among lines of all sets the second one does. Beside each of those a prefetcher without a switch brings another, which
 * nobody flushes: unless all caches are emptied, they are still there when the next round begins, and it is the third
 * level again in three of four cases. */
static void prefetched_beside_all_lines(void **state)
{
    (void)state;
    unsigned far = 0;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct description description = first(16, 2, "LRU");
        struct looked_at at;
        add(&description, 37, 8, "LRU");
        add(&description, 128, 12, "LRU")->inclusion = INCLUSION_INCLUSIVE;
        description.prefetchers = 1;
        description.prefetcher[0] = (struct prefetcher_description){
            .kind = PREFETCH_ADJACENT, .watches = 2, .into = 2, .ahead = 1, .misses_only = true};
        look_at(&at, &description, seed);
        for (unsigned i = 0; i < TARGETS; i++) {
            struct scene scene;
            const char *why = "";
            assert_true(minimal_find(&at.push, &at.nearer.kin, &at.nearer, target_of(&at.push, i), NULL, &scene, &why));
            scene.lines = scene.needed;
            scene.pool.count = 0;
            far += push_far(&at.push, &scene);
        }
        leave(&at);
    }
    assert_in_range(far, 0, TARGETS / 3);
}

/* That no policy takes any way is known by about as many lines as push one out, though each answer takes many rounds by
 * a clock whose step is three times what there is to tell: not by all lines that there are. */
static void any_way_by_few_lines(void **state)
{
    (void)state;
    enum { MOST = 300000 };
    struct description description = first(64, 4, "LRU");
    struct looked_at at;
    struct scene scene;
    const char *why = "";
    add(&description, 256, 4, "LRU");
    add(&description, 4096, 8, "LRU");
    description.clock.step = 40;
    look_at(&at, &description, 1);
    uint64_t start = machine_steps(at.machine);
    assert_true(minimal_find(&at.push, &at.nearer.kin, &at.nearer, target_of(&at.push, 0), NULL, &scene, &why));
    assert_in_range(machine_steps(at.machine) - start, 1, MOST);
    assert_int_equal(scene.needed, 4);
    leave(&at);
}

/* A policy that does take any way is still known by that. */
static void any_way_at_all(void **state)
{
    (void)state;
    struct description description = first(64, 4, "LRU");
    struct looked_at at;
    struct scene scene;
    const char *why = "";
    add(&description, 256, 8, "RANDOM");
    look_at(&at, &description, 1);
    assert_true(minimal_find(&at.push, &at.nearer.kin, &at.nearer, target_of(&at.push, 0), NULL, &scene, &why));
    assert_true(scene.alone > 0);
    leave(&at);
}

/* Where a policy takes any way behind an odd number of sets, few lines that are kin there are of a set: others foretell
 * them, and those of the first target foretell the second one's. To draw each of them takes five times as much. */
static void any_way_behind_odd(void **state)
{
    (void)state;
    enum { MOST = 1800000, NEXT = 100000 };
    struct description description = first(27, 4, "LRU");
    struct looked_at at;
    struct scene scene, other;
    const char *why = "";
    fold(add(&description, 256, 8, "RANDOM"), 8, 0x101);
    look_at(&at, &description, 1);
    uint64_t start = machine_steps(at.machine);
    assert_true(minimal_find(&at.push, &at.nearer.kin, &at.nearer, target_of(&at.push, 0), NULL, &scene, &why));
    uint64_t cost = machine_steps(at.machine) - start;
    assert_true(minimal_find(&at.push, &at.nearer.kin, &at.nearer, target_of(&at.push, 1), &scene, &other, &why));
    uint64_t next = machine_steps(at.machine) - start - cost;
    assert_true(scene.alone > 0 && other.alone > 0);
    for (unsigned i = 0; i < scene.lines; i++)
        assert_true(kin_are(&at.nearer.kin, scene.line[i], scene.target));
    for (unsigned i = 0; i < other.lines; i++)
        assert_true(kin_are(&at.nearer.kin, other.line[i], other.target));
    assert_in_range(cost, 1, MOST);
    assert_in_range(next, 1, NEXT);
    leave(&at);
}

/* The same where a set has few more lines than push one out: when none is new any more, those have to do. */
static void any_way_by_all_lines(void **state)
{
    (void)state;
    enum { MOST = 15000000, ALL = 31 };
    struct description description = first(64, 4, "LRU");
    struct looked_at at;
    struct scene scene;
    const char *why = "";
    add(&description, 2048, 20, "RANDOM");
    look_at(&at, &description, 1);
    at.push.region = region_in(&at.stretch, 64, 4 << 20);
    at.nearer.kin = kin_modulo(&at.push.region, 64);
    uint64_t start = machine_steps(at.machine);
    assert_true(minimal_find(&at.push, &at.nearer.kin, &at.nearer, target_of(&at.push, 0), NULL, &scene, &why));
    assert_in_range(machine_steps(at.machine) - start, 1, MOST);
    assert_true(scene.alone > 0);
    assert_int_equal(scene.lines, ALL);
    leave(&at);
}

/* Where nearly all lines that there are just push one out, it is not gone on with, if there are more elsewhere. */
static void hardly_enough_lines(void **state)
{
    (void)state;
    enum { SETS = 1 << 16, WAYS = 12, MOST = 2500000 };
    struct description description = first(64, 4, "LRU");
    struct looked_at at;
    struct scene scene;
    const char *why = "";
    add(&description, SETS, WAYS, "LRU");
    look_at(&at, &description, 1);
    for (unsigned more = 0; more < 2; more++) {
        uint64_t start = machine_steps(at.machine);
        at.push.more_memory = more;
        assert_int_equal(minimal_find(&at.push, &at.nearer.kin, &at.nearer, target_of(&at.push, 0), NULL, &scene, &why),
                         !more);
        assert_in_range(machine_steps(at.machine) - start, more ? 1 : MOST, more ? MOST : UINT64_MAX);
    }
    leave(&at);
}

/* Visits until a minimal set of a target is found. */
static uint64_t cost_of(struct looked_at *at, unsigned number, const struct scene *alike, unsigned ways,
                        struct scene *scene)
{
    const char *why = "";
    uint64_t start = machine_steps(at->machine);
    assert_true(
        minimal_find(&at->push, &at->nearer.kin, &at->nearer, target_of(&at->push, number), alike, scene, &why));
    assert_int_equal(scene->needed, ways);
    assert_true(scene->sharp);
    return machine_steps(at->machine) - start;
}

static uint64_t middle_of_three(const uint64_t value[3])
{
    unsigned middle = 0;
    for (unsigned i = 0; i < 3; i++)
        if ((value[i] > value[(i + 1) % 3]) != (value[i] > value[(i + 2) % 3]))
            middle = i;
    return value[middle];
}

/* A few lines foretell the others of a set, and those of another set that is like it, whether sets are chosen by XOR or
 * modulo their number: to draw all of them takes twice as much, and three times for the other set. One run in ten takes
 * some times as much as the others. */
static void lines_foretell_others(void **state)
{
    (void)state;
    enum { WAYS = 16, RUNS = 3 };
    static const uint64_t most[] = {800000, 6000000};
    for (unsigned hashed = 0; hashed < 2; hashed++) {
        struct description description = first(64, 4, "LRU");
        struct cache_description *cache = add(&description, hashed ? 256 : 1536, WAYS, "LRU");
        uint64_t cost[RUNS], next[RUNS];
        if (hashed)
            fold(cache, 8, 0x101);
        add(&description, 8192, 16, "LRU");
        description.clock.step = 40;
        for (unsigned i = 0; i < RUNS; i++) {
            struct looked_at at;
            struct scene scene, other;
            look_at(&at, &description, 1 + i);
            cost[i] = cost_of(&at, 0, NULL, WAYS, &scene);
            next[i] = cost_of(&at, 1, &scene, WAYS, &other);
            leave(&at);
        }
        assert_in_range(middle_of_three(cost), 1, most[hashed]);
        assert_in_range(middle_of_three(next), 1, middle_of_three(cost) * 2 / 3);
    }
}

/* Where all lines of the set are known that the memory has, there is nothing more to learn from; and of a set of which
 * more are, what is known is all that their differences are. */
static void all_that_there_are(void **state)
{
    (void)state;
    enum { WAYS = 8 };
    static const unsigned sets[] = {1 << 16, 1 << 10};
    for (unsigned i = 0; i < 2; i++) {
        struct description description = first(64, 4, "LRU");
        struct looked_at at;
        struct scene scene;
        struct known known;
        add(&description, sets[i], WAYS, "LRU");
        look_at(&at, &description, 1);
        cost_of(&at, 0, NULL, WAYS, &scene);
        assert_true(known_learn(&at.push, &scene, &at.nearer, &known));
        assert_int_equal((SPAN / 64) >> known.space.dimension, sets[i]);
        leave(&at);
    }
}

/* Lines that push a target out are of its set, and so is the target itself, though with one of them there is one fewer
 * that differs. Helpers are not. */
static void lines_that_take_part(void **state)
{
    (void)state;
    enum { WAYS = 4 };
    struct description description = first(64, 4, "LRU");
    struct looked_at at;
    struct scene scene;
    add(&description, 1 << 9, WAYS, "LRU");
    look_at(&at, &description, 1);
    cost_of(&at, 0, NULL, WAYS, &scene);
    assert_true(evict_takes(&at.push, &scene, scene.target, VOTES_CHECK));
    for (unsigned i = 0; i < scene.lines; i++)
        assert_true(evict_takes(&at.push, &scene, scene.line[i], VOTES_CHECK));
    for (unsigned i = 0; i < scene.helpers; i++)
        assert_false(evict_takes(&at.push, &scene, scene.helper[i], VOTES_CHECK));
    leave(&at);
}

/* Of the lines that share a set of the level before, every other one shares one of an exclusive level: as many helpers
 * as it takes in the end push the target out of that, too, and which of them are of its set is not told by the last
 * one. Among fewer there are fewer, and mostly it needs no more lines than there are ways then. */
static void helpers_of_its_set(void **state)
{
    (void)state;
    enum { SETS = 128, WAYS = 14, TIMES = 12, MOSTLY = 7 };
    struct description description = first(64, 16, "MRU");
    struct looked_at at;
    unsigned found = 0;
    const char *why = "";
    add(&description, SETS, WAYS, "QLRU_H00_M1_R2_U1")->inclusion = INCLUSION_EXCLUSIVE;
    look_at(&at, &description, 1);
    for (unsigned i = 0; i < TIMES; i++) {
        struct scene scene;
        found += minimal_find(&at.push, &at.nearer.kin, &at.nearer, target_of(&at.push, i), NULL, &scene, &why) &&
                 scene.needed == WAYS && scene.helpers;
    }
    assert_in_range(found, MOSTLY, TIMES);
    leave(&at);
}

/* Helpers that are moved with a line which is near one end of the memory, while the target is near the other one, are
 * as far from it to the other side: they push it down, and an exclusive level gets it. */
static void helpers_beyond_an_end(void **state)
{
    (void)state;
    enum { SETS = 96, WAYS = 8, BEFORE_END = 5 };
    struct description description = first(64, 4, "LRU");
    struct looked_at at;
    struct scene scene;
    const char *why = "";
    add(&description, SETS, WAYS, "LRU")->inclusion = INCLUSION_EXCLUSIVE;
    look_at(&at, &description, 1);
    uint64_t lines = region_lines(&at.push.region), targets[] = {lines - BEFORE_END, 63};
    for (unsigned i = 0; i < 2; i++) {
        uint64_t line = i ? lines - (lines - targets[i]) % SETS : targets[i] % SETS + SETS;
        assert_true(minimal_find(&at.push, &at.nearer.kin, &at.nearer, targets[i], NULL, &scene, &why));
        assert_int_equal(evict_takes_far(&at.push, &scene, line, NULL, VOTES_CHECK), YES);
        assert_int_equal(evict_takes_far(&at.push, &scene, line ^ 1, NULL, VOTES_CHECK), NO);
    }
    leave(&at);
}

/* Whether a set has lines that differ in a bit which no line that is known differs in is seen, whether it is known how
 * many draws it takes until a line is of the set, or thought to be a few of them. */
static void lines_outside(void **state)
{
    (void)state;
    enum { FIRST = 64, SETS = 1 << 12, WAYS = 4 };
    struct description description = first(FIRST, 4, "LRU");
    struct looked_at at;
    struct scene scene;
    add(&description, SETS, WAYS, "LRU");
    look_at(&at, &description, 1);
    cost_of(&at, 0, NULL, WAYS, &scene);
    for (uint64_t tries = 1; tries <= SETS / FIRST; tries *= 4) {
        struct known known = {.nearer = &at.nearer};
        for (uint64_t bit = 2 * SETS; bit < SPAN / 64; bit *= 2)
            gf2_add(&known.space, bit);
        assert_true(known_lacks(&at.push, &scene, &known, tries));
        gf2_add(&known.space, SETS);
        assert_false(known_lacks(&at.push, &scene, &known, tries));
    }
    leave(&at);
}

/* Of the lines that do not lie in half of the set, most are lines that it is not drawn from again: lines that say
 * nothing new come three in a row, and ten, too, and all that are drawn do in one time of fifty. That there are others
 * is seen whenever it is asked, also when few draws have told how many it takes; and it is asked again. */
static void lines_that_are_seldom_drawn(void **state)
{
    (void)state;
    enum { SETS = 1 << 12, WAYS = 4, TIMES = 40, SELDOM = 16, WRONG = 2 };
    struct description description = first(64, 4, "LRU");
    struct looked_at at;
    struct scene scene;
    unsigned all = SPAN / 64 / SETS, wrong = 0;
    add(&description, SETS, WAYS, "LRU");
    look_at(&at, &description, 1);
    cost_of(&at, 0, NULL, WAYS, &scene);
    for (unsigned i = 1, left = all / 2; i < all && left > SELDOM; i += 2, left--)
        if (!push_among(scene.line, scene.lines, scene.target ^ (uint64_t)i * SETS))
            scene.line[scene.lines++] = scene.target ^ (uint64_t)i * SETS;
    for (unsigned time = 0; time < TIMES; time++) {
        struct known known = {.nearer = &at.nearer, .tries = 8};
        for (unsigned bit = 2; bit < all; bit *= 2)
            gf2_add(&known.space, (uint64_t)bit * SETS);
        assert_true(known_draw(&at.push, &scene, &known));
        wrong += (SPAN / 64) >> known.space.dimension != SETS;
    }
    assert_in_range(wrong, 0, WRONG);
    leave(&at);
}

/* When there are more visits than there may be, that no line was seen says nothing, whoever asked. */
static void spent_on_the_way(void **state)
{
    (void)state;
    enum { FEW = 100 };
    struct description description = first(64, 4, "LRU");
    struct looked_at at;
    struct scene scene;
    add(&description, 1 << 9, 4, "LRU");
    look_at(&at, &description, 1);
    cost_of(&at, 0, NULL, 4, &scene);
    at.push.most = machine_steps(at.machine) + FEW;
    assert_true(push_ok(&at.push) && !push_spent(&at.push));
    evict_any(&at.push, &scene, &at.nearer.kin, NULL, FEW);
    assert_false(push_ok(&at.push));
    assert_true(push_spent(&at.push));
    leave(&at);
}

/* Pools of which one in twenty has no line of a set, by chance, have some; those of other sets have none. */
static void pools_by_chance(void **state)
{
    (void)state;
    enum { FIRST = 16, SETS = 256, WAYS = 4, TRIALS = 100, EXPECTED = 3 };
    struct description description = first(FIRST, 4, "LRU");
    struct looked_at at;
    struct scene scene;
    const char *why = "";
    add(&description, SETS, WAYS, "LRU");
    look_at(&at, &description, 1);
    struct kin set = kin_modulo(&at.push.region, SETS), nearer = at.nearer.kin;
    assert_true(minimal_find(&at.push, &nearer, &at.nearer, target_of(&at.push, 0), NULL, &scene, &why));
    scene.lines = scene.needed; /* which take no part in a pool */
    for (unsigned i = 0; i < TRIALS; i++) {
        assert_true(evict_mostly(&at.push, &scene, &nearer, NULL, EXPECTED * SETS / FIRST, VOTES_SEARCH));
        assert_false(evict_mostly(&at.push, &scene, &nearer, &set, EXPECTED * SETS / FIRST, VOTES_SEARCH));
    }
    leave(&at);
}

/* A prefetcher without a switch fetches lines beside those of a pool. One of the set, which nobody flushes, pushes the
 * target out from then on: all caches are emptied, and what is asked is asked from the beginning. */
static void fetched_beside_pools(void **state)
{
    (void)state;
    enum { FIRST = 512, SETS = 1024, WAYS = 16, DRAWN = 1000, SOME_TARGETS = 4, TRIALS = 60 };
    struct description description = first(FIRST, 2, "LRU");
    struct looked_at at;
    const char *why = "";
    add(&description, SETS, WAYS, "LRU8PLRU2")->inclusion = INCLUSION_EXCLUSIVE;
    description.prefetchers = 1;
    description.prefetcher[0] = (struct prefetcher_description){
        .kind = PREFETCH_STREAM, .watches = 2, .into = 2, .trackers = 8, .train = 2, .ahead = 2, .misses_only = true};
    look_at(&at, &description, 1);
    struct kin all = kin_modulo(&at.push.region, 1), set = kin_modulo(&at.push.region, SETS);
    for (unsigned target = 0; target < SOME_TARGETS; target++) {
        struct scene scene;
        assert_true(
            minimal_find(&at.push, &at.nearer.kin, &at.nearer, target_of(&at.push, target), NULL, &scene, &why));
        scene.lines = scene.needed;
        for (unsigned i = 0; i < TRIALS; i++)
            assert_false(evict_mostly(&at.push, &scene, &all, &set, DRAWN, VOTES_SEARCH));
    }
    leave(&at);
}

/* What pushes a line down brings the next ones along, into any set of a level that hashes: those are left out of which
 * that is the target's. */
static void brought_by_helpers(void **state)
{
    (void)state;
    enum { FIRST = 16, BITS = 5, APART = 1 | 1 << BITS, TRIALS = 20, MOSTLY = 17 };
    struct description description = first(FIRST, 4, "LRU");
    struct looked_at at;
    struct scene scene;
    const char *why = "";
    unsigned shared = 0;
    fold(add(&description, 1 << BITS, 8, "LRU"), BITS, 1 | 1 << BITS);
    description.prefetchers = 1;
    description.prefetcher[0] =
        (struct prefetcher_description){.kind = PREFETCH_NEXT_LINE, .watches = 1, .into = 1, .ahead = 1};
    look_at(&at, &description, 1);
    at.push.laps = 1;
    assert_true(push_learn_along(&at.push) && push_brings(&at.push));
    assert_true(minimal_find(&at.push, &at.nearer.kin, &at.nearer, target_of(&at.push, 0), NULL, &scene, &why));
    struct gf2 space = {.dimension = 0};
    gf2_add(&space, 1 << (BITS - 1) | 1 << (2 * BITS - 1));
    for (uint64_t bit = 1 << (2 * BITS); bit < region_lines(&at.push.region); bit *= 2)
        gf2_add(&space, bit);
    struct kin rule = kin_by(&at.push.region, &space, 1);
    for (unsigned i = 0; i < TRIALS; i++)
        shared += evict_takes_far(&at.push, &scene, scene.target ^ APART, &rule, VOTES_CHECK) == YES;
    assert_in_range(shared, MOSTLY, TRIALS);
    leave(&at);
}

/* Where the level before keeps the last lines, their places tell those of a set if in one lap just so many push the
 * target out each time: not by lot. */
static void places(void **state)
{
    (void)state;
    enum { SETS = 64, WAYS = 8 };
    static const char *const policies[] = {"LRU", "FIFO", "RANDOMl"};
    for (unsigned i = 0; i < sizeof policies / sizeof *policies; i++) {
        struct description description = first(SETS, 4, "LRU");
        struct looked_at at;
        add(&description, SETS, WAYS, policies[i]);
        look_at(&at, &description, 1);
        struct scene scene = {
            .target = target_of(&at.push, 0), .nearer = &at.nearer, .needed = WAYS, .lines = 3 * WAYS, .sharp = true};
        for (unsigned j = 0; j < scene.lines; j++)
            scene.line[j] = scene.target + (uint64_t)(j + 1) * SETS;
        if (evict_tells_places(&at.push, &scene) != (i < 2))
            fail_msg("%s", policies[i]);
        leave(&at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(prefetched_beside_all_lines),
                                       cmocka_unit_test(any_way_by_few_lines),
                                       cmocka_unit_test(any_way_at_all),
                                       cmocka_unit_test(any_way_behind_odd),
                                       cmocka_unit_test(any_way_by_all_lines),
                                       cmocka_unit_test(places),
                                       cmocka_unit_test(hardly_enough_lines),
                                       cmocka_unit_test(lines_foretell_others),
                                       cmocka_unit_test(all_that_there_are),
                                       cmocka_unit_test(lines_that_take_part),
                                       cmocka_unit_test(helpers_of_its_set),
                                       cmocka_unit_test(helpers_beyond_an_end),
                                       cmocka_unit_test(lines_outside),
                                       cmocka_unit_test(lines_that_are_seldom_drawn),
                                       cmocka_unit_test(spent_on_the_way),
                                       cmocka_unit_test(pools_by_chance),
                                       cmocka_unit_test(fetched_beside_pools),
                                       cmocka_unit_test(brought_by_helpers)};
    return cmocka_run_group_tests(tests, fresh, done);
}
