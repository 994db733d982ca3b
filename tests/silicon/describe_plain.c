// SPDX-License-Identifier: BSD-2-Clause
/* describe_plain.c: descriptions made without a file: the plain machine that unit tests start from, and the noise that
 * an environment adds to any machine. */
#include "base/text.h"
#include "tests/silicon/description.h"
#include <string.h>

void description_plain(struct description *description, uint64_t size, unsigned ways, unsigned line, unsigned hit,
                       unsigned memory)
{
    struct cache_description *cache = &description->cache[0];

    memset(description, 0, sizeof *description);
    text_copy(description->name, sizeof description->name, "plain");
    text_copy(description->vendor, sizeof description->vendor, "nobody");
    text_copy(description->title, sizeof description->title, "a plain machine");
    description->x86 = true;
    description->cores = 1;
    description->levels = 4;
    description->page_shift = 12;
    description->page_bits = 9;
    description->pages = PAGES_SMALL | PAGES_LARGE;
    description->caches = 1;
    text_copy(cache->name, sizeof cache->name, "l1d");
    cache->level = 1;
    cache->holds = HOLDS_DATA;
    cache->size = size;
    cache->line = cache->sector = line;
    cache->latency = hit;
    cache->shared_by = 1;
    cache->shape.ways = ways;
    cache->shape.index.sets = size / ((uint64_t)ways * line);
    (void)policy_parse(&cache->shape.policy, "LRU");
    cache->slices.count = 1;
    cache->keeps_permille = 1000;
    description->walker.count = 1;
    description->walker.from_level = 1;
    description->memory.span = 64 << 20;
    description->memory.latency = memory;
    description->memory.parallel = 8;
    description->memory.transfer = memory;
    description->clock.hz = 1000000000;
    description->clock.step = 1;
    description->clock.ratio_core = description->clock.ratio_clock = 1;
    description->clock.multiply = 3;
    description->clock.pause = USUAL_PAUSE;
    description->clock.rdtsc = 20;
    description->clock.rdtscp = 30;
    description->clock.lfence = 10;
    description->fetch.jump = 1;
}

/* Core cycles that so many microseconds have on this machine. */
static uint64_t microseconds(const struct clock_description *clock, uint64_t count)
{
    return clock->hz / 1000 * clock->ratio_core / clock->ratio_clock * count / 1000;
}

/* The more frequent one of two periods; 0 is never. */
static uint64_t more_often(uint64_t one, uint64_t other)
{
    return one == 0 || (other != 0 && other < one) ? other : one;
}

/* Office: an ordinary board under firmware. SMM code that looks after temperatures and USB keyboards runs some tens of
 * times a second and takes in the order of 100 microseconds; MSR 34h counts it (measured everywhere in that way: a
 * loop that reads the clock and keeps the longest gap, as Linux' hwlat tracer does; BITS warns above 150 microseconds).
 * A few ticks of jitter come from the clock crossing into the core's domain. */
static void office(struct description *description)
{
    struct noise_description *noise = &description->noise;

    noise->jitter += 4;
    noise->smi_period = more_often(noise->smi_period, microseconds(&description->clock, 64000));
    noise->smi_length += microseconds(&description->clock, 100);
    noise->smi_counted = true;
    noise->traffic_period = more_often(noise->traffic_period, 20000);
}

/* Hostile: everything that trials in a shared virtual machine showed at once (methods.md, "Seen in trials": shares of
 * the last cache that drift from one minute to the next), and more than a board does by itself: time is taken four
 * times as often and nobody counts it, as by a hypervisor or by SMM code of a maker whose processor has no such
 * counter; a sibling thread works in a twentieth of the time and brings its own lines into the first level. */
static void hostile(struct description *description)
{
    struct noise_description *noise = &description->noise;

    noise->jitter += 40;
    noise->smi_period = more_often(noise->smi_period, microseconds(&description->clock, 16000));
    noise->smi_length += microseconds(&description->clock, 150);
    noise->smi_counted = false;
    noise->traffic_period = more_often(noise->traffic_period, 1000);
    noise->neighbour_period = more_often(noise->neighbour_period, microseconds(&description->clock, 2000));
    noise->neighbour_length = noise->neighbour_period / 20;
    noise->neighbour_lines = 8;
}

bool description_disturb(struct description *description, const char *environment)
{
    if (strcmp(environment, "office") == 0)
        office(description);
    else if (strcmp(environment, "hostile") == 0)
        hostile(description);
    else if (strcmp(environment, "quiet") != 0)
        return false;
    return true;
}
