// SPDX-License-Identifier: BSD-2-Clause
/* xray_time.c: the timing of X-Ray (paper 000, section 4.2 and Figure 9): elements that hold the address of the next
 * one, in an order that is no stride, followed for a second.
 *
 * A second is hundreds of millions of accesses, more than a model can make. The model is deterministic and nobody
 * disturbs it, so what a second would say is known as soon as laps repeat: rounds of whole laps are run until one takes
 * as long as the one before it. What the second would have cost is counted beside it. */
#include "base/arithmetic.h"
#include "tests/peers/xray_inside.h"

enum {
    ROUND = 4096,     /* accesses of a round at least: a clock that moves in steps is off by little in so many */
    MOST_ROUNDS = 16, /* a policy that draws lots may never repeat */
    ALIKE = 64,       /* rounds that differ by less than one part in so many take the same time */
    ADDS = 1000000
};

/* Accounts for a stretch of which one access takes so many seconds. R is chosen so that the loop takes a second or
 * more: the runs that find R are not counted. */
static void account(struct xray *found, double seconds)
{
    found->timings++;
    found->accesses += seconds > 0 ? (uint64_t)(1 / seconds) + 1 : 0;
    found->seconds += seconds > 1 ? seconds : 1;
}

/* X-Ray has a benchmark for it, of which the paper says no more than that (section 8). Additions that wait for each
 * other take a cycle each. */
bool xray_time_core(struct xray_work *work)
{
    const struct block adds = {.kind = BLOCK_ADD, .variables = 1};
    struct reading reading;

    work->halt = XRAY_REFUSED;
    if (!machine_block(work->machine, &adds, ADDS, &reading) || !reading.ticks)
        return false;
    work->halt = XRAY_GOES_ON;
    work->cycle = (double)reading.ticks / (double)machine_clock(work->machine).hz / ADDS;
    work->found->timings++;
    work->found->seconds += 1; /* no access to memory is among them */
    return true;
}

static bool largest_span(struct machine *machine, struct span *largest)
{
    struct span span;

    largest->size = 0;
    for (unsigned i = 0; machine_span(machine, i, &span); i++)
        if (span.size > largest->size)
            *largest = span;
    return largest->size > 0;
}

void xray_unmap(struct xray_work *work)
{
    if (work->mapped)
        machine_map(work->machine, work->base, 0, work->mapped, 0, MEM_WB);
    work->size = work->mapped = 0;
}

bool xray_map(struct xray_work *work, uint64_t page, uint64_t size)
{
    struct view view = machine_view(work->machine);
    uint64_t first, room, pages = (size + page - 1) / page;
    struct span span;

    xray_unmap(work);
    if (!largest_span(work->machine, &span))
        return false;
    first = (span.base + page - 1) / page * page;
    room = span.base + span.size > first ? (span.base + span.size - first) / page : 0;
    room = room < view.size / page ? room : view.size / page;
    pages = pages < room ? pages : room;
    if (!pages || !machine_map(work->machine, view.base, first, pages * page, page, MEM_WB))
        return false;
    work->base = view.base;
    work->mapped = pages * page;
    work->size = work->mapped < size ? work->mapped : size;
    return true;
}

static uint64_t length(const struct xray_sequence *sequence)
{
    return sequence->count[0] * sequence->count[1] * sequence->count[2];
}

/* Bytes from the first element to the end of the last. Halts where no array would do. */
static bool fits(const struct xray_work *work, const struct xray_sequence *sequence)
{
    uint64_t end = POINTER;

    for (unsigned i = 0; i < NESTED; i++) {
        if (sequence->count[i] - 1 > work->size / sequence->stride[i])
            return false;
        end += (sequence->count[i] - 1) * sequence->stride[i];
    }
    return end <= work->size;
}

static uint64_t address(const struct xray_work *work, const struct xray_sequence *sequence, uint64_t element)
{
    uint64_t at = work->base;

    for (unsigned i = 0; i < NESTED; i++) {
        at += element % sequence->count[i] * sequence->stride[i];
        element /= sequence->count[i];
    }
    return at;
}

/* Links all elements, each to the one p places further on, round the end: all of them in one cycle, if p and their
 * number are mutually prime. */
static bool chain(struct xray_work *work, const struct xray_sequence *sequence, uint64_t p)
{
    uint64_t n = length(sequence), element = 0, from = work->base;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t to;
        element = (element + p) % n;
        to = address(work, sequence, element);
        if (!machine_link(work->machine, OP_LOAD, from, to))
            return false;
        from = to;
    }
    return true;
}

/* Section 4.2: the array is initialised before the timing. A loop over its elements leaves them in the caches in their
 * own order, and where a policy is blind to hits, as FIFO is, that order stays. The waist's links touch no cache, so
 * a lap in that order stands for the loop. */
static bool initialise(struct xray_work *work, const struct xray_sequence *sequence)
{
    struct task task = {.op = OP_LOAD, .start = work->base, .steps = length(sequence)};
    struct reading reading;

    return chain(work, sequence, 1) && machine_run(work->machine, &task, 1, &reading);
}

/* Whether going on by p out of n spreads well: where the continued fraction of p / n has a large quotient, a walk is a
 * few streams side by side, which prefetchers follow. Quotients up to 5 are enough for any n (Zaremba's conjecture). */
static bool spreads(uint64_t p, uint64_t n)
{
    enum { LARGEST = 5 };

    for (uint64_t before = n, last = p; last > 0;) {
        uint64_t rest = before % last;
        if (before / last > LARGEST)
            return false;
        before = last;
        last = rest;
    }
    return true;
}

/* Section 4.2 (f): after element i comes element (i + p) mod n, p and n mutually prime. The paper does not say which p:
 * here the first from the golden section of n on that spreads well, so that neighbours in the array are far apart in
 * time. */
static uint64_t step_of(uint64_t n)
{
    const uint64_t golden = 2654435769; /* 2^32 times (sqrt(5) - 1) / 2 */
    uint64_t first = (n * golden >> 32) + 1, p = first;

    while (p < n && (common_divisor(p, n) != 1 || !spreads(p, n)))
        p++;
    if (p < n)
        return p;
    while (common_divisor(first, n) != 1)
        first++;
    return first;
}

static bool alike(uint64_t one, uint64_t other)
{
    uint64_t more = one > other ? one : other, less = one > other ? other : one;

    return more - less <= more / ALIKE;
}

/* Rounds of whole laps until they repeat, or a second is over: the reading of the last one. */
static bool run_rounds(struct xray_work *work, uint64_t lap, struct reading *last)
{
    struct task task = {.op = OP_LOAD, .start = work->base, .steps = lap * ((ROUND + lap - 1) / lap)};
    uint64_t before = 0, second = machine_clock(work->machine).hz, spent = 0;

    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        if (!machine_run(work->machine, &task, 1, last))
            return false;
        spent += last->ticks;
        if (spent >= second || (round && alike(before, last->ticks)))
            break;
        before = last->ticks;
    }
    return true;
}

bool xray_time(struct xray_work *work, const struct xray_sequence *sequence, double *cycles)
{
    struct reading last;
    double seconds;

    work->halt = fits(work, sequence) ? XRAY_GOES_ON : XRAY_TOO_LARGE;
    if (work->halt)
        return false;
    work->halt = XRAY_REFUSED;
    if (!machine_rest(work->machine, 0) || !initialise(work, sequence) ||
        !chain(work, sequence, step_of(length(sequence))) || !run_rounds(work, length(sequence), &last))
        return false;
    work->halt = XRAY_GOES_ON;
    seconds = (double)last.ticks / (double)last.steps / (double)machine_clock(work->machine).hz;
    account(work->found, seconds);
    *cycles = seconds / work->cycle;
    return true;
}
