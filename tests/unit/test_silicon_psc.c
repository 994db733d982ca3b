// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_psc.c: page-structure caches: what they hold, by which tags, what flushes them; by hand, and against a
 * straightforward implementation that keeps lists. Loads of a walk tell which entries were cached: with four levels
 * 1 (PDE), 2 (PDPTE), 3 (PML4E) or 4 (none). */
#include "base/random.h"
#include "tests/unit/silicon_tables.h"

#define HOME UINT64_C(0x7640000000) /* a multiple of 1 GB, not of 512 GB */

static void tiny(struct description *description)
{
    base_machine(description);
    add_tlb(description, 1, PAGES_SMALL | PAGES_LARGE, 1, 1, 0);
}

/* Maps a page in each of `count` regions, `stride` apart. */
static void map_regions(struct world *world, unsigned count, uint64_t stride)
{
    for (unsigned i = 0; i < count; i++)
        map(world->ground, HOME + i * stride, 64 * GB + i * 4096, 0, 0);
}

/* Loads per walk of a second cycle through all regions; 0 when they were not the same for all. */
static unsigned loads_per_walk(struct world *world, unsigned count, uint64_t stride)
{
    unsigned loads = 0;
    for (unsigned lap = 0; lap < 2; lap++)
        for (unsigned i = 0; i < count; i++) {
            struct translated walked = load_of(world, HOME + i * stride);
            assert_int_equal(walked.pa, 64 * GB + i * 4096);
            if (lap == 1 && i > 0 && walked.walk_loads != loads)
                return 0;
            loads = walked.walk_loads;
        }
    return loads;
}

/* As many regions as there are entries fit; with LRU one more pushes all of them out. */
static void entries_of_each_level(void **state)
{
    (void)state;
    static const uint64_t stride[] = {2 * MB, GB, 512 * GB};
    for (unsigned level = 2; level <= 4; level++)
        for (unsigned regions = 5; regions <= 7; regions++) {
            struct description description;
            tiny(&description);
            add_psc(&description, level, PSC_LINEAR, 6);
            struct world world = world_of(&description);
            map_regions(&world, regions, stride[level - 2]);
            assert_int_equal(loads_per_walk(&world, regions, stride[level - 2]), regions <= 6 ? level - 1 : 4);
            end_of(&world);
        }
}

/* Four sets of two ways: regions 4 apart share a set, regions 2 apart two sets. */
static void sets_of_regions(void **state)
{
    (void)state;
    struct description description;
    tiny(&description);
    struct psc_description *psc = add_psc(&description, 2, PSC_LINEAR, 2);
    psc->shape.index.sets = 4;
    for (unsigned apart = 1; apart <= 8; apart *= 2) {
        unsigned fit = apart >= 4 ? 2 : 8 / apart;
        for (unsigned more = 0; more < 2; more++) {
            struct world world = world_of(&description);
            map_regions(&world, fit + more, apart * UINT64_C(2) * MB);
            unsigned loads = loads_per_walk(&world, fit + more, apart * UINT64_C(2) * MB);
            assert_true(more ? loads != 1 : loads == 1);
            end_of(&world);
        }
    }
}

/* One page table and one page directory under eight PDPTEs. Linear: eight PDEs, more than the four entries. Physical:
 * one PDE, and eight PDPTEs that push each other out of what the PML4E and the PDE leave. */
static void shared_tables(void **state)
{
    (void)state;
    for (unsigned physical = 0; physical < 2; physical++) {
        struct description description;
        tiny(&description);
        if (physical)
            add_psc(&description, 0, PSC_PHYSICAL, 4);
        else
            add_psc(&description, 2, PSC_LINEAR, 4);
        struct world world = world_of(&description);
        map(world.ground, HOME, 64 * GB, 0, 0);
        for (unsigned i = 1; i < 8; i++)
            *entry_of(world.ground, HOME + i * GB, 3) = *entry_of(world.ground, HOME, 3);
        for (unsigned i = 0; i < 24; i++) {
            struct translated walked = load_of(&world, HOME + i % 8 * GB);
            assert_int_equal(walked.pa, 64 * GB);
            if (i > 0) /* physical: PDPTE and PTE, in all laps: the PDE is the same one */
                assert_int_equal(walked.walk_loads, physical ? 2 : 4);
            assert_int_equal(walked.pde_missed, i == 0 || !physical);
        }
        end_of(&world);
    }
}

/* A page table alone under many PDEs has as many PDEs, whatever the tag. */
static void shared_page_table(void **state)
{
    (void)state;
    for (unsigned physical = 0; physical < 2; physical++) {
        struct description description;
        tiny(&description);
        add_psc(&description, 2, physical ? PSC_PHYSICAL : PSC_LINEAR, 4);
        struct world world = world_of(&description);
        map(world.ground, HOME, 64 * GB, 0, 0);
        for (unsigned i = 1; i < 8; i++)
            *entry_of(world.ground, HOME + i * UINT64_C(2) * MB, 2) = *entry_of(world.ground, HOME, 2);
        for (unsigned i = 0; i < 24; i++)
            assert_int_equal(load_of(&world, HOME + i % 8 * UINT64_C(2) * MB).walk_loads, 4);
        end_of(&world);
    }
}

/* Unified: all levels compete for six entries. Walks of n regions of 2 MB use n PDEs; physically tagged, the PDPTE and
 * the PML4E are used by each walk, and stay: four PDEs fit beside them. Linearly tagged, the PML4E is not used again
 * and goes; the PDPTE is, by each walk that misses its PDE: five fit. One more, and LRU lets no PDE stay: two loads. */
static void unified(void **state)
{
    (void)state;
    for (unsigned physical = 0; physical < 2; physical++)
        for (unsigned regions = 4; regions <= 7; regions++) {
            struct description description;
            tiny(&description);
            add_psc(&description, 0, physical ? PSC_PHYSICAL : PSC_LINEAR, 6);
            struct world world = world_of(&description);
            map_regions(&world, regions, 2 * MB);
            for (unsigned lap = 0; lap < 3; lap++)
                (void)loads_per_walk(&world, regions, 2 * MB);
            unsigned loads = loads_per_walk(&world, regions, 2 * MB);
            assert_int_equal(loads, regions <= (physical ? 4 : 5) ? 1 : 2);
            end_of(&world);
        }
}

/* Flushes: INVLPG of any address and MOV CR3 drop all entries of the PCID; other PCIDs' linear entries stay. */
static void flushes(void **state)
{
    (void)state;
    for (unsigned how = 0; how < 3; how++)
        for (unsigned physical = 0; physical < 2; physical++) {
            struct description description;
            tiny(&description);
            add_psc(&description, physical ? 0 : 2, physical ? PSC_PHYSICAL : PSC_LINEAR, 8);
            struct world world = world_of(&description);
            map_regions(&world, 1, 0);
            map(world.ground, HOME + 4096, 1 * GB, 0, 0);
            for (unsigned pcid = 1; pcid <= 2; pcid++) {
                translation_set_pcid(world.translation, 0, pcid);
                assert_int_equal(load_of(&world, HOME).walk_loads, physical && pcid == 2 ? 1 : 4);
                assert_int_equal(load_of(&world, HOME + 4096).walk_loads, 1);
            }
            if (how == 0)
                translation_flush_page(world.translation, 0, 123 * GB);
            else
                translation_flush(world.translation, 0, how == 2);
            translation_set_pcid(world.translation, 0, 1);
            assert_int_equal(load_of(&world, HOME).walk_loads, physical || how == 2 ? 4 : 1);
            translation_set_pcid(world.translation, 0, 2);
            assert_int_equal(load_of(&world, HOME + 4096).walk_loads, physical ? 1 : 4);
            end_of(&world);
        }
}

/* A changed PDE is not seen until its cached copy goes: by a flush, or, where the core watches, by the write. */
static void stale_tables(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++)
        for (unsigned shadowed = 0; shadowed < 2; shadowed++) {
            struct description description;
            tiny(&description);
            description.walker.psc_shadowed = shadowed;
            if (kind == 2)
                description.tlb[0].holds_pdes = true, description.tlb[0].shape.ways = 2;
            else
                add_psc(&description, 2, kind == 0 ? PSC_LINEAR : PSC_PHYSICAL, 8);
            struct world world = world_of(&description);
            uint64_t there = HOME + 16 * UINT64_C(2) * MB; /* its PDE is in another line */
            map(world.ground, HOME, 1 * GB, 0, 0);
            map(world.ground, HOME + 4096, 2 * GB, 0, 0);
            map(world.ground, there, 3 * GB, 0, 0);
            map(world.ground, there + 4096, 4 * GB, 0, 0);
            (void)load_of(&world, HOME);
            *entry_of(world.ground, HOME, 2) = *entry_of(world.ground, there, 2);
            translation_write_seen(world.translation, 0, entry_at(world.ground, there, 2));
            assert_int_equal(load_of(&world, HOME + 4096).pa, 2 * GB); /* not that line */
            translation_write_seen(world.translation, 0, entry_at(world.ground, HOME, 2) ^ 56);
            if (shadowed)
                translation_flush_page(world.translation, 0, HOME + 4096), (void)load_of(&world, HOME + 4096);
            assert_int_equal(load_of(&world, HOME).pa, shadowed ? 3 * GB : 1 * GB);
            translation_flush_page(world.translation, 0, 0);
            assert_int_equal(load_of(&world, HOME + 4096).pa, 4 * GB);
            end_of(&world);
        }
}

/* The write drops what came from the line, without any other flush. */
static void shadowing_alone(void **state)
{
    (void)state;
    struct description description;
    tiny(&description);
    description.walker.psc_shadowed = true;
    add_psc(&description, 2, PSC_LINEAR, 8);
    struct world world = world_of(&description);
    map_regions(&world, 24, 2 * MB);
    assert_int_equal(loads_per_walk(&world, 8, 2 * MB), 1);
    translation_write_seen(world.translation, 0, entry_at(world.ground, HOME, 1)); /* a PTE: no matter */
    assert_int_equal(loads_per_walk(&world, 8, 2 * MB), 1);
    translation_write_seen(world.translation, 0, entry_at(world.ground, HOME, 2) + 8);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(load_of(&world, HOME + i * UINT64_C(2) * MB).walk_loads, 4);
    end_of(&world);
}

/* A PDE that maps a page is no page-structure entry. */
static void large_pages_make_no_entries(void **state)
{
    (void)state;
    struct description description;
    tiny(&description);
    add_psc(&description, 2, PSC_LINEAR, 2);
    add_psc(&description, 3, PSC_LINEAR, 8);
    struct world world = world_of(&description);
    map_regions(&world, 2, 2 * MB);
    map(world.ground, HOME + 8 * MB, 8 * GB, 1, 0);
    assert_int_equal(loads_per_walk(&world, 2, 2 * MB), 1);
    assert_int_equal(load_of(&world, HOME + 8 * MB).walk_loads, 1); /* the PDE itself */
    assert_int_equal(loads_per_walk(&world, 2, 2 * MB), 1);
    end_of(&world);
}

/* PDEs in a second level of four entries: three pages of one region, and its PDE, fill it; a walk of another region
 * needs two ways. Walks for instructions use the PDEs, too. */
static void pdes_compete_with_pages(void **state)
{
    (void)state;
    struct description description;
    tiny(&description);
    struct tlb_description *second = add_tlb(&description, 2, PAGES_SMALL, 4, 4, 7);
    second->holds = HOLDS_DATA;
    second->holds_pdes = true;
    struct world world = world_of(&description);
    for (unsigned i = 0; i < 8; i++)
        map(world.ground, HOME + i * 4096, 64 * GB + i * 8192, 0, 0);
    map(world.ground, HOME + 2 * MB, 1 * GB, 0, 0);
    assert_int_equal(load_of(&world, HOME).walk_loads, 4);          /* second level: page 0, PDE */
    assert_int_equal(load_of(&world, HOME + 4096).walk_loads, 1);   /* 1, PDE, 0 */
    assert_int_equal(load_of(&world, HOME + 8192).walk_loads, 1);   /* 2, PDE, 1, 0 */
    assert_int_equal(load_of(&world, HOME).level, 2);               /* 0, 2, PDE, 1 */
    assert_int_equal(load_of(&world, HOME + 2 * MB).walk_loads, 4); /* other page, other PDE, 0, 2 */
    assert_int_equal(load_of(&world, HOME + 4096).walk_loads, 4); /* the PDE has gone: 1, PDE, other page, other PDE */
    assert_int_equal(load_of(&world, HOME + 2 * MB).level, 2);
    assert_int_equal(translation_of(world.translation, 0, ACCESS_FETCH, HOME + 12288, 0).walk_loads, 1);
    translation_flush_page(world.translation, 0, 77 * GB);
    assert_int_equal(load_of(&world, HOME + 2 * MB).level, 2); /* pages stay, PDEs go */
    assert_int_equal(load_of(&world, HOME + 16384).walk_loads, 4);
    end_of(&world);
}

/* -- A straightforward implementation: lists, most recent first. -- */

enum { LONGEST = 16, REGIONS = 48 };

struct copy {
    unsigned level, pcid;
    uint64_t key, table;
};

struct list {
    unsigned level, most, count; /* level 0: all */
    bool physical;
    struct copy copy[LONGEST];
};

struct simple {
    struct list list[MAX_PSC];
    unsigned lists, levels, pcid;
    uint64_t last; /* the page in the TLB; 0: none */
    uint64_t last_pa;
    unsigned last_pcid;
};

static struct copy *look_up(struct list *list, unsigned level, unsigned pcid, uint64_t key)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->copy[i].level == level && list->copy[i].key == key &&
            (list->physical || list->copy[i].pcid == pcid)) {
            struct copy found = list->copy[i];
            memmove(list->copy + 1, list->copy, i * sizeof found);
            list->copy[0] = found;
            return list->copy;
        }
    return NULL;
}

static void add(struct list *list, struct copy copy)
{
    struct copy *there = look_up(list, copy.level, copy.pcid, copy.key);
    if (there) {
        *there = copy;
        return;
    }
    if (list->count == list->most)
        list->count--;
    memmove(list->copy + 1, list->copy, list->count * sizeof copy);
    list->copy[0] = copy;
    list->count++;
}

static unsigned region_bits(unsigned level)
{
    return 12 + 9 * (level - 1);
}

static bool serves(const struct list *list, bool physical, unsigned level)
{
    return list->physical == physical && (list->level == 0 || list->level == level);
}

/* The loads of a walk of va; *pa: where it leads. 0 loads: the TLB had it. */
static unsigned simple_load(struct simple *simple, struct ground *ground, uint64_t va, uint64_t *pa)
{
    uint64_t key[6], source[6] = {0}, entry[6] = {0};
    bool fresh[6] = {false};
    unsigned loads = 0, level = simple->levels;
    uint64_t table = ground->root & FRAME;
    if (simple->last == va >> 12 && simple->last_pcid == simple->pcid) {
        *pa = simple->last_pa;
        return 0;
    }
    for (unsigned i = 2; i <= simple->levels; i++)
        key[i] = va >> region_bits(i);
    for (unsigned i = 2; i <= simple->levels && level == simple->levels; i++)
        for (unsigned k = 0; k < simple->lists; k++) {
            struct copy *copy =
                serves(&simple->list[k], false, i) ? look_up(&simple->list[k], i, simple->pcid, key[i]) : NULL;
            if (copy) {
                table = copy->table;
                level = i - 1;
                break;
            }
        }
    unsigned top = level;
    for (; level >= 2; level--) {
        struct copy *copy = NULL;
        source[level] = table + (va >> region_bits(level) & 511) * 8;
        for (unsigned k = 0; k < simple->lists && !copy; k++)
            if (serves(&simple->list[k], true, level))
                copy = look_up(&simple->list[k], 0, 0, source[level]);
        fresh[level] = !copy;
        loads += !copy;
        entry[level] = table = copy ? copy->table : ground->word[source[level] / 8] & FRAME;
    }
    loads++;
    *pa = ground->word[(table + (va >> 12 & 511) * 8) / 8] & FRAME;
    for (unsigned i = top; i >= 2; i--)
        for (unsigned k = 0; k < simple->lists; k++) {
            if (serves(&simple->list[k], false, i))
                add(&simple->list[k],
                    (struct copy){.level = i, .pcid = simple->pcid, .key = key[i], .table = entry[i]});
            if (serves(&simple->list[k], true, i) && fresh[i])
                add(&simple->list[k], (struct copy){.key = source[i], .table = entry[i]});
        }
    simple->last = va >> 12;
    simple->last_pa = *pa;
    simple->last_pcid = simple->pcid;
    return loads;
}

static void simple_flush(struct simple *simple, bool everything)
{
    for (unsigned k = 0; k < simple->lists; k++) {
        struct list *list = &simple->list[k];
        unsigned kept = 0;
        for (unsigned i = 0; i < list->count; i++)
            if (!everything && !list->physical && list->copy[i].pcid != simple->pcid)
                list->copy[kept++] = list->copy[i];
        list->count = kept;
    }
}

static void random_caches(struct random *random, struct description *description, struct simple *simple)
{
    tiny(description);
    description->levels = simple->levels = 4 + (unsigned)random_below(random, 2);
    simple->lists = (unsigned)random_below(random, 4);
    for (unsigned i = 0; i < simple->lists; i++) {
        struct list *list = &simple->list[i];
        list->level = (unsigned)random_below(random, simple->levels);
        list->level += list->level != 0;
        list->physical = random_below(random, 2);
        list->most = 1 + (unsigned)random_below(random, LONGEST);
        for (unsigned k = 0; k < i; k++) /* two caches that hold the same are not a machine */
            if (serves(list, simple->list[k].physical, simple->list[k].level) ||
                serves(&simple->list[k], list->physical, list->level))
                list->level = 99;
        if (list->level == 99) {
            simple->lists = i;
            return;
        }
        add_psc(description, list->level, list->physical ? PSC_PHYSICAL : PSC_LINEAR, list->most);
    }
}

static void one_random_machine(uint64_t seed)
{
    struct random random = {seed};
    struct description description;
    struct simple simple = {0};
    uint64_t va[REGIONS];
    random_caches(&random, &description, &simple);
    struct world world = world_of(&description);
    for (unsigned i = 0; i < REGIONS; i++) {
        unsigned level = 2 + (unsigned)random_below(&random, simple.levels - 1);
        va[i] = (random_below(&random, 6) << region_bits(level) | random_below(&random, 3) << region_bits(2)) + 4096;
        map(world.ground, va[i], (i + 1) * GB, 0, 0);
        if (i > 0 && random_below(&random, 3) == 0) { /* share a table of some level with another region */
            level = 2 + (unsigned)random_below(&random, simple.levels - 1);
            *entry_of(world.ground, va[i], level) = *entry_of(world.ground, va[random_below(&random, i)], level);
        }
        map(world.ground, va[i], (i + 1) * GB, 0, 0);
    }
    for (unsigned step = 0; step < 4000; step++) {
        uint64_t chosen = va[random_below(&random, REGIONS)];
        unsigned what = (unsigned)random_below(&random, 400), level = 2 + (unsigned)random_below(&random, 3);
        if (what == 0) {
            translation_flush_page(world.translation, 0, chosen);
            simple_flush(&simple, false);
            if (simple.last == chosen >> 12 && simple.last_pcid == simple.pcid)
                simple.last = 0;
        } else if (what == 1) {
            translation_flush(world.translation, 0, step % 2);
            simple_flush(&simple, step % 2);
            if (step % 2 || simple.last_pcid == simple.pcid)
                simple.last = 0;
        } else if (what < 8) {
            simple.pcid = what - 2;
            translation_set_pcid(world.translation, 0, simple.pcid);
        } else if (what == 8) { /* a table moves, and nobody is told */
            *entry_of(world.ground, chosen, level) = *entry_of(world.ground, va[random_below(&random, REGIONS)], level);
            map(world.ground, chosen, random_below(&random, 99) * GB, 0, 0);
        }
        for (unsigned i = 0; i < REGIONS; i++) /* whatever moved, every walk has an end */
            if (*entry_of(world.ground, va[i], 1) == 0)
                map(world.ground, va[i], (i + 100) * GB, 0, 0);
        uint64_t pa;
        unsigned loads = simple_load(&simple, world.ground, chosen, &pa);
        struct translated walked = load_of(&world, chosen);
        assert_false(walked.fault);
        if (walked.walk_loads != loads || walked.pa != pa)
            fail_msg("seed %llu, step %u: %u loads to %llx, not %u to %llx", (unsigned long long)seed, step,
                     walked.walk_loads, (unsigned long long)walked.pa, loads, (unsigned long long)pa);
    }
    end_of(&world);
}

static void random_walks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++)
        one_random_machine(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_of_each_level),
        cmocka_unit_test(sets_of_regions),
        cmocka_unit_test(shared_tables),
        cmocka_unit_test(shared_page_table),
        cmocka_unit_test(unified),
        cmocka_unit_test(flushes),
        cmocka_unit_test(stale_tables),
        cmocka_unit_test(shadowing_alone),
        cmocka_unit_test(large_pages_make_no_entries),
        cmocka_unit_test(pdes_compete_with_pages),
        cmocka_unit_test(random_walks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
