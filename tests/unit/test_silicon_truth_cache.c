// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_truth_cache.c: lines, sectors, inclusion, write policy and index of small machines, worked out by hand.
 */
#include "tests/unit/truth_bench.h"

static void expect_optional(struct truths *truths, const char *id, double value, bool optional)
{
    expect_equal(truths, id, value);
    assert_int_equal(truth_of(truths, id).optional, optional);
}

/* Nobody can tell: any answer is right, and none is. */
static void expect_either(struct truths *truths, const char *id)
{
    struct truth truth = truth_of(truths, id);

    assert_int_equal(truth.kind, TRUTH_RANGE);
    assert_true(truth.optional && truth.low == 0 && truth.high == 1);
}

static void lines_and_sectors(void **state)
{
    struct truths *truths = truths_on(plain());
    struct description *description = plain();
    struct cache_description *far;

    (void)state;
    expect_equal(truths, "l1d.sector", 64);
    expect_absent(truths, "l2.line");
    expect_absent(truths, "l2.sector");
    truths_destroy(truths);
    /* A first level of sectors of 16; a second one of lines of 128, as long as its sectors. */
    description->cache[0].sector = 16;
    far = add_cache(description, 256 * KB, 8, 12, INCLUSION_NEITHER);
    far->line = far->sector = 128;
    far->shape.index.sets /= 2;
    truths = truths_on(description);
    expect_equal(truths, "l1d.line", 64);
    expect_equal(truths, "l1d.sector", 16);
    expect_equal(truths, "l2.line", 128);
    expect_equal(truths, "l2.sector", 128);
    truths_destroy(truths);
}

/* A level fills no less than what a nearer one takes at once; an exclusive one gets just that. */
static void sectors_of_further_levels(void **state)
{
    static const unsigned sector[] = {32, 64, 128, 256}, filled[] = {64, 64, 128, 256};

    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        struct description *description = plain();
        struct cache_description *far =
            add_cache(description, 256 * KB, 8, 12, i < 4 ? INCLUSION_NEITHER : INCLUSION_EXCLUSIVE);
        struct truths *truths;
        far->line = 256;
        far->sector = i < 4 ? sector[i] : 256;
        far->shape.index.sets /= 4;
        description->cache[0].sector = i < 5 ? 64 : 16;
        truths = truths_on(description);
        expect_equal(truths, "l2.line", 256);
        expect_equal(truths, "l2.sector", i < 4 ? filled[i] : i < 5 ? 64 : 16);
        truths_destroy(truths);
    }
}

/* What does not count is passed over: 16 KB behind 32 KB, inclusive or with longer lines or not. */
static void levels_that_do_not_count(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    add_cache(description, 16 * KB, 8, 8, INCLUSION_NEITHER);
    add_cache(description, 256 * KB, 8, 30, INCLUSION_INCLUSIVE)->line = 128;
    description->cache[2].sector = 128;
    description->cache[2].shape.index.sets /= 2;
    truths = truths_on(description);
    expect_equal(truths, "l2.line", 128);
    expect_equal(truths, "l2.inclusive", 1);
    expect_equal(truths, "l2.exclusive", 0);
    expect_absent(truths, "l3.inclusive");
    expect_absent(truths, "l3.line");
    truths_destroy(truths);
}

static void inclusion(void **state)
{
    static const enum inclusion kinds[] = {INCLUSION_NEITHER, INCLUSION_INCLUSIVE, INCLUSION_EXCLUSIVE};

    (void)state;
    for (unsigned second = 0; second < 3; second++)
        for (unsigned third = 0; third < 3; third++) {
            struct description *description = plain();
            struct truths *truths;
            add_cache(description, 256 * KB, 8, 12, kinds[second]);
            add_cache(description, 2048 * KB, 16, 40, kinds[third]);
            truths = truths_on(description);
            expect_optional(truths, "l2.inclusive", second == 1, false);
            expect_optional(truths, "l2.exclusive", second == 2, false);
            expect_optional(truths, "l3.inclusive", third == 1, false);
            expect_optional(truths, "l3.exclusive", third == 2, false);
            truths_destroy(truths);
        }
}

/* Keeping what a load hits is not exclusive; taking some clean victims is, for whoever sees it. */
static void exclusive_more_or_less(void **state)
{
    (void)state;
    for (unsigned permille = 0; permille <= 1000; permille += 500)
        for (unsigned keeps = 0; keeps < 2; keeps++) {
            struct description *description = plain();
            struct cache_description *far = add_cache(description, 256 * KB, 8, 12, INCLUSION_EXCLUSIVE);
            struct truths *truths;
            far->keeps_permille = permille;
            far->keeps_hits = keeps;
            truths = truths_on(description);
            expect_optional(truths, "l2.exclusive", !keeps, permille < 1000);
            expect_optional(truths, "l2.inclusive", 0, false);
            truths_destroy(truths);
        }
}

/* A first level of one way and so many sets before 64 sets of 8 ways: where its sets follow from theirs, it has lost a
 * line before they do, whatever they do about it. */
static void lines_that_are_gone_before(void **state)
{
    (void)state;
    for (unsigned sets = 32; sets <= 128; sets *= 2)
        for (unsigned inclusive = 0; inclusive < 2; inclusive++) {
            struct description *description = plain();
            struct cache_description *near = &description->cache[0];
            struct truths *truths;
            near->shape.ways = 1;
            near->shape.index.sets = sets;
            near->size = 64ULL * sets;
            add_cache(description, 32 * KB, 8, 12, inclusive ? INCLUSION_INCLUSIVE : INCLUSION_NEITHER);
            truths = truths_on(description);
            if (sets <= 64)
                expect_either(truths, "l2.inclusive");
            else
                expect_optional(truths, "l2.inclusive", inclusive, false);
            truths_destroy(truths);
        }
}

/* Two ways keep one line while the others go through the other way. Under FIFO they do not, and LRU behind them knows a
 * line that came again as a new one. A view chooses the set that a virtual index leads to. A policy that draws lots may
 * lose any line at any time. */
static void lines_that_can_be_kept(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 5; kind++) {
        struct description *description = plain();
        struct cache_description *near = &description->cache[0], *far;
        struct truths *truths;
        near->shape.ways = kind == 2 ? 1 : 2;
        near->shape.index.sets = kind == 2 ? 256 : 64;
        near->size = 64 * near->shape.ways * near->shape.index.sets;
        far = add_cache(description, 256 * KB, 16, 12, INCLUSION_NEITHER);
        near->virtual_index = kind == 2;
        if (kind == 1 || kind == 3)
            assert_true(policy_parse(&near->shape.policy, "FIFO"));
        assert_true(policy_parse(&far->shape.policy, kind >= 3 ? "RANDOM" : "LRU"));
        truths = truths_on(description);
        if (kind == 1)
            expect_either(truths, "l2.inclusive");
        else
            expect_optional(truths, "l2.inclusive", 0, false);
        truths_destroy(truths);
    }
}

/* All lines of a set of the third level share one of the second and one of the first. The second is inclusive, and has
 * lost any of them when the first has not yet; but lines of other sets push it out of the first alone, so that it is
 * used in the second, and stays there. */
static void lines_that_can_be_kept_with_help(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    add_cache(description, 64 * KB, 4, 12, INCLUSION_INCLUSIVE);
    add_cache(description, 256 * KB, 16, 40, INCLUSION_NEITHER);
    truths = truths_on(description);
    expect_optional(truths, "l3.inclusive", 0, false);
    truths_destroy(truths);
}

/* 1 MB of memory pushes nothing out of a level of 4 MB. */
static void memory_that_pushes_nothing_out(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    add_cache(description, 4096 * KB, 16, 12, INCLUSION_INCLUSIVE);
    description->memory.span = 1 << 20;
    description->pages = PAGES_SMALL;
    truths = truths_on(description);
    expect_either(truths, "l2.inclusive");
    expect_equal(truths, "l2.exclusive", 0);
    truths_destroy(truths);
}

static void write_policies(void **state)
{
    struct description *description;
    struct truths *truths;

    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) {
        description = plain();
        description->cache[0].no_write_allocate = kind & 1;
        description->cache[0].write_through = kind & 2;
        truths = truths_on(description);
        expect_optional(truths, "l1d.write_allocate", !(kind & 1), false);
        expect_optional(truths, "l1d.write_back", !(kind & 2), false);
        truths_destroy(truths);
    }
    /* A cache as slow as memory: no answer is right, too. No cache: there is none. */
    description = plain();
    description->cache[0].latency = 100;
    truths = truths_on(description);
    expect_optional(truths, "l1d.write_allocate", 1, true);
    expect_optional(truths, "l1d.write_back", 1, true);
    truths_destroy(truths);
    description = plain();
    description->caches = 0;
    truths = truths_on(description);
    expect_absent(truths, "l1d.write_allocate");
    expect_absent(truths, "l1d.write_back");
    expect_absent(truths, "l1d.virtual_index");
    expect_absent(truths, "l1d.sector");
    expect_absent(truths, "l1d.latency.float");
    truths_destroy(truths);
}

/* Ways of 4 KB lie inside a page of 4 KB, whatever the file says; of 8 KB do not, but in one of 8 KB. 48 sets of 64
 * bytes are fewer than a page has lines, and go by all bits of the address. */
static void virtual_indexes(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 8; kind++) {
        struct description *description = plain();
        struct cache_description *cache = &description->cache[0];
        struct truths *truths;
        cache->virtual_index = kind & 1;
        cache->shape.index.sets = kind / 2 == 0 ? 64 : kind / 2 == 3 ? 48 : 128;
        cache->size = 64 * 8 * cache->shape.index.sets;
        if (kind / 2 == 2) {
            description->x86 = false;
            description->page_shift = 13;
        }
        truths = truths_on(description);
        if (kind / 2 == 1 || kind / 2 == 3)
            expect_optional(truths, "l1d.virtual_index", kind & 1, kind / 2 == 3);
        else
            expect_absent(truths, "l1d.virtual_index");
        truths_destroy(truths);
    }
}

static void loads_of_other_forms(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    description->load_32 = 1;
    description->load_indexed = 2;
    description->load_float = 25;
    add_cache(description, 256 * KB, 8, 12, INCLUSION_NEITHER);
    truths = truths_on(description);
    expect_within(truths, "l1d.latency", 4, 0.5);
    expect_within(truths, "l1d.latency.32", 5, 0.5);
    expect_within(truths, "l1d.latency.indexed", 6, 0.5);
    expect_within(truths, "l1d.latency.float", 29, 0.58);
    expect_within(truths, "l1d.latency.ns", 4, 0.54);
    truths_destroy(truths);
}

static void ids_that_nobody_knows(void **state)
{
    static const char *const unknown[] = {"l1d.inclusive",
                                          "l1d.exclusive",
                                          "l2.write_back",
                                          "l2.virtual_index",
                                          "l1d.latency.16",
                                          "l2.latency.32",
                                          "mem.latency.32",
                                          "l1.sector",
                                          "l9.line",
                                          "l2.inclusiv",
                                          "l2.inclusive.",
                                          "l1d.latency.",
                                          "l1d.write-back",
                                          "l1d",
                                          "l",
                                          "l2",
                                          "l1d.latency.32.ns"};
    struct truths *truths = truths_on(plain());

    (void)state;
    for (unsigned i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_int_equal(truth_of(truths, unknown[i]).kind, TRUTH_NONE);
    truths_destroy(truths);
}

/* Walks are timed about levels that are there, however many. */
static void curves_of_levels(void **state)
{
    static const char *const unknown[] = {"penalty.l1.sizes", "penalty.l2.even", "penalty.l2", "penalty.",
                                          "penalty.l9.sizes"};
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    add_cache(description, 256 * KB, 8, 12, INCLUSION_NEITHER);
    truths = truths_on(description);
    assert_int_equal(truth_of(truths, "penalty.l1d.sizes").kind, TRUTH_RANGE);
    assert_int_equal(truth_of(truths, "penalty.l2.sizes").kind, TRUTH_RANGE);
    assert_true(truth_of(truths, "penalty.l2.sizes").low == 1 && !truth_of(truths, "penalty.l2.sizes").optional);
    expect_absent(truths, "penalty.l3.sizes");
    for (unsigned i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_int_equal(truth_of(truths, unknown[i]).kind, TRUTH_NONE);
    truths_destroy(truths);
}

/* Ten about the first level and six about each further one, all different, all with a truth. */
static void ids_that_are_listed(void **state)
{
    struct description *description = plain();
    struct truths *truths;
    char id[28], other[28];
    unsigned count = 0;

    (void)state;
    description->cache[0].shape.ways = 4;
    description->cache[0].shape.index.sets = 128;
    add_cache(description, 256 * KB, 8, 12, INCLUSION_NEITHER);
    add_cache(description, 2048 * KB, 8, 40, INCLUSION_NEITHER);
    description->cache[0].virtual_index = true;
    truths = truths_on(description);
    for (; truth_cache_id(truths, count, id); count++) {
        enum truth_kind kind = truth_of(truths, id).kind;
        assert_true(kind == TRUTH_EQUAL || kind == TRUTH_WITHIN);
        for (unsigned i = 0; i < count; i++) {
            assert_true(truth_cache_id(truths, i, other));
            assert_string_not_equal(id, other);
        }
    }
    assert_int_equal(count, 10 + 2 * 6);
    truths_destroy(truths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_sectors),
        cmocka_unit_test(curves_of_levels),
        cmocka_unit_test(sectors_of_further_levels),
        cmocka_unit_test(levels_that_do_not_count),
        cmocka_unit_test(inclusion),
        cmocka_unit_test(exclusive_more_or_less),
        cmocka_unit_test(lines_that_are_gone_before),
        cmocka_unit_test(lines_that_can_be_kept),
        cmocka_unit_test(lines_that_can_be_kept_with_help),
        cmocka_unit_test(memory_that_pushes_nothing_out),
        cmocka_unit_test(write_policies),
        cmocka_unit_test(virtual_indexes),
        cmocka_unit_test(loads_of_other_forms),
        cmocka_unit_test(ids_that_nobody_knows),
        cmocka_unit_test(ids_that_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
