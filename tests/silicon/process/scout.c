// SPDX-License-Identifier: BSD-2-Clause
/* scout.c: runs ahead of a long walk of loads. Each step of such a walk waits several times for this computer's own
 * memory: for the link, and for what the model knows of the sets that its line may be in. The scout follows the links
 * some steps ahead of the model and has all that fetched. It only reads: whatever it takes for a link, the model does
 * not know of it. Where pages lie is asked of the tables once; they do not change during a run. */
#include "tests/silicon/process/process_inside.h"

enum {
    LARGEST_SHIFT = 40,
    AHEAD = 4,            /* steps */
    SCOUT_INTERVAL = 256, /* steps between two decisions whether a scout is worth it */
    WORTH = 20            /* core cycles a step on average */
};

/* Physical address behind va; 0: none. Pages are remembered in pieces of the smallest page met so far. */
static uint64_t physical(struct machine *machine, struct scout *scout, uint64_t va)
{
    struct scouted *known = &scout->known[(va >> scout->page_shift) % SCOUTED];
    uint64_t within = ((uint64_t)1 << scout->page_shift) - 1;

    if (known->page != (va >> scout->page_shift) + 1) {
        struct translated translated = translation_peek(machine->silicon->translation, scout->core, va);
        if (translated.fault)
            return 0;
        if (translated.page <= within) {
            memset(scout->known, 0, sizeof scout->known);
            scout->page_shift = (unsigned)__builtin_ctzll(translated.page);
            within = translated.page - 1;
            known = &scout->known[(va >> scout->page_shift) % SCOUTED];
        }
        known->page = (va >> scout->page_shift) + 1;
        known->pa = translated.pa & ~within;
    }
    return known->pa + (va & within);
}

static void scout_step(struct machine *machine, struct scout *scout)
{
    uint64_t pa;

    if (scout->word) /* it was sent for one step ago */
        memcpy(&scout->next, scout->word, sizeof scout->next);
    pa = physical(machine, scout, scout->next);
    scout->word = ground_at(&machine->ground, pa, sizeof scout->next);
    if (!scout->word) {
        scout->on = false;
        return;
    }
    __builtin_prefetch(scout->word);
    caches_expect(machine->silicon->caches, scout->core, scout->next, pa);
}

void scout_start(struct machine *machine, struct scout *scout, unsigned core)
{
    memset(scout, 0, sizeof *scout);
    scout->core = core;
    scout->page_shift = LARGEST_SHIFT;
    scout->cycles = machine->silicon->clock.cycles;
}

/* Walks that find most of what they load near need no scout. */
static void consider(struct machine *machine, struct scout *scout, uint64_t at)
{
    uint64_t now = machine->silicon->clock.cycles, mean = (now - scout->cycles) / SCOUT_INTERVAL;

    scout->cycles = now;
    if (mean < WORTH) {
        scout->on = false;
    } else if (!scout->on) {
        scout->on = true;
        scout->next = at;
        scout->word = NULL;
        for (unsigned i = 0; i < AHEAD && scout->on; i++)
            scout_step(machine, scout);
    }
}

void scout_follow(struct machine *machine, struct scout *scout, uint64_t at)
{
    if (++scout->steps % SCOUT_INTERVAL == 0)
        consider(machine, scout, at);
    if (scout->on)
        scout_step(machine, scout);
}
