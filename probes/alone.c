// SPDX-License-Identifier: BSD-2-Clause
/* alone.c: rows with a hot target, begun with different numbers of controls. */
#include "probes/alone.h"
#include "base/arithmetic.h"

enum { ROWS = 4 };

/* Controls of the rows whose shares are compared, after those that all of them begin with: in no order that a level
 * before could follow. */
static const unsigned before_row[ROWS] = {0, 1, 3, 6};

/* Standard error of the mean of a row, in halves; how many of them means have to differ by, and how far in any case:
 * the clock shows what a level takes on the average, not of each of its slices. */
static const double ROUGHLY = 0.1, FINELY = 0.03, SURELY = 5, SLACK = 0.2;

/* The mean where the target always stays in this level. It is less where it stays nearer. */
static const double STAYS = -1;

/* A row of so many controls, and lines of the set; with controls alone that is the control. */
static struct scene row_of(const struct alone *alone, unsigned controls, unsigned lines)
{
    struct scene scene = *alone->scene;
    scene.pool.count = 0;
    scene.lines = 0;
    for (unsigned i = 0; i < controls && scene.lines < MOST_LINES; i++)
        scene.line[scene.lines++] = alone->control[i % alone->controls];
    for (unsigned i = 0; i < lines && scene.lines < MOST_LINES; i++)
        scene.line[scene.lines++] = alone->line[i];
    return scene;
}

/* What shows after a row whether the target, which its last visit has brought into the levels before, was in this one:
 * helpers push it out of those. */
static struct scene pushed_down(struct alone *alone, unsigned controls, unsigned lines)
{
    struct scene scene = row_of(alone, controls, lines);
    alone->push.hot_to = scene.lines;
    alone->push.lines_stay_near = false;
    return scene;
}

/* What shows whether the last line of a row takes the target away. */
static struct scene taken_away(struct alone *alone, unsigned controls, unsigned lines)
{
    struct scene scene = row_of(alone, controls, lines);
    scene.helpers = 0;
    alone->push.hot_to = scene.lines - 1;
    alone->push.lines_stay_near = true;
    return scene;
}

/* What rows say, as means of votes that the target is gone. */
struct means {
    double pushed, control; /* of all rows */
    double taken;           /* above what is there, of that row in which it is least */
};

static double there(double mean)
{
    return mean > STAYS ? mean : STAYS;
}

static bool measure(struct alone *alone, unsigned first, double error, struct means *means)
{
    *means = (struct means){.taken = 2};
    for (unsigned i = 0; i < ROWS; i++) {
        unsigned controls = first + before_row[i];
        double taken, pushed, control;
        struct scene scene = taken_away(alone, controls, alone->few);
        if (!push_mean(&alone->push, &scene, error, &taken))
            return false;
        scene = pushed_down(alone, controls, alone->few);
        if (!push_mean(&alone->push, &scene, error, &pushed))
            return false;
        scene = pushed_down(alone, controls + alone->few, 0);
        if (!push_mean(&alone->push, &scene, error, &control))
            return false;
        if (taken - there(pushed) < means->taken)
            means->taken = taken - there(pushed);
        means->pushed += pushed / ROWS;
        means->control += control / ROWS;
    }
    return true;
}

/* One row may lose the target by itself just then; what this level takes away, it takes in all of them. */
static enum told told_by(const struct means *means, double error)
{
    double margin = SURELY * error * square_root(2), of_all = margin / square_root(ROWS);
    if (means->pushed - there(means->control) > (of_all > SLACK ? of_all : SLACK))
        return NO;
    return means->taken > margin ? YES : NOT_TOLD;
}

/* Whether the target is alone after a longer row: visits that found it in this level make it last longer here. */
static bool is_alone_later(struct alone *alone, unsigned first)
{
    for (unsigned lines = alone->few + 1; lines <= alone->lines && lines <= 2 * alone->few && push_ok(&alone->push);
         lines++) {
        struct scene scene = pushed_down(alone, first, lines);
        if (!push_out(&alone->push, &scene, VOTES_SEARCH, NULL) || !push_out(&alone->push, &scene, VOTES_CHECK, NULL))
            continue;
        bool clear;
        scene = pushed_down(alone, first + lines, 0);
        if (!push_out(&alone->push, &scene, VOTES_CHECK, &clear) && clear)
            return true;
    }
    return false;
}

enum told alone_tell(struct alone *alone, bool finely)
{
    /* A level before may lose the target in the beginning, until it has another place there. */
    const unsigned first[] = {0, alone->few / 2, alone->few + 1};
    struct means means;
    struct scene scene;
    if (!alone->few || alone->few > alone->lines || !alone->controls || !alone->scene->helpers)
        return NOT_TOLD;
    alone->push.laps = 1;
    for (unsigned i = 0; i < (finely ? 1 : sizeof first / sizeof *first); i++) {
        double error = finely ? FINELY : ROUGHLY;
        enum told told;
        if (!measure(alone, first[i], error, &means))
            return NOT_TOLD;
        told = told_by(&means, error);
        scene = taken_away(alone, first[i], alone->few);
        /* What is not in the next level either, that one may have taken away. */
        if (told != NOT_TOLD)
            return told == YES && push_far(&alone->push, &scene) ? NOT_TOLD : told;
        if (is_alone_later(alone, first[i]))
            return NO;
    }
    return NOT_TOLD;
}
