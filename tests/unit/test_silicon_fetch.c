// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_fetch.c: what jumps cost with a branch-target buffer, by hand and against a list that knows it all. */
#include "tests/silicon/fetch.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

enum { JUMP = 2, MISS = 9 };

/* LRU targets, sets by the number of the 16-byte block. */
static void describe(struct description *description, unsigned cores, uint64_t sets, unsigned ways)
{
    memset(description, 0, sizeof *description);
    description->cores = cores;
    description->fetch.jump = JUMP;
    description->fetch.miss = MISS;
    description->fetch.targets = sets > 0;
    description->fetch.target_shape.index.kind = INDEX_MODULO;
    description->fetch.target_shape.index.sets = sets;
    description->fetch.target_shape.ways = ways;
    assert_true(policy_parse(&description->fetch.target_shape.policy, "LRU"));
}

static void without_a_buffer_every_target_is_known(void **state)
{
    struct description description;
    struct fetch *fetch;

    (void)state;
    describe(&description, 2, 0, 0);
    fetch = fetch_create(&description, 1);
    assert_int_equal(fetch_jump(fetch, 0, 0x1000, 0x2000, true), JUMP);
    assert_int_equal(fetch_jump(fetch, 1, 0x1000, 0x3000, true), JUMP);
    fetch_mark(fetch);
    assert_int_equal(fetch_digest(fetch), fetch_digest(fetch));
    fetch_destroy(fetch);
    fetch_destroy(NULL);
}

static void targets_are_learnt(void **state)
{
    struct description description;
    struct fetch *fetch;

    (void)state;
    describe(&description, 2, 4, 2);
    fetch = fetch_create(&description, 1);
    assert_int_equal(fetch_jump(fetch, 0, 0x1000, 0x2000, true), JUMP + MISS);
    assert_int_equal(fetch_jump(fetch, 0, 0x1000, 0x2000, true), JUMP);
    assert_int_equal(fetch_jump(fetch, 0, 0x1000, 0x2008, true), JUMP + MISS); /* elsewhere this time */
    assert_int_equal(fetch_jump(fetch, 0, 0x1000, 0x2008, true), JUMP);
    assert_int_equal(fetch_jump(fetch, 1, 0x1000, 0x2008, true), JUMP + MISS); /* a core's own */
    assert_int_equal(fetch_jump(fetch, 0, 0x1008, 0x2008, true), JUMP + MISS); /* another jump of the same block */
    assert_int_equal(fetch_jump(fetch, 0, 0x1000, 0x2008, true), JUMP);        /* beside it in the set's other way */
    /* 0x1000, 0x1040, 0x1080 are blocks 256, 260, 264: all set 0 of 4, which has two ways. */
    assert_int_equal(fetch_jump(fetch, 0, 0x1040, 1, true), JUMP + MISS); /* 0x1008 goes: used longest ago */
    assert_int_equal(fetch_jump(fetch, 0, 0x1000, 0x2008, true), JUMP);
    assert_int_equal(fetch_jump(fetch, 0, 0x1080, 1, true), JUMP + MISS); /* 0x1040 goes */
    assert_int_equal(fetch_jump(fetch, 0, 0x1000, 0x2008, true), JUMP);
    assert_int_equal(fetch_jump(fetch, 0, 0x1040, 1, true), JUMP + MISS);
    assert_int_equal(fetch_jump(fetch, 0, 0x1010, 1, true), JUMP + MISS); /* set 1: disturbs nobody */
    assert_int_equal(fetch_jump(fetch, 0, 0x1000, 0x2008, true), JUMP);
    assert_int_equal(fetch_jump(fetch, 0, 0, 0, true), JUMP + MISS); /* address 0 is as good as any */
    assert_int_equal(fetch_jump(fetch, 0, 0, 0, true), JUMP);
    fetch_destroy(fetch);
}

/* A ring of jumps that the buffer holds: from the second lap on every lap ends as the one before it. */
static void rings_repeat(void **state)
{
    struct description description;
    struct fetch *fetch;
    uint64_t before = 0, changed;

    (void)state;
    describe(&description, 1, 16, 4);
    fetch = fetch_create(&description, 1);
    for (unsigned lap = 0; lap < 4; lap++) {
        unsigned cycles = 0;

        fetch_mark(fetch);
        for (uint64_t i = 0; i < 64; i++)
            cycles += fetch_jump(fetch, 0, i * 16, (i + 1) % 64 * 16, true);
        assert_int_equal(cycles, lap == 0 ? 64 * (JUMP + MISS) : 64 * JUMP);
        if (lap > 1)
            assert_int_equal(fetch_digest(fetch), before);
        before = fetch_digest(fetch);
    }
    fetch_jump(fetch, 0, 0, 0x40, true); /* a new target */
    changed = fetch_digest(fetch);
    assert_true(changed != before);
    fetch_destroy(fetch);
}

/* A list of jumps per set, used last first. */
static void agrees_with_a_list(void **state)
{
    struct naive {
        uint64_t from, to;
        unsigned used;
    } list[8][3] = {0};
    struct random random = {99};
    struct description description;
    struct fetch *fetch;

    (void)state;
    describe(&description, 1, 8, 3);
    fetch = fetch_create(&description, 1);
    for (unsigned i = 1; i < 30000; i++) {
        uint64_t from = 1 + random_below(&random, 600), to = random_below(&random, 2);
        struct naive *set = list[from / 16 % 8], *found = NULL, *oldest = set;

        for (unsigned way = 0; way < 3; way++) {
            if (set[way].from == from)
                found = &set[way];
            if (set[way].used < oldest->used)
                oldest = &set[way];
        }
        assert_int_equal(fetch_jump(fetch, 0, from, to, true), found && found->to == to ? JUMP : JUMP + MISS);
        *(found ? found : oldest) = (struct naive){from, to, i};
    }
    fetch_destroy(fetch);
}

/* Where a run ended, the jump is foretold wrongly for so many laps if the order is new, and for one if it is not. */
static void where_runs_end(void **state)
{
    enum { ENDS = 3, ASTRAY = 20, AT = 0x1000, TO = 0x2000 };
    struct description description;
    struct fetch *fetch;

    (void)state;
    describe(&description, 2, 0, 0);
    description.fetch.ends = ENDS;
    description.fetch.astray = ASTRAY;
    fetch = fetch_create(&description, 1);
    for (unsigned order = 0; order < 2; order++) {
        fetch_linked(fetch);
        fetch_ended(fetch, 0, AT);
        assert_int_equal(fetch_jump(fetch, 0, AT, TO, true),
                         JUMP + ASTRAY); /* one of them, and a run that ends again */
        for (unsigned run = 0; run < 3; run++) {
            uint64_t digest = fetch_digest(fetch);
            fetch_ended(fetch, 0, AT);
            assert_true(run == 0 || fetch_digest(fetch) != digest);
            for (unsigned lap = 0; lap < 2 * ENDS; lap++) {
                assert_int_equal(fetch_jump(fetch, 0, AT, TO, true), lap < (run ? 1 : ENDS - 1) ? JUMP + ASTRAY : JUMP);
                assert_int_equal(fetch_jump(fetch, 0, TO, AT, true), JUMP); /* another one */
                assert_int_equal(fetch_jump(fetch, 1, AT, TO, true), JUMP); /* another core's */
            }
        }
    }
    fetch_destroy(fetch);
}

/* What a lap of so many jumps costs once it is known; passing: none of them counts but the first. */
static unsigned lap_of(struct fetch *fetch, unsigned jumps, bool passing)
{
    unsigned cycles = 0;
    for (unsigned lap = 0; lap < 4; lap++) {
        cycles = 0;
        for (uint64_t i = 0; i < jumps; i++)
            cycles += fetch_jump(fetch, 0, i * 16, (i + 1) % jumps * 16, !passing || i == 0);
    }
    return cycles;
}

/* Of the jumps that were taken last every second one comes along; of one more than these none does, and none that
 * counts. */
static void few_are_foretold_in_pairs(void **state)
{
    enum { PAIRS = 16 };
    struct description description;
    struct fetch *fetch;

    (void)state;
    describe(&description, 1, 0, 0);
    description.fetch.pairs = PAIRS;
    fetch = fetch_create(&description, 1);
    assert_int_equal(lap_of(fetch, PAIRS, true), PAIRS / 2 * JUMP);
    uint64_t digest = fetch_digest(fetch);
    lap_of(fetch, PAIRS, true);
    assert_int_equal(fetch_digest(fetch), digest);
    assert_int_equal(lap_of(fetch, PAIRS, false), PAIRS * JUMP);
    assert_int_equal(lap_of(fetch, PAIRS + 1, true), (PAIRS + 1) * JUMP);
    fetch_destroy(fetch);
    describe(&description, 1, 1, PAIRS / 2); /* too few targets: none is foretold */
    description.fetch.pairs = PAIRS;
    fetch = fetch_create(&description, 1);
    assert_int_equal(lap_of(fetch, PAIRS, true), PAIRS * (JUMP + MISS));
    fetch_destroy(fetch);
}

static void fetching_runs_ahead(void **state)
{
    struct description description;
    struct fetch *fetch;

    (void)state;
    describe(&description, 1, 0, 0);
    description.fetch.ahead = 4;
    fetch = fetch_create(&description, 1);
    assert_int_equal(fetch_waits(fetch, 3), 0);
    assert_int_equal(fetch_waits(fetch, 4), 0);
    assert_int_equal(fetch_waits(fetch, 11), 7);
    fetch_destroy(fetch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fetching_runs_ahead),
        cmocka_unit_test(few_are_foretold_in_pairs),
        cmocka_unit_test(without_a_buffer_every_target_is_known),
        cmocka_unit_test(targets_are_learnt),
        cmocka_unit_test(rings_repeat),
        cmocka_unit_test(agrees_with_a_list),
        cmocka_unit_test(where_runs_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
