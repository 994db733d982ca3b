// SPDX-License-Identifier: BSD-2-Clause
/* test_behind.c: curves of loads that miss a level behind the first, on modelled hierarchies of LRU, of which it is
 * known how sets are chosen: all loads of a single set hit, or none does. */
#include "probes/behind.h"
#include "probes/rate.h"
#include "tests/silicon/process/process.h"
#include "tests/unit/notebook_bench.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/skipping_host.h"

enum { UNIT = 64, HIT = 4, SECOND = 14, MEMORY = 220, SMALL = 1 << 20, LARGE = 16 << 20, EVEN = 0x35e };

/* Two levels, and what is known of them. */
struct both {
    struct description description;
    unsigned near_sets, near_ways, sets, ways, line; /* line: bytes of the second level */
    uint64_t bytes;                                  /* of the region of all lines */
    enum inclusion inclusion;
    /* after: */
    bool good, same_seed;
    unsigned left; /* lines of the region that are in a cache */
};

static struct description described(const struct both *both)
{
    struct description description;
    description_plain(&description, (uint64_t)both->near_sets * both->near_ways * UNIT, both->near_ways, UNIT, HIT,
                      MEMORY);
    struct cache_description *second = &description.cache[description.caches++];
    *second = description.cache[0];
    snprintf(second->name, sizeof second->name, "l2");
    second->level = 2;
    second->holds = HOLDS_BOTH;
    second->line = second->sector = both->line;
    second->size = (uint64_t)both->sets * both->ways * both->line;
    second->latency = SECOND;
    second->shape.ways = both->ways;
    second->shape.index.sets = both->sets;
    second->inclusion = both->inclusion;
    return description;
}

/* Loads all lines of a region once and counts those that do not come from memory. */
static unsigned count_left(struct machine *machine, const struct region *region)
{
    struct kin all = kin_modulo(region, 1);
    unsigned left = 0;
    for (uint64_t i = 0; i < region_lines(region); i++) {
        uint64_t va = region_address(region, kin_draw(&all, region, EVEN, 1, i));
        struct visit visits[] = {
            {.op = OP_FENCE}, {.op = OP_LOAD, .va = va, .lap = 1}, {.op = OP_FLUSH_LINE, .va = va}};
        struct reading lap[MAX_LAPS];
        assert_true(machine_script(machine, visits, 3, lap));
        left += lap[1].ticks < MEMORY;
    }
    return left;
}

/* The curves of a hierarchy, with the region at the beginning of its memory. */
static void note(struct both *both, struct notebook *notebook)
{
    struct stretch stretch;
    const char *why = "";
    both->description = described(both);
    struct machine *machine = process_open(NULL, &both->description, 1, NULL, &why);
    if (!machine)
        fail_msg("%s", why);
    memset(notebook, 0, sizeof *notebook);
    assert_true(stretch_best(machine, UINT64_MAX, both->bytes, both->bytes, &stretch));
    struct bench bench = bench_open(machine, 1);
    struct region region = region_in(&stretch, UNIT, both->bytes);
    assert_int_equal(region.size, both->bytes);
    struct kin near = kin_modulo(&region, both->near_sets);
    struct kin kin = kin_modulo(&region, (uint64_t)both->sets * (both->line / UNIT));
    for (unsigned bit = 1; both->near_sets == 1 && bit < both->line / UNIT; bit *= 2)
        gf2_add(&kin.space, bit); /* nobody tells the units of a line apart */
    if (both->near_sets == 1)
        kin = kin_by(&region, &kin.space, 1);
    struct behind behind = {2, both->ways, both->near_ways, both->line, &near, &kin, EVEN, EVEN + 1};
    uint64_t seed = bench.seed;
    both->good = behind_note(&bench, &region, &behind, notebook);
    both->same_seed = bench.seed == seed;
    if (both->good && both->bytes <= SMALL)
        both->left = count_left(machine, &region);
    machine_close(machine);
}

/* The point of a curve of the second level at x. */
static const struct point *point_at(const struct notebook *notebook, const char *what, double x)
{
    for (unsigned i = 0; i < notebook->series_count; i++) {
        const struct series *series = &notebook->series[i];
        for (unsigned j = 0; strcmp(series->id + strlen("penalty.l2."), what) == 0 && j < series->count; j++)
            if (notebook->point[series->first + j].x == x)
                return &notebook->point[series->first + j];
    }
    return NULL;
}

/* Its middle; less than 0: it is not there. */
static double at(const struct notebook *notebook, const char *what, double x)
{
    const struct point *point = point_at(notebook, what, x);
    return point ? point->middle : -1;
}

static void assert_at(const struct notebook *notebook, const char *what, double x, double expected)
{
    double value = at(notebook, what, x);
    if (value < 0.95 * expected || value > 1.05 * expected)
        fail_msg("%s at %g: %g, not about %g", what, x, value, expected);
}

static struct both plain(void)
{
    return (struct both){.near_sets = 64,
                         .near_ways = 4,
                         .sets = 512,
                         .ways = 8,
                         .line = 64,
                         .bytes = LARGE,
                         .inclusion = INCLUSION_NEITHER};
}

/* All loads of one set hit the first level, the second, or neither. */
static void single_sets(void **state)
{
    struct both both = plain();
    note(&both, *state);
    assert_true(both.good && both.same_seed);
    static const char *const sets[] = {"even", "odd"};
    for (unsigned i = 0; i < 2; i++) {
        assert_at(*state, sets[i], 1, HIT);
        assert_at(*state, sets[i], 7, SECOND);
        assert_at(*state, sets[i], 8, SECOND);
        assert_at(*state, sets[i], 9, MEMORY);
        assert_at(*state, sets[i], 12, MEMORY);
        assert_at(*state, sets[i], 46, MEMORY);
        assert_true(at(*state, sets[i], 49) < 0);
    }
    assert_at(*state, "dirty", 8, SECOND + 1);
    assert_at(*state, "dirty", 9, MEMORY + 1);
    assert_int_equal(((struct notebook *)*state)->series_count, 7);
}

/* How many points there are is the finding. */
static void points_are_counted(void **state)
{
    struct notebook *notebook = *state;
    struct both both = plain();
    note(&both, notebook);
    const struct finding *sizes = noted(notebook, "penalty.l2.sizes");
    assert_true(sizes && sizes->measured && sizes->cost > 1000);
    assert_int_equal(sizes->value, notebook->points);
    assert_int_equal(notebook->dropped, 0);
}

/* Lines that others pushed into the second level fit beside those of the first where it is exclusive. */
static void exclusive_levels_hold_more(void **state)
{
    struct both both = plain();
    both.inclusion = INCLUSION_EXCLUSIVE;
    note(&both, *state);
    assert_at(*state, "even", 9, SECOND);
    assert_at(*state, "even", 12, SECOND);
    assert_at(*state, "even", 13, MEMORY);
    assert_at(*state, "random", 23, MEMORY);
}

/* Random sets: the first level hits nothing from one line a set on, since sets are chosen among lines of one of its. */
static void random_sets(void **state)
{
    struct both both = plain();
    both.near_sets = 16;
    both.near_ways = 2;
    note(&both, *state);
    assert_at(*state, "random", 1, SECOND);
    assert_in_range((int)at(*state, "random", 8), SECOND + 5, MEMORY - 50);
    const struct point *point = point_at(*state, "random", 8); /* each batch is another choice of lines */
    assert_true(point->low < point->middle && point->middle < point->high);
    assert_at(*state, "random", 20, MEMORY);
    assert_true(at(*state, "random", 21) < 0);
}

/* Sets of which few are among lines of one set of the first level differ, too: half as many lines a set as it has ways
 * hardly overflow any. */
static void random_sets_differ(void **state)
{
    struct both both = plain();
    both.near_sets = 16;
    both.near_ways = 2;
    both.sets = 64;
    note(&both, *state);
    assert_in_range((int)at(*state, "random", 4), SECOND - 2, MEMORY / 3);
    assert_at(*state, "random", 20, MEMORY);
}

/* Pages as they come: eight colours, of which a set is one; and a set that is all of them. */
static void pages_as_they_come(void **state)
{
    struct both both = plain();
    note(&both, *state);
    assert_in_range((int)at(*state, "pages", 9), SECOND - 1, MEMORY / 4);
    assert_in_range((int)at(*state, "pages", 28), SECOND - 1, MEMORY / 2);
    assert_at(*state, "pages", 4, HIT);
    both.sets = 64;
    note(&both, *state);
    assert_at(*state, "pages", 8, SECOND);
    assert_at(*state, "pages", 9, MEMORY);
}

/* Words of the level's own line, and no others; no line of it comes twice as two units of it. */
static void offsets_of_long_lines(void **state)
{
    struct both both = plain();
    both.line = 128;
    both.sets = 256;
    note(&both, *state);
    assert_at(*state, "even", 8, SECOND);
    assert_at(*state, "even", 9, MEMORY);
    for (unsigned offset = 0; offset < 128; offset += 8) {
        assert_at(*state, "offset", offset, MEMORY);
        assert_at(*state, "offset_random", offset, MEMORY);
    }
    assert_true(at(*state, "offset", 128) < 0);
    both = plain();
    note(&both, *state);
    assert_at(*state, "offset", 56, MEMORY);
    assert_true(at(*state, "offset", 64) < 0);
}

/* Where the first level does not tell the units of a line apart either, each line comes once all the same. */
static void long_lines_come_once(void **state)
{
    struct both both = plain();
    both.line = 128;
    both.sets = 256;
    both.near_sets = 1;
    both.bytes = 512 << 10;
    note(&both, *state);
    assert_at(*state, "even", 8, SECOND);
    assert_at(*state, "even", 9, MEMORY);
    assert_true(at(*state, "even", 16) > 0 && at(*state, "even", 17) < 0);
}

/* What comes after finds the set as it was. */
static void sets_are_left_empty(void **state)
{
    struct both both = plain();
    both.bytes = SMALL;
    note(&both, *state);
    assert_int_equal(both.left, 0);
    both.inclusion = INCLUSION_EXCLUSIVE;
    note(&both, *state);
    assert_int_equal(both.left, 0);
}

/* Memory for a few lines of a set only: a curve ends where they do. */
static void few_lines(void **state)
{
    struct both both = plain();
    both.bytes = 512 << 10;
    note(&both, *state);
    assert_true(both.good);
    assert_at(*state, "even", 8, SECOND);
    assert_at(*state, "even", 9, MEMORY);
    assert_true(at(*state, "even", 16) > 0 && at(*state, "even", 17) < 0);
}

/* Whenever it comes. */
static void skipping_is_obeyed(void **state)
{
    bool skipped = true;
    unsigned rests = 0;
    for (; skipped && rests < 1000; rests = 2 * rests + 1) {
        struct both both = plain();
        rests_left = rests;
        note(&both, *state);
        skipped = !both.good;
        if (skipped)
            assert_string_equal(noted(*state, "penalty.l2.sizes")->why, "skipped");
    }
    rests_left = UINT_MAX;
    assert_in_range(rests, 2, 999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_sets),
        cmocka_unit_test(points_are_counted),
        cmocka_unit_test(random_sets),
        cmocka_unit_test(random_sets_differ),
        cmocka_unit_test(exclusive_levels_hold_more),
        cmocka_unit_test(pages_as_they_come),
        cmocka_unit_test(offsets_of_long_lines),
        cmocka_unit_test(sets_are_left_empty),
        cmocka_unit_test(few_lines),
        cmocka_unit_test(long_lines_come_once),
        cmocka_unit_test(skipping_is_obeyed),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
