// SPDX-License-Identifier: BSD-2-Clause
/* hit.c: loads that hit, against dependent adds in the same stretch. */
#include "probes/hit.h"
#include "base/arithmetic.h"
#include "probes/confidence.h"
#include "probes/pause.h"

enum { ROUNDS = 32, MOST_ROUNDS = 6 * ROUNDS };

/* From here on no further look is taken. What is still open after the last one is no surer than that. */
static const double SURE = 0.9, OPEN = 0.5;

/* Core cycles. A load that hits takes a whole number of them: what is further from one, beyond what the clock's step
 * explains, was held up, and nobody knows for how long. Beginning a batch takes a hundredth of one. */
static const double HELD_UP = 0.05;

static struct walk neighbours(struct bench *bench, enum op op, uint64_t base)
{
    struct stops stops = stops_sequence(base, 16, NEIGHBOURS);
    return walk_over(&stops, op, bench_seed(bench));
}

/* Steps of a batch that is so long that the clock's step is a two-hundredth of it, if a batch may be. */
static bool long_enough(struct bench *bench, uint64_t *steps)
{
    enum { SHORTEST = 2048, LONGEST = 1 << 18, PARTS = 200 };
    double ticks = 0;
    for (*steps = SHORTEST; *steps < LONGEST; *steps *= 2) {
        if (!bench_block(bench, BLOCK_ADD, *steps, &ticks))
            return false;
        if (ticks >= PARTS * (double)bench->clock.step)
            break;
    }
    return true;
}

/* What so many rounds say. The quick ones of either kind count: a load that was held up is in neither. The clock may
 * show a batch by one of its steps too long or too short. */
static void judge(struct hit *hit, double *loads, double *adds, double *cycles, unsigned rounds, double step)
{
    double load = quantile(loads, rounds, 0.25), add = quantile(adds, rounds, 0.25);
    double low = quantile(cycles, rounds, 0.25), high = quantile(cycles, rounds, 0.75);
    *hit = (struct hit){.cycles = 0};
    if (load <= 0 || add <= 0)
        return;
    double value = load / add, slack = value * (step / load + step / add);
    double whole = (double)(uint64_t)(value + 0.5), away = apart(value, whole);
    hit->low = (low < value ? low : value) - slack;
    hit->high = (high > value ? high : value) + slack;
    hit->confidence = confidence_from(confidence_rounding(low, whole + away + slack, high, ROUNDS));
    if (away > slack + HELD_UP && hit->confidence > OPEN)
        hit->confidence = OPEN;
    if (away + slack < 0.5 && hit->confidence >= OPEN)
        hit->cycles = (uint64_t)whole;
}

bool hit_is_sure(const struct hit *hit)
{
    return hit->confidence >= SURE;
}

/* Whoever shares the core may hold up whole rounds, one after the other: then more of them are looked at, a while
 * later. All of them have to say it then, and the latest by themselves, and are no surer of it for their number. */
bool hit_measure_as(struct bench *bench, enum op op, uint64_t base, struct hit *hit)
{
    double loads[MOST_ROUNDS], adds[MOST_ROUNDS], cycles[MOST_ROUNDS], step = (double)bench->clock.step;
    struct walk walk = neighbours(bench, op, base);
    struct hit latest;
    uint64_t steps = 0;
    if (!bench_link(bench, &walk) || !long_enough(bench, &steps))
        return false;
    for (unsigned round = 0; round < MOST_ROUNDS;) {
        if (!bench_warm(bench, &walk, 0, NEIGHBOURS) || !bench_batch(bench, &walk, 0, steps, &loads[round]) ||
            !bench_block(bench, BLOCK_ADD, steps, &adds[round]) || !bench_rest(bench, false))
            return false;
        cycles[round] = adds[round] > 0 ? loads[round] / adds[round] : 0;
        if (++round % ROUNDS)
            continue;
        unsigned first = round - ROUNDS;
        judge(&latest, &loads[first], &adds[first], &cycles[first], ROUNDS, step);
        judge(hit, loads, adds, cycles, round, step);
        if (hit->cycles && latest.cycles == hit->cycles && hit_is_sure(hit))
            return bench_ok(bench);
        if (round < MOST_ROUNDS)
            bench_wait(bench, round / ROUNDS);
    }
    hit->confidence = hit->confidence < OPEN ? hit->confidence : OPEN;
    return bench_ok(bench);
}

bool hit_measure(struct bench *bench, uint64_t base, struct hit *hit)
{
    return hit_measure_as(bench, OP_LOAD, base, hit);
}

bool hit_least_miss(struct bench *bench, uint64_t base, double *least)
{
    enum { LOOKS = 9, STEPS = 4096, MOST_CYCLES = 16 };
    double ticks[LOOKS];
    struct walk walk = neighbours(bench, OP_LOAD, base);
    if (bench->cycles_per_tick > 0) {
        *least = 1 / bench->cycles_per_tick;
        return true;
    }
    if (!bench_link(bench, &walk) || !bench_warm(bench, &walk, 0, NEIGHBOURS))
        return false;
    for (unsigned i = 0; i < LOOKS; i++)
        if (!bench_batch(bench, &walk, 0, STEPS, &ticks[i]))
            return false;
    *least = quantile(ticks, LOOKS, 0.25) / STEPS / MOST_CYCLES;
    if (*least <= 0)
        *least = (double)bench->clock.step / STEPS; /* a clock that stands still: no step will be seen */
    return true;
}
