// SPDX-License-Identifier: BSD-2-Clause
/* test_elsewhere.c: differences that are good for the lines of all sets, and such as are for those of some. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "probes/elsewhere.h"
#include "tests/unit/looked_at.h"
#include "tests/unit/resting_host.h"

enum { FIRST = 64, WAYS = 4 };

/* What is known of a level behind the first one, if its sets' lines differ by those bits and no others. */
static struct known known_above(const struct looked_at *at, uint64_t lowest)
{
    struct known known = {.nearer = &at->nearer};
    for (uint64_t bit = lowest; bit < region_lines(&at->push.region); bit *= 2)
        gf2_add(&known.space, bit);
    return known;
}

static void find(struct looked_at *at, unsigned number, struct scene *scene)
{
    const char *why = "";
    assert_true(minimal_find(&at->push, &at->nearer.kin, &at->nearer, target_of(&at->push, number), NULL, scene, &why));
    assert_true(scene->sharp);
}

/* Where sets are chosen by XOR, what a set's lines differ by is so everywhere, whether the first level tells them apart
 * or not; what lines of two sets differ by is so nowhere. */
static void by_xor(void **state)
{
    (void)state;
    enum { BITS = 8, SETS = 1 << BITS };
    struct description description = first(FIRST, 4, "LRU");
    struct looked_at at;
    struct scene scene;
    fold(add(&description, SETS, WAYS, "LRU"), BITS, 1 | SETS);
    look_at(&at, &description, 1);
    struct known known = known_above(&at, SETS << BITS);
    for (uint64_t bit = FIRST; bit < SETS; bit *= 2)
        gf2_add(&known.space, bit | bit << BITS);
    find(&at, 0, &scene);
    for (unsigned bit = 0; bit < 6; bit++) {
        assert_true(elsewhere_holds(&at.push, &scene, &known, UINT64_C(1) << bit | (uint64_t)SETS << bit));
        assert_false(elsewhere_holds(&at.push, &scene, &known, UINT64_C(1) << bit | (uint64_t)SETS << (bit + 1)));
    }
    assert_true(elsewhere_holds(&at.push, &scene, &known, 0));
    gf2_add(&known.space, FIRST);
    assert_false(elsewhere_holds(&at.push, &scene, &known, 0));
    leave(&at);
}

/* Where a table chooses among twelve slices, a line shares its set with one in twelve of those that differ in the
 * table's bits: none of these differences is good for the lines of all sets, and so is none that is taken for known. */
static void by_table(void **state)
{
    (void)state;
    enum { SETS = 128, SLICES = 12, TABLE = 128, LEAST = TABLE / SLICES / 2, MOST = 2 * TABLE / SLICES };
    struct description description = first(FIRST, 4, "LRU");
    struct looked_at at;
    unsigned some = 0;
    slice(add(&description, SETS, WAYS, "LRU"), SLICES);
    look_at(&at, &description, 1);
    struct known known = known_above(&at, SETS * TABLE);
    struct scene scene = {.target = target_of(&at.push, 0), .nearer = &at.nearer, .needed = WAYS, .sharp = true};
    for (; scene.lines < 2 * WAYS; scene.lines++)
        scene.line[scene.lines] = scene.target ^ (uint64_t)(scene.lines + 1) * SETS * TABLE;
    assert_true(elsewhere_holds(&at.push, &scene, &known, 0));
    for (uint64_t place = 1; place < TABLE; place++) {
        struct known more = known;
        if (!evict_takes(&at.push, &scene, scene.target ^ place * SETS, VOTES_CHECK))
            continue;
        some++;
        gf2_add(&more.space, place * SETS);
        assert_false(elsewhere_holds(&at.push, &scene, &known, place * SETS));
        assert_false(elsewhere_holds(&at.push, &scene, &more, 0));
    }
    assert_in_range(some, LEAST, MOST);
    leave(&at);
}

/* Behind an odd number of sets nothing can be moved, and so nothing is said against it. */
static void behind_odd(void **state)
{
    (void)state;
    struct description description = first(96, 4, "LRU");
    struct looked_at at;
    struct scene scene;
    add(&description, 256, WAYS, "LRU");
    look_at(&at, &description, 1);
    struct known known = known_above(&at, 256);
    find(&at, 0, &scene);
    assert_true(elsewhere_holds(&at.push, &scene, &known, 0));
    leave(&at);
}

/* The third level goes by a table of bits that the second one hashes: two sets of it have differences in common, which
 * others have not, and by which it would be of some times as many sets or as few. */
static void a_table_of_hashed_bits(void **state)
{
    struct description description = first(32, 8, "LRU");
    fold(add(&description, 256, 8, "LRU"), 8, 0x101);
    slice(add(&description, 128, 8, "LRU"), 6);
    know(*state, &description);
    measured(&description, 1, *state);
    assert_value(*state, 2, "size", (double)description.cache[1].size);
    if (of_level(*state, 3, "size")->measured)
        assert_value(*state, 3, "size", (double)description.cache[2].size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_xor), cmocka_unit_test(by_table),
                                       cmocka_unit_test(behind_odd), cmocka_unit_test(a_table_of_hashed_bits)};
    return cmocka_run_group_tests(tests, fresh, done);
}
