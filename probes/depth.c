// SPDX-License-Identifier: BSD-2-Clause
/* depth.c: targets, the bytes that push them out, and how long a target takes then. */
#include "probes/depth.h"
#include "base/arithmetic.h"
#include "base/random.h"

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
    MOST_ROUNDS = 256,   /* of others and targets, for one latency */
    MOST_READ = 1 << 17, /* lines of others, for one latency */
    FLUSHED_GROUP = 128,
    LARGE_GROUP = 8, /* targets timed together ... */
    PAGES = 4,       /* ... in so many pages */
    SMALL_GROUP = 2, /* or each in a page of its own */
    MOST_GROUPS = 1024,
    LEAST_GROUPS = 16,
    SPREAD = 8,
    LINKS_A_REST = 64,
    FLUSHES = 16,   /* visits of a script */
    SAME_ORDER = 2, /* rounds: to link targets takes longer than to visit them */
    LOOKS = 5,
    ADDS = 8192
};

/* Between a target and its doorstep: no two targets of a layout are so far apart. */
static const uint64_t BESIDE = FEW * SLOT;

/* Part of the groups' distance between quartiles, above the third one, beyond which a group was interrupted. */
static const double INTERRUPTED = 3;

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
    depth->group = stretch->page > ROW ? LARGE_GROUP : SMALL_GROUP;
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

static bool link(struct depth *depth, uint64_t from, uint64_t to)
{
    if (!machine_link(depth->bench->machine, OP_LOAD, from, to))
        depth->bench->refused = true;
    depth->bench->linked++;
    return bench_ok(depth->bench);
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

/* Latencies of groups, in ticks a load. */
struct sample {
    double value[MOST_GROUPS];
    unsigned count;
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
        if (reading.disturbances || reading.lost || door.disturbances || door.lost || sample->count == MOST_GROUPS)
            continue;
        double taken = (double)door.ticks - depth->hit * group;
        if (group <= LARGE_GROUP) {
            depth->readings++;
            depth->itself += (taken - depth->extra * group - depth->itself) / depth->readings;
        } else { /* so many doorsteps may not fit in the first level; but then the reading is long */
            taken = depth->itself + depth->extra * group;
        }
        sample->value[sample->count++] = ((double)reading.ticks - taken) / group;
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

static void summarise(const struct depth *depth, struct sample *sample, double cycles, struct latency_of *latency)
{
    double first = quantile(sample->value, sample->count, 0.25), third = quantile(sample->value, sample->count, 0.75);
    double step = (double)depth->bench->clock.step / depth->group, sum = 0, square = 0;
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
    latency->spread = (variance > hidden ? variance : hidden) * cycles * cycles;
    latency->variance = count ? latency->spread / count : latency->spread;
}

/* Targets at a time, and how often: a mean of as many groups as it takes to know a short latency well, and of fewer
 * where the others are many. */
static uint64_t targets_beside(const struct depth *depth, uint64_t bytes, unsigned *rounds)
{
    uint64_t count = bytes <= TINY ? FEW / 2 : FEW, affordable = MOST_READ / (bytes / LINE);
    while (count < MANY && count * SMALL < bytes * FEW && 2 * count * depth->unit <= depth->room)
        count *= 2;
    *rounds = affordable < 1 ? 1 : (unsigned)(affordable > MOST_ROUNDS ? MOST_ROUNDS : affordable);
    return count;
}

/* Whether a mean is known well enough: to a third of half a cycle or of 2 %, or, for a first look, to all of it. */
static bool known_well(const struct depth *depth, bool first_look, struct sample *sample, double cycles,
                       struct latency_of *latency)
{
    if (sample->count < LEAST_GROUPS)
        return false;
    summarise(depth, sample, cycles, latency);
    double room = (latency->cycles > 25 ? latency->cycles / 50 : 0.5) / (first_look ? 1 : 3);
    return latency->variance <= room * room;
}

bool depth_after(struct depth *depth, uint64_t bytes, unsigned passes, struct latency_of *latency)
{
    struct sample sample = {.count = 0};
    unsigned rounds;
    uint64_t count = targets_beside(depth, bytes, &rounds);
    double cycles;
    if (!cycles_of_tick(depth, &cycles))
        return false;
    struct layout layout = layout_behind(depth, bytes, count);
    for (unsigned round = 0; round < rounds && !known_well(depth, passes == 1, &sample, cycles, latency); round++) {
        struct reading reading;
        if (round % SAME_ORDER == 0) {
            layout = layout_behind(depth, bytes, count);
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

static bool flush(struct depth *depth, const struct layout *layout)
{
    struct reading lap[MAX_LAPS];
    for (uint64_t i = 0; i < layout->count; i += FLUSHES) {
        struct visit visits[FLUSHES + 1];
        for (uint64_t j = 0; j < FLUSHES; j++)
            visits[j] = (struct visit){.op = OP_FLUSH_LINE, .va = target(depth, layout, i + j)};
        visits[FLUSHES] = (struct visit){.op = OP_FENCE};
        if (!machine_script(depth->bench->machine, visits, FLUSHES + 1, lap))
            return false;
    }
    return true;
}

bool depth_flushed(struct depth *depth, bool scattered, struct latency_of *latency)
{
    enum { LEAST = 8, MOST = 64 };
    struct sample sample = {.count = 0};
    double cycles;
    uint64_t count = scattered ? MANY : FEW;
    while (count > FEW && count * depth->unit > depth->room)
        count /= 2;
    if (!cycles_of_tick(depth, &cycles))
        return false;
    for (unsigned round = 0; round < LEAST || (round < MOST && !known_well(depth, false, &sample, cycles, latency));
         round++) {
        struct layout layout = layout_behind(depth, scattered ? depth->room : depth->unit, count);
        uint64_t whole = power_of_two_within(depth->room + depth->most);
        struct reading reading;
        /* A doorstep in a small page opens the target's row; then pairs in one bank close each other's. */
        layout.scattered = scattered && depth->page > ROW;
        if (layout.scattered && whole <= PAGES * depth->page && whole > depth->room)
            layout.block = whole / count; /* all over what four pages reach */
        if (layout.scattered)
            layout.group = FLUSHED_GROUP; /* long: how many banks a refresh has closed depends on the time in between */
        if (!link_targets(depth, &layout) ||
            !bench_run(depth->bench, OP_LOAD, target(depth, &layout, 0), count, &reading) || !flush(depth, &layout) ||
            !time_targets(depth, &layout, &sample))
            return false;
    }
    summarise(depth, &sample, cycles, latency);
    return bench_ok(depth->bench);
}
