// SPDX-License-Identifier: BSD-2-Clause
/* test_confirm.c: levels that one try found, and no other, are doubted. */
#include "probes/confirm.h"
#include "tests/unit/resting_host.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* after the headers that it needs */
#include <cmocka.h>

static void set(struct levels *levels, unsigned count, const double *cycles)
{
    *levels = (struct levels){.count = count};
    for (unsigned i = 0; i < count; i++)
        levels->level[i].cycles = cycles[i];
}

/* The first try has nothing to go by. The second one confirms both levels, the third one only the first. */
static void later_tries_confirm(void **state)
{
    static struct levels levels;
    static struct said said[3];
    (void)state;
    set(&levels, 2, (double[]){4, 14});
    assert_false(levels_confirm(said, 0, &levels, &said[0]));
    assert_true(levels.level[0].numbering > 0.5 && levels.level[1].numbering > 0.5 && levels.counting > 0.5);
    set(&levels, 2, (double[]){4, 14.2});
    assert_true(levels_confirm(said, 1, &levels, &said[1]));
    assert_true(levels.level[0].numbering <= 0 && levels.level[1].numbering <= 0 && levels.counting <= 0);
    set(&levels, 3, (double[]){4, 9.3, 14});
    assert_false(levels_confirm(said, 2, &levels, &said[2]));
    assert_true(levels.level[0].numbering <= 0 && levels.counting > 0.5);
    assert_true(levels.level[1].numbering > 0.5 && levels.level[2].numbering > 0.5);
    assert_int_equal(said[2].count, 3);
}

/* A level whose latency another try found, but as another level, has a number that is doubted. */
static void the_number_counts(void **state)
{
    static struct levels levels;
    struct said said[3];
    (void)state;
    set(&levels, 3, (double[]){4, 14, 50});
    levels_confirm(said, 0, &levels, &said[0]);
    set(&levels, 2, (double[]){4, 50});
    assert_false(levels_confirm(said, 1, &levels, &said[1]));
    assert_true(levels.level[0].numbering <= 0 && levels.level[1].numbering > 0.5);
    set(&levels, 4, (double[]){4, 14, 25, 50});
    assert_false(levels_confirm(said, 2, &levels, &said[2]));
    assert_true(levels.level[1].numbering <= 0 && levels.level[2].numbering > 0.5 && levels.level[3].numbering > 0.5);
}

/* Any earlier try counts, and as many levels that are others confirm the number alone. */
static void any_try_counts(void **state)
{
    static struct levels levels;
    struct said said[3];
    (void)state;
    set(&levels, 1, (double[]){4});
    levels_confirm(said, 0, &levels, &said[0]);
    set(&levels, 2, (double[]){4, 50});
    assert_false(levels_confirm(said, 1, &levels, &said[1]));
    set(&levels, 1, (double[]){14});
    assert_false(levels_confirm(said, 2, &levels, &said[2]));
    assert_true(levels.counting <= 0 && levels.level[0].numbering > 0.5);
}

/* Behind a level that is doubted any other is, too, even one that is where it was before. */
static void what_lies_behind_doubt_is_doubted(void **state)
{
    static struct levels levels;
    struct said said[2];
    (void)state;
    set(&levels, 3, (double[]){4, 14, 50});
    levels_confirm(said, 0, &levels, &said[0]);
    set(&levels, 3, (double[]){4, 20, 50});
    assert_false(levels_confirm(said, 1, &levels, &said[1]));
    assert_true(levels.level[0].numbering <= 0 && levels.counting <= 0);
    assert_true(levels.level[1].numbering > 0.5 && levels.level[2].numbering > 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_tries_confirm),
        cmocka_unit_test(any_try_counts),
        cmocka_unit_test(the_number_counts),
        cmocka_unit_test(what_lies_behind_doubt_is_doubted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
