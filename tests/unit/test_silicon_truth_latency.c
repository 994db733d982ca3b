// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_truth_latency.c: which levels loads meet on small machines, and how long they take, worked out by hand.
 */
#include "base/random.h"
#include "tests/unit/truth_bench.h"

static void an_inclusive_level(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    add_cache(description, 256 * KB, 8, 12, INCLUSION_INCLUSIVE);
    add_cache(description, 2048 * KB, 16, 40, INCLUSION_INCLUSIVE);
    truths = truths_on(description);
    expect_equal(truths, "latency.levels", 3);
    expect_within(truths, "l1d.latency", 4, 0.5);
    expect_within(truths, "l2.latency", 12, 0.5);
    expect_within(truths, "l3.latency", 40, 0.8);
    expect_within(truths, "l3.latency.ns", 40, 1.2);
    expect_within(truths, "mem.latency", 100, 2);
    expect_absent(truths, "l4.latency");
    truths_destroy(truths);
}

/* 16 KB or 32 KB behind 32 KB: together with them that is more if the cache is exclusive, and nothing if it is not. It
 * does not matter how many clean victims it takes in: what was written it always does. */
static void levels_that_hold_no_more(void **state)
{
    (void)state;
    for (unsigned size = 16; size <= 32; size += 16) {
        for (unsigned permille = 0; permille <= 1000; permille += 500) {
            struct description *description = plain();
            struct truths *truths;
            add_cache(description, size * KB, 8, 12, INCLUSION_EXCLUSIVE)->keeps_permille = permille;
            truths = truths_on(description);
            expect_equal(truths, "latency.levels", 2);
            expect_within(truths, "l2.latency", 12, 0.5);
            truths_destroy(truths);
        }
        struct description *description = plain();
        struct truths *truths;
        add_cache(description, size * KB, 8, 12, INCLUSION_NEITHER);
        add_cache(description, 256 * KB, 8, 30, INCLUSION_NEITHER);
        truths = truths_on(description);
        expect_equal(truths, "latency.levels", 2);
        expect_within(truths, "l2.latency", 30, 0.6);
        truths_destroy(truths);
    }
}

/* A victim buffer of 8 lines, any way for any of them. */
static void a_handful_of_victims(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    add_cache(description, 512, 8, 6, INCLUSION_EXCLUSIVE);
    truths = truths_on(description);
    expect_equal(truths, "latency.levels", 2);
    expect_within(truths, "l2.latency", 6, 0.5);
    truths_destroy(truths);
}

/* A ring of four slices: from core 0, its own, two beside it, and one two steps away: one step on average. */
static void slices_on_a_ring(void **state)
{
    struct description *description = plain();
    struct cache_description *cache = add_cache(description, 256 * KB, 8, 12, INCLUSION_INCLUSIVE);
    struct truths *truths;

    (void)state;
    cache->slices = (struct slices){.kind = SLICE_XOR, .count = 4, .bits = 2, .mask = {0x55550000, 0xaaaa0000}};
    cache->slice_step = 3;
    cache->shape.index.sets /= 4;
    truths = truths_on(description);
    expect_about(truths, "l2.latency", 15, 0.1);
    truths_destroy(truths);
}

/* One bit, the highest of the memory, chooses; and a sequence gives one slice of two a quarter of the lines. */
static void slices_of_unequal_kinds(void **state)
{
    struct description *description = plain();
    struct cache_description *cache = add_cache(description, 256 * KB, 8, 12, INCLUSION_INCLUSIVE);
    struct truths *truths;

    (void)state;
    cache->slices = (struct slices){.kind = SLICE_XOR, .count = 2, .bits = 1, .mask = {1 << 25}};
    cache->slice_step = 4;
    cache->shape.index.sets /= 2;
    truths = truths_on(description);
    expect_about(truths, "l2.latency", 14, 0.1);
    truths_destroy(truths);

    description = plain();
    cache = add_cache(description, 256 * KB, 8, 12, INCLUSION_INCLUSIVE);
    cache->slices = (struct slices){.kind = SLICE_SEQUENCE, .count = 2, .length = 4, .sequence = {0, 0, 1, 0}};
    cache->slice_step = 4;
    cache->shape.index.sets /= 2;
    truths = truths_on(description);
    expect_about(truths, "l2.latency", 13, 0.1);
    truths_destroy(truths);
}

/* Of each 64 sets one leads for each of two policies. */
static void add_duel(struct array_shape *shape)
{
    shape->duel = (struct duel){.leaders = 1, .first_leader = {1}, .second_leader = {2}, .period = 64};
    shape->duel.counter_most = 1023;
    assert_true(policy_parse(&shape->policy, "QLRU_H11_M1_R0_U0") && policy_parse(&shape->duel.second, "RANDOM"));
}

/* A way predictor's mistakes, banks, sectors, lines of two lengths, virtual indexes, directories, write-through, duels,
 * another core: a load that hits takes what it takes. */
static void what_makes_no_difference(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 13; kind++) {
        struct description *description = plain();
        struct cache_description *near = &description->cache[0];
        struct cache_description *far = add_cache(description, 256 * KB, 8, 12, INCLUSION_NEITHER);
        struct truths *truths;
        if (kind == 0)
            near->folds = 1, near->fold[0] = 0x55000, near->fold_latency = 11;
        if (kind == 1)
            near->banks = 8;
        if (kind == 2)
            near->sector = 16;
        if (kind == 3)
            far->line = far->sector = 256, far->shape.index.sets /= 4;
        if (kind == 4)
            far->line = 128, far->shape.index.sets /= 2;
        if (kind == 5)
            near->virtual_index = true, near->shape.ways = 2, near->shape.index.sets = 256;
        if (kind == 6) {
            far->directory = true;
            far->directory_shape = far->shape;
        }
        if (kind == 7)
            near->write_through = near->no_write_allocate = true;
        if (kind == 9)
            far->inclusion = INCLUSION_EXCLUSIVE, far->line = far->sector = 256, far->shape.index.sets /= 4;
        if (kind == 10)
            far->size = 240ULL * KB, far->shape.index.sets = 480;
        if (kind == 11)
            add_duel(&far->shape);
        if (kind == 12)
            description->cores = far->shared_by = 2;
        if (kind == 8)
            far->inclusion = INCLUSION_EXCLUSIVE, far->keeps_hits = true;
        truths = truths_on(description);
        expect_equal(truths, "latency.levels", 2);
        expect_within(truths, "l1d.latency", 4, 0.5);
        expect_within(truths, "l2.latency", 12, 0.5);
        expect_within(truths, "mem.latency", 100, 2);
        truths_destroy(truths);
    }
}

/* Each way of the first level has sets of its own. */
static void a_skewed_level(void **state)
{
    struct description *description = plain();
    struct index *index = &description->cache[0].shape.index;
    struct truths *truths;

    (void)state;
    add_cache(description, 256 * KB, 8, 12, INCLUSION_NEITHER);
    index->kind = INDEX_SKEWED;
    index->bits = 6;
    index->skew = 3;
    for (unsigned i = 0; i < 6; i++)
        index->mask[i] = UINT64_C(0x41) << i;
    truths = truths_on(description);
    expect_equal(truths, "l1d.ways", 8);
    expect_equal(truths, "latency.levels", 2);
    expect_within(truths, "l1d.latency", 4, 0.5);
    expect_within(truths, "l2.latency", 12, 0.5);
    truths_destroy(truths);
}

/* Where 2 % of it are more than what a level takes longer than the one before, or memory than a level, it is none; the
 * next one takes its number. */
static void levels_that_look_alike(void **state)
{
    for (unsigned third = 61; third <= 62; third++) {
        struct description *description = plain();
        struct truths *truths;
        (void)state;
        add_cache(description, 64 * KB, 8, 60, INCLUSION_NEITHER);
        add_cache(description, 256 * KB, 8, third, INCLUSION_NEITHER);
        add_cache(description, 1024 * KB, 8, 90, INCLUSION_NEITHER);
        add_cache(description, 4096 * KB, 8, 98, INCLUSION_NEITHER);
        truths = truths_on(description);
        expect_equal(truths, "latency.levels", third == 61 ? 3 : 4);
        expect_within(truths, "l2.latency", 60, 1.2);
        expect_within(truths, "l3.latency", third == 61 ? 90 : 62, third == 61 ? 1.8 : 1.24);
        if (third == 61)
            expect_absent(truths, "l4.latency");
        expect_absent(truths, "l5.latency");
        truths_destroy(truths);
    }
}

/* 1 MB of memory goes beyond 32 KB, and never beyond 768 KB twice. Memory itself is always there. */
static void levels_that_memory_does_not_reach(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    description->pages = PAGES_SMALL;
    description->memory.span = 1 << 20;
    add_cache(description, 768 * KB, 12, 12, INCLUSION_NEITHER);
    add_cache(description, 4096 * KB, 8, 40, INCLUSION_NEITHER);
    truths = truths_on(description);
    expect_equal(truths, "latency.levels", 2);
    expect_within(truths, "l2.latency", 12, 0.5);
    expect_absent(truths, "l3.latency");
    expect_within(truths, "mem.latency", 100, 2);
    truths_destroy(truths);
}

/* 64 MB are 16384 rows: two loads on end out of 4096 rows of a bank all but never meet one. */
static void rows_of_memory(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    description->memory.banks = 4;
    description->memory.row = 4096;
    description->memory.row_miss = 40;
    truths = truths_on(description);
    expect_about(truths, "mem.latency", 140, 0.05);
    truths_destroy(truths);
}

/* A refresh takes the last 100 of each 1000 cycles. Loads of 300 cycles begin at 0, 300, 600 and 900; the last one
 * waits for 100 and ends at 300: 1000 cycles for each three. With one bank of rows, a load takes 260 and 40 to change
 * the row, or 20 to open one after a refresh. From 280 on, loads begin at 580, 880, 180 (opens), 460, 760, 60 (opens),
 * 340, 640 and 940 (waits for 60 and opens) and end at 280 again: ten loads in three periods. */
static void refresh_of_memory(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    description->memory.latency = 300;
    description->memory.refresh_period = 1000;
    description->memory.refresh_length = 100;
    truths = truths_on(description);
    expect_about(truths, "mem.latency", 1000. / 3, 0.01);
    truths_destroy(truths);

    description = plain();
    description->memory.latency = 260;
    description->memory.refresh_period = 1000;
    description->memory.refresh_length = 100;
    description->memory.banks = 1;
    description->memory.row = 4096;
    description->memory.row_miss = 40;
    truths = truths_on(description);
    expect_about(truths, "mem.latency", 300, 0.05);
    truths_destroy(truths);
}

/* Where memory is as quick as the cache, and where there is no cache, there is no level, and nobody must say so. */
static void a_flat_machine(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    description->memory.latency = 4;
    truths = truths_on(description);
    expect_equal(truths, "latency.levels", 0);
    assert_true(truth_of(truths, "latency.levels").optional);
    expect_within(truths, "l1d.latency", 4, 0.5);
    expect_within(truths, "mem.latency", 4, 0.5);
    truths_destroy(truths);

    description = plain();
    description->caches = 0;
    description->walker.from_level = 0;
    truths = truths_on(description);
    expect_equal(truths, "latency.levels", 0);
    expect_absent(truths, "l1d.latency");
    expect_absent(truths, "l1d.size");
    expect_within(truths, "mem.latency", 100, 2);
    truths_destroy(truths);
}

/* One size of pages, a TLB that reaches hardly anywhere, a software walker: translation has no part in it. */
static void another_architecture(void **state)
{
    struct description *description = plain();
    struct tlb_description *tlb = &description->tlb[description->tlbs++];
    struct truths *truths;

    (void)state;
    add_cache(description, 1024 * KB, 1, 12, INCLUSION_NEITHER);
    description->x86 = false;
    description->levels = 3;
    description->page_shift = 13;
    description->page_bits = 10;
    description->pages = PAGES_SMALL;
    strcpy(tlb->name, "dtlb1");
    tlb->level = 1;
    tlb->holds = HOLDS_DATA;
    tlb->pages = PAGES_SMALL;
    tlb->loads = tlb->stores = true;
    tlb->sector = tlb->coalesce = 1;
    tlb->shape = (struct array_shape){.index.sets = 1, .ways = 4};
    assert_true(policy_parse(&tlb->shape.policy, "LRU"));
    description->walker.fixed = 40;
    truths = truths_on(description);
    expect_equal(truths, "latency.levels", 2);
    expect_within(truths, "l2.latency", 12, 0.5);
    expect_within(truths, "mem.latency", 100, 2);
    assert_int_equal(truth_of(truths, "latency.8k.sizes").kind, TRUTH_RANGE);
    expect_absent(truths, "latency.4k.sizes");
    truths_destroy(truths);
}

/* What the file says, and the mean distance of the slices of many addresses, for machines that nobody thought of. */
static void random_machines_by_arithmetic(void **state)
{
    struct description *description = calloc(1, sizeof *description);

    (void)state;
    assert_non_null(description);
    for (uint64_t seed = 1; seed <= 25; seed++) {
        uint64_t before = 0;
        unsigned levels = 0;
        struct truths *truths;
        description_random(description, seed);
        truths = truths_create(description);
        assert_non_null(truths);
        for (unsigned i = 0; i < description->caches; i++) {
            const struct cache_description *cache = &description->cache[i];
            uint64_t holds = cache->size + (cache->inclusion == INCLUSION_EXCLUSIVE ? before : 0), steps = 0;
            char buffer[28];
            struct text id = text_in(buffer, sizeof buffer);
            if (!(cache->holds & HOLDS_DATA) || holds <= before)
                continue;
            struct random random = {seed};
            for (unsigned j = 0; j < 100000; j++) {
                uint64_t pa = random_below(&random, description->memory.span);
                unsigned slice = cache->slices.count > 1 ? slice_of(&cache->slices, pa) : 0;
                steps += slice <= cache->slices.count / 2 ? slice : cache->slices.count - slice;
            }
            levels++;
            text_format(&id, levels == 1 ? "l1d.latency" : "l%u.latency", levels);
            expect_about(truths, buffer, cache->latency + cache->slice_step * (double)steps / 100000, 0.1);
            before = holds;
        }
        expect_equal(truths, "latency.levels", levels);
        truths_destroy(truths);
    }
    free(description);
}

/* Neither noise nor a prefetcher has a part in it, with a switch or without. */
static void truth_is_quiet(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    assert_true(description_disturb(description, "hostile"));
    add_cache(description, 256 * KB, 8, 12, INCLUSION_NEITHER);
    description->prefetchers = 2;
    description->prefetcher[1] =
        (struct prefetcher_description){.kind = PREFETCH_NEXT_LINE, .watches = 1, .into = 1, .ahead = 2};
    description->prefetcher[0] = (struct prefetcher_description){
        .kind = PREFETCH_ADJACENT, .watches = 1, .into = 1, .ahead = 1, .msr = 0x1a4, .bit = 1};
    truths = truths_on(description);
    expect_within(truths, "l1d.latency", 4, 0.5);
    expect_within(truths, "l2.latency", 12, 0.5);
    expect_within(truths, "mem.latency", 100, 2);
    truths_destroy(truths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_inclusive_level),
        cmocka_unit_test(levels_that_hold_no_more),
        cmocka_unit_test(a_handful_of_victims),
        cmocka_unit_test(slices_on_a_ring),
        cmocka_unit_test(slices_of_unequal_kinds),
        cmocka_unit_test(what_makes_no_difference),
        cmocka_unit_test(a_skewed_level),
        cmocka_unit_test(levels_that_look_alike),
        cmocka_unit_test(levels_that_memory_does_not_reach),
        cmocka_unit_test(rows_of_memory),
        cmocka_unit_test(refresh_of_memory),
        cmocka_unit_test(a_flat_machine),
        cmocka_unit_test(another_architecture),
        cmocka_unit_test(random_machines_by_arithmetic),
        cmocka_unit_test(truth_is_quiet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
