// SPDX-License-Identifier: BSD-2-Clause
/* test_dtlb.c: the probe of the TLBs that loads look in against modelled ones of known shape: of one set and of
 * several, with sets chosen by plain bits, scattered bits, folded bits and modulo an odd number; one level and two; and
 * what is not a TLB: joined pages, a way predictor, large pages that no first level has. */
#include "probes/probes.h"
#include "tests/silicon/process/process.h"
#include "tests/unit/notebook_bench.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/skipping_host.h"

enum { HIT = 4, NEXT = 14, MEMORY = 120, PENALTY = 7, WALK = 20, ABSENT = -1, KB = 1024 };

/* 32 KB and 256 KB of cache, and pages of 4 KB and 2 MB. */
static struct description machine_with(void)
{
    struct description description;
    description_plain(&description, 32 * KB, 8, 64, HIT, MEMORY);
    struct cache_description *second = &description.cache[description.caches++];
    *second = description.cache[0];
    snprintf(second->name, sizeof second->name, "l2");
    second->level = 2;
    second->holds = HOLDS_BOTH;
    second->size = 256 * KB;
    second->latency = NEXT;
    second->shape.index.sets = 512;
    description.pages = PAGES_SMALL | PAGES_LARGE;
    description.walker = (struct walker_description){.count = 1, .overhead = WALK, .from_level = 1};
    return description;
}

static struct tlb_description *add_tlb(struct description *description, unsigned level, unsigned sets, unsigned ways)
{
    struct tlb_description *tlb = &description->tlb[description->tlbs++];
    *tlb = (struct tlb_description){.level = level, .holds = HOLDS_DATA, .latency = level > 1 ? PENALTY : 0};
    snprintf(tlb->name, sizeof tlb->name, "dtlb%u", description->tlbs);
    tlb->pages = PAGES_SMALL | PAGES_LARGE;
    tlb->loads = tlb->stores = true;
    tlb->sector = tlb->coalesce = 1;
    tlb->shape.ways = ways;
    tlb->shape.index = (struct index){.kind = INDEX_MODULO, .sets = sets};
    assert_true(policy_parse(&tlb->shape.policy, "LRU"));
    return tlb;
}

/* Sets that are chosen by XOR of these bits. */
static void fold(struct tlb_description *tlb, const uint64_t *mask, unsigned bits)
{
    tlb->shape.index.kind = INDEX_XOR;
    tlb->shape.index.bits = bits;
    memcpy(tlb->shape.index.mask, mask, bits * sizeof *mask);
}

static void assert_value(const struct notebook *notebook, const char *id, double value, double near)
{
    const struct finding *finding = noted(notebook, id);
    assert_non_null(finding);
    if (value == ABSENT) {
        assert_false(finding->measured);
        assert_true(finding->why[0]);
        return;
    }
    if (!finding->measured)
        fail_msg("%s, not %g: %s", id, value, finding->why);
    if (finding->value < value - near || finding->value > value + near || finding->confidence < 0.8)
        fail_msg("%s is %g, not %g, confidence %.3f", id, finding->value, value, finding->confidence);
}

/* Measures a machine and compares ways and sets of both levels; ways ABSENT: nothing may be said. */
static void expect(struct notebook *notebook, const struct description *description, int ways1, int sets1, int ways2,
                   int sets2)
{
    struct request request = {.seed = 11};
    const char *why = "";
    struct machine *machine = process_open(NULL, description, 3, NULL, &why);
    if (!machine)
        fail_msg("%s", why);
    memset(notebook, 0, sizeof *notebook);
    assert_true(probe_dtlb(machine, &request, notebook));
    machine_close(machine);
    assert_value(notebook, "dtlb1.4k.ways", ways1, 0);
    assert_value(notebook, "dtlb1.4k.sets", ways1 == ABSENT ? ABSENT : sets1, 0);
    assert_value(notebook, "dtlb1.4k.entries", ways1 == ABSENT ? ABSENT : ways1 * sets1, 0);
    assert_value(notebook, "dtlb2.4k.ways", ways2, 0);
    assert_value(notebook, "dtlb2.4k.sets", ways2 == ABSENT ? ABSENT : sets2, 0);
    assert_value(notebook, "dtlb2.4k.entries", ways2 == ABSENT ? ABSENT : ways2 * sets2, 0);
    assert_value(notebook, "dtlb2.4k.penalty", ways2 == ABSENT ? ABSENT : PENALTY, 0.25);
}

/* Bits 0, 1 and 4: pages that are 4 or 8 apart share a set, pages that are 16 apart do not. */
static void scattered_bits(void **state)
{
    static const uint64_t mask[] = {1, 2, 16};
    struct description description = machine_with();
    fold(add_tlb(&description, 1, 8, 4), mask, 3);
    expect(*state, &description, 4, 8, ABSENT, 0);
}

/* And what a page-structure cache of four entries loses is no second level. */
static void odd_sets(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 5, 4);
    description.pscs = 1;
    description.psc[0] = (struct psc_description){.level = 2, .tag = PSC_LINEAR};
    description.psc[0].shape.ways = 4;
    description.psc[0].shape.index = (struct index){.kind = INDEX_MODULO, .sets = 1};
    assert_true(policy_parse(&description.psc[0].shape.policy, "LRU"));
    expect(*state, &description, 4, 5, ABSENT, 0);
}

/* XOR of pairs of bits behind 16 entries in four sets. */
static void folded_second_level(void **state)
{
    static const uint64_t mask[] = {0x21, 0x42, 0x84, 0x108, 0x210};
    struct description description = machine_with();
    add_tlb(&description, 1, 4, 4);
    fold(add_tlb(&description, 2, 32, 6), mask, 5);
    expect(*state, &description, 4, 4, 6, 32);
}

/* Two pages, side by side, under one tag. */
static void sectors(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 1, 12)->sector = 2;
    expect(*state, &description, 12, 1, ABSENT, 0);
}

/* Large pages miss the first level: a control in them would cost what is to be measured. And 4 ways behind 16 entries
 * of one set are hidden unless several sets are used at once. */
static void no_large_pages_in_the_first_level(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 1, 16)->pages = PAGES_SMALL;
    add_tlb(&description, 2, 16, 4)->pages = PAGES_SMALL;
    add_tlb(&description, 2, 4, 4)->pages = PAGES_LARGE;
    expect(*state, &description, 16, 1, 4, 16);
}

static void no_tlb(void **state)
{
    struct description description = machine_with();
    expect(*state, &description, ABSENT, 0, ABSENT, 0);
}

/* The user's key ends it, and all that it should have found says so. */
static void skipped(void **state)
{
    struct description description = machine_with();
    struct request request = {.seed = 5};
    struct notebook *notebook = *state;
    const char *why = "";
    add_tlb(&description, 1, 1, 16);
    struct machine *machine = process_open(NULL, &description, 3, NULL, &why);
    assert_non_null(machine);
    memset(notebook, 0, sizeof *notebook);
    rests_left = 2;
    assert_false(probe_dtlb(machine, &request, notebook));
    rests_left = UINT_MAX;
    machine_close(machine);
    assert_int_equal(notebook->findings, 7);
    for (unsigned i = 0; i < notebook->findings; i++)
        assert_string_equal(notebook->finding[i].why, "skipped");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scattered_bits),
        cmocka_unit_test(odd_sets),
        cmocka_unit_test(folded_second_level),
        cmocka_unit_test(sectors),
        cmocka_unit_test(no_large_pages_in_the_first_level),
        cmocka_unit_test(no_tlb),
        cmocka_unit_test(skipped),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
