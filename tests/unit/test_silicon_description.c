// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_description.c: machine files: what they mean, and that writing and reading are each other's inverse;
 * the machines in the tree; random machines. Bad files are in test_silicon_complaints.c. Runs in the tree's top folder.
 */
#include "tests/silicon/description.h"
#include "tests/unit/machine_file.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct description description, again;
static char complaint[1024], written[1 << 20];

static bool read_text(const char *ini)
{
    return description_read(&description, ini, strlen(ini), complaint, sizeof complaint);
}

/* What description_write gives is read back to every byte, and written the same once more. */
static void round_trip(const struct description *first)
{
    static char twice[1 << 20];

    assert_true(description_write(first, written, sizeof written));
    if (!description_read(&again, written, strlen(written), complaint, sizeof complaint))
        fail_msg("%s: %s", first->name, complaint);
    assert_memory_equal(first, &again, sizeof again);
    assert_true(description_write(&again, twice, sizeof twice));
    assert_string_equal(written, twice);
}

static void meaning_of_machine(void **state)
{
    (void)state;
    if (!read_text(small))
        fail_msg("%s", complaint);
    assert_string_equal(description.name, "tiny");
    assert_string_equal(description.title, "A tiny machine");
    assert_true(description.x86 && !description.misconception);
    assert_int_equal(description.cores, 1);
    assert_int_equal(description.levels, 4);
    assert_int_equal(description.page_shift, 12);
    assert_int_equal(description.pages, PAGES_SMALL | PAGES_LARGE);
    assert_int_equal(description.declarations, 2);
    assert_int_equal(description.declaration[0].low, 32768);
    assert_int_equal(description.declaration[0].high, 32768);
    assert_string_equal(description.declaration[0].by, "CPUID 4");
    assert_int_equal(description.declaration[1].low, 8);
    assert_int_equal(description.declaration[1].high, 15);
    assert_string_equal(description.declaration[1].by, "somebody else");
    assert_int_equal(description.hidings, 1);
    assert_string_equal(description.hiding[0].id, "l3.*");
    assert_string_equal(description.hiding[0].reason, "there is none");
    assert_int_equal(description.clock.ratio_core, 37);
    assert_int_equal(description.clock.ratio_clock, 26);
    assert_int_equal(description.clock.step, 1);
    assert_int_equal(description.memory.span, 64 << 20);
    assert_int_equal(description.memory.holes, 1);
    assert_int_equal(description.memory.hole[0].base, 0xA0000);
    assert_int_equal(description.memory.hole[0].size, 0x20000);
    assert_int_equal(description.memory.hole[0].type, 4);
    assert_int_equal(description.fetch.jump, 1);
    assert_false(description.fetch.targets);
    assert_int_equal(description.walker.count, 1);
}

static void meaning_of_arrays(void **state)
{
    const struct cache_description *l1d = &description.cache[0], *l2 = &description.cache[1];
    const struct tlb_description *tlb = &description.tlb[0];

    (void)state;
    assert_true(read_text(small));
    assert_int_equal(description.caches, 2);
    assert_string_equal(l1d->name, "l1d");
    assert_int_equal(l1d->holds, HOLDS_DATA);
    assert_int_equal(l1d->sector, 64);
    assert_int_equal(l1d->shape.index.sets, 64); /* 32768 / 8 / 64 */
    assert_int_equal(l1d->shape.index.kind, INDEX_XOR);
    assert_int_equal(l1d->shape.index.bits, 6);
    assert_int_equal(l1d->shape.index.mask[1], 0x82);
    assert_int_equal(l1d->shape.index.mask[5], 0x20);
    assert_int_equal(l1d->shape.policy.kind, POLICY_TREE_PLRU);
    assert_int_equal(l2->slices.count, 4);
    assert_int_equal(l2->slices.mask[1], 0x640000);
    assert_int_equal(l2->shape.index.sets, 512); /* 1572864 / 12 / 64 / 4 */
    assert_int_equal(l2->inclusion, INCLUSION_EXCLUSIVE);
    assert_int_equal(l2->keeps_permille, 1000);
    assert_int_equal(l2->shape.policy.group, 4);
    assert_int_equal(tlb->pages, PAGES_SMALL | PAGES_LARGE);
    assert_int_equal(tlb->shape.index.sets, 1);
    assert_int_equal(tlb->shape.ways, 72);
    assert_true(tlb->loads && tlb->stores);
    assert_int_equal(description.psc[0].level, 3);
    assert_int_equal(description.psc[0].shape.index.sets, 2);
    assert_int_equal(description.prefetcher[0].kind, PREFETCH_ADJACENT);
    assert_int_equal(description.prefetcher[0].msr, 0x1a4);
    assert_int_equal(description.counters.encoding[0].event, 0x18e);
    assert_int_equal(description.counters.encoding[0].counts, COUNTED_L1I_MISS);
    assert_int_equal(description.counters.encoding[0].per_thousand, 1000);
    assert_int_equal(description.counters.encoding[1].umask, 0xf0);
    assert_int_equal(description.counters.encoding[1].per_thousand, 1100);
    assert_true(description.counters.encoding[1].always_one);
    round_trip(&description);
}

static void plain_machine(void **state)
{
    (void)state;
    description_plain(&description, 48 << 10, 12, 64, 5, 100);
    assert_null(description_unsound(&description));
    assert_int_equal(description.cache[0].shape.index.sets, 64); /* 49152 / 12 / 64 */
    assert_int_equal(description.cache[0].latency, 5);
    assert_int_equal(description.memory.latency, 100);
    assert_int_equal(description.tlbs, 0);
    round_trip(&description);
    description.cache[0].shape.ways = 11;
    assert_non_null(description_unsound(&description));
}

static void environments(void **state)
{
    (void)state;
    description_plain(&description, 32 << 10, 8, 64, 4, 100);
    again = description;
    assert_true(description_disturb(&again, "quiet"));
    assert_memory_equal(&again, &description, sizeof again);
    assert_false(description_disturb(&again, "loud"));
    assert_memory_equal(&again, &description, sizeof again);
    /* a cycle is a nanosecond: 64 ms, 100 us */
    assert_true(description_disturb(&again, "office"));
    assert_int_equal(again.noise.smi_period, 64000000);
    assert_int_equal(again.noise.smi_length, 100000);
    assert_true(again.noise.smi_counted);
    assert_int_equal(again.noise.traffic_period, 20000);
    assert_null(description_unsound(&again));
    /* 2 GHz of the clock and 3 core cycles in 2 ticks: 3 cycles a nanosecond: 16 ms, 150 us */
    description.clock.hz = 2000000000;
    description.clock.ratio_core = 3;
    description.clock.ratio_clock = 2;
    assert_true(description_disturb(&description, "hostile"));
    assert_int_equal(description.noise.smi_period, 48000000);
    assert_int_equal(description.noise.smi_length, 450000);
    assert_false(description.noise.smi_counted);
    assert_int_equal(description.noise.jitter, 40);
    assert_int_equal(description.noise.neighbour_length * 20, description.noise.neighbour_period);
    assert_null(description_unsound(&description));
    /* what a machine has of its own stays when it comes more often */
    description_plain(&description, 32 << 10, 8, 64, 4, 100);
    description.noise.jitter = 3;
    description.noise.traffic_period = 500;
    assert_true(description_disturb(&description, "hostile"));
    assert_int_equal(description.noise.jitter, 43);
    assert_int_equal(description.noise.traffic_period, 500);
}

static uint64_t largest(const struct description *machine)
{
    uint64_t size = 0;

    for (unsigned i = 0; i < machine->caches; i++)
        size = machine->cache[i].size > size ? machine->cache[i].size : size;
    return size;
}

static void check_file(const char *folder, const char *name, bool misconception)
{
    static char text[1 << 16];
    char path[512];
    size_t length;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    assert_non_null(file);
    length = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    assert_true(length < sizeof text);
    if (!description_read(&description, text, length, complaint, sizeof complaint))
        fail_msg("%s: %s", path, complaint);
    snprintf(path, sizeof path, "%s.ini", description.name);
    assert_string_equal(path, name);
    assert_int_equal(description.misconception, misconception);
    assert_true(description.memory.span >= 64 << 20 && description.memory.span <= 1 << 30);
    assert_true(description.memory.span >= 4 * largest(&description));
    round_trip(&description);
}

static unsigned check_folder(const char *folder, bool misconception)
{
    const struct dirent *entry;
    unsigned count = 0;
    DIR *open = opendir(folder);

    assert_non_null(open);
    while ((entry = readdir(open)) != NULL)
        if (strstr(entry->d_name, ".ini") != NULL) {
            check_file(folder, entry->d_name, misconception);
            count++;
        }
    (void)closedir(open);
    return count;
}

static void machines_of_the_tree(void **state)
{
    (void)state;
    assert_true(check_folder("tests/silicon/machines", false) >= 35);
    assert_true(check_folder("tests/silicon/misconceptions", true) >= 11);
}

/* A tree of bits is one over a power of two. */
static void whole_trees(const struct array_shape *shape)
{
    assert_true(shape->policy.kind != POLICY_TREE_PLRU || (shape->ways & (shape->ways - 1)) == 0);
}

/* Whether stores have a first TLB of their own: then no other of that level is for them, and none lacks a size. */
static bool stores_apart(void)
{
    unsigned only = 0, both = 0;

    for (unsigned i = 0; i < description.tlbs; i++) {
        const struct tlb_description *tlb = &description.tlb[i];
        if (!(tlb->holds & HOLDS_DATA) || tlb->level != 1)
            continue;
        only += tlb->stores && !tlb->loads;
        both += tlb->stores && tlb->loads;
        assert_true(tlb->loads || tlb->pages == description.pages);
    }
    assert_true(only <= 1 && (only == 0 || both == 0));
    return only;
}

static void random_machines(void **state)
{
    unsigned levels[5] = {0}, exclusive = 0, odd = 0, sliced = 0, more_memory = 0, own = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        description_random(&description, seed);
        if (description_unsound(&description) != NULL)
            fail_msg("seed %u: %s", (unsigned)seed, description_unsound(&description));
        round_trip(&description);
        description_random(&again, seed);
        assert_memory_equal(&again, &description, sizeof again);
        for (unsigned i = 0; i < description.caches; i++) {
            const struct cache_description *cache = &description.cache[i];
            const struct cache_description *before = &description.cache[i > 2 ? i - 1 : 0];
            uint64_t sets = cache->shape.index.sets;

            exclusive += cache->inclusion == INCLUSION_EXCLUSIVE;
            sliced += cache->slices.count > 1;
            whole_trees(&cache->shape);
            odd += (sets & (sets - 1)) != 0;
            levels[cache->level]++;
            if (i >= 2)
                assert_true(cache->size >= 2 * before->size && cache->latency > before->latency);
        }
        for (unsigned i = 0; i < description.tlbs; i++)
            whole_trees(&description.tlb[i].shape);
        own += stores_apart();
        more_memory += description.memory.span > 64 << 20 && description.memory.span > 8 * largest(&description);
        assert_true(description.memory.latency > description.cache[description.caches - 1].latency);
        assert_true(description.memory.span >= 4 * largest(&description) && description.memory.span <= 1 << 30);
    }
    /* all kinds come up: of 500 machines one to four levels each in more than 50, the rest in more than 50 caches */
    assert_true(levels[4] > 50 && levels[3] - levels[4] > 50 && levels[2] - levels[3] > 50 && levels[2] < 450);
    assert_true(exclusive > 50 && odd > 50 && sliced > 50 && more_memory > 50 && own > 50 && own < 125);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meaning_of_machine), cmocka_unit_test(meaning_of_arrays),    cmocka_unit_test(plain_machine),
        cmocka_unit_test(environments),       cmocka_unit_test(machines_of_the_tree), cmocka_unit_test(random_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
