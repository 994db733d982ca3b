// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_hierarchy.c: random hierarchies against a straightforward one, access by access.
 *
 * The other one has no arrays, sets of bits or paths: it is a list of copies ("this line is in that place, since that
 * moment"), and every question is a search through all of it. LRU and FIFO, 1 to 3 levels, 1 to 3 cores, any inclusion,
 * directories, write-through, loads and stores. Costs and contents must agree. */
#include "tests/unit/hierarchy.h"

enum { MACHINES = 250, ACCESSES = 1500, MAX_COPIES = 4096, FILTERS = 64 };

struct copy {
    unsigned place; /* 8 * index of the cache + group of cores; FILTERS more for its directory */
    uint64_t line, moment;
    bool dirty;
};

struct reference {
    const struct description *description;
    struct copy copy[MAX_COPIES];
    unsigned copies;
    uint64_t moment;
};

static struct reference reference; /* large */

static const struct cache_description *cache_of(const struct reference *it, unsigned place)
{
    return &it->description->cache[place % FILTERS / 8];
}

static const struct array_shape *shape_of(const struct reference *it, unsigned place)
{
    return place < FILTERS ? &cache_of(it, place)->shape : &cache_of(it, place)->directory_shape;
}

static unsigned place_of(const struct reference *it, unsigned cache, unsigned core)
{
    return 8 * cache + core / it->description->cache[cache].shared_by;
}

static struct copy *search(struct reference *it, unsigned place, uint64_t line)
{
    for (unsigned i = 0; i < it->copies; i++)
        if (it->copy[i].place == place && it->copy[i].line == line)
            return &it->copy[i];
    return NULL;
}

/* Takes a copy away; returns 0: none was there, 1: it was, 2: with newer data. */
static unsigned remove_copy(struct reference *it, unsigned place, uint64_t line)
{
    struct copy *copy = search(it, place, line);
    unsigned what;

    if (copy == NULL)
        return 0;
    what = copy->dirty ? 2 : 1;
    *copy = it->copy[--it->copies];
    return what;
}

static void use(struct reference *it, struct copy *copy)
{
    if (shape_of(it, copy->place)->policy.kind == POLICY_LRU)
        copy->moment = ++it->moment;
}

static bool below(const struct reference *it, unsigned near_place, unsigned far_place)
{
    const unsigned near_shared = cache_of(it, near_place)->shared_by, far_shared = cache_of(it, far_place)->shared_by;

    return cache_of(it, near_place)->level < cache_of(it, far_place)->level &&
           near_place % 8 * near_shared / far_shared == far_place % 8;
}

static void leave(struct reference *it, struct copy victim);

/* A new copy, where none is. The oldest of a full set leaves. */
static void place_copy(struct reference *it, unsigned place, uint64_t line, bool dirty)
{
    const struct array_shape *shape = shape_of(it, place);
    struct copy *oldest = NULL, victim;
    unsigned mates = 0;

    for (unsigned i = 0; i < it->copies; i++) {
        struct copy *copy = &it->copy[i];

        if (copy->place != place || copy->line % shape->index.sets != line % shape->index.sets)
            continue;
        mates++;
        if (oldest == NULL || copy->moment < oldest->moment)
            oldest = copy;
    }
    if (oldest == NULL || mates < shape->ways) {
        assert_true(it->copies < MAX_COPIES);
        it->copy[it->copies++] = (struct copy){place, line, ++it->moment, dirty};
        return;
    }
    victim = *oldest;
    *oldest = (struct copy){place, line, ++it->moment, dirty};
    leave(it, victim);
}

/* A cache lost a line: directories of that cache and of those behind it forget what nobody before them has. */
static void forget(struct reference *it, unsigned cache, uint64_t line)
{
    for (unsigned i = 0; i < it->copies; i++) {
        const unsigned filter = it->copy[i].place;
        bool held = false;

        if (filter < FILTERS + 8 * cache || it->copy[i].line != line)
            continue;
        for (unsigned j = 0; j < it->copies; j++)
            held |= it->copy[j].place < FILTERS && it->copy[j].line == line &&
                    below(it, it->copy[j].place, filter - FILTERS);
        if (!held) {
            remove_copy(it, filter, line);
            i--;
        }
    }
}

static unsigned drop_below(struct reference *it, unsigned place, uint64_t line)
{
    unsigned most = 0;

    for (unsigned i = 0; i < it->copies; i++)
        if (it->copy[i].place < FILTERS && it->copy[i].line == line && below(it, it->copy[i].place, place)) {
            const unsigned what = remove_copy(it, it->copy[i].place, line);

            most = what > most ? what : most;
            i--;
        }
    return most;
}

/* A line that nearer caches lost comes to a place. */
static void come_down(struct reference *it, unsigned place, uint64_t line, bool dirty)
{
    const struct cache_description *cache = cache_of(it, place);
    const bool takes = cache->inclusion == INCLUSION_EXCLUSIVE;
    struct copy *copy = search(it, place, line);

    if (!dirty && !(takes && cache->keeps_permille != 0))
        return;
    if (copy == NULL) {
        place_copy(it, place, line, dirty);
        return;
    }
    copy->dirty |= dirty;
    if (takes)
        use(it, copy);
}

static void leave(struct reference *it, struct copy victim)
{
    unsigned place = victim.place % FILTERS, what;

    if (victim.place >= FILTERS) {
        what = drop_below(it, place, victim.line);
        if (what != 0)
            come_down(it, place, victim.line, what == 2);
        return;
    }
    if (cache_of(it, place)->inclusion == INCLUSION_INCLUSIVE)
        victim.dirty |= drop_below(it, place, victim.line) == 2;
    forget(it, place / 8, victim.line);
    if (place / 8 + 1 == it->description->caches)
        return;
    const unsigned next = place_of(it, place / 8 + 1, place % 8 * cache_of(it, place)->shared_by);

    come_down(it, next, victim.line, victim.dirty);
}

/* A read that enters at cache `from`. */
static unsigned read_reference(struct reference *it, unsigned from, unsigned core, uint64_t line, bool keep)
{
    const struct description *machine = it->description;
    unsigned hit = from, cycles = machine->memory.latency;
    bool transferred = false, newer = false;

    while (hit < machine->caches && search(it, place_of(it, hit, core), line) == NULL)
        hit++;
    if (hit < machine->caches)
        cycles = machine->cache[hit].latency;
    if (hit == from && hit < machine->caches) {
        use(it, search(it, place_of(it, hit, core), line));
        return cycles;
    }
    for (unsigned i = 0; i < it->copies; i++) {
        struct copy *copy = &it->copy[i];

        if (copy->line == line && copy->dirty && copy->place < FILTERS &&
            copy->place != place_of(it, copy->place / 8, core) &&
            (hit == machine->caches || below(it, copy->place, place_of(it, hit, core)))) {
            copy->dirty = false;
            transferred = true;
        }
    }
    if (hit < machine->caches) {
        const unsigned place = place_of(it, hit, core);
        struct copy *copy = search(it, place, line);

        copy->dirty |= transferred;
        if (machine->cache[hit].inclusion != INCLUSION_EXCLUSIVE || (keep && machine->cache[hit].keeps_hits))
            use(it, copy);
        else
            newer = remove_copy(it, place, line) == 2 && !transferred; /* there is a second copy now */
    }
    for (unsigned i = hit < machine->caches ? hit : hit - 1; i > from; i--)
        if (machine->cache[i].directory) {
            struct copy *entry = search(it, FILTERS + place_of(it, i, core), line);

            if (entry != NULL)
                use(it, entry);
            while (search(it, FILTERS + place_of(it, i, core), line) == NULL)
                place_copy(it, FILTERS + place_of(it, i, core), line, false);
        }
    for (unsigned i = hit; i-- > from;)
        if (i == from || machine->cache[i].inclusion != INCLUSION_EXCLUSIVE) {
            bool first =
                i == from ? !machine->cache[i].write_through : machine->cache[from].write_through && i == from + 1;

            if (machine->cache[from].write_through && i == from + 2)
                first = machine->cache[from + 1].inclusion == INCLUSION_EXCLUSIVE;
            place_copy(it, place_of(it, i, core), line, newer && first);
        }
    return transferred ? machine->memory.transfer : cycles;
}

static void take_reference(struct reference *it, unsigned core, uint64_t line)
{
    for (unsigned i = 0; i < it->copies; i++)
        if (it->copy[i].line == line && it->copy[i].place < FILTERS &&
            it->copy[i].place != place_of(it, it->copy[i].place / 8, core)) {
            remove_copy(it, it->copy[i].place, line);
            i--;
        }
    forget(it, 0, line);
}

static unsigned store_reference(struct reference *it, unsigned core, uint64_t line)
{
    const struct description *machine = it->description;
    unsigned most = 0;

    for (unsigned i = 0; i < machine->caches; i++) {
        const struct cache_description *cache = &machine->cache[i];
        const unsigned place = place_of(it, i, core);
        unsigned cycles = i == 0 ? 1 : cache->latency;

        if (search(it, place, line) != NULL) {
            use(it, search(it, place, line));
        } else {
            if (cache->no_write_allocate || (i > 0 && cache->inclusion == INCLUSION_EXCLUSIVE))
                continue;
            cycles = read_reference(it, i, core, line, false);
        }
        most = cycles > most ? cycles : most;
        if (!cache->write_through) {
            take_reference(it, core, line);
            search(it, place, line)->dirty = true;
            return most;
        }
    }
    take_reference(it, core, line);
    return machine->memory.latency;
}

/* Every copy is in the arrays, and nothing else is. */
static void compare_contents(struct reference *it, const struct caches *caches, unsigned cache, unsigned core)
{
    const struct array *array = caches_array(caches, core, cache);
    const unsigned place = place_of(it, cache, core);
    unsigned entries = 0, copies = 0;

    for (unsigned i = 0; i < it->copies; i++)
        copies += it->copy[i].place == place;
    for (uint64_t set = 0; set < array_sets(array); set++)
        for (unsigned way = 0; way < array_ways(array); way++) {
            const struct entry entry = array_entry(array, set, way);
            const struct copy *copy = entry.tag != 0 ? search(it, place, entry.tag - 1) : NULL;

            entries += entry.tag != 0;
            assert_true(entry.tag == 0 || (copy != NULL && copy->dirty == (entry.value >> 16 & 1)));
        }
    assert_int_equal(entries, copies);
}

static void random_hierarchy(struct description *description, struct random *random)
{
    unsigned shared = 1;

    start(description);
    description->cores = 1 + (unsigned)random_below(random, 3);
    for (unsigned i = 0; i < 1 + random_below(random, 3); i++) {
        struct cache_description *cache =
            add(description, i + 1, 1 + (unsigned)random_below(random, 4), 1 + (unsigned)random_below(random, 4),
                5 + 20 * i + (unsigned)random_below(random, 10));

        if (i > 0 && random_below(random, 2) != 0)
            shared = description->cores;
        cache->shared_by = shared;
        cache->shape.policy.kind = random_below(random, 2) ? POLICY_LRU : POLICY_FIFO;
        if (i == 0) {
            cache->write_through = random_below(random, 4) == 0;
            cache->no_write_allocate = cache->write_through && random_below(random, 2) == 0;
            continue;
        }
        cache->inclusion = (enum inclusion)random_below(random, 3);
        cache->keeps_hits = random_below(random, 3) == 0;
        cache->keeps_permille = random_below(random, 4) == 0 ? 0 : 1000;
        cache->directory = random_below(random, 4) == 0;
        cache->directory_shape = cache->shape;
        cache->directory_shape.ways = 1 + (unsigned)random_below(random, 5);
    }
}

static void test_random_hierarchies(void **state)
{
    struct random random = {20};

    (void)state;
    for (unsigned machine = 0; machine < MACHINES; machine++) {
        static struct description description;
        struct caches *caches;

        random_hierarchy(&description, &random);
        caches = build(&description);
        reference = (struct reference){.description = &description};
        for (unsigned i = 0; i < ACCESSES; i++) {
            const unsigned core = (unsigned)random_below(&random, description.cores);
            const uint64_t line = random_below(&random, 24);
            const bool stores = random_below(&random, 3) == 0;
            const unsigned expected =
                stores ? store_reference(&reference, core, line) : read_reference(&reference, 0, core, line, true);

            if (cost(caches, core, stores ? ACCESS_STORE : ACCESS_LOAD, line * LINE) != expected)
                fail_msg("machine %u, access %u, expected %u cycles", machine, i, expected);
            if (i % 50 != 0)
                continue;
            for (unsigned cache = 0; cache < description.caches; cache++)
                for (unsigned other = 0; other < description.cores; other++)
                    compare_contents(&reference, caches, cache, other);
        }
        caches_destroy(caches);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_hierarchies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
