// SPDX-License-Identifier: BSD-2-Clause
/* kept.c: sums of shares. */
#include "probes/kept.h"
#include "base/arithmetic.h"
#include "probes/confidence.h"

enum {
    FEWEST = 3,
    FEWEST_BY_LOT = 24,
    MOST = 1024,
    SETTLED = 5,
    AT_REST = 12,
    LONG = 4,
    SPARE = 4, /* lines, beyond those that push one out: more only add to what the sum varies by */
    IN_VAIN = 12
};

/* Readings of one line are added up until what they say exceeds this many times their variance, in halves squared: it
 * is the wrong thing once in a million times then (Wald). */
static const double CLEAR = 6.9;

/* The variance of a reading of which one is clear nearly always. */
static const double CLEAR_AT_ONCE = 0.05;

/* Standard error of a sum, in lines, that is good enough: it is confirmed by another set's, or by what pushes a line
 * out; and how far from a whole number it may be. One that has to be off by a whole line to be wrong is to be so many
 * standard errors from that; and may be so many from a whole number. */
static const double GOOD = 0.15, NEAR = 0.3, FAR_ENOUGH = 4, MOST_ERRORS = 3;

/* Where readings are averaged: standard error of what all lines of a sum show together that stay, and of the others, in
 * votes, of which two are a line at most: no worse than the sum's own; and the least distance of one that stays to one
 * that is gone. */
static const double SCALED = 0.15, TOLD_APART = 0.5;

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
    double there_error, gone_error; /* their standard errors */
};

/* How many of a scene's lines are looked for, beside its target: some more than push it out, and than nearer levels
 * have of them. All are where it is not known how many those have; and where a line may take any way, so that those
 * fill by chance. */
static unsigned count_of(const struct push *push, const struct scene *scene)
{
    unsigned enough = scene->needed + push->settled + SPARE;
    bool all = scene->alone || scene->shallow || (!scene->helpers && !push->settled);
    return all || enough > scene->lines ? scene->lines : enough;
}

/* Where a reading says little, those of one line may not be added up until it is clear: which lines stay may be another
 * matter each time, by lot or by what the policy remembers. Then the mean of readings tells the share. (Not averaged:
 * what is there and what is gone hardly differ.) */
static bool measure_scale(const struct push *push, const struct scene *scene, struct scale *scale)
{
    struct push once = *push;
    struct scene none = *scene;
    /* What a set keeps is no more than what pushes a line out; where lots are drawn, all others may be gone. */
    unsigned all = count_of(push, scene) + 1, kept = scene->needed < all ? scene->needed : all;
    none.lines = push->settled;
    if (push->settled) /* lines that the nearer levels have then, instead of the target */
        once.laps = AT_REST;
    scale->there_error = SCALED / (kept + 1);
    if (!push_signs(&once, &none, scale->there_error, &scale->there))
        return false;
    once.laps = push->laps;
    once.laps *= scene->sharp ? 1 : LONG;
    scale->gone_error = SCALED / (scene->sharp ? all - kept + 1 : all);
    if (!push_signs(&once, scene, scale->gone_error, &scale->gone))
        return false;
    scale->averaged = scale->gone - scale->there > TOLD_APART;
    return true;
}

/* Standard error of a sum because of what readings are compared with, where so many lines of so many stay; lines. */
static double scale_error(const struct scale *scale, unsigned lines, unsigned count)
{
    double there = lines * scale->there_error, gone = (count > lines ? count - lines : 0) * scale->gone_error;
    return scale->averaged ? square_root(there * there + gone * gone) / (scale->gone - scale->there) : 0;
}

static bool share_kept(struct push *push, const struct scene *scene, const struct scale *scale, unsigned laps,
                       unsigned last, unsigned place, double *share)
{
    double needed = scale->averaged ? 0 : CLEAR * push->variance, sum = 0, vote;
    *share = 1;
    if (place + push->settled >= scene->lines)
        return true; /* it is in a nearer level */
    for (unsigned i = 0; i == 0 || (apart(sum, 0) < needed && i < IN_VAIN * needed); i++) {
        if (!push_line(push, scene, laps, last, place, &vote))
            return false;
        if (scale->averaged)
            vote = vote > 0 ? 1 : -1;
        sum += push_clipped(push, vote);
    }
    *share = scale->averaged ? (scale->gone - sum) / (scale->gone - scale->there) : sum < 0;
    return true;
}

/* The lines that are kept in one order, looked for in another one. The policy's state is the same each time, so that
 * one which draws no lots keeps the same lines, and all readings of one of them say the same; where readings are
 * averaged, it may be any. */
static bool count_once(struct push *push, struct scene *all, const struct scale *scale, unsigned laps, double *count)
{
    uint64_t place[MOST_LINES];
    unsigned last = (unsigned)(bench_seed(push->bench) % all->lines);
    double share;
    for (unsigned i = 0; i < all->lines; i++)
        place[i] = i;
    shuffle(all->line, all->lines, bench_seed(push->bench));
    shuffle(place, all->lines, bench_seed(push->bench));
    *count = 0;
    for (unsigned i = 0; i < all->lines; i++) {
        if (scale->averaged)
            last = (unsigned)(bench_seed(push->bench) % all->lines);
        if (!share_kept(push, all, scale, laps, last, (unsigned)place[i], &share))
            return false;
        *count += share;
    }
    return true;
}

/* Whether a sum is known well enough: also, where it has to be off by a whole line to be wrong, if it is far from that.
 */
static bool is_good(const struct scene *scene, unsigned count, const struct scale *scale, const struct sum *sum)
{
    double other = scale_error(scale, scene->needed, count),
           error = square_root(sum->error * sum->error + other * other);
    return sum->error <= GOOD || (scene->sharp && apart(sum->mean, scene->needed) + FAR_ENOUGH * error <= 1);
}

/* The lines that are kept of so many and the target, in many orders; after so many laps. */
static bool add_up(struct push *push, const struct scene *scene, unsigned lines, const struct scale *scale,
                   unsigned laps, struct sum *sum)
{
    struct scene all = *scene;
    all.lines = lines;
    all.line[all.lines++] = all.target;
    double total = 0, squares = 0;
    *sum = (struct sum){.mean = 0};
    /* A few passes that happen to agree say nothing of how far a sum varies that varies at all. */
    unsigned passes = 0, fewest = scene->sharp ? FEWEST : FEWEST_BY_LOT;
    for (; passes < MOST && (passes < fewest || !is_good(scene, all.lines, scale, sum)); passes++) {
        double count;
        if (!count_once(push, &all, scale, laps, &count))
            return false;
        total += count;
        squares += count * count;
        double mean = total / (passes + 1), variance = squares / (passes + 1) - mean * mean;
        *sum = (struct sum){.mean = mean, .error = square_root((variance > 0 ? variance : 0) / (passes + 1))};
        if (variance > 0)
            fewest = FEWEST_BY_LOT;
        /* Many readings of each line, and still not the same lines each time: their mean has to tell. */
        if (variance > 0 && !scale->averaged && push->variance > CLEAR_AT_ONCE) {
            *sum = (struct sum){.mean = 0};
            return push_ok(push);
        }
    }
    return push_ok(push);
}

/* Whether as many lines as are kept of more fill a set: all of them stay when they have come once. By lot a set may
 * take any way, empty or not, and keep a whole number of lines by chance before all of its ways are filled: then some
 * of fewer go, too. */
static bool fill(struct push *push, const struct scene *scene, const struct scale *scale, unsigned lines)
{
    struct sum sum;
    return add_up(push, scene, lines - 1, scale, 1, &sum) && apart(sum.mean, lines) < NEAR;
}

/* Counts them by one way of looking for a line. */
static bool count_by(struct push *push, const struct scene *scene, const struct scale *scale, struct kept *kept)
{
    static const unsigned laps[] = {1, SETTLED};
    struct sum most = {.mean = 0};
    unsigned count = count_of(push, scene);
    *kept = (struct kept){.lines = 0};
    /* A set may not have filled all of its ways in one lap; in more of them an exclusive level gives lines away.
     * Neither keeps more lines than there are ways. Where a line may take any way, those fill by chance. */
    for (unsigned i = 0; i < (scene->alone ? 1 : sizeof laps / sizeof *laps); i++) {
        struct sum sum;
        if (!add_up(push, scene, count, scale, scene->alone ? AT_REST : laps[i], &sum))
            return false;
        if (sum.mean > most.mean)
            most = sum;
    }
    unsigned lines = (unsigned)(most.mean + 0.5);
    double off = apart(most.mean, lines), other = scale_error(scale, lines, count + 1);
    double error = square_root(most.error * most.error + other * other);
    /* To agree with what pushes a line out, and be wrong, it has to be off by a whole line: also where what nearer
     * levels keep comes on top. */
    bool agrees = scene->sharp && (lines == scene->needed || lines == scene->needed + push->settled);
    double room = agrees ? 1 : 0.5, near = NEAR;
    if (agrees && scale->averaged && MOST_ERRORS * error > near)
        near = MOST_ERRORS * error;
    /* Ways that fill by chance need many lines: of hardly more than there are ways, the last ones may stay empty. */
    if (scene->alone && 2 * count < 3 * lines)
        return true;
    /* Where all of them are kept, it could keep more. */
    if (off > near || lines > count)
        return true;
    if (lines && !scene->sharp && !scene->alone && !fill(push, scene, scale, lines))
        return push_ok(push);
    *kept = (struct kept){.lines = lines, .error = confidence_within(error, room - off)};
    return true;
}

bool kept_count(struct push *push, const struct scene *scene, struct kept *kept)
{
    struct scale scale = {.averaged = false};
    bool at_once = push->variance <= CLEAR_AT_ONCE;
    *kept = (struct kept){.lines = 0};
    /* Where no lots are drawn, most policies keep the same lines each time, which is soon clear of each. */
    if ((scene->sharp || at_once) && !count_by(push, scene, &scale, kept))
        return false;
    if (at_once || kept->lines)
        return true;
    if ((!scene->helpers && !push->settled) || scene->shallow)
        return true; /* nothing shows what a line is that is gone from nearer levels, and from nowhere else */
    if (!measure_scale(push, scene, &scale))
        return false;
    return !scale.averaged || count_by(push, scene, &scale, kept);
}
