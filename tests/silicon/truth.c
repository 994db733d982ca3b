// SPDX-License-Identifier: BSD-2-Clause
/* truth.c: the truth of a finding, by its id: what the machine's file hides, clock and noise; what data caches are like
 * is truth_cache.c's, latencies are truth_latency.c's. */
#include "tests/silicon/truth_inside.h"
#include <stdlib.h>
#include <string.h>

enum {
    GAPS_AT_ONCE = 2, /* two interruptions may meet */
    CLASSES = 2,      /* gaps are told in twofold classes */
    LOOK = 4096,      /* ticks between two looks at the clock, generously: the loop's own gap */
    OFTEN = 50        /* interruptions a second that are certain to be met */
};

/* The share by which the clock, as the machine calibrated it, may be off. */
static const double CLOCK_TOLERANCE = 5e-3;

struct truths *truths_create(const struct description *description)
{
    struct truths *truths = calloc(1, sizeof *truths);

    if (!truths)
        return NULL;
    truths->description = *description;
    if (met_by_loads(&truths->description, &truths->met))
        return truths;
    free(truths);
    return NULL;
}

void truths_destroy(struct truths *truths)
{
    free(truths);
}

static struct truth equal(double value)
{
    return (struct truth){.kind = TRUTH_EQUAL, .value = value};
}

static struct truth within(double value, double tolerance)
{
    return (struct truth){.kind = TRUTH_WITHIN, .value = value, .tolerance = tolerance};
}

/* The largest number that all differences of readings are multiples of: the step, unless a core cycle is a whole
 * number of steps. Of steps that differ the shorter one. */
static double visible_step(const struct clock_description *clock)
{
    uint64_t a = clock->ratio_core, b = clock->ratio_clock;

    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    b = clock->ratio_clock / a; /* ticks of a core cycle, if those are a whole number */
    return (double)(clock->ratio_core == a && b % clock->step == 0 && !clock->half_step ? b : clock->step);
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

/* How many lists were measured, or walks of pages of 4 KB, says nothing about the machine: any number. */
static struct truth of_curves(const struct description *description, const char *id)
{
    bool far_apart = strcmp(id, "structures.sizes") == 0;

    if (far_apart && (description->page_shift != 12 || !(description->pages & PAGES_SMALL)))
        return (struct truth){.kind = TRUTH_ABSENT};
    if (far_apart || strcmp(id, "list.sizes") == 0)
        return (struct truth){.kind = TRUTH_RANGE, .low = 1, .high = 1e18};
    return (struct truth){.kind = TRUTH_NONE};
}

struct truth truth_of(struct truths *truths, const char *id)
{
    const struct hiding *hiding = hiding_of(&truths->description, id);
    struct truth truth = of_clock(&truths->description, id);

    if (truth.kind == TRUTH_NONE)
        truth = truth_of_cache(truths, id);
    if (truth.kind == TRUTH_NONE)
        truth = truth_of_latency(truths, id);
    if (truth.kind == TRUTH_NONE)
        truth = truth_of_tlb(truths, id);
    if (truth.kind == TRUTH_NONE)
        truth = truth_of_walk(truths, id);
    if (truth.kind == TRUTH_NONE)
        truth = truth_of_brought(truths, id);
    if (truth.kind == TRUTH_NONE)
        truth = truth_of_stores(truths, id);
    if (truth.kind == TRUTH_NONE)
        truth = truth_of_psc(truths, id);
    if (truth.kind == TRUTH_NONE)
        truth = of_curves(&truths->description, id);
    if (!hiding)
        return truth;
    truth.beneath = truth.kind;
    truth.kind = TRUTH_HIDDEN;
    memcpy(truth.reason, hiding->reason, sizeof truth.reason);
    return truth;
}
