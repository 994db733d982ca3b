// SPDX-License-Identifier: BSD-2-Clause
/* fetch.c: what a taken jump costs by itself. A branch-target buffer knows where a jump went last time; the front end
 * follows it at once when it does, and waits until the jump has been decoded when not (Intel Optimization Reference
 * Manual, "Branch prediction"; J. Lee, A. J. Smith, "Branch prediction strategies and branch target buffer design",
 * IEEE Computer 17(1), 1984). Where a run of jumps ended, the way out is foretold next time, too, and in some laps
 * more while the order is new, in however many runs these are: measured on a Zen 5, as a guest, which took 47 ticks of
 * 2.6 GHz more in each of 14 laps, at 4.25 GHz, and in one lap after each end from then on. Which lines and pages a
 * jump touches is the business of caches and TLBs. */
#include "tests/silicon/fetch.h"
#include <stdlib.h>

struct fetch {
    const struct description *description;
    struct array *targets[MAX_MODEL_CORES]; /* a core each; NULL: every target is known */
    struct end {
        uint64_t at;    /* address of the jump before which a run ended last */
        unsigned wrong; /* times that it will be foretold wrongly */
        bool known;     /* a run has ended in this order before */
    } end[MAX_MODEL_CORES];
};

struct fetch *fetch_create(const struct description *description, uint64_t seed)
{
    struct fetch *fetch = calloc(1, sizeof *fetch);

    if (fetch == NULL)
        return NULL;
    fetch->description = description;
    for (unsigned core = 0; description->fetch.targets && core < description->cores; core++) {
        fetch->targets[core] = array_create(&description->fetch.target_shape, seed + core);
        if (fetch->targets[core] == NULL) {
            fetch_destroy(fetch);
            return NULL;
        }
    }
    return fetch;
}

void fetch_destroy(struct fetch *fetch)
{
    for (unsigned core = 0; fetch != NULL && core < MAX_MODEL_CORES; core++) {
        if (fetch->targets[core] != NULL)
            array_destroy(fetch->targets[core]);
    }
    free(fetch);
}

/* Whether the buffer says `to` for the jump at `from`; it does from now on. Jumps of one 16-byte block compete for one
 * set but are told apart, as blocks are what is looked up while the addresses inside are part of the tag. */
static bool predicted(struct array *targets, uint64_t from, uint64_t to)
{
    uint64_t number = from / 16, tag = from + 1;
    struct place place;

    if (!array_find(targets, number, tag, &place)) {
        array_insert(targets, number, (struct entry){tag, to}, &place);
        return false;
    }
    array_touch(targets, place);
    if (array_value(targets, place) == to)
        return true;
    array_set_value(targets, place, to);
    return false;
}

unsigned fetch_jump(struct fetch *fetch, unsigned core, uint64_t from, uint64_t to)
{
    const struct fetch_description *description = &fetch->description->fetch;
    struct end *end = &fetch->end[core];
    unsigned cycles = description->jump;

    if (end->wrong && end->at == from) {
        end->wrong--;
        cycles += description->astray;
    }
    if (fetch->targets[core] == NULL || predicted(fetch->targets[core], from, to))
        return cycles;
    return cycles + description->miss;
}

void fetch_linked(struct fetch *fetch)
{
    for (unsigned core = 0; core < MAX_MODEL_CORES; core++)
        fetch->end[core].known = false;
}

void fetch_ended(struct fetch *fetch, unsigned core, uint64_t at)
{
    unsigned ends = fetch->description->fetch.ends;
    struct end *end = &fetch->end[core];
    unsigned left = end->known && end->at == at ? end->wrong : 0;

    if (ends && end->known && !left)
        left = 1;
    *end = (struct end){.at = at, .wrong = end->known ? left : ends, .known = true};
}

void fetch_mark(struct fetch *fetch)
{
    for (unsigned core = 0; core < MAX_MODEL_CORES; core++) {
        if (fetch->targets[core] != NULL)
            array_mark(fetch->targets[core]);
    }
}

uint64_t fetch_digest(const struct fetch *fetch)
{
    struct random mix = {0};

    for (unsigned core = 0; core < MAX_MODEL_CORES; core++) {
        if (fetch->targets[core] != NULL)
            mix.state = random_next(&mix) ^ array_digest(fetch->targets[core]);
        mix.state = random_next(&mix) ^ fetch->end[core].wrong;
    }
    return random_next(&mix);
}
