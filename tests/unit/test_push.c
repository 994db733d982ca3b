// SPDX-License-Identifier: BSD-2-Clause
/* test_push.c: whether a line is still in a level, by clocks whose steps are longer than what there is to tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "probes/pool.h"
#include "probes/rate.h"
#include "tests/unit/found_caches.h"
#include "tests/unit/modelled_tlb.h"
#include "tests/unit/resting_host.h"

enum { SETS = 64, WAYS = 4, ASKED = 24 };

/* So many lines of the target's set, which stays in the first level as long as they are fewer than its ways. */
static struct scene row(const struct push *push, unsigned lines)
{
    struct scene scene = {.target = region_lines(&push->region) / 2 + SETS - 1};
    for (unsigned i = 0; i < lines; i++)
        scene.line[scene.lines++] = scene.target + SETS * (5 * i + 1);
    return scene;
}

/* A machine, and a push of its first level that is calibrated for what comes next and behind that. */
struct opened {
    struct machine *machine;
    struct bench bench;
    struct stretch stretch;
    struct push push;
};

static void open_push(struct opened *opened, const struct description *description, unsigned seed, double slowest,
                      double near, double far)
{
    const char *why = "";
    struct rate rate;
    opened->machine = process_open(NULL, description, seed, NULL, &why);
    assert_non_null(opened->machine);
    opened->bench = bench_open(opened->machine, seed);
    assert_true(stretch_best(opened->machine, UINT64_MAX, 4 << 20, 4 << 20, &opened->stretch) &&
                rate_measure(&opened->bench, &rate));
    opened->push = (struct push){.bench = &opened->bench,
                                 .region = region_in(&opened->stretch, 64, 4 << 20),
                                 .laps = 1,
                                 .most = UINT64_MAX,
                                 .slowest = slowest};
    assert_true(push_calibrate(&opened->push, latencies[0], near, far, 0));
}

static void close_push(struct opened *opened)
{
    stretch_unmap(opened->machine, &opened->stretch);
    machine_close(opened->machine);
}

/* Asks surely of a target that stays, and of one that goes after rows of many lengths. Votes that are right only in the
 * mean of many must not be cut short, and the middle must be known from as many. */
static void clocks_in_steps(void **state)
{
    (void)state;
    for (unsigned step = 20; step <= 45; step++) {
        struct description description = first(SETS, WAYS, "LRU");
        struct opened opened;
        add(&description, 256, 8, "LRU");
        description.clock.step = step;
        open_push(&opened, &description, step, 0, latencies[0], latencies[1]);
        struct push *push = &opened.push;
        struct scene stays = row(push, WAYS - 1);
        for (unsigned i = 0; i < ASKED; i++) {
            struct scene goes = row(push, 2 * WAYS + i);
            bool clear;
            if (push_out(push, &stays, VOTES_CHECK, &clear) || !clear)
                fail_msg("steps of %u: it seems to go, %u", step, i);
            if (!push_out(push, &goes, VOTES_CHECK, &clear) || !clear)
                fail_msg("steps of %u: it seems to stay, %u", step, i);
        }
        close_push(&opened);
    }
}

/* The first lines of a scene's pool that are as many of the target's set as it has ways. */
static uint64_t true_straw(const struct push *push, const struct scene *scene)
{
    unsigned of_set = 0;
    for (uint64_t i = 0; i < scene->pool.count; i++) {
        uint64_t line = push_pooled(push, scene, i);
        of_set += line != scene->target && line % SETS == scene->target % SETS;
        if (of_set == WAYS)
            return i + 1;
    }
    return 0;
}

/* The last straw among lines of all sets, by a clock whose step is four times what there is to tell. To be sure of each
 * step of a bisection would take some 270 rounds of the mean length; all of it takes little more than two of them. */
static void last_straws(void **state)
{
    (void)state;
    enum { STEP = 40, TRIALS = 12, LINES = 1024, VISITS = 2 * LINES, ROUNDS = 700 };
    struct description description = first(SETS, WAYS, "LRU");
    struct opened opened;
    unsigned right = 0;
    add(&description, 256, 8, "LRU");
    description.clock.step = STEP;
    open_push(&opened, &description, 1, 0, latencies[0], latencies[1]);
    struct push *push = &opened.push;
    struct kin all = kin_modulo(&push->region, 1);
    uint64_t start = machine_steps(opened.machine);
    for (unsigned i = 0; i < TRIALS; i++) {
        struct scene scene = row(push, 0);
        scene.pool = (struct pool){.kin = &all, .seed = i, .count = LINES};
        uint64_t straw = true_straw(push, &scene);
        assert_true(straw > 0);
        right += pool_last_straw(push, &scene, LINES, VOTES_SEARCH) == straw;
    }
    assert_in_range(right, TRIALS - 1, TRIALS);
    assert_in_range(machine_steps(opened.machine) - start, 1, (uint64_t)TRIALS * ROUNDS * VISITS);
    close_push(&opened);
}

/* A load that memory keeps waiting for a refresh is no vote for a target that is gone: of so many readings of one that
 * stays none is. */
static void waits_are_no_votes(void **state)
{
    (void)state;
    enum { READINGS = 2000, MOST_LATE = READINGS / 200 };
    struct description description = first(SETS, WAYS, "LRU");
    struct opened opened;
    unsigned late = 0, waited = 0;
    description.memory.refresh_period = 20000;
    description.memory.refresh_length = 1500;
    /* What is asked is whether memory or something slower has the line, so that each reading is a load from memory. */
    open_push(&opened, &description, 1, MEMORY, MEMORY, 2 * MEMORY);
    struct scene goes = row(&opened.push, 2 * WAYS);
    for (unsigned i = 0; i < READINGS; i++) {
        double vote;
        assert_true(push_round(&opened.push, &goes, i == 0, &vote));
        late += vote > 0;
        waited += vote == 0;
    }
    assert_in_range(late, 0, MOST_LATE + waited / 3);
    assert_in_range(waited, 1, READINGS / 4);
    close_push(&opened);
}

/* A target that goes seldom goes far, if it does not go to the next level then: that draws lots, and takes what it
 * gives up away from the first one. Or it goes from the first one by lot, and the next one has it. */
static void far_as_often_as_it_goes(void **state)
{
    (void)state;
    enum { TIMES = 20, MOSTLY = 15 };
    for (unsigned next = 0; next < 2; next++) {
        struct description description = first(SETS, WAYS, next ? "RANDOM" : "LRU");
        struct opened opened;
        unsigned far = 0;
        add(&description, SETS, WAYS, next ? "LRU" : "RANDOM")->inclusion =
            next ? INCLUSION_NEITHER : INCLUSION_INCLUSIVE;
        open_push(&opened, &description, 1, 0, latencies[0], latencies[1]);
        assert_true(push_calibrate(&opened.push, latencies[0], latencies[0], latencies[1], MEMORY));
        struct scene scene = row(&opened.push, 1);
        for (unsigned i = 0; i < TIMES; i++)
            far += push_far(&opened.push, &scene);
        assert_in_range(far, next ? 0 : MOSTLY, next ? 0 : TIMES);
        close_push(&opened);
    }
}

/* The same by clocks whose steps are longer than what there is to tell: where a step ends just between the next level
 * and what is behind it, most readings of either are on the same side. */
static void far_by_clocks_in_steps(void **state)
{
    (void)state;
    for (unsigned step = 24; step <= 45; step++)
        for (unsigned next = 0; next < 2; next++) {
            struct description description = first(SETS, WAYS, "LRU");
            struct opened opened;
            add(&description, SETS, next ? 2 * WAYS : WAYS, "LRU")->inclusion = INCLUSION_INCLUSIVE;
            add(&description, SETS, 4 * WAYS, "LRU");
            description.clock.step = step;
            open_push(&opened, &description, step, 0, latencies[0], latencies[1]);
            assert_true(push_calibrate(&opened.push, latencies[0], latencies[0], latencies[1], latencies[2]));
            struct scene scene = row(&opened.push, WAYS);
            if (push_far(&opened.push, &scene) != !next)
                fail_msg("steps of %u: it seems to be in the %s level", step, next ? "third" : "second");
            close_push(&opened);
        }
}

/* Translation has no part in what is timed, however many pages the lines before it lie in: a first TLB gives up the
 * page that came first, though it has just been used, for those of the machine itself, which come when a lap begins. */
static void pages_of_the_machine(void **state)
{
    (void)state;
    struct description description = first(SETS, 2 * WAYS, "LRU");
    struct opened opened;
    description.pages = PAGES_SMALL;
    assert_true(policy_parse(&add_tlb_of(&description, HOLDS_DATA, PAGES_SMALL, 1, 1, WAYS, 0)->shape.policy, "FIFO"));
    add_tlb_of(&description, HOLDS_DATA, PAGES_SMALL, 2, 1, 512, 8);
    description.walker = (struct walker_description){.count = 1, .overhead = 20, .from_level = 1};
    open_push(&opened, &description, 1, 0, latencies[0], latencies[1]);
    for (unsigned lines = 0; lines < 2 * WAYS; lines++) {
        struct scene stays = row(&opened.push, lines);
        double mean;
        assert_true(push_mean(&opened.push, &stays, 0.1, &mean));
        if (mean > -0.9)
            fail_msg("behind %u lines a hit is a vote of %.2f", lines, mean);
    }
    close_push(&opened);
}

/* Nor has it in what is taken for a hit where the machine's own pages have all ways of a set of the TLB: there are
 * pages of other sets, too. */
static void full_set_of_a_tlb(void **state)
{
    (void)state;
    enum { TLB_SETS = 128, PAGE_LINES = 64 };
    static const unsigned walks[] = {60, 4};
    for (unsigned walk = 0; walk < 2; walk++) {
        struct description description = first(SETS, 2 * WAYS, "LRU");
        struct opened opened;
        description.pages = PAGES_SMALL;
        add_tlb_of(&description, HOLDS_DATA, PAGES_SMALL, 1, TLB_SETS, 2, 0);
        description.walker = (struct walker_description){.count = 1, .fixed = walks[walk], .from_level = 1};
        open_push(&opened, &description, 1, 0, latencies[0], latencies[1]);
        for (unsigned lines = 0; lines < 4 * WAYS; lines += 4 * WAYS - 1) {
            struct scene scene = row(&opened.push, lines);
            scene.target += PAGE_LINES;
            for (unsigned i = 0; i < lines; i++)
                scene.line[i] += PAGE_LINES;
            double mean, right = lines ? 1 : -1;
            assert_true(push_mean(&opened.push, &scene, 0.1, &mean));
            if (mean * right < 0.9)
                fail_msg("behind %u lines the votes are %.2f", lines, mean);
        }
        for (uint64_t page = 0; page < 2 * TLB_SETS; page++)
            if (push_shows_hit(&opened.push, page * PAGE_LINES + PAGE_LINES / 2) != (page % TLB_SETS != 0))
                fail_msg("walks of %u cycles, page %u", walks[walk], (unsigned)page);
        close_push(&opened);
    }
}

/* What is timed to calibrate is in no cache afterwards: lines that stay there would take ways of other sets. */
static void nothing_stays(void **state)
{
    (void)state;
    struct description description = first(SETS, 2 * WAYS, "LRU");
    struct opened opened;
    add(&description, 16 * SETS, 4 * WAYS, "LRU");
    open_push(&opened, &description, 1, 0, latencies[0], latencies[1]);
    for (uint64_t line = 0; line < region_lines(&opened.push.region); line++) {
        struct visit visit = {.op = OP_LOAD, .lap = 1, .va = region_address(&opened.push.region, line)};
        struct reading lap[MAX_LAPS];
        assert_true(bench_script(&opened.bench, &visit, 1, lap));
        if (lap[1].ticks < MEMORY)
            fail_msg("line %u: %u ticks", (unsigned)line, (unsigned)lap[1].ticks);
    }
    close_push(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_in_steps),        cmocka_unit_test(last_straws),
        cmocka_unit_test(waits_are_no_votes),     cmocka_unit_test(far_as_often_as_it_goes),
        cmocka_unit_test(far_by_clocks_in_steps), cmocka_unit_test(pages_of_the_machine),
        cmocka_unit_test(full_set_of_a_tlb),      cmocka_unit_test(nothing_stays)};
    return cmocka_run_group_tests(tests, fresh, done);
}
