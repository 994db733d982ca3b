// SPDX-License-Identifier: BSD-2-Clause
/* test_whole.c: what seems to be one line is one, or two that a prefetcher without a switch brings together; flushes
 * take as much as the longest line of any level. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "probes/whole.h"
#include "tests/unit/looked_at.h"
#include "tests/unit/resting_host.h"

static void lengthen(struct cache_description *cache)
{
    cache->line = cache->sector = 128;
    cache->size *= 2;
}

static void bring(struct description *description, enum prefetcher_kind kind, unsigned level)
{
    description->prefetcher[description->prefetchers++] =
        (struct prefetcher_description){.kind = kind, .watches = level, .into = level, .ahead = 1};
}

/* A second level of lines of 64 bytes, and a third one whose lines may have twice as many. */
static struct description levels_of(const char *policy, enum inclusion inclusion, bool longer)
{
    struct description description = first(16, 2, "LRU");
    add(&description, 64, 8, policy)->inclusion = inclusion;
    struct cache_description *third = add(&description, 256, 4, "LRU");
    if (longer)
        lengthen(third);
    return description;
}

/* What is said of 128 bytes that share sets of the second level. before: units that the levels before seem to have, and
 * whether these are one line. */
static enum whole said_of(const struct description *description, uint64_t before, bool open)
{
    struct looked_at at;
    struct scene scene[2];
    const char *why = "";
    look_at(&at, description, 1);
    at.nearer.units = before;
    at.nearer.units_open = open;
    for (unsigned i = 0; i < 2; i++) /* an even number, and an odd one */
        assert_true(minimal_find(&at.push, &at.nearer.kin, &at.nearer, target_of(&at.push, i), NULL, &scene[i], &why));
    enum whole whole = whole_tell(&at.push, scene, &at.nearer, 2);
    leave(&at);
    return whole;
}

/* Pairs of lines, and flushes that take both: nothing says that they are one line. Under QLRU_H00_M1_R2_U1 a row of
 * lines does one thing after some rows, and another thing after others. */
static void pairs_before_longer_lines(void **state)
{
    (void)state;
    static const char *const policies[] = {"LRU", "PLRU", "NRU", "FIFO", "QLRU_H00_M1_R2_U1"};
    for (unsigned i = 0; i < sizeof policies / sizeof *policies; i++)
        for (enum inclusion inclusion = INCLUSION_NEITHER; inclusion <= INCLUSION_EXCLUSIVE; inclusion++) {
            struct description description = levels_of(policies[i], inclusion, true);
            bring(&description, PREFETCH_ADJACENT, 2);
            if (said_of(&description, 1, false) != WHOLE_OPEN)
                fail_msg("%s, inclusion %u", policies[i], inclusion);
        }
}

/* Nor does a prefetcher of next lines, which uses half of them. */
static void next_lines_of_pairs(void **state)
{
    (void)state;
    struct description description = levels_of("LRU", INCLUSION_NEITHER, true);
    bring(&description, PREFETCH_NEXT_LINE, 1);
    bring(&description, PREFETCH_ADJACENT, 2);
    assert_int_equal(said_of(&description, 1, false), WHOLE_OPEN);
}

/* Where no lines are longer, flushes tell pairs. */
static void pairs_that_are_flushed_alone(void **state)
{
    (void)state;
    struct description description = levels_of("LRU", INCLUSION_NEITHER, false);
    bring(&description, PREFETCH_ADJACENT, 2);
    assert_int_equal(said_of(&description, 1, false), WHOLE_PARTS);
}

/* One line: whoever uses half of it uses it. But a policy that looks at no uses does not show it. */
static void long_lines(void **state)
{
    (void)state;
    static const char *const policies[] = {"LRU", "PLRU", "QLRU_H11_M1_R1_U2", "FIFO"};
    for (unsigned i = 0; i < sizeof policies / sizeof *policies; i++)
        for (enum inclusion inclusion = INCLUSION_NEITHER; inclusion <= INCLUSION_INCLUSIVE; inclusion++) {
            struct description description = levels_of(policies[i], inclusion, true);
            lengthen(&description.cache[1]);
            if (said_of(&description, 1, false) != (i < 3 ? WHOLE_TOUCHED : WHOLE_OPEN))
                fail_msg("%s, inclusion %u", policies[i], inclusion);
        }
}

/* Behind a level whose lines are as long no prefetcher need be the reason. Behind one that may have pairs it may: it
 * uses both here, too. */
static void behind_others(void **state)
{
    (void)state;
    struct description description = levels_of("LRU", INCLUSION_NEITHER, true);
    lengthen(&description.cache[1]);
    assert_int_equal(said_of(&description, 2, false), WHOLE_LINE);
    assert_int_equal(said_of(&description, 2, true), WHOLE_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_before_longer_lines), cmocka_unit_test(next_lines_of_pairs),
        cmocka_unit_test(pairs_that_are_flushed_alone), cmocka_unit_test(long_lines), cmocka_unit_test(behind_others)};
    return cmocka_run_group_tests(tests, fresh, done);
}
