// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_truth_brought.c: what loads bring along on small machines, worked out by hand. */
#include "tests/unit/truth_bench.h"

enum { FIRST = 4, SECOND = 14 };

static struct description *two_levels(void)
{
    struct description *description = plain();

    add_cache(description, 256 * KB, 8, SECOND, INCLUSION_NEITHER);
    return description;
}

static struct prefetcher_description *prefetch(struct description *description, enum prefetcher_kind kind,
                                               unsigned into)
{
    struct prefetcher_description *prefetcher = &description->prefetcher[description->prefetchers++];

    *prefetcher = (struct prefetcher_description){.kind = kind, .watches = into, .into = into, .ahead = 1};
    return prefetcher;
}

static void lines_alone(void **state)
{
    struct truths *truths = truths_on(two_levels());

    (void)state;
    expect_equal(truths, "mem.unit", 64);
    expect_equal(truths, "mem.next", 0);
    assert_int_equal(truth_of(truths, "interference.sizes").kind, TRUTH_RANGE);
    truths_destroy(truths);
}

/* The longest line that is filled counts; of one in sectors, a sector; of an exclusive level, nothing. */
static void lines_of_levels(void **state)
{
    struct description *description = two_levels();
    struct truths *truths;

    (void)state;
    description->cache[1].line = 256;
    description->cache[1].sector = 128;
    description->cache[1].shape.index.sets /= 4;
    truths = truths_on(description);
    expect_equal(truths, "mem.unit", 128);
    truths_destroy(truths);
    description = two_levels();
    description->cache[1].inclusion = INCLUSION_EXCLUSIVE;
    description->cache[0].sector = 16;
    truths = truths_on(description);
    expect_equal(truths, "mem.unit", 16);
    truths_destroy(truths);
}

/* A pair of the lines of the cache that it goes into. */
static void pairs(void **state)
{
    struct description *description = two_levels();

    (void)state;
    prefetch(description, PREFETCH_ADJACENT, 2);
    struct truths *truths = truths_on(description);
    expect_equal(truths, "mem.unit", 128);
    expect_equal(truths, "mem.next", 0);
    truths_destroy(truths);
}

static void next_lines(void **state)
{
    struct description *description = two_levels();

    (void)state;
    prefetch(description, PREFETCH_NEXT_LINE, 1);
    struct truths *truths = truths_on(description);
    expect_equal(truths, "mem.unit", 64);
    expect_equal(truths, "mem.next", 1);
    truths_destroy(truths);
}

/* A stream that needs two accesses brings nothing at the first; one that needs one does. */
static void streams(void **state)
{
    (void)state;
    for (unsigned train = 1; train <= 2; train++) {
        struct description *description = two_levels();
        struct prefetcher_description *stream = prefetch(description, PREFETCH_STREAM, 2);
        stream->trackers = 4;
        stream->train = train;
        struct truths *truths = truths_on(description);
        assert_int_equal(truth_of(truths, "mem.unit").optional, train == 1);
        truths_destroy(truths);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_alone), cmocka_unit_test(lines_of_levels),
                                       cmocka_unit_test(pairs), cmocka_unit_test(next_lines),
                                       cmocka_unit_test(streams)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
