// SPDX-License-Identifier: BSD-2-Clause
/* push.c: rounds, and the votes on them. */
#include "probes/push.h"
#include "base/arithmetic.h"

enum {
    PIECE = 992, /* visits of a script: more than a round of the longest row of hot targets has (probes/inclusion.c) */
    ROOM = 4,    /* at its end, for what is timed and what comes just before */
    BESIDE = 5,  /* units from a target to its doorstep, in the same page: no neighbour, and of another set */
    LOOKS = 64,
    SETTLING = 16,
    IN_VAIN = 12, /* votes, in so many times as many rounds */
    MOST_NEEDED = 200,
    PAGE = 4096, /* no prefetcher brings lines of another one: it does not know where that is */
    LONGEST = 8, /* units, of what is flushed together */
    STEPS = 8    /* of the clock: each moment of one is as likely then, whatever fraction of a cycle it ends with */
};

/* A reading counts so much at most, in halves; but as much as a step of the clock makes of one that is right: cut
 * short, readings that are late by chance would not make up for those that are early. */
static const double CLIP = 1.5;

/* A step of the clock is a cycle, but for so much of it. Standard error of the middle, in halves: little beside 1,
 * which is how far either answer is from it. */
static const double ONE_CYCLE = 0.01, MIDDLE = 0.1;

/* The same for a mean: so many standard deviations beyond what the two levels take, which is as far as a clock that
 * moves in steps may be off. What takes longer, or less, is of other levels, and is one vote like any other. */
static const double MOST_OFF = 2;

bool push_ok(const struct push *push)
{
    return !push_spent(push) && bench_ok(push->bench);
}

bool push_spent(const struct push *push)
{
    return machine_steps(push->bench->machine) > push->most;
}

/* Visits that are collected, and made when there are enough of them. */
struct script {
    struct push *push;
    struct visit visit[PIECE];
    unsigned count;
    double ticks; /* of the last lap */
    bool disturbed;
};

/* Most rounds fill but a part of the visits, so none of them is set to anything here. */
static void begin(struct script *script, struct push *push)
{
    script->push = push;
    script->count = 0;
    script->ticks = 0;
    script->disturbed = false;
}

static bool play(struct script *script)
{
    struct reading lap[MAX_LAPS];
    struct bench *bench = script->push->bench;
    if (!script->count)
        return bench_ok(bench);
    bool timed = script->visit[script->count - 1].lap;
    if (!bench_script(bench, script->visit, script->count, lap))
        return false;
    if (timed) {
        script->ticks = (double)lap[1].ticks;
        script->disturbed =
            lap[1].disturbances || lap[1].lost || (script->push->longest > 0 && script->ticks > script->push->longest);
    }
    script->count = 0;
    return bench_rest(bench, false);
}

static void add(struct script *script, enum op op, uint64_t line)
{
    if (script->count == PIECE - ROOM && !play(script))
        return;
    script->visit[script->count++] = (struct visit){.op = op, .va = region_address(&script->push->region, line)};
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

/* Some bit of a word, by which most lines that are not among others are known without a look at them. */
static uint64_t mark(uint64_t line)
{
    return (uint64_t)1 << (line * 0x9e3779b97f4a7c15u >> 58);
}

static void hot_helpers(struct script *script, enum op op)
{
    for (unsigned i = 0; i < script->push->hot_helpers; i++)
        add(script, op, script->push->hot_helper[i]);
}

bool push_brings(const struct push *push)
{
    return push->along.next || push->along.pair;
}

static uint64_t next_of(const struct along *along, uint64_t line)
{
    return (line | (along->units - 1)) + 1;
}

/* Flushes what a load of a line has brought along, unless it is the target. */
static void flush_along(struct script *script, uint64_t target, uint64_t line)
{
    const struct along *along = &script->push->along;
    uint64_t page = PAGE / script->push->region.unit, next = next_of(along, line);
    if (along->next && next != target && next % page)
        add(script, OP_FLUSH_LINE, next);
    if (along->pair && (line ^ along->units) != target)
        add(script, OP_FLUSH_LINE, line ^ along->units);
}

/* One of a scene's lines. */
static void add_line(struct script *script, enum op op, uint64_t target, uint64_t line)
{
    add(script, op, line);
    if (op == OP_LOAD && script->push->flushed)
        add(script, OP_FLUSH_LINE, line);
    flush_along(script, target, line);
}

static void pooled_lines(struct script *script, const struct scene *scene, enum op op)
{
    uint64_t marks = mark(scene->target);
    unsigned known = scene->lines > scene->pool.known ? scene->lines : scene->pool.known;
    for (unsigned i = 0; i < known; i++)
        marks |= mark(scene->line[i]);
    for (uint64_t i = scene->pool.first; i < scene->pool.count && bench_ok(script->push->bench); i++) {
        uint64_t line = push_pooled(script->push, scene, i);
        if ((marks & mark(line)) && (line == scene->target || push_among(scene->line, known, line)))
            continue;
        add_line(script, op, scene->target, line);
    }
}

static void all_lines(struct script *script, const struct scene *scene, enum op op)
{
    bool first = push_brings(script->push);
    if (first)
        pooled_lines(script, scene, op);
    for (unsigned i = 0; i < scene->lines; i++) {
        add_line(script, op, scene->target, scene->line[i]);
        if (op == OP_LOAD && script->push->apart)
            add(script, OP_FLUSH_LINE, scene->line[i] ^ script->push->apart);
        if (op == OP_LOAD)
            hot_helpers(script, op);
        if (op == OP_LOAD && i < script->push->hot_to)
            add(script, op, scene->target);
    }
    if (!first)
        pooled_lines(script, scene, op);
}

/* One half of the helpers, or the other. */
static void half_of_helpers(struct script *script, const struct scene *scene, unsigned half, enum op op)
{
    for (unsigned i = half % 2; i < scene->helpers; i += 2) {
        add(script, op, scene->helper[i]);
        if (op == OP_FLUSH_LINE)
            flush_along(script, scene->target, scene->helper[i]);
    }
}

/* The load that is timed, behind one of another line of its page: translation has no part in it. Before that one a lap
 * has begun, so that the pages of what the machine itself uses then take no way of a TLB from the target's. The lap
 * begins anywhere in a step of the clock: rounds as long as each other would all come in the same moment of one. */
static bool time_target(struct script *script, uint64_t target)
{
    struct bench *bench = script->push->bench;
    uint64_t va = region_address(&script->push->region, target), beside = va ^ (BESIDE * script->push->region.unit);
    double step = (double)bench->clock.step * bench->cycles_per_tick;
    uint64_t moments = step < 1 - ONE_CYCLE || step > 1 + ONE_CYCLE ? (uint64_t)(STEPS * step + 1) : 0;
    struct visit *next = &script->visit[script->count];
    *next++ = (struct visit){.op = OP_FENCE, .lap = 2};
    *next++ = (struct visit){.op = OP_LOAD, .va = beside};
    if (moments)
        *next++ = (struct visit){.op = OP_WAIT, .value = bench_seed(bench) % moments};
    *next++ = (struct visit){.op = OP_LOAD, .va = va, .lap = 1};
    script->count = (unsigned)(next - script->visit);
    return play(script);
}

/* Leaves no line of a scene in any cache. */
static void clear_away(struct script *script, const struct scene *scene)
{
    if (script->push->emptied) {
        add(script, OP_FLUSH_CACHES, scene->target);
        add(script, OP_FENCE, scene->target);
        return;
    }
    add(script, OP_FLUSH_LINE, scene->target);
    flush_along(script, scene->target, scene->target);
    half_of_helpers(script, scene, 0, OP_FLUSH_LINE);
    half_of_helpers(script, scene, 1, OP_FLUSH_LINE);
    hot_helpers(script, OP_FLUSH_LINE);
    all_lines(script, scene, OP_FLUSH_LINE);
    add(script, OP_FENCE, scene->target);
}

static void push_lines_down(struct script *script, const struct scene *scene, unsigned half)
{
    if (!script->push->lines_stay_near && !script->push->flushed)
        half_of_helpers(script, scene, half, OP_LOAD);
}

/* Ticks of the target's second load; less than 0: disturbed. */
static bool one_round(struct push *push, const struct scene *scene, bool first, double *ticks)
{
    struct script script;
    begin(&script, push);
    if (push_spent(push))
        return false;
    if (first)
        clear_away(&script, scene);
    add(&script, OP_LOAD, scene->target);
    half_of_helpers(&script, scene, 0, OP_LOAD);
    for (unsigned lap = 0; lap < push->laps; lap++) {
        all_lines(&script, scene, OP_LOAD);
        push_lines_down(&script, scene, lap + 1);
    }
    /* Some policies give the last line up only after twice as many others as there are ways. */
    push_lines_down(&script, scene, push->laps + 1);
    if (!time_target(&script, scene->target))
        return false;
    *ticks = script.disturbed ? -1 : script.ticks;
    clear_away(&script, scene);
    return play(&script) && bench_rest(push->bench, push->emptied); /* that takes long, and no clock shows it */
}

double push_clipped(const struct push *push, double vote)
{
    double most = push->most_of_one;
    return vote > most ? most : vote < -most ? -most : vote;
}

/* What a reading counts for, by what its ticks vary by, squared. */
static void set_votes(struct push *push, double variance)
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
    return count && push_ok(push);
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
    if (push->beyond <= 0)
        return false;
    /* The same votes, on whether it is farther away than the next level, where it is gone at all: one reading says
     * whether, unless the clock moves in steps as long as what there is to tell. */
    bool tells = push_needed(push, VOTES_DRAW) <= VOTES_DRAW;
    farther.middle = push->beyond;
    farther.half = push->beyond_half;
    set_votes(&farther, push->variance * push->half * push->half);
    double needed = push_needed(&farther, VOTES_SEARCH), sum = 0, ticks;
    for (unsigned i = 0; needed < MOST_NEEDED && sum < needed && sum > -needed && i < IN_VAIN * needed; i++) {
        if (!push_ok(push) || !one_round(push, scene, i == 0, &ticks))
            return false;
        if (ticks >= 0 && (!tells || ticks > push->middle))
            sum += push_clipped(&farther, (ticks - farther.middle) / farther.half);
    }
    return sum > 0;
}

static void all_helpers(struct script *script, const struct scene *scene)
{
    half_of_helpers(script, scene, 0, OP_LOAD);
    half_of_helpers(script, scene, 1, OP_LOAD);
}

static void lap_of_lines(struct script *script, const struct scene *scene)
{
    for (unsigned i = 0; i < scene->lines; i++)
        add_line(script, OP_LOAD, scene->target, scene->line[i]);
    all_helpers(script, scene);
}

/* Loads the last lines of a lap until the nearer levels have them all: where those draw lots, each load of a line that
 * they lack is one more chance that another one goes. */
static void settle(struct script *script, const struct scene *scene)
{
    unsigned lines = script->push->settled < scene->lines ? script->push->settled : scene->lines;
    for (unsigned i = 0; lines && i < SETTLING; i++)
        for (unsigned j = scene->lines - lines; j < scene->lines; j++)
            add(script, OP_LOAD, scene->line[j]);
}

bool push_line(struct push *push, const struct scene *scene, unsigned laps, unsigned last, unsigned place, double *vote)
{
    enum { TRIALS = 16 };
    for (unsigned trial = 0; trial < TRIALS && push_ok(push); trial++) {
        struct script script;
        begin(&script, push);
        clear_away(&script, scene);
        lap_of_lines(&script, scene);
        add(&script, OP_LOAD, scene->line[last]);
        clear_away(&script, scene);
        for (unsigned lap = 0; lap < laps; lap++)
            lap_of_lines(&script, scene);
        for (unsigned pass = 0; pass < push->passes; pass++)
            all_helpers(&script, scene);
        settle(&script, scene);
        if (!time_target(&script, scene->line[place]))
            return false;
        *vote = (script.ticks - push->middle) / push->half;
        bool disturbed = script.disturbed;
        clear_away(&script, scene);
        if (!play(&script))
            return false;
        if (!disturbed)
            return true;
    }
    return false;
}

/* Ticks of a load of a line that is at hand, as its page is: what the clock shows above a hit is what every reading
 * has. Less than 0: disturbed. */
static bool time_hit(struct push *push, double *ticks)
{
    struct script script;
    begin(&script, push);
    add(&script, OP_LOAD, 0);
    add(&script, OP_FENCE, 0);
    if (!time_target(&script, 0))
        return false;
    *ticks = script.disturbed ? -1 : script.ticks;
    return true;
}

bool push_calibrate(struct push *push, double hit, double near, double far, double farther)
{
    struct bench *bench = push->bench;
    double rate = bench->cycles_per_tick, step = (double)bench->clock.step, sum = 0, squares = 0, value[LOOKS], ticks;
    unsigned count = 0, used = 0;
    for (unsigned i = 0; i < LOOKS; i++) {
        if (!time_hit(push, &ticks))
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
    set_votes(push, variance);
    if (push->half <= 0 || push_needed(push, VOTES_CHECK) >= MOST_NEEDED)
        return false;
    /* Where a reading varies by more than there is to tell, its mean has to be known from so many more. */
    for (double wanted = push->variance / (MIDDLE * MIDDLE); used < wanted;) {
        if (!time_hit(push, &ticks))
            return false;
        if (ticks >= 0 && ticks <= most) {
            sum += ticks;
            used++;
        } else {
            wanted--; /* one that is disturbed is hardly worth another */
        }
    }
    double mean = sum / used;
    push->middle = mean + ((near + far) / 2 - hit) / rate;
    push->longest = push->slowest > 0 ? 2 * (mean + (push->slowest - hit) / rate) + 2 * step : 0;
    push->beyond = farther > far ? mean + ((far + farther) / 2 - hit) / rate : 0;
    push->beyond_half = (farther - far) / 2 / rate;
    return true;
}

/* Whether a line is at hand that is loaded, or another beside it, while one of them was flushed in between. Undecided:
 * no. */
static bool is_at_hand(struct push *push, uint64_t loaded, uint64_t flushed, uint64_t timed)
{
    double needed = push_needed(push, VOTES_CHECK), sum = 0;
    for (unsigned i = 0; sum < needed && sum > -needed && i < IN_VAIN * needed; i++) {
        struct script script;
        begin(&script, push);
        add(&script, OP_FLUSH_LINE, loaded);
        add(&script, OP_FLUSH_LINE, timed);
        add(&script, OP_FENCE, loaded);
        add(&script, OP_LOAD, loaded);
        add(&script, OP_FENCE, loaded);
        if (flushed != loaded) {
            add(&script, OP_FLUSH_LINE, flushed);
            add(&script, OP_FENCE, loaded);
        }
        if (!time_target(&script, timed))
            return false;
        if (!script.disturbed)
            sum -= push_clipped(push, (script.ticks - push->middle) / push->half);
    }
    return sum >= needed;
}

bool push_learn_along(struct push *push)
{
    enum { BEFORE = 2 }; /* pages, from a line whose page the machine may use */
    uint64_t page = PAGE / push->region.unit, line = BEFORE * page + page / 2;
    struct along along = {.units = 1};
    while (along.units < LONGEST && !is_at_hand(push, line, line ^ along.units, line) && push_ok(push))
        along.units *= 2;
    line |= 2 * along.units - 1; /* of what is flushed together, and of a pair, the last one */
    if (along.units < LONGEST) {
        along.next = is_at_hand(push, line, line, next_of(&along, line));
        along.pair = is_at_hand(push, line, line, line ^ along.units);
    }
    push->along = along;
    return push_ok(push);
}
