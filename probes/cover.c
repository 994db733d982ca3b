// SPDX-License-Identifier: BSD-2-Clause
/* cover.c: pairs of places, of which one is loaded after the other. */
#include "probes/cover.h"
#include "base/arithmetic.h"
#include "probes/confidence.h"
#include "probes/hang.h"
#include "probes/mean.h"

enum { LOOKS = 64, PUSHED_LOOKS = 16, MOST_BATCHES = 48, LEAST_BATCHES = 4 };

/* Core cycles: what takes less is a hit of the first level; the next one's takes several. */
static const double BETWEEN = 1.05;

/* A mean is good when what it is compared with is so many standard deviations off, and of no use below that. */
static const double ENOUGH = 12, LEAST = 3;

bool spot_make(struct machine *machine, struct spot *spot, uint64_t pa, unsigned level, uint64_t other_va,
               uint64_t other_pa)
{
    uint64_t *word = machine_at(machine, pa), *other = machine_at(machine, other_pa);
    uint64_t *entry = machine_entry(machine, spot->va, level), *source = machine_entry(machine, other_va, level);
    if (!word || !other || !entry || !source)
        return false;
    *word = spot->va;
    *other = ~spot->va;
    spot->entry = entry;
    spot->was = *entry;
    spot->other = *source;
    return true;
}

static void add_first(struct script_of *script, const struct pairs *pairs)
{
    script_add(script, OP_FLUSH_TLB, 0, 0);
    for (unsigned i = 0; i < pairs->count; i++)
        script_add(script, OP_LOAD, pairs->first[i].va, 0);
    script_fence(script);
}

/* Brings the second places' lines near: no walk pushes them away any more. */
static void add_aliases(struct script_of *script, const struct pairs *pairs)
{
    for (unsigned i = 0; i < pairs->count; i++)
        script_add(script, OP_LOAD, pairs->second[i].alias, 0);
}

static void swap(const struct pairs *pairs, bool back)
{
    for (unsigned i = 0; i < pairs->count; i++) {
        const struct spot *first = &pairs->first[i], *second = &pairs->second[i];
        *first->entry = back ? first->was : first->other;
        *second->entry = back ? second->was : second->other;
    }
}

static bool play(struct script_of *script, struct bench *bench)
{
    struct reading lap[MAX_LAPS];
    bool disturbed;
    return script_play(script, bench, lap, &disturbed);
}

bool cover_ask(struct bench *bench, const struct pairs *pairs, const struct walk *push, enum covered answer[MOST_PAIRS])
{
    struct script_of script = {.count = 0};
    add_first(&script, pairs);
    if (!play(&script, bench) || (push && !bench_warm(bench, push, 0, push->length)))
        return false;
    swap(pairs, false);
    add_aliases(&script, pairs);
    for (unsigned i = 0; i < pairs->count; i++) {
        script_add(&script, OP_LOAD, pairs->first[i].va, 0);
        script_add(&script, OP_LOAD, pairs->second[i].va, 0);
    }
    bool played = play(&script, bench);
    swap(pairs, true);
    for (unsigned i = 0; played && i < pairs->count; i++) {
        const struct visit *loads = &script.visit[pairs->count + 2 * i];
        uint64_t second = loads[1].value, va = pairs->second[i].va;
        bool kept = loads[0].value == pairs->first[i].va;
        answer[i] = !kept || (second != va && second != ~va) ? LOST : second == va ? COVERED : WALKED_TO;
    }
    return played && bench_rest(bench, false);
}

static void add_lap(struct script_of *script, struct bench *bench, const struct pairs *pairs, unsigned lap)
{
    script_begin(script, bench);
    for (unsigned i = 0; i < pairs->count; i++)
        script_add(script, OP_LOAD, pairs->second[i].va, lap);
    script_fence(script);
}

/* One look: core cycles of a load. */
static bool look(struct bench *bench, const struct pairs *pairs, const struct walk *push, double *cycles, bool *good)
{
    struct script_of script = {.count = 0};
    struct reading lap[MAX_LAPS];
    bool disturbed;
    add_first(&script, pairs);
    if (push && (!play(&script, bench) || !bench_warm(bench, push, 0, push->length)))
        return false;
    add_aliases(&script, pairs);
    add_lap(&script, bench, pairs, 1);
    add_lap(&script, bench, pairs, 2);
    if (!script_play(&script, bench, lap, &disturbed))
        return false;
    bench->busy += lap[1].ticks + lap[2].ticks;
    *good = !disturbed;
    *cycles = ((double)lap[1].ticks - (double)lap[2].ticks) * bench->cycles_per_tick / pairs->count;
    return bench_rest(bench, false);
}

static bool batch(struct bench *bench, const struct pairs *pairs, const struct walk *push, double *cycles, bool *good)
{
    double looks[LOOKS];
    unsigned counted = 0, most = push ? PUSHED_LOOKS : LOOKS;
    for (unsigned i = 0; i < most; i++) {
        bool trusted;
        if (!look(bench, pairs, push, &looks[counted], &trusted))
            return false;
        counted += trusted;
    }
    *good = 2 * counted > most;
    if (*good)
        *cycles = mean_of_most(looks, counted, (double)bench->clock.step * bench->cycles_per_tick / pairs->count);
    return true;
}

bool cover_time(struct bench *bench, const struct pairs *pairs, const struct walk *push, struct taken *taken)
{
    double cycles[MOST_BATCHES], deviation = 0, off = 0;
    unsigned count = 0;
    *taken = (struct taken){.speed = UNKNOWN, .error = 1};
    for (unsigned tried = 0; tried < MOST_BATCHES; tried++) {
        bool good;
        if (!batch(bench, pairs, push, &cycles[count], &good))
            return false;
        count += good;
        if (count < LEAST_BATCHES)
            continue;
        deviation = 0;
        taken->cycles = mean_of_batches(cycles, count, &deviation);
        off = apart(taken->cycles, BETWEEN);
        if (deviation * ENOUGH < off)
            break;
    }
    if (count < LEAST_BATCHES || deviation * LEAST > off || taken->cycles < -BETWEEN)
        return true;
    taken->speed = taken->cycles < BETWEEN ? FAST : SLOW;
    taken->error = confidence_within(deviation, off);
    return true;
}

bool cover_time_each(struct bench *bench, const struct pairs *pairs, struct taken *taken)
{
    if (!cover_time(bench, pairs, NULL, taken))
        return false;
    for (unsigned i = 0; i < pairs->count && taken->speed == SLOW; i++) {
        struct pairs one = {.count = 1, .first = {pairs->first[i]}, .second = {pairs->second[i]}};
        struct taken alone;
        if (!cover_time(bench, &one, NULL, &alone))
            return false;
        if (alone.speed != SLOW)
            taken->speed = UNKNOWN;
    }
    return true;
}
