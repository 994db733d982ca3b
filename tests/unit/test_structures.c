// SPDX-License-Identifier: BSD-2-Clause
/* test_structures.c: the probe of page-structure caches against modelled ones whose entries and misses are worked out
 * by hand: one for each level, one for all, by linear and by their own address, in sets, of other policies than LRU, in
 * a TLB, on five levels of tables; processors that watch what is written to tables; and what cannot be measured. */
#include "probes/probes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/found_tlbs.h"

enum { HIT = 4, NEXT = 14, MEMORY = 220, KB = 1024, FINDINGS = 12 };

/* 32 KB and 256 KB of cache, two levels of TLB, no page-structure caches. */
static struct description machine_with(void)
{
    struct description description;
    description_plain(&description, 32 * KB, 8, 64, HIT, MEMORY);
    add_cache(&description, 256 * KB, NEXT);
    description.pages = PAGES_SMALL | PAGES_LARGE;
    description.walker = (struct walker_description){.count = 1, .overhead = 11, .from_level = 1};
    add_tlb_of(&description, HOLDS_DATA, PAGES_SMALL | PAGES_LARGE, 1, 1, 32, 0);
    add_tlb_of(&description, HOLDS_DATA, PAGES_SMALL | PAGES_LARGE, 2, 64, 8, 7);
    return description;
}

/* level 0: all of them. */
static void keep(struct description *description, unsigned level, enum psc_tag tag, unsigned sets, unsigned ways,
                 const char *policy)
{
    struct psc_description *psc = &description->psc[description->pscs++];
    *psc = (struct psc_description){.level = level, .tag = tag};
    psc->shape.ways = ways;
    psc->shape.index = (struct index){.kind = INDEX_MODULO, .sets = sets};
    assert_true(policy_parse(&psc->shape.policy, policy));
}

static void find(struct notebook *notebook, const struct description *description)
{
    memset(notebook, 0, sizeof *notebook);
    enum { ENTRIES = 1000000, CURVES = 400000 }; /* visits */
    assert_in_range(run_probe(probe_structures, description, notebook), 0, ENTRIES + CURVES);
    assert_int_equal(notebook->findings, FINDINGS);
}

/* Of a level: how many there are, and what a miss takes. */
static void assert_kept(const struct notebook *notebook, const char *level, int entries, int miss)
{
    char id[28];
    snprintf(id, sizeof id, "psc.%s.entries", level);
    assert_value(notebook, id, entries, 0);
    snprintf(id, sizeof id, "psc.%s.miss", level);
    assert_value(notebook, id, miss, 0.4);
}

static void assert_kind(const struct notebook *notebook, int unified, int physical, int invlpg)
{
    assert_value(notebook, "psc.unified", unified, 0);
    assert_value(notebook, "psc.physical", physical, 0);
    assert_value(notebook, "psc.invlpg", invlpg, 0);
}

/* As on an Intel: three caches, none of them as many as a power of two; no PML4Es in the second machine. */
static void one_for_each_level(void **state)
{
    struct description description = machine_with();
    keep(&description, 2, PSC_LINEAR, 7, 4, "LRU");
    keep(&description, 3, PSC_LINEAR, 1, 5, "LRU");
    find(*state, &description);
    assert_kept(*state, "pde", 28, HIT);
    assert_kept(*state, "pdpte", 5, 2 * HIT);
    assert_kept(*state, "pml4e", 0, ABSENT);
    assert_kept(*state, "pml5e", ABSENT, ABSENT);
    assert_kind(*state, 0, 0, 1);
    keep(&description, 4, PSC_LINEAR, 1, 3, "LRU");
    find(*state, &description);
    assert_kept(*state, "pdpte", 5, HIT);
    assert_kept(*state, "pml4e", 3, HIT);
}

/* As on a P6: all entries above are loaded by a walk that misses the PDE. */
static void pdes_alone(void **state)
{
    struct description description = machine_with();
    keep(&description, 2, PSC_LINEAR, 1, 4, "LRU");
    find(*state, &description);
    assert_kept(*state, "pde", 4, 3 * HIT);
    assert_kept(*state, "pdpte", 0, ABSENT);
    assert_kind(*state, ABSENT, 0, 1);
}

/* As on a K10, whose walker looks in the second level. */
static void one_for_all(void **state)
{
    struct description description = machine_with();
    description.walker.from_level = 2;
    keep(&description, 0, PSC_PHYSICAL, 1, 24, "LRU");
    find(*state, &description);
    assert_kept(*state, "pde", 24, NEXT);
    assert_kept(*state, "pdpte", 24, NEXT);
    assert_kept(*state, "pml4e", 24, NEXT);
    assert_kind(*state, 1, 1, 1);
}

/* The entries above take ways of some sets. */
static void one_for_all_in_sets(void **state)
{
    struct description description = machine_with();
    keep(&description, 0, PSC_PHYSICAL, 4, 4, "LRU");
    find(*state, &description);
    assert_kept(*state, "pde", 16, HIT);
    assert_kind(*state, 1, 1, 1);
}

/* Of the entries above walks need the PDPTE alone. */
static void one_for_all_linear(void **state)
{
    struct description description = machine_with();
    keep(&description, 0, PSC_LINEAR, 1, 12, "LRU");
    find(*state, &description);
    assert_kept(*state, "pde", 12, HIT);
    assert_kept(*state, "pml4e", 12, HIT);
    assert_kind(*state, 1, 0, 1);
}

static void five_levels(void **state)
{
    struct description description = machine_with();
    description.levels = 5;
    keep(&description, 2, PSC_LINEAR, 1, 12, "LRU");
    keep(&description, 4, PSC_LINEAR, 1, 6, "LRU");
    keep(&description, 5, PSC_LINEAR, 1, 2, "LRU");
    find(*state, &description);
    assert_kept(*state, "pde", 12, 2 * HIT);
    assert_kept(*state, "pdpte", 0, ABSENT);
    assert_kept(*state, "pml4e", 6, HIT);
    assert_kept(*state, "pml5e", 2, HIT);
    assert_kind(*state, 0, 0, 1);
}

/* Empty ways are filled first; which way goes then is chance, or what a tree says. */
static void other_policies(void **state)
{
    static const char *const policies[] = {"RANDOMl", "PLRU", "FIFO"};
    static const unsigned ways[] = {11, 16, 16};
    for (unsigned i = 0; i < sizeof policies / sizeof *policies; i++) {
        struct description description = machine_with();
        keep(&description, 2, PSC_LINEAR, 1, ways[i], policies[i]);
        keep(&description, 3, PSC_LINEAR, 2, 4, i ? policies[i] : "LRU");
        find(*state, &description);
        assert_kept(*state, "pde", (int)ways[i], HIT);
        assert_kept(*state, "pdpte", 8, 2 * HIT);
        assert_kind(*state, 0, 0, 1);
    }
}

/* Entries are lost before all ways are taken. */
static void all_by_chance(void **state)
{
    struct description description = machine_with();
    keep(&description, 2, PSC_LINEAR, 1, 16, "RANDOM");
    find(*state, &description);
    assert_kept(*state, "pde", ABSENT, 3 * HIT);
    assert_kept(*state, "pdpte", 0, ABSENT);
}

/* As on a Zen 2: nobody counts PDEs where pages are, too. */
static void in_a_tlb(void **state)
{
    struct description description = machine_with();
    description.tlb[1].shape.index.sets = 128;
    description.tlb[1].holds_pdes = true;
    keep(&description, 3, PSC_PHYSICAL, 1, 10, "LRU");
    keep(&description, 4, PSC_PHYSICAL, 1, 6, "LRU");
    find(*state, &description);
    assert_kept(*state, "pde", ABSENT, HIT);
    assert_kept(*state, "pdpte", 10, HIT);
    assert_kept(*state, "pml4e", 6, HIT);
    assert_kind(*state, 0, 1, 1);
}

/* What is written is seen at once, and the clock answers. */
static void watched(void **state)
{
    struct description description = machine_with();
    description.walker.psc_shadowed = true;
    description.levels = 5;
    keep(&description, 2, PSC_LINEAR, 2, 4, "LRU");
    keep(&description, 3, PSC_LINEAR, 1, 3, "LRU");
    find(*state, &description);
    assert_kept(*state, "pde", 8, HIT);
    assert_kept(*state, "pdpte", 3, 3 * HIT);
    assert_kept(*state, "pml4e", 0, ABSENT);
    assert_kept(*state, "pml5e", 0, ABSENT);
    assert_kind(*state, 0, 0, 1);
}

static void nothing_kept(void **state)
{
    struct description description = machine_with();
    find(*state, &description);
    assert_kept(*state, "pde", 0, ABSENT);
    assert_kept(*state, "pdpte", 0, ABSENT);
    assert_kept(*state, "pml4e", 0, ABSENT);
    assert_kind(*state, ABSENT, ABSENT, ABSENT);
}

/* Neither words nor the clock tell anything of walks that load nothing, or cost nothing. */
static void nothing_to_measure(void **state)
{
    struct description software = machine_with(), none = machine_with();
    software.walker.fixed = 60;
    find(*state, &software);
    assert_kept(*state, "pde", ABSENT, ABSENT);
    assert_kind(*state, ABSENT, ABSENT, ABSENT);
    none.tlbs = 0;
    find(*state, &none);
    assert_kept(*state, "pml4e", ABSENT, ABSENT);
}

static void skipped(void **state)
{
    struct description description = machine_with();
    keep(&description, 2, PSC_LINEAR, 1, 64, "LRU");
    memset(*state, 0, sizeof(struct notebook));
    assert_skips(probe_structures, &description, *state, 0, FINDINGS);
}

/* 32 pages fit the first TLB, wherever they lie; those that miss it lie in one set of the second one. Then there is a
 * walk, of one load where PDEs are kept, though not from the first level: the entries share a set there. Where all lie
 * below one PDE or PDPTE less each is loaded than where each has a PML4E of its own. */
static void pages_far_apart(void **state)
{
    static const char *const ids[] = {"structures.512", "structures.8k", "structures.256k", "structures.128m"};
    struct description description = machine_with();
    keep(&description, 2, PSC_LINEAR, 1, 128, "LRU");
    find(*state, &description);
    assert_value(*state, "structures.sizes", 4 * 25, 0);
    for (unsigned i = 0; i < 4; i++) {
        assert_true(middle_at(*state, ids[i], 16) == HIT);
        assert_true(middle_at(*state, ids[i], 112) > HIT + 11);
    }
    /* A line or two of the pages lie in that set, too. */
    assert_in_range(10 * middle_at(*state, "structures.512", 38), 10 * (HIT + 11 + NEXT), 10 * (HIT + 11 + NEXT + 1));
    assert_in_range(10 * middle_at(*state, "structures.128m", 38), 10 * (HIT + 11 + NEXT), 10 * (HIT + 11 + NEXT + 1));
    description.psc[0].level = 4;
    find(*state, &description);
    assert_true(middle_at(*state, "structures.512", 38) > HIT + 11 + NEXT + HIT);
    assert_true(middle_at(*state, "structures.128m", 38) > middle_at(*state, "structures.512", 38) + NEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_for_each_level),
        cmocka_unit_test(pdes_alone),
        cmocka_unit_test(one_for_all),
        cmocka_unit_test(one_for_all_in_sets),
        cmocka_unit_test(one_for_all_linear),
        cmocka_unit_test(five_levels),
        cmocka_unit_test(other_policies),
        cmocka_unit_test(all_by_chance),
        cmocka_unit_test(in_a_tlb),
        cmocka_unit_test(watched),
        cmocka_unit_test(nothing_kept),
        cmocka_unit_test(nothing_to_measure),
        cmocka_unit_test(skipped),
        cmocka_unit_test(pages_far_apart),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
