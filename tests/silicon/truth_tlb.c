// SPDX-License-Identifier: BSD-2-Clause
/* truth_tlb.c: what the TLBs are that loads look in, and those that jumps do: dtlb1.4k.entries, itlb2.4k.penalty, ...,
 * and what one of their entries translates: dtlb1.4k.run, dtlb1.4k.aligned, dtlb2.4k.run, dtlb1.2m.split, ...
 * docs/silicon.md has the table.
 *
 * An entry is what one tag covers (a group of a sectored TLB is one), and pages whose frames are no neighbours are not
 * joined. TLBs of one level that hold the same size of page are one to whoever looks from outside, because all of them
 * are asked at once and a page goes to the one with room (Intel's optimization manual on Ice Lake: second levels of
 * 1024 entries for 4 KB and 2 MB, and of 1024 for 4 KB and 1 GB). A level behind another one shows where its entries
 * are more than the ones before it have: the others have what it has, or never ask for it. A victim TLB's are added to
 * theirs. Of pages that are larger than the memory nothing can be measured: not one can be mapped.
 *
 * Code goes to one page more than a level has entries only by as many jumps, of 16 bytes each (kernel/machine.h). Where
 * there are not as many branch targets, or not as much cache of code at the first level, those are missed, too (J. Lee,
 * A. J. Smith, "Branch prediction strategies and branch target buffer design", IEEE Computer 17(1), 1984): nobody needs
 * to tell them apart. */
#include "base/text.h"
#include "tests/silicon/truth_inside.h"
#include <limits.h>
#include <string.h>

enum { SEED = 1, PAGE_SIZES = 3, JUMP = 16 };

/* A level that counts, for one size of page. */
struct seen_level {
    uint64_t entries, sets;
    uint64_t bits; /* of a page's number, that choose the set */
    unsigned ways;
    unsigned number; /* of the machine's level */
    unsigned cycles; /* that a hit takes more than one of the level asked first */
    bool plain;      /* there are such bits: nothing is folded, and no number of sets is odd */
    bool alike;      /* its TLBs have the same sets, so that together they are one of more ways */
    bool pieces;     /* of larger pages it holds pieces: which ones is up to the loads */
    bool victim;
    unsigned run, runs; /* pages that an entry of one of its TLBs joins: the fewest, and the most */
    bool whole;         /* one of its TLBs keeps pages of the size whole */
};

static struct truth nothing(enum truth_kind kind)
{
    return (struct truth){.kind = kind};
}

static bool same_sets(const struct index *a, const struct index *b)
{
    return a->kind == b->kind && a->sets == b->sets && (a->kind == INDEX_MODULO || a->bits == b->bits) &&
           (a->kind == INDEX_MODULO || memcmp(a->mask, b->mask, a->bits * sizeof *a->mask) == 0);
}

/* The bits of a number that choose the set, each by itself: all that a mask has, if they are no more than the set's
 * number has. False: there are none such. */
static bool plain_bits(const struct index *index, uint64_t *bits)
{
    uint64_t all = 0;

    *bits = index->sets - 1;
    if (index->kind == INDEX_MODULO)
        return (index->sets & (index->sets - 1)) == 0;
    for (unsigned i = 0; i < index->bits; i++)
        all |= index->mask[i];
    *bits = all;
    return index->kind == INDEX_XOR && (unsigned)__builtin_popcountll(all) == index->bits;
}

/* Adds one TLB to its level, by the array that the model builds. False: no memory. */
static bool add_tlb(struct seen_level *level, const struct tlb_description *tlb, const struct index *first,
                    unsigned class)
{
    struct array *array = array_create(&tlb->shape, SEED);

    if (!array)
        return false;
    if (level->entries == 0)
        *level = (struct seen_level){.cycles = tlb->latency, .alike = true, .run = UINT_MAX};
    level->alike = level->alike && same_sets(first, &tlb->shape.index) && level->cycles == tlb->latency;
    bool split = tlb->splits && tlb->pages & ((1U << class) - 1);
    level->pieces = level->pieces || split;
    level->whole = level->whole || !split;
    unsigned run = class == 0 && tlb->sector == 1 ? tlb->coalesce : 1; /* the pages of a sector come one by one */
    level->run = run < level->run ? run : level->run;
    level->runs = run > level->runs ? run : level->runs;
    level->victim = level->victim || tlb->victim;
    level->sets = array_sets(array);
    level->ways += array_ways(array);
    level->entries += array_sets(array) * array_ways(array);
    level->plain = plain_bits(&tlb->shape.index, &level->bits);
    level->bits *= tlb->sector; /* the pages of a sector share an entry: their numbers' last bits choose none */
    array_destroy(array);
    return true;
}

/* Whether a side looks in a TLB for pages of a size. side: HOLDS_DATA for loads, HOLDS_CODE for jumps. */
static bool looks_in(const struct tlb_description *tlb, unsigned side, unsigned class)
{
    return tlb->holds & side && (side == HOLDS_CODE || tlb->loads) && tlb->pages >> class & 1;
}

/* All TLBs that a side looks in at a level of the machine's. False: no memory. */
static bool level_at(const struct description *description, unsigned side, unsigned number, unsigned class,
                     struct seen_level *level)
{
    const struct index *first = NULL;

    *level = (struct seen_level){0};
    for (unsigned i = 0; i < description->tlbs; i++) {
        const struct tlb_description *tlb = &description->tlb[i];
        if (tlb->level != number || !looks_in(tlb, side, class))
            continue;
        if (!first)
            first = &tlb->shape.index;
        if (!add_tlb(level, tlb, first, class))
            return false;
    }
    return true;
}

/* The level that a size of page meets as number `wanted` from the core on; entries 0: there is no such one. `first`:
 * cycles of the one that is met first. */
static bool seen_level(const struct description *description, unsigned side, unsigned class, unsigned wanted,
                       struct seen_level *level, unsigned *first)
{
    uint64_t before = 0;
    unsigned met = 0;

    for (unsigned number = 1; number <= MAX_TLBS; number++) {
        if (!level_at(description, side, number, class, level))
            return false;
        if (level->entries == 0 || (met > 0 && !level->victim && level->entries <= before))
            continue;
        level->number = number;
        if (met == 0)
            *first = level->cycles;
        if (++met == wanted)
            return true;
        before = level->entries + (level->victim ? before : 0);
    }
    *level = (struct seen_level){0};
    return true;
}

/* The least that a walk takes: its tables in the nearest cache that the walker looks in. */
static unsigned least_walk(const struct description *description)
{
    const struct walker_description *walker = &description->walker;
    unsigned nearest = description->memory.latency;

    if (walker->fixed)
        return walker->fixed;
    for (unsigned i = description->caches; walker->from_level && i-- > 0;)
        if (description->cache[i].holds & HOLDS_DATA && description->cache[i].level >= walker->from_level)
            nearest = description->cache[i].latency;
    return walker->overhead + nearest;
}

/* Whether so many jumps can be made without a miss of what is no translation. */
static bool can_jump(const struct description *description, uint64_t jumps)
{
    const struct fetch_description *fetch = &description->fetch;

    if (fetch->targets && fetch->target_shape.ways * fetch->target_shape.index.sets < jumps)
        return false;
    for (unsigned i = 0; i < description->caches; i++)
        if (description->cache[i].level == 1 && description->cache[i].holds & HOLDS_CODE)
            return description->cache[i].size >= jumps * JUMP;
    return true;
}

static struct truth of_level(const struct description *description, unsigned side, const struct seen_level *level,
                             unsigned number, unsigned first, const char *what)
{
    struct truth truth = {.kind = TRUTH_EQUAL};

    if (strcmp(what, "entries") == 0)
        truth.value = (double)level->entries;
    else if (strcmp(what, "ways") == 0)
        truth.value = level->ways;
    else if (strcmp(what, "sets") == 0)
        truth.value = (double)level->sets;
    else if (strcmp(what, "bits") == 0)
        truth =
            level->plain ? (struct truth){.kind = TRUTH_EQUAL, .value = (double)level->bits} : nothing(TRUTH_ABSENT);
    else if (strcmp(what, "penalty") == 0 && number > 1)
        truth = (struct truth){.kind = TRUTH_WITHIN, .value = (double)(level->cycles - first)};
    else
        return nothing(TRUTH_NONE);
    if (truth.kind == TRUTH_WITHIN)
        truth.tolerance = latency_tolerance(truth.value);
    /* No ways and sets are those of several that differ. Nobody needs to see what costs as much as what lies behind it,
     * or before it. */
    truth.optional = level->pieces || !level->alike || least_walk(description) <= level->cycles ||
                     (number > 1 && level->cycles <= first) ||
                     (side == HOLDS_CODE && !can_jump(description, level->entries + 1));
    if (!level->alike && strcmp(what, "entries") != 0)
        truth = (struct truth){.kind = TRUTH_RANGE, .optional = true, .low = 0, .high = (double)level->entries};
    if (strcmp(what, "bits") == 0 && (!level->alike || level->pieces)) /* of any of them, or of the pieces */
        truth = (struct truth){.kind = TRUTH_RANGE, .optional = true, .low = 0, .high = 1e18};
    return truth;
}

/* How many small pages one entry translates, once it was made for one of them, and whether these are an aligned group:
 * tlb.c has no other kind. Of TLBs that differ any number between them; what a victim TLB is given may be runs or not.
 */
static struct truth of_run(const struct description *description, const struct seen_level *level, unsigned number,
                           unsigned first, bool aligned)
{
    struct truth truth = {.kind = TRUTH_EQUAL, .value = aligned ? 1 : level->run};
    truth.optional = level->victim || of_level(description, HOLDS_DATA, level, number, first, "entries").optional;
    truth.optional = truth.optional || level->run != level->runs;
    if (aligned)
        return level->runs > 1 ? truth : nothing(TRUTH_ABSENT);
    if (level->run != level->runs)
        truth = (struct truth){.kind = TRUTH_RANGE, .optional = true, .low = level->run, .high = level->runs};
    return truth;
}

/* The same of a level with no more entries than one before it has: what that one gives up early, by its policy, is
 * found in it all the same. */
static struct truth of_hidden_run(const struct description *description, unsigned number, unsigned first)
{
    struct seen_level level;

    if (!level_at(description, HOLDS_DATA, number, 0, &level) || level.entries == 0)
        return nothing(TRUTH_ABSENT);
    struct truth truth = of_run(description, &level, number, first, false);
    truth.optional = true;
    return truth;
}

/* Whether pages are kept as smaller ones. */
static struct truth of_split(const struct seen_level *level)
{
    if (level->pieces && level->whole)
        return (struct truth){.kind = TRUTH_RANGE, .optional = true, .low = 0, .high = 1};
    return (struct truth){.kind = TRUTH_EQUAL, .value = level->pieces};
}

/* What is asked of an entry and not of a level: "run" and "aligned" of small pages, "split" of others. */
static bool is_of_entries(unsigned class, unsigned number, const char *what)
{
    if (class == 0 || (class == PAGE_SIZES && strcmp(what, "split") != 0))
        return strcmp(what, "run") == 0 || (number == 1 && strcmp(what, "aligned") == 0);
    return number == 1 && strcmp(what, "split") == 0;
}

/* Bytes of a page. */
static uint64_t size_of(const struct description *description, unsigned class)
{
    return (uint64_t)1 << (description->page_shift + class * description->page_bits);
}

/* "4k.entries": the class of the page, and what is asked of it. False: that is no size of a page. */
static bool class_of(const struct description *description, const char *id, unsigned *class, const char **what)
{
    static const struct {
        const char *name;
        uint64_t unit;
    } units[] = {{"k.", 1 << 10}, {"m.", 1 << 20}, {"g.", 1 << 30}};
    uint64_t number = 0;

    for (; *id >= '0' && *id <= '9' && number < 1 << 20; id++)
        number = number * 10 + (uint64_t)(*id - '0');
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
        if (number == 0 || strncmp(id, units[i].name, 2) != 0)
            continue;
        *what = id + 2;
        for (*class = 0; *class < PAGE_SIZES; (*class)++)
            if (description->pages >> *class & 1 && number * units[i].unit == size_of(description, *class))
                return true;
        return true; /* a size that this machine lacks */
    }
    return false;
}

/* Whether pages of a size are kept where the smallest are: in some TLBs of a level, all of them or not. */
static struct truth of_sharing(const struct description *description, unsigned class, unsigned number)
{
    struct truth truth = {.kind = TRUTH_EQUAL};
    struct seen_level small, large;
    unsigned first[2] = {0};

    if (!seen_level(description, HOLDS_DATA, 0, number, &small, &first[0]) ||
        !seen_level(description, HOLDS_DATA, class, number, &large, &first[1]))
        return nothing(TRUTH_NONE);
    if (small.entries == 0 || large.entries == 0)
        return nothing(TRUTH_ABSENT);
    for (unsigned i = 0; small.number == large.number && i < description->tlbs; i++) {
        const struct tlb_description *tlb = &description->tlb[i];
        if (tlb->level == small.number && looks_in(tlb, HOLDS_DATA, 0) && looks_in(tlb, HOLDS_DATA, class))
            truth.value = 1;
    }
    truth.optional = of_level(description, HOLDS_DATA, &small, number, first[0], "entries").optional ||
                     of_level(description, HOLDS_DATA, &large, number, first[1], "entries").optional;
    return truth;
}

struct truth truth_of_tlb(const struct truths *truths, const char *id)
{
    const struct description *description = &truths->description;
    struct seen_level level;
    unsigned class, number, first = 0, side = HOLDS_DATA;
    bool sharing;
    struct truth truth;
    const char *what;

    if ((strncmp(id, "dtlb", 4) != 0 && strncmp(id, "itlb", 4) != 0) || id[4] < '1' || id[4] > '9' || id[5] != '.')
        return nothing(TRUTH_NONE);
    if (id[0] == 'i')
        side = HOLDS_CODE;
    number = (unsigned)(id[4] - '0');
    if (!class_of(description, id + 6, &class, &what))
        return nothing(TRUTH_NONE);
    sharing = side == HOLDS_DATA && strcmp(what, "shared") == 0 && class != 0;
    level = (struct seen_level){.entries = 1, .ways = 1, .sets = 1, .plain = true, .alike = true};
    truth = of_level(description, side, &level, number, 0, what); /* whether there is such a question at all */
    bool entries = side == HOLDS_DATA && is_of_entries(class, number, what);
    if (truth.kind == TRUTH_NONE && !sharing && !entries)
        return truth;
    if (class == PAGE_SIZES || size_of(description, class) > description->memory.span)
        return nothing(TRUTH_ABSENT);
    if (sharing)
        return of_sharing(description, class, number);
    if (!seen_level(description, side, class, number, &level, &first))
        return nothing(TRUTH_NONE);
    if (level.entries && entries)
        return class ? of_split(&level) : of_run(description, &level, number, first, *what == 'a');
    if (entries && class == 0 && number > 1)
        return of_hidden_run(description, number, first);
    return level.entries ? of_level(description, side, &level, number, first, what) : nothing(TRUTH_ABSENT);
}
