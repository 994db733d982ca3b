// SPDX-License-Identifier: BSD-2-Clause
/* whole.c: flushes and touches of one half of a line.
 *
 * A prefetcher that brings pairs makes two lines look like one for whoever only loads. CLFLUSH takes the whole of a
 * line away, so what can be flushed alone is a line of its own, or a sector. But where levels have lines of different
 * lengths, it takes as much as the longest of them has, from all levels (SDM volume 2, CLFLUSH: the coherence domain
 * has one length): it tells that some level has such lines, and not which.
 *
 * What tells is that a policy knows lines: a load of one half, which this level serves, is a use of the line. A target
 * that is given up after a row of lines stays, if it was used shortly before the last one. Where the other half was
 * used instead, it stays if both are one line. Two lines that came together lie in two sets, or two ways, and the use
 * of one is none of the other. Policies that look at no uses (FIFO, lots) do not show it. */
#include "probes/whole.h"
#include "base/arithmetic.h"

/* Standard error of a mean of votes, in halves; the mean of those of which nearly all say the same; and so many
 * standard deviations, beyond what the two levels take, is what one vote counts for at most. */
static const double PRECISE = 0.15, NEARLY_ALL = 0.7, MOST_OFF = 2;

/* Whether flushes of the others take the target, too. */
static bool is_flushed_with(struct push *push, const struct scene *scene, uint64_t units)
{
    struct push flushing = *push;
    struct scene itself = *scene;
    itself.pool.count = 0;
    itself.lines = 1;
    itself.line[0] = scene->target;
    for (flushing.apart = 1; flushing.apart < units; flushing.apart *= 2) {
        bool clear;
        if (!push_out(&flushing, &itself, VOTES_CHECK, &clear) || !clear)
            return false;
    }
    return push_ok(&flushing);
}

/* What is done before the target is looked at: the first lines of a row, the last one, too, and between these two a use
 * of what lies so far from the target. */
enum played { WITHOUT_LAST, WITH_LAST, USED, WAYS_TO_PLAY };

/* A row of so many lines of a scene, with helpers before the last of them, so that the nearer levels have none of the
 * others, nor the target. */
static struct scene row(const struct scene *scene, unsigned lines, uint64_t apart, enum played played)
{
    struct scene other = *scene;
    other.pool.count = 0;
    other.lines = lines - 1;
    for (unsigned i = 0; i < scene->helpers && other.lines + 2 < MOST_LINES; i++)
        other.line[other.lines++] = scene->helper[i];
    if (played == USED)
        other.line[other.lines++] = scene->target ^ apart;
    if (played != WITHOUT_LAST)
        other.line[other.lines++] = scene->line[lines - 1];
    return other;
}

/* Whether the last line of a row pushes the target out, unless what lies so far from it was used. What is there before
 * the last line is not brought by the use of another one. Which is asked is drawn by lot: some policies remember the
 * round before, so that the same row does one thing after some rows and another thing after others. */
static bool last_one_matters(struct push *push, const struct scene *scene, unsigned lines, uint64_t apart)
{
    double most = 1 + MOST_OFF * square_root(push->variance), against = push_needed(push, VOTES_SEARCH);
    double sum[WAYS_TO_PLAY] = {0};
    unsigned wanted = (unsigned)((1 + push->variance) / (PRECISE * PRECISE)), count[WAYS_TO_PLAY] = {0};
    for (unsigned rounds = 0; rounds < WAYS_TO_PLAY * wanted; rounds++) {
        enum played which = (enum played)(bench_seed(push->bench) % WAYS_TO_PLAY);
        struct scene played = row(scene, lines, apart, which);
        double vote;
        if (!push_round(push, &played, true, &vote))
            return false;
        vote = which == WITH_LAST ? vote : -vote;
        count[which]++;
        sum[which] += vote > most ? most : vote < -most ? -most : vote;
        if (sum[which] <= -against)
            return false;
    }
    for (unsigned i = 0; i < WAYS_TO_PLAY; i++)
        if (sum[i] <= NEARLY_ALL * count[i])
            return false;
    return true;
}

/* Whether a use of what lies so far from the target keeps it. (Of lots it may be seen by chance.) */
static bool is_used_with(struct push *push, const struct scene *scene, uint64_t apart)
{
    struct push once = *push;
    bool matters = false;
    once.laps = 1; /* a second one would be a use of the lines */
    for (unsigned lines = scene->needed; scene->sharp && !matters && lines <= scene->lines && push_ok(&once); lines++)
        matters = last_one_matters(&once, scene, lines, apart);
    return matters;
}

enum whole whole_tell(struct push *push, const struct scene scene[2], const struct nearer *nearer, uint64_t units)
{
    if (!is_flushed_with(push, &scene[0], units))
        return WHOLE_PARTS;
    if (units <= nearer->units)
        return nearer->units_open ? WHOLE_OPEN : WHOLE_LINE;
    /* Of the next line, a prefetcher uses one target's other half, and not the other one's. */
    return is_used_with(push, &scene[0], units / 2) && is_used_with(push, &scene[1], units / 2) ? WHOLE_TOUCHED
                                                                                                : WHOLE_OPEN;
}
