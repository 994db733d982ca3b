// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_memory.c: rows, banks and refresh of the modelled DRAM, against sums made by hand. */
#include "base/random.h"
#include "tests/silicon/memory.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct memory *make(const struct memory_description *description)
{
    struct memory *memory = memory_create(description);

    assert_non_null(memory);
    return memory;
}

static void test_flat(void **state)
{
    const struct memory_description description = {.latency = 200};
    struct memory *memory = make(&description);

    (void)state;
    for (uint64_t pa = 0; pa < 1 << 20; pa += 4096)
        assert_int_equal(memory_access(memory, pa, pa), 200);
    assert_true(memory_digest(memory, 0) == memory_digest(memory, 12345));
    memory_destroy(memory);
}

/* Rows of 8 KB in 4 banks: 0 to 8191 is row 0 of bank 0, the next 8 KB row 0 of bank 1, 32 KB on row 1 of bank 0.
 * Opening a closed bank is half of row_miss: 200 + 20; another row is 200 + 40. */
static void test_rows(void **state)
{
    const struct memory_description description = {.latency = 200, .row_miss = 40, .banks = 4, .row = 8192};
    struct memory *memory = make(&description);

    (void)state;
    assert_int_equal(memory_access(memory, 0, 0), 220);
    assert_int_equal(memory_access(memory, 8191, 0), 200);
    assert_int_equal(memory_access(memory, 8192, 0), 220);      /* bank 1 */
    assert_int_equal(memory_access(memory, 64, 0), 200);        /* bank 0 still has row 0 */
    assert_int_equal(memory_access(memory, 32768, 0), 240);     /* row 1 of bank 0 */
    assert_int_equal(memory_access(memory, 64, 0), 240);        /* and back */
    assert_int_equal(memory_access(memory, 8192 + 64, 0), 200); /* bank 1 did not hear of it */
    memory_close_rows(memory);
    assert_int_equal(memory_access(memory, 64, 0), 220);
    memory_destroy(memory);
}

/* The same with sizes that are no powers of two: rows of 6 KB in 3 banks. */
static void test_odd_rows(void **state)
{
    const struct memory_description description = {.latency = 100, .row_miss = 30, .banks = 3, .row = 6144};
    struct memory *memory = make(&description);

    (void)state;
    assert_int_equal(memory_access(memory, 6143, 0), 115);
    assert_int_equal(memory_access(memory, 6144, 0), 115);
    assert_int_equal(memory_access(memory, 2 * 6144, 0), 115);
    assert_int_equal(memory_access(memory, 3 * 6144, 0), 130);
    assert_int_equal(memory_access(memory, 2 * 6144, 0), 100);
    memory_destroy(memory);
}

/* A refresh takes cycles 900 to 999 of each 1000: who comes at 950 waits 50, who comes at 900 waits 100. */
static void test_refresh(void **state)
{
    const struct memory_description description = {
        .latency = 200, .row_miss = 40, .banks = 2, .row = 4096, .refresh_period = 1000, .refresh_length = 100};
    struct memory *memory = make(&description);

    (void)state;
    assert_int_equal(memory_access(memory, 0, 0), 220);
    assert_int_equal(memory_access(memory, 0, 899), 200);
    assert_int_equal(memory_access(memory, 0, 950), 270); /* waits for the end, finds the bank closed */
    assert_int_equal(memory_access(memory, 0, 950), 250); /* the same moment: waits, but the row is open now */
    assert_int_equal(memory_access(memory, 0, 1000), 200);
    assert_int_equal(memory_access(memory, 0, 1900), 320);
    assert_int_equal(memory_access(memory, 0, 5500), 220); /* refreshes have passed unseen */
    assert_int_equal(memory_access(memory, 0, 5501), 200);
    memory_destroy(memory);
}

/* Mean over a random time: each of the 100 cycles of a refresh in 1000 costs its rest: 100 * 101 / 2 / 1000 = 5.05. */
static void test_refresh_mean(void **state)
{
    const struct memory_description description = {.latency = 200, .refresh_period = 1000, .refresh_length = 100};
    struct memory *memory = make(&description);
    uint64_t sum = 0;

    (void)state;
    for (uint64_t now = 0; now < 1000000; now++)
        sum += memory_access(memory, 0, now) - 200;
    assert_int_equal(sum, 5050000);
    memory_destroy(memory);
}

static void test_digest(void **state)
{
    const struct memory_description description = {
        .latency = 200, .row_miss = 40, .banks = 4, .row = 8192, .refresh_period = 1000, .refresh_length = 100};
    struct memory_description steady = description;
    struct memory *memory = make(&description), *without;

    (void)state;
    memory_access(memory, 0, 10);
    const uint64_t before = memory_digest(memory, 10);

    assert_true(memory_digest(memory, 11) != before);   /* another phase */
    assert_true(memory_digest(memory, 1010) != before); /* the row has been closed */
    memory_access(memory, 0, 1010);
    assert_true(memory_digest(memory, 1010) == before);
    memory_access(memory, 32768, 1010);
    assert_true(memory_digest(memory, 1010) != before);
    memory_destroy(memory);
    steady.refresh_period = steady.refresh_length = 0;
    without = make(&steady);
    memory_access(without, 0, 10);
    assert_true(memory_digest(without, 10) == memory_digest(without, 999));
    memory_destroy(without);
}

/* An independent model: for each access, look back over all earlier ones for the last in the same bank. */
static void test_against_history(void **state)
{
    const struct memory_description description = {
        .latency = 100, .row_miss = 20, .banks = 4, .row = 1024, .refresh_period = 700, .refresh_length = 70};
    enum { COUNT = 2000 };
    static uint64_t pa[COUNT], served[COUNT];
    struct memory *memory = make(&description);
    struct random random = {5};
    uint64_t now = 0;

    (void)state;
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned expected = 100, last = i;

        now += random_below(&random, 120);
        pa[i] = random_below(&random, 16384);
        served[i] = now % 700 >= 630 ? now - now % 700 + 700 : now;
        expected += (unsigned)(served[i] - now);
        while (last > 0 && pa[last - 1] / 1024 % 4 != pa[i] / 1024 % 4)
            last--;
        if (last == 0 || served[last - 1] / 700 != served[i] / 700)
            expected += 10;
        else if (pa[last - 1] / 4096 != pa[i] / 4096)
            expected += 20;
        assert_int_equal(memory_access(memory, pa[i], now), expected);
    }
    memory_destroy(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_odd_rows),
        cmocka_unit_test(test_refresh),
        cmocka_unit_test(test_refresh_mean),
        cmocka_unit_test(test_digest),
        cmocka_unit_test(test_against_history),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
