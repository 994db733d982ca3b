// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_truth_stores.c: TLBs of stores on small machines, worked out by hand. */
#include "tests/unit/truth_bench.h"

/* A TLB for pages of 4 KB and 2 MB, fully associative. */
static struct tlb_description *add_tlb(struct description *description, unsigned level, unsigned entries, bool loads,
                                       bool stores)
{
    struct tlb_description *tlb = &description->tlb[description->tlbs++];
    struct text name;

    *tlb = (struct tlb_description){
        .level = level, .holds = HOLDS_DATA, .pages = PAGES_SMALL | PAGES_LARGE, .loads = loads, .stores = stores};
    name = text_in(tlb->name, sizeof tlb->name);
    text_format(&name, "tlb%u", description->tlbs);
    tlb->latency = level > 1 ? 7 : 0;
    tlb->sector = tlb->coalesce = 1;
    tlb->shape.ways = entries;
    tlb->shape.index = (struct index){.kind = INDEX_MODULO, .sets = 1};
    assert_true(policy_parse(&tlb->shape.policy, "LRU"));
    return tlb;
}

static struct description *walking(void)
{
    struct description *description = plain();

    description->walker = (struct walker_description){.count = 1, .overhead = 20, .from_level = 1};
    return description;
}

static void of_their_own(void **state)
{
    struct description *description = walking();

    (void)state;
    add_tlb(description, 1, 64, true, false);
    add_tlb(description, 1, 16, false, true);
    add_tlb(description, 2, 512, true, true);
    struct truths *truths = truths_on(description);
    expect_equal(truths, "dtlb1.4k.stores", 16);
    expect_equal(truths, "dtlb1.2m.stores", 16);
    assert_false(truth_of(truths, "dtlb1.4k.stores").optional);
    truths_destroy(truths);
}

/* Shared, or larger, or none at the first level: nothing shows. */
static void nothing_to_find(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        struct description *description = walking();
        add_tlb(description, 1, 16, true, kind == 0);
        if (kind == 1)
            add_tlb(description, 1, 32, false, true);
        add_tlb(description, 2, 512, true, true);
        struct truths *truths = truths_on(description);
        expect_absent(truths, "dtlb1.4k.stores");
        truths_destroy(truths);
    }
}

/* Two TLBs of a level are one. */
static void together(void **state)
{
    struct description *description = walking();

    (void)state;
    add_tlb(description, 1, 64, true, false);
    add_tlb(description, 1, 16, false, true);
    add_tlb(description, 1, 8, false, true);
    struct truths *truths = truths_on(description);
    expect_equal(truths, "dtlb1.4k.stores", 24);
    truths_destroy(truths);
}

/* What costs no more behind it; and where a row of pages need not fill it. */
static void nobody_needs_to(void **state)
{
    struct description *description = walking();

    (void)state;
    add_tlb(description, 1, 64, true, false);
    add_tlb(description, 1, 16, false, true);
    add_tlb(description, 2, 512, true, true)->latency = 0;
    struct truths *truths = truths_on(description);
    assert_true(truth_of(truths, "dtlb1.4k.stores").optional);
    truths_destroy(truths);
    description = walking();
    add_tlb(description, 1, 64, true, false);
    add_tlb(description, 1, 3, false, true)->shape.index.sets = 5;
    truths = truths_on(description);
    assert_int_equal(truth_of(truths, "dtlb1.4k.stores").kind, TRUTH_RANGE);
    truths_destroy(truths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_their_own), cmocka_unit_test(nothing_to_find),
                                       cmocka_unit_test(together), cmocka_unit_test(nobody_needs_to)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
