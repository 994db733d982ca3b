// SPDX-License-Identifier: BSD-2-Clause
/* push_calibrate.c: what the clock shows of a line that is in a level, and what a load brings along. */
#include "base/arithmetic.h"
#include "probes/round.h"

enum { LOOKS = 64, LONGEST = 8 /* units, of what is flushed together */ };

/* Standard error of the middle, in halves: little beside 1, which is how far either answer is from it. */
static const double MIDDLE = 0.1;

/* A line of some page, of another one for each number: pages of the machine's own may share the set of a TLB with one
 * of them, and take its ways whenever it is read. (By an odd factor: as many numbers in turn are of as many sets.) */
static uint64_t line_of_page(const struct push *push, unsigned number)
{
    uint64_t in_page = PAGE / push->region.unit, pages = region_lines(&push->region) / in_page;
    return number * 0x9e3779b97f4a7c15u % pages * in_page + in_page / 2;
}

/* Ticks of a load of a line that is at hand, as its page is: what the clock shows above a hit is what every reading
 * has. Nothing of it stays in any cache, but for what prefetchers bring beside it: so many lines would be in the way of
 * what is looked for. Less than 0: disturbed. */
static bool time_hit(struct push *push, unsigned number, double *ticks)
{
    struct round round;
    uint64_t line = line_of_page(push, number);
    round_begin(&round, push);
    round_add(&round, OP_LOAD, line);
    round_add(&round, OP_FENCE, line);
    if (!round_time(&round, line))
        return false;
    *ticks = round.disturbed ? -1 : round.ticks;
    round_add(&round, OP_FLUSH_LINE, line);
    round_add(&round, OP_FLUSH_LINE, line ^ BESIDE);
    return round_play(&round);
}

bool push_calibrate(struct push *push, double hit, double near, double far, double farther)
{
    struct bench *bench = push->bench;
    double rate = bench->cycles_per_tick, step = (double)bench->clock.step, sum = 0, squares = 0, value[LOOKS], ticks;
    unsigned count = 0, used = 0;
    for (unsigned i = 0; i < LOOKS; i++) {
        if (!time_hit(push, i, &ticks))
            return false;
        if (ticks >= 0)
            value[count++] = ticks;
    }
    if (count < LOOKS / 2)
        return false;
    double most = 2 * quantile(value, count, 0.5) + 4 * step;
    for (unsigned i = 0; i < count; i++)
        if (value[i] <= most) {
            sum += value[i];
            squares += value[i] * value[i];
            used++;
        }
    double variance = squares / used - sum / used * (sum / used);
    if (variance < step * step / 4) /* what a reading of any other length may vary by */
        variance = step > 1 ? step * step / 4 : step * step / 12;
    push->half = (far - near) / 2 / rate;
    push_set_votes(push, variance);
    if (push->half <= 0 || push_needed(push, VOTES_CHECK) >= MOST_NEEDED)
        return false;
    /* Where a reading varies by more than there is to tell, its mean has to be known from so many more. */
    double wanted = push->variance / (MIDDLE * MIDDLE);
    for (unsigned i = LOOKS; used < wanted; i++) {
        if (!time_hit(push, i, &ticks))
            return false;
        if (ticks >= 0 && ticks <= most) {
            sum += ticks;
            used++;
        } else {
            wanted--; /* one that is disturbed is hardly worth another */
        }
    }
    double mean = sum / used;
    push->hit = mean;
    push->middle = mean + ((near + far) / 2 - hit) / rate;
    push->longest = push->slowest > 0 ? 2 * (mean + (push->slowest - hit) / rate) + 2 * step : 0;
    push->beyond = farther > far ? mean + ((far + farther) / 2 - hit) / rate : 0;
    push->beyond_half = (farther - far) / 2 / rate;
    return true;
}

/* Whether a line is at hand that is loaded, or another beside it, while one of them was flushed in between: whether
 * ticks are below `middle`. Undecided: no. */
static bool is_at_hand(struct push *push, uint64_t loaded, uint64_t flushed, uint64_t timed, double middle)
{
    double needed = push_needed(push, VOTES_CHECK), sum = 0;
    for (unsigned i = 0; sum < needed && sum > -needed && i < IN_VAIN * needed; i++) {
        struct round round;
        round_begin(&round, push);
        round_add(&round, OP_FLUSH_LINE, loaded);
        round_add(&round, OP_FLUSH_LINE, timed);
        round_add(&round, OP_FENCE, loaded);
        round_add(&round, OP_LOAD, loaded);
        round_add(&round, OP_FENCE, loaded);
        if (flushed != loaded) {
            round_add(&round, OP_FLUSH_LINE, flushed);
            round_add(&round, OP_FENCE, loaded);
        }
        if (!round_time(&round, timed))
            return false;
        if (!round.disturbed)
            sum -= push_clipped(push, (round.ticks - middle) / push->half);
    }
    return sum >= needed;
}

bool push_learn_along(struct push *push)
{
    enum { BEFORE = 2 }; /* pages, from a line whose page the machine may use */
    uint64_t page = PAGE / push->region.unit, line = BEFORE * page + page / 2;
    struct along along = {.units = 1};
    while (along.units < LONGEST && !is_at_hand(push, line, line ^ along.units, line, push->middle) && push_ok(push))
        along.units *= 2;
    line |= 2 * along.units - 1; /* of what is flushed together, and of a pair, the last one */
    if (along.units < LONGEST) {
        along.next = is_at_hand(push, line, line, next_of(&along, line), push->middle);
        along.pair = is_at_hand(push, line, line, line ^ along.units, push->middle);
    }
    push->along = along;
    return push_ok(push);
}

bool push_shows_hit(struct push *push, uint64_t line)
{
    return is_at_hand(push, line, line, line, push->hit + push->half / 2);
}
