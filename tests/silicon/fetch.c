// SPDX-License-Identifier: BSD-2-Clause
/* fetch.c: what a taken jump costs by itself. A branch-target buffer knows where a jump went last time; the front end
 * follows it at once when it does, and waits until the jump has been decoded when not (Intel Optimization Reference
 * Manual, "Branch prediction"; J. Lee, A. J. Smith, "Branch prediction strategies and branch target buffer design",
 * IEEE Computer 17(1), 1984). Where a run of jumps ended, the way out is foretold next time, too, and in some laps
 * more while the order is new, in however many runs these are: measured on a Zen 5, as a guest, which took 47 ticks of
 * 2.6 GHz more in each of 14 laps, at 4.25 GHz, and in one lap after each end from then on. Some cores foretell two
 * jumps at a time (A. Seznec, S. Jourdan, P. Sainrat, P. Michaud, "Multiple-block ahead branch predictors", ASPLOS
 * 1996), of few: measured on a Redwood Cove, as a guest, on which up to 16 took half a cycle each and more of them a
 * cycle. Fetching runs ahead of what is executed, by what is foretold (G. Reinman, B. Calder, T. Austin, "Fetch
 * directed instruction prefetching", MICRO 1999), and hides so much of what it takes: hits of the first level at least,
 * where jumps take one cycle or less. Which lines and pages a jump touches is the business of caches and TLBs. */
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
    struct latest {
        uint64_t from[MAX_PAIRS]; /* addresses of the jumps that were taken last, the latest first */
        unsigned count;
        bool first, counts; /* the one before may be the first of two that are foretold together; it counts */
    } latest[MAX_MODEL_CORES];
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

/* Whether a jump is among those that were taken last; it is the latest from now on. */
static bool is_latest(struct latest *latest, unsigned most, uint64_t from)
{
    unsigned place = 0;
    bool found;

    while (place < latest->count && latest->from[place] != from)
        place++;
    found = place < latest->count;
    if (!found && latest->count < most)
        latest->count++;
    if (!found)
        place = latest->count - 1;
    for (; place > 0; place--)
        latest->from[place] = latest->from[place - 1];
    latest->from[0] = from;
    return found;
}

/* Whether a jump comes along with the one before it. Where both count, the second waits for what the first one counts.
 */
static bool comes_along(struct fetch *fetch, unsigned core, uint64_t from, bool counts, bool foretold)
{
    struct latest *latest = &fetch->latest[core];
    unsigned pairs = fetch->description->fetch.pairs;
    bool known, along;

    if (pairs == 0)
        return false;
    known = is_latest(latest, pairs, from) && foretold;
    along = known && latest->first && !(counts && latest->counts);
    latest->first = known && !along;
    latest->counts = counts;
    return along;
}

unsigned fetch_jump(struct fetch *fetch, unsigned core, uint64_t from, uint64_t to, bool counts)
{
    const struct fetch_description *description = &fetch->description->fetch;
    struct end *end = &fetch->end[core];
    bool held = fetch->targets[core] == NULL || predicted(fetch->targets[core], from, to);
    bool astray = end->wrong && end->at == from;
    unsigned cycles = (held ? 0 : description->miss) + (astray ? description->astray : 0);

    end->wrong -= astray;
    return cycles + (comes_along(fetch, core, from, counts, held && !astray) ? 0 : description->jump);
}

uint64_t fetch_waits(const struct fetch *fetch, uint64_t cycles)
{
    unsigned ahead = fetch->description->fetch.ahead;

    return cycles > ahead ? cycles - ahead : 0;
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
    fetch->latest[core].first = false;
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
        for (unsigned i = 0; i < fetch->latest[core].count; i++)
            mix.state = random_next(&mix) ^ fetch->latest[core].from[i];
        mix.state = random_next(&mix) ^ (2u * fetch->latest[core].first + fetch->latest[core].counts);
    }
    return random_next(&mix);
}
