// SPDX-License-Identifier: BSD-2-Clause
/* kept.c: sums of shares. */
#include "probes/kept.h"
#include "base/arithmetic.h"
#include "probes/confidence.h"

enum { FEWEST = 3, FEWEST_BY_LOT = 24, MOST = 1024, SETTLED = 5, AT_REST = 12, LONG = 4 };

/* Readings of one line are averaged until their variance, in halves squared, is this or less: their mean is on the
 * wrong side of the middle, which is one half away, once in 100000 times then. */
static const double CLEAR = 0.05;

/* Standard error of a sum, in lines, that is good enough: it is confirmed by another set's, or by what pushes a line
 * out; and how far from a whole number it may be. */
static const double GOOD = 0.15, NEAR = 0.3;

/* Where readings are averaged: standard error of what all lines of a sum show together that stay, or are gone; and the
 * least distance of one that stays to one that is gone. */
static const double SCALED = 0.2, TOLD_APART = 0.5;

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

/* The mean of 1 for a reading beyond the middle and -1 for another, of a line that is there, and of one that is gone.
 */
struct scale {
    bool averaged; /* false: each line is asked until it is clear */
    double there, gone;
};

/* Where a reading says little, those of one line may not be added up until it is clear: which lines stay may be another
 * matter each time, by lot or by what the policy remembers. Then the mean of readings tells the share. (Not averaged:
 * what is there and what is gone hardly differ.) */
static bool measure_scale(const struct push *push, const struct scene *scene, struct scale *scale)
{
    struct push once = *push;
    struct scene none = *scene;
    double error = SCALED / (scene->lines + 1);
    none.lines = push->settled;
    if (push->settled) /* lines that the nearer levels have then, instead of the target */
        once.laps = AT_REST;
    if (!push_signs(&once, &none, error, &scale->there))
        return false;
    once.laps = push->laps;
    once.laps *= scene->sharp ? 1 : LONG;
    if (!push_signs(&once, scene, error, &scale->gone))
        return false;
    scale->averaged = scale->gone - scale->there > TOLD_APART;
    return true;
}

static bool share_kept(struct push *push, const struct scene *scene, const struct scale *scale, unsigned laps,
                       unsigned place, double *share)
{
    unsigned readings = scale->averaged ? 1 : 1 + (unsigned)(push->variance / CLEAR);
    double sum = 0, vote;
    *share = 1;
    if (place + push->settled >= scene->lines)
        return true; /* it is in a nearer level */
    for (unsigned i = 0; i < readings; i++) {
        if (!push_line(push, scene, laps, place, &vote))
            return false;
        if (scale->averaged)
            vote = vote > 0 ? 1 : -1;
        sum += push_clipped(push, vote);
    }
    *share = scale->averaged ? (scale->gone - sum) / (scale->gone - scale->there) : sum < 0;
    return true;
}

/* The lines that are kept of all, in many orders, and looked for in many orders; after so many laps. */
static bool add_up(struct push *push, const struct scene *scene, const struct scale *scale, unsigned laps,
                   struct sum *sum)
{
    struct scene all = *scene;
    all.line[all.lines++] = all.target;
    uint64_t place[MOST_LINES];
    for (unsigned i = 0; i < all.lines; i++)
        place[i] = i;
    double total = 0, squares = 0;
    /* A few passes that happen to agree say nothing of how far a sum varies that varies at all. */
    unsigned passes = 0, fewest = scene->sharp ? FEWEST : FEWEST_BY_LOT;
    for (; passes < MOST && (passes < fewest || sum->error > GOOD); passes++) {
        double count = 0, share;
        shuffle(all.line, all.lines, bench_seed(push->bench));
        shuffle(place, all.lines, bench_seed(push->bench));
        for (unsigned i = 0; i < all.lines; i++) {
            if (!share_kept(push, &all, scale, laps, (unsigned)place[i], &share))
                return false;
            count += share;
        }
        total += count;
        squares += count * count;
        double mean = total / (passes + 1), variance = squares / (passes + 1) - mean * mean;
        *sum = (struct sum){.mean = mean, .error = square_root((variance > 0 ? variance : 0) / (passes + 1))};
        if (variance > 0)
            fewest = FEWEST_BY_LOT;
        /* Many readings of each line, and still not the same lines each time: their mean has to tell. */
        if (variance > 0 && !scale->averaged && push->variance > CLEAR) {
            *sum = (struct sum){.mean = 0};
            return push_ok(push);
        }
    }
    return push_ok(push);
}

/* Counts them by one way of looking for a line. */
static bool count_by(struct push *push, const struct scene *scene, const struct scale *scale, struct kept *kept)
{
    static const unsigned laps[] = {1, SETTLED};
    struct sum most = {.mean = 0};
    *kept = (struct kept){.lines = 0};
    /* A set may not have filled all of its ways in one lap; in more of them an exclusive level gives lines away.
     * Neither keeps more lines than there are ways. Where a line may take any way, those fill by chance. */
    for (unsigned i = 0; i < (scene->alone ? 1 : sizeof laps / sizeof *laps); i++) {
        struct sum sum;
        if (!add_up(push, scene, scale, scene->alone ? AT_REST : laps[i], &sum))
            return false;
        if (sum.mean > most.mean)
            most = sum;
    }
    unsigned lines = (unsigned)(most.mean + 0.5);
    double off = apart(most.mean, lines);
    if (scale->averaged)
        most.error = square_root(most.error * most.error + SCALED * SCALED / 4);
    /* Where all of them are kept, it could keep more. */
    if (off > NEAR || lines > scene->lines)
        return true;
    /* To agree with what pushes a line out, and be wrong, it has to be off by a whole line. */
    double room = scene->sharp && lines == scene->needed ? 1 : 0.5;
    *kept = (struct kept){.lines = lines, .error = confidence_within(most.error, room - off)};
    return true;
}

bool kept_count(struct push *push, const struct scene *scene, struct kept *kept)
{
    struct scale scale = {.averaged = false};
    *kept = (struct kept){.lines = 0};
    /* Where no lots are drawn, most policies keep the same lines each time, which is soon clear of each. */
    if ((scene->sharp || push->variance <= CLEAR) && !count_by(push, scene, &scale, kept))
        return false;
    if (push->variance <= CLEAR || (scene->sharp && kept->lines == scene->needed))
        return true;
    if ((!scene->helpers && !push->settled) || scene->shallow)
        return true; /* nothing shows what a line is that is gone from nearer levels, and from nowhere else */
    if (!measure_scale(push, scene, &scale))
        return false;
    return !scale.averaged || count_by(push, scene, &scale, kept);
}
