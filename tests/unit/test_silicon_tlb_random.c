// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_tlb_random.c: random TLBs, access by access, against a straightforward implementation: each TLB is a
 * list of entries, most recent first, and an entry is a list of pages. Tables change under both of them, with flushes
 * and without. */
#include "base/random.h"
#include "tests/unit/silicon_tables.h"

enum { MOST = 64, TOGETHER = 8, SMALLS = 64, LARGES = 10, HUGES = 4, PLACES = SMALLS + LARGES + HUGES };

/* What is known of one page: of its whole size, whatever part of it an entry is for. */
struct known {
    bool there;
    unsigned size;
    uint64_t base;
    enum memtype type;
    bool global;
};

struct entry_list {
    bool group, global;
    unsigned size, pcid; /* size: as which the entry is looked up */
    uint64_t first;      /* number of its first page */
    struct known page[TOGETHER];
};

struct simple_tlb {
    const struct tlb_description *description;
    unsigned count;
    struct entry_list entry[MOST];
};

struct simple {
    unsigned tlbs, pcid;
    struct simple_tlb tlb[MAX_TLBS];
};

static unsigned bits_of(unsigned size)
{
    return 12 + 9 * size;
}

static unsigned parity(uint64_t bits)
{
    return (unsigned)__builtin_popcountll(bits) & 1;
}

static unsigned set_of(const struct tlb_description *tlb, uint64_t number)
{
    const struct index *index = &tlb->shape.index;
    unsigned set = 0;
    if (index->kind == INDEX_MODULO)
        return (unsigned)(number % index->sets);
    for (unsigned i = 0; i < index->bits; i++)
        set |= parity(number & index->mask[i]) << i;
    return set;
}

static unsigned together(const struct simple_tlb *tlb, bool group)
{
    return group ? tlb->description->coalesce : tlb->description->sector;
}

static unsigned set_of_entry(const struct simple_tlb *tlb, const struct entry_list *entry)
{
    return set_of(tlb->description, entry->first / together(tlb, entry->group));
}

static unsigned held_as(const struct simple_tlb *tlb, unsigned size)
{
    return tlb->description->splits ? (unsigned)__builtin_ctz(tlb->description->pages) : size;
}

/* The entry under which a page would be; MOST: none. */
static unsigned where(const struct simple_tlb *tlb, unsigned size, bool group, bool global, unsigned pcid, uint64_t va)
{
    uint64_t number = va >> bits_of(size);
    for (unsigned i = 0; i < tlb->count; i++) {
        const struct entry_list *entry = &tlb->entry[i];
        if (entry->size == size && entry->group == group && entry->global == global &&
            (global || entry->pcid == pcid) && entry->first == number - number % together(tlb, group))
            return i;
    }
    return MOST;
}

static void to_front(struct simple_tlb *tlb, unsigned i)
{
    struct entry_list entry = tlb->entry[i];
    if (tlb->description->shape.policy.kind == POLICY_FIFO)
        return;
    memmove(tlb->entry + 1, tlb->entry, i * sizeof entry);
    tlb->entry[0] = entry;
}

static void take_out(struct simple_tlb *tlb, unsigned i)
{
    tlb->count--;
    memmove(tlb->entry + i, tlb->entry + i + 1, (tlb->count - i) * sizeof tlb->entry[0]);
}

static struct known *page_of(const struct simple_tlb *tlb, struct entry_list *entry, uint64_t va)
{
    return &entry->page[(va >> bits_of(entry->size)) % together(tlb, entry->group)];
}

/* Looks for va as `size`; true: *at says where. */
static bool look(struct simple_tlb *tlb, unsigned size, unsigned pcid, uint64_t va, unsigned *at)
{
    for (unsigned group = 0; group < (size == 0 ? 2U : 1U); group++)
        for (unsigned global = 0; global < 2; global++) {
            *at = where(tlb, size, group, global, pcid, va);
            if (*at != MOST && page_of(tlb, &tlb->entry[*at], va)->there)
                return true;
        }
    return false;
}

static void put(struct simple *simple, unsigned number, unsigned pcid, uint64_t va, const struct known *run);

/* An entry that went: a victim TLB of the next level takes its pages. (Victims are drawn without sectors and groups.)
 */
static void bury(struct simple *simple, unsigned loser, const struct entry_list *lost)
{
    for (unsigned i = 0; i < simple->tlbs; i++) {
        const struct tlb_description *into = simple->tlb[i].description;
        struct known run[TOGETHER] = {{0}};
        uint64_t va = lost->first << bits_of(lost->size);
        if (!into->victim || into->level != simple->tlb[loser].description->level + 1 ||
            !(into->pages >> lost->size & 1) || !(into->holds & simple->tlb[loser].description->holds))
            continue;
        run[lost->size == 0 ? lost->first % TOGETHER : 0] = lost->page[0];
        put(simple, i, lost->pcid, va, run);
    }
}

/* Takes in the page of va. run: what is known of the eight pages around it (large pages: run[0] is the page). */
static void put(struct simple *simple, unsigned number, unsigned pcid, uint64_t va, const struct known *run)
{
    struct simple_tlb *tlb = &simple->tlb[number];
    const struct known *page = (run[0].there && run[0].size != 0) ? run : &run[(va >> 12) % TOGETHER];
    struct entry_list entry = {.size = held_as(tlb, page->size), .pcid = pcid, .global = page->global};
    unsigned group_size = tlb->description->coalesce, qualified = 0;
    uint64_t of_size = va >> bits_of(entry.size);
    if (group_size > 1 && page->size == 0) {
        uint64_t start = of_size % TOGETHER / group_size * group_size;
        for (unsigned i = 0; i < group_size; i++)
            qualified += run[start + i].there;
        entry.group = qualified >= 2 && where(tlb, 0, true, page->global, pcid, va) == MOST;
        for (unsigned i = 0; i < group_size && entry.group; i++)
            entry.page[i] = run[start + i];
    }
    entry.first = of_size - of_size % together(tlb, entry.group);
    unsigned old = where(tlb, entry.size, entry.group, entry.global, pcid, va);
    if (old != MOST) {
        *page_of(tlb, &tlb->entry[old], va) = *page;
        to_front(tlb, old);
        return;
    }
    if (!entry.group)
        *page_of(tlb, &entry, va) = *page;
    unsigned in_set = 0, last = 0;
    for (unsigned i = 0; i < tlb->count; i++)
        if (set_of_entry(tlb, &tlb->entry[i]) == set_of_entry(tlb, &entry)) {
            in_set++;
            last = i;
        }
    struct entry_list lost = {0};
    bool full = in_set == tlb->description->shape.ways;
    if (full) {
        lost = tlb->entry[last];
        take_out(tlb, last);
    }
    memmove(tlb->entry + 1, tlb->entry, tlb->count * sizeof entry);
    tlb->entry[0] = entry;
    tlb->count++;
    if (full)
        bury(simple, number, &lost);
}

static bool eligible(const struct tlb_description *tlb, enum access_kind kind)
{
    if (kind == ACCESS_FETCH)
        return tlb->holds & HOLDS_CODE;
    return tlb->holds & HOLDS_DATA && (kind == ACCESS_LOAD ? tlb->loads : tlb->stores);
}

/* What the tables say of a page, and of those of its eight that could share an entry with it. */
static void read_tables(struct ground *ground, uint64_t va, unsigned size, struct known run[TOGETHER])
{
    uint64_t entry = *entry_of(ground, va, size + 1);
    static const enum memtype types[] = {MEM_WB, MEM_WT, MEM_UC, MEM_UC};
    struct known page = {
        .there = true, .size = size, .base = entry & FRAME, .type = types[entry >> 3 & 3], .global = entry & GLOBAL};
    memset(run, 0, TOGETHER * sizeof *run);
    if (size != 0) {
        run[0] = page;
        return;
    }
    for (unsigned i = 0; i < TOGETHER; i++) {
        uint64_t other = (va >> 15 << 3) + i;
        uint64_t its = *entry_of(ground, other << 12, 1);
        if (its - entry == ((other - (va >> 12)) << 12)) { /* same bits, frame as far away as the page */
            run[i] = page;
            run[i].base = its & FRAME;
        }
    }
}

/* Whether a TLB of a level before takes pages of a size. */
static bool goes_before(const struct simple *simple, unsigned level, enum access_kind kind, unsigned size)
{
    for (unsigned i = 0; i < simple->tlbs; i++) {
        const struct tlb_description *tlb = simple->tlb[i].description;
        if (tlb->level < level && eligible(tlb, kind) && tlb->pages >> size & 1)
            return true;
    }
    return false;
}

/* One access; returns the level that hit, 0 for a walk. */
static unsigned simple_access(struct simple *simple, struct ground *ground, enum access_kind kind, uint64_t va,
                              unsigned real_size, struct known *found)
{
    struct known run[TOGETHER] = {{0}};
    unsigned hit = 0, levels = 3;
    for (unsigned level = 1; level <= levels && hit == 0; level++)
        for (unsigned size = 0; size < 3 && hit == 0; size++)
            for (unsigned i = 0; i < simple->tlbs && hit == 0; i++) {
                struct simple_tlb *tlb = &simple->tlb[i];
                unsigned at;
                if (tlb->description->level != level || !eligible(tlb->description, kind) ||
                    !look(tlb, size, simple->pcid, va, &at))
                    continue;
                struct entry_list *entry = &tlb->entry[at];
                *found = *page_of(tlb, entry, va);
                for (unsigned k = 0; k < TOGETHER && entry->group; k++)
                    if (k / tlb->description->coalesce == (va >> 12) % TOGETHER / tlb->description->coalesce)
                        run[k] = entry->page[k % tlb->description->coalesce];
                if (!entry->group)
                    run[found->size == 0 ? (va >> 12) % TOGETHER : 0] = *found;
                to_front(tlb, at);
                if (tlb->description->victim && goes_before(simple, level, kind, found->size))
                    take_out(tlb, at == 0 || tlb->description->shape.policy.kind == POLICY_FIFO ? at : 0);
                hit = level;
            }
    if (hit == 0) {
        read_tables(ground, va, real_size, run);
        *found = run[real_size == 0 ? (va >> 12) % TOGETHER : 0];
    }
    for (unsigned level = hit == 0 ? levels : hit - 1; level >= 1; level--)
        for (unsigned i = 0; i < simple->tlbs; i++)
            if (simple->tlb[i].description->level == level && eligible(simple->tlb[i].description, kind) &&
                simple->tlb[i].description->pages >> found->size & 1 && !simple->tlb[i].description->victim)
                put(simple, i, simple->pcid, va, run);
    return hit;
}

static void simple_flush_page(struct simple *simple, uint64_t va)
{
    for (unsigned t = 0; t < simple->tlbs; t++) {
        struct simple_tlb *tlb = &simple->tlb[t];
        for (unsigned i = 0; i < tlb->count;) {
            struct entry_list *entry = &tlb->entry[i];
            bool mine = entry->global || entry->pcid == simple->pcid, gone = false;
            unsigned left = 0;
            for (unsigned k = 0; k < together(tlb, entry->group); k++) {
                struct known *page = &entry->page[k];
                uint64_t start = (entry->first + k) << bits_of(entry->size);
                if (page->there && mine && start >> bits_of(page->size) == va >> bits_of(page->size)) {
                    page->there = false;
                    gone = true;
                }
                left += page->there;
            }
            if (gone && (left == 0 || entry->group))
                take_out(tlb, i);
            else
                i++;
        }
    }
}

static void simple_flush(struct simple *simple, bool everything)
{
    for (unsigned t = 0; t < simple->tlbs; t++)
        for (unsigned i = 0; i < simple->tlb[t].count;) {
            struct entry_list *entry = &simple->tlb[t].entry[i];
            if (everything || (!entry->global && entry->pcid == simple->pcid))
                take_out(&simple->tlb[t], i);
            else
                i++;
        }
}

/* Sets and ways, at most MOST entries; LRU or FIFO; a hash now and then. */
static void random_shape(struct random *random, struct tlb_description *tlb, bool hashed)
{
    tlb->shape.ways = 1 + (unsigned)random_below(random, 6);
    tlb->shape.index.sets = UINT64_C(1) << random_below(random, 4);
    tlb->shape.policy.kind = random_below(random, 3) == 0 ? POLICY_FIFO : POLICY_LRU;
    if (!hashed || tlb->shape.index.sets == 1)
        return;
    tlb->shape.index.kind = INDEX_XOR;
    tlb->shape.index.bits = (unsigned)__builtin_ctzll(tlb->shape.index.sets);
    for (unsigned i = 0; i < tlb->shape.index.bits; i++)
        tlb->shape.index.mask[i] = UINT64_C(1) << i | (random_next(random) & 0x3f0);
}

static void random_tlbs(struct random *random, struct description *description)
{
    base_machine(description);
    unsigned style = (unsigned)random_below(random, 4); /* plain, sectors, groups, victim */
    bool apart = random_below(random, 2);
    struct tlb_description *first =
        add_tlb(description, 1, apart ? PAGES_SMALL : PAGES_SMALL | PAGES_LARGE | PAGES_HUGE, 1, 1, 0);
    first->holds = HOLDS_DATA;
    first->stores = random_below(random, 4) != 0;
    random_shape(random, first, false);
    if (apart) {
        add_tlb(description, 1, PAGES_LARGE | PAGES_HUGE, 1, 1, 0)->holds = HOLDS_DATA;
        description->tlb[1].splits = random_below(random, 2);
        random_shape(random, &description->tlb[1], false);
    }
    struct tlb_description *code = add_tlb(description, 1, PAGES_SMALL | PAGES_LARGE, 1, 1, 0);
    code->holds = HOLDS_CODE;
    random_shape(random, code, false);
    struct tlb_description *second = add_tlb(description, 2, PAGES_SMALL | PAGES_LARGE | PAGES_HUGE, 1, 1, 7);
    second->splits = style < 3 && random_below(random, 3) == 0;
    second->victim = style == 3;
    random_shape(random, second, true);
    if (style == 1) {
        first->sector = 1U << random_below(random, 4);
        second->sector = 1U << random_below(random, 3);
    } else if (style == 2) {
        first->coalesce = 1U << random_below(random, 4);
        second->coalesce = 1U << random_below(random, 4);
        second->splits = false;
    }
    if (style == 3 || random_below(random, 2)) {
        add_tlb(description, 3, PAGES_SMALL | PAGES_HUGE, 1, 1, 12);
        random_shape(random, &description->tlb[description->tlbs - 1], true);
    }
}

static unsigned size_of_place(unsigned place)
{
    return place < SMALLS ? 0 : place < SMALLS + LARGES ? 1 : 2;
}

static uint64_t address_of_place(unsigned place)
{
    if (place < SMALLS)
        return GB + place * UINT64_C(4096);
    return place < SMALLS + LARGES ? 8 * GB + (place - SMALLS) * UINT64_C(2) * MB : (64 + place) * GB;
}

/* Maps a place anew: small pages often next to where their neighbour's frame would ask for. */
static void map_place(struct random *random, struct ground *ground, unsigned place)
{
    unsigned size = size_of_place(place);
    static const uint64_t kinds[] = {0, 0, 0, 0, PWT, PCD, GLOBAL, GLOBAL | PWT};
    uint64_t pa = (1 + random_below(random, 3)) * 512 * GB + place * (UINT64_C(1) << bits_of(size));
    map(ground, address_of_place(place), pa, size, kinds[random_below(random, 8)]);
}

static void one_random_machine(uint64_t seed)
{
    struct random random = {seed};
    struct description description;
    struct simple *simple = calloc(1, sizeof *simple);
    random_tlbs(&random, &description);
    struct world world = world_of(&description);
    simple->tlbs = description.tlbs;
    for (unsigned i = 0; i < simple->tlbs; i++)
        simple->tlb[i].description = &description.tlb[i];
    for (unsigned place = 0; place < PLACES; place++)
        map_place(&random, world.ground, place);
    unsigned window = 4 + (unsigned)random_below(&random, PLACES - 4);
    for (unsigned step = 0; step < 3000; step++) {
        unsigned place = (unsigned)(random_below(&random, window) + step / 500 * 13) % PLACES;
        unsigned what = (unsigned)random_below(&random, 300);
        uint64_t va = address_of_place(place) + random_below(&random, UINT64_C(1) << bits_of(size_of_place(place)));
        if (what < 4) {
            translation_flush_page(world.translation, 0, va);
            simple_flush_page(simple, va);
        } else if (what == 4) {
            translation_flush(world.translation, 0, step % 4 == 0);
            simple_flush(simple, step % 4 == 0);
        } else if (what < 8) {
            simple->pcid = what - 5;
            translation_set_pcid(world.translation, 0, simple->pcid);
        } else if (what < 16) {
            map_place(&random, world.ground, place); /* and nobody is told */
        }
        enum access_kind kind = (enum access_kind)random_below(&random, 3);
        struct known known;
        unsigned level = simple_access(simple, world.ground, kind, va, size_of_place(place), &known);
        struct translated translated = translation_of(world.translation, 0, kind, va, step);
        uint64_t offset = va % (UINT64_C(1) << bits_of(known.size));
        if (translated.fault || translated.level != level || translated.pa != known.base + offset ||
            translated.type != known.type || translated.page != UINT64_C(1) << bits_of(known.size))
            fail_msg("seed %llu, step %u, place %u, kind %u: level %u, not %u; %llx, not %llx",
                     (unsigned long long)seed, step, place, (unsigned)kind, translated.level, level,
                     (unsigned long long)translated.pa, (unsigned long long)(known.base + offset));
    }
    end_of(&world);
    free(simple);
}

static void random_machines(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++)
        one_random_machine(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_machines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
