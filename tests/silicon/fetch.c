// SPDX-License-Identifier: BSD-2-Clause
/* fetch.c: what a taken jump costs by itself. A branch-target buffer knows where a jump went last time; the front end
 * follows it at once when it does, and waits until the jump has been decoded when not (Intel Optimization Reference
 * Manual, "Branch prediction"; J. Lee, A. J. Smith, "Branch prediction strategies and branch target buffer design",
 * IEEE Computer 17(1), 1984). Which lines and pages a jump touches is the business of caches and TLBs. */
#include "tests/silicon/fetch.h"
#include <stdlib.h>

struct fetch {
    const struct description *description;
    struct array *targets[MAX_MODEL_CORES]; /* a core each; NULL: every target is known */
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

    if (fetch->targets[core] == NULL || predicted(fetch->targets[core], from, to))
        return description->jump;
    return description->jump + description->miss;
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
    }
    return random_next(&mix);
}
