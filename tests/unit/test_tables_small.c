// SPDX-License-Identifier: BSD-2-Clause
/* test_tables_small.c: the probe of walks of the page tables where first levels are small: they draw lots, have few
 * sets or few ways, or predict ways, and what is timed pushes out what else is. And what else is in the way:
 * prefetchers that have no switch, and rows of memory. */
#include "tests/unit/tables_bench.h"

/* Of 32-byte lines: entries lie in few sets of it. */
static void small_first_level(struct description *description, unsigned sets, unsigned ways)
{
    for (unsigned i = 0; i < description->caches; i++) {
        description->cache[i].line = description->cache[i].sector = 32;
        description->cache[i].shape.index.sets *= 2;
    }
    shape_cache(description, 0, sets, ways);
}

/* With the first level only. */
static void expect_of_one(struct notebook *notebook, struct description *description)
{
    description->caches = 1;
    expect(notebook, description, 1, OVERHEAD + HIT, ABSENT, ABSENT, OVERHEAD + MEMORY);
}

/* With two levels of cache only. */
static void expect_of_two(struct notebook *notebook, struct description *description, int level)
{
    description->caches = 2;
    expect(notebook, description, level, level == 1 ? OVERHEAD + HIT : ABSENT, OVERHEAD + NEXT, ABSENT,
           OVERHEAD + MEMORY);
}

/* Half of the entries are pushed out by the others, before they are walked to. */
static void half_stay(void **state)
{
    struct description description = machine_with();
    small_first_level(&description, 16, 8);
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* A clock whose step is longer than what walks to two pages take, which are all that has room. */
static void long_steps(void **state)
{
    struct description description = machine_with();
    small_first_level(&description, 16, 8);
    description.clock.step = 50;
    description.caches = 1;
    expect_in_some_of(5, 1, *state, &description, (struct walks){1, OVERHEAD + HIT, ABSENT, ABSENT, OVERHEAD + MEMORY});
}

/* Loads of entries say where walks left them: what opens their row of memory is in no set of theirs. */
static void row_of_entries(void **state)
{
    struct description description = machine_with();
    struct notebook *notebook = *state;
    small_first_level(&description, 16, 8);
    assert_true(policy_parse(&description.cache[0].shape.policy, "RANDOM"));
    expect(notebook, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
    assert_true(noted(notebook, "walk.4k.l2")->confidence > 0.95);
}

/* So they do in one way, and loads of lines that were flushed find their rows open: no TLB was flushed, so that nothing
 * is translated before them. */
static void one_way(void **state)
{
    struct description description = machine_with();
    struct notebook *notebook = *state;
    shape_cache(&description, 0, 128, 1);
    description.memory.row_miss = 60;
    description.memory.row = 2048;
    description.memory.banks = 16;
    expect_of_one(notebook, &description);
    assert_true(noted(notebook, "walk.4k.l1")->confidence > 0.95);
}

/* One that draws lots does not keep all that comes once. */
static void lots_are_drawn(void **state)
{
    struct description description = machine_with();
    small_first_level(&description, 64, 4);
    assert_true(policy_parse(&description.cache[0].shape.policy, "RANDOM"));
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* Where four sets have to hold all of it, it keeps neither all entries nor all pages' lines of ten: it has room for
 * two.
 */
static void room_for_two(void **state)
{
    static const unsigned ways[] = {6, 8, 10};
    for (unsigned i = 0; i < 3; i++) {
        struct description description = machine_with();
        long_lines(&description);
        shape_cache(&description, 0, 4, ways[i]);
        assert_true(policy_parse(&description.cache[0].shape.policy, "RANDOM"));
        expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
    }
}

/* The same where the walker looks in the second level first: what pages' lines take longer is the same wherever the
 * entries are, and ten seem to say that walks do. */
static void pages_are_lost(void **state)
{
    struct description description = machine_with();
    long_lines(&description);
    shape_cache(&description, 0, 4, 8);
    assert_true(policy_parse(&description.cache[0].shape.policy, "RANDOM"));
    description.walker.from_level = 2;
    expect(*state, &description, 2, ABSENT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* Ways by Zen's folds. */
static void fold_as_zen(struct description *description, unsigned slow)
{
    static const unsigned char partner[] = {27, 26, 25, 20, 21, 22, 23, 24};
    struct cache_description *first = &description->cache[0];
    predict_ways(first, slow);
    for (unsigned i = 0; i < first->folds; i++)
        first->fold[i] = (uint64_t)1 << (12 + i) | (uint64_t)1 << partner[i];
}

/* Three ways: one entry of ten finds those of the upper tables in its set. By other addresses than walkers have, loads
 * of all entries take what the second level does. */
static void upper_entries_in_the_way(void **state)
{
    struct description description = machine_with();
    long_lines(&description);
    shape_cache(&description, 0, 16, 3);
    fold_as_zen(&description, NEXT);
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* Two pages, whose entries lie in one row of memory, which is open: or a walk would seem to take less than a load. */
static void rows_are_open(void **state)
{
    struct description description = machine_with();
    long_lines(&description);
    shape_cache(&description, 0, 16, 3);
    description.memory.row_miss = 60;
    description.memory.row = 2048;
    description.memory.banks = 16;
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* Where a miss brings the next line along, those behind the controls push pages' lines out: so walks are not timed
 * right after loads of them. */
static void lines_behind_controls(void **state)
{
    struct description description = machine_with();
    for (unsigned i = 0; i < description.caches; i++)
        description.cache[i].line = description.cache[i].sector = 128;
    shape_cache(&description, 0, 8, 4);
    shape_cache(&description, 1, 16, 24);
    description.walker.from_level = 2;
    description.prefetcher[description.prefetchers++] = (struct prefetcher_description){
        .kind = PREFETCH_NEXT_LINE, .watches = 1, .into = 1, .misses_only = true, .ahead = 1};
    expect_of_two(*state, &description, 2);
}

/* No page is slow for another's sake. */
static void ways_are_predicted(void **state)
{
    struct description description = machine_with();
    small_first_level(&description, 16, 14);
    fold_as_zen(&description, HIT + 9);
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* Loads of the entries, by other addresses than a walker has, take what the second level does, and nobody has visits
 * for sweeps: what is flushed says it alone, and is doubted. */
static void slow_for_loads(void **state)
{
    struct description description = machine_with();
    struct notebook *notebook = *state;
    fold_as_zen(&description, NEXT);
    run_without_sweeps(notebook, &description);
    assert_cost(notebook, "walker.cached_in", 1);
    assert_cost(notebook, "walk.4k.l1", OVERHEAD + HIT);
    assert_true(noted(notebook, "walker.cached_in")->confidence < 0.9);
}

/* All four entries are loaded, and two ways hold them: none of them is in the set of another. */
static void nothing_kept_in_two_ways(void **state)
{
    struct description description = machine_with();
    unsigned more = OVERHEAD + UPPER * HIT;
    description.pscs = 0;
    shape_cache(&description, 0, 64, 2);
    assert_true(policy_parse(&description.cache[0].shape.policy, "FIFO"));
    expect(*state, &description, 1, (int)more + HIT, (int)more + NEXT, (int)more + THIRD, (int)more + MEMORY);
}

/* Twice 53 sets of one way: an entry has its set with one of an upper table, which is loaded again by every walk. What
 * the nearest walks take, others do not say. */
static void beside_upper_entries(void **state)
{
    struct description description = machine_with();
    shape_cache(&description, 0, 106, 1);
    description.caches = 1;
    expect(*state, &description, 1, ABSENT, ABSENT, ABSENT, OVERHEAD + MEMORY);
    assert_string_equal(noted(*state, "walk.4k.l1")->why, "some of the entries lay elsewhere");
}

/* One way, and sets by bits of virtual addresses above those of a page. */
static void one_way_by_virtual_addresses(void **state)
{
    struct description description = machine_with();
    shape_cache(&description, 0, 256, 1);
    description.cache[0].virtual_index = true;
    expect_of_two(*state, &description, 1);
}

/* A prefetcher of streams that has no switch: three loads of a page in one direction would bring what is timed. */
static void streams_are_brought(void **state)
{
    struct description description = machine_with();
    description.walker.from_level = 2;
    description.prefetcher[description.prefetchers++] = (struct prefetcher_description){
        .kind = PREFETCH_STREAM, .watches = 2, .into = 2, .trackers = 64, .train = 3, .ahead = 5};
    expect_in_some_of(3, 3, *state, &description,
                      (struct walks){2, ABSENT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY});
}

/* One that needs two loads only, in any direction: what is flushed says nothing, and sweeps do if loads of the entries
 * say which of these left all of them there. */
static void streams_of_two(void **state)
{
    struct description description = machine_with();
    shape_cache(&description, 0, 64, 4);
    shape_cache(&description, 1, 48, 16);
    assert_true(policy_parse(&description.cache[0].shape.policy, "QLRU_H11_M1_R0_U0"));
    description.prefetcher[description.prefetchers++] = (struct prefetcher_description){
        .kind = PREFETCH_STREAM, .watches = 2, .into = 2, .trackers = 32, .train = 2, .ahead = 6};
    expect_of_two(*state, &description, 1);
}

/* A refresh closes rows of memory now and then: seldom between what opens them and what is timed. */
static void rows_are_closed(void **state)
{
    struct description description = machine_with();
    description.memory.row_miss = 60;
    description.memory.row = 2048;
    description.memory.banks = 16;
    description.memory.refresh_period = 30000;
    description.memory.refresh_length = 1000;
    description.flush_tlb = 600;
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* One of three laps of ten loads meets a refresh, and one of fifteen laps of two: by a clock of long steps, which takes
 * many laps, ten do not tell what memory takes. */
static void refreshes_are_met(void **state)
{
    struct description description = machine_with();
    description.clock.step = 25;
    description.walker.from_level = 2;
    description.memory.refresh_period = 8000;
    description.memory.refresh_length = 600;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        run_tables(*state, &description, seed);
        assert_cost(*state, "walk.4k.mem", OVERHEAD + MEMORY);
    }
    expect(*state, &description, 2, ABSENT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_stay),
        cmocka_unit_test(long_steps),
        cmocka_unit_test(row_of_entries),
        cmocka_unit_test(one_way),
        cmocka_unit_test(lots_are_drawn),
        cmocka_unit_test(room_for_two),
        cmocka_unit_test(pages_are_lost),
        cmocka_unit_test(upper_entries_in_the_way),
        cmocka_unit_test(rows_are_open),
        cmocka_unit_test(lines_behind_controls),
        cmocka_unit_test(ways_are_predicted),
        cmocka_unit_test(slow_for_loads),
        cmocka_unit_test(nothing_kept_in_two_ways),
        cmocka_unit_test(beside_upper_entries),
        cmocka_unit_test(one_way_by_virtual_addresses),
        cmocka_unit_test(streams_are_brought),
        cmocka_unit_test(streams_of_two),
        cmocka_unit_test(rows_are_closed),
        cmocka_unit_test(refreshes_are_met),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
