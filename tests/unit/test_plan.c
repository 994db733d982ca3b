// SPDX-License-Identifier: BSD-2-Clause
/* test_plan.c: what the probes get of a machine's memory, and what stays with the firmware. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "boot/plan.h"

#define MB (1ull << 20)
#define GB (1ull << 30)

static void leaves_a_quarter_of_little_and_64_mb_of_much(void **state)
{
    (void)state;
    assert_int_equal(plan_leave(40 * MB), 10 * MB);
    assert_int_equal(plan_leave(256 * MB), 64 * MB);
    assert_int_equal(plan_leave(512 * GB), 64 * MB);
}

static void takes_the_largest_first(void **state)
{
    const struct grant available[] = {{16 * MB, 100 * MB}, {4 * GB, 6 * GB}, {1 * GB, 1 * GB}};
    struct grant grants[MAX_GRANTS];
    (void)state;
    assert_int_equal(plan_grants(available, 3, UINT64_MAX, 64 * MB, grants), 3);
    assert_int_equal(grants[0].base, 4 * GB);
    assert_int_equal(grants[0].size, 6 * GB);
    assert_int_equal(grants[1].base, 1 * GB);
    assert_int_equal(grants[1].size, 1 * GB);
    assert_int_equal(grants[2].size, 36 * MB); /* 64 MB of the low memory stay */
}

static void cuts_at_the_end_and_starts_at_a_gigabyte_where_it_can(void **state)
{
    const struct grant available[] = {{4 * GB + 300 * MB, 10 * GB}};
    struct grant grants[MAX_GRANTS];
    (void)state;
    assert_int_equal(plan_grants(available, 1, 2 * GB, 64 * MB, grants), 1);
    assert_int_equal(grants[0].base, 5 * GB);
    assert_int_equal(grants[0].size, 2 * GB);
}

static void starts_at_as_round_a_number_as_there_is_room_for(void **state)
{
    const struct grant available[] = {{22 * MB, 430 * MB}};
    struct grant grants[MAX_GRANTS];
    (void)state;
    /* 22 MB would leave one aligned block of 32 MB in these 64; at 256 MB all are one. */
    assert_int_equal(plan_grants(available, 1, 64 * MB, 64 * MB, grants), 1);
    assert_int_equal(grants[0].base, 256 * MB);
    assert_int_equal(grants[0].size, 64 * MB);
    /* Half of the range: at 128 MB it ends within the range, at 256 MB it would not. */
    assert_int_equal(plan_grants(available, 1, 216 * MB, 64 * MB, grants), 1);
    assert_int_equal(grants[0].base, 128 * MB);
    assert_int_equal(grants[0].size, 216 * MB);
    /* Nearly all of it: the few that stay give 4 MB of it away. */
    assert_int_equal(plan_grants(available, 1, 426 * MB, 0, grants), 1);
    assert_int_equal(grants[0].base, 24 * MB);
    assert_int_equal(grants[0].size, 426 * MB);
}

static void leaves_page_0_and_odd_edges(void **state)
{
    const struct grant available[] = {{0, 640 << 10}, {0x100000, 31 * MB + 0x3000}};
    struct grant grants[MAX_GRANTS];
    (void)state;
    assert_int_equal(plan_grants(available, 2, UINT64_MAX, 0, grants), 1);
    assert_int_equal(grants[0].base, 2 * MB);
    assert_int_equal(grants[0].size, 30 * MB);
}

static void gives_nothing_when_all_must_stay(void **state)
{
    const struct grant available[] = {{16 * MB, 32 * MB}};
    struct grant grants[MAX_GRANTS];
    (void)state;
    assert_int_equal(plan_grants(available, 1, UINT64_MAX, 32 * MB, grants), 0);
    assert_int_equal(plan_grants(available, 0, UINT64_MAX, 0, grants), 0);
    assert_int_equal(plan_grants(available, 1, 1 * MB, 0, grants), 0);
}

static bool inside(struct grant inner, struct grant outer)
{
    return inner.base >= outer.base && inner.base + inner.size <= outer.base + outer.size;
}

/* Grants lie inside what is free, do not overlap, are ordered and aligned, and keep both limits. */
static void keeps_its_word_on_any_map(void **state)
{
    struct random random = {20261121};
    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        struct grant available[24], grants[MAX_GRANTS];
        unsigned count = (unsigned)random_below(&random, 24), granted;
        uint64_t at = 0, low = 0, low_granted = 0, all = 0;
        uint64_t most = random_below(&random, 4) ? UINT64_MAX : random_below(&random, 8192) * MB;
        uint64_t leave = random_below(&random, 65) * MB;
        for (unsigned i = 0; i < count; i++) {
            at += random_below(&random, 4) ? random_below(&random, 1 << 12) << 12 : random_below(&random, 3) * GB;
            available[i].base = at;
            available[i].size = (1 + random_below(&random, 1 << 18)) << 12;
            at += available[i].size + 4096;
            low += available[i].base < 4 * GB ? available[i].size : 0;
        }
        granted = plan_grants(available, count, most, leave, grants);
        assert_true(granted <= MAX_GRANTS);
        for (unsigned i = 0; i < granted; i++) {
            unsigned homes = 0;
            for (unsigned k = 0; k < count; k++)
                homes += inside(grants[i], available[k]);
            assert_int_equal(homes, 1);
            assert_int_equal(grants[i].base % (2 * MB) + grants[i].size % (2 * MB), 0);
            assert_true(grants[i].size > 0 && grants[i].base >= 2 * MB);
            for (unsigned k = 0; k < i; k++)
                assert_true(grants[k].base + grants[k].size <= grants[i].base ||
                            grants[i].base + grants[i].size <= grants[k].base);
            all += grants[i].size;
            low_granted += grants[i].base < 4 * GB ? grants[i].size : 0;
        }
        assert_true(all <= most);
        assert_true(low_granted == 0 || low - low_granted >= leave);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_a_quarter_of_little_and_64_mb_of_much),
        cmocka_unit_test(takes_the_largest_first),
        cmocka_unit_test(cuts_at_the_end_and_starts_at_a_gigabyte_where_it_can),
        cmocka_unit_test(starts_at_as_round_a_number_as_there_is_room_for),
        cmocka_unit_test(leaves_page_0_and_odd_edges),
        cmocka_unit_test(gives_nothing_when_all_must_stay),
        cmocka_unit_test(keeps_its_word_on_any_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
