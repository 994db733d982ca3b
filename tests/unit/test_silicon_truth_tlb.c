// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_truth_tlb.c: TLBs of small machines, worked out by hand. */
#include "tests/unit/truth_bench.h"

/* One TLB more for data: LRU, of `sets` sets by page number modulo their number. */
static struct tlb_description *add_tlb(struct description *description, unsigned level, unsigned pages, unsigned sets,
                                       unsigned ways, unsigned latency)
{
    struct tlb_description *tlb = &description->tlb[description->tlbs++];

    *tlb = (struct tlb_description){.level = level, .holds = HOLDS_DATA, .pages = pages, .latency = latency};
    struct text name = text_in(tlb->name, sizeof tlb->name);
    text_format(&name, "dtlb%u", description->tlbs);
    description->pages |= pages;
    tlb->loads = tlb->stores = true;
    tlb->sector = tlb->coalesce = 1;
    tlb->shape.ways = ways;
    tlb->shape.index = (struct index){.kind = INDEX_MODULO, .sets = sets};
    assert_true(policy_parse(&tlb->shape.policy, "LRU"));
    description->walker.overhead = 20;
    description->walker.count = description->walker.from_level = 1;
    return tlb;
}

static void expect_shape(struct truths *truths, const char *name, double entries, double ways, double sets)
{
    static const char *const what[] = {"entries", "ways", "sets"};
    const double value[] = {entries, ways, sets};

    for (unsigned i = 0; i < 3; i++) {
        char id[28];
        struct text text = text_in(id, sizeof id);
        text_format(&text, "%s.%s", name, what[i]);
        expect_equal(truths, id, value[i]);
        assert_false(truth_of(truths, id).optional);
    }
}

static void expect_none(struct truths *truths, const char *name)
{
    static const char *const what[] = {"entries", "ways", "sets", "bits", "penalty"};

    for (unsigned i = 0; i < 5; i++) {
        char id[28];
        struct text text = text_in(id, sizeof id);
        if (name[4] == '1' && i == 4)
            continue; /* no such question */
        text_format(&text, "%s.%s", name, what[i]);
        expect_absent(truths, id);
    }
}

/* 64 entries in 16 sets, and 8 for large pages; 1536 in 128 sets behind them for both. */
static void two_levels(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    add_tlb(description, 1, PAGES_SMALL, 16, 4, 0);
    add_tlb(description, 1, PAGES_LARGE, 1, 8, 0);
    add_tlb(description, 2, PAGES_SMALL | PAGES_LARGE, 128, 12, 9);
    truths = truths_on(description);
    expect_shape(truths, "dtlb1.4k", 64, 4, 16);
    expect_shape(truths, "dtlb2.4k", 1536, 12, 128);
    expect_equal(truths, "dtlb2.4k.bits", 127);
    expect_within(truths, "dtlb2.4k.penalty", 9, 0.5);
    expect_shape(truths, "dtlb1.2m", 8, 8, 1);
    expect_shape(truths, "dtlb2.2m", 1536, 12, 128);
    expect_none(truths, "dtlb3.4k");
    expect_none(truths, "dtlb1.1g");
    expect_none(truths, "dtlb1.16k");
    assert_int_equal(truth_of(truths, "dtlb1.4k.penalty").kind, TRUTH_NONE);
    assert_int_equal(truth_of(truths, "dtlb0.4k.ways").kind, TRUTH_NONE);
    assert_int_equal(truth_of(truths, "dtlb1.4k.lines").kind, TRUTH_NONE);
    assert_int_equal(truth_of(truths, "dtlb1.k.ways").kind, TRUTH_NONE);
    assert_int_equal(truth_of(truths, "dtlb1.4q.ways").kind, TRUTH_NONE);
    assert_int_equal(truth_of(truths, "stlb1.4k.ways").kind, TRUTH_NONE);
    assert_int_equal(truth_of(truths, "itlb1.4k.penalty").kind, TRUTH_NONE);
    expect_none(truths, "itlb1.4k");
    truths_destroy(truths);
}

/* Jumps look in TLBs of code: 64 entries, and 256 behind them that data have, too. As many targets are needed as pages,
 * and so much cache of code that 16 bytes of it are each jump's. */
static void code(void **state)
{
    static const struct {
        uint64_t cache;       /* bytes, of code alone; 0: it is the data's, of 32 KB */
        unsigned target_sets; /* of four ways; 0: every target is known */
        bool first, second;   /* nobody needs to see the level */
    } cases[] = {{0, 0, false, false},   {0, 65, false, false},     {0, 64, false, true},
                 {0, 16, true, true},    {4096, 0, false, true},    {8192, 0, false, false},
                 {1024, 65, true, true}, {8192, 128, false, false}, {1088, 17, false, true}};

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct description *description = plain();
        struct truths *truths;
        add_tlb(description, 1, PAGES_SMALL, 8, 2, 0);
        add_tlb(description, 1, PAGES_SMALL, 16, 4, 0)->holds = HOLDS_CODE;
        add_tlb(description, 2, PAGES_SMALL, 32, 8, 6)->holds = HOLDS_BOTH;
        description->fetch.targets = cases[i].target_sets != 0;
        description->fetch.target_shape = description->tlb[0].shape;
        description->fetch.target_shape.ways = 4;
        description->fetch.target_shape.index.sets = cases[i].target_sets;
        description->cache[0].holds = cases[i].cache ? HOLDS_DATA : HOLDS_BOTH;
        if (cases[i].cache) {
            struct cache_description *cache = &description->cache[description->caches++];
            *cache = description->cache[0];
            text_copy(cache->name, sizeof cache->name, "l1i");
            cache->holds = HOLDS_CODE;
            cache->size = cases[i].cache;
            cache->shape.ways = 1;
            cache->shape.index.sets = cache->size / cache->line;
        }
        truths = truths_on(description);
        expect_equal(truths, "itlb1.4k.entries", 64);
        expect_equal(truths, "itlb1.4k.ways", 4);
        expect_equal(truths, "itlb2.4k.entries", 256);
        expect_equal(truths, "itlb2.4k.sets", 32);
        expect_equal(truths, "dtlb1.4k.entries", 16);
        expect_within(truths, "itlb2.4k.penalty", 6, 0.5);
        assert_int_equal(truth_of(truths, "itlb1.4k.ways").optional, cases[i].first);
        assert_int_equal(truth_of(truths, "itlb2.4k.ways").optional, cases[i].second);
        assert_false(truth_of(truths, "dtlb2.4k.ways").optional);
        truths_destroy(truths);
    }
}

/* Stores' own TLB, code's, and one that is no larger than what lies before it do not count. */
static void tlbs_that_do_not_count(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    add_tlb(description, 1, PAGES_SMALL, 16, 4, 0);
    add_tlb(description, 1, PAGES_SMALL, 1, 16, 0)->loads = false;
    add_tlb(description, 1, PAGES_SMALL, 8, 16, 0)->holds = HOLDS_CODE;
    add_tlb(description, 2, PAGES_SMALL, 1, 64, 5);
    add_tlb(description, 3, PAGES_SMALL, 1, 65, 9);
    truths = truths_on(description);
    expect_shape(truths, "dtlb1.4k", 64, 4, 16);
    expect_shape(truths, "dtlb2.4k", 65, 65, 1);
    expect_within(truths, "dtlb2.4k.penalty", 9, 0.5);
    expect_none(truths, "dtlb3.4k");
    expect_none(truths, "dtlb1.2m");
    truths_destroy(truths);
}

/* A victim TLB counts whatever its size, and what lies behind it has to be larger than both. */
static void victims(void **state)
{
    static const unsigned third[] = {96, 97};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct description *description = plain();
        struct truths *truths;
        add_tlb(description, 1, PAGES_SMALL, 1, 64, 0);
        add_tlb(description, 2, PAGES_SMALL, 1, 32, 5)->victim = true;
        add_tlb(description, 3, PAGES_SMALL, 1, third[i], 9);
        truths = truths_on(description);
        expect_shape(truths, "dtlb2.4k", 32, 32, 1);
        if (i == 0)
            expect_none(truths, "dtlb3.4k");
        else
            expect_shape(truths, "dtlb3.4k", 97, 97, 1);
        truths_destroy(truths);
    }
}

/* Two TLBs of a level for one size: of the same sets they are one of more ways; else only their entries are certain. */
static void several_at_one_level(void **state)
{
    static const unsigned other[] = {128, 64};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct description *description = plain();
        struct truths *truths;
        struct truth ways;
        add_tlb(description, 1, PAGES_SMALL, 16, 4, 0);
        add_tlb(description, 2, PAGES_SMALL | PAGES_LARGE, 128, 8, 7);
        add_tlb(description, 2, PAGES_SMALL, other[i], 8, 7);
        truths = truths_on(description);
        expect_equal(truths, "dtlb2.4k.entries", i == 0 ? 2048 : 1536);
        assert_int_equal(truth_of(truths, "dtlb2.4k.entries").optional, i != 0);
        ways = truth_of(truths, "dtlb2.4k.ways");
        assert_int_equal(ways.kind, i == 0 ? TRUTH_EQUAL : TRUTH_RANGE);
        assert_int_equal(ways.optional, i != 0);
        if (i == 0)
            expect_shape(truths, "dtlb2.4k", 2048, 16, 128);
        assert_int_equal(truth_of(truths, "dtlb2.4k.bits").kind, i == 0 ? TRUTH_EQUAL : TRUTH_RANGE);
        expect_shape(truths, "dtlb1.2m", 1024, 8, 128);
        truths_destroy(truths);
    }
}

/* Large pages that no first level holds meet the second one first; those that are held as pieces may be seen or not, if
 * there is memory for one. */
static void large_pages(void **state)
{
    (void)state;
    for (unsigned huge = 0; huge < 2; huge++) {
        struct description *description = plain();
        struct truths *truths;
        add_tlb(description, 1, PAGES_SMALL, 1, 48, 0);
        add_tlb(description, 2, PAGES_SMALL | PAGES_LARGE, 128, 8, 7);
        add_tlb(description, 3, PAGES_LARGE | PAGES_HUGE, 1, 2000, 9)->splits = true;
        description->memory.span = huge ? UINT64_C(1) << 30 : description->memory.span;
        truths = truths_on(description);
        expect_shape(truths, "dtlb1.2m", 1024, 8, 128);
        expect_shape(truths, "dtlb2.2m", 2000, 2000, 1);
        expect_within(truths, "dtlb2.2m.penalty", 2, 0.5);
        if (huge)
            expect_equal(truths, "dtlb1.1g.entries", 2000);
        else
            expect_none(truths, "dtlb1.1g");
        assert_int_equal(truth_of(truths, "dtlb1.1g.entries").optional, huge);
        assert_int_equal(truth_of(truths, "dtlb1.1g.bits").kind, huge ? TRUTH_RANGE : TRUTH_ABSENT);
        truths_destroy(truths);
    }
}

/* 64 entries of a second level in 8 sets, or 5, by bits that are plain, folded, folded onto one that is there alone
 * (any pages share a set by 0 and 1 then), turned in each way, or of pairs of pages. */
static void bits(void **state)
{
    static const struct {
        uint64_t sets, mask[3];
        int64_t bits; /* -1: none that are plain */
        enum index_kind kind;
        unsigned sector;
    } all[] = {{1, {0}, 0, INDEX_MODULO, 1},          {8, {0}, 7, INDEX_MODULO, 1},     {5, {0}, -1, INDEX_MODULO, 1},
               {8, {1, 2, 512}, 0x203, INDEX_XOR, 1}, {8, {9, 2, 4}, -1, INDEX_XOR, 1}, {8, {3, 2, 4}, 7, INDEX_XOR, 1},
               {8, {1, 2, 4}, -1, INDEX_SKEWED, 1},   {8, {0}, 14, INDEX_MODULO, 2}};

    (void)state;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        struct description *description = plain();
        struct tlb_description *tlb;
        struct truths *truths;
        add_tlb(description, 1, PAGES_SMALL, 4, 2, 0);
        tlb = add_tlb(description, 2, PAGES_SMALL, all[i].sets, 24, 5);
        tlb->sector = all[i].sector;
        tlb->shape.index.kind = all[i].kind;
        tlb->shape.index.bits = all[i].kind == INDEX_MODULO ? 0 : 3;
        tlb->shape.index.skew = all[i].kind == INDEX_SKEWED ? 3 : 0;
        memcpy(tlb->shape.index.mask, all[i].mask, sizeof all[i].mask);
        truths = truths_on(description);
        expect_equal(truths, "dtlb1.4k.bits", 3);
        if (all[i].bits < 0)
            expect_absent(truths, "dtlb2.4k.bits");
        else
            expect_equal(truths, "dtlb2.4k.bits", (double)all[i].bits);
        truths_destroy(truths);
    }
}

/* Large pages apart from small ones in the first level; with them in one of two TLBs behind it, or none. What no first
 * level holds shares its first one with nothing, and small pages share nothing with themselves. */
static void shared(void **state)
{
    (void)state;
    for (unsigned with = 0; with < 2; with++) {
        struct description *description = plain();
        struct truths *truths;
        add_tlb(description, 1, PAGES_SMALL, 16, 4, 0);
        add_tlb(description, 1, PAGES_LARGE, 1, 8, 0);
        add_tlb(description, 2, PAGES_SMALL, 128, 8, 7);
        add_tlb(description, 2, PAGES_LARGE | PAGES_HUGE | (with ? PAGES_SMALL : 0), 128, 8, 7);
        add_tlb(description, 2, PAGES_SMALL, 128, 8, 7)->loads = false;
        description->memory.span = UINT64_C(1) << 30;
        truths = truths_on(description);
        expect_equal(truths, "dtlb1.2m.shared", 0);
        expect_equal(truths, "dtlb2.2m.shared", with);
        expect_equal(truths, "dtlb1.1g.shared", 0);
        expect_absent(truths, "dtlb2.1g.shared");
        expect_absent(truths, "dtlb3.2m.shared");
        assert_int_equal(truth_of(truths, "dtlb1.4k.shared").kind, TRUTH_NONE);
        assert_false(truth_of(truths, "dtlb2.2m.shared").optional);
        truths_destroy(truths);
    }
}

/* An entry of the first level is of four small pages, one of the second of each page by itself; large pages are kept
 * whole, and huge ones as large ones. */
static void entries_of_several_pages(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    add_tlb(description, 1, PAGES_SMALL, 16, 4, 0)->coalesce = 4;
    add_tlb(description, 1, PAGES_LARGE | PAGES_HUGE, 1, 8, 0)->splits = true;
    add_tlb(description, 2, PAGES_SMALL | PAGES_LARGE, 128, 8, 7);
    description->memory.span = UINT64_C(1) << 30;
    truths = truths_on(description);
    expect_equal(truths, "dtlb1.4k.run", 4);
    expect_equal(truths, "dtlb1.4k.aligned", 1);
    expect_equal(truths, "dtlb2.4k.run", 1);
    expect_equal(truths, "dtlb1.2m.split", 0);
    expect_equal(truths, "dtlb1.1g.split", 1);
    assert_false(truth_of(truths, "dtlb1.4k.run").optional);
    assert_false(truth_of(truths, "dtlb1.1g.split").optional);
    expect_absent(truths, "dtlb3.4k.run");
    assert_int_equal(truth_of(truths, "dtlb2.4k.aligned").kind, TRUTH_NONE);
    assert_int_equal(truth_of(truths, "dtlb1.2m.run").kind, TRUTH_NONE);
    assert_int_equal(truth_of(truths, "dtlb1.4k.split").kind, TRUTH_NONE);
    assert_int_equal(truth_of(truths, "dtlb2.2m.split").kind, TRUTH_NONE);
    assert_int_equal(truth_of(truths, "itlb1.4k.run").kind, TRUTH_NONE);
    truths_destroy(truths);
}

/* The pages of a sector come one by one; of two TLBs that differ one or the other is met; what victims are is nobody's
 * to say. */
static void entries_that_differ(void **state)
{
    struct description *description = plain();
    struct truths *truths;
    struct truth truth;

    (void)state;
    add_tlb(description, 1, PAGES_SMALL, 16, 4, 0)->sector = 4;
    add_tlb(description, 2, PAGES_SMALL, 128, 8, 7)->coalesce = 8;
    add_tlb(description, 2, PAGES_SMALL, 128, 8, 7)->coalesce = 2;
    add_tlb(description, 3, PAGES_SMALL, 1, 16, 9)->victim = true;
    truths = truths_on(description);
    expect_equal(truths, "dtlb1.4k.run", 1);
    expect_absent(truths, "dtlb1.4k.aligned");
    truth = truth_of(truths, "dtlb2.4k.run");
    assert_int_equal(truth.kind, TRUTH_RANGE);
    assert_true(truth.optional && truth.low == 2 && truth.high == 8);
    assert_true(truth_of(truths, "dtlb3.4k.run").optional);
    truths_destroy(truths);
}

/* A level that is smaller than the one before it is none for a row of pages, but what the first one gave up early may
 * be found there: if its entries are told, they are for so many pages. */
static void entries_of_a_smaller_level(void **state)
{
    struct description *description = plain();
    struct truths *truths;

    (void)state;
    add_tlb(description, 1, PAGES_SMALL, 16, 4, 0);
    add_tlb(description, 2, PAGES_SMALL, 8, 4, 7)->coalesce = 2;
    truths = truths_on(description);
    expect_absent(truths, "dtlb2.4k.entries");
    expect_equal(truths, "dtlb2.4k.run", 2);
    assert_true(truth_of(truths, "dtlb2.4k.run").optional);
    expect_absent(truths, "dtlb3.4k.run");
    truths_destroy(truths);
}

/* A level that costs no more than the one before it, or no less than a walk, nobody needs to see. */
static void levels_that_cost_nothing(void **state)
{
    static const unsigned cycles[] = {0, 1, 23, 24};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct description *description = plain();
        struct truths *truths;
        add_tlb(description, 1, PAGES_SMALL, 16, 4, 0);
        add_tlb(description, 2, PAGES_SMALL, 128, 8, cycles[i]);
        truths = truths_on(description); /* a walk takes 20 cycles and a hit of 4 at least */
        expect_equal(truths, "dtlb2.4k.entries", 1024);
        assert_int_equal(truth_of(truths, "dtlb2.4k.entries").optional, i == 0 || i == 3);
        assert_false(truth_of(truths, "dtlb1.4k.entries").optional);
        truths_destroy(truths);
    }
}

static void no_tlbs(void **state)
{
    struct truths *truths = truths_on(plain());

    (void)state;
    expect_none(truths, "dtlb1.4k");
    truths_destroy(truths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_levels),
        cmocka_unit_test(code),
        cmocka_unit_test(tlbs_that_do_not_count),
        cmocka_unit_test(victims),
        cmocka_unit_test(several_at_one_level),
        cmocka_unit_test(large_pages),
        cmocka_unit_test(bits),
        cmocka_unit_test(shared),
        cmocka_unit_test(entries_of_several_pages),
        cmocka_unit_test(entries_that_differ),
        cmocka_unit_test(entries_of_a_smaller_level),
        cmocka_unit_test(levels_that_cost_nothing),
        cmocka_unit_test(no_tlbs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
