// SPDX-License-Identifier: BSD-2-Clause
/* rate.c: adds against multiplies. */
#include "probes/rate.h"
#include "probes/pause.h"
#include "probes/tries.h"

enum { ROUNDS = 24, STEPS = 16384, ATTEMPTS = 16, LONGEST_A_SECOND = 1000 };

/* Where others share the computer, attempts that all failed are made again, so many times at most, after a pause. */
enum { AGAIN = 10, PAUSE = 200 /* milliseconds */ };

/* A multiply takes at least three cycles on every x86-64 core. An attempt counts when no more than this fraction of
 * machines on which an add is anything but a cycle would look as much like it. */
static const double LEAST_MULTIPLY = 3, MOST_CHANCE = 0.1;
/* A clock that shows a batch of adds no better than this does not tell the frequency. */
static const double MOST_DOUBT = 0.01;

/* The whole number of cycles that a multiply takes when it takes so many adds, and the chance that a ratio that means
 * nothing falls as near to one. Whoever shares the core takes issue slots: that slows a chain of adds, which wants one
 * every cycle, more than a chain of multiplies, so a true ratio may fall short of a whole number but not exceed it. */
static double whole_ratio(double ratio, double *chance)
{
    double whole = (double)(uint64_t)ratio, above = ratio - whole, below = 1 - above;
    *chance = below < 2 * above ? below : 2 * above;
    return below < 2 * above ? whole + 1 : whole;
}

/* Batches long enough for a step of the clock, and what readings differ by, to be below 0.1 % of a batch of adds; but a
 * batch that takes a millisecond is not made longer. *halves: how often they may be halved so that the
 * clock's step alone stays below 0.1 %. */
static bool batch_length(struct bench *bench, uint64_t *steps, unsigned *halves)
{
    enum { LOOKS = 5 };
    double ticks[LOOKS], longest = (double)bench->clock.hz / LONGEST_A_SECOND;
    *halves = 0;
    for (*steps = STEPS;; *steps *= 2) {
        for (unsigned i = 0; i < LOOKS; i++)
            if (!bench_block(bench, BLOCK_ADD, *steps, &ticks[i]))
                return false;
        double middle = quantile(ticks, LOOKS, 0.5), least = ticks[0];
        if (middle >= longest || middle >= 1000 * ((double)bench->clock.step + middle - least) ||
            *steps >= (uint64_t)1 << 32 || !bench_rest(bench, false))
            return bench_ok(bench);
        *halves += least >= 1000 * (double)bench->clock.step;
    }
}

/* One attempt; bench->cycles_per_tick is set when adds and multiplies agree. */
static bool attempt(struct bench *bench, uint64_t steps, double most_chance, struct rate *rate)
{
    double adds[ROUNDS], multiplies[ROUNDS], step = (double)bench->clock.step, chance;
    for (unsigned round = 0; round < ROUNDS; round++)
        if (!bench_block(bench, BLOCK_ADD, steps, &adds[round]) ||
            !bench_block(bench, BLOCK_MULTIPLY, steps, &multiplies[round]) || !bench_rest(bench, false))
            return false;
    double add = quantile(adds, ROUNDS, 0.25), multiply = quantile(multiplies, ROUNDS, 0.25);
    *rate = (struct rate){.doubt = 1, .error = 1};
    if (add <= 0 || multiply <= 0)
        return true;
    rate->multiply = multiply / add;
    rate->doubt = step / add;
    double cycles = whole_ratio(rate->multiply, &chance);
    /* The clock may show either by one of its steps too long or too short. */
    double slack = 2 * rate->multiply * (step / add + step / multiply);
    chance = chance > slack ? chance : slack;
    if (cycles < LEAST_MULTIPLY || chance > most_chance || rate->doubt > MOST_DOUBT)
        return true;
    rate->error = chance + rate->doubt;
    bench->cycles_per_tick = cycles * (double)steps / multiply;
    return true;
}

bool rate_measure(struct bench *bench, struct rate *rate)
{
    uint64_t steps = 0;
    unsigned halves = 0;
    bench->cycles_per_tick = 0;
    *rate = (struct rate){.doubt = 1, .error = 1};
    if (!bench_rest(bench, false) || !batch_length(bench, &steps, &halves))
        return false;
    /* A core that changes its frequency between an add and a multiply spoils an attempt, not the machine; and on a
     * machine whose ratio means nothing every attempt finds the same one, so trying again is no new chance to be lucky.
     * Where readings differ because of what interrupts them, it is in more of the longer batches, the multiplies' above
     * all: each attempt's are half as long as the last one's, as far as the clock shows them, and then long again.
     * Whoever shares the core and multiplies, too, takes away nothing but multipliers, for longer than all of the
     * attempts take: on a Zen 5, as a guest, all 16 found 3.445 adds, in one run of a hundred, and the next run 3.000.
     * So many more attempts are a chance to be lucky: they have to come ten times as near, and are only made where adds
     * and multiplies take what somebody could make of cycles. */
    unsigned most = ATTEMPTS * (tries_on(bench->machine) > 1 ? 1 + AGAIN : 1);
    for (unsigned i = 0; i < most && bench->cycles_per_tick <= 0; i++) {
        if (i && i % ATTEMPTS == 0) {
            if (rate->multiply < LEAST_MULTIPLY / 2)
                break;
            bench_pause(bench, PAUSE);
        }
        if (!attempt(bench, steps >> i % (halves + 1), i < ATTEMPTS ? MOST_CHANCE : MOST_CHANCE / 10, rate))
            return false;
    }
    return true;
}

bool rate_now(struct bench *bench, double *cycles)
{
    enum { LOOKS = 5, ADDS = 8192 };
    double ticks[LOOKS];
    for (unsigned i = 0; i < LOOKS; i++)
        if (!bench_block(bench, BLOCK_ADD, ADDS, &ticks[i]))
            return false;
    double middle = quantile(ticks, LOOKS, 0.5);
    /* A few adds cannot tell more than the clock's step lets them: what many adds have told stands then. */
    double now = middle > 0 ? ADDS / middle : bench->cycles_per_tick;
    double doubt = middle > 0 ? 2 * (double)bench->clock.step / middle : 1;
    bool same = now < bench->cycles_per_tick * (1 + doubt) && now > bench->cycles_per_tick * (1 - doubt);
    *cycles = same ? bench->cycles_per_tick : now;
    return true;
}
