// SPDX-License-Identifier: BSD-2-Clause
/* test_hang.c: scripts of timed walks. Jumps between records are not foretold when they come for the first time, which
 * no process shows: so what is compared goes by the same copies of the load, in one order, and did so just before. */
#include "probes/hang.h"
#include "tests/unit/tables_bench.h"
#include <stdlib.h>

struct pages {
    struct machine *machine;
    struct bench bench;
    struct hung hung;
};

static int open_pages(void **state)
{
    struct description description = machine_with();
    struct pages *pages = calloc(1, sizeof *pages);
    const char *why = "";
    *state = pages;
    if (!pages || !(pages->machine = process_open(NULL, &description, 3, NULL, &why)))
        return -1;
    pages->bench = bench_open(pages->machine, 7);
    if (!hung_open(&pages->hung, &pages->bench, &why))
        return -1;
    hung_shuffle(&pages->hung);
    return 0;
}

static int close_pages(void **state)
{
    struct pages *pages = *state;
    hung_close(&pages->hung);
    machine_close(pages->machine);
    free(pages);
    return 0;
}

/* The copies of the load that a lap goes by, in its order. Returns how many visits it has. */
static unsigned sites_of(const struct script_of *script, unsigned lap, uint8_t site[HUNG])
{
    unsigned count = 0;
    for (unsigned i = 0; i < script->count; i++)
        if (script->visit[i].lap == lap) {
            assert_true(count < HUNG && script->visit[i].op == OP_LOAD);
            site[count++] = script->visit[i].site;
        }
    return count;
}

static void assert_like(const struct script_of *script, unsigned lap, unsigned other, unsigned count)
{
    uint8_t site[HUNG], as[HUNG];
    assert_int_equal(sites_of(script, lap, site), count);
    assert_int_equal(sites_of(script, other, as), count);
    assert_memory_equal(site, as, count);
}

/* Between the hits and what is timed no other load goes by one of those copies. */
static void assert_untouched(const struct script_of *script, unsigned from, unsigned to)
{
    unsigned first = 0, last = 0;
    for (unsigned i = 0; i < script->count; i++) {
        first = script->visit[i].lap == from ? i : first;
        last = script->visit[i].lap == to && !last ? i : last;
    }
    assert_true(first < last);
    for (unsigned i = first + 1; i < last; i++)
        assert_true(script->visit[i].op != OP_LOAD || script->visit[i].lap || script->visit[i].site >= HUNG);
}

static void all_go_by_the_same_copies(void **state)
{
    static const enum hung_what whats[] = {HUNG_PAGES, HUNG_ENTRIES, HUNG_CONTROLS};
    struct pages *pages = *state;
    for (unsigned i = 0; i < 3; i++) {
        struct script_of script = {.count = 0};
        script_timed(&script, &pages->hung, whats[i]);
        assert_like(&script, 1, 2, HUNG);
        assert_like(&script, 2, 3, HUNG);
        assert_untouched(&script, 2, 1);
    }
}

static void so_do_some(void **state)
{
    struct pages *pages = *state;
    struct script_of script = {.count = 0};
    pages->hung.chosen = 1 << 2 | 1 << 5 | 1 << 7;
    script_timed(&script, &pages->hung, HUNG_PAGES);
    pages->hung.chosen = pages->hung.present;
    assert_like(&script, 1, 2, 3);
    assert_like(&script, 2, 3, 3);
}

static void so_does_each(void **state)
{
    struct pages *pages = *state;
    struct script_of script = {.count = 0};
    script_singly(&script, &pages->hung);
    for (unsigned i = 0; i < HUNG; i++) {
        assert_like(&script, 1 + i, 1 + HUNG + i, 1);
        assert_like(&script, 1 + i, 1 + 2 * HUNG + i, 1);
    }
    assert_untouched(&script, 2 * HUNG, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_go_by_the_same_copies),
        cmocka_unit_test(so_do_some),
        cmocka_unit_test(so_does_each),
    };
    return cmocka_run_group_tests(tests, open_pages, close_pages);
}
