// SPDX-License-Identifier: BSD-2-Clause
/* test_tables.c: the probe of walks of the page tables against modelled ones whose costs are worked out by hand:
 * walkers that look in the first level of cache and in the second, with and without a page-structure cache; a clock
 * that moves in steps, long lines, a first level of one way, or of few sets; and what cannot be measured: walks by
 * software, no TLB, no latencies. */
#include "tests/unit/tables_bench.h"

static void through_the_first_level(void **state)
{
    struct description description = machine_with();
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* By a clock that moves by half of what a lap takes. */
static void through_the_second_level(void **state)
{
    struct description description = machine_with();
    description.walker.from_level = 2;
    description.clock.step = 50;
    expect(*state, &description, 2, ABSENT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* All four entries are loaded, and three of them hit. */
static void nothing_kept(void **state)
{
    struct description description = machine_with();
    unsigned more = OVERHEAD + UPPER * HIT;
    description.pscs = 0;
    expect(*state, &description, 1, (int)more + HIT, (int)more + NEXT, (int)more + THIRD, (int)more + MEMORY);
}

/* Lines of 128 bytes, one way, and a first level of TLB that has no large pages. */
static void few_ways_and_long_lines(void **state)
{
    struct description description = machine_with();
    for (unsigned i = 0; i < description.caches; i++) {
        description.cache[i].line = description.cache[i].sector = 128;
        description.cache[i].shape.index.sets /= 2;
    }
    description.cache[0].shape.ways = 1;
    description.cache[0].shape.index.sets *= 8;
    description.tlb[0].pages = PAGES_SMALL;
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* So many bits choose a set, each with one of those above them. */
static void hash_sets(struct cache_description *cache, unsigned bits)
{
    struct index *index = &cache->shape.index;
    index->kind = INDEX_XOR;
    index->bits = bits;
    for (unsigned i = 0; i < bits; i++)
        index->mask[i] = (uint64_t)1 << i | (uint64_t)1 << (i + bits);
}

/* A hash spreads over all sets of the second level lines that lie in few sets of the third: these fill the third one
 * first. All lines of as many frames do not. */
static void sets_by_a_hash(void **state)
{
    struct description description = machine_with();
    hash_sets(&description.cache[1], 9);
    shape_cache(&description, 2, 1024, 8);
    description.cache[2].inclusion = INCLUSION_INCLUSIVE;
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* Of ten entries, four lie two by two in a set: what leaves the others in a level pushes these out of it. */
static void two_in_a_set(void **state)
{
    struct description description = machine_with();
    long_lines(&description);
    shape_cache(&description, 0, 16, 6);
    shape_cache(&description, 1, 16, 14);
    shape_cache(&description, 2, 16, 24);
    description.cache[2].inclusion = INCLUSION_INCLUSIVE;
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* A second level of two ways: entries, and others in their sets, leave no room for what pushes them out of the first.
 */
static void two_ways(void **state)
{
    struct description description = machine_with();
    shape_cache(&description, 0, 64, 4);
    shape_cache(&description, 1, 256, 2);
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* Five times 128 sets of the second level: controls lie in others than entries, which stay there as those are pushed
 * out. */
static void controls_elsewhere(void **state)
{
    struct description description = machine_with();
    description.walker.from_level = 2;
    shape_cache(&description, 1, 640, 2);
    expect(*state, &description, 2, ABSENT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* Sweeps that leave all controls in the third level leave an entry in the second: each of them is asked. */
static void one_stays(void **state)
{
    struct description description = machine_with();
    shape_cache(&description, 0, 16, 8);
    shape_cache(&description, 1, 32, 17);
    shape_cache(&description, 2, 128, 16);
    assert_true(policy_parse(&description.cache[1].shape.policy, "NRU"));
    assert_true(policy_parse(&description.cache[2].shape.policy, "PLRU"));
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* A sweep that leaves entries there for loads need not do so for walks, or not every time: others are tried. */
static void one_more_sweep(void **state)
{
    struct description description = machine_with();
    shape_cache(&description, 0, 64, 4);
    shape_cache(&description, 1, 128, 8);
    shape_cache(&description, 2, 256, 5);
    hash_sets(&description.cache[2], 8);
    assert_true(policy_parse(&description.cache[1].shape.policy, "QLRU_H11_M1_R0_U0"));
    assert_true(policy_parse(&description.cache[2].shape.policy, "RANDOM"));
    expect_in_some_of(6, 1, *state, &description,
                      (struct walks){1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY});
}

/* Two levels by hashes, the second one not LRU: what a sweep leaves in the third one varies, and a sweep of which less
 * does is looked for. */
static void sweeps_that_vary(void **state)
{
    struct description description = machine_with();
    long_lines(&description);
    shape_cache(&description, 0, 64, 8);
    for (unsigned i = 1; i < 3; i++) {
        shape_cache(&description, i, 64U << i, 14);
        hash_sets(&description.cache[i], 6 + i);
        description.cache[i].inclusion = INCLUSION_INCLUSIVE;
    }
    assert_true(policy_parse(&description.cache[1].shape.policy, "QLRU_H00_M1_R2_U1"));
    expect_in_some_of(4, 4, *state, &description,
                      (struct walks){1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY});
}

/* Where other probes have made all visits, or need them yet, nothing is swept out, and what is missing says why. */
static void others_visits(void **state)
{
    struct description description = machine_with();
    struct notebook *notebook = *state;
    run_without_sweeps(notebook, &description);
    assert_cost(notebook, "walk.4k.l1", OVERHEAD + HIT);
    assert_false(noted(notebook, "walk.4k.l3")->measured);
    assert_non_null(strstr(noted(notebook, "walk.4k.l3")->why, "too many accesses"));
}

/* Two levels that draw lots never leave all entries in one of them, and by this clock none is seen alone: what some
 * that lie elsewhere take more or less is taken off, and what is left is doubted. */
static void some_elsewhere(void **state)
{
    struct description description = machine_with();
    struct notebook *notebook = *state;
    description.clock.step = 46;
    add_cache(&description, 2048 * KB, 2 * THIRD);
    shape_cache(&description, 1, 64, 8);
    shape_cache(&description, 2, 64, 16);
    for (unsigned i = 1; i < 3; i++)
        assert_true(policy_parse(&description.cache[i].shape.policy, "RANDOM"));
    memset(notebook, 0, sizeof *notebook);
    note_latencies(notebook, 3);
    run_probe(probe_tables, &description, notebook);
    const struct finding *third = noted(notebook, "walk.4k.l3");
    assert_true(third->measured && third->confidence < 0.9);
    assert_true(third->value > OVERHEAD + THIRD - 1 && third->value < OVERHEAD + THIRD + 1);
}

/* 11 times 16 sets, chosen by virtual addresses: loads of the entries, by others than walkers have, find them in
 * another set, and say nothing. */
static void sets_by_the_rest(void **state)
{
    struct description description = machine_with();
    shape_cache(&description, 0, 176, 8);
    description.cache[0].virtual_index = true;
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

static void by_software(void **state)
{
    struct description description = machine_with();
    description.walker.fixed = 60;
    expect(*state, &description, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT);
}

static void no_tlb(void **state)
{
    struct description description = machine_with();
    description.tlbs = description.pscs = 0;
    expect(*state, &description, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT);
}

static void latencies_not_known(void **state)
{
    struct description description = machine_with();
    struct notebook *notebook = *state;
    memset(notebook, 0, sizeof *notebook);
    run_probe(probe_tables, &description, notebook);
    assert_cost(notebook, "walker.cached_in", ABSENT);
    assert_string_equal(noted(notebook, "walk.4k.l1")->why, "needs what the probe latency finds");
}

/* The walker looks first in a level of which nothing is known: in none of those that are. What memory costs is known.
 */
static void levels_not_known(void **state)
{
    struct description description = machine_with();
    struct notebook *notebook = *state;
    description.walker.from_level = 2;
    memset(notebook, 0, sizeof *notebook);
    note_value(notebook, "l1d.latency", HIT, "cycles", 0.999, 0, "");
    note_value(notebook, "mem.latency", MEMORY, "cycles", 0.999, 0, "");
    run_probe(probe_tables, &description, notebook);
    assert_cost(notebook, "walker.cached_in", ABSENT);
    assert_string_equal(noted(notebook, "walker.cached_in")->why,
                        "the walker's loads are as slow as those of no level that is known");
    assert_cost(notebook, "walk.4k.mem", OVERHEAD + MEMORY);
}

static void skipped(void **state)
{
    struct description description = machine_with();
    description.clock.step = 200; /* then it takes long */
    memset(*state, 0, sizeof(struct notebook));
    note_latencies(*state, 3);
    assert_skips(probe_tables, &description, *state, 0, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(through_the_first_level),
        cmocka_unit_test(through_the_second_level),
        cmocka_unit_test(nothing_kept),
        cmocka_unit_test(few_ways_and_long_lines),
        cmocka_unit_test(sets_by_a_hash),
        cmocka_unit_test(two_in_a_set),
        cmocka_unit_test(two_ways),
        cmocka_unit_test(controls_elsewhere),
        cmocka_unit_test(one_stays),
        cmocka_unit_test(one_more_sweep),
        cmocka_unit_test(sweeps_that_vary),
        cmocka_unit_test(others_visits),
        cmocka_unit_test(some_elsewhere),
        cmocka_unit_test(sets_by_the_rest),
        cmocka_unit_test(by_software),
        cmocka_unit_test(no_tlb),
        cmocka_unit_test(latencies_not_known),
        cmocka_unit_test(levels_not_known),
        cmocka_unit_test(skipped),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
