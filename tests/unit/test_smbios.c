// SPDX-License-Identifier: BSD-2-Clause
/* test_smbios.c: SMBIOS tables good and bad. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "boot/smbios.h"

struct table {
    uint8_t bytes[1024];
    size_t length;
};

/* A structure of `size` formatted bytes whose strings 1, 2, ... are these; fields 4 to 7 name strings 1 to 4. */
static void add(struct table *table, uint8_t type, uint8_t size, const char *const *strings)
{
    uint8_t *at = table->bytes + table->length;
    memset(at, 0, size);
    at[0] = type;
    at[1] = size;
    for (uint8_t i = 4; i < size && i < 8; i++)
        at[i] = (uint8_t)(i - 3);
    table->length += size;
    for (unsigned i = 0; strings[i]; i++) {
        size_t length = strlen(strings[i]) + 1;
        memcpy(table->bytes + table->length, strings[i], length);
        table->length += length;
    }
    if (!strings[0])
        table->bytes[table->length++] = 0;
    table->bytes[table->length++] = 0;
}

static const char *const firmware_strings[] = {"American Megatrends", "F.21", NULL};
static const char *const system_strings[] = {"Maker", "Notebook 9", "v1", "SYS-77", NULL};
static const char *const board_strings[] = {"Maker", "  MB-X570 ", "1.0", "BRD-42", NULL};
static const char *const no_strings[] = {NULL};

/* Walks a copy of exactly this length, so that the sanitizer sees every byte too far. */
static struct board walk(const struct table *table, size_t length)
{
    struct board board;
    uint8_t *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, table->bytes, length);
    memset(&board, 0, sizeof board);
    smbios_walk(copy, length, &board);
    free(copy);
    return board;
}

static void names_the_base_board(void **state)
{
    struct table table = {.length = 0};
    (void)state;
    add(&table, 0, 18, firmware_strings);
    add(&table, 1, 27, system_strings);
    add(&table, 2, 15, board_strings);
    add(&table, 127, 4, no_strings);
    struct board board = walk(&table, table.length);
    assert_string_equal(board.name, "MB-X570");
    assert_string_equal(board.serial, "BRD-42");
    assert_string_equal(board.firmware, "American Megatrends F.21");
}

static void falls_back_to_the_system(void **state)
{
    static const char *const empty_board[] = {"Maker", "Default string", "x", "To be filled by O.E.M.", NULL};
    struct table table = {.length = 0};
    (void)state;
    add(&table, 2, 15, empty_board);
    add(&table, 1, 27, system_strings);
    struct board board = walk(&table, table.length);
    assert_string_equal(board.name, "Notebook 9");
    assert_string_equal(board.serial, "SYS-77");
    assert_string_equal(board.firmware, "");
}

static void filters_what_is_not_printable(void **state)
{
    static const char *const strings[] = {"M", "Bo\001ard\376", "v", "0000-000", NULL};
    struct table table = {.length = 0};
    (void)state;
    add(&table, 2, 15, strings);
    struct board board = walk(&table, table.length);
    assert_string_equal(board.name, "Bo?ard?");
    assert_string_equal(board.serial, "");
}

static void stops_at_the_end_of_table_structure(void **state)
{
    struct table table = {.length = 0};
    (void)state;
    add(&table, 127, 4, no_strings);
    add(&table, 2, 15, board_strings);
    assert_string_equal(walk(&table, table.length).name, "");
}

static void survives_every_cut_and_any_bytes(void **state)
{
    struct table table = {.length = 0};
    struct random random = {7};
    (void)state;
    add(&table, 0, 18, firmware_strings);
    add(&table, 1, 27, system_strings);
    add(&table, 2, 15, board_strings);
    for (size_t length = 0; length <= table.length; length++)
        walk(&table, length);
    for (unsigned round = 0; round < 20000; round++) {
        struct table damaged = table;
        for (unsigned i = 0; i < 6; i++)
            damaged.bytes[random_below(&random, damaged.length)] = (uint8_t)random_next(&random);
        struct board board = walk(&damaged, damaged.length);
        for (const char *at = board.name; *at; at++)
            assert_true(*at >= ' ' && *at <= '~');
    }
}

static void reads_both_entry_points(void **state)
{
    uint8_t three[24] = "_SM3_", two[31] = "_SM_", other[31] = "_XX_";
    uint64_t table = 0;
    size_t length = 0;
    (void)state;
    three[0x0c] = 0x10;
    three[0x14] = 0x02; /* above 4 GB */
    assert_true(smbios_entry(three, &table, &length));
    assert_int_equal(table, 0x200000000);
    assert_int_equal(length, 16);
    two[0x17] = 0x01;
    two[0x1b] = 0x80;
    assert_true(smbios_entry(two, &table, &length));
    assert_int_equal(table, 0x80000000);
    assert_int_equal(length, 256);
    assert_false(smbios_entry(other, &table, &length));
    memset(three + 0x0c, 0xff, 4);
    assert_true(smbios_entry(three, &table, &length));
    assert_int_equal(length, 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_base_board),
        cmocka_unit_test(falls_back_to_the_system),
        cmocka_unit_test(filters_what_is_not_printable),
        cmocka_unit_test(stops_at_the_end_of_table_structure),
        cmocka_unit_test(survives_every_cut_and_any_bytes),
        cmocka_unit_test(reads_both_entry_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
