// SPDX-License-Identifier: BSD-2-Clause
/* test_declared.c: CPUID leaves and what they declare. The family 1Ah leaves were recorded; the others are put together
 * from the parameters that are published of those processors, in the encodings of the manuals. Leaves that matter only.
 */
#include "kernel/declared.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DUMP(...)                                                                                                      \
    {                                                                                                                  \
        .count = sizeof((struct cpuid_leaf[]){__VA_ARGS__}) / sizeof(struct cpuid_leaf), .leaf = { __VA_ARGS__ }       \
    }
#define INTEL(last)                                                                                                    \
    {                                                                                                                  \
        0, 0, last, 0x756e6547, 0x6c65746e, 0x49656e69                                                                 \
    }
#define AMD(last)                                                                                                      \
    {                                                                                                                  \
        0, 0, last, 0x68747541, 0x444d4163, 0x69746e65                                                                 \
    }

/* AMD family 1Ah under KVM: topology leaves are the processor's, the old TLB leaves the hypervisor's. */
static const struct cpuid_dump zen5 =
    DUMP(AMD(0x1c), {1, 0, 0xb00f21, 0x1020800, 0xfffa3203, 0x178bfbff},
         {0x40000000, 0, 0x40000001, 0x4b4d564b, 0x564b4d56, 0x4d}, {0x80000002, 0, 0x20444d41, 0x43595045, 0, 0},
         {0x80000003, 0, 0, 0, 0, 0}, {0x80000004, 0, 0, 0, 0, 0},
         {0x80000005, 0, 0xff60ff40, 0xff60ff40, 0x300c0140, 0x20080140},
         {0x80000006, 0, 0x40802040, 0x60804040, 0x4008140, 0xc009140}, {0x8000001d, 0, 0x121, 0x2c0003f, 0x3f, 0},
         {0x8000001d, 1, 0x122, 0x1c0003f, 0x3f, 0}, {0x8000001d, 2, 0x143, 0x3c0003f, 0x3ff, 2},
         {0x8000001d, 3, 0x4163, 0x3c0003f, 0x7fff, 1});

/* Skylake server: leaf 4 for the caches, leaf 2 for the TLBs. */
static const struct cpuid_dump skylake =
    DUMP(INTEL(0x16), {1, 0, 0x50654, 0, 0, 0}, {2, 0, 0x76036301, 0xf0b5ff, 0, 0xc30000},
         {4, 0, 0x1c004121, 0x1c0003f, 0x3f, 0}, {4, 1, 0x1c004122, 0x1c0003f, 0x3f, 0},
         {4, 2, 0x1c004143, 0x3c0003f, 0x3ff, 0}, {4, 3, 0x1c03c163, 0x280003f, 0x6fff, 4},
         {0x80000006, 0, 0, 0, 0x1006040, 0});

/* Zen 4: the TLB leaves of the processor itself, 1 GB pages included. */
static const struct cpuid_dump zen4 =
    DUMP(AMD(0x10), {1, 0, 0xa60f12, 0, 0, 0}, {0x80000005, 0, 0xff48ff40, 0xff48ff40, 0x20080140, 0x20080140},
         {0x80000006, 0, 0x5c002200, 0x6c004200, 0x4006140, 0x00209140}, {0x80000019, 0, 0xf048f040, 0xf0400000, 0, 0},
         {0x8000001d, 0, 0x121, 0x1c0003f, 0x3f, 0}, {0x8000001d, 1, 0x122, 0x1c0003f, 0x3f, 0},
         {0x8000001d, 2, 0x143, 0x1c0003f, 0x7ff, 2}, {0x8000001d, 3, 0x4163, 0x3c0003f, 0x7fff, 1});

/* The same leaves where second-level TLBs are counted in 32s: 4096 entries need more than the twelve bits there are. */
static const struct cpuid_dump zen5_own =
    DUMP(AMD(0x21), {1, 0, 0xb40f40, 0, 0, 0}, {0x80000005, 0, 0xff60ff40, 0xff60ff40, 0x300c0140, 0x20080140},
         {0x80000006, 0, 0x40802040, 0x60804040, 0x4008140, 0xc009140}, {0x80000019, 0, 0xf060f040, 0xf0200000, 0, 0},
         {0x80000021, 0, 0x4000, 0, 0, 0});

/* Pentium III (Coppermine): leaf 2 alone. */
static const struct cpuid_dump pentium3 = DUMP(INTEL(2), {1, 0, 0x686, 0, 0, 0}, {2, 0, 0x3020101, 0, 0, 0xc040882});

/* Alder Lake's kind of leaf 18h: two second-level TLBs, one for 4 KB and 2 MB pages, one for 4 KB and 1 GB pages. */
static const struct cpuid_dump alder_lake =
    DUMP(INTEL(0x20), {1, 0, 0x90672, 0, 0, 0}, {2, 0, 0xfeff01, 0xf0, 0, 0}, {0x18, 0, 8, 0, 0, 0},
         {0x18, 1, 0, 0x80001, 0x20, 0x4022}, {0x18, 2, 0, 0x80006, 4, 0x4022}, {0x18, 3, 0, 0x60001, 0x10, 0x4125},
         {0x18, 4, 0, 0x40001, 0x18, 0x4024}, {0x18, 5, 0, 0x40006, 8, 0x4024}, {0x18, 6, 0, 0x80003, 0x80, 0x4043},
         {0x18, 7, 0, 0x80009, 0x80, 0x4043}, {0x18, 8, 0, 0x80008, 1, 0x4124});

/* AMD family 10h: before leaf 8000001D, and its L3 is declared in steps of 512 KB. */
static const struct cpuid_dump k10 =
    DUMP(AMD(5), {1, 0, 0x100f42, 0, 0, 0}, {0x80000005, 0, 0xff30ff10, 0xff30ff20, 0x40020140, 0x40020140},
         {0x80000006, 0, 0x20800000, 0x42004200, 0x2008140, 0x30b140}, {0x80000019, 0, 0xf0300000, 0x60100000, 0, 0});

static const struct cpuid_dump tcg =
    DUMP(AMD(0xd), {1, 0, 0x60fb1, 0, 0x80802001, 0}, {0x40000000, 0, 0x40000001, 0x54474354, 0x43544743, 0x47435447});

static const struct cpuid_dump unknown_hypervisor = DUMP(
    INTEL(0xd), {1, 0, 0x60fb1, 0, 0x80802001, 0}, {0x40000000, 0, 0x40000001, 0x21212121, 0x21212121, 0x21212121});

static void expect(const struct cpuid_dump *dump, const char *id, uint64_t low, uint64_t high, const char *by)
{
    struct declared declared[MAX_DECLARED];
    unsigned count = declared_find(dump, declared, MAX_DECLARED);

    for (unsigned i = 0; i < count; i++) {
        if (strcmp(declared[i].id, id) != 0)
            continue;
        assert_int_equal(declared[i].low, low);
        assert_int_equal(declared[i].high, high);
        assert_string_equal(declared[i].by, by);
        return;
    }
    fail_msg("%s is not declared", id);
}

static void expect_absent(const struct cpuid_dump *dump, const char *id)
{
    struct declared declared[MAX_DECLARED];
    unsigned count = declared_find(dump, declared, MAX_DECLARED);

    for (unsigned i = 0; i < count; i++)
        assert_string_not_equal(declared[i].id, id);
}

static void test_zen5(void **state)
{
    (void)state;
    expect(&zen5, "l1d.size", 48 << 10, 48 << 10, "CPUID 8000001D");
    expect(&zen5, "l1d.ways", 12, 12, "CPUID 8000001D");
    expect(&zen5, "l1d.line", 64, 64, "CPUID 8000001D");
    expect(&zen5, "l1i.size", 32 << 10, 32 << 10, "CPUID 8000001D");
    expect(&zen5, "l2.size", 1 << 20, 1 << 20, "CPUID 8000001D");
    expect(&zen5, "l2.ways", 16, 16, "CPUID 8000001D");
    expect(&zen5, "l3.size", 32 << 20, 32 << 20, "CPUID 8000001D");
    expect(&zen5, "dtlb1.4k.entries", 96, 96, "CPUID 80000005");
    expect(&zen5, "dtlb1.4k.ways", 96, 96, "CPUID 80000005");
    expect(&zen5, "dtlb2.4k.ways", 8, 15, "CPUID 80000006");
    expect(&zen5, "dtlb2.2m.ways", 4, 5, "CPUID 80000006");
    expect_absent(&zen5, "dtlb1.1g.entries");
}

static void test_skylake(void **state)
{
    (void)state;
    expect(&skylake, "l1d.size", 32 << 10, 32 << 10, "CPUID 4");
    expect(&skylake, "l1d.ways", 8, 8, "CPUID 4");
    expect(&skylake, "l1d.line", 64, 64, "CPUID 4");
    expect(&skylake, "l2.size", 1 << 20, 1 << 20, "CPUID 4");
    expect(&skylake, "l3.ways", 11, 11, "CPUID 4");
    expect(&skylake, "l3.size", 11ull * 64 * 0x7000, 11ull * 64 * 0x7000, "CPUID 4");
    expect(&skylake, "dtlb1.4k.entries", 64, 64, "CPUID 2");
    expect(&skylake, "dtlb1.2m.entries", 32, 32, "CPUID 2");
    expect(&skylake, "dtlb1.1g.entries", 4, 4, "CPUID 2");
    expect(&skylake, "itlb1.4k.ways", 8, 8, "CPUID 2");
    expect(&skylake, "dtlb2.4k.entries", 1536, 1536, "CPUID 2");
    expect(&skylake, "dtlb2.4k.ways", 6, 6, "CPUID 2");
}

static void test_zen4(void **state)
{
    (void)state;
    expect(&zen4, "l2.size", 1 << 20, 1 << 20, "CPUID 8000001D");
    expect(&zen4, "l2.ways", 8, 8, "CPUID 8000001D");
    expect(&zen4, "dtlb1.4k.entries", 72, 72, "CPUID 80000005");
    expect(&zen4, "dtlb2.4k.entries", 3072, 3072, "CPUID 80000006");
    expect(&zen4, "dtlb2.4k.ways", 8, 15, "CPUID 80000006");
    expect(&zen4, "dtlb2.2m.ways", 6, 7, "CPUID 80000006");
    expect(&zen4, "dtlb1.1g.entries", 72, 72, "CPUID 80000019");
    expect(&zen4, "dtlb1.1g.ways", 72, 72, "CPUID 80000019");
}

static void test_counted_in_32s(void **state)
{
    (void)state;
    expect(&zen5, "dtlb2.4k.entries", 128, 128, "CPUID 80000006");
    expect(&zen5_own, "dtlb2.4k.entries", 4096, 4096, "CPUID 80000006");
    expect(&zen5_own, "dtlb2.4k.ways", 8, 15, "CPUID 80000006");
    expect(&zen5_own, "itlb2.4k.entries", 2048, 2048, "CPUID 80000006");
    expect(&zen5_own, "dtlb2.1g.entries", 1024, 1024, "CPUID 80000019");
    expect(&zen5_own, "dtlb2.1g.ways", 1024, 1024, "CPUID 80000019");
    expect(&zen5_own, "dtlb1.4k.entries", 96, 96, "CPUID 80000005");
    expect(&zen5_own, "dtlb1.1g.entries", 96, 96, "CPUID 80000019");
}

static void test_pentium3(void **state)
{
    (void)state;
    expect(&pentium3, "l1d.size", 16 << 10, 16 << 10, "CPUID 2");
    expect(&pentium3, "l1d.line", 32, 32, "CPUID 2");
    expect(&pentium3, "l1d.ways", 4, 4, "CPUID 2");
    expect(&pentium3, "l1i.size", 16 << 10, 16 << 10, "CPUID 2");
    expect(&pentium3, "l2.size", 256 << 10, 256 << 10, "CPUID 2");
    expect(&pentium3, "l2.line", 32, 32, "CPUID 2");
    expect(&pentium3, "itlb1.4k.entries", 32, 32, "CPUID 2");
    expect(&pentium3, "dtlb1.4k.entries", 64, 64, "CPUID 2");
    expect_absent(&pentium3, "l3.size");
}

static void test_leaf_18h(void **state)
{
    (void)state;
    expect(&alder_lake, "itlb1.4k.entries", 256, 256, "CPUID 18");
    expect(&alder_lake, "dtlb1.4k.entries", 96, 96, "CPUID 18"); /* the store TLB is another's */
    expect(&alder_lake, "dtlb1.1g.entries", 8, 8, "CPUID 18");
    expect(&alder_lake, "dtlb2.4k.entries", 2048, 2048, "CPUID 18");
    expect(&alder_lake, "dtlb2.2m.entries", 1024, 1024, "CPUID 18");
    expect(&alder_lake, "dtlb2.1g.entries", 1024, 1024, "CPUID 18");
    expect(&alder_lake, "itlb2.4k.entries", 2048, 2048, "CPUID 18");
}

static void test_k10(void **state)
{
    (void)state;
    expect(&k10, "l1d.size", 64 << 10, 64 << 10, "CPUID 80000005");
    expect(&k10, "l1d.ways", 2, 2, "CPUID 80000005");
    expect(&k10, "l2.size", 512 << 10, 512 << 10, "CPUID 80000006");
    expect(&k10, "l2.ways", 16, 31, "CPUID 80000006");
    expect(&k10, "l3.size", 6 << 20, (6 << 20) + (512 << 10) - 1, "CPUID 80000006");
    expect(&k10, "l3.ways", 48, 63, "CPUID 80000006");
    expect(&k10, "dtlb2.4k.entries", 512, 512, "CPUID 80000006");
    expect(&k10, "dtlb2.1g.ways", 8, 15, "CPUID 80000019");
    expect_absent(&k10, "itlb2.2m.entries");
}

static void test_names(void **state)
{
    struct facts facts = {.declared_count = 0};

    (void)state;
    declared_facts(&zen5, &facts);
    assert_string_equal(facts.vendor, "AuthenticAMD");
    assert_string_equal(facts.brand, "AMD EPYC");
    assert_string_equal(facts.hypervisor, "KVMKVMKVM");
    assert_int_equal(facts.signature, 0xb00f21);
    assert_false(facts.emulated);
    declared_facts(&tcg, &facts);
    assert_string_equal(facts.hypervisor, "TCGTCGTCGTCG");
    assert_true(facts.emulated);
    declared_facts(&unknown_hypervisor, &facts);
    assert_true(facts.emulated);
    declared_facts(&pentium3, &facts);
    assert_string_equal(facts.vendor, "GenuineIntel");
    assert_string_equal(facts.hypervisor, "");
    assert_false(facts.emulated);
}

static void test_room(void **state)
{
    struct declared declared[3];
    static const struct cpuid_dump nothing;

    (void)state;
    assert_int_equal(declared_find(&skylake, declared, 3), 3);
    assert_int_equal(declared_find(&nothing, declared, 3), 0);
    assert_null(cpuid_find(&skylake, 0x8000001d, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zen5),     cmocka_unit_test(test_skylake),  cmocka_unit_test(test_zen4),
        cmocka_unit_test(test_pentium3), cmocka_unit_test(test_leaf_18h), cmocka_unit_test(test_k10),
        cmocka_unit_test(test_names),    cmocka_unit_test(test_room),     cmocka_unit_test(test_counted_in_32s),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
