// SPDX-License-Identifier: BSD-2-Clause
/* test_caches.c: the probe of the caches behind the first one against modelled hierarchies of every kind that it has to
 * see through, or has to decline: hashed sets, slices, numbers of sets and ways that are no powers of two, longer
 * lines, inclusive and exclusive levels, more ways before than behind, too little known, too little memory. */
#include "probes/probes.h"
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

enum { MEMORY = 220 };

static const unsigned latencies[] = {4, 14, 40, 80};

/* A first level of so many sets and ways; 64 MB of memory. */
static struct description first(unsigned sets, unsigned ways, const char *policy)
{
    struct description description;
    description_plain(&description, (uint64_t)sets * ways * 64, ways, 64, latencies[0], MEMORY);
    description.memory.span = 64 << 20;
    assert_true(policy_parse(&description.cache[0].shape.policy, policy));
    return description;
}

/* One more level. */
static struct cache_description *add(struct description *description, unsigned sets, unsigned ways, const char *policy)
{
    unsigned level = description->caches + 1;
    struct cache_description *cache = &description->cache[description->caches++];
    *cache = (struct cache_description){.level = level, .holds = HOLDS_BOTH, .line = 64, .sector = 64};
    snprintf(cache->name, sizeof cache->name, "l%u", level % 10);
    cache->size = (uint64_t)sets * ways * 64;
    cache->latency = latencies[level - 1];
    cache->shared_by = 1;
    cache->shape.ways = ways;
    cache->shape.index.sets = sets;
    cache->slices.count = 1;
    cache->keeps_permille = 1000;
    assert_true(policy_parse(&cache->shape.policy, policy));
    return cache;
}

/* So many slices, chosen by a table, by the bits above those of the set. */
static void slice(struct cache_description *cache, unsigned count)
{
    struct slices *slices = &cache->slices;
    *slices = (struct slices){.kind = SLICE_SEQUENCE, .bits = 7, .count = count, .length = 128};
    for (unsigned i = 0; i < slices->bits; i++)
        slices->mask[i] = cache->shape.index.sets * cache->line << i;
    for (unsigned i = 0; i < slices->length; i++)
        slices->sequence[i] = (uint8_t)((i * 7 + i / count) % count);
    cache->size *= count;
}

/* What the probes before have found. */
static void know(struct notebook *notebook, const struct description *description)
{
    const struct cache_description *l1 = &description->cache[0];
    memset(notebook, 0, sizeof *notebook);
    note_value(notebook, "latency.levels", description->caches, "", 0.999, 0, "");
    note_value(notebook, "l1d.size", (double)l1->size, "bytes", 0.999, 0, "");
    note_value(notebook, "l1d.ways", l1->shape.ways, "ways", 0.999, 0, "");
    note_value(notebook, "l1d.line", l1->line, "bytes", 0.999, 0, "");
    note_value(notebook, "l1d.latency", l1->latency, "cycles", 0.999, 0, "");
    for (unsigned i = 1; i < description->caches; i++) {
        char id[16];
        snprintf(id, sizeof id, "l%u.latency", (i + 1) % 10);
        note_value(notebook, id, description->cache[i].latency, "cycles", 0.999, 0, "");
    }
    note_value(notebook, "mem.latency", MEMORY, "cycles", 0.999, 0, "");
}

static void measured(const struct description *description, uint64_t seed, struct notebook *notebook)
{
    struct request request = {.seed = seed};
    const char *why = "";
    struct machine *machine = process_open(NULL, description, seed, NULL, &why);
    if (!machine)
        fail_msg("%s", why);
    assert_true(probe_caches(machine, &request, notebook));
    machine_close(machine);
}

static const struct finding *of_level(const struct notebook *notebook, unsigned level, const char *what)
{
    char id[16];
    snprintf(id, sizeof id, "l%u.%s", level % 10, what);
    const struct finding *finding = noted(notebook, id);
    assert_non_null(finding);
    return finding;
}

static void assert_value(const struct notebook *notebook, unsigned level, const char *what, double value)
{
    const struct finding *finding = of_level(notebook, level, what);
    if (!finding->measured)
        fail_msg("%s, not %g: %s", finding->id, value, finding->why);
    if (finding->value != value || finding->confidence < 0.9)
        fail_msg("%s is %g, not %g, confidence %.3f", finding->id, finding->value, value, finding->confidence);
}

static void assert_missing(const struct notebook *notebook, unsigned level, const char *why)
{
    assert_false(of_level(notebook, level, "size")->measured);
    assert_string_equal(of_level(notebook, level, "ways")->why, why);
}

/* What an experiment told is so; it need not have told anything. */
static unsigned told(const struct notebook *notebook, unsigned level, const char *what, bool truth)
{
    const struct finding *finding = of_level(notebook, level, what);
    if (finding->measured && (finding->value == 1) != truth)
        fail_msg("%s is %g", finding->id, finding->value);
    return finding->measured;
}

/* That the probe finds ways, sizes and lines of all levels, and says nothing wrong of inclusion. Returns how much it
 * said of that. */
static unsigned assert_found(const struct description *description, struct notebook *notebook)
{
    unsigned said = 0;
    know(notebook, description);
    measured(description, 1, notebook);
    for (unsigned i = 1; i < description->caches; i++) {
        const struct cache_description *cache = &description->cache[i];
        assert_value(notebook, i + 1, "ways", cache->shape.ways);
        assert_value(notebook, i + 1, "size", (double)cache->size);
        /* Where one brings pairs, the line may be left open. */
        if (!description->prefetchers || of_level(notebook, i + 1, "line")->measured)
            assert_value(notebook, i + 1, "line", cache->line);
        said += told(notebook, i + 1, "exclusive", cache->inclusion == INCLUSION_EXCLUSIVE);
        said += told(notebook, i + 1, "inclusive", cache->inclusion == INCLUSION_INCLUSIVE);
    }
    assert_missing(notebook, description->caches + 1, "no such level was seen");
    return said;
}

static void powers_of_two(void **state)
{
    struct description description = first(64, 8, "PLRU");
    add(&description, 512, 8, "PLRU");
    add(&description, 2048, 16, "LRU")->inclusion = INCLUSION_INCLUSIVE;
    assert_int_equal(assert_found(&description, *state), 4);
    description.cache[1].inclusion = INCLUSION_INCLUSIVE;
    description.cache[2].inclusion = INCLUSION_NEITHER;
    assert_in_range(assert_found(&description, *state), 3, 4);
}

/* Loads that miss a level are timed for each level, and whatever comes behind is found as if they were not. */
static void curves_of_each_level(void **state)
{
    struct notebook *notebook = *state;
    struct description description = first(64, 4, "LRU");
    add(&description, 256, 8, "PLRU")->inclusion = INCLUSION_EXCLUSIVE;
    add(&description, 2048, 16, "LRU")->inclusion = INCLUSION_EXCLUSIVE;
    assert_found(&description, notebook);
    assert_true(noted(notebook, "penalty.l2.sizes")->measured && noted(notebook, "penalty.l3.sizes")->measured);
    assert_string_equal(noted(notebook, "penalty.l4.sizes")->why, "no such level was seen");
    assert_int_equal(notebook->series_count, 2 * 7);
    assert_int_equal(notebook->points,
                     noted(notebook, "penalty.l2.sizes")->value + noted(notebook, "penalty.l3.sizes")->value);
}

static void no_powers_of_two(void **state)
{
    struct description description = first(64, 12, "LRU3PLRU4");
    add(&description, 384, 10, "LRU");
    add(&description, 1536, 11, "LRU");
    assert_found(&description, *state);
    struct description odd = first(48, 2, "LRU");
    add(&odd, 256, 6, "LRU");
    assert_found(&odd, *state);
}

/* Two levels one behind the other, both of them chosen modulo a number with the factor three. */
static void odd_factor_in_common(void **state)
{
    struct description description = first(64, 4, "LRU");
    add(&description, 96, 6, "LRU");
    add(&description, 240, 8, "LRU");
    assert_found(&description, *state);
}

static void more_ways_before_than_behind(void **state)
{
    struct description description = first(16, 16, "LRU");
    add(&description, 512, 2, "LRU");
    add(&description, 8192, 4, "LRU");
    assert_found(&description, *state);
}

/* Each set bit is folded with one as many places higher: the nearer level tells lines apart that share a set here. */
static void folded(void **state)
{
    struct description description = first(64, 4, "LRU");
    struct index *index = &add(&description, 256, 8, "LRU")->shape.index;
    index->kind = INDEX_XOR;
    index->bits = 8;
    for (unsigned i = 0; i < 8; i++)
        index->mask[i] = UINT64_C(0x101) << i;
    assert_found(&description, *state);
    /* A number of sets that is no power of two behind it. */
    add(&description, 192, 12, "LRU");
    assert_found(&description, *state);
}

static void sliced(void **state)
{
    struct description description = first(64, 8, "LRU");
    add(&description, 256, 8, "LRU");
    struct cache_description *last = add(&description, 512, 12, "QLRU_H11_M1_R0_U0");
    last->slices.kind = SLICE_XOR;
    last->slices.bits = 1;
    last->slices.count = 2;
    last->slices.mask[0] = UINT64_C(1) << 15 | 1 << 6 | 1 << 18 | 1 << 21;
    last->size *= 2;
    assert_found(&description, *state);
}

/* By a table: no space over GF(2) has its sets. */
static void sliced_by_a_table(void **state)
{
    struct description description = first(64, 4, "LRU");
    slice(add(&description, 256, 6, "LRU"), 5);
    assert_found(&description, *state);
    assert_string_equal(noted(*state, "penalty.l2.sizes")->why,
                        "no rule was found that foretells lines of one of its sets");
}

static void exclusive(void **state)
{
    struct description description = first(64, 4, "LRU");
    add(&description, 256, 8, "PLRU")->inclusion = INCLUSION_EXCLUSIVE;
    add(&description, 1024, 16, "PLRU")->inclusion = INCLUSION_EXCLUSIVE;
    assert_int_equal(assert_found(&description, *state), 4);
}

/* As many sets as the first level (K7): whatever shares a set there shares one here, so only both together are seen. */
static void exclusive_with_as_many_sets(void **state)
{
    struct description description = first(128, 2, "LRU");
    add(&description, 128, 16, "LRU")->inclusion = INCLUSION_EXCLUSIVE;
    assert_int_equal(assert_found(&description, *state), 2);
    description.cache[1].inclusion = INCLUSION_NEITHER;
    assert_int_equal(assert_found(&description, *state), 2);
    description.cache[1].inclusion = INCLUSION_INCLUSIVE;
    assert_int_equal(assert_found(&description, *state), 2);
}

/* A first level that draws lots keeps no line in order to try it on. */
static void as_many_sets_behind_lots(void **state)
{
    struct description description = first(128, 2, "RANDOM");
    add(&description, 128, 16, "LRU");
    assert_found(&description, *state);
    description.cache[1].inclusion = INCLUSION_INCLUSIVE;
    assert_found(&description, *state);
}

/* The same of a third level, behind a first one with more ways than the second. */
static void third_with_as_many_sets(void **state)
{
    static const enum inclusion all[] = {INCLUSION_EXCLUSIVE, INCLUSION_NEITHER, INCLUSION_INCLUSIVE};
    struct description description = first(64, 8, "LRU");
    add(&description, 256, 4, "LRU");
    struct cache_description *third = add(&description, 256, 12, "LRU");
    for (unsigned i = 0; i < 3; i++) {
        third->inclusion = all[i];
        /* What an inclusive third level gives up the second one may have given up. */
        assert_int_equal(assert_found(&description, *state), all[i] == INCLUSION_INCLUSIVE ? 3 : 4);
    }
}

static void longer_lines(void **state)
{
    struct description description = first(64, 4, "LRU");
    struct cache_description *second = add(&description, 256, 8, "LRU"), *third;
    second->line = second->sector = 128;
    second->size *= 2;
    third = add(&description, 1536, 8, "LRU");
    third->line = third->sector = 128;
    third->size *= 2;
    assert_found(&description, *state);
}

/* Prefetchers that have no switch. */
static void prefetchers(void **state)
{
    static const enum prefetcher_kind kinds[] = {PREFETCH_NEXT_LINE, PREFETCH_ADJACENT};
    for (unsigned i = 0; i < 2; i++) {
        struct description description = first(64, 4, "LRU");
        add(&description, 512, 8, "LRU");
        description.prefetchers = 1;
        description.prefetcher[0] =
            (struct prefetcher_description){.kind = kinds[i], .watches = 2, .into = 2, .ahead = 1};
        assert_found(&description, *state);
    }
}

/* A policy that draws lots may keep no clear number of lines: a wrong one may not be sure. */
static void by_lot(void **state)
{
    struct description description = first(64, 4, "LRU");
    add(&description, 256, 8, "RANDOM");
    for (uint64_t seed = 1; seed <= 3; seed++) {
        know(*state, &description);
        measured(&description, seed, *state);
        const struct finding *ways = of_level(*state, 2, "ways");
        if (ways->measured && ways->value != 8 && ways->confidence >= 0.9)
            fail_msg("%g ways with %.3f", ways->value, ways->confidence);
    }
}

static void too_little_is_known(void **state)
{
    struct notebook *notebook = *state;
    struct description description = first(64, 4, "LRU");
    add(&description, 256, 8, "LRU");
    memset(notebook, 0, sizeof *notebook);
    measured(&description, 1, notebook);
    assert_missing(notebook, 2, "needs what the probes latency and l1d find");
    know(notebook, &description);
    note_value(notebook, "latency.levels", 2, "", 0.6, 0, ""); /* the doubt is that of what it goes by */
    measured(&description, 1, notebook);
    assert_in_range((int)(1000 * of_level(notebook, 2, "ways")->confidence), 500, 600);
}

/* Levels behind one whose sets were counted are out of reach, and that is said. */
static void behind_a_table(void **state)
{
    struct notebook *notebook = *state;
    struct description description = first(64, 4, "LRU");
    struct cache_description *second = add(&description, 128, 6, "LRU");
    slice(second, 3);
    add(&description, 4096, 8, "LRU");
    know(notebook, &description);
    measured(&description, 1, notebook);
    assert_value(notebook, 2, "size", (double)second->size);
    assert_missing(notebook, 3, "how the level before it chooses its sets is not known");
}

/* At once, and without another finding. */
static void skipping_is_obeyed(void **state)
{
    struct notebook *notebook = *state;
    struct request request = {.seed = 1};
    struct description description = first(64, 4, "LRU");
    add(&description, 256, 8, "LRU");
    description.clock.hz = 20000000; /* slow: rests are due often */
    for (unsigned rests = 0; rests < 2; rests++) {
        const char *why = "";
        struct machine *machine = process_open(NULL, &description, 1, NULL, &why);
        assert_non_null(machine);
        know(notebook, &description);
        rests_left = rests;
        assert_false(probe_caches(machine, &request, notebook));
        assert_int_equal(rests_left, 0);
        assert_missing(notebook, 2, "skipped");
        machine_close(machine);
    }
    rests_left = UINT_MAX;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(powers_of_two),
                                       cmocka_unit_test(no_powers_of_two),
                                       cmocka_unit_test(more_ways_before_than_behind),
                                       cmocka_unit_test(folded),
                                       cmocka_unit_test(sliced),
                                       cmocka_unit_test(sliced_by_a_table),
                                       cmocka_unit_test(curves_of_each_level),
                                       cmocka_unit_test(exclusive),
                                       cmocka_unit_test(exclusive_with_as_many_sets),
                                       cmocka_unit_test(as_many_sets_behind_lots),
                                       cmocka_unit_test(third_with_as_many_sets),
                                       cmocka_unit_test(odd_factor_in_common),
                                       cmocka_unit_test(longer_lines),
                                       cmocka_unit_test(prefetchers),
                                       cmocka_unit_test(by_lot),
                                       cmocka_unit_test(too_little_is_known),
                                       cmocka_unit_test(behind_a_table),
                                       cmocka_unit_test(skipping_is_obeyed)};
    return cmocka_run_group_tests(tests, fresh, done);
}
