// SPDX-License-Identifier: BSD-2-Clause
/* truth_walk.c: the reference walk (docs/silicon.md): the latency of a footprint is the mean of one lap, in steady
 * state, over all its 64-byte stops in pseudo-random cyclic order, in the largest pages that the span holds, on a
 * machine that nothing else has used, without noise and without the prefetchers that can be switched off. It asks the
 * model itself, access by access: neither the clock nor the way in which walks are run has a part in it. */
#include "tests/silicon/process/process.h"
#include "tests/silicon/silicon.h"
#include "tests/silicon/truth_levels.h"
#include <stdlib.h>

enum {
    STOP = 64,         /* bytes */
    SEED = 1,          /* of the model and of the order */
    SAMPLE = 1 << 16,  /* visits that a mean is taken of, at least */
    PATIENCE = 1 << 19 /* visits that a walk may take to settle, besides the first lap */
};

/* Means of two samples that differ by less are of a walk that has settled. */
static const double SETTLED = 4e-3;

struct walker {
    struct machine *machine;
    struct silicon *silicon;
    uint32_t *order;
    uint64_t base, stops, at; /* at: the stop that comes next */
};

static uint64_t aligned(uint64_t address, uint64_t page)
{
    return (address + page - 1) / page * page;
}

static uint64_t page_bytes(const struct description *description, unsigned class)
{
    return (uint64_t)1 << (description->page_shift + class * description->page_bits);
}

uint64_t walk_page(const struct description *description, uint64_t *bytes)
{
    for (unsigned class = 3; class -- > 0;) {
        uint64_t page = page_bytes(description, class);
        *bytes = description->memory.span / page * page;
        if (description->pages & 1U << class && *bytes)
            return page;
    }
    return 0;
}

/* Maps the first bytes of the span in the largest pages that hold them. */
static bool map_walk(struct walker *walker, const struct description *description, uint64_t bytes)
{
    struct view view = machine_view(walker->machine);
    struct span span;

    walker->base = view.base;
    if (!machine_span(walker->machine, 0, &span))
        return false;
    for (unsigned class = 3; class -- > 0;) {
        uint64_t page = page_bytes(description, class), pa = aligned(span.base, page);
        uint64_t length = aligned(bytes, page);
        if (!(description->pages & 1U << class) || pa + length > span.base + span.size || length > view.size)
            continue;
        if (machine_map(walker->machine, view.base, pa, length, page, MEM_WB))
            return true;
    }
    return false;
}

/* A pseudo-random cyclic order of all stops. */
static bool order_stops(struct walker *walker)
{
    struct random random = {SEED};

    walker->order = malloc(walker->stops * sizeof *walker->order);
    if (!walker->order)
        return false;
    for (uint64_t i = 0; i < walker->stops; i++) {
        uint64_t j = random_below(&random, i + 1);
        walker->order[i] = walker->order[j];
        walker->order[j] = (uint32_t)i;
    }
    return true;
}

/* Core cycles of so many visits. */
static uint64_t visit(struct walker *walker, uint64_t count)
{
    struct access access = {.kind = ACCESS_LOAD, .size = 8};
    uint64_t sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t cycles;
        access.va = walker->base + (uint64_t)walker->order[walker->at] * STOP;
        cycles = silicon_access(walker->silicon, &access, NULL);
        sum += cycles + silicon_pass(walker->silicon, cycles);
        walker->at = walker->at + 1 == walker->stops ? 0 : walker->at + 1;
    }
    return sum;
}

/* All that caches can hold, in bytes: a walk forgets what was visited longer ago than a few times that. */
static uint64_t held(const struct description *description)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < description->caches; i++)
        if (description->cache[i].holds & HOLDS_DATA)
            sum += description->cache[i].size;
    return sum;
}

static double settle(struct walker *walker, const struct description *description)
{
    uint64_t filling = 3 * held(description) / STOP + SAMPLE, sample = walker->stops, visits = 0;
    double before, now = 0;

    if (filling > walker->stops)
        filling = walker->stops;
    walker->at = walker->stops - filling; /* the last part of a lap */
    visit(walker, filling);
    if (sample < SAMPLE)
        sample *= (SAMPLE + sample - 1) / sample; /* whole laps */
    else
        sample = walker->stops <= 2 * SAMPLE ? walker->stops : SAMPLE; /* any part of a pseudo-random order will do */
    do {
        before = now;
        now = (double)visit(walker, sample) / (double)sample;
        visits += sample;
    } while (visits < PATIENCE && (now > before * (1 + SETTLED) || now < before * (1 - SETTLED)));
    return now;
}

static double walk_now(const struct description *description, uint64_t footprint)
{
    const char *why = "";
    struct walker walker = {.machine = process_open(NULL, description, SEED, NULL, &why), .stops = footprint / STOP};
    double cycles = -1;

    if (!walker.machine)
        return cycles;
    walker.silicon = process_silicon(walker.machine);
    if (walker.silicon && walker.stops && map_walk(&walker, description, footprint) && order_stops(&walker))
        cycles = settle(&walker, description);
    free(walker.order);
    machine_close(walker.machine);
    return cycles;
}

double walk_cycles(struct truths *truths, uint64_t footprint)
{
    double cycles;

    footprint -= footprint % STOP;
    for (unsigned i = 0; i < truths->walked_count; i++)
        if (truths->walked[i].footprint == footprint)
            return truths->walked[i].cycles;
    cycles = walk_now(&truths->quiet, footprint);
    if (truths->walked_count < MAX_WALKED) /* beyond that it is walked again */
        truths->walked[truths->walked_count++] = (struct walked){footprint, cycles};
    return cycles;
}
