// SPDX-License-Identifier: BSD-2-Clause
/* witness.c: pages that fit, and what they take. */
#include "probes/witness.h"
#include "probes/pause.h"

/* Of what the pages took, what they take at best: a neighbour may work for most of the time, and few readings come out
 * too low by a whim of the clock. */
static const double AT_BEST = 0.125;

/* Jumps take half as much more at least while another thread fetches, too (a Zen 4: 1.9 cycles for 0.9), whatever they
 * miss. */
static const double FETCHING = 0.25;

/* What is remembered of a batch. Loads are compared with their lines, since the clock of a core moves; lines that take
 * longer were interrupted. Jumps are not, for the neighbour is in the way of those, too. */
static double longer(const struct witness *witness, double pages, double lines)
{
    if (witness->pages.op != OP_LOAD)
        return pages;
    return pages > lines ? pages - lines : 0;
}

static double at_best(const struct witness *witness)
{
    double took[WITNESS_REMEMBERS];
    unsigned count = witness->asked < WITNESS_REMEMBERS ? witness->asked : WITNESS_REMEMBERS;
    for (unsigned i = 0; i < count; i++)
        took[i] = witness->took[i];
    return quantile(took, count, AT_BEST);
}

/* Ticks that a batch may take more than the best. Each is a difference of two readings, and that of two batches, of
 * four. */
static double room(const struct bench *bench, const struct witness *witness)
{
    enum { READINGS = 4 };
    double clock = READINGS * (double)bench->clock.step;
    double jumps = witness->pages.op == OP_LOAD ? 0 : FETCHING * at_best(witness);
    return jumps > clock ? jumps : clock;
}

bool witness_ask(struct bench *bench, struct witness *witness, bool *calm)
{
    enum { CLOCK_STEPS = 40, LEAST = 512, WARM = 2 };
    uint64_t warm = witness->warm > WARM ? witness->warm : WARM;
    uint64_t steps = CLOCK_STEPS * bench->clock.step;
    double pages, lines;
    *calm = true;
    if (!witness->called || !witness->patience)
        return bench_ok(bench);
    steps = steps < LEAST ? LEAST : steps;
    if (!bench_timed(bench, &witness->pages, warm * witness->pages.length, steps, &pages) ||
        !bench_timed(bench, &witness->lines, warm * witness->lines.length, steps, &lines))
        return false;
    double took = longer(witness, pages, lines);
    witness->took[witness->asked++ % WITNESS_REMEMBERS] = took;
    *calm = witness->calm = took <= at_best(witness) + room(bench, witness);
    return true;
}

bool witness_wait(struct bench *bench, struct witness *witness)
{
    enum { SHORT = 4, LONG = 32 }; /* milliseconds */
    bool calm = witness->calm;
    for (unsigned pause = SHORT; !calm && bench_ok(bench); pause *= pause < LONG ? 2 : 1) {
        if (!witness_ask(bench, witness, &calm))
            return false;
        if (calm)
            break;
        witness->patience -= witness->patience < pause ? witness->patience : pause;
        bench_pause(bench, pause);
    }
    return bench_ok(bench);
}
