// SPDX-License-Identifier: BSD-2-Clause
/* store.c: targets, what they take in each scene, and the votes on it. */
#include "probes/store.h"

enum {
    PAGE = 4096, /* what prefetchers do not leave */
    APART = 3,   /* lines from a target's place in its page to that of the next, in the next page */
    BESIDE = 2,  /* lines from a target to its doorstep in the same page: no neighbour, and of no target's set */
    PART = 8,    /* targets are at most one in so many of the first level's lines */
    SWEEPS = 2,  /* times what the first level holds, at most */
    FEW = 4,     /* of the first level's lines, one in so many */
    WORD = 8,
    LOOKS = 16,
    WINDOW = 9, /* controls that a reading is compared with: the latest ones */
    VOTES = 6,
    MOST_NEEDED = 60,
    IN_VAIN = 8, /* rounds for each vote that is needed */
    STEPS = 4096,
    MOST_VISITS = 8 * STORE_TARGETS
};

/* A vote counts so much at most, in halves. */
static const double CLIP = 1.5;

/* A sweep works that pushes out so many of the targets; under a policy that draws lots as many lines as there are ways
 * push out 63 of 100 (1 - 1/e), and twice as many 86. */
static const double WORKS = 0.75;

/* And at most: what comes from farther away says nothing of the next level. */
static const double FAR_OFF = 2;

/* Wald: ln of one in a million. */
static const double SURE = 13.8;

/* What is timed, after what. */
enum scene {
    READ_NEAR,   /* reads of targets that were not in the first level, and were loaded */
    READ_STORED, /* ... and were stored to instead */
    READ_SWEPT,  /* reads of targets that a sweep has left to the next level */
    WRITE_NEAR,  /* stores to targets that were loaded after the sweep */
    WRITE_SWEPT, /* ... that were not */
    RUN_LOADS,   /* a long run of loads of lines that the first level has */
    RUN_STORES   /* ... with a store behind each load */
};

struct script {
    struct visit visit[MOST_VISITS];
    unsigned count;
};

static void add(struct script *script, enum op op, uint64_t va, bool timed)
{
    script->visit[script->count++] = (struct visit){.op = op, .va = va, .lap = timed};
}

/* One visit of each target, or of the words after them. */
static void add_all(struct script *script, const struct store *store, enum op op, uint64_t after)
{
    for (unsigned i = 0; i < store->count; i++)
        add(script, op, stops_address(&store->targets.stops, i) + after, false);
}

/* Plays a script; ticks: of what is timed in it. */
static bool play(struct store *store, struct script *script, double *ticks)
{
    struct reading lap[MAX_LAPS];
    bool timed = script->visit[script->count - 1].lap;
    if (!bench_script(store->bench, script->visit, script->count, lap))
        return false;
    script->count = 0;
    if (timed)
        *ticks = lap[1].disturbances || lap[1].lost ? -1 : (double)lap[1].ticks;
    return true;
}

/* Targets that are in the first level, and then swept out of it. They come in anew and are used once, like the lines
 * that push them out: some policies keep what was used again. */
static bool sweep(struct store *store)
{
    struct script script = {.count = 0};
    double ticks;
    if (store->flushes)
        add_all(&script, store, OP_FLUSH_LINE, 0);
    add(&script, OP_FENCE, 0, false);
    add_all(&script, store, OP_LOAD, 0);
    add(&script, OP_FENCE, 0, false);
    return play(store, &script, &ticks) && bench_warm(store->bench, &store->sweep, 0, store->sweep.length);
}

/* Reads all targets, one after the other. */
static bool read_targets(struct store *store, double *ticks)
{
    struct reading reading;
    if (!bench_run(store->bench, OP_LOAD, walk_address(&store->targets, 0), store->count, &reading))
        return false;
    *ticks = reading.disturbances || reading.lost ? -1 : (double)reading.ticks;
    return true;
}

/* The pages of all targets are at hand, and translation has no part in what follows. */
static void knock(struct script *script, const struct store *store, enum op op)
{
    add_all(script, store, op, BESIDE * store->line);
    add(script, OP_FENCE, 0, false);
}

static bool reads(struct store *store, enum scene scene, double *ticks)
{
    struct script script = {.count = 0};
    if (scene == READ_SWEPT) {
        if (!sweep(store))
            return false;
    } else {
        if (!store->flushes && !sweep(store))
            return false;
        if (store->flushes)
            add_all(&script, store, OP_FLUSH_LINE, 0);
        add(&script, OP_FENCE, 0, false);
        add_all(&script, store, scene == READ_STORED ? OP_STORE : OP_LOAD, WORD);
        add(&script, OP_FENCE, 0, false);
    }
    knock(&script, store, OP_LOAD);
    return play(store, &script, ticks) && read_targets(store, ticks);
}

static bool writes(struct store *store, enum scene scene, double *ticks)
{
    struct script script = {.count = 0};
    uint64_t from = scene == WRITE_NEAR ? 0 : BESIDE * store->line;
    if (!sweep(store))
        return false;
    add_all(&script, store, OP_LOAD, from);
    add_all(&script, store, OP_STORE, from + WORD);
    knock(&script, store, OP_LOAD);
    knock(&script, store, OP_STORE);
    for (unsigned i = 0; i < store->count; i++) {
        add(&script, OP_STORE, walk_address(&store->targets, i) + WORD, true);
        add(&script, OP_FENCE, 0, true);
    }
    return play(store, &script, ticks);
}

static bool runs(struct store *store, enum scene scene, double *ticks)
{
    struct walk walk = store->few;
    walk.op = scene == RUN_STORES ? OP_STORE : OP_LOAD;
    return bench_warm(store->bench, &walk, 0, walk.length) && bench_batch(store->bench, &walk, 0, STEPS, ticks);
}

/* Ticks of a scene; less than 0: disturbed. */
static bool take(struct store *store, enum scene scene, double *ticks)
{
    if (!bench_rest(store->bench, false))
        return false;
    if (scene >= RUN_LOADS)
        return runs(store, scene, ticks);
    return scene >= WRITE_NEAR ? writes(store, scene, ticks) : reads(store, scene, ticks);
}

/* The middle of the latest controls. */
static double reference(const double *control, unsigned count)
{
    double latest[WINDOW];
    unsigned size = count < WINDOW ? count : WINDOW;
    for (unsigned i = 0; i < size; i++)
        latest[i] = control[count - size + i];
    return quantile(latest, size, 0.5);
}

/* Whether a scene takes longer than its control, by 2 * half ticks or so, or does not. YES: longer. */
static enum store_answer longer(struct store *store, enum scene scene, enum scene beside, double half, double needed)
{
    double control[MOST_NEEDED * IN_VAIN], ticks = -1, near = -1, sum = 0;
    unsigned count = 0;
    for (unsigned round = 0; round < IN_VAIN * needed && sum < needed && sum > -needed; round++) {
        if (!take(store, beside, &near) || !take(store, scene, &ticks))
            return STORE_OPEN;
        if (near >= 0)
            control[count++] = near;
        if (ticks < 0 || count < WINDOW / 2)
            continue;
        double vote = (ticks - reference(control, count)) / half - 1;
        sum += vote > CLIP ? CLIP : vote < -CLIP ? -CLIP : vote;
    }
    store->why = "noise hides what stores take";
    return sum >= needed ? STORE_YES : sum <= -needed ? STORE_NO : STORE_OPEN;
}

/* Votes by which an answer has to lead: so many that noise does not make them, and never fewer than a few. */
static double needed_votes(const struct store *store)
{
    double needed = 2 * store->variance * SURE / 2; /* of a difference of two readings */
    return needed > VOTES ? needed : VOTES;
}

/* Mean square distance from the middle, of what was not interrupted. */
static double variance_of(const double *value, unsigned count, double middle, double step)
{
    double squares = 0;
    unsigned used = 0;
    for (unsigned i = 0; i < count; i++)
        if (value[i] <= 2 * middle + 4 * step) {
            squares += (value[i] - middle) * (value[i] - middle);
            used++;
        }
    double least = step > 1 ? step * step / 4 : step * step / 12; /* what another phase of the clock would add */
    return squares / used > least ? squares / used : least;
}

/* What reads of targets take that hit, and that do not. */
static bool calibrate(struct store *store, double next)
{
    double near[LOOKS], swept[LOOKS], ticks = -1, hits, rate = store->bench->cycles_per_tick;
    unsigned nears = 0, others = 0;
    for (unsigned i = 0; i < LOOKS; i++) {
        if (!take(store, READ_NEAR, &ticks))
            return false;
        if (ticks >= 0)
            near[nears++] = ticks;
        if (!take(store, READ_SWEPT, &ticks))
            return false;
        if (ticks >= 0)
            swept[others++] = ticks;
    }
    store->why = "noise: too many readings were disturbed";
    if (nears < LOOKS / 2 || others < LOOKS / 2)
        return false;
    hits = quantile(near, nears, 0.5);
    store->half = (quantile(swept, others, 0.5) - hits) / 2;
    double known = next > 0 ? store->count * (next - store->hit) / rate / 2 : 0;
    double off = store->half;
    bool works = off >= WORKS * known;
    if (next > 0 && known < store->half)
        store->half = known;
    store->why = "lines that others should have pushed out of the first level take no longer than those in it";
    if (known > 0 && off > FAR_OFF * known) {
        store->why = "the next level does not keep what a sweep leaves to it";
        return false;
    }
    /* A level that takes no cycle longer is none; and most sweeps have to work. */
    if (!works || store->half < store->count / rate / 2 || quantile(swept, others, 0.25) < hits + store->half)
        return false;
    store->variance = variance_of(near, nears, hits, (double)store->bench->clock.step);
    store->variance /= store->half * store->half;
    store->why = "the clock does not tell the first level from the next one";
    return needed_votes(store) <= MOST_NEEDED;
}

/* Makes the sweep longer. False: it may not be, or skipped or refused. */
static bool lengthen(struct store *store)
{
    struct stops others = store->sweep.stops;
    if (others.count >= SWEEPS * store->lines)
        return false;
    others.count = SWEEPS * store->lines;
    store->sweep = walk_over(&others, OP_LOAD, bench_seed(store->bench));
    return bench_link(store->bench, &store->sweep);
}

/* Whether lines can be flushed here. */
static bool can_flush(const struct store *store)
{
    struct visit visit = {.op = OP_FLUSH_LINE, .va = walk_address(&store->targets, 0)};
    struct reading lap[MAX_LAPS];
    return machine_script(store->bench->machine, &visit, 1, lap);
}

bool store_open(struct store *store, struct bench *bench, const struct stretch *stretch, uint64_t size, uint64_t line,
                double hit, double next)
{
    uint64_t count = (PAGE - KEPT) / (APART * line), most = size / line / PART;
    *store = (struct store){.bench = bench, .line = line, .lines = size / line, .hit = hit};
    store->count = (unsigned)(count < most ? count : most);
    if (store->count > STORE_TARGETS)
        store->count = STORE_TARGETS;
    uint64_t first = (STORE_TARGETS + 1) * PAGE;
    store->why = "the memory is too small, or the line too long or too short";
    if (!store->count || line < 4 * WORD || stretch->size < first + SWEEPS * size || size / line < FEW * NEIGHBOURS)
        return false;
    struct stops targets = stops_sequence(stretch->base + KEPT, PAGE + APART * line, store->count);
    struct stops others = stops_sequence(stretch->base + first, line, store->lines), few = others;
    few.base += WORD * 2; /* links of its own, beside those of the sweep */
    few.count = size / line / FEW;
    if (next <= 0) /* nobody would notice that a sweep is too short */
        others.count = SWEEPS * store->lines;
    store->targets = walk_over(&targets, OP_LOAD, bench_seed(bench));
    store->few = walk_over(&few, OP_LOAD, bench_seed(bench));
    store->flushes = can_flush(store);
    if (!bench_link(bench, &store->targets) || !bench_link(bench, &store->few))
        return false;
    store->sweep = walk_over(&others, OP_LOAD, bench_seed(bench));
    /* As few lines as will do, for the next level has to keep the targets. */
    return bench_link(bench, &store->sweep) &&
           (calibrate(store, next) || (bench_ok(bench) && lengthen(store) && calibrate(store, next)));
}

enum store_answer store_allocates(struct store *store)
{
    enum store_answer misses = longer(store, READ_STORED, READ_NEAR, store->half, needed_votes(store));
    return misses == STORE_OPEN ? misses : misses == STORE_YES ? STORE_NO : STORE_YES;
}

enum store_answer store_stays(struct store *store)
{
    /* What the next level takes, by a store of a run. */
    double next = store->hit / store->bench->cycles_per_tick + 2 * store->half / store->count;
    enum store_answer slowed = longer(store, RUN_STORES, RUN_LOADS, STEPS * next / 2, VOTES);
    if (slowed == STORE_OPEN)
        return slowed;
    enum store_answer quicker = longer(store, WRITE_SWEPT, WRITE_NEAR, store->half, needed_votes(store));
    if (quicker == STORE_NO && slowed == STORE_NO && lengthen(store)) /* too short a sweep would show the same */
        quicker = longer(store, WRITE_SWEPT, WRITE_NEAR, store->half, needed_votes(store));
    if (quicker == STORE_OPEN)
        return quicker;
    store->why = quicker == STORE_YES ? "single stores stay in the first level, and yet many in a row are slow"
                                      : "single stores are as slow as to other lines, and yet many in a row are not";
    return quicker == slowed ? STORE_OPEN : quicker;
}
