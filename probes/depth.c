// SPDX-License-Identifier: BSD-2-Clause
/* depth.c: targets, the bytes that push them out, and how long a target takes then. */
#include "probes/depth.h"
#include "base/arithmetic.h"
#include "base/random.h"
#include "probes/cluster.h"
#include "probes/rate.h"

enum {
    LINE = 64,       /* bytes between others: where lines are longer, they are read more than once */
    SLOT = 128,      /* bytes: two lines, or one longer one, for each target */
    UNIT = 4096,     /* bytes: no two targets in one */
    ROW = 1 << 17,   /* bytes: no row of memory is longer ... */
    NEAR = 512,      /* bytes: ... nor shorter than twice that */
    TINY = 1 << 13,  /* bytes of others up to which there is half of them: a first level may have 4 KB */
    SMALL = 1 << 18, /* bytes of others up to which there are FEW targets */
    FEW = 16,
    MANY = MOST_TARGETS,
    SINGLES = 128,       /* targets at most where each is timed by itself */
    PARTS = 4,           /* pieces that the others are read in, at least */
    MOST_ROUNDS = 2048,  /* of others and targets, for one latency */
    MOST_READ = 1 << 17, /* lines of others, for one latency ... */
    COARSELY = 2,        /* ... and so many times that where the clock does not show single loads */
    FLUSHED_GROUP = 128,
    LARGE_GROUP = 8,                              /* targets timed together ... */
    PAGES = 4,                                    /* ... in so many pages */
    SMALL_GROUP = 4,                              /* or each in a page of its own; flushed ones ... */
    FLUSHED_LEAD = FLUSHED_GROUP - SMALL_GROUP,   /* ... behind so many others ... */
    FLUSHED_GROUPS = FLUSHED_GROUP / SMALL_GROUP, /* ... and so many groups of them as one reading */
    POOLED = 8,                                   /* or so many long groups */
    LEAST_READINGS = 16,
    PART_READINGS = 256, /* where only a part of them agree */
    SPREAD = 8,
    HITS = 128,
    LINKS_A_REST = 64,
    FLUSHES = 16,   /* visits of a script */
    SAME_ORDER = 2, /* rounds at most: to link targets takes longer than to visit them */
    EXPLORING = 8,  /* rounds at least, a quarter of all at most, until targets that are alike are timed together */
    WORD = 8
};

/* Two levels are so many core cycles apart at least; and as many standard deviations tell it of two targets. */
static const double LEAST_APART = 6, KNOWN = 2;

/* A few loads at a time, with others in between that hit, meet closed banks and refreshes somewhat more or less often
 * than loads without end. Part of a latency that comes of it, as a standard deviation: on modelled machines, named and
 * random, it was mostly less than that, and never more than twice as much. */
static const double FEW_MEET = 0.01;

/* Between a target and its doorstep: no two targets of a layout are so far apart. */
static const uint64_t BESIDE = FEW * SLOT;

static bool link(struct depth *depth, uint64_t from, uint64_t to)
{
    if (!machine_link(depth->bench->machine, OP_LOAD, from, to))
        depth->bench->refused = true;
    depth->bench->linked++;
    return bench_ok(depth->bench);
}

/* What a short reading of so many hits has too much, from many of them. Where a TLB keeps small pages they are in
 * several ones: one may lie in a set that others come to in between. */
static struct overhead ask_hits(struct depth *depth, unsigned loads)
{
    const unsigned pages = depth->page > ROW ? 1 : FEW;
    struct bench *bench = depth->bench;
    struct random random = {bench_seed(bench)};
    double values[HITS];
    unsigned count = 0;
    for (unsigned i = 0; i < HITS; i++) {
        uint64_t target = depth->targets + i % pages * depth->unit;
        struct reading reading;
        if ((i < pages && !link(depth, target, target)) ||
            !bench_run(bench, OP_LOAD, target, 1 + random_below(&random, SPREAD), &reading) ||
            !bench_run(bench, OP_LOAD, target, loads, &reading))
            break;
        if (!reading.disturbances && !reading.lost)
            values[count++] = (double)reading.ticks - (depth->hit + depth->extra) * loads;
    }
    return overhead_of(values, count, (double)bench->clock.step);
}

/* Bytes of the pages that a TLB keeps of a stretch. Where physical order is certain inside smaller blocks only,
 * somebody who owns the machine may have laid a large page out in small ones, and a TLB keeps those then: a Zen 4, as a
 * guest, loses translations of a page of 2 MB one by one. */
static uint64_t pages_kept(const struct stretch *stretch)
{
    return stretch->contiguous < stretch->page ? stretch->contiguous : stretch->page;
}

bool depth_open(struct depth *depth, struct bench *bench, const struct stretch *stretch, double hit, double extra)
{
    uint64_t unit = machine_page(bench->machine, 0), room = unit * FEW;
    if (unit < UNIT)
        unit = UNIT;
    while (room * 16 <= stretch->size && (stretch->page <= ROW || room * 2 <= PAGES * stretch->page))
        room *= 2;
    *depth = (struct depth){.bench = bench, .targets = stretch->base, .unit = unit, .room = room};
    depth->page = pages_kept(stretch);
    depth->hit = hit;
    depth->extra = extra;
    depth->overhead = ask_hits(depth, 1);
    bool single = readings_single(&depth->overhead, (double)bench->clock.step, bench->cycles_per_tick);
    depth->group = single ? 1 : stretch->page > ROW ? LARGE_GROUP : SMALL_GROUP;
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
    unsigned lead;                 /* before each group so many targets leave rows open as many loads do, not timed */
    bool near;                     /* doorsteps lie in the targets' rows */
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

/* A line that brings a target's page into the TLB: neither in its sets nor, where pages allow it, in its row, but for
 * `near`. */
static uint64_t doorstep(const struct depth *depth, const struct layout *layout, uint64_t target)
{
    if (layout->near)
        return target ^ NEAR;
    if (layout->scattered) /* targets' sets are even ones */
        return target ^ LINE ^ (depth->page > ROW ? ROW : BESIDE);
    return target ^ (layout->count * SLOT < BESIDE ? BESIDE / 2 : BESIDE) ^ (depth->page > ROW ? ROW : 0);
}

/* Where the doorsteps of a group end: a word of the last one's line, which leads to itself. */
static uint64_t landing(const struct depth *depth, const struct layout *layout, uint64_t last)
{
    return doorstep(depth, layout, last) + WORD;
}

/* Makes the targets one walk, the doorsteps of each group one of their own, that ends in their landing. With rests:
 * pages that nobody has touched before may take a host milliseconds each. */
static bool link_targets(struct depth *depth, const struct layout *layout)
{
    for (uint64_t i = 0; i < layout->count; i++) {
        uint64_t next = i + 1 < layout->count ? i + 1 : 0, here = target(depth, layout, i);
        bool last = (i + 1) % layout->group == 0;
        uint64_t end = landing(depth, layout, here);
        if (i % LINKS_A_REST == 0 && !bench_rest(depth->bench, true))
            return false;
        if (!link(depth, here, target(depth, layout, next)) ||
            !link(depth, doorstep(depth, layout, here),
                  last ? end : doorstep(depth, layout, target(depth, layout, next))) ||
            (last && !link(depth, end, end)))
            return false;
    }
    return true;
}

/* Flushes the targets; or their doorsteps, which then open the row that lies behind both. */
static bool flush(struct depth *depth, const struct layout *layout, bool doorsteps)
{
    struct reading lap[MAX_LAPS];
    for (uint64_t i = 0; i < layout->count; i += FLUSHES) {
        struct visit visits[FLUSHES + 1];
        uint64_t flushes = layout->count - i < FLUSHES ? layout->count - i : FLUSHES;
        for (uint64_t j = 0; j < flushes; j++) {
            uint64_t line = target(depth, layout, i + j);
            visits[j] = (struct visit){.op = OP_FLUSH_LINE, .va = doorsteps ? doorstep(depth, layout, line) : line};
        }
        visits[flushes] = (struct visit){.op = OP_FENCE};
        if (!machine_script(depth->bench->machine, visits, flushes + 1, lap))
            return false;
    }
    return true;
}

/* Reads a part of the others, or one piece of it after the other, each twice. */
static bool read_part(struct depth *depth, uint64_t begin, uint64_t length)
{
    uint64_t piece = depth->twice ? depth->twice : length;
    const unsigned times = depth->twice ? 2 : 1;
    struct reading reading;
    for (uint64_t done = 0; done < length; done += piece)
        for (unsigned time = 0; time < times; time++)
            if (!bench_run(depth->bench, OP_READ, begin + done, (length - done < piece ? length - done : piece) / LINE,
                           &reading))
                return false;
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
        uint64_t begin = at[i] * part, length = at[i] + 1 < parts ? part : bytes - begin;
        if (!read_part(depth, depth->others + begin, length))
            return false;
    }
    return true;
}

/* Visits what comes before a group that begins with target number `begin`: its doorsteps, which open rows where
 * other lines have pushed them out; and the lead, which opens others. */
static bool lead_to(struct depth *depth, const struct layout *layout, uint64_t begin)
{
    uint64_t step = doorstep(depth, layout, target(depth, layout, begin));
    uint64_t lead = target(depth, layout, begin - layout->lead);
    struct reading reading;
    return bench_run(depth->bench, OP_LOAD, step, layout->group + 1, &reading) &&
           bench_run(depth->bench, OP_LOAD, lead, layout->lead, &reading);
}

/* Times the targets, group by group, behind their doorsteps. As many loads of the landing are timed as well: what a
 * short reading has too much or too little by the way that the clock is read is in both. They hit under any policy, for
 * nothing else is loaded in between; not all doorsteps of a group have to (some policies keep two lines of one set from
 * staying in the first level together). */
static bool time_targets(struct depth *depth, const struct layout *layout, struct readings *readings)
{
    struct random random = {bench_seed(depth->bench)};
    unsigned group = layout->group;
    for (uint64_t i = layout->lead; i < layout->count; i += group + layout->lead) {
        uint64_t first = target(depth, layout, i), step = doorstep(depth, layout, first);
        uint64_t end = landing(depth, layout, target(depth, layout, i + group - 1));
        struct reading door, reading;
        if (layout->lead && !lead_to(depth, layout, i))
            return false;
        /* So many of them that the clock's next step falls anywhere in what is timed, or, where that is long, the next
         * refresh. */
        uint64_t before = group > LARGE_GROUP ? group * (1 + random_below(&random, 2 * SPREAD))
                                              : group + 1 + random_below(&random, SPREAD * group);
        if (!bench_run(depth->bench, OP_LOAD, step, before, &door) ||
            !bench_run(depth->bench, OP_LOAD, end, group, &door) ||
            !bench_run(depth->bench, OP_LOAD, first, group, &reading))
            return false;
        if (reading.disturbances || reading.lost || door.disturbances || door.lost)
            continue;
        double taken = (double)door.ticks - depth->hit * group;
        if (group > LARGE_GROUP) /* so long that what a hit takes is not known well enough for so many */
            taken = depth->overhead.mean + depth->extra * group;
        else if (!overhead_learn(&depth->overhead, taken - depth->extra * group))
            continue;
        readings_add(readings, &layout->order[i], ((double)reading.ticks - taken) / group, (double)reading.ticks);
    }
    return true;
}

/* Targets at a time, and how often: a mean of as many groups as it takes to know a short latency well, and of fewer
 * where the others are many. */
static uint64_t targets_beside(const struct depth *depth, uint64_t bytes, unsigned *rounds)
{
    bool single = depth->group == 1;
    uint64_t count = bytes <= TINY ? FEW / 2 : FEW, most = single ? SINGLES : MANY;
    uint64_t affordable = (uint64_t)MOST_READ * (single ? 1 : COARSELY) / (bytes / LINE);
    while (count < most && count * SMALL < bytes * FEW && 2 * count * depth->unit <= depth->room)
        count *= 2;
    *rounds = affordable < 1 ? 1 : (unsigned)(affordable > MOST_ROUNDS ? MOST_ROUNDS : affordable);
    return count;
}

/* Whether a mean is known well enough: to a third of what makes two latencies, or, for a first look, to all of it. */
static bool known_well(const struct latency_of *latency, bool first_look)
{
    double room = readings_tolerance(latency->cycles) / (first_look ? 1 : 3);
    return latency->variance <= room * room;
}

/* Targets that took alike come together, so that groups are of one level each, and what a target took is known from the
 * groups that it was in. */
static void bring_together(struct layout *layout, const struct readings *readings)
{
    for (uint64_t i = 0; i < layout->count; i++) {
        uint16_t number = layout->order[i];
        uint64_t place = i;
        for (; place && readings_of(readings, layout->order[place - 1]) > readings_of(readings, number); place--)
            layout->order[place] = layout->order[place - 1];
        layout->order[place] = number;
    }
}

/* How the rounds of a place follow on each other. */
struct course {
    unsigned rounds;  /* at most */
    unsigned random;  /* the first of them: groups by lot */
    unsigned sorting; /* the next: targets that took alike come together */
};

/* Groups stay at random until they tell a target of one level from one of the next by their means: such a target makes
 * a group's load longer by the distance of both, divided by the group, and the clock hides half a step of it, divided
 * likewise. Sorted sooner, the targets of the farther level come to be as many in each group, by chance, and groups
 * that are alike are never told apart again. */
static struct course course_of(const struct depth *depth, unsigned rounds, double cycles)
{
    struct course course = {.rounds = rounds, .sorting = rounds / 4 < EXPLORING ? rounds / 4 : EXPLORING};
    if (depth->group == 1)
        return (struct course){.rounds = rounds};
    double step = (double)depth->bench->clock.step, noise = 2 * square_root(depth->overhead.variance);
    double hides = (noise > step ? noise : step) * cycles / LEAST_APART;
    double random = KNOWN * KNOWN / 2 * hides * hides; /* of a difference of two means */
    course.random = random > rounds / 4.0 ? rounds / 4 : (unsigned)random;
    if (course.random < course.sorting)
        course.random = course.sorting;
    return course;
}

/* The order of a round. Single targets are visited in any. Groups are made at random at first; what they say of a
 * target then is half forgotten round by round while they become pure. */
static struct layout next_layout(struct depth *depth, uint64_t bytes, uint64_t count, struct readings *readings,
                                 unsigned round, const struct course *course)
{
    struct layout layout = layout_behind(depth, bytes, count);
    readings->group = layout.group;
    if (depth->group == 1 || round < course->random)
        return layout;
    bring_together(&layout, readings);
    if (round < course->random + course->sorting)
        readings_forget(readings);
    if (round == course->random + course->sorting)
        readings_alike(readings);
    return layout;
}

/* Whether a place needs no further round. */
static bool enough(const struct depth *depth, const struct readings *readings, const struct latency_of *latency,
                   bool first_look, bool settled)
{
    /* What is no whole needs more readings than what is: how large a part it is, is to be known as well. */
    bool single = depth->group == 1, whole = latency->share >= WHOLE;
    if (single && readings->count == MOST_READINGS)
        return true;
    if (readings->count < LEAST_READINGS || (!single && !settled && !(first_look && whole)) ||
        (single && !whole && readings->count < PART_READINGS))
        return false;
    /* What a hit takes is known already. */
    bool hit = latency->cycles <= depth->hit * depth->bench->cycles_per_tick + 2 * LEAST_TOLERANCE;
    return known_well(latency, first_look || hit);
}

bool depth_after(struct depth *depth, uint64_t bytes, unsigned passes, struct latency_of *latency)
{
    struct readings readings = {.group = 1};
    struct layout layout = {.count = 0};
    unsigned rounds;
    uint64_t count = targets_beside(depth, bytes, &rounds);
    double cycles, step = (double)depth->bench->clock.step;
    if (!rate_now(depth->bench, &cycles))
        return false;
    const struct course course = course_of(depth, rounds, cycles);
    /* While orders change with each round. */
    unsigned changing = course.random + course.sorting;
    for (unsigned round = 0; round < course.rounds; round++) {
        struct reading reading;
        if (round < changing || (round - changing) % SAME_ORDER == 0) {
            layout = next_layout(depth, bytes, count, &readings, round, &course);
            if (!link_targets(depth, &layout))
                return false;
        }
        if (depth->fresh && !flush(depth, &layout, false))
            depth->bench->refused = true; /* it was allowed when memory was asked */
        if (!bench_rest(depth->bench, false) ||
            !bench_run(depth->bench, OP_LOAD, target(depth, &layout, 0), count, &reading))
            return false;
        for (unsigned pass = 0; pass < passes; pass++)
            if (!read_others(depth, bytes))
                return false;
        if (!time_targets(depth, &layout, &readings))
            return false;
        readings_agreeing(&readings, &depth->overhead, step, cycles, latency);
        if (enough(depth, &readings, latency, passes == 1, round >= changing + course.sorting))
            break;
    }
    return bench_ok(depth->bench);
}

/* How many flushed targets there are at a time, and how they lie and are visited. Long groups: how many banks a refresh
 * has closed depends on the time in between. In small pages few behind a lead. For the least, as targets are timed
 * after others. */
static struct layout layout_flushed(struct depth *depth, enum flushed how)
{
    bool scattered = how == FLUSHED_SCATTERED, large = depth->page > ROW;
    uint64_t whole = power_of_two_within(depth->room + depth->most), count = scattered ? MANY : FEW;
    while (count > FEW && count * depth->unit > depth->room)
        count /= 2;
    struct layout layout = layout_behind(depth, scattered ? depth->room : depth->unit, count);
    layout.group = !scattered ? depth->group : large ? FLUSHED_GROUP : SMALL_GROUP;
    layout.lead = scattered && !large && count > FLUSHED_LEAD ? FLUSHED_LEAD : 0;
    layout.scattered = scattered;
    layout.near = how == FLUSHED_NEAR;
    if (scattered && large && whole <= PAGES * depth->page && whole > depth->room)
        layout.block = whole / count; /* all over what four pages reach */
    return layout;
}

/* A round of flushed targets. */
static bool time_flushed(struct depth *depth, enum flushed how, struct readings *readings)
{
    struct layout layout = layout_flushed(depth, how);
    struct reading reading;
    readings->group = layout.group;
    return link_targets(depth, &layout) &&
           bench_run(depth->bench, OP_LOAD, target(depth, &layout, 0), layout.count, &reading) &&
           flush(depth, &layout, false) && (layout.scattered || flush(depth, &layout, true)) &&
           time_targets(depth, &layout, readings);
}

/* As many readings of few as make twice LEAST_READINGS of many. */
static bool time_few(struct depth *depth, enum flushed how, struct readings *readings)
{
    enum { NEEDED = 2 * LEAST_READINGS * FLUSHED_GROUPS };
    _Static_assert((unsigned)NEEDED <= MOST_READINGS, "all of them are kept");
    for (unsigned round = 0; round < NEEDED && readings->count < NEEDED; round++)
        if (!time_flushed(depth, how, readings))
            return false;
    readings_pool(readings, 0, FLUSHED_GROUPS);
    return true;
}

/* A reading of long groups. A refresh may come once in several of them only, where memory is near: what it takes would
 * be taken for an interruption, and is a part of what memory takes. */
static bool time_pool(struct depth *depth, enum flushed how, struct readings *readings)
{
    unsigned before = readings->count;
    for (unsigned round = 0; round < 2 * POOLED && readings->count < before + POOLED; round++)
        if (!time_flushed(depth, how, readings))
            return false;
    if (readings->count > before)
        readings_pool(readings, before, readings->count - before);
    return true;
}

/* Readings of groups, until their mean is known well. */
static bool time_groups(struct depth *depth, enum flushed how, double cycles, struct readings *readings)
{
    enum { LEAST = 8, MOST = 64 };
    struct latency_of latency;
    bool enough = false;
    for (unsigned round = 0; round < MOST && !enough; round++) {
        if (!(how == FLUSHED_SCATTERED ? time_pool(depth, how, readings) : time_flushed(depth, how, readings)))
            return false;
        readings_all(readings, (double)depth->bench->clock.step, cycles, &latency);
        enough = round + 1 >= LEAST && readings->count >= LEAST_READINGS && known_well(&latency, false);
    }
    return true;
}

bool depth_flushed(struct depth *depth, enum flushed how, struct latency_of *latency)
{
    struct readings readings = {.group = 1};
    bool few = how == FLUSHED_SCATTERED && depth->page <= ROW;
    double cycles;
    if (!rate_now(depth->bench, &cycles) ||
        !(few ? time_few(depth, how, &readings) : time_groups(depth, how, cycles, &readings)))
        return false;
    readings_all(&readings, (double)depth->bench->clock.step, cycles, latency);
    if (few) /* where there are too few for a lead, rows that are open may be others' */
        latency->bias += (depth->room >= FLUSHED_GROUP * depth->unit ? 1 : 2) * FEW_MEET * latency->cycles;
    return bench_ok(depth->bench) && readings.count >= LEAST_READINGS;
}
