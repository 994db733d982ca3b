// SPDX-License-Identifier: BSD-2-Clause
/* caches_fill.c: lines come in, and what they push out goes its way.
 *
 * Rules:
 * - An inclusive cache that loses a line takes it from all nearer ones, too, and gets what they had written (Baer and
 *   Wang, "On the inclusion properties for multi-level cache hierarchies", ISCA 1988).
 * - A dirty victim is written to the next cache that is not write-through. A cache that has the line takes the data
 *   without telling its replacement policy, for a write-back is no use of the line (as in the cache simulators of the
 *   JILP championships); one that has not allocates, or passes it on when it allocates no writes.
 * - A clean victim is forgotten, except by an exclusive next cache: that one takes it in, always or keeps_permille of a
 *   thousand times (Jouppi, "Improving direct-mapped cache performance by the addition of a small fully-associative
 *   cache and prefetch buffers", ISCA 1990; some processors' last levels choose: methods.md 3.5).
 * - A directory holds the tags of all lines that nearer caches have. What it has to forget, they lose; those lines go
 *   where victims of the nearest of them would go (Yan et al., "Attack directories, not caches", S&P 2019). An entry
 *   is free again when the last of them has lost its line. */
#include "tests/silicon/caches_inside.h"

static void evict(struct caches *caches, struct instance *instance, struct entry entry);

/* A tag comes in; the victim leaves. `number` as line_number(). */
static void insert(struct caches *caches, struct instance *instance, uint64_t number, uint64_t pa, uint64_t value,
                   struct found *found)
{
    const struct entry entry = {line_tag(instance, pa), value};
    struct entry victim;

    found->slice = line_slice(instance, pa);
    found->array = instance->slice[found->slice];
    found->value = value;
    victim = array_insert(found->array, number, entry, &found->place);
    if (instance->homes != NULL) {
        if (victim.tag != 0)
            homes_remove(instance->homes, victim.tag);
        homes_put(instance->homes, entry.tag, number);
    }
    caches->used |= 1ULL << instance->id;
    if (victim.tag != 0)
        evict(caches, instance, victim);
}

void fill_line(struct caches *caches, struct instance *instance, const struct request *request, bool dirty)
{
    const uint64_t grain = 1ULL << instance->grain_shift;
    const uint64_t sectors = sector_bits(instance, request->pa & ~(grain - 1), grain);
    const uint64_t value = sectors | (dirty ? sectors << DIRTY_SHIFT : 0);
    struct found found;

    if (look(instance, request->va, request->pa, &found)) {
        array_touch(found.array, found.place);
        found.value |= value;
        array_set_value(found.array, found.place, found.value);
    } else {
        insert(caches, instance, line_number(instance, request->va, request->pa), request->pa, value, &found);
    }
    if (instance->folds != NULL && request->named)
        predict_way(instance, &found, request->va, request->pa);
}

struct dropped drop_lines(struct caches *caches, struct instance *instance, uint64_t pa, uint64_t bytes)
{
    const uint64_t line = 1ULL << instance->line_shift;
    struct dropped dropped = {false, false};

    (void)caches;
    for (uint64_t at = pa & ~(line - 1); at < pa + bytes; at += line) {
        struct found found;

        if (!look_anywhere(instance, at, &found))
            continue;
        array_remove(found.array, found.place);
        if (instance->homes != NULL)
            homes_remove(instance->homes, line_tag(instance, at));
        dropped.held = true;
        dropped.dirty |= (found.value >> DIRTY_SHIFT & VALID_BITS) != 0;
    }
    return dropped;
}

/* Drops those sectors of an instance's line from all nearer caches. Returns the ones that were there; *dirty gains
 * those that were newer. */
static uint64_t drop_nearer(struct caches *caches, struct instance *instance, uint64_t base, uint64_t sectors,
                            uint64_t *dirty)
{
    const uint64_t bytes = 1ULL << instance->sector_shift;
    uint64_t held = 0;

    for (unsigned i = 0; i <= instance->sector_mask; i++) {
        uint64_t set = sectors >> i & 1 ? instance->nearer & caches->used : 0;

        while (set != 0) {
            const struct dropped dropped = drop_lines(caches, take_first(caches, &set), base + i * bytes, bytes);

            held |= (uint64_t)dropped.held << i;
            *dirty |= (uint64_t)dropped.dirty << i;
        }
    }
    return held;
}

/* Whether an exclusive cache takes a clean victim in. */
static bool wanted(struct caches *caches, const struct instance *instance)
{
    const unsigned permille = instance->description->keeps_permille;

    return permille >= 1000 || (permille != 0 && random_below(&caches->random, 1000) < permille);
}

/* Bytes of one line of `instance`, or within it, arrive from a nearer cache. */
static void put(struct caches *caches, struct instance *instance, uint64_t pa, uint64_t bytes, bool dirty)
{
    for (; instance != NULL; instance = instance->next) {
        const bool keeps = !instance->description->write_through;
        const uint64_t sectors = sector_bits(instance, pa, bytes);
        const uint64_t value = sectors | (dirty && keeps ? sectors << DIRTY_SHIFT : 0);
        uint64_t number;
        struct found found;

        if (look_anywhere(instance, pa, &found)) {
            array_set_value(found.array, found.place, found.value | value);
            if (exclusive(instance))
                array_touch(found.array, found.place);
        } else if (instance->description->no_write_allocate && !exclusive(instance)) {
            continue;
        } else {
            number = pa >> instance->line_shift;
            insert(caches, instance, number, pa, value, &found);
        }
        if (!dirty || keeps)
            return;
    }
}

/* Sectors of a line that one cache lost arrive at another. `from` says how large the sectors are. */
static void hand_down(struct caches *caches, const struct instance *from, struct instance *to, uint64_t base,
                      uint64_t held, uint64_t dirty)
{
    const uint64_t sector = 1ULL << from->sector_shift;

    if (to == NULL)
        return;
    if (!exclusive(to))
        held = dirty;
    else if (dirty == 0 && !wanted(caches, to))
        return;
    const uint64_t line = 1ULL << to->line_shift;
    const uint64_t step = sector < line ? sector : line;

    for (unsigned i = 0; held >> i != 0; i++)
        for (uint64_t at = 0; at < sector && (held >> i & 1) != 0; at += step)
            put(caches, to, base + i * sector + at, step, dirty >> i & 1);
}

static void evict(struct caches *caches, struct instance *instance, struct entry entry)
{
    const uint64_t base = (entry.tag - 1) << instance->line_shift;
    const uint64_t held = entry.value & VALID_BITS;
    uint64_t dirty = entry.value >> DIRTY_SHIFT & VALID_BITS;

    if (instance->description->inclusion == INCLUSION_INCLUSIVE)
        drop_nearer(caches, instance, base, held, &dirty);
    if (instance->watched)
        directories_forget(caches, instance, base);
    hand_down(caches, instance, instance->next, base, held, dirty);
}

static bool in_filter(const struct instance *instance, uint64_t pa, struct found *found)
{
    found->array = instance->filter[line_slice(instance, pa)];
    return array_find(found->array, pa >> instance->line_shift, line_tag(instance, pa), &found->place);
}

/* An entry comes into the directory; the victim's lines leave the nearer caches. */
static void directory_insert(struct caches *caches, struct instance *instance, uint64_t pa, struct found *found)
{
    const uint64_t all = (2ULL << instance->sector_mask) - 1;
    const struct entry entry = {line_tag(instance, pa), 0};
    const struct entry victim = array_insert(found->array, pa >> instance->line_shift, entry, &found->place);
    const uint64_t base = (victim.tag - 1) << instance->line_shift;
    uint64_t held, dirty = 0;

    if (victim.tag == 0)
        return;
    held = drop_nearer(caches, instance, base, all, &dirty);
    if (held != 0)
        hand_down(caches, instance, instance, base, held, dirty);
}

/* The victim's lines may push the very line that is on its way out of the cache beside the directory, which then
 * forgets the line: hence the loop. */
void directory_note(struct caches *caches, struct instance *instance, uint64_t pa)
{
    struct found found;

    if (in_filter(instance, pa, &found)) {
        array_touch(found.array, found.place);
        return;
    }
    do
        directory_insert(caches, instance, pa, &found);
    while (!in_filter(instance, pa, &found));
}

/* Whether a nearer cache has something of the instance's line. */
static bool held_nearer(struct caches *caches, const struct instance *instance, uint64_t base)
{
    uint64_t set = instance->nearer & caches->used;

    while (set != 0) {
        const struct instance *nearer = take_first(caches, &set);

        for (uint64_t at = 0; at >> instance->line_shift == 0; at += 1ULL << nearer->line_shift) {
            struct found found;

            if (look_anywhere(nearer, base + at, &found))
                return true;
        }
    }
    return false;
}

void directories_forget(struct caches *caches, struct instance *instance, uint64_t pa)
{
    for (; instance != NULL && instance->watched; instance = instance->next) {
        const uint64_t base = pa >> instance->line_shift << instance->line_shift;
        struct found found;

        if (instance->filter != NULL && in_filter(instance, pa, &found) && !held_nearer(caches, instance, base))
            array_remove(found.array, found.place);
    }
}

bool caches_prefetch(struct caches *caches, unsigned core, unsigned level, uint64_t va, uint64_t pa, uint64_t now)
{
    const struct path *path = &caches->data[core];
    struct request request = {path, 0, core, ACCESS_LOAD, true, va, pa, now};
    struct found found;

    while (request.from < path->count && path->at[request.from]->description->level < level)
        request.from++;
    if (request.from == path->count)
        return false;
    for (unsigned i = 0; i <= request.from; i++)
        if (look(path->at[i], va, pa, &found) && sector_here(path->at[i], found.value, pa))
            return false;
    caches->now = now;
    read_line(caches, &request, true);
    return true;
}

void caches_disturb(struct caches *caches, unsigned core, uint64_t pa, bool first_level)
{
    const struct path *path = &caches->data[core];

    if (first_level) {
        caches_prefetch(caches, core, 1, pa, pa, caches->now);
        return;
    }
    for (unsigned i = path->count; i-- > 0;) {
        struct instance *instance = path->at[i];
        struct found found;

        if (instance->description->shared_by < 2)
            continue;
        if (instance->filter != NULL)
            directory_note(caches, instance, pa);
        if (look_anywhere(instance, pa, &found))
            array_touch(found.array, found.place);
        else
            insert(caches, instance, pa >> instance->line_shift, pa,
                   sector_bits(instance, pa, 1ULL << instance->grain_shift), &found);
    }
}
