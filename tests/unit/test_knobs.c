// SPDX-License-Identifier: BSD-2-Clause
/* test_knobs.c: which MSRs are written on which processor, over a processor of this test's own: each MSR that it has
 * keeps some bits of what is written to it, and every write is counted. */
// The units belong to the image alone: no library of the tests has them. NOLINTBEGIN(bugprone-suspicious-include)
#include "kernel/features.c"
#include "kernel/knobs.c"
#include "kernel/msr.c"
// NOLINTEND(bugprone-suspicious-include)
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_MSRS = 4, CORE2_MISC_ENABLE = 0x1a0, MISC_FEATURE_CONTROL = 0x1a4 };
static const uint32_t DC_CFG = 0xc0011022, PREFETCH_CONTROL = 0xc0000108;

/* An MSR: bits that can be changed, bits that a write must leave alone or fault, and what it holds. */
struct register_of_test {
    uint32_t number;
    unsigned writes;
    uint64_t changes, faults, value;
};

/* struct machine first, so that fault_try() finds the rest. */
struct world {
    struct machine machine;
    struct processor processor;
    struct register_of_test msr[MOST_MSRS];
    unsigned strange; /* writes to MSRs that are not there */
};

static bool serve(struct world *world, bool writes, struct request *request)
{
    for (unsigned i = 0; i < MOST_MSRS; i++) {
        struct register_of_test *msr = &world->msr[i];

        if (msr->number != request->number || !msr->number)
            continue;
        if (!writes) {
            request->value = msr->value;
            return true;
        }
        msr->writes++;
        if ((request->value ^ msr->value) & msr->faults)
            return false;
        msr->value = (msr->value & ~msr->changes) | (request->value & msr->changes);
        return true;
    }
    world->strange += writes;
    return false;
}

/* In place of fault.c: RDMSR and WRMSR are a privilege that a test does not have. */
bool fault_try(struct machine *machine, void (*code)(void *), void *argument, struct fault *fault)
{
    assert_non_null(fault);
    *fault = (struct fault){.happened = false};
    assert_true(code == read_it || code == write_it);
    return serve((struct world *)(void *)machine, code == write_it, argument);
}

bool refuse(struct machine *machine, const char *format, ...)
{
    (void)machine;
    (void)format;
    return false;
}

/* A processor whose MSRs have been explored as load_msrs() does on entering quiet. */
static struct world *open_world(const struct features *features, const struct register_of_test *msrs, unsigned count)
{
    struct world *world = calloc(1, sizeof *world);

    assert_non_null(world);
    world->machine.features = *features;
    world->machine.quiet = true;
    world->machine.processor[0] = &world->processor;
    memcpy(world->msr, msrs, count * sizeof *msrs);
    for (unsigned i = 0; i < LISTED_MSRS; i++) {
        world->processor.there[i] =
            listed_applies(features, i) && msr_read(&world->machine, listed_number(i), &world->processor.found.msr[i]);
        world->processor.now[i] = world->processor.found.msr[i];
    }
    knobs_explore(&world->machine);
    return world;
}

static unsigned count_switches(struct world *world)
{
    unsigned count = 0;

    for (unsigned knob = KNOB_PREFETCH_FIRST; knob <= KNOB_PREFETCH_LAST; knob++)
        count += back_knob(&world->machine, (enum knob)knob) != NULL;
    return count;
}

/* Turns all off; looks; turns back. `off`: what the first MSR then holds. */
static void expect_switches(struct world *world, unsigned switches, uint64_t off)
{
    uint64_t found = world->msr[0].value;

    assert_int_equal(count_switches(world), switches);
    for (unsigned knob = KNOB_PREFETCH_FIRST; knob <= KNOB_PREFETCH_LAST; knob++) {
        if (back_knob(&world->machine, (enum knob)knob))
            assert_true(back_turn(&world->machine, (enum knob)knob, false));
        else
            assert_false(back_turn(&world->machine, (enum knob)knob, false));
    }
    assert_int_equal(world->msr[0].value, off);
    knobs_undo(&world->machine);
    assert_int_equal(world->msr[0].value, found);
    for (unsigned i = 1; i < MOST_MSRS; i++)
        assert_int_equal(world->msr[i].writes, 0);
    assert_int_equal(world->strange, 0);
    free(world);
}

/* Bits 9, 19, 37, 39 of IA32_MISC_ENABLE: 2^9 + 2^19 + 2^37 + 2^39 = a000080200h. Its other bits stay; 1A4h, which such
 * a processor does not have, is never tried. */
static void core2(void **state)
{
    static const unsigned model[] = {0x0f, 0x16, 0x17, 0x1d};
    const struct register_of_test msrs[] = {{CORE2_MISC_ENABLE, 0, UINT64_MAX, 0, 0x4062972489},
                                            {MISC_FEATURE_CONTROL, 0, UINT64_MAX, 0, 0}};

    (void)state;
    for (unsigned i = 0; i < sizeof model / sizeof *model; i++) {
        struct features features = {.intel = true, .family = 6, .model = model[i]};

        expect_switches(open_world(&features, msrs, 2), 4, 0x4062972489 | 0xa000080200);
    }
}

/* A switch exists where its bit could be changed and read back: here 9 and 37 do, 19 keeps its value, 39 faults. */
static void some_answer(void **state)
{
    const struct features features = {.intel = true, .family = 6, .model = 0x17};
    const struct register_of_test msrs[] = {
        {CORE2_MISC_ENABLE, 0, ~(1ull << 19), 1ull << 39, 1},
    };

    (void)state;
    expect_switches(open_world(&features, msrs, 1), 2, 1 | 1ull << 9 | 1ull << 37);
}

/* What the firmware has turned off already is off afterwards, too. */
static void off_stays_off(void **state)
{
    const struct features features = {.intel = true, .family = 6, .model = 0x0f};
    const struct register_of_test msrs[] = {{CORE2_MISC_ENABLE, 0, UINT64_MAX, 0, 1ull << 19}};
    struct world *world = open_world(&features, msrs, 1);

    (void)state;
    assert_int_equal(world->msr[0].value, 1ull << 19);
    expect_switches(world, 4, 0xa000080200);
}

/* One bit of DC_CFG, another one in each family: 13 in 10h and 12h, 16 in 17h. */
static void amd_data_cache(void **state)
{
    static const struct {
        unsigned family, bit;
    } row[] = {{0x10, 13}, {0x12, 13}, {0x17, 16}};
    const struct register_of_test msrs[] = {{DC_CFG, 0, UINT64_MAX, 0, 0x40}, {PREFETCH_CONTROL, 0, UINT64_MAX, 0, 0}};

    (void)state;
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct features features = {.amd = true, .family = row[i].family};

        expect_switches(open_world(&features, msrs, 2), 1, 0x40 | 1ull << row[i].bit);
    }
}

/* Where CPUID announces PrefetchControl, its five bits are the switches: 101111b. */
static void amd_announced(void **state)
{
    const struct features features = {.amd = true, .family = 0x19, .prefetch_control = true};
    const struct features early = {.amd = true, .family = 0x17, .prefetch_control = true};
    const struct register_of_test msrs[] = {{PREFETCH_CONTROL, 0, UINT64_MAX, 0, 0}, {DC_CFG, 0, UINT64_MAX, 0, 0x40}};

    (void)state;
    assert_false(listed_applies(&early, LISTED_DC_CFG));
    expect_switches(open_world(&features, msrs, 2), 5, 0x2f);
    expect_switches(open_world(&early, msrs, 2), 5, 0x2f);
}

/* Elsewhere none of these MSRs is written, even if it is there. */
static void others(void **state)
{
    static const struct features row[] = {
        {.intel = true, .family = 15, .model = 2},
        {.intel = true, .family = 6, .model = 0x57},
        {.intel = true, .family = 6, .model = 0x85},
        {.amd = true, .family = 15, .model = 5},
        {.amd = true, .family = 0x11, .model = 3},
        {.amd = true, .family = 0x14, .model = 1},
        {.amd = true, .family = 0x15, .model = 2},
        {.amd = true, .family = 0x16, .model = 0},
        {.amd = true, .family = 0x18, .model = 0},
        {.amd = true, .family = 0x19, .model = 0x21},
        {.family = 6, .model = 0x0f},
    };
    const struct register_of_test msrs[] = {{CORE2_MISC_ENABLE, 0, UINT64_MAX, 0, 1},
                                            {MISC_FEATURE_CONTROL, 0, UINT64_MAX, 0, 0},
                                            {PREFETCH_CONTROL, 0, UINT64_MAX, 0, 0},
                                            {DC_CFG, 0, UINT64_MAX, 0, 0}};

    (void)state;
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct world *world = open_world(&row[i], msrs, 4);

        assert_int_equal(world->msr[0].writes, 0);
        expect_switches(world, 0, 1);
    }
}

/* Nehalem and later: nine bits of MSR_MISC_FEATURE_CONTROL, never IA32_MISC_ENABLE. */
static void later_intel(void **state)
{
    static const unsigned model[] = {0x1a, 0x2a, 0x5e, 0x97};
    const struct register_of_test msrs[] = {{MISC_FEATURE_CONTROL, 0, UINT64_MAX, 0, 0},
                                            {CORE2_MISC_ENABLE, 0, UINT64_MAX, 0, 1}};

    (void)state;
    for (unsigned i = 0; i < sizeof model / sizeof *model; i++) {
        struct features features = {.intel = true, .family = 6, .model = model[i]};

        expect_switches(open_world(&features, msrs, 2), 9, 0x1ff);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core2),          cmocka_unit_test(some_answer),   cmocka_unit_test(off_stays_off),
        cmocka_unit_test(amd_data_cache), cmocka_unit_test(amd_announced), cmocka_unit_test(others),
        cmocka_unit_test(later_intel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
