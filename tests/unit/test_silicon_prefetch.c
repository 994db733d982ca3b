// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_prefetch.c: prefetchers of every kind and their switches, by hand. */
#include "tests/unit/prefetch_bench.h"

static void next_line(void **state)
{
    struct bench bench;

    (void)state;
    describe(&bench);
    add(&bench, (struct prefetcher_description){.kind = PREFETCH_NEXT_LINE, .watches = 1, .into = 1});
    open_bench(&bench);
    assert_int_equal(sees(&bench, 1, ACCESS_LOAD, 1, 0x1008, L1), 1);
    assert_int_equal(bench.caches.count, 1);
    assert_int_equal(bench.caches.core[0], 1);
    assert_int_equal(bench.caches.level[0], 1);
    assert_int_equal(bench.caches.va[0], 0x1040);
    assert_int_equal(bench.caches.pa[0], BASE + 0x1040);
    assert_int_equal(bench.caches.now, 1234);
    bench.caches.there = BASE + 0x1080; /* there already: nothing came */
    assert_int_equal(sees(&bench, 0, ACCESS_STORE, 1, 0x107F, LEVEL_MEMORY), 0);
    assert_int_equal(bench.caches.count, 1);
    expect_lines(&bench, 0x1F80, 1, 0x1FC0 / 64, 1);
    expect_lines(&bench, 0x1FC0, 0, 0, 1); /* the last line of a page */
    bench.page = 2 << 20;
    expect_lines(&bench, 0x1FC0, 0, 0, 1); /* of a large page, too */
    /* Not: code, walks, uncacheable memory, faults. */
    sees(&bench, 0, ACCESS_FETCH, 1, 0x1000, L1);
    assert_int_equal(bench.caches.count, 0);
    sees(&bench, 0, ACCESS_WALK, 1, 0x1000, L1);
    assert_int_equal(bench.caches.count, 0);
    for (bench.type = MEM_WB; bench.type <= MEM_UC; bench.type++) {
        loads(&bench, 0x1000, LEVEL_MEMORY);
        assert_int_equal(bench.caches.count, bench.type != MEM_UC && bench.type != MEM_WC);
    }
    prefetch_destroy(bench.prefetch);
    prefetch_destroy(NULL);
}

static void several_next_lines(void **state)
{
    struct bench bench;

    (void)state;
    describe(&bench);
    add(&bench, (struct prefetcher_description){.kind = PREFETCH_NEXT_LINE, .watches = 1, .into = 2, .ahead = 3});
    open_bench(&bench);
    expect_lines(&bench, 0x1000, 3, 0x41, 1);
    expect_lines(&bench, 0x1F40, 2, 0x7E, 1);
    prefetch_destroy(bench.prefetch);
}

static void adjacent_pair_and_levels(void **state)
{
    struct bench bench;

    (void)state;
    describe(&bench);
    add(&bench, (struct prefetcher_description){.kind = PREFETCH_ADJACENT, .watches = 2, .into = 2});
    open_bench(&bench);
    expect_lines(&bench, 0x1004, 1, 0x41, 1);
    expect_lines(&bench, 0x1044, 1, 0x40, 1);
    expect_lines(&bench, 0x1FC0, 1, 0x7E, 1);
    loads(&bench, 0x1000, L1); /* level 2 did not see that */
    assert_int_equal(bench.caches.count, 0);
    loads(&bench, 0x1000, L2);
    assert_int_equal(bench.caches.count, 1);
    assert_int_equal(bench.caches.level[0], 2);
    sees(&bench, 0, ACCESS_FETCH, 1, 0x1000, L2); /* code, too, where levels hold both */
    assert_int_equal(bench.caches.count, 1);
    prefetch_destroy(bench.prefetch);

    describe(&bench); /* the same for misses of level 2, and lines of two sectors of 64 bytes */
    add(&bench,
        (struct prefetcher_description){.kind = PREFETCH_ADJACENT, .watches = 2, .into = 2, .misses_only = true});
    bench.description.cache[2].line = 128;
    open_bench(&bench);
    loads(&bench, 0x1000, L2);
    assert_int_equal(bench.caches.count, 0);
    loads(&bench, 0x1000, L3);
    assert_int_equal(bench.caches.count, 1);
    assert_int_equal(bench.caches.va[0], 0x1040);
    prefetch_destroy(bench.prefetch);

    describe(&bench); /* lines of 128 bytes: pairs of 256 */
    add(&bench, (struct prefetcher_description){.kind = PREFETCH_ADJACENT, .watches = 1, .into = 2});
    bench.description.cache[2].line = bench.description.cache[2].sector = 128;
    open_bench(&bench);
    loads(&bench, 0x10C0, L3);
    assert_int_equal(bench.caches.va[0], 0x1000);
    sees(&bench, 0, ACCESS_FETCH, 1, 0x1000, L3); /* beside the first level: data only */
    assert_int_equal(bench.caches.count, 0);
    prefetch_destroy(bench.prefetch);
}

static void streams_up_and_down(void **state)
{
    struct bench bench;

    (void)state;
    describe(&bench);
    add(&bench, (struct prefetcher_description){
                    .kind = PREFETCH_STREAM, .watches = 2, .into = 2, .trackers = 2, .train = 3, .ahead = 4});
    open_bench(&bench);
    /* Page 1 is lines 64 to 127. */
    expect_lines(&bench, 64 * 64, 0, 0, 1);
    expect_lines(&bench, 66 * 64, 0, 0, 1);
    expect_lines(&bench, 66 * 64 + 32, 0, 0, 1); /* the same line: says nothing */
    loads(&bench, 70 * 64, L1);                  /* not seen */
    assert_int_equal(bench.caches.count, 0);
    expect_lines(&bench, 67 * 64, 4, 68, 1);  /* the third: 4 lines ahead */
    expect_lines(&bench, 68 * 64, 1, 72, 1);  /* one more */
    expect_lines(&bench, 71 * 64, 3, 73, 1);  /* up to 75 */
    expect_lines(&bench, 80 * 64, 4, 81, 1);  /* beyond what it had fetched */
    expect_lines(&bench, 78 * 64, 0, 0, 1);   /* turns round: 80 and 78 are two */
    expect_lines(&bench, 77 * 64, 4, 76, -1); /* three */
    expect_lines(&bench, 66 * 64, 2, 65, -1); /* 65 and 64, and no further */
    expect_lines(&bench, 64 * 64, 0, 0, -1);
    expect_lines(&bench, 125 * 64, 0, 0, 1);
    expect_lines(&bench, 126 * 64, 1, 127, 1); /* nor beyond its end */
    expect_lines(&bench, 127 * 64, 0, 0, 1);
    /* Another core knows nothing of it. */
    sees(&bench, 1, ACCESS_LOAD, 1, 127 * 64, L2);
    sees(&bench, 1, ACCESS_LOAD, 1, 126 * 64, L2);
    assert_int_equal(bench.caches.count, 0);
    prefetch_destroy(bench.prefetch);
}

static void streams_have_few_trackers(void **state)
{
    struct bench bench;

    (void)state;
    describe(&bench);
    add(&bench, (struct prefetcher_description){
                    .kind = PREFETCH_STREAM, .watches = 1, .into = 2, .trackers = 2, .train = 2, .ahead = 1});
    open_bench(&bench);
    expect_lines(&bench, 0x1000, 0, 0, 1);
    expect_lines(&bench, 0x2000, 0, 0, 1);
    expect_lines(&bench, 0x1000, 0, 0, 1); /* the same line, but page 1 is used last now */
    expect_lines(&bench, 0x3000, 0, 0, 1); /* takes the tracker of page 2 */
    expect_lines(&bench, 0x1040, 1, 0x42, 1);
    expect_lines(&bench, 0x2040, 0, 0, 1); /* forgotten, and takes page 3's */
    expect_lines(&bench, 0x1080, 1, 0x43, 1);
    expect_lines(&bench, 0x3040, 0, 0, 1);
    prefetch_forget(bench.prefetch, 1);
    expect_lines(&bench, 0x10C0, 1, 0x44, 1);
    prefetch_forget(bench.prefetch, 0);
    expect_lines(&bench, 0x1100, 0, 0, 1);
    prefetch_destroy(bench.prefetch);
}

static void strides_by_instruction(void **state)
{
    struct bench bench;

    (void)state;
    describe(&bench);
    add(&bench,
        (struct prefetcher_description){
            .kind = PREFETCH_STRIDE, .watches = 1, .into = 1, .trackers = 4, .train = 3, .ahead = 2, .reach = 1024});
    open_bench(&bench);
    for (uint64_t i = 0; i < 3; i++) { /* instruction 1 goes by 192 bytes, 2 by -256, both between each other */
        assert_int_equal(sees(&bench, 0, ACCESS_LOAD, 1, 0x1000 + 192 * i, L1), i == 2 ? 2 : 0);
        if (i < 2)
            assert_int_equal(sees(&bench, 0, ACCESS_LOAD, 2, 0x1A00 - 256 * i, L1), 0);
    }
    assert_int_equal(bench.caches.va[0], 0x1240); /* 1000h + 3 * 192 and 4 * 192 */
    assert_int_equal(bench.caches.va[1], 0x1300);
    sees(&bench, 0, ACCESS_LOAD, 2, 0x1800, L1);
    assert_int_equal(bench.caches.count, 2);
    assert_int_equal(bench.caches.va[0], 0x1700);
    assert_int_equal(bench.caches.va[1], 0x1600);
    sees(&bench, 0, ACCESS_LOAD, 1, 0x1180, L1); /* the same address: says nothing */
    assert_int_equal(bench.caches.count, 0);
    sees(&bench, 0, ACCESS_LOAD, 1, 0x1240, L1); /* and changes nothing */
    assert_int_equal(bench.caches.count, 2);
    sees(&bench, 0, ACCESS_LOAD, 1, 0x1250, L1); /* another stride: two accesses */
    assert_int_equal(bench.caches.count, 0);
    sees(&bench, 0, ACCESS_LOAD, 1, 0x1260, L1); /* three: 16 bytes on is 1270h, its own line, then 1280h */
    assert_int_equal(bench.caches.count, 1);
    assert_int_equal(bench.caches.va[0], 0x1280);
    sees(&bench, 0, ACCESS_LOAD, 5, 0x1000, L1); /* tracker 1 of 4, like instruction 1 */
    sees(&bench, 0, ACCESS_LOAD, 1, 0x1270, L1);
    assert_int_equal(bench.caches.count, 0);
    prefetch_destroy(bench.prefetch);
}

static void strides_have_limits(void **state)
{
    struct bench bench;

    (void)state;
    describe(&bench);
    add(&bench,
        (struct prefetcher_description){
            .kind = PREFETCH_STRIDE, .watches = 1, .into = 1, .trackers = 3, .train = 2, .ahead = 3, .reach = 1024});
    open_bench(&bench);
    expect_lines(&bench, 0x0000, 0, 0, 1);
    expect_lines(&bench, 0x0400, 2, 0x20, 16); /* 800h and C00h; 1000h is in the next page */
    expect_lines(&bench, 0x0804, 0, 0, 1);     /* 1028 bytes are too far: begins anew */
    expect_lines(&bench, 0x0C04, 0, 0, 1);     /* 1024 once more: 1004h is in the next page */
    expect_lines(&bench, 0x1004, 3, 0x50, 16); /* the stride itself may cross pages */
    expect_lines(&bench, 0x0804, 0, 0, 1);     /* down by 2048 */
    expect_lines(&bench, 0x0404, 1, 0, 1);     /* down by 1024: 4h */
    expect_lines(&bench, 0x0004, 0, 0, 1);
    prefetch_destroy(bench.prefetch);
}

static void next_page(void **state)
{
    struct bench bench;
    uint64_t digest;

    (void)state;
    describe(&bench);
    add(&bench, (struct prefetcher_description){.kind = PREFETCH_NEXT_PAGE, .watches = 1, .into = 1, .ahead = 2});
    open_bench(&bench);
    digest = prefetch_digest(bench.prefetch);
    loads(&bench, 0x1F7F, L1);
    assert_int_equal(bench.translation.translated, 0);
    assert_int_equal(sees(&bench, 0, ACCESS_LOAD, 1, 0x1F80, L1), 0); /* the last line but one; no line comes */
    assert_int_equal(bench.caches.count, 0);
    assert_int_equal(bench.translation.translated, 1);
    assert_int_equal(bench.translation.last, 0x2000);
    bench.translation.mapped_until = 0x2000;
    loads(&bench, 0x1FFF, L1); /* nothing there */
    assert_int_equal(bench.translation.translated, 1);
    bench.translation.mapped_until = UINT64_MAX;
    bench.page = 2 << 20;
    loads(&bench, 0x2F80, L1); /* inside a large page */
    assert_int_equal(bench.translation.translated, 1);
    loads(&bench, 0x3FFFC0, L1);
    assert_int_equal(bench.translation.translated, 2);
    assert_int_equal(bench.translation.last, 0x400000);
    assert_int_equal(prefetch_digest(bench.prefetch), digest);
    prefetch_destroy(bench.prefetch);
}

/* Intel's switches: 1A4h since Nehalem, 1A0h on Core 2. */
static void switches_of_intel(void **state)
{
    const unsigned bits[] = {0, 1, 2, 3}, old_bits[] = {9, 19, 37, 39};
    const enum prefetcher_kind kind[] = {PREFETCH_STREAM, PREFETCH_ADJACENT, PREFETCH_NEXT_LINE, PREFETCH_STRIDE};
    const char *const name[] = {"stream", "adjacent pair", "next line", "stride"};
    struct bench bench;
    bool on;

    (void)state;
    for (unsigned old = 0; old < 2; old++) {
        uint32_t msr = old ? 0x1A0 : 0x1A4;

        describe(&bench);
        for (unsigned i = 0; i < 4; i++)
            add(&bench, (struct prefetcher_description){.kind = kind[i],
                                                        .watches = i < 2 ? 2 : 1,
                                                        .into = i < 2 ? 2 : 1,
                                                        .trackers = 4,
                                                        .train = 2,
                                                        .ahead = 1,
                                                        .reach = 2048,
                                                        .msr = msr,
                                                        .bit = old ? old_bits[i] : bits[i]});
        open_bench(&bench);
        assert_null(prefetch_name(bench.prefetch, 0, 4, &on));
        for (unsigned i = 0; i < 4; i++) {
            uint64_t bit = UINT64_C(1) << (old ? old_bits[i] : bits[i]);

            assert_string_equal(prefetch_name(bench.prefetch, 0, i, &on), name[i]);
            assert_true(on);
            assert_true(prefetch_switch(bench.prefetch, 0, msr, bit));
            for (unsigned j = 0; j < 4; j++) {
                prefetch_name(bench.prefetch, 0, j, &on);
                assert_int_equal(on, j != i);
                prefetch_name(bench.prefetch, 1, j, &on); /* a core's own */
                assert_true(on);
            }
            prefetch_turn(bench.prefetch, 0, i, true);
            prefetch_name(bench.prefetch, 0, i, &on);
            assert_true(on);
        }
        assert_false(prefetch_switch(bench.prefetch, 0, 0x1A5, 0));
        assert_true(prefetch_switch(bench.prefetch, 0, msr, UINT64_MAX));
        for (uint64_t i = 0; i < 3; i++)
            expect_lines(&bench, 0x1000 + 64 * i, 0, 0, 1);
        assert_true(prefetch_switch(bench.prefetch, 0, msr, 0));
        expect_lines(&bench, 0x10C0, 2, 0x42, 2); /* pair and next line; the others have to begin anew */
        prefetch_destroy(bench.prefetch);
    }
}

/* AMD: C0000108h; two prefetchers on one bit turn together, one without a switch stays on. */
static void switches_shared_and_missing(void **state)
{
    struct bench bench;
    bool on;

    (void)state;
    describe(&bench);
    add(&bench, (struct prefetcher_description){.kind = PREFETCH_STREAM,
                                                .watches = 1,
                                                .into = 1,
                                                .trackers = 8,
                                                .train = 2,
                                                .ahead = 1,
                                                .msr = 0xC0000108,
                                                .bit = 0});
    add(&bench, (struct prefetcher_description){
                    .kind = PREFETCH_NEXT_LINE, .watches = 1, .into = 1, .msr = 0xC0000108, .bit = 0});
    add(&bench, (struct prefetcher_description){.kind = PREFETCH_STREAM,
                                                .watches = 2,
                                                .into = 2,
                                                .trackers = 8,
                                                .train = 2,
                                                .ahead = 1,
                                                .msr = 0xC0000108,
                                                .bit = 3});
    add(&bench, (struct prefetcher_description){.kind = PREFETCH_ADJACENT, .watches = 2, .into = 2});
    open_bench(&bench);
    prefetch_turn(bench.prefetch, 0, 1, false);
    for (unsigned i = 0; i < 4; i++) {
        prefetch_name(bench.prefetch, 0, i, &on);
        assert_int_equal(on, i >= 2);
    }
    prefetch_turn(bench.prefetch, 0, 3, false); /* has no switch */
    prefetch_turn(bench.prefetch, 0, 4, false); /* is none */
    prefetch_name(bench.prefetch, 0, 3, &on);
    assert_true(on);
    assert_false(prefetch_switch(bench.prefetch, 0, 0, 1));
    prefetch_name(bench.prefetch, 0, 3, &on);
    assert_true(on);
    prefetch_destroy(bench.prefetch);
}

/* The digest tells of everything that has an influence later, and of nothing else. */
static void digest_is_canonical(void **state)
{
    struct bench bench;
    uint64_t fresh, trained, other;

    (void)state;
    describe(&bench);
    add(&bench, (struct prefetcher_description){.kind = PREFETCH_STREAM,
                                                .watches = 1,
                                                .into = 2,
                                                .trackers = 3,
                                                .train = 2,
                                                .ahead = 2,
                                                .msr = 0x1A4,
                                                .bit = 0});
    add(&bench,
        (struct prefetcher_description){
            .kind = PREFETCH_STRIDE, .watches = 1, .into = 1, .trackers = 4, .train = 2, .ahead = 1, .reach = 512});
    open_bench(&bench);
    fresh = prefetch_digest(bench.prefetch);
    loads(&bench, 0x1000, L1);
    loads(&bench, 0x2000, L1);
    loads(&bench, 0x1000, L1);
    trained = prefetch_digest(bench.prefetch);
    assert_true(trained != fresh);
    loads(&bench, 0x1000, L1);
    assert_int_equal(prefetch_digest(bench.prefetch), trained);
    prefetch_turn(bench.prefetch, 0, 0, false);
    assert_true(prefetch_digest(bench.prefetch) != trained);
    prefetch_turn(bench.prefetch, 0, 0, true);
    prefetch_forget(bench.prefetch, 0);
    assert_int_equal(prefetch_digest(bench.prefetch), fresh);
    /* Page 2 first and in another tracker: as before once the order of use is as before. */
    loads(&bench, 0x2000, L1);
    loads(&bench, 0x1000, L1);
    assert_int_equal(prefetch_digest(bench.prefetch), trained);
    loads(&bench, 0x2000, L1);
    assert_true(prefetch_digest(bench.prefetch) != trained);
    other = prefetch_digest(bench.prefetch);
    sees(&bench, 1, ACCESS_LOAD, 1, 0x2000, L1);
    assert_true(prefetch_digest(bench.prefetch) != other);
    /* Only strides, and one access: where it was is all that there is. */
    prefetch_turn(bench.prefetch, 0, 0, false);
    prefetch_forget(bench.prefetch, 0);
    prefetch_forget(bench.prefetch, 1);
    loads(&bench, 0x1000, L1);
    other = prefetch_digest(bench.prefetch);
    prefetch_forget(bench.prefetch, 0);
    loads(&bench, 0x1008, L1);
    assert_true(prefetch_digest(bench.prefetch) != other);
    prefetch_destroy(bench.prefetch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_line),
        cmocka_unit_test(several_next_lines),
        cmocka_unit_test(adjacent_pair_and_levels),
        cmocka_unit_test(streams_up_and_down),
        cmocka_unit_test(streams_have_few_trackers),
        cmocka_unit_test(strides_by_instruction),
        cmocka_unit_test(strides_have_limits),
        cmocka_unit_test(next_page),
        cmocka_unit_test(switches_of_intel),
        cmocka_unit_test(switches_shared_and_missing),
        cmocka_unit_test(digest_is_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
