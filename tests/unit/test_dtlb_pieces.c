// SPDX-License-Identifier: BSD-2-Clause
/* test_dtlb_pieces.c: the probes of TLBs where these keep large pages as the smaller ones that were visited, as all of
 * a guest's do whose host has small pages only (Intel SDM volume 3, chapter on VMX support for address translation). */
#include "probes/probes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/data_tlbs.h"

static void assert_in_pieces(const struct notebook *notebook, const char *level)
{
    static const char *const all[] = {"entries", "ways", "sets", "bits"};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        char id[28];
        snprintf(id, sizeof id, "%s.%s", level, all[i]);
        assert_value(notebook, id, ABSENT, 0);
        if (!strstr(noted(notebook, id)->why, "pieces"))
            fail_msg("%s: %s", id, noted(notebook, id)->why);
    }
}

/* 96 entries in 16 sets: as many large pages as it has ways look as if there were no more. */
static void a_first_level(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 16, 6)->splits = true;
    expect(*state, &description, 6, 16, ABSENT, 0);
    assert_in_pieces(*state, "dtlb1.2m");
    assert_value(*state, "dtlb1.2m.shared", ABSENT, 0);
}

/* Sets modulo an odd number use all sets, whatever pieces are kept; and a policy that draws lots. */
static void odd_sets(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 7, 4)->splits = true;
    measure(*state, &description);
    assert_value(*state, "dtlb1.2m.entries", 28, 0);
    struct description lots = machine_with();
    struct tlb_description *tlb = add_tlb(&lots, 1, 8, 4);
    tlb->splits = true;
    assert_true(policy_parse(&tlb->shape.policy, "RANDOM"));
    measure(*state, &lots);
    assert_value(*state, "dtlb1.2m.entries", ABSENT, 0);
}

/* Two of four sets are used by pages of which each is visited at its beginning, since a bit of the index is folded; and
 * so they are by pages that are visited in pieces of their own number. A first level of 8 KB has few lines. */
static void folded_sets(void **state)
{
    static const uint64_t mask[] = {1 | 1 << 9, 2 | 1 << 5};
    struct description description = machine_with();
    struct tlb_description *tlb = add_tlb(&description, 1, 4, 4);
    fold(tlb, mask, 2);
    tlb->splits = true;
    shape_cache(&description, 0, 64, 2);
    measure(*state, &description);
    assert_in_pieces(*state, "dtlb1.2m");
}

/* One set: which pieces it keeps does not matter, nor whether it keeps any. */
static void one_set(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 1, 12)->splits = true;
    measure(*state, &description);
    assert_level(*state, "dtlb1.2m", 12, 1, PENALTY);
}

/* Only the level behind keeps pieces. */
static void a_second_level(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 1, 4);
    add_tlb(&description, 2, 16, 32)->splits = true;
    measure(*state, &description);
    assert_level(*state, "dtlb1.2m", 4, 1, PENALTY);
    assert_in_pieces(*state, "dtlb2.2m");
}

/* More pages than the first level of cache has lines: as many lines side by side are missed, too. */
static void few_lines(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 4, 40)->splits = true;
    shape_cache(&description, 0, 8, 4);
    measure(*state, &description);
    assert_in_pieces(*state, "dtlb1.2m");
}

/* A first level of whole pages, 4 sets of 8 ways, and behind it one that keeps pieces, as AMD's do of pages of 1 GB. */
static void whole_before_pieces(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 4, 8);
    add_tlb(&description, 2, 128, 8)->splits = true;
    measure(*state, &description);
    assert_level(*state, "dtlb1.2m", 8, 4, PENALTY);
}

/* Jumps, likewise. */
static void code(void **state)
{
    struct description description = machine_with();
    struct notebook *notebook = *state;
    add_tlb_of(&description, HOLDS_CODE, PAGES_SMALL | PAGES_LARGE, 1, 8, 4, 0)->splits = true;
    description.cache[0].holds = HOLDS_BOTH;
    memset(notebook, 0, sizeof *notebook);
    run_probe(probe_itlb, &description, notebook);
    assert_level(notebook, "itlb1.4k", 4, 8, PENALTY);
    assert_in_pieces(notebook, "itlb1.2m");
}

/* Large pages in entries of their own, four sets of them, which visits in other places do not change. */
static void whole(void **state)
{
    struct description description = machine_with();
    add_tlb(&description, 1, 16, 6)->pages = PAGES_SMALL;
    add_tlb(&description, 1, 4, 4)->pages = PAGES_LARGE;
    expect(*state, &description, 6, 16, ABSENT, 0);
    assert_level(*state, "dtlb1.2m", 4, 4, PENALTY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_level),
        cmocka_unit_test(odd_sets),
        cmocka_unit_test(folded_sets),
        cmocka_unit_test(few_lines),
        cmocka_unit_test(whole_before_pieces),
        cmocka_unit_test(one_set),
        cmocka_unit_test(a_second_level),
        cmocka_unit_test(code),
        cmocka_unit_test(whole),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
