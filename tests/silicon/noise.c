// SPDX-License-Identifier: BSD-2-Clause
/* noise.c: what disturbs a measurement from outside, at moments that a seed decides: system management interrupts,
 * lines that other cores bring into shared caches, a sibling thread that works now and then, and jitter of readings.
 *
 * Events that nobody coordinates come at intervals that are distributed exponentially (a Poisson process). Here in
 * integers, so that every compiler and machine draws the same ones. That SMIs take tens of microseconds and more, and
 * that an MSR counts them (Intel SDM volume 4, MSR_SMI_COUNT), is what makes them different from the rest. */
#include "tests/silicon/clock.h"

enum {
    MOMENT = 1000,      /* cycles: how often a sibling that works brings lines in */
    MOST_LINES = 65536, /* of one disturbance: by then a cache holds nothing else anyway */
    MOST_PAGES = 4096,  /* nor does a TLB */
    FRACTION = 65536    /* of the logarithm below */
};

/* An interval around `period`, at least 1. The binary logarithm of an even random number below 1, sign dropped: its
 * whole part is a count of leading zeros, its fraction is taken as a straight line between powers of two. The mean of
 * that is 3/2 (whole part 1, line 1/2), so that the mean of the intervals is the period but for rounding. */
static uint64_t interval(struct random *random, uint64_t period)
{
    uint64_t bits = random_next(random);
    uint64_t zeros = (uint64_t)__builtin_clzll(bits | 1u << 31); /* 0 to 32 */
    uint64_t logarithm = (zeros + 1) * FRACTION - bits % FRACTION;
    uint64_t mean = FRACTION * 3 / 2;
    uint64_t cycles = period / mean * logarithm + period % mean * logarithm / mean;

    return cycles > 0 ? cycles : 1;
}

static uint64_t first(struct random *random, uint64_t period)
{
    return period == 0 ? UINT64_MAX : interval(random, period);
}

void noise_start(struct noise *noise, const struct noise_description *description, uint64_t seed)
{
    *noise = (struct noise){.description = description, .random = {seed}};
    noise->smi_at = first(&noise->random, description->smi_period);
    noise->traffic_at = first(&noise->random, description->traffic_period);
    noise->neighbour_at = first(&noise->random, description->neighbour_period);
    if (noise->neighbour_at != UINT64_MAX)
        noise->neighbour_until = noise->neighbour_at + description->neighbour_length;
}

uint64_t noise_next(const struct noise *noise)
{
    uint64_t next = noise->smi_at;

    if (noise->traffic_at < next)
        next = noise->traffic_at;
    return noise->neighbour_at < next ? noise->neighbour_at : next;
}

/* The lines of all moments up to now, one disturbance for many: a caller may let a long time pass at once. What would
 * be more than MOST_LINES is left out. */
static unsigned traffic(struct noise *noise, uint64_t now)
{
    unsigned lines = 0;

    while (noise->traffic_at <= now && lines < MOST_LINES) {
        noise->traffic_at += interval(&noise->random, noise->description->traffic_period);
        lines++;
    }
    if (noise->traffic_at <= now)
        noise->traffic_at = now + interval(&noise->random, noise->description->traffic_period);
    return lines;
}

/* The next moment of the sibling, of this burst or of the next one. A burst has at least one moment. */
static void next_moment(struct noise *noise)
{
    const struct noise_description *description = noise->description;

    noise->neighbour_at += MOMENT;
    if (noise->neighbour_at >= noise->neighbour_until) {
        noise->neighbour_at += interval(&noise->random, description->neighbour_period);
        noise->neighbour_until = noise->neighbour_at + description->neighbour_length;
    }
}

/* Lines and pages of the sibling's moments up to now. */
static void neighbours(struct noise *noise, uint64_t now, struct disturbance *disturbance)
{
    const struct noise_description *description = noise->description;

    for (unsigned moments = 0;
         noise->neighbour_at <= now && moments < MOST_LINES && disturbance->first_lines < MOST_LINES; moments++) {
        disturbance->first_lines += description->neighbour_lines;
        if (disturbance->first_pages < MOST_PAGES)
            disturbance->first_pages += description->neighbour_pages;
        next_moment(noise);
    }
    if (noise->neighbour_at <= now) {
        noise->neighbour_at = now + interval(&noise->random, description->neighbour_period);
        noise->neighbour_until = noise->neighbour_at + description->neighbour_length;
    }
}

bool noise_due(struct noise *noise, uint64_t now, struct disturbance *disturbance)
{
    const struct noise_description *description = noise->description;

    *disturbance = (struct disturbance){0};
    if (noise_next(noise) > now)
        return false;
    disturbance->shared_lines = traffic(noise, now);
    neighbours(noise, now, disturbance);
    if (disturbance->shared_lines > 0 || disturbance->first_lines > 0 || disturbance->first_pages > 0 ||
        noise->smi_at > now)
        return true; /* an SMI that is due, too, comes with the next call */
    disturbance->lost = description->smi_length;
    disturbance->counted = description->smi_counted;
    noise->smis += description->smi_counted;
    noise->smi_at += description->smi_length + interval(&noise->random, description->smi_period);
    return true;
}

uint64_t noise_line(struct noise *noise, uint64_t span)
{
    return random_below(&noise->random, span / 64) * 64;
}

uint64_t noise_jitter(struct noise *noise)
{
    return noise->description->jitter > 1 ? random_below(&noise->random, noise->description->jitter) : 0;
}
