// SPDX-License-Identifier: BSD-2-Clause
/* test_xray.c: X-Ray as a peer: right where what the paper takes for granted holds, and wrong in the way of the paper
 * where it does not: an exclusive level counts with the one before it, FIFO seems to have more ways, a level that is
 * less than twice as slow is not seen, and without larger pages there are no lower levels. */
#include "tests/peers/xray_inside.h"
#include "tests/silicon/process/process.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/skipping_host.h"

/* <A, B, C> and the latency of a hit, and of memory. */
static struct description first(unsigned ways, unsigned line, unsigned size, unsigned hit, unsigned memory)
{
    struct description description;

    description_plain(&description, size, ways, line, hit, memory);
    return description;
}

static struct cache_description *add(struct description *description, unsigned ways, unsigned size, unsigned hit)
{
    const unsigned level = description->caches + 1, line = description->cache[0].line;
    struct cache_description *cache = &description->cache[description->caches++];

    *cache = description->cache[0];
    snprintf(cache->name, sizeof cache->name, "l%u", level % 10);
    cache->level = level;
    cache->holds = HOLDS_BOTH;
    cache->size = size;
    cache->latency = hit;
    cache->shape.ways = ways;
    cache->shape.index.sets = size / (ways * line);
    return cache;
}

static struct machine *opened(const struct description *description)
{
    const char *why = "";
    struct machine *machine = process_open(NULL, description, 1, NULL, &why);

    if (!machine)
        fail_msg("%s", why);
    return machine;
}

static struct xray measured(const struct description *description, uint64_t array)
{
    struct machine *machine = opened(description);
    struct xray found;

    assert_true(xray_measure(machine, array, &found));
    machine_close(machine);
    return found;
}

static void assert_cache(const struct xray *found, unsigned level, unsigned ways, unsigned line, unsigned size,
                         double latency)
{
    assert_in_range(level, 1, found->levels);
    const struct xray_cache *cache = &found->level[level - 1];
    assert_int_equal(cache->ways, ways);
    assert_int_equal(cache->line, line);
    assert_int_equal(cache->size, size);
    assert_int_equal(cache->stride, size / ways);
    assert_float_equal(cache->latency, latency, 0.01 * latency);
}

/* The paper's example: a P6, with a smaller second level, which saves time. */
static void two_levels_of_a_p6(void **state)
{
    struct description description = first(4, 32, 16 << 10, 3, 100);
    struct xray found;

    (void)state;
    add(&description, 8, 64 << 10, 7);
    found = measured(&description, 256 << 10);
    assert_int_equal(found.levels, 2);
    assert_cache(&found, 1, 4, 32, 16 << 10, 3);
    assert_cache(&found, 2, 8, 32, 64 << 10, 7);
    assert_float_equal(found.memory_latency, 100, 1);
    assert_null(found.why);
}

/* Itanium 2's 24 ways are what the paper is proud of; three levels need Lemma 6. */
static void ways_that_are_no_power_of_two(void **state)
{
    struct description description = first(3, 64, 3 << 10, 2, 200);
    struct xray found;

    (void)state;
    add(&description, 6, 12 << 10, 10);
    add(&description, 24, 96 << 10, 40);
    found = measured(&description, 256 << 10);
    assert_int_equal(found.levels, 3);
    assert_cache(&found, 1, 3, 64, 3 << 10, 2);
    assert_cache(&found, 2, 6, 64, 12 << 10, 10);
    assert_cache(&found, 3, 24, 64, 96 << 10, 40);
}

/* Section 5 takes it for granted that a level is at least twice as large as the one before it: exactly twice will do.
 */
static void twice_as_large(void **state)
{
    struct description description = first(4, 64, 4 << 10, 2, 100);
    struct xray found;

    (void)state;
    add(&description, 8, 8 << 10, 10);
    found = measured(&description, 64 << 10);
    assert_int_equal(found.levels, 2);
    assert_cache(&found, 2, 8, 64, 8 << 10, 10);
}

/* Section 5: without sequences of sequences, 9 lines of a level of 8 ways would all stay in one of 128. */
static void more_ways_before_than_behind(void **state)
{
    struct description description = first(128, 128, 64 << 10, 2, 135);
    struct xray found;

    (void)state;
    add(&description, 8, 128 << 10, 17);
    found = measured(&description, 512 << 10);
    assert_cache(&found, 1, 128, 128, 64 << 10, 2);
    assert_cache(&found, 2, 8, 128, 128 << 10, 17);
}

/* Table 2: 512 KB and 16 ways behind 64 KB and 2 ways were told as 576 KB and 18; here an eighth of that. */
static void exclusive_counts_both(void **state)
{
    struct description description = first(2, 64, 8 << 10, 3, 170);
    struct xray found;

    (void)state;
    add(&description, 16, 64 << 10, 20)->inclusion = INCLUSION_EXCLUSIVE;
    found = measured(&description, 256 << 10);
    assert_cache(&found, 1, 2, 64, 8 << 10, 3);
    assert_cache(&found, 2, 18, 64, 72 << 10, 20);
}

/* Table 2: a Power 3, whose first level is FIFO, was told to have 129 ways. A lap of one line more than there are ways
 * misses all of them only if it goes in the order in which they came: FIFO does not forget that order, and each miss
 * goes on to the line that came next. */
static void fifo_has_ways_too_many(void **state)
{
    struct description description = first(128, 128, 64 << 10, 2, 17);
    struct xray found;

    (void)state;
    assert_true(policy_parse(&description.cache[0].shape.policy, "FIFO"));
    found = measured(&description, 256 << 10);
    assert_true(found.levels >= 1);
    assert_in_range(found.level[0].ways, 129, 160);
    assert_true(found.level[0].size > 64 << 10);
}

/* The sequence behind that: 129 lines of one set, of which a few miss, where all do under LRU. */
static void fifo_keeps_an_order(void **state)
{
    static const char *const policies[] = {"LRU", "FIFO"};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct description description = first(128, 128, 64 << 10, 2, 17);
        const struct xray_sequence sequence = {{512, 512, 512}, {1, 129, 1}};
        struct xray found = {0};
        double cycles;
        assert_true(policy_parse(&description.cache[0].shape.policy, policies[i]));
        struct xray_work work = {.machine = opened(&description), .found = &found};
        assert_true(xray_map(&work, 4096, 1 << 20) && xray_time_core(&work));
        assert_true(xray_time(&work, &sequence, &cycles));
        if (i == 0)
            assert_float_equal(cycles, 17, 0.1);
        else
            assert_true(cycles > 2 && cycles < 4);
        machine_close(work.machine);
    }
}

/* Section 4.2 takes it for granted that a miss takes twice as long as a hit. */
static void a_near_level_is_not_seen(void **state)
{
    struct description description = first(4, 64, 4 << 10, 4, 7);
    struct xray found;

    (void)state;
    found = measured(&description, 64 << 10);
    assert_int_equal(found.levels, 0);
    assert_float_equal(found.memory_latency, 4, 0.1);
    description.memory.latency = 9;
    found = measured(&description, 64 << 10);
    assert_int_equal(found.levels, 1);
}

/* "os" in Table 2. */
static void without_larger_pages_one_level(void **state)
{
    struct description description = first(4, 64, 4 << 10, 4, 200);
    struct xray found;

    (void)state;
    add(&description, 8, 32 << 10, 14);
    description.pages = PAGES_SMALL;
    found = measured(&description, 128 << 10);
    assert_int_equal(found.levels, 1);
    assert_string_equal(found.why, "there are no larger pages");
    assert_true(found.memory_latency == 0);
}

static void an_array_that_is_too_small(void **state)
{
    struct description description = first(4, 64, 4 << 10, 4, 200);
    struct xray found;

    (void)state;
    found = measured(&description, 4 << 10);
    assert_int_equal(found.levels, 0);
    assert_float_equal(found.memory_latency, 4, 0.1); /* all that it can see */
}

/* Theorem 1 through the timing: <m0, S, N> hits always for N <= A * ceil(T / S), and never from (A + 1) * ceil(T / S)
 * on, where each element has a line of its own. */
static void compact_as_in_theorem_1(void **state)
{
    enum { A = 3, B = 64, T = 512, HIT = 4, MISS = 50 };
    struct description description = first(A, B, A * T, HIT, MISS);
    struct xray found = {0};
    struct xray_work work = {.machine = opened(&description), .found = &found};

    (void)state;
    assert_true(xray_map(&work, 4096, 64 << 10) && xray_time_core(&work));
    for (uint64_t stride = 8; stride <= 4 * T; stride *= 2) {
        const uint64_t sets = (T + stride - 1) / stride, most = A * sets;
        struct xray_sequence sequence = {{stride, stride, stride}, {1, most, 1}};
        double cycles;
        assert_true(xray_time(&work, &sequence, &cycles));
        assert_float_equal(cycles, HIT, 0.05);
        sequence.count[1] = (A + 1) * sets;
        assert_true(xray_time(&work, &sequence, &cycles));
        if (stride >= B)
            assert_float_equal(cycles, MISS, 0.1);
        assert_true(cycles >= 2 * HIT);
    }
    machine_close(work.machine);
}

/* A second each, as long as it takes: of accesses that take 4 or 200 cycles at 1 GHz. The adds make no access. */
static void time_is_counted_as_published(void **state)
{
    struct description description = first(4, 64, 4 << 10, 4, 200);
    struct machine *machine = opened(&description);
    struct xray found = {0};
    struct xray_work work = {.machine = machine, .found = &found};
    struct xray_sequence sequence = {{1024, 1024, 1024}, {1, 1, 1}};
    double cycles;

    (void)state;
    assert_true(xray_map(&work, 4096, 64 << 10) && xray_time_core(&work));
    assert_int_equal(found.accesses, 0);
    assert_true(xray_time(&work, &sequence, &cycles));
    assert_in_range(found.accesses, 249000000, 251000000);
    sequence.count[1] = 5;
    assert_true(xray_time(&work, &sequence, &cycles));
    assert_in_range(found.accesses, 253900000, 256000000);
    assert_int_equal(found.timings, 3);
    assert_true(found.seconds == 3);
    assert_true(machine_steps(machine) < 100000);
    machine_close(machine);
}

static void skipping_is_obeyed(void **state)
{
    struct description description = first(4, 64, 4 << 10, 4, 200);
    struct machine *machine = opened(&description);
    struct xray found;

    (void)state;
    rests_left = 40;
    assert_false(xray_measure(machine, 64 << 10, &found));
    assert_int_equal(rests_left, 0);
    assert_int_equal(found.levels, 0);
    rests_left = UINT_MAX;
    machine_close(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_levels_of_a_p6),
                                       cmocka_unit_test(ways_that_are_no_power_of_two),
                                       cmocka_unit_test(twice_as_large),
                                       cmocka_unit_test(more_ways_before_than_behind),
                                       cmocka_unit_test(exclusive_counts_both),
                                       cmocka_unit_test(fifo_has_ways_too_many),
                                       cmocka_unit_test(fifo_keeps_an_order),
                                       cmocka_unit_test(a_near_level_is_not_seen),
                                       cmocka_unit_test(without_larger_pages_one_level),
                                       cmocka_unit_test(an_array_that_is_too_small),
                                       cmocka_unit_test(compact_as_in_theorem_1),
                                       cmocka_unit_test(time_is_counted_as_published),
                                       cmocka_unit_test(skipping_is_obeyed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
