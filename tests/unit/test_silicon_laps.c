// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_laps.c: laps that are multiplied give what laps that are simulated give: on random machines (levels,
 * policies, TLBs, prefetchers, rows, refresh, noise, ramps) two copies run the same random walks, one of them
 * simulating every access. Every field of every reading, the clock, all counters and the whole state are the same. */
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

enum { MACHINES = 60, WALKS = 3, RUNS = 3, MOST_STOPS = 600 };

static uint64_t draw(struct random *random, uint64_t below)
{
    return random_below(random, below);
}

static void set_policy(struct array_shape *shape, struct random *random)
{
    static const char *const names[] = {
        "LRU",     "FIFO", "PLRU", "RANDOM", "MRU", "NRU", "PLRUl", "LRU", "QLRU_H11_M1_R0_U1", "QLRU_H00_M1_R2_U1_UMO",
        "RANDOMl", "LRU"};
    assert_true(policy_parse(&shape->policy, names[draw(random, sizeof names / sizeof *names)]));
}

static void add_cache(struct description *description, struct random *random, unsigned level, uint64_t sets)
{
    struct cache_description *cache = &description->cache[description->caches++];
    snprintf(cache->name, sizeof cache->name, "l%u", level);
    cache->level = level;
    cache->holds = level == 1 ? HOLDS_DATA : HOLDS_BOTH;
    cache->shape.ways = 1 + (unsigned)draw(random, 8);
    cache->line = cache->sector = 64;
    cache->size = sets * cache->shape.ways * 64;
    cache->shape.index.sets = sets;
    cache->latency = 2 + 10 * (level - 1) + (unsigned)draw(random, 5);
    cache->shared_by = 1;
    cache->slices.count = 1;
    cache->inclusion = level == 1 ? INCLUSION_NEITHER : (enum inclusion)draw(random, 3);
    cache->keeps_permille = draw(random, 4) ? 1000 : 500;
    set_policy(&cache->shape, random);
}

static void add_tlb(struct description *description, struct random *random, unsigned level, uint64_t sets)
{
    struct tlb_description *tlb = &description->tlb[description->tlbs++];
    snprintf(tlb->name, sizeof tlb->name, "dtlb%u", level);
    tlb->level = level;
    tlb->holds = HOLDS_BOTH;
    tlb->pages = description->pages;
    tlb->loads = tlb->stores = true;
    tlb->shape.ways = 2 + (unsigned)draw(random, 4);
    tlb->shape.index.sets = sets;
    tlb->latency = level == 1 ? 0 : 7;
    tlb->sector = tlb->coalesce = 1;
    set_policy(&tlb->shape, random);
}

static void add_prefetcher(struct description *description, struct random *random)
{
    enum prefetcher_kind kind = (enum prefetcher_kind)draw(random, 4);
    bool trained = kind == PREFETCH_STREAM || kind == PREFETCH_STRIDE;
    description->prefetcher[description->prefetchers] = (struct prefetcher_description){
        .kind = kind,
        .watches = 1,
        .into = 1,
        .trackers = trained ? 4 : 0,
        .train = trained ? 2 : 0,
        .ahead = 1,
        .reach = kind == PREFETCH_STRIDE ? 2048 : 0,
        .msr = 0x1a4,
        .bit = description->prefetchers,
    };
    description->prefetchers++;
}

static struct description random_machine(struct random *random)
{
    struct description description;
    description_plain(&description, 4096, 1, 64, 2, 80);
    description.caches = 0;
    description.memory.span = 4 << 20;
    add_cache(&description, random, 1, (uint64_t)1 << draw(random, 5));
    if (draw(random, 4))
        add_cache(&description, random, 2, (uint64_t)8 << draw(random, 3));
    if (draw(random, 2))
        add_tlb(&description, random, 1, (uint64_t)1 << draw(random, 3));
    if (draw(random, 2) && description.tlbs)
        add_tlb(&description, random, 2, (uint64_t)4 << draw(random, 3));
    for (unsigned more = (unsigned)draw(random, 4); more > 1; more--)
        add_prefetcher(&description, random);
    if (draw(random, 3) == 0) {
        description.memory.banks = 4;
        description.memory.row = 2048;
        description.memory.row_miss = 30;
    }
    if (draw(random, 4) == 0) {
        description.memory.refresh_period = 5000;
        description.memory.refresh_length = 200;
    }
    if (draw(random, 4) == 0) {
        description.clock.ramp = 20000;
        description.clock.idle = 500;
    }
    if (draw(random, 3) == 0) {
        description.noise = (struct noise_description){.jitter = 10,
                                                       .smi_period = 30000,
                                                       .smi_length = 500,
                                                       .smi_counted = draw(random, 2),
                                                       .traffic_period = draw(random, 2) ? 3000 : 0};
    }
    return description;
}

/* A cycle of stops. */
static void link_walk(struct machine *machine, enum op op, uint64_t base, const uint64_t *stop, unsigned stops)
{
    for (unsigned i = 0; i < stops; i++)
        assert_true(machine_link(machine, op, base + stop[i], base + stop[(i + 1) % stops]));
}

/* Different places, in random order. */
static unsigned draw_stops(struct random *random, uint64_t *stop, unsigned most)
{
    static const uint64_t strides[] = {64, 64, 128, 1024, 4096, 16, 320};
    uint64_t stride = strides[draw(random, sizeof strides / sizeof *strides)];
    unsigned stops = 1 + (unsigned)draw(random, draw(random, 2) ? most : 24);
    bool shuffled = draw(random, 3) != 0;
    for (unsigned i = 0; i < stops; i++) {
        unsigned k = shuffled ? (unsigned)draw(random, i + 1) : i;
        stop[i] = stop[k];
        stop[k] = i * stride % (3 << 20);
    }
    return stops;
}

static void same_state(uint64_t seed, struct machine *const pair[2])
{
    const struct silicon *one = process_silicon(pair[0]), *other = process_silicon(pair[1]);
    if (one->clock.cycles != other->clock.cycles)
        fail_msg("seed %u: %llu cycles instead of %llu", (unsigned)seed, (unsigned long long)one->clock.cycles,
                 (unsigned long long)other->clock.cycles);
    assert_int_equal(one->clock.parts, other->clock.parts);
    assert_int_equal(one->clock.busy, other->clock.busy);
    assert_int_equal(one->noise_at, other->noise_at);
    for (unsigned counted = 0; counted < COUNTED_COUNT; counted++)
        assert_int_equal(counters_total(one->counters, 0, (enum counted)counted),
                         counters_total(other->counters, 0, (enum counted)counted));
}

static void same_reading(uint64_t seed, const struct reading *one, const struct reading *other)
{
    if (one->ticks != other->ticks)
        fail_msg("seed %u: %llu ticks, not %llu", (unsigned)seed, (unsigned long long)one->ticks,
                 (unsigned long long)other->ticks);
    assert_int_equal(one->cycles, other->cycles);
    assert_int_equal(one->steps, other->steps);
    assert_int_equal(one->lost, other->lost);
    assert_int_equal(one->disturbances, other->disturbances);
}

static void run_both(uint64_t seed, struct machine *const pair[2], struct random *random, enum op op, uint64_t base,
                     const uint64_t *stop, unsigned stops)
{
    for (unsigned run = 0; run < RUNS; run++) {
        struct task task = {.op = op, .start = base + stop[draw(random, stops)], .steps = 1 + draw(random, 30000)};
        struct reading reading[2];
        struct visit wait = {.op = OP_WAIT, .value = 1000};
        struct reading lap[MAX_LAPS];
        for (unsigned i = 0; i < 2; i++) {
            assert_true(machine_run(pair[i], &task, 1, &reading[i]));
            assert_true(machine_script(pair[i], &wait, 1, lap)); /* the clock slows down where it does */
        }
        same_reading(seed, &reading[0], &reading[1]);
        same_state(seed, pair);
    }
}

static void multiplied_is_simulated(void **state)
{
    static const enum op ops[] = {OP_LOAD, OP_LOAD, OP_LOAD_32, OP_STORE, OP_EXCHANGE, OP_JUMP, OP_JUMP_FAR};
    (void)state;
    for (uint64_t seed = 1; seed <= MACHINES; seed++) {
        struct random random = {seed};
        struct description description = random_machine(&random);
        struct machine *pair[2];
        struct span span;
        const char *why = "";
        uint64_t stop[MOST_STOPS] = {0};
        for (unsigned i = 0; i < 2; i++) {
            pair[i] = process_open(NULL, &description, seed, NULL, &why);
            if (!pair[i])
                fail_msg("seed %u: %s", (unsigned)seed, why);
            process_simulate_all(pair[i], i == 1);
            assert_true(machine_span(pair[i], 0, &span));
            assert_true(machine_map(pair[i], machine_view(pair[i]).base, span.base, 4 << 20, 4096, MEM_WB));
            silicon_mark(process_silicon(pair[i]));
        }
        for (unsigned walk = 0; walk < WALKS; walk++) {
            enum op op = ops[draw(&random, sizeof ops / sizeof *ops)];
            unsigned stops = draw_stops(&random, stop, MOST_STOPS);
            for (unsigned i = 0; i < 2; i++)
                link_walk(pair[i], op, machine_view(pair[i]).base, stop, stops);
            run_both(seed, pair, &random, op, machine_view(pair[0]).base, stop, stops);
        }
        /* The whole state, over all that was ever used: an access to each line tells. */
        for (uint64_t at = 0; at < 1 << 20; at += 64) {
            struct visit visit = {.op = OP_LOAD, .lap = 1, .va = machine_view(pair[0]).base + at};
            struct reading lap[2][MAX_LAPS];
            for (unsigned i = 0; i < 2; i++)
                assert_true(machine_script(pair[i], &visit, 1, lap[i]));
            same_reading(seed, &lap[0][1], &lap[1][1]);
        }
        machine_close(pair[0]);
        machine_close(pair[1]);
    }
}

/* Two lines that push each other out are loaded from one row, again and again. It stays open but for a refresh, after
 * which all is as it was after the one before: as many laps lie between two of them each time. Where these are
 * multiplied, the row is open afterwards as it was. */
static void rows_stay_open(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct random random = {seed};
        struct description description;
        struct machine *pair[2];
        struct span span;
        const char *why = "";
        const uint64_t stop[2] = {0, 64};
        description_plain(&description, 64, 1, 64, 2, 80);
        description.memory.banks = 4;
        description.memory.row = 2048;
        description.memory.row_miss = 30;
        description.memory.refresh_period = 1000 + 10 * seed;
        description.memory.refresh_length = 200;
        for (unsigned i = 0; i < 2; i++) {
            pair[i] = process_open(NULL, &description, seed, NULL, &why);
            assert_non_null(pair[i]);
            process_simulate_all(pair[i], i == 1);
            assert_true(machine_span(pair[i], 0, &span));
            assert_true(machine_map(pair[i], machine_view(pair[i]).base, span.base, 4096, 4096, MEM_WB));
            silicon_mark(process_silicon(pair[i]));
            link_walk(pair[i], OP_LOAD, machine_view(pair[i]).base, stop, 2);
        }
        run_both(seed, pair, &random, OP_LOAD, machine_view(pair[0]).base, stop, 2);
        machine_close(pair[0]);
        machine_close(pair[1]);
    }
}

/* A walk whose laps repeat from the second one on is not simulated to its end: ten thousand million steps take no time,
 * and take 4 cycles each but for the 8 misses of the first lap. */
static void long_walks_are_short(void **state)
{
    const uint64_t steps = UINT64_C(10000000000);
    struct description description;
    const char *why;
    struct span span;
    struct reading reading;
    (void)state;
    description_plain(&description, 32768, 8, 64, 4, 100);
    struct machine *machine = process_open(NULL, &description, 1, NULL, &why);
    uint64_t base = machine_view(machine).base, stop[8] = {0, 64, 128, 192, 256, 320, 384, 448};
    assert_true(machine_span(machine, 0, &span));
    assert_true(machine_map(machine, base, span.base, 4096, 4096, MEM_WB));
    link_walk(machine, OP_LOAD, base, stop, 8);
    struct task task = {.op = OP_LOAD, .start = base, .steps = steps};
    assert_true(machine_run(machine, &task, 1, &reading));
    assert_int_equal(reading.steps, steps);
    assert_int_equal(reading.ticks, 8 * 100 + (steps - 8) * 4);
    machine_close(machine);
}

/* Noise comes when it is due: an SMI in a hundred thousand cycles, of 700 each, in ten million cycles of hits. */
static void noise_is_not_missed(void **state)
{
    struct description description;
    const char *why;
    struct span span;
    struct reading reading;
    (void)state;
    description_plain(&description, 32768, 8, 64, 4, 100);
    description.noise.smi_period = 100000;
    description.noise.smi_length = 700;
    description.noise.smi_counted = true;
    struct machine *machine = process_open(NULL, &description, 1, NULL, &why);
    uint64_t base = machine_view(machine).base, stop[8] = {0, 64, 128, 192, 256, 320, 384, 448};
    assert_true(machine_span(machine, 0, &span));
    assert_true(machine_map(machine, base, span.base, 4096, 4096, MEM_WB));
    link_walk(machine, OP_LOAD, base, stop, 8);
    struct task task = {.op = OP_LOAD, .start = base, .steps = 2500000};
    assert_true(machine_run(machine, &task, 1, &reading));
    assert_in_range(reading.disturbances, 60, 150); /* 100, and three times their deviation */
    assert_int_equal(reading.lost, reading.disturbances * 700);
    assert_int_equal(reading.ticks, 8 * 100 + (2500000 - 8) * 4 + reading.lost);
    machine_close(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiplied_is_simulated),
        cmocka_unit_test(rows_stay_open),
        cmocka_unit_test(long_walks_are_short),
        cmocka_unit_test(noise_is_not_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
