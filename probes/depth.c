// SPDX-License-Identifier: BSD-2-Clause
/* depth.c: targets, the bytes that push them out, and how long a target takes then. */
#include "probes/depth.h"
#include "base/arithmetic.h"
#include "base/random.h"
#include "probes/cluster.h"

enum {
    LINE = 64,       /* bytes between others: where lines are longer, they are read more than once */
    SLOT = 128,      /* bytes: two lines, or one longer one, for each target */
    UNIT = 4096,     /* bytes: no two targets in one */
    ROW = 1 << 17,   /* bytes: no row of memory is longer */
    TINY = 1 << 13,  /* bytes of others up to which there is half of them: a first level may have 4 KB */
    SMALL = 1 << 18, /* bytes of others up to which there are FEW targets */
    FEW = 16,
    MANY = 512,
    PARTS = 4,           /* pieces that the others are read in, at least */
    MOST_ROUNDS = 2048,  /* of others and targets, for one latency */
    MOST_READ = 1 << 17, /* lines of others, for one latency ... */
    COARSELY = 2,        /* ... and so many times that where the clock does not show single loads */
    FINE = 4,            /* core cycles of the clock's step, at most, where it shows single loads */
    FLUSHED_GROUP = 128,
    FLUSHED_PAIR = 2, /* in small pages */
    LARGE_GROUP = 8,  /* targets timed together ... */
    PAGES = 4,        /* ... in so many pages */
    SMALL_GROUP = 4,  /* or each in a page of its own */
    MOST_GROUPS = 1024,
    LEAST_GROUPS = 16,
    SPREAD = 8,
    JITTER = 4, /* standard deviations, or steps of the clock: further off was an interruption */
    HITS = 128,
    LINKS_A_REST = 64,
    FLUSHES = 16,   /* visits of a script */
    SAME_ORDER = 2, /* rounds: to link targets takes longer than to visit them */
    EXPLORING = 8,  /* rounds, a quarter of all at most, until targets that are alike are timed together */
    LOOKS = 5,
    ADDS = 8192
};

/* Between a target and its doorstep: no two targets of a layout are so far apart. */
static const uint64_t BESIDE = FEW * SLOT;

/* Latencies closer than this part, or this many core cycles, are one. */
static const double TOLERANCE = 0.02, LEAST_TOLERANCE = 0.5;

/* Standard deviations of the clock's noise that means of the same lie within; and, of a doorstep's, single loads. */
static const double WIDTH = 5, SINGLE = 5.7;

/* Standard deviation of what the slices of a level take, as part of that: no level has more. */
static const double SLICES = 0.1;

/* Part of the groups' distance between quartiles, above the third one, beyond which a group was interrupted. */
static const double INTERRUPTED = 3;

static bool link(struct depth *depth, uint64_t from, uint64_t to)
{
    if (!machine_link(depth->bench->machine, OP_LOAD, from, to))
        depth->bench->refused = true;
    depth->bench->linked++;
    return bench_ok(depth->bench);
}

/* What a short reading has too much, and how far that varies: an interruption counts as a few times of that. */
static void learn(struct depth *depth, double taken)
{
    double step = (double)depth->bench->clock.step, varies = square_root(depth->jitter), away = taken - depth->itself;
    double most = JITTER * (varies > step ? varies : step);
    depth->readings++;
    depth->itself += away / depth->readings;
    if (away > most || away < -most)
        away = most;
    depth->jitter += (away * away - depth->jitter) / depth->readings;
}

/* Whether single loads can be told from each other: by the clock's step, and by how far readings of one hit vary. */
static bool shows_single_loads(struct depth *depth)
{
    struct bench *bench = depth->bench;
    struct random random = {bench_seed(bench)};
    if (!link(depth, depth->targets, depth->targets))
        return false;
    for (unsigned i = 0; i < HITS; i++) {
        struct reading reading;
        if (!bench_run(bench, OP_LOAD, depth->targets, 1 + random_below(&random, SPREAD), &reading) ||
            !bench_run(bench, OP_LOAD, depth->targets, 1, &reading))
            return false;
        if (!reading.disturbances && !reading.lost)
            learn(depth, (double)reading.ticks - depth->hit - depth->extra);
    }
    double step = (double)bench->clock.step, varies = square_root(depth->jitter);
    return step * bench->cycles_per_tick <= FINE && varies * bench->cycles_per_tick <= FINE / 2;
}

bool depth_open(struct depth *depth, struct bench *bench, const struct stretch *stretch, double hit, double extra)
{
    uint64_t unit = machine_page(bench->machine, 0), room = unit * FEW;
    if (unit < UNIT)
        unit = UNIT;
    while (room * 16 <= stretch->size && (stretch->page <= ROW || room * 2 <= PAGES * stretch->page))
        room *= 2;
    *depth = (struct depth){.bench = bench, .targets = stretch->base, .unit = unit, .room = room};
    depth->page = stretch->page;
    depth->hit = hit;
    depth->extra = extra;
    depth->group = shows_single_loads(depth) ? 1 : stretch->page > ROW ? LARGE_GROUP : SMALL_GROUP;
    depth->others = stretch->base + room;
    depth->most = room < stretch->size ? stretch->size - room : 0;
    return depth->most >= room;
}

/* Where targets lie. Blocks of a power of two bytes have a target each, at what follows the others' last byte modulo
 * the block: so others and targets together fill sets as one piece of memory would, whatever the number of ways, and
 * even a cache that is not associative keeps both as long as both have room. */
struct layout {
    uint64_t count, block, offset; /* targets, a power of two; bytes; bytes */
    uint16_t order[MANY];          /* in which they are visited */
    unsigned group;                /* targets that are timed together */
    bool scattered;                /* anywhere in their blocks instead: in all rows and banks of memory alike */
};

static struct layout layout_behind(struct depth *depth, uint64_t bytes, uint64_t count)
{
    struct layout layout = {.count = count, .block = depth->unit, .offset = bytes, .group = depth->group};
    if (layout.group > count / 2)
        layout.group = (unsigned)count / 2; /* never all: which of them are together differs from round to round */
    while (layout.block < bytes && 2 * layout.block * count <= depth->room)
        layout.block *= 2;
    struct random random = {bench_seed(depth->bench)};
    for (uint64_t i = 0; i < count; i++) {
        uint64_t j = random_below(&random, i + 1);
        layout.order[i] = layout.order[j];
        layout.order[j] = (uint16_t)i;
    }
    return layout;
}

/* Target number `index` of the order. */
static uint64_t target(const struct depth *depth, const struct layout *layout, uint64_t index)
{
    uint64_t number = layout->order[index];
    /* Not in step with the block's number: a hash of both would be the same for all. And the same each time: what was a
     * target before is not to lie about. */
    static const uint8_t slots[FEW] = {0, 11, 6, 13, 3, 8, 14, 1, 10, 5, 15, 2, 9, 4, 12, 7};
    uint64_t slot = layout->count < FEW ? number * 3 % layout->count : slots[number % FEW] ^ number / FEW % FEW;
    uint64_t offset = (layout->offset + slot * SLOT) & (layout->block - 1);
    struct random random = {layout->offset + number};
    if (layout->scattered)
        offset = random_below(&random, layout->block / LINE) * LINE & ~(uint64_t)LINE;
    return depth->targets + number * layout->block + offset;
}

/* A line that brings a target's page into the TLB: neither in its sets nor, where pages allow it, in its row. */
static uint64_t doorstep(const struct depth *depth, const struct layout *layout, uint64_t target)
{
    return target ^
           (layout->scattered               ? LINE
            : layout->count * SLOT < BESIDE ? BESIDE / 2
                                            : BESIDE) ^
           (depth->page > ROW ? ROW : 0);
}

/* Makes the targets one walk, the doorsteps of each group one of their own. With rests: pages that nobody has touched
 * before may take a host milliseconds each. */
static bool link_targets(struct depth *depth, const struct layout *layout)
{
    for (uint64_t i = 0; i < layout->count; i++) {
        uint64_t next = i + 1 < layout->count ? i + 1 : 0;
        uint64_t neighbour = (i + 1) % layout->group != 0 ? i + 1 : i + 1 - layout->group;
        uint64_t here = target(depth, layout, i), beside = target(depth, layout, neighbour);
        if (i % LINKS_A_REST == 0 && !bench_rest(depth->bench, true))
            return false;
        if (!link(depth, here, target(depth, layout, next)) ||
            !link(depth, doorstep(depth, layout, here), doorstep(depth, layout, beside)))
            return false;
    }
    return true;
}

/* Reads the others once, in parts of a new order: a policy that is not LRU may keep the targets for ever when
 * everything else always comes in the same order. */
static bool read_others(struct depth *depth, uint64_t bytes)
{
    uint64_t part = power_of_two_within(bytes) / PARTS, parts = bytes / part, at[2 * PARTS] = {0};
    struct random random = {bench_seed(depth->bench)};
    for (uint64_t i = 0; i < parts; i++) {
        uint64_t j = random_below(&random, i + 1);
        at[i] = at[j];
        at[j] = i;
    }
    for (uint64_t i = 0; i < parts; i++) {
        struct reading reading;
        uint64_t begin = at[i] * part, length = at[i] + 1 < parts ? part : bytes - begin;
        if (!bench_run(depth->bench, OP_READ, depth->others + begin, length / LINE, &reading))
            return false;
    }
    return true;
}

/* Latencies, in ticks a load. */
struct sample {
    unsigned group;            /* loads that are timed together */
    double value[MOST_GROUPS]; /* of groups, or of single loads */
    unsigned count;
    /* For each target: readings of groups that it was in, and how many. Floats are exact enough, and stacks are small.
     */
    float sum[MANY], squares[MANY], times[MANY];
};

/* Times the targets, group by group, behind their doorsteps. The doorsteps, which are in the first level by then, are
 * timed as well: what a short reading has too much or too little by the way that the clock is read is in both. */
static bool time_targets(struct depth *depth, const struct layout *layout, struct sample *sample)
{
    struct random random = {bench_seed(depth->bench)};
    unsigned group = layout->group;
    for (uint64_t i = 0; i < layout->count; i += group) {
        uint64_t first = target(depth, layout, i), step = doorstep(depth, layout, first);
        struct reading door, reading;
        /* So many of them that the clock's next step falls anywhere in what is timed. */
        if (!bench_run(depth->bench, OP_LOAD, step, group * (1 + random_below(&random, SPREAD)), &door) ||
            !bench_run(depth->bench, OP_LOAD, step, group, &door) ||
            !bench_run(depth->bench, OP_LOAD, first, group, &reading))
            return false;
        if (reading.disturbances || reading.lost || door.disturbances || door.lost)
            continue;
        double taken = (double)door.ticks - depth->hit * group;
        if (group <= LARGE_GROUP) {
            learn(depth, taken - depth->extra * group);
        } else { /* so many doorsteps may not fit in the first level; but then the reading is long */
            taken = depth->itself + depth->extra * group;
        }
        double value = ((double)reading.ticks - taken) / group;
        if (sample->count < MOST_GROUPS)
            sample->value[sample->count++] = value;
        for (unsigned j = 0; j < group; j++) {
            sample->sum[layout->order[i + j]] += (float)value;
            sample->squares[layout->order[i + j]] += (float)(value * value);
            sample->times[layout->order[i + j]]++;
        }
    }
    return true;
}

/* Core cycles of a tick just now. */
static bool cycles_of_tick(struct depth *depth, double *cycles)
{
    struct bench *bench = depth->bench;
    double ticks[LOOKS];
    for (unsigned i = 0; i < LOOKS; i++)
        if (!bench_block(bench, BLOCK_ADD, ADDS, &ticks[i]))
            return false;
    double middle = quantile(ticks, LOOKS, 0.5);
    /* A few adds cannot tell more than the clock's step lets them: what many adds have told stands then. */
    double cycles_now = middle > 0 ? ADDS / middle : bench->cycles_per_tick;
    double doubt = middle > 0 ? 2 * (double)bench->clock.step / middle : 1;
    bool same = cycles_now < bench->cycles_per_tick * (1 + doubt) && cycles_now > bench->cycles_per_tick * (1 - doubt);
    *cycles = same ? bench->cycles_per_tick : cycles_now;
    return true;
}

/* The mean of all readings but those that were interrupted. */
static void summarise_all(const struct depth *depth, struct sample *sample, double cycles, struct latency_of *latency)
{
    double first = quantile(sample->value, sample->count, 0.25), third = quantile(sample->value, sample->count, 0.75);
    double step = (double)depth->bench->clock.step / sample->group, sum = 0, square = 0;
    double limit = third + INTERRUPTED * (third - first + step);
    unsigned count = 0;
    for (; count < sample->count && sample->value[count] <= limit; count++) /* sorted by quantile() */
        sum += sample->value[count];
    double mean = count ? sum / count : 0;
    for (unsigned i = 0; i < count; i++)
        square += (sample->value[i] - mean) * (sample->value[i] - mean);
    latency->cycles = mean * cycles;
    latency->low = first * cycles;
    latency->middle = quantile(sample->value, sample->count, 0.5) * cycles;
    latency->high = third * cycles;
    /* A group is shown in steps of the clock: where all show the same, half a step may be hidden all the same. */
    double away = mean > latency->middle / cycles ? mean - latency->middle / cycles : latency->middle / cycles - mean;
    latency->bias = away > step ? (away - step) / 2 * cycles : 0;
    double variance = count > 1 ? square / (count - 1) : 0, hidden = step * step / 6;
    latency->variance = (variance > hidden ? variance : hidden) * cycles * cycles / (count ? count : 1);
    latency->share = latency->other = 0;
    latency->seen = false;
}

/* What each target took, on the average of all groups that it was in: sorted. Returns how many; *times: of what each is
 * the mean; *within: variance of one of these. */
static unsigned by_target(const struct sample *sample, double values[MANY], double *times, double *within)
{
    unsigned count = 0;
    *times = *within = 0;
    for (unsigned i = 0; i < MANY; i++)
        if (sample->times[i] > 0) {
            values[count] = (double)sample->sum[i] / (double)sample->times[i];
            *within += (double)sample->squares[i] - values[count++] * (double)sample->sum[i];
            *times += (double)sample->times[i];
        }
    quantile(values, count, 0); /* sorts */
    *within = *times > count ? *within / (*times - count) : 0;
    *times = count ? *times / count : 1;
    return count;
}

/* The mean of the readings that agree, where enough do. */
static void summarise(const struct depth *depth, struct sample *sample, double cycles, struct latency_of *latency)
{
    double took[MANY], times = 1, within = 0;
    const double *values = sample->value; /* sorted by then: what single loads took each time */
    unsigned count = sample->count;
    summarise_all(depth, sample, cycles, latency);
    if (sample->group > 1) {
        count = by_target(sample, took, &times, &within);
        values = took;
    }
    double step = (double)depth->bench->clock.step / sample->group, hidden = step * step / 6;
    double jitter = depth->jitter / (sample->group * sample->group), most = jitter + step * step / 4; /* of a load */
    double noise = sample->group == 1 ? SINGLE * square_root(jitter) : WIDTH * square_root(most / times);
    struct cluster cluster = cluster_of(values, count, noise, TOLERANCE, LEAST_TOLERANCE / cycles);
    /* Targets that are always timed together agree, and know no more than one of them. */
    if (cluster.share <= 0 || (cluster.share < WHOLE && cluster.share * count < 2 * sample->group))
        return;
    /* Two readings of the clock, slices that differ, and no more: else targets were sometimes here, sometimes there. */
    double slices = SLICES * cluster.mean;
    if (sample->group > 1 && within > 2 * most + slices * slices / sample->group)
        return;
    double variance = cluster.variance * sample->group,
           least = (within > hidden ? within : hidden) / (cluster.share * count * times / sample->group);
    latency->cycles = cluster.mean * cycles;
    latency->variance = (variance > least ? variance : least) * cycles * cycles;
    latency->share = cluster.share;
    latency->seen = cluster.tight && sample->group == 1;
    latency->other = latency->seen ? cluster.other * cycles : 0;
    if (sample->group == 1 || cluster.share < WHOLE)
        latency->bias = 0;
}

/* Targets at a time, and how often: a mean of as many groups as it takes to know a short latency well, and of fewer
 * where the others are many. */
static uint64_t targets_beside(const struct depth *depth, uint64_t bytes, unsigned *rounds)
{
    uint64_t count = bytes <= TINY ? FEW / 2 : FEW,
             affordable = (uint64_t)MOST_READ * (depth->group > 1 ? COARSELY : 1) / (bytes / LINE);
    while (count < MANY && count * SMALL < bytes * FEW && 2 * count * depth->unit <= depth->room)
        count *= 2;
    *rounds = affordable < 1 ? 1 : (unsigned)(affordable > MOST_ROUNDS ? MOST_ROUNDS : affordable);
    return count;
}

/* Whether a mean is known well enough: to a third of half a cycle or of 2 %, or, for a first look, to all of it. */
static bool known_well(const struct latency_of *latency, bool first_look)
{
    double room = (latency->cycles > 25 ? latency->cycles / 50 : 0.5) / (first_look ? 1 : 3);
    return latency->variance <= room * room;
}

/* Targets that took alike come together, so that groups are of one level each, and what a target took is known from the
 * groups that it was in. */
static void bring_together(struct layout *layout, const struct sample *sample)
{
    double took[MANY];
    for (uint64_t i = 0; i < layout->count; i++) {
        uint16_t number = layout->order[i];
        double value = sample->times[number] > 0 ? (double)sample->sum[number] / (double)sample->times[number] : 0;
        uint64_t place = i;
        for (; place && took[place - 1] > value; place--) {
            took[place] = took[place - 1];
            layout->order[place] = layout->order[place - 1];
        }
        took[place] = value;
        layout->order[place] = number;
    }
}

/* The order of a round. Single targets are visited in any. Groups are made at random at first; what they say of a
 * target then is half forgotten round by round while they become pure. */
static struct layout next_layout(struct depth *depth, uint64_t bytes, uint64_t count, struct sample *sample,
                                 unsigned round, unsigned exploring)
{
    struct layout layout = layout_behind(depth, bytes, count);
    if (depth->group == 1 || round < exploring)
        return layout;
    bring_together(&layout, sample);
    for (unsigned i = 0; i < count && round < 2 * exploring; i++) {
        sample->sum[i] /= 2;
        sample->squares[i] /= 2;
        sample->times[i] /= 2;
    }
    return layout;
}

/* Whether a place needs no further round. */
static bool enough(const struct depth *depth, struct sample *sample, double cycles, bool first_look, unsigned exploring,
                   struct latency_of *latency)
{
    if (depth->group == 1 && sample->count == MOST_GROUPS)
        return true;
    if (sample->count < LEAST_GROUPS)
        return false;
    summarise(depth, sample, cycles, latency);
    /* What is no whole needs more readings than what is: how large a part it is, is to be known as well. */
    bool whole = latency->share >= WHOLE;
    if (!whole && sample->count < (depth->group == 1 ? MOST_GROUPS / 4 : 4 * exploring))
        return false;
    /* What a hit takes is known already. */
    bool hit = latency->cycles <= depth->hit * cycles + 2 * LEAST_TOLERANCE;
    return known_well(latency, first_look || hit);
}

bool depth_after(struct depth *depth, uint64_t bytes, unsigned passes, struct latency_of *latency)
{
    unsigned rounds;
    uint64_t count = targets_beside(depth, bytes, &rounds);
    unsigned exploring = depth->group == 1 ? 0 : rounds / 4 < EXPLORING ? rounds / 4 : EXPLORING;
    double cycles;
    if (!cycles_of_tick(depth, &cycles))
        return false;
    struct layout layout = layout_behind(depth, bytes, count);
    struct sample sample = {.group = layout.group};
    for (unsigned round = 0; round < rounds && !enough(depth, &sample, cycles, passes == 1, exploring, latency);
         round++) {
        struct reading reading;
        if (round % (round < 2 * exploring ? 1 : SAME_ORDER) == 0) {
            layout = next_layout(depth, bytes, count, &sample, round, exploring);
            if (!link_targets(depth, &layout))
                return false;
        }
        if (!bench_rest(depth->bench, false) ||
            !bench_run(depth->bench, OP_LOAD, target(depth, &layout, 0), count, &reading))
            return false;
        for (unsigned pass = 0; pass < passes; pass++)
            if (!read_others(depth, bytes))
                return false;
        if (!time_targets(depth, &layout, &sample))
            return false;
    }
    summarise(depth, &sample, cycles, latency);
    return bench_ok(depth->bench);
}

/* Flushes the targets; or their doorsteps, which then open the row that lies behind both. */
static bool flush(struct depth *depth, const struct layout *layout, bool doorsteps)
{
    struct reading lap[MAX_LAPS];
    for (uint64_t i = 0; i < layout->count; i += FLUSHES) {
        struct visit visits[FLUSHES + 1];
        for (uint64_t j = 0; j < FLUSHES; j++) {
            uint64_t line = target(depth, layout, i + j);
            visits[j] = (struct visit){.op = OP_FLUSH_LINE, .va = doorsteps ? doorstep(depth, layout, line) : line};
        }
        visits[FLUSHES] = (struct visit){.op = OP_FENCE};
        if (!machine_script(depth->bench->machine, visits, FLUSHES + 1, lap))
            return false;
    }
    return true;
}

bool depth_flushed(struct depth *depth, bool scattered, struct latency_of *latency)
{
    enum { LEAST = 8, MOST = 64 };
    struct sample sample = {.group = !scattered ? depth->group : depth->page > ROW ? FLUSHED_GROUP : FLUSHED_PAIR};
    double cycles;
    uint64_t count = scattered ? MANY : FEW;
    while (count > FEW && count * depth->unit > depth->room)
        count /= 2;
    if (!cycles_of_tick(depth, &cycles))
        return false;
    for (unsigned round = 0; round < LEAST || (round < MOST && !known_well(latency, false)); round++) {
        struct layout layout = layout_behind(depth, scattered ? depth->room : depth->unit, count);
        uint64_t whole = power_of_two_within(depth->room + depth->most);
        struct reading reading;
        /* A doorstep in a small page opens the target's row; then pairs in one bank close each other's. */
        layout.group = sample.group; /* long: how many banks a refresh has closed depends on the time in between */
        layout.scattered = scattered && depth->page > ROW;
        if (layout.scattered && whole <= PAGES * depth->page && whole > depth->room)
            layout.block = whole / count; /* all over what four pages reach */
        if (!link_targets(depth, &layout) ||
            !bench_run(depth->bench, OP_LOAD, target(depth, &layout, 0), count, &reading) ||
            !flush(depth, &layout, false) || (!scattered && !flush(depth, &layout, true)) ||
            !time_targets(depth, &layout, &sample))
            return false;
        summarise_all(depth, &sample, cycles, latency);
    }
    return bench_ok(depth->bench);
}
