// SPDX-License-Identifier: BSD-2-Clause
/* test_dtlb_shared.c: the probe of the TLBs that loads look in beside a thread of the same core that belongs to
 * somebody else, and takes entries now and then: pages that would just fit do not while it works. */
#include "probes/probes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>
/* after that, since it asserts */
#include "tests/unit/data_tlbs.h"

enum { ENTRIES = 24, SETS = 32, WAYS = 6, SEEDS = 2 };

/* A sibling works for so many milliseconds at a time, and is quiet for as many as that on average; in each thousand
 * cycles it needs so many other pages. */
struct sibling {
    unsigned busy, quiet, pages;
};

/* One set before several, on a computer that others share. The clock is slow, so that milliseconds are few cycles. */
static struct description machine_beside(struct sibling sibling)
{
    enum { MILLISECOND = 100000 };
    struct description description = machine_with();
    description.pages = PAGES_SMALL;
    add_tlb(&description, 1, 1, ENTRIES)->pages = PAGES_SMALL;
    add_tlb(&description, 2, SETS, WAYS)->pages = PAGES_SMALL;
    description.memory.contiguous = 4 * KB;
    description.clock.hz = 1000 * MILLISECOND;
    description.noise.neighbour_length = sibling.busy * MILLISECOND;
    description.noise.neighbour_period = sibling.quiet * MILLISECOND;
    description.noise.neighbour_pages = sibling.pages;
    return description;
}

static void measure_beside(struct notebook *notebook, struct sibling sibling, uint64_t seed)
{
    struct description description = machine_beside(sibling);
    struct request request = {.seed = seed};
    const char *why = "";
    struct machine *machine = process_open(NULL, &description, seed, NULL, &why);
    if (!machine)
        fail_msg("%s", why);
    memset(notebook, 0, sizeof *notebook);
    assert_true(probe_dtlb(machine, &request, notebook));
    machine_close(machine);
}

/* Bursts longer than a decision, four fifths of the time, that take nearly all entries. (Without a witness: 21 for 24,
 * at 0.997.) */
static void bursts(void **state)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        measure_beside(*state, (struct sibling){40, 8, 3}, seed);
        assert_level(*state, "dtlb1.4k", ENTRIES, 1, PENALTY);
        assert_level(*state, "dtlb2.4k", WAYS, SETS, PENALTY);
    }
}

/* Whoever takes an entry now and then, for as long as a level takes to find, or longer: a try that is made all the
 * while may say nothing, but not 23. (Without more moments, and what fitted once: 23, at 0.997.) */
static void one_who_stays(void **state)
{
    static const struct sibling sibling[] = {{600, 200, 1}, {1500, 500, 1}};
    for (unsigned i = 0; i < sizeof sibling / sizeof *sibling; i++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            measure_beside(*state, sibling[i], seed);
            const struct finding *entries = noted(*state, "dtlb1.4k.entries");
            assert_true(entries->measured && entries->value == ENTRIES);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bursts),
        cmocka_unit_test(one_who_stays),
    };
    return cmocka_run_group_tests(tests, fresh, done);
}
