// SPDX-License-Identifier: BSD-2-Clause
/* push.c: rounds, and the votes on them. */
#include "base/arithmetic.h"
#include "probes/round.h"

enum { SETTLING = 16 };

/* A reading counts so much at most, in halves; but as much as a step of the clock makes of one that is right: cut
 * short, readings that are late by chance would not make up for those that are early. */
static const double CLIP = 1.5;

/* For a mean: so many standard deviations beyond what the two levels take, which is as far as a clock that moves in
 * steps may be off. What takes longer, or less, is of other levels, and is one vote like any other. */
static const double MOST_OFF = 2;

bool push_ok(const struct push *push)
{
    return !push_spent(push) && bench_ok(push->bench);
}

bool push_spent(const struct push *push)
{
    return machine_steps(push->bench->machine) > push->most;
}

uint64_t push_pooled(const struct push *push, const struct scene *scene, uint64_t i)
{
    const struct pool *pool = &scene->pool;
    uint64_t line = kin_draw(pool->kin, &push->region, scene->target, pool->seed, i);
    return pool->without && kin_are(pool->without, line, scene->target) ? scene->target : line;
}

bool push_among(const uint64_t *lines, unsigned count, uint64_t line)
{
    for (unsigned i = 0; i < count; i++)
        if (lines[i] == line)
            return true;
    return false;
}

struct scene push_ends_changed(const struct scene *scene)
{
    struct scene changed = *scene;
    changed.line[0] = scene->line[scene->lines - 1];
    changed.line[scene->lines - 1] = scene->line[0];
    return changed;
}

/* Some bit of a word, by which most lines that are not among others are known without a look at them. */
static uint64_t mark(uint64_t line)
{
    return (uint64_t)1 << (line * 0x9e3779b97f4a7c15u >> 58);
}

static void hot_helpers(struct round *round, enum op op)
{
    for (unsigned i = 0; i < round->push->hot_helpers; i++)
        round_add(round, op, round->push->hot_helper[i]);
}

bool push_brings(const struct push *push)
{
    return push->along.next || push->along.pair;
}

/* Flushes what a load of a line has brought along, unless it is the target. */
static void flush_along(struct round *round, uint64_t target, uint64_t line)
{
    const struct along *along = &round->push->along;
    uint64_t page = PAGE / round->push->region.unit, next = next_of(along, line);
    if (along->next && next != target && next % page)
        round_add(round, OP_FLUSH_LINE, next);
    if (along->pair && (line ^ along->units) != target)
        round_add(round, OP_FLUSH_LINE, line ^ along->units);
}

/* One of a scene's lines. */
static void add_line(struct round *round, enum op op, uint64_t target, uint64_t line)
{
    round_add(round, op, line);
    if (op == OP_LOAD && round->push->flushed)
        round_add(round, OP_FLUSH_LINE, line);
    flush_along(round, target, line);
}

static void pooled_lines(struct round *round, const struct scene *scene, enum op op)
{
    uint64_t marks = mark(scene->target);
    unsigned known = scene->lines > scene->pool.known ? scene->lines : scene->pool.known;
    for (unsigned i = 0; i < known; i++)
        marks |= mark(scene->line[i]);
    for (uint64_t i = scene->pool.first; i < scene->pool.count && bench_ok(round->push->bench); i++) {
        uint64_t line = push_pooled(round->push, scene, i);
        if ((marks & mark(line)) && (line == scene->target || push_among(scene->line, known, line)))
            continue;
        add_line(round, op, scene->target, line);
    }
}

static void all_lines(struct round *round, const struct scene *scene, enum op op)
{
    bool first = push_brings(round->push);
    if (first)
        pooled_lines(round, scene, op);
    for (unsigned i = 0; i < scene->lines; i++) {
        add_line(round, op, scene->target, scene->line[i]);
        if (op == OP_LOAD && round->push->apart)
            round_add(round, OP_FLUSH_LINE, scene->line[i] ^ round->push->apart);
        if (op == OP_LOAD)
            hot_helpers(round, op);
        if (op == OP_LOAD && i < round->push->hot_to)
            round_add(round, op, scene->target);
    }
    if (!first)
        pooled_lines(round, scene, op);
}

/* One half of the helpers, or the other. */
static void half_of_helpers(struct round *round, const struct scene *scene, unsigned half, enum op op)
{
    for (unsigned i = half % 2; i < scene->helpers; i += 2) {
        round_add(round, op, scene->helper[i]);
        if (op == OP_FLUSH_LINE)
            flush_along(round, scene->target, scene->helper[i]);
    }
}

/* Leaves no line of a scene in any cache. */
static void clear_away(struct round *round, const struct scene *scene)
{
    if (round->push->emptied) {
        round_add(round, OP_FLUSH_CACHES, scene->target);
        round_add(round, OP_FENCE, scene->target);
        return;
    }
    round_add(round, OP_FLUSH_LINE, scene->target);
    flush_along(round, scene->target, scene->target);
    half_of_helpers(round, scene, 0, OP_FLUSH_LINE);
    half_of_helpers(round, scene, 1, OP_FLUSH_LINE);
    hot_helpers(round, OP_FLUSH_LINE);
    all_lines(round, scene, OP_FLUSH_LINE);
    round_add(round, OP_FENCE, scene->target);
}

static void push_lines_down(struct round *round, const struct scene *scene, unsigned half)
{
    if (!round->push->lines_stay_near && !round->push->flushed)
        half_of_helpers(round, scene, half, OP_LOAD);
}

/* Ticks of the target's second load; less than 0: they say nothing. */
static bool one_round(struct push *push, const struct scene *scene, bool first, double *ticks)
{
    struct round round;
    round_begin(&round, push);
    if (push_spent(push))
        return false;
    if (first)
        clear_away(&round, scene);
    round_add(&round, OP_LOAD, scene->target);
    half_of_helpers(&round, scene, 0, OP_LOAD);
    for (unsigned lap = 0; lap < push->laps; lap++) {
        all_lines(&round, scene, OP_LOAD);
        push_lines_down(&round, scene, lap + 1);
    }
    /* Some policies give the last line up only after twice as many others as there are ways. */
    push_lines_down(&round, scene, push->laps + 1);
    if (!round_time(&round, scene->target))
        return false;
    bool says_nothing = round.disturbed || (push->near_only && push->beyond > 0 && round.ticks > push->beyond);
    *ticks = says_nothing ? -1 : round.ticks;
    clear_away(&round, scene);
    return round_play(&round) && bench_rest(push->bench, push->emptied); /* that takes long, and no clock shows it */
}

double push_clipped(const struct push *push, double vote)
{
    double most = push->most_of_one;
    return vote > most ? most : vote < -most ? -most : vote;
}

void push_set_votes(struct push *push, double variance)
{
    double steps = (double)push->bench->clock.step / push->half;
    push->variance = variance / (push->half * push->half);
    push->most_of_one = 1 + steps > CLIP ? 1 + steps : CLIP;
}

bool push_round(struct push *push, const struct scene *scene, bool first, double *vote)
{
    double ticks;
    *vote = 0;
    if (!push_ok(push) || !one_round(push, scene, first, &ticks))
        return false;
    if (ticks >= 0)
        *vote = push_clipped(push, (ticks - push->middle) / push->half);
    return true;
}

double push_needed(const struct push *push, unsigned votes)
{
    /* ln of one in 30 for a draw, in 1000 for a search, in a million for a check. */
    double needed = push->variance * (votes >= VOTES_CHECK ? 13.8 : votes >= VOTES_SEARCH ? 6.9 : 3.4) / 2;
    return needed > votes ? needed : votes;
}

bool push_out(struct push *push, const struct scene *scene, unsigned votes, bool *clear)
{
    double needed = push_needed(push, votes), sum = 0, vote;
    for (unsigned i = 0; push_ok(push) && sum < needed && sum > -needed && i < IN_VAIN * needed; i++) {
        if (!push_round(push, scene, i == 0, &vote))
            break;
        sum += vote;
    }
    if (clear)
        *clear = sum >= needed || sum <= -needed;
    return sum > 0;
}

/* The mean of so many votes that its standard error is as wanted; signs: of 1 and -1. */
static bool mean_of(struct push *push, const struct scene *scene, double error, bool signs, double *mean)
{
    enum { LEAST = 16 };
    /* A share of one half varies most. */
    double varies = signs ? 1 : 1 + push->variance, most = 1 + MOST_OFF * square_root(push->variance), sum = 0;
    unsigned wanted = LEAST + (unsigned)(varies / (error * error)), count = 0;
    for (unsigned rounds = 0; count < wanted && rounds < 2 * wanted && push_ok(push); rounds++) {
        double ticks;
        if (!one_round(push, scene, rounds == 0, &ticks))
            return false;
        if (ticks < 0)
            continue;
        double vote = (ticks - push->middle) / push->half;
        if (signs)
            vote = vote > 0 ? 1 : -1;
        sum += vote > most ? most : vote < -most ? -most : vote;
        count++;
    }
    *mean = count ? sum / count : 0;
    /* Of few that say anything, no mean is as sure as was asked for. */
    return count > (push->near_only ? wanted / 2 : 0) && push_ok(push);
}

bool push_mean(struct push *push, const struct scene *scene, double error, double *mean)
{
    return mean_of(push, scene, error, false, mean);
}

bool push_signs(struct push *push, const struct scene *scene, double error, double *mean)
{
    return mean_of(push, scene, error, true, mean);
}

bool push_far(struct push *push, const struct scene *scene)
{
    struct push farther = *push;
    farther.near_only = false;
    if (push->beyond <= 0)
        return false;
    /* The same votes, on whether it is farther away than the next level, where it is gone at all: one reading says
     * whether, unless the clock moves in steps as long as what there is to tell. */
    bool tells = push_needed(push, VOTES_DRAW) <= VOTES_DRAW;
    farther.middle = push->beyond;
    farther.half = push->beyond_half;
    push_set_votes(&farther, push->variance * push->half * push->half);
    double needed = push_needed(&farther, VOTES_SEARCH), sum = 0, ticks;
    for (unsigned i = 0; needed < MOST_NEEDED && sum < needed && sum > -needed && i < IN_VAIN * needed; i++) {
        if (!push_ok(push) || !one_round(&farther, scene, i == 0, &ticks))
            return false;
        if (ticks >= 0 && (!tells || ticks > push->middle))
            sum += push_clipped(&farther, (ticks - farther.middle) / farther.half);
    }
    return sum > 0;
}

static void all_helpers(struct round *round, const struct scene *scene)
{
    half_of_helpers(round, scene, 0, OP_LOAD);
    half_of_helpers(round, scene, 1, OP_LOAD);
}

static void lap_of_lines(struct round *round, const struct scene *scene)
{
    for (unsigned i = 0; i < scene->lines; i++)
        add_line(round, OP_LOAD, scene->target, scene->line[i]);
    all_helpers(round, scene);
}

/* Loads the last lines of a lap until the nearer levels have them all: where those draw lots, each load of a line that
 * they lack is one more chance that another one goes. */
static void settle(struct round *round, const struct scene *scene)
{
    unsigned lines = round->push->settled < scene->lines ? round->push->settled : scene->lines;
    for (unsigned i = 0; lines && i < SETTLING; i++)
        for (unsigned j = scene->lines - lines; j < scene->lines; j++)
            round_add(round, OP_LOAD, scene->line[j]);
}

bool push_line(struct push *push, const struct scene *scene, unsigned laps, unsigned last, unsigned place, double *vote)
{
    enum { TRIALS = 16 };
    for (unsigned trial = 0; trial < TRIALS && push_ok(push); trial++) {
        struct round round;
        round_begin(&round, push);
        clear_away(&round, scene);
        lap_of_lines(&round, scene);
        round_add(&round, OP_LOAD, scene->line[last]);
        clear_away(&round, scene);
        for (unsigned lap = 0; lap < laps; lap++)
            lap_of_lines(&round, scene);
        for (unsigned pass = 0; pass < push->passes; pass++)
            all_helpers(&round, scene);
        settle(&round, scene);
        if (!round_time(&round, scene->line[place]))
            return false;
        *vote = (round.ticks - push->middle) / push->half;
        bool disturbed = round.disturbed;
        clear_away(&round, scene);
        if (!round_play(&round))
            return false;
        if (!disturbed)
            return true;
    }
    return false;
}
