// SPDX-License-Identifier: BSD-2-Clause
/* kept.c: sums of shares. */
#include "probes/kept.h"
#include "base/arithmetic.h"
#include "probes/confidence.h"

enum { FEWEST = 3, FEWEST_BY_LOT = 24, MOST = 48, SETTLED = 5 };

/* Readings of one line are averaged until their variance, in halves squared, is this or less: their mean is on the
 * wrong side of the middle, which is one half away, once in 100000 times then. */
static const double CLEAR = 0.05;

/* Standard error of a sum, in lines, that is good enough; and how far from a whole number it may be. */
static const double GOOD = 0.1, NEAR = 0.3;

struct sum {
    double mean, error; /* lines; standard error */
};

static void shuffle(uint64_t *values, unsigned count, uint64_t seed)
{
    struct random random = {seed};
    for (unsigned i = count; i > 1; i--) {
        unsigned other = (unsigned)random_below(&random, i);
        uint64_t value = values[i - 1];
        values[i - 1] = values[other];
        values[other] = value;
    }
}

static bool is_kept(struct push *push, const struct scene *scene, unsigned laps, unsigned place, bool *kept)
{
    unsigned readings = 1 + (unsigned)(push->variance / CLEAR);
    double sum = 0, vote;
    for (unsigned i = 0; i < readings; i++) {
        if (!push_line(push, scene, laps, place, &vote))
            return false;
        sum += push_clipped(push, vote);
    }
    *kept = sum < 0;
    return true;
}

/* The lines that are kept of all, in many orders, and looked for in many orders; after so many laps. */
static bool add_up(struct push *push, const struct scene *scene, unsigned laps, struct sum *sum)
{
    struct scene all = *scene;
    all.line[all.lines++] = all.target;
    uint64_t place[MOST_LINES];
    for (unsigned i = 0; i < all.lines; i++)
        place[i] = i;
    double total = 0, squares = 0;
    /* Passes that agree by chance say nothing of how far a sum varies. */
    unsigned passes = 0, fewest = scene->sharp ? FEWEST : FEWEST_BY_LOT;
    for (; passes < MOST && (passes < fewest || sum->error > GOOD); passes++) {
        unsigned count = 0;
        shuffle(all.line, all.lines, bench_seed(push->bench));
        shuffle(place, all.lines, bench_seed(push->bench));
        for (unsigned i = 0; i < all.lines; i++) {
            bool kept;
            if (!is_kept(push, &all, laps, (unsigned)place[i], &kept))
                return false;
            count += kept;
        }
        total += count;
        squares += (double)count * count;
        double mean = total / (passes + 1), variance = squares / (passes + 1) - mean * mean;
        *sum = (struct sum){.mean = mean, .error = square_root((variance > 0 ? variance : 0) / (passes + 1))};
    }
    return push_ok(push);
}

bool kept_count(struct push *push, const struct scene *scene, struct kept *kept)
{
    static const unsigned laps[] = {1, SETTLED};
    struct sum most = {.mean = 0};
    *kept = (struct kept){.lines = 0};
    /* Lots are drawn anew for each reading: the mean of several does not tell in how many of them the line was there.
     */
    if (!scene->sharp && push->variance > CLEAR)
        return true;
    /* A set may not have filled all of its ways in one lap; in more of them an exclusive level gives lines away.
     * Neither keeps more lines than there are ways. */
    for (unsigned i = 0; i < sizeof laps / sizeof *laps; i++) {
        struct sum sum;
        if (!add_up(push, scene, laps[i], &sum))
            return false;
        if (sum.mean > most.mean)
            most = sum;
    }
    unsigned lines = (unsigned)(most.mean + 0.5);
    double off = apart(most.mean, lines);
    /* Where all of them are kept, it could keep more. */
    if (off > NEAR || lines > scene->lines)
        return true;
    *kept = (struct kept){.lines = lines, .error = confidence_within(most.error, 0.5 - off)};
    return true;
}
