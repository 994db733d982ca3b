// SPDX-License-Identifier: BSD-2-Clause
/* test_tables.c: the probe of walks of the page tables against modelled ones whose costs are worked out by hand:
 * walkers that look in the first level of cache and in the second, with and without a page-structure cache; a clock
 * that moves in steps, long lines, a first level of one way; and what cannot be measured: walks by software, no TLB, no
 * latencies. */
#include "probes/probes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/found_tlbs.h"

enum { HIT = 4, NEXT = 14, THIRD = 40, MEMORY = 220, OVERHEAD = 11, UPPER = 3, KB = 1024 };

/* 32 KB, 256 KB and 2 MB of cache, 16 entries of TLB, a cache of four PDEs. */
static struct description machine_with(void)
{
    struct description description;
    description_plain(&description, 32 * KB, 8, 64, HIT, MEMORY);
    add_cache(&description, 256 * KB, NEXT);
    add_cache(&description, 2048 * KB, THIRD);
    description.pages = PAGES_SMALL | PAGES_LARGE;
    description.walker = (struct walker_description){.count = 1, .overhead = OVERHEAD, .from_level = 1};
    struct tlb_description *tlb = add_tlb_of(&description, HOLDS_DATA, PAGES_SMALL | PAGES_LARGE, 1, 1, 16, 0);
    description.pscs = 1;
    description.psc[0] = (struct psc_description){.level = 2, .tag = PSC_LINEAR};
    description.psc[0].shape = tlb->shape;
    description.psc[0].shape.ways = 4;
    return description;
}

static void assert_cost(const struct notebook *notebook, const char *id, double value)
{
    assert_value(notebook, id, value, value > 50 ? value / 100 : 0.5);
}

/* What the probe of latencies would have found. */
static void note_latencies(struct notebook *notebook)
{
    note_value(notebook, "l1d.latency", HIT, "cycles", 0.999, 0, "");
    note_value(notebook, "l2.latency", NEXT, "cycles", 0.999, 0, "");
    note_value(notebook, "l3.latency", THIRD, "cycles", 0.999, 0, "");
    note_value(notebook, "mem.latency", MEMORY, "cycles", 0.999, 0, "");
}

static void expect(struct notebook *notebook, const struct description *description, int level, int first, int second,
                   int third, int memory)
{
    memset(notebook, 0, sizeof *notebook);
    note_latencies(notebook);
    run_probe(probe_tables, description, notebook);
    assert_cost(notebook, "walker.cached_in", level);
    assert_cost(notebook, "walk.4k.l1", first);
    assert_cost(notebook, "walk.4k.l2", second);
    assert_cost(notebook, "walk.4k.l3", third);
    assert_cost(notebook, "walk.4k.mem", memory);
}

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

/* Of 32-byte lines: entries lie in few sets of it. */
static void small_first_level(struct description *description, unsigned sets, unsigned ways)
{
    for (unsigned i = 0; i < description->caches; i++) {
        description->cache[i].line = description->cache[i].sector = 32;
        description->cache[i].shape.index.sets *= 2;
    }
    shape_cache(description, 0, sets, ways);
}

/* Lines of 128 bytes in all levels. */
static void long_lines(struct description *description)
{
    for (unsigned i = 0; i < description->caches; i++) {
        description->cache[i].line = description->cache[i].sector = 128;
        description->cache[i].shape.index.sets /= 2;
    }
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
    note_latencies(notebook);
    run_probe(probe_tables, &description, notebook);
    const struct finding *third = noted(notebook, "walk.4k.l3");
    assert_true(third->measured && third->confidence < 0.9);
    assert_true(third->value > OVERHEAD + THIRD - 1 && third->value < OVERHEAD + THIRD + 1);
}

/* Half of the entries are pushed out by the others, before they are walked to. */
static void half_stay(void **state)
{
    struct description description = machine_with();
    small_first_level(&description, 16, 8);
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* One that draws lots does not keep all that comes once. */
static void lots_are_drawn(void **state)
{
    struct description description = machine_with();
    small_first_level(&description, 64, 4);
    assert_true(policy_parse(&description.cache[0].shape.policy, "RANDOM"));
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* Where four sets have to hold all of it, it keeps neither all entries nor all pages' lines: nothing wrong is said. */
static void lines_are_lost(void **state)
{
    static const unsigned ways[] = {6, 8, 10};
    static const char *const ids[] = {"walker.cached_in", "walk.4k.l1", "walk.4k.l2", "walk.4k.l3"};
    static const double right[] = {1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD};
    for (unsigned i = 0; i < 3; i++) {
        struct description description = machine_with();
        long_lines(&description);
        shape_cache(&description, 0, 4, ways[i]);
        assert_true(policy_parse(&description.cache[0].shape.policy, "RANDOM"));
        memset(*state, 0, sizeof(struct notebook));
        note_latencies(*state);
        run_probe(probe_tables, &description, *state);
        for (unsigned id = 0; id < 4; id++) {
            const struct finding *found = noted(*state, ids[id]);
            bool is_right = found->value > right[id] - 1 && found->value < right[id] + 1;
            assert_true(!found->measured || found->confidence < 0.9 || is_right);
        }
        const char *why = noted(*state, "walk.4k.l1")->why;
        assert_string_equal(why, ways[i] < 10 ? "some of the entries lay elsewhere" : "");
    }
}

/* Where a miss brings the next line along, those behind the controls push pages' lines out, and flushed entries seem to
 * cost more: as if the walker looked in the first level. Loads of the entries do not say so. */
static void lines_behind_controls(void **state)
{
    struct description description = machine_with();
    struct notebook *notebook = *state;
    for (unsigned i = 0; i < description.caches; i++)
        description.cache[i].line = description.cache[i].sector = 128;
    shape_cache(&description, 0, 8, 4);
    shape_cache(&description, 1, 16, 24);
    description.caches = 2;
    description.walker.from_level = 2;
    description.prefetcher[description.prefetchers++] = (struct prefetcher_description){
        .kind = PREFETCH_NEXT_LINE, .watches = 1, .into = 1, .misses_only = true, .ahead = 1};
    memset(notebook, 0, sizeof *notebook);
    note_value(notebook, "l1d.latency", HIT, "cycles", 0.999, 0, "");
    note_value(notebook, "l2.latency", NEXT, "cycles", 0.999, 0, "");
    note_value(notebook, "mem.latency", MEMORY, "cycles", 0.999, 0, "");
    run_probe(probe_tables, &description, notebook);
    assert_string_equal(noted(notebook, "walker.cached_in")->why,
                        "what walks left and what is flushed say different things");
}

/* By Zen's folds: no page is slow for another's sake. */
static void ways_are_predicted(void **state)
{
    static const unsigned char partner[] = {27, 26, 25, 20, 21, 22, 23, 24};
    struct description description = machine_with();
    struct cache_description *first = &description.cache[0];
    small_first_level(&description, 16, 14);
    predict_ways(first, HIT + 9);
    for (unsigned i = 0; i < first->folds; i++)
        first->fold[i] = (uint64_t)1 << (12 + i) | (uint64_t)1 << partner[i];
    expect(*state, &description, 1, OVERHEAD + HIT, OVERHEAD + NEXT, OVERHEAD + THIRD, OVERHEAD + MEMORY);
}

/* 96 sets, chosen by virtual addresses. */
static void sets_by_the_rest(void **state)
{
    struct description description = machine_with();
    shape_cache(&description, 0, 96, 8);
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

static void skipped(void **state)
{
    struct description description = machine_with();
    description.clock.step = 200; /* then it takes long */
    memset(*state, 0, sizeof(struct notebook));
    note_latencies(*state);
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
        cmocka_unit_test(some_elsewhere),
        cmocka_unit_test(half_stay),
        cmocka_unit_test(lots_are_drawn),
        cmocka_unit_test(lines_are_lost),
        cmocka_unit_test(lines_behind_controls),
        cmocka_unit_test(ways_are_predicted),
        cmocka_unit_test(sets_by_the_rest),
        cmocka_unit_test(by_software),
        cmocka_unit_test(no_tlb),
        cmocka_unit_test(latencies_not_known),
        cmocka_unit_test(skipped),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
