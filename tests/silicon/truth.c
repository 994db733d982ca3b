// SPDX-License-Identifier: BSD-2-Clause
/* truth.c: the truth of a finding, by its id: what the machine's file hides, the first data cache, clock and noise;
 * latencies are truth_latency.c's. Sizes come from the arrays that the model has really built, not from what the file
 * said about them. */
#include "base/text.h"
#include "tests/silicon/process/process.h"
#include "tests/silicon/silicon.h"
#include "tests/silicon/truth_levels.h"
#include <stdlib.h>
#include <string.h>

enum {
    USUAL_REACH = 1 << 30, /* bytes that are walked at most, and half of the memory (README.md) */
    GAPS_AT_ONCE = 2,      /* two interruptions may meet */
    CLASSES = 2,           /* gaps are told in twofold classes */
    LOOK = 4096,           /* ticks between two looks at the clock, generously: the loop's own gap */
    OFTEN = 50             /* interruptions a second that are certain to be met */
};

/* Shares by which clocks may be off: the clock as the machine calibrated it, the core by dependent instructions. */
static const double CLOCK_TOLERANCE = 5e-3, CORE_TOLERANCE = 1e-2;

struct truths *truths_create(const struct description *description)
{
    struct truths *truths = calloc(1, sizeof *truths);
    struct description *quiet;
    unsigned kept = 0;

    if (!truths)
        return NULL;
    truths->whole = *description;
    truths->quiet = *description;
    quiet = &truths->quiet;
    quiet->noise = (struct noise_description){0};
    for (unsigned i = 0; i < quiet->prefetchers; i++)
        if (quiet->prefetcher[i].msr == 0)
            quiet->prefetcher[kept++] = quiet->prefetcher[i];
    quiet->prefetchers = kept;
    truths->reach = description->memory.span < USUAL_REACH ? description->memory.span : USUAL_REACH;
    return truths;
}

void truths_destroy(struct truths *truths)
{
    free(truths);
}

void truths_reach(struct truths *truths, uint64_t bytes)
{
    uint64_t mapped;

    truths->reach = bytes < truths->whole.memory.span ? bytes : truths->whole.memory.span;
    if (walk_page(&truths->whole, &mapped) && mapped < truths->reach)
        truths->reach = mapped;
}

bool id_number(const char *id, const char *prefix, uint64_t *number, const char **rest)
{
    size_t length = strlen(prefix);
    uint64_t read = 0;
    const char *at = id + length;

    if (strncmp(id, prefix, length) != 0 || *at < '0' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9' && read < 1000000; at++)
        read = read * 10 + (uint64_t)(*at - '0');
    *number = read;
    *rest = at;
    return true;
}

/* The data cache that a load looks in first; -1: there is none. */
static int first_data_cache(const struct description *description)
{
    int first = -1;

    for (unsigned i = 0; i < description->caches; i++)
        if (description->cache[i].holds & HOLDS_DATA &&
            (first < 0 || description->cache[i].level < description->cache[first].level))
            first = (int)i;
    return first;
}

/* Looks at the array of the first data cache, once. */
static void look_at_first(struct truths *truths)
{
    int index = first_data_cache(&truths->quiet);
    const char *why = "";
    struct machine *machine;
    const struct array *array;

    if (truths->built || index < 0)
        return;
    truths->built = true;
    machine = process_open(NULL, &truths->quiet, 1, NULL, &why);
    if (!machine)
        return;
    array = caches_array(process_silicon(machine)->caches, 0, (unsigned)index);
    truths->first_sets = array_sets(array);
    truths->first_ways = array_ways(array);
    truths->first_line = truths->quiet.cache[index].line;
    machine_close(machine);
}

static struct truth equal(double value)
{
    return (struct truth){.kind = TRUTH_EQUAL, .value = value};
}

static struct truth within(double value, double tolerance)
{
    return (struct truth){.kind = TRUTH_WITHIN, .value = value, .tolerance = tolerance};
}

static struct truth of_first(struct truths *truths, const char *what)
{
    double size, cycles;

    look_at_first(truths);
    if (truths->first_sets == 0)
        return (struct truth){.kind = TRUTH_ABSENT};
    size = (double)truths->first_sets * truths->first_ways * truths->first_line;
    if (strcmp(what, "size") == 0)
        return equal(size);
    if (strcmp(what, "ways") == 0)
        return equal(truths->first_ways);
    if (strcmp(what, "line") == 0)
        return equal(truths->first_line);
    if (strcmp(what, "latency") != 0)
        return (struct truth){.kind = TRUTH_NONE};
    cycles = walk_cycles(truths, (uint64_t)size / 2);
    return within(cycles, latency_tolerance(cycles));
}

/* The largest number that all differences of readings are multiples of: the step, unless a core cycle is a whole
 * number of steps. */
static double visible_step(const struct clock_description *clock)
{
    uint64_t a = clock->ratio_core, b = clock->ratio_clock;

    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    b = clock->ratio_clock / a; /* ticks of a core cycle, if those are a whole number */
    return (double)(clock->ratio_core == a && b % clock->step == 0 ? b : clock->step);
}

/* ns: an upper bound of the longest interruption while somebody listened. When those come seldom, it is chance whether
 * there was one; when they come all the time, nobody who listens can miss them. */
static struct truth of_gap(const struct description *description)
{
    const struct clock_description *clock = &description->clock;
    const struct noise_description *noise = &description->noise;
    double second = (double)clock->hz * clock->ratio_core / clock->ratio_clock; /* core cycles */
    bool often = noise->smi_period && (double)noise->smi_period * OFTEN <= second;
    double lost = noise->smi_period ? (double)noise->smi_length / second : 0;
    double looks = (double)(LOOK + clock->step + noise->jitter) / (double)clock->hz;

    return (struct truth){.kind = TRUTH_RANGE,
                          .optional = !often,
                          .low = often ? lost / 2 * 1e9 : 0,
                          .high = CLASSES * (looks + GAPS_AT_ONCE * lost) * 1e9};
}

static struct truth of_clock(const struct description *description, const char *id)
{
    const struct clock_description *clock = &description->clock;
    double core = (double)clock->hz * clock->ratio_core / clock->ratio_clock;

    if (strcmp(id, "cpu.tsc") == 0)
        return within((double)clock->hz, (double)clock->hz * CLOCK_TOLERANCE);
    if (strcmp(id, "cpu.frequency") == 0)
        return within(core, core * CORE_TOLERANCE);
    if (strcmp(id, "cpu.clock_step") == 0)
        return equal(visible_step(clock));
    if (strcmp(id, "noise.max_gap") == 0)
        return of_gap(description);
    return (struct truth){.kind = TRUTH_NONE};
}

/* Whether "latency.*" means this id. */
static bool matches(const char *pattern, const char *id)
{
    size_t length = strlen(pattern);

    if (length > 0 && pattern[length - 1] == '*')
        return strncmp(pattern, id, length - 1) == 0;
    return strcmp(pattern, id) == 0;
}

static const struct hiding *hiding_of(const struct description *description, const char *id)
{
    for (unsigned i = 0; i < description->hidings; i++)
        if (matches(description->hiding[i].id, id))
            return &description->hiding[i];
    return NULL;
}

struct truth truth_of(struct truths *truths, const char *id)
{
    const struct hiding *hiding = hiding_of(&truths->whole, id);
    struct truth truth = of_clock(&truths->whole, id);

    if (strncmp(id, "l1d.", 4) == 0)
        truth = of_first(truths, id + 4);
    else if (strncmp(id, "latency.", 8) == 0)
        truth = truth_of_latency(truths, id);
    if (!hiding)
        return truth;
    truth.beneath = truth.kind;
    truth.kind = TRUTH_HIDDEN;
    memcpy(truth.reason, hiding->reason, sizeof truth.reason);
    return truth;
}
