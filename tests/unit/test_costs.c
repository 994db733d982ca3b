// SPDX-License-Identifier: BSD-2-Clause
/* test_costs.c: the probe of what it takes to drop translations, and to have none, on modelled machines whose costs are
 * worked out by hand: with and without page-structure caches, a first level of cache of one way, by a clock that moves
 * in steps, by a walk in software, and where all of it costs nothing. */
#include "probes/probes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/found_tlbs.h"

enum { HIT = 4, MEMORY = 220, OVERHEAD = 11, KB = 1024, INVLPG = 97, CR3 = 143, FLUSH = 402, FAULT = 871 };

/* 32 KB of cache, 16 entries of TLB, no page-structure caches. */
static struct description machine_with(void)
{
    struct description description;
    description_plain(&description, 32 * KB, 8, 64, HIT, MEMORY);
    description.pages = PAGES_SMALL | PAGES_LARGE;
    description.walker = (struct walker_description){.count = 1, .overhead = OVERHEAD, .from_level = 1};
    add_tlb_of(&description, HOLDS_DATA, PAGES_SMALL | PAGES_LARGE, 1, 1, 16, 0);
    description.invlpg = INVLPG;
    description.set_root = CR3;
    description.flush_tlb = FLUSH;
    description.fault = FAULT;
    return description;
}

static void expect(struct notebook *notebook, const struct description *description, double invlpg, double cr3,
                   double flush, double fault)
{
    const double off = description->clock.step > 1 ? 1 : 0.3;
    memset(notebook, 0, sizeof *notebook);
    run_probe(probe_costs, description, notebook);
    assert_value(notebook, "cost.invlpg", invlpg, off);
    assert_value(notebook, "cost.cr3", cr3, off);
    assert_value(notebook, "cost.flush_tlb", flush, 2 * off);
    assert_value(notebook, "cost.fault", fault, 3 * off);
}

/* A walk loads all four entries, which hit; a load that does not fault hits, too. */
static void nothing_kept(void **state)
{
    struct description description = machine_with();
    expect(*state, &description, INVLPG, CR3, FLUSH, FAULT + OVERHEAD + 3 * HIT);
}

/* The walk before, which found a page, leaves its PDE. */
static void pdes_kept(void **state)
{
    struct description description = machine_with();
    description.pscs = 1;
    description.psc[0] = (struct psc_description){.level = 2, .tag = PSC_LINEAR};
    description.psc[0].shape = description.tlb[0].shape;
    expect(*state, &description, INVLPG, CR3, FLUSH, FAULT + OVERHEAD);
}

/* No two of the entries, and not the page's own line, share a line of 4 KB. */
static void one_way(void **state)
{
    struct description description = machine_with();
    description.cache[0].size = 4 * KB;
    description.cache[0].shape.ways = 1;
    expect(*state, &description, INVLPG, CR3, FLUSH, FAULT + OVERHEAD + 3 * HIT);
}

static void clock_in_steps(void **state)
{
    struct description description = machine_with();
    description.clock.step = 50;
    expect(*state, &description, INVLPG, CR3, FLUSH, FAULT + OVERHEAD + 3 * HIT);
}

static void by_software(void **state)
{
    struct description description = machine_with();
    description.walker.fixed = 60;
    expect(*state, &description, INVLPG, CR3, FLUSH, FAULT + 60 - HIT);
}

static void for_nothing(void **state)
{
    struct description description = machine_with();
    description.invlpg = description.set_root = description.flush_tlb = 0;
    expect(*state, &description, 0, 0, 0, FAULT + OVERHEAD + 3 * HIT);
}

static void skipped(void **state)
{
    struct description description = machine_with();
    memset(*state, 0, sizeof(struct notebook));
    assert_skips(probe_costs, &description, *state, 0, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_kept),   cmocka_unit_test(pdes_kept),   cmocka_unit_test(one_way),
        cmocka_unit_test(clock_in_steps), cmocka_unit_test(by_software), cmocka_unit_test(for_nothing),
        cmocka_unit_test(skipped),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
