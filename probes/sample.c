// SPDX-License-Identifier: BSD-2-Clause
/* sample.c: batches and decisions. */
#include "base/arithmetic.h"
#include "base/random.h"
#include "probes/pause.h"
#include "probes/witness.h"

enum {
    RESTS_A_SECOND = 20,
    LINKS_A_REST = 1 << 16, /* about 10 ms when every link misses all caches */
    WARM_PIECE = 1 << 16,
    TRIES = 16,
    WINDOW = 7,        /* controls that a signal is compared with: the latest ones */
    MOST_ROUNDS = 160, /* of a decision; one that noise has kept open so long stays open */
    CONTROL_STEPS = 4096,
    LONGEST_BATCH = 1 << 17
};

/* What a vote weighs: the logarithm of how much likelier it is under one answer than under the other.
 * As fast as the control: of a walk that fits, one batch in five at least, whatever the neighbours do; of a slower walk
 * 2 %, when the controls were slowed down just then: ln(0.2 / 0.02).
 * Slower by about the effect or more: 98 % of a slower walk's, at most 80 % of a fitting one's: ln(0.98 / 0.8).
 * Slower by CLEARLY times the effect: at most half of a fitting walk's: ln(0.98 / 0.5).
 * Between fast and slow: likely under neither, no vote. */
static const double FAST_WEIGHT = 2.3025851, SLOW_WEIGHT = 0.2029408, CLEAR_WEIGHT = 0.6729445;
static const double FAST = 0.5, SLOW = 0.9, CLEARLY = 4; /* in effects */

/* What a prefetcher brings in is neither a hit nor a miss of the walk: every one that has a switch is off while a probe
 * measures. The machine turns them back when the probe ends. */
static void still_prefetchers(struct machine *machine)
{
    for (unsigned knob = KNOB_PREFETCH_FIRST; knob <= KNOB_PREFETCH_LAST; knob++)
        if (machine_knob(machine, (enum knob)knob))
            machine_turn(machine, (enum knob)knob, false);
}

struct bench bench_open_as_found(struct machine *machine, uint64_t seed)
{
    return (struct bench){.machine = machine, .clock = machine_clock(machine), .seed = seed};
}

struct bench bench_open(struct machine *machine, uint64_t seed)
{
    still_prefetchers(machine);
    return bench_open_as_found(machine, seed);
}

bool bench_ok(const struct bench *bench)
{
    return !bench->skipped && !bench->refused;
}

uint64_t bench_seed(struct bench *bench)
{
    struct random random = {bench->seed};
    uint64_t next = random_next(&random);
    bench->seed = random.state;
    return next;
}

bool bench_rest(struct bench *bench, bool now)
{
    if (!now && bench->busy < bench->clock.hz / RESTS_A_SECOND && bench->linked < LINKS_A_REST)
        return bench_ok(bench);
    bench->busy = 0;
    bench->linked = 0;
    if (!machine_rest(bench->machine, bench->permille))
        bench->skipped = true;
    return bench_ok(bench);
}

bool bench_link(struct bench *bench, const struct walk *walk)
{
    for (uint64_t from = 0; from < walk->length && bench_ok(bench);) {
        uint64_t to = walk->length - from > LINKS_A_REST ? from + LINKS_A_REST : walk->length;
        if (!walk_link(bench->machine, walk, from, to))
            bench->refused = true;
        bench->linked += to - from;
        from = to;
        bench_rest(bench, false);
    }
    return bench_ok(bench);
}

static bool run(struct bench *bench, const struct task *task, struct reading *reading)
{
    if (!machine_run(bench->machine, task, 1, reading)) {
        bench->refused = true;
        return false;
    }
    bench->busy += reading->ticks;
    return bench_ok(bench);
}

bool bench_run(struct bench *bench, enum op op, uint64_t start, uint64_t steps, struct reading *reading)
{
    struct task task = {.op = op, .start = start, .steps = steps};
    return run(bench, &task, reading);
}

bool bench_script(struct bench *bench, struct visit *visits, size_t count, struct reading lap[MAX_LAPS])
{
    if (!machine_script(bench->machine, visits, count, lap)) {
        bench->refused = true;
        return false;
    }
    bench->linked += count;
    return true;
}

/* So many steps of a walk, or, of jumps, as many more as make whole laps. */
static uint64_t whole(const struct walk *walk, uint64_t steps)
{
    uint64_t lap = op_jumps(walk->op) ? walk->length : 1;
    return (steps + lap - 1) / lap * lap;
}

static struct task task_of(const struct walk *walk, uint64_t position, uint64_t warm, uint64_t steps)
{
    return (struct task){.op = walk->op,
                         .start = walk_address(walk, position),
                         .steps = whole(walk, steps),
                         .warm = warm,
                         .lap = op_jumps(walk->op) ? walk->length : 0};
}

static bool run_once(struct bench *bench, const struct walk *walk, uint64_t position, uint64_t steps,
                     struct reading *reading)
{
    struct task task = task_of(walk, position, 0, steps);
    return run(bench, &task, reading);
}

/* Runs a task until nobody has disturbed it. */
static bool run_undisturbed(struct bench *bench, const struct task *task, double *ticks)
{
    struct reading reading = {.disturbances = 1};
    for (unsigned attempt = 0; attempt < TRIES && (reading.disturbances || reading.lost); attempt++) {
        bench->disturbed += attempt > 0;
        if (!run(bench, task, &reading))
            return false;
        *ticks = (double)reading.ticks;
    }
    return true;
}

bool bench_timed(struct bench *bench, const struct walk *walk, uint64_t warm, uint64_t steps, double *ticks)
{
    struct task task = task_of(walk, 0, warm, steps);
    double first;
    if (!op_jumps(walk->op))
        return run_undisturbed(bench, &task, ticks);
    task.steps = warm > walk->length ? warm : walk->length;
    if (!run_undisturbed(bench, &task, &first))
        return false;
    task.steps += whole(walk, steps);
    if (!run_undisturbed(bench, &task, ticks))
        return false;
    *ticks = (*ticks - first) * (double)steps / (double)whole(walk, steps);
    return true;
}

bool bench_empty(struct bench *bench)
{
    struct visit visits[] = {{.op = OP_FLUSH_CACHES}, {.op = OP_FENCE}};
    struct reading lap[MAX_LAPS];
    return bench_rest(bench, true) && machine_script(bench->machine, visits, 2, lap);
}

bool bench_warm(struct bench *bench, const struct walk *walk, uint64_t position, uint64_t steps)
{
    struct reading reading;
    steps = whole(walk, steps);
    while (steps && bench_ok(bench)) {
        uint64_t piece = whole(walk, steps < WARM_PIECE ? steps : WARM_PIECE);
        if (!run_once(bench, walk, position, piece, &reading))
            break;
        position += piece;
        steps -= piece;
        if (steps)
            bench_rest(bench, false);
    }
    return bench_ok(bench);
}

bool bench_batch(struct bench *bench, const struct walk *walk, uint64_t position, uint64_t steps, double *ticks)
{
    struct reading reading;
    for (unsigned attempt = 0; attempt < TRIES; attempt++) {
        if (!run_once(bench, walk, position, steps, &reading))
            return false;
        *ticks = (double)reading.ticks * (double)steps / (double)whole(walk, steps);
        if (!reading.disturbances && !reading.lost)
            return true;
        bench->disturbed++;
        if (walk->length <= CONTROL_STEPS && !bench_warm(bench, walk, position, walk->length))
            return false;
    }
    return true;
}

bool bench_block(struct bench *bench, enum block_kind kind, uint64_t steps, double *ticks)
{
    struct block block = {.kind = kind, .variables = 1};
    struct reading reading;
    for (unsigned attempt = 0; attempt < TRIES; attempt++) {
        if (!machine_block(bench->machine, &block, steps, &reading)) {
            bench->refused = true;
            return false;
        }
        bench->busy += reading.ticks;
        *ticks = (double)reading.ticks;
        if (!reading.disturbances && !reading.lost)
            return true;
        bench->disturbed++;
    }
    return true;
}

double quantile(double *values, unsigned count, double fraction)
{
    for (unsigned i = 1; i < count; i++) {
        double value = values[i];
        unsigned place = i;
        for (; place && values[place - 1] > value; place--)
            values[place] = values[place - 1];
        values[place] = value;
    }
    if (count < 2)
        return count ? values[0] : 0;
    double position = fraction * (count - 1);
    unsigned below = (unsigned)position;
    if (below + 1 >= count)
        return values[count - 1];
    return values[below] + (position - below) * (values[below + 1] - values[below]);
}

/* One warmed batch, in ticks a step. near: laps right before the clock starts, of a walk that is no long one. */
static bool warmed(struct bench *bench, const struct walk *walk, uint64_t laps, uint64_t near, uint64_t steps,
                   double *ticks)
{
    /* Two laps: after the first one a set may still hold lines of the walk before. */
    uint64_t least = walk->length > CONTROL_STEPS ? 1 : 2;
    uint64_t last = walk->length > CONTROL_STEPS ? 0 : near;
    if (laps < least)
        laps = least;
    if (laps < last)
        laps = last;
    if (!bench_warm(bench, walk, 0, (laps - last) * walk->length) ||
        !bench_timed(bench, walk, last * walk->length, steps, ticks))
        return false;
    *ticks /= (double)steps;
    return true;
}

/* What a signal is compared with: the second lowest of the latest controls, so that one which came out too low by a
 * whim of the core's clock does not count; the lowest while there are few, when two of them may well be disturbed. */
static double reference(const double *control, unsigned count)
{
    double latest[WINDOW];
    unsigned size = count < WINDOW ? count : WINDOW;
    for (unsigned i = 0; i < size; i++)
        latest[i] = control[count - size + i];
    double lowest = quantile(latest, size, 0); /* sorts */
    return size < WINDOW ? lowest : latest[1];
}

/* Evidence for "not slower" in one batch: ticks a step above the control. */
static double vote(double excess, double effect)
{
    if (excess <= FAST * effect)
        return FAST_WEIGHT;
    if (excess >= CLEARLY * effect)
        return -CLEAR_WEIGHT;
    return excess >= SLOW * effect ? -SLOW_WEIGHT : 0;
}

/* How far readings of a control spread, in ticks: what the quickest is below the middle one. */
static bool spread_of(struct bench *bench, const struct walk *control, uint64_t steps, double *spread)
{
    enum { LOOKS = 9 };
    double ticks[LOOKS];
    for (unsigned i = 0; i < LOOKS; i++)
        if (!bench_batch(bench, control, 0, steps, &ticks[i]))
            return false;
    double middle = quantile(ticks, LOOKS, 0.5);
    *spread = middle - ticks[0];
    return true;
}

/* Lengthens a batch until clock step and the ordinary spread of readings are below BLURRED of the effect. A burst of
 * a neighbour's is not ordinary, and would make batches so long that all of them meet it: the least of some moments
 * counts, where the first one's would take longer batches; they are waited for where it is more than the clock
 * makes of two readings. */
static bool batch_steps(struct bench *bench, const struct question *question, uint64_t *steps, double *needed)
{
    enum { MOMENTS = 4, READINGS = 2 /* of the clock, each of which may be a step late */ };
    uint64_t length = *steps < CONTROL_STEPS ? *steps : CONTROL_STEPS;
    double spread, least = 0, step = (double)bench->clock.step;
    for (unsigned moment = 0; moment < MOMENTS; moment++) {
        if (!spread_of(bench, question->control, length, &spread))
            return false;
        least = moment && least < spread ? least : spread;
        *needed = (step + least) / (BLURRED * question->effect);
        if (*needed <= (double)*steps || least <= step)
            break;
        if (least > READINGS * step)
            bench_wait(bench, 1);
    }
    length = *steps;
    while (*steps < LONGEST_BATCH && (double)*steps < *needed)
        *steps += question->brief ? length : *steps;
    return bench_ok(bench);
}

static double error_of(double evidence)
{
    /* exp(-evidence) without a mathematics library: 2^-(evidence / ln 2), the fraction interpolated upwards. */
    double halvings = evidence < 0 ? 0 : evidence * 1.4426950408889634, error = 1;
    for (; halvings >= 1; halvings--)
        error /= 2;
    return error * (1 - halvings / 2);
}

/* Lets numbers change places. */
static void mix(struct bench *bench, uint32_t *number, unsigned count)
{
    struct random random = {bench_seed(bench)};
    for (unsigned i = count; i > 1; i--) {
        unsigned other = (unsigned)random_below(&random, i);
        uint32_t last = number[i - 1];
        number[i - 1] = number[other];
        number[other] = last;
    }
}

/* Visits the signal in new orders. The last one stays. */
static bool warm_signal(struct bench *bench, const struct question *question, struct walk *walk)
{
    if (question->emptied && !bench_empty(bench)) {
        bench->refused = true; /* it was allowed when the question was put */
        return false;
    }
    for (unsigned order = 0; order < question->orders; order++) {
        walk->seed = bench_seed(bench);
        if (question->mixed_count)
            mix(bench, question->mixed, question->mixed_count);
        if (!bench_link(bench, walk) || !bench_warm(bench, walk, 0, question->warm_laps * walk->length))
            return false;
    }
    return true;
}

/* A batch of the signal, in the order that it was visited in. */
static bool signal_batch(struct bench *bench, const struct question *question, const struct walk *walk, uint64_t steps,
                         double *signal)
{
    return warmed(bench, walk, 0, question->near_laps ? question->near_laps : 1, steps, signal);
}

/* A batch of the control. */
static bool control_batch(struct bench *bench, const struct question *question, uint64_t steps, double *control)
{
    return warmed(bench, question->control, question->control_laps, 1, steps, control);
}

/* Whether whoever shares the core was busy, by what control and signal took longer: a signal that is behind by many
 * times what its control is, is slow by itself. */
static bool was_busy(double control, double signal, double least)
{
    return control > least && control * CLEARLY > signal;
}

/* Short batches of a comparison, which count if they are slow beyond doubt. */
struct brief {
    double blur;     /* ticks a step that clock and spread make of one, at either end of it */
    double least;    /* of those of the control */
    unsigned asides; /* so many of these */
};

/* Takes a short batch of the signal. *slow: it is by so much more than `beside` that a long one need not be asked.
 * Whatever a short batch does not show, one of the control that is as short does not either. */
static bool brief_batch(struct bench *bench, const struct question *question, const struct walk *walk, double beside,
                        struct brief *brief, double *signal, bool *slow)
{
    double aside, clear = CLEARLY * question->effect + brief->blur;
    *slow = false;
    if (!signal_batch(bench, question, walk, question->steps, signal))
        return false;
    if (*signal < beside + clear)
        return true;
    if (!control_batch(bench, question, question->steps, &aside))
        return false;
    if (!brief->asides++ || aside < brief->least)
        brief->least = aside;
    *slow = *signal >= aside + clear &&
            !was_busy(aside - brief->least, *signal - aside, FAST * question->effect + brief->blur);
    return true;
}

/* Whether a batch that was slow counts: a witness says that whoever shares the core was quiet, or it has been made
 * again so often that it has to. False: skipped or refused. */
static bool may_count(struct bench *bench, const struct question *question, unsigned *again, bool *counts)
{
    *counts = true;
    if (question->witness && !witness_ask(bench, question->witness, counts))
        return false;
    *counts = *counts || ++*again > MOST_ROUNDS;
    return true;
}

bool sample_compare(struct bench *bench, const struct question *question, struct answer *answer)
{
    double signals[MOST_ROUNDS], controls[MOST_ROUNDS + 2], evidence = 0;
    uint64_t steps = question->steps;
    *answer = (struct answer){.verdict = UNDECIDED, .error = 1};
    double long_enough;
    if (!bench_rest(bench, false) || !batch_steps(bench, question, &steps, &long_enough))
        return false;
    uint64_t control_steps = steps < CONTROL_STEPS ? steps : CONTROL_STEPS;
    /* A short control is lengthened with the signal when it is the clock that is coarse, not the walk that is long. */
    if (steps > question->steps)
        control_steps = steps;
    /* Two controls alone, so that the first signal has something to be compared with. */
    if (!control_batch(bench, question, control_steps, &controls[0]) ||
        !control_batch(bench, question, control_steps, &controls[1]))
        return false;
    double ticks = BLURRED * question->effect * long_enough, needed = 0; /* that clock and spread make of a batch */
    struct brief brief = {.blur = 2 * ticks / (double)question->steps};
    bool may_be_short = question->brief && steps > 2 * question->steps;
    while (error_of(needed) > question->error)
        needed += SLOW_WEIGHT;
    unsigned round = 0, silent = 0, again = 0, count = 2, every = question->every ? question->every : 1;
    while (round < MOST_ROUNDS && evidence < needed && -evidence < needed &&
           (!question->silent || silent < question->silent)) {
        struct walk walk = *question->signal;
        if ((question->witness && !witness_wait(bench, question->witness)) || !warm_signal(bench, question, &walk))
            return false;
        bool enough = false, counts = true;
        unsigned before = count;
        if (may_be_short &&
            !brief_batch(bench, question, &walk, reference(controls, count), &brief, &signals[round], &enough))
            return false;
        if (!enough) {
            if (!signal_batch(bench, question, &walk, steps, &signals[round]))
                return false;
            if (round % every == 0 && !control_batch(bench, question, control_steps, &controls[count++]))
                return false;
        }
        double beside = reference(controls, count);
        double said = vote(signals[round] - beside, question->effect);
        if (question->together && said < 0 && !enough &&
            was_busy(controls[count - 1] - beside, signals[round] - beside, FAST * question->effect))
            said = 0;
        if (said < 0 && !may_count(bench, question, &again, &counts))
            return false;
        if (!counts) {
            count = before; /* controls are as many as rounds */
            continue;
        }
        evidence += said;
        silent = apart(said, 0) > 0 ? 0 : silent + 1;
        round++;
        if (!bench_rest(bench, false))
            return false;
    }
    if (evidence >= needed)
        answer->verdict = NOT_SLOWER;
    else if (-evidence >= needed)
        answer->verdict = SLOWER;
    answer->error = error_of(evidence < 0 ? -evidence : evidence);
    answer->rounds = round;
    answer->blur = ticks / (double)steps;
    answer->signal = quantile(signals, round, 0.25);
    answer->control = quantile(controls, count, 0.25);
    return true;
}
