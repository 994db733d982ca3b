// SPDX-License-Identifier: BSD-2-Clause
/* train.c: trackers of streams and strides. Rules and where they come from:
 *
 * - Streams: one tracker for each 4 KB page, least recently used ones make room, forward or backward; a tracker whose
 *   accesses went on in one direction runs a number of lines ahead and never leaves the page (Intel Optimization
 *   Reference Manual, "Data prefetching to L2 and L3": one forward or backward stream per page of 32 pages, up to 20
 *   lines ahead). N. P. Jouppi, "Improving direct-mapped cache performance by the addition of a small fully-associative
 *   cache and prefetch buffers", ISCA 1990, for the principle.
 * - Strides: a table indexed by the low bits of the instruction's address, in which each load's last address and last
 *   distance stand; equal distances in a row train it; distances up to 2 KB, no page crossed (J. Doweck, "Inside Intel
 *   Core microarchitecture and smart memory access", 2006; Intel Optimization Reference Manual, "IP-based stride
 *   prefetcher"). T.-F. Chen, J.-L. Baer, "Effective hardware-based data prefetching for high-performance processors",
 *   IEEE ToC 44(5), 1995, for the principle.
 *
 * What counts as training: the first access is one, each that goes on as the one before it did is one more; the access
 * that turns round or changes its stride makes two together with the one before it. An access to the line (stream) or
 * the address (stride) of the last one says nothing and changes nothing but who was used last. */
#include "tests/silicon/train.h"
#include <stdlib.h>
#include <string.h>

struct tracker {
    int64_t last;    /* stream: line in the page; stride: virtual address */
    int64_t step;    /* stream: 1 up, -1 down; stride: bytes; 0: not known yet */
    int64_t reached; /* stream: line that was asked for last, in its direction; `last` when none */
    unsigned count;  /* accesses that fit, at most `train` */
};

struct trainer {
    const struct prefetcher_description *description;
    unsigned shift;
    bool knows;      /* something since it was created or forgot */
    uint64_t *keys;  /* page or instruction plus 1; 0: free */
    unsigned *order; /* streams: numbers of trackers, used last first */
    struct tracker tracker[];
};

void trainer_forget(struct trainer *trainer)
{
    unsigned trackers = trainer->description->trackers;

    memset(trainer->keys, 0, trackers * sizeof trainer->keys[0]);
    memset(trainer->tracker, 0, trackers * sizeof trainer->tracker[0]);
    for (unsigned i = 0; i < trackers; i++)
        trainer->order[i] = i;
    trainer->knows = false;
}

struct trainer *trainer_create(const struct prefetcher_description *description, unsigned shift)
{
    struct trainer *trainer = calloc(1, sizeof *trainer + description->trackers * sizeof trainer->tracker[0]);

    if (trainer == NULL)
        return NULL;
    trainer->description = description;
    trainer->shift = shift;
    trainer->keys = calloc(description->trackers + 1, sizeof trainer->keys[0]);
    trainer->order = calloc(description->trackers + 1, sizeof trainer->order[0]);
    if (trainer->keys == NULL || trainer->order == NULL) {
        trainer_destroy(trainer);
        return NULL;
    }
    trainer_forget(trainer);
    return trainer;
}

void trainer_destroy(struct trainer *trainer)
{
    if (trainer == NULL)
        return;
    free(trainer->keys);
    free(trainer->order);
    free(trainer);
}

/* Moves the tracker at a rank of the order to its front and returns its number. */
static unsigned to_front(struct trainer *trainer, unsigned rank)
{
    unsigned number = trainer->order[rank];

    memmove(trainer->order + 1, trainer->order, rank * sizeof trainer->order[0]);
    trainer->order[0] = number;
    return number;
}

/* The tracker of a page, used last from now on; *fresh: it was another's, or nobody's, until now. */
static struct tracker *stream_tracker(struct trainer *trainer, uint64_t key, bool *fresh)
{
    unsigned trackers = trainer->description->trackers, number = 0, rank = 0;

    *fresh = false;
    if (trainer->keys[trainer->order[0]] == key)
        return &trainer->tracker[trainer->order[0]];
    while (number < trackers && trainer->keys[number] != key)
        number++;
    if (number == trackers) {
        *fresh = true;
        number = to_front(trainer, trackers - 1);
        trainer->keys[number] = key;
        return &trainer->tracker[number];
    }
    while (trainer->order[rank] != number)
        rank++;
    return &trainer->tracker[to_front(trainer, rank)];
}

/* Takes one more access, whose distance to the last has this step, into account. */
static void learn(struct tracker *tracker, int64_t step, unsigned train)
{
    if (tracker->step != step) {
        tracker->step = step;
        tracker->count = 2;
    } else if (tracker->count < train) {
        tracker->count++;
    }
}

/* What lies between what was asked for already and `ahead` lines beyond `line`. */
static struct run stream_run(const struct trainer *trainer, struct tracker *tracker, int64_t line)
{
    int64_t lines = PREFETCH_PAGE >> trainer->shift, step = tracker->step;
    int64_t goal = line + step * (int64_t)trainer->description->ahead;
    int64_t from = (tracker->reached - line) * step > 0 ? tracker->reached + step : line + step;

    if (goal < 0)
        goal = 0;
    if (goal >= lines)
        goal = lines - 1;
    if ((goal - from) * step < 0)
        return (struct run){0};
    tracker->reached = goal;
    return (struct run){from << trainer->shift, step * (1 << trainer->shift), (unsigned)((goal - from) * step + 1)};
}

struct run trainer_stream(struct trainer *trainer, uint64_t pa)
{
    unsigned train = trainer->description->train;
    int64_t line = (int64_t)(pa % PREFETCH_PAGE >> trainer->shift);
    struct tracker *tracker;
    bool fresh;

    if (trainer->description->trackers == 0)
        return (struct run){0};
    trainer->knows = true;
    tracker = stream_tracker(trainer, pa / PREFETCH_PAGE + 1, &fresh);
    if (fresh)
        *tracker = (struct tracker){.last = line, .reached = line, .count = 1};
    if (tracker->last == line)
        return (struct run){0};
    if (tracker->step != (line > tracker->last ? 1 : -1))
        tracker->reached = line;
    learn(tracker, line > tracker->last ? 1 : -1, train);
    tracker->last = line;
    return tracker->count >= train ? stream_run(trainer, tracker, line) : (struct run){0};
}

/* The places up to `ahead` strides beyond the access that its page still holds. */
static struct run stride_run(const struct trainer *trainer, int64_t step, uint64_t va)
{
    int64_t first = (int64_t)(va % PREFETCH_PAGE) + step, place = first;
    unsigned count = 0;

    while (count < trainer->description->ahead && place >= 0 && place < PREFETCH_PAGE) {
        count++;
        place += step;
    }
    return (struct run){first, step, count};
}

struct run trainer_stride(struct trainer *trainer, uint64_t ip, uint64_t va)
{
    const struct prefetcher_description *description = trainer->description;
    struct tracker *tracker;
    uint64_t number;
    int64_t step;

    if (description->trackers == 0)
        return (struct run){0};
    trainer->knows = true;
    number = (description->trackers & (description->trackers - 1)) == 0 ? ip & (description->trackers - 1)
                                                                        : ip % description->trackers;
    tracker = &trainer->tracker[number];
    if (trainer->keys[number] != ip + 1) {
        trainer->keys[number] = ip + 1;
        *tracker = (struct tracker){.last = (int64_t)va, .count = 1};
    }
    step = (int64_t)(va - (uint64_t)tracker->last);
    if (step == 0)
        return (struct run){0};
    tracker->last = (int64_t)va;
    if (step > (int64_t)description->reach || step < -(int64_t)description->reach) {
        tracker->step = 0;
        tracker->count = 1;
        return (struct run){0};
    }
    learn(tracker, step, description->train);
    return tracker->count >= description->train ? stride_run(trainer, step, va) : (struct run){0};
}

static void mix_in(struct random *mix, uint64_t number)
{
    mix->state ^= number;
    mix->state = random_next(mix);
}

/* Streams in the order of use and not by number: which tracker has which page makes no difference. */
uint64_t trainer_digest(const struct trainer *trainer)
{
    struct random mix = {0};

    if (!trainer->knows)
        return 0;
    for (unsigned i = 0; i < trainer->description->trackers; i++) {
        unsigned number = trainer->order[i];
        const struct tracker *tracker = &trainer->tracker[number];

        if (trainer->keys[number] == 0)
            continue;
        mix_in(&mix, trainer->keys[number]);
        mix_in(&mix, (uint64_t)tracker->last);
        mix_in(&mix, (uint64_t)tracker->step);
        mix_in(&mix, (uint64_t)tracker->reached);
        mix_in(&mix, tracker->count);
    }
    return mix.state;
}
