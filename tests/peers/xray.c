// SPDX-License-Identifier: BSD-2-Clause
/* xray.c: what X-Ray decides (paper 000, sections 4.1 and 5): Figures 6 and 8, at lower levels with sequences of
 * sequences that make the caches before them transparent (Lemma 6, of which Lemma 5 is the case of one cache before).
 * Symbols of the paper: S stride, N number of elements, T the stride of a cache, C / A. */
#include "tests/peers/xray_inside.h"

/* Whether a sequence is compact, that is, its elements are together in the cache. Of what could not be timed,
 * work->halt says why; it counts as not compact. */
static bool is_compact(struct xray_work *work, const struct xray_sequence *sequence)
{
    /* Section 4.2: "significant" is a time that has doubled. */
    const double significant = 2;
    double cycles;

    return xray_time(work, sequence, &cycles) && cycles < significant * work->found->level[work->found->levels].latency;
}

/* W* of Lemma 6 for W = <m0, S, N>: the caches that are known already and whose strides are below S get more of their
 * lines, `count` in all, than they have ways. */
static struct xray_sequence transparent(const struct xray *found, uint64_t stride, uint64_t count)
{
    struct xray_sequence sequence = {{stride, stride, stride}, {1, count, 1}};

    for (unsigned i = 0; i < found->levels; i++)
        if (found->level[i].stride < sequence.stride[0])
            sequence.stride[0] = found->level[i].stride;
    for (unsigned i = 0; i < found->levels; i++) {
        const struct xray_cache *cache = &found->level[i];
        uint64_t inner = (cache->ways + count) / count * (cache->stride / sequence.stride[0]);
        if (cache->stride < stride && inner > sequence.count[0])
            sequence.count[0] = inner;
    }
    return sequence;
}

/* Section 5.3: what the caches before could hold is not measured, but taken for compact. The paper compares with the
 * cache before alone; Lemma 6 asks it of each, and if the paper's assumptions hold, that one is the largest. */
static bool is_small(const struct xray *found, uint64_t stride, uint64_t count)
{
    for (unsigned i = 0; i < found->levels; i++)
        if ((count - 1) * stride < 2 * found->level[i].size)
            return true;
    return false;
}

static bool is_compact_at_level(struct xray_work *work, uint64_t stride, uint64_t count)
{
    struct xray_sequence sequence = transparent(work->found, stride, count);

    return is_small(work->found, stride, count) || is_compact(work, &sequence);
}

/* The least number of elements that are not compact, from 2 to `most`, which is known not to be. */
static uint64_t least_not_compact(struct xray_work *work, uint64_t stride, uint64_t most)
{
    uint64_t least = 1;

    while (most - least > 1 && !work->halt) {
        uint64_t middle = least + (most - least) / 2;
        if (is_compact_at_level(work, stride, middle))
            least = middle;
        else
            most = middle;
    }
    return most;
}

/* The first loop of Figure 6: doubles N. False: no sequence that the array has room for is too large, or work->halt. */
static bool outgrow(struct xray_work *work, uint64_t *count)
{
    *count = 1;
    while (is_compact_at_level(work, POINTER, *count))
        *count *= 2;
    return !work->halt;
}

/* The second loop of Figure 6: doubles S until N stays the same. False: work->halt, or not even one element was
 * compact. */
static bool find_ways(struct xray_work *work, uint64_t count, struct xray_cache *cache)
{
    uint64_t stride = POINTER, before;

    do {
        stride *= 2;
        before = count;
        count = least_not_compact(work, stride, before);
    } while (count != before && !work->halt);
    if (work->halt || count < 2)
        return false;
    cache->ways = count - 1;
    cache->stride = stride / 2;
    cache->size = cache->stride * cache->ways;
    return true;
}

/* Figure 8. The paper does not say how the caches before become transparent; here as in Lemma 6, each half for itself,
 * since they part at the line. 0: never compact as far as the array goes, or work->halt. */
static uint64_t find_line(struct xray_work *work, const struct xray_cache *cache)
{
    struct xray_sequence sequence = transparent(work->found, cache->stride, cache->ways);

    sequence.count[2] = 2;
    for (uint64_t shift = POINTER; !work->halt; shift *= 2) {
        sequence.stride[2] = cache->size + shift;
        if (is_compact(work, &sequence))
            return shift;
    }
    return 0;
}

/* Section 4.1.1: the latency is that of <m0, 1, 1>; at lower levels (section 5.3) of the sequence that stands for it,
 * the shortest that no cache before can hold. */
static bool find_latency(struct xray_work *work, struct xray_cache *cache)
{
    struct xray_sequence sequence = {{POINTER, POINTER, POINTER}, {1, 1, 1}};

    if (work->found->levels)
        sequence = transparent(work->found, UINT64_MAX, 1);
    sequence.stride[1] = sequence.stride[2] = POINTER;
    return xray_time(work, &sequence, &cache->latency);
}

/* What ended it, unless that was the array that has no more room. */
static bool ended(struct xray_work *work, const char *why)
{
    work->found->why = why;
    return work->halt != XRAY_REFUSED;
}

/* Section 5.3 measures lower levels in the largest pages alone: with small ones, stretches of the array are at strides
 * that nobody knows, and their translations are in the way. Table 2 says "os" where there were none. */
static bool map_superpages(struct xray_work *work, uint64_t memory)
{
    unsigned index = 0;

    while (machine_page(work->machine, index))
        index++;
    while (index-- > 1)
        if (xray_map(work, machine_page(work->machine, index), memory))
            return true;
    return false;
}

/* One level after the other. The paper does not say how it knows the last one: here, memory is what holds every
 * sequence that the array has room for. */
static bool find_levels(struct xray_work *work, uint64_t memory)
{
    struct xray *found = work->found;

    for (; found->levels < XRAY_LEVELS; found->levels++) {
        struct xray_cache *cache = &found->level[found->levels];
        uint64_t count;
        if (found->levels == 1 && !map_superpages(work, memory))
            return ended(work, "there are no larger pages");
        if (!find_latency(work, cache))
            return ended(work, "the array is too small for the next level's latency");
        if (!outgrow(work, &count)) {
            found->memory_latency = work->halt == XRAY_TOO_LARGE ? cache->latency : 0;
            return ended(work, NULL);
        }
        if (!find_ways(work, count, cache))
            return ended(work, "Figure 6 came to no end");
        cache->line = find_line(work, cache);
        if (work->halt == XRAY_REFUSED)
            return false;
        work->halt = XRAY_GOES_ON;
    }
    return ended(work, "it takes more and more for caches");
}

bool xray_measure(struct machine *machine, uint64_t memory, struct xray *found)
{
    struct xray_work work = {.machine = machine, .found = found};
    bool served;

    *found = (struct xray){0};
    served = xray_map(&work, machine_page(machine, 0), memory) && xray_time_core(&work) && find_levels(&work, memory);
    xray_unmap(&work);
    return served;
}
