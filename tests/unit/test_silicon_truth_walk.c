// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_truth_walk.c: walks on small machines, worked out by hand. */
#include "tests/unit/truth_bench.h"

enum { OVERHEAD = 20, FIRST = 4, SECOND = 14, MEMORY = 100 };

/* Two levels of cache, a TLB of 16 entries, no page-structure caches. */
static struct description *walking(unsigned from_level)
{
    struct description *description = plain();
    struct tlb_description *tlb = &description->tlb[description->tlbs++];

    add_cache(description, 256 * KB, 8, SECOND, INCLUSION_NEITHER);
    *tlb = (struct tlb_description){.name = "dtlb1", .level = 1, .holds = HOLDS_DATA, .pages = PAGES_SMALL};
    tlb->loads = tlb->stores = true;
    tlb->sector = tlb->coalesce = 1;
    tlb->shape.ways = 16;
    tlb->shape.index = (struct index){.kind = INDEX_MODULO, .sets = 1};
    assert_true(policy_parse(&tlb->shape.policy, "LRU"));
    description->walker = (struct walker_description){.count = 1, .overhead = OVERHEAD, .from_level = from_level};
    return description;
}

static void keep(struct description *description, unsigned level, enum psc_tag tag)
{
    struct psc_description *psc = &description->psc[description->pscs++];

    *psc = (struct psc_description){.level = level, .tag = tag};
    psc->shape = description->tlb[0].shape;
}

static void expect_cycles(struct truths *truths, const char *id, double cycles)
{
    struct truth truth = truth_of(truths, id);

    assert_int_equal(truth.kind, TRUTH_RANGE);
    assert_true(truth.low < cycles && truth.high > cycles);
    assert_true(truth.high - truth.low < 1 + cycles / 20);
}

/* Four loads, of which the first three hit the first level. */
static void nothing_kept(void **state)
{
    struct truths *truths = truths_on(walking(1));

    (void)state;
    expect_equal(truths, "walker.cached_in", 1);
    expect_cycles(truths, "walk.4k.l1", OVERHEAD + 4 * FIRST);
    expect_cycles(truths, "walk.4k.l2", OVERHEAD + 3 * FIRST + SECOND);
    expect_cycles(truths, "walk.4k.mem", OVERHEAD + 3 * FIRST + MEMORY);
    expect_absent(truths, "walk.4k.l3");
    truths_destroy(truths);
}

/* A PDE that is kept by its address spares all three. */
static void kept_by_address(void **state)
{
    struct description *description = walking(1);

    (void)state;
    keep(description, 2, PSC_LINEAR);
    struct truths *truths = truths_on(description);
    expect_cycles(truths, "walk.4k.l1", OVERHEAD + FIRST);
    truths_destroy(truths);
}

/* PDPTEs that are kept by place spare one load each; the walker looks in the second level. */
static void kept_by_place(void **state)
{
    struct description *description = walking(2);

    (void)state;
    keep(description, 3, PSC_PHYSICAL);
    struct truths *truths = truths_on(description);
    expect_equal(truths, "walker.cached_in", 2);
    expect_absent(truths, "walk.4k.l1");
    expect_cycles(truths, "walk.4k.l2", OVERHEAD + 3 * SECOND);
    truths_destroy(truths);
}

static void nothing_to_measure(void **state)
{
    struct description *software = walking(1), *none = walking(1);

    (void)state;
    software->walker.fixed = 40;
    none->tlbs = 0;
    struct truths *truths = truths_on(software);
    expect_absent(truths, "walker.cached_in");
    expect_absent(truths, "walk.4k.mem");
    truths_destroy(truths);
    truths = truths_on(none);
    expect_absent(truths, "walk.4k.l1");
    assert_int_equal(truth_of(truths, "walk.2m.l1").kind, TRUTH_NONE);
    truths_destroy(truths);
}

/* From one number to another, and what latencies may be off by. */
static void expect_range(struct truths *truths, const char *id, double low, double high)
{
    struct truth truth = truth_of(truths, id);

    assert_int_equal(truth.kind, TRUTH_RANGE);
    assert_true(truth.low < low && truth.low > low - 1 - low / 40);
    assert_true(truth.high > high && truth.high < high + 1 + high / 40);
}

/* What drops translations takes what the file says, and two walks at most where it dropped all; a fault takes a walk
 * beside. */
static void costs(void **state)
{
    struct description *description = walking(1);

    (void)state;
    description->invlpg = 120;
    description->set_root = 150;
    description->flush_tlb = 9;
    description->fault = 80;
    struct truths *truths = truths_on(description);
    expect_within(truths, "cost.invlpg", 120, 2.4);
    expect_range(truths, "cost.cr3", 150, 150 + 2 * (OVERHEAD + 4 * FIRST));
    expect_range(truths, "cost.flush_tlb", 9, 9 + 2 * (OVERHEAD + 4 * FIRST));
    expect_cycles(truths, "cost.fault", 80 + OVERHEAD + 3 * FIRST);
    assert_int_equal(truth_of(truths, "cost.wbinvd").kind, TRUTH_NONE);
    truths_destroy(truths);
}

/* Walks that read memory, those by software, and none: then nobody has to be translated again. */
static void faults(void **state)
{
    struct description *past = walking(0), *software = walking(1), *none = walking(1);

    (void)state;
    past->fault = software->fault = none->fault = 800;
    keep(past, 2, PSC_LINEAR);
    past->memory.row_miss = 10;
    software->walker.fixed = 40;
    none->tlbs = 0;
    struct truths *truths = truths_on(past);
    expect_cycles(truths, "cost.fault", 800 + OVERHEAD + MEMORY + 5 - FIRST);
    truths_destroy(truths);
    truths = truths_on(software);
    expect_cycles(truths, "cost.fault", 840 - FIRST);
    truths_destroy(truths);
    truths = truths_on(none);
    expect_cycles(truths, "cost.fault", 800 - FIRST);
    expect_range(truths, "cost.cr3", 0, 0);
    truths_destroy(truths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_kept),       cmocka_unit_test(kept_by_address), cmocka_unit_test(kept_by_place),
        cmocka_unit_test(nothing_to_measure), cmocka_unit_test(costs),           cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
