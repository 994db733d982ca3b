// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_waist.c: whole walks through the waist.
 *
 * Arithmetic: 200 random machines with up to three levels of cache and two of TLB, LRU everywhere. A cyclic walk visits
 * each of its lines once a lap, so a set of LRU keeps all of its lines when they fit into its ways and none when they
 * do not, and what a level misses, all of it and always, is what the next one sees. Counting lines per set predicts
 * every lap's cycles and every event exactly; no code of the model takes part in that.
 *
 * Metamorphic: what must not change when memory, seed or unit of time do. */
#include "base/random.h"
#include "tests/silicon/process/process.h"
#include "tests/silicon/silicon.h"
#include "tests/unit/resting_host.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

enum {
    MACHINES = 200,
    MOST_LINES = 4096,
    MOST_SETS = 4096,
    LINE = 64,
    PAGE = 4096,
    LARGE = 2 << 20,
    WARM = 4,
    LAPS = 3
};

static void add_cache(struct description *description, struct random *random, uint64_t sets, unsigned latency)
{
    struct cache_description *cache = &description->cache[description->caches++];
    *cache = (struct cache_description){.level = description->caches, .holds = HOLDS_DATA, .shared_by = 1};
    snprintf(cache->name, sizeof cache->name, "l%u", description->caches);
    cache->line = cache->sector = LINE;
    cache->latency = latency;
    cache->shape.ways = 1 + (unsigned)random_below(random, 12);
    cache->shape.index.sets = sets;
    cache->size = sets * cache->shape.ways * LINE;
    cache->slices.count = 1;
}

static void add_tlb(struct description *description, struct random *random, uint64_t sets, unsigned latency)
{
    struct tlb_description *tlb = &description->tlb[description->tlbs++];
    *tlb = (struct tlb_description){.level = description->tlbs,
                                    .holds = HOLDS_DATA,
                                    .pages = PAGES_SMALL | PAGES_LARGE,
                                    .loads = true,
                                    .stores = true,
                                    .latency = latency,
                                    .sector = 1,
                                    .coalesce = 1};
    snprintf(tlb->name, sizeof tlb->name, "dtlb%u", description->tlbs);
    tlb->shape.ways = 1 + (unsigned)random_below(random, 8);
    tlb->shape.index.sets = sets;
}

/* So many sets, or three, five or seven times a power of two below. */
static uint64_t draw_sets(struct random *random, unsigned least, unsigned most)
{
    static const uint64_t odd[] = {4, 4, 4, 3, 5, 7};
    uint64_t sets = (uint64_t)1 << (least + random_below(random, most - least + 1));
    return sets < 4 ? sets : sets / 4 * odd[random_below(random, 6)];
}

static struct description draw_machine(struct random *random)
{
    struct description description;
    description_plain(&description, PAGE, 1, LINE, 3, 0);
    description.caches = 0;
    description.memory.span = 64 << 20;
    description.memory.latency = 150 + (unsigned)random_below(random, 200);
    add_cache(&description, random, draw_sets(random, 0, 6), 2 + (unsigned)random_below(random, 4));
    if (random_below(random, 4))
        add_cache(&description, random, draw_sets(random, 4, 8), 8 + (unsigned)random_below(random, 12));
    if (description.caches == 2 && random_below(random, 2))
        add_cache(&description, random, draw_sets(random, 6, 10), 30 + (unsigned)random_below(random, 40));
    if (random_below(random, 4))
        add_tlb(&description, random, draw_sets(random, 0, 4), 0);
    if (description.tlbs && random_below(random, 2))
        add_tlb(&description, random, draw_sets(random, 3, 7), 1 + (unsigned)random_below(random, 12));
    description.walker.from_level = 0;
    description.walker.overhead = (unsigned)random_below(random, 20);
    description.walker.fixed = random_below(random, 3) ? 0 : 25;
    return description;
}

struct walk {
    uint64_t lines, stride, page, shift; /* shift: of the memory behind it, bytes */
};

/* Pages are visited once a lap, or there are no more than any TLB set holds: all in one large page. */
static struct walk draw_walk(struct random *random)
{
    struct walk walk = {.stride = (uint64_t)LINE << random_below(random, 4), .page = LARGE};
    if (random_below(random, 2))
        walk = (struct walk){.stride = PAGE * (1 + random_below(random, 5)) + random_below(random, 2) * LINE,
                             .page = PAGE};
    walk.lines = 1 + random_below(random, random_below(random, 2) ? 1500 : 60);
    while (walk.page == LARGE && walk.lines * walk.stride > LARGE)
        walk.lines /= 2;
    return walk;
}

struct prediction {
    uint64_t cycles, missed[4]; /* of a lap; lines that caches of levels 1 to 3 miss */
    uint64_t tlb_missed[3];     /* pages that TLBs of levels 1 and 2 miss */
};

/* Which of the numbers that are seen (1) miss an LRU array; those then are seen by what is behind. Returns how many. */
static uint64_t passed_on(const uint64_t *number, uint8_t *seen, uint64_t count, uint64_t sets, unsigned ways)
{
    static uint16_t held[MOST_SETS];
    uint64_t missed = 0;
    memset(held, 0, sizeof held);
    for (uint64_t i = 0; i < count; i++)
        held[number[i] % sets] += seen[i];
    for (uint64_t i = 0; i < count; i++) {
        seen[i] = seen[i] && held[number[i] % sets] > ways;
        missed += seen[i];
    }
    return missed;
}

/* One lap, when everything is as it will be for ever. */
static struct prediction predict(const struct description *description, const struct walk *walk, uint64_t va,
                                 uint64_t pa)
{
    static uint64_t line[MOST_LINES], page[MOST_LINES];
    static uint8_t seen[MOST_LINES];
    struct prediction prediction = {0};
    uint64_t pages = walk->page == LARGE ? 1 : walk->lines, left = walk->lines;
    for (uint64_t i = 0; i < walk->lines; i++) {
        line[i] = (pa + i * walk->stride) / LINE;
        page[i] = (va + i * walk->stride) / walk->page;
        seen[i] = 1;
    }
    for (unsigned level = 0; level < description->caches; level++) {
        const struct cache_description *cache = &description->cache[level];
        uint64_t missed = passed_on(line, seen, walk->lines, cache->shape.index.sets, cache->shape.ways);
        prediction.missed[level + 1] = missed;
        prediction.cycles += (left - missed) * cache->latency;
        left = missed;
    }
    prediction.cycles += left * description->memory.latency;
    memset(seen, 1, sizeof seen);
    left = pages;
    for (unsigned level = 0; level < description->tlbs; level++) {
        const struct tlb_description *tlb = &description->tlb[level];
        uint64_t missed = passed_on(page, seen, pages, tlb->shape.index.sets, tlb->shape.ways);
        prediction.tlb_missed[level + 1] = missed;
        prediction.cycles += (left - missed) * tlb->latency;
        left = missed;
    }
    if (description->tlbs) {
        uint64_t loads = walk->page == LARGE ? 3 : 4; /* entries from the top to the page */
        uint64_t cycles = description->walker.overhead + loads * description->memory.latency;
        prediction.cycles += left * (description->walker.fixed ? description->walker.fixed : cycles);
    }
    return prediction;
}

/* Links the lines in random order; returns the start. */
static uint64_t build(struct machine *machine, const struct walk *walk, uint64_t seed)
{
    static uint64_t order[MOST_LINES];
    uint64_t base = machine_view(machine).base, size = walk->lines * walk->stride + walk->page;
    struct random random = {seed};
    struct span span;
    assert_true(machine_span(machine, 0, &span));
    size -= size % walk->page;
    if (!machine_map(machine, base, span.base + walk->shift, size, walk->page, MEM_WB))
        fail_msg("%s", machine_why(machine));
    for (uint64_t i = 0; i < walk->lines; i++) {
        uint64_t k = random_below(&random, i + 1);
        order[i] = order[k];
        order[k] = base + i * walk->stride;
    }
    for (uint64_t i = 0; i < walk->lines; i++)
        assert_true(machine_link(machine, OP_LOAD, order[i], order[(i + 1) % walk->lines]));
    return order[0];
}

static uint64_t counted(struct machine *machine, enum counted what)
{
    return counters_total(process_silicon(machine)->counters, 0, what);
}

/* Ticks of so many laps, some laps after the first, and after what the machine needs for a run of its own. */
static uint64_t run_laps(struct machine *machine, const struct walk *walk, uint64_t start, uint64_t laps)
{
    struct task task = {
        .op = OP_LOAD, .start = start, .steps = walk->lines * laps, .warm = walk->lines * (uint64_t)WARM};
    struct reading reading;
    assert_true(machine_run(machine, &task, 1, &reading));
    return reading.ticks;
}

static uint64_t steady(struct machine *machine, const struct walk *walk, uint64_t start)
{
    return run_laps(machine, walk, start, LAPS);
}

/* Ticks of LAPS laps, and everything that is counted in them: what more so many laps more make. */
static uint64_t count_laps(struct machine *machine, const struct walk *walk, uint64_t start, uint64_t made[])
{
    enum { SETTLING = 4 };
    uint64_t ticks[2], total[3][COUNTED_COUNT];
    for (unsigned run = 0; run < SETTLING; run++) /* what the machine needs itself is where it is each time, too */
        run_laps(machine, walk, start, LAPS);
    for (unsigned run = 0; run < 3; run++) {
        for (unsigned k = 0; k < COUNTED_COUNT; k++)
            total[run][k] = counted(machine, (enum counted)k);
        if (run < 2)
            ticks[run] = run_laps(machine, walk, start, (1 + run) * (uint64_t)LAPS);
    }
    for (unsigned k = 0; k < COUNTED_COUNT; k++)
        made[k] = total[2][k] - 2 * total[1][k] + total[0][k];
    made[COUNTED_CYCLES] = total[2][COUNTED_CYCLES] - total[1][COUNTED_CYCLES]; /* of 2 * LAPS; runs begin anywhere */
    return ticks[1] - ticks[0];
}

static struct machine *opened(const struct description *description, uint64_t seed)
{
    const char *why = "";
    struct machine *machine = process_open(NULL, description, seed, NULL, &why);
    if (!machine)
        fail_msg("seed %u: %s", (unsigned)seed, why);
    return machine;
}

static void expect(uint64_t seed, const char *what, uint64_t value, uint64_t expected)
{
    if (value != expected)
        fail_msg("seed %u: %llu %s, not %llu", (unsigned)seed, (unsigned long long)value, what,
                 (unsigned long long)expected);
}

static void arithmetic_agrees(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= MACHINES; seed++) {
        struct random random = {seed};
        struct description description = draw_machine(&random);
        struct machine *machine = opened(&description, seed);
        for (unsigned i = 0; i < 3; i++) {
            struct walk walk = draw_walk(&random);
            uint64_t start = build(machine, &walk, seed + i);
            struct span span;
            machine_span(machine, 0, &span);
            struct prediction lap = predict(&description, &walk, machine_view(machine).base, span.base);
            uint64_t made[COUNTED_COUNT];
            uint64_t ticks = count_laps(machine, &walk, start, made);
            expect(seed, "ticks", ticks, LAPS * lap.cycles);
            static const enum counted level_miss[] = {COUNTED_L1D_MISS, COUNTED_L2_MISS, COUNTED_L3_MISS};
            const unsigned counted = sizeof level_miss / sizeof *level_miss;
            assert_true(description.caches <= counted);
            for (unsigned k = 0; k < description.caches && k < counted; k++)
                expect(seed, "misses", made[level_miss[k]], LAPS * lap.missed[k + 1]);
            if (description.tlbs) {
                uint64_t walks = lap.tlb_missed[description.tlbs];
                expect(seed, "DTLB misses", made[COUNTED_DTLB1_MISS], LAPS * lap.tlb_missed[1]);
                expect(seed, "walks", made[COUNTED_WALK], LAPS * walks);
                expect(seed, "second-level hits", made[COUNTED_DTLB2_HIT], LAPS * (lap.tlb_missed[1] - walks));
            }
            expect(seed, "loads", made[COUNTED_LOADS], LAPS * walk.lines);
            expect(seed, "cycles", made[COUNTED_CYCLES] >= 2 * LAPS * lap.cycles, 1);
        }
        machine_close(machine);
    }
}

static uint64_t measured(const struct description *description, const struct walk *walk, uint64_t machine_seed)
{
    struct machine *machine = opened(description, machine_seed);
    uint64_t start = build(machine, walk, 1), ticks = steady(machine, walk, start);
    machine_close(machine);
    return ticks;
}

/* Memory shifted by a multiple of every way's size; another seed; every latency doubled. */
static void nothing_else_matters(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct random random = {1000 + seed};
        struct description description = draw_machine(&random), doubled;
        struct walk walk = draw_walk(&random), shifted = walk;
        uint64_t ticks = measured(&description, &walk, 1), ways = 1;
        for (unsigned i = 0; i < description.caches; i++)
            if (ways % description.cache[i].shape.index.sets)
                ways *= description.cache[i].shape.index.sets;
        shifted.shift = ways * LINE * (LARGE / LINE);
        if (shifted.shift + walk.lines * walk.stride + LARGE < description.memory.span)
            expect(seed, "ticks after a shift", measured(&description, &shifted, 1), ticks);
        expect(seed, "ticks with another seed", measured(&description, &walk, 77), ticks);
        doubled = description;
        for (unsigned i = 0; i < doubled.caches; i++)
            doubled.cache[i].latency *= 2;
        for (unsigned i = 0; i < doubled.tlbs; i++)
            doubled.tlb[i].latency *= 2;
        doubled.memory.latency *= 2;
        doubled.walker.overhead *= 2;
        doubled.walker.fixed *= 2;
        expect(seed, "ticks with latencies doubled", measured(&doubled, &walk, 1), 2 * ticks);
    }
}

/* Twice the ways, twice the lines of a set before it misses. */
static void ways_double(void **state)
{
    (void)state;
    for (unsigned ways = 1; ways <= 16; ways *= 2) {
        struct description description;
        description_plain(&description, (uint64_t)ways * PAGE, ways, LINE, 4, 100);
        for (uint64_t lines = ways; lines <= ways + 1; lines++) {
            struct walk walk = {.lines = lines, .stride = PAGE, .page = LARGE};
            expect(ways, "ticks", measured(&description, &walk, 1), LAPS * lines * (lines > ways ? 100 : 4));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_agrees),
        cmocka_unit_test(nothing_else_matters),
        cmocka_unit_test(ways_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
