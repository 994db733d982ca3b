// SPDX-License-Identifier: BSD-2-Clause
/* prefetch.c: the prefetchers of each core and their switches. Rules and where they come from:
 *
 * - Next line: an access fetches the line after its own (Intel Optimization Reference Manual, "DCU prefetcher"; A. J.
 *   Smith, "Cache memories", ACM Computing Surveys 14(3), 1982: one block lookahead). Adjacent pair: the line that
 *   completes an aligned pair of 128 bytes ("Spatial prefetcher", same manual). Streams and strides: train.c.
 * - Next page: an access near the end of a page fetches the translation of the next one (the "next page prefetcher" of
 *   the same manual, Ivy Bridge and later). It is an ordinary translation whose time nobody waits for.
 * - Lines come from the page of 4 KB of the access only, as the same manual says of each of them: the next physical
 * page is not known. Uncacheable and write-combining memory is never read speculatively (Intel SDM volume 3, "Memory
 * types and their properties").
 * - A prefetcher beside a cache of level 2 or more sees what missed the levels before it, also code when it is the
 *   stream or the pair prefetcher; those beside the first data cache see loads and stores only ("Data prefetching to L2
 *   and L3" and "Data prefetching to L1", same manual). What prefetchers ask for does not train others.
 * - Switches are MSR bits, 1 is off, 0 after reset (Intel, "Disclosure of hardware prefetcher control on some Intel
 *   processors", MSR 1A4h; SDM volume 4, IA32_MISC_ENABLE bits 9, 19, 37, 39; AMD PPR of family 19h, C0000108h). One
 *   that is switched off loses what it learnt. */
#include "tests/silicon/prefetch.h"
#include "tests/silicon/train.h"
#include <stdlib.h>

struct engine {
    enum prefetcher_kind kind;
    bool on, sees_code;
    unsigned least_level; /* it sees what this level or a later one served */
    unsigned into, shift, ahead;
    struct trainer *trainer; /* NULL: needs none */
};

struct prefetch {
    const struct description *description;
    struct engine engine[MAX_MODEL_CORES][MAX_PREFETCHERS];
};

/* What a miss of a data cache of this level fills, as log2 of its bytes; 64 bytes without such a cache. */
static unsigned line_shift(const struct description *description, unsigned level)
{
    for (unsigned i = 0; i < description->caches; i++) {
        const struct cache_description *cache = &description->cache[i];
        unsigned line = cache->sector != 0 && cache->sector < cache->line ? cache->sector : cache->line;

        if (cache->level == level && cache->holds & HOLDS_DATA && line != 0)
            return (unsigned)__builtin_ctz(line);
    }
    return 6;
}

static bool engine_set_up(struct engine *engine, const struct description *description, unsigned number)
{
    const struct prefetcher_description *prefetcher = &description->prefetcher[number];
    bool pages = prefetcher->kind == PREFETCH_STREAM || prefetcher->kind == PREFETCH_ADJACENT;

    engine->kind = prefetcher->kind;
    engine->on = true;
    engine->sees_code = pages && prefetcher->watches >= 2;
    engine->least_level = prefetcher->watches + prefetcher->misses_only;
    engine->into = prefetcher->into;
    engine->shift = line_shift(description, prefetcher->into);
    engine->ahead = prefetcher->ahead > 0 ? prefetcher->ahead : 1;
    if (prefetcher->kind != PREFETCH_STREAM && prefetcher->kind != PREFETCH_STRIDE)
        return true;
    engine->trainer = trainer_create(prefetcher, engine->shift);
    return engine->trainer != NULL;
}

struct prefetch *prefetch_create(const struct description *description)
{
    struct prefetch *prefetch = calloc(1, sizeof *prefetch);

    if (prefetch == NULL)
        return NULL;
    prefetch->description = description;
    for (unsigned core = 0; core < description->cores; core++) {
        for (unsigned i = 0; i < description->prefetchers; i++) {
            if (!engine_set_up(&prefetch->engine[core][i], description, i)) {
                prefetch_destroy(prefetch);
                return NULL;
            }
        }
    }
    return prefetch;
}

void prefetch_destroy(struct prefetch *prefetch)
{
    for (unsigned core = 0; prefetch != NULL && core < MAX_MODEL_CORES; core++) {
        for (unsigned i = 0; i < MAX_PREFETCHERS; i++)
            trainer_destroy(prefetch->engine[core][i].trainer);
    }
    free(prefetch);
}

/* An access that prefetchers look at. */
struct seen {
    struct caches *caches;
    unsigned core;
    uint64_t va, pa, now;
};

/* Fetches the lines of a run but for the one of the access itself. Small steps stay in a line several times. */
static unsigned fill(const struct seen *seen, const struct engine *engine, struct run run)
{
    uint64_t page_va = seen->va - seen->va % PREFETCH_PAGE, page_pa = seen->pa - seen->pa % PREFETCH_PAGE;
    uint64_t last = seen->pa % PREFETCH_PAGE >> engine->shift;
    unsigned lines = 0;

    for (unsigned i = 0; i < run.count; i++) {
        uint64_t line = (uint64_t)(run.first + run.step * i) >> engine->shift;
        uint64_t place = line << engine->shift;

        if (line != last && place < PREFETCH_PAGE)
            lines +=
                caches_prefetch(seen->caches, seen->core, engine->into, page_va + place, page_pa + place, seen->now);
        last = line;
    }
    return lines;
}

static struct run next_lines(const struct engine *engine, uint64_t pa)
{
    int64_t line = (int64_t)1 << engine->shift, first = (int64_t)(pa % PREFETCH_PAGE) / line * line + line;
    int64_t left = (PREFETCH_PAGE - first) / line;

    return (struct run){first, line, left < engine->ahead ? (unsigned)left : engine->ahead};
}

static struct run other_half(const struct engine *engine, uint64_t pa)
{
    uint64_t line = (uint64_t)1 << engine->shift, place = (pa % PREFETCH_PAGE ^ line) & ~(line - 1);

    return (struct run){(int64_t)place, 0, 1};
}

/* The last `ahead` lines of a page ask for the translation of the next one, if there is any. */
static void next_page(const struct engine *engine, struct translation *translation, const struct seen *seen,
                      uint64_t page)
{
    uint64_t left = page - (seen->va & (page - 1)), next = seen->va + left;

    if (left > (uint64_t)engine->ahead << engine->shift || translation_peek(translation, seen->core, next).fault)
        return;
    translation_of(translation, seen->core, ACCESS_LOAD, next, seen->now);
}

unsigned prefetch_watch(struct prefetch *prefetch, struct caches *caches, struct translation *translation,
                        unsigned core, enum access_kind kind, uint64_t ip, uint64_t va,
                        const struct translated *translated, unsigned level, uint64_t now)
{
    struct seen seen = {caches, core, va, translated->pa, now};
    unsigned lines = 0;

    if (translated->fault || translated->type == MEM_UC || translated->type == MEM_WC || kind == ACCESS_WALK)
        return 0;
    for (unsigned i = 0; i < prefetch->description->prefetchers; i++) {
        const struct engine *engine = &prefetch->engine[core][i];

        if (!engine->on || level < engine->least_level || (kind == ACCESS_FETCH && !engine->sees_code))
            continue;
        switch (engine->kind) {
        case PREFETCH_NEXT_LINE:
            lines += fill(&seen, engine, next_lines(engine, translated->pa));
            break;
        case PREFETCH_ADJACENT:
            lines += fill(&seen, engine, other_half(engine, translated->pa));
            break;
        case PREFETCH_STREAM:
            lines += fill(&seen, engine, trainer_stream(engine->trainer, translated->pa));
            break;
        case PREFETCH_STRIDE:
            lines += fill(&seen, engine, trainer_stride(engine->trainer, ip, va));
            break;
        case PREFETCH_NEXT_PAGE:
            next_page(engine, translation, &seen, translated->page);
            break;
        }
    }
    return lines;
}

static void turn(struct engine *engine, bool on)
{
    if (!on && engine->trainer != NULL)
        trainer_forget(engine->trainer);
    engine->on = on;
}

bool prefetch_switch(struct prefetch *prefetch, unsigned core, uint32_t msr, uint64_t value)
{
    bool listens = false;

    for (unsigned i = 0; msr != 0 && i < prefetch->description->prefetchers; i++) {
        const struct prefetcher_description *prefetcher = &prefetch->description->prefetcher[i];

        if (prefetcher->msr != msr)
            continue;
        listens = true;
        turn(&prefetch->engine[core][i], (value >> prefetcher->bit & 1) == 0);
    }
    return listens;
}

void prefetch_forget(struct prefetch *prefetch, unsigned core)
{
    for (unsigned i = 0; i < prefetch->description->prefetchers; i++) {
        if (prefetch->engine[core][i].trainer != NULL)
            trainer_forget(prefetch->engine[core][i].trainer);
    }
}

const char *prefetch_name(const struct prefetch *prefetch, unsigned core, unsigned number, bool *on)
{
    if (number >= prefetch->description->prefetchers)
        return NULL;
    *on = prefetch->engine[core][number].on;
    switch (prefetch->engine[core][number].kind) {
    case PREFETCH_NEXT_LINE:
        return "next line";
    case PREFETCH_ADJACENT:
        return "adjacent pair";
    case PREFETCH_STREAM:
        return "stream";
    case PREFETCH_STRIDE:
        return "stride";
    case PREFETCH_NEXT_PAGE:
        return "next page";
    }
    return NULL;
}

/* Those that hang on the same bit turn with it. */
void prefetch_turn(struct prefetch *prefetch, unsigned core, unsigned number, bool on)
{
    const struct description *description = prefetch->description;
    const struct prefetcher_description *asked;

    if (number >= description->prefetchers || description->prefetcher[number].msr == 0)
        return;
    asked = &description->prefetcher[number];
    for (unsigned i = 0; i < description->prefetchers; i++) {
        if (description->prefetcher[i].msr == asked->msr && description->prefetcher[i].bit == asked->bit)
            turn(&prefetch->engine[core][i], on);
    }
}

uint64_t prefetch_digest(const struct prefetch *prefetch)
{
    struct random mix = {0};

    for (unsigned core = 0; core < prefetch->description->cores; core++) {
        for (unsigned i = 0; i < prefetch->description->prefetchers; i++) {
            const struct engine *engine = &prefetch->engine[core][i];

            mix.state ^= engine->on;
            mix.state = random_next(&mix);
            if (engine->trainer != NULL)
                mix.state = random_next(&mix) ^ trainer_digest(engine->trainer);
        }
    }
    return random_next(&mix);
}
