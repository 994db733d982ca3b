// SPDX-License-Identifier: BSD-2-Clause
/* test_kept.c: how many lines a set keeps, by clocks that say little, and by lot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "probes/kept.h"
#include "tests/unit/looked_at.h"
#include "tests/unit/resting_host.h"

enum { FIRST = 64, FIRST_WAYS = 4, SETS = 256, HELPERS = 3 * FIRST_WAYS };

/* What is asked: a set of which so many lines push one out, of more, which are alone where a line takes any way. */
struct asked {
    unsigned needed, lines;
    bool sharp;
    unsigned alone;
};

/* Lines of one set, and helpers that are of others. */
static struct scene scene_of(struct looked_at *at, const struct asked *asked)
{
    struct scene scene = {.target = target_of(&at->push, 0),
                          .nearer = &at->nearer,
                          .needed = asked->needed,
                          .sharp = asked->sharp,
                          .alone = asked->alone};
    for (; scene.lines < asked->lines; scene.lines++)
        scene.line[scene.lines] = scene.target ^ (uint64_t)(scene.lines + 1) * SETS;
    for (; scene.helpers < HELPERS; scene.helpers++)
        scene.helper[scene.helpers] = scene.target ^ ((uint64_t)(scene.helpers + 1) * SETS + FIRST);
    return scene;
}

/* Lines that a set of the second level keeps; and the visits that it takes to know (NULL: not wanted). */
static unsigned kept_of(const struct description *description, unsigned seed, struct asked asked, uint64_t *visits)
{
    struct looked_at at;
    struct kept kept;
    look_at(&at, description, seed);
    struct scene scene = scene_of(&at, &asked);
    uint64_t start = machine_steps(at.machine);
    assert_true(kept_count(&at.push, &scene, &kept));
    if (visits)
        *visits = machine_steps(at.machine) - start;
    leave(&at);
    return kept.lines;
}

/* By a clock whose step is four times what there is to tell. Policies that draw no lots keep the same lines each time:
 * it takes a fraction of what the mean of readings would. */
static void by_a_slow_clock(void **state)
{
    (void)state;
    enum { WAYS = 8, MOST = 1000000 };
    static const char *const policies[] = {"LRU", "PLRU", "QLRU_H11_M1_R0_U0", "LRU2PLRU4", "FIFO"};
    for (unsigned i = 0; i < sizeof policies / sizeof *policies; i++)
        for (unsigned seed = 1; seed <= 2; seed++) {
            struct description description = first(FIRST, FIRST_WAYS, "LRU");
            uint64_t visits;
            add(&description, SETS, WAYS, policies[i]);
            add(&description, 4096, 8, "LRU");
            description.clock.step = 40;
            unsigned lines = kept_of(&description, seed, (struct asked){WAYS, 2 * WAYS, .sharp = true}, &visits);
            if (lines != WAYS || visits > MOST)
                fail_msg("%s, seed %u: %u lines, %lu visits", policies[i], seed, lines, (unsigned long)visits);
        }
}

/* By lot as many are kept each time, though others: also of an exclusive level; and, after many laps, where a line may
 * take any way, so that those fill by chance. */
static void by_lot(void **state)
{
    (void)state;
    enum { WAYS = 8, TIMES = 40, MOSTLY = 35 };
    static const struct {
        const char *policy;
        enum inclusion inclusion;
        struct asked asked;
    } cases[] = {{"RANDOMl", INCLUSION_NEITHER, {10, 30, .sharp = false}},
                 {"RANDOMl", INCLUSION_EXCLUSIVE, {10, 30, .sharp = false}},
                 {"RANDOM", INCLUSION_NEITHER, {12, 36, .alone = 16}}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned right = 0;
        for (unsigned seed = 1; seed <= TIMES; seed++) {
            struct description description = first(FIRST, FIRST_WAYS, "LRU");
            add(&description, SETS, WAYS, cases[i].policy)->inclusion = cases[i].inclusion;
            unsigned lines = kept_of(&description, seed, cases[i].asked, NULL);
            if (lines && lines != WAYS)
                fail_msg("%s, seed %u: %u lines", cases[i].policy, seed, lines);
            right += lines == WAYS;
        }
        assert_in_range(right, MOSTLY, TIMES);
    }
}

/* Where a line takes any way, empty or not, lines are lost before a set is full: sixteen ways keep six of seven, as
 * often as not. That is no number of ways. (by_lot has what is counted.) */
static void before_a_set_is_full(void **state)
{
    (void)state;
    enum { WAYS = 16, TIMES = 2 };
    for (unsigned needed = 2; needed <= 22; needed += 5)
        for (unsigned seed = 1; seed <= TIMES; seed++) {
            struct description description = first(FIRST, FIRST_WAYS, "LRU");
            add(&description, SETS, WAYS, "RANDOM")->inclusion = INCLUSION_EXCLUSIVE;
            unsigned lines = kept_of(&description, seed, (struct asked){needed, 2 * needed + 8, .sharp = false}, NULL);
            if (lines && lines != WAYS)
                fail_msg("seed %u, %u needed: %u lines", seed, needed, lines);
        }
}

/* A level before keeps one line in many for long: it is not counted with those of this one. */
static void kept_before(void **state)
{
    (void)state;
    enum { WAYS = 8, NEEDED = 9 };
    static const unsigned seeds[] = {1, 5,
                                     21}; /* at which nine or ten were counted before it was asked if they fill it */
    for (unsigned i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        struct description description = first(FIRST, FIRST_WAYS, "QLRU_H11_MR31_R1_U2");
        add(&description, SETS, WAYS, "RANDOMl");
        unsigned lines = kept_of(&description, seeds[i], (struct asked){NEEDED, 3 * NEEDED, .sharp = false}, NULL);
        if (lines && lines != WAYS)
            fail_msg("seed %u: %u lines", seeds[i], lines);
    }
}

/* Where a line may take any way, and there are hardly more lines than ways, the last ways are still empty after many
 * laps, and fewer lines are kept than there are ways: that is no number of ways, either. */
static void hardly_more_lines_than_ways(void **state)
{
    (void)state;
    enum { WAYS = 20, TIMES = 4, MOST = WAYS + 1 };
    for (unsigned lines = WAYS - 1; lines <= MOST; lines++)
        for (unsigned seed = 1; seed <= TIMES; seed++) {
            struct description description = first(FIRST, FIRST_WAYS, "LRU");
            add(&description, SETS, WAYS, "RANDOM");
            unsigned kept = kept_of(&description, seed, (struct asked){10, lines, .alone = 32}, NULL);
            if (kept && kept != WAYS)
                fail_msg("of %u lines, seed %u: %u", lines, seed, kept);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_a_slow_clock), cmocka_unit_test(by_lot),
                                       cmocka_unit_test(before_a_set_is_full),
                                       cmocka_unit_test(hardly_more_lines_than_ways), cmocka_unit_test(kept_before)};
    return cmocka_run_group_tests(tests, fresh, done);
}
