// SPDX-License-Identifier: BSD-2-Clause
/* test_seats.c: which pages are mapped, and where they are, when control and experiment of translation want them. */
#include "probes/seats_inside.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/data_tlbs.h"

/* Each page is number j of the row, in order, where nothing but these bits differs, and has `fixed` of the others; it
 * is mapped, to where seat j is: what is linked there is found in memory. */
static void assert_row(struct seats *pages, const struct stops *row, uint64_t count, uint64_t bits, uint64_t fixed)
{
    struct machine *machine = pages->bench->machine;
    uint64_t last = 0;
    assert_int_equal(row->count, count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t address = stops_address(row, i), number = (address - seats_row_base(pages)) / pages->page;
        const uint64_t *seat = machine_at(machine, pages->dense.physical + stops_seat(i, pages->pitch));
        assert_true(machine_link(machine, OP_LOAD, address, address));
        assert_true(*seat == address);
        assert_int_equal(number & ~bits, fixed);
        assert_true(i == 0 || number > last);
        last = number;
    }
}

/* More pages than seats of a frame, so that each has to be mapped to its own one. */
static void rows_by_their_bits(void **state)
{
    enum { COUNT = 192, ALIKE = 5 };
    struct description description = machine_with();
    struct seats pages;
    const char *why = "";
    (void)state;
    struct machine *machine = process_open(NULL, &description, 3, NULL, &why);
    assert_non_null(machine);
    struct bench bench = bench_open(machine, 7);
    assert_true(seats_open(&pages, &bench, OP_LOAD, 4096, UINT64_MAX, &why));
    uint64_t all = ((uint64_t)1 << pages.bits) - 1;
    struct stops row = seats_row(&pages, COUNT);
    assert_row(&pages, &row, COUNT, all, 0);
    for (uint64_t number = 8; number < 14; number++) { /* what others have of it does not matter */
        row = seats_row_alike(&pages, COUNT, ALIKE, number);
        assert_row(&pages, &row, COUNT, all & ~(uint64_t)ALIKE, number & ALIKE);
        row = seats_row_alike(&pages, 2 * COUNT, ALIKE, number); /* longer, of which a part is mapped */
        assert_row(&pages, &row, 2 * COUNT, all & ~(uint64_t)ALIKE, number & ALIKE);
    }
    row = seats_spread(&pages, 0x3f80);
    assert_row(&pages, &row, 128, 0x3f80, 0);
    row = seats_row_alike(&pages, COUNT, 0, 5);
    assert_row(&pages, &row, COUNT, all, 0);
    seats_close(&pages);
    machine_close(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_by_their_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
