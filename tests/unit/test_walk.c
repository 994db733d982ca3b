// SPDX-License-Identifier: BSD-2-Clause
/* test_walk.c: the order of a walk is a permutation, and its stops lie where they are described. */
#include "probes/walk.h"
#include "tests/unit/resting_host.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

/* Every stop exactly once, for lengths around powers of two and several seeds. */
static void visits_every_stop_once(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 31, 33, 100, 1000, 4095, 4096, 4097, 70001};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            struct stops stops = stops_sequence(4096, 64, lengths[i]);
            struct walk walk = walk_over(&stops, OP_LOAD, seed);
            uint8_t *seen = calloc(lengths[i], 1);
            for (uint64_t position = 0; position < lengths[i]; position++) {
                uint64_t stop = walk_stop(&walk, position);
                assert_true(stop < lengths[i]);
                assert_int_equal(seen[stop]++, 0);
            }
            free(seen);
        }
}

/* Positions wrap, the same seed gives the same order, another one another. */
static void order_depends_on_the_seed_alone(void **state)
{
    (void)state;
    struct stops stops = stops_sequence(0, 64, 1000);
    struct walk one = walk_over(&stops, OP_LOAD, 1), same = walk_over(&stops, OP_LOAD, 1),
                other = walk_over(&stops, OP_LOAD, 2);
    unsigned equal = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(walk_address(&one, i), walk_address(&same, i + 1000));
        equal += walk_address(&one, i) == walk_address(&other, i);
    }
    assert_true(equal < 20);
}

/* A stride prefetcher must find nothing: the commonest distance between neighbours is rare. */
static void no_stride_repeats(void **state)
{
    (void)state;
    struct stops stops = stops_sequence(0, 64, 4096);
    struct walk walk = walk_over(&stops, OP_LOAD, 7);
    static unsigned distances[2 * 4096];
    memset(distances, 0, sizeof distances);
    unsigned most = 0;
    for (uint64_t i = 0; i < 4096; i++) {
        uint64_t step = walk_stop(&walk, i + 1) + 4096 - walk_stop(&walk, i);
        most = ++distances[step] > most ? distances[step] : most;
    }
    assert_true(most < 20);
}

/* In order, from the first stop or from the last, and round. */
static void sequential_orders(void **state)
{
    (void)state;
    struct stops stops = stops_sequence(0, 64, 7);
    struct walk walk = walk_over(&stops, OP_LOAD, 3);
    for (uint64_t i = 0; i < 21; i++) {
        walk.order = ORDER_ASCENDING;
        assert_int_equal(walk_address(&walk, i), 64 * (i % 7));
        walk.order = ORDER_DESCENDING;
        assert_int_equal(walk_address(&walk, i), 64 * (6 - i % 7));
    }
}

static void stops_lie_where_described(void **state)
{
    (void)state;
    struct stops groups = {.base = 0x10000,
                           .stride = 0x1000,
                           .count = 4,
                           .inner_stride = 32,
                           .inner_count = 3,
                           .shifted_from = 2,
                           .shift = 0x40};
    assert_int_equal(stops_count(&groups), 12);
    assert_int_equal(stops_address(&groups, 0), 0x10000);
    assert_int_equal(stops_address(&groups, 2), 0x10040);
    assert_int_equal(stops_address(&groups, 3), 0x11000);
    assert_int_equal(stops_address(&groups, 6), 0x12040);
    assert_int_equal(stops_address(&groups, 11), 0x13080);
    assert_int_equal(stops_extent(&groups), 0x3090);
}

/* Stops that are listed are visited as any others are. */
static void lists_are_followed(void **state)
{
    (void)state;
    static const uint64_t addresses[] = {0x5000, 0x1040, 0x9080, 0x20c0, 0x7100};
    struct stops stops = stops_listed(addresses, 5);
    struct walk walk = walk_over(&stops, OP_LOAD, 3);
    unsigned seen = 0;
    assert_int_equal(stops_count(&stops), 5);
    for (uint64_t i = 0; i < 5; i++) {
        assert_int_equal(stops_address(&stops, i), addresses[i]);
        for (unsigned j = 0; j < 5; j++)
            seen |= (unsigned)(walk_address(&walk, i) == addresses[j]) << j;
    }
    assert_int_equal(seen, 31);
}

/* Rotation keeps the page and the offset below 16, and moves neighbours apart modulo every small power of two. */
static void rotation_stays_in_the_page(void **state)
{
    (void)state;
    struct stops stops = stops_sequence(0x200408, 0x2000, 256);
    stops.rotated = true;
    uint8_t seen[256] = {0};
    for (uint64_t i = 0; i < 256; i++) {
        uint64_t address = stops_address(&stops, i);
        assert_int_equal(address >> 12, 0x200 + 2 * i);
        assert_int_equal(address % 16, 8);
        assert_int_equal(seen[address % 4096 / 16]++, 0);
        assert_true(address - stops.base < stops_extent(&stops) || address < stops.base);
    }
    for (uint64_t way = 512; way <= 4096; way *= 2)
        assert_int_not_equal(stops_address(&stops, 1) % way / 64, stops_address(&stops, 0) % way / 64);
}

/* Numbers from a list, or with their bits spread; seats of 64 bytes, each its own, 64 in a page, and pages apart. */
static void numbers_and_seats(void **state)
{
    static const uint32_t number[] = {5, 0, 1000000};
    enum { SEATS = 1000, PAGE = 4096 };
    struct stops stops = stops_sequence(1 << 20, PAGE, 3);
    uint64_t used[SEATS / 64 + 1][2] = {{0}};
    unsigned halves[SEATS / 64 + 1][2] = {{0}};
    (void)state;
    stops.number = number;
    assert_int_equal(stops_address(&stops, 2), (1 << 20) + 1000000ull * PAGE);
    stops.number = NULL;
    stops.spread = 0x32;
    assert_int_equal(stops_number(&stops, 0), 0);
    assert_int_equal(stops_number(&stops, 1), 2);
    assert_int_equal(stops_number(&stops, 6), 0x30);
    assert_int_equal(stops_number(&stops, 7), 0x32);
    stops.spread = 0;
    stops.seats = PAGE;
    for (uint64_t i = 0; i < SEATS; i++) {
        uint64_t seat = stops_seat(i, SEAT), row = i / 64;
        halves[row][seat % 64 / 32]++;
        assert_int_equal(seat % 32, 0);
        assert_false(used[row][0] >> seat % PAGE / 64 & 1);
        used[row][0] |= (uint64_t)1 << seat % PAGE / 64;
        if (i % 64 == 0)
            used[row][1] = seat / PAGE;
        assert_int_equal(seat / PAGE, used[row][1]);
        assert_true(row == 0 || used[row][1] > used[row - 1][1] + 7);
        assert_int_equal(stops_address(&stops, i), (1 << 20) + i * PAGE + seat % PAGE);
        if (i % 64 == 63)
            assert_int_equal(halves[row][0], halves[row][1]);
    }
    stops.sharing = 4;
    assert_int_equal(stops_number(&stops, 11), 2);
}

/* Tight seats, 16 bytes each, fill the first half of a page before the next one; wide ones all of it. */
static void other_pitches(void **state)
{
    enum { SEATS = 600, PAGE = 4096, WIDE = 128 };
    static const uint64_t pitch[] = {TIGHT, WIDE};
    (void)state;
    for (unsigned kind = 0; kind < 2; kind++) {
        uint64_t page = stops_seats_a_page(pitch[kind]), room = kind ? PAGE : PAGE / 2;
        bool used[SEATS + PAGE / TIGHT] = {false};
        assert_int_equal(page, room / pitch[kind]);
        for (uint64_t i = 0; i < SEATS; i++) {
            uint64_t seat = stops_seat(i, pitch[kind]), place = seat % PAGE / pitch[kind];
            assert_in_range(seat % PAGE, 0, room - 1);
            assert_int_equal(seat / PAGE, stops_seat(i / page * page, pitch[kind]) / PAGE);
            assert_false(used[i / page * page + place]);
            used[i / page * page + place] = true;
        }
    }
    struct stops stops = stops_sequence(1 << 20, PAGE, 3);
    stops.seats = PAGE;
    stops.pitch = TIGHT;
    assert_int_equal(stops_address(&stops, 1), (1 << 20) + PAGE + TIGHT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visits_every_stop_once), cmocka_unit_test(order_depends_on_the_seed_alone),
        cmocka_unit_test(no_stride_repeats),      cmocka_unit_test(stops_lie_where_described),
        cmocka_unit_test(lists_are_followed),     cmocka_unit_test(rotation_stays_in_the_page),
        cmocka_unit_test(numbers_and_seats),      cmocka_unit_test(other_pitches),
        cmocka_unit_test(sequential_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
