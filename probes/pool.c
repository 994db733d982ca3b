// SPDX-License-Identifier: BSD-2-Clause
/* pool.c: pools of lines, made longer and shorter.
 *
 * The last straw is found by bisection under noise: where it may be is a distribution, each round asks at its median,
 * and what it says is weighed in (Burnashev and Zigangirov, "An interval estimation problem for controlled
 * observations", Problems of Information Transmission 10, 1974). Where a reading says little, because the clock moves
 * in long steps, that takes a fraction of what it would to be sure of each step of a bisection. */
#include "probes/pool.h"
#include "base/arithmetic.h"

enum { PARTS = 128, IN_VAIN = 24 };

/* A straw is found when it is one part with this probability; one that is asked about again, with this. A reading may
 * be wrong for reasons that the clock's variance says nothing of: the logarithm of what it says is this at most, so
 * that it takes three. */
static const double FOUND = 0.999, FOUND_DRAW = 0.97, MOST_SAID = 2.3;

/* What two halves differ by, in votes of a draw: one that has the line and one that has not differ by nearly two. */
static const double HALVED = 0.75;

/* Votes against a number of lines that twice as many are tried after, in those of a search. */
static const double GIVEN_UP = 0.5;

bool pool_goes(struct push *push, const struct scene *scene)
{
    return push_out(push, scene, VOTES_SEARCH, NULL);
}

/* Whether so many lines are enough. That they are is to be sure, and so, if more are none, that they are not; else they
 * are given up soon, for twice as many will tell. */
static bool is_enough(struct push *push, const struct scene *scene, bool more, unsigned votes)
{
    double needed = push_needed(push, votes), sum = 0, least = GIVEN_UP * push_needed(push, VOTES_SEARCH);
    if (!more)
        return push_out(push, scene, votes > VOTES_SEARCH ? votes : VOTES_SEARCH, NULL);
    for (unsigned rounds = 0; sum < needed && sum > -least && rounds < IN_VAIN * needed; rounds++) {
        double vote;
        if (!push_round(push, scene, rounds == 0, &vote))
            return false;
        sum += vote;
    }
    return sum >= needed;
}

bool pool_enough(struct push *push, struct scene *scene, const struct kin *kin, uint64_t first, unsigned votes)
{
    uint64_t largest = push->flushed ? LARGEST_FLUSHED / push->laps : MOST_OF_POOL;
    bool more = true;
    scene->pool.kin = kin;
    scene->pool.seed = bench_seed(push->bench);
    for (scene->pool.count = first ? first : 1; more && push_ok(push); scene->pool.count *= 2) {
        more = scene->pool.count < kin_count(kin, &push->region) && scene->pool.count < largest;
        if (is_enough(push, scene, more, votes))
            return true;
    }
    scene->pool.count = 0;
    return false;
}

/* e to a power from -3 to 3, within a hundredth of it (Pade). */
static double power_of_e(double x)
{
    double even = 1 + x * x / 10, odd = x / 2 * (1 + x * x / 60);
    return (even + odd) / (even - odd);
}

/* Where the last straw may be: in parts of what lies between two numbers of lines, of which `low` do not push the
 * target out, or are 0, and `high` do. */
struct search {
    uint64_t low, high;
    unsigned parts;
    double weight[PARTS]; /* probability of each; their sum is 1 */
};

/* So many lines end a part. */
static uint64_t end_of(const struct search *search, unsigned part)
{
    return search->low + (search->high - search->low) * (part + 1) / search->parts;
}

static unsigned likeliest(const struct search *search)
{
    unsigned best = 0;
    for (unsigned i = 1; i < search->parts; i++)
        if (search->weight[i] > search->weight[best])
            best = i;
    return best;
}

/* The part whose end the straw is before as likely as behind it. */
static unsigned middle_of(const struct search *search)
{
    double sum = search->weight[0];
    unsigned part = 0;
    while (part + 2 < search->parts && sum + search->weight[part + 1] / 2 < 0.5)
        sum += search->weight[++part];
    return part;
}

/* What one reading says of all parts: with so many lines as end `part` the target went, or stayed. */
static void learn(const struct push *push, struct search *search, unsigned part, double vote)
{
    double sum = 0, says = 2 * vote / push->variance;
    double odds = power_of_e((says > MOST_SAID ? MOST_SAID : says < -MOST_SAID ? -MOST_SAID : says) / 2);
    for (unsigned i = 0; i < search->parts; i++) {
        search->weight[i] *= i <= part ? odds : 1 / odds;
        sum += search->weight[i];
    }
    for (unsigned i = 0; i < search->parts; i++)
        search->weight[i] /= sum;
}

uint64_t pool_last_straw(struct push *push, struct scene *scene, uint64_t high, unsigned votes_for)
{
    struct search search = {.high = high};
    double found = votes_for == VOTES_DRAW ? FOUND_DRAW : FOUND;
    bool first = true;
    while (search.high - search.low > 1 && push_ok(push)) {
        uint64_t room = search.high - search.low;
        double votes = 0, most = IN_VAIN * push_needed(push, VOTES_SEARCH);
        search.parts = room < PARTS ? (unsigned)room : PARTS;
        for (unsigned i = 0; i < search.parts; i++)
            search.weight[i] = 1.0 / search.parts;
        for (; search.weight[likeliest(&search)] < found && votes < most; votes++) {
            unsigned part = middle_of(&search);
            double vote;
            scene->pool.count = end_of(&search, part);
            if (!push_round(push, scene, first, &vote))
                break;
            first = false;
            learn(push, &search, part, vote);
        }
        unsigned part = likeliest(&search);
        uint64_t end = end_of(&search, part);
        search.low = part ? end_of(&search, part - 1) : search.low;
        search.high = end;
    }
    scene->pool.count = search.high;
    return search.high;
}

uint64_t pool_one(struct push *push, struct scene *scene, uint64_t high)
{
    double needed = push_needed(push, VOTES_DRAW) * HALVED;
    uint64_t low = 0;
    while (high - low > 1 && push_ok(push)) {
        uint64_t middle = low + (high - low) / 2;
        double sum[2] = {0}, vote;
        /* A line that takes any way misses the target at times: the other half has to say that it has none. */
        for (unsigned round = 0; apart(sum[0], sum[1]) < needed && round < IN_VAIN * needed; round++) {
            bool upper = round % 2;
            scene->pool.first = upper ? middle : low;
            scene->pool.count = upper ? high : middle;
            if (!push_round(push, scene, round == 0, &vote))
                break;
            sum[upper] += vote;
        }
        *(sum[0] < sum[1] ? &low : &high) = middle;
    }
    scene->pool.first = 0;
    scene->pool.count = high;
    return high;
}

struct push pool_one_by_one(const struct push *push, unsigned times)
{
    struct push rounds = *push;
    rounds.flushed = true;
    rounds.laps = times;
    return rounds;
}
