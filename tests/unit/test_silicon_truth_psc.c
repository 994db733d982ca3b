// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_truth_psc.c: page-structure caches of small machines, worked out by hand. */
#include "tests/unit/truth_bench.h"
#include <stdio.h>

enum { FIRST = 4, SECOND = 14, MEMORY = 100 };

static struct tlb_description *add_tlb(struct description *description, unsigned level, unsigned sets)
{
    struct tlb_description *tlb = &description->tlb[description->tlbs++];

    *tlb = (struct tlb_description){.level = level, .holds = HOLDS_DATA, .pages = PAGES_SMALL};
    snprintf(tlb->name, sizeof tlb->name, "dtlb%u", level);
    tlb->loads = tlb->stores = true;
    tlb->sector = tlb->coalesce = 1;
    tlb->shape.ways = 16;
    tlb->shape.index = (struct index){.kind = INDEX_MODULO, .sets = sets};
    assert_true(policy_parse(&tlb->shape.policy, "LRU"));
    return tlb;
}

/* Two levels of cache, a TLB of 16 entries, no page-structure caches. */
static struct description *walking(unsigned from_level)
{
    struct description *description = plain();

    add_cache(description, 256 * KB, 8, SECOND, INCLUSION_NEITHER);
    add_tlb(description, 1, 1);
    description->walker = (struct walker_description){.count = 1, .overhead = 20, .from_level = from_level};
    return description;
}

static void keep(struct description *description, unsigned level, enum psc_tag tag, unsigned sets, unsigned ways)
{
    struct psc_description *psc = &description->psc[description->pscs++];

    *psc = (struct psc_description){.level = level, .tag = tag};
    psc->shape = description->tlb[0].shape;
    psc->shape.index.sets = sets;
    psc->shape.ways = ways;
}

static void expect_cycles(struct truths *truths, const char *id, double cycles)
{
    struct truth truth = truth_of(truths, id);

    assert_int_equal(truth.kind, TRUTH_RANGE);
    assert_true(truth.low < cycles && truth.high > cycles);
    assert_true(truth.high - truth.low < 1.001 + cycles / 20);
}

/* As on a Core 2: PDEs in sets, few PDPTEs, no PML4Es. A PDE that is missed costs one load, a PDPTE two. */
static void split(void **state)
{
    struct description *description = walking(1);

    (void)state;
    keep(description, 2, PSC_LINEAR, 8, 4);
    keep(description, 3, PSC_LINEAR, 1, 3);
    struct truths *truths = truths_on(description);
    expect_equal(truths, "psc.pde.entries", 32);
    expect_equal(truths, "psc.pdpte.entries", 3);
    expect_equal(truths, "psc.pml4e.entries", 0);
    expect_absent(truths, "psc.pml5e.entries");
    expect_cycles(truths, "psc.pde.miss", FIRST);
    expect_cycles(truths, "psc.pdpte.miss", 2 * FIRST);
    expect_absent(truths, "psc.pml4e.miss");
    expect_equal(truths, "psc.unified", 0);
    expect_equal(truths, "psc.physical", 0);
    expect_equal(truths, "psc.invlpg", 1);
    assert_false(truth_of(truths, "psc.physical").optional);
    assert_int_equal(truth_of(truths, "psc.pte.entries").kind, TRUTH_NONE);
    truths_destroy(truths);
}

/* As on a K10: one for all, by place; each miss is one load from the second level. */
static void together(void **state)
{
    struct description *description = walking(2);

    (void)state;
    keep(description, 0, PSC_PHYSICAL, 1, 24);
    struct truths *truths = truths_on(description);
    expect_equal(truths, "psc.pde.entries", 24);
    expect_equal(truths, "psc.pml4e.entries", 24);
    expect_cycles(truths, "psc.pde.miss", SECOND);
    expect_cycles(truths, "psc.pdpte.miss", SECOND);
    expect_cycles(truths, "psc.pml4e.miss", SECOND);
    expect_equal(truths, "psc.unified", 1);
    expect_equal(truths, "psc.physical", 1);
    truths_destroy(truths);
}

/* PDEs alone, and five levels of tables: what is missed costs all of the upper ones. */
static void one_level(void **state)
{
    struct description *description = walking(1);

    (void)state;
    description->levels = 5;
    keep(description, 2, PSC_LINEAR, 1, 4);
    struct truths *truths = truths_on(description);
    expect_equal(truths, "psc.pml5e.entries", 0);
    expect_cycles(truths, "psc.pde.miss", 4 * FIRST);
    expect_absent(truths, "psc.unified");
    expect_equal(truths, "psc.physical", 0);
    truths_destroy(truths);
}

/* PDEs in a TLB, where pages compete with them, and PML4Es, which nobody can share. */
static void in_a_tlb(void **state)
{
    struct description *description = walking(1);

    (void)state;
    add_tlb(description, 2, 8)->holds_pdes = true;
    keep(description, 4, PSC_PHYSICAL, 1, 8);
    struct truths *truths = truths_on(description);
    expect_equal(truths, "psc.pde.entries", 128);
    assert_true(truth_of(truths, "psc.pde.entries").optional);
    expect_equal(truths, "psc.pml4e.entries", 8);
    assert_false(truth_of(truths, "psc.pml4e.entries").optional);
    expect_cycles(truths, "psc.pde.miss", 2 * FIRST);
    expect_cycles(truths, "psc.pml4e.miss", FIRST);
    expect_equal(truths, "psc.unified", 0);
    expect_equal(truths, "psc.physical", 1);
    assert_true(truth_of(truths, "psc.physical").optional);
    truths_destroy(truths);
}

static void nothing_kept(void **state)
{
    (void)state;
    struct truths *truths = truths_on(walking(1));
    expect_equal(truths, "psc.pde.entries", 0);
    expect_absent(truths, "psc.pde.miss");
    expect_absent(truths, "psc.unified");
    expect_absent(truths, "psc.physical");
    expect_absent(truths, "psc.invlpg");
    truths_destroy(truths);
}

/* A walker that looks in no cache loads from memory. */
static void past_the_caches(void **state)
{
    struct description *description = walking(0);

    (void)state;
    keep(description, 3, PSC_LINEAR, 1, 4);
    struct truths *truths = truths_on(description);
    expect_cycles(truths, "psc.pdpte.miss", 2 * MEMORY);
    truths_destroy(truths);
}

static void nothing_to_measure(void **state)
{
    struct description *software = walking(1), *none = walking(1);

    (void)state;
    keep(software, 2, PSC_LINEAR, 1, 4);
    software->walker.fixed = 40;
    none->tlbs = 0;
    struct truths *truths = truths_on(software);
    expect_absent(truths, "psc.pde.entries");
    expect_absent(truths, "psc.pde.miss");
    expect_absent(truths, "psc.invlpg");
    truths_destroy(truths);
    truths = truths_on(none);
    expect_absent(truths, "psc.pde.entries");
    truths_destroy(truths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split),
        cmocka_unit_test(together),
        cmocka_unit_test(one_level),
        cmocka_unit_test(in_a_tlb),
        cmocka_unit_test(nothing_kept),
        cmocka_unit_test(past_the_caches),
        cmocka_unit_test(nothing_to_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
