// SPDX-License-Identifier: BSD-2-Clause
/* test_l1d.c: the probe of the first level against modelled caches of every kind that it has to see through, or has to
 * decline: any number of sets and ways, policies that are not LRU, prefetchers without a switch, a way predictor, a
 * next level that contains the first, noise, too little memory, nothing to find. */
#include "base/text.h"
#include "probes/probes.h"
#include "tests/silicon/process/process.h"
#include "tests/unit/notebook_bench.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

bool host_rest(struct host *host, unsigned permille)
{
    (void)host;
    assert_in_range(permille, 0, 1000);
    return true;
}

/* Sets x ways x line, a hit of 4 cycles, memory as far away as a second level. */
static struct description cache(unsigned sets, unsigned ways, unsigned line, const char *policy)
{
    struct description description;
    description_plain(&description, (uint64_t)sets * ways * line, ways, line, 4, 14);
    assert_true(policy_parse(&description.cache[0].shape.policy, policy));
    return description;
}

static void measured(const struct description *description, uint64_t seed, struct notebook *notebook)
{
    struct request request = {.seed = seed};
    const char *why = "";
    struct machine *machine = process_open(NULL, description, seed, NULL, &why);
    if (!machine)
        fail_msg("%s", why);
    memset(notebook, 0, sizeof *notebook);
    assert_true(probe_l1d(machine, &request, notebook));
    machine_close(machine);
}

static void assert_finding(const struct notebook *notebook, const char *id, double value)
{
    const struct finding *finding = noted(notebook, id);
    assert_non_null(finding);
    if (!finding->measured)
        fail_msg("%s, not %g: %s", id, value, finding->why);
    if (finding->value != value || finding->confidence < 0.9)
        fail_msg("%s is %g, not %g, confidence %.3f", id, finding->value, value, finding->confidence);
}

/* That the probe finds what the description says. */
static void assert_found(const struct description *description, struct notebook *notebook)
{
    const struct cache_description *truth = &description->cache[0];
    for (uint64_t seed = 1; seed <= 2; seed++) {
        measured(description, seed, notebook);
        assert_finding(notebook, "l1d.ways", truth->shape.ways);
        assert_finding(notebook, "l1d.size", (double)truth->size);
        assert_finding(notebook, "l1d.line", truth->line);
    }
}

static void assert_declined(const struct notebook *notebook, const char *id)
{
    const struct finding *finding = noted(notebook, id);
    assert_non_null(finding);
    if (finding->measured)
        fail_msg("%s is %g at %.3f, and cannot be known", id, finding->value, finding->confidence);
    assert_true(finding->why[0]);
}

static void powers_of_two(void **state)
{
    struct description intel = cache(64, 8, 64, "PLRU"), old = cache(128, 2, 32, "LRU"),
                       long_lines = cache(16, 4, 128, "LRU");
    assert_found(&intel, *state);
    assert_found(&old, *state);
    assert_found(&long_lines, *state);
}

static void other_numbers_of_sets_and_ways(void **state)
{
    struct description odd_ways = cache(64, 6, 64, "LRU"), twelve = cache(64, 12, 64, "LRU3PLRU4"),
                       thrice = cache(48, 8, 64, "LRU"), prime = cache(23, 8, 64, "FIFO");
    assert_found(&odd_ways, *state);
    assert_found(&twelve, *state);
    assert_found(&thrice, *state);
    assert_found(&prime, *state);
}

static void one_way(void **state)
{
    struct description description = cache(256, 1, 64, "LRU");
    assert_found(&description, *state);
}

static void one_set(void **state)
{
    struct description description = cache(1, 32, 64, "LRU");
    assert_found(&description, *state);
}

static void policies_that_need_time_to_settle(void **state)
{
    static const char *const names[] = {
        "RANDOM", "RANDOMl", "FIFO", "NRU", "MRU", "QLRU_H11_M1_R1_U2", "QLRU_H11_MR31_R1_U2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct description description = cache(32, 8, 64, names[i]);
        print_message("%s\n", names[i]);
        assert_found(&description, *state);
    }
}

/* Bits of a tree over ways that are no power of two let a set settle in some orders only; or, the last one, only where
 * it was empty before. */
static void trees_that_seldom_settle(void **state)
{
    struct description seven = cache(16, 7, 64, "PLRU"), thirteen = cache(4, 13, 64, "PLRU"),
                       ten = cache(6, 10, 64, "PLRUl");
    assert_found(&seven, *state);
    assert_found(&thirteen, *state);
    assert_found(&ten, *state);
}

/* Lines as long as the distance that a search begins at lie in different sets there, and look like those of one, until
 * one begins farther apart. */
static void two_small_sets_are_not_one(void **state)
{
    struct description description = cache(2, 4, 128, "LRU");
    assert_found(&description, *state);
}

/* Each access brings in the other line of the pair as well: as if lines were twice as long, until one is flushed. */
static void pairs_of_lines(void **state)
{
    struct description description = cache(128, 1, 32, "LRU");
    description.prefetcher[description.prefetchers++] =
        (struct prefetcher_description){.kind = PREFETCH_ADJACENT, .watches = 1, .into = 1, .ahead = 1};
    assert_found(&description, *state);
}

/* Then it is too noisy for a flush to show. */
static void next_lines_under_noise(void **state)
{
    struct description description = cache(64, 4, 64, "LRU");
    description.prefetcher[description.prefetchers++] =
        (struct prefetcher_description){.kind = PREFETCH_NEXT_LINE, .watches = 1, .into = 1, .ahead = 1};
    description.noise.jitter = 96;
    assert_found(&description, *state);
}

/* Nothing turns them off. */
static void prefetchers_without_a_switch(void **state)
{
    static const struct prefetcher_description kinds[] = {
        {.kind = PREFETCH_NEXT_LINE, .watches = 1, .into = 1, .ahead = 1},
        {.kind = PREFETCH_NEXT_LINE, .watches = 1, .into = 1, .ahead = 1, .misses_only = true},
        {.kind = PREFETCH_STREAM, .watches = 1, .into = 1, .trackers = 16, .train = 2, .ahead = 4},
        {.kind = PREFETCH_STRIDE, .watches = 1, .into = 1, .trackers = 16, .train = 2, .ahead = 1, .reach = 2048},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct description description = cache(64, 4, 64, "LRU");
        description.prefetcher[description.prefetchers++] = kinds[i];
        print_message("prefetcher %u\n", (unsigned)i);
        assert_found(&description, *state);
    }
}

/* Zen's folds: lines of one set are in each other's way when they lie in one page. */
static void way_predictor(void **state)
{
    static const unsigned partner[] = {27, 26, 25, 20, 21, 22, 23, 24};
    struct description description = cache(16, 8, 64, "PLRU");
    struct cache_description *first = &description.cache[0];
    first->folds = 8;
    for (unsigned i = 0; i < first->folds; i++)
        first->fold[i] = (uint64_t)1 << (12 + i) | (uint64_t)1 << partner[i];
    first->fold_latency = 14;
    assert_found(&description, *state);
}

/* Folds where a page has more lines than the cache sets: what is dense is slow long before it is too much, and lines
 * that are so close together that they share a set with hardly any other bring each other in (a prefetcher of next
 * lines, at misses). */
static void way_predictor_of_small_ways(void **state)
{
    struct description description = cache(8, 4, 128, "LRU");
    struct cache_description *first = &description.cache[0];
    first->folds = 8;
    for (unsigned i = 0; i < first->folds; i++)
        first->fold[i] = (uint64_t)1 << (12 + i);
    first->fold_latency = 15;
    description.prefetcher[description.prefetchers++] = (struct prefetcher_description){
        .kind = PREFETCH_NEXT_LINE, .watches = 1, .into = 1, .ahead = 1, .misses_only = true};
    assert_found(&description, *state);
}

/* A distance that is a power of two leads through all of an odd number of sets. */
static void many_sets_of_an_odd_number(void **state)
{
    struct description description = cache(129, 8, 32, "LRU");
    measured(&description, 1, *state);
    assert_finding(*state, "l1d.ways", 8);
    assert_finding(*state, "l1d.size", 129 * 8 * 32);
}

/* A next level with fewer ways than the first, which has to contain it: at strides of a page it runs out first. */
static void next_level_contains_the_first(void **state)
{
    struct description description = cache(12, 16, 64, "LRU");
    struct cache_description *second = &description.cache[description.caches++];
    *second = description.cache[0];
    text_copy(second->name, sizeof second->name, "l2");
    second->level = 2;
    second->holds = HOLDS_BOTH;
    second->size = 32768;
    second->shape.ways = 8;
    second->shape.index.sets = 64;
    second->latency = 14;
    second->inclusion = INCLUSION_INCLUSIVE;
    description.memory.latency = 150;
    assert_found(&description, *state);
}

static void noise(void **state)
{
    struct description description = cache(64, 8, 64, "PLRU");
    description.noise.jitter = 8;
    description.noise.smi_period = 600000;
    description.noise.smi_length = 6000;
    description.clock.step = 26;
    assert_found(&description, *state);
}

/* No two ways have the same sets: there is no number of ways to be found by lines that share one. */
static void skewed_ways_are_declined(void **state)
{
    struct description description = cache(128, 4, 64, "LRU");
    struct index *index = &description.cache[0].shape.index;
    index->kind = INDEX_SKEWED;
    index->bits = 7;
    index->skew = 7;
    for (unsigned i = 0; i < index->bits; i++)
        index->mask[i] = (uint64_t)1 << i | (uint64_t)1 << (i + 7) | (uint64_t)1 << (i + 14);
    measured(&description, 1, *state);
    assert_declined(*state, "l1d.ways");
    assert_declined(*state, "l1d.size");
}

static void too_little_memory(void **state)
{
    struct description description = cache(2048, 16, 64, "PLRU");
    description.pages = PAGES_SMALL;
    description.memory.span = 1 << 20;
    measured(&description, 1, *state);
    assert_declined(*state, "l1d.ways");
    assert_declined(*state, "l1d.size");
    assert_declined(*state, "l1d.line");
}

static void nothing_to_find(void **state)
{
    struct description description = cache(64, 8, 64, "PLRU");
    description.memory.latency = description.cache[0].latency;
    measured(&description, 1, *state);
    assert_declined(*state, "l1d.ways");
    assert_declined(*state, "l1d.size");
    assert_declined(*state, "l1d.line");
}

/* Where others share the computer, one of them may hold ways all the while: what fits is doubted. */
static void shared_by_others(void **state)
{
    struct description description = cache(64, 8, 64, "PLRU");
    description.memory.contiguous = 4096;
    measured(&description, 1, *state);
    const struct finding *ways = noted(*state, "l1d.ways"), *size = noted(*state, "l1d.size");
    assert_true(ways->measured && ways->value == 8 && ways->confidence <= 0.75 && ways->confidence > 0.5);
    assert_true(size->measured && size->confidence <= 0.75);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_of_two),
        cmocka_unit_test(other_numbers_of_sets_and_ways),
        cmocka_unit_test(one_way),
        cmocka_unit_test(one_set),
        cmocka_unit_test(policies_that_need_time_to_settle),
        cmocka_unit_test(trees_that_seldom_settle),
        cmocka_unit_test(two_small_sets_are_not_one),
        cmocka_unit_test(pairs_of_lines),
        cmocka_unit_test(next_lines_under_noise),
        cmocka_unit_test(prefetchers_without_a_switch),
        cmocka_unit_test(way_predictor),
        cmocka_unit_test(way_predictor_of_small_ways),
        cmocka_unit_test(many_sets_of_an_odd_number),
        cmocka_unit_test(next_level_contains_the_first),
        cmocka_unit_test(noise),
        cmocka_unit_test(skewed_ways_are_declined),
        cmocka_unit_test(too_little_memory),
        cmocka_unit_test(nothing_to_find),
        cmocka_unit_test(shared_by_others),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
